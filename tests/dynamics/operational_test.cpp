#include "torsor/dynamics/operational.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/error.hpp"

namespace torsor {
namespace {

using testing::State;

/// The frame of the last body of a random chain.
template <class Param>
Frame tip_of(const Model<Param>& model) {
  return {"tip", model.n_bodies() - 1, {}};
}

template <class Param, class Real>
std::vector<Real> joint_torque(const Model<Param>& model, const State<Real>& s) {
  RneaWorkspace<Real> ws(model);
  std::vector<Real> tau(s.qd.size());
  rigid_inverse_dynamics(model, ws, s.q, s.qd, s.qdd, {}, tau);
  return tau;
}

/// Derivative of the frame's velocity at the accelerations qdd.
template <class Param, class Real>
std::vector<Real> task_acceleration(const Model<Param>& model, const State<Real>& s,
                                    const std::vector<Real>& qdd, const OperationalTask& task) {
  VelocityWorkspace<Real> ws(model);
  forward_acceleration<Param, Real>(model, ws, s.q, s.qd, qdd);
  const Twist<Real> A = frame_acceleration(ws, task.frame, task.reference);
  const std::vector<Real> all{A.w.x, A.w.y, A.w.z, A.v.x, A.v.y, A.v.z};
  std::vector<Real> chosen;
  for (int r = 0; r < task.n_rows; ++r)
    chosen.push_back(all[static_cast<std::size_t>(task.rows[static_cast<std::size_t>(r)])]);
  return chosen;
}

template <class Real>
class OperationalForms : public ::testing::Test {};
TYPED_TEST_SUITE(OperationalForms, testing::Scalars, testing::ScalarNames);

TYPED_TEST(OperationalForms, C_07_of_a_square_jacobian_give_the_torques_of_inverse_dynamics) {
  using Real = TypeParam;
  int regular = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto model = testing::model_for<Real>(Model<double>(
        testing::random_tree(seed, 6, {.kinds = testing::one_dof_kinds(), .chain = true})));
    const State<Real> s(model, seed);
    for (const Reference r : {Reference::body, Reference::world, Reference::world_aligned}) {
      const OperationalTask task(tip_of(model), r);
      OperationalWorkspace<Real> ws(model);
      OperationalDynamics<Real> d(model, task);
      const auto result = operational_dynamics(model, ws, s.q, s.qd, task, d);
      const double condition = result.largest_singular_value / result.smallest_singular_value;
      if (condition > 0.01 / std::sqrt(testing::eps<Real>)) continue;  // some lane is near singular
      ASSERT_TRUE(result) << "seed " << seed;
      EXPECT_TRUE(result.exact);
      ++regular;
      const std::vector<Real> expected = joint_torque(model, s);
      std::vector<Real> tau(expected.size()), of_form(expected.size());
      const std::vector<Real> xdd = task_acceleration(model, s, s.qdd, task);
      task_torque(d, xdd, tau);
      const double scale =
          testing::scale_of(d.lambda.data) * condition * testing::scale_of(expected);
      for (std::size_t k = 0; k < tau.size(); ++k)
        EXPECT_CLOSE(tau[k], expected[k], 50 * scale) << "seed " << seed;

      // the same from B_x [qd qd] + C_x [qd^2]
      CartesianForm<Real> form(model, task);
      ASSERT_TRUE(cartesian_form(model, ws, s.q, task, form));
      task_torque(form.at_rest, xdd, of_form);
      std::vector<Real> squares(s.qd.size()),
          products(static_cast<std::size_t>(internal::n_velocity_products(model.n_v())));
      velocity_products<Real>(View<const Real>(s.qd), products);
      internal::velocity_squares<Real>(View<const Real>(s.qd), squares);
      for (int i = 0; i < model.n_v(); ++i) {
        Real sum = of_form[static_cast<std::size_t>(i)];
        for (std::size_t k = 0; k < products.size(); ++k)
          sum = sum + form.coriolis_B(i, static_cast<int>(k)) * products[k];
        for (std::size_t k = 0; k < squares.size(); ++k)
          sum = sum + form.centrifugal_C(i, static_cast<int>(k)) * squares[k];
        EXPECT_CLOSE(sum, expected[static_cast<std::size_t>(i)], 200 * scale) << "seed " << seed;
      }
    }
  }
  EXPECT_GE(regular, 20);
}

/// Lambda of a two-joint arm along a direction of q, by duals and by central differences: damped,
/// and pseudo-inverse of a rank that two joints cannot exceed.
TEST(OperationalDynamics, duals_give_the_derivative_of_damped_and_of_pseudo_inverses) {
  const Model<double> model = load_robot("planar2r");
  const std::vector<double> q{0.3, 0.8}, along{0.7, -0.4}, qd{0.5, -1};
  for (const double damping : {0.0, 0.3}) {
    OperationalTask task(model.frame("tip"));
    task.damping = damping;
    using D = Dual<double, 1>;
    OperationalWorkspace<D> ws(model);
    OperationalDynamics<D> d(model, task);
    std::vector<D> x(2), xd(2);
    for (std::size_t k = 0; k < 2; ++k) x[k].value = q[k], x[k].d[0] = along[k], xd[k] = qd[k];
    const auto result = operational_dynamics(model, ws, x, xd, task, d);
    EXPECT_EQ(result.rank, 2);
    EXPECT_FALSE(result.regular);
    const double h = 1e-5;
    OperationalWorkspace<double> plain(model);
    OperationalDynamics<double> low(model, task), high(model, task);
    const auto at = [&](double step, OperationalDynamics<double>& out) {
      const std::vector<double> moved{q[0] + step * along[0], q[1] + step * along[1]};
      (void)operational_dynamics(model, plain, moved, qd, task, out);
    };
    at(-h, low), at(h, high);
    double largest = 0;
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c) {
        const double expected = (high.lambda(r, c) - low.lambda(r, c)) / (2 * h);
        EXPECT_NEAR(d.lambda(r, c).d[0], expected, 1e-8) << damping << " " << r << " " << c;
        largest = std::max(largest, std::abs(expected));
      }
    EXPECT_GT(largest, 0.1);
    for (std::size_t r = 0; r < 6; ++r)
      EXPECT_NEAR(d.mu[r].d[0], (high.mu[r] - low.mu[r]) / (2 * h), 1e-8);
  }
}

