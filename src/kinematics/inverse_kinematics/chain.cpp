// The path to the targets: poses, errors, Jacobians and steps.
#include <algorithm>
#include <cmath>

#include "inverse_kinematics/parts.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::numeric_ik {
namespace {

constexpr double pi = 3.14159265358979323846;
using Type = PathJoint::Type;

/// The velocities of a part that become rates of coordinates when turned by its rotation.
Dofs linear_in_child(JointKind kind) {
  return internal::with_kind(kind, [](auto type) { return type.linear_in_child; });
}

}  // namespace

void forward(const Model<double>& model, Plan& plan, const double* x) {
  internal::sincos_many(x, plan.sine.data(), plan.cosine.data(), plan.n_x);
  SE3<double>* const T = plan.T.data();
  const int n = plan.joints.size();
  SE3<double> here;
  for (int j = 0; j < n; ++j) {
    const PathJoint& joint = plan.joints[j];
    if (joint.parent < 0) {
      here = joint.link;
    } else {
      if (joint.parent != j - 1) here = T[joint.parent];
      here.p = here.R * joint.link.p + here.p;
      here.R = here.R * joint.link.R;
    }
    switch (joint.type) {
      case Type::turn: {
        const double s = plan.sine[joint.x], c = plan.cosine[joint.x];
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
    const PathFrame& f = plan.frames[t];
    plan.T_frame[t] = T[f.joint] * f.end;
  }
}

namespace {

/// log(B A^T): the rotation that takes A to B, in the axes of the world. From sine and cosine, which is
/// quicker than by the quaternion and as exact away from pi.
TORSOR_INLINE Vec3<double> turn_between(const SO3<double>& A, const SO3<double>& B) {
  const double cosine = (dot(A.c0, B.c0) + dot(A.c1, B.c1) + dot(A.c2, B.c2) - 1) * 0.5;
  if (cosine < -0.9) return log(B * transpose(A));
  const Vec3<double> s = (cross(A.c0, B.c0) + cross(A.c1, B.c1) + cross(A.c2, B.c2)) * 0.5;
  const double sine = std::sqrt(squared_norm(s));
  return sine > 0 ? s * (atan2(sine, cosine) / sine) : s;
}

}  // namespace

double errors(Plan& plan, int first_level, int last_level) {
  double sum = 0;
  for (int t = 0; t < plan.n_targets; ++t) {
    const Task& task = plan.tasks[t];
    if (task.level < first_level || task.level > last_level) continue;
    const SE3<double>& T = plan.T_frame[t];
    Vec3<double> w{}, v = task.T.p - T.p;
    if (task.has_rotation)
      w = task.isotropic ? turn_between(T.R, task.T.R) : -log(transpose_times(task.T.R, T.R));
    if (!task.isotropic) v = transpose_times(task.T.R, v);
    double* const e = plan.e.data() + 6 * t;
    IkResidual& residual = plan.residuals[t];
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
  for (int k = 0; k < joint.n_u; ++k) columns[k] = motion.S[k];
  internal::for_each_part(shape, [&](JointKind kind, EulerOrder order, int iq, int iv) {
    const auto [linear, n] = linear_in_child(kind);
    if (n == 0) return;
    JointMotion<double> own;
    internal::with_kind(kind,
                        [&](auto type) { type.motion(order, shape.pitch, x + joint.x + iq, own); });
    for (int k = 0; k < n; ++k) {
      Twist<double> sum{};
      for (int c = 0; c < n; ++c) sum += motion.S[iv + linear + c] * own.T.R(k, c);
      columns[iv + linear + k] = sum;
    }
  });
}

/// What a tied joint adds to the column of its master.
TORSOR_COLD void add_tied_column(Plan& plan, const PathFrame& f, const Task& task,
                                 const Vec3<double>& phi, int j, int t) {
  const PathJoint& joint = plan.joints[j];
  if (joint.x_master < 0) return;
  const SE3<double>& T = plan.T[j];
  double column[6];
  if (joint.type == Type::turn)
    store_column(task, phi, T.R.c2, cross(T.R.c2, plan.T_frame[t].p - T.p), column);
  else
    store_column(task, phi, {}, T.R.c2, column);
  double* const master = plan.J.data() + 6 * t + joint.u * plan.n_rows;
  bool alone = true;  // the master does not move the frame itself, and no other tied joint came yet
  for (const int other : f.joints) alone = alone && plan.joints[other].u != joint.u;
  for (const int other : f.tied) {
    if (other == j) break;
    alone = alone && plan.joints[other].u != joint.u;
  }
  for (int k = 0; k < 6; ++k) master[k] = (alone ? 0 : master[k]) + joint.factor * column[k];
}

}  // namespace

void jacobian(const Model<double>& model, Plan& plan, const double* x, int first_level,
              int last_level) {
  for (int t = 0; t < plan.n_targets; ++t) {
    const Task& task = plan.tasks[t];
    if (task.level < first_level || task.level > last_level) continue;
    const PathFrame& f = plan.frames[t];
    const SE3<double>& T_frame = plan.T_frame[t];
    Vec3<double> phi{};
    if (!task.isotropic && task.has_rotation) phi = log(transpose_times(task.T.R, T_frame.R));
    double* const rows = plan.J.data() + 6 * t;
    for (const int j : f.joints) {
      const PathJoint& joint = plan.joints[j];
      const SE3<double>& T = plan.T[j];
      double* const column = rows + joint.u * plan.n_rows;
      switch (joint.type) {
        case Type::turn:
          store_column(task, phi, T.R.c2, cross(T.R.c2, T_frame.p - T.p), column);
          break;
        case Type::slide:
          store_column(task, phi, {}, T.R.c2, column);
          break;
        case Type::general: {
          Twist<double> S[internal::max_joint_dofs];
          general_columns(model, joint, x, S);
          for (int k = 0; k < joint.n_u; ++k) {
            const Vec3<double> w = T.R * S[k].w;
            store_column(task, phi, w, T.R * S[k].v + cross(w, T_frame.p - T.p),
                         column + k * plan.n_rows);
          }
        }
      }
    }
    for (const int j : f.tied) add_tied_column(plan, f, task, phi, j, t);
  }
}

void follow_masters(const Plan& plan, double* x) {
  for (const int j : plan.tied) {
    const PathJoint& joint = plan.joints[j];
    x[joint.x] = joint.offset + (joint.x_master < 0 ? 0 : joint.factor * x[joint.x_master]);
  }
}

void advance(const Model<double>& model, const Plan& plan, const double* x, const double* u,
             double* out) {
  for (const PathJoint& joint : plan.joints) {
    if (joint.tied) continue;
    if (joint.type != Type::general) {
      out[joint.x] = x[joint.x] + u[joint.u];
      continue;
    }
    const JointShape<double>& shape = model.joint(joint.body);
    internal::for_each_part(shape, [&](JointKind kind, EulerOrder order, int iq, int iv) {
      const double* const from = x + joint.x + iq;
      double v[internal::max_joint_dofs]{};
      for (int k = 0; k < n_v(kind); ++k) v[k] = u[joint.u + iv + k];
      // The position moves by u in the axes of its coordinates, whatever the rotation does.
      const auto [linear, count] = linear_in_child(kind);
      for (int k = linear; k < linear + count; ++k) v[k] = 0;
      double* const to = out + joint.x + iq;
      internal::integrate_part(kind, order, from, static_cast<const double*>(v), to);
      for (int k = linear; k < linear + count; ++k)
        to[internal::moved_coordinate(kind, k)] += u[joint.u + iv + k];
    });
  }
  for (int k = 0; k < plan.n_x; ++k) {
    double& y = out[k];
    if (plan.wraps[k]) {
      if (y > plan.upper[k]) y -= 2 * pi * std::ceil((y - plan.upper[k]) / (2 * pi));
      if (y < plan.lower[k]) y += 2 * pi * std::ceil((plan.lower[k] - y) / (2 * pi));
    }
    // Rounding; and the starts of callers who stand outside.
    y = std::min(std::max(y, plan.lower[k]), plan.upper[k]);
  }
  follow_masters(plan, out);
}

void nearest_turns(const Plan& plan, const double* x_near, double* x) {
  for (int c = 0; c < plan.n_x; ++c) {
    if (!plan.wraps[c]) continue;
    double turns = std::round((x_near[c] - x[c]) / (2 * pi));
    const double most = std::floor((plan.upper[c] - x[c]) / (2 * pi)),
                 least = std::ceil((plan.lower[c] - x[c]) / (2 * pi));
    turns = std::min(std::max(turns, least), most);
    x[c] = std::min(std::max(x[c] + 2 * pi * turns, plan.lower[c]), plan.upper[c]);
  }
}

}  // namespace torsor::numeric_ik
