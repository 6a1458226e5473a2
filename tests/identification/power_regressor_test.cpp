#include "torsor/identification/power_regressor.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "support/sprung_tree.hpp"

namespace torsor {
namespace {

using testing::every_column;
using testing::sprung_tree;
using testing::State;

template <class Real>
Real times(const std::vector<Real>& row, const Array<double>& x) {
  Real sum(0);
  for (int c = 0; c < x.size(); ++c)
    sum = sum + row[static_cast<std::size_t>(c)] * static_cast<testing::ValueOf<Real>>(x[c]);
  return sum;
}
/// The columns of a robot with every effect, two motors and its fixed links.
struct Case {
  Model<double> model;
  ParameterColumns columns;

  explicit Case(unsigned seed, int joints = 14)
      : model(sprung_tree(seed, joints)), columns(model, names(model), motors()) {}
  static std::vector<ColumnMotor> motors() {
    return {{"left", {{0, 30}, {1, 20}}, 1, 2, 3, 4, 0.1}, {"right", {{1, -3}}, 5, 6, 7, 8, 0.2}};
  }
  static std::vector<std::string> names(const Model<double>& model) {
    const ParameterColumns most(model, every_column, motors());
    std::vector<std::string> all(most.names().begin(), most.names().end());
    for (const Link& link : model.description().links)
      if (const int body = model.frame(link.name).body;
          body != 0 && model.body_name(body) != link.name)
        all.push_back(link.name);
    return all;
  }
};

template <class Real>
class PowerRegressor : public ::testing::Test {};
TYPED_TEST_SUITE(PowerRegressor, testing::Scalars, testing::ScalarNames);

TYPED_TEST(PowerRegressor, D_19_energies_times_the_models_values_are_those_of_the_robot) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model<double> robot(sprung_tree(seed, 14));
    const ParameterColumns columns(robot, every_column);
    const auto model = testing::model_for<Real>(robot);
    const State<Real> s(model, seed);
    std::vector<Real> k(static_cast<std::size_t>(columns.size())), u(k.size());
    ColumnWorkspace<Real> ws(model);
    energy_regressor(model, ws, columns, s.q, s.qd, k, u);
    MomentumWorkspace<Real> momentum(model);
    const Real kinetic = kinetic_energy(model, momentum, s.q, s.qd);
    std::vector<Wrench<Real>> F(static_cast<std::size_t>(model.n_bodies()));
    SpringDamperWorkspace<Real> springs(model);
    const Real potential = potential_energy(model, momentum.kinematics) +
                           joint_spring_energy(model, s.q) +
                           add_spring_damper_wrenches(model, springs, s.q, s.qd, F);
    const Array<double> x = columns.values(robot);
    const double scale = 500 * (testing::scale_of(k) + testing::scale_of(u));
    EXPECT_CLOSE(times(k, x), kinetic, scale) << "seed " << seed;
    EXPECT_CLOSE(times(u, x), potential, scale) << "seed " << seed;
  }
}

TYPED_TEST(PowerRegressor, is_qd_times_the_torque_regressor) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Case c(seed);
    const auto model = testing::model_for<Real>(c.model);
    const State<Real> s(model, seed);
    const int n = model.n_v(), m = c.columns.size();
    ColumnWorkspace<Real> ws(model);
    std::vector<Real> W(static_cast<std::size_t>(n * m)), p(static_cast<std::size_t>(m), Real(99));
    torque_regressor(model, ws, c.columns, s.q, s.qd, s.qdd, column_major(W.data(), n, m), s.tau);
    power_regressor(model, ws, c.columns, s.q, s.qd, s.qdd, p, s.tau);
    const double scale = 200 * testing::scale_of(W);
    for (int k = 0; k < m; ++k) {
      Real expected(0);
      for (int v = 0; v < n; ++v)
        expected =
            expected + W[static_cast<std::size_t>(k * n + v)] * s.qd[static_cast<std::size_t>(v)];
      EXPECT_CLOSE(p[static_cast<std::size_t>(k)], expected, scale) << c.columns.name(k);
    }
  }
}

/// Column by column: d/dt (k + u) + d = qd^T W, the rates by dual numbers along the motion.
TEST(PowerBalance, power_is_the_rate_of_energy_and_what_is_dissipated) {
  using Rate = Dual<double, 1>;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Case c(seed);
    const Model<double>& model = c.model;
    const State<double> s(model, seed);
    const auto m = static_cast<std::size_t>(c.columns.size());
    // q along qd on the manifold: q(t) = integrate(q, t qd) has the rate qd at t = 0.
    const std::vector<Rate> q0(s.q.begin(), s.q.end());
    std::vector<Rate> step(s.qd.size()), q(s.q.size()), qd(s.qd.size());
    for (std::size_t k = 0; k < s.qd.size(); ++k) {
      step[k].d[0] = s.qd[k];
      qd[k].value = s.qd[k], qd[k].d[0] = s.qdd[k];
    }
    integrate(model, q0, step, q);
    std::vector<Rate> k(m), u(m);
    ColumnWorkspace<Rate> along(model);
    energy_regressor(model, along, c.columns, q, qd, k, u);
    std::vector<double> d(m, 99), p(m);
    ColumnWorkspace<double> ws(model);
    dissipation_regressor(model, ws, c.columns, s.q, s.qd, d, s.tau);
    power_regressor(model, ws, c.columns, s.q, s.qd, s.qdd, p, s.tau);
    const double scale = 1000 * testing::scale_of(p);
    for (std::size_t j = 0; j < m; ++j)
      EXPECT_CLOSE(k[j].d[0] + u[j].d[0] + d[j], p[j], scale)
          << "seed " << seed << " " << c.columns.name(static_cast<int>(j));
  }
}

TEST(PowerBalance, friction_and_dampers_take_power_and_nothing_else_does) {
  const Case c(4);
  const State<double> s(c.model, 4);
  std::vector<double> d(static_cast<std::size_t>(c.columns.size()));
  ColumnWorkspace<double> ws(c.model);
  dissipation_regressor(c.model, ws, c.columns, s.q, s.qd, d, s.tau);
  for (int k = 0; k < c.columns.size(); ++k) {
    const std::string& name = c.columns.name(k);
    const auto ends = [&](const char* word) {
      return name.size() > std::string(word).size() &&
             name.compare(name.size() - std::string(word).size(), std::string::npos, word) == 0;
    };
    const double power = d[static_cast<std::size_t>(k)];
    const bool friction = ends(".viscous") || ends(".coulomb") || ends(".stiction") ||
                          ends(".damping") || ends(".load");
    const bool of_any_sign = ends("offset") || ends("asymmetry");
    if (friction) {
      EXPECT_GT(power, 0) << name;
    } else if (!of_any_sign) {
      EXPECT_EQ(power, 0) << name;
    }
  }
}

TEST(PowerBalance, calls_allocate_nothing) {
  const Case c(7, 30);
  const State<double> s(c.model, 3);
  std::vector<double> k(static_cast<std::size_t>(c.columns.size())), u(k);
  ColumnWorkspace<double> ws(c.model);
  const testing::AllocationCounter counter;
  energy_regressor(c.model, ws, c.columns, s.q, s.qd, k, u);
  dissipation_regressor(c.model, ws, c.columns, s.q, s.qd, k);
  power_regressor(c.model, ws, c.columns, s.q, s.qd, s.qdd, k);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