TEST(OperationalDynamics,
     of_a_redundant_robot_moves_the_task_as_asked_whatever_the_null_space_torque) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model<double> model(testing::random_tree(seed, 9, {.chain = true}));
    const State<double> s(model, seed);
    const OperationalTask task(tip_of(model));
    OperationalWorkspace ws(model);
    OperationalDynamics d(model, task);
    ASSERT_TRUE(operational_dynamics(model, ws, s.q, s.qd, task, d));
    const std::vector<double> xdd{0.3, -0.2, 0.5, 1, -0.7, 0.4};
    std::vector<double> tau(s.qd.size()), null(s.tau), qdd(s.qd.size());
    task_torque(d, xdd, tau);
    project_to_null_space(d, null);
    for (std::size_t k = 0; k < tau.size(); ++k) tau[k] += null[k];
    AbaWorkspace<double> aba(model);
    const auto forward = rigid_forward_dynamics(model, aba, s.q, s.qd, tau, {}, qdd);
    ASSERT_TRUE(forward);
    const std::vector<double> got = task_acceleration(model, s, qdd, task);
    const double scale = testing::scale_of(tau) / forward.pivot_ratio;
    for (std::size_t r = 0; r < 6; ++r)
      EXPECT_CLOSE(got[r], xdd[r], 100 * scale) << "seed " << seed;
  }
}

TEST(OperationalDynamics,
     the_consistent_inverse_undoes_the_jacobian_and_null_torques_move_nothing) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model<double> model(testing::random_tree(seed, 9, {.chain = true}));
    const State<double> s(model, seed);
    const OperationalTask task(tip_of(model), Reference::body, {3, 4, 5, 0});
    OperationalWorkspace ws(model);
    OperationalDynamics d(model, task);
    ASSERT_TRUE(operational_dynamics(model, ws, s.q, s.qd, task, d));
    const double scale =
        testing::scale_of(d.jacobian.data) * testing::scale_of(d.consistent_inverse.data);
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c) {
        double sum = 0;
        for (int k = 0; k < model.n_v(); ++k) sum += d.jacobian(r, k) * d.consistent_inverse(k, c);
        EXPECT_CLOSE(sum, r == c ? 1.0 : 0.0, 1000 * scale) << "seed " << seed;
      }
    std::vector<double> null(s.tau);
    project_to_null_space(d, null);
    MinverseTimesWorkspace<double> minverse(model);
    std::vector<double> a(null.size());
    ASSERT_TRUE(mass_matrix_inverse_times(
        model, minverse, s.q, column_major(static_cast<const double*>(null.data()), model.n_v(), 1),
        column_major(a.data(), model.n_v(), 1)));
    for (int r = 0; r < 4; ++r) {
      double sum = 0;
      for (int k = 0; k < model.n_v(); ++k)
        sum += d.jacobian(r, k) * a[static_cast<std::size_t>(k)];
      EXPECT_CLOSE(sum, 0.0, 1000 * scale * testing::scale_of(a)) << "seed " << seed;
    }
  }
}

