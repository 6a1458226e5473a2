// Branch names, from the geometry of the configuration itself.
#include <algorithm>
#include <cmath>

#include "analytic_ik/parts.hpp"

namespace torsor {

using Side = AnalyticIkBranch::Side;

namespace {

/// Axis directions and points of the first three joints, and the wrist centre.
struct ArmPicture {
  ik::Vector axis[3], point[3], centre;
};
ArmPicture picture(const ik::Dh& dh, const double* q, const ik::Vector& centre) {
  ArmPicture arm;
  for (int i = 0; i < 3; ++i) {
    ik::Dh part = dh;  // up to joint i: its z axis is the tool's
    part.n = i;
    part.tool = {};
    const ik::Pose T = forward(part, q);
    arm.axis[i] = T.R.c2;
    arm.point[i] = T.p;
  }
  arm.centre = centre;
  return arm;
}

const char* shoulder_name(const ArmPicture& arm) {
  const ik::Vector r = arm.centre - arm.point[0];
  const ik::Vector offset = arm.axis[1] * dot(r, arm.axis[1]);
  const double side = dot(arm.axis[0], cross(r, offset));
  if (std::abs(side) > 1e-9) return side > 0 ? "left shoulder" : "right shoulder";
  return dot(r, cross(arm.axis[1], arm.axis[0])) > 0 ? "front shoulder" : "back shoulder";
}

const char* elbow_name(const ArmPicture& arm) {
  // In the plane across axis 2, in which the elbow bends.
  ik::Vector line = arm.centre - arm.point[1], upper = arm.point[2] - arm.point[1];
  line -= arm.axis[1] * dot(line, arm.axis[1]);
  upper -= arm.axis[1] * dot(upper, arm.axis[1]);
  const double length2 = dot(line, line);
  const ik::Vector off = length2 > 0 ? upper - line * (dot(upper, line) / length2) : upper;
  const double up = dot(off, arm.axis[0]);
  const ik::Vector front = cross(arm.axis[1], arm.axis[0]);
  const double least = 1e-6 * norm(off);
  if (std::abs(up) > least) return up > 0 ? "elbow up" : "elbow down";
  if (norm(front) > 1e-6) return dot(off, front) > 0 ? "elbow front" : "elbow back";
  return dot(arm.axis[0], cross(line, off)) > 0 ? "elbow left" : "elbow right";
}

std::string branch_name(const AnalyticIkSolver::Plan& plan, const AnalyticIkSolution& solution) {
  using Method = AnalyticIkSolver::Plan::Method;
  const AnalyticIkBranch& b = solution.branch;
  std::string name;
  const auto add = [&](const std::string& part) { name += name.empty() ? part : ", " + part; };
  const bool arm_names = plan.n == max_ik_joints && !plan.backwards &&
                         (plan.method == Method::three_parallel ||
                          (plan.method == Method::decoupled && !plan.dh.slides[0] &&
                           !plan.dh.slides[1] && !plan.dh.slides[2]));
  if (arm_names && b.number == 0) {
    ik::Vector centre;
    if (plan.method == Method::decoupled) {
      centre = forward(plan.decoupled.arm, solution.q.data()).p;
    } else {  // axis 4 where it carries axis 5
      ik::Dh part = plan.dh;
      part.n = 4;
      part.tool = {};
      centre = forward(part, solution.q.data()).p;
    }
    const ArmPicture arm = picture(plan.dh, solution.q.data(), centre);
    if (b.shoulder != Side::none) add(shoulder_name(arm));
    if (b.elbow != Side::none) add(elbow_name(arm));
  } else {
    const auto side = [&](Side s, const char* what) {
      if (s != Side::none) add(std::string(what) + (s == Side::first ? " +" : " -"));
    };
    side(b.shoulder, "shoulder");
    side(b.elbow, "elbow");
    if (b.number > 0) add("solution " + std::to_string(b.number));
  }
  if (b.wrist != Side::none) add(b.wrist == Side::first ? "wrist no flip" : "wrist flip");
  return name.empty() ? "only solution" : name;
}

}  // namespace

Array<std::string> AnalyticIkSolver::branch_names(const AnalyticIkResult& result) const {
  Array<std::string> names;
  for (const AnalyticIkSolution& s : result) names.push_back(branch_name(*plan_, s));
  for (int i = 0; i < names.size(); ++i) {  // what has no name of its own gets a number
    const std::string name = names[i];
    if (std::count(names.begin(), names.end(), name) == 1) continue;
    int number = 0;
    for (std::string& other : names)
      if (other == name) other += " (" + std::to_string(++number) + ")";
  }
  return names;
}

}  // namespace torsor
