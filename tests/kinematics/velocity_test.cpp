#include "torsor/kinematics/velocity.hpp"

#include "support/allocation_counter.hpp"
#include "support/model_for.hpp"
#include "support/random_model.hpp"

namespace torsor {
namespace {

using testing::Draw;

constexpr Reference every_reference[] = {Reference::body, Reference::world,
                                         Reference::world_aligned};

using Moving = Dual<double, 1>;

template <class Real>
struct State {
  std::vector<Real> q, qd, qdd;
};
template <class Real, class Param>
State<Real> drawn_state(const Model<Param>& model, std::uint64_t seed) {
  const auto n_q = static_cast<std::size_t>(model.n_q()),
             n_v = static_cast<std::size_t>(model.n_v());
  std::vector<double> start(n_q);
  random_configuration(Model<double>(model.description()), seed, start);
  const std::vector<Real> q0(start.begin(), start.end());
  State<Real> s;
  s.q.resize(n_q), s.qd.resize(n_v), s.qdd.resize(n_v);
  Draw<Real> draw(seed + 1);
  for (Real& x : s.qd) x = draw(-0.5, 0.5);
  integrate(model, q0, s.qd, s.q);
  for (Real& x : s.qd) x = draw();
  for (Real& x : s.qdd) x = draw();
  return s;
}
/// The same state moving: q with its coordinate rates, qd with qdd.
State<Moving> moving(const Model<double>& model, const State<double>& s) {
  State<Moving> m{std::vector<Moving>(s.q.begin(), s.q.end()),
                  std::vector<Moving>(s.qd.begin(), s.qd.end()),
                  {}};
  std::vector<double> rates(s.q.size());
  for (int i = 1; i < model.n_bodies(); ++i) {
    const auto& b = model.body(i);
    internal::coordinate_rates(model.joint(i), s.q.data() + b.q.first, s.qd.data() + b.v.first,
                               rates.data() + b.q.first);
  }
  for (std::size_t k = 0; k < m.q.size(); ++k) m.q[k].d[0] = rates[k];
  for (std::size_t k = 0; k < m.qd.size(); ++k) m.qd[k].d[0] = s.qdd[k];
  return m;
}
Vec3<double> value(const Vec3<Moving>& a) { return {a.x.value, a.y.value, a.z.value}; }
Vec3<double> rate(const Vec3<Moving>& a) { return {a.x.d[0], a.y.d[0], a.z.d[0]}; }

template <class Real>
class Velocity : public ::testing::Test {};
TYPED_TEST_SUITE(Velocity, testing::Scalars, testing::ScalarNames);

TYPED_TEST(Velocity, of_a_body_is_that_of_the_product_of_the_joint_poses) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const auto model = testing::model_for<Real>(Model<double>(testing::random_tree(seed, 15)));
    const State<Real> s = drawn_state<Real>(model, seed);
    VelocityWorkspace<Real> ws(model);
    forward_velocity(model, ws, s.q, s.qd);
    Array<Twist<Real>> V(ws.V.size());
    for (int i = 1; i < model.n_bodies(); ++i) {
      const auto& b = model.body(i);
      const auto k = static_cast<std::size_t>(i);
      V[k] = Ad_inv(joint_pose(model, i, s.q), V[static_cast<std::size_t>(b.parent)]);
      const auto S = joint_subspace(model, i, s.q);
      for (int c = 0; c < b.v.count; ++c)
        V[k] += S[static_cast<std::size_t>(c)] * s.qd[static_cast<std::size_t>(b.v.first + c)];
      EXPECT_CLOSE(ws.V[k], V[k], 100);
    }
  }
}

/// V'(q, qd, qdd) = V'(q, qd, 0) + dV/dqd qdd, and V is linear in qd.
TYPED_TEST(Velocity, acceleration_is_linear_in_qdd_with_the_columns_of_the_velocity) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const auto model = testing::model_for<Real>(Model<double>(testing::random_tree(seed, 15)));
    const State<Real> s = drawn_state<Real>(model, seed);
    VelocityWorkspace<Real> full(model), bias(model), column(model);
    forward_acceleration(model, full, s.q, s.qd, s.qdd);
    forward_velocity(model, bias, s.q, s.qd);
    forward_velocity(model, column, s.q, s.qdd);
    for (int i = 1; i < full.V.size(); ++i)
      EXPECT_CLOSE(full.Vdot[i], bias.Vdot[i] + column.V[i], 300);
  }
}

