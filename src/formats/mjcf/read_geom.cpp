// Shapes: what is drawn, and the mass that a body gets from them.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "mesh/readers.hpp"
#include "mjcf/reader.hpp"
#include "torsor/formats/mesh.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/math/principal_axes.hpp"

namespace torsor::internal::mjcf {
namespace {

constexpr std::size_t hull_limit = 20000;  // points

const std::vector<std::string> geom_types = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                             "cylinder", "box",    "mesh",   "sdf"};

Solid solid_of(const std::string& type) {
  return type == "sphere"      ? Solid::sphere
         : type == "ellipsoid" ? Solid::ellipsoid
         : type == "box"       ? Solid::box
         : type == "cylinder"  ? Solid::cylinder
                               : Solid::capsule;
}
std::size_t sizes_of(const std::string& type) {
  return type == "sphere" ? 1 : type == "capsule" || type == "cylinder" ? 2 : 3;
}

Inertial inertial_of(const MassMoments<double>& m) {
  const Inertia<double> I = inertia(m);
  Inertial body;
  body.mass = I.m;
  if (I.m > 0) body.com = I.h * (1 / I.m);
  body.about_com = I.J - Inertia<double>::parallel_axes(I.m, body.com);
  return body;
}

/// The hull of points, outward; without faces where there are too many or they are flat.
Triangles hull_of(std::vector<Vec3<double>> points) {
  Triangles hull{std::move(points), {}};
  if (hull.vertices.size() <= hull_limit) hull.faces = hull_faces(hull.vertices);
  return hull;
}

/// An OBJ or MSH file of points alone stands for their hull.
Triangles triangles_in(const std::string& path) {
  try {
    Mesh read = load_mesh(path);
    return {std::move(read.points), std::move(read.triangles)};
  } catch (const Error&) {
    const bool msh = path.ends_with(".msh");
    if (!msh && !path.ends_with(".obj")) throw;
    const std::string bytes = mesh::read_bytes(path);
    Mesh read = msh ? mesh::read_msh(bytes, path) : mesh::read_obj(bytes, path);
    if (!read.triangles.empty()) throw;
    Triangles hull = hull_of(std::move(read.points));
    if (hull.faces.empty()) throw;
    return hull;
  }
}

}  // namespace

std::string Reader::mesh_file(const XmlElement& mesh) const {
  const std::filesystem::path file = *mesh.attribute("file");
  return document_.file_of(mesh, compiler_.mesh_folder,
                           (compiler_.strip_path ? file.filename() : file).string());
}

/// With scale, refpos and refquat. Read once.
const Triangles& Reader::triangles_of(const XmlElement& at, const std::string& name) {
  const auto found = meshes_.find(name);
  if (found == meshes_.end()) {
    std::vector<std::string> known;
    for (const auto& [mesh, asset] : meshes_)
      if (known.size() < 100) known.push_back(mesh);
    at.fail("unknown mesh " + in_quotes(name) + did_you_mean(name, known));
  }
  MeshAsset& asset = found->second;
  if (asset.triangles) return *asset.triangles;
  const Attributes a(asset.xml, "mesh", asset.defaults);
  auto mesh = std::make_unique<Triangles>();
  constexpr std::size_t most = 30000000;
  if (asset.xml.attribute("vertex")) {
    const std::vector<double> v = a.numbers("vertex", 12, most);
    if (v.size() % 3 != 0) asset.xml.fail("<mesh> vertex: not three numbers for each vertex");
    for (std::size_t k = 0; k + 2 < v.size(); k += 3)
      mesh->vertices.push_back({v[k], v[k + 1], v[k + 2]});
    const std::vector<double> f = a.numbers("face", 3, most);
    for (std::size_t k = 0; k + 2 < f.size(); k += 3) {
      for (std::size_t c = k; c < k + 3; ++c)
        if (!(f[c] >= 0 && f[c] < static_cast<double>(mesh->vertices.size())))
          asset.xml.fail("<mesh> face: there is no vertex " + format_number(f[c]));
      mesh->faces.push_back(
          {static_cast<int>(f[k]), static_cast<int>(f[k + 1]), static_cast<int>(f[k + 2])});
    }
    if (mesh->faces.empty()) {
      if (mesh->vertices.size() > hull_limit)
        asset.xml.fail("<mesh> of more than " + std::to_string(hull_limit) +
                       " vertices has no faces");
      *mesh = hull_of(std::move(mesh->vertices));
      if (mesh->faces.empty()) asset.xml.fail("the vertices of <mesh> are flat");
    }
  } else if (asset.xml.attribute("file")) {
    const std::filesystem::path path =
        std::filesystem::path(document_.folder()) / mesh_file(asset.xml);
    try {
      *mesh = triangles_in(path.string());
    } catch (const Error& refused) {
      asset.xml.fail(std::string(refused.what()) + "; the mass of a body needs it");
    }
  } else {
    asset.xml.fail(asset.xml.attribute("builtin")
                       ? "the mass of a body needs the mesh, and MuJoCo's builtin shapes are not "
                         "made here; write <inertial>"
                   : asset.plugin
                       ? "the mass of a body needs the mesh, which a plugin makes; write <inertial>"
                       : "<mesh> has neither file nor vertex; the mass of a body needs it");
  }
  const Vec3<double> p = asset.xml.vec3("refpos", {}), s = a.vec3("scale", {1, 1, 1});
  SO3<double> R = SO3<double>::identity();
  if (asset.xml.attribute("refquat")) {
    const std::vector<double> q = asset.xml.numbers("refquat", 4);
    const double n = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
    if (!(n > 0)) asset.xml.fail("<mesh> refquat is zero");
    R = transpose(rotation(Quaternion<double>{q[1] / n, q[2] / n, q[3] / n, q[0] / n}));
  }
  for (Vec3<double>& v : mesh->vertices) {
    v = R * (v - p);
    v = {v.x * s.x, v.y * s.y, v.z * s.z};
  }
  asset.triangles = std::move(mesh);
  return *asset.triangles;
}

