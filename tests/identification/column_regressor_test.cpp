#include "torsor/identification/column_regressor.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "support/sprung_tree.hpp"
#include "torsor/dynamics/coriolis.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/full_dynamics.hpp"

namespace torsor {
namespace {

using testing::every_column;
using testing::sprung_tree;
using testing::State;

template <class Real>
std::vector<Real> times(const std::vector<Real>& W, int rows, const Array<double>& x) {
  std::vector<Real> tau(static_cast<std::size_t>(rows), Real(0));
  for (int c = 0; c < x.size(); ++c)
    for (int r = 0; r < rows; ++r)
      tau[static_cast<std::size_t>(r)] =
          tau[static_cast<std::size_t>(r)] +
          W[static_cast<std::size_t>(c * rows + r)] * static_cast<testing::ValueOf<Real>>(x[c]);
  return tau;
}
template <class Real>
std::vector<Real> table(const Model<double>& model, const ParameterColumns& columns) {
  return std::vector<Real>(static_cast<std::size_t>(model.n_v() * columns.size()), Real(99));
}

template <class Real>
class ColumnRegressor : public ::testing::Test {};
TYPED_TEST_SUITE(ColumnRegressor, testing::Scalars, testing::ScalarNames);

TYPED_TEST(ColumnRegressor, D_20_times_the_models_values_is_inverse_dynamics_with_every_effect) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Model<double> robot(sprung_tree(seed, 14));
    const ParameterColumns columns(robot, every_column);
    const auto model = testing::model_for<Real>(robot);
    const State<Real> s(model, seed);
    std::vector<Real> W = table<Real>(robot, columns), tau(s.tau.size());
    ColumnWorkspace<Real> ws(model);
    DynamicsWorkspace<Real> full(model);
    std::vector<Real> load(s.tau.size());
    transmitted_torques(model, full, s.q, s.qd, s.qdd, {}, load);
    torque_regressor(model, ws, columns, s.q, s.qd, s.qdd,
                     column_major(W.data(), model.n_v(), columns.size()), load);
    tree_inverse_dynamics(model, full, s.q, s.qd, s.qdd, {}, tau);
    const std::vector<Real> product = times(W, model.n_v(), columns.values(robot));
    // Derivatives of tanh(v / width) are as steep as 1 / width = 100.
    const double scale = 500 * std::max(testing::scale_of(tau), testing::scale_of(W));
    for (std::size_t k = 0; k < tau.size(); ++k)
      EXPECT_CLOSE(product[k], tau[k], scale) << "seed " << seed << " velocity " << k;
  }
}

TYPED_TEST(ColumnRegressor, of_two_velocities_is_M_a_plus_C_v_plus_gravity_friction_and_springs) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const Model<double> robot(sprung_tree(seed, 14));
    const ParameterColumns columns(robot, every_column);
    const auto model = testing::model_for<Real>(robot);
    const State<Real> s(model, seed);
    const std::vector<Real>& v = s.tau;  // any numbers
    const int n = model.n_v();
    std::vector<Real> W = table<Real>(robot, columns), expected(s.qd.size()), zero(s.qd.size());
    ColumnWorkspace<Real> ws(model);
    two_velocity_torque_regressor(model, ws, columns, s.q, s.qd, v, s.qdd,
                                  column_major(W.data(), n, columns.size()));
    testing::Square<Real> M(n), C(n);
    CrbaWorkspace<Real> crba(model);
    CoriolisWorkspace<Real> coriolis(model);
    RneaWorkspace<Real> rnea(model);
    mass_matrix(model, crba, s.q, M.view());
    coriolis_matrix(model, coriolis, s.q, s.qd, C.view());
    std::vector<Wrench<Real>> F(static_cast<std::size_t>(model.n_bodies()));
    SpringDamperWorkspace<Real> springs(model);
    add_spring_damper_wrenches(model, springs, s.q, s.qd, F);
    rigid_inverse_dynamics(model, rnea, s.q, zero, zero, F, expected);
    std::vector<Real> joints(zero);  // without friction of the load, as its columns
    add_joint_torques(model, s.q, s.qd, joints);
    for (std::size_t k = 0; k < joints.size(); ++k) expected[k] = expected[k] + joints[k];
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) {
        const auto j = static_cast<std::size_t>(c), k = static_cast<std::size_t>(r);
        expected[k] = expected[k] + (M(r, c) * s.qdd[j] + C(r, c) * v[j]);
      }
    const std::vector<Real> product = times(W, n, columns.values(robot));
    const double scale = 500 * std::max(testing::scale_of(expected), testing::scale_of(W));
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_CLOSE(product[k], expected[k], scale) << "seed " << seed << " velocity " << k;
  }
}

