#pragma once
/// The readers of meshes, one for each format. Private to this room.
#include <bit>
#include <cstdint>

#include "torsor/formats/mesh.hpp"

namespace torsor::internal::mesh {

inline constexpr std::size_t triangle_limit = 20'000'000;

/// Throws Error for what cannot be read, or is too large.
std::string read_bytes(const std::string& path);

Mesh read_stl(const std::string& bytes, const std::string& file);
Mesh read_obj(const std::string& bytes, const std::string& file);
Mesh read_dae(const std::string& bytes, const std::string& file);
Mesh read_msh(const std::string& bytes, const std::string& file);

/// Words of a text, line by line, without copies.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  /// The next one; empty at the end.
  std::string_view next() {
    while (at_ < text_.size() && blank(text_[at_])) ++at_;
    const std::size_t begin = at_;
    while (at_ < text_.size() && !blank(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

 private:
  static bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
  std::string_view text_;
  std::size_t at_ = 0;
};

/// Four bytes of a binary file as an integer, or as a float.
inline std::uint32_t little_endian(const char* bytes) {
  std::uint32_t x = 0;
  for (int k = 3; k >= 0; --k) x = x << 8 | static_cast<unsigned char>(bytes[k]);
  return x;
}
inline float real(const char* bytes) { return std::bit_cast<float>(little_endian(bytes)); }

/// Throws Error "file:line: ..." for what is no number.
double number(std::string_view word, const std::string& file, int line);

}  // namespace torsor::internal::mesh
