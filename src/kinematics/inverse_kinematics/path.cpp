// What is prepared once: the joints on the way to the targets.
#include <algorithm>
#include <cmath>

#include "inverse_kinematics/parts.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::numeric_ik {
namespace {

constexpr double pi = 3.14159265358979323846;
using Type = PathJoint::Type;

void add_coordinates(const Model<double>& model, const PathJoint& joint, Plan& plan) {
  const Body<double>& body = model.body(joint.body);
  const JointShape<double>& shape = model.joint(joint.body);
  internal::for_each_part(shape, [&](JointKind kind, EulerOrder, int iq, int iv) {
    if (const int place = internal::quaternion_of(kind); place >= 0) {
      plan.quaternions.push_back(joint.x + iq + place);
      plan.quaternion_steps.push_back(joint.u + iv);
    }
    for (int k = 0; k < n_q(kind); ++k) {
      const int dof = limits_of_coordinate(shape, iq + k);
      const Limits limits = dof < 0 ? Limits{} : model.limits(body.v.first + dof);
      const bool length = internal::coordinate_measure(kind, k) == Measure::length;
      const bool turns = internal::turns_about_axis(kind);
      plan.coordinate.push_back(body.q.first + iq + k);
      plan.lower.push_back(limits.lower);
      plan.upper.push_back(limits.upper);
      plan.wraps.push_back(turns && limits.upper - limits.lower >= 2 * pi);
      plan.unit.push_back(length ? plan.length : 1);
      const double reach = length ? 2 * plan.length : pi;
      double low = limits.lower, high = limits.upper;
      if (!std::isfinite(low)) low = std::isfinite(high) ? high - 2 * reach : -reach;
      if (!std::isfinite(high)) high = low + 2 * reach;
      plan.draw_low.push_back(low);
      plan.draw_high.push_back(high);
    }
    for (int k = 0; k < (joint.tied ? 0 : n_v(kind)); ++k) {
      const int c = internal::moved_coordinate(kind, k);
      plan.coordinate_of_step.push_back(c < 0 ? -1 : joint.x + iq + c);
      plan.unit_of_step.push_back(
          c >= 0 && internal::coordinate_measure(kind, c) == Measure::length ? plan.length : 1);
      plan.per_unit.push_back(1 / plan.unit_of_step.back());
    }
  });
}

/// A joint of the path, not yet numbered.
PathJoint path_joint(const Model<double>& model, int b) {
  const Body<double>& body = model.body(b);
  PathJoint joint;
  joint.type = body.motion == JointMotionClass::turns    ? Type::turn
               : body.motion == JointMotionClass::slides ? Type::slide
                                                         : Type::general;
  joint.body = b;
  joint.link = body.placement * SE3<double>{body.turn, {}};
  if (body.parent != 0)
    joint.link = SE3<double>{transpose(model.body(body.parent).turn), {}} * joint.link;
  joint.n_x = body.q.count, joint.n_u = body.v.count;
  return joint;
}

/// Joints that follow others: their limits bound the master's coordinate.
void bound_master(const Model<double>& model, const PathJoint& joint, Plan& plan) {
  const int c = joint.x, m = joint.x_master;
  if (m >= 0) {
    const double low = (plan.lower[c] - joint.offset) / joint.factor;
    const double high = (plan.upper[c] - joint.offset) / joint.factor;
    plan.lower[m] = std::max(plan.lower[m], std::min(low, high));
    plan.upper[m] = std::min(plan.upper[m], std::max(low, high));
    plan.draw_low[m] = std::max(plan.draw_low[m], plan.lower[m]);
    plan.draw_high[m] = std::min(plan.draw_high[m], plan.upper[m]);
    plan.wraps[m] = 0;
    if (!(plan.lower[m] <= plan.upper[m]))
      refuse("the limits of joint \"" + model.joint_name(joint.body) +
             "\" leave no room to the joint that it follows");
  }
  plan.lower[c] = -infinity, plan.upper[c] = infinity;
  plan.wraps[c] = 0;
}

}  // namespace

