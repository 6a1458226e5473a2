/// Pictures of robots: every robot is drawn, where its joints are.
#include "torsor/experiments/internal/robot_picture.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::internal {
namespace {

using V3 = Vec3<double>;
using Kind = PictureShape::Kind;
using Role = PictureShape::Role;

bool is_positive(const PictureShape& s) {
  switch (s.kind) {
    case Kind::sphere:
      return s.size.x > 0;
    case Kind::cylinder:
    case Kind::capsule:
      return s.size.x > 0 && s.size.y > 0;
    default:
      return s.size.x > 0 && s.size.y > 0 && s.size.z > 0;
  }
}
/// Of a point from the line through `at` along the unit vector `along`.
double distance(const V3& point, const V3& at, const V3& along) {
  return norm(cross(point - at, along));
}

TEST(RobotPicture, every_built_in_robot_is_drawn_with_finite_shapes_of_its_own_size) {
  for (const BuiltinRobot& builtin : builtin_robots()) {
    const std::string name = builtin.name == "chain:N" ? "chain:20" : builtin.name;
    const Model<double> robot = load_robot(name);
    const RobotPicture picture = picture_of(robot);
    EXPECT_FALSE(picture.shapes.empty()) << name;
    EXPECT_GT(picture.size, 0) << name;
    EXPECT_NEAR(norm(picture.up), 1, 1e-12) << name;
    for (const PictureShape& s : picture.shapes) {
      EXPECT_TRUE(is_positive(s)) << name;
      EXPECT_TRUE(s.body >= 0 && s.body < robot.n_bodies()) << name;
      EXPECT_LT(norm(s.place.p), 3 * picture.size + 1) << name;
      EXPECT_LT(std::max({s.size.x, s.size.y, s.size.z}), 3 * picture.size) << name;
    }
  }
}

TEST(RobotPicture, housings_lie_on_the_axes_of_their_joints) {
  for (const char* name : {"puma560", "panda", "ur5", "stanford", "humanoid38"}) {
    const Model<double> robot = load_robot(name);
    const RobotPicture picture = picture_of(robot);
    std::vector<int> housings(static_cast<std::size_t>(robot.n_bodies()));
    for (const PictureShape& s : picture.shapes) {
      if (s.role != Role::joint || s.kind != Kind::cylinder || s.body == 0) continue;
      const V3 axis = robot.body(s.body).turn * V3{0, 0, 1};
      EXPECT_LT(distance(s.place.p, {}, axis), 1e-12 * picture.size) << name;
      EXPECT_NEAR(std::abs(dot(s.place.R * V3{0, 0, 1}, axis)), 1, 1e-12) << name;
      ++housings[static_cast<std::size_t>(s.body)];
    }
    for (int i = 1; i < robot.n_bodies(); ++i)
      if (turns_about_axis(robot.body(i).kind)) {
        EXPECT_GT(housings[static_cast<std::size_t>(i)], 0) << name << " " << robot.joint_name(i);
      }
  }
}

TEST(RobotPicture, tubes_lead_from_the_axis_of_a_joint_to_the_axis_of_the_next) {
  for (const char* name : {"puma560", "panda", "ur5"}) {
    const Model<double> robot = load_robot(name);
    const RobotPicture picture = picture_of(robot);
    for (int child = 2; child < robot.n_bodies(); ++child) {
      const Body<double>& c = robot.body(child);
      const V3 own = robot.body(c.parent).turn * V3{0, 0, 1};
      const V3 next = c.placement.R * (c.turn * V3{0, 0, 1});
      double start = HUGE_VAL, end = HUGE_VAL;
      for (const PictureShape& s : picture.shapes) {
        if (s.body != c.parent || s.kind != Kind::cone) continue;
        const V3 half = s.place.R * V3{0, 0, s.size.z / 2};
        for (const V3& tip : {s.place.p + half, s.place.p - half}) {
          start = std::min(start, distance(tip, {}, own));
          end = std::min(end, distance(tip, c.placement.p, next));
        }
      }
      if (start == HUGE_VAL) continue;  // both housings at one place
      EXPECT_LT(start, 1e-9) << name << " " << robot.joint_name(child);
      EXPECT_LT(end, 1e-9) << name << " " << robot.joint_name(child);
    }
  }
}

TEST(RobotPicture, what_is_made_up_ends_where_the_tool_is) {
  for (const char* name : {"ur5", "ur10"}) {
    const Model<double> robot = load_robot(name);
    const RobotPicture picture = picture_of(robot);
    const int last = picture.tool.body;
    ASSERT_EQ(last, robot.n_bodies() - 1);
    ASSERT_LT(norm(picture.tool.placement.p), 1e-12);
    // The last axis leads from the wrist to the tool: nothing is drawn beyond it.
    const V3 axis = robot.body(last).turn * V3{0, 0, 1};
    const V3 back =
        transpose_times(robot.body(last).placement.R, robot.body(last).placement.p) * -1.0;
    const V3 out = axis * std::copysign(1.0, -dot(axis, back));
    double most = -HUGE_VAL;
    for (const PictureShape& s : picture.shapes) {
      if (s.body != last) continue;
      ASSERT_TRUE(s.kind == Kind::cylinder || s.kind == Kind::cone) << name;
      const double half = 0.5 * (s.kind == Kind::cylinder ? s.size.y : s.size.z);
      most =
          std::max(most, dot(s.place.p, out) + half * std::abs(dot(s.place.R * V3{0, 0, 1}, out)));
    }
    EXPECT_NEAR(most, 0, 1e-9) << name;
    for (const PictureShape& s : picture.shapes)
      if (s.body == last && s.role == Role::tool) {
        EXPECT_NEAR(dot(s.place.p, out) + 0.5 * s.size.y, 0, 1e-9) << name;
      }
  }
}

TEST(RobotPicture, no_tool_is_made_up_where_a_loop_begins) {
  for (const char* name : {"five_bar", "four_bar"}) {
    const Model<double> robot = load_robot(name);
    const RobotPicture picture = picture_of(robot);
    for (const PictureShape& s : picture.shapes)
      if (s.role == Role::tool) {
        EXPECT_EQ(s.body, picture.tool.body) << name;
      }
  }
}

TEST(RobotPicture, tools_are_found_by_the_names_that_makers_give_them) {
  const auto tool = [](const std::string& frame) {
    return picture_of(
               Model<double>(read_robot_file(
                   "robot: arm\nbodies:\n  - name: base\n"
                   "  - {name: upper, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
                   "  - {name: finger, mass: 0.1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
                   "joints:\n"
                   "  - {name: j1, type: revolute, parent: base, child: upper}\n"
                   "  - {name: j2, type: prismatic, parent: upper, child: finger}\n"
                   "frames:\n  - {name: " +
                       frame + ", link: upper, placement: {xyz: [1, 0, 0]}}\n",
                   "arm.yaml")))
        .tool.name;
  };
  for (const char* name : {"tool", "panda_hand_tcp", "right_tool0", "ee_link", "lbr_flange"})
    EXPECT_EQ(tool(name), name);
}

TEST(RobotPicture, shapes_of_the_file_are_drawn_where_it_puts_them) {
  const Model<double> robot(read_robot_file(R"(
robot: drawn
bodies:
  - name: base
  - name: arm
    mass: 1
    inertia: [0.1, 0.1, 0.1]
    geometry:
      - {shape: box, size: [0.1, 0.2, 0.3], placement: {xyz: [0, 0, 0.5]}, rgba: [1, 0, 0, 0.5]}
      - {shape: mesh, file: arm.stl}
joints:
  - {name: j, type: revolute, parent: base, child: arm, axis: [0, 1, 0]}
)",
                                            "drawn.yaml"));
  const RobotPicture picture = picture_of(robot);
  ASSERT_EQ(picture.shapes.size(), 1u);
  EXPECT_EQ(picture.shapes[0].role, Role::visual);
  EXPECT_EQ(picture.shapes[0].body, 1);
  EXPECT_EQ(picture.shapes[0].place.p.z, 0.5);
  EXPECT_EQ(picture.shapes[0].rgba, (std::vector<double>{1, 0, 0, 0.5}));
  EXPECT_EQ(picture.missing.size(), 1u);
}

