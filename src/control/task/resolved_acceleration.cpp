#include "torsor/control/task/resolved_acceleration.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gain_rows.hpp"
#include "law_entries.hpp"
#include "task/task_proof.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

namespace {

constexpr EulerSequence sequence = EulerSequence::zyx;

/// Angles of R, their rates, and E' times them: w' = E x'' + E' x'.
struct EulerMotion {
  EulerAngles<double> angles;
  EulerRateInverse<double> inverse;
  Vec3<double> rates, bend;
  Mat3<double> E;

  EulerMotion(const SO3<double>& R, const Vec3<double>& w)
      : angles(euler_angles(sequence, R).first),
        inverse(euler_rate_inverse(sequence, angles)),
        rates(inverse.B * w),
        E(euler_rate_matrix(sequence, angles)) {
    // Column 2 turns with the first angle, column 3 with the first two.
    bend = cross(E.c0, E.c1) * (rates.x * rates.y) +
           cross(E.c0 * rates.x + E.c1 * rates.y, E.c2) * rates.z;
  }
};

}  // namespace

ResolvedAcceleration::ResolvedAcceleration(const Model<double>& model,
                                           ResolvedAccelerationOptions options)
    : ControlLaw("resolved_acceleration", model),
      options_(std::move(options)),
      frame_(model.frame(options_.frame)),
      dynamics_(model),
      motion_(model),
      inverse_ws_(model),
      basis_(model.n_v()),
      J6_(6 * model.n_v()),
      J_(J6_.size()),
      qdd_(model.n_v()),
      part_(qdd_.size()) {
  if (!std::isfinite(options_.kp) || !std::isfinite(options_.kd))
    throw Error(std::string(name()) + ": kp and kd must be finite");
  for (const char c : options_.axes) {
    if (c < 'x' || c > 'z')
      throw Error(std::string(name()) + ": axes \"" + options_.axes +
                  "\" hold more than x, y and z");
    axes_.push_back(c - 'x');
  }
  if (axes_.size() > 3) throw Error(std::string(name()) + ": more than three axes");
}

void ResolvedAcceleration::compute_jacobian(In<double> q) {
  const int n = model_->n_v(), m = rows();
  jacobian(*model_, inverse_ws_.kinematics, q, frame_, Reference::world_aligned,
           column_major(J6_.data(), 6, n));
  for (int c = 0; c < n; ++c)
    for (int r = 0; r < m; ++r) {
      const int from = axes_.empty() ? r : 3 + axes_[r];
      J_[c * m + r] = J6_[6 * c + from];
    }
}

void ResolvedAcceleration::orientation(const PoseMotion<double>& desired, const SE3<double>& T,
                                       const Twist<double>& V, Task& task) {
  const Vec3<double> w_d = desired.T.R * desired.V.w, a_d = desired.T.R * desired.Vdot.w;
  const double kp = options_.kp, kd = options_.kd;
  Vec3<double> e{}, edot = w_d - V.w, a{};
  if (options_.orientation == OrientationError::euler) {
    const EulerMotion x(T.R, V.w), x_d(desired.T.R, w_d);
    euler_singular_ = x.inverse.singular || x_d.inverse.singular;
    e = {internal::wrapped(x_d.angles.phi - x.angles.phi),
         internal::wrapped(x_d.angles.theta - x.angles.theta),
         internal::wrapped(x_d.angles.psi - x.angles.psi)};
    edot = x_d.rates - x.rates;
    a = x.E * (x_d.inverse.B * (a_d - x_d.bend) + edot * kd + e * kp) + x.bend;
    task.potential = 0.5 * squared_norm(e);
  } else {
    const Vec3<double> turn = log(desired.T.R * transpose(T.R));
    const double theta = norm(turn);
    const Vec3<double> k = theta > 0 ? turn * (1 / theta) : Vec3<double>{};
    switch (options_.orientation) {
      case OrientationError::axis_sine:
        e = k * std::sin(theta);
        task.potential = 2 * std::sin(theta / 2) * std::sin(theta / 2);
        break;
      case OrientationError::quaternion:
        e = k * (2 * std::sin(theta / 2));
        task.potential = 8 * std::sin(theta / 4) * std::sin(theta / 4);
        break;
      default:
        e = turn;
        task.potential = 0.5 * theta * theta;
    }
    a = a_d + edot * kd + e * kp;
  }
  task.turn = task.potential;
  for (int r = 0; r < 3; ++r) task.e[r] = e[r], task.edot[r] = edot[r], task.acceleration[r] = a[r];
}

