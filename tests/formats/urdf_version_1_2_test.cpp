// What URDF 1.2 added: quaternions, capsules, limits of acceleration and jerk.
#include <gtest/gtest.h>

#include <algorithm>

#include "torsor/formats/urdf.hpp"

using namespace torsor;

namespace {

std::string robot(const std::string& origin, const std::string& limit) {
  return "<robot name=\"r\" version=\"1.2\"><link name=\"a\"/>"
         "<link name=\"b\"><visual><geometry><capsule radius=\"0.1\" length=\"0.5\"/></geometry>"
         "</visual></link><joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child "
         "link=\"b\"/>"
         "<origin " +
         origin + "/><limit lower=\"-1\" upper=\"1\" effort=\"2\" velocity=\"3\" " + limit +
         "/></joint></robot>";
}
RobotDescription read(const std::string& origin, const std::string& limit,
                      Findings* found = nullptr) {
  return read_urdf(robot(origin, limit), "r.urdf", found);
}
std::string message(const std::string& origin, const std::string& limit) {
  try {
    (void)read(origin, limit);
  } catch (const Error& refused) {
    return refused.what();
  }
  return "no error";
}

TEST(Urdf12, a_quaternion_is_the_rotation_of_an_origin) {
  // 90 deg about z: x to y.
  const SE3<double> T =
      read("xyz=\"1 2 3\" quat_xyzw=\"0 0 0.70710678118654752 0.70710678118654752\"", "")
          .joints[0]
          .placement;
  EXPECT_NEAR(T.R.c0.y, 1, 1e-15);
  EXPECT_NEAR(T.R.c1.x, -1, 1e-15);
  EXPECT_EQ(T.p.z, 3);
  const SE3<double> half = read("quat_xyzw=\"2 0 0 0\"", "").joints[0].placement;  // of any length
  EXPECT_NEAR(half.R.c1.y, -1, 1e-15);
  EXPECT_NE(message("quat_xyzw=\"0 0 0 0\"", "").find("quat_xyzw is zero"), std::string::npos);
  EXPECT_NE(message("quat_xyzw=\"0 0 1\"", "").find("quat_xyzw"), std::string::npos);
  EXPECT_NE(message("rpy=\"0 0 1\" quat_xyzw=\"0 0 0 1\"", "").find("both"), std::string::npos);
}
TEST(Urdf12, acceleration_deceleration_and_jerk_limit_a_joint) {
  const Limits l = read("", "acceleration=\"5\" jerk=\"40\"").joints[0].limits[0];
  EXPECT_EQ(l.acceleration, 5);
  EXPECT_EQ(l.jerk, 40);
  Findings found;
  EXPECT_EQ(
      read("", "acceleration=\"5\" deceleration=\"4\"", &found).joints[0].limits[0].acceleration,
      4);
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const Finding& f) {
    return f.message.find("deceleration is 4") != std::string::npos;
  }));
  EXPECT_NE(message("", "acceleration=\"-5\"").find("acceleration limit is negative"),
            std::string::npos);
}
TEST(Urdf12, what_was_read_is_written_for_older_readers_and_reads_back) {
  const RobotDescription r =
      read("xyz=\"1 2 3\" quat_xyzw=\"0.1 0.2 0.3 0.9\"", "acceleration=\"5\" jerk=\"40\"");
  EXPECT_EQ(r.links[1].geometry[0].shape, Geometry::Shape::capsule);
  const RobotDescription back = read_urdf(write_urdf(r), "w.urdf");
  EXPECT_EQ(back.joints[0].limits[0].jerk, 40);
  EXPECT_EQ(back.joints[0].placement.R.c2.x, r.joints[0].placement.R.c2.x);
  EXPECT_EQ(back.links[1].geometry[0].shape, Geometry::Shape::capsule);
}

TEST(Urdf12, another_version_is_a_warning) {
  for (const char* version : {"1.0", "1.1", "1.2", "1.3", "2", ""}) {
    std::string text = robot("", "");
    text.replace(text.find("1.2"), 3, version);
    Findings found;
    (void)read_urdf(text, "r.urdf", &found);
    const auto told = std::count_if(found.begin(), found.end(), [](const Finding& f) {
      return f.severity == Finding::Severity::warning &&
             f.message.find("version") != std::string::npos;
    });
    EXPECT_EQ(told, std::string(version).starts_with("1.") && std::string(version) != "1.3" ? 0 : 1)
        << version;
  }
}

}  // namespace
