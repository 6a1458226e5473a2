#include "page/skeleton.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/model/configuration.hpp"

namespace torsor::internal {

namespace {

using V3 = Vec3<double>;
using Kind = PictureShape::Kind;
using Role = PictureShape::Role;

const std::vector<double> accent{0.16, 0.47, 0.74, 1};

/// Everything in the frame of body `i` at the neutral configuration.
class Skeleton {
 public:
  Skeleton(const Model<double>& model, RobotPicture& picture)
      : model_(model),
        picture_(picture),
        ws_(model),
        children_(model.n_bodies()),
        tied_(model.n_bodies()),
        shift_(model.n_bodies()) {
    Array<double> q(model.n_q());
    neutral(model, q);
    forward_kinematics(model, ws_, q);
    for (int i = 1; i < model.n_bodies(); ++i) children_[model.body(i).parent].push_back(i);
    double longest = 0;
    for (int i = 1; i < model.n_bodies(); ++i) {
      longest = std::max(longest, norm(model.body(i).placement.p));
      deepest_ = std::max(deepest_, model.body(i).depth);
    }
    if (longest == 0) longest = picture.size;
    thickness_ = std::min(0.06 * picture.size, 0.3 * longest);
    for (const LoopJoint& loop : model.description().loops)
      for (const std::string& link : {loop.link_a, loop.link_b})
        if (model.has_frame(link)) tied_[model.frame(link).body] = 1;
    for (int i = 1; i < model.n_bodies(); ++i) shift_[i] = shift_of(i);
  }

  void draw() {
    for (int i = 1; i < model_.n_bodies(); ++i) {
      housing(i);
      for (const int child : children_[i]) link(i, child);
      if (children_[i].empty()) tip(i);
    }
    base();
  }

 private:
  bool turns(int i) const { return turns_about_axis(model_.body(i).kind); }
  bool slides(int i) const { return slides_along_axis(model_.body(i).kind); }
  bool is_free(int i) const { return model_.body(i).v.count == 6; }
  /// Thinner towards the tip.
  double radius(int i) const {
    const double along = static_cast<double>(model_.body(i).depth) / (deepest_ + 1.0);
    return thickness_ * (1.12 - 0.55 * along);
  }
  V3 axis(int i) const { return model_.body(i).turn * V3{0, 0, 1}; }
  V3 world_origin(int i) const { return ws_.T_world_body[i].p; }
  V3 world_axis(int i) const { return ws_.T_world_body[i].R * axis(i); }
  bool coincide(int i, int j) const {
    return norm(world_origin(i) - world_origin(j)) < 1.5 * radius(std::max(i, j));
  }

  /// By how much the housing of a joint stands off its origin, along its axis.
  double shift_of(int i) const {
    if (!turns(i)) return 0;
    const V3 here = world_origin(i), a = world_axis(i);
    int child = 0;
    for (const int c : children_[i])
      if (child == 0 && coincide(i, c) && !slides(c)) child = c;
    const int parent = model_.body(i).parent;
    int before = parent;
    while (before > 0 && coincide(i, before)) before = model_.body(before).parent;
    V3 back = before > 0 ? world_origin(before) - here : -picture_.up * picture_.size;
    const double far = norm(back);
    const double aligned = dot(a, back) / far;
    if (child > 0 && std::abs(aligned) > 0.6)
      return std::copysign(std::min(2.5 * radius(i), 0.45 * far), aligned);
    // A last axis whose frame is the tool: the housing stands behind it, and the tool ends at its frame.
    if (ends_at_origin(i) && std::abs(aligned) > 0.6)
      return std::copysign(std::max(1.6 * radius(i), std::min(2.3 * radius(i), 0.78 * far)),
                           aligned);
    if (parent > 0 && coincide(i, parent) && child == 0) {
      const V3 on = ahead(i);
      const double along = dot(a, on);
      if (norm(on) > 0 && std::abs(along) > 0.6 * norm(on))
        return std::copysign(std::min(2.4 * radius(i), 0.5 * std::abs(along)), along);
      if (children_[i].empty() && std::abs(aligned) > 0.3)
        return std::copysign(2.4 * radius(i), -aligned);
    }
    return 0;
  }
  bool ends_at_origin(int i) const {
    const Frame& tool = picture_.tool;
    return children_[i].empty() && tool.body == i && norm(tool.placement.p) < 0.1 * radius(i) &&
           !coincide(i, model_.body(i).parent);
  }
  /// To the next joint that is elsewhere, or to the tool; zero where there is none. In the world.
  V3 ahead(int i) const {
    for (const int c : children_[i]) return world_origin(c) - world_origin(i);
    if (picture_.tool.body == i) return ws_.T_world_body[i].R * picture_.tool.placement.p;
    return {};
  }
  V3 centre(int i) const { return axis(i) * shift_[i]; }

