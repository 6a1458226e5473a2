#pragma once
/// What a server asks of the session behind it. A session may live in another library than its server
/// does (the Python module keeps the server apart): nothing that throws, and no type of a third party,
/// passes here.
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace torsor::view {

inline constexpr std::size_t request_limit = std::size_t{1} << 20;  // bytes

struct Answered {
  int status = 200;  ///< of HTTP; from 400 on the body is {"error": "one line"}
  std::string body{};
};

class Answers {
 public:
  virtual ~Answers() = default;
  /// `request`: JSON, "" for {}.
  virtual Answered ask(const std::string& verb, std::string_view request) noexcept = 0;
  virtual Answered mesh(std::string_view number) noexcept = 0;
  /// Waits until the version is another than `seen`, or for `most`; returns the version.
  virtual std::uint64_t wait(std::uint64_t seen, std::chrono::milliseconds most) const = 0;
};

/// {"error": "one line"}
std::string complaint(std::string_view why);

}  // namespace torsor::view
