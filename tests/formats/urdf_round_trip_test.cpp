// What is written reads back as it was.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <random>

#include "formats/same_description.hpp"
#include "formats/urdf_text.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/urdf.hpp"
#include "torsor/math/so3.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

constexpr double pi = std::numbers::pi;

RobotDescription read(const std::string& text, Findings* findings = nullptr) {
  return read_urdf(text, "r.urdf", findings);
}
RobotDescription again(const RobotDescription& robot) {
  return read_urdf(write_urdf(robot), "again.urdf");
}

SO3<double> random_rotation(std::mt19937_64& random) {
  std::uniform_real_distribution<double> u(-3, 3);
  return exp(Vec3<double>{u(random), u(random), u(random)});
}
SE3<double> random_pose(std::mt19937_64& random) {
  std::uniform_real_distribution<double> u(-3, 3);
  const SO3<double> R = random_rotation(random);
  return {R, {u(random), u(random), u(random)}};
}

/// One of everything, with numbers that need all their digits.
RobotDescription robot_with_everything() {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> u(0.1, 1);
  RobotDescription robot;
  robot.name = "every & <thing> \"here\"";
  robot.source = "a book,\nsecond edition";
  robot.root = "link0";
  robot.gravity = {u(random), u(random), -u(random)};
  robot.base = random_pose(random);
  robot.links.push_back({"link0", {}, false, {}, {}});
  using Kind = JointKind;
  const Kind kinds[] = {Kind::fixed,           Kind::revolute,   Kind::continuous,
                        Kind::prismatic,       Kind::helical,    Kind::cylindrical,
                        Kind::universal,       Kind::planar,     Kind::translational,
                        Kind::spherical,       Kind::free,       Kind::free_euler,
                        Kind::spherical_euler, Kind::composite,  Kind::revolute,
                        Kind::prismatic,       Kind::continuous, Kind::spherical_euler};
  for (const Kind kind : kinds) {
    Joint joint;
    const std::string number = std::to_string(robot.links.size());
    joint.name = "joint" + number;
    joint.kind = kind;
    joint.parent = robot.links[random() % robot.links.size()].name;
    joint.child = "link" + number;
    joint.placement = random_pose(random);
    if (kind != Kind::spherical) joint.axis = random_rotation(random).c1;
    if (kind == Kind::helical) joint.pitch = u(random);
    if (kind == Kind::spherical_euler) joint.order = EulerOrder::zxz;
    if (kind == Kind::free_euler) joint.order = EulerOrder::zyz;
    if (kind == Kind::composite)
      for (const Kind part : {Kind::helical, Kind::spherical_euler, Kind::prismatic})
        joint.parts.push_back(
            {part, random_pose(random), random_rotation(random).c2, u(random), EulerOrder::zyz});
    for (int k = 0; k < n_v(joint); ++k) {
      const bool turns = kind == Kind::continuous;
      joint.limits.push_back({turns ? -infinity : -u(random), turns ? infinity : u(random),
                              u(random), u(random), u(random), u(random)});
      joint.friction.push_back({u(random), u(random), u(random), 1 + u(random), u(random),
                                u(random), -u(random), -u(random), u(random)});
      joint.actuator.push_back({u(random), 100 * u(random), u(random), u(random), -u(random)});
      joint.spring.push_back({u(random), -u(random)});
    }
    robot.joints.push_back(joint);
    Link link;
    link.name = joint.child;
    link.has_inertial = true;
    link.inertial = {u(random), random_pose(random).p,
                     rotated(random_rotation(random),
                             Sym3<double>::diagonal(1 + u(random), 1 + u(random), 1 + u(random)))};
    robot.links.push_back(link);
  }
  using Shape = Geometry::Shape;
  for (const Shape shape :
       {Shape::mesh, Shape::box, Shape::cylinder, Shape::sphere, Shape::capsule}) {
    Geometry g;
    g.shape = shape;
    g.collision = shape == Shape::box || shape == Shape::capsule;
    g.name = g.collision ? "" : "shape";
    if (shape == Shape::mesh) g.mesh_file = "package://a b/c&d.stl";
    g.material = shape == Shape::sphere ? "" : "steel";
    if (shape != Shape::box) g.rgba = {u(random), u(random), u(random), u(random)};
    g.size = {u(random), u(random), u(random)};
    g.placement = random_pose(random);
    robot.links[2].geometry.push_back(g);
  }
  robot.frames = {{"tool", "link3", random_pose(random), {}}, {"camera", "link0", {}, {}}};
  using Loop = LoopJoint::Kind;
  for (const Loop kind : {Loop::weld, Loop::revolute, Loop::prismatic, Loop::universal,
                          Loop::cylindrical, Loop::spherical, Loop::distance})
    robot.loops.push_back({"loop" + std::to_string(robot.loops.size()),
                           kind,
                           "link1",
                           "link5",
                           random_pose(random),
                           random_pose(random),
                           random_rotation(random).c0,
                           kind == Loop::distance ? u(random) : 0,
                           {}});
  robot.motors = {{"wrist",
                   {{"joint2", u(random)}, {"joint4", -u(random)}},
                   u(random),
                   {u(random), 0, u(random), 0, u(random), 0, -u(random), u(random), 0},
                   {}},
                  {"bare", {{"joint4", u(random)}}, 0, {}, {}}};
  robot.couplings = {
      {"joint3_mimic", {{"joint3", 1}, {"joint2", -u(random)}}, u(random), {}},
      {"gear", {{"joint15", 1}, {"joint2", u(random)}}, 0, {}},
      {"sum", {{"joint2", u(random)}, {"joint3", 1}, {"joint5", -1}}, u(random), {}}};
  robot.springs = {
      {"coil",
       "link1",
       "link2",
       random_pose(random).p,
       random_pose(random).p,
       u(random),
       u(random),
       u(random),
       {}},
      {"anchor", "", "link2", {}, random_pose(random).p, u(random), 0, 0, {}, -u(random)}};
  return robot;
}