/// At a density of 1, by the mesh's own way of counting.
MassMoments<double> Reader::mesh_at_density_one(const XmlElement& at, const std::string& name,
                                                bool shell) {
  const Triangles& mesh = triangles_of(at, name);
  const MeshAsset& asset = meshes_.at(name);
  const std::string how = Attributes(asset.xml, "mesh", asset.defaults)
                              .word("inertia", {"legacy", "exact", "convex", "shell"},
                                    compiler_.exact_meshes ? "exact" : "legacy");
  MassMoments<double> moments;
  if (how == "convex") {
    if (mesh.vertices.size() > hull_limit)
      asset.xml.fail("the convex hull of a mesh of more than " + std::to_string(hull_limit) +
                     " vertices is not computed");
    moments = mesh_moments(hull_of(mesh.vertices), MeshMass::signed_volume);
  } else {
    moments = mesh_moments(mesh, how == "shell" || shell ? MeshMass::area
                                 : how == "exact"        ? MeshMass::signed_volume
                                                         : MeshMass::absolute_volume);
  }
  if (!(moments.m > 0)) at.fail("mesh " + in_quotes(name) + " has no volume");
  return moments;
}

/// The size of a solid that stands for a mesh: that of the box with the mesh's inertia, which is turned
/// and placed as that box is (T). Source: MuJoCo's reference on `fitaabb`.
Vec3<double> Reader::fitted_size(const Attributes& a, const std::string& type, SE3<double>& T) {
  const Inertial mesh = inertial_of(mesh_at_density_one(a.own(), a.text("mesh"), false));
  const PrincipalAxes<double> p = principal_axes(mesh.about_com);  // ascending
  const auto half = [&](double own, double b, double c) {
    return std::sqrt(std::max(0.0, 1.5 * (b + c - own) / mesh.mass));
  };
  const double i0 = p.moments.z, i1 = p.moments.y, i2 = p.moments.x;  // the longest edge is last
  const Vec3<double> box{half(i0, i1, i2), half(i1, i0, i2), half(i2, i0, i1)};
  T = T * SE3<double>{{p.axes.c2, p.axes.c1, -p.axes.c0}, mesh.com};
  const double r = (box.x + box.y) / 2;
  const Vec3<double> size = type == "sphere"     ? Vec3<double>{(box.x + box.y + box.z) / 3, 0, 0}
                            : type == "capsule"  ? Vec3<double>{r, std::max(0.0, box.z - r / 2), 0}
                            : type == "cylinder" ? Vec3<double>{r, box.z, 0}
                                                 : box;
  return size * a.number("fitscale", 1);
}

