// The built-in mechanisms against closed forms: kinematics, dynamics, mobility, assembly, energy.
#include "dynamics/mechanism.hpp"
#include "torsor/dynamics/energy.hpp"
#include "torsor/kinematics/mobility.hpp"
#include "torsor/model/builder.hpp"

namespace torsor::testing {
namespace {

using Tangent = Dual<double, 1>;
constexpr double pi = std::numbers::pi, g = 9.81;

// ------------------------------------------------------------------------------------- four-bar

/// Angles of coupler and rocker of the open assembly at the crank angle (circle intersection).
template <class Real>
struct FourBar {
  static constexpr double a = 0.1, b = 0.25, c = 0.2, d = 0.25, density = 2;
  Real crank, coupler, rocker;

  explicit FourBar(const Real& angle) : crank(angle) {
    const auto [s, k] = sincos(angle);
    const Real x = Real(d) - k * Real(a), y = -(s * Real(a));  // from crank tip to rocker pivot
    const Real D2 = x * x + y * y, D = sqrt(D2);
    const Real along = (D2 + Real(b * b - c * c)) / (D * Real(2));
    const Real up = sqrt(Real(b * b) - along * along);
    const Real px = (along * x - up * y) / D, py = (along * y + up * x) / D;
    coupler = atan2(py, px);
    rocker = atan2(py - y, px - x);
  }
  /// Kinetic energy at unit crank speed, twice; the rates are the derivatives of the angles.
  Real inertia() const {
    const Real w3 = Real(a) * sin(rocker - crank) / (Real(b) * sin(coupler - rocker));
    const Real w4 = Real(a) * sin(crank - coupler) / (Real(c) * sin(rocker - coupler));
    const double m_a = density * a, m_b = density * b, m_c = density * c, rotor = 1e-4 * 100;
    const Real v2 =
        Real(a * a) + w3 * w3 * Real(b * b / 4) + w3 * cos(crank - coupler) * Real(a * b);
    return Real(m_a * a * a / 3 + rotor) + v2 * Real(m_b) + w3 * w3 * Real(m_b * b * b / 12) +
           w4 * w4 * Real(m_c * c * c / 3);
  }
  Real potential() const {
    return (sin(crank) * Real(a * a / 2) +
            (sin(crank) * Real(a) + sin(coupler) * Real(b / 2)) * Real(b) +
            sin(rocker) * Real(c * c / 2)) *
           Real(density * g);
  }
};

TEST(Mechanisms, four_bar_angles_and_rates_are_those_of_the_closed_form) {
  Mechanism m("four_bar");
  const FourBar<double> home(pi / 3);
  ASSERT_LT(constraint_errors(m.model, m.set, m.assembly, m.q).position, 1e-14);
  for (const double angle : {0.3, 1.2, 2.5, 4.0, 5.9}) {
    m.q[at(m.v("crank"))] = angle - pi / 3;
    ASSERT_TRUE(m.close({"crank"}));
    const FourBar<Tangent> exact([&] {
      Tangent x(angle);
      x.d[0] = 1;
      return x;
    }());
    const auto turn = [&](const char* joint) { return m.q[at(m.v(joint))]; };
    EXPECT_NEAR(internal::wrapped_angle(turn("crank") + turn("coupler") + home.coupler -
                                        home.crank + pi / 3 - exact.coupler.value),
                0, 1e-11);
    EXPECT_NEAR(internal::wrapped_angle(turn("rocker") + home.rocker - exact.rocker.value), 0,
                1e-11);
    m.qd.assign(m.qd.size(), 0);
    m.qd[at(m.v("crank"))] = 2;
    m.move({"crank"});
    EXPECT_NEAR(m.qd[at(m.v("rocker"))], 2 * exact.rocker.d[0], 1e-11);
    EXPECT_NEAR(m.qd[at(m.v("coupler"))], 2 * (exact.coupler.d[0] - 1), 1e-11);
  }
}

TEST(Mechanisms, four_bar_dynamics_is_that_of_one_coordinate) {
  Mechanism m("four_bar");
  for (const double angle : {0.3, 1.2, 2.5, 4.0, 5.9}) {
    const double w = 3, tau = 0.7;
    m.q[at(m.v("crank"))] = angle - pi / 3;
    ASSERT_TRUE(m.close({"crank"}));
    m.qd.assign(m.qd.size(), 0);
    m.qd[at(m.v("crank"))] = w;
    m.move({"crank"});
    m.tau.assign(m.tau.size(), 0);
    m.tau[at(m.v("crank"))] = tau;
    const ConstrainedResult result = m.forward();
    ASSERT_TRUE(result);
    EXPECT_EQ(result.rank, 3);
    EXPECT_FALSE(result.unique());
    Tangent x(angle);
    x.d[0] = 1;
    const FourBar<Tangent> exact(x);
    const Tangent J = exact.inertia(), V = exact.potential();
    const double expected = (tau - 0.5 * J.d[0] * w * w - V.d[0]) / J.value;
    EXPECT_NEAR(m.qdd[at(m.v("crank"))], expected, 1e-9 * (1 + std::abs(expected))) << angle;
  }
}

// -------------------------------------------------------------------------------- slider-crank

TEST(Mechanisms, slider_crank_follows_its_closed_form) {
  Mechanism m("slider_crank");
  constexpr double r = 0.05, l = 0.2, density = 2, slider = 0.5;
  for (const double angle : {0.0, 0.7, 1.9, 3.3, 5.0}) {
    Tangent x(angle);
    x.d[0] = 1;
    const auto position = [&](const auto& t) {
      using Real = std::remove_cvref_t<decltype(t)>;
      const Real s = sin(t) * Real(r);
      return cos(t) * Real(r) + sqrt(Real(l * l) - s * s);
    };
    const auto rod_angle = [&](const auto& t) {
      using Real = std::remove_cvref_t<decltype(t)>;
      return -asin(sin(t) * Real(r / l));
    };
    // twice the kinetic energy at unit speed, with rates by nested duals
    const auto inertia = [&](const Tangent& t) {
      Dual<Tangent, 1> y(t);
      y.d[0] = Tangent(1.0);
      const Tangent xd = position(y).d[0], w = rod_angle(y).d[0];
      const Tangent phi = rod_angle(t);
      const Tangent vx = -(sin(t) * Tangent(r)) - sin(phi) * w * Tangent(l / 2);
      const Tangent vy = cos(t) * Tangent(r) + cos(phi) * w * Tangent(l / 2);
      return Tangent(density * r * r * r / 3 + 1e-4 * 100) +
             (vx * vx + vy * vy) * Tangent(density * l) +
             w * w * Tangent(density * l * l * l / 12) + xd * xd * Tangent(slider);
    };
    const double omega = 4, tau = 0.5, force = -2;
    m.q[at(m.v("crank"))] = angle;
    ASSERT_TRUE(m.close({"crank"}));
    EXPECT_NEAR(m.q[at(m.v("slider"))] + r + l, position(angle), 1e-11);
    m.qd.assign(3, 0);
    m.qd[at(m.v("crank"))] = omega;
    m.move({"crank"});
    EXPECT_NEAR(m.qd[at(m.v("slider"))], omega * position(x).d[0], 1e-11);
    m.tau.assign(3, 0);
    m.tau[at(m.v("crank"))] = tau, m.tau[at(m.v("slider"))] = force;
    ASSERT_TRUE(m.forward());
    const Tangent J = inertia(x);
    const Tangent V =
        (sin(x) * Tangent(r / 2 * density * r) +
         (sin(x) * Tangent(r) + sin(rod_angle(x)) * Tangent(l / 2)) * Tangent(density * l)) *
        Tangent(g);
    const double expected =
        (tau + force * position(x).d[0] - 0.5 * J.d[0] * omega * omega - V.d[0]) / J.value;
    EXPECT_NEAR(m.qdd[at(m.v("crank"))], expected, 1e-9 * (1 + std::abs(expected))) << angle;
  }
}

// ------------------------------------------------------------------------------------ mobility

TEST(Mechanisms, degrees_of_freedom_and_redundancy_are_found) {
  const struct {
    const char* name;
    int n_v, rows, rank, freedom, actuators;
  } cases[] = {{"four_bar", 4, 6, 3, 1, 1},    {"slider_crank", 3, 5, 2, 1, 1},
               {"five_bar", 5, 6, 3, 2, 2},    {"loop_4r1p", 4, 5, 2, 2, 2},
               {"palletiser", 9, 15, 6, 3, 3}, {"stewart", 24, 18, 18, 6, 6},
               {"delta", 21, 18, 18, 3, 3}};
  for (const auto& c : cases) {
    Mechanism m(c.name);
    EXPECT_LT(constraint_errors(m.model, m.set, m.assembly, m.q).position, 1e-13) << c.name;
    const std::vector<char> actuated = actuated_velocities(m.model);
    MobilityOptions options;
    options.actuated = actuated;
    const Mobility x = mobility(m.model, m.set, m.q, options);
    EXPECT_EQ(x.n_v, c.n_v) << c.name;
    EXPECT_EQ(x.rows, c.rows) << c.name;
    EXPECT_EQ(x.rank, c.rank) << c.name;
    EXPECT_EQ(x.degrees_of_freedom, c.freedom) << c.name;
    EXPECT_EQ(x.actuators, c.actuators) << c.name;
    EXPECT_EQ(x.controlled, c.freedom) << c.name;
    EXPECT_FALSE(x.type_ii()) << c.name;
    EXPECT_EQ(x.preloads(), 0) << c.name;
    EXPECT_EQ(redundancy_messages(x).empty(), c.rows == c.rank) << c.name;
  }
  Mechanism m("four_bar");
  EXPECT_EQ(redundancy_messages(mobility(m.model, m.set, m.q))[0],
            "\"pin\" (weld): 3 of its 6 rows repeat what holds already");
}

TEST(Mechanisms, five_bar_is_singular_of_type_ii_with_its_distal_bars_in_line) {
  Mechanism m("five_bar");
  // elbows 2 x 0.16 m apart: the left one at x = -0.05 + 0.12 cos t = -0.16
  const SO3<double> R = m.model.joint_description(m.model.joint_index("left_shoulder")).placement.R;
  const double turn = std::acos(-0.11 / 0.12) - std::atan2(R.c0.y, R.c0.x);
  m.q[at(m.v("left_shoulder"))] = turn;
  m.q[at(m.v("right_shoulder"))] = -turn;
  AssemblyOptions options;
  options.tolerance = 1e-12, options.max_iterations = 2000;
  std::vector<char> moving(5, 1);
  moving[at(m.v("left_shoulder"))] = moving[at(m.v("right_shoulder"))] = 0;
  options.moving = moving;
  (void)assemble(m.model, m.set, m.assembly, m.q, options);
  EXPECT_LT(constraint_errors(m.model, m.set, m.assembly, m.q).position, 1e-10);
  const std::vector<char> actuated = actuated_velocities(m.model);
  MobilityOptions look;
  look.actuated = actuated;
  look.tolerance =
      1e-4;  // closing a stretched chain is a double root: angles to the half of digits
  const Mobility x = mobility(m.model, m.set, m.q, look);
  EXPECT_TRUE(x.type_ii());
  EXPECT_EQ(x.preloads(), 1);
}

TEST(Mechanisms, five_bar_is_singular_of_type_i_with_an_arm_stretched) {
  Mechanism m("five_bar");
  // straight: the placement of the elbow turns by its angle, the joint turns it back
  const SO3<double> R = m.model.joint_description(m.model.joint_index("left_elbow")).placement.R;
  m.q[at(m.v("left_elbow"))] = -std::atan2(R.c0.y, R.c0.x);
  ASSERT_TRUE(m.close({"left_elbow"}));
  const std::vector<char> actuated = actuated_velocities(m.model);
  MobilityOptions look;
  look.actuated = actuated;
  look.output = &m.model.frame("tool");
  look.output_point = true;
  const Mobility x = mobility(m.model, m.set, m.q, look);
  EXPECT_TRUE(x.type_i());
  EXPECT_EQ(x.output_rank, 1);
  EXPECT_FALSE(x.type_ii());
  neutral(m.model, m.q);
  EXPECT_FALSE(mobility(m.model, m.set, m.q, look).type_i());
}

TEST(Mechanisms, assembly_modes_are_found_by_sampling) {
  Mechanism four("four_bar"), five("five_bar");
  std::vector<char> moving(4, 1);
  moving[at(four.v("crank"))] = 0;
  AssemblyOptions options;
  options.moving = moving;
  EXPECT_EQ(assembly_modes(four.model, four.set, four.q, options, 60).size(), 2u);
  std::vector<char> elbows(5, 1);
  elbows[at(five.v("left_shoulder"))] = elbows[at(five.v("right_shoulder"))] = 0;
  options.moving = elbows;
  EXPECT_EQ(assembly_modes(five.model, five.set, five.q, options, 60).size(), 2u);
}

TEST(Mechanisms, a_loop_that_cannot_close_is_named) {
  ModelBuilder b("short");
  b.revolute("a", "base", "left");
  b.revolute("b", "base", "right", {.p = {3, 0, 0}});
  b.inertia("left", 1, {0.5, 0, 0}).inertia("right", 1, {0.5, 0, 0});
  LoopJoint gap;
  gap.name = "gap", gap.kind = LoopJoint::Kind::spherical, gap.link_a = "left",
  gap.link_b = "right";
  gap.placement_a.p = gap.placement_b.p = {1, 0, 0};
  b.loop(gap);
  Mechanism m(b.build());
  m.q = {0.3, 2.5};
  const Assembly result = assemble(m.model, m.set, m.assembly, m.q);
  EXPECT_FALSE(result);
  EXPECT_NEAR(result.residual, 1, 1e-6);  // stretched towards each other, 1 m short
  EXPECT_NE(message(m.set, result).find("loops do not close: \"gap."), std::string::npos);
}

TEST(Mechanisms, assembly_keeps_limits) {
  Mechanism m("loop_4r1p");
  m.q[at(m.v("boom_pivot"))] = 0.2;
  ASSERT_TRUE(m.close({"boom_pivot"}));
  const double length = m.q[at(m.v("cylinder"))];
  EXPECT_LE(std::abs(length), 0.15 + 1e-15);
  m.q[at(m.v("cylinder"))] = 7;  // a guess far outside
  ASSERT_TRUE(assemble(m.model, m.set, m.assembly, m.q));
  EXPECT_LE(std::abs(m.q[at(m.v("cylinder"))]), 0.15 + 1e-15);
}

// --------------------------------------------------------------------------- motion in time

/// Fourth order Runge-Kutta on the manifold, projected every tenth step; the largest errors on the
/// way. Prismatic joints carry a spring of the given stiffness.
struct Drift {
  double energy = 0, closure = 0, peak = 0;
};
struct Swing {
  Mechanism& m;
  double stiffness = 0;
  MomentumWorkspace<double> momentum{m.model};
  std::vector<int> springs{};

