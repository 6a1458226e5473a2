#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "reference_jumps.hpp"
#include "torsor/control/internal/patience.hpp"
#include "torsor/control/scope.hpp"
#include "torsor/kinematics/constraint_rows.hpp"
#include "torsor/linear/matrix.hpp"
#include "torsor/linear/orthogonal_decomposition.hpp"

namespace torsor {

using control_detail::ReferenceJumps;

namespace {

/// Instants of the reference that are looked at, the k-th as a share of the run: at uneven distances, so
/// that no period of a reference hides between them. 0.618 of the mean distance lies between two at least.
constexpr int dense = 512;
double share_of(int k) {
  if (k == 0 || k == dense - 1) return k == 0 ? 0 : 1;
  const double turns = k * (std::numbers::phi - 1);
  return (k + (turns - std::floor(turns)) - 0.5) / (dense - 1);
}

void enlarge(Array<double>& bounds, In<double> values) {
  for (int k = 0; k < std::min(bounds.size(), values.size); ++k)
    bounds[k] = std::fmax(bounds[k], std::abs(values[k]));
}

/// Postures that bring the error of a law's own task to zero, by Newton's steps of least norm with
/// loops closed. Where the law integrates its position, its states move with the joints.
class TaskPostures {
 public:
  TaskPostures(ControlLaw& law, const Run& run)
      : law_(law),
        model_(law.model()),
        loops_(model_),
        rows_(model_),
        held_(law.hypotheses().held_states),
        q(run.q0),
        x_c(law.n_states()),
        zero_(model_.n_v()),
        e_(law.n_task_errors()),
        moved_e_(e_.size()),
        rate_(x_c.size()),
        J_(e_.size() + loops_.n_rows(), model_.n_v()),
        residual_(J_.rows()),
        step_(model_.n_v()),
        solver_(J_.rows(), J_.cols()) {
    law_.reset(x_c);
  }

  /// Whether the posture of this instant was found; q and x_c move there.
  bool go(double t, const ReferencePoint& point) {
    if (of_position_.empty()) find_positions(t, point);
    for (int iteration = 0; iteration < (lost_ ? 8 : 30); ++iteration) {
      linearise(t, point);
      solver_.factorise(J_, 1e-6);
      (void)solver_.solve(residual_, step_);
      double length = 0;
      for (const double x : step_) length = std::fmax(length, std::abs(x));
      if (!std::isfinite(length)) return false;
      const double share = std::min(1.0, 0.3 / length);
      for (double& x : step_) x *= -share;
      move(step_, q, x_c);
      if (length < 1e-9) break;
    }
    linearise(t, point);
    double worst = 0;
    for (int k = 0; k < residual_.size(); ++k) worst = std::fmax(worst, std::abs(residual_[k]));
    lost_ = !(worst < 1e-6);
    return !lost_;
  }

  /// How the joints move at a posture that was found, by those a little before and after it.
  void follow(double t, const Run& run, RunInstant& instant) {
    const double h = std::min(1e-3, 1e-3 * run.duration);
    const double middle = std::clamp(t, run.start + h, run.start + run.duration - h);
    const Array<double> q_here = q, x_here = x_c;
    const int n = zero_.size();
    Array<double> moved[3];
    ReferencePoint point;
    bool found = true;
    for (int k = 0; k < 3 && found; ++k) {
      run.reference(middle + (k - 1) * h, point);
      found = go(middle + (k - 1) * h, point);
      moved[k].resize(n);
      difference(model_, In<double>(q_here), In<double>(q), Out<double>(moved[k]));
    }
    q = q_here, x_c = x_here, lost_ = false;
    if (!found) return;
    instant.task_qd.resize(n), instant.task_qdd.resize(n);
    for (int k = 0; k < n; ++k) {
      instant.task_qd[k] = (moved[2][k] - moved[0][k]) / (2 * h);
      instant.task_qdd[k] = (moved[2][k] - 2 * moved[1][k] + moved[0][k]) / (h * h);
    }
  }

