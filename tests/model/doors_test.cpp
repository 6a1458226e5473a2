// The doors of the verbs: in debug builds a size of another model ends the program at the door.
#include <gtest/gtest.h>

#include "support/random_model.hpp"
#include "torsor/dynamics/centroidal.hpp"
#include "torsor/dynamics/christoffel.hpp"
#include "torsor/dynamics/constrained/constrained.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/hybrid.hpp"
#include "torsor/dynamics/textbook/textbook_forward.hpp"
#include "torsor/kinematics/jacobian.hpp"

namespace torsor::testing {
namespace {

struct Doors : ::testing::Test {
  const Model<double> model{random_tree(1, 4, {.kinds = one_dof_kinds()})};
  const Model<double> other{random_tree(2, 6, {.kinds = one_dof_kinds()})};
  Array<double> q = Array<double>(model.n_q()), v = Array<double>(model.n_v());
  Array<double> out = Array<double>(model.n_v()), longer = Array<double>(model.n_v() + 1);
  Array<double> numbers = Array<double>(6 * other.n_v());
  Array<Wrench<double>> F = Array<Wrench<double>>(model.n_bodies() - 1);
  Array<char> prescribed = Array<char>(model.n_bodies());
  const Frame frame{"last", model.n_bodies() - 1, {}};
};

TEST_F(Doors, views_keep_within_their_bounds) {
  const View<double> view = v;
  const MatrixView<double> M = column_major(numbers.data(), 2, 3);
  EXPECT_DEATH((void)view[model.n_v()], "");
  EXPECT_DEATH((void)view[-1], "");
  EXPECT_DEATH((void)(view[Dofs{1, model.n_v()}]), "");
  EXPECT_DEATH((void)M(2, 0), "");
  EXPECT_DEATH((void)M(0, 3), "");
  EXPECT_DEATH((void)v[model.n_v()], "");
}

TEST_F(Doors, inverse_dynamics_refuses_the_sizes_of_another_model) {
  RneaWorkspace<double> ws(model), of_other(other);
  rigid_inverse_dynamics(model, ws, q, v, v, {}, out);
  EXPECT_DEATH(rigid_inverse_dynamics(model, ws, longer, v, v, {}, out), "another model");
  EXPECT_DEATH(rigid_inverse_dynamics(model, ws, q, longer, v, {}, out), "another model");
  EXPECT_DEATH(rigid_inverse_dynamics(model, ws, q, v, longer, {}, out), "another model");
  EXPECT_DEATH(rigid_inverse_dynamics(model, ws, q, v, v, {}, longer), "another model");
  EXPECT_DEATH(rigid_inverse_dynamics(model, ws, q, v, v, F, out), "one wrench for each body");
  EXPECT_DEATH(rigid_inverse_dynamics(model, of_other, q, v, v, {}, out), "workspace");
}

TEST_F(Doors, forward_and_hybrid_dynamics_refuse_the_sizes_of_another_model) {
  AbaWorkspace<double> ws(model), of_other(other);
  EXPECT_DEATH((void)rigid_forward_dynamics(model, ws, longer, v, v, {}, out), "another model");
  EXPECT_DEATH((void)rigid_forward_dynamics(model, ws, q, v, v, {}, longer), "another model");
  EXPECT_DEATH((void)rigid_forward_dynamics(model, ws, q, v, v, F, out), "one wrench");
  EXPECT_DEATH((void)rigid_forward_dynamics(model, of_other, q, v, v, {}, out), "workspace");
  EXPECT_DEATH((void)rigid_hybrid_dynamics(model, ws, prescribed, q, longer, v, out, {}),
               "another model");
  EXPECT_DEATH((void)rigid_hybrid_dynamics(model, of_other, prescribed, q, v, v, out, {}),
               "workspace");
  prescribed.push_back(0);
  EXPECT_DEATH((void)rigid_hybrid_dynamics(model, ws, prescribed, q, v, v, out, {}), "prescribed");
}

TEST_F(Doors, the_mass_matrix_refuses_the_sizes_of_another_model) {
  CrbaWorkspace<double> ws(model), of_other(other);
  const int n = model.n_v();
  EXPECT_DEATH(mass_matrix(model, ws, longer, column_major(numbers.data(), n, n)), "another model");
  EXPECT_DEATH(mass_matrix(model, ws, q, column_major(numbers.data(), n, n - 1)), "matrix");
  EXPECT_DEATH(mass_matrix(model, of_other, q, column_major(numbers.data(), n, n)), "workspace");
}

TEST_F(Doors, centroidal_and_christoffel_verbs_refuse_the_sizes_of_another_model) {
  CentroidalWorkspace<double> ws(model);
  ChristoffelWorkspace<double> symbols(model);
  const int n = model.n_v();
  const MatrixView<double> A = column_major(numbers.data(), 6, n);
  centroidal_map(model, ws, q, A);
  EXPECT_DEATH(centroidal_map(model, ws, longer, A), "another model");
  EXPECT_DEATH(centroidal_map(model, ws, q, column_major(numbers.data(), 3, n)), "matrix");
  EXPECT_DEATH(com_jacobian(model, ws, q, A), "matrix");
  EXPECT_DEATH(centroidal_map_dot(model, ws, q, longer, A), "another model");
  EXPECT_DEATH(christoffel(model, symbols, q, {numbers.data(), n + 1}), "another model");
}

TEST_F(Doors, constrained_dynamics_refuses_the_sizes_of_another_model) {
  ConstrainedWorkspace ws(model, ConstraintSet::none(model)),
      of_other(other, ConstraintSet::none(other));
  EXPECT_DEATH((void)constrained_forward_dynamics(model, ws, longer, v, v, {}, out, {}),
               "another model");
  EXPECT_DEATH((void)constrained_forward_dynamics(model, ws, q, v, v, F, out, {}), "one wrench");
  EXPECT_DEATH((void)constrained_forward_dynamics(model, ws, q, v, v, {}, out, longer), "row");
  EXPECT_DEATH((void)constrained_forward_dynamics(model, of_other, q, v, v, {}, out, {}),
               "workspace");
}

TEST_F(Doors, textbook_dynamics_refuses_the_sizes_of_another_table) {
  DhTable table;
  table.rows.resize(3);
  TextbookForwardWorkspace<double> ws(table);
  Array<double> x(3), y(3), two(2);
  EXPECT_DEATH((void)textbook_forward_dynamics(table, ws, two, x, x, y), "another table");
  EXPECT_DEATH((void)textbook_forward_dynamics(table, ws, x, two, x, y), "another table");
}

TEST_F(Doors, kinematics_refuses_the_sizes_of_another_model) {
  KinematicsWorkspace<double> ws(model), of_other(other);
  VelocityWorkspace<double> velocity(model), velocity_of_other(other);
  const MatrixView<double> J = column_major(numbers.data(), 6, model.n_v());
  const MatrixView<double> J_of_other = column_major(numbers.data(), 6, other.n_v());
  EXPECT_DEATH(forward_kinematics(model, ws, longer), "another model");
  EXPECT_DEATH(forward_kinematics(model, of_other, q), "workspace");
  EXPECT_DEATH(forward_kinematics(model, of_other, q, 1), "workspace");
  EXPECT_DEATH(forward_velocity(model, velocity, q, longer), "another model");
  EXPECT_DEATH(forward_acceleration(model, velocity, q, v, longer), "another model");
  EXPECT_DEATH(forward_velocity(model, velocity_of_other, q, v), "workspace");
  EXPECT_DEATH(jacobian(model, ws, q, frame, Reference::body, J_of_other), "matrix");
  EXPECT_DEATH(jacobian_dot(model, velocity, q, v, frame, Reference::body, J_of_other), "matrix");
  jacobian(model, ws, q, frame, Reference::body, J);
}

}  // namespace
}  // namespace torsor::testing
