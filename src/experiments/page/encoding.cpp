#include "page/encoding.hpp"

#include <bit>

namespace torsor::internal {

namespace {

std::string base64_of(const std::vector<std::uint32_t>& words) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(words.size() * 16 / 3 + 4);
  std::uint32_t group = 0;
  int held = 0;  // bytes in `group`
  const auto put = [&](int count) {
    for (int k = 0; k < 4; ++k) out += k <= count ? digits[(group >> (18 - 6 * k)) & 63u] : '=';
    group = 0, held = 0;
  };
  for (const std::uint32_t word : words)
    for (int k = 0; k < 4; ++k) {
      group |= ((word >> (8 * k)) & 255u) << (16 - 8 * held);
      if (++held == 3) put(3);
    }
  if (held > 0) put(held);
  return out;
}

}  // namespace

std::string base64(const std::vector<float>& numbers) {
  std::vector<std::uint32_t> words;
  words.reserve(numbers.size());
  for (const float x : numbers) words.push_back(std::bit_cast<std::uint32_t>(x));
  return base64_of(words);
}
std::string base64(const std::vector<std::uint32_t>& numbers) { return base64_of(numbers); }

}  // namespace torsor::internal
