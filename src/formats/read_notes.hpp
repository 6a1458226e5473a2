#pragma once
/// What the readers of MJCF and SDF have to say besides the robot: findings, folded by their subject.
///
/// Whatever a file holds ends in one of three ways: it is in the robot; it is dropped and nothing
/// changes (`unused`, a note); it is dropped and motion or forces are others without it (`dropped`, a
/// warning). There is no fourth.
#include <map>
#include <string>
#include <utility>

#include "torsor/formats/internal/file_error.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/formats/xml.hpp"

namespace torsor::internal {

class ReadNotes {
 public:
  /// With `errors`, what is refused is put there and reading goes on (torsor check).
  explicit ReadNotes(Findings* findings, Findings* errors = nullptr)
      : findings_(findings), errors_(errors) {}

  template <class Part>
  void attempt(Part part) const {
    internal::attempt(errors_, part);
  }
  bool reads_on() const { return errors_ != nullptr; }
  Findings* errors() const { return errors_; }

  /// Motion, masses or forces are others without it. `why` ends a sentence about it.
  void dropped(const XmlElement& at, const std::string& subject, const std::string& why,
               const std::string& fix, Finding::Topic topic = Finding::Topic::dynamics) {
    add(at, Finding::Severity::warning, Finding::Kind::ignored, subject, subject + " is dropped",
        why, fix, topic);
  }
  /// What no algorithm here would use.
  void unused(const XmlElement& at, const std::string& subject,
              Finding::Topic topic = Finding::Topic::drawing, int count = 1) {
    add(at, Finding::Severity::note, Finding::Kind::not_used, subject, subject + " is not used",
        "it is there for other programs", "nothing to do", topic, count);
  }
  /// A name that the format does not have.
  void unknown(const XmlElement& at, const std::string& what, const std::string& advice,
               const std::string& format) {
    add(at, Finding::Severity::warning, Finding::Kind::ignored, what,
        "unknown " + what + " is dropped" + advice, what + " is not " + format,
        advice.empty() ? "say it in the words of " + format + ", or remove it"
                       : "correct the name, or remove it",
        Finding::Topic::motion);
  }
  /// Something to know that is no loss.
  void say(const XmlElement& at, Finding::Severity severity, const std::string& message,
           const std::string& why, const std::string& fix,
           Finding::Topic topic = Finding::Topic::motion) {
    add(at, severity, Finding::Kind::other, message, message, why, fix, topic);
  }

 private:
  /// Of one subject, the first few have a finding each; the last of them counts the rest.
  void add(const XmlElement& at, Finding::Severity severity, Finding::Kind kind,
           const std::string& subject, const std::string& message, const std::string& why,
           const std::string& fix, Finding::Topic topic, int count = 1) {
    if (findings_ == nullptr) return;
    Fold& fold = folds_[{kind, subject}];
    const int most = kind == Finding::Kind::not_used ? 1 : 20;
    if (fold.shown == most) {
      (*findings_)[fold.last].count += count;
      return;
    }
    if (folds_.size() > most_subjects) {  // of a hostile file
      if (!std::exchange(full_, true))
        findings_->push_back({Finding::Severity::warning, at.origin(), "",
                              "further findings are left out",
                              "there are more than a thousand kinds", "correct these first",
                              Finding::Kind::other, topic});
      return;
    }
    ++fold.shown;
    fold.last = findings_->size();
    const bool loss = kind == Finding::Kind::ignored || kind == Finding::Kind::not_used;
    findings_->push_back({severity, at.origin(), one_line(at.label()), one_line(message), why, fix,
                          kind, topic, loss ? one_line(subject) : std::string(), count});
  }

  static constexpr std::size_t most_subjects = 1000;
  struct Fold {
    int shown = 0;
    std::size_t last = 0;
  };
  Findings *findings_, *errors_;
  bool full_ = false;
  std::map<std::pair<Finding::Kind, std::string>, Fold> folds_;
};

}  // namespace torsor::internal