 private:
  ControlInput input(double t, const ReferencePoint& point, In<double> at_q, In<double> v,
                     In<double> at_x) const {
    return {t, {.q = at_q, .qd = v}, at_x, point.view()};
  }
  /// q and x_c after a small or large step of the joints.
  void move(In<double> step, Array<double>& at_q, Array<double>& at_x) {
    Array<double> next(at_q.size());
    integrate(model_, at_q, step, Out<double>(next));
    at_q = next;
    for (int k = held_; k < at_x.size(); ++k)
      for (int j = 0; j < step.size; ++j) at_x[k] += follow_(k, j) * step[j];
  }
  /// Rates of the law's states that velocities of the joints give: d x_c' / d qd.
  void find_following(double t, const ReferencePoint& point) {
    follow_ = Matrix(x_c.size(), zero_.size());
    if (x_c.size() <= held_) return;
    Array<double> v(zero_.size()), base(x_c.size());
    law_.state_derivative(input(t, point, q, zero_, x_c), base);
    for (int j = 0; j < v.size(); ++j) {
      v[j] = 1;
      law_.state_derivative(input(t, point, q, v, x_c), rate_);
      for (int k = 0; k < base.size(); ++k) follow_(k, j) = rate_[k] - base[k];
      v[j] = 0;
    }
  }
  /// Residual and its derivative by the joints; components that are forces are left out.
  void linearise(double t, const ReferencePoint& point) {
    find_following(t, point);
    law_.task_error(input(t, point, q, zero_, x_c), e_);
    const double h = 1e-6;
    Array<double> step(zero_.size());
    for (int j = 0; j < step.size(); ++j) {
      Array<double> at_q = q, at_x = x_c;
      step[j] = h;
      move(step, at_q, at_x);
      step[j] = 0;
      law_.task_error(input(t, point, at_q, zero_, at_x), moved_e_);
      for (int k = 0; k < e_.size(); ++k) J_(k, j) = (moved_e_[k] - e_[k]) / h;
    }
    for (int k = 0; k < e_.size(); ++k) {
      const bool counts = of_position_.empty() || of_position_[k];
      residual_[k] = counts ? e_[k] : 0;
      for (int j = 0; j < step.size() && !counts; ++j) J_(k, j) = 0;
    }
    if (loops_.n_rows() == 0) return;
    constraint_rows<double, double>(
        model_, loops_, rows_, q, zero_, Out<double>(residual_.data() + e_.size(), loops_.n_rows()),
        row_major<double>(J_.data() + e_.size() * J_.cols(), loops_.n_rows(), J_.cols()), {});
  }
  /// Components that the joints move, here or nearby: the others are forces.
  void find_positions(double t, const ReferencePoint& point) {
    Array<char> found(e_.size());
    const Array<double> q_start = q;
    for (const double away : {0.0, 0.17}) {
      Array<double> step(zero_.size());
      for (int j = 0; j < step.size(); ++j) step[j] = away * (j % 2 == 0 ? 1 : -0.7);
      integrate(model_, In<double>(q_start), In<double>(step), Out<double>(q));
      linearise(t, point);
      for (int k = 0; k < e_.size(); ++k)
        for (int j = 0; j < step.size(); ++j)
          if (std::abs(J_(k, j)) > 1e-6) found[k] = 1;
    }
    q = q_start;
    of_position_ = found;
  }

  ControlLaw& law_;
  const Model<double>& model_;
  ConstraintSet loops_;
  ConstraintWorkspace<double> rows_;
  int held_;

 public:
  Array<double> q, x_c;

 private:
  Array<double> zero_, e_, moved_e_, rate_;
  Matrix J_, follow_;
  Array<double> residual_, step_;
  Array<char> of_position_;  // empty: not known yet
  OrthogonalDecomposition solver_;
  bool lost_ = false;  // the last posture was not found: the next ones are not looked for as long
};

}  // namespace

RunRange run_range(ControlLaw& law, const Run& run, int postures) {
  if (run.range && run.range->law == &law) return *run.range;
  const Model<double>& model = law.model();
  const int n = model.n_v();
  RunRange range;
  range.law = &law;
  range.speed.assign(n, 0);
  range.acceleration.assign(n, 0);
  const Array<double> zero(n);
  Array<double> x_c(law.n_states());
  law.reset(x_c);
  range.instants.push_back({run.start, run.q0, run.v0, zero, x_c});
  enlarge(range.speed, run.v0);
  if (!run.reference) return range;

  ReferencePoint point, before;
  Array<double> step(n);
  double t_before = run.start;
  const auto faster = [&](double speed, double t) {
    if (!(speed > range.reference_speed)) return;
    range.reference_speed = speed;
    range.fastest_at = t;
  };
  ReferenceJumps jumps(model, run.reference);
  const bool limited = std::any_of(run.torque_limit.begin(), run.torque_limit.end(),
                                   [](double x) { return x < infinity; });
  std::optional<TaskPostures> task;
  if (law.n_task_errors() > 0) task.emplace(law, run);
  for (int k = 0; k < dense; ++k) {
    control_detail::ask_whether_wanted();
    const double t = run.start + run.duration * share_of(k);
    const double dt = k > 0 ? t - t_before : 0;
    t_before = t;
    run.reference(t, point);
    ++range.samples;
    for (const double x : point.qd) faster(std::abs(x), t);
    for (const double x : point.xd) faster(std::abs(x), t);
    if (point.has_pose) {
      faster(std::fmax(norm(point.pose.V.w), norm(point.pose.V.v)), t);
      if (k > 0 && norm(point.pose.T.p - before.pose.T.p) > 1e-12)
        faster(norm(point.pose.T.p - before.pose.T.p) / dt, t);
    }
    enlarge(range.speed, point.qd);
    enlarge(range.acceleration, point.qdd);
    const bool joints = point.q.size() == model.n_q();
    if (k > 0 && joints && before.q.size() == point.q.size()) {
      difference(model, before.q, point.q, step);
      for (const double x : step)
        if (std::abs(x) > 1e-12) faster(std::abs(x) / dt, t);
    }
    if (k > 0 && before.x.size() == point.x.size() && !point.x.empty()) {
      for (int i = 0; i < point.x.size(); ++i)
        if (const double x = std::abs(point.x[i] - before.x[i]); x > 1e-12) faster(x / dt, t);
    }
    if (k > 0) jumps.look(before, point, t - dt, dt);
    before = point;
    if (k * (postures - 1) % (dense - 1) >= postures - 1) continue;
    if (task) {
      const bool reached = task->go(t, point);
      range.instants.push_back({t, task->q, zero, zero, task->x_c, reached});
      if (limited && reached) task->follow(t, run, range.instants.back());
    } else if (joints) {
      range.instants.push_back({t, point.q, point.qd.empty() ? zero : point.qd,
                                point.qdd.empty() ? zero : point.qdd, x_c});
    }
  }
  range.jump = jumps.worst().size;
  range.jump_at = jumps.worst().t;
  range.jump_of = jumps.worst().what;
  return range;
}

}  // namespace torsor
