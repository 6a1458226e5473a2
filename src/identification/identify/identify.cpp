#include "torsor/identification/identify.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <random>

#include "../factor_algebra.hpp"
#include "problem.hpp"
#include "torsor/identification/joint_by_joint.hpp"
#include "torsor/identification/least_squares.hpp"
#include "torsor/identification/residual_tests.hpp"
#include "torsor/identification/signal/delay.hpp"
#include "torsor/identification/signal/periodic_log.hpp"
#include "torsor/identification/uncertainty.hpp"
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
  MotionLog made;  // where the log itself is not what is used
  const MotionLog& given;
  Signals signals;
  LogRows rows;
  int split;  // blocks from here on validate
  bool validation;

  const MotionLog& log() const { return made.size() > 0 ? made : given; }
};

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

/// Rows of a log that pages draw.
constexpr int drawn_rows = 4000;

/// Sums over the samples of one log.
struct LogSums {
  Array<double> off, size;
  long long within = 0, count = 0;
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
  void prepare_signals(LogInWork& own);
  RowOptions row_options(const MotionLog& log, const Signals& signals) const;
  void compress();
  void fit();
  void fit_consistent();
  void measure_noise();
  void spread();
  void tell_parameters();
  Interval interval_of(double value, double sigma, In<double> c) const;
  /// Of the kept columns a and b; zero where the data does not determine one.
  double covariance(int a, int b) const {
    return kept_at_[a] < 0 || kept_at_[b] < 0 ? 0 : estimate_.covariance(kept_at_[a], kept_at_[b]);
  }
  void judge();
  LogSums judge(const LogInWork& own, bool later, const TorquePrediction& predicted);
  TorquePrediction prediction() const;
  double memory();
  Array<double> refit(In<int> times) const;
  Estimate least_squares_fit(const CompressedLog& log) const;
  CompressedLog power_rows() const;
  RowSource all_rows() const;
  Array<int> joint_of_kept() const;
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
  Estimate estimate_;   // of the kept columns
  Array<int> kept_at_;  // of a kept column in the covariance, -1 where it is not determined
  Array<double> weights_;
  double memory_ = 1;  // rows that are worth an independent one
  ConsistencyOptions how_;
  Array<double> before_;  // the model's numbers of all unknowns
  Matrix draws_;          // of x, a row for each
  Identification out_;
};

/// Signals of a log: its own filtered, or those of its mean period; torques that are late are moved back.
void Identifying::prepare_signals(LogInWork& own) {
  const std::string name = own.given.name;
  if (options_.periodic) {
    PeriodicSignals mean = average_periods(own.given, options_.motion_period);
    own.made = std::move(mean.mean);
    own.made.name = name;
    own.signals.q = own.made.q;
    own.signals.qd = own.made.qd;
    own.signals.qdd = std::move(mean.qdd);
    own.signals.words = mean.words;
    own.signals.decimation = std::max(1, options_.filter.decimation);
    return;
  }
  own.signals = prepare(own.given, options_.filter);
  if (!options_.find_delay || !options_.filter.low_pass) return;
  const DelayEstimate delay = estimate_delay(own.given, own.signals);
  if (!delay.clear || std::abs(delay.delay) < 0.25 * own.given.period) return;
  own.made = without_delay(own.given, delay.delay);
  own.signals = prepare(own.made, options_.filter);
  out_.repairs.push_back({name, 1, own.given.rows.empty() ? 0 : own.given.rows.back(),
                          "torques moved back: " + delay.words});
}

RowOptions Identifying::row_options(const MotionLog& log, const Signals& signals) const {
  RowOptions rows;
  rows.filtered = signals.filter.cutoff > 0;
  rows.filter = signals.filter;
  rows.every = signals.decimation;
  if (rows.filtered)
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
  logs_.push_back({{}, log, {}, {}, 0, validation});
  LogInWork& own = logs_.back();
  prepare_signals(own);
  own.rows = LogRows(problem_, own.log(), own.signals, row_options(own.log(), own.signals), index);
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
  reduced_ = selected(options_.estimator == Estimator::power ? power_rows() : train_, base_.kept);
}

