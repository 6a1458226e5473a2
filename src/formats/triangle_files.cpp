// Triangles of STL and OBJ files: positions and faces, nothing else.
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "solids.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal {
namespace {

constexpr std::size_t largest_mesh = std::size_t{256} << 20;  // bytes

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(one_line(path) + ": " + why);
}

std::string bytes_of(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) refuse(path, "cannot read: " + error.message());
  if (size > largest_mesh) refuse(path, "mesh of more than 256 MiB");
  std::ifstream in(path, std::ios::binary);
  std::string bytes(size, '\0');
  if (!in.read(bytes.data(), static_cast<std::streamsize>(size))) refuse(path, "cannot read");
  return bytes;
}

/// Blank-separated words, line by line.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}
  /// The next word of this line, or none.
  std::string_view next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
    const std::size_t begin = at_;
    while (at_ < text_.size() && !std::strchr(" \t\r\n", text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  /// To the next line; false at the end.
  bool line() {
    at_ = text_.find('\n', at_);
    if (at_ == std::string_view::npos) at_ = text_.size();
    if (at_ == text_.size()) return false;
    ++at_;
    return true;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

double number_of(std::string_view word, const std::string& path) {
  const std::optional<double> value = parse_number(word);
  if (!value) refuse(path, in_quotes(word) + " is not a number");
  return *value;
}
Vec3<double> point_of(Words& words, const std::string& path) {
  const double x = number_of(words.next(), path), y = number_of(words.next(), path);
  return {x, y, number_of(words.next(), path)};
}

Triangles binary_stl(const std::string& bytes, const std::string& path) {
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, 4);
  Triangles mesh;
  mesh.vertices.reserve(std::size_t{3} * count);
  for (std::uint32_t t = 0; t < count; ++t) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      float p[3];
      std::memcpy(p, bytes.data() + 84 + std::size_t{50} * t + 12 + 12 * corner, 12);
      if (!std::isfinite(p[0] + p[1] + p[2])) refuse(path, "a vertex is not finite");
      mesh.vertices.push_back({double(p[0]), double(p[1]), double(p[2])});
    }
    const int first = static_cast<int>(3 * t);
    mesh.faces.push_back({first, first + 1, first + 2});
  }
  return mesh;
}

Triangles text_stl(const std::string& bytes, const std::string& path) {
  Triangles mesh;
  Words words(bytes);
  do {
    if (words.next() == "vertex") mesh.vertices.push_back(point_of(words, path));
  } while (words.line());
  if (mesh.vertices.size() % 3 != 0) refuse(path, "a facet has not three vertices");
  for (int k = 0; k + 2 < static_cast<int>(mesh.vertices.size()); k += 3)
    mesh.faces.push_back({k, k + 1, k + 2});
  return mesh;
}

/// Polygons become fans of triangles; "7/1/3" is vertex 7, "-1" the last one so far.
Triangles obj(const std::string& bytes, const std::string& path) {
  Triangles mesh;
  Words words(bytes);
  do {
    const std::string_view kind = words.next();
    if (kind == "v") mesh.vertices.push_back(point_of(words, path));
    if (kind != "f") continue;
    std::vector<int> corners;
    for (std::string_view w = words.next(); !w.empty(); w = words.next()) {
      int index = 0;
      std::from_chars(w.data(), w.data() + std::min(w.find('/'), w.size()), index);
      const int n = static_cast<int>(mesh.vertices.size());
      const int k = index < 0 ? n + index : index - 1;
      if (k < 0 || k >= n) refuse(path, "face of the unknown vertex " + in_quotes(w));
      corners.push_back(k);
    }
    for (std::size_t k = 2; k < corners.size(); ++k)
      mesh.faces.push_back({corners[0], corners[k - 1], corners[k]});
  } while (words.line());
  return mesh;
}

}  // namespace

Triangles read_triangles(const std::string& path) {
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  if (extension != ".stl" && extension != ".obj")
    refuse(path, "meshes are read from .stl and .obj files");
  const std::string bytes = bytes_of(path);
  Triangles mesh;
  std::uint32_t count = 0;
  if (bytes.size() >= 84) std::memcpy(&count, bytes.data() + 80, 4);
  if (extension == ".obj")
    mesh = obj(bytes, path);
  else if (bytes.size() >= 84 && bytes.size() == 84 + std::size_t{50} * count)
    mesh = binary_stl(bytes, path);
  else
    mesh = text_stl(bytes, path);
  if (mesh.faces.empty()) refuse(path, "has no triangles");
  return mesh;
}

}  // namespace torsor::internal