ResolvedAcceleration::Task ResolvedAcceleration::task(const ControlInput& input) {
  forward_velocity(*model_, motion_, input.state.q, input.state.qd);
  const SE3<double> T = frame_pose(motion_, frame_);
  const Twist<double> V = frame_velocity(motion_, frame_, Reference::world_aligned);
  // Without a reference: stay.
  PoseMotion<double> d =
      input.reference.pose ? *input.reference.pose : PoseMotion<double>{T, {}, {}};
  const Vec3<double> v_d = d.T.R * d.V.v, a_d = d.T.R * (d.Vdot.v + cross(d.V.w, d.V.v));
  Task task;
  euler_singular_ = false;
  if (axes_.empty()) orientation(d, T, V, task);
  const int first = axes_.empty() ? 3 : 0, m = rows();
  for (int r = first; r < m; ++r) {
    const int axis = axes_.empty() ? r - 3 : axes_[r];
    const bool own = !axes_.empty() && !input.reference.x.empty();
    const auto at = [&](In<double> x) { return x.empty() ? 0.0 : x[r]; };
    task.e[r] = (own ? input.reference.x[r] : d.T.p[axis]) - T.p[axis];
    task.edot[r] = (own ? at(input.reference.xd) : v_d[axis]) - V.v[axis];
    task.acceleration[r] = (own ? at(input.reference.xdd) : a_d[axis]) +
                           options_.kd * task.edot[r] + options_.kp * task.e[r];
    task.potential += 0.5 * task.e[r] * task.e[r];
  }
  return task;
}

void ResolvedAcceleration::check_reference(const ControlReference& reference) const {
  const auto sized = [&](const char* what, In<double> x) {
    if (!x.empty() && (axes_.empty() || x.size != rows()))
      throw Error(std::string(name()) + ": " + what + " of the task has " + std::to_string(x.size) +
                  " numbers; " +
                  (axes_.empty() ? "a whole pose is followed as `pose`"
                                 : std::to_string(rows()) + " axes are followed"));
  };
  sized("x", reference.x);
  sized("xd", reference.xd);
  sized("xdd", reference.xdd);
}

void ResolvedAcceleration::task_error(const ControlInput& input, Out<double> e) {
  const Task now = task(input);
  for (int r = 0; r < rows(); ++r) e[r] = now.e[r];
}

void ResolvedAcceleration::torque(const ControlInput& input, Out<double> tau) {
  Task wanted = task(input);
  const Twist<double> bias = frame_acceleration(motion_, frame_, Reference::world_aligned);
  const int m = rows(), n = model_->n_v();
  for (int r = 0; r < m; ++r)
    wanted.acceleration[r] -= !axes_.empty() ? bias.v[axes_[r]] : r < 3 ? bias.w[r] : bias.v[r - 3];
  compute_jacobian(input.state.q);
  const InMatrix<double> J = column_major(std::as_const(J_).data(), m, n);
  const InverseVelocityOptions options;
  if (n >= m && basis_.decompose(J, options.near)) {
    basis_.solve(In<double>(wanted.acceleration, m), qdd_);
    near_singular_ = euler_singular_;
    // What does not move the frame comes to rest.
    if (n > m) basis_.subtract_unseen(options_.kd, input.state.qd, qdd_);
  } else {
    const InverseVelocity inverse =
        inverse_velocity(inverse_ws_, J, In<double>(wanted.acceleration, m), options, qdd_);
    near_singular_ = euler_singular_ || inverse.damping > 0 || inverse.rank < std::min(m, n);
    if (n > m) {
      double xdot[6]{};
      for (int c = 0; c < n; ++c)
        for (int r = 0; r < m; ++r) xdot[r] += J(r, c) * input.state.qd[c];
      (void)inverse_velocity(inverse_ws_, J, In<double>(xdot, m), options, part_);
      for (int c = 0; c < n; ++c) {
        const auto k = c;
        qdd_[k] -= options_.kd * (input.state.qd[c] - part_[k]);
      }
    }
  }
  tree_inverse_dynamics(*model_, dynamics_, input.state.q, input.state.qd, qdd_, {}, tau,
                        options_.effects);
}

