#include "mesh/readers.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::mesh {
namespace {

constexpr std::size_t head = 84, facet = 50;  // bytes

/// Header of 80 bytes, number of triangles, then for each a normal, three points and two bytes.
Mesh read_binary(const std::string& bytes, const std::string& file) {
  if (bytes.size() < head) throw Error(one_line(file) + ": no STL file: it has less than 84 bytes");
  const std::size_t count = little_endian(bytes.data() + 80);
  if (bytes.size() < head + count * facet)
    throw Error(one_line(file) + ": has " + std::to_string((bytes.size() - head) / facet) +
                " triangles, and announces " + std::to_string(count) + "; is the file cut off?");
  if (count > triangle_limit)
    throw Error(one_line(file) + ": has more than " + std::to_string(triangle_limit) +
                " triangles");
  Mesh mesh;
  mesh.points.reserve(3 * count);
  for (std::size_t k = 0; k < count; ++k) {
    const int first = static_cast<int>(mesh.points.size());
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const char* at = bytes.data() + head + k * facet + 12 + corner * 12;
      mesh.points.push_back({real(at), real(at + 4), real(at + 8)});
    }
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  return mesh;
}

Mesh read_text(const std::string& bytes, const std::string& file) {
  Mesh mesh;
  int corners = 0, line = 0;
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    Words words(std::string_view(bytes).substr(begin, end - begin));
    begin = end + 1;
    ++line;
    const std::string_view word = words.next();
    const auto fail = [&](const std::string& what) {
      throw Error(Origin{one_line(file), line}.prefix() + what);
    };
    if (word == "vertex") {
      const double x = number(words.next(), file, line), y = number(words.next(), file, line);
      mesh.points.push_back({x, y, number(words.next(), file, line)});
      if (++corners > 3) fail("a facet has more than three corners");
    } else if (word == "endfacet") {
      if (corners != 3) fail("a facet has " + std::to_string(corners) + " corners");
      const int last = static_cast<int>(mesh.points.size()) - 1;
      mesh.triangles.push_back({last - 2, last - 1, last});
      corners = 0;
    }
    if (mesh.triangles.size() > triangle_limit) fail("the mesh has too many triangles");
  }
  if (corners != 0)
    throw Error(Origin{one_line(file), line}.prefix() + "a facet has no end; is the file cut off?");
  return mesh;
}

}  // namespace

/// Some binary files begin with "solid", too: their size tells, or that no facet follows.
Mesh read_stl(const std::string& bytes, const std::string& file) {
  const bool solid = bytes.starts_with("solid");
  const bool fits = bytes.size() >= head &&
                    bytes.size() == head + facet * std::size_t{little_endian(bytes.data() + 80)};
  const bool text = solid && !fits && bytes.find("facet") != bytes.npos;
  return text ? read_text(bytes, file) : read_binary(bytes, file);
}

}  // namespace torsor::internal::mesh
