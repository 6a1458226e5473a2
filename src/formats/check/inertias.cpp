#include <algorithm>
#include <cmath>

#include "check/parts.hpp"
#include "torsor/math/principal_axes.hpp"

namespace torsor::internal::checks {
namespace {

void check_mass(const Link& link, Report& report) {
  const std::string who = element("link", link.name);
  const Inertial& in = link.inertial;
  if (!std::isfinite(in.mass) || in.mass < 0)
    report.error(link.origin, who, "mass is " + short_number(in.mass) + " kg",
                 "the mass matrix loses its meaning", "give a mass of 0 or more",
                 in.mass < 0 ? Finding::Kind::other : Finding::Kind::not_finite);
  else if (in.mass > 1e5)
    report.warning(link.origin, who, "mass is " + short_number(in.mass) + " kg",
                   "that is too heavy for a link of a robot", "write kilograms");
  if (!is_finite(in.com) || !is_finite(in.about_com))
    report.error(link.origin, who, "centre of mass or inertia is not finite",
                 "every result would be NaN", "give finite numbers", Finding::Kind::not_finite);
  else if (in.mass == 0 && trace(in.about_com) != 0)
    report.warning(
        link.origin, who,
        "has inertia " + short_number(trace(in.about_com)) + " kg m^2 (trace) but no mass",
        "no body has such figures", "give its mass, or leave the inertia out",
        Finding::Kind::inertia_without_mass);
  else if (in.mass == 0 && norm(in.com) > 0)
    report.warning(link.origin, who, "has a centre of mass but no mass", "no body has such figures",
                   "give its mass, or leave the inertia out");
}

void check_shape(const Tree& tree, const Link& link, Report& report) {
  using Kind = Finding::Kind;
  const std::string who = element("link", link.name);
  const Sym3<double>& J = link.inertial.about_com;
  const SecondMoments s = second_moments(J);
  Vec3<double> shown = s.moments;  // without the rounding of zeros
  for (int k = 0; k < 3; ++k)
    if (std::abs(shown[k]) < 1e-12 * std::abs(shown.z)) shown[k] = 0;
  const std::string moments = "principal moments " + numbers(shown) + " kg m^2";
  switch (judge(J, tree.inertia_scale(link))) {
    case InertiaVerdict::good:
      return;
    case InertiaVerdict::zero:
      if (link.inertial.mass > 0)
        report.note(link.origin, who, "is a point mass: its inertia about the centre of mass is 0",
                    "right for an idealised arm, rarely for a real one",
                    "give the inertia, if there is one", Kind::point_mass);
      return;
    case InertiaVerdict::not_positive:
      return report.error(link.origin, who, "inertia is not positive definite: " + moments,
                          "accelerations can point against the force, and simulations explode",
                          "check signs and order of ixx ... izz; --fix takes the nearest possible",
                          Kind::impossible_inertia);
    case InertiaVerdict::breaks_triangle:
      return report.warning(link.origin, who,
                            moments + ": the largest exceeds the sum of the others",
                            "no body has such an inertia; the figures are mistaken or incomplete",
                            "check the figures and the axes; --fix takes the nearest possible",
                            Kind::impossible_inertia);
    case InertiaVerdict::rounded:
      return report.note(link.origin, who,
                         moments + ": the largest exceeds the sum of the others by less than 1 %",
                         "rounding of a flat link's figures", "write more digits",
                         Kind::impossible_inertia);
  }
}

/// An inertia about the frame's origin written where the one about the centre of mass belongs.
void check_reference_point(const Link& link, Report& report) {
  const Inertial& in = link.inertial;
  if (!(in.mass > 0) || judge(in.about_com) != InertiaVerdict::good) return;
  const Sym3<double> shift = Inertia<double>::parallel_axes(in.mass, in.com);
  const double share = trace(shift) / trace(in.about_com);  // 3/4 for a rod held at its end
  const Sym3<double> rest = in.about_com - shift;
  if (!(share >= 0.6) || judge(rest) != InertiaVerdict::good || !(trace(rest) > 0)) return;
  const std::string what =
      "inertia looks as if taken about the frame's origin: " + short_number(100 * share) +
      " % of it is mass times distance squared";
  const char* why = "taken twice, the distance makes the link too sluggish";
  const char* fix = "check the source; it must be about the centre of mass";
  // With known shapes there is proof: no point of the link is far enough away.
  const Extent extent = extent_of(link);
  double far = 0;
  for (int k = 0; k < 3; ++k)
    far += std::pow(std::max(in.com[k] - extent.low[k], extent.high[k] - in.com[k]), 2);
  const bool proof = extent.known() && second_moments(in.about_com).moments.z > in.mass * far;
  if (proof)
    report.warning(link.origin, element("link", link.name), what, why, fix);
  else
    report.note(link.origin, element("link", link.name), what, why, fix);
}

void check_where(const Link& link, Report& report) {
  const Extent extent = extent_of(link);
  if (!extent.known() || !(link.inertial.mass > 0) || extent.diagonal() == 0) return;
  double outside = 0;
  for (int k = 0; k < 3; ++k) {
    const double c = link.inertial.com[k];
    outside += std::pow(std::max({extent.low[k] - c, c - extent.high[k], 0.0}), 2);
  }
  outside = std::sqrt(outside);
  if (outside > 0.5 * extent.diagonal())
    report.warning(link.origin, element("link", link.name),
                   "centre of mass (" + numbers(link.inertial.com) + ") m is " +
                       short_number(outside) + " m outside of the link's shapes, which measure " +
                       short_number(extent.diagonal()) + " m",
                   "gravity pulls in the wrong place",
                   "check unit and frame of the centre of mass");
}

/// What a one-axis joint has to accelerate, in the body's own frame: S^T I S.
double driven_inertia(const Joint& joint, const Inertia<double>& I) {
  const double q = 0;
  JointMotion<double> motion;
  with_kind(joint.kind, [&](auto kind) { kind.motion(joint.order, joint.pitch, &q, motion); });
  const Vec3<double> u = joint.axis * (1 / norm(joint.axis));
  const double turns = motion.S[0].w.z, slides = motion.S[0].v.z;
  return dot(u, I.J * u) * turns * turns + I.m * slides * slides;
}

/// Whether every motion of the joint turns the body and none shifts it.
bool only_turns(JointKind kind) {
  for (int k = 0; k < n_v(kind); ++k)
    if (velocity_measure(kind, k) != Measure::angle) return false;
  return n_v(kind) > 0 && !has_pitch(kind);
}

void check_moving_bodies(const Tree& tree, Report& report) {
  const RobotDescription& robot = tree.robot;
  // Mass of the body and all behind it, and the same of moments about the centres of mass.
  std::vector<double> carried(robot.links.size(), 0), moments(robot.links.size(), 0);
  for (std::size_t at = tree.order.size(); at-- > 0;) {
    const std::size_t k = tree.order[at];
    carried[k] += robot.links[k].inertial.mass;
    moments[k] += std::abs(trace(robot.links[k].inertial.about_com));
    if (tree.parent(k) == Tree::none) continue;
    carried[tree.parent(k)] += carried[k];
    moments[tree.parent(k)] += moments[k];
  }
  for (const std::size_t k : tree.order) {
    if (tree.body[k] != k || tree.joint_above[k] == Tree::none) continue;
    const Link& link = robot.links[k];
    const Joint& joint = robot.joints[tree.joint_above[k]];
    const Inertia<double>& I = tree.inertia[k];
    const bool rotor = !joint.actuator.empty() && joint.actuator[0].rotor_inertia > 0;
    const std::string who = element("link", link.name), by = element("joint", joint.name);
    const bool turns = only_turns(joint.kind);
    if (carried[k] == 0 && !(turns && moments[k] > 0)) {
      if (rotor)
        report.note(link.origin, who, by + " carries no mass, only its rotor",
                    "gravity and Coriolis terms of the link are missing",
                    "give mass and inertia, if they are known", Finding::Kind::massless_body);
      else
        report.warning(link.origin, who, by + " carries no mass",
                       "the mass matrix is singular: forward dynamics has no answer",
                       "give mass and inertia, or make the joint fixed",
                       Finding::Kind::massless_body);
    } else if (I.m == 0 && trace(I.J) == 0) {
      report.note(link.origin, who, "is massless",
                  "fine between two joints that carry mass further out",
                  "nothing to do if it stands for a joint of several axes");
    } else if (tree.leaf[k] && !rotor && is_finite(I.J) && n_v(joint) == 1 &&
               norm(joint.axis) > 0 &&
               std::abs(driven_inertia(joint, I)) <= 1e-14 * (trace(I.J) + I.m)) {
      report.warning(link.origin, who, by + " turns no inertia: all mass lies on its axis",
                     "the mass matrix is singular: forward dynamics has no answer",
                     "give the link's inertia about the axis or the motor's rotor inertia");
    }
  }
}

}  // namespace

void check_inertias(const Tree& tree, Report& report) {
  report.topic = Finding::Topic::dynamics;
  for (const Link& link : tree.robot.links) {
    check_mass(link, report);
    if (!is_finite(link.inertial.com) || !is_finite(link.inertial.about_com)) continue;
    if (link.inertial.mass != 0 && std::isfinite(link.inertial.mass))
      check_shape(tree, link, report);
    check_reference_point(link, report);
    check_where(link, report);
  }
  check_moving_bodies(tree, report);
  report.topic = Finding::Topic::motion;
}

}  // namespace torsor::internal::checks