  void add(Kind kind, Role role, int body, const V3& size, const SE3<double>& place,
           std::vector<double> rgba = {}) {
    picture_.shapes.push_back({kind, role, body, size, place, std::move(rgba), -1});
  }
  /// From one point to another, with the radii that it has there.
  void tube(int body, const V3& from, const V3& to, double r_from, double r_to, Role role) {
    const double length = norm(to - from);
    if (length < 1e-6 * picture_.size) return;
    add(Kind::cone, role, body, {r_from, r_to, length},
        {turn_to((to - from) / length), (from + to) * 0.5});
  }
  void housing(int i) {
    const double r = radius(i);
    if (is_free(i)) return;
    if (!has_axis(model_.body(i).kind) || model_.body(i).v.count > 1) {
      add(Kind::sphere, Role::joint, i, {1.25 * r, 0, 0}, {});
      return;
    }
    const SE3<double> along{turn_to(axis(i)), centre(i)};
    if (slides(i)) {
      rod(i);
      return;
    }
    add(Kind::cylinder, Role::joint, i, {1.18 * r, 2.3 * r, 0}, along);
    add(Kind::cylinder, Role::joint, i, {0.86 * r, 2.62 * r, 0}, along, accent);
  }
  /// A slide: its guide on the parent, its rod on the child as long as the travel.
  void rod(int i) {
    const double r = radius(i);
    const Limits& limits = model_.limits(model_.body(i).v.first);
    double travel = std::max(std::abs(limits.lower), std::abs(limits.upper));
    if (!(travel < 2 * picture_.size)) travel = 0.4 * picture_.size;
    const Body<double>& b = model_.body(i);
    const SO3<double> R = turn_to(axis(i));
    add(Kind::box, Role::joint, b.parent, {2.3 * r, 2.3 * r, 3.2 * r},
        {b.placement.R * R, b.placement.p});
    tube(i, -axis(i) * travel, axis(i) * (1.2 * r), 0.62 * r, 0.62 * r, Role::link);
    add(Kind::box, Role::link, i, {1.7 * r, 1.7 * r, 1.7 * r}, {R, {}});
  }