/// The balance of energy of the logs that are fitted, block by block.
CompressedLog Identifying::power_rows() const {
  for (const LogInWork& own : logs_)
    if (own.signals.filter.cutoff <= 0)
      throw Error("identify: the balance of energy needs a low-pass");
  if (problem_.known_part || problem_.n_unknowns() > problem_.n_columns() ||
      problem_.known_mass >= 0)
    throw Error(
        "identify: the balance of energy has no place for known parts, known loads and gains of "
        "drives; choose another estimator");
  CompressedLog power;
  power.names = train_.names;
  power.joints = {"power"};
  for (int l = 0; const LogInWork& own : logs_) {
    const int first = power.n_blocks();
    for (int b = 0; b < own.split; ++b) power.add_block(l);
    for (int c = 0; c < own.rows.n_chunks(); ++c) {
      const ChunkRows chunk = own.rows.power_rows_of(c);
      for (int s = 0; s < chunk.sample.size() && chunk.block[s] < own.split; ++s)
        power.factor(first + chunk.block[s], 0).add(chunk.row(s));
    }
    ++l;
  }
  return power;
}

/// All rows that are fitted, columns `kept` and tau, one after another.
RowSource Identifying::all_rows() const {
  return [this](const std::function<void(int, In<double>)>& take) {
    const int n = problem_.n_v(), K = base_.size();
    Array<double> row(K + 1);
    for (const LogInWork& own : logs_)
      for (int c = 0; c < own.rows.n_chunks(); ++c) {
        const ChunkRows chunk = own.rows.rows_of(c);
        for (int s = 0; s < chunk.sample.size() && chunk.block[s] < own.split; ++s)
          for (int j = 0; j < n; ++j) {
            if (!own.rows.used(chunk.sample[s], j)) continue;
            const In<double> all = chunk.row(s * n + j);
            for (int k = 0; k < K; ++k) row[k] = all[base_.kept[k]];
            row[K] = all[all.size - 1];
            take(j, row);
          }
      }
  };
}

/// The last joint that a kept column acts on: the one whose link, friction or rotor it is of.
Array<int> Identifying::joint_of_kept() const {
  Array<int> joint;
  for (const int c : base_.kept) {
    if (c >= problem_.n_columns())
      throw Error("identify: gains of drives belong to no joint; choose another estimator");
    int last = 0;
    for (int v = 0; v < problem_.n_v(); ++v)
      if (problem_.columns.acts(v, c)) last = v;
    joint.push_back(last);
  }
  return joint;
}

Estimate Identifying::least_squares_fit(const CompressedLog& log) const {
  const LeastSquaresOptions how{.weighted = options_.estimator != Estimator::ordinary &&
                                            options_.estimator != Estimator::power};
  switch (options_.estimator) {
    case Estimator::total:
      return total_least_squares(log, how);
    case Estimator::robust:
      return robust_least_squares(log.names, log.joints, all_rows(), RobustLoss::tukey, how);
    case Estimator::joint_by_joint:
      return joint_by_joint_least_squares(log, joint_of_kept()).estimate;
    default:
      return least_squares(log, how);
  }
}

void Identifying::fit() {
  estimate_ = least_squares_fit(reduced_);
  out_.estimator = options_.estimator;
  out_.base = seen_at_joints(problem_, base_);
  kept_at_.assign(base_.size(), -1);
  for (int k = 0; k < estimate_.base.size(); ++k) kept_at_[estimate_.base.kept[k]] = k;
  out_.names = problem_.names;
  out_.method = estimate_.method;
  out_.condition = estimate_.condition;
  out_.rows = estimate_.rows;
  out_.x = base_.expanded(estimate_.x);
  weights_.assign(reduced_.n_joints(), 1.0);
  if (options_.estimator != Estimator::ordinary && options_.estimator != Estimator::power)
    for (int j = 0; j < weights_.size(); ++j)
      weights_[j] = 1 / std::max(estimate_.noise[j], 1e-300);
  out_.notes.insert(out_.notes.end(), estimate_.notes.begin(), estimate_.notes.end());
  out_.noise.assign(problem_.n_v(), 0.0);
  memory_ = memory();
  for (const int k : essential_parameters(estimate_, std::sqrt(memory_)).left_out)
    out_.not_essential.push_back(reduced_.names[static_cast<std::size_t>(k)]);
  const bool possible = bodies_can_exist(problem_);
  if (options_.estimator == Estimator::consistent ||
      (options_.estimator == Estimator::automatic && possible))
    fit_consistent();
  else if (options_.estimator == Estimator::automatic)
    out_.estimator = Estimator::weighted;
  tell(0.65);
}