void prepare(const Model<double>& model, View<const Frame> frames, Plan& plan) {
  if (frames.empty()) refuse("no frame to move");
  Array<int> number(model.n_bodies(), -1), moving;
  for (const Frame& frame : frames) {
    if (frame.body < 0 || frame.body >= model.n_bodies())
      refuse("frame \"" + frame.name + "\" is on no body of robot \"" + model.name() + "\"");
    if (frame.body == 0) refuse("no joint moves frame \"" + frame.name + "\"");
    for (int b = frame.body; b != 0; b = model.body(b).parent) number[b] = 0;
  }
  for (int b = 1; b < model.n_bodies(); ++b)
    if (number[b] == 0) moving.push_back(b);
  const Array<Tie> ties = find_ties(model, moving);
  const int n_moving = moving.size();
  for (const Tie& tie : ties)  // those that move no target themselves come last
    if (number[tie.body] < 0) number[tie.body] = 0, moving.push_back(tie.body);
  for (int k = 0; k < moving.size(); ++k) {
    const int b = moving[k], parent = model.body(b).parent;
    PathJoint joint = path_joint(model, b);
    joint.parent = k >= n_moving || parent == 0 ? -1 : number[parent];
    for (const Tie& tie : ties)
      if (tie.body == b && tie.master != b) joint.tied = true, joint.n_u = 0;
    joint.x = plan.n_x, joint.u = plan.n_u;
    plan.n_x += joint.n_x, plan.n_u += joint.n_u;
    number[b] = plan.joints.size();
    plan.joints.push_back(joint);
  }
  if (plan.n_u == 0) refuse("couplings hold every joint that moves the frames");
  for (const Tie& tie : ties) {
    PathJoint& joint = plan.joints[number[tie.body]];
    if (!joint.tied) continue;
    plan.tied.push_back(number[tie.body]);
    joint.factor = tie.factor, joint.offset = tie.offset;
    if (tie.master == 0) continue;
    joint.x_master = plan.joints[number[tie.master]].x;
    joint.u = plan.joints[number[tie.master]].u;
  }
  plan.length = 0;
  for (const Frame& frame : frames) {
    PathFrame f;
    f.name = frame.name;
    f.joint = number[frame.body];
    f.end = SE3<double>{transpose(model.body(frame.body).turn), {}} * frame.placement;
    double reach = norm(f.end.p);
    for (int j = f.joint; j >= 0; j = plan.joints[j].parent) {
      (plan.joints[j].tied ? f.tied : f.joints).push_back(j);
      if (plan.joints[j].parent >= 0) reach += norm(plan.joints[j].link.p);
      const bool follows = plan.joints[j].tied && plan.joints[j].x_master >= 0;
      for (int k = 0; k < (follows ? 1 : plan.joints[j].n_u); ++k)
        f.steps.push_back(plan.joints[j].u + k);
    }
    std::sort(f.steps.begin(), f.steps.end());
    f.steps.erase(std::unique(f.steps.begin(), f.steps.end()), f.steps.end());
    plan.length = std::max(plan.length, reach);
    plan.frames.push_back(std::move(f));
  }
  plan.length = plan.length > 1e-9 ? plan.length * length_by_reach : 1;
  for (const PathJoint& joint : plan.joints) add_coordinates(model, joint, plan);
  for (const int j : plan.tied) bound_master(model, plan.joints[j], plan);

  plan.n_targets = frames.size;
  plan.n_rows = 6 * plan.n_targets;
  plan.n_model = model.n_q();
  const int n = plan.n_u, m = plan.n_rows, t = plan.n_targets;
  for (auto* v : {&plan.x, &plan.x_try, &plan.x_best, &plan.x_good, &plan.x_start, &plan.reference,
                  &plan.sine, &plan.cosine})
    v->resize(plan.n_x);
  for (auto* v : {&plan.g, &plan.rhs, &plan.step, &plan.low, &plan.high, &plan.slope_now,
                  &plan.slope_before, &plan.moved})
    v->resize(n);
  for (auto* v : {&plan.e, &plan.held}) v->resize(m);
  for (auto* v : {&plan.A, &plan.factor, &plan.basis, &plan.reduced, &plan.secant})
    v->resize(n * n);
  for (auto* v : {&plan.cost, &plan.cost_best, &plan.cost_good}) v->resize(t);
  plan.J.resize(m * n);
  plan.gram.resize(m * n);
  plan.free.resize(n);
  plan.at_bound.resize(n);
  plan.held_before.resize(n);
  plan.T.resize(plan.joints.size());
  plan.T_frame.resize(t);
  plan.tasks.resize(t);
  plan.residuals.resize(t);
  plan.active.reserve(plan.n_x);
}

}  // namespace torsor::numeric_ik
