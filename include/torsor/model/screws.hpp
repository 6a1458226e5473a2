#pragma once
/// A chain from its screws: the product of exponentials as a robot.
///
///   T_i(q) = exp(S_1 q_1) ... exp(S_i q_i) M_i       S_i = (w, v), M_i = T_i(0), in the root frame
///
///   |w| = 1, w.v = 0   revolute about w through w x v
///   |w| = 1, w.v = h   helical, pitch h in m/rad
///   w = 0, |v| = 1     prismatic along v
///
/// Frames   A link's frame must lie on its joint's axis and M_i need not: link i's frame has the
///          axes of M_i and its origin at the point of the axis nearest to M_i's. "frame_<i>" is
///          M_i by name, and "tool" is fixed to the last link. A prismatic joint has no line, so
///          there the link's frame is M_i.
/// Source   Brockett 1984; Murray, Li & Sastry 1994, sec. 3.2; Lynch & Park 2017, ch. 4.
#include <string>
#include <vector>

#include "torsor/model/description.hpp"

namespace torsor {

/// Joint i, its screw, and the link behind it.
struct ScrewJoint {
  Twist<double> screw{};  ///< S_i at q = 0, in the root frame, unit
  SE3<double> home{};     ///< M_i: pose of the author's frame i in the root frame at q = 0
  std::string name;       ///< of the joint; empty: "joint_<i>", counted from 1
  std::string link;       ///< empty: "link_<i>"
  Inertial inertial;      ///< in the author's frame i
  bool has_inertial = false;
  std::vector<Limits> limits;
  std::vector<Friction> friction;
  std::vector<Actuator> actuator;
};

/// `tool_home` is the tool's pose in the root frame at q = 0. Throws Error when there is no joint,
/// a number is not finite, or a screw is not a unit screw to 1e-9.
RobotDescription from_screws(const std::string& name, const std::vector<ScrewJoint>& joints,
                             const SE3<double>& tool_home);

/// The same with the last M_i as tool. `inertials` has one entry per joint or is empty.
RobotDescription from_screws(const std::string& name, const std::vector<Twist<double>>& screws,
                             const std::vector<SE3<double>>& homes,
                             const std::vector<Inertial>& inertials = {});

}  // namespace torsor
