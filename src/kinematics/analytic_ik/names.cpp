// Branch names, from the geometry of the configuration itself.
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
  const ik::Vector line = arm.centre - arm.point[1];
  ik::Vector upper = arm.point[2] - arm.point[1];
  upper -= arm.axis[1] * dot(upper, arm.axis[1]);
  const ik::Vector off = upper - line * (dot(upper, line) / dot(line, line));
  const double up = dot(off, arm.axis[0]);
  if (std::abs(up) > 1e-9) return up > 0 ? "elbow up" : "elbow down";
  return dot(arm.axis[0], cross(line, off)) > 0 ? "elbow left" : "elbow right";
}

}  // namespace

std::string AnalyticIkSolver::branch_name(const AnalyticIkSolution& solution) const {
  using Method = Plan::Method;
  const AnalyticIkBranch& b = solution.branch;
  std::string name;
  const auto add = [&](const std::string& part) { name += name.empty() ? part : ", " + part; };
  const bool arm_names = plan_->n == max_ik_joints && !plan_->backwards &&
                         (plan_->method == Method::three_parallel ||
                          (plan_->method == Method::decoupled && !plan_->dh.slides[0] &&
                           !plan_->dh.slides[1] && !plan_->dh.slides[2]));
  if (arm_names && b.number == 0) {
    ik::Vector centre;
    if (plan_->method == Method::decoupled) {
      centre = forward(plan_->decoupled.arm, solution.q.data()).p;
    } else {  // axis 4 where it carries axis 5
      ik::Dh part = plan_->dh;
      part.n = 4;
      part.tool = {};
      centre = forward(part, solution.q.data()).p;
    }
    const ArmPicture arm = picture(plan_->dh, solution.q.data(), centre);
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

}  // namespace torsor