MassMoments<double> Reader::moments_of(const Attributes& a, const std::string& type,
                                       const Vec3<double>& size, const SE3<double>& T) {
  const bool shell = a.word("shellinertia", {"false", "true"}, "false") == "true";
  const double density = a.number("density", 1000);
  const std::optional<double> mass =
      a.has("mass") ? std::optional(a.number("mass", 0)) : std::nullopt;
  if (mass && *mass < 0) a.own().fail("mass is negative (" + format_number(*mass) + " kg)");
  if (density < 0) a.own().fail("density is negative (" + format_number(density) + " kg/m^3)");
  if (mass ? *mass == 0 : density == 0) return {};
  MassMoments<double> moments;
  if (type == "mesh" || type == "sdf") {
    moments = mesh_at_density_one(a.own(), a.text("mesh"), shell);
    const double scale = mass ? *mass / moments.m : density;
    moments = transported(
        T, MassMoments<double>{moments.m * scale, moments.h * scale, moments.S * scale});
  } else {
    const SolidMoments own = solid_moments(solid_of(type), size, shell);
    moments = moments_at(T, mass ? *mass : density * own.measure, own.second);
  }
  return moments;
}

void Reader::keep_shape(const Attributes& a, const std::string& type, const Vec3<double>& size,
                        const SE3<double>& T, Link& link) {
  using Kind = Geometry::Shape;
  Geometry g;
  g.name = a.own().attribute("name").value_or("");
  g.placement = T;
  g.material = a.text("material");
  if (a.text("rgba").find_first_not_of(" \t\r\n") != std::string::npos)
    g.rgba = a.numbers("rgba", 4, 4);
  else if (const auto m = materials_.find(g.material); m != materials_.end())
    g.rgba = m->second;
  if (type == "box") {
    g.shape = Kind::box;
    g.size = size * 2;
  } else if (type == "sphere") {
    g.shape = Kind::sphere;
    g.size = {size.x, 1, 1};
  } else if (type == "cylinder" || type == "capsule") {
    g.shape = type == "cylinder" ? Kind::cylinder : Kind::capsule;
    g.size = {size.x, 2 * size.y, 1};
  } else if (type == "mesh") {
    const auto mesh = meshes_.find(a.text("mesh"));
    if (mesh == meshes_.end() || !mesh->second.xml.attribute("file"))
      return notes_.unused(a.own(), "shapes of meshes without a file");
    if (mesh->second.xml.attribute("refpos") || mesh->second.xml.attribute("refquat"))
      return notes_.unused(a.own(), "shapes of meshes with a reference frame");
    g.shape = Kind::mesh;
    g.mesh_file = mesh_file(mesh->second.xml);
    g.size = Attributes(mesh->second.xml, "mesh", mesh->second.defaults).vec3("scale", {1, 1, 1});
  } else {
    return notes_.unused(a.own(), "shapes of type " + type);
  }
  const bool collides = a.number("contype", 1) != 0 || a.number("conaffinity", 1) != 0;
  const bool seen = !collides || a.number("group", 0) < 3;
  if (seen) link.geometry.push_back(g);
  g.collision = true;
  if (collides) link.geometry.push_back(std::move(g));
}

void Reader::read_geom(const Item& item, std::size_t link, bool need_mass,
                       std::vector<Shape>& shapes) {
  const XmlElement& at = item.node->xml;
  check_attributes(at, "geom", notes_);
  for (const Node& part : item.node->children) notes_.unused(part.xml, "<" + part.tag + ">");
  const Attributes a(at, "geom", classes_.of(at, "class", item.place.defaults));
  std::string type = a.word("type", geom_types, "sphere");
  if (!a.has("type") && a.has("mesh")) type = "mesh";
  if (a.word("fluidshape", {"none", "ellipsoid"}, "none") != "none")
    notes_.unused(at, "fluidshape");  // a medium is named where it is
  Vec3<double> size{};
  SE3<double> T = read_pose(a, compiler_);
  const bool sized = type != "plane" && type != "hfield" && type != "mesh" && type != "sdf";
  const bool fitted = sized && a.has("mesh");
  const double group = a.number("group", 0);
  const bool counts = group >= compiler_.lowest_group && group <= compiler_.highest_group;
  const bool weighs = need_mass && counts && type != "plane" && type != "hfield";
  if (fitted && weighs) {
    if (compiler_.fit_box) at.fail("a " + type + " is fitted by fitaabb; write its size");
    size = fitted_size(a, type, T);
  }
  if (sized && !fitted) {
    const bool along = a.has("fromto");
    if (along && type == "sphere") at.fail("a sphere has no fromto");
    const std::vector<double> s = a.numbers("size", 1, 3);
    const std::size_t n = along ? 1 : sizes_of(type);
    if (s.size() < n)
      at.fail("size of a " + type + " has " + std::to_string(s.size()) + " numbers, not " +
              std::to_string(n));
    size = {s[0], s.size() > 1 ? s[1] : 0, s.size() > 2 ? s[2] : 0};
    if (along) {
      double half = 0;
      T = read_fromto(a, half);
      const bool round = type == "capsule" || type == "cylinder";
      size = round ? Vec3<double>{s[0], half, 0} : Vec3<double>{s[0], s[0], half};
    }
    for (std::size_t k = 0; k < sizes_of(type); ++k)
      if (!(size[static_cast<int>(k)] > 0) && !std::isnan(size[static_cast<int>(k)]))
        at.fail("size of a " + type + " is not positive (" + a.text("size") + ")");
  }
  T = item.place.T * T;
  if (weighs) shapes.push_back({moments_of(a, type, size, T), group});
  if (fitted && !weighs)
    notes_.unused(at, "shapes fitted to meshes");
  else
    keep_shape(a, type, size, T, robot_.links[link]);
}

