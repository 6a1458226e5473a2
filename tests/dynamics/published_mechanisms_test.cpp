// Built-in parallel machines at rest: where their loops close and what their motors hold, against
// figures computed apart from the published dimensions.
#include "dynamics/mechanism.hpp"
#include "torsor/dynamics/constrained/constrained_inverse.hpp"

namespace torsor::testing {
namespace {

SO3<double> about_x(double angle) { return exp(Vec3<double>{angle, 0, 0}); }
SO3<double> about_y(double angle) { return exp(Vec3<double>{0, angle, 0}); }
SO3<double> about_z(double angle) { return exp(Vec3<double>{0, 0, angle}); }

/// Closes the loops; all velocities of the named joints stay.
void close(Mechanism& m, const std::vector<std::string>& held) {
  std::vector<char> moving(m.qd.size(), 1);
  for (const std::string& joint : held) {
    const Dofs v = m.model.body(m.model.joint_index(joint)).v;
    std::fill_n(moving.begin() + v.first, v.count, char{0});
  }
  AssemblyOptions options;
  options.moving = moving;
  ASSERT_TRUE(assemble(m.model, m.set, m.assembly, m.q, options));
}

/// What the named joints do to keep the machine where it is.
std::vector<double> holding(Mechanism& m, const std::vector<std::string>& motors) {
  std::vector<char> actuated(m.qd.size(), 0);
  for (const std::string& joint : motors) actuated[at(m.v(joint))] = 1;
  ConstrainedInverseWorkspace ws(m.model, m.set);
  const ConstrainedInverseResult result = constrained_inverse_dynamics(
      m.model, m.set, ws, actuated, m.q, m.qd, m.qdd, {}, m.tau, m.lambda);
  EXPECT_TRUE(result.solvable && result.unique_torque());
  std::vector<double> torques;
  for (const std::string& joint : motors) torques.push_back(m.tau[at(m.v(joint))]);
  return torques;
}

Vec3<double> position(const Mechanism& m, const std::string& frame) {
  KinematicsWorkspace<double> ws(m.model);
  forward_kinematics(m.model, ws, m.q);
  return frame_pose(ws, m.model.frame(frame)).p;
}

// ------------------------------------------------------------------------------------- five-bar

// Right angles are published from the x axis, left ones from -x the other way.
TEST(PublishedMechanisms, the_motors_of_a_five_bar_hold_its_bars) {
  const double shoulder = 0.92990214853, elbow = 1.50564608095;  // at q = 0
  const struct {
    double tip_x, tip_y, q1, q2, q3, q4, tau1, tau3;
  } cases[] = {{0, 0.2, shoulder, elbow, shoulder, elbow, 0.152611323, 0.152611323},
               {0.07, 0.17, 0.339145794278, 1.85318013531, 1.31276054418, 1.48475269533,
                0.213404172, 0.0926497271}};
  for (const auto& c : cases) {
    Mechanism m("five_bar");
    const auto q = [&](const char* joint) -> double& { return m.q[at(m.v(joint))]; };
    q("right_shoulder") = c.q1 - shoulder, q("left_shoulder") = shoulder - c.q3;
    close(m, {"left_shoulder", "right_shoulder"});
    EXPECT_NEAR(q("right_elbow"), c.q2 - elbow, 1e-10);
    EXPECT_NEAR(q("left_elbow"), elbow - c.q4, 1e-10);
    const Vec3<double> tip = position(m, "tool");
    EXPECT_NEAR(tip.x, c.tip_x, 1e-11);
    EXPECT_NEAR(tip.y, c.tip_y, 1e-11);
    const std::vector<double> tau = holding(m, {"right_shoulder", "left_shoulder"});
    EXPECT_NEAR(tau[0], c.tau1, 1e-9);
    EXPECT_NEAR(tau[1], -c.tau3, 1e-9);
  }
}

// ---------------------------------------------------------------------------------------- delta

TEST(PublishedMechanisms, the_motors_of_a_delta_robot_hold_arms_bars_and_platform) {
  const struct {
    double q[3];
    Vec3<double> platform;
    double tau[3];
  } cases[] = {{{0, 0, 0}, {0, 0, -0.849941174435}, {-15.1253798, -15.1253798, -15.1253798}},
               {{0.2, 0.5, -0.1},
                {0.00563059253162, -0.224422239508, -0.913707264257},
                {-15.4139218, -10.5300613, -19.0780777}}};
  const std::vector<std::string> motors{"motor_1", "motor_2", "motor_3"};
  for (const auto& c : cases) {
    Mechanism m("delta");
    for (int k = 0; k < 3; ++k)
      m.q[at(m.model.body(m.model.joint_index(motors[at(k)])).q.first)] = c.q[k];
    close(m, motors);
    const Vec3<double> platform = position(m, "platform");
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(platform[k], c.platform[k], 1e-11);
    const std::vector<double> tau = holding(m, motors);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(tau[at(k)], c.tau[k], 1e-7);
  }
}

// -------------------------------------------------------------------------------------- Stewart

struct Stewart {
  static constexpr double home_length = 3.15380068399, home_height = 2;
  std::vector<std::string> legs;
  Mechanism m{"stewart"};

  Stewart() {
    for (int k = 1; k <= 6; ++k) legs.push_back("leg_" + std::to_string(k));
  }
  void stand_at(const SE3<double>& pose) {
    const Quaternion<double> r = quaternion(pose.R);
    const double q[7] = {pose.p.x, pose.p.y, pose.p.z - home_height, r.x, r.y, r.z, r.w};
    std::copy_n(q, 7, m.q.begin() + m.model.body(m.model.joint_index("pose")).q.first);
    close(m, {"pose"});
  }
  double length(std::size_t leg) const {
    return home_length + m.q[at(m.model.body(m.model.joint_index(legs[leg])).q.first)];
  }
};

TEST(PublishedMechanisms, the_legs_of_a_stewart_platform_hold_it_at_home) {
  Stewart s;
  s.stand_at({SO3<double>::identity(), {0, 0, 2}});
  const std::vector<double> push = holding(s.m, s.legs);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(s.length(k), Stewart::home_length, 1e-11);
    EXPECT_NEAR(push[k], 4078.78366, 1e-5);
  }
}

TEST(PublishedMechanisms, the_legs_of_a_stewart_platform_hold_it_displaced_and_turned) {
  const double length[6] = {2.99653661542, 3.35100790723, 3.2447691437,
                            3.40271029842, 3.03710582082, 3.35344409553};
  const double force[6] = {4869.00261, 3318.68847, 3876.67139, 3604.87083, 4823.62179, 3144.35342};
  Stewart s;
  s.stand_at({about_z(0.2) * about_y(-0.05) * about_x(0.1), {0.1, -0.05, 2.1}});
  const std::vector<double> push = holding(s.m, s.legs);
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(s.length(k), length[k], 1e-11);
    EXPECT_NEAR(push[k], force[k], 1e-5);
  }
}

}  // namespace
}  // namespace torsor::testing
