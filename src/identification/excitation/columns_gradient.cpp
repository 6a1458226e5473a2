#include <algorithm>
#include <cmath>

#include "excitation/columns.hpp"

namespace torsor::internal {

namespace {

/// Lane l of x[i] is X(first + l, i), the last row again where there are no more.
void load_lanes(const Matrix& X, int first, Array<Lanes>& x) {
  for (int i = 0; i < X.cols(); ++i)
    for (int l = 0; l < native_lanes<double>; ++l)
      x[i].set(l, X(std::min(first + l, X.rows() - 1), i));
}

}  // namespace

/// sum over pairs of a velocity and a body of <S_j, sum_c A_jc wrench_c>, at the dual state.
DualLanes ExcitationColumns::contracted(const Lanes* A) {
  const int rigid = unknowns_->bodies.size();
  world_motion<false>(*model_, duals_, q_dual_, qd_dual_, qd_dual_, qdd_dual_);
  DualLanes sum(0);
  ParameterWrenches<DualLanes> unit{};
  int of = 0;
  for (const auto& [body, velocity, first, count] : paths_) {
    if (body != of) unit = parameter_wrenches<false>(*model_, duals_, body);
    of = body;
    Vec3<DualLanes> n{}, f{};
    for (int c = first; c < first + count; ++c) {
      const int p = unknowns_->bodies[c] % parameters_per_body;
      const Lanes& a = A[velocity * rigid + c];
      n = n + unit.n(p) * a;
      if (p < 4) f = f + unit.f(p) * a;
    }
    const Twist<DualLanes> S = duals_.world.S.twist(velocity);
    sum = sum + (dot(S.w, n) + dot(S.v, f));
  }
  return sum;
}

void ExcitationColumns::add_gradient(const MotionSamples& motion, const Matrix& A,
                                     MotionSamples& bar) {
  const ExcitationUnknowns& u = *unknowns_;
  const int n = model_->n_v(), samples = motion.q.rows(), rigid = u.bodies.size();
  constexpr int lanes = native_lanes<double>;
  for (int first = 0; first < samples; first += lanes) {
    const int here = std::min(lanes, samples - first);
    load_lanes(motion.q, first, q_);
    load_lanes(motion.qd, first, qd_);
    load_lanes(motion.qdd, first, qdd_);
    for (int j = 0; j < n; ++j)
      for (int c = 0; c < rigid; ++c)
        for (int l = 0; l < here; ++l)
          A_[j * rigid + c].set(l, A((first + l) * n + j, c) * u.weight[j]);
    for (int begin = 0; begin < 3 * n; begin += directions) {
      for (int i = 0; i < n; ++i) q_dual_[i] = q_[i], qd_dual_[i] = qd_[i], qdd_dual_[i] = qdd_[i];
      for (int d = 0; d < directions && begin + d < 3 * n; ++d) {
        const int at = begin + d;
        Array<DualLanes>& x = at < n ? q_dual_ : at < 2 * n ? qd_dual_ : qdd_dual_;
        x[at % n].d[d] = Lanes(1);
      }
      const DualLanes slope = contracted(A_.data());
      for (int d = 0; d < directions && begin + d < 3 * n; ++d) {
        const int at = begin + d;
        Matrix& to = at < n ? bar.q : at < 2 * n ? bar.qd : bar.qdd;
        for (int l = 0; l < here; ++l) to(first + l, at % n) += slope.d[d][l];
      }
    }
  }
  // <a, column> by the acceleration and the velocity of a joint or a motor.
  const auto slopes = [&](JointColumn column, double width, double v) -> std::pair<double, double> {
    if (column == JointColumn::rotor) return {1, 0};
    if (column == JointColumn::viscous) return {0, 1};
    if (column != JointColumn::coulomb || !(width > 0)) return {0, 0};
    const double t = std::tanh(v / width);
    return {0, (1 - t * t) / width};
  };
  for (int k = 0; k < samples; ++k)
    for (int c = 0; c < u.joints.size(); ++c) {
      const auto [column, j, m] = u.joints[c];
      if (m < 0) {
        const double a = A(k * n + j, rigid + c) * u.weight[j];
        const auto [by_qdd, by_qd] = slopes(column, width_[j], motion.qd(k, j));
        bar.qdd(k, j) += a * by_qdd, bar.qd(k, j) += a * by_qd;
        continue;
      }
      const CoupledMotor<double>& motor = model_->motors()[m];
      double a = 0;
      for (const auto& term : motor.terms)
        a += A(k * n + term.v, rigid + c) * u.weight[term.v] * term.ratio;
      const View<const double> qd(motion.qd.data() + k * n, n);
      const auto [by_wdot, by_w] = slopes(column, width_[n + m], motor.along(qd));
      for (const auto& term : motor.terms) {
        bar.qdd(k, term.v) += a * by_wdot * term.ratio;
        bar.qd(k, term.v) += a * by_w * term.ratio;
      }
    }
}

}  // namespace torsor::internal
