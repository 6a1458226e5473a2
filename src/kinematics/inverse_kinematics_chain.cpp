// The path to the targets: what is prepared once, poses, errors, Jacobians and steps.
#include <algorithm>
#include <cmath>

#include "inverse_kinematics_parts.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::numeric_ik {
namespace {

constexpr double pi = 3.14159265358979323846;
using Type = PathJoint::Type;

/// Rotation of the coordinates in which a part's linear velocities are written: they become rates
/// of its position coordinates when turned by it.
SO3<double> axes_of_part(JointKind kind, EulerOrder order, const double* x) {
  switch (kind) {
    case JointKind::planar:
      return rotation_z(x[2]);
    case JointKind::free:
      return rotation(Quaternion<double>{x[3], x[4], x[5], x[6]});
    case JointKind::free_euler: {
      SO3<double> R;
      Vec3<double> unused[3];
      euler_motion(order, x + 3, R, unused);
      return R;
    }
    default:
      return SO3<double>::identity();
  }
}
/// First linear velocity of a part that has a position among its coordinates, or -1, and how many.
int linear_of_part(JointKind kind) {
  return kind == JointKind::planar ? 1
         : kind == JointKind::free ? 3
                                   : (kind == JointKind::free_euler ? 0 : -1);
}

/// Coordinate of a part whose rate its step k is, or -1.
int coordinate_of_step(JointKind kind, int k) {
  switch (kind) {
    case JointKind::planar:
      return (k + 2) % 3;
    case JointKind::spherical:
      return -1;
    case JointKind::free:
      return k < 3 ? -1 : k - 3;
    default:
      return k;
  }
}

bool is_length(JointKind kind, int coordinate) {
  switch (kind) {
    case JointKind::prismatic:
    case JointKind::translational:
      return true;
    case JointKind::cylindrical:
      return coordinate == 1;
    case JointKind::planar:
      return coordinate < 2;
    case JointKind::free:
    case JointKind::free_euler:
      return coordinate < 3;
    default:
      return false;
  }
}

void add_coordinates(const Model<double>& model, const PathJoint& joint, Plan& plan) {
  const Body<double>& body = model.body(joint.body);
  const JointShape<double>& shape = model.joint(joint.body);
  for_each_part(shape, [&](JointKind kind, EulerOrder, int iq, int iv) {
    if (kind == JointKind::spherical || kind == JointKind::free) {
      plan.quaternions.push_back(joint.x + iq + (kind == JointKind::free ? 3 : 0));
      plan.quaternion_steps.push_back(joint.u + iv);
    }
    for (int k = 0; k < n_q_of(kind); ++k) {
      const int dof = limits_of_coordinate(shape, iq + k);
      const Limits limits = dof < 0 ? Limits{} : model.limits(body.v.first + dof);
      const bool length = is_length(kind, k);
      const bool turns = kind == JointKind::revolute || kind == JointKind::continuous;
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
    for (int k = 0; k < n_v_of(kind); ++k) {
      const int c = coordinate_of_step(kind, k);
      plan.coordinate_of_step.push_back(c < 0 ? -1 : joint.x + iq + c);
      plan.unit_of_step.push_back(c >= 0 && is_length(kind, c) ? plan.length : 1);
    }
  });
}

}  // namespace

namespace {

bool carries(const Model<double>& model, int body, int other) {
  while (other > body) other = model.body(other).parent;
  return other == body;
}

/// A joint that a coupling or loop ties to others does not move alone.
void refuse_tied(const Model<double>& model, int body) {
  const RobotDescription& robot = model.description();
  const std::string& joint = model.joint_name(body);
  for (const Coupling& coupling : robot.couplings)
    for (const Coupling::Term& term : coupling.terms)
      if (term.joint == joint)
        refuse("joint \"" + joint + "\" is tied to others by coupling \"" + coupling.name + "\"");
  for (const LoopJoint& loop : robot.loops)
    if (carries(model, body, model.frame(loop.link_a).body) !=
        carries(model, body, model.frame(loop.link_b).body))
      refuse("joint \"" + joint + "\" is part of the loop that \"" + loop.name + "\" closes");
}

}  // namespace

void refuse(const std::string& why) { throw Error("inverse_kinematics: " + why); }

void prepare(const Model<double>& model, View<const Frame> frames, Plan& plan) {
  if (frames.empty()) refuse("no frame to move");
  std::vector<int> number(at(model.n_bodies()), -1);
  for (const Frame& frame : frames) {
    if (frame.body < 0 || frame.body >= model.n_bodies())
      refuse("frame \"" + frame.name + "\" is on no body of robot \"" + model.name() + "\"");
    if (frame.body == 0) refuse("no joint moves frame \"" + frame.name + "\"");
    for (int b = frame.body; b != 0; b = model.body(b).parent) number[at(b)] = 0;
  }
  for (int b = 1; b < model.n_bodies(); ++b) {
    if (number[at(b)] < 0) continue;
    refuse_tied(model, b);
    const Body<double>& body = model.body(b);
    PathJoint joint;
    joint.type = body.kind == JointKind::revolute || body.kind == JointKind::continuous ? Type::turn
                 : body.kind == JointKind::prismatic ? Type::slide
                                                     : Type::general;
    joint.body = b;
    joint.parent = body.parent == 0 ? -1 : number[at(body.parent)];
    joint.link = body.placement * SE3<double>{body.turn, {}};
    if (body.parent != 0)
      joint.link = SE3<double>{transpose(model.body(body.parent).turn), {}} * joint.link;
    joint.n_x = body.q.count, joint.n_u = body.v.count;
    joint.x = plan.n_x, joint.u = plan.n_u;
    plan.n_x += joint.n_x, plan.n_u += joint.n_u;
    plan.general_joints |= joint.type == Type::general;
    number[at(b)] = static_cast<int>(plan.joints.size());
    plan.joints.push_back(joint);
  }
  plan.length = 0;
  for (const Frame& frame : frames) {
    PathFrame f;
    f.name = frame.name;
    f.joint = number[at(frame.body)];
    f.end = SE3<double>{transpose(model.body(frame.body).turn), {}} * frame.placement;
    double reach = norm(f.end.p);
    for (int j = f.joint; j >= 0; j = plan.joints[at(j)].parent) {
      f.joints.push_back(j);
      if (plan.joints[at(j)].parent >= 0) reach += norm(plan.joints[at(j)].link.p);
      for (int k = 0; k < plan.joints[at(j)].n_u; ++k) f.steps.push_back(plan.joints[at(j)].u + k);
    }
    std::reverse(f.steps.begin(), f.steps.end());
    plan.length = std::max(plan.length, reach);
    plan.frames.push_back(std::move(f));
  }
  plan.length = plan.length > 1e-9 ? plan.length * length_by_reach : 1;
  for (const PathJoint& joint : plan.joints) add_coordinates(model, joint, plan);

  plan.n_targets = frames.size;
  plan.n_rows = 6 * plan.n_targets;
  plan.n_model = model.n_q();
  const std::size_t n = at(plan.n_u), m = at(plan.n_rows), t = at(plan.n_targets);
  for (auto* v : {&plan.x, &plan.x_try, &plan.x_best, &plan.x_good, &plan.x_start, &plan.reference,
                  &plan.sine, &plan.cosine})
    v->resize(at(plan.n_x));
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
  plan.active.reserve(at(plan.n_x));
}

void forward(const Model<double>& model, Plan& plan, const double* x) {
  sincos_many(x, plan.sine.data(), plan.cosine.data(), plan.n_x);
  SE3<double>* const T = plan.T.data();
  const int n = static_cast<int>(plan.joints.size());
  SE3<double> here;
  for (int j = 0; j < n; ++j) {
    const PathJoint& joint = plan.joints[at(j)];
    if (joint.parent < 0) {
      here = joint.link;
    } else {
      if (joint.parent != j - 1) here = T[joint.parent];
      here.p = here.R * joint.link.p + here.p;
      here.R = here.R * joint.link.R;
    }
    switch (joint.type) {
      case Type::turn: {
        const double s = plan.sine[at(joint.x)], c = plan.cosine[at(joint.x)];
        const Vec3<double> c0 = here.R.c0, c1 = here.R.c1;
        here.R.c0 = c0 * c + c1 * s;
        here.R.c1 = c1 * c - c0 * s;
        break;
      }
      case Type::slide:
        here.p = here.p + here.R.c2 * x[joint.x];
        break;
      case Type::general:
        here = here * joint_motion(model.joint(joint.body), x + joint.x).T;
        break;
    }
    T[j] = here;
  }
  for (int t = 0; t < plan.n_targets; ++t) {
    const PathFrame& f = plan.frames[at(t)];
    plan.T_frame[at(t)] = T[f.joint] * f.end;
  }
}

double errors(Plan& plan, int first_level, int last_level) {
  double sum = 0;
  for (int t = 0; t < plan.n_targets; ++t) {
    const Task& task = plan.tasks[at(t)];
    if (task.level < first_level || task.level > last_level) continue;
    const SE3<double>& T = plan.T_frame[at(t)];
    Vec3<double> w{}, v = task.T.p - T.p;
    if (task.has_rotation)
      w = task.isotropic ? log(task.T.R * transpose(T.R)) : -log(transpose_times(task.T.R, T.R));
    if (!task.isotropic) v = transpose_times(task.T.R, v);
    double* const e = plan.e.data() + 6 * t;
    IkResidual& residual = plan.residuals[at(t)];
    double turned = 0, moved = 0;
    for (int k = 0; k < 3; ++k) {
      if (task.w_rotation[k] > 0) turned += w[k] * w[k];
      if (task.w_position[k] > 0) moved += v[k] * v[k];
      e[k] = task.w_rotation[k] * w[k];
      e[k + 3] = task.w_position[k] * v[k];
    }
    residual.orientation = std::sqrt(turned);
    residual.position = std::sqrt(moved);
    residual.reached = residual.orientation <= plan.orientation_tolerance &&
                       residual.position <= plan.position_tolerance;
    for (int k = 0; k < 6; ++k) sum += e[k] * e[k];
  }
  return sum;
}

namespace {

/// One column of a task: w and v of the frame's origin in the world's axes.
TORSOR_INLINE void store_column(const Task& task, const Vec3<double>& phi,
                                const Vec3<double>& w_world, const Vec3<double>& v_world,
                                double* column) {
  Vec3<double> w = w_world, v = v_world;
  if (!task.isotropic) {
    w = transpose_times(task.T.R, w);
    v = transpose_times(task.T.R, v);
    if (task.has_rotation) w = dexp_inv(-phi, w);  // the rate of phi in R = R_target exp(phi)
  }
  for (int k = 0; k < 3; ++k) {
    column[k] = task.w_rotation[k] * w[k];
    column[k + 3] = task.w_position[k] * v[k];
  }
}

/// Columns of S for rates of coordinates instead of linear velocities in the child's axes.
TORSOR_COLD void general_columns(const Model<double>& model, const PathJoint& joint,
                                 const double* x, Twist<double>* columns) {
  const JointShape<double>& shape = model.joint(joint.body);
  const JointMotion<double> motion = joint_motion(shape, x + joint.x);
  for (int k = 0; k < joint.n_u; ++k) columns[k] = motion.S[at(k)];
  for_each_part(shape, [&](JointKind kind, EulerOrder order, int iq, int iv) {
    const int linear = linear_of_part(kind);
    if (linear < 0) return;
    const SO3<double> R = axes_of_part(kind, order, x + joint.x + iq);
    const int n = kind == JointKind::planar ? 2 : 3;
    for (int k = 0; k < n; ++k) {
      Twist<double> sum{};
      for (int c = 0; c < n; ++c) sum += motion.S[at(iv + linear + c)] * R(k, c);
      columns[iv + linear + k] = sum;
    }
  });
}

}  // namespace

void jacobian(const Model<double>& model, Plan& plan, const double* x, int first_level,
              int last_level) {
  for (int t = 0; t < plan.n_targets; ++t) {
    const Task& task = plan.tasks[at(t)];
    if (task.level < first_level || task.level > last_level) continue;
    const PathFrame& f = plan.frames[at(t)];
    const SE3<double>& T_frame = plan.T_frame[at(t)];
    Vec3<double> phi{};
    if (!task.isotropic && task.has_rotation) phi = log(transpose_times(task.T.R, T_frame.R));
    double* const rows = plan.J.data() + 6 * t;
    for (const int j : f.joints) {
      const PathJoint& joint = plan.joints[at(j)];
      const SE3<double>& T = plan.T[at(j)];
      double* const column = rows + joint.u * plan.n_rows;
      switch (joint.type) {
        case Type::turn:
          store_column(task, phi, T.R.c2, cross(T.R.c2, T_frame.p - T.p), column);
          break;
        case Type::slide:
          store_column(task, phi, {}, T.R.c2, column);
          break;
        case Type::general: {
          Twist<double> S[max_joint_dofs];
          general_columns(model, joint, x, S);
          for (int k = 0; k < joint.n_u; ++k) {
            const Vec3<double> w = T.R * S[k].w;
            store_column(task, phi, w, T.R * S[k].v + cross(w, T_frame.p - T.p),
                         column + k * plan.n_rows);
          }
        }
      }
    }
  }
}

void advance(const Model<double>& model, const Plan& plan, const double* x, const double* u,
             double* out) {
  for (const PathJoint& joint : plan.joints) {
    if (joint.type != Type::general) {
      out[joint.x] = x[joint.x] + u[joint.u];
      continue;
    }
    const JointShape<double>& shape = model.joint(joint.body);
    for_each_part(shape, [&](JointKind kind, EulerOrder order, int iq, int iv) {
      const double* const from = x + joint.x + iq;
      double v[max_joint_dofs]{};
      for (int k = 0; k < n_v_of(kind); ++k) v[k] = u[joint.u + iv + k];
      const int linear = linear_of_part(kind);
      if (linear >= 0) {
        // The step whose exponential moves the position by u in the axes of its coordinates.
        const SO3<double> R = axes_of_part(kind, order, from);
        const bool plane = kind == JointKind::planar;
        Vec3<double> p{v[linear], v[linear + 1], plane ? 0 : v[linear + 2]};
        p = transpose_times(R, p);
        if (plane) p = dexp_inv<double>({0, 0, -v[0]}, p);
        if (kind == JointKind::free) p = dexp_inv<double>({-v[0], -v[1], -v[2]}, p);
        v[linear] = p.x, v[linear + 1] = p.y;
        if (!plane) v[linear + 2] = p.z;
      }
      integrate_simple(kind, order, from, v, out + joint.x + iq);
    });
  }
  for (int k = 0; k < plan.n_x; ++k) {
    double& y = out[k];
    if (plan.wraps[at(k)]) {
      if (y > plan.upper[at(k)]) y -= 2 * pi * std::ceil((y - plan.upper[at(k)]) / (2 * pi));
      if (y < plan.lower[at(k)]) y += 2 * pi * std::ceil((plan.lower[at(k)] - y) / (2 * pi));
    }
    // Rounding; and the starts of callers who stand outside.
    y = std::min(std::max(y, plan.lower[at(k)]), plan.upper[at(k)]);
  }
}

void nearest_turns(const Plan& plan, const double* x_near, double* x) {
  for (int c = 0; c < plan.n_x; ++c) {
    if (!plan.wraps[at(c)]) continue;
    double turns = std::round((x_near[c] - x[c]) / (2 * pi));
    const double most = std::floor((plan.upper[at(c)] - x[c]) / (2 * pi)),
                 least = std::ceil((plan.lower[at(c)] - x[c]) / (2 * pi));
    turns = std::min(std::max(turns, least), most);
    x[c] = std::min(std::max(x[c] + 2 * pi * turns, plan.lower[at(c)]), plan.upper[at(c)]);
  }
}

}  // namespace torsor::numeric_ik
