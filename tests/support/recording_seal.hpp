#pragma once
/// The checksum at the end of a binary recording, written anew: for bytes that were changed on purpose.
#include <cstdint>
#include <cstdio>
#include <string>

namespace torsor::testing {

/// `bytes` without the last sixteen, and their FNV-1a digits.
inline std::string sealed_again(std::string bytes) {
  bytes.resize(bytes.size() < 16 ? 0 : bytes.size() - 16);
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return bytes + digits;
}

}  // namespace torsor::testing
