#pragma once
/// Checksums of recordings and journals, written anew: for bytes that were changed on purpose.
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace torsor::testing {

/// Sixteen FNV-1a digits.
inline std::string seal(std::string_view bytes) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
  return digits;
}

/// A binary recording: `bytes` without the last sixteen, and their seal.
inline std::string sealed_again(std::string bytes) {
  bytes.resize(bytes.size() < 16 ? 0 : bytes.size() - 16);
  return bytes + seal(bytes);
}

/// A journal: the last cell of each line but the first two is the seal of the cells before it.
inline std::string sealed_lines(std::string_view text) {
  std::string out;
  for (int number = 0; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const std::size_t comma = line.rfind(',');
    const std::string_view cells = line.substr(0, comma + 1);  // npos + 1 = 0
    out += number < 2 || cells.empty() ? std::string(line) : std::string(cells) + seal(cells);
    if (end == std::string_view::npos) break;
    out += '\n';
    text.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace torsor::testing
