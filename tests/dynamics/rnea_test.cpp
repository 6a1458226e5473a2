#include "torsor/dynamics/rnea.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/dynamics/joint_wrenches.hpp"

namespace torsor {
namespace {

using testing::State;

template <class Real>
class Rnea : public ::testing::Test {};
TYPED_TEST_SUITE(Rnea, testing::Scalars, testing::ScalarNames);

TYPED_TEST(Rnea, L_03_canonical_torques_are_those_of_newton_euler_in_link_frames) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const auto model = testing::model_for<Real>(
        Model<double>(testing::random_tree(seed, 14, testing::everything())));
    State<Real> s(model, seed);
    RneaWorkspace<Real> ws(model);
    rigid_inverse_dynamics(model, ws, s.q, s.qd, s.qdd, s.F_ext, s.tau);
    JointWrenchWorkspace<Real> physical(model);
    std::vector<Real> expected(s.tau.size());
    joint_wrenches(model, physical, s.q, s.qd, s.qdd, s.F_ext, expected);
    internal::add_rotor_torques(model, In<Real>(s.qdd), Out<Real>(expected));
    const double scale = testing::scale_of(expected);
    for (std::size_t k = 0; k < expected.size(); ++k)
      EXPECT_CLOSE(s.tau[k], expected[k], 100 * scale) << "seed " << seed;
  }
}

/// Lynch & Park 2017, exercise-style three-link example with screw axis (1, 0, 1)/sqrt 2 at the first joint:
/// the torques printed by the book's own software for this state are 74.69616155, -33.06766016, -3.23057314.
TEST(InverseDynamics, three_link_example_of_lynch_and_park) {
  RobotDescription d;
  d.gravity = {0, 0, -9.8};
  const double mass[] = {0, 3.7, 8.393, 2.275};
  const Sym3<double> inertia[] = {{},
                                  Sym3<double>::diagonal(0.010267, 0.010267, 0.00666),
                                  Sym3<double>::diagonal(0.22689, 0.22689, 0.0151074),
                                  Sym3<double>::diagonal(0.0494433, 0.0494433, 0.004095)};
  for (int i = 0; i < 4; ++i) {
    Link link;
    link.name = "link" + std::to_string(i);
    link.inertial = {mass[i], {}, inertia[i]};
    d.links.push_back(link);
  }
  const SE3<double> M[] = {{SO3<double>::identity(), {0, 0, 0.089159}},
                           {{{0, 0, -1}, {0, 1, 0}, {1, 0, 0}}, {0.28, 0.13585, 0}},
                           {SO3<double>::identity(), {0, -0.1197, 0.395}}};
  const Twist<double> S[] = {
      {{1, 0, 1}, {0, 1, 0}}, {{0, 1, 0}, {-0.089, 0, 0}}, {{0, 1, 0}, {-0.089, 0, 0.425}}};
  // Each screw is a hinge through the point of its axis that is closest to the world's origin.
  SE3<double> home{}, T_world_link{};
  for (int i = 0; i < 3; ++i) {
    home = home * M[i];
    const Vec3<double> w = S[i].w, point = cross(w, S[i].v) * (1 / squared_norm(w));
    // Link frame: at home on the joint's axis; the book's frame (at the mass centre) is fixed to it.
    const SE3<double> T_world_joint{SO3<double>::identity(), point};
    Joint joint;
    joint.name = "joint" + std::to_string(i + 1);
    joint.parent = "link" + std::to_string(i);
    joint.child = "link" + std::to_string(i + 1);
    joint.axis = w * (1 / norm(w));
    joint.placement = inverse_times(T_world_link, T_world_joint);
    d.joints.push_back(joint);
    T_world_link = T_world_joint;
    const SE3<double> T_link_com = inverse_times(T_world_link, home);
    const auto k = static_cast<std::size_t>(i + 1);
    d.links[k].inertial = {mass[i + 1], T_link_com.p, rotated(T_link_com.R, inertia[i + 1])};
  }
  const Model<double> model(d);
  const double r = std::sqrt(2.0);  // the book's first screw is not a unit one
  const std::vector<double> q{0.1 * r, 0.1, 0.1}, qd{0.1 * r, 0.2, 0.3}, qdd{2 * r, 1.5, 1};
  std::vector<double> tau(3);
  std::vector<Wrench<double>> F_ext(4);
  const SE3<double> T_link_tip =
      inverse_times(T_world_link, home * SE3<double>{SO3<double>::identity(), {0, 0, 0.14225}});
  F_ext[3] = Ad_dual_inv(T_link_tip, Wrench<double>{{-1, -1, -1}, {-1, -1, -1}});
  RneaWorkspace<double> ws(model);
  rigid_inverse_dynamics(model, ws, q, qd, qdd, F_ext, tau);
  EXPECT_NEAR(tau[0] * r, 74.69616155, 1e-8);
  EXPECT_NEAR(tau[1], -33.06766016, 1e-8);
  EXPECT_NEAR(tau[2], -3.23057314, 1e-8);
}

TEST(InverseDynamics, a_call_allocates_nothing) {
  const Model<double> model(testing::random_tree(7, 30, testing::everything()));
  State<double> s(model, 3);
  RneaWorkspace<double> ws(model);
  const testing::AllocationCounter counter;
  rigid_inverse_dynamics(model, ws, s.q, s.qd, s.qdd, s.F_ext, s.tau);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
