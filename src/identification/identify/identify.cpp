#include "torsor/identification/identify.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <random>

#include "../factor_algebra.hpp"
#include "problem.hpp"
#include "torsor/identification/least_squares.hpp"
#include "torsor/linear/cholesky.hpp"
#include "torsor/math/internal/parallel.hpp"
#include "torsor/model/error.hpp"
#include "torsor/model/text.hpp"

namespace torsor {

const char* name_of(Estimator estimator) {
  switch (estimator) {
    case Estimator::automatic:
      return "automatic";
    case Estimator::ordinary:
      return "ordinary";
    case Estimator::weighted:
      return "weighted";
    case Estimator::total:
      return "total";
    case Estimator::robust:
      return "robust";
    case Estimator::consistent:
      return "consistent";
    case Estimator::joint_by_joint:
      return "joint_by_joint";
    case Estimator::power:
      break;
  }
  return "power";
}

namespace {

using namespace internal;

/// A log with its signals and rows; the rows refer to the others.
struct LogInWork {
  const MotionLog& log;
  Signals signals;
  LogRows rows;
  int split;  // blocks from here on validate
  bool validation;
};

/// Root mean square of all torques.
double mean_torque(const CompressedLog& log) {
  double square = 0, rows = 0;
  const int tau = log.n_unknowns();
  for (const RowFactor& factor : log.factors) {
    const double length = column_length(factor.R(), tau);
    square += length * length;
    rows += static_cast<double>(factor.rows());
  }
  return std::sqrt(square / std::max(1.0, rows));
}

/// Whether each body of the model could exist: positive density somewhere, negative nowhere.
bool bodies_can_exist(const RowProblem& problem) {
  bool complete = false;
  Cholesky factors(4);
  for (int i = 1; i < problem.model.n_bodies(); ++i) {
    if (problem.columns.find(problem.model.body_name(i) + ".zz") < 0) continue;
    complete = true;
    const auto p = parameters_of(problem.model.body(i).inertia);
    const auto P = pseudo_inertia(In<double>{p.data(), static_cast<int>(p.size())});
    if (!factors.factorise(InMatrix<double>{P.data(), 4, 4, 4, 1})) return false;
  }
  return complete;
}

/// 1 + 2 sum of the correlations of neighbours, up to where they vanish.
double samples_per_independent_one(const Array<double>& x) {
  const int n = x.size();
  if (n < 20) return 1;
  double mean = 0, variance = 0;
  for (const double y : x) mean += y / n;
  for (const double y : x) variance += (y - mean) * (y - mean);
  if (variance == 0) return 1;
  double sum = 1;
  for (int lag = 1; lag < n / 4; ++lag) {
    double product = 0;
    for (int k = 0; k + lag < n; ++k) product += (x[k] - mean) * (x[k + lag] - mean);
    if (product < 0.05 * variance) break;
    sum += 2 * product / variance;
  }
  return sum;
}

/// Parts of one log repeat its motion and cannot tell how a fit does on others. Of all weights that
/// predict them about as well as the best (5 %), the largest, which stays nearest to the robot's file.
double nearest_to_prior(const GammaChoice& choice) {
  const double least = *std::min_element(choice.errors.begin(), choice.errors.end());
  for (int k = 0; k < choice.gammas.size(); ++k)
    if (choice.errors[k] <= 1.05 * least) return choice.gammas[k];
  return choice.gamma;
}

class Identifying {
 public:
  Identifying(const Model<double>& model, const std::vector<MotionLog>& logs,
              const std::vector<MotionLog>& validation, const IdentifyOptions& options,
              const std::function<bool(double)>& progress)
      : options_(options), progress_(progress), problem_(row_problem(model, options, logs)) {
    base_ = structure(problem_);
    before_ = problem_.x0;
    before_.resize(problem_.n_unknowns(), 0.0);
    double duration = 0;
    for (const MotionLog& log : logs) duration += log.size() * log.period;
    // Factors of all blocks are kept: there are a hundred or so at most.
    block_ = std::max(options.block, duration / 100);
    for (std::size_t k = 0; k < logs.size(); ++k) open(logs[k], static_cast<int>(k), false);
    for (const MotionLog& log : validation) open(log, -1, true);
  }