TEST(UrdfRoundTrip, keeps_every_field_of_every_kind_to_the_last_bit) {
  const RobotDescription robot = robot_with_everything();
  EXPECT_EQ(difference(robot, again(robot)), "");
}

TEST(UrdfRoundTrip, is_deterministic_and_ends_in_a_newline) {
  const RobotDescription robot = robot_with_everything();
  const std::string text = write_urdf(robot);
  EXPECT_EQ(text, write_urdf(again(robot)));
  EXPECT_EQ(text.back(), '\n');
}

TEST(UrdfRoundTrip, finds_no_fault_with_what_was_written) {
  Findings findings;
  read(write_urdf(robot_with_everything()), &findings);
  for (const Finding& f : findings) ADD_FAILURE() << f.line();
}

TEST(UrdfRoundTrip, keeps_limits_that_are_partly_missing) {
  for (int mask = 0; mask < 64; ++mask) {
    RobotDescription robot = read(two_links(limit, "revolute", mass));
    Limits& l = robot.joints[0].limits[0];
    l = {-0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    if ((mask & 1) != 0) l.lower = -infinity;
    if ((mask & 2) != 0) l.upper = infinity;
    if ((mask & 4) != 0) l.velocity = infinity;
    if ((mask & 8) != 0) l.effort = infinity;
    if ((mask & 16) != 0) l.acceleration = infinity;
    if ((mask & 32) != 0) l.jerk = infinity;
    for (const JointKind kind :
         {JointKind::revolute, JointKind::continuous, JointKind::prismatic, JointKind::helical}) {
      robot.joints[0].kind = kind;
      EXPECT_EQ(difference(robot, again(robot)), "") << name_of(kind) << " " << mask;
    }
  }
}

TEST(UrdfRoundTrip, keeps_the_order_of_couplings) {
  RobotDescription robot = robot_with_everything();
  std::sort(robot.couplings.begin(), robot.couplings.end(),
            [](const Coupling& a, const Coupling& b) { return a.name < b.name; });
  do {
    EXPECT_EQ(difference(robot, again(robot)), "");
  } while (
      std::next_permutation(robot.couplings.begin(), robot.couplings.end(),
                            [](const Coupling& a, const Coupling& b) { return a.name < b.name; }));
}

TEST(UrdfRoundTrip, writes_a_ring_of_couplings_so_that_it_reads_back) {
  RobotDescription robot = robot_with_everything();
  robot.couplings = {{"x", {{"joint3", 1}, {"joint2", -1}}, 0, {}},
                     {"y", {{"joint2", 1}, {"joint3", -1}}, 0, {}},
                     {"z", {{"joint2", 1}, {"joint2", -2}}, 0.5, {}}};
  EXPECT_EQ(difference(robot, again(robot)), "");
}

TEST(UrdfRoundTrip, keeps_rotations_at_and_near_pitch_90_degrees) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> u(-pi, pi);
  RobotDescription robot = read(two_links(limit, "revolute", mass));
  const auto rotation = [](double roll, double pitch, double yaw) {
    return exp(Vec3<double>{0, 0, yaw}) * exp(Vec3<double>{0, pitch, 0}) *
           exp(Vec3<double>{roll, 0, 0});
  };
  for (const double sign : {-1.0, 1.0})
    for (const double gap : {0.0, 1e-16, 1e-15, 1e-12, 1e-9, 1e-8, 1e-7, 1e-6, 1e-4, 1e-2})
      for (int k = 0; k < 20; ++k) {
        robot.joints[0].placement.R = rotation(u(random), sign * (pi / 2 - gap), u(random));
        EXPECT_EQ(difference(robot, again(robot)), "") << sign << " " << gap;
      }
  // The exact quarter turn about y, which no rpy gives.
  robot.joints[0].placement.R = {{0, 0, -1}, {0, 1, 0}, {1, 0, 0}};
  EXPECT_EQ(difference(robot, again(robot)), "");
}

