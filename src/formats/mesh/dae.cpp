#include <charconv>
#include <map>
#include <numbers>
#include <set>

#include "mesh/readers.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/formats/xml.hpp"

namespace torsor::internal::mesh {
namespace {

/// x -> A x + b, of a node of the scene.
struct Affine {
  std::array<Vec3<double>, 3> columns{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  Vec3<double> offset{};

  Vec3<double> turned(const Vec3<double>& v) const {
    return columns[0] * v.x + columns[1] * v.y + columns[2] * v.z;
  }
  Vec3<double> operator*(const Vec3<double>& v) const { return turned(v) + offset; }
  Affine operator*(const Affine& b) const {
    return {{turned(b.columns[0]), turned(b.columns[1]), turned(b.columns[2])}, *this * b.offset};
  }
};

std::vector<double> numbers_of(const XmlElement& element, std::size_t count = 0) {
  const std::string text = element.text();
  Words words(text);
  std::vector<double> all;
  for (std::string_view word = words.next(); !word.empty(); word = words.next())
    all.push_back(number(word, element.origin().file, element.origin().line));
  if (count != 0 && all.size() != count)
    element.fail("<" + element.name() + "> has " + std::to_string(all.size()) + " numbers, not " +
                 std::to_string(count));
  return all;
}

class Reader {
 public:
  Reader(const std::string& bytes, const std::string& file) : document_(bytes, file) {}

  Mesh run() {
    const XmlElement root = document_.root();
    if (root.name() != "COLLADA") root.fail("the root element of a COLLADA file is <COLLADA>");
    for (const XmlElement& asset : root.children("asset"))
      for (const XmlElement& unit : asset.children("unit")) unit_ = unit.number("meter", 1);
    for (const XmlElement& library : root.children("library_geometries"))
      for (const XmlElement& geometry : library.children("geometry"))
        geometries_[geometry.attribute("id").value_or("")] = geometry;
    for (const XmlElement& library : root.children("library_nodes"))
      for (const XmlElement& node : library.children("node"))
        nodes_[node.attribute("id").value_or("")] = node;
    Affine whole;
    for (Vec3<double>& column : whole.columns) column = column * unit_;
    bool scene = false;
    for (const XmlElement& library : root.children("library_visual_scenes"))
      for (const XmlElement& visual : library.children("visual_scene")) {
        scene = true;
        for (const XmlElement& node : visual.children("node")) add_node(node, whole, 0);
      }
    if (!scene)
      for (const auto& [id, geometry] : geometries_) add_geometry(geometry, whole);
    return std::move(mesh_);
  }

