// The robots of the textbook: plain products of the transforms (1-8), (1-9) against the vectors,
// and the files against both.
#include <gtest/gtest.h>

#include <cmath>

#include "chain_reference.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/model/dh.hpp"

namespace torsor {
namespace {

using testing::ChainReference;
using testing::expect_pose;
using Row = std::vector<double>;

constexpr double pi = 3.14159265358979323846;

SE3<double> product(const std::vector<Row>& rows, const Row& q, const std::vector<int>& prismatic,
                    bool modified = false) {
  SE3<double> T;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool slides = prismatic[i] != 0;
    const double a = rows[i][0], alpha = rows[i][1] * pi / 180;
    const double d = rows[i][2] + (slides ? q[i] : 0);
    const double theta = rows[i][3] * pi / 180 + (slides ? 0 : q[i]);
    T = T * (modified ? mdh_transform(a, alpha, d, theta) : dh_transform(a, alpha, d, theta));
  }
  return T;
}

constexpr double rounding = 1e-14;  // products of six poses of a metre, and 17 printed digits

TEST(TextbookRobots, TV_07_spherical_arm_is_the_stanford_table_1_1) {
  const Row q = {0.3, 0.7, 0.9, -0.5, 1.1, 0.4};
  const std::vector<Row> pose = {
      {-0.14267542353339545, 0.15908228813390667, 0.97690150430923533, 0.75379754228055404},
      {0.10392592314319436, 0.98395087793922246, -0.14505196414205568, 0.2783788919939624},
      {-0.98429829117925481, 0.080830040236993856, -0.15691838189608274, 1.0491283730820189}};
  expect_pose(product({{0, -90, 0.4, 0},
                       {0, 90, 0.15, 0},
                       {0, 0, 0, 0},
                       {0, -90, 0, 0},
                       {0, 90, 0, 0},
                       {0, 0, 0.25, 0}},
                      q, {0, 0, 1, 0, 0, 0}),
              pose, rounding);
  const RobotDescription robot = load_description("basic_spherical");
  expect_pose(ChainReference(robot, q).frame("tool"), pose, rounding);
}

TEST(TextbookRobots, TV_07_modified_table_2_4_gives_the_pose_of_table_1_2) {
  const Row q = {0.3, 0.7, 0.9, -0.5, 1.1, 0.4};
  const std::vector<Row> pose = {
      {-0.14267542353339545, 0.15908228813390667, 0.97690150430923533, 0.50957216620324521},
      {0.10392592314319436, 0.98395087793922246, -0.14505196414205568, 0.31464188302947632},
      {-0.98429829117925481, 0.080830040236993856, -0.15691838189608274, 0.68835796855603958}};
  expect_pose(product({{0, 0, 0, 0},
                       {0, -90, 0.15, 0},
                       {0, 90, 0, 0},
                       {0, 0, 0, 0},
                       {0, -90, 0, 0},
                       {0, 90, 0, 0}},
                      q, {0, 0, 1, 0, 0, 0}, true),
              pose, rounding);
  const RobotDescription robot = read_robot_file(
      "robot: stanford_mdh\nunit: deg\ndh:\n  convention: modified\n  rows:\n    - [0, 0, 0, 0]\n"
      "    - [0, -90, 0.15, 0]\n    - [0, 90, 0, 0, prismatic]\n    - [0, 0, 0, 0]\n"
      "    - [0, -90, 0, 0]\n    - [0, 90, 0, 0]\n",
      "table_2_4.yaml");
  expect_pose(ChainReference(robot, q).frame("tool"), pose, rounding);
}

TEST(TextbookRobots, TV_22_puma600_has_the_pose_of_exercise_1_19) {
  const Row q = {0.4, -0.6, 0.9, -0.5, 1.1, 0.3};
  const std::vector<Row> pose = {
      {0.20745700220545035, 0.019682237910485854, 0.97804611432527188, 0.37018747042841609},
      {0.14372354665910271, 0.98833491228015817, -0.050375026589578861, 0.31838042538662517},
      {-0.96762861386570028, 0.1510189083492762, 0.20220819703794508, 0.66354516395696089}};
  const RobotDescription robot = load_description("puma600");
  expect_pose(ChainReference(robot, q).frame("frame_6"), pose, rounding);
  // X-1-20: the modified table of the same arm.
  expect_pose(product({{0, 0, 0, 0},
                       {0, -90, 0, 0},
                       {0.4318, 0, 0.14909, 0},
                       {-0.02032, 90, 0.43307, 0},
                       {0, -90, 0, 0},
                       {0, 90, 0, 0}},
                      q, {0, 0, 0, 0, 0, 0}, true),
              pose, rounding);
}

TEST(TextbookRobots, TV_23_elbow_arm) {
  const RobotDescription robot = load_description("basic_elbow");
  expect_pose(
      ChainReference(robot, {0.4, -0.6, 0.9, -0.5, 1.1, 0.3}).frame("tool"),
      {{0.20745700220545035, 0.019682237910485854, 0.97804611432527188, 0.60038329324281668},
       {0.14372354665910271, 0.98833491228015817, -0.050375026589578861, 0.20744935589279684},
       {-0.96762861386570028, 0.1510189083492762, 0.20220819703794508, 1.3324434765078349}},
      rounding);
}

TEST(TextbookRobots, TV_24_scara_arm) {
  const RobotDescription robot = load_description("basic_scara");
  expect_pose(
      ChainReference(robot, {0.4, -0.6, -0.2, -0.5, 1.1, 0.3}).frame("tool"),
      {{0.5218137064749626, 0.51292000089935294, 0.68163298659342284, 0.92072042679728148},
       {-0.053136991092479241, 0.81703698200401816, -0.57413154434798607, 0.057828284401502153},
       {-0.85140291044399147, 0.26336978322346224, 0.45359612142557739, 0.44535961214255774}},
      rounding);
}

TEST(TextbookRobots, TV_25_cylindrical_arm) {
  const RobotDescription robot = load_description("basic_cylindrical");
  expect_pose(
      ChainReference(robot, {0.4, 0.3, 0.7, -0.5, 1.1, 0.3}).frame("tool"),
      {{0.81231707076976149, 0.21094562680547399, 0.54373055741578475, -0.21821978387447687},
       {-0.58092976122071694, 0.37512812048387197, 0.72235691022532514, 0.71697838682455207},
       {-0.051590590848284651, -0.90265211225249084, 0.42726756860548351, 0.94272675686054835}},
      rounding);
}

TEST(TextbookRobots, TV_26_cartesian_arm) {
  const RobotDescription robot = load_description("basic_cartesian");
  expect_pose(
      ChainReference(robot, {0.4, 0.3, 0.7, -0.5, 1.1, 0.3}).frame("tool"),
      {{-0.85140291044399147, 0.26336978322346224, 0.45359612142557739, 0.74535961214255774},
       {-0.051590590848284651, -0.90265211225249084, 0.42726756860548351, 0.34272675686054835},
       {0.52196886403637672, 0.34037555953820065, 0.78210803821827026, 0.47821080382182703}},
      rounding);
}

// Chapter 3, arm R2, at q = (0.3, -0.7): printed with 7 decimals; the entries are a1 + 2 a2 c2 and
// so on.
TEST(TextbookRobots, planar2r_has_the_inertia_and_gravity_of_arm_R2) {
  const RobotDescription robot = load_description("planar2r");
  const ChainReference chain(robot, {0.3, -0.7});
  EXPECT_NEAR(chain.mass_matrix(0, 0), 5.0 / 3 + std::cos(0.7), rounding);
  EXPECT_NEAR(chain.mass_matrix(0, 1), 0.7157544, 1e-7);
  EXPECT_NEAR(chain.mass_matrix(1, 1), 1.0 / 3, rounding);
  EXPECT_NEAR(chain.holding_torque()[0], 18.5755806, 1e-7);
  EXPECT_NEAR(chain.holding_torque()[1], 4.5178042, 1e-7);
}

// M and G of the two-link arm with point masses (Craig 2005, ch. 6, with m2 on l2^2).
TEST(TextbookRobots, C_04_pointmass2r_has_the_closed_form) {
  const double m1 = 2, m2 = 1, l1 = 1, l2 = 0.8, g = 9.81;
  for (const double q1 : {-1.1, 0.4}) {
    for (const double q2 : {-0.9, 0.0, 2.2}) {
      const RobotDescription robot = load_description("pointmass2r");
      const ChainReference chain(robot, {q1, q2});
      const double c2 = std::cos(q2), c1 = std::cos(q1), c12 = std::cos(q1 + q2);
      const double coupling = l2 * l2 * m2 + l1 * l2 * m2 * c2;
      EXPECT_NEAR(chain.mass_matrix(0, 0),
                  l2 * l2 * m2 + 2 * l1 * l2 * m2 * c2 + l1 * l1 * (m1 + m2), rounding);
      EXPECT_NEAR(chain.mass_matrix(0, 1), coupling, rounding);
      EXPECT_NEAR(chain.mass_matrix(1, 1), l2 * l2 * m2, rounding);
      EXPECT_NEAR(chain.holding_torque()[0], m2 * l2 * g * c12 + (m1 + m2) * l1 * g * c1,
                  10 * rounding);
      EXPECT_NEAR(chain.holding_torque()[1], m2 * l2 * g * c12, 10 * rounding);
    }
  }
}

// Example 3-1: H and G in the nine base parameters.
TEST(TextbookRobots, example_3_1_ddarm_has_the_printed_base_parameters) {
  const Row p = {13.0315, 0.4147, -1.3526, 0.8632, 3.0813, -0.2735, -0.0166, 0.39, 0.3108};
  const double d2 = 0.462, g = 9.81;
  const RobotDescription robot = load_description("ddarm");
  for (const Row& q : {Row{0.3, -0.7, 1.1}, Row{-1.2, 0.4, -2.3}, Row{0.1, 2.5, 0.6}}) {
    const ChainReference chain(robot, q);
    const double s2 = std::sin(q[1]), c2 = std::cos(q[1]), s3 = std::sin(q[2]), c3 = std::cos(q[2]);
    EXPECT_NEAR(chain.mass_matrix(0, 0),
                p[0] - c2 * c2 * p[1] + 2 * d2 * s3 * p[8] - s2 * s2 * s3 * s3 * p[5] -
                    2 * c2 * s2 * c3 * p[6] + c2 * c2 * p[7],
                10 * rounding);
    EXPECT_NEAR(chain.mass_matrix(0, 1),
                c2 * p[2] - d2 * s2 * c3 * p[8] + s2 * c3 * s3 * p[5] - c2 * s3 * p[6],
                10 * rounding);
    EXPECT_NEAR(chain.mass_matrix(0, 2), -d2 * c2 * s3 * p[8] + s2 * c3 * p[6] - c2 * p[7],
                rounding);
    EXPECT_NEAR(chain.mass_matrix(1, 1), p[3] - c3 * c3 * p[5], rounding * 10);
    EXPECT_NEAR(chain.mass_matrix(1, 2), s3 * p[6], rounding);
    EXPECT_NEAR(chain.mass_matrix(2, 2), p[7], rounding);
    const std::vector<double> tau = chain.holding_torque();
    EXPECT_NEAR(tau[0], 0, 1e-13);
    EXPECT_NEAR(tau[1], (-s2 * p[4] + c2 * c3 * p[8]) * g, 1e-13);
    EXPECT_NEAR(tau[2], -s2 * s3 * p[8] * g, 1e-13);
  }
}

TEST(TextbookRobots, G_2_1_ddarm_at_the_goal_of_example_3_1_has_all_digits) {
  const ChainReference chain(load_description("ddarm"), {0.6, 1.0, -0.5});
  EXPECT_NEAR(chain.mass_matrix(0, 0), 12.944366984370, 1e-12);
  EXPECT_NEAR(chain.mass_matrix(1, 1), 1.073836340327, 1e-12);
  EXPECT_NEAR(chain.mass_matrix(2, 2), 0.39, rounding);
  EXPECT_NEAR(chain.holding_torque()[1], -23.989919968012, 1e-12);
  EXPECT_NEAR(chain.holding_torque()[2], 1.230014773680, 1e-12);
}

TEST(TextbookRobots, planar3r_reaches_to_the_sum_of_its_links) {
  const RobotDescription robot = load_description("planar3r");
  const SE3<double> T = ChainReference(robot, {0.3, 0.5, -0.4}).frame("tool");
  EXPECT_NEAR(T.p.x, 0.5 * std::cos(0.3) + 0.4 * std::cos(0.8) + 0.3 * std::cos(0.4), rounding);
  EXPECT_NEAR(T.p.y, 0.5 * std::sin(0.3) + 0.4 * std::sin(0.8) + 0.3 * std::sin(0.4), rounding);
}

}  // namespace
}  // namespace torsor
