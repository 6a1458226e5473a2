#include <charconv>

#include "mesh/readers.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::mesh {

/// "v x y z" and "f a b c ...", where a is 7, 7/1, 7//3 or 7/1/3, and -1 is the last point so far.
/// Polygons are taken as fans. All other lines are about pictures.
Mesh read_obj(const std::string& bytes, const std::string& file) {
  Mesh mesh;
  int line = 0;
  for (std::size_t begin = 0; begin < bytes.size();) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    Words words(std::string_view(bytes).substr(begin, end - begin));
    begin = end + 1;
    ++line;
    const auto fail = [&](const std::string& what) {
      throw Error(Origin{one_line(file), line}.prefix() + what);
    };
    const std::string_view word = words.next();
    if (word == "v") {
      const double x = number(words.next(), file, line), y = number(words.next(), file, line);
      mesh.points.push_back({x, y, number(words.next(), file, line)});
      if (mesh.points.size() > 3 * triangle_limit) fail("the mesh has too many points");
    } else if (word == "f") {
      std::vector<int> corners;
      for (std::string_view corner = words.next(); !corner.empty(); corner = words.next()) {
        const std::string_view digits = corner.substr(0, corner.find('/'));
        long k = 0;
        const auto [stop, code] = std::from_chars(digits.data(), digits.data() + digits.size(), k);
        const auto n = static_cast<long>(mesh.points.size());
        if (k < 0) k += n + 1;
        if (code != std::errc() || stop != digits.data() + digits.size() || k < 1 || k > n)
          fail("a face has the corner " + in_quotes(corner) + ", there are " + std::to_string(n) +
               " points");
        corners.push_back(static_cast<int>(k - 1));
      }
      if (corners.size() < 3) fail("a face has " + std::to_string(corners.size()) + " corners");
      for (std::size_t k = 2; k < corners.size(); ++k)
        mesh.triangles.push_back({corners[0], corners[k - 1], corners[k]});
      if (mesh.triangles.size() > triangle_limit) fail("the mesh has too many triangles");
    }
  }
  return mesh;
}

}  // namespace torsor::internal::mesh