TEST(ColumnRegressorOfATree, payload_columns_beside_their_bodies_give_the_same_torque) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14));
    std::vector<std::string> names;
    for (const Link& link : model.description().links)
      if (model.frame(link.name).body != 0) names.push_back(link.name);
    ASSERT_GT(static_cast<int>(names.size()), model.n_bodies() - 1) << "no fixed link";
    const ParameterColumns columns(model, names);
    EXPECT_EQ(columns.size(), 10 * static_cast<int>(names.size()));
    const State<double> s(model, seed);
    const int n = model.n_v();
    std::vector<double> W = table<double>(model, columns), tau(s.tau.size());
    ColumnWorkspace<double> ws(model);
    torque_regressor(model, ws, columns, s.q, s.qd, s.qdd,
                     column_major(W.data(), n, columns.size()));
    RneaWorkspace<double> rnea(model);
    rnea.rotors = false;
    rigid_inverse_dynamics(model, rnea, s.q, s.qd, s.qdd, {}, tau);
    const std::vector<double> product = times(W, n, columns.values(model));
    const double scale = 200 * std::max(testing::scale_of(tau), testing::scale_of(W));
    for (std::size_t k = 0; k < tau.size(); ++k)
      EXPECT_CLOSE(product[k], tau[k], scale) << "seed " << seed;
    // Two velocities as well: the column of a fixed link is what more of it does to the body.
    const std::vector<double>& v = s.tau;
    two_velocity_torque_regressor(model, ws, columns, s.q, s.qd, v, s.qdd,
                                  column_major(W.data(), n, columns.size()));
    std::vector<double> Y(static_cast<std::size_t>(10 * n * (model.n_bodies() - 1)));
    RegressorWorkspace<double> bodies(model);
    two_velocity_torque_regressor(model, bodies, s.q, s.qd, v, s.qdd,
                                  column_major(Y.data(), n, 10 * (model.n_bodies() - 1)));
    const auto two = times(W, n, columns.values(model)), whole = times(Y, n, parameters(model));
    for (std::size_t k = 0; k < tau.size(); ++k)
      EXPECT_CLOSE(two[k], whole[k], scale) << "seed " << seed;
  }
}

TEST(ColumnRegressorOfATree, any_subset_in_any_order_and_layout_has_the_columns_of_the_whole) {
  const Model<double> model(sprung_tree(5, 14));
  const ParameterColumns all(model, every_column);
  const State<double> s(model, 5);
  const int n = model.n_v();
  ColumnWorkspace<double> ws(model);
  std::vector<double> W = table<double>(model, all);
  torque_regressor(model, ws, all, s.q, s.qd, s.qdd, column_major(W.data(), n, all.size()), s.tau);
  std::vector<std::string> names(all.names().begin(), all.names().end());
  const double scale = 10 * testing::scale_of(W);
  std::mt19937 engine(3);
  for (int round = 0; round < 5; ++round) {
    std::shuffle(names.begin(), names.end(), engine);
    const std::vector<std::string> some(names.begin(), names.begin() + 40 * (round + 1));
    // A Coulomb column of its own, without that of stiction, is another one only where the file has
    // no stiction; these joints do.
    const ParameterColumns part(model, some);
    ASSERT_EQ(part.size(), 40 * (round + 1));
    std::vector<double> P = table<double>(model, part);
    torque_regressor(model, ws, part, s.q, s.qd, s.qdd,
                     MatrixView<double>(P.data(), n, part.size(), part.size(), 1), s.tau);
    for (int c = 0; c < part.size(); ++c)
      for (int k = 0; k < n; ++k)
        EXPECT_CLOSE(P[static_cast<std::size_t>(k * part.size() + c)],
                     W[static_cast<std::size_t>(all.find(part.name(c)) * n + k)], scale)
            << part.name(c);
  }
}

