// Orocos KDL 1.5 (Debian's liborocos-kdl-dev): chains on a fixed base.
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>

#include "peers/peer_robots.hpp"

namespace torsor {
namespace {

using testing::Matrix;
using testing::PeerRobot;
using testing::PeerState;
using testing::Vector;

KDL::Vector vector(const Vec3<double>& x) { return {x.x, x.y, x.z}; }
KDL::Frame frame(const SE3<double>& T) {
  const auto& R = T.R;
  return {KDL::Rotation(R(0, 0), R(0, 1), R(0, 2), R(1, 0), R(1, 1), R(1, 2), R(2, 0), R(2, 1),
                        R(2, 2)),
          vector(T.p)};
}

/// One segment per link of the longest branch; its joint stands at the start of the segment.
KDL::Chain chain_of(const Model<double>& model) {
  const RobotDescription& robot = model.description();
  KDL::Chain chain;
  chain.addSegment(KDL::Segment("base", KDL::Joint(KDL::Joint::None), frame(robot.base)));
  std::string link = testing::root_of(robot);
  for (auto next = testing::children_of(robot, link); !next.empty();
       next = testing::children_of(robot, link)) {
    EXPECT_EQ(next.size(), 1u) << link;
    const Joint& joint = *next.front();
    const Inertial& I = robot.find_link(joint.child)->inertial;
    const auto& J = I.about_com;
    const KDL::RigidBodyInertia inertia(I.mass, vector(I.com),
                                        KDL::RotationalInertia(J.xx, J.yy, J.zz, J.xy, J.xz, J.yz));
    const KDL::Vector origin = vector(joint.placement.p),
                      axis = vector(joint.placement.R * joint.axis);
    const bool fixed = joint.kind == JointKind::fixed;
    const double rotor =
        fixed ? 0 : model.dof(model.body(model.joint_index(joint.name)).v.first).armature;
    const KDL::Joint moving =
        fixed ? KDL::Joint(joint.name, KDL::Joint::None)
              : KDL::Joint(joint.name, origin, axis,
                           joint.kind == JointKind::prismatic ? KDL::Joint::TransAxis
                                                              : KDL::Joint::RotAxis,
                           1, 0, rotor);
    chain.addSegment(KDL::Segment(joint.child, moving, frame(joint.placement), inertia));
    link = joint.child;
  }
  return chain;
}
KDL::JntArray array(const Vector& x) {
  KDL::JntArray out(static_cast<unsigned>(x.size()));
  out.data = x;
  return out;
}

class Kdl : public ::testing::TestWithParam<PeerRobot> {};

TEST_P(Kdl, gives_the_same_torques_accelerations_mass_matrix_and_bias) {
  Robot robot{Model<double>(GetParam().description)};
  const KDL::Chain chain = chain_of(robot.model());
  const int n = robot.n_v();
  ASSERT_EQ(static_cast<int>(chain.getNrOfJoints()), n);
  const KDL::Vector g = vector(robot.model().gravity());
  KDL::ChainIdSolver_RNE inverse(chain, g);
  KDL::ChainFdSolver_RNE forward(chain, g);
  KDL::ChainDynParam parameters(chain, g);
  const KDL::Wrenches none(chain.getNrOfSegments());
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    const PeerState s(robot, seed);
    const auto q = array(s.q), qd = array(s.qd), qdd = array(s.qdd), given = array(s.torque_given);
    KDL::JntArray tau(q.rows()), result(q.rows()), coriolis(q.rows()), gravity(q.rows());
    ASSERT_GE(inverse.CartToJnt(q, qd, qdd, none, tau), 0);
    EXPECT_LT(testing::difference(tau.data, s.tau), s.tolerance());
    ASSERT_GE(forward.CartToJnt(q, qd, given, none, result), 0);
    EXPECT_LT(testing::difference(result.data, s.qdd_of_torque), s.acceleration_tolerance());
    KDL::JntSpaceInertiaMatrix M(q.rows());
    ASSERT_GE(parameters.JntToMass(q, M), 0);
    EXPECT_LT(testing::difference(M.data, s.M), s.tolerance());
    ASSERT_GE(parameters.JntToCoriolis(q, qd, coriolis), 0);
    ASSERT_GE(parameters.JntToGravity(q, gravity), 0);
    EXPECT_LT(testing::difference(coriolis.data + gravity.data, s.bias), s.tolerance());
  }
}

INSTANTIATE_TEST_SUITE_P(, Kdl, ::testing::Values(testing::puma(), testing::panda()),
                         [](const auto& robot) { return robot.param.name; });

}  // namespace
}  // namespace torsor
