// Parallel machines from published figures at rest: where their loops close, and what the motors hold.
#include "dynamics/mechanism.hpp"
#include "torsor/dynamics/constrained_inverse.hpp"
#include "torsor/model/builder.hpp"

namespace torsor::testing {
namespace {

constexpr double pi = std::numbers::pi;
SO3<double> about_x(double angle) { return exp(Vec3<double>{angle, 0, 0}); }
SO3<double> about_y(double angle) { return exp(Vec3<double>{0, angle, 0}); }
SO3<double> about_z(double angle) { return exp(Vec3<double>{0, 0, angle}); }

LoopJoint ball(const std::string& name, const std::string& a, const Vec3<double>& on_a,
               const std::string& b, const Vec3<double>& on_b) {
  LoopJoint loop;
  loop.name = name, loop.kind = LoopJoint::Kind::spherical;
  loop.link_a = a, loop.placement_a.p = on_a;
  loop.link_b = b, loop.placement_b.p = on_b;
  return loop;
}

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

// ------------------------------------------------------------------------------------- five-bar

/// Laboratory machine of the University of Sao Paulo (I. Stevani, 2dof-parallelrob, set_env.m). The second leg is
/// the mirror image of the first.
Model<double> five_bar() {
  const double l0 = 0.05, l1 = 0.12, l2 = 0.16;
  ModelBuilder b("five_bar");
  b.gravity({0, -9.81, 0});
  b.revolute("q1", "base", "near_1", {SO3<double>::identity(), {l0, 0, 0}});
  b.revolute("q2", "near_1", "far_1", {SO3<double>::identity(), {l1, 0, 0}});
  b.revolute("q3", "base", "near_2", {about_y(pi), {-l0, 0, 0}});
  b.revolute("q4", "near_2", "far_2", {SO3<double>::identity(), {l1, 0, 0}});
  for (const char* link : {"near_1", "near_2"})
    b.inertia(link, 0.1, {0.06, 0, 0}, Sym3<double>::diagonal(1e-4, 1e-4, 2e-4));
  for (const char* link : {"far_1", "far_2"})
    b.inertia(link, 0.1, {0.068, 0, 0}, Sym3<double>::diagonal(4e-4, 4e-4, 7e-4));
  b.loop(ball("tip", "far_1", {l2, 0, 0}, "far_2", {l2, 0, 0}));
  return b.build();
}

TEST(PublishedMechanisms, the_motors_of_a_five_bar_hold_its_bars) {
  const struct {
    double q1, q2, q3, q4, tau1, tau3;
  } cases[] = {
      {0.92990214853, 1.50564608095, 0.92990214853, 1.50564608095, 0.152611323, 0.152611323},
      {0.339145794278, 1.85318013531, 1.31276054418, 1.48475269533, 0.213404172, 0.0926497271}};
  for (const auto& c : cases) {
    Mechanism m(five_bar());
    m.q = {c.q1, c.q2, c.q3, c.q4};
    EXPECT_LT(constraint_errors(m.model, m.set, m.assembly, m.q).position, 1e-11);
    const std::vector<double> tau = holding(m, {"q1", "q3"});
    EXPECT_NEAR(tau[0], c.tau1, 1e-9);
    EXPECT_NEAR(tau[1], c.tau3, 1e-9);
  }
}

// ---------------------------------------------------------------------------------------- delta

/// autonox24 RL5-1450-6kg (Alikoc et al. 2023, delta-robot-public). The two bars of a forearm are one here, with
/// the mass of both: the platform only translates.
Model<double> delta() {
  const double r0 = 0.330, l1 = 0.420, l2 = 1.055, r3 = 0.125;
  ModelBuilder b("delta");
  b.translational("pose", "base", "platform");
  b.inertia("platform", 2.916, {});
  for (int leg = 1; leg <= 3; ++leg) {
    const std::string k = std::to_string(leg);
    const SO3<double> R = about_z((leg - 1) * 2 * pi / 3);
    b.revolute("motor_" + k, "base", "arm_" + k, {R, R * Vec3<double>{r0, 0, 0}}, {0, 1, 0});
    b.inertia("arm_" + k, 3.47, {0.17224, 0, 0}).inertia("arm_" + k, 0.226, {l1, 0, 0});  // and pin
    b.universal("elbow_" + k, "arm_" + k, "forearm_" + k, {about_x(pi), {l1, 0, 0}});
    b.inertia("forearm_" + k, 2 * 0.525, {0, 0, l2 / 2},
              Sym3<double>::diagonal(0.086, 0.086, 1e-4));
    b.loop(ball("wrist_" + k, "forearm_" + k, {0, 0, l2}, "platform", R * Vec3<double>{r3, 0, 0}));
  }
  return b.build();
}

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
    Mechanism m(delta());
    m.q[at(m.v("pose")) + 2] = -0.85;
    for (int k = 0; k < 3; ++k) m.q[at(m.v(motors[at(k)]))] = c.q[k];
    close(m, motors);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(m.q[at(m.v("pose") + k)], c.platform[k], 1e-11);
    const std::vector<double> tau = holding(m, motors);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(tau[at(k)], c.tau[k], 1e-7);
  }
}

// -------------------------------------------------------------------------------------- Stewart

/// The Stewart platform of MathWorks' case study (mech_stewart_control_setup.m): steel tubes below, steel rods above.
struct Stewart {
  static constexpr double home_length = 3.15380068399, com = 1.18267525649;
  std::vector<std::string> legs;
  Mechanism m{model()};

  Stewart() {
    for (int k = 1; k <= 6; ++k) legs.push_back("leg_" + std::to_string(k));
  }
  static Model<double> model() {
    ModelBuilder b("stewart");
    b.free("pose", "base", "platform");
    b.inertia("platform", 1216.9268179, {},
              Sym3<double>::diagonal(304.485230896, 304.485230896, 608.463408952));
    const double deg = pi / 180;
    for (int leg = 1; leg <= 6; ++leg) {
      const std::string k = std::to_string(leg);
      // Base joints 2.5 deg to the sides of 0, 120, 240 deg; top joints 10 deg to those of 60, 180, 300.
      const double side = leg % 2 == 1 ? -1 : 1, third = (leg - 1) / 2 * 120.0;
      const Vec3<double> low = about_z((third + side * 2.5) * deg) * Vec3<double>{3, 0, 0};
      const Vec3<double> top = about_z((third + side * 50) * deg) * Vec3<double>{1, 0, 0};
      const Vec3<double> along = top + Vec3<double>{0, 0, 2} - low;
      b.universal("swivel_" + k, "base", "tube_" + k, {turn_to(along * (1 / norm(along))), low});
      b.inertia("tube_" + k, 92.110671136, {0, 0, com},
                Sym3<double>::diagonal(43.023996787, 43.023996787, 0.156588140931));
      b.prismatic("leg_" + k, "tube_" + k, "rod_" + k,
                  {SO3<double>::identity(), {0, 0, home_length}});
      b.inertia("rod_" + k, 51.812252514, {0, 0, -com},
                Sym3<double>::diagonal(24.1686155349, 24.1686155349, 0.0233155136313));
      b.loop(ball("ball_" + k, "rod_" + k, {}, "platform", top));
    }
    return b.build();
  }
  void stand_at(const SE3<double>& pose) {
    const Quaternion<double> r = quaternion(pose.R);
    const double q[7] = {pose.p.x, pose.p.y, pose.p.z, r.x, r.y, r.z, r.w};
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
