#include "torsor/identification/regressor.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/dynamics/coriolis.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/rnea.hpp"
#include "torsor/identification/parameter_dynamics.hpp"
#include "torsor/model/dh.hpp"

namespace torsor {
namespace {

using testing::Square;
using testing::State;

/// A matrix by columns, with a view.
template <class Real>
struct Table {
  int rows, cols;
  std::vector<Real> data;

  Table(int r, int c) : rows(r), cols(c), data(static_cast<std::size_t>(r * c), Real(99)) {}
  MatrixView<Real> view() { return column_major(data.data(), rows, cols); }
  Real& operator()(int r, int c) { return data[static_cast<std::size_t>(c * rows + r)]; }
};

template <class Param>
int columns_of(const Model<Param>& model) {
  return parameters_per_body * (model.n_bodies() - 1);
}

/// The model's own parameters as constants of the scalar.
template <class Real, class Param>
std::vector<Real> own_parameters(const Model<Param>& model) {
  std::vector<Real> p;
  for (int i = 1; i < model.n_bodies(); ++i)
    for (const Param& x : parameters_of(model.body(i).inertia)) p.push_back(Real(x));
  return p;
}
template <class Real>
std::vector<Real> times(Table<Real>& Y, const std::vector<Real>& p) {
  std::vector<Real> tau(static_cast<std::size_t>(Y.rows), Real(0));
  for (int r = 0; r < Y.rows; ++r)
    for (int c = 0; c < Y.cols; ++c)
      tau[static_cast<std::size_t>(r)] =
          tau[static_cast<std::size_t>(r)] + Y(r, c) * p[static_cast<std::size_t>(c)];
  return tau;
}

template <class Real>
class Regressor : public ::testing::Test {};
TYPED_TEST_SUITE(Regressor, testing::Scalars, testing::ScalarNames);

TYPED_TEST(Regressor, D_20_times_the_parameters_is_inverse_dynamics) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 25; ++seed) {
    const auto model = testing::model_for<Real>(Model<double>(testing::random_tree(seed, 14)));
    const State<Real> s(model, seed);
    std::vector<Real> tau(s.tau.size());
    RneaWorkspace<Real> rnea(model);
    rnea.rotors = false;
    rigid_inverse_dynamics(model, rnea, s.q, s.qd, s.qdd, {}, tau);
    Table<Real> Y(model.n_v(), columns_of(model));
    RegressorWorkspace<Real> ws(model);
    torque_regressor(model, ws, s.q, s.qd, s.qdd, Y.view());
    const std::vector<Real> product = times(Y, own_parameters<Real>(model));
    const double scale = std::max(testing::scale_of(tau), testing::scale_of(Y.data));
    for (std::size_t k = 0; k < tau.size(); ++k)
      EXPECT_CLOSE(product[k], tau[k], 200 * scale) << "seed " << seed;
  }
}

TYPED_TEST(Regressor, of_two_velocities_is_M_a_plus_C_v_plus_gravity) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const auto model =
        testing::model_for<Real>(Model<double>(testing::random_tree(seed, 14, {.rotors = false})));
    const State<Real> s(model, seed);
    const std::vector<Real>& v = s.tau;  // any numbers
    const int n = model.n_v();
    Square<Real> M(n), C(n);
    CrbaWorkspace<Real> crba(model);
    CoriolisWorkspace<Real> coriolis(model);
    RneaWorkspace<Real> rnea(model);
    mass_matrix(model, crba, s.q, M.view());
    coriolis_matrix(model, coriolis, s.q, s.qd, C.view());
    const std::vector<Real> zero(s.qd.size());
    std::vector<Real> expected(zero);
    rigid_inverse_dynamics(model, rnea, s.q, zero, zero, {}, expected);
    for (int r = 0; r < n; ++r)
      for (int c = 0; c < n; ++c) {
        const auto j = static_cast<std::size_t>(c), k = static_cast<std::size_t>(r);
        expected[k] = expected[k] + (M(r, c) * s.qdd[j] + C(r, c) * v[j]);
      }
    Table<Real> Y(n, columns_of(model));
    RegressorWorkspace<Real> ws(model);
    two_velocity_torque_regressor(model, ws, s.q, s.qd, v, s.qdd, Y.view());
    const std::vector<Real> p = own_parameters<Real>(model), product = times(Y, p);
    std::vector<Real> tau(zero);
    two_velocity_inverse_dynamics(model, ws, s.q, s.qd, v, s.qdd, p, tau);
    const double scale = std::max(testing::scale_of(M.data), testing::scale_of(C.data)) * n;
    for (std::size_t k = 0; k < tau.size(); ++k) {
      EXPECT_CLOSE(product[k], expected[k], 100 * scale) << "seed " << seed;
      EXPECT_CLOSE(tau[k], expected[k], 100 * scale) << "seed " << seed;
    }
  }
}

