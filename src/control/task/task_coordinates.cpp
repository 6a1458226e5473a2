#include "torsor/control/task/task_coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "law_entries.hpp"
#include "task/task_proof.hpp"
#include "torsor/model/error.hpp"
#include "torsor/trajectory/se3_path.hpp"

namespace torsor {

namespace {

/// Derivative of E: column 2 turns with the first angle, column 3 with the first two.
Mat3<double> rate_of(const Mat3<double>& E, const Vec3<double>& rates) {
  return {Vec3<double>{}, cross(E.c0, E.c1) * rates.x,
          cross(E.c0 * rates.x + E.c1 * rates.y, E.c2)};
}

int n_angles(TaskAngles angles) {
  return angles == TaskAngles::none ? 0 : angles == TaskAngles::planar ? 1 : 3;
}

}  // namespace

TaskCoordinates::TaskCoordinates(const Model<double>& model, TaskCoordinateOptions options)
    : model_(&model),
      q_(model.n_q(), std::numeric_limits<double>::quiet_NaN()),
      qd_(model.n_v()),
      options_(std::move(options)),
      frame_(model.frame(options_.frame)),
      n_(model.n_v()),
      kinematics_(model),
      motion_(model),
      J6_(6 * n_),
      J_(J6_.size()),
      Jdot_(J6_.size()) {
  frame_.placement.p = frame_.placement * options_.point;
  for (const char c : options_.axes) {
    if (c < 'x' || c > 'z')
      throw Error("task coordinates: axes \"" + options_.axes + "\" hold more than x, y and z");
    if (std::find(axes_.begin(), axes_.end(), c - 'x') != axes_.end())
      throw Error("task coordinates: axes \"" + options_.axes + "\" repeat one");
    axes_.push_back(c - 'x');
    names_.emplace_back(1, c);
  }
  const Array<std::string> angles = options_.angles == TaskAngles::rotation
                                        ? Array<std::string>{"rx", "ry", "rz"}
                                        : Array<std::string>{"phi", "theta", "psi"};
  for (int k = 0; k < n_angles(options_.angles); ++k) names_.push_back(angles[k]);
  if (names_.empty()) throw Error("task coordinates: neither positions nor angles");
}

Vec3<double> TaskCoordinates::angles_of(const SO3<double>& R) const {
  switch (options_.angles) {
    case TaskAngles::planar:
      return {std::atan2(R.c0.y, R.c0.x), 0, 0};
    case TaskAngles::euler: {
      const EulerAngles<double> a = euler_angles(options_.sequence, R).first;
      return {a.phi, a.theta, a.psi};
    }
    case TaskAngles::rotation:
      return log(R * transpose(options_.origin));
    default:
      return {};
  }
}

void TaskCoordinates::evaluate(In<double> q, In<double> qd) {
  if (std::equal(q.begin(), q.end(), q_.begin(), q_.end()) &&
      std::equal(qd.begin(), qd.end(), qd_.begin(), qd_.end()))
    return;  // torque, V and errors ask for one state in turn
  std::copy(q.begin(), q.end(), q_.begin());
  std::copy(qd.begin(), qd.end(), qd_.begin());
  forward_velocity(*model_, motion_, q, qd);
  std::copy(motion_.T_world_body.begin(), motion_.T_world_body.end(),
            kinematics_.T_world_body.begin());
  jacobian_of_pose(*model_, kinematics_, q, frame_, Reference::world_aligned,
                   column_major(J6_.data(), 6, n_));
  T_ = frame_pose(motion_, frame_);
  const Twist<double> V = frame_velocity(motion_, frame_, Reference::world_aligned);
  const Twist<double> A = frame_acceleration(motion_, frame_, Reference::world_aligned);

  const int m = size(), positions = n_positions(), turns = m - positions;
  for (int k = 0; k < positions; ++k) {
    const auto i = k;
    X_[i] = T_.p[axis(k)], Xdot_[i] = V.v[axis(k)], bias_[i] = A.v[axis(k)];
    for (int c = 0; c < n_; ++c) J_[c * m + k] = J6_[6 * c + 3 + axis(k)];
  }
  const Vec3<double> angles = angles_of(T_.R);
  Vec3<double> rates = V.w, turning = A.w;
  regular_ = true;
  if (options_.angles == TaskAngles::euler) {
    const EulerAngles<double> a{angles.x, angles.y, angles.z};
    E_ = euler_rate_matrix(options_.sequence, a);
    const EulerRateInverse<double> inverse = euler_rate_inverse(E_);
    B_ = inverse.B;
    regular_ = !inverse.singular;
    rates = B_ * V.w;
    Edot_ = rate_of(E_, rates);
    turning = B_ * (A.w - Edot_ * rates);
  }
  const int first = options_.angles == TaskAngles::planar ? 2 : 0;  // w_z is the planar rate
  for (int k = 0; k < turns; ++k) {
    const auto i = positions + k;
    X_[i] = angles[k], Xdot_[i] = rates[first + k], bias_[i] = turning[first + k];
  }
  for (int c = 0; c < n_ && turns > 0; ++c) {
    Vec3<double> w{J6_[6 * c], J6_[6 * c + 1], J6_[6 * c + 2]};
    if (options_.angles == TaskAngles::euler) w = B_ * w;
    for (int k = 0; k < turns; ++k) J_[c * m + positions + k] = w[first + k];
  }
}

InMatrix<double> TaskCoordinates::jacobian_dot(In<double> q, In<double> qd) {
  torsor::jacobian_dot(*model_, motion_, q, qd, frame_, Reference::world_aligned,
                       column_major(J6_.data(), 6, n_));
  const int m = size(), positions = n_positions(), turns = m - positions;
  const int first = options_.angles == TaskAngles::planar ? 2 : 0;
  for (int c = 0; c < n_; ++c) {
    for (int k = 0; k < positions; ++k) Jdot_[c * m + k] = J6_[6 * c + 3 + axis(k)];
    if (turns == 0) continue;
    Vec3<double> w{J6_[6 * c], J6_[6 * c + 1], J6_[6 * c + 2]};
    if (options_.angles == TaskAngles::euler) {  // J_w = E J~: J~' = B (J_w' - E' J~)
      const double* const column = J_.data() + c * m + positions;
      w = B_ * (w - Edot_ * Vec3<double>{column[0], column[1], column[2]});
    }
    for (int k = 0; k < turns; ++k) Jdot_[c * m + positions + k] = w[first + k];
  }
  return column_major<const double>(Jdot_.data(), m, n_);
}

void TaskCoordinates::error(In<double> x_d, Out<double> e) const {
  const int positions = n_positions();
  for (int k = 0; k < size(); ++k) {
    e[k] = x_d[k] - X_[k];
    if (k >= positions) e[k] = internal::wrapped(e[k]);
  }
  if (options_.angles == TaskAngles::rotation) {
    const Vec3<double> r_d{x_d[positions], x_d[positions + 1], x_d[positions + 2]};
    const Vec3<double> turn = log(exp(r_d) * options_.origin * transpose(T_.R));
    for (int k = 0; k < 3; ++k) e[positions + k] = turn[k];
  }
}

TaskError TaskCoordinates::error(const ControlReference& reference) const {
  TaskError result;
  const int m = size(), positions = n_positions();
  if (!reference.x.empty()) {
    error(reference.x, Out<double>(result.e.data(), m));
    for (int k = 0; k < m; ++k) {
      result.edot[k] = (reference.xd.empty() ? 0.0 : reference.xd[k]) - Xdot_[k];
      result.xdd[k] = reference.xdd.empty() ? 0.0 : reference.xdd[k];
    }
    return result;
  }
  if (!reference.pose) {
    for (int k = 0; k < m; ++k) result.edot[k] = -Xdot_[k];
    return result;
  }
  const PoseMotion<double>& d = *reference.pose;
  const Vec3<double>& arm = options_.point;
  const Vec3<double> v = d.V.v + cross(d.V.w, arm);
  const Vec3<double> p_d = d.T * arm, v_d = d.T.R * v,
                     a_d = d.T.R * (d.Vdot.v + cross(d.Vdot.w, arm) + cross(d.V.w, v));
  for (int k = 0; k < positions; ++k) {
    const auto i = k;
    result.e[i] = p_d[axis(k)] - X_[i];
    result.edot[i] = v_d[axis(k)] - Xdot_[i];
    result.xdd[i] = a_d[axis(k)];
  }
  Vec3<double> rates = d.T.R * d.V.w, turning = d.T.R * d.Vdot.w;
  const Vec3<double> angles = angles_of(d.T.R);
  if (options_.angles == TaskAngles::euler) {
    const Mat3<double> E =
        euler_rate_matrix(options_.sequence, EulerAngles<double>{angles.x, angles.y, angles.z});
    const Mat3<double> B = euler_rate_inverse(E).B;
    rates = B * rates;
    turning = B * (turning - rate_of(E, rates) * rates);
  }
  const Vec3<double> turn =
      options_.angles == TaskAngles::rotation ? log(d.T.R * transpose(T_.R)) : Vec3<double>{};
  const int first = options_.angles == TaskAngles::planar ? 2 : 0;
  for (int k = 0; k < m - positions; ++k) {
    const auto i = positions + k;
    result.e[i] =
        options_.angles == TaskAngles::rotation ? turn[k] : internal::wrapped(angles[k] - X_[i]);
    result.edot[i] = rates[first + k] - Xdot_[i];
    result.xdd[i] = turning[first + k];
  }
  return result;
}

void TaskCoordinates::measured_force(View<const Wrench<double>> F_contact, Out<double> f_x) const {
  for (double& f : f_x) f = 0;
  if (F_contact.empty()) return;
  const Wrench<double>& F = F_contact[frame_.body];
  const SO3<double>& R = View<const SE3<double>>(motion_.T_world_body)[frame_.body].R;
  const Vec3<double> force = R * F.f;
  Vec3<double> moment = R * (F.m - cross(frame_.placement.p, F.f));
  if (options_.angles == TaskAngles::euler)
    moment = {dot(E_.c0, moment), dot(E_.c1, moment), dot(E_.c2, moment)};
  const int positions = n_positions();
  const int first = options_.angles == TaskAngles::planar ? 2 : 0;
  for (int k = 0; k < positions; ++k) f_x[k] = -force[axis(k)];
  for (int k = 0; k < size() - positions; ++k) f_x[positions + k] = -moment[first + k];
}

void TaskCoordinates::add_torque(In<double> f_x, Out<double> tau) const {
  const int m = size();
  for (int c = 0; c < n_; ++c)
    for (int k = 0; k < m; ++k) tau[c] += J_[c * m + k] * f_x[k];
}

TaskCoordinateOptions internal::task_coordinate_options(LawParameters& parameters,
                                                        std::string frame) {
  TaskCoordinateOptions o;
  o.frame = frame.empty() ? parameters.word("frame") : std::move(frame);
  const Array<double> point = parameters.numbers("point", 3);
  o.point = {point[0], point[1], point[2]};
  o.axes = parameters.word("axes");
  if (o.axes == "none") o.axes.clear();
  o.angles =
      static_cast<TaskAngles>(parameters.choice("angles", {"none", "planar", "euler", "rotation"}));
  o.sequence = static_cast<EulerSequence>(parameters.choice(
      "sequence",
      {"xyx", "xzx", "yxy", "yzy", "zxz", "zyz", "xyz", "xzy", "yxz", "yzx", "zxy", "zyx"}));
  const Array<double> rpy = parameters.numbers("origin_rpy", 3);
  o.origin = rotation(EulerSequence::zyx, EulerAngles<double>{rpy[2], rpy[1], rpy[0]});
  return o;
}
internal::GainList internal::task_point_gain_list() {
  return {optional_gain("point", GainKind::vector, "0", "m", "that moves, in the frame"),
          optional_gain("axes", GainKind::word, "xyz", "",
                        "positions of the point: xyz, xy, ... or none"),
          optional_gain("angles", GainKind::word, "none", "",
                        "beside them: none, planar, euler or rotation"),
          optional_gain("sequence", GainKind::word, "zyx", "", "of euler"),
          optional_gain("origin_rpy", GainKind::vector, "0", "rad",
                        "roll, pitch, yaw at which rotation is zero")};
}
internal::GainList internal::task_gain_list() {
  return GainList{required_gain("frame", GainKind::word, "tool", "", "of the task")} +
         task_point_gain_list();
}

}  // namespace torsor
