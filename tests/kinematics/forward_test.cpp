#include "torsor/kinematics/forward.hpp"

#include "support/allocation_counter.hpp"
#include "support/model_for.hpp"
#include "support/random_model.hpp"

namespace torsor {
namespace {

using testing::Draw;

/// q of any scalar: a random configuration moved by a drawn tangent step, so that packs differ by lane and
/// duals carry derivatives.
template <class Real, class Param>
std::vector<Real> drawn_configuration(const Model<Param>& model, std::uint64_t seed) {
  std::vector<double> start(static_cast<std::size_t>(model.n_q()));
  random_configuration(Model<double>(model.description()), seed, start);
  std::vector<Real> q0(start.begin(), start.end()), q(q0.size());
  std::vector<Real> step(static_cast<std::size_t>(model.n_v()));
  Draw<Real> draw(seed + 1);
  for (Real& x : step) x = draw(-0.5, 0.5);
  integrate(model, q0, step, q);
  return q;
}

template <class Real>
class Forward : public ::testing::Test {};
TYPED_TEST_SUITE(Forward, testing::Scalars, testing::ScalarNames);

TYPED_TEST(Forward, pose_of_a_body_is_the_product_of_the_joint_poses_on_the_way) {
  using Real = TypeParam;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model<double> robot(testing::random_tree(static_cast<unsigned>(seed), 16));
    const auto model = testing::model_for<Real>(robot);
    const std::vector<Real> q = drawn_configuration<Real>(model, seed);
    KinematicsWorkspace<Real> ws(model);
    forward_kinematics(model, ws, q);
    std::vector<SE3<Real>> T(static_cast<std::size_t>(model.n_bodies()));
    for (int i = 1; i < model.n_bodies(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      T[k] = T[static_cast<std::size_t>(model.body(i).parent)] * joint_pose(model, i, q);
      EXPECT_CLOSE(ws.T_world_body[k].R, T[k].R, 400);
      EXPECT_CLOSE(ws.T_world_body[k].p, T[k].p, 2000);
    }
  }
}

TYPED_TEST(Forward, of_one_body_gives_its_carriers_and_leaves_the_others) {
  using Real = TypeParam;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Model<double> robot(testing::random_tree(static_cast<unsigned>(seed), 12));
    const auto model = testing::model_for<Real>(robot);
    const std::vector<Real> q = drawn_configuration<Real>(model, seed);
    KinematicsWorkspace<Real> all(model);
    forward_kinematics(model, all, q);
    for (int body = 0; body < model.n_bodies(); ++body) {
      std::vector<bool> carries(static_cast<std::size_t>(all.T_world_body.size()));
      carries[0] = true;
      for (int i = body; i > 0; i = model.body(i).parent)
        carries[static_cast<std::size_t>(i)] = true;
      KinematicsWorkspace<Real> ws(model);
      const SE3<Real> untouched{{}, {Real(7), Real(8), Real(9)}};
      for (SE3<Real>& T : ws.T_world_body) T = untouched;
      forward_kinematics(model, ws, q, body);
      for (std::size_t k = 0; k < carries.size(); ++k) {
        const SE3<Real>& expected = carries[k] ? all.T_world_body[k] : untouched;
        EXPECT_CLOSE(ws.T_world_body[k].R, expected.R, 40);
        EXPECT_CLOSE(ws.T_world_body[k].p, expected.p, 200);
      }
    }
  }
}

TEST(ForwardKinematics, axes_along_x_y_z_of_either_sign_turn_as_the_general_axis_does) {
  const Vec3<double> axes[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  for (const Vec3<double>& axis : axes) {
    RobotDescription d;
    d.links.resize(2);
    d.links[0].name = "base";
    d.links[1].name = "arm";
    Joint joint;
    joint.name = "hinge";
    joint.parent = "base";
    joint.child = "arm";
    joint.axis = axis;
    joint.placement = {exp(Vec3<double>{0.3, -0.5, 0.7}), {0.1, 0.2, 0.3}};
    d.joints.push_back(joint);
    const Model<double> model(d);
    KinematicsWorkspace<double> ws(model);
    const double q[] = {0.8};
    forward_kinematics(model, ws, q);
    const SO3<double> expected = joint.placement.R * exp(axis * q[0]);
    EXPECT_CLOSE(ws.T_world_body[1].R, expected, 8);
    EXPECT_CLOSE(ws.T_world_body[1].p, joint.placement.p, 0);
  }
}

TEST(ForwardKinematics, frames_ride_on_their_bodies) {
  const Model<double> model(testing::random_tree(3, 10));
  const std::vector<double> q = drawn_configuration<double>(model, 5);
  KinematicsWorkspace<double> ws(model);
  forward_kinematics(model, ws, q);
  for (const Frame& frame : model.frames()) {
    const SE3<double> T = frame_pose(ws, frame);
    const SE3<double> expected =
        ws.T_world_body[static_cast<std::size_t>(frame.body)] * frame.placement;
    EXPECT_CLOSE(T.p, expected.p, 8);
  }
}

TEST(ForwardKinematics, a_call_allocates_nothing) {
  const Model<double> model(testing::random_tree(4, 30));
  const std::vector<double> q = drawn_configuration<double>(model, 5);
  KinematicsWorkspace<double> ws(model);
  const testing::AllocationCounter counter;
  forward_kinematics(model, ws, q);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