TYPED_TEST(Regressor, inverse_dynamics_on_a_parameter_vector_is_that_of_the_robot_that_has_it) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Model<double> original(testing::random_tree(seed, 14));
    testing::Draw<double> draw(seed + 100);
    std::vector<double> other(static_cast<std::size_t>(columns_of(original)));
    for (std::size_t k = 0; k < other.size(); ++k)
      other[k] = k % 10 == 0 ? draw(0.5, 2) : draw();  // need not be possible bodies
    const auto model = testing::model_for<Real>(original);
    const auto changed = testing::model_for<Real>(with_parameters(original, other));
    const State<Real> s(model, seed);
    std::vector<Real> tau(s.tau.size()), expected(s.tau.size());
    RegressorWorkspace<Real> ws(model);
    rigid_inverse_dynamics(model, ws, s.q, s.qd, s.qdd,
                           std::vector<Real>(other.begin(), other.end()), tau);
    RneaWorkspace<Real> rnea(changed);
    rnea.rotors = false;
    rigid_inverse_dynamics(changed, rnea, s.q, s.qd, s.qdd, {}, expected);
    const double scale = testing::scale_of(expected);
    for (std::size_t k = 0; k < tau.size(); ++k)
      EXPECT_CLOSE(tau[k], expected[k], 200 * scale) << "seed " << seed;
  }
}

TYPED_TEST(Regressor, columns_of_the_joints_times_their_parameters_are_friction_and_rotor_torque) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const auto model = testing::model_for<Real>(Model<double>(testing::random_tree(seed, 14)));
    const State<Real> s(model, seed);
    const int n = model.n_v();
    std::vector<Real> sum(s.qd.size(), Real(0)), friction(s.qd.size());
    for (int block = 0; block < 4; ++block) {
      Square<Real> Y(n);
      joint_regressor(model, static_cast<JointParameter>(block), s.qd, s.qdd, Y.view());
      for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c)
          sum[static_cast<std::size_t>(r)] =
              sum[static_cast<std::size_t>(r)] +
              Y(r, c) * internal::joint_parameter(model.dof(c), static_cast<JointParameter>(block));
    }
    friction_torque(model, s.q, s.qd, friction);
    for (int k = 0; k < n; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const Real expected = friction[at] + s.qdd[at] * model.dof(k).armature;
      // Derivatives of tanh(v / width) are as steep as 1 / width = 100.
      EXPECT_CLOSE(sum[at], expected, 1e3) << "seed " << seed;
    }
  }
}

/// Textbook chapter 2, planar 2R with gravity in its plane (modified DH, a_2 = 0.5): regressor at
/// q = (0.3, -0.7), qd = (0.8, -0.5), qdd = (-0.4, 1.1), columns in the order of Huo 2005.
TEST(TorqueRegressor, A_8_planar_arm_of_the_textbook) {
  DhTable table;
  table.convention = DhTable::Convention::modified;
  table.rows.resize(2);
  table.rows[1].a = 0.5;
  RobotDescription robot = from_dh(table);
  robot.gravity = {0, -9.81, 0};
  const Model<double> model(robot);
  Table<double> Y(2, 20);
  RegressorWorkspace<double> ws(model);
  torque_regressor(model, ws, std::vector<double>{0.3, -0.7}, std::vector<double>{0.8, -0.5},
                   std::vector<double>{-0.4, 1.1}, Y.view());
  const double expected[2][20] = {
      {0, 0, 0, 0, 0, -0.4, 9.3718509583222,  -2.89905322734774, 0, 0,
       0, 0, 0, 0, 0, 0.7,  8.97317481527062, 4.12715819263675,  0, 4.5859254791611},
      {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.7, 8.67649025379535, 3.93609990053136, 0, 0}};
  for (int c = 0; c < 20; ++c) {
    const std::string word = internal::textbook_parameter_words[static_cast<std::size_t>(c % 10)];
    const auto at =
        std::find(internal::parameter_words.begin(), internal::parameter_words.end(), word);
    const int ours = c / 10 * 10 + static_cast<int>(at - internal::parameter_words.begin());
    for (int r = 0; r < 2; ++r)  // printed with 15 digits
      EXPECT_NEAR(Y(r, ours), expected[r][c], 1e-13) << word << " of link " << c / 10 + 1;
  }
}

