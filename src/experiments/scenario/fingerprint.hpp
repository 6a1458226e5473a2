#pragma once
/// A short name for a text. Private to this room.
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace torsor::internal {

/// Sixteen hexadecimal digits (FNV-1a, 64 bits): another text of the same length that differs in one
/// character always has others.
inline std::string fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

}  // namespace torsor::internal
