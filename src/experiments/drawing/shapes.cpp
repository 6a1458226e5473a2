// What is drawn of a robot: the shapes of its file, else its joints, links and inertias.
#include <algorithm>
#include <cmath>

#include "torsor/experiments/drawing.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/math/principal_axes.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {
namespace {

using Shape = Geometry::Shape;
using Colour = std::array<double, 3>;

constexpr Colour bar_colour{0.21, 0.31, 0.42}, joint_colour{0.91, 0.51, 0.23},
    base_colour{0.62, 0.60, 0.56}, file_colour{0.62, 0.66, 0.71}, loop_colour{0.35, 0.55, 0.45};

/// Half the thickness of a bar: a small part of the distances between joints.
double thickness(const Model<double>& model) {
  KinematicsWorkspace<double> ws(model);
  Array<double> q(model.n_q());
  neutral(model, q);
  forward_kinematics(model, ws, q);
  double reach = 0;
  for (const Frame& frame : model.frames())
    reach = std::max(reach,
                     norm(ws.T_world_body[frame.body] * frame.placement.p - ws.T_world_body[0].p));
  double longest = 0;
  for (int i = 1; i < model.n_bodies(); ++i)
    longest = std::max(longest, norm(model.body(i).placement.p));
  const double size = std::max({reach, longest, 1e-3});
  return std::clamp(0.025 * size, 1e-4, 0.3);
}

/// Collects the shapes of one body.
class Sketch {
 public:
  Sketch(const Model<double>& model, std::vector<DrawnShape>& out)
      : model_(model), radius_(thickness(model)), out_(out) {}

  bool from_file(int body) {
    bool any = false;
    for (const Link& link : model_.description().links) {
      const Frame& frame = model_.frame(link.name);
      if (frame.body != body) continue;
      for (const Geometry& g : link.geometry) {
        if (g.collision || g.shape == Shape::mesh) continue;
        const Colour rgb =
            g.rgba.size() < 3 ? file_colour : Colour{g.rgba[0], g.rgba[1], g.rgba[2]};
        out_.push_back({g.shape, body, frame.placement * g.placement, g.size, rgb, link.name});
        any = true;
      }
    }
    return any;
  }

  void from_joints(int body) {
    const Colour& colour = body == 0 ? base_colour : bar_colour;
    if (body > 0) joint(body);
    for (int child = body + 1; child < model_.n_bodies(); ++child)
      if (model_.body(child).parent == body) bar(body, model_.body(child).placement.p, colour);
    if (loops(body)) return;
    if (body == 0 || model_.body(body).last != body) return;
    const Vec3<double> tip = farthest_frame(body).placement.p;  // of a body that carries no other
    if (norm(tip) > 2 * radius_) return bar(body, tip, colour);
    const double edge = 2.4 * radius_;
    add(Shape::box, body, {model_.body(body).turn, tip}, {edge, edge, 2 * edge}, colour);
  }

 private:
  void joint(int body) {
    const Body<double>& b = model_.body(body);
    const double r = 1.5 * radius_;
    const SE3<double> along{b.turn, {}};
    switch (b.kind) {
      case JointKind::revolute:
      case JointKind::continuous:
      case JointKind::helical:
      case JointKind::cylindrical:
        return add(Shape::cylinder, body, along, {r, 3 * r, 0}, joint_colour);
      case JointKind::prismatic:
        return add(Shape::box, body, along, {2 * r, 2 * r, 3.2 * r}, joint_colour);
      case JointKind::free:
      case JointKind::free_euler:
        return inertia_box(body);
      default:
        return add(Shape::sphere, body, along, {1.3 * r, 0, 0}, joint_colour);
    }
  }

  /// From the body's origin to a point.
  void bar(int body, const Vec3<double>& to, const Colour& colour) {
    const double length = norm(to);
    if (!(length > 0.5 * radius_)) return;
    const SE3<double> T{internal::turn_to(to / length), to * 0.5};
    add(Shape::capsule, body, T, {radius_, length, 0}, colour);
  }

  /// Whether a loop closes at the body.
  bool loops(int body) {
    bool any = false;
    for (const LoopJoint& loop : model_.description().loops)
      for (const auto& [link, placement] : {std::pair{&loop.link_a, &loop.placement_a},
                                            std::pair{&loop.link_b, &loop.placement_b}}) {
        if (!model_.has_frame(*link) || model_.frame(*link).body != body) continue;
        const Vec3<double> at = model_.frame(*link).placement * placement->p;
        bar(body, at, body == 0 ? base_colour : bar_colour);
        add(Shape::sphere, body, {Mat3<double>::identity(), at}, {1.3 * radius_, 0, 0},
            loop_colour);
        any = true;
      }
    return any;
  }

  /// A tool, a hand; the link itself where there is none.
  const Frame& farthest_frame(int body) const {
    const Frame* tip = nullptr;
    for (const Frame& frame : model_.frames())
      if (frame.body == body &&
          (tip == nullptr || norm(frame.placement.p) > norm(tip->placement.p)))
        tip = &frame;
    return *tip;
  }

  /// Edges a, b, c with m/12 (b^2 + c^2) = J_x, ...: a^2 = 6 (J_y + J_z - J_x) / m.
  void inertia_box(int body) {
    const Inertia<double>& I = model_.body(body).inertia;
    if (!(I.m > 0)) return;
    const Vec3<double> com = I.h / I.m;
    const PrincipalAxes<double> p = principal_axes(I.J - Inertia<double>::parallel_axes(I.m, com));
    const auto edge = [&](double own, double other, double third) {
      return std::sqrt(std::max(6 * (other + third - own) / I.m, radius_ * radius_));
    };
    const auto& [x, y, z] = p.moments;
    add(Shape::box, body, {p.axes, com}, {edge(x, y, z), edge(y, z, x), edge(z, x, y)}, bar_colour);
  }

  void add(Shape shape, int body, const SE3<double>& T, const Vec3<double>& size,
           const Colour& rgb) {
    out_.push_back({shape, body, T, size, rgb, ""});
  }

  const Model<double>& model_;
  double radius_;
  std::vector<DrawnShape>& out_;
};

}  // namespace

Ellipsoid inertia_ellipsoid(const Inertia<double>& I) {
  if (!(I.m > 0)) return {Mat3<double>::identity(), {}};
  const PrincipalAxes<double> p =
      principal_axes(I.J - Inertia<double>::parallel_axes(I.m, I.h / I.m));
  const auto& [x, y, z] = p.moments;
  const auto radius = [&](double twice) { return std::sqrt(std::max(2.5 * twice / I.m, 0.0)); };
  return {p.axes, {radius(y + z - x), radius(z + x - y), radius(x + y - z)}};
}

Ellipsoid force_ellipsoid(const Ellipsoid& velocities) {
  const Vec3<double>& r = velocities.radii;
  const auto reciprocal = [](double x) { return x > 0 ? 1 / x : infinity; };
  return {velocities.axes, {reciprocal(r.x), reciprocal(r.y), reciprocal(r.z)}};
}

std::vector<DrawnShape> drawn_shapes(const Model<double>& model) {
  std::vector<DrawnShape> shapes;
  Sketch sketch(model, shapes);
  for (int body = 0; body < model.n_bodies(); ++body)
    if (!sketch.from_file(body)) sketch.from_joints(body);
  return shapes;
}

}  // namespace torsor
