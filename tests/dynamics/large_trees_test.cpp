// Chains of a thousand joints and bodies that carry fifty: no recursion, table or index gives way.
#include "support/dynamics_state.hpp"
#include "torsor/dynamics/centroidal.hpp"
#include "torsor/dynamics/coriolis.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/dynamics/generalised_force.hpp"
#include "torsor/dynamics/joint_wrenches.hpp"
#include "torsor/dynamics/minverse.hpp"
#include "torsor/dynamics/minverse_times.hpp"
#include "torsor/dynamics/moving_base.hpp"
#include "torsor/dynamics/operational.hpp"
#include "torsor/dynamics/two_velocity.hpp"
#include "torsor/identification/energy_regressor.hpp"
#include "torsor/identification/parameter_dynamics.hpp"

namespace torsor {
namespace {

using testing::scale_of;
using testing::Square;
using testing::State;
using Vector = std::vector<double>;

constexpr double eps = std::numeric_limits<double>::epsilon();

double distance(const Vector& a, const Vector& b) {
  double d = 0;
  for (std::size_t k = 0; k < a.size(); ++k) d = std::max(d, testing::distance(a[k], b[k]));
  return d;
}
Vector times(const Vector& A, int rows, const Vector& x) {
  Vector y(static_cast<std::size_t>(rows));
  for (std::size_t c = 0; c < x.size(); ++c)
    for (std::size_t r = 0; r < y.size(); ++r) y[r] += A[c * y.size() + r] * x[c];
  return y;
}

/// Links of 5 cm, so that a thousand of them stay within 50 m.
Model<double> chain_of_1000() {
  return Model<double>(testing::random_tree(
      3, 1000,
      {.kinds = testing::one_dof_kinds(), .chain = true, .fixed_links = false, .size = 0.05}));
}
/// Fifty joints of every kind on the root, fifty on the first of their links.
Model<double> fifty_and_fifty() {
  return Model<double>(testing::random_tree(4, 100, {.branching = 50, .size = 0.2}));
}

class LargeTrees : public ::testing::TestWithParam<Model<double> (*)()> {};

TEST_P(LargeTrees, every_linear_verb_agrees_with_the_others) {
  const Model<double> model = GetParam()();
  const State<double> s(model, 1);
  const auto n = static_cast<std::size_t>(model.n_v());
  Vector tau(n), other(n), zero(n), bias(n), gravity(n);
  RneaWorkspace<double> rnea(model);
  rigid_inverse_dynamics(model, rnea, s.q, s.qd, s.qdd, s.F_ext, tau);
  bias_torque(model, rnea, s.q, s.qd, bias);
  gravity_torque(model, rnea, s.q, gravity);
  const double scale =
      eps * (scale_of(tau) + scale_of(bias) + scale_of(gravity)) * model.n_bodies();
  rigid_inverse_dynamics(model, rnea, s.q, s.qd, zero, {}, other);
  EXPECT_LT(distance(other, bias), scale);
  rigid_inverse_dynamics(model, rnea, s.q, zero, zero, {}, other);
  EXPECT_LT(distance(other, gravity), scale);

  JointWrenchWorkspace<double> wrenches(model);
  joint_wrenches(model, wrenches, s.q, s.qd, s.qdd, s.F_ext, other);
  internal::add_rotor_torques(model, In<double>(s.qdd), Out<double>(other));
  EXPECT_LT(distance(other, tau), 10 * scale);
  TwoVelocityWorkspace<double> two(model);
  two_velocity_inverse_dynamics(model, two, s.q, s.qd, s.qd, zero, other);
  EXPECT_LT(distance(other, bias), 10 * scale);
  RegressorWorkspace<double> regressor(model);
  rigid_inverse_dynamics(model, regressor, s.q, s.qd, zero, parameters(model), other);
  EXPECT_LT(distance(other, bias), 10 * scale);
  MovingBaseWorkspace<double> moving(model);
  rigid_inverse_dynamics(model, moving, {}, s.q, s.qd, s.qdd, s.F_ext, other);
  EXPECT_LT(distance(other, tau), 10 * scale);

  // Forward and hybrid dynamics: the torque of the acceleration is the torque given.
  Vector qdd(n), back(n);
  DynamicsWorkspace<double> extended(model);
  ASSERT_TRUE(forward_dynamics(model, extended, s.q, s.qd, s.tau, s.F_ext, qdd));
  ASSERT_TRUE(inverse_dynamics(model, extended, s.q, s.qd, qdd, s.F_ext, back));
  const double terms = scale * (1 + scale_of(qdd));
  EXPECT_LT(distance(back, s.tau), terms);
  std::vector<char> prescribed(static_cast<std::size_t>(model.n_bodies()));
  for (std::size_t i = 1; i < prescribed.size(); i += 3) prescribed[i] = 1;
  Vector mixed_qdd(s.qdd), mixed_tau(s.tau);
  ASSERT_TRUE(
      hybrid_dynamics(model, extended, prescribed, s.q, s.qd, mixed_qdd, mixed_tau, s.F_ext));
  ASSERT_TRUE(inverse_dynamics(model, extended, s.q, s.qd, mixed_qdd, s.F_ext, back));
  EXPECT_LT(distance(back, mixed_tau), scale * (1 + scale_of(mixed_qdd)));

  // Energies and momenta.
  MomentumWorkspace<double> momenta(model);
  const Vector p = parameters(model);
  Vector t(p.size()), u(p.size());
  energy_regressor(model, momenta, s.q, s.qd, t, u);
  double kinetic = 0, potential = 0;
  for (std::size_t k = 0; k < p.size(); ++k) kinetic += t[k] * p[k], potential += u[k] * p[k];
  const double T = kinetic_energy(model, momenta, s.q, s.qd, {.rotors = false});
  EXPECT_NEAR(kinetic, T, 1e-11 * T);
  EXPECT_NEAR(potential, potential_energy(model, momenta.kinematics),
              1e-11 * (1 + std::abs(potential)));
  const Wrench<double> h = momentum(model, momenta, s.q, s.qd);
  CentroidalWorkspace<double> centroidal(model);
  Vector A(6 * n), J(3 * n), Adot(6 * n);
  centroidal_map(model, centroidal, s.q, column_major(A.data(), 6, model.n_v()));
  com_jacobian(model, centroidal, s.q, column_major(J.data(), 3, model.n_v()));
  centroidal_map_dot(model, centroidal, s.q, s.qd, column_major(Adot.data(), 6, model.n_v()));
  const auto c = centroidal_momentum(model, centroidal, s.q, s.qd, s.qdd);
  const Vector l = times(A, 6, s.qd), v = times(J, 3, s.qd), rate = times(Adot, 6, s.qd),
               more = times(A, 6, s.qdd);
  const double momentum_scale = 10 * eps * scale_of(A) * model.n_v();
  for (int r = 0; r < 3; ++r) {
    EXPECT_NEAR(l[static_cast<std::size_t>(r + 3)], h.f[r], momentum_scale);
    EXPECT_NEAR(v[static_cast<std::size_t>(r)] * c.com.mass, h.f[r], momentum_scale);
    EXPECT_NEAR(rate[static_cast<std::size_t>(r)] + more[static_cast<std::size_t>(r)], c.rate.m[r],
                momentum_scale + 10 * eps * scale_of(Adot) * model.n_v());
  }
  GeneralisedForceWorkspace<double> generalised(model);
  std::vector<AppliedLoad<double>> weights;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Inertia<double>& I = model.body(i).inertia;
    weights.push_back({i, I.h * (1 / I.m), model.gravity() * I.m, {}});
  }
  generalised_force(model, generalised, s.q, weights, other);
  for (double& x : other) x = -x;
  EXPECT_LT(distance(other, gravity), 10 * scale);
}

TEST_P(LargeTrees, every_matrix_agrees_with_the_vectors) {
  const Model<double> model = GetParam()();
  const State<double> s(model, 2);
  const int n = model.n_v();
  Square<double> M(n), C(n), X(n);
  CrbaWorkspace<double> crba(model);
  CoriolisWorkspace<double> coriolis(model);
  MinverseWorkspace<double> minverse(model);
  mass_matrix(model, crba, s.q, M.view());
  coriolis_matrix(model, coriolis, s.q, s.qd, C.view());
  ASSERT_TRUE(mass_matrix_inverse(model, minverse, s.q, X.view()));
  const Vector zero(s.qd.size());
  Vector tau(zero), bias(zero), gravity(zero), solved(s.tau);
  RneaWorkspace<double> rnea(model);
  rigid_inverse_dynamics(model, rnea, s.q, s.qd, s.qdd, {}, tau);
  bias_torque(model, rnea, s.q, s.qd, bias);
  gravity_torque(model, rnea, s.q, gravity);
  const Vector inertial = times(M.data, n, s.qdd), quadratic = times(C.data, n, s.qd);
  const double scale = eps * n * (scale_of(M.data) + scale_of(C.data) + scale_of(bias));
  for (std::size_t k = 0; k < tau.size(); ++k) {
    EXPECT_NEAR(quadratic[k] + gravity[k], bias[k], 10 * scale);
    EXPECT_NEAR(inertial[k] + bias[k], tau[k], 10 * scale);
  }
  MinverseTimesWorkspace<double> times_ws(model);
  ASSERT_TRUE(mass_matrix_inverse_times(model, times_ws, s.q,
                                        MatrixView<const double>(s.tau.data(), n, 1, 1, n),
                                        column_major(solved.data(), n, 1)));
  // Both solve M x = tau; how far apart they are is a matter of the condition of M.
  for (const Vector& x : {times(X.data, n, s.tau), solved})
    EXPECT_LT(distance(times(M.data, n, x), s.tau), 10 * eps * n * scale_of(M.data) * scale_of(x));

  const Vector p = parameters(model);
  RegressorWorkspace<double> regressor(model);
  Vector Y(static_cast<std::size_t>(n) * p.size());
  torque_regressor(model, regressor, s.q, s.qd, s.qdd,
                   column_major(Y.data(), n, static_cast<int>(p.size())));
  Vector by_parameters = times(Y, n, p);
  internal::add_rotor_torques(model, In<double>(s.qdd), Out<double>(by_parameters));
  EXPECT_LT(distance(by_parameters, tau), 10 * scale);

  const OperationalTask task(model.frame(model.body_name(model.n_bodies() - 1)));
  OperationalWorkspace operational(model);
  OperationalDynamics form(model, task);
  const OperationalResult result = operational_dynamics(model, operational, s.q, s.qd, task, form);
  EXPECT_TRUE(result.mass_matrix_regular);
  for (const double x : form.lambda.data) EXPECT_TRUE(std::isfinite(x));
}

INSTANTIATE_TEST_SUITE_P(, LargeTrees, ::testing::Values(chain_of_1000, fifty_and_fifty),
                         [](const auto& tree) {
                           return tree.index == 0 ? "chain_of_1000" : "fifty_and_fifty";
                         });

}  // namespace
}  // namespace torsor