  /// From the housing of body i to that of a joint that it carries, along their common normal.
  void link(int i, int child) {
    const Body<double>& c = model_.body(child);
    if (is_free(child)) return;
    const V3 a = axis(i), A = c.placement.R * axis(child);
    const V3 P = c.placement.p, start = centre(i), end = P + A * shift_[child];
    std::vector<V3> points{start};
    V3 foot = start, foot_child = end;
    if (turns(i) && turns(child) && feet(a, P, A, foot, foot_child)) {
      const double most = 1.3 * norm(P) + 3 * radius(i);
      if (norm(foot) < most && norm(foot_child - P) < most) {
        points.push_back(foot);
        points.push_back(foot_child);
      }
    }
    points.push_back(end);
    draw_line(i, points, 0.9 * radius(i), 0.86 * radius(child));
  }
  /// Where the common normal of the axes (0, a) and (P, A) meets them; of parallel ones the normal
  /// through P.
  static bool feet(const V3& a, const V3& P, const V3& A, V3& foot, V3& foot_child) {
    const double c = dot(a, A), s2 = 1 - c * c;
    if (s2 < 1e-6) {
      foot = a * dot(P, a), foot_child = P;
      return true;
    }
    if (s2 < 0.03) return false;
    const double along_a = (dot(P, a) - c * dot(P, A)) / s2;
    const double along_A = (c * dot(P, a) - dot(P, A)) / s2;
    foot = a * along_a, foot_child = P + A * along_A;
    return true;
  }
  void draw_line(int body, const std::vector<V3>& points, double r_from, double r_to) {
    double whole = 0;
    for (std::size_t k = 1; k < points.size(); ++k) whole += norm(points[k] - points[k - 1]);
    if (whole == 0) return;
    double done = 0;
    for (std::size_t k = 1; k < points.size(); ++k) {
      const double step = norm(points[k] - points[k - 1]);
      const auto r = [&](double x) { return r_from + (r_to - r_from) * x / whole; };
      tube(body, points[k - 1], points[k], r(done), r(done + step), Role::link);
      done += step;
      if (k + 1 < points.size() && step > 0)
        add(Kind::sphere, Role::link, body, {r(done), 0, 0}, {SO3<double>::identity(), points[k]});
    }
  }

  /// To the tool, to where the other half of an even rod ends, or a stub along the axis.
  void tip(int i) {
    const double r = radius(i);
    const V3 start = centre(i);
    const bool behind = ends_at_origin(i) && norm(start) > 0.5 * r;
    V3 end = behind ? V3{} : start;
    for (const Frame& f : model_.frames())
      if (f.body == i && norm(f.placement.p) > norm(end) + 0.5 * r) end = f.placement.p;
    if (picture_.tool.body == i && norm(picture_.tool.placement.p) > 0.5 * r)
      end = picture_.tool.placement.p;
    const Inertia<double>& I = model_.body(i).inertia;
    if (!behind && norm(end - start) < r && I.m > 0 && norm(I.h / I.m) > 1.2 * r)
      end = I.h * (2 / I.m);
    if (!behind && tied_[i] != 0 && norm(end - start) < r) return;
    if (!behind && norm(end - start) < r && turns(i))
      end = start + axis(i) * std::copysign(2.3 * r, shift_[i] >= 0 ? 1.0 : -1.0);
    const double length = norm(end - start);
    if (length < 1e-6 * picture_.size) return;
    const V3 along = (end - start) / length;
    tube(i, start, end, 0.82 * r, 0.66 * r, Role::link);
    if (tied_[i] != 0 && picture_.tool.body != i) return;
    add(Kind::cylinder, Role::tool, i, {1.0 * r, 0.5 * r, 0},
        {turn_to(along), behind ? along * (-0.25 * r) : end});
  }

  /// A collar under the first joint; several first joints are tied together.
  void base() {
    const std::vector<int>& roots = children_[0];
    std::vector<int> fixed;
    for (const int i : roots)
      if (!is_free(i)) fixed.push_back(i);
    if (fixed.empty()) return;
    V3 middle{};
    double r = 0, low = 0;
    for (const int i : fixed) {
      middle += world_origin(i) / static_cast<double>(fixed.size());
      r = std::max(r, radius(i));
    }
    for (int i = 1; i < model_.n_bodies(); ++i)
      low += dot(world_origin(i) - middle, picture_.up) / (model_.n_bodies() - 1.0);
    if (fixed.size() > 1) {
      for (const int i : fixed) tube(0, middle, world_origin(i), r, 0.8 * r, Role::link);
      add(Kind::cylinder, low < -0.1 * picture_.size ? Role::joint : Role::base, 0,
          {1.5 * r, 1.2 * r, 0}, {turn_to(picture_.up), middle});
      return;
    }
    const int i = fixed.front();
    const V3 a = world_axis(i), up = picture_.up;
    const double upright = dot(a, up);
    const SO3<double> R = ws_.T_world_body[0].R * turn_to(std::abs(upright) > 0.6 ? up : a);
    const V3 below = std::abs(upright) > 0.6 || slides(i)
                         ? world_origin(i) + a * shift_[i] - up * (1.55 * r)
                         : world_origin(i) - a * (2.1 * r);
    add(Kind::cylinder, Role::base, 0, {1.45 * r, 0.9 * r, 0}, {R, below});
  }

