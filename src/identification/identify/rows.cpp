#include "rows.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "torsor/identification/signal/differences.hpp"

namespace torsor::internal {
namespace {

/// Samples that a chunk has at least, so that margins are a small part of the work.
constexpr int chunk_samples = 4096;

}  // namespace

LogRows::LogRows(const RowProblem& problem, const MotionLog& log, const Signals& signals,
                 const RowOptions& options, int index)
    : problem_(&problem), log_(&log), signals_(&signals), options_(options), index_(index) {
  const int length =
      std::max(options.every, static_cast<int>(std::lround(options.block / log.period)));
  for (int s = 0; s < log.n_stretches(); ++s) {
    const int begin = log.stretch_begin(s), end = log.stretch_end(s);
    // Short stretches give up less: a tenth at either end.
    const int border = std::min(options.border, (end - begin) / 10);
    const int first = begin + border, last = end - border;
    const int count = std::max(1, (last - first) / length);
    for (int b = 0; b < count && last - first > options.every; ++b) {
      const TimeBlock block{first + b * length, b + 1 == count ? last : first + (b + 1) * length};
      if (chunks_.empty() || chunks_.back().stretch != s ||
          block.end - blocks_[chunks_.back().first_block].first > chunk_samples)
        chunks_.push_back({blocks_.size(), blocks_.size(), s});
      blocks_.push_back(block);
      chunks_.back().end_block = blocks_.size();
    }
  }
  for (const int v : problem.torques) unlogged_.push_back(!problem.loops && !log.has_torque(v));
  // Of a row: unknowns, the right-hand side, what is known.
  const int n = problem.n_rows(), N = problem.n_unknowns();
  place_.assign(n * (N + 2), -1);
  for (int j = 0; j < n; ++j)
    for (int k = 0; k < N + 2; ++k) {
      const int v = problem.torques[j];
      bool there = k == N || (k == N + 1 && problem.has_known());
      if (k < problem.n_columns())
        there = in_log(k) && (problem.loops || problem.columns.acts(v, k));
      else if (k < N)
        there = problem.motors.N(k - problem.n_columns(), v) != 0;
      if (there) place_[j * (N + 2) + k] = width_++;
    }
}

bool LogRows::used(int sample, int joint) const {
  return unlogged_[joint] == 0 &&
         std::abs(signals_->qd(sample, problem_->torques[joint])) >= options_.least_speed;
}

void LogRows::fill(int first, int end, OutMatrix<double> X) const {
  const Model<double>& model = problem_->model;
  const int n_v = model.n_v(), n = problem_->n_rows();
  const int C = problem_->n_columns(), N = problem_->n_unknowns();
  ColumnWorkspace<double> ws(model);
  std::optional<ConstrainedColumnWorkspace> loops;
  DynamicsWorkspace<double> dynamics(model, Effects::tree());
  Matrix W(n, C), tree(n_v, C);
  Array<double> q(model.n_q()), qd(n_v), qdd(n_v), load(n_v), known(n_v, 0.0), t(n_v), tau(n),
      sure(n);
  for (int i = first; i < end; ++i) {
    for (int k = 0; k < model.n_q(); ++k) q[k] = signals_->q(i, k);
    for (int k = 0; k < n_v; ++k) {
      qd[k] = signals_->qd(i, k), qdd[k] = signals_->qdd(i, k);
      load[k] = log_->tau.rows() > 0 ? log_->tau(i, k) : 0;
    }
    if (problem_->known_part || !problem_->loops)
      torque_regressor<double, double>(model, ws, problem_->columns, q, qd, qdd, tree);
    if (problem_->loaded) {
      // Of the model without friction of the load: what joints transmit, and all of its torque.
      transmitted_torques<double, double>(model, dynamics, q, qd, qdd, {}, t);
      for (double& x : known) x = 0;
      add_joint_torques(model, q, qd, known);
      for (int j = 0; j < n_v; ++j) {
        known[j] += t[j];
        for (int k = 0; k < C; ++k) known[j] -= tree(j, k) * problem_->x0[k];
      }
      linearise_load(qd, load, t, tree, known);
    } else if (problem_->known_part) {
      tree_inverse_dynamics<double, double>(model, dynamics, q, qd, qdd, {}, known);
      for (int j = 0; j < n_v; ++j)
        for (int k = 0; k < C; ++k) known[j] -= tree(j, k) * problem_->x0[k];
    }
    if (problem_->loops) {
      if (!loops) loops.emplace(model, problem_->columns, In<double>(q), problem_->actuated);
      (void)constrained_torque_regressor(model, *loops, problem_->columns, q, qd, qdd, W);
      project_torque(*loops, load, tau);
      project_torque(*loops, known, sure);
    } else {
      W = tree, tau = load, sure = known;
    }
    for (int j = 0; j < n; ++j) {
      const int* const place = place_.data() + j * (N + 2);
      const auto put = [&](int k, double x) {
        if (place[k] >= 0) X(i - first, place[k]) = x;
      };
      for (int k = 0; k < C; ++k) put(k, W(j, k));
      double also = sure[j];
      if (problem_->known_mass >= 0 && place[problem_->known_mass] >= 0) {
        also += W(j, problem_->known_mass) * problem_->mass;
        put(problem_->known_mass, 0);
      }
      const int v = problem_->torques[j];
      for (int k = C; k < N; ++k) put(k, -problem_->motors.N(k - C, v) * log_->drive(i, k - C));
      put(N, (problem_->motors.unknown_gain ? 0 : tau[j]) - also);
      put(N + 1, also);
    }
  }
}

void LogRows::linearise_load(In<double> qd, In<double> tau, In<double> t_model, OutMatrix<double> W,
                             Out<double> known) const {
  const RowProblem& p = *problem_;
  const auto value = [&](int k) {
    if (k == p.known_mass) return in_log(k) ? p.mass : 0;
    return p.at.empty() || !in_log(k) ? p.x0[k] : p.at[k];
  };
  for (int j = 0; j < p.n_v(); ++j) {
    const DofConstants<double>& dof = p.model.dof(j);
    const int column = p.load_column[j];
    if (column < 0 && dof.load == 0) continue;
    double known_t = t_model[j], moved = 0;
    for (int k = 0; k < p.n_columns(); ++k)
      if (p.transmits[k]) known_t -= W(j, k) * p.x0[k], moved += W(j, k) * value(k);
    const double t0 = p.at.empty() && !p.motors.unknown_gain ? tau[j] : known_t + moved;
    const double s = slip_direction(dof, qd[j]), c0 = column < 0 ? dof.load : value(column);
    const double share = std::copysign(s * c0, s * c0 * t0);
    known[j] += share * known_t;
    for (int k = 0; k < p.n_columns(); ++k)
      if (p.transmits[k]) W(j, k) *= 1 + share;
    if (column < 0) continue;
    W(j, column) = s * std::abs(t0);
    known[j] -= s * std::abs(t0) * c0;
  }
}

TimeBlock LogRows::with_margins(const TimeChunk& chunk) const {
  const int margin = options_.filtered ? settling(options_.filter, 1e-6) : 0;
  const int first = blocks_[chunk.first_block].first, end = blocks_[chunk.end_block - 1].end;
  return {std::max(log_->stretch_begin(chunk.stretch), first - margin),
          std::min(log_->stretch_end(chunk.stretch), end + margin)};
}

ChunkRows LogRows::places(const TimeChunk& chunk) const {
  ChunkRows out;
  for (int b = chunk.first_block; b < chunk.end_block; ++b)
    for (int i = blocks_[b].first; i < blocks_[b].end; ++i)
      if (i % options_.every == 0) {
        out.sample.push_back(i);
        out.block.push_back(b);
      }
  return out;
}

ChunkRows LogRows::rows_of(int c) const {
  const int n = problem_->n_rows(), N = problem_->n_unknowns();
  const TimeBlock wide = with_margins(chunks_[c]);
  Matrix X(wide.end - wide.first, width_);
  fill(wide.first, wide.end, X);
  if (options_.filtered) zero_phase(options_.filter, X);

  ChunkRows out = places(chunks_[c]);
  out.rows = Matrix(out.sample.size() * n, N + 1);
  out.known.assign(out.sample.size() * n, 0.0);
  for (int s = 0; s < out.sample.size(); ++s)
    for (int j = 0; j < n; ++j) {
      const int* const place = place_.data() + j * (N + 2);
      const int i = out.sample[s] - wide.first;
      for (int k = 0; k <= N; ++k)
        if (place[k] >= 0) out.rows(s * n + j, k) = X(i, place[k]);
      if (place[N + 1] >= 0) out.known[s * n + j] = X(i, place[N + 1]);
    }
  return out;
}

// Energies h of all columns, then dissipated powers of all, then qd^T tau.
void LogRows::fill_power(int first, int end, OutMatrix<double> X) const {
  const Model<double>& model = problem_->model;
  const int n = model.n_v(), C = problem_->n_columns();
  ColumnWorkspace<double> ws(model);
  Array<double> q(model.n_q()), qd(n), load(n), kinetic(C), potential(C), lost(C);
  for (int i = first; i < end; ++i) {
    double power = 0;
    for (int k = 0; k < model.n_q(); ++k) q[k] = signals_->q(i, k);
    for (int k = 0; k < n; ++k) {
      qd[k] = signals_->qd(i, k), load[k] = log_->tau(i, k);
      power += qd[k] * load[k];
    }
    energy_regressor<double, double>(model, ws, problem_->columns, q, qd, kinetic, potential);
    dissipation_regressor<double, double>(model, ws, problem_->columns, q, qd, lost);
    for (int k = 0; k < C; ++k) {
      const bool there = in_log(k);
      X(i - first, k) = there ? kinetic[k] + potential[k] : 0;
      X(i - first, C + k) = there ? lost[k] : 0;
    }
    X(i - first, 2 * C) = power;
  }
}

ChunkRows LogRows::power_rows_of(int c) const {
  const int C = problem_->n_columns();
  const TimeBlock wide = with_margins(chunks_[c]);
  const int samples = wide.end - wide.first;
  Matrix X(samples, 2 * C + 1);
  fill_power(wide.first, wide.end, X);
  filtered_derivative(options_.filter, {X.data(), samples, C, 2 * C + 1, 1});
  zero_phase(options_.filter, {X.data() + C, samples, C + 1, 2 * C + 1, 1});

  ChunkRows out = places(chunks_[c]);
  out.rows = Matrix(out.sample.size(), C + 1);
  for (int s = 0; s < out.sample.size(); ++s) {
    const int i = out.sample[s] - wide.first;
    for (int k = 0; k < C; ++k) out.rows(s, k) = X(i, k) + X(i, C + k);
    out.rows(s, C) = X(i, 2 * C);
  }
  return out;
}

}  // namespace torsor::internal
