// What holds for each verb of the room by itself: nothing is allocated, a massless end is reported,
// and the verbs that other tests run on doubles alone run on every scalar.
#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/dynamics/christoffel.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/dynamics/joint_wrenches.hpp"
#include "torsor/dynamics/minverse.hpp"
#include "torsor/dynamics/moving_base.hpp"
#include "torsor/dynamics/operational.hpp"
#include "torsor/dynamics/textbook/configuration_space.hpp"
#include "torsor/kinematics/statics.hpp"

namespace torsor {
namespace {

using testing::Square;
using testing::State;
using Vector = std::vector<double>;

/// Four revolute joints; the last link has no mass, so that joint 4 moves nothing.
Model<double> massless_end() {
  RobotDescription robot = testing::random_tree(
      3, 4, {.kinds = {JointKind::revolute}, .chain = true, .fixed_links = false, .rotors = false});
  for (Link& link : robot.links)
    if (link.name == "link_4") link.inertial = {}, link.has_inertial = false;
  return Model<double>(robot);
}
bool finite(const Vector& x) {
  for (const double v : x)
    if (!std::isfinite(v)) return false;
  return true;
}

TEST(SingularMassMatrix, is_reported_by_every_verb_that_inverts_it_and_nothing_is_infinite) {
  const Model<double> model = massless_end();
  const State<double> s(model, 1);
  const int n = model.n_v();
  Vector qdd(s.qdd), tau(s.tau);
  AbaWorkspace<double> aba(model);
  EXPECT_FALSE(rigid_forward_dynamics(model, aba, s.q, s.qd, s.tau, s.F_ext, qdd));
  EXPECT_TRUE(finite(qdd));
  DynamicsWorkspace<double> extended(model);
  EXPECT_FALSE(forward_dynamics(model, extended, s.q, s.qd, s.tau, s.F_ext, qdd));
  EXPECT_TRUE(finite(qdd));
  MovingBaseWorkspace<double> moving(model);
  EXPECT_FALSE(rigid_forward_dynamics(model, moving, {}, s.q, s.qd, s.tau, s.F_ext, qdd));
  EXPECT_TRUE(finite(qdd));

  // Hybrid dynamics: the massless end may be prescribed, not released.
  const std::vector<char> led{0, 0, 0, 0, 1}, released{0, 1, 1, 1, 0};
  EXPECT_TRUE(rigid_hybrid_dynamics(model, aba, led, s.q, s.qd, qdd, tau, s.F_ext));
  EXPECT_TRUE(finite(qdd) && finite(tau));
  EXPECT_FALSE(rigid_hybrid_dynamics(model, aba, released, s.q, s.qd, qdd, tau, s.F_ext));
  EXPECT_TRUE(finite(qdd) && finite(tau));
  EXPECT_FALSE(hybrid_dynamics(model, extended, released, s.q, s.qd, qdd, tau, s.F_ext));
  EXPECT_FALSE(rigid_hybrid_dynamics(model, moving, {}, released, s.q, s.qd, qdd, tau, s.F_ext));

  Square<double> X(n);
  MinverseWorkspace<double> minverse(model);
  EXPECT_FALSE(mass_matrix_inverse(model, minverse, s.q, X.view()));
  EXPECT_TRUE(finite(X.data));
  MinverseTimesWorkspace<double> times(model);
  EXPECT_FALSE(mass_matrix_inverse_times(model, times, s.q,
                                         MatrixView<const double>(s.tau.data(), n, 1, 1, n),
                                         column_major(qdd.data(), n, 1)));
  EXPECT_TRUE(finite(qdd));

  const OperationalTask task(model.frame("link_4"), Reference::world_aligned, {3, 4, 5});
  OperationalWorkspace operational(model);
  OperationalDynamics form(model, task);
  const OperationalResult result = operational_dynamics(model, operational, s.q, s.qd, task, form);
  EXPECT_FALSE(result);
  EXPECT_FALSE(result.mass_matrix_regular);
  EXPECT_TRUE(finite(form.lambda.data) && finite(form.consistent_inverse.data));
  CartesianForm cartesian(model, task);
  EXPECT_FALSE(cartesian_form(model, operational, s.q, task, cartesian));
  EXPECT_TRUE(finite(cartesian.coriolis_B.data) && finite(cartesian.centrifugal_C.data));
}

TEST(EveryVerb, allocates_nothing_in_a_call) {
  const Model<double> model(testing::random_tree(7, 20, testing::everything()));
  const State<double> s(model, 3);
  const int n = model.n_v();
  Vector tau(s.tau), V(s.tau), G(s.tau);
  const Vector xdd(6);
  Square<double> M(n);
  JointWrenchWorkspace<double> wrenches(model);
  MinverseTimesWorkspace<double> times(model);
  ConfigurationSpaceWorkspace<double> forms(model);
  KinematicsWorkspace<double> kinematics(model);
  const OperationalTask task(model.frame("link_9"));
  OperationalWorkspace operational(model);
  OperationalDynamics dynamics(model, task);
  CartesianForm cartesian(model, task);
  const testing::AllocationCounter counter;
  joint_wrenches(model, wrenches, s.q, s.qd, s.qdd, s.F_ext, tau);
  const auto solved = mass_matrix_inverse_times(model, times, s.q,
                                                MatrixView<const double>(s.tau.data(), n, 1, 1, n),
                                                column_major(tau.data(), n, 1));
  state_space_form(model, forms, s.q, s.qd, M.view(), V, G);
  statics(model, kinematics, s.q, task.frame, Reference::body, s.F_ext[1], tau);
  const auto form = operational_dynamics(model, operational, s.q, s.qd, task, dynamics);
  task_torque(dynamics, xdd, tau);
  project_to_null_space(dynamics, tau);
  const auto cartesian_result = cartesian_form(model, operational, s.q, task, cartesian);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_TRUE(solved && form.mass_matrix_regular && cartesian_result.mass_matrix_regular);
}

template <class Real>
class EveryScalar : public ::testing::Test {};
TYPED_TEST_SUITE(EveryScalar, testing::Scalars, testing::ScalarNames);

/// The state space form, wrenches of the joints, and both C of the Christoffel symbols.
TYPED_TEST(EveryScalar, runs_through_the_forms_of_the_equations) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const Model<double> robot(testing::random_tree(
        seed, 5, {.kinds = {JointKind::revolute, JointKind::prismatic, JointKind::universal}}));
    const auto model = testing::model_for<Real>(robot);
    const State<Real> s(model, seed);
    const int n = model.n_v();
    ConfigurationSpaceWorkspace<Real> forms(model);
    Square<Real> M(n), C(n), Q(n);
    std::vector<Real> V(s.qd.size()), G(V), through(V), zero(V);
    state_space_form(model, forms, s.q, s.qd, M.view(), V, G);
    JointWrenchWorkspace<Real> wrenches(model);
    joint_wrenches(model, wrenches, s.q, s.qd, zero, {}, through);
    const double scale = 300 * (testing::scale_of(V) + testing::scale_of(G));
    for (std::size_t k = 0; k < V.size(); ++k)
      EXPECT_CLOSE(V[k] + G[k], through[k], scale) << "seed " << seed;
    ChristoffelWorkspace<Real> ws(model);
    std::vector<Real> c(static_cast<std::size_t>(n * n * n));
    const SymbolView<Real> view{c.data(), n};
    christoffel(model, ws, s.q, view);
    const SymbolView<const Real> symbols{c.data(), n};
    christoffel_matrix<Real>(symbols, s.qd, C.view());
    quadratic_matrix<Real>(symbols, s.qd, Q.view());
    for (int r = 0; r < n; ++r) {
      Real by_C(0), by_Q(0);
      for (int k = 0; k < n; ++k) {
        by_C = by_C + C(r, k) * s.qd[static_cast<std::size_t>(k)];
        by_Q = by_Q + Q(r, k) * s.qd[static_cast<std::size_t>(k)];
      }
      EXPECT_CLOSE(by_C, V[static_cast<std::size_t>(r)], scale);
      EXPECT_CLOSE(by_Q, V[static_cast<std::size_t>(r)], scale);
    }
  }
}

}  // namespace
}  // namespace torsor
