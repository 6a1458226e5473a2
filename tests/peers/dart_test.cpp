// DART 6.12 (Debian's libdart-dev): the same robots as its skeletons.
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/WeldJoint.hpp>

#include "peers/peer_robots.hpp"

namespace torsor {
namespace {

using testing::Matrix;
using testing::PeerRobot;
using testing::PeerState;
using testing::Vector;
using namespace dart::dynamics;  // NOLINT: its joints only

Eigen::Vector3d vector(const Vec3<double>& x) { return {x.x, x.y, x.z}; }
Eigen::Isometry3d pose(const SE3<double>& T) {
  Eigen::Isometry3d out = Eigen::Isometry3d::Identity();
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) out.matrix()(r, c) = T.R(r, c);
    out.matrix()(r, 3) = T.p[r];
  }
  return out;
}

/// Its free and ball joints have our velocities (body twist, angular first), but other coordinates.
class Peer {
 public:
  explicit Peer(const torsor::Model<double>& model)
      : model_(model), skeleton_(Skeleton::create(model.name())) {
    const RobotDescription& robot = model.description();
    skeleton_->setGravity(vector(robot.gravity));
    torsor::Joint root;
    root.kind = JointKind::fixed;
    root.name = "to_the_world", root.child = testing::root_of(robot);
    root.placement = robot.base;
    add_with_children(root, nullptr);
  }

  void set(const Vector& q, const Vector& v) {
    Vector theirs(skeleton_->getNumDofs());
    for (int i = 1; i < model_.n_bodies(); ++i) {
      const auto at = model_.body(i).q.first, to = model_.body(i).v.first;
      const JointKind kind = model_.body(i).kind;
      if (kind != JointKind::free && kind != JointKind::spherical) {
        theirs[to] = q[at];
        continue;
      }
      const int turn = kind == JointKind::free ? at + 3 : at;
      Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
      T.linear() =
          Eigen::Quaterniond(q[turn + 3], q[turn], q[turn + 1], q[turn + 2]).toRotationMatrix();
      if (kind == JointKind::free) {
        T.translation() = q.segment<3>(at);
        theirs.segment<6>(to) = FreeJoint::convertToPositions(T);
      } else {
        theirs.segment<3>(to) = BallJoint::convertToPositions(T.linear());
      }
    }
    skeleton_->setPositions(theirs);
    skeleton_->setVelocities(v);
  }
  Vector inverse(const Vector& qdd) {
    skeleton_->setAccelerations(qdd);
    skeleton_->computeInverseDynamics();
    return skeleton_->getForces();
  }
  Vector forward(const Vector& tau) {
    skeleton_->setForces(tau);
    skeleton_->computeForwardDynamics();
    return skeleton_->getAccelerations();
  }
  Matrix mass() { return skeleton_->getMassMatrix(); }
  Vector bias() { return skeleton_->getCoriolisAndGravityForces(); }

 private:
  template <class Kind>
  std::pair<Kind*, BodyNode*> add(const torsor::Joint& joint, BodyNode* parent) {
    typename Kind::Properties properties;
    properties.mName = joint.name;
    properties.mT_ParentBodyToJoint = pose(joint.placement);
    return skeleton_->createJointAndBodyNodePair<Kind>(parent, properties,
                                                       BodyNode::AspectProperties(joint.child));
  }
  BodyNode* add_of_kind(const torsor::Joint& joint, BodyNode* parent) {
    switch (joint.kind) {
      case JointKind::free:
        return add<FreeJoint>(joint, parent).second;
      case JointKind::spherical:
        return add<BallJoint>(joint, parent).second;
      case JointKind::fixed:
        return add<WeldJoint>(joint, parent).second;
      case JointKind::prismatic: {
        const auto [moving, body] = add<PrismaticJoint>(joint, parent);
        moving->setAxis(vector(joint.axis));
        return body;
      }
      default: {
        const auto [moving, body] = add<RevoluteJoint>(joint, parent);
        moving->setAxis(vector(joint.axis));
        return body;
      }
    }
  }
  void add_with_children(const torsor::Joint& joint, BodyNode* parent) {
    BodyNode* const body = add_of_kind(joint, parent);
    const Inertial& I = model_.description().find_link(joint.child)->inertial;
    Eigen::Matrix3d J;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) J(r, c) = I.about_com.matrix()(r, c);
    body->setInertia(dart::dynamics::Inertia(I.mass, vector(I.com), J));
    for (const torsor::Joint* child : testing::children_of(model_.description(), joint.child))
      add_with_children(*child, body);
  }

  const torsor::Model<double>& model_;
  SkeletonPtr skeleton_;
};

/// DART's joints have no rotors.
PeerRobot without_rotors(PeerRobot robot) {
  for (torsor::Joint& joint : robot.description.joints) joint.actuator.clear();
  return robot;
}

class Dart : public ::testing::TestWithParam<PeerRobot> {};

TEST_P(Dart, gives_the_same_torques_accelerations_mass_matrix_and_bias) {
  Robot robot{Model<double>(GetParam().description)};
  Peer peer(robot.model());
  for (unsigned seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    const PeerState s(robot, seed);
    peer.set(s.q, s.qd);
    EXPECT_LT(testing::difference(peer.inverse(s.qdd), s.tau), s.tolerance());
    EXPECT_LT(testing::difference(peer.forward(s.torque_given), s.qdd_of_torque),
              s.acceleration_tolerance());
    EXPECT_LT(testing::difference(peer.mass(), s.M), s.tolerance());
    EXPECT_LT(testing::difference(peer.bias(), s.bias), s.tolerance());
  }
}

INSTANTIATE_TEST_SUITE_P(, Dart,
                         ::testing::Values(without_rotors(testing::puma()),
                                           without_rotors(testing::panda()),
                                           testing::floating_tree()),
                         [](const auto& robot) { return robot.param.name; });

}  // namespace
}  // namespace torsor
