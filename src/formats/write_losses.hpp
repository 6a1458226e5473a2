#pragma once
/// What a writer could not say, folded by its subject.
#include <string>
#include <vector>

#include "torsor/formats/robot_format.hpp"

namespace torsor::internal {

class WriteLosses {
 public:
  explicit WriteLosses(Findings& losses) : losses_(losses) {}

  /// Motion or forces of the written robot are others.
  void dropped(const Origin& origin, const std::string& element, const std::string& subject,
               const std::string& why) {
    add(Finding::Severity::warning, Finding::Kind::ignored, Finding::Topic::dynamics, origin,
        element, subject, why);
  }
  /// Nothing that moves changes.
  void unused(const Origin& origin, const std::string& element, const std::string& subject,
              const std::string& why, Finding::Topic topic = Finding::Topic::drawing) {
    add(Finding::Severity::note, Finding::Kind::not_used, topic, origin, element, subject, why);
  }

 private:
  void add(Finding::Severity severity, Finding::Kind kind, Finding::Topic topic,
           const Origin& origin, const std::string& element, const std::string& subject,
           const std::string& why) {
    for (Finding& f : losses_)
      if (f.subject == subject && f.kind == kind) {
        ++f.count;
        return;
      }
    losses_.push_back({severity, origin, element, subject + " is dropped", why, "nothing to do",
                       kind, topic, subject, 1});
  }
  Findings& losses_;
};

/// What a conversion refuses or loses, in words, for cannot_say of a format.
inline std::vector<std::string> unsaid(const Conversion& out) {
  std::vector<std::string> words;
  if (!out.ok()) words.push_back(out.message);
  for (const Finding& loss : out.losses) words.push_back(loss.subject);
  return words;
}

}  // namespace torsor::internal