/// The rows that noise with memory is worth one of, in the mean over the joints; says where it has one.
double Identifying::memory() {
  const int n = problem_.n_v();
  Array<double> rows(n, 0.0), weight(n, 0.0);
  std::string coloured;
  for (const LogInWork& own : logs_) {
    Array<Array<double>> residual(n);
    for (int c = 0; c < own.rows.n_chunks(); ++c) {
      const ChunkRows chunk = own.rows.rows_of(c);
      for (int s = 0; s < chunk.sample.size() && chunk.block[s] < own.split; ++s)
        for (int j = 0; j < n; ++j) residual[j].push_back(chunk.residual(s * n + j, out_.x));
    }
    for (int j = 0; j < n; ++j) {
      if (residual[j].size() < 50) continue;
      const Whiteness of = whiteness(residual[j]);
      rows[j] += of.rows_per_independent * residual[j].size();
      weight[j] += residual[j].size();
      const std::string name = problem_.model.dof_name(j);
      if (!of.white && coloured.find(name) == std::string::npos)
        coloured += (coloured.empty() ? "" : ", ") + name;
    }
  }
  double mean = 0;
  for (int j = 0; j < n; ++j) mean += (weight[j] > 0 ? std::max(1.0, rows[j] / weight[j]) : 1) / n;
  if (!coloured.empty())
    out_.notes.push_back("residuals are not white (" + coloured + "): " + short_number(mean) +
                         " rows tell as much as an independent one, and classical intervals are "
                         "too small");
  return mean;
}

