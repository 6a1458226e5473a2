// Meshes of MJCF: from the file and from others, and the ways of counting their mass.
#include <gtest/gtest.h>

#include <array>

#include "formats/same_motion.hpp"
#include "house/process.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/text.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

Inertial body(const std::string& inside, const std::string& rest = "") {
  return read_as("mjcf",
                 "<mujoco>" + rest + "<worldbody><body name=\"b\"><joint name=\"j\"/>" + inside +
                     "</body></worldbody></mujoco>",
                 nullptr)
      .find_link("b")
      ->inertial;
}

// A channel, which is not convex: MuJoCo counts every tetrahedron positive, first about the centre of the
// surface, which gives the centre of mass, then about that, which gives mass and inertia.
TEST(MjcfMesh, the_legacy_inertia_of_a_mesh_is_counted_about_its_centre_of_mass) {
  const double x[8] = {0, 4, 4, 3, 3, 1, 1, 0}, y[8] = {0, 0, 3, 3, 1, 1, 3, 3};
  std::vector<Vec3<double>> p;
  std::string vertices, faces;
  for (const double z : {0.0, 2.0})
    for (int k = 0; k < 8; ++k) {
      p.push_back({x[k], y[k], z});
      vertices += format_number(x[k]) + " " + format_number(y[k]) + " " + format_number(z) + " ";
    }
  std::vector<std::array<std::size_t, 3>> t = {{0, 7, 5}, {5, 7, 6}, {0, 5, 1},
                                               {1, 5, 4}, {1, 4, 2}, {2, 4, 3}};
  for (std::size_t k = 0; k < 6; ++k) t.push_back({t[k][0] + 8, t[k][2] + 8, t[k][1] + 8});
  for (std::size_t k = 0; k < 8; ++k) {
    const std::size_t next = (k + 1) % 8;
    t.push_back({k, next, next + 8});
    t.push_back({k, next + 8, k + 8});
  }
  for (const auto& f : t)
    faces += std::to_string(f[0]) + " " + std::to_string(f[1]) + " " + std::to_string(f[2]) + " ";
  double area = 0, mass = 0;
  Vec3<double> surface{}, com{};
  for (const auto& [i, j, k] : t) {
    const double A = norm(cross(p[j] - p[i], p[k] - p[i])) / 2;
    area += A;
    surface = surface + (p[i] + p[j] + p[k]) * (A / 3);
  }
  surface = surface * (1 / area);
  const auto volume = [&](const auto& f, const Vec3<double>& o) {
    return std::abs(dot(p[f[0]] - o, cross(p[f[1]] - o, p[f[2]] - o))) / 6;
  };
  for (const auto& f : t) {
    mass += volume(f, surface);
    com = com + (p[f[0]] + p[f[1]] + p[f[2]] + surface) * (volume(f, surface) / 4);
  }
  com = com * (1 / mass);
  mass = 0;
  double zz =
      0;  // int x^2 + y^2 of a tetrahedron: V / 20 sum of squares of corners and of their sum
  for (const auto& f : t) {
    const double V = volume(f, com);
    const Vec3<double> a = p[f[0]] - com, b = p[f[1]] - com, c = p[f[2]] - com, s = a + b + c;
    mass += V;
    for (const Vec3<double>& v : {a, b, c, s}) zz += V / 20 * (v.x * v.x + v.y * v.y);
  }
  EXPECT_GT(mass, 16.5);  // the channel itself has 16
  const Inertial body_of_mesh =
      body("<geom type=\"mesh\" mesh=\"m\" density=\"1\"/>",
           "<asset><mesh name=\"m\" vertex=\"" + vertices + "\" face=\"" + faces + "\"/></asset>");
  EXPECT_NEAR(body_of_mesh.mass, mass, 1e-12 * mass);
  EXPECT_NEAR(norm(body_of_mesh.com - com), 0, 1e-12);
  EXPECT_NEAR(body_of_mesh.about_com.zz, zz, 1e-12 * zz);
}

TEST(MjcfMesh, a_mesh_of_a_box_weighs_like_the_box) {
  const std::string vertices =
      "vertex=\"-0.1 -0.2 -0.3 0.1 -0.2 -0.3 -0.1 0.2 -0.3 0.1 0.2 -0.3 "
      "-0.1 -0.2 0.3 0.1 -0.2 0.3 -0.1 0.2 0.3 0.1 0.2 0.3\" ";
  const Inertial box =
      body("<geom type=\"box\" size=\"0.1 0.2 0.3\" pos=\"1 2 3\" euler=\"10 20 30\"/>");
  for (const char* how : {"legacy", "exact", "convex"})
    for (const char* faces :
         {"",
          "face=\"0 2 1 1 2 3 4 5 6 5 7 6 0 1 4 1 5 4 2 6 3 3 6 7 0 4 2 2 4 6 1 3 5 3 7 5\" "}) {
      SCOPED_TRACE(std::string(how) + faces);
      const Inertial mesh =
          body("<geom type=\"mesh\" mesh=\"m\" pos=\"1 2 3\" euler=\"10 20 30\"/>",
               "<asset><mesh name=\"m\" inertia=\"" + std::string(how) + "\" " + vertices + faces +
                   "/></asset>");
      EXPECT_NEAR(mesh.mass, box.mass, 1e-10);
      EXPECT_NEAR(norm(mesh.com - box.com), 0, 1e-12);
      EXPECT_NEAR(mesh.about_com.xx, box.about_com.xx, 1e-10);
      EXPECT_NEAR(mesh.about_com.xy, box.about_com.xy, 1e-10);
      EXPECT_NEAR(mesh.about_com.yz, box.about_com.yz, 1e-10);
    }
}

