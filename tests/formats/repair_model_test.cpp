// repair_model: what has one sensible answer is repaired, and listed.
#include <gtest/gtest.h>

#include <random>

#include "formats/sound_arm.hpp"
#include "torsor/math/principal_axes.hpp"
#include "torsor/math/so3.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

TEST(RepairModel, a_sound_robot_stays_as_it_is) {
  EXPECT_TRUE(repair_model(sound_arm()).changes.empty());
}
TEST(RepairModel, what_was_repaired_is_clean_and_listed) {
  RobotDescription robot = sound_arm();
  robot.links[1].inertial.about_com = Sym3<double>::diagonal(-0.001, 0.02, 0.02);
  robot.links[2].inertial.about_com = {0.01, 0.002, 0.01, 0, 0.001, 0.05};
  robot.joints[0].axis = {0, 0, 2};
  robot.joints[0].limits[0] = {2, -2, 0, infinity, infinity, 0};
  robot.joints[1].limits[0] = {0, 0, 1, infinity, infinity, 1};
  robot.joints[1].friction = {{0, 0, 2, 1, 0, 0}};
  robot.joints[1].name = "my elbow";
  robot.links[2].name = "lower link";
  robot.joints[1].child = "lower link";
  robot.frames = {{"tip", "lower link", {}, {}}};
  robot.couplings = {{"c", {{"my elbow", 1}, {"shoulder", -1}}, 0, {}}};
  const Repair repair = repair_model(robot);
  EXPECT_EQ(all(findings_of(repair.robot)), "");
  EXPECT_EQ(repair.changes.size(), 10u) << ::testing::PrintToString(repair.changes);
  EXPECT_EQ(repair.robot.frames[0].link, "lower_link");
  EXPECT_EQ(repair.robot.couplings[0].terms[0].joint, "my_elbow");
  EXPECT_EQ(repair.robot.joints[0].limits[0].lower, -2);
  const Model<double> model(repair.robot);
  EXPECT_EQ(model.n_v(), 2);
}
TEST(RepairModel, a_new_name_is_not_one_that_exists) {
  RobotDescription robot = sound_arm();
  robot.joints[0].name = "a b";
  robot.joints[1].name = "a_b";
  const Repair repair = repair_model(robot);
  EXPECT_EQ(repair.robot.joints[0].name, "a_b_");
  EXPECT_EQ(repair.robot.joints[1].name, "a_b");
}
/// Numbers are those that were meant, not those that the computation rounded.
TEST(RepairModel, writes_round_numbers_round) {
  RobotDescription robot = sound_arm();
  robot.joints[0].axis = {0, 3, 4};
  Repair repair = repair_model(robot);
  EXPECT_EQ(repair.robot.joints[0].axis.y, 0.6);
  EXPECT_EQ(repair.robot.joints[0].axis.z, 0.8);
  robot = sound_arm();
  for (double angle = 0.1; angle < 3; angle += 0.1) {  // two moments alike, turned about the third
    robot.links[1].inertial.about_com =
        rotated(exp(Vec3<double>{0, 0, angle}), Sym3<double>::diagonal(0.1, 0.1, 0.5));
    const Sym3<double> J = repair_model(robot).robot.links[1].inertial.about_com;
    EXPECT_EQ(J.zz, 0.5);
    EXPECT_EQ(J.xy, 0);
    EXPECT_EQ(J.xx, J.yy);
  }
}
TEST(RepairModel, an_inertia_waits_for_the_mass_that_it_is_of) {
  RobotDescription robot = sound_arm();
  robot.links[1].inertial.mass = -1;
  robot.links[1].inertial.about_com = Sym3<double>::diagonal(0.1, 0.1, 0.5);
  EXPECT_TRUE(repair_model(robot).changes.empty());
}
/// Second moments of the nearest body: the projection onto the positive cone leaves what is positive.
TEST(RepairModel, repaired_inertias_are_physical_and_keep_the_positive_second_moments) {
  std::mt19937 generator(7);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 200; ++trial) {
    RobotDescription robot = sound_arm();
    Sym3<double>& J = robot.links[1].inertial.about_com;
    J = {normal(generator), normal(generator), normal(generator),
         normal(generator), normal(generator), normal(generator)};
    const Sym3<double> before = J;
    const Repair repair = repair_model(robot);
    const Sym3<double> after = repair.robot.links[1].inertial.about_com;
    const Vec3<double> a = principal_axes(before).moments, b = principal_axes(after).moments;
    EXPECT_GT(b.x, 0);
    EXPECT_GE(b.x + b.y, b.z);
    // Distance in second moments S = tr(J)/2 - J: only negative ones are given up.
    const double half = trace(before) / 2;
    const Sym3<double> S_before = Sym3<double>::diagonal(half, half, half) - before;
    const double half_after = trace(after) / 2;
    const Sym3<double> moved =
        Sym3<double>::diagonal(half_after, half_after, half_after) - after - S_before;
    double negative = 0, distance = 0;
    for (const double m : {a.x, a.y, a.z}) negative += std::pow(std::min(half - m, 0.0), 2);
    for (const double x : {moved.xx, moved.yy, moved.zz}) distance += x * x;
    for (const double x : {moved.xy, moved.xz, moved.yz}) distance += 2 * x * x;
    EXPECT_NEAR(std::sqrt(distance), std::sqrt(negative), 1e-5 * (std::abs(a.x) + std::abs(a.z)));
  }
}

}  // namespace