double ResolvedAcceleration::smallest_singular_value() {
  inverse_ws_.svd.factorise(column_major(std::as_const(J_).data(), rows(), model_->n_v()));
  return inverse_ws_.svd.smallest();
}

double ResolvedAcceleration::regularity(In<double> q) {
  if (axes_.empty() && options_.orientation == OrientationError::euler) {
    forward_velocity(*model_, motion_, q, In<double>(Array<double>(model_->n_v())));
    if (EulerMotion(frame_pose(motion_, frame_).R, {}).inverse.singular) return 0;
  }
  compute_jacobian(q);
  return smallest_singular_value() / inverse_ws_.svd.largest();
}

std::vector<Condition> ResolvedAcceleration::conditions(const Run& run) {
  std::vector<Condition> all{condition("kp positive", "kp", options_.kp, Relation::greater, 0),
                             condition("kd positive", "kd", options_.kd, Relation::greater, 0)};
  internal::append(
      all, internal::task_conditions("J", rows(), model_->n_v(), internal::postures_of(*this, run),
                                     [&](const RunInstant& at) { return regularity(at.q); }));
  if (!axes_.empty() || options_.orientation == OrientationError::euler) return all;
  ReferencePoint point;
  if (run.reference) run.reference(run.start, point);
  const Task start = task({run.start, {.q = run.q0, .qd = run.v0}, {}, point.view()});
  double V = options_.kp * start.turn;
  for (int r = 0; r < 3; ++r) V += 0.5 * start.edot[r] * start.edot[r];
  const double pi = std::numbers::pi;
  const double hill = options_.orientation == OrientationError::axis_sine    ? 2
                      : options_.orientation == OrientationError::quaternion ? 4
                                                                             : pi * pi / 2;
  all.push_back(internal::half_turn_condition(V, options_.kp * hill));
  return all;
}

/// Positions, and angles of Euler, move by their poles.
std::vector<Prediction> ResolvedAcceleration::predictions(const Run&) {
  const bool angles = options_.orientation == OrientationError::euler;
  std::vector<Prediction> all;
  for (int r = axes_.empty() && !angles ? 3 : 0; r < rows(); ++r)
    all.push_back({"component " + std::to_string(r) + " of the task off the motion of its poles",
                   PredictedQuantity::linear_task_error,
                   r,
                   0,
                   {options_.kp, options_.kd}});
  return all;
}

LyapunovValue ResolvedAcceleration::lyapunov(const ControlInput& input, const Model<double>&) {
  const Task now = task(input);
  double speed = 0;
  for (const double v : now.edot) speed += v * v;
  return {0.5 * speed + options_.kp * now.potential, -options_.kd * speed};
}

LawEntry internal::resolved_acceleration() {
  return {
      "resolved_acceleration",
      "task/resolved_acceleration.hpp",
      "e'' + kd e' + kp e = 0 of positions; orientations from V < kp U(pi), by four kinds of error",
      {optional_gain("frame", GainKind::word, "", "", "of the tool; none: the last one"),
       required_gain("kp", GainKind::number, "100", "1/s^2", "of the error of the pose"),
       required_gain("kd", GainKind::number, "20", "1/s", "of its rate"),
       optional_gain("axes", GainKind::word, "", "",
                     "xyz, xy, ...: positions alone; none: the whole pose"),
       optional_gain("orientation", GainKind::word, "axis_sine", "",
                     "axis_sine, quaternion, rotation_vector or euler")},
      "a pose, or x with axes",
      "Huo 2005, sec. 3.5, (3-37) corrected",
      [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
        ResolvedAccelerationOptions o;
        o.frame = p.word("frame");
        o.kp = p.number("kp");
        o.kd = p.number("kd");
        o.axes = p.word("axes");
        o.orientation = static_cast<OrientationError>(
            p.choice("orientation", {"axis_sine", "quaternion", "rotation_vector", "euler"}));
        return std::make_unique<ResolvedAcceleration>(model, o);
      }};
}

}  // namespace torsor
