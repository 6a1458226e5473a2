#include "torsor/dynamics/hybrid.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"

namespace torsor {
namespace {

using testing::State;

/// Which joints are prescribed: a drawn subset, all, or none.
std::vector<char> subset(int n_bodies, unsigned seed) {
  testing::Draw<double> draw(seed + 1000);
  std::vector<char> mask(static_cast<std::size_t>(n_bodies));
  for (char& m : mask) m = draw() > 0 ? 1 : 0;
  return mask;
}

/// tau of the accelerations.
template <class Param, class Real>
std::vector<Real> torque(const Model<Param>& model, const State<Real>& s) {
  RneaWorkspace<Real> ws(model);
  std::vector<Real> tau(s.qd.size());
  rigid_inverse_dynamics(model, ws, s.q, s.qd, s.qdd, s.F_ext, tau);
  return tau;
}

template <class Real>
class Hybrid : public ::testing::Test {};
TYPED_TEST_SUITE(Hybrid, testing::Scalars, testing::ScalarNames);

TYPED_TEST(Hybrid, L_05_any_subset_gives_back_the_motion_and_its_torques) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const auto model = testing::model_for<Real>(
        Model<double>(testing::random_tree(seed, 8, testing::everything())));
    const State<Real> s(model, seed);
    const std::vector<Real> tau = torque(model, s);
    const std::vector<char> mask = subset(model.n_bodies(), seed);
    std::vector<Real> a(s.qdd), t(tau);
    for (int i = 1; i < model.n_bodies(); ++i)  // what is asked for holds nonsense before
      for (int k = 0; k < model.canonical(i).n_v; ++k)
        (mask[static_cast<std::size_t>(i)]
             ? t
             : a)[static_cast<std::size_t>(model.canonical(i).v + k)] = Real(1e3);
    AbaWorkspace<Real> ws(model);
    const auto result = rigid_hybrid_dynamics(model, ws, mask, s.q, s.qd, a, t, s.F_ext);
    EXPECT_TRUE(result);
    const double condition =
        std::max(1.0, 1 / testing::distance(Real(result.pivot_ratio), Real(0)));
    const double scale = testing::scale_of(tau) * condition;
    for (std::size_t k = 0; k < a.size(); ++k) {
      EXPECT_CLOSE(a[k], s.qdd[k], 50 * scale) << "seed " << seed;
      EXPECT_CLOSE(t[k], tau[k], 50 * scale) << "seed " << seed;
    }
  }
}

TYPED_TEST(Hybrid, L_05_all_prescribed_is_inverse_dynamics) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto model = testing::model_for<Real>(
        Model<double>(testing::random_tree(seed, 14, testing::everything())));
    State<Real> s(model, seed);
    const std::vector<Real> expected = torque(model, s), given = s.qdd;
    const std::vector<char> all(static_cast<std::size_t>(model.n_bodies()), 1);
    AbaWorkspace<Real> ws(model);
    EXPECT_TRUE(rigid_hybrid_dynamics(model, ws, all, s.q, s.qd, s.qdd, s.tau, s.F_ext));
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_CLOSE(s.tau[k], expected[k], 100 * testing::scale_of(expected)) << "seed " << seed;
      EXPECT_EQ(testing::distance(s.qdd[k], given[k]), 0);
    }
  }
}

TYPED_TEST(Hybrid, L_05_none_prescribed_is_forward_dynamics) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto model = testing::model_for<Real>(
        Model<double>(testing::random_tree(seed, 14, testing::everything())));
    State<Real> s(model, seed);
    const std::vector<char> none(static_cast<std::size_t>(model.n_bodies()), 0);
    AbaWorkspace<Real> ws(model);
    std::vector<Real> expected(s.qd.size());
    const auto forward = rigid_forward_dynamics(model, ws, s.q, s.qd, s.tau, s.F_ext, expected);
    const auto hybrid = rigid_hybrid_dynamics(model, ws, none, s.q, s.qd, s.qdd, s.tau, s.F_ext);
    EXPECT_CLOSE(Real(hybrid.pivot_ratio), Real(forward.pivot_ratio), 10);
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_CLOSE(s.qdd[k], expected[k], 10 * testing::scale_of(expected)) << "seed " << seed;
  }
}

RobotDescription chain_with_massless_end() {
  RobotDescription d = testing::random_tree(3, 4,
                                            {.kinds = testing::one_dof_kinds(),
                                             .chain = true,
                                             .fixed_links = false,
                                             .dissipation = false,
                                             .rotors = false});
  d.links.back().inertial = {};
  return d;
}

TEST(HybridDynamics,
     a_massless_end_is_singular_where_it_is_free_and_harmless_where_it_is_prescribed) {
  const Model<double> model(chain_with_massless_end());
  State<double> s(model, 1);
  AbaWorkspace<double> ws(model);
  std::vector<char> mask(static_cast<std::size_t>(model.n_bodies()), 0);
  EXPECT_FALSE(rigid_hybrid_dynamics(model, ws, mask, s.q, s.qd, s.qdd, s.tau, {}));
  for (const double x : s.qdd) EXPECT_TRUE(std::isfinite(x));
  mask.back() = 1;
  EXPECT_TRUE(rigid_hybrid_dynamics(model, ws, mask, s.q, s.qd, s.qdd, s.tau, {}));
  EXPECT_NEAR(s.tau.back(), 0, 1e-14);
}

TEST(HybridDynamics, pivots_of_prescribed_joints_do_not_count) {
  const Model<double> model(testing::random_tree(2, 5, {.kinds = testing::one_dof_kinds()}));
  State<double> s(model, 1);
  AbaWorkspace<double> ws(model);
  for (int released = 1; released < model.n_bodies(); ++released) {
    std::vector<char> mask(static_cast<std::size_t>(model.n_bodies()), 1);
    mask[static_cast<std::size_t>(released)] = 0;
    const auto result = rigid_hybrid_dynamics(model, ws, mask, s.q, s.qd, s.qdd, s.tau, {});
    EXPECT_TRUE(result);
    EXPECT_EQ(result.pivot_ratio, 1);  // of one pivot to itself
  }
}

TEST(HybridDynamics, a_call_allocates_nothing) {
  const Model<double> model(testing::random_tree(7, 30, testing::everything()));
  State<double> s(model, 3);
  const std::vector<char> mask = subset(model.n_bodies(), 5);
  AbaWorkspace<double> ws(model);
  const testing::AllocationCounter counter;
  const auto result = rigid_hybrid_dynamics(model, ws, mask, s.q, s.qd, s.qdd, s.tau, s.F_ext);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_TRUE(result);
}

}  // namespace
}  // namespace torsor
