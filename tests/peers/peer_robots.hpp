#pragma once
/// Robots and states on which this library is compared with others, and our side of the numbers.
///
/// Every one of them computes in double precision by recursions of a few hundred operations, on
/// constants that agree to the last digit or two: differences stay below a few hundred epsilon of
/// the largest number of the robot at that state. `tolerance` is a thousand.
#include <Eigen/Dense>

#include "support/dynamics_state.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/math/principal_axes.hpp"
#include "torsor/model/surgery.hpp"
#include "torsor/robot.hpp"

namespace torsor::testing {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

struct PeerRobot {
  std::string name;
  RobotDescription description;

  friend void PrintTo(const PeerRobot& robot, std::ostream* out) { *out << robot.name; }
};

/// Without friction and limits, whose models differ between libraries. Published inertias need not
/// be those of a possible body, which MuJoCo insists on: 0.4 kg m^2 in each direction and 0.1 kg
/// are added to every link.
inline RobotDescription comparable(RobotDescription robot) {
  for (Joint& joint : robot.joints) {
    joint.friction.clear();
    joint.limits.clear();
    joint.spring.clear();
    for (Actuator& motor : joint.actuator) motor.motor_viscous = motor.disturbance = 0;
  }
  for (Link& link : robot.links) {
    link.inertial.mass += 0.1;
    link.inertial.about_com = link.inertial.about_com + Sym3<double>::diagonal(0.4, 0.4, 0.4);
    link.has_inertial = true;
  }
  return robot;
}
inline PeerRobot puma() { return {"puma560", comparable(load_description("puma560"))}; }
inline PeerRobot panda() { return {"panda", comparable(load_description("panda"))}; }
/// A floating base with twelve joints.
inline PeerRobot floating_tree() {
  const RobotDescription tree =
      random_tree(11, 12,
                  {.kinds = {JointKind::revolute, JointKind::prismatic, JointKind::spherical},
                   .rotors = false});
  return {"floating_tree",
          comparable(with_base(Model<double>(tree), JointKind::free).description())};
}

/// Our answers at one random state. tau is of the rigid bodies and rotors.
struct PeerState {
  Vector q, qd, qdd, tau, bias, torque_given, qdd_of_torque;
  Matrix M;
  double scale = 1;

  PeerState(Robot& robot, unsigned seed) {
    const State<double> s(robot.model(), seed);
    const auto eigen = [](const std::vector<double>& x) {
      return Vector(Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size())));
    };
    q = eigen(s.q), qd = eigen(s.qd), qdd = eigen(s.qdd), torque_given = 10 * eigen(s.tau);
    tau = robot.inverse_dynamics(q, qd, qdd);
    bias = robot.bias_torque(q, qd);
    M = robot.mass_matrix(q);
    const auto forward = robot.forward_dynamics(q, qd, torque_given);
    EXPECT_TRUE(forward);
    qdd_of_torque = forward.qdd;
    scale = 1 + tau.cwiseAbs().maxCoeff() + bias.cwiseAbs().maxCoeff() + M.cwiseAbs().maxCoeff();
  }
  double tolerance() const { return 1000 * std::numeric_limits<double>::epsilon() * scale; }
  /// M^-1 blows the differences of torques up.
  double acceleration_tolerance() const {
    return tolerance() * (1 + qdd_of_torque.cwiseAbs().maxCoeff()) *
           Matrix(M.inverse()).cwiseAbs().maxCoeff();
  }
};

inline double difference(const Matrix& a, const Matrix& b) {
  EXPECT_EQ(a.rows(), b.rows());
  EXPECT_EQ(a.cols(), b.cols());
  const double d = (a - b).cwiseAbs().maxCoeff();
  return d >= 0 ? d : std::numeric_limits<double>::infinity();
}

/// Joints that a link carries, in the order of the file, and the joint that carries it.
inline std::vector<const Joint*> children_of(const RobotDescription& robot,
                                             const std::string& link) {
  std::vector<const Joint*> found;
  for (const Joint& joint : robot.joints)
    if (joint.parent == link) found.push_back(&joint);
  return found;
}
inline std::string root_of(const RobotDescription& robot) {
  for (const Link& link : robot.links) {
    bool child = false;
    for (const Joint& joint : robot.joints) child |= joint.child == link.name;
    if (!child) return link.name;
  }
  return "";
}

}  // namespace torsor::testing