  explicit Swing(Mechanism& mechanism, double k = 0) : m(mechanism), stiffness(k) {
    for (int i = 1; i < m.model.n_bodies(); ++i)
      if (m.model.joint(i).kind == JointKind::prismatic) springs.push_back(i);
  }
  double kinetic() { return kinetic_energy(m.model, momentum, m.q, m.qd); }
  double total() {
    double sum = kinetic() + potential_energy(m.model, momentum.kinematics);
    for (const int i : springs) {
      const double x = m.q[at(m.model.body(i).q.first)];
      sum += 0.5 * stiffness * x * x;
    }
    return sum;
  }
  void accelerate() {
    for (const int i : springs)
      m.tau[at(m.model.body(i).v.first)] = -stiffness * m.q[at(m.model.body(i).q.first)];
    EXPECT_TRUE(m.forward());
  }
  /// On the coordinates themselves, quaternions included: of fourth order for every joint.
  void step(double h) {
    const std::vector<double> q = m.q, qd = m.qd;
    std::vector<double> rate(q.size()), q_sum(q.size()), v_sum(qd.size());
    for (int stage = 0; stage < 4; ++stage) {
      accelerate();
      configuration_rates(m.model, m.q, m.qd, rate);
      const double weight = stage == 0 || stage == 3 ? h / 6 : h / 3, part = stage == 2 ? h : h / 2;
      for (std::size_t k = 0; k < q.size(); ++k) {
        q_sum[k] += weight * rate[k];
        m.q[k] = q[k] + (stage == 3 ? q_sum[k] : part * rate[k]);
      }
      for (std::size_t k = 0; k < qd.size(); ++k) {
        v_sum[k] += weight * m.qdd[k];
        m.qd[k] = qd[k] + (stage == 3 ? v_sum[k] : part * m.qdd[k]);
      }
    }
    normalise(m.model, m.q);
  }
  Drift run(double h, double duration) {
    Drift drift;
    const double start = total();
    m.tau.assign(m.tau.size(), 0);
    for (int s = 1; s <= static_cast<int>(std::round(duration / h)); ++s) {
      step(h);
      if (s % 10 == 0) {
        EXPECT_TRUE(assemble(m.model, m.set, m.assembly, m.q));
        (void)project_velocity(m.model, m.set, m.assembly, m.q, m.qd);
      }
      drift.peak = std::max(drift.peak, kinetic());
      drift.energy = std::max(drift.energy, std::abs(total() - start));
      drift.closure =
          std::max(drift.closure, constraint_errors(m.model, m.set, m.assembly, m.q).position);
    }
    return drift;
  }
};

TEST(Mechanisms, a_passive_five_bar_keeps_its_energy_for_ten_seconds) {
  Mechanism m("five_bar");
  m.qd[at(m.v("left_shoulder"))] = 0.5;
  m.move({"left_shoulder"});
  const Drift drift = Swing(m).run(1e-4, 10);
  EXPECT_GT(drift.peak, 0.5);
  EXPECT_LT(drift.energy, 1e-8 * drift.peak);
  EXPECT_LT(drift.closure, 1e-10);
}

TEST(Mechanisms, a_stewart_platform_on_springs_keeps_its_energy_for_ten_seconds) {
  Mechanism m("stewart");
  m.qd[at(m.v("pose"))] = 0.6, m.qd[at(m.v("pose")) + 4] = 0.3;
  m.move({"pose"});
  const Drift drift = Swing(m, 4e5).run(5e-4, 10);
  EXPECT_GT(drift.peak, 1);
  EXPECT_LT(drift.energy, 1e-8 * drift.peak);
  EXPECT_LT(drift.closure, 1e-10);
}

}  // namespace
}  // namespace torsor::testing
