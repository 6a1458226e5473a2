#include <cmath>
#include <numbers>

#include "info.hpp"
#include "robot_argument.hpp"
#include "text_output.hpp"
#include "torsor/math/array.hpp"
#include "torsor/math/principal_axes.hpp"
#include "torsor/model/joint_units.hpp"

namespace torsor::command {
namespace {

using Align = Table::Align;

template <class Count>
std::string count(Count n, const char* word) {
  return std::to_string(n) + " " + word + (n == 1 ? "" : "s");
}
std::string numbers(const Vec3<double>& v) {
  return number(v.x) + "  " + number(v.y) + "  " + number(v.z);
}
/// Without the rounding of zeros.
Vec3<double> tidy(Vec3<double> v) {
  const double least = 1e-14 * norm(v);
  for (int k = 0; k < 3; ++k)
    if (std::abs(v[k]) < least) v[k] = 0;
  return v;
}
/// "z", "-x", or three numbers.
std::string axis_text(const Vec3<double>& axis) {
  for (int k = 0; k < 3; ++k)
    for (const double sign : {1.0, -1.0})
      if (axis[k] == sign) return std::string(sign < 0 ? "-" : "") + "xyz"[k];
  return number(axis.x) + " " + number(axis.y) + " " + number(axis.z);
}

/// Empty where the number says nothing.
std::string unless_zero(double value) { return value == 0 ? "" : number(value); }
std::string unless_infinite(double value) { return std::isfinite(value) ? number(value) : ""; }

std::string joints_text(const RobotReport& r) {
  const Model<double>& model = r.model;
  Table table({{"q", Align::right},
               {"joint"},
               {"kind"},
               {"axis"},
               {"lower", Align::right},
               {"upper", Align::right},
               {"velocity", Align::right},
               {"effort", Align::right}});
  Table drives({{"joint"},
                {"viscous", Align::right},
                {"coulomb", Align::right},
                {"stiction", Align::right},
                {"rotor", Align::right},
                {"gear", Align::right},
                {"armature", Align::right},
                {"spring", Align::right}});
  Table uneven({{"joint"},
                {"offset", Align::right},
                {"viscous asymmetry", Align::right},
                {"coulomb asymmetry", Align::right}});
  Table loads({{"joint"}, {"share", Align::right}});
  const Array<Measure> measures = coordinate_measures(model);
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Joint& joint = model.joint_description(i);
    const Body<double>& body = model.body(i);
    const std::string axis =
        has_axis(joint.kind) ? axis_text(body.turn * Vec3<double>::unit_z()) : "";
    const std::string at = body.q.count == 1 ? std::to_string(body.q.first)
                                             : std::to_string(body.q.first) + "-" +
                                                   std::to_string(body.q.first + body.q.count - 1);
    const bool detailed = body.v.count == 1 || !joint.limits.empty();
    if (!detailed) table.add({at, joint.name, name_of(joint.kind), axis});
    for (int k = 0; k < body.v.count; ++k) {
      const int v = body.v.first + k;
      const Limits& l = model.limits(v);
      const bool angle = body.v.count == 1 && measures[body.q.first] == Measure::angle;
      const double unit = r.degrees && angle ? 180 / std::numbers::pi : 1;
      if (detailed)
        table.add({k == 0 ? at : "", model.dof_name(v), k == 0 ? name_of(joint.kind) : "",
                   k == 0 ? axis : "", unless_infinite(l.lower * unit),
                   unless_infinite(l.upper * unit), unless_infinite(l.velocity * unit),
                   unless_infinite(l.effort)});
      const DofConstants<double>& d = model.dof(v);
      const Actuator motor =
          joint.actuator.empty() ? Actuator{} : View<const Actuator>(joint.actuator)[k];
      if (d.viscous != 0 || d.coulomb != 0 || d.stiction != 0 || d.armature != 0 ||
          d.stiffness != 0)
        drives.add({model.dof_name(v), unless_zero(d.viscous), unless_zero(d.coulomb),
                    d.stiction == d.coulomb ? "" : unless_zero(d.stiction),
                    unless_zero(motor.rotor_inertia),
                    motor.rotor_inertia == 0 ? "" : number(motor.gear_ratio),
                    unless_zero(d.armature), unless_zero(d.stiffness)});
      if (d.offset != 0 || d.viscous_asymmetry != 0 || d.coulomb_asymmetry != 0)
        uneven.add({model.dof_name(v), unless_zero(d.offset), unless_zero(d.viscous_asymmetry),
                    unless_zero(d.coulomb_asymmetry)});
      if (d.load != 0) loads.add({model.dof_name(v), number(d.load)});
    }
  }
  const char* unit = r.degrees ? "deg" : "rad";
  std::string out;
  if (!table.empty())
    out += heading("joints", std::string(unit) + ", m, N m, N; blank: no limit") + table.text();
  if (!drives.empty())
    out +=
        heading("drives", "friction and armature at the joint, rotor at the motor") + drives.text();
  if (!uneven.empty())
    out += heading("friction that is not alike in both directions", "at the joint") + uneven.text();
  if (!loads.empty())
    out += heading("friction of the load", "of the torque that the joint transmits") + loads.text();
  return out;
}

std::string masses_text(const RobotReport& r) {
  const Model<double>& model = r.model;
  Table table({{"body"},
               {"mass", Align::right},
               {"x", Align::right},
               {"y", Align::right},
               {"z", Align::right},
               {"principal moments about the centre of mass"}});
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Inertia<double>& I = model.body(i).inertia;
    if (I.m == 0) {
      const bool turns = trace(I.J) != 0;  // a moment is known, its mass is not
      table.add({model.body_name(i), "0", "", "", "",
                 turns ? numbers(tidy(principal_axes(I.J).moments)) : ""});
      continue;
    }
    const Vec3<double> c = tidy(I.h * (1 / I.m));
    table.add({model.body_name(i), number(I.m), number(c.x), number(c.y), number(c.z),
               numbers(tidy(principal_axes(inertia_about_com(I)).moments))});
  }
  const double fixed = model.fixed_inertia().m;
  std::string out;
  if (!table.empty())
    out += heading("bodies",
                   "kg; centre of mass in the link's frame, m; kg m^2; fixed links included") +
           table.text();
  out += "\n";
  out += fitted(bold("mass") + "  moving " + number(r.moving.mass) + " kg, fixed to the world " +
                    number(fixed) + " kg, total " + number(r.moving.mass + fixed) + " kg",
                2) +
         "\n";
  if (r.moving.mass > 0)
    out += fitted(bold("centre of mass") + "  " + numbers(tidy(r.moving.position)) +
                      " m (moving bodies, " +
                      (r.neutral ? "neutral configuration" : "at the given q") + ")",
                  2) +
           "\n";
  return out;
}

