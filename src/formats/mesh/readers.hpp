#pragma once
/// The readers of meshes, one for each format. Private to this room.
#include "torsor/formats/mesh.hpp"

namespace torsor::internal::mesh {

inline constexpr std::size_t triangle_limit = 20'000'000;

Mesh read_stl(const std::string& bytes, const std::string& file);
Mesh read_obj(const std::string& bytes, const std::string& file);
Mesh read_dae(const std::string& bytes, const std::string& file);

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

/// Throws Error "file:line: ..." for what is no number.
double number(std::string_view word, const std::string& file, int line);

}  // namespace torsor::internal::mesh