TEST(UrdfRoundTrip, writes_rpy_that_other_readers_can_use_at_any_pitch) {
  std::mt19937_64 random(6);
  RobotDescription robot = read(two_links(limit, "revolute", mass));
  for (int k = 0; k < 300; ++k) {
    const SO3<double> R = k % 3 == 0 ? SO3<double>{{1e-13, 0, -1}, {0, 1, 0}, {1, 0, 1e-13}} *
                                           exp(Vec3<double>{0.01 * k, 0, 0})
                                     : random_rotation(random);
    robot.joints[0].placement.R = R;
    std::string text = write_urdf(robot);
    for (std::size_t at; (at = text.find(" torsor:rotation=")) != std::string::npos;)
      text.erase(at, text.find('"', text.find('"', at) + 1) + 1 - at);
    const SO3<double> by_rpy = read(text).joints[0].placement.R;
    for (int c = 0; c < 3; ++c)
      for (int r = 0; r < 3; ++r) EXPECT_NEAR(by_rpy(r, c), R(r, c), 2e-15);
  }
}

TEST(UrdfRoundTrip, keeps_the_angles_of_a_file_without_further_digits) {
  for (const char* rpy : {"0 0 0", "1.57079632679 0 0", "0 1.57079632679 3.14159265359",
                          "-1.5708 0 -3.14159265359", "0.1 -0.2 0.3", "-1.57 2.8 0.3"}) {
    const std::string text = write_urdf(
        read(two_links("<origin xyz=\"1 0 0\" rpy=\"" + std::string(rpy) + "\"/>" + limit)));
    EXPECT_NE(text.find("rpy=\"" + std::string(rpy) + "\"/>"), std::string::npos) << text;
  }
}

TEST(UrdfRoundTrip, goes_through_files) {
  const std::string path =
      (std::filesystem::temp_directory_path() /
       ("torsor_urdf_test_" + std::to_string(std::random_device{}()) + ".urdf"))
          .string();
  const RobotDescription robot = robot_with_everything();
  save_urdf(robot, path);
  const RobotDescription loaded = load_description(path);
  std::filesystem::remove(path);
  EXPECT_EQ(difference(robot, loaded), "");
  EXPECT_EQ(loaded.links[0].origin.file, path);
}

}  // namespace