  Identification run() {
    compress();
    fit();
    measure_noise();
    spread();
    tell_parameters();
    judge();
    tell(1);
    return std::move(out_);
  }

 private:
  void open(const MotionLog& log, int index, bool validation);
  RowOptions row_options(const MotionLog& log, const Signals& signals) const;
  void compress();
  void fit();
  void fit_consistent();
  void measure_noise();
  void spread();
  void tell_parameters();
  void judge();
  Array<double> memory() const;
  Array<double> refit(In<int> times) const;
  Estimate least_squares_fit(const CompressedLog& log) const;
  void tell(double share) const {
    if (progress_ && !progress_(share)) throw Error("identify: stopped");
  }
  /// Calls for 0 ... n - 1 from all threads; the first one tells how far it is.
  void work(int n, double from, double share, const std::function<void(int)>& call) const {
    std::atomic<int> done{0};
    std::atomic<bool> stop{false};
    parallel_for(n, {.threads = options_.threads, .stop = &stop}, [&](int index, int worker) {
      call(index);
      const int count = ++done;
      if (worker == 0 && progress_ && !progress_(from + share * count / n)) stop = true;
    });
    if (stop) throw Error("identify: stopped");
  }

  const IdentifyOptions& options_;
  const std::function<bool(double)>& progress_;
  RowProblem problem_;
  BaseParameters base_;
  double block_ = 1;
  std::deque<LogInWork> logs_;
  CompressedLog train_, rest_, reduced_;
  Estimate estimate_;  // of the kept columns
  Array<double> weights_;
  ConsistencyOptions how_;
  Array<double> before_;  // the model's numbers of all unknowns
  Matrix draws_;          // of x, a row for each
  Identification out_;
};

RowOptions Identifying::row_options(const MotionLog& log, const Signals& signals) const {
  RowOptions rows;
  rows.filtered = true;
  rows.filter = signals.filter;
  rows.every = signals.decimation;
  rows.border = static_cast<int>(std::ceil(2 / (signals.filter.cutoff * log.period)));
  rows.least_speed = options_.least_speed;
  rows.block = block_;
  return rows;
}

void Identifying::open(const MotionLog& log, int index, bool validation) {
  const Model<double>& model = problem_.model;
  if (log.q.cols() != model.n_q())
    throw Error("log \"" + log.name + "\": " + std::to_string(log.q.cols()) +
                " positions; robot \"" + model.name() + "\" has " + std::to_string(model.n_q()));
  logs_.push_back({log, prepare(log, options_.filter), {}, 0, validation});
  LogInWork& own = logs_.back();
  own.rows = LogRows(problem_, log, own.signals, row_options(log, own.signals), index);
  const int blocks = own.rows.n_blocks();
  own.split =
      validation ? 0 : static_cast<int>(std::lround(std::min(options_.split, 1.0) * blocks));
  out_.repairs.insert(out_.repairs.end(), log.repairs.begin(), log.repairs.end());
  if (out_.filter.empty()) out_.filter = own.signals.words;
}

void Identifying::compress() {
  for (CompressedLog* log : {&train_, &rest_}) {
    log->names.assign(problem_.names.begin(), problem_.names.end());
    for (int k = 0; k < problem_.n_v(); ++k) log->joints.push_back(problem_.model.dof_name(k));
  }
  struct Task {
    const LogInWork* own;
    int chunk, first_train, first_rest;
  };
  Array<Task> tasks;
  for (int l = 0; const LogInWork& own : logs_) {
    const int first_train = train_.n_blocks(), first_rest = rest_.n_blocks() - own.split;
    for (int b = 0; b < own.rows.n_blocks(); ++b) (b < own.split ? train_ : rest_).add_block(l);
    for (int c = 0; c < own.rows.n_chunks(); ++c)
      tasks.push_back({&own, c, first_train, first_rest});
    ++l;
  }
  // A block belongs to one chunk: threads never meet at a factor.
  work(tasks.size(), 0, 0.6, [&](int index) {
    const Task& task = tasks[index];
    const int n = problem_.n_v();
    const ChunkRows chunk = task.own->rows.rows_of(task.chunk);
    for (int s = 0; s < chunk.sample.size(); ++s) {
      const int b = chunk.block[s];
      for (int j = 0; j < n; ++j) {
        if (!task.own->rows.used(chunk.sample[s], j)) continue;
        RowFactor& to = b < task.own->split ? train_.factor(task.first_train + b, j)
                                            : rest_.factor(task.first_rest + b, j);
        to.add(chunk.row(s * n + j));
      }
    }
  });
  if (train_.n_blocks() == 0) throw Error("identify: no rows are left of the logs");
  reduced_ = selected(train_, base_.kept);
}

Estimate Identifying::least_squares_fit(const CompressedLog& log) const {
  const LeastSquaresOptions how{.weighted = options_.estimator != Estimator::ordinary};
  switch (options_.estimator) {
    case Estimator::total:
      return total_least_squares(log, how);
    case Estimator::robust:
      return robust_least_squares(log, RobustLoss::tukey, how);
    default:
      return least_squares(log, how);
  }
}

void Identifying::fit() {
  estimate_ = least_squares_fit(reduced_);
  out_.estimator = options_.estimator;
  out_.base = base_;
  out_.names = problem_.names;
  out_.method = estimate_.method;
  out_.condition = estimate_.condition;
  out_.rows = estimate_.rows;
  out_.noise = estimate_.noise;
  out_.x = base_.expanded(estimate_.x);
  weights_.assign(problem_.n_v(), 1.0);
  if (options_.estimator != Estimator::ordinary)
    for (int j = 0; j < problem_.n_v(); ++j) weights_[j] = 1 / estimate_.noise[j];
  const bool possible = bodies_can_exist(problem_);
  if (options_.estimator == Estimator::consistent ||
      (options_.estimator == Estimator::automatic && possible))
    fit_consistent();
  else if (options_.estimator == Estimator::automatic)
    out_.estimator = Estimator::weighted;
  tell(0.65);
}

/// The samples that noise with memory is worth: 1 + 2 sum of the correlations, joint by joint.
Array<double> Identifying::memory() const {
  const int n = problem_.n_v();
  Array<double> factor(n, 1.0), weight(n, 0.0);
  for (const LogInWork& own : logs_) {
    if (own.validation) continue;
    Array<Array<double>> residual(n);
    for (int c = 0; c < own.rows.n_chunks(); ++c) {
      const ChunkRows chunk = own.rows.rows_of(c);
      for (int s = 0; s < chunk.sample.size() && chunk.block[s] < own.split; ++s)
        for (int j = 0; j < n; ++j) residual[j].push_back(chunk.residual(s * n + j, out_.x));
    }
    for (int j = 0; j < n; ++j) {
      const double own_factor = samples_per_independent_one(residual[j]);
      factor[j] += own_factor * residual[j].size();
      weight[j] += residual[j].size();
    }
  }
  for (int j = 0; j < n; ++j) factor[j] = weight[j] > 0 ? std::max(1.0, factor[j] / weight[j]) : 1;
  return factor;
}

void Identifying::fit_consistent() {
  out_.estimator = Estimator::consistent;
  const Array<double> samples = memory();
  double mean = 0;
  for (const double x : samples) mean += x / problem_.n_v();
  for (double& w : weights_) w /= std::sqrt(mean);
  how_ = options_.consistency;
  if (how_.gamma == 0) {
    how_.gamma = 1;  // of none: the choice looks at many
    how_.gamma = nearest_to_prior(choose_gamma(train_, weights_, problem_.x0, how_));
  }
  const RowFactor all = stacked(train_, weights_);
  out_.certificate = consistent_estimate(all, train_.names, problem_.x0, how_);
  out_.x = out_.certificate.x;
  out_.gamma = how_.gamma;
  out_.consistent = true;
  out_.mass = out_.certificate.mass;
  out_.notes.insert(out_.notes.end(), out_.certificate.notes.begin(), out_.certificate.notes.end());
}

/// x of a resampled log.
Array<double> Identifying::refit(In<int> times) const {
  if (out_.estimator == Estimator::consistent)
    return consistent_estimate(stacked(train_, weights_, times), train_.names, problem_.x0, how_).x;
  return base_.expanded(internal::solution(stacked(reduced_, weights_, times).R(), base_.size()));
}

/// The spread of what the fit leaves, joint by joint: what a prediction has to expect.
void Identifying::measure_noise() {
  const int n = problem_.n_v();
  Array<double> square(n, 0.0), rows(n, 0.0);
  for (int b = 0; b < train_.n_blocks(); ++b)
    for (int j = 0; j < n; ++j) {
      square[j] += squared_residual(train_.factor(b, j).R(), out_.x);
      rows[j] += static_cast<double>(train_.factor(b, j).rows());
    }
  for (int j = 0; j < n; ++j) out_.noise[j] = std::sqrt(square[j] / std::max(1.0, rows[j]));
}

void Identifying::spread() {
  const int blocks = train_.n_blocks(), N = problem_.n_unknowns();
  if (options_.bootstrap == 0) return;
  if (blocks < 6) {
    out_.notes.push_back("the logs have " + std::to_string(blocks) + " blocks of " +
                         number(block_) + " s: too few for a bootstrap, intervals are classical");
    return;
  }
  draws_ = Matrix(options_.bootstrap, N);
  work(options_.bootstrap, 0.65, 0.25, [&](int d) {
    std::mt19937_64 random(options_.seed + static_cast<std::uint64_t>(d) * 0x9E3779B97F4A7C15u);
    std::uniform_int_distribution<int> block(0, blocks - 1);
    Array<int> times(blocks, 0);
    for (int k = 0; k < blocks; ++k) ++times[block(random)];
    const Array<double> x = refit(times);
    for (int k = 0; k < N; ++k) draws_(d, k) = x[k];
  });
}

/// Bootstrap deviation and 95 % interval of one quantity of x; of few draws, by the deviation.
struct Interval {
  double sigma = 0, low = 0, high = 0;
};
Interval interval(double value, Array<double> draws) {
  const int n = draws.size();
  double mean = 0, square = 0;
  for (const double x : draws) mean += x / n;
  for (const double x : draws) square += (x - mean) * (x - mean) / (n - 1);
  const double sigma = std::sqrt(square);
  return {sigma, value - 1.96 * sigma, value + 1.96 * sigma};
}

void Identifying::tell_parameters() {
  const Array<double> value = base_.values(out_.x), before = base_.values(before_);
  const Array<double> size = usual_sizes(problem_, mean_torque(train_));
  for (int k = 0; k < base_.size(); ++k) {
    const int c = base_.kept[k];
    IdentifiedParameter p{.name = problem_.names[c], .formula = base_.formula(k), .unit = {}};
    if (c < problem_.n_columns()) p.unit = problem_.columns.unit(c);
    p.value = value[k];
    p.before = before[k];
    p.classical_sigma = estimate_.sigma[k];
    p.sigma = p.classical_sigma, p.low = p.value - 1.96 * p.sigma,
    p.high = p.value + 1.96 * p.sigma;
    if (draws_.rows() > 0) {
      Array<double> draws(draws_.rows());
      for (int d = 0; d < draws_.rows(); ++d) {
        double b = 0;
        for (int i = 0; i < base_.n_parameters(); ++i) b += base_.regrouping(k, i) * draws_(d, i);
        draws[d] = b;
      }
      const Interval of = interval(p.value, draws);
      p.sigma = of.sigma, p.low = of.low, p.high = of.high;
    }
    p.determined = estimate_.determined(k) && p.sigma <= std::max(std::abs(p.value), size[c]);
    out_.parameters.push_back(p);
  }
  if (out_.estimator != Estimator::consistent) return;
  for (int c = 0; c < problem_.n_columns(); ++c) {
    IdentifiedParameter p{
        .name = problem_.names[c], .formula = problem_.names[c], .unit = problem_.columns.unit(c)};
    p.value = out_.x[c];
    p.before = before_[c];
    p.determined = base_.roles[c] == ParameterRole::alone;
    if (draws_.rows() > 0) {
      Array<double> draws(draws_.rows());
      for (int d = 0; d < draws_.rows(); ++d) draws[d] = draws_(d, c);
      const Interval of = interval(p.value, draws);
      p.sigma = of.sigma, p.low = of.low, p.high = of.high;
    }
    out_.links.push_back(p);
  }
}

/// Residuals of every log and the intervals that were predicted for it.
void Identifying::judge() {
  out_.train = residual(train_, out_.x);
  out_.validated = rest_.n_blocks() > 0;
  if (out_.validated) out_.validation = residual(rest_, out_.x);
  const int n = problem_.n_v(), N = problem_.n_unknowns(), B = draws_.rows();
  long long inside = 0, all = 0;
  for (const LogInWork& own : logs_)
    for (const bool later : {false, true}) {
      TorqueSeries series{.log = own.log.name};
      series.validation = later;
      Array<double> measured, predicted, half;
      long long within = 0, count = 0;
      Array<double> off(n, 0.0), size(n, 0.0);
      for (int c = 0; c < own.rows.n_chunks(); ++c) {
        const ChunkRows chunk = own.rows.rows_of(c);
        for (int s = 0; s < chunk.sample.size(); ++s) {
          if ((chunk.block[s] >= own.split) != later) continue;
          series.t.push_back(own.log.t[chunk.sample[s]]);
          for (int j = 0; j < n; ++j) {
            const double* const row = chunk.rows.data() + (s * n + j) * (N + 1);
            double model = 0, mean = 0, square = 0;
            for (int k = 0; k < N; ++k) model += row[k] * out_.x[k];
            for (int d = 0; d < B; ++d) {
              double y = 0;
              for (int k = 0; k < N; ++k) y += row[k] * draws_(d, k);
              mean += y / B, square += y * y / B;
            }
            const double spread = B > 0 ? std::max(0.0, square - mean * mean) : 0;
            const double width = 1.96 * std::sqrt(spread + out_.noise[j] * out_.noise[j]);
            measured.push_back(row[N]), predicted.push_back(model), half.push_back(width);
            if (!own.rows.used(chunk.sample[s], j)) continue;
            const double error = row[N] - model;
            off[j] += error * error, size[j] += row[N] * row[N];
            ++count, within += std::abs(error) <= width;
          }
        }
      }
      if (count == 0) continue;
      const int rows = series.t.size();
      series.measured = Matrix(rows, n, std::move(measured));
      series.predicted = Matrix(rows, n, std::move(predicted));
      series.half_width = Matrix(rows, n, std::move(half));
      LogResidual log{.log = own.log.name};
      log.validation = later;
      log.covered = 100.0 * static_cast<double>(within) / static_cast<double>(count);
      double off_all = 0, size_all = 0;
      for (int j = 0; j < n; ++j) {
        off_all += off[j], size_all += size[j];
        log.residual.joints.push_back(100 * std::sqrt(off[j] / size[j]));
      }
      log.residual.all = 100 * std::sqrt(off_all / size_all);
      out_.logs.push_back(log);
      out_.series.push_back(std::move(series));
      if (later) inside += within, all += count;
    }
  if (all > 0) out_.covered = 100.0 * static_cast<double>(inside) / static_cast<double>(all);
}

}  // namespace

Identification identify(const Model<double>& model, const std::vector<MotionLog>& logs,
                        const std::vector<MotionLog>& validation, const IdentifyOptions& options,
                        const std::function<bool(double)>& progress) {
  return Identifying(model, logs, validation, options, progress).run();
}

}  // namespace torsor
