#include <algorithm>

#include "parameter_parts.hpp"
#include "torsor/math/dual.hpp"
#include "torsor/math/principal_axes.hpp"
#include "torsor/model/spring_damper.hpp"

namespace torsor {
namespace {

using namespace parameter_parts;
using Tangent = Dual<double, 1>;

Parameter state(const Model<double>& model, const char* kind, Of what, int dof) {
  need(model, dof, model.n_v(), "degree of freedom");
  return {std::string(kind) + "." + model.dof_name(dof), {change(what, dof)}};
}

const Link& link_of(const Model<double>& model, const std::string& name) {
  if (const Link* link = model.description().find_link(name)) return *link;
  std::vector<std::string> known;
  for (const Link& link : model.description().links) known.push_back(link.name);
  fail(model, "no link \"" + name + "\"" + did_you_mean(name, known));
}
/// Any joint of the file, fixed ones too.
const Joint& joint_of(const Model<double>& model, const std::string& name) {
  if (const Joint* joint = model.description().find_joint(name)) return *joint;
  std::vector<std::string> known;
  for (const Joint& joint : model.description().joints) known.push_back(joint.name);
  fail(model, "no joint \"" + name + "\"" + did_you_mean(name, known));
}
const Inertial& inertial_of(const Model<double>& model, const Link& link) {
  if (!model.is_described())
    fail(model, "has inertial parameters of no possible body; only " + link.name +
                    ":m ... zz can be changed");
  return link.inertial;
}
Inertia<double> inertia_of(const Inertial& i) {
  return Inertia<double>::at_com(i.mass, i.com, i.about_com);
}

/// d/ds of the inertia I carried along by exp(s X).
Inertia<double> carried(const Twist<double>& X, const Inertia<double>& I) {
  SE3<Tangent> T;
  const SO3<double> W = skew(X.w);
  for (int r = 0; r < 3; ++r) {
    T.p[r].d[0] = X.v[r];
    for (int c = 0; c < 3; ++c) T.R(r, c).d[0] = W(r, c);
  }
  const auto moved = parameters_of(transported(T, I.cast<Tangent>()));
  std::array<double, parameters_per_body> slope{};
  for (std::size_t k = 0; k < slope.size(); ++k) slope[k] = moved[k].d[0];
  return torsor::inertia_of(slope.data());
}

/// The links behind a joint as far as fixed joints reach, and the moving joints on them.
struct Rigid {
  std::vector<const Link*> links;
  std::vector<const Joint*> joints;
};
Rigid fixed_to(const Model<double>& model, const std::string& first) {
  Rigid found;
  found.links.push_back(&link_of(model, first));
  for (std::size_t k = 0; k < found.links.size(); ++k)
    for (const Joint& joint : model.description().joints) {
      if (joint.parent != found.links[k]->name) continue;
      if (joint.kind == JointKind::fixed)
        found.links.push_back(model.description().find_link(joint.child));
      else
        found.joints.push_back(&joint);
    }
  return found;
}

/// All that a fixed joint carries, moved by the twist X in the body's frame.
std::vector<Change> carry(const Model<double>& model, const Joint& joint, const Twist<double>& X) {
  std::vector<Change> changes;
  const Rigid moved = fixed_to(model, joint.child);
  const int body = model.frame(joint.child).body;
  Inertia<double> sum;
  for (const Link* link : moved.links)
    sum =
        sum + transported(model.frame(link->name).placement, inertia_of(inertial_of(model, *link)));
  push(changes, body, carried(X, sum));
  for (const Joint* next : moved.joints)
    changes.push_back(change(Of::parent_side, model.joint_index(next->name), X));
  const auto on_it = [&](const std::string& name) {
    return std::any_of(moved.links.begin(), moved.links.end(),
                       [&](const Link* link) { return link->name == name; });
  };
  const auto& springs = model.description().springs;
  const std::vector<internal::SpringEnds> all =
      internal::spring_ends(model.description(), model.frames());
  for (std::size_t k = 0; k < springs.size(); ++k) {
    const internal::SpringEnds& ends = all[k];
    Change c{Of::spring_damper, static_cast<int>(k), {}};
    const auto shift = [&](const Vec3<double>& point, std::size_t first) {
      const Vec3<double> d = X.v + cross(X.w, point);
      c.by[first] = d.x, c.by[first + 1] = d.y, c.by[first + 2] = d.z;
      changes.push_back(c);
    };
    if (on_it(springs[k].link_a)) shift(ends.point_a, 3);
    if (on_it(springs[k].link_b)) shift(ends.point_b, 6);
  }
  const auto& loops = model.description().loops;
  for (std::size_t k = 0; k < loops.size(); ++k) {
    const int index = 2 * static_cast<int>(k);
    if (on_it(loops[k].link_a)) changes.push_back(change(Of::loop_frame, index, X));
    if (on_it(loops[k].link_b)) changes.push_back(change(Of::loop_frame, index + 1, X));
  }
  return changes;
}

/// W with d(turn) = [W] turn for turn = turn_to(a), the smallest rotation of z to a.
Vec3<double> turning(const Vec3<double>& a, const Vec3<double>& da) {
  Vec3<Tangent> axis{a.x, a.y, a.z};
  for (int k = 0; k < 3; ++k) axis[k].d[0] = da[k];
  const Tangent k = Tangent(1) / (axis.z + 1);
  const SO3<Tangent> R{{1 - axis.x * axis.x * k, -axis.x * axis.y * k, -axis.x},
                       {-axis.x * axis.y * k, 1 - axis.y * axis.y * k, -axis.y},
                       axis};
  SO3<double> value, slope;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) value(r, c) = R(r, c).value, slope(r, c) = R(r, c).d[0];
  const SO3<double> W = slope * transpose(value);
  return {W.c1.z, W.c2.x, W.c0.y};
}

}  // namespace

