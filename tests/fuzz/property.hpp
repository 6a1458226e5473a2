#pragma once
/// What every reader promises of every text: a value that survives writing and reading, or one Error
/// of one clean line. Anything else ends the run, and libFuzzer keeps the input.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "torsor/model/error.hpp"

namespace torsor::fuzz {

[[noreturn]] inline void broken(const std::string& what, const std::string& detail = "") {
  std::fprintf(stderr, "broken: %s\n%s\n", what.c_str(), detail.c_str());
  std::abort();
}

/// One line without control characters, and not the whole file again.
inline void check_message(const std::string& message) {
  if (message.empty() || message.size() > 4000) broken("length of a message", message);
  for (const char c : message)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) broken("a control character", message);
}

/// Runs the work; true where it was not refused.
template <class Work>
bool accepted(Work&& work) {
  try {
    work();
  } catch (const Error& refused) {
    check_message(refused.what());
    return false;
  }
  return true;
}

/// write(read(write(value))) is write(value).
template <class Value, class Write, class Read>
void check_round_trip(const Value& value, const Write& write, const Read& read) {
  std::string once, twice;
  if (!accepted([&] { once = write(value); })) broken("what was read cannot be written");
  if (!accepted([&] { twice = write(read(once)); })) broken("what was written is refused", once);
  if (once != twice) broken("reading changed what was written", once + "\n----\n" + twice);
}

inline std::string text_of(const unsigned char* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace torsor::fuzz