TEST(RobotPicture, meshes_are_read_once_and_written_as_they_are) {
  RobotDescription arm = load_robot("planar2r").description();
  Geometry g;
  g.shape = Geometry::Shape::mesh;
  g.mesh_file = "part.stl";
  g.size = {0.5, 0.5, 0.5};
  for (Link& link : arm.links) link.geometry = {g, g};
  int read = 0;
  PictureOptions options;
  options.mesh = [&](const Link&, const Geometry& of, PictureMesh& mesh) {
    ++read;
    mesh.vertices = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    mesh.triangles = {0, 1, 2};
    return of.mesh_file == "part.stl";
  };
  const Model<double> robot(arm);
  const RobotPicture picture = picture_of(robot, options);
  EXPECT_EQ(read, 1);
  EXPECT_EQ(picture.shapes.size(), 2 * arm.links.size());
  EXPECT_TRUE(picture.missing.empty());
  const nlohmann::json json = nlohmann::json::parse(robot_json(robot, picture));
  ASSERT_EQ(json["meshes"].size(), 1u);
  // 0 0 0 | 1 0 0 | 0 1 0 in float32 and 0 1 2 in uint32, little-endian
  EXPECT_EQ(json["meshes"][0]["vertices"], "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA");
  EXPECT_EQ(json["meshes"][0]["triangles"], "AAAAAAEAAAACAAAA");
  EXPECT_EQ(picture_of(robot).missing, std::vector<std::string>{"part.stl"});
}

