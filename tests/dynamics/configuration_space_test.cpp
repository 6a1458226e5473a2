#include "torsor/dynamics/textbook/configuration_space.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor {
namespace {

using testing::State;

template <class Real>
class ConfigurationSpace : public ::testing::Test {};
TYPED_TEST_SUITE(ConfigurationSpace, testing::Scalars, testing::ScalarNames);

TYPED_TEST(ConfigurationSpace, C_05_form_gives_the_torques_of_inverse_dynamics) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const auto model = testing::model_for<Real>(
        Model<double>(testing::random_tree(seed, 8, testing::everything())));
    const State<Real> s(model, seed);
    ConfigurationSpaceForm<Real> form(model);
    ConfigurationSpaceWorkspace<Real> ws(model);
    configuration_space_form(model, ws, s.q, form);
    std::vector<Real> tau(s.qd.size()), expected(s.qd.size());
    configuration_space_torque(form, s.qd, s.qdd, tau);
    rigid_inverse_dynamics(model, ws.rnea, s.q, s.qd, s.qdd, {}, expected);
    const double scale = std::max({testing::scale_of(expected), testing::scale_of(form.mass.data),
                                   testing::scale_of(form.coriolis_B.data)});
    for (std::size_t k = 0; k < tau.size(); ++k)
      EXPECT_CLOSE(tau[k], expected[k], 200 * scale) << "seed " << seed;
  }
}

TYPED_TEST(ConfigurationSpace, C_05_velocity_product_vectors_multiply_B_and_C) {
  using Real = TypeParam;
  const auto model =
      testing::model_for<Real>(Model<double>(testing::random_tree(5, 5, testing::everything())));
  const State<Real> s(model, 2);
  const int n = model.n_v(), pairs = internal::n_velocity_products(n);
  ConfigurationSpaceForm<Real> form(model);
  ConfigurationSpaceWorkspace<Real> ws(model);
  configuration_space_form(model, ws, s.q, form);
  testing::Square<Real> M(n);
  std::vector<Real> V(s.qd.size()), G(s.qd.size()), squares(s.qd.size()),
      products(static_cast<std::size_t>(pairs));
  state_space_form(model, ws, s.q, s.qd, M.view(), V, G);
  velocity_products<Real>(View<const Real>(s.qd), products);
  internal::velocity_squares<Real>(View<const Real>(s.qd), squares);
  const double scale = std::max(testing::scale_of(G), testing::scale_of(form.coriolis_B.data));
  for (int i = 0; i < n; ++i) {
    Real sum(0);
    for (int k = 0; k < pairs; ++k)
      sum = sum + form.coriolis_B(i, k) * products[static_cast<std::size_t>(k)];
    for (int k = 0; k < n; ++k)
      sum = sum + form.centrifugal_C(i, k) * squares[static_cast<std::size_t>(k)];
    EXPECT_CLOSE(sum, V[static_cast<std::size_t>(i)], 200 * scale);
    EXPECT_CLOSE(G[static_cast<std::size_t>(i)], form.gravity[i], 1);
  }
}

/// The two-link arm with point masses (Craig 2005, sec. 6.7): M_11 with m_2 on l_2^2 and V_1 with the
/// centrifugal term -m_2 l_1 l_2 s_2 thetadot_2^2, both of which the text has wrong.
struct PointMassArm {
  double m1 = 2, m2 = 1, l1 = 1, l2 = 0.8, g = 9.81;
  double t1, t2;

  double M11() const {
    return l2 * l2 * m2 + 2 * l1 * l2 * m2 * std::cos(t2) + l1 * l1 * (m1 + m2);
  }
  double M12() const { return l2 * l2 * m2 + l1 * l2 * m2 * std::cos(t2); }
  double M22() const { return l2 * l2 * m2; }
  double b() const { return m2 * l1 * l2 * std::sin(t2); }
  double V1(double d1, double d2) const { return -b() * d2 * d2 - 2 * b() * d1 * d2; }
  double V2(double d1) const { return b() * d1 * d1; }
  double G2() const { return m2 * l2 * g * std::cos(t1 + t2); }
  double G1() const { return G2() + (m1 + m2) * l1 * g * std::cos(t1); }
};