TEST(TorqueRegressor, listed_columns_are_those_of_the_whole) {
  const Model<double> model(testing::random_tree(5, 14));
  const State<double> s(model, 5);
  RegressorWorkspace<double> ws(model);
  Table<double> Y(model.n_v(), columns_of(model)), Y2 = Y;
  torque_regressor(model, ws, s.q, s.qd, s.qdd, Y.view());
  two_velocity_torque_regressor(model, ws, s.q, s.qd, s.tau, s.qdd, Y2.view());
  const std::vector<int> list{3, 0, 17, 18, 99, 139, 3};
  Table<double> part(model.n_v(), static_cast<int>(list.size())), part2 = part;
  torque_regressor(model, ws, s.q, s.qd, s.qdd, list, part.view());
  two_velocity_torque_regressor(model, ws, s.q, s.qd, s.tau, s.qdd, list, part2.view());
  const double scale = 10 * std::max(testing::scale_of(Y.data), testing::scale_of(Y2.data));
  for (std::size_t c = 0; c < list.size(); ++c)
    for (int r = 0; r < model.n_v(); ++r) {
      EXPECT_CLOSE(part(r, static_cast<int>(c)), Y(r, list[c]), scale);
      EXPECT_CLOSE(part2(r, static_cast<int>(c)), Y2(r, list[c]), scale);
    }
}

TEST(TorqueRegressor, rows_may_be_contiguous_too) {
  const Model<double> model(testing::random_tree(6, 14));
  const State<double> s(model, 6);
  RegressorWorkspace<double> ws(model);
  const int n = model.n_v(), m = columns_of(model);
  Table<double> Y(n, m), by_rows(n, m);
  torque_regressor(model, ws, s.q, s.qd, s.qdd, Y.view());
  torque_regressor(model, ws, s.q, s.qd, s.qdd,
                   MatrixView<double>(by_rows.data.data(), n, m, m, 1));
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < m; ++c)
      EXPECT_CLOSE(by_rows.data[static_cast<std::size_t>(r * m + c)], Y(r, c),
                   10 * testing::scale_of(Y.data));
}

TEST(TorqueRegressor, a_body_moves_no_joint_that_does_not_carry_it) {
  const Model<double> model(testing::random_tree(8, 20));
  const State<double> s(model, 8);
  RegressorWorkspace<double> ws(model);
  Table<double> Y(model.n_v(), columns_of(model));
  torque_regressor(model, ws, s.q, s.qd, s.qdd, Y.view());
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int j = 1; j < model.n_bodies(); ++j) {
      int up = i;
      while (up > j) up = model.body(up).parent;
      if (up == j) continue;
      for (int k = 0; k < model.body(j).v.count; ++k)
        for (int c = 0; c < parameters_per_body; ++c)
          EXPECT_EQ(Y(model.body(j).v.first + k, (i - 1) * parameters_per_body + c), 0.0);
    }
}

TEST(TorqueRegressor, a_call_allocates_nothing) {
  const Model<double> model(testing::random_tree(7, 30));
  const State<double> s(model, 3);
  RegressorWorkspace<double> ws(model);
  Table<double> Y(model.n_v(), columns_of(model));
  const std::vector<double> p = own_parameters<double>(model);
  const std::vector<int> list{1, 2, 40};
  std::vector<double> tau(s.tau.size());
  const testing::AllocationCounter counter;
  torque_regressor(model, ws, s.q, s.qd, s.qdd, Y.view());
  torque_regressor(model, ws, s.q, s.qd, s.qdd, list, Y.view());
  two_velocity_torque_regressor(model, ws, s.q, s.qd, s.tau, s.qdd, Y.view());
  rigid_inverse_dynamics(model, ws, s.q, s.qd, s.qdd, p, tau);
  two_velocity_inverse_dynamics(model, ws, s.q, s.qd, s.tau, s.qdd, p, tau);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
