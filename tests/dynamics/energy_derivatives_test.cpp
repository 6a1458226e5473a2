#include "torsor/dynamics/derivatives/energy_derivatives.hpp"

#include "support/allocation_counter.hpp"
#include "support/tangent_truth.hpp"
#include "torsor/dynamics/energy.hpp"
#include "torsor/dynamics/gravity.hpp"

namespace torsor {
namespace {

using testing::State;

/// K, U, the six numbers of the momentum and the three of the centre of mass, of any scalar.
template <class Param>
auto energies(const Model<Param>& model) {
  return [&model](const auto& q, const auto& qd, const auto&) {
    using Number = typename std::decay_t<decltype(qd)>::value_type;
    MomentumWorkspace<Number> ws(model);
    const Wrench<Number> h = momentum(model, ws, q, qd);
    const Vec3<Number> c = centre_of_mass(model, ws.kinematics).position;
    return std::vector<Number>{kinetic_energy(model, ws, q, qd),
                               potential_energy(model, ws.kinematics),
                               h.m.x,
                               h.m.y,
                               h.m.z,
                               h.f.x,
                               h.f.y,
                               h.f.z,
                               c.x,
                               c.y,
                               c.z};
  };
}

/// The same eleven rows by columns: along q, and along qd where K and the momentum alone change.
template <class Real>
struct Found {
  std::vector<Real> K_q, K_qd, U_q, h_q, h_qd, c_q;

  template <class Param>
  Found(const Model<Param>& model, const State<Real>& s)
      : K_q(s.qd.size()), K_qd(K_q), U_q(K_q), h_q(6 * K_q.size()), h_qd(h_q), c_q(3 * K_q.size()) {
    EnergyDerivativesWorkspace<Real> ws(model);
    const int n = model.n_v();
    energy_derivatives(model, ws, s.q, s.qd,
                       {K_q, K_qd, U_q, column_major(h_q.data(), 6, n),
                        column_major(h_qd.data(), 6, n), column_major(c_q.data(), 3, n)});
  }
};

template <class Real>
class EnergyDerivativesOf : public ::testing::Test {};
TYPED_TEST_SUITE(EnergyDerivativesOf, testing::Scalars, testing::ScalarNames);

TYPED_TEST(EnergyDerivativesOf, trees_of_every_joint_are_those_of_dual_numbers) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const auto model = testing::model_for<Real>(
        Model<double>(testing::random_tree(seed, 14, testing::everything())));
    const State<Real> s(model, seed);
    const Found<Real> d(model, s);
    const auto truth = testing::slopes_by_duals(model, s.q, s.qd, s.qdd, energies(model));
    const double scale =
        100 * std::max(testing::scale_of(truth.by_q), testing::scale_of(truth.by_qd));
    for (std::size_t k = 0; k < s.qd.size(); ++k) {
      const Real *by_q = &truth.by_q[11 * k], *by_qd = &truth.by_qd[11 * k];
      EXPECT_CLOSE(d.K_q[k], by_q[0], scale) << "seed " << seed << ", velocity " << k;
      EXPECT_CLOSE(d.K_qd[k], by_qd[0], scale);
      EXPECT_CLOSE(d.U_q[k], by_q[1], scale);
      EXPECT_CLOSE(by_qd[1], Real(0), scale);
      for (std::size_t r = 0; r < 6; ++r) {
        EXPECT_CLOSE(d.h_q[6 * k + r], by_q[2 + r], scale) << "seed " << seed << ", row " << r;
        EXPECT_CLOSE(d.h_qd[6 * k + r], by_qd[2 + r], scale);
      }
      for (std::size_t r = 0; r < 3; ++r) EXPECT_CLOSE(d.c_q[3 * k + r], by_q[8 + r], scale);
    }
  }
}

TEST(EnergyDerivatives, of_random_trees_are_those_of_central_differences) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14, testing::everything()));
    const State<double> s(model, seed);
    const Found<double> d(model, s);
    const auto truth = testing::slopes_by_differences(model, s.q, s.qd, s.qdd, energies(model));
    const double tolerance = 1e-8 * testing::scale_of(truth.by_q);
    for (std::size_t k = 0; k < s.qd.size(); ++k) {
      EXPECT_NEAR(d.K_q[k], truth.by_q[11 * k], tolerance);
      EXPECT_NEAR(d.U_q[k], truth.by_q[11 * k + 1], tolerance);
      for (std::size_t r = 0; r < 6; ++r)
        EXPECT_NEAR(d.h_q[6 * k + r], truth.by_q[11 * k + 2 + r], tolerance);
      for (std::size_t r = 0; r < 3; ++r)
        EXPECT_NEAR(d.c_q[3 * k + r], truth.by_q[11 * k + 8 + r], tolerance);
    }
  }
}

TEST(EnergyDerivatives, of_the_potential_are_the_gravity_torque) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model<double> model(testing::random_tree(seed, 20, testing::everything()));
    const State<double> s(model, seed);
    const Found<double> d(model, s);
    RneaWorkspace<double> rnea(model);
    std::vector<double> gravity(s.qd.size());
    gravity_torque(model, rnea, s.q, gravity);
    for (std::size_t k = 0; k < gravity.size(); ++k)
      EXPECT_CLOSE(d.U_q[k], gravity[k], 50 * testing::scale_of(gravity));
  }
}

TEST(EnergyDerivatives, of_a_robot_allocate_nothing) {
  const Model<double> model(testing::random_tree(7, 30, testing::everything()));
  const State<double> s(model, 3);
  EnergyDerivativesWorkspace<double> ws(model);
  std::vector<double> by_q(s.qd.size());
  const testing::AllocationCounter counter;
  energy_derivatives(model, ws, s.q, s.qd, {by_q, {}, {}, {}, {}, {}});
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