TEST(ConfigurationSpaceForm, C_04_two_link_point_mass_arm_is_its_closed_form) {
  const Model<double> model = load_robot("pointmass2r");
  ConfigurationSpaceForm<double> form(model);
  ConfigurationSpaceWorkspace<double> ws(model);
  testing::Draw<double> draw(4);
  for (int trial = 0; trial < 20; ++trial) {
    const std::vector<double> q{draw(-3, 3), draw(-3, 3)}, qd{draw(-2, 2), draw(-2, 2)},
        qdd{draw(-2, 2), draw(-2, 2)};
    PointMassArm arm;
    arm.t1 = q[0], arm.t2 = q[1];
    const double tolerance = 40 * 100;  // torques reach 40 N m
    configuration_space_form(model, ws, q, form);
    EXPECT_CLOSE(form.mass(0, 0), arm.M11(), tolerance);
    EXPECT_CLOSE(form.mass(0, 1), arm.M12(), tolerance);
    EXPECT_CLOSE(form.mass(1, 0), arm.M12(), tolerance);
    EXPECT_CLOSE(form.mass(1, 1), arm.M22(), tolerance);
    // B and C of Craig's configuration space example.
    EXPECT_CLOSE(form.coriolis_B(0, 0), -2 * arm.b(), tolerance);
    EXPECT_CLOSE(form.coriolis_B(1, 0), 0.0, tolerance);
    EXPECT_CLOSE(form.centrifugal_C(0, 0), 0.0, tolerance);
    EXPECT_CLOSE(form.centrifugal_C(0, 1), -arm.b(), tolerance);
    EXPECT_CLOSE(form.centrifugal_C(1, 0), arm.b(), tolerance);
    EXPECT_CLOSE(form.centrifugal_C(1, 1), 0.0, tolerance);
    EXPECT_CLOSE(form.gravity[0], arm.G1(), tolerance);
    EXPECT_CLOSE(form.gravity[1], arm.G2(), tolerance);
    testing::Square<double> M(2);
    std::vector<double> V(2), G(2), tau(2);
    state_space_form(model, ws, q, qd, M.view(), V, G);
    EXPECT_CLOSE(V[0], arm.V1(qd[0], qd[1]), tolerance);
    EXPECT_CLOSE(V[1], arm.V2(qd[0]), tolerance);
    rigid_inverse_dynamics(model, ws.rnea, q, qd, qdd, {}, tau);
    // tau_1 and tau_2 of the Newton-Euler example, corrected.
    EXPECT_CLOSE(tau[0], arm.M11() * qdd[0] + arm.M12() * qdd[1] + arm.V1(qd[0], qd[1]) + arm.G1(),
                 tolerance);
    EXPECT_CLOSE(tau[1], arm.M12() * qdd[0] + arm.M22() * qdd[1] + arm.V2(qd[0]) + arm.G2(),
                 tolerance);
  }
}

TEST(ConfigurationSpaceForm, C_04_the_printed_M_11_without_m_2_is_not_the_arm) {
  RobotDescription d = load_description("pointmass2r");
  for (auto& link : d.links)
    if (link.name == "link_2") link.inertial.mass = 3;  // m_2 = 1 hides the slip
  const Model<double> model(d);
  ConfigurationSpaceForm<double> form(model);
  ConfigurationSpaceWorkspace<double> ws(model);
  configuration_space_form(model, ws, std::vector<double>{0.4, 0.9}, form);
  PointMassArm arm;
  arm.m2 = 3, arm.t1 = 0.4, arm.t2 = 0.9;
  EXPECT_CLOSE(form.mass(0, 0), arm.M11(), 1000);
  const double printed = arm.M11() - arm.l2 * arm.l2 * arm.m2 + arm.l2 * arm.l2;
  EXPECT_GT(std::abs(form.mass(0, 0) - printed), 1);
}

TEST(ConfigurationSpaceForm, a_call_allocates_nothing) {
  const Model<double> model(testing::random_tree(7, 10, testing::everything()));
  const State<double> s(model, 3);
  ConfigurationSpaceForm<double> form(model);
  ConfigurationSpaceWorkspace<double> ws(model);
  const testing::AllocationCounter counter;
  configuration_space_form(model, ws, s.q, form);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
