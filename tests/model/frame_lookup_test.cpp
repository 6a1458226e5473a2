// A frame is found by its name among many as among few.
#include <gtest/gtest.h>

#include <ctime>

#include "torsor/model/model.hpp"

namespace torsor {
namespace {

TEST(FrameLookup, every_frame_of_a_long_robot_is_found_at_once) {
  RobotDescription robot;
  robot.links.push_back({"l0", {}, false, {}, {}});
  const int n = 50'000;
  for (int k = 1; k <= n; ++k) {
    robot.links.push_back({"l" + std::to_string(k), {}, false, {}, {}});
    Joint joint;
    joint.name = "j" + std::to_string(k);
    joint.kind = JointKind::fixed;
    joint.parent = "l" + std::to_string(k - 1);
    joint.child = "l" + std::to_string(k);
    joint.placement.p.x = 1;
    robot.joints.push_back(joint);
  }
  const Model<double> model(robot);
  const std::clock_t start = std::clock();
  for (int k = 0; k <= n; ++k) EXPECT_EQ(model.frame("l" + std::to_string(k)).placement.p.x, k);
  for (int k = 1; k <= n; ++k) EXPECT_TRUE(model.has_frame("j" + std::to_string(k)));
  EXPECT_FALSE(model.has_frame("l"));
  EXPECT_THROW((void)model.frame("m0"), Error);
  // One after the other they would be compared ten thousand million times.
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 5);
}

}  // namespace
}  // namespace torsor