TEST(RobotPicture, meshes_for_collision_are_not_read_and_what_fails_is_told_with_its_reason) {
  RobotDescription arm = load_robot("planar2r").description();
  const auto mesh = [](const char* file, bool collision) {
    Geometry g;
    g.shape = Geometry::Shape::mesh;
    g.mesh_file = file;
    g.collision = collision;
    return g;
  };
  for (Link& link : arm.links)
    link.geometry = {mesh("seen.stl", false), mesh("hull.stl", true), mesh("bad.stl", false)};
  std::vector<std::string> asked;
  PictureOptions options;
  options.mesh = [&](const Link&, const Geometry& of, PictureMesh& to) {
    asked.push_back(of.mesh_file);
    if (of.mesh_file == "bad.stl") throw Error("bad.stl:3: a number is missing");
    to.vertices = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    return true;
  };
  const RobotPicture picture = picture_of(Model<double>(arm), options);
  EXPECT_EQ(asked, (std::vector<std::string>{"seen.stl", "bad.stl"}));
  EXPECT_EQ(picture.missing, std::vector<std::string>{"bad.stl: bad.stl:3: a number is missing"});
  EXPECT_EQ(picture.meshes.size(), 1u);
}

TEST(RobotPicture, points_that_coincide_are_one) {
  torsor::Mesh mesh;  // a square of two triangles, as STL has it
  mesh.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, -0.0}, {1, 1, 0}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}, {3, 4, 5}};
  const PictureMesh picture = picture_mesh(mesh);
  EXPECT_EQ(picture.vertices.size(), 12u);
  EXPECT_EQ(picture.triangles, (std::vector<std::uint32_t>{0, 1, 2, 1, 3, 2}));
}

TEST(RobotPicture, an_inertia_box_has_the_inertia_of_its_body) {
  const Model<double> robot = load_robot("panda");
  const nlohmann::json json = nlohmann::json::parse(robot_json(robot, picture_of(robot)));
  int boxes = 0;
  for (int i = 1; i < robot.n_bodies(); ++i) {
    const auto& inertia = json["bodies"][static_cast<std::size_t>(i)]["inertia"];
    if (inertia["edges"].empty()) continue;
    ++boxes;
    const double m = inertia["mass"], a = inertia["edges"][0], b = inertia["edges"][1],
                 c = inertia["edges"][2];
    const auto& p = inertia["place"];
    const SE3<double> T{rotation(Quaternion<double>{p[3], p[4], p[5], p[6]}), {p[0], p[1], p[2]}};
    const Sym3<double> J{m * (b * b + c * c) / 12, 0, m * (a * a + c * c) / 12, 0, 0,
                         m * (a * a + b * b) / 12};
    const Inertia<double> again = transported(T, Inertia<double>{m, {}, J});
    const Inertia<double>& want = robot.body(i).inertia;
    EXPECT_NEAR(again.J.xx, want.J.xx, 1e-12);
    EXPECT_NEAR(again.J.xy, want.J.xy, 1e-12);
    EXPECT_NEAR(again.J.yz, want.J.yz, 1e-12);
    EXPECT_NEAR(again.h.x, want.h.x, 1e-12);
  }
  EXPECT_GT(boxes, 3);
}

TEST(RobotPicture, poses_are_those_of_forward_kinematics_in_single_precision) {
  const Model<double> robot = load_robot("puma560");
  std::vector<double> q{0.3, -0.4, 0.5, 1.2, -0.7, 0.9};
  KinematicsWorkspace<double> ws(robot);
  forward_kinematics(robot, ws, q);
  std::vector<float> poses;
  append_poses(ws, poses);
  ASSERT_EQ(poses.size(), 42u);
  for (int i = 1; i < robot.n_bodies(); ++i) {
    const float* p = poses.data() + 7 * (i - 1);
    const SO3<double> R = rotation(normalised(Quaternion<double>{p[3], p[4], p[5], p[6]}));
    const SE3<double>& T = ws.T_world_body[i];
    for (int r = 0; r < 3; ++r) {
      EXPECT_NEAR(p[r], T.p[r], 1e-7);
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(R(r, c), T.R(r, c), 3e-7);
    }
  }
}

}  // namespace
}  // namespace torsor::internal