TEST(ForwardVelocity, frame_velocity_is_the_derivative_of_the_frame_pose) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model<double> model(testing::random_tree(seed, 15));
    const State<double> s = drawn_state<double>(model, seed);
    VelocityWorkspace<double> ws(model);
    forward_velocity(model, ws, s.q, s.qd);
    KinematicsWorkspace<Moving> duals(model);
    forward_kinematics(model, duals, moving(model, s).q);
    for (const Frame& frame : model.frames()) {
      const SE3<Moving> T = frame_pose(duals, frame);
      const SO3<double> R{value(T.R.c0), value(T.R.c1), value(T.R.c2)};
      const Mat3<double> Rdot{rate(T.R.c0), rate(T.R.c1), rate(T.R.c2)};
      const Twist<double> aligned{vee(Rdot * transpose(R)), rate(T.p)};
      const Twist<double> body{transpose_times(R, aligned.w), transpose_times(R, aligned.v)};
      const Twist<double> world{aligned.w, aligned.v + cross(value(T.p), aligned.w)};
      EXPECT_CLOSE(frame_velocity(ws, frame, Reference::world_aligned), aligned, 150);
      EXPECT_CLOSE(frame_velocity(ws, frame, Reference::body), body, 150);
      EXPECT_CLOSE(frame_velocity(ws, frame, Reference::world), world, 400);
      EXPECT_CLOSE(frame_pose(ws, frame).p, value(T.p), 150);
    }
  }
}

TEST(ForwardVelocity, frame_acceleration_is_the_derivative_of_the_frame_velocity_in_every_form) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model<double> model(testing::random_tree(seed, 15));
    const State<double> s = drawn_state<double>(model, seed);
    VelocityWorkspace<double> ws(model);
    forward_acceleration(model, ws, s.q, s.qd, s.qdd);
    VelocityWorkspace<Moving> duals(model);
    const State<Moving> m = moving(model, s);
    forward_velocity(model, duals, m.q, m.qd);
    for (const Frame& frame : model.frames()) {
      for (const Reference reference : every_reference) {
        const Twist<Moving> V = frame_velocity(duals, frame, reference);
        const Twist<double> expected{rate(V.w), rate(V.v)};
        EXPECT_CLOSE(frame_acceleration(ws, frame, reference), expected, 300);
      }
      const Vec3<double> a = rate(frame_velocity(duals, frame, Reference::world_aligned).v);
      EXPECT_CLOSE(frame_pose(ws, frame).R * classical_acceleration(ws, frame).v, a, 300);
    }
  }
}

TEST(ForwardVelocity, a_robot_at_rest_has_no_acceleration_for_gravity_is_no_kinematics) {
  const Model<double> model(testing::random_tree(3, 20));
  const std::vector<double> q = testing::random_q(model, 3),
                            zero(static_cast<std::size_t>(model.n_v()));
  VelocityWorkspace<double> ws(model);
  forward_acceleration(model, ws, q, zero, zero);
  for (const Frame& frame : model.frames())
    for (const Reference reference : every_reference) {
      EXPECT_CLOSE(frame_velocity(ws, frame, reference), Twist<double>{}, 0);
      EXPECT_CLOSE(frame_acceleration(ws, frame, reference), Twist<double>{}, 0);
    }
}

/// A rod of 0.5 m turning about z at 2 rad/s and speeding up by 3 rad/s^2.
TEST(ForwardVelocity, tip_of_a_turning_rod_has_centripetal_and_tangential_acceleration) {
  RobotDescription d;
  d.links.resize(2);
  d.links[0].name = "base";
  d.links[1].name = "rod";
  Joint hinge;
  hinge.name = "hinge";
  hinge.parent = "base";
  hinge.child = "rod";
  hinge.axis = {0, 0, 1};
  d.joints.push_back(hinge);
  const Model<double> model(d);
  const Frame tip{"tip", 1, {SO3<double>::identity(), {0.5, 0, 0}}};
  VelocityWorkspace<double> ws(model);
  const double q[] = {0}, qd[] = {2}, qdd[] = {3};
  forward_acceleration(model, ws, q, qd, qdd);
  EXPECT_CLOSE(frame_velocity(ws, tip), (Twist<double>{{0, 0, 2}, {0, 1, 0}}), 1);
  EXPECT_CLOSE(frame_acceleration(ws, tip), (Twist<double>{{0, 0, 3}, {0, 1.5, 0}}), 1);
  EXPECT_CLOSE(classical_acceleration(ws, tip), (Twist<double>{{0, 0, 3}, {-2, 1.5, 0}}), 2);
  EXPECT_CLOSE(frame_velocity(ws, tip, Reference::world), (Twist<double>{{0, 0, 2}, {}}), 1);
}

TEST(ForwardVelocity, a_call_allocates_nothing) {
  const Model<double> model(testing::random_tree(4, 30));
  const std::vector<double> q = testing::random_q(model, 4);
  const std::vector<double> v = testing::random_velocity(model, 5);
  VelocityWorkspace<double> ws(model);
  const Frame& frame = model.frames().back();
  const testing::AllocationCounter counter;
  forward_acceleration(model, ws, q, v, v);
  const Twist<double> V = frame_velocity(ws, frame), A = frame_acceleration(ws, frame);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_GT(norm(V.w) + norm(A.w), 0);
}

}  // namespace
}  // namespace torsor
