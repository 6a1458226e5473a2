// Measured poses in CSV: what is read, and what is refused by line.
#include "torsor/formats/pose_csv.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "torsor/formats/load_robot.hpp"

namespace torsor::testing {
namespace {

const Model<double>& arm() {
  static const Model<double> model = load_robot("planar2r");
  return model;
}
std::string head(const std::string& rest) {
  std::string text;
  for (int k = 0; k < arm().n_q(); ++k) text += "q." + arm().coordinate_name(k) + ",";
  return text + rest + "\n";
}
PoseTable parsed(const std::string& text, bool degrees = false) {
  return parse_poses_csv(text, "poses.csv", arm(), degrees);
}
std::string refused(const std::string& text) {
  try {
    (void)parsed(text);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(PoseCsv, positions_rotations_frames_and_weights_are_read) {
  const std::string tool = arm().frames().back().name;
  const PoseTable t = parsed(head("x,y,z,rx,ry,rz,frame,weight") + "0.1,0.2,1,2,3,0,0,1.5,\"" +
                             tool + "\",2\n\n0,0,4,5,6,0,0,0," + tool + ",1\n");
  ASSERT_EQ(t.size(), 2U);
  EXPECT_EQ(t.q[0], (std::vector<double>{0.1, 0.2}));
  EXPECT_EQ(t.position[1].y, 5);
  EXPECT_NEAR(t.rotation[0](1, 0), std::sin(1.5), 1e-15);
  EXPECT_EQ(t.frame[1], tool);
  EXPECT_EQ(t.weight[0], 2);
  EXPECT_EQ(t.lines, (std::vector<int>{2, 4}));
}
TEST(PoseCsv, degrees_count_for_angles_alone_and_quaternions_have_length_one) {
  const PoseTable t = parsed(head("x,y,z,qx,qy,qz,qw") + "180,90,1,2,3,0,0,0.6001,0.8\n", true);
  EXPECT_NEAR(t.q[0][0], 3.14159265358979, 1e-12);
  EXPECT_EQ(t.position[0].x, 1);
  EXPECT_NEAR(determinant(t.rotation[0]), 1, 1e-14);
  EXPECT_TRUE(parsed(head("x,y,z") + "0,0,1,2,3\n").rotation.empty());
  EXPECT_EQ(parsed(head("x,y,z,distance") + "0,0,1,2,3,0.5\n").distance[0], 0.5);
}
TEST(PoseCsv, what_is_no_pose_is_refused_with_its_line) {
  EXPECT_NE(refused(head("x,y") + "0,0,1,2\n").find("missing"), std::string::npos);
  EXPECT_NE(refused(head("a") + "0,0,1\n").find("x, y, z"), std::string::npos);
  EXPECT_NE(refused(head("x,y,z") + "0,0,1,2,3\n0,0,1,nan,3\n").find("poses.csv:3"),
            std::string::npos);
  EXPECT_NE(refused(head("x,y,z,qx,qy,qz,qw") + "0,0,1,2,3,0,0,0,2\n").find("poses.csv:2"),
            std::string::npos);
  EXPECT_NE(refused(head("x,y,z,frame") + "0,0,1,2,3,tol\n").find("poses.csv:2"),
            std::string::npos);
  EXPECT_NE(refused(head("x,y,z,weight") + "0,0,1,2,3,-1\n").find("negative"), std::string::npos);
  EXPECT_NE(refused(head("x,y,z")).find("no pose"), std::string::npos);
  EXPECT_NE(refused(head("x,y,z,distance") + "0,0,1,2,3,-1\n").find("poses.csv:2"),
            std::string::npos);
  EXPECT_NE(refused("x,y,z\n1,2,3\n").find("q."), std::string::npos);
}

}  // namespace
}  // namespace torsor::testing
