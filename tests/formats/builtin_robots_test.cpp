// The built-in robots against the figures they were published with. Sums of masses were added by
// hand from the published lists; poses, holding torques and diagonals of the mass matrix are the
// check vectors of the same figures, computed elsewhere with other programs (12 digits).
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "chain_reference.hpp"
#include "same_description.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/model/model.hpp"

namespace torsor {
namespace {

using testing::ChainReference;
using testing::expect_pose;
using Row = std::vector<double>;

constexpr double pi = 3.14159265358979323846;

struct Expected {
  std::string name;
  int joints;  // that move
  int dofs;
  double moving_mass;
  std::set<std::string> not_physical;  // bodies whose published inertia no rigid body can have
};

/// Plate and legs of steel; a tube of 50 mm and the rod that fills its bore are 0.75 of a leg at home.
double stewart_mass() {
  const double density = 76e3 / 9.81;
  const double leg = std::sqrt(14 - 6 * std::cos(47.5 * pi / 180));
  return density * pi * (0.05 + 6 * 0.05 * 0.05 * 0.75 * leg);
}

const std::vector<Expected>& expected_robots() {
  static const std::vector<Expected> table = {
      {"pendulum", 1, 1, 1, {}},
      {"planar2r", 2, 2, 2, {}},
      {"pointmass2r", 2, 2, 3, {"link_1", "link_2"}},
      {"planar3r", 3, 3, 6, {}},
      {"ddarm", 3, 3, 139.81, {}},
      {"stanford", 6, 6, 20.77, {}},
      {"puma560", 6, 6, 23.45, {"link_1", "link_3"}},
      {"puma560_akb", 6, 6, 23.45, {"link_1", "link_3"}},
      {"puma600", 6, 6, 0, {}},
      {"scara", 4, 4, 15.5, {}},
      {"basic_elbow", 6, 6, 24, {}},
      {"basic_scara", 6, 6, 17, {}},
      {"basic_spherical", 6, 6, 21, {}},
      {"basic_cylindrical", 6, 6, 24, {}},
      {"basic_cartesian", 6, 6, 26, {}},
      {"ur5", 6, 6, 17.0489, {}},
      {"ur10", 6, 6, 28.435, {}},
      {"panda", 7, 7, 16.062132, {}},
      {"panda_hand", 9, 9, 16.822132, {}},
      {"iiwa14", 7, 7, 25.61, {}},
      {"humanoid38", 33, 38, 75.9, {}},
      {"four_bar", 4, 4, 1.1, {}},
      {"slider_crank", 3, 3, 1, {}},
      {"five_bar", 5, 5, 0.4, {}},
      {"loop_4r1p", 4, 4, 2, {}},
      {"palletiser", 9, 9, 56.5, {}},
      {"stewart", 13, 24, stewart_mass(), {}},
      {"delta", 10, 21, 2.916 + 3 * (3.47 + 0.226 + 2 * 0.525), {}},
  };
  return table;
}

bool positive_definite(const Sym3<double>& a) {
  return a.xx > 0 && a.xx * a.yy - a.xy * a.xy > 0 && determinant(a.matrix()) > 0;
}
/// Positive moments, and none larger than the sum of the others: tr(I)/2 1 - I is a second moment.
bool physical(const Sym3<double>& I) {
  const double half = trace(I) / 2 * (1 + 1e-12);
  return positive_definite(I) && positive_definite(Sym3<double>::diagonal(half, half, half) - I);
}

class EveryBuiltinRobot : public ::testing::TestWithParam<Expected> {};

TEST_P(EveryBuiltinRobot, has_the_published_joints_and_moving_mass) {
  const Expected& expected = GetParam();
  const RobotDescription robot = load_description(expected.name);
  EXPECT_EQ(robot.name, expected.name);
  EXPECT_FALSE(robot.source.empty());
  int joints = 0, dofs = 0;
  for (const Joint& joint : robot.joints) joints += n_v(joint) > 0, dofs += n_v(joint);
  EXPECT_EQ(joints, expected.joints);
  EXPECT_EQ(dofs, expected.dofs);
  double mass = 0;
  for (const Link& link : robot.links)
    if (link.name != robot.root) mass += link.inertial.mass;
  EXPECT_NEAR(mass, expected.moving_mass, 1e-13 * expected.moving_mass);
}

TEST_P(EveryBuiltinRobot, has_inertias_that_a_rigid_body_can_have) {
  const Expected& expected = GetParam();
  const RobotDescription robot = load_description(expected.name);
  for (const Link& link : robot.links) {
    if (!link.has_inertial) continue;
    EXPECT_EQ(physical(link.inertial.about_com), !expected.not_physical.contains(link.name))
        << link.name;
  }
}

TEST_P(EveryBuiltinRobot, reloads_bit_by_bit_from_what_it_saves) {
  const RobotDescription robot = load_description(GetParam().name);
  const std::string text = write_robot_file(robot);
  const RobotDescription again = read_robot_file(text, "saved.yaml");
  EXPECT_EQ(testing::difference(robot, again), "");
  EXPECT_EQ(write_robot_file(again), text);
}

TEST_P(EveryBuiltinRobot, compiles_to_a_model) {
  EXPECT_EQ(Model<double>(load_description(GetParam().name)).n_v(), GetParam().dofs);
}

TEST_P(EveryBuiltinRobot, has_a_title_and_a_source_in_the_list) {
  for (const BuiltinRobot& robot : builtin_robots()) {
    if (robot.name != GetParam().name) continue;
    EXPECT_FALSE(robot.title.empty());
    EXPECT_FALSE(robot.source.empty());
    return;
  }
  FAIL() << "not listed";
}

INSTANTIATE_TEST_SUITE_P(Models, EveryBuiltinRobot, ::testing::ValuesIn(expected_robots()),
                         [](const auto& robot) { return robot.param.name; });

TEST(BuiltinRobots, every_listed_robot_is_expected_here) {
  std::set<std::string> listed, expected{"chain:N"};
  for (const BuiltinRobot& robot : builtin_robots()) listed.insert(robot.name);
  for (const Expected& robot : expected_robots()) expected.insert(robot.name);
  EXPECT_EQ(listed, expected);
}

/// Half a unit of the twelfth digit of a printed number, and rounding.
double twelve_digits(double printed) {
  const double digits = printed == 0 ? -12 : std::floor(std::log10(std::abs(printed))) - 11;
  return 0.51 * std::pow(10, digits) + 1e-13;
}

/// Check vectors with 12 significant digits.
struct Check {
  std::string robot, frame;
  Row q;
  std::vector<Row> pose;
  Row holding, mass_diagonal;  // may be empty
};

void expect_check(const Check& check) {
  SCOPED_TRACE(check.robot);
  const RobotDescription robot = load_description(check.robot);
  const ChainReference chain(robot, check.q);
  expect_pose(chain.frame(check.frame), check.pose, 2e-12);
  const std::vector<double> tau = chain.holding_torque();
  for (std::size_t k = 0; k < check.holding.size(); ++k)
    EXPECT_NEAR(tau[k], check.holding[k], twelve_digits(check.holding[k]))
        << "holding torque " << k;
  for (std::size_t k = 0; k < check.mass_diagonal.size(); ++k) {
    const int i = static_cast<int>(k);
    const double printed = check.mass_diagonal[k];
    EXPECT_NEAR(chain.mass_matrix(i, i), printed, twelve_digits(printed)) << "M diagonal " << k;
  }
}

const Row q6 = {0.3, -0.7, 0.45, 0.9, -1.1, 0.6};
const Row q7 = {0.3, -0.7, 0.45, 0.9, -1.1, 0.6, 0.25};

TEST(BuiltinRobots, puma560_has_the_published_poses_and_torques) {
  expect_check({"puma560",
                "tool",
                {0, 0, 0, 0, 0, 0},
                {{1, 0, 0, 0.4521}, {0, 1, 0, -0.15005}, {0, 0, 1, 0.4318}},
                {},
                {}});
  expect_check({"puma560",
                "tool",
                {0, pi / 4, pi, 0, pi / 4, 0},
                {{0, 0, 1, 0.596303148575}, {0, 1, 0, -0.15005}, {-1, 0, 0, -0.0143542676581}},
                {0, 31.6398803784, 6.03513802301, 0, 0.0282528, 0},
                {2.87534544351, 2.08892708864, 0.360968243277, 0.00174108, 0.00064216, 4e-05}});
  const RobotDescription robot = load_description("puma560");
  const std::vector<double> tau = ChainReference(robot, q6).holding_torque();
  const Row published = {0, 31.5612958641, 2.42281292229, 0.00487966436463, 0.0263672044504, 0};
  for (std::size_t k = 0; k < 6; ++k)
    EXPECT_NEAR(tau[k], published[k], twelve_digits(published[k]));
}

TEST(BuiltinRobots, puma560_reflects_its_published_motor_inertias) {
  const Row reflected = {0.78402997, 2.3248148, 0.57687333, 0.19079063, 0.17070629, 0.19406451};
  const Row reflected_akb = {1.1407636, 4.7542464, 0.86242563, 0.20235369, 0.18105213, 0.20582599};
  const RobotDescription standard = load_description("puma560"),
                         akb = load_description("puma560_akb");
  for (std::size_t k = 0; k < 6; ++k) {
    const Actuator& a = standard.joints[k].actuator.at(0);
    const Actuator& b = akb.joints[k].actuator.at(0);
    EXPECT_NEAR(a.rotor_inertia * a.gear_ratio * a.gear_ratio, reflected[k], 1e-7);
    EXPECT_NEAR(b.rotor_inertia * b.gear_ratio * b.gear_ratio, reflected_akb[k], 1e-7);
    EXPECT_GT(standard.joints[k].friction.at(0).coulomb, 0);
  }
  // |G| (Tc+ + |Tc-|) / 2 of the waist.
  EXPECT_NEAR(standard.joints[0].friction[0].coulomb, 62.6111 * (0.395 + 0.435) / 2, 1e-4);
}

TEST(BuiltinRobots, puma560_akb_has_the_measured_poses_and_torques) {
  expect_check({"puma560_akb",
                "tool",
                {0, 0, 0, 0, 0, 0},
                {{1, 0, 0, 0.4115}, {0, 1, 0, 0.1501}, {0, 0, 1, 0.4331}},
                {},
                {}});
  expect_check(
      {"puma560_akb",
       "tool",
       q6,
       {{-0.558237820381, -0.719186460667, -0.413692362378, 0.149995384061},
        {0.501676820352, 0.104546735256, -0.85871435767, 0.203516424955},
        {0.660825925503, -0.686906700318, 0.30243723521, 0.692786866819}},
       {0, -26.7873524345, 2.35113050735, 0.00487966436463, 0.0263672044504, 0},
       {2.3624475167, 2.38613707087, 0.334783868072, 0.00180056569293, 0.00064216, 4e-05}});
}

TEST(BuiltinRobots, stanford_has_the_published_poses_and_torques) {
  expect_check({"stanford",
                "tool",
                {0, 0, 0.5, 0, 0, 0},
                {{0, 1, 0, 0}, {-1, 0, 0, 0.154}, {0, 0, 1, 1.175}},
                {},
                {}});
  expect_check({"stanford",
                "tool",
                {0.3, -0.7, 0.6, 0.9, -1.1, 0.6},
                {{-0.0438899988635, 0.299868586864, -0.952970355579, -0.665408113478},
                 {0.205809933162, 0.936142764706, 0.285094713211, 0.10787412246},
                 {0.977607252127, -0.183617958548, -0.102803238699, 0.843868060593}},
                {0, 8.11306361034, 48.5450690165, -0.373441699863, 1.02643128652, 0},
                {1.22111391793, 1.63254603092, 6.47, 0.013852033547, 0.016, 0.0003}});
}

TEST(BuiltinRobots, scara_has_the_poses_of_the_cobra_600) {
  expect_check(
      {"scara", "tool", {0, 0, 0, 0}, {{1, 0, 0, 0.6}, {0, -1, 0, 0}, {0, 0, -1, 0.387}}, {}, {}});
  expect_check({"scara",
                "tool",
                {0.3, -0.7, 0.12, 0.9},
                {{0.267498828625, -0.963558185417, 0, 0.563776132317},
                 {-0.963558185417, -0.267498828625, 0, -0.0110459769699},
                 {0, 0, -1, 0.267}},
                {},
                {}});
}

TEST(BuiltinRobots, ur5_and_ur10_have_the_published_poses_and_torques) {
  expect_check({"ur5",
                "tool",
                {0, 0, 0, 0, 0, 0},
                {{1, 0, 0, -0.81725}, {0, 0, -1, -0.19145}, {0, 1, 0, -0.005491}},
                {},
                {}});
  const std::vector<Row> turned = {{-0.259102170777, -0.523249642632, 0.811834882586},
                                   {0.689783395667, -0.688599648508, -0.223672508672},
                                   {0.676065775025, 0.502036189492, 0.539346579001}};
  std::vector<Row> pose = turned;
  pose[0].push_back(-0.519828399036);
  pose[1].push_back(-0.314130947703);
  pose[2].push_back(0.429034612013);
  expect_check({"ur5",
                "tool",
                q6,
                pose,
                {0, -43.2001081055, -14.0147675942, 1.14054572717, -0.0946970218673, 0},
                {2.37445405608, 2.97927229511, 0.481843684136, 0.0178754763039, 0.00383740004217,
                 0.0001321171875}});
  expect_check({"ur10",
                "tool",
                {0, 0, 0, 0, 0, 0},
                {{1, 0, 0, -1.1843}, {0, 0, -1, -0.256141}, {0, 1, 0, 0.0116}},
                {},
                {}});
  pose = turned;
  pose[0].push_back(-0.786727669272);
  pose[1].push_back(-0.458745678401);
  pose[2].push_back(0.620771369563);
  expect_check(
      {"ur10",
       "tool",
       q6,
       pose,
       {0, -96.8156328241, -35.0574513749, 2.17385429471, -0.162015657531, 0},
       {8.46443493382, 10.5777212627, 1.94085683339, 0.036442601424, 0.00487440238877, 0.00034}});
  const RobotDescription ur10 = load_description("ur10");
  EXPECT_DOUBLE_EQ(ur10.joints[0].limits.at(0).upper, 2 * pi);
  EXPECT_DOUBLE_EQ(ur10.joints[1].limits.at(0).velocity, 2 * pi / 3);
  EXPECT_EQ(ur10.joints[5].limits.at(0).effort, 56);
}

TEST(BuiltinRobots, panda_has_the_published_poses_and_torques) {
  const Row ready = {0, -pi / 4, 0, -3 * pi / 4, 0, pi / 2, pi / 4};
  const double h = 0.707106781187;
  for (const char* name : {"panda", "panda_hand"}) {
    const std::string frame = std::string(name) == "panda" ? "tool" : "flange";
    Row zero(7, 0.0), q = ready, qt = q7;
    if (frame == "flange") zero.resize(9), q.resize(9), qt.resize(9);
    expect_check({name, frame, zero, {{1, 0, 0, 0.088}, {0, -1, 0, 0}, {0, 0, -1, 0.926}}, {}, {}});
    expect_check({name,
                  frame,
                  q,
                  {{h, -h, 0, 0.306890566593}, {-h, -h, 0, 0}, {0, 0, -1, 0.590282052303}},
                  {},
                  {}});
  }
  const RobotDescription robot = load_description("panda");
  const ChainReference chain(robot, ready);
  const Row holding = {
      0, -1.77137554913, -0.644000319665, 18.5735903909, 0.63384618549, 1.6936847301, 0};
  const Row diagonal = {0.461178321739, 1.44495889233,  0.878925238498,  0.788735575212,
                        0.027854616341, 0.032556769945, 0.00490965196736};
  const Row holding_turned = {0,
                              30.6988621668,
                              3.02471540693,
                              -16.6586404388,
                              0.730724479797,
                              -0.238046623389,
                              -0.0527462064226};
  const std::vector<double> tau = chain.holding_torque();
  const std::vector<double> turned = ChainReference(robot, q7).holding_torque();
  for (std::size_t k = 0; k < 7; ++k) {
    const int i = static_cast<int>(k);
    EXPECT_NEAR(tau[k], holding[k], twelve_digits(holding[k]));
    EXPECT_NEAR(turned[k], holding_turned[k], twelve_digits(holding_turned[k]));
    EXPECT_NEAR(chain.mass_matrix(i, i), diagonal[k], twelve_digits(diagonal[k]));
  }
}

TEST(BuiltinRobots, panda_friction_is_the_published_sigmoid_without_its_shift) {
  const RobotDescription robot = load_description("panda");
  const Row phi1 = {0.54615, 0.87224, 0.64068, 1.2794, 0.83904, 0.30301, 0.56489};
  const Row phi2 = {5.1181, 9.0657, 10.136, 5.5903, 8.3469, 17.133, 10.336};
  for (std::size_t k = 0; k < 7; ++k) {
    const Friction& friction = robot.joints[k].friction.at(0);
    for (const double qd : {-1.0, -0.1, 0.02, 0.5}) {
      const double sigmoid = phi1[k] / (1 + std::exp(-phi2[k] * qd)) - phi1[k] / 2;
      EXPECT_NEAR(friction.coulomb * std::tanh(qd / friction.width), sigmoid, 1e-5 * phi1[k]);
    }
  }
}

TEST(BuiltinRobots, panda_hand_couples_its_fingers) {
  const RobotDescription robot = load_description("panda_hand");
  ASSERT_EQ(robot.couplings.size(), 1u);
  const Coupling& coupling = robot.couplings[0];
  ASSERT_EQ(coupling.terms.size(), 2u);
  EXPECT_EQ(coupling.terms[0].joint, "finger_joint_2");
  EXPECT_EQ(coupling.terms[0].factor, 1);
  EXPECT_EQ(coupling.terms[1].joint, "finger_joint_1");
  EXPECT_EQ(coupling.terms[1].factor, -1);
  // Open by 2 x 0.03 m, the fingers are that far apart along the hand's y.
  const ChainReference chain(robot, {0, 0, 0, 0, 0, 0, 0, 0.03, 0.03});
  const SE3<double> T_hand_left = inverse(chain.frame("hand")) * chain.frame("left_finger");
  const SE3<double> T_hand_right = inverse(chain.frame("hand")) * chain.frame("right_finger");
  EXPECT_NEAR(T_hand_left.p.y - T_hand_right.p.y, 0.06, 1e-15);
}

TEST(BuiltinRobots, iiwa14_has_the_published_poses_and_torques) {
  expect_check({"iiwa14",
                "flange",
                {0, 0, 0, 0, 0, 0, 0},
                {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 1.306}},
                {},
                {}});
  expect_check(
      {"iiwa14",
       "flange",
       q7,
       {{0.697550774221, -0.592219861392, -0.403359087112, -0.628213633738},
        {0.0100013801776, 0.570922111551, -0.820943307992, -0.424706403432},
        {0.716465553797, 0.568615492503, 0.404170176915, 0.740574424984}},
       {0, 58.5100539419, 5.94294111201, -23.0464194708, 0.979829675798, 0.663977798249, 0},
       {3.04911569318, 4.21962278902, 0.55037248922, 0.855996412423, 0.0149512501836, 0.017941848,
        0.001}});
}

TEST(BuiltinRobots, pendulum_has_the_inertia_of_a_rod_about_its_end) {
  const RobotDescription robot = load_description("pendulum");
  const ChainReference chain(robot, {pi / 6});
  EXPECT_NEAR(chain.mass_matrix(0, 0), 1.0 / 3, 1e-15);
  EXPECT_NEAR(chain.holding_torque()[0], 9.81 * 0.25, 1e-14);
}

TEST(BuiltinRobots, humanoid38_is_symmetric_about_its_sagittal_plane) {
  const RobotDescription robot = load_description("humanoid38");
  EXPECT_EQ(robot.root, "world");
  EXPECT_EQ(robot.joints[0].kind, JointKind::free);
  int pairs = 0;
  for (const Link& left : robot.links) {
    if (!left.name.starts_with("left_")) continue;
    const Link* right = robot.find_link("right_" + left.name.substr(5));
    ASSERT_NE(right, nullptr);
    ++pairs;
    EXPECT_EQ(left.inertial.mass, right->inertial.mass);
    EXPECT_EQ(left.inertial.com.y, -right->inertial.com.y);
    EXPECT_EQ(left.inertial.about_com.xx, right->inertial.about_com.xx);
  }
  EXPECT_EQ(pairs, 14);
}

TEST(BuiltinRobots, chain_of_n_has_n_rods_of_half_a_kilogram) {
  for (const int n : {1, 2, 100}) {
    const RobotDescription robot = load_description("chain:" + std::to_string(n));
    EXPECT_EQ(robot.joints.size(), static_cast<std::size_t>(n));
    const ChainReference chain(robot, Row(static_cast<std::size_t>(n), 0.0));
    EXPECT_NEAR(chain.frame("tip").p.x, 0.1 * n, 1e-13 * n);
    for (const Link& link : robot.links)
      if (link.has_inertial) {
        EXPECT_EQ(link.inertial.mass, 0.5);
        EXPECT_TRUE(physical(link.inertial.about_com));
      }
    EXPECT_EQ(testing::difference(robot, read_robot_file(write_robot_file(robot), "chain.yaml")),
              "");
  }
}

}  // namespace
}  // namespace torsor