void Identifying::fit_consistent() {
  out_.estimator = Estimator::consistent;
  for (double& w : weights_) w /= std::sqrt(memory_);
  how_ = options_.consistency;
  if (how_.gamma == 0) {
    how_.gamma = 1;  // of none: the choice looks at many
    how_.gamma = nearest_to_prior(choose_gamma(train_, weights_, problem_.x0, how_));
  }
  const RowFactor all = stacked(train_, weights_);
  out_.certificate = consistent_estimate(all, train_.names, problem_.x0, how_);
  out_.x = out_.certificate.x;
  out_.gamma = how_.gamma;
  const ConsistentEstimate& c = out_.certificate;
  int nearest = 0;
  for (int b = 1; b < c.margin.size(); ++b)
    if (c.margin[b] < c.margin[nearest]) nearest = b;
  out_.method = "bodies that can exist, near those of the file: gamma " + short_number(how_.gamma) +
                (options_.consistency.gamma == 0 ? " by cross-validation" : "") + "; " +
                std::to_string(c.newton_steps) + " Newton steps, " +
                (c.converged ? "at the optimum" : "not at the optimum") + " (gradient " +
                short_number(c.gradient) + ", gap " + short_number(c.gap) + ")";
  if (!c.margin.empty())
    out_.method += "; nearest to the border of what can exist: " +
                   c.bodies[static_cast<std::size_t>(nearest)] + ", smallest eigenvalue " +
                   short_number(c.smallest_eigenvalue[nearest]);
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

/// Interval of a combination c . x of the unknowns.
Interval Identifying::interval_of(double value, double sigma, In<double> c) const {
  if (draws_.rows() == 0) return {sigma, value - 1.96 * sigma, value + 1.96 * sigma};
  Array<double> draws(draws_.rows());
  for (int d = 0; d < draws_.rows(); ++d) {
    draws[d] = 0;
    for (int k = 0; k < c.size; ++k) draws[d] += c[k] * draws_(d, k);
  }
  return interval(value, draws);
}

void Identifying::tell_parameters() {
  const BaseParameters& base = out_.base;
  const Array<double> value = base.values(out_.x), before = base.values(before_);
  const Array<double> size = usual_sizes(problem_, mean_torque(train_));
  const int K = base.size(), N = problem_.n_unknowns();
  for (int k = 0; k < K; ++k) {
    const int c = base.kept[k];
    IdentifiedParameter p{.name = problem_.names[c], .formula = base.formula(k), .unit = {}};
    if (c < problem_.n_columns()) p.unit = problem_.columns.unit(c);
    p.value = value[k];
    p.before = before[k];
    double variance = 0;  // of the kept columns that it is a sum of
    for (int a = 0; a < K; ++a)
      for (int b = 0; b < K; ++b)
        variance +=
            base.regrouping(k, base.kept[a]) * base.regrouping(k, base.kept[b]) * covariance(a, b);
    p.classical_sigma = std::sqrt(variance);
    const Interval of =
        interval_of(p.value, p.classical_sigma, {base.regrouping.data() + k * N, N});
    p.sigma = of.sigma, p.low = of.low, p.high = of.high;
    p.determined = estimate_.determined(k) && p.sigma <= std::max(std::abs(p.value), size[c]);
    out_.parameters.push_back(p);
  }
  if (out_.estimator != Estimator::consistent) return;
  for (int c = 0; c < problem_.n_columns(); ++c) {
    IdentifiedParameter p{
        .name = problem_.names[c], .formula = problem_.names[c], .unit = problem_.columns.unit(c)};
    p.value = out_.x[c];
    p.before = before_[c];
    p.determined = base.roles[c] == ParameterRole::alone;
    Array<double> unit(N, 0.0);
    unit[c] = 1;
    const Interval of = interval_of(p.value, 0, unit);
    p.sigma = of.sigma, p.low = of.low, p.high = of.high;
    out_.links.push_back(p);
  }
}

/// What torques along other motions have to expect, from what the logs and the robot's file say.
TorquePrediction Identifying::prediction() const {
  const Estimate all = least_squares(train_);
  Array<double> prior = before_, width = prior_width(train_, before_);
  const Array<double> size = usual_sizes(problem_, mean_torque(train_));
  for (int k = 0; k < width.size(); ++k)
    if (!(width[k] > 0)) width[k] = std::max(size[k], 1e-9);
  TorquePrediction predicted(train_, all, leave_motion_out(train_, all), prior, width);
  predicted.set_mean(out_.x);
  return predicted;
}

/// Residuals of every log and the intervals that are predicted for it.
void Identifying::judge() {
  out_.train = residual(train_, out_.x);
  out_.validated = rest_.n_blocks() > 0;
  if (out_.validated) out_.validation = residual(rest_, out_.x);
  const TorquePrediction predicted = prediction();
  long long inside = 0, all = 0;
  for (const LogInWork& own : logs_)
    for (const bool later : {false, true}) {
      const LogSums sums = judge(own, later, predicted);
      if (later) inside += sums.within, all += sums.count;
    }
  if (all > 0) out_.covered = 100.0 * static_cast<double>(inside) / static_cast<double>(all);
}

LogSums Identifying::judge(const LogInWork& own, bool later, const TorquePrediction& predicted) {
  const int n = problem_.n_v(), N = problem_.n_unknowns();
  LogSums sums{Array<double>(n, 0.0), Array<double>(n, 0.0)};
  TorqueSeries series{.log = own.log().name};
  series.validation = later;
  Array<double> measured, model, half, mean(n), width(n);
  int rows = 0;
  for (int c = 0; c < own.rows.n_chunks(); ++c) rows += own.rows.n_rows(c);
  const int every = 1 + rows / drawn_rows;
  for (int c = 0, seen = 0; c < own.rows.n_chunks(); ++c) {
    const ChunkRows chunk = own.rows.rows_of(c);
    for (int s = 0; s < chunk.sample.size(); ++s) {
      if ((chunk.block[s] >= own.split) != later) continue;
      const double* const at = chunk.rows.data() + s * n * (N + 1);
      predicted.predict({at, n, N, N + 1, 1}, mean, width);
      const bool drawn = seen++ % every == 0;
      if (drawn) series.t.push_back(own.log().t[chunk.sample[s]]);
      for (int j = 0; j < n; ++j) {
        const double tau = at[j * (N + 1) + N], error = tau - mean[j];
        if (drawn) measured.push_back(tau), model.push_back(mean[j]), half.push_back(width[j]);
        if (!own.rows.used(chunk.sample[s], j)) continue;
        sums.off[j] += error * error, sums.size[j] += tau * tau;
        ++sums.count, sums.within += std::abs(error) <= width[j];
      }
    }
  }
  if (sums.count == 0) return sums;
  series.measured = Matrix(series.t.size(), n, std::move(measured));
  series.predicted = Matrix(series.t.size(), n, std::move(model));
  series.half_width = Matrix(series.t.size(), n, std::move(half));
  LogResidual log{.log = own.log().name};
  log.validation = later;
  log.covered = 100.0 * static_cast<double>(sums.within) / static_cast<double>(sums.count);
  double off = 0, size = 0;
  const auto per_cent = [](double a, double b) { return b > 0 ? 100 * std::sqrt(a / b) : 0; };
  for (int j = 0; j < n; ++j) {
    off += sums.off[j], size += sums.size[j];
    log.residual.joints.push_back(per_cent(sums.off[j], sums.size[j]));
  }
  log.residual.all = per_cent(off, size);
  out_.logs.push_back(log);
  out_.series.push_back(std::move(series));
  return sums;
}

}  // namespace

Identification identify(const Model<double>& model, const std::vector<MotionLog>& logs,
                        const std::vector<MotionLog>& validation, const IdentifyOptions& options,
                        const std::function<bool(double)>& progress) {
  return Identifying(model, logs, validation, options, progress).run();
}

}  // namespace torsor
