#include "mjcf/write_parts.hpp"

#include <algorithm>
#include <cmath>

#include "fresh_name.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/math/principal_axes.hpp"

namespace torsor::internal::mjcf {
namespace {

constexpr double beyond = 1e10;  // a range that is open on one side

std::vector<double> numbers(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

bool is_zero(const Vec3<double>& v) { return v.x == 0 && v.y == 0 && v.z == 0; }

std::vector<double> wxyz_of(const SO3<double>& R) {
  const Quaternion<double> q = quaternion(R);
  return {q.w, q.x, q.y, q.z};
}

/// Poses of all links at the neutral configuration.
std::map<std::string, SE3<double>> poses_of(const RobotDescription& robot) {
  std::map<std::string, std::vector<const Joint*>> below;
  for (const Joint& joint : robot.joints) below[joint.parent].push_back(&joint);
  std::map<std::string, SE3<double>> T = {{robot.root, robot.base}};
  std::vector<std::string> stack = {robot.root};
  while (!stack.empty()) {
    const std::string link = stack.back();
    stack.pop_back();
    for (const Joint* joint : below[link]) {
      SE3<double> T_child = T[link] * joint->placement;
      for (const JointPart& part : joint->parts) T_child = T_child * part.placement;
      T[joint->child] = T_child;
      stack.push_back(joint->child);
    }
  }
  return T;
}

}  // namespace

Parts::Parts(const RobotDescription& robot, XmlWriter& xml, WriteLosses& losses)
    : robot_(robot), xml_(xml), losses_(losses), T_world_(poses_of(robot)) {
  for (const FrameOnLink& frame : robot.frames) {
    sites_[frame.link].push_back({frame.name, frame.placement});
    site_names_.insert(frame.name);
  }
  // Ends of springs and of loops that are open at the neutral configuration need sites.
  for (const SpringDamper& s : robot.springs) {
    (void)site_of(s.link_a, s.point_a, s.name + "_a");
    (void)site_of(s.link_b, s.point_b, s.name + "_b");
  }
  for (const LoopJoint& loop : robot.loops) {
    if (loop.kind == LoopJoint::Kind::weld) continue;
    const Vec3<double> axis =
        loop.kind == LoopJoint::Kind::revolute ? loop.axis * (1 / norm(loop.axis)) : Vec3<double>{};
    for (const Vec3<double>& offset : {Vec3<double>{}, axis}) {
      const Vec3<double> a = loop.placement_a * offset, b = loop.placement_b * offset;
      if (norm(T_world_[loop.link_a] * a - T_world_[loop.link_b] * b) <= 1e-12) continue;
      (void)site_of(loop.link_a, a, loop.name + "_a");
      (void)site_of(loop.link_b, b, loop.name + "_b");
    }
  }
}

std::string Parts::site_of(const std::string& link, const Vec3<double>& point,
                           const std::string& wish) {
  std::vector<Point>& points = sites_[link.empty() ? robot_.root : link];
  for (const Point& p : points)
    if (is_zero(p.T.p - point)) return p.name;
  points.push_back({fresh_name(wish, site_names_), {SO3<double>::identity(), point}});
  return points.back().name;
}

void Parts::write_pose(const SE3<double>& T) {
  if (!is_zero(T.p)) xml_.vec3("pos", T.p);
  const std::vector<double> q = wxyz_of(T.R);
  // Of a turn of 1e-12, w is 1.
  if (q[1] != 0 || q[2] != 0 || q[3] != 0) xml_.numbers("quat", q);
}

void Parts::write_assets() {
  std::set<std::string> names;
  for (const Link& link : robot_.links)
    for (const Geometry& g : link.geometry) {
      if (g.shape != Geometry::Shape::mesh || g.mesh_file.empty()) continue;
      std::string stem = g.mesh_file.substr(g.mesh_file.find_last_of("/\\") + 1);
      stem = stem.substr(0, stem.rfind('.'));
      const auto key = std::pair(g.mesh_file, numbers(g.size));
      if (!meshes_.contains(key)) meshes_[key] = fresh_name(stem.empty() ? "mesh" : stem, names);
    }
  if (meshes_.empty()) return;
  xml_.open("asset");
  for (const auto& [mesh, name] : meshes_) {
    xml_.open("mesh");
    xml_.attribute("name", name);
    xml_.attribute("file", mesh.first);
    if (mesh.second != std::vector<double>{1, 1, 1}) xml_.numbers("scale", mesh.second);
    xml_.close();
  }
  xml_.close();
}

/// In principal axes, as MuJoCo writes it; of `fullinertia` it finds them to few digits.
void Parts::write_turned_inertia(const Sym3<double>& J) {
  const PrincipalAxes<double> p = principal_axes(J);
  xml_.vec3("diaginertia", p.moments);
  xml_.numbers("quat", wxyz_of(p.axes));
}

void Parts::write_inertial(const Link& link) {
  if (!link.has_inertial) return;
  const Inertial& i = link.inertial;
  const Sym3<double>& J = i.about_com;
  xml_.open("inertial");
  xml_.vec3("pos", i.com);
  xml_.number("mass", i.mass);
  if (J.xy == 0 && J.xz == 0 && J.yz == 0)
    xml_.numbers("diaginertia", {J.xx, J.yy, J.zz});
  else
    write_turned_inertia(J);
  xml_.close();
}

void Parts::note_friction(const Joint& joint, const Friction& f) {
  const std::string who = "joint " + in_quotes(joint.name);
  if (f.load != 0) losses_.dropped(joint.origin, who, "friction of the load", "MJCF has none");
  if (f.offset != 0 || f.viscous_asymmetry != 0 || f.coulomb_asymmetry != 0)
    losses_.dropped(joint.origin, who, "offset and asymmetry of friction", "MJCF has none");
  if ((f.stiction != 0 && f.stiction != f.coulomb) || f.stribeck != 0 || f.width != 0)
    losses_.dropped(joint.origin, who, "stiction and smooth friction",
                    "MJCF has damping and frictionloss");
}

void Parts::write_joint(const Step& step) {
  const Joint& joint = *step.joint;
  const std::string who = "joint " + in_quotes(joint.name);
  xml_.open(step.type == Step::Type::free ? "freejoint" : "joint");
  xml_.attribute("name", step.name);
  const auto entry = [&](const auto& entries) {
    using Entry = typename std::decay_t<decltype(entries)>::value_type;
    return step.dof < entries.size() ? entries[step.dof] : Entry{};
  };
  const Friction f = entry(joint.friction);
  const Actuator m = entry(joint.actuator);
  const JointSpring s = entry(joint.spring);
  const Limits l = entry(joint.limits);
  const double damping = f.damping + f.viscous + m.gear_ratio * m.gear_ratio * m.motor_viscous;
  const double armature = m.gear_ratio * m.gear_ratio * m.rotor_inertia;
  note_friction(joint, f);
  if (m.disturbance != 0) losses_.dropped(joint.origin, who, "constant torques", "MJCF has none");
  if (l.velocity < infinity || l.acceleration < infinity || l.jerk < infinity)
    losses_.unused(joint.origin, who, "limits of velocity, acceleration and jerk",
                   "MJCF has limits of position and force", Finding::Topic::motion);
  if (m.torque_constant != 0)
    losses_.unused(joint.origin, who, "torque constants", "MJCF has none", Finding::Topic::motion);
  if (step.type == Step::Type::free) {
    if (damping != 0 || f.coulomb != 0 || armature != 0)
      losses_.dropped(joint.origin, who, "friction and rotors of a free joint", "MJCF has none");
    xml_.close();
    return;
  }
  xml_.attribute("type", step.type == Step::Type::hinge   ? "hinge"
                         : step.type == Step::Type::slide ? "slide"
                                                          : "ball");
  if (step.type != Step::Type::ball) xml_.vec3("axis", step.axis);
  if (step.type != Step::Type::slide && !is_zero(step.pos)) xml_.vec3("pos", step.pos);
  if (step.type != Step::Type::ball) {
    if (l.lower > -infinity || l.upper < infinity)
      xml_.numbers("range", {std::max(l.lower, -beyond), std::min(l.upper, beyond)});
    if (l.effort < infinity && joint.actuator.empty())
      xml_.numbers("actuatorfrcrange", {-l.effort, l.effort});
    if (s.stiffness != 0) xml_.number("stiffness", s.stiffness);
    if (s.stiffness != 0 && s.rest != 0) xml_.number("springref", s.rest);
  }
  if (damping != 0) xml_.number("damping", damping);
  if (f.coulomb != 0) xml_.number("frictionloss", f.coulomb);
  if (armature != 0) xml_.number("armature", armature);
  xml_.close();
}

void Parts::write_geometry(const Link& link, const Geometry& g, const SE3<double>& T) {
  using Shape = Geometry::Shape;
  const double r = g.size.x;
  const bool sized = g.shape == Shape::mesh  ? !g.mesh_file.empty()
                     : g.shape == Shape::box ? r > 0 && g.size.y > 0 && g.size.z > 0
                                             : r > 0 && (g.shape == Shape::sphere || g.size.y > 0);
  if (!sized)
    return losses_.unused(link.origin, "link " + in_quotes(link.name), "shapes without a size",
                          "MuJoCo refuses them");
  if (!g.material.empty() && g.rgba.empty())
    losses_.unused(link.origin, "link " + in_quotes(link.name), "names of materials",
                   "their colours are not known");
  xml_.open("geom");
  if (!g.name.empty() && !g.collision)
    losses_.unused(link.origin, "link " + in_quotes(link.name), "names of shapes",
                   "names of MJCF are unique in the file");
  if (g.shape == Shape::mesh) {
    xml_.attribute("type", "mesh");
    xml_.attribute("mesh", meshes_.at({g.mesh_file, numbers(g.size)}));
  } else if (g.shape == Shape::box) {
    xml_.attribute("type", "box");
    xml_.vec3("size", g.size * 0.5);
  } else if (g.shape == Shape::sphere) {
    xml_.attribute("type", "sphere");
    xml_.number("size", r);
  } else {
    xml_.attribute("type", g.shape == Shape::cylinder ? "cylinder" : "capsule");
    xml_.numbers("size", {r, g.size.y / 2});
  }
  write_pose(T * g.placement);
  if (g.collision) {
    xml_.attribute("group", "3");
  } else {
    xml_.attribute("group", "2");
    xml_.attribute("contype", "0");
    xml_.attribute("conaffinity", "0");
  }
  if (!g.rgba.empty()) xml_.numbers("rgba", g.rgba);
  xml_.close();
}

void Parts::write_members(const Link& link, const SE3<double>& T) {
  for (const Geometry& g : link.geometry) write_geometry(link, g, T);
  const auto found = sites_.find(link.name);
  if (found == sites_.end()) return;
  for (const Point& site : found->second) {
    xml_.open("site");
    xml_.attribute("name", site.name);
    write_pose(T * site.T);
    xml_.close();
  }
}

void Parts::write_tendons() {
  const bool sums = std::any_of(robot_.couplings.begin(), robot_.couplings.end(),
                                [](const Coupling& c) { return c.terms.size() > 2; });
  if (robot_.springs.empty() && robot_.motors.empty() && !sums) return;
  std::set<std::string> names;
  const auto terms = [&](const std::vector<Coupling::Term>& list) {
    for (const Coupling::Term& term : list) {
      xml_.open("joint");
      xml_.attribute("joint", term.joint);
      xml_.number("coef", term.factor);
      xml_.close();
    }
  };
  xml_.open("tendon");
  for (const SpringDamper& s : robot_.springs) {
    const std::string who = "spring " + in_quotes(s.name);
    if (s.preload != 0 && s.stiffness == 0) {
      losses_.dropped(s.origin, who, "constant forces of springs", "MJCF has none");
      if (s.damping == 0) continue;
    }
    const double rest = s.stiffness != 0 ? s.rest_length - s.preload / s.stiffness : 0;
    if (rest < 0)
      losses_.dropped(s.origin, who, "springs with a rest length below 0", "MJCF has none");
    xml_.open("spatial");
    xml_.attribute("name", fresh_name(s.name.empty() ? "spring" : s.name, names));
    if (rest >= 0 && s.stiffness != 0) xml_.number("stiffness", s.stiffness);
    if (rest >= 0) xml_.number("springlength", rest);
    if (s.damping != 0) xml_.number("damping", s.damping);
    for (const std::string& site :
         {site_of(s.link_a, s.point_a, ""), site_of(s.link_b, s.point_b, "")}) {
      xml_.open("site");
      xml_.attribute("site", site);
      xml_.close();
    }
    xml_.close();
  }
  for (const Motor& motor : robot_.motors) {
    Joint as_joint;  // for the messages
    as_joint.name = motor.name;
    note_friction(as_joint, motor.friction);
    xml_.open("fixed");
    xml_.attribute("name", fresh_name(motor.name, names));
    if (motor.rotor_inertia != 0) xml_.number("armature", motor.rotor_inertia);
    const double damping = motor.friction.damping + motor.friction.viscous;
    if (damping != 0) xml_.number("damping", damping);
    if (motor.friction.coulomb != 0) xml_.number("frictionloss", motor.friction.coulomb);
    terms(motor.ratios);
    xml_.close();
  }
  for (std::size_t k = 0; k < robot_.couplings.size(); ++k)
    if (robot_.couplings[k].terms.size() > 2) {
      xml_.open("fixed");
      xml_.attribute("name", "coupling_" + std::to_string(k));
      terms(robot_.couplings[k].terms);
      xml_.close();
    }
  xml_.close();
}

void Parts::write_connect(const LoopJoint& loop, const std::string& name,
                          const Vec3<double>& offset) {
  const Vec3<double> a = loop.placement_a * offset, b = loop.placement_b * offset;
  xml_.open("connect");
  if (!name.empty()) xml_.attribute("name", fresh_name(name, equality_names_));
  if (norm(T_world_[loop.link_a] * a - T_world_[loop.link_b] * b) <= 1e-12) {
    xml_.attribute("body1", loop.link_a);
    xml_.attribute("body2", loop.link_b);
    xml_.vec3("anchor", a);
  } else {
    xml_.attribute("site1", site_of(loop.link_a, a, ""));
    xml_.attribute("site2", site_of(loop.link_b, b, ""));
  }
  xml_.close();
}

void Parts::write_equalities() {
  if (robot_.loops.empty() && robot_.couplings.empty()) return;
  xml_.open("equality");
  for (const LoopJoint& loop : robot_.loops) {
    if (loop.kind == LoopJoint::Kind::weld) {
      const SE3<double> T = loop.placement_a * inverse(loop.placement_b);
      const std::vector<double> q = wxyz_of(T.R);
      xml_.open("weld");
      if (!loop.name.empty()) xml_.attribute("name", fresh_name(loop.name, equality_names_));
      xml_.attribute("body1", loop.link_a);
      xml_.attribute("body2", loop.link_b);
      xml_.numbers("relpose", {T.p.x, T.p.y, T.p.z, q[0], q[1], q[2], q[3]});
      xml_.close();
      continue;
    }
    write_connect(loop, loop.name, {});
    if (loop.kind == LoopJoint::Kind::revolute)
      write_connect(loop, loop.name, loop.axis * (1 / norm(loop.axis)));
  }
  for (std::size_t k = 0; k < robot_.couplings.size(); ++k) {
    const Coupling& c = robot_.couplings[k];
    const bool sum = c.terms.size() > 2;
    xml_.open(sum ? "tendon" : "joint");
    if (!c.name.empty()) xml_.attribute("name", fresh_name(c.name, equality_names_));
    if (sum) {
      xml_.attribute("tendon1", "coupling_" + std::to_string(k));
      xml_.numbers("polycoef", {c.offset, 0, 0, 0, 0});
    } else {
      xml_.attribute("joint1", c.terms[0].joint);
      if (c.terms.size() == 2) xml_.attribute("joint2", c.terms[1].joint);
      const double slope = c.terms.size() == 2 ? -c.terms[1].factor / c.terms[0].factor : 0;
      xml_.numbers("polycoef", {c.offset / c.terms[0].factor, slope, 0, 0, 0});
    }
    xml_.close();
  }
  xml_.close();
}

void Parts::write_motors(const std::vector<Step>& steps) {
  const auto driven = [](const Step& s) {
    return !s.joint->actuator.empty() && s.type != Step::Type::free;
  };
  if (std::none_of(steps.begin(), steps.end(), driven)) return;
  xml_.open("actuator");
  for (const Step& step : steps) {
    if (!driven(step)) continue;
    xml_.open("motor");
    xml_.attribute("name", step.name);
    xml_.attribute("joint", step.name);
    const std::vector<Limits>& l = step.joint->limits;
    if (step.type != Step::Type::ball && step.dof < l.size() && l[step.dof].effort < infinity)
      xml_.numbers("forcerange", {-l[step.dof].effort, l[step.dof].effort});
    xml_.close();
  }
  xml_.close();
}

}  // namespace torsor::internal::mjcf