TEST(ColumnRegressorOfATree, lanes_of_eight_hold_the_numbers_of_single_samples) {
  using Lanes = Pack<double, 8>;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Model<double> model(sprung_tree(seed, 14));
    const ParameterColumns columns(model, every_column);
    const State<Lanes> s(model, seed);
    const int n = model.n_v();
    std::vector<Lanes> W = table<Lanes>(model, columns);
    ColumnWorkspace<Lanes> wide(model);
    torque_regressor(model, wide, columns, s.q, s.qd, s.qdd,
                     column_major(W.data(), n, columns.size()), s.tau);
    ColumnWorkspace<double> ws(model);
    std::vector<double> single = table<double>(model, columns);
    for (int lane = 0; lane < 8; ++lane) {
      const auto of = [lane](const std::vector<Lanes>& x) {
        std::vector<double> one;
        for (const Lanes& e : x) one.push_back(e[lane]);
        return one;
      };
      torque_regressor(model, ws, columns, of(s.q), of(s.qd), of(s.qdd),
                       column_major(single.data(), n, columns.size()), of(s.tau));
      const double scale = 50 * testing::scale_of(single);
      for (std::size_t k = 0; k < single.size(); ++k) EXPECT_CLOSE(W[k][lane], single[k], scale);
    }
  }
}

TEST(ColumnRegressorOfATree, acts_on_no_velocity_that_it_says_it_does_not) {
  const Model<double> model(sprung_tree(8, 20));
  const ParameterColumns columns(model, every_column);
  const State<double> s(model, 8);
  const int n = model.n_v();
  std::vector<double> W = table<double>(model, columns);
  ColumnWorkspace<double> ws(model);
  torque_regressor(model, ws, columns, s.q, s.qd, s.qdd, column_major(W.data(), n, columns.size()),
                   s.tau);
  int none = 0;
  for (int c = 0; c < columns.size(); ++c)
    for (int k = 0; k < n; ++k)
      if (!columns.acts(k, c)) {
        EXPECT_EQ(W[static_cast<std::size_t>(c * n + k)], 0.0);
        ++none;
      }
  EXPECT_GT(none, n * columns.size() / 2);
}

/// A pendulum with every column, by hand.
TEST(ColumnRegressorOfAPendulum, has_the_friction_of_the_textbook) {
  RobotDescription robot;
  robot.root = "base";
  robot.links = {{"base", {}, false, {}, {}}, {"arm", {1, {0.5, 0, 0}, {}}, true, {}, {}}};
  Joint joint;
  joint.name = "pivot", joint.parent = "base", joint.child = "arm";
  joint.friction = {{0.3, 0, 0.2, 0.7, 0.5, 0}};
  joint.spring = {{2, 0.25}};
  robot.joints = {joint};
  Motor drive;
  drive.name = "drive", drive.ratios = {{"pivot", 50}}, drive.rotor_inertia = 1e-4;
  drive.friction.viscous = 1e-3, drive.friction.coulomb = 2e-3, drive.friction.offset = 3e-3;
  robot.motors = {drive};
  const Model<double> model(robot);
  const ParameterColumns columns(model, every_column);
  std::vector<double> W = table<double>(model, columns);
  ColumnWorkspace<double> ws(model);
  const double q = 0.4, v = -0.3, a = 1.7, load = -6, e = std::exp(-0.36);
  torque_regressor(model, ws, columns, std::vector{q}, std::vector{v}, std::vector{a},
                   column_major(W.data(), 1, columns.size()), std::vector{load});
  const auto column = [&](const char* name) {
    EXPECT_GE(columns.find(name), 0) << name;
    return W[static_cast<std::size_t>(columns.find(name))];
  };
  EXPECT_DOUBLE_EQ(column("rotor.pivot"), a);
  EXPECT_DOUBLE_EQ(column("pivot.viscous"), v);
  EXPECT_DOUBLE_EQ(column("pivot.viscous_asymmetry"), 0.3);
  EXPECT_DOUBLE_EQ(column("pivot.coulomb"), e - 1);
  EXPECT_DOUBLE_EQ(column("pivot.stiction"), -e);
  EXPECT_DOUBLE_EQ(column("pivot.coulomb_asymmetry"), 1);
  EXPECT_DOUBLE_EQ(column("pivot.offset"), 1);
  EXPECT_DOUBLE_EQ(column("pivot.load"), -6);
  EXPECT_DOUBLE_EQ(column("spring.pivot.stiffness"), 0.4 - 0.25);
  EXPECT_DOUBLE_EQ(column("motor.drive.rotor"), 2500 * a);
  EXPECT_DOUBLE_EQ(column("motor.drive.viscous"), 2500 * v);
  EXPECT_DOUBLE_EQ(column("motor.drive.coulomb"), -50);
  EXPECT_DOUBLE_EQ(column("motor.drive.offset"), 50);
  EXPECT_DOUBLE_EQ(column("arm.zz"), a);
}

