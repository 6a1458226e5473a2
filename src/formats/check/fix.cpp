#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <set>

#include "check/parts.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/math/rotation.hpp"

namespace torsor {
namespace {

using namespace internal::checks;

/// Without the rounding of what computed it: fifteen digits, and zero beside `scale`.
double intended(double x, double scale) {
  if (std::abs(x) < 1e-15 * scale) return 0;
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", x);
  return parse_number(text).value_or(x);
}

class Surgeon {
 public:
  explicit Surgeon(const RobotDescription& robot) : repair{robot, {}}, robot_(robot) {}

  void run() {
    repair_names();
    const Tree tree(robot_);
    for (Link& link : repair.robot.links) repair_inertia(link, tree);
    for (Joint& joint : repair.robot.joints) {
      repair_axes(joint);
      repair_limits(joint);
      repair_friction(joint);
    }
  }

  Repair repair;

 private:
  void changed(const std::string& who, const std::string& what) {
    repair.changes.push_back(who + ": " + what);
  }

  // J = tr(S) 1 - S with S made positive is the nearest inertia of a body; a little more than zero, so
  // that rounding does not undo it.
  void repair_inertia(Link& link, const Tree& tree) {
    Inertial& in = link.inertial;
    if (!is_finite(in.about_com) || !(in.mass >= 0)) return;  // first the mass has to be known
    const InertiaVerdict verdict = judge(in.about_com, tree.inertia_scale(link));
    if (verdict != InertiaVerdict::not_positive && verdict != InertiaVerdict::breaks_triangle)
      return;
    const SecondMoments s = second_moments(in.about_com);
    const double least = 1e-6 * std::max(std::abs(s.values.x), std::abs(s.values.z));
    const Vec3<double> kept{std::max(s.values.x, least), std::max(s.values.y, least),
                            std::max(s.values.z, least)};
    const double sum = kept.x + kept.y + kept.z;
    const Vec3<double> moments{sum - kept.z, sum - kept.y, sum - kept.x};
    in.about_com = rotated(s.axes, Sym3<double>::diagonal(moments.x, moments.y, moments.z));
    Sym3<double>& J = in.about_com;
    for (double* x : {&J.xx, &J.xy, &J.yy, &J.xz, &J.yz, &J.zz}) *x = intended(*x, sum);
    changed(element("link", link.name),
            "principal moments " + numbers(s.moments) + " became " + numbers(moments) +
                " kg m^2, those of the nearest possible body about the same axes (no second moment "
                "of its mass below zero)");
  }

  void repair_axis(Vec3<double>& axis, const std::string& who) {
    const double length = norm(axis);
    if (!is_finite(axis) || !(length > 1e-12) || std::abs(length - 1) <= 1e-9) return;
    const Vec3<double> old = axis;
    for (int k = 0; k < 3; ++k) axis[k] = intended(axis[k] / length, 1);
    changed(who, "axis " + numbers(old) + " became " + numbers(axis));
  }
  void repair_axes(Joint& joint) {
    const std::string who = element("joint", joint.name);
    if (has_axis(joint.kind)) repair_axis(joint.axis, who);
    for (JointPart& part : joint.parts)
      if (has_axis(part.kind)) repair_axis(part.axis, who);
  }

  void repair_limits(Joint& joint) {
    const std::string who = element("joint", joint.name);
    for (Limits& l : joint.limits) {
      const std::string range = "[" + short_number(l.lower) + ", " + short_number(l.upper) + "]";
      if (l.lower > l.upper) {
        std::swap(l.lower, l.upper);
        changed(who, "limits " + range + " were exchanged");
      } else if (l.lower == l.upper) {
        l.lower = -infinity, l.upper = infinity;
        changed(who, "limits " + range + " without range were removed");
      }
      const auto drop_zero = [&](double& value, const char* name) {
        if (value != 0) return;
        value = infinity;
        changed(who, std::string(name) +
                         " limit 0 became none (URDF has no word for it: 1e9, and torsor:unlimited "
                         "with its namespace)");
      };
      drop_zero(l.velocity, "velocity");
      drop_zero(l.effort, "effort");
      drop_zero(l.acceleration, "acceleration");
      drop_zero(l.jerk, "jerk");
    }
  }

  void repair_friction(Joint& joint) {
    for (Friction& f : joint.friction) {
      if (f.stiction == 0 || !(f.stiction < f.coulomb)) continue;
      changed(element("joint", joint.name), "stiction " + short_number(f.stiction) +
                                                " became coulomb, " + short_number(f.coulomb));
      f.stiction = f.coulomb;
    }
  }

  /// A name of the same kind without awkward characters that nothing else has.
  template <class Element>
  void repair_names_of(std::vector<Element>& elements, const char* kind,
                       const std::function<void(const std::string&, const std::string&)>& follow) {
    std::set<std::string> taken;
    for (const Element& e : elements) taken.insert(e.name);
    for (Element& e : elements) {
      if (!is_awkward_name(e.name)) continue;
      const std::string old = e.name;
      std::string better = old;
      for (char& c : better)
        if (is_awkward_name(std::string(1, c))) c = '_';
      while (!taken.insert(better).second) better += '_';
      e.name = better;
      follow(old, better);
      changed(element(kind, old), "is now called " + in_quotes(better));
    }
  }
  void repair_names() {
    RobotDescription& r = repair.robot;
    if (has_control_character(r.name)) {
      const std::string old = r.name;
      for (char& c : r.name)
        if (has_control_character(std::string(1, c))) c = '_';
      changed(element("robot", old), "is now called " + in_quotes(r.name));
    }
    const auto rename = [](std::string& name, const std::string& old, const std::string& now) {
      if (name == old) name = now;
    };
    const auto nobody = [](const std::string&, const std::string&) {};
    repair_names_of(r.links, "link", [&](const std::string& old, const std::string& now) {
      rename(r.root, old, now);
      for (Joint& j : r.joints) rename(j.parent, old, now), rename(j.child, old, now);
      for (FrameOnLink& f : r.frames) rename(f.link, old, now);
      for (LoopJoint& l : r.loops) rename(l.link_a, old, now), rename(l.link_b, old, now);
      for (SpringDamper& s : r.springs) rename(s.link_a, old, now), rename(s.link_b, old, now);
    });
    repair_names_of(r.joints, "joint", [&](const std::string& old, const std::string& now) {
      for (Coupling& c : r.couplings)
        for (Coupling::Term& term : c.terms) rename(term.joint, old, now);
      for (Motor& m : r.motors)
        for (Coupling::Term& term : m.ratios) rename(term.joint, old, now);
      for (NamedConfiguration& c : r.configurations)
        for (NamedConfiguration::Entry& entry : c.entries) rename(entry.joint, old, now);
    });
    repair_names_of(r.frames, "frame", nobody);
    repair_names_of(r.loops, "loop", nobody);
    repair_names_of(r.couplings, "coupling", nobody);
    repair_names_of(r.springs, "spring", nobody);
    repair_names_of(r.motors, "motor", nobody);
    repair_names_of(r.configurations, "configuration", nobody);
  }

  const RobotDescription& robot_;
};

}  // namespace

Repair repair_model(const RobotDescription& robot) {
  Surgeon surgeon(robot);
  surgeon.run();
  return std::move(surgeon.repair);
}

}  // namespace torsor
