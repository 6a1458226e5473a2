// Meshes: closed forms of their volumes and moments, the formats, and what is refused.
#include "torsor/formats/mesh.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "torsor/formats/text.hpp"

using namespace torsor;

namespace {

/// A box from corner p, its triangles seen from outside counterclockwise.
Mesh box(const Vec3<double>& p, const Vec3<double>& s) {
  Mesh mesh;
  for (int k = 0; k < 8; ++k)
    mesh.points.push_back({p.x + (k & 1) * s.x, p.y + (k >> 1 & 1) * s.y, p.z + (k >> 2) * s.z});
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

/// An inscribed ball: n rings of 2 n points.
Mesh ball(double r, int n) {
  Mesh mesh;
  const double pi = 3.14159265358979323846;
  const auto at = [&](int i, int j) { return i * 2 * n + j % (2 * n); };
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j < 2 * n; ++j) {
      const double a = pi * i / n, b = pi * j / n;
      const double s = i == 0 || i == n ? 0 : std::sin(a);
      mesh.points.push_back(
          {r * s * std::cos(b), r * s * std::sin(b), i == n ? -r : r * std::cos(a)});
    }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 2 * n; ++j) {
      if (i > 0) mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i, j + 1)});
      if (i < n - 1) mesh.triangles.push_back({at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return mesh;
}

void expect_box(const MeshSolid& solid, const Vec3<double>& p, const Vec3<double>& s) {
  const double m = s.x * s.y * s.z, eps = 1e-12 * m;
  EXPECT_TRUE(solid.closed());
  EXPECT_NEAR(solid.volume, m, eps);
  EXPECT_NEAR(norm(solid.inertial.com - (p + s * 0.5)), 0, 1e-12);
  const Sym3<double>& J = solid.inertial.about_com;
  EXPECT_NEAR(J.xx, m / 12 * (s.y * s.y + s.z * s.z), eps);
  EXPECT_NEAR(J.yy, m / 12 * (s.x * s.x + s.z * s.z), eps);
  EXPECT_NEAR(J.zz, m / 12 * (s.x * s.x + s.y * s.y), eps);
  EXPECT_NEAR(std::abs(J.xy) + std::abs(J.xz) + std::abs(J.yz), 0, eps);
}

std::string text_stl(const Mesh& mesh) {
  std::string out = "solid s\n";
  for (const auto& t : mesh.triangles) {
    out += "facet normal 0 0 0\nouter loop\n";
    for (const int k : t) {
      const auto& p = mesh.points[static_cast<std::size_t>(k)];
      out += "vertex " + format_number(p.x) + " " + format_number(p.y) + " " + format_number(p.z) +
             "\n";
    }
    out += "endloop\nendfacet\n";
  }
  return out + "endsolid s\n";
}
std::string binary_stl(const Mesh& mesh) {
  std::string out = "solid is what some exporters write here";
  out.resize(80, ' ');
  const auto put = [&](const void* data, std::size_t n) {
    out.append(static_cast<const char*>(data), n);
  };
  const auto count = static_cast<std::uint32_t>(mesh.triangles.size());
  put(&count, 4);
  for (const auto& t : mesh.triangles) {
    const float none[3] = {0, 0, 0};
    put(none, 12);
    for (const int k : t) {
      const auto& p = mesh.points[static_cast<std::size_t>(k)];
      const float xyz[3] = {static_cast<float>(p.x), static_cast<float>(p.y),
                            static_cast<float>(p.z)};
      put(xyz, 12);
    }
    out += std::string(2, '\0');
  }
  return out;
}

/// With a normal for each point and one texture coordinate.
std::string msh(const Mesh& mesh) {
  std::string out;
  const auto put = [&](auto x) { out.append(reinterpret_cast<const char*>(&x), sizeof x); };
  const auto points = static_cast<std::int32_t>(mesh.points.size());
  for (const std::int32_t n : {points, points, 1, static_cast<std::int32_t>(mesh.triangles.size())})
    put(n);
  for (const auto& p : mesh.points)
    for (const double x : {p.x, p.y, p.z}) put(static_cast<float>(x));
  for (std::int32_t k = 0; k < 3 * points + 2; ++k) put(0.5f);
  for (const auto& t : mesh.triangles)
    for (const int corner : t) put(static_cast<std::int32_t>(corner));
  return out;
}

std::string message(const std::string& bytes, const std::string& name) {
  try {
    (void)read_mesh(bytes, name);
  } catch (const Error& refused) {
    return refused.what();
  }
  return "no error";
}

}  // namespace

