#include "torsor/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>
#include <utility>

#include "constraint_check.hpp"
#include "torsor/model/loop.hpp"
#include "torsor/model/text.hpp"

namespace torsor {
namespace {

std::string numbers(const Vec3<double>& a) {
  return number(a.x) + " " + number(a.y) + " " + number(a.z);
}
bool finite(const Vec3<double>& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}
bool finite(const Sym3<double>& a) {
  return finite(Vec3<double>{a.xx, a.xy, a.yy}) && finite(Vec3<double>{a.xz, a.yz, a.zz});
}

/// Lengths, masses and inertias in SI units; products of a few of them stay finite.
constexpr double largest = 1e30;
bool in_range(const Vec3<double>& a) {
  return std::max({std::abs(a.x), std::abs(a.y), std::abs(a.z)}) <= largest;
}
bool in_range(const Sym3<double>& a) {
  return in_range(Vec3<double>{a.xx, a.xy, a.yy}) && in_range(Vec3<double>{a.xz, a.yz, a.zz});
}

[[noreturn]] void fail(const Origin& origin, const std::string& element, const std::string& what) {
  throw Error(origin.prefix() + element + ": " + what);
}
std::string quoted(const char* type, const std::string& name) {
  return std::string(type) + " \"" + name + "\"";
}

/// Names are printed, in tables and messages of one line.
void check_name(const std::string& name, const Origin& origin, const std::string& element) {
  if (std::any_of(name.begin(), name.end(),
                  [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
    fail(origin, element, "the name holds a control character");
}

void check_pose(const SE3<double>& T, const Origin& origin, const std::string& element) {
  if (!finite(T.p)) fail(origin, element, "position is not finite (" + numbers(T.p) + ")");
  if (!in_range(T.p)) fail(origin, element, "position (" + numbers(T.p) + ") m is out of range");
  const SO3<double> e = transpose_times(T.R, T.R) - SO3<double>::identity();
  const double off = std::sqrt(squared_norm(e.c0) + squared_norm(e.c1) + squared_norm(e.c2));
  if (!(off < 1e-9) || !(determinant(T.R) > 0))
    fail(origin, element, "orientation is not a rotation (off by " + number(off) + ")");
}

void check_link(const Link& link) {
  const std::string element = quoted("link", link.name);
  const Inertial& in = link.inertial;
  if (link.name.empty()) fail(link.origin, "link", "has no name");
  check_name(link.name, link.origin, element);
  if (!std::isfinite(in.mass) || in.mass < 0)
    fail(link.origin, element, "mass is " + number(in.mass) + " kg; it must be 0 or more");
  if (!finite(in.com)) fail(link.origin, element, "centre of mass is not finite");
  if (!finite(in.about_com)) fail(link.origin, element, "inertia is not finite");
  if (in.mass > largest)
    fail(link.origin, element, "mass of " + number(in.mass) + " kg is out of range");
  if (!in_range(in.com))
    fail(link.origin, element, "centre of mass (" + numbers(in.com) + ") m is out of range");
  if (!in_range(in.about_com))
    fail(link.origin, element,
         "inertia of " + number(trace(in.about_com)) + " kg m^2 (trace) is out of range");
}

Vec3<double> unit_axis(const Vec3<double>& axis, const Origin& origin, const std::string& element) {
  const double n = norm(axis);
  if (!(n > 1e-12) || !std::isfinite(n))
    fail(origin, element, "axis is zero or not finite (" + numbers(axis) + ")");
  return {axis.x / n, axis.y / n, axis.z / n};  // 1 exactly, along a coordinate axis
}

int axis_code(const Vec3<double>& axis) {
  const auto is_zero = [](double x) { return std::abs(x) < 1e-15; };  // 1 - 1e-16 is 1
  for (int k = 0; k < 3; ++k)
    if (is_zero(axis[(k + 1) % 3]) && is_zero(axis[(k + 2) % 3]))
      return axis[k] > 0 ? k + 1 : -(k + 1);
  return 0;
}

template <class Entry>
void check_count(const std::vector<Entry>& entries, const Joint& joint, const char* what) {
  const int n = n_v(joint);
  if (!entries.empty() && static_cast<int>(entries.size()) != n)
    fail(joint.origin, quoted("joint", joint.name),
         std::string(what) + " has " + std::to_string(entries.size()) + " entries for " +
             std::to_string(n) + " degrees of freedom");
}

void check_joint(const Joint& joint) {
  const std::string element = quoted("joint", joint.name);
  if (joint.name.empty()) fail(joint.origin, "joint", "has no name");
  check_name(joint.name, joint.origin, element);
  check_pose(joint.placement, joint.origin, element);
  if (has_axis(joint.kind)) (void)unit_axis(joint.axis, joint.origin, element);
  if (!std::isfinite(joint.pitch)) fail(joint.origin, element, "pitch is not finite");
  if ((joint.kind == JointKind::composite) == joint.parts.empty())
    fail(joint.origin, element,
         "parts belong to composite joints, and a composite joint needs some");
  for (const JointPart& part : joint.parts) {
    if (n_v(part.kind) == 0)
      fail(joint.origin, element, std::string("a part cannot be ") + name_of(part.kind));
    check_pose(part.placement, joint.origin, element);
    if (has_axis(part.kind)) (void)unit_axis(part.axis, joint.origin, element);
    if (!std::isfinite(part.pitch)) fail(joint.origin, element, "pitch of a part is not finite");
  }
  if (n_v(joint) > internal::max_joint_dofs)
    fail(joint.origin, element,
         "has " + std::to_string(n_v(joint)) + " degrees of freedom; 6 at most");
  check_count(joint.limits, joint, "limits");
  check_count(joint.friction, joint, "friction");
  check_count(joint.actuator, joint, "actuator");
  check_count(joint.spring, joint, "spring");
  for (const Limits& l : joint.limits) {
    if (!(l.lower <= l.upper))
      fail(joint.origin, element,
           "lower limit " + number(l.lower) + " is above the upper limit " + number(l.upper));
    for (double x : {l.velocity, l.acceleration, l.jerk, l.effort})
      if (!(x >= 0))
        fail(joint.origin, element, "a limit is negative or not a number (" + number(x) + ")");
  }
  for (std::size_t k = 0; k < joint.friction.size(); ++k) {
    const Actuator a = k < joint.actuator.size() ? joint.actuator[k] : Actuator{};
    check_friction(joint.friction[k], a.gear_ratio * a.gear_ratio * a.motor_viscous,
                   n_v(joint) == 1, joint.origin, element);
  }
  for (const Actuator& a : joint.actuator) {
    if (!std::isfinite(a.rotor_inertia) || a.rotor_inertia < 0)
      fail(joint.origin, element,
           "rotor inertia is " + number(a.rotor_inertia) + "; it must be 0 or more");
    for (double x : {a.gear_ratio, a.motor_viscous, a.torque_constant, a.disturbance})
      if (!std::isfinite(x)) fail(joint.origin, element, "an actuator parameter is not finite");
  }
  for (const JointSpring& s : joint.spring)
    if (!std::isfinite(s.stiffness) || !std::isfinite(s.rest))
      fail(joint.origin, element, "a spring parameter is not finite");
}

}  // namespace

SO3<double> internal::turn_to(const Vec3<double>& a) {
  // 1 + K + K^2 k with K = skew(z x a), k = 1 / (1 + c) = (1 - c) / (1 - c^2) and c = z . a
  const double s2 = a.x * a.x + a.y * a.y;
  if (s2 == 0)
    return a.z > 0 ? SO3<double>::identity() : SO3<double>{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  const double k = a.z > 0 ? 1 / (1 + a.z) : (1 - a.z) / s2;  // neither loses digits
  return {{1 - a.x * a.x * k, -a.x * a.y * k, -a.x}, {-a.x * a.y * k, 1 - a.y * a.y * k, -a.y}, a};
}

/// Walks the tree of links once, from the root, and fills the model.
template <class Param>
struct Model<Param>::Compiler {
  Model& model;
  const RobotDescription& in;
  std::unordered_map<std::string, std::size_t> link_of{};
  std::vector<std::vector<std::size_t>> children{};  // joints below each link, in file order
  std::vector<std::string> link_names{};
  Array<internal::CanonicalInput> canonical{};
  std::unordered_map<std::string, std::size_t> frame_at{};

  void run() {
    index_names();
    check_constraints(in);
    model.joints_.reserve(static_cast<int>(in.joints.size()) + 1);  // the largest parts of a body
    add_world();
    walk(find_root());
    for (int i = model.n_bodies() - 1; i > 0; --i) {
      int& last = model.bodies_[model.body(i).parent].last;
      last = std::max(last, model.body(i).last);
    }
    add_frames();
    add_motors();
    check_loops();
    model.canonical_ = internal::canonical_form(canonical, model.n_q_);
  }

  void index_names() {
    if (in.links.empty()) fail(in.origin, "robot \"" + in.name + "\"", "has no links");
    check_name(in.name, in.origin, quoted("robot", in.name));
    for (const Link& link : in.links) {
      check_link(link);
      link_names.push_back(link.name);
      if (!link_of.emplace(link.name, link_of.size()).second)
        fail(link.origin, quoted("link", link.name), "appears twice");
    }
    children.resize(in.links.size());
    std::unordered_map<std::string, std::size_t> joint_of, parent_of;
    for (std::size_t k = 0; k < in.joints.size(); ++k) {
      const Joint& joint = in.joints[k];
      check_joint(joint);
      if (!joint_of.emplace(joint.name, k).second)
        fail(joint.origin, quoted("joint", joint.name), "appears twice");
      children[link_index(joint.parent, joint, "parent")].push_back(k);
      (void)link_index(joint.child, joint, "child");
      const auto [other, fresh] = parent_of.emplace(joint.child, k);
      if (!fresh)
        fail(joint.origin, quoted("joint", joint.name),
             "child link \"" + joint.child + "\" is already the child of joint \"" +
                 in.joints[other->second].name + "\"");
    }
    if (!finite(in.gravity))
      fail(in.origin, "gravity", "is not finite (" + numbers(in.gravity) + ")");
    check_pose(in.base, in.origin, "base");
  }
  std::size_t link_index(const std::string& name, const Joint& joint, const char* role) const {
    const auto at = link_of.find(name);
    if (at == link_of.end())
      fail(joint.origin, quoted("joint", joint.name),
           std::string(role) + " link \"" + name + "\" does not exist" +
               did_you_mean(name, link_names));
    return at->second;
  }

  std::size_t find_root() const {
    std::vector<bool> is_child(in.links.size(), false);
    for (const Joint& joint : in.joints) is_child[link_of.at(joint.child)] = true;
    std::vector<std::size_t> roots;
    for (std::size_t k = 0; k < in.links.size(); ++k)
      if (!is_child[k]) roots.push_back(k);
    if (roots.empty())
      fail(in.joints.front().origin, "robot \"" + in.name + "\"",
           "has no root: the joints form a cycle through link \"" + in.joints.front().child + "\"");
    if (roots.size() > 1)
      fail(in.links[roots[1]].origin, "robot \"" + in.name + "\"",
           "has several roots: links \"" + in.links[roots[0]].name + "\" and \"" +
               in.links[roots[1]].name + "\"");
    if (!in.root.empty() && in.root != in.links[roots[0]].name)
      fail(in.origin, "root \"" + in.root + "\"",
           "is not the link without a parent joint; that is \"" + in.links[roots[0]].name + "\"");
    return roots[0];
  }

  void add_world() {
    model.bodies_.emplace_back();
    model.joints_.emplace_back();
    model.joint_names_.emplace_back("");
    model.body_names_.emplace_back("world");
    model.joint_of_body_.push_back(-1);
    model.gravity_ = in.gravity;
    canonical.emplace_back();
  }

  /// Depth first; a stack, because chains may be long.
  void walk(std::size_t root) {
    struct Pending {
      std::size_t joint;
      int body;
      SE3<double> T_body_link;
    };
    std::vector<Pending> stack;
    std::size_t visited = 0;
    const auto visit = [&](std::size_t link, int body, const SE3<double>& T_body_link) {
      ++visited;
      add_link(in.links[link], body, T_body_link);
      const auto& joints = children[link];  // the stack reverses: the last child goes first
      for (std::size_t c = joints.size(); c-- > 0;) stack.push_back({joints[c], body, T_body_link});
    };
    visit(root, 0, in.base);
    while (!stack.empty()) {
      const Pending next = stack.back();
      stack.pop_back();
      const Joint& joint = in.joints[next.joint];
      const SE3<double> T_body_joint = next.T_body_link * joint.placement;
      if (joint.kind == JointKind::fixed)
        visit(link_of.at(joint.child), next.body, T_body_joint);
      else
        visit(link_of.at(joint.child), add_body(next.joint, next.body, T_body_joint), {});
    }
    if (visited == in.links.size()) return;
    for (const Joint& joint : in.joints)
      if (!frame_at.count(joint.child))
        fail(joint.origin, quoted("joint", joint.name), "is part of a cycle apart from the root");
  }

  void add_link(const Link& link, int body, const SE3<double>& T_body_link) {
    add_frame({link.name, body, T_body_link});
    const Inertial& i = link.inertial;
    const Inertia<double> inertia =
        transported(T_body_link, Inertia<double>::at_com(i.mass, i.com, i.about_com));
    if (body == 0) {
      model.fixed_inertia_ = model.fixed_inertia_ + inertia;
      return;
    }
    auto& total = model.bodies_[body].inertia;
    total = total + inertia;
    canonical[body].inertia = total;
  }

  int add_body(std::size_t joint_number, int parent, const SE3<double>& placement) {
    const Joint& joint = in.joints[joint_number];
    const int body = model.n_bodies(), nq = torsor::n_q(joint), nv = torsor::n_v(joint);
    const std::string element = quoted("joint", joint.name);
    const SO3<double> turn = has_axis(joint.kind)
                                 ? internal::turn_to(unit_axis(joint.axis, joint.origin, element))
                                 : SO3<double>::identity();
    JointShape<double> shape{joint.kind, joint.order, nq, nv, joint.pitch, {}, 0};
    for (const JointPart& part : joint.parts) {
      const SO3<double> part_turn =
          has_axis(part.kind) ? internal::turn_to(unit_axis(part.axis, joint.origin, element))
                              : SO3<double>::identity();
      shape.parts[shape.n_parts++] = {part.kind,
                                      part.order,
                                      part.pitch,
                                      part.placement * SE3<double>{part_turn, {}},
                                      {transpose(part_turn), {}}};
    }
    model.bodies_.push_back({parent,
                             body,
                             model.body(parent).depth + 1,
                             joint.kind,
                             internal::motion_class(joint.kind),
                             axis_code(turn.c2),
                             {model.n_q_, nq},
                             {model.n_v_, nv},
                             placement,
                             turn,
                             {}});
    model.joints_.push_back(shape);
    model.joint_names_.push_back(joint.name);
    model.body_names_.push_back(joint.child);
    model.joint_of_body_.push_back(static_cast<int>(joint_number));
    canonical.push_back({parent, model.n_q_, model.n_v_, joint.kind, nv, placement, turn, {}});
    for (int k = 0; k < nv; ++k) add_dof(joint, static_cast<std::size_t>(k));
    model.n_q_ += nq;
    model.n_v_ += nv;
    return body;
  }

  void add_dof(const Joint& joint, std::size_t k) {
    const Friction f = joint.friction.empty() ? Friction{} : joint.friction[k];
    const Actuator a = joint.actuator.empty() ? Actuator{} : joint.actuator[k];
    const JointSpring s = joint.spring.empty() ? JointSpring{} : joint.spring[k];
    const double n2 = a.gear_ratio * a.gear_ratio;
    DofConstants<double> dof = constants_of(f);
    dof.viscous += n2 * a.motor_viscous;
    dof.armature = n2 * a.rotor_inertia;
    dof.stiffness = s.stiffness, dof.rest = s.rest;
    dof.disturbance = a.disturbance;
    model.dofs_.push_back(dof);
    model.limits_.push_back(joint.limits.empty() ? Limits{} : joint.limits[k]);
  }

  static DofConstants<double> constants_of(const Friction& f) {
    DofConstants<double> dof;
    dof.viscous = f.viscous + f.damping;
    dof.coulomb = f.coulomb, dof.stiction = std::max(f.stiction, f.coulomb);
    dof.stribeck = f.stribeck, dof.width = f.width;
    dof.offset = f.offset;
    dof.viscous_asymmetry = f.viscous_asymmetry, dof.coulomb_asymmetry = f.coulomb_asymmetry;
    dof.load = f.load;
    return dof;
  }
  void add_motors() {
    for (const Motor& motor : in.motors) {
      check_friction(motor.friction, 0, false, motor.origin, quoted("motor", motor.name));
      CoupledMotor<double> compiled{{}, constants_of(motor.friction)};
      compiled.constants.armature = motor.rotor_inertia;
      for (const Coupling::Term& term : motor.ratios)
        compiled.terms.push_back({model.body(model.joint_index(term.joint)).v.first, term.factor});
      model.motors_.push_back(compiled);
    }
  }

  /// Rows between two points of one body hold always or never.
  void check_loops() const {
    for (const LoopJoint& loop : in.loops)
      if (model.frames_[frame_at.at(loop.link_a)].body ==
          model.frames_[frame_at.at(loop.link_b)].body)
        fail(loop.origin, quoted("loop", loop.name),
             "its links \"" + loop.link_a + "\" and \"" + loop.link_b +
                 "\" are fixed to each other: there is no motion to constrain");
  }

  void add_frame(const Frame& frame) {
    if (frame_at.emplace(frame.name, model.frames_.size()).second) model.frames_.push_back(frame);
  }
  void add_frames() {
    for (const FrameOnLink& f : in.frames) {
      const std::string element = quoted("frame", f.name);
      if (f.name.empty()) fail(f.origin, "frame", "has no name");
      check_name(f.name, f.origin, element);
      const auto link = link_of.find(f.link);
      if (link == link_of.end())
        fail(f.origin, element,
             "link \"" + f.link + "\" does not exist" + did_you_mean(f.link, link_names));
      check_pose(f.placement, f.origin, element);
      if (frame_at.count(f.name)) fail(f.origin, element, "appears twice, or is a link's name");
      const Frame on = model.frames_[frame_at.at(f.link)];
      add_frame({f.name, on.body, on.placement * f.placement});
    }
    for (const Joint& joint : in.joints) {
      const Frame child = model.frames_[frame_at.at(joint.child)];
      add_frame({joint.name, child.body, child.placement});
    }
    for (std::size_t k = 0; k < model.frames_.size(); ++k) model.frames_by_name_.push_back(k);
    std::sort(model.frames_by_name_.begin(), model.frames_by_name_.end(),
              [&](std::size_t a, std::size_t b) {
                return model.frames_[a].name < model.frames_[b].name;
              });
  }
};

/// By the sorted list of names; nullptr where there is none.
const Frame* find_frame(const std::vector<Frame>& frames, const std::vector<std::size_t>& by_name,
                        const std::string& name) {
  const auto at = std::lower_bound(
      by_name.begin(), by_name.end(), name,
      [&](std::size_t k, const std::string& wanted) { return frames[k].name < wanted; });
  return at != by_name.end() && frames[*at].name == name ? &frames[*at] : nullptr;
}

template <class Param>
Model<Param>::Model(RobotDescription description) requires std::is_same_v<Param, double> {
  description_ = internal::split_loops(std::move(description));
  Compiler{*this, description_}.run();
}

template <class Param>
Model<Param> Model<Param>::with_inertias(
    Array<Inertia<double>> inertias,
    RobotDescription description,  // NOLINT(performance-unnecessary-value-param): moved from
    bool described) const requires std::is_same_v<Param, double> {
  Model model = *this;
  model.description_ = std::move(description);
  model.described_ = described;
  Array<internal::CanonicalInput> input(1);
  for (int i = 1; i < n_bodies(); ++i) {
    Body<double>& b = model.bodies_[i];
    b.inertia = inertias[i];
    input.push_back(
        {b.parent, b.q.first, b.v.first, joint(i).kind, b.v.count, b.placement, b.turn, b.inertia});
  }
  model.canonical_ = internal::canonical_form(input, n_q_);
  return model;
}

namespace {

/// "elbow", or "base.3" of a joint with several. Numbers grow with the bodies, so halving finds k.
template <class Param>
std::string name_of_number(const Model<Param>& model, int k, Dofs Body<Param>::*numbers) {
  int i = 0, end = model.n_bodies();
  while (end - i > 1) {
    const int middle = i + (end - i) / 2;
    ((model.body(middle).*numbers).first <= k ? i : end) = middle;
  }
  const Dofs all = model.body(i).*numbers;
  if (i == 0 || k < all.first || k >= all.first + all.count) return {};
  return all.count == 1 ? model.joint_name(i)
                        : model.joint_name(i) + "." + std::to_string(k - all.first);
}

}  // namespace

template <class Param>
std::string Model<Param>::dof_name(int k) const {
  return name_of_number(*this, k, &Body<Param>::v);
}
template <class Param>
std::string Model<Param>::coordinate_name(int k) const {
  return name_of_number(*this, k, &Body<Param>::q);
}
template <class Param>
const Joint& Model<Param>::joint_description(int i) const {
  return View<const Joint>(description_.joints)[joint_of_body_[i]];
}

template <class Param>
bool Model<Param>::has_frame(const std::string& name) const {
  return find_frame(frames_, frames_by_name_, name) != nullptr;
}
template <class Param>
const Frame& Model<Param>::frame(const std::string& name) const {
  if (const Frame* const found = find_frame(frames_, frames_by_name_, name)) return *found;
  std::vector<std::string> known;
  for (const Frame& f : frames_) known.push_back(f.name);
  throw Error("robot \"" + description_.name + "\" has no frame \"" + name + "\"" +
              did_you_mean(name, known));
}
template <class Param>
int Model<Param>::joint_index(const std::string& name) const {
  for (int i = 1; i < n_bodies(); ++i)
    if (joint_name(i) == name) return i;
  throw Error("robot \"" + description_.name + "\" has no moving joint \"" + name + "\"" +
              did_you_mean(name, joint_names_));
}

template class Model<double>;

}  // namespace torsor
