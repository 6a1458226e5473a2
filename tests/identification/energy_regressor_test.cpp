#include "torsor/identification/energy_regressor.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/identification/regressor.hpp"

namespace torsor {
namespace {

using testing::State;

template <class Real>
class EnergyRegressor : public ::testing::Test {};
TYPED_TEST_SUITE(EnergyRegressor, testing::Scalars, testing::ScalarNames);

TYPED_TEST(EnergyRegressor, D_19_times_the_parameters_is_the_energy) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 15; ++seed) {
    const Model<double> robot(testing::random_tree(seed, 14));
    const auto model = testing::model_for<Real>(robot);
    const State<Real> s(model, seed);
    const std::vector<double> p = parameters(robot);
    std::vector<Real> t(p.size()), u(p.size());
    MomentumWorkspace<Real> ws(model);
    energy_regressor(model, ws, s.q, s.qd, t, u);
    Real kinetic(0), potential(0);
    for (std::size_t k = 0; k < p.size(); ++k) {
      kinetic = kinetic + t[k] * static_cast<testing::ValueOf<Real>>(p[k]);
      potential = potential + u[k] * static_cast<testing::ValueOf<Real>>(p[k]);
    }
    const double scale = 200 * (testing::scale_of(t) + testing::scale_of(u));
    EXPECT_CLOSE(kinetic, kinetic_energy(model, ws, s.q, s.qd, {.rotors = false}), scale)
        << "seed " << seed;
    EXPECT_CLOSE(potential, potential_energy(model, ws.kinematics), scale) << "seed " << seed;
  }
}

/// (2-113): Y = d/dt (dT/dqd) - dT/dq + dV/dq, each by dual numbers of dual numbers.
TEST(EnergyRegressorOfATree, D_19_D_20_its_lagrange_derivatives_are_the_torque_regressor) {
  using Inner = Dual<double, 1>;
  using Outer = Dual<Inner, 1>;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const Model<double> model(testing::random_tree(
        seed, 4, {.kinds = {JointKind::revolute, JointKind::prismatic, JointKind::universal}}));
    const State<double> s(model, seed);
    const int n = model.n_v(), m = 10 * (model.n_bodies() - 1);
    std::vector<double> Y(static_cast<std::size_t>(n * m));
    RegressorWorkspace<double> regressor(model);
    torque_regressor(model, regressor, s.q, s.qd, s.qdd, column_major(Y.data(), n, m));
    MomentumWorkspace<Outer> ws(model);
    std::vector<Outer> t(static_cast<std::size_t>(m)), u(t.size());
    for (int j = 0; j < n; ++j) {
      // Inner: along the motion. Outer: along qd_j, then along q_j.
      const auto state = [&](bool of_velocity) {
        std::vector<Outer> q, qd;
        for (std::size_t k = 0; k < s.q.size(); ++k) {
          Outer x, v;
          x.value.value = s.q[k], x.value.d[0] = s.qd[k];
          v.value.value = s.qd[k], v.value.d[0] = s.qdd[k];
          (of_velocity ? v : x).d[0].value = static_cast<int>(k) == j ? 1 : 0;
          q.push_back(x), qd.push_back(v);
        }
        energy_regressor(model, ws, q, qd, t, u);
      };
      std::vector<double> expected(static_cast<std::size_t>(m));
      state(true);
      for (std::size_t c = 0; c < expected.size(); ++c) expected[c] = t[c].d[0].d[0];
      state(false);
      for (std::size_t c = 0; c < expected.size(); ++c)
        expected[c] += u[c].d[0].value - t[c].d[0].value;
      for (int c = 0; c < m; ++c)
        EXPECT_CLOSE(Y[static_cast<std::size_t>(c * n + j)], expected[static_cast<std::size_t>(c)],
                     500 * testing::scale_of(Y))
            << "seed " << seed << " column " << c;
    }
  }
}

TEST(EnergyRegressorOfATree, a_call_allocates_nothing) {
  const Model<double> model(testing::random_tree(7, 30));
  const State<double> s(model, 3);
  std::vector<double> t(static_cast<std::size_t>(10 * (model.n_bodies() - 1))), u(t);
  MomentumWorkspace<double> ws(model);
  const testing::AllocationCounter counter;
  energy_regressor(model, ws, s.q, s.qd, t, u);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