/// Craig's Cartesian example: the two-link point-mass arm, velocity of the tip in its own axes.
TEST(OperationalDynamics, C_07_two_link_point_mass_arm_is_its_cartesian_closed_form) {
  const Model<double> model = load_robot("pointmass2r");
  const OperationalTask task(model.frame("tip"), Reference::body, {3, 4});
  OperationalWorkspace ws(model);
  OperationalDynamics d(model, task);
  const double m1 = 2, m2 = 1, l1 = 1, l2 = 0.8, g = 9.81;
  for (const double t2 : {0.3, 1.2, -0.8, 2.5}) {
    const double t1 = 0.4, w1 = 0.7, w2 = -1.1;
    const double s2 = std::sin(t2), c2 = std::cos(t2);
    const auto result = operational_dynamics(model, ws, std::vector<double>{t1, t2},
                                             std::vector<double>{w1, w2}, task, d);
    ASSERT_TRUE(result);
    const double tolerance = 1e5;  // 1/s2^2 up to 12, forces up to 100
    EXPECT_CLOSE(d.lambda(0, 0), m2 + m1 / (s2 * s2), tolerance);
    EXPECT_CLOSE(d.lambda(0, 1), 0.0, tolerance);
    EXPECT_CLOSE(d.lambda(1, 1), m2, tolerance);
    EXPECT_CLOSE(d.mu[0],
                 -(m2 * l1 * c2 + m2 * l2) * w1 * w1 - m2 * l2 * w2 * w2 -
                     (2 * m2 * l2 + m2 * l1 * c2 + m1 * l1 * c2 / (s2 * s2)) * w1 * w2,
                 tolerance);
    EXPECT_CLOSE(d.mu[1], m2 * l1 * s2 * w1 * w1 + l1 * m2 * s2 * w1 * w2, tolerance);
    EXPECT_CLOSE(d.p[0], m1 * g * std::cos(t1) / s2 + m2 * g * std::sin(t1 + t2), tolerance);
    EXPECT_CLOSE(d.p[1], m2 * g * std::cos(t1 + t2), tolerance);
  }
}

TEST(OperationalDynamics, C_07_a_singularity_is_reported_and_nothing_is_infinite) {
  const Model<double> model = load_robot("pointmass2r");
  OperationalTask task(model.frame("tip"), Reference::body, {3, 4});
  OperationalWorkspace ws(model);
  OperationalDynamics d(model, task);
  const std::vector<double> qd{0.7, -1.1};
  const auto near = operational_dynamics(model, ws, std::vector<double>{0.4, 1e-3}, qd, task, d);
  EXPECT_TRUE(near);
  EXPECT_LT(near.smallest_singular_value, 1e-3);
  EXPECT_GT(d.lambda(0, 0), 1e6);  // the inertia of the blocked direction grows without bound
  const auto at = operational_dynamics(model, ws, std::vector<double>{0.4, 0}, qd, task, d);
  EXPECT_FALSE(at);
  EXPECT_EQ(at.rank, 1);
  EXPECT_NEAR(at.smallest_singular_value, 0, 1e-15);
  for (const double x : d.lambda.data) EXPECT_TRUE(std::isfinite(x));
  EXPECT_NEAR(d.lambda(1, 1), 1, 1e-12);  // across the arm nothing changes
  task.damping = 0.1;
  const auto damped = operational_dynamics(model, ws, std::vector<double>{0.4, 0}, qd, task, d);
  EXPECT_FALSE(damped.exact);
  EXPECT_NEAR(d.lambda(0, 0), 100, 1e-10);
  EXPECT_NEAR(d.lambda(1, 1), 1 / 1.01, 1e-12);
}

TEST(OperationalDynamics, an_arm_with_fewer_joints_than_the_task_has_rows_is_singular) {
  const Model<double> model = load_robot("pointmass2r");
  const OperationalTask task(model.frame("tip"));
  OperationalWorkspace ws(model);
  OperationalDynamics d(model, task);
  const auto result = operational_dynamics(model, ws, std::vector<double>{0.4, 1},
                                           std::vector<double>{0.1, 0.2}, task, d);
  EXPECT_FALSE(result);
  EXPECT_EQ(result.rank, 2);
}

TEST(OperationalTask, rows_outside_or_twice_are_refused) {
  const Frame frame{"tip", 1, {}};
  EXPECT_THROW(OperationalTask(frame, Reference::body, {6}), Error);
  EXPECT_THROW(OperationalTask(frame, Reference::body, {1, 1}), Error);
  EXPECT_THROW(OperationalTask(frame, Reference::body, std::initializer_list<int>{}), Error);
}

TEST(OperationalDynamics, a_call_allocates_nothing) {
  const Model<double> model(testing::random_tree(7, 8, {.chain = true}));
  const State<double> s(model, 3);
  const OperationalTask task(tip_of(model));
  OperationalWorkspace ws(model);
  OperationalDynamics d(model, task);
  CartesianForm form(model, task);
  const testing::AllocationCounter counter;
  const auto first = operational_dynamics(model, ws, s.q, s.qd, task, d);
  const auto second = cartesian_form(model, ws, s.q, task, form);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_EQ(first.rank, second.rank);
}

}  // namespace
}  // namespace torsor
