#include "check/parts.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/formats/text.hpp"
#include "torsor/math/principal_axes.hpp"

namespace torsor::internal::checks {

bool Report::has_errors() const {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& f) { return f.severity == Finding::Severity::error; });
}

std::string numbers(const Vec3<double>& v) {
  return short_number(v.x) + " " + short_number(v.y) + " " + short_number(v.z);
}
std::string element(const char* kind, const std::string& name) {
  return *kind == 0 ? in_quotes(name) : std::string(kind) + " " + in_quotes(name);
}
bool has_control_character(const std::string& name) {
  return std::any_of(name.begin(), name.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}
bool is_awkward_name(const std::string& name) {
  return std::any_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == 0x7f || c == ',' || c == '"';
  });
}

bool is_finite(const Vec3<double>& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}
bool is_finite(const Sym3<double>& a) {
  return is_finite(Vec3<double>{a.xx, a.xy, a.yy}) && is_finite(Vec3<double>{a.xz, a.yz, a.zz});
}
bool is_angle(const Joint& joint, std::size_t dof) {
  JointKind kind = joint.kind;
  int k = static_cast<int>(dof);
  for (const JointPart& part : joint.parts) {
    kind = part.kind;
    if (k < n_v(kind)) break;
    k -= n_v(kind);
  }
  return moved_coordinate(kind, k) >= 0 && velocity_measure(kind, k) == Measure::angle;
}
double rotation_error(const SE3<double>& T) {
  const Mat3<double> e = transpose_times(T.R, T.R) - Mat3<double>::identity();
  const double off = std::sqrt(squared_norm(e.c0) + squared_norm(e.c1) + squared_norm(e.c2));
  return determinant(T.R) > 0 ? off : 2;
}

SecondMoments second_moments(const Sym3<double>& about_com) {
  const PrincipalAxes<double> p = principal_axes(about_com);
  const Vec3<double>& m = p.moments;
  const double half = trace(about_com) / 2;
  // The largest moment belongs to the smallest second moment.
  return {{half - m.z, half - m.y, half - m.x}, p.axes, m};
}

InertiaVerdict judge(const Sym3<double>& about_com, double scale) {
  // Six digits are what files carry at least; 1 % is more than rounding explains; twelve orders of
  // magnitude below mass times size squared is nothing but the rounding of a zero.
  constexpr double digits = 1e-6, rounding = 0.01, nothing = 1e-12;
  const SecondMoments s = second_moments(about_com);
  const double largest = std::max(std::abs(s.moments.x), std::abs(s.moments.z));
  if (largest <= nothing * scale) return InertiaVerdict::zero;
  const double slack = std::max(digits * largest, nothing * scale);
  if (s.moments.x < -slack) return InertiaVerdict::not_positive;
  if (s.values.x >= -slack) return InertiaVerdict::good;
  return s.values.x >= -rounding * largest ? InertiaVerdict::rounded
                                           : InertiaVerdict::breaks_triangle;
}

namespace {

/// Where the child link is in the joint's frame at the neutral configuration.
SE3<double> neutral_motion(const Joint& joint) {
  SE3<double> T;
  for (const JointPart& part : joint.parts) T = T * part.placement;
  return T;
}

}  // namespace

Tree::Tree(const RobotDescription& description) : robot(description) {
  const std::size_t n = robot.links.size();
  for (std::size_t k = 0; k < n; ++k) link_of.emplace(robot.links[k].name, k);
  joint_above.assign(n, none);
  reached.assign(n, false);
  T_root_link.resize(n);
  path.assign(n, 0);
  body.resize(n);
  inertia.resize(n);
  leaf.assign(n, true);
  std::vector<std::vector<std::size_t>> children(n);
  for (std::size_t k = 0; k < robot.joints.size(); ++k) {
    const std::size_t above = find(robot.joints[k].parent), below = find(robot.joints[k].child);
    if (above == none || below == none || joint_above[below] != none) continue;
    joint_above[below] = k;
    children[above].push_back(below);
  }
  for (std::size_t k = 0; k < n; ++k)
    if (joint_above[k] == none) roots.push_back(k);
  if (roots.empty()) return;

  const std::size_t named = find(robot.root);
  const std::size_t root = named != none && joint_above[named] == none ? named : roots[0];
  order.push_back(root);
  reached[root] = true;
  body[root] = root;
  for (std::size_t at = 0; at < order.size(); ++at) {
    const std::size_t link = order[at];
    for (const std::size_t child : children[link]) {
      const Joint& joint = robot.joints[joint_above[child]];
      T_root_link[child] = T_root_link[link] * joint.placement * neutral_motion(joint);
      path[child] = path[link] + norm(joint.placement.p);
      body[child] = joint.kind == JointKind::fixed ? body[link] : child;
      if (joint.kind != JointKind::fixed) leaf[body[link]] = false;
      reached[child] = true;
      order.push_back(child);
    }
    const Inertial& in = robot.links[link].inertial;
    const SE3<double> T_body_link = inverse_times(T_root_link[body[link]], T_root_link[link]);
    inertia[body[link]] =
        inertia[body[link]] +
        transported(T_body_link, Inertia<double>::at_com(in.mass, in.com, in.about_com));
  }
}

std::size_t Tree::find(const std::string& link) const {
  const auto at = link_of.find(link);
  return at == link_of.end() ? none : at->second;
}
std::size_t Tree::parent(std::size_t link) const {
  return joint_above[link] == none ? none : find(robot.joints[joint_above[link]].parent);
}

double Tree::reach() const {
  double longest = 0;
  for (const std::size_t k : order) {
    const Link& link = robot.links[k];
    const Extent extent = extent_of(link);
    double own = norm(link.inertial.com);
    if (extent.known()) own = std::max({own, norm(extent.low), norm(extent.high)});
    longest = std::max(longest, path[k] + own);
  }
  return std::isfinite(longest) ? longest : 0;
}

double Tree::inertia_scale(const Link& link) const {
  if (longest_ < 0) longest_ = reach();
  return std::abs(link.inertial.mass) * longest_ * longest_;
}

Extent extent_of(const Link& link) {
  Extent extent;
  for (const Geometry& g : link.geometry) {
    if (g.shape == Geometry::Shape::mesh) return {};
    const double r = g.size.x,
                 length = g.shape == Geometry::Shape::capsule ? g.size.y / 2 + r : g.size.y / 2;
    const Vec3<double> half = g.shape == Geometry::Shape::box      ? g.size * 0.5
                              : g.shape == Geometry::Shape::sphere ? Vec3<double>{r, r, r}
                                                                   : Vec3<double>{r, r, length};
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3<double> p =
          g.placement * Vec3<double>{corner & 1 ? half.x : -half.x, corner & 2 ? half.y : -half.y,
                                     corner & 4 ? half.z : -half.z};
      for (int k = 0; k < 3; ++k) {
        extent.low[k] = std::min(extent.low[k], p[k]);
        extent.high[k] = std::max(extent.high[k], p[k]);
      }
    }
  }
  return extent;
}

}  // namespace torsor::internal::checks
