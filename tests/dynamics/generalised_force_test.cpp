#include "torsor/dynamics/generalised_force.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/dynamics/joint_wrenches.hpp"

namespace torsor {
namespace {

using testing::Draw;
using testing::State;
using Tangent = Dual<double, 1>;
using Load = AppliedLoad<double>;

template <class Real>
class GeneralisedForce : public ::testing::Test {};
TYPED_TEST_SUITE(GeneralisedForce, testing::Scalars, testing::ScalarNames);

/// An external wrench is a load in other words.
TYPED_TEST(GeneralisedForce, D_02_is_what_inverse_dynamics_saves_on_the_same_wrenches) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const auto model = testing::model_for<Real>(Model<double>(testing::random_tree(seed, 14)));
    const State<Real> s(model, seed);
    std::vector<Real> with(s.tau.size()), without(s.tau.size()), Q(s.tau.size());
    RneaWorkspace<Real> rnea(model);
    rigid_inverse_dynamics(model, rnea, s.q, s.qd, s.qdd, s.F_ext, with);
    rigid_inverse_dynamics(model, rnea, s.q, s.qd, s.qdd, {}, without);
    GeneralisedForceWorkspace<Real> ws(model);
    KinematicsWorkspace<Real> kinematics(model);
    forward_kinematics(model, kinematics, s.q);
    Draw<Real> draw(seed);
    std::vector<AppliedLoad<Real>> loads;
    for (int i = 1; i < model.n_bodies(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      const SO3<Real>& R = kinematics.T_world_body[k].R;
      const Vec3<Real> point = draw.vec();  // the same wrench, its force moved to another point
      loads.push_back(
          {i, point, R * s.F_ext[k].f, R * (s.F_ext[k].m - cross(point, s.F_ext[k].f))});
    }
    generalised_force(model, ws, s.q, loads, Q);
    const double scale = 200 * (testing::scale_of(with) + testing::scale_of(Q));
    for (std::size_t k = 0; k < Q.size(); ++k)
      EXPECT_CLOSE(without[k] - with[k], Q[k], scale) << "seed " << seed;
  }
}

TEST(GeneralisedForceOfATree, D_02_times_a_virtual_displacement_is_the_virtual_work) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model<double> model(testing::random_tree(seed, 12));
    const State<double> s(model, seed);
    Draw<double> draw(seed);
    std::vector<Load> loads;
    for (int k = 0; k < 6; ++k)
      loads.push_back(
          {1 + static_cast<int>(draw(0, model.n_bodies() - 1.001)), draw.vec(), draw.vec(5), {}});
    GeneralisedForceWorkspace<double> ws(model);
    std::vector<double> Q(s.qd.size());
    generalised_force(model, ws, s.q, loads, Q);
    // dr of the points along qd, by dual numbers.
    std::vector<Tangent> q0(s.q.begin(), s.q.end()), step(s.qd.size()), q(q0.size());
    for (std::size_t k = 0; k < step.size(); ++k) step[k].d[0] = s.qd[k];
    integrate(model, q0, step, q);
    KinematicsWorkspace<Tangent> moved(model);
    forward_kinematics(model, moved, q);
    double work = 0, by_Q = 0;
    for (const Load& load : loads) {
      const Vec3<Tangent> r =
          moved.T_world_body[static_cast<std::size_t>(load.body)] * load.point.cast<Tangent>();
      work += load.force.x * r.x.d[0] + load.force.y * r.y.d[0] + load.force.z * r.z.d[0];
    }
    for (std::size_t k = 0; k < Q.size(); ++k) by_Q += Q[k] * s.qd[k];
    EXPECT_CLOSE(work, by_Q, 400 * testing::scale_of(Q)) << "seed " << seed;
  }
}

TEST(GeneralisedForceOfATree, D_02_weights_are_less_the_gravity_torque) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model<double> model(testing::random_tree(seed, 12));
    const State<double> s(model, seed);
    std::vector<Load> weights;
    for (int i = 1; i < model.n_bodies(); ++i) {
      const Inertia<double>& I = model.body(i).inertia;
      weights.push_back({i, I.h * (1 / I.m), model.gravity() * I.m, {}});
    }
    std::vector<double> Q(s.qd.size()), g(s.qd.size());
    GeneralisedForceWorkspace<double> ws(model);
    generalised_force(model, ws, s.q, weights, Q);
    RneaWorkspace<double> rnea(model);
    gravity_torque(model, rnea, s.q, g);
    for (std::size_t k = 0; k < Q.size(); ++k)
      EXPECT_CLOSE(Q[k], -g[k], 200 * testing::scale_of(g)) << "seed " << seed;
  }
}

/// (2-5), (2-6): what joints exert beside their torques does no work; both sides of every joint.
TEST(GeneralisedForceOfATree, D_02_reactions_in_the_joints_give_the_joint_torques_and_no_more) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model<double> model(testing::random_tree(seed, 12));
    const State<double> s(model, seed);
    std::vector<double> tau(s.qd.size()), Q(s.qd.size());
    JointWrenchWorkspace<double> wrenches(model);
    joint_wrenches(model, wrenches, s.q, s.qd, s.qdd, s.F_ext, tau);
    KinematicsWorkspace<double> kinematics(model);
    forward_kinematics(model, kinematics, s.q);
    const auto& T = kinematics.T_world_body;
    std::vector<Load> pairs;
    for (int i = 1; i < model.n_bodies(); ++i) {
      const auto k = static_cast<std::size_t>(i),
                 p = static_cast<std::size_t>(model.body(i).parent);
      const Vec3<double> m = T[k].R * wrenches.F[k].m, f = T[k].R * wrenches.F[k].f;
      pairs.push_back({i, {}, f, m});
      pairs.push_back({model.body(i).parent, transpose_times(T[p].R, T[k].p - T[p].p), -f, -m});
    }
    GeneralisedForceWorkspace<double> ws(model);
    generalised_force(model, ws, s.q, pairs, Q);
    for (std::size_t k = 0; k < Q.size(); ++k)
      EXPECT_CLOSE(Q[k], tau[k], 500 * testing::scale_of(tau)) << "seed " << seed;
  }
}

TEST(GeneralisedForceOfATree, a_call_allocates_nothing) {
  const Model<double> model(testing::random_tree(7, 30));
  const State<double> s(model, 3);
  const std::vector<Load> loads{{3, {1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, {0, {}, {1, 1, 1}, {}}};
  std::vector<double> Q(s.qd.size());
  GeneralisedForceWorkspace<double> ws(model);
  const testing::AllocationCounter counter;
  generalised_force(model, ws, s.q, loads, Q);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