Parameter Parameter::coordinate(const Model<double>& model, int dof) {
  return state(model, "q", Of::coordinate, dof);
}
Parameter Parameter::velocity(const Model<double>& model, int dof) {
  return state(model, "qd", Of::velocity, dof);
}
Parameter Parameter::acceleration(const Model<double>& model, int dof) {
  return state(model, "qdd", Of::acceleration, dof);
}
Parameter Parameter::torque(const Model<double>& model, int dof) {
  return state(model, "tau", Of::torque, dof);
}

Parameter Parameter::inertial(const Model<double>& model, const std::string& link, int k) {
  Parameter p{link_of(model, link).name + "." + word(model, internal::parameter_words, k), {}};
  FixedArray<double, parameters_per_body> by{};
  by[k] = 1;
  const Frame& frame = model.frame(link);
  push(p.changes, frame.body, transported(frame.placement, torsor::inertia_of(by.data())));
  return p;
}
Parameter Parameter::of_link(const Model<double>& model, const std::string& name, int k) {
  const Link& link = link_of(model, name);
  Parameter p{link.name + "." + word(model, internal::link_words, k), {}};
  const Inertial& in = inertial_of(model, link);
  const Frame& frame = model.frame(name);
  Inertia<double> dI;
  if (k == 0) dI = Inertia<double>::at_com(1, in.com, {});
  if (k >= 1 && k <= 3)
    dI = carried({{}, unit(k - 1)}, Inertia<double>::at_com(in.mass, in.com, {}));
  if (k >= 4 && k <= 6) {
    const SO3<double> axes = principal_axes(in.about_com).axes;
    const Vec3<double> u = k == 4 ? axes.c0 : k == 5 ? axes.c1 : axes.c2;
    dI.J = {u.x * u.x, u.x * u.y, u.y * u.y, u.x * u.z, u.y * u.z, u.z * u.z};
  }
  if (k == 7) dI = inertia_of(in);
  push(p.changes, frame.body, transported(frame.placement, dI));
  return p;
}

Parameter Parameter::placement(const Model<double>& model, const std::string& name, int k) {
  const Joint& joint = joint_of(model, name);
  Parameter p{"placement." + joint.name + "." + word(model, internal::placement_words, k), {}};
  if (joint.kind == JointKind::fixed) {
    const SE3<double>& T_body_joint = model.frame(joint.child).placement;
    p.changes = carry(model, joint, Ad(T_body_joint, unit_twist(k)));
    return p;
  }
  const int i = model.joint_index(joint.name);
  p.changes = {change(Of::parent_side, i, Ad(model.body(i).placement, unit_twist(k)))};
  return p;
}
Parameter Parameter::axis(const Model<double>& model, const std::string& name, int k) {
  const Joint& joint = joint_of(model, name);
  Parameter p{"axis." + joint.name + "." + word(model, internal::axis_words, k), {}};
  if (!has_axis(joint.kind))
    fail(model, "joint \"" + name + "\" is " + name_of(joint.kind) + " and has no axis");
  const double length = norm(joint.axis);
  const Vec3<double> a = joint.axis * (1 / length);
  const Vec3<double> da = (unit(k) - a * a[k]) * (1 / length);
  Vec3<double> W = cross(a, da);
  if (joint.kind == JointKind::planar) {
    if (1 + a.z < 1e-6)
      fail(model, "joint \"" + name +
                      "\": the x axis of a plane turns without limit as its normal"
                      " passes -z");
    W = turning(a, da);
  }
  const int i = model.joint_index(joint.name);
  p.changes = {change(Of::parent_side, i, Ad(model.body(i).placement, Twist<double>{W, {}})),
               change(Of::child_side, i, -W)};
  return p;
}
Parameter Parameter::pitch(const Model<double>& model, const std::string& name) {
  const Joint& joint = joint_of(model, name);
  if (!has_pitch(joint.kind))
    fail(model, "joint \"" + name + "\" is " + name_of(joint.kind) + " and has no pitch");
  return {"pitch." + joint.name, {change(Of::pitch, model.joint_index(joint.name))}};
}

}  // namespace torsor
