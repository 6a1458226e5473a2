/// Estimates that a simulation of the motion asked for helps.
#include <algorithm>
#include <cmath>

#include "identifying.hpp"
#include "torsor/identification/instrumental.hpp"
#include "torsor/linear/lu.hpp"
#include "torsor/model/inertial_parameters.hpp"
#include "torsor/model/text.hpp"

namespace torsor::internal {

void Identifying::check_simulated() const {
  const std::string who = std::string("identify: estimator ") + name_of(options_.estimator);
  if (!options_.simulate) throw Error(who + " needs a simulator");
  if (problem_.loops) throw Error(who + " simulates trees, not robots with loops");
  if (problem_.n_unknowns() > problem_.n_columns())
    throw Error(who + " needs torques: gains of drives have to be known");
  if (problem_.known_mass >= 0 || !problem_.in_log.empty())
    throw Error(who + " takes payloads that all logs have and of which nothing is known");
  for (const LogInWork& own : logs_)
    if (!own.validation && own.log().q_ref.rows() == 0)
      throw Error("log \"" + own.log().name + "\": estimator " + name_of(options_.estimator) +
                  " simulates the motion that was asked for: columns q_ref.<joint> are needed, or "
                  "`reference` in the map of columns");
}

/// Rows that are fitted, as `rows_of` makes them of a log: block, joint, all columns and tau.
void Identifying::visit_rows(const std::function<LogRows(const LogInWork&)>& rows_of,
                             const RowTaker& take) const {
  const int n = problem_.n_rows();
  int first = 0;
  for (const LogInWork& own : logs_) {
    if (own.split == 0) continue;
    const LogRows rows = rows_of(own);
    for (int c = 0; c < rows.n_chunks(); ++c) {
      const ChunkRows chunk = rows.rows_of(c);
      for (int s = 0; s < chunk.sample.size() && chunk.block[s] < own.split; ++s)
        for (int j = 0; j < n; ++j)
          if (own.rows.used(chunk.sample[s], j))
            take(first + chunk.block[s], j, chunk.row(s * n + j));
    }
    first += own.split;
  }
}

/// The fitted columns and tau; of these motions, one for each log, in place of the measured ones.
void Identifying::each_row(const std::deque<Signals>& signals, const RowTaker& take) const {
  const int K = fitted_.size();
  Array<double> row(K + 1);
  std::size_t next = 0;
  visit_rows(
      [&](const LogInWork& own) {
        if (signals.empty()) return own.rows;
        while (&logs_[next] != &own) ++next;
        return own.rows.along(signals[next]);
      },
      [&](int block, int joint, In<double> all) {
        for (int k = 0; k < K; ++k) row[k] = all[base_.kept[fitted_[k]]];
        row[K] = all[all.size - 1];
        take(block, joint, row);
      });
}

/// The robot with these values of the fitted columns; bodies need not be possible. Friction that would
/// drive a joint is left out of it.
std::optional<Model<double>> Identifying::robot_of(In<double> fitted) const {
  const BaseParameters base = seen_at_joints(problem_, base_);
  Array<double> b = base.values(expanded(fitted));
  for (int k = 0; k < b.size(); ++k)
    for (const char* word : {".viscous", ".coulomb", ".stiction"})
      if (problem_.names[base.kept[k]].ends_with(word)) b[k] = std::max(b[k], 0.0);
  const WriteBack back = write_back(problem_.model, base, b, {.inconsistent = true});
  if (!back.ok()) return {};
  Model<double> robot(back.robot);
  if (back.described) return robot;
  return with_parameters(robot, back.inertial);
}

/// Motions of a robot along the references of all logs that are fitted.
bool Identifying::simulate_logs(const Model<double>& robot, std::deque<Signals>& out) const {
  out.assign(logs_.size(), {});
  const Array<Array<double>> motions =
      pieces(static_cast<int>(logs_.size()), 0.6, 0, [&](int l, int) {
        const LogInWork& own = logs_[static_cast<std::size_t>(l)];
        Matrix q, qd, qdd;
        Array<double> numbers{1};  // not astray
        if (own.split == 0) return numbers;
        if (!options_.simulate(robot, own.log(), q, qd, qdd)) return Array<double>{0};
        for (const Matrix* m : {&q, &qd, &qdd}) {
          numbers.push_back(m->cols());
          numbers.insert(numbers.end(), m->entries().begin(), m->entries().end());
        }
        return numbers;
      });
  for (int l = 0; const LogInWork& own : logs_) {
    if (motions[l][0] == 0) return false;
    const double* at = motions[l].data() + 1;
    Signals& to = out[static_cast<std::size_t>(l++)];
    if (own.split == 0) continue;
    for (Matrix* m : {&to.q, &to.qd, &to.qdd}) {
      const int rows = own.log().size(), columns = static_cast<int>(*at++);
      *m = Matrix(rows, columns, {at, at + rows * columns});
      at += rows * columns;
    }
  }
  return true;
}

void Identifying::fit_simulated() {
  const bool instruments = options_.estimator == Estimator::instrumental;
  const Array<int>& own = estimate_.base.kept;  // of the fitted columns: those that the logs tell
  const int K = own.size();
  std::vector<std::string> names;
  for (const int k : own) names.push_back(reduced_.names[static_cast<std::size_t>(k)]);
  const Estimate plain = estimate_;
  const auto fitted_of = [&](In<double> x) {
    Array<double> all = plain.x;
    for (int k = 0; k < K; ++k) all[own[k]] = x[k];
    return all;
  };
  Array<int> blocks;  // of the rows
  const auto rows_along = [&](const std::deque<Signals>& signals, RegressorRows& to) {
    Array<double> W;
    to.tau.clear(), to.joint.clear(), blocks.clear();
    each_row(signals, [&](int block, int joint, In<double> row) {
      blocks.push_back(block);
      for (const int k : own) W.push_back(row[k]);
      to.tau.push_back(row[row.size - 1]);
      to.joint.push_back(joint);
    });
    const int rows = to.tau.size();
    to.W = Matrix(rows, K, std::move(W));
  };
  RegressorRows measured, simulated;
  rows_along({}, measured);

  std::deque<Signals> motion;
  int beside = 0;
  const MotionSimulator simulate = [&](In<double> x, Matrix&, Matrix&, Matrix&) {
    tell(0.6);
    const std::optional<Model<double>> robot = robot_of(fitted_of(x));
    if (robot && simulate_logs(*robot, motion)) return true;
    // Any robot near the true one makes instruments: that of the file does, too.
    ++beside;
    return instruments && simulate_logs(problem_.model, motion);
  };
  const MotionRegressor regressor = [&](const Matrix&, const Matrix&, const Matrix&, Matrix& W) {
    rows_along(motion, simulated);
    W = simulated.W;
  };
  Array<double> start;
  for (const int k : own) start.push_back(plain.x[k]);
  const SimulatedEstimate found =
      (instruments ? instrumental_variables : direct_inverse_identification)(
          names, train_.joints, measured, start, simulate, regressor, {});
  const Estimate& e = found.estimate;
  estimate_.x = fitted_of(e.x);
  for (int k = 0; k < K; ++k) estimate_.sigma[own[k]] = e.sigma[k];
  estimate_.covariance = e.covariance;
  estimate_.noise = e.noise;
  estimate_.residual = e.residual;
  estimate_.method = e.method + ", " + std::to_string(found.iterations) + " simulations" +
                     (found.converged ? "" : ", not settled");
  estimate_.notes.insert(estimate_.notes.end(), e.notes.begin(), e.notes.end());
  if (beside > 0)
    estimate_.notes.push_back("the robot of " + std::to_string(beside) + " of " +
                              std::to_string(found.iterations) +
                              " iterations could not be simulated: that of the file was");
  plain_ = plain;
  if (instruments) return keep_moments(blocks, measured, simulated);
  // The bootstrap draws from rows of the simulated motion.
  for (RowFactor& factor : reduced_.factors) factor = RowFactor(fitted_.size() + 1);
  Array<double> row(fitted_.size() + 1, 0.0);
  for (int r = 0; r < blocks.size(); ++r) {
    for (int k = 0; k < K; ++k) row[own[k]] = simulated.W(r, k);
    row[fitted_.size()] = simulated.tau[r];
    reduced_.factor(blocks[r], simulated.joint[r]).add(row);
  }
}

/// Z^T [W | tau] of every block and joint, for the bootstrap: instruments stay what they are.
void Identifying::keep_moments(In<int> blocks, const RegressorRows& measured,
                               const RegressorRows& simulated) {
  const int K = measured.W.cols(), n = train_.n_joints();
  moments_.assign(train_.n_blocks() * n, Matrix(K, K + 1));
  for (int r = 0; r < blocks.size; ++r) {
    Matrix& sum = moments_[blocks[r] * n + measured.joint[r]];
    for (int a = 0; a < K; ++a) {
      for (int b = 0; b < K; ++b) sum(a, b) += simulated.W(r, a) * measured.W(r, b);
      sum(a, K) += simulated.W(r, a) * measured.tau[r];
    }
  }
}

/// x of the kept columns, of blocks that count so often.
Array<double> Identifying::solve_moments(In<int> times) const {
  const int n = train_.n_joints(), K = moments_[0].rows();
  Matrix A(K, K);
  Array<double> x(K, 0.0), scale(K);
  for (int b = 0; b < times.size; ++b)
    for (int j = 0; j < n && times[b] > 0; ++j) {
      const double w = times[b] * weights_[j] * weights_[j];
      const Matrix& from = moments_[b * n + j];
      for (int r = 0; r < K; ++r) {
        for (int c = 0; c < K; ++c) A(r, c) += w * from(r, c);
        x[r] += w * from(r, K);
      }
    }
  for (int k = 0; k < K; ++k) scale[k] = 1 / std::sqrt(std::max(std::abs(A(k, k)), 1e-300));
  for (int r = 0; r < K; ++r) {
    for (int c = 0; c < K; ++c) A(r, c) *= scale[r] * scale[c];
    x[r] *= scale[r];
  }
  Lu lu(K);
  if (!lu.factorise(A, 1e-14))
    throw Error(
        "identify: a draw of the bootstrap does not determine the unknowns; take longer "
        "blocks (--block), or --bootstrap 0");
  lu.solve(View<double>(x));
  for (int k = 0; k < K; ++k) x[k] *= scale[k];
  return x;
}

/// Whether the regressor's noise biases least squares: d^T (C_iv - C_ls)^+ d, rows counted as independent ones.
void Identifying::test_bias() {
  Matrix ls = plain_.covariance, iv = estimate_.covariance;
  Array<double> x_ls, x_iv;
  for (const int k : estimate_.base.kept) {
    x_ls.push_back(plain_.x[k]), x_iv.push_back(estimate_.x[k]);
  }
  for (int r = 0; r < ls.rows(); ++r)
    for (int c = 0; c < ls.cols(); ++c) ls(r, c) *= memory_, iv(r, c) *= memory_;
  out_.bias = {true, hausman_test(x_ls, ls, x_iv, iv)};
}

}  // namespace torsor::internal
