#include "excitation/loop_motion.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/identification/constrained_regressor.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::internal {
namespace {

/// rad or m of a driven coordinate, and of any other with it: what moves farther has jumped.
constexpr double longest_step = 0.05, longest_jump = 0.5;
/// Of the firmness at the neutral configuration.
constexpr double least_share = 0.05;
constexpr double difference_step = 2e-5;

View<const double> of_sample(const Matrix& x, int k) { return {x.data() + k * x.cols(), x.cols()}; }
View<double> of_sample(Matrix& x, int k) { return {x.data() + k * x.cols(), x.cols()}; }

}  // namespace

LoopMotion::LoopMotion(const Model<double>& model)
    : model_(&model),
      set_(model),
      ws_(model, set_),
      decomposition_(set_.n_rows(), model.n_v()),
      follows_(model.n_v(), 0),
      A_(set_.n_rows(), model.n_v()),
      home_(model.n_q()),
      q_(model.n_q()),
      before_(model.n_q()),
      right_(set_.n_rows()),
      solution_(model.n_v()) {
  if (!loops()) {
    for (int k = 0; k < model.n_v(); ++k) driven_.push_back(k);
    return;
  }
  neutral(model, home_);
  const Assembly closed = assemble(model, set_, ws_, home_, {.keep_limits = false});
  if (!closed)
    throw Error(
        "design_excitation: \"" + model.name() +
        "\": its loops do not close from the neutral configuration: " + message(set_, closed));
  driven_ = ConstrainedColumnWorkspace(model, ParameterColumns(), home_).independent;
  follows_.assign(model.n_v(), 1);
  for (const int v : driven_) follows_[v] = 0;
  for (int v = 0; v < model.n_v(); ++v)
    if (follows_[v] != 0) others_.push_back(v);
  A_d_ = Matrix(set_.n_rows(), others_.size());
  q_ = home_;
  least_firmness_ = least_share * firmness();
  u_.resize(driven_.size());
  at_.resize(driven_.size());
}

bool LoopMotion::close(In<double> u) {
  for (int k = 0; k < u.size; ++k) q_[driven_[k]] = u[k];
  AssemblyOptions options;
  options.moving = follows_;
  options.keep_limits = false;
  return assemble(*model_, set_, ws_, q_, options).closed;
}

bool LoopMotion::move(In<double> u) {
  double farthest = 0;
  for (int k = 0; k < u.size; ++k) {
    u_[k] = q_[driven_[k]];
    farthest = std::max(farthest, std::abs(u[k] - u_[k]));
  }
  if (!(farthest < 1e3)) return false;
  const int steps = std::max(1, static_cast<int>(std::ceil(farthest / longest_step)));
  for (int s = 1; s <= steps; ++s) {
    before_ = q_;
    for (int k = 0; k < u.size; ++k)
      at_[k] = s == steps ? u[k] : u_[k] + (u[k] - u_[k]) * s / steps;
    if (!close(at_) || !(firmness() >= least_firmness_)) return false;
    for (int v = 0; v < q_.size(); ++v)
      if (!(std::abs(q_[v] - before_[v]) < longest_jump)) return false;
  }
  return true;
}

double LoopMotion::firmness() {
  constraint_jacobian<double, double>(*model_, set_, ws_.rows, q_, A_);
  for (int r = 0; r < A_.rows(); ++r)
    for (int d = 0; d < others_.size(); ++d) A_d_(r, d) = A_(r, others_[d]);
  decomposition_.factorise(A_d_, 1e-9);
  return decomposition_.rank() < others_.size() ? 0 : decomposition_.pivot_ratio();
}

void LoopMotion::ratios(Matrix& G) {
  const int n = model_->n_v(), m = driven_.size();
  if (G.rows() != n) G = Matrix(n, m);
  for (int k = 0; k < m; ++k) {
    for (int c = 0; c < m; ++c) G(driven_[c], k) = c == k;
    for (int r = 0; r < A_.rows(); ++r) right_[r] = -A_(r, driven_[k]);
    decomposition_.solve(right_, {solution_.data(), others_.size()});
    for (int d = 0; d < others_.size(); ++d) G(others_[d], k) = solution_[d];
  }
}