std::string frames_text(const RobotReport& r) {
  const RobotDescription& robot = r.model.description();
  std::string out;
  if (!robot.frames.empty() && !r.frames) {
    std::string names;
    for (const FrameOnLink& f : robot.frames)
      names += (names.empty() ? "" : ", ") + f.name + " on " + f.link;
    out += bold("frames") + "  " + wrapped(names, 8) + "\n";
  }
  if (!robot.configurations.empty()) {
    std::string names;
    for (const NamedConfiguration& c : robot.configurations)
      names += (names.empty() ? "" : ", ") + c.name;
    out += bold("configurations") + "  " + wrapped(names, 16) + "\n";
  }
  if (!r.frames) return out;
  Table table({{"frame"},
               {"x", Align::right},
               {"y", Align::right},
               {"z", Align::right},
               {"roll", Align::right},
               {"pitch", Align::right},
               {"yaw", Align::right}});
  const double unit = r.degrees ? 180 / std::numbers::pi : 1;
  const std::size_t shown = robot.links.size() + robot.frames.size();  // joints repeat their child
  for (std::size_t k = 0; k < std::min(shown, r.model.frames().size()); ++k) {
    const Frame& f = r.model.frames()[k];
    SE3<double> T = frame_pose(r.kinematics, f);
    T.p = tidy(T.p);
    const double pitch = std::atan2(-T.R(2, 0), std::hypot(T.R(0, 0), T.R(1, 0)));
    table.add({f.name, number(T.p.x), number(T.p.y), number(T.p.z),
               number(unit * std::atan2(T.R(2, 1), T.R(2, 2))), number(unit * pitch),
               number(unit * std::atan2(T.R(1, 0), T.R(0, 0)))});
  }
  return out + heading("frames", std::string("in the world; m, ") + (r.degrees ? "deg" : "rad")) +
         table.text();
}

