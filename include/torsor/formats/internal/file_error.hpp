#pragma once
/// An Error of a reader in its parts, so that it can become a finding. Private to the readers.
#include <string>
#include <utility>

#include "torsor/formats/finding.hpp"

namespace torsor::internal {

class FileError : public Error {
 public:
  FileError(Origin origin, std::string element, std::string message)
      : Error(origin.prefix() + (element.empty() ? message : element + ": " + message)),
        origin_(std::move(origin)),
        element_(std::move(element)),
        message_(std::move(message)) {}

  Finding finding() const {
    Finding f;
    f.severity = Finding::Severity::error;
    f.origin = origin_;
    f.element = element_;
    f.message = message_;
    f.why = "the file is refused: no other command uses it";
    f.fix = "correct it";
    f.kind = Finding::Kind::unreadable;
    return f;
  }

 private:
  Origin origin_;
  std::string element_, message_;
};

/// Any Error as a finding; one that is no FileError has its whole line as message.
inline Finding finding_of(const Error& refused) {
  if (const auto* in_parts = dynamic_cast<const FileError*>(&refused)) return in_parts->finding();
  return FileError({}, {}, refused.what()).finding();
}

/// More errors of one file than anybody reads are not kept.
inline constexpr std::size_t most_errors = 1000;

/// Runs one part of a reading. With `errors`, what it throws is put there and reading goes on.
template <class Part>
void attempt(Findings* errors, Part part) {
  if (errors == nullptr) return part();
  try {
    part();
  } catch (const Error& refused) {
    if (errors->size() < most_errors) errors->push_back(finding_of(refused));
  }
}

}  // namespace torsor::internal