void LoopMotion::rates(In<double> ud, In<double> udd, View<double> qd, View<double> qdd) {
  for (double& x : qd) x = 0;
  for (double& x : qdd) x = 0;
  for (int k = 0; k < driven_.size(); ++k) qd[driven_[k]] = ud[k], qdd[driven_[k]] = udd[k];
  (void)project_velocity(*model_, set_, ws_, q_, qd, follows_);
  (void)project_acceleration(*model_, set_, ws_, q_, qd, qdd, follows_);
}

bool LoopMotion::follow(const MotionSamples& own, MotionSamples& all, Ratios& G) {
  const int samples = own.q.rows(), n = model_->n_v();
  for (Matrix* x : {&all.q, &all.qd, &all.qdd, &all.jerk})
    if (x->rows() != samples || x->cols() != n) *x = Matrix(samples, n);
  G.resize(static_cast<std::size_t>(samples));
  q_ = home_;
  for (int k = 0; k < samples; ++k) {
    if (!move(of_sample(own.q, k))) return false;
    std::copy(q_.begin(), q_.end(), of_sample(all.q, k).begin());
    ratios(G[static_cast<std::size_t>(k)]);
    rates(of_sample(own.qd, k), of_sample(own.qdd, k), of_sample(all.qd, k), of_sample(all.qdd, k));
    for (int c = 0; own.jerk.rows() > 0 && c < driven_.size(); ++c)
      all.jerk(k, driven_[c]) = own.jerk(k, c);
  }
  return true;
}

void LoopMotion::add_gradient(const MotionSamples& own, const MotionSamples& all, const Ratios& G,
                              const MotionSamples& bar, const Ratios& bar_G,
                              MotionSamples& bar_own) {
  const int n = model_->n_v(), m = driven_.size();
  constexpr double h = difference_step;
  Array<double> u(m), qd[2], qdd[2];
  for (int side : {0, 1}) qd[side].resize(n), qdd[side].resize(n);
  Matrix beside[2], Gdot(n, m);
  for (int k = 0; k < own.q.rows(); ++k) {
    const Matrix &here = G[static_cast<std::size_t>(k)],
                 &slope = bar_G[static_cast<std::size_t>(k)];
    std::fill(Gdot.data(), Gdot.data() + n * m, 0.0);
    for (int j = 0; j < m; ++j) {
      for (const int side : {0, 1}) {
        const double step = side == 0 ? -h : h;
        for (int c = 0; c < m; ++c) u[c] = own.q(k, c) + (c == j ? step : 0);
        for (int v = 0; v < n; ++v) q_[v] = all.q(k, v) + step * here(v, j);
        (void)close(u);
        (void)firmness();
        ratios(beside[side]);
        rates(of_sample(own.qd, k), of_sample(own.qdd, k), qd[side], qdd[side]);
      }
      double by_q = 0, by_qd = 0, by_qdd = 0;
      for (int v = 0; v < n; ++v) {
        by_q += bar.q(k, v) * here(v, j);
        by_q += bar.qd(k, v) * (qd[1][v] - qd[0][v]) / (2 * h);
        by_q += bar.qdd(k, v) * (qdd[1][v] - qdd[0][v]) / (2 * h);
        by_qd += bar.qd(k, v) * here(v, j);
        by_qdd += bar.qdd(k, v) * here(v, j);
        for (int c = 0; c < m; ++c) {
          const double dG = (beside[1](v, c) - beside[0](v, c)) / (2 * h);
          by_q += slope(v, c) * dG;
          Gdot(v, c) += dG * own.qd(k, j);
        }
      }
      bar_own.q(k, j) += by_q, bar_own.qd(k, j) += by_qd, bar_own.qdd(k, j) += by_qdd;
      bar_own.jerk(k, j) += bar.jerk(k, driven_[j]);
    }
    for (int j = 0; j < m; ++j)
      for (int v = 0; v < n; ++v) bar_own.qd(k, j) += 2 * bar.qdd(k, v) * Gdot(v, j);
  }
}

}  // namespace torsor::internal