Inertial Reader::read_inertial(const XmlElement& at) {
  check_attributes(at, "inertial", notes_);
  const Attributes a(at, "inertial", nullptr);
  Inertial body;
  body.com = at.vec3("pos");
  body.mass = at.number("mass");
  if (body.mass < 0) at.fail("mass is negative (" + format_number(body.mass) + " kg)");
  const bool full = at.attribute("fullinertia").has_value();
  if (full && at.attribute("diaginertia"))
    at.fail("<inertial> has fullinertia and diaginertia; remove one of them");
  if (full) {
    const std::vector<double> j = at.numbers("fullinertia", 6);  // xx yy zz xy xz yz
    for (const char* name : {"quat", "axisangle", "xyaxes", "zaxis", "euler"})
      if (at.attribute(name))
        at.fail("<inertial> has fullinertia and " + std::string(name) + "; remove one of them");
    body.about_com = {j[0], j[3], j[1], j[4], j[5], j[2]};
  } else if (at.attribute("diaginertia")) {
    const Vec3<double> d = at.vec3("diaginertia");
    const bool turned =
        a.has("quat") || a.has("axisangle") || a.has("xyaxes") || a.has("zaxis") || a.has("euler");
    body.about_com = Sym3<double>::diagonal(d.x, d.y, d.z);
    if (turned) body.about_com = rotated(read_orientation(a, compiler_), body.about_com);
  }
  return body;
}

/// boundmass, boundinertia and balanceinertia of <compiler>.
void Reader::bound_inertia(const XmlElement& at, Inertial& body) const {
  if (std::isnan(body.mass + trace(body.about_com))) return;
  body.mass = std::max(body.mass, compiler_.bound_mass);
  if (!(compiler_.bound_inertia > 0) && !compiler_.balance_inertia) return;
  const PrincipalAxes<double> p = principal_axes(body.about_com);
  Vec3<double> m = p.moments;  // ascending
  const double least = compiler_.bound_inertia;
  m = {std::max(m.x, least), std::max(m.y, least), std::max(m.z, least)};
  if (compiler_.balance_inertia && m.x + m.y < m.z)
    m = Vec3<double>{1, 1, 1} * ((m.x + m.y + m.z) / 3);
  if (m.x == p.moments.x && m.y == p.moments.y && m.z == p.moments.z) return;
  if (m.x < 0) at.fail("a principal moment of inertia is negative");
  body.about_com = rotated(p.axes, Sym3<double>::diagonal(m.x, m.y, m.z));
}

void Reader::set_inertia(const Item& body, const std::vector<Item>& items, std::size_t link) {
  XmlElement inertial;
  for (const Item& item : items)
    if (item.node->tag == "inertial") {
      if (inertial) item.node->xml.fail("second <inertial> in a body");
      inertial = item.node->xml;
    }
  const std::string& from = compiler_.inertia_from_geom;
  const bool need = from == "true" || (from == "auto" && !inertial);
  std::vector<Shape> shapes;
  for (const Item& item : items)
    if (item.node->tag == "geom") notes_.attempt([&] { read_geom(item, link, need, shapes); });
  MassMoments<double> sum;
  for (const Shape& shape : shapes)
    if (shape.moments.m > 1e-14 || std::isnan(shape.moments.m)) sum = sum + shape.moments;
  Link& out = robot_.links[link];
  if (need && sum.m != 0) {
    out.has_inertial = true;
    out.inertial = inertial_of(sum);
  } else if (inertial) {
    out.has_inertial = true;
    out.inertial = read_inertial(inertial);
  }
  if (compiler_.bound_mass > 0 || compiler_.bound_inertia > 0) out.has_inertial = true;
  if (out.has_inertial) bound_inertia(body.node->xml, out.inertial);
}

}  // namespace torsor::internal::mjcf