/// Two motors on two joints: tau = N^T (I N qdd + friction(N qd)).
TEST(ColumnRegressorOfATree, coupled_motors_act_through_their_ratios) {
  RobotDescription robot =
      testing::random_tree(2, 2, {.kinds = testing::one_dof_kinds(), .chain = true});
  const std::string first = robot.joints[0].name, second = robot.joints[1].name;
  const auto motor_of = [](const char* name, std::vector<Coupling::Term> ratios, double inertia,
                           double viscous, double coulomb, double offset, double width) {
    Motor motor;
    motor.name = name, motor.ratios = std::move(ratios), motor.rotor_inertia = inertia;
    motor.friction.viscous = viscous, motor.friction.coulomb = coulomb;
    motor.friction.offset = offset, motor.friction.width = width;
    return motor;
  };
  const std::vector<Motor> motors = {
      motor_of("left", {{first, 30}, {second, 20}}, 1, 2, 3, 4, 0.1),
      motor_of("right", {{first, -30}, {second, 25}}, 5, 6, 7, 8, 0)};
  robot.motors = motors;
  const Model<double> model(robot);
  const ParameterColumns columns(model, {"motor"});
  ASSERT_EQ(columns.size(), 8);
  EXPECT_EQ(columns.name(5), "motor.right.viscous");
  const double qd[2] = {0.02, -0.01}, qdd[2] = {1.5, 2.5}, q[2] = {0.1, 0.2};
  std::vector<double> W = table<double>(model, columns);
  ColumnWorkspace<double> ws(model);
  torque_regressor(model, ws, columns, q, qd, qdd, column_major(W.data(), 2, 8));
  const std::vector<double> tau = times(W, 2, columns.values(model));
  const double N[2][2] = {{30, 20}, {-30, 25}};
  double expected[2] = {};
  for (int m = 0; m < 2; ++m) {
    const Motor& motor = motors[static_cast<std::size_t>(m)];
    const double w = N[m][0] * qd[0] + N[m][1] * qd[1];
    const double sign = m == 0 ? std::tanh(w / 0.1) : w > 0 ? 1 : -1;
    const double own = motor.rotor_inertia * (N[m][0] * qdd[0] + N[m][1] * qdd[1]) +
                       motor.friction.viscous * w + motor.friction.coulomb * sign +
                       motor.friction.offset;
    for (int k = 0; k < 2; ++k) expected[k] += N[m][k] * own;
  }
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(tau[static_cast<std::size_t>(k)], expected[k], 1e-10);
}

TEST(ColumnRegressorOfATree, a_call_allocates_nothing) {
  const Model<double> model(sprung_tree(7, 30));
  const ParameterColumns columns(model, every_column);
  const State<double> s(model, 3);
  ColumnWorkspace<double> ws(model);
  std::vector<double> W = table<double>(model, columns);
  const MatrixView<double> view = column_major(W.data(), model.n_v(), columns.size());
  const testing::AllocationCounter counter;
  torque_regressor(model, ws, columns, s.q, s.qd, s.qdd, view, s.tau);
  two_velocity_torque_regressor(model, ws, columns, s.q, s.qd, s.tau, s.qdd, view);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