/// 2 a - b.
std::string sum_text(const std::vector<Coupling::Term>& terms) {
  std::string sum;
  for (const Coupling::Term& t : terms) {
    sum += sum.empty() ? (t.factor < 0 ? "-" : "") : t.factor < 0 ? " - " : " + ";
    if (std::abs(t.factor) != 1) sum += number(std::abs(t.factor)) + " ";
    sum += t.joint;
  }
  return sum;
}

std::string constraints_text(const RobotDescription& robot) {
  std::string out;
  for (const LoopJoint& l : robot.loops)
    out += bold("loop") + "  " + l.name + " (" + name_of(l.kind) + "): " + l.link_a + " to " +
           l.link_b + "\n";
  for (const Coupling& c : robot.couplings)
    out += bold("coupling") + "  " + sum_text(c.terms) + " = " + number(c.offset) + "\n";
  for (const Motor& m : robot.motors) {
    out += bold("motor") + "  " + m.name + " turns by " + sum_text(m.ratios) + ", rotor " +
           number(m.rotor_inertia) + " kg m^2";
    const Friction& f = m.friction;
    const std::pair<const char*, double> parts[] = {{"viscous", f.viscous + f.damping},
                                                    {"coulomb", f.coulomb},
                                                    {"stiction", f.stiction},
                                                    {"offset", f.offset},
                                                    {"viscous asymmetry", f.viscous_asymmetry},
                                                    {"coulomb asymmetry", f.coulomb_asymmetry}};
    for (const auto& [name, value] : parts)
      if (value != 0) out += std::string(", ") + name + " " + number(value);
    out += "\n";
  }
  for (const SpringDamper& s : robot.springs)
    out += bold("spring") + "  " + s.name + ": " + (s.link_a.empty() ? "ground" : s.link_a) +
           " to " + (s.link_b.empty() ? "ground" : s.link_b) + ", " + number(s.stiffness) +
           " N/m, " + number(s.damping) + " N s/m" +
           (s.preload != 0 ? ", preload " + number(s.preload) + " N" : "") + "\n";
  return out;
}

/// Degrees of freedom and redundancy of a robot with loops.
std::string mobility_text(const LoopReport& r) {
  const Mobility& m = r.mobility;
  const auto many = [](int k, const char* word) { return count(k, word); };
  std::string out =
      bold("mobility") + "  " +
      (m.degrees_of_freedom == 1 ? "1 degree" : std::to_string(m.degrees_of_freedom) + " degrees") +
      " of freedom: n_v " + std::to_string(m.n_v) + ", " + many(m.rows, "row") + " of rank " +
      std::to_string(m.rank) + "\n";
  for (const std::string& line : redundancy_messages(m))
    out += bold("redundant") + "  " + line + "\n";
  if (m.actuators < m.n_v) {
    out += bold("actuation") + "  " + many(m.actuators, "motor");
    if (m.underactuated()) out += ", fewer than degrees of freedom";
    if (m.type_ii()) out += ", singular (type II): it moves with the motors locked";
    if (m.preloads() > 0) out += ", " + many(m.preloads(), "preload") + " without motion";
    out += "\n";
  }
  if (!r.assembly.closed)
    out += bold("open") + "  the loops do not close from here: " + number(r.assembly.residual) +
           " m or rad is left\n";
  else if (r.open > 1e-9)
    out += bold("open") + "  by " + number(r.open) +
           " m or rad here; mobility is that of the nearest closed configuration\n";
  return out;
}

}  // namespace

std::string info_text(const RobotReport& r) {
  const Model<double>& model = r.model;
  const RobotDescription& robot = model.description();
  std::string out = bold(model.name()) + ": " + count(model.n_bodies() - 1, "moving joint") + ", " +
                    count(robot.links.size(), "link") + ", n_q " + std::to_string(model.n_q()) +
                    ", n_v " + std::to_string(model.n_v()) + "\n";
  if (!robot.source.empty()) out += wrapped("Source: " + robot.source, 0) + "\n";
  out += heading("tree") + tree_text(robot);
  out += joints_text(r) + masses_text(r);
  out += bold("gravity") + "  " + numbers(model.gravity()) + " m/s^2\n";
  out += constraints_text(robot);
  if (r.loops) out += mobility_text(*r.loops);
  return out + frames_text(r);
}

}  // namespace torsor::command