 private:
  void add_node(const XmlElement& node, const Affine& outside, int depth) {
    if (depth > 32) node.fail("nodes are nested more than 32 deep");
    if (++visits_ > 100'000) node.fail("the scene has more than 100000 nodes");
    Affine T = outside;
    for (const XmlElement& e : node.children()) {
      const std::string name = e.name();
      if (name == "matrix") {
        const std::vector<double> m = numbers_of(e, 16);
        T = T * Affine{{{{m[0], m[4], m[8]}, {m[1], m[5], m[9]}, {m[2], m[6], m[10]}}},
                       {m[3], m[7], m[11]}};
      } else if (name == "translate") {
        const std::vector<double> v = numbers_of(e, 3);
        Affine shift;
        shift.offset = {v[0], v[1], v[2]};
        T = T * shift;
      } else if (name == "scale") {
        const std::vector<double> v = numbers_of(e, 3);
        T = T * Affine{{{{v[0], 0, 0}, {0, v[1], 0}, {0, 0, v[2]}}}, {}};
      } else if (name == "rotate") {
        T = T * rotation(numbers_of(e, 4));
      } else if (name == "instance_geometry") {
        add_geometry(referred(e, geometries_), T);
      } else if (name == "instance_node") {
        add_node(referred(e, nodes_), T, depth + 1);
      } else if (name == "node") {
        add_node(e, T, depth + 1);
      }
    }
  }
  static Affine rotation(const std::vector<double>& v) {
    const Vec3<double> axis{v[0], v[1], v[2]};
    const double length = norm(axis);
    if (!(length > 0)) return {};
    const SO3<double> R = exp(axis * (v[3] * std::numbers::pi / 180 / length));
    return {{R.c0, R.c1, R.c2}, {}};
  }
  static XmlElement referred(const XmlElement& e, const std::map<std::string, XmlElement>& all) {
    const std::string url = e.required("url");
    const auto found = all.find(url.starts_with('#') ? url.substr(1) : url);
    if (found == all.end()) e.fail("<" + e.name() + "> refers to the unknown " + in_quotes(url));
    return found->second;
  }

  void add_geometry(const XmlElement& geometry, const Affine& T) {
    for (const XmlElement& mesh : geometry.children("mesh")) {
      const int first = static_cast<int>(mesh_.points.size());
      for (const Vec3<double>& p : points_of(mesh)) mesh_.points.push_back(T * p);
      if (mesh_.points.size() > 3 * triangle_limit) mesh.fail("the mesh has too many points");
      const int count = static_cast<int>(mesh_.points.size()) - first;
      const std::size_t before = mesh_.triangles.size();
      for (const XmlElement& part : mesh.children()) add_part(part, first, count);
      // A transform that mirrors turns triangles inside out.
      const double det = dot(T.columns[0], cross(T.columns[1], T.columns[2]));
      if (det < 0)
        for (std::size_t k = before; k < mesh_.triangles.size(); ++k)
          std::swap(mesh_.triangles[k][1], mesh_.triangles[k][2]);
    }
  }
  std::vector<Vec3<double>> points_of(const XmlElement& mesh) const {
    const XmlElement vertices = mesh.required_child("vertices");
    std::string source;
    for (const XmlElement& input : vertices.children("input"))
      if (input.attribute("semantic") == "POSITION") source = input.required("source");
    for (const XmlElement& e : mesh.children("source")) {
      if ("#" + e.attribute("id").value_or("") != source) continue;
      const std::vector<double> x = numbers_of(e.required_child("float_array"));
      std::vector<Vec3<double>> points;
      for (std::size_t k = 0; k + 2 < x.size(); k += 3)
        points.push_back({x[k], x[k + 1], x[k + 2]});
      return points;
    }
    vertices.fail("<vertices> has no positions");
  }
  static std::vector<int> indices_of(const XmlElement& e) {
    const std::string text = e.text();
    Words words(text);
    std::vector<int> all;
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
      int k = 0;
      const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), k);
      if (code != std::errc() || end != word.data() + word.size() || k < 0)
        e.fail("<" + e.name() + ">: " + in_quotes(word) + " is no index");
      all.push_back(k);
    }
    return all;
  }
  void add_part(const XmlElement& part, int first, int count) {
    static const std::set<std::string> kinds = {"triangles", "polylist", "polygons", "tristrips",
                                                "trifans"};
    if (!kinds.contains(part.name())) return;
    std::size_t stride = 0, offset = 0;
    for (const XmlElement& input : part.children("input")) {
      const double at = input.number("offset", 0);
      if (!(at >= 0 && at < 64)) input.fail("offset is " + format_number(at));
      stride = std::max(stride, static_cast<std::size_t>(at) + 1);
      if (input.attribute("semantic") == "VERTEX") offset = static_cast<std::size_t>(at);
    }
    if (stride == 0) part.fail("<" + part.name() + "> has no <input>");
    std::vector<int> sizes;
    for (const XmlElement& e : part.children("vcount")) sizes = indices_of(e);
    for (const XmlElement& p : part.children("p")) {
      const std::vector<int> raw = indices_of(p);
      std::vector<int> corners;
      for (std::size_t k = offset; k < raw.size(); k += stride) {
        if (raw[k] >= count)
          p.fail("index " + std::to_string(raw[k]) + " of " + std::to_string(count) + " points");
        corners.push_back(first + raw[k]);
      }
      add_faces(part, corners, sizes);
    }
  }
  void add_faces(const XmlElement& part, const std::vector<int>& corners,
                 const std::vector<int>& sizes) {
    const std::string kind = part.name();
    const auto add = [&](std::size_t a, std::size_t b, std::size_t c) {
      mesh_.triangles.push_back({corners[a], corners[b], corners[c]});
      if (mesh_.triangles.size() > triangle_limit) part.fail("the mesh has too many triangles");
    };
    const auto fan = [&](std::size_t begin, std::size_t size) {
      for (std::size_t k = 2; k < size; ++k) add(begin, begin + k - 1, begin + k);
    };
    if (kind == "triangles") {
      for (std::size_t k = 0; k + 2 < corners.size(); k += 3) add(k, k + 1, k + 2);
    } else if (kind == "tristrips") {
      for (std::size_t k = 2; k < corners.size(); ++k)
        k % 2 == 0 ? add(k - 2, k - 1, k) : add(k - 1, k - 2, k);
    } else if (kind == "polylist") {
      std::size_t begin = 0;
      for (const int size : sizes) {
        if (begin + static_cast<std::size_t>(size) > corners.size())
          part.fail("<vcount> asks for more corners than <p> has");
        fan(begin, static_cast<std::size_t>(size));
        begin += static_cast<std::size_t>(size);
      }
    } else {
      fan(0, corners.size());
    }
  }

  XmlDocument document_;
  double unit_ = 1;
  int visits_ = 0;
  std::map<std::string, XmlElement> geometries_, nodes_;
  Mesh mesh_;
};

}  // namespace

Mesh read_dae(const std::string& bytes, const std::string& file) {
  return Reader(bytes, file).run();
}

}  // namespace torsor::internal::mesh