TEST(Mesh, a_box_has_its_closed_form_wherever_it_stands) {
  for (const Vec3<double>& p :
       {Vec3<double>{-1, -2, -3}, Vec3<double>{0, 0, 0}, Vec3<double>{40, 3, -7}})
    expect_box(mesh_solid(box(p, {1, 2, 0.5})), p, {1, 2, 0.5});
  expect_box(mesh_solid(box({1, 1, 1}, {1, 2, 3}), {2, 0.5, 1}), {2, 0.5, 1}, {2, 1, 3});
}
TEST(Mesh, a_fine_ball_approaches_the_ball) {
  const double pi = 3.14159265358979323846, r = 0.3;
  double before = 1;
  for (const int n : {8, 16, 32}) {
    const MeshSolid solid = mesh_solid(ball(r, n));
    EXPECT_TRUE(solid.closed());
    const double m = 4 * pi / 3 * r * r * r;
    const double off = 1 - solid.inertial.about_com.xx / (0.4 * m * r * r);
    EXPECT_LT(off, before / 3.5);  // of second order
    EXPECT_GT(off, 0);
    before = off;
  }
}
TEST(Mesh, triangles_that_face_inwards_give_the_same_body) {
  Mesh mesh = box({0, 0, 0}, {1, 2, 3});
  for (auto& t : mesh.triangles) std::swap(t[0], t[1]);
  const MeshSolid solid = mesh_solid(mesh);
  EXPECT_LT(solid.volume, 0);
  EXPECT_NEAR(solid.inertial.mass, 6, 1e-12);
  EXPECT_NEAR(solid.inertial.about_com.xx, 6.0 / 12 * (4 + 9), 1e-12);
}
TEST(Mesh, an_open_mesh_says_how_many_edges_are_open) {
  Mesh mesh = box({0, 0, 0}, {1, 1, 1});
  mesh.triangles.pop_back();
  EXPECT_EQ(mesh_solid(mesh).open_edges, 3);
  mesh = box({0, 0, 0}, {1, 1, 1});
  std::swap(mesh.triangles[0][0], mesh.triangles[0][1]);  // faces inwards
  EXPECT_EQ(mesh_solid(mesh).open_edges, 3);
  EXPECT_FALSE(mesh_solid(mesh).closed());
}
TEST(Mesh, stl_obj_and_collada_give_the_same_box) {
  const Vec3<double> p{-0.5, 0.25, 1}, s{1, 0.5, 2};
  expect_box(mesh_solid(read_mesh(text_stl(box(p, s)), "a.stl")), p, s);
  expect_box(mesh_solid(read_mesh(binary_stl(box(p, s)), "a.STL")), p, s);
  std::string obj = "# box\no b\n";
  for (const auto& v : box(p, s).points)
    obj += "v " + format_number(v.x) + " " + format_number(v.y) + " " + format_number(v.z) + "\n";
  obj +=
      "vn 0 0 1\nf 1//1 3//1 4//1 2//1\nf 5 6 8 7\nf -8 -7 -3 -4\nf 3/1 7/1 8/1 4/1\nf 1 5 7 3\n"
      "f 2 4 8 6\n";
  expect_box(mesh_solid(read_mesh(obj, "a.obj")), p, s);
}
TEST(Mesh, collada_has_units_and_the_transforms_of_its_scene) {
  const std::string dae =
      "<COLLADA><asset><unit meter='0.001'/></asset><library_geometries><geometry id='g'><mesh>"
      "<source id='p'><float_array count='24'>0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 "
      "1</float_array>"
      "</source><vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"
      "<polylist count='4'><input semantic='VERTEX' source='#v' offset='0'/>"
      "<input semantic='NORMAL' source='#n' offset='1'/><vcount>4 4 4 4</vcount>"
      "<p>0 0 2 0 3 0 1 0  4 0 5 0 7 0 6 0  0 0 1 0 5 0 4 0  2 0 6 0 7 0 3 0</p></polylist>"
      "<triangles count='4'><input semantic='VERTEX' source='#v' offset='0'/>"
      "<p>0 4 2 2 4 6 1 3 5 3 7 5</p></triangles></mesh></geometry></library_geometries>"
      "<library_visual_scenes><visual_scene><node><translate>1000 0 0</translate>"
      "<rotate>0 0 1 90</rotate><scale>2000 1000 -500</scale><instance_geometry url='#g'/></node>"
      "</visual_scene></library_visual_scenes></COLLADA>";
  // x to y of 2 m, y to -x of 1 m, z mirrored: 0.5 m down.
  expect_box(mesh_solid(read_mesh(dae, "a.dae")), {0, 0, -0.5}, {1, 2, 0.5});
}
TEST(Mesh, the_binary_meshes_of_mujoco) {
  const Vec3<double> p{-0.5, 0.25, 1}, s{1, 0.5, 2};
  const std::string bytes = msh(box(p, s));
  expect_box(mesh_solid(read_mesh(bytes, "a.msh")), p, s);
  EXPECT_EQ(message(bytes.substr(0, bytes.size() - 1), "a.msh").find("a.msh: has "), 0u);
  EXPECT_EQ(message("MSH", "a.msh"), "a.msh: no MSH file: it has less than 16 bytes");
  Mesh wrong = box(p, s);
  wrong.triangles[0][1] = 8;
  EXPECT_EQ(message(msh(wrong), "a.msh"), "a.msh: there is no point 8");
  wrong.points[0].x = std::nan("");
  EXPECT_EQ(message(msh(wrong), "a.msh"), "a.msh: a point of the mesh is not finite");
  wrong = box(p, s);
  wrong.triangles.clear();
  EXPECT_EQ(message(msh(wrong), "a.msh"), "a.msh: the mesh has no triangle");
}
TEST(Mesh, what_is_no_mesh_gets_one_line) {
  EXPECT_EQ(message("x", "a.ply"), "a.ply: meshes are read from .stl, .obj, .dae and .msh files");
  EXPECT_EQ(message("", "a.stl"), "a.stl: no STL file: it has less than 84 bytes");
  EXPECT_EQ(message(binary_stl(box({}, {1, 1, 1})).substr(0, 200), "a.stl"),
            "a.stl: has 2 triangles, and announces 12; is the file cut off?");
  EXPECT_EQ(message("solid s\nfacet\nvertex 1 2\n", "a.stl"), "a.stl:3: \"\" is not a number");
  EXPECT_EQ(message("solid s\nfacet\nvertex 1 2 3\nendfacet\n", "a.stl"),
            "a.stl:4: a facet has 1 corners");
  EXPECT_EQ(message("v 0 0 0\nf 1 2 3\n", "a.obj"),
            "a.obj:2: a face has the corner \"2\", there are 1 points");
  EXPECT_EQ(message("v 0 0 nan\n", "a.obj"), "a.obj:1: \"nan\" is not a number");
  EXPECT_EQ(message("v 0 0 1\n", "a.obj"), "a.obj: the mesh has no triangle");
  EXPECT_EQ(message("<dae/>", "a.dae").find("a.dae:1: "), 0u);
  std::string nodes;  // each names the next one twice
  for (int k = 0; k < 31; ++k) {
    const std::string next = "<instance_node url='#n" + std::to_string(k + 1) + "'/>";
    nodes += "<node id='n" + std::to_string(k) + "'>" + next + next + "</node>";
  }
  EXPECT_NE(
      message("<COLLADA><library_nodes>" + nodes +
                  "<node id='n31'/></library_nodes>"
                  "<library_visual_scenes><visual_scene><node><instance_node url='#n0'/></node>"
                  "</visual_scene></library_visual_scenes></COLLADA>",
              "a.dae")
          .find("100000 nodes"),
      std::string::npos);
}