TEST(MjcfMesh, meshes_come_from_stl_and_obj_files) {
  const ScratchFolder folder;
  write_text(
      (folder / "m.obj").string(),
      "v 0 0 0\nv 0.3 0 0\nv 0 0.2 0\nv 0 0 0.4\nf 1 3 2\nf 1/1 2/2 4/3\nf 1 4 3\nf -3 -2 -1\n");
  std::string stl = "solid s\n";
  for (const char* t : {"0 0 0 0 .2 0 .3 0 0", "0 0 0 .3 0 0 0 0 .4", "0 0 0 0 0 .4 0 .2 0",
                        ".3 0 0 0 .2 0 0 0 .4"}) {
    std::istringstream in(t);
    stl += "facet normal 0 0 0\nouter loop\n";
    for (int k = 0; k < 3; ++k) {
      std::string x, y, z;
      in >> x >> y >> z;
      stl += "vertex " + x + " " + y + " " + z + "\n";
    }
    stl += "endloop\nendfacet\n";
  }
  write_text((folder / "m.stl").string(), stl + "endsolid s\n");
  for (const char* file : {"m.obj", "m.stl"}) {
    const RobotDescription r = robot_format("mjcf").read(
        "<mujoco><asset><mesh name=\"m\" file=\"" + std::string(file) +
            "\"/></asset><worldbody><body name=\"b\"><joint/><geom type=\"mesh\" mesh=\"m\"/>"
            "</body></worldbody></mujoco>",
        (folder / "r.xml").string(), nullptr);
    const Inertial& i = r.find_link("b")->inertial;
    EXPECT_NEAR(i.mass, 1000 * 0.3 * 0.2 * 0.4 / 6, 1e-9) << file;
    EXPECT_NEAR(norm(i.com - Vec3<double>{0.075, 0.05, 0.1}), 0, 1e-12) << file;
    EXPECT_EQ(r.find_link("b")->geometry.at(0).mesh_file, file);
  }
}

TEST(MjcfMesh, a_file_of_points_alone_is_their_hull) {
  const ScratchFolder folder;
  std::string points = "v 0.01 0 0\n";  // inside
  for (const char* x : {"-0.1", "0.1"})
    for (const char* y : {"-0.2", "0.2"})
      for (const char* z : {"-0.3", "0.3"})
        points += "v " + std::string(x) + " " + y + " " + z + "\n";
  write_text((folder / "points.obj").string(), points);
  write_text((folder / "flat.obj").string(), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\n");
  std::string msh(4, '\0');  // of 8 points and nothing else
  msh[0] = 8;
  msh.resize(16, '\0');
  for (int k = 0; k < 8; ++k)
    for (const float x : {k & 1 ? 0.1f : -0.1f, k & 2 ? 0.2f : -0.2f, k & 4 ? 0.3f : -0.3f})
      msh.append(reinterpret_cast<const char*>(&x), 4);
  write_text((folder / "points.msh").string(), msh);
  const auto box = [&](const std::string& file) {
    return robot_format("mjcf")
        .read("<mujoco><asset><mesh name=\"m\" file=\"" + file +
                  "\"/></asset><worldbody><body name=\"b\"><joint/><geom type=\"mesh\" mesh=\"m\"/>"
                  "</body></worldbody></mujoco>",
              (folder / "r.xml").string(), nullptr)
        .find_link("b")
        ->inertial;
  };
  const Inertial i = box("points.obj");
  EXPECT_NEAR(i.mass, 1000 * 0.2 * 0.4 * 0.6, 1e-9);
  EXPECT_NEAR(i.about_com.xx, i.mass * (0.16 + 0.36) / 12, 1e-9);
  EXPECT_NEAR(box("points.msh").mass, i.mass, 1e-5);
  EXPECT_THROW((void)box("flat.obj"), Error);
}

// As MuJoCo 3 has it: from the folder of the main file, then beside the included one.
TEST(MjcfMesh, a_mesh_that_an_included_file_names_may_lie_beside_it) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "parts");
  std::filesystem::create_directories(folder / "shapes");
  const std::string tetrahedron =
      "v 0 0 0\nv 0.3 0 0\nv 0 0.2 0\nv 0 0 0.4\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  write_text((folder / "shapes/m.obj").string(), tetrahedron);
  write_text((folder / "parts/assets.xml").string(),
             "<mujoco><asset><mesh name=\"m\" file=\"../shapes/m.obj\"/></asset></mujoco>");
  const auto mesh_of = [&](const std::string& compiler) {
    const RobotDescription r = robot_format("mjcf").read(
        "<mujoco>" + compiler +
            "<include file=\"parts/assets.xml\"/><worldbody><body name=\"b\">"
            "<joint/><geom type=\"mesh\" mesh=\"m\"/></body></worldbody></mujoco>",
        (folder / "r.xml").string(), nullptr);
    EXPECT_NEAR(r.find_link("b")->inertial.mass, 1000 * 0.3 * 0.2 * 0.4 / 6, 1e-9);
    return r.find_link("b")->geometry.at(0).mesh_file;
  };
  EXPECT_EQ(mesh_of(""), "parts/../shapes/m.obj");
  EXPECT_EQ(mesh_of("<compiler meshdir=\"parts\"/>"), "parts/../shapes/m.obj");
  std::filesystem::create_directories(folder / "first/shapes");
  std::filesystem::create_directories(folder / "first/inside");
  write_text((folder / "first/shapes/m.obj").string(), tetrahedron);
  EXPECT_EQ(mesh_of("<compiler meshdir=\"first/inside\"/>"), "first/inside/../shapes/m.obj");
}

}  // namespace
