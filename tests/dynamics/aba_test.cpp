#include "torsor/dynamics/aba.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"

namespace torsor {
namespace {

using testing::State;

template <class Real>
class Aba : public ::testing::Test {};
TYPED_TEST_SUITE(Aba, testing::Scalars, testing::ScalarNames);

template <class Real>
void expect_the_acceleration_back(const testing::RandomTree& options) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const auto description = testing::random_tree(seed, 8, options);
    const auto model = testing::model_for<Real>(Model<double>(description));
    State<Real> s(model, seed);
    RneaWorkspace<Real> rnea(model);
    AbaWorkspace<Real> aba(model);
    rigid_inverse_dynamics(model, rnea, s.q, s.qd, s.qdd, s.F_ext, s.tau);
    std::vector<Real> qdd(s.qdd.size());
    const auto result = rigid_forward_dynamics(model, aba, s.q, s.qd, s.tau, s.F_ext, qdd);
    EXPECT_TRUE(result);
    // Rounding of tau is magnified by the condition of M; the pivots' ratio measures it.
    double worst = 0;
    for (std::size_t k = 0; k < qdd.size(); ++k)
      worst = std::max(worst, testing::distance(qdd[k], s.qdd[k]));
    const double condition = 1 / testing::distance(Real(result.pivot_ratio), Real(0));
    EXPECT_LE(worst, 50 * testing::eps<Real> * testing::scale_of(s.tau) * std::max(1.0, condition))
        << "seed " << seed;
  }
}

TYPED_TEST(Aba, L_04_forward_dynamics_of_the_inverse_is_the_acceleration) {
  expect_the_acceleration_back<TypeParam>({});
}
TYPED_TEST(Aba, L_04_forward_dynamics_without_rotors_is_the_acceleration_too) {
  expect_the_acceleration_back<TypeParam>({.kinds = testing::one_dof_kinds(), .rotors = false});
}

TEST(ForwardDynamics, a_massless_end_is_reported_and_nothing_is_infinite) {
  RobotDescription d = testing::random_tree(3, 4,
                                            {.kinds = testing::one_dof_kinds(),
                                             .chain = true,
                                             .fixed_links = false,
                                             .dissipation = false,
                                             .rotors = false});
  d.links.back().inertial = {};
  const Model<double> model(d);
  State<double> s(model, 1);
  AbaWorkspace<double> ws(model);
  std::vector<double> qdd(s.qd.size());
  const auto result = rigid_forward_dynamics(model, ws, s.q, s.qd, s.tau, {}, qdd);
  EXPECT_FALSE(result);
  for (const double x : qdd) EXPECT_TRUE(std::isfinite(x));
}

TEST(ForwardDynamics, a_call_allocates_nothing) {
  const Model<double> model(testing::random_tree(7, 30, testing::everything()));
  State<double> s(model, 3);
  AbaWorkspace<double> ws(model);
  const testing::AllocationCounter counter;
  const auto result = rigid_forward_dynamics(model, ws, s.q, s.qd, s.tau, s.F_ext, s.qdd);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_TRUE(result);
}

}  // namespace
}  // namespace torsor
