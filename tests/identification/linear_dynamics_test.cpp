// Dynamics that are linear in the parameters of the links, so that base parameters will do; what they save.
#include "torsor/dynamics/textbook/linear_dynamics.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "dynamics/dh_chains.hpp"
#include "dynamics/golden_ch2_robots.hpp"
#include "support/allocation_counter.hpp"
#include "support/typed_scalars.hpp"
#include "torsor/dynamics/joint_wrenches.hpp"
#include "torsor/identification/base_operations.hpp"
#include "torsor/identification/dh_base_parameters.hpp"
#include "torsor/model/dh_conversion.hpp"

namespace torsor::testing {
namespace {

template <class Real>
class LinearDynamics : public ::testing::Test {};
TYPED_TEST_SUITE(LinearDynamics, Scalars, ScalarNames);

TYPED_TEST(LinearDynamics, D_26_torques_are_those_of_the_tree) {
  using Real = TypeParam;
  expect_torques_of_the_tree<Real>([](const DhTable& table, const auto& s, Out<Real> tau) {
    LinearDynamicsWorkspace<Real> ws(table);
    linear_inverse_dynamics<Real>(table, ws, s.q, s.qd, s.qdd, table_parameters(table), tau);
  });
}
TYPED_TEST(LinearDynamics, D_27_X_2_19_composite_bodies_have_the_mass_matrix_of_the_tree) {
  using Real = TypeParam;
  expect_mass_matrix_of_the_tree<Real>(
      6, 5, [](const DhTable& table, const auto& q, const auto& H) {
        LinearDynamicsWorkspace<Real> ws(table);
        linear_mass_matrix<Real>(table, ws, q, table_parameters(table), H);
      });
}

double worst(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    difference = std::max(difference, std::abs(a[k] - b[k]));
  return difference;
}

// Torques and mass matrices of the textbook's robots, computed outside of this library, from parameters
// that are zero where the robot cannot tell them.
TEST(BaseDynamics, D_26_D_27_X_2_19_base_parameters_give_the_same_torques_and_mass_matrix) {
  for (const GoldenRobot& robot : golden_robots()) {
    SCOPED_TRACE(robot.name);
    const std::size_t n = static_cast<std::size_t>(robot.n());
    DhTable table = robot.table();
    if (table.convention == DhTable::Convention::standard) table = dh_to_mdh(table);
    const BaseParameters base = dh_base_parameters(table);
    const Array<double> p = base.expanded(base.values(table_parameters(table)));
    LinearDynamicsWorkspace<double> ws(table);
    std::vector<double> tau(n), H(n * n);
    linear_inverse_dynamics<double>(table, ws, robot.q(), robot.qd(), robot.qdd(), p, tau);
    EXPECT_LT(worst(tau, robot.tau), 1e-11);
    linear_mass_matrix<double>(table, ws, robot.q(), p,
                               column_major(H.data(), robot.n(), robot.n()));
    EXPECT_LT(worst(H, robot.H), 1e-12);
  }
}
TEST(BaseDynamics, D_25_D_26_handward_parameters_give_the_same_torques) {
  for (const DhTable& table : random_dh_chains(5, 10)) {
    if (table.convention != DhTable::Convention::standard) continue;
    const BaseParameters partial = handward_parameters(table);
    const Array<double> p = table_parameters(table), reduced = partial.expanded(partial.values(p));
    LinearDynamicsWorkspace<double> ws(table);
    const std::vector<double> q = {0.3, -0.7, 0.45, 0.9, -1.1}, qd = {0.8, -0.5, 0.35, -1.2, 0.6};
    std::vector<double> all(5), some(5);
    linear_inverse_dynamics<double>(table, ws, q, qd, q, p, all);
    linear_inverse_dynamics<double>(table, ws, q, qd, q, reduced, some);
    EXPECT_LT(worst(all, some), 1e-11) << table.name;
    int slides = 0;
    for (std::size_t k = 1; k < 5; ++k) slides += table.rows[k].prismatic;
    EXPECT_EQ(partial.size(), 10 + 7 * (4 - slides) + 4 * slides);  // corollary 2-2
    EXPECT_LE(dh_base_parameters(table).size() + 7, partial.size());
  }
}

/// Through every joint, of a table's links with `move` of link n on link n-1 instead.
struct Wrenches {
  Array<Wrench<double>> F;
  std::vector<double> tau;
};
Wrenches wrenches(const Model<double>& model) {
  const int n = model.n_v();
  Wrenches out{{}, std::vector<double>(static_cast<std::size_t>(n))};
  std::vector<double> q, qd, qdd;
  for (int k = 0; k < n; ++k) {
    q.push_back(0.3 + 0.4 * k);
    qd.push_back(0.8 - 0.5 * k);
    qdd.push_back(-0.4 + 0.7 * k);
  }
  JointWrenchWorkspace<double> ws(model);
  joint_wrenches<double, double>(model, ws, q, qd, qdd, {}, out.tau);
  out.F = ws.F;
  return out;
}
Model<double> moved(const Model<double>& model, const Inertia<double>& move) {
  const int n = model.n_v();
  const SE3<double> T = joint_pose(model, n, std::vector<double>(static_cast<std::size_t>(n), 0.2));
  std::vector<double> p = parameters(model);
  const auto there = parameters_of(transported(T, move)), here = parameters_of(move);
  for (std::size_t k = 0; k < 10; ++k) {
    p[static_cast<std::size_t>(10 * (n - 2)) + k] += there[k];
    p[static_cast<std::size_t>(10 * (n - 1)) + k] -= here[k];
  }
  return with_parameters(model, p);
}
DhTable hinges(const std::vector<double>& alpha) {
  DhTable table = random_dh_chain(3, static_cast<int>(alpha.size()), DhTable::Convention::modified);
  table.base = {};
  for (std::size_t k = 0; k < alpha.size(); ++k) {
    table.rows[k].alpha = alpha[k];
    table.rows[k].prismatic = false;
  }
  return table;
}

TEST(BaseDynamics, X_2_26_what_a_hinge_cannot_tell_leaves_all_wrenches_before_it) {
  const Model<double> model(from_dh(hinges({0, 0.7, -1.2})));
  const Inertia<double> move{2.5, {0, 0, 0.7}, {0.3, 0, 0.3, 0, 0, 0}};
  const Wrenches a = wrenches(model), b = wrenches(moved(model, move));
  EXPECT_LT(worst(a.tau, b.tau), 1e-12);
  for (int i = 1; i <= 2; ++i) {
    EXPECT_LT(norm(a.F[i].f - b.F[i].f), 1e-12);
    EXPECT_LT(norm(a.F[i].m - b.F[i].m), 1e-12);
  }
  EXPECT_GT(norm(a.F[3].f - b.F[3].f), 1);
}
TEST(BaseDynamics, X_2_27_parallel_hinges_keep_the_force_but_not_the_moment) {
  // Only M is moved, its place along the axis forgotten, and what the hinges cannot see is left out.
  const Model<double> model(from_dh(hinges({0, 0, 0})));
  std::vector<double> p = parameters(moved(model, {2.5, {}, {}}));
  for (const std::size_t k : {3u, 4u, 5u, 6u, 7u, 8u}) p[20 + k] = 0;
  const Wrenches a = wrenches(model), b = wrenches(with_parameters(model, p));
  EXPECT_LT(worst(a.tau, b.tau), 1e-12);
  EXPECT_LT(norm(a.F[2].f - b.F[2].f), 1e-12);
  EXPECT_GT(norm(a.F[2].m - b.F[2].m), 1e-3);
}
// All hinges on one vertical line: their common axis does not accelerate sideways.
TEST(BaseDynamics, X_2_25_R3_sees_no_acceleration_across_its_axis) {
  DhTable table = hinges({0, 0, std::numbers::pi});
  table.gravity = {0, 0, -9.81};
  for (DhRow& row : table.rows) row.a = 0;
  for (const DhJointClass type : joint_classes(table)) EXPECT_EQ(type, DhJointClass::R3);
  LinearDynamicsWorkspace<double> ws(table);
  const std::vector<double> x = {0.4, -0.9, 1.3};
  std::vector<double> tau(3);
  linear_inverse_dynamics<double>(table, ws, x, x, x, table_parameters(table), tau);
  EXPECT_LT(std::abs(ws.links[3].a.x) + std::abs(ws.links[3].a.y), 1e-14);
}

TEST(BaseDynamics, allocate_nothing) {
  const DhTable table = golden_robot("PUMA560_MDH").table();
  const Array<double> p = table_parameters(table);
  LinearDynamicsWorkspace<double> ws(table);
  std::vector<double> x(6, 0.3), tau(6), H(36);
  const AllocationCounter counter;
  linear_inverse_dynamics<double>(table, ws, x, x, x, p, tau);
  linear_mass_matrix<double>(table, ws, x, p, column_major(H.data(), 6, 6));
  EXPECT_EQ(counter.count(), 0u);
}

TEST(BaseDynamics, a_customised_program_leaves_out_what_it_knows) {
  using C = Customised;
  C::count = {};
  const C x = C::variable(3), y = C::variable(4);
  EXPECT_EQ((x * C(0) + y * C(1) + C(2) * C(5) * C(0)).value, 4);
  EXPECT_EQ(C::count, (OperationCount{0, 0}));
  EXPECT_EQ((x * y + C(2) * x - y).value, 14);
  EXPECT_EQ(C::count, (OperationCount{2, 2}));
}
TEST(BaseDynamics, D_26_D_27_base_parameters_take_fewer_operations) {
  for (const char* name : {"PUMA560_DH", "STANFORD_MDH"}) {
    SCOPED_TRACE(name);
    const BaseOperations count = base_operations(golden_robot(name).table());
    const auto less = [](const OperationCount& a, const OperationCount& b) {
      return a.multiplications < b.multiplications && a.additions < b.additions;
    };
    EXPECT_TRUE(less(count.linear_on_base, count.linear));
    EXPECT_TRUE(less(count.linear_on_base, count.newton_euler));
    EXPECT_TRUE(less(count.composite_on_base, count.composite));
    EXPECT_TRUE(less(count.composite_on_base, count.composite_linear));
  }
}

}  // namespace
}  // namespace torsor::testing