  const Model<double>& model_;
  RobotPicture& picture_;
  KinematicsWorkspace<double> ws_;
  Array<std::vector<int>> children_;
  Array<char> tied_;  // by a loop: what the body carries is drawn where the loop begins
  Array<double> shift_;
  double thickness_ = 0;
  int deepest_ = 1;
};

/// Path lengths from the base to each body.
Array<double> paths(const Model<double>& model) {
  Array<double> length(model.n_bodies());
  for (int i = 1; i < model.n_bodies(); ++i) {
    const Body<double>& b = model.body(i);
    double step = b.parent == 0 ? 0 : norm(b.placement.p);
    if (slides_along_axis(b.kind)) {
      const Limits& limits = model.limits(b.v.first);
      const double travel = std::max(std::abs(limits.lower), std::abs(limits.upper));
      if (travel < 100) step += travel;
    }
    length[i] = length[b.parent] + step;
  }
  return length;
}

/// How far what is fixed to a body lies from its origin.
double extent(const Model<double>& model, int body) {
  double most = 0;
  for (const Frame& f : model.frames())
    if (f.body == body) most = std::max(most, norm(f.placement.p));
  const Inertia<double>& I = model.body(body).inertia;
  if (body > 0 && I.m > 0) most = std::max(most, norm(I.h / I.m));
  return most;
}

}  // namespace

double reach_of(const Model<double>& model) {
  const Array<double> length = paths(model);
  double most = 0;
  for (int i = 1; i < model.n_bodies(); ++i) most = std::max(most, length[i] + extent(model, i));
  return std::isfinite(most) && most > 1e-3 ? most : 1;
}

Frame tool_of(const Model<double>& model) {
  static const char* const names[] = {"tool",    "tcp",          "ee",       "tool0", "flange",
                                      "gripper", "end_effector", "platform", "tip",   "hand"};
  const auto moves = [&](const std::string& name) {
    return model.has_frame(name) && model.frame(name).body > 0;
  };
  for (const char* name : names)
    if (moves(name)) return model.frame(name);
  // As makers of arms name them: "panda_hand_tcp", "right_tool0", "ee_link", "wrist_3_flange".
  for (const char* end :
       {"tcp", "tool0", "tool_link", "ee_link", "end_effector_link", "flange", "panda_link8"})
    for (const Frame& f : model.frames())
      if (f.body > 0 && f.name.ends_with(end)) return f;
  const Array<double> length = paths(model);
  int last = 0;
  for (int i = 1; i < model.n_bodies(); ++i)
    if (model.body(i).depth > model.body(last).depth ||
        (model.body(i).depth == model.body(last).depth && length[i] > length[last]))
      last = i;
  Frame tip;
  for (const Frame& f : model.frames())
    if (f.body == last && (tip.body == 0 || norm(f.placement.p) > norm(tip.placement.p))) tip = f;
  const Inertia<double>& I = model.body(last).inertia;
  if (tip.body > 0 && norm(tip.placement.p) == 0 && last > 0 && I.m > 0) {
    tip.placement.p = I.h * (2 / I.m);  // the end of an even rod
    tip.name = "end of " + model.body_name(last);
  }
  return tip;
}

void add_skeleton(const Model<double>& model, RobotPicture& picture) {
  Skeleton(model, picture).draw();
}

}  // namespace torsor::internal
