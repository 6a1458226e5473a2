#include "torsor/identification/identify.hpp"

#include <algorithm>
#include <cmath>

#include "factor_algebra.hpp"
#include "identifying.hpp"
#include "torsor/identification/signal/delay.hpp"
#include "torsor/identification/signal/periodic_log.hpp"

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
      return "power";
    case Estimator::instrumental:
      return "instrumental";
    case Estimator::didim:
      return "didim";
    case Estimator::output_error:
      break;
  }
  return "output_error";
}

bool simulates(Estimator estimator) {
  return estimator == Estimator::instrumental || estimator == Estimator::didim;
}

namespace internal {

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
  tell(0);
  if (!options_.find_delay || !options_.filter.low_pass) return;
  const DelayEstimate delay = delay_of(own);
  // Torques that a drive holds are half a sample early: that stays.
  if (!delay.clear || std::abs(delay.delay) < 0.75 * own.given.period) return;
  own.made = without_delay(own.given, delay.delay);
  own.signals = prepare(own.made, options_.filter);
  out_.repairs.push_back(
      {name, 1, own.given.rows.empty() ? 0 : own.given.rows.back(),
       (delay.delay > 0 ? "torques moved back: " : "torques moved on: ") + delay.words});
}

/// By all columns that a robot can have, whatever is asked for: of a model without friction a delay would
/// stand for it.
DelayEstimate Identifying::delay_of(const LogInWork& own) {
  if (problem_.loops || problem_.motors.unknown_gain) return estimate_delay(own.given, own.signals);
  if (!delay_problem_) {
    IdentifyOptions all;
    all.choice.asymmetry = all.choice.stiction = true;
    all.choice.springs = all.choice.spring_dampers = true;
    all.motors = options_.motors;
    all.sign_width = options_.sign_width, all.force_width = options_.force_width;
    delay_problem_ = row_problem(problem_.model, all, {own.given});
  }
  return delay_by_rows(
      *delay_problem_, own.given, own.signals,
      LogRows(*delay_problem_, own.given, own.signals, row_options(own.given, own.signals), -1));
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
  tell(0);  // logs may be many, and long
  const Model<double>& model = problem_.model;
  if (log.q.cols() != model.n_q())
    throw Error("log \"" + log.name + "\": " + std::to_string(log.q.cols()) +
                " positions; robot \"" + model.name() + "\" has " + std::to_string(model.n_q()));
  const Matrix& torque = problem_.motors.unknown_gain ? log.drive : log.tau;
  const int wanted = problem_.motors.unknown_gain ? problem_.motors.N.rows() : model.n_v();
  if (torque.rows() != log.size() || torque.cols() != wanted)
    throw Error("log \"" + log.name + "\": " + std::to_string(torque.rows()) + " rows of " +
                std::to_string(torque.cols()) + " torques for " + std::to_string(log.size()) +
                " samples of " + std::to_string(wanted));
  logs_.push_back({{}, log, {}, {}, 0, validation, index});
  LogInWork& own = logs_.back();
  prepare_signals(own);
  own.rows = LogRows(problem_, own.log(), own.signals, row_options(own.log(), own.signals), index);
  const int blocks = own.rows.n_blocks();
  own.split =
      validation ? 0 : static_cast<int>(std::lround(std::min(options_.split, 1.0) * blocks));
  out_.repairs.insert(out_.repairs.end(), log.repairs.begin(), log.repairs.end());
  if (own.signals.words.find("bounded by a fifth of the rate") != std::string::npos)
    out_.notes.push_back(
        log.name +
        ": its positions tell of motion as fast as its rate allows, as vibrations or "
        "bad rows do: --cutoff, ten times the fastest motion in Hz, may fit better");
  if (out_.filter.empty())
    out_.filter = own.signals.words;
  else if (out_.filter.find(own.signals.words) == std::string::npos)
    out_.filter += "; " + log.name + ": " + own.signals.words;
}

void Identifying::compress() {
  train_ = rest_ = {};
  fitted_.clear();
  for (CompressedLog* log : {&train_, &rest_}) {
    *log = {};
    log->names.assign(problem_.names.begin(), problem_.names.end());
    for (const int v : problem_.torques) log->joints.push_back(problem_.model.dof_name(v));
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
  // Of each chunk the factors of its blocks, joint by joint: how many rows, and R. A block belongs to one chunk.
  const int n = problem_.n_rows(), K = problem_.n_unknowns() + 1;
  const Array<Array<double>> factors = pieces(tasks.size(), 0, 0.6, [&](int index, int) {
    const Task& task = tasks[index];
    const ChunkRows chunk = task.own->rows.rows_of(task.chunk);
    const TimeChunk& blocks = task.own->rows.chunk(task.chunk);
    const int count = (blocks.end_block - blocks.first_block) * n;
    Array<RowFactor> own(count, RowFactor(K));
    for (int s = 0; s < chunk.sample.size(); ++s)
      for (int j = 0; j < n; ++j)
        if (task.own->rows.used(chunk.sample[s], j))
          own[(chunk.block[s] - blocks.first_block) * n + j].add(chunk.row(s * n + j));
    Array<double> numbers;
    numbers.reserve(count * (1 + K * (K + 1) / 2));
    for (const RowFactor& factor : own) {
      numbers.push_back(static_cast<double>(factor.rows()));
      for (int r = 0; r < K; ++r)
        for (int c = r; c < K; ++c) numbers.push_back(factor.R()(r, c));
    }
    return numbers;
  });
  for (int t = 0; t < tasks.size(); ++t) {
    const Task& task = tasks[t];
    const TimeChunk& blocks = task.own->rows.chunk(task.chunk);
    const double* at = factors[t].data();
    for (int b = blocks.first_block; b < blocks.end_block; ++b)
      for (int j = 0; j < n; ++j) {
        const auto rows = static_cast<long long>(*at++);
        Matrix R(K, K);
        for (int r = 0; r < K; ++r)
          for (int c = r; c < K; ++c) R(r, c) = *at++;
        (b < task.own->split ? train_.factor(task.first_train + b, j)
                             : rest_.factor(task.first_rest + b, j)) =
            RowFactor(std::move(R), rows);
      }
  }
  if (train_.n_blocks() == 0) throw Error("identify: no rows are left of the logs");
  if (mean_torque(train_) == 0 && !problem_.motors.unknown_gain)
    throw Error("identify: all torques of the logs are zero");
  if (fitted_.empty()) find_moved();
  Array<int> columns;
  for (const int k : fitted_) columns.push_back(base_.kept[k]);
  reduced_ = selected(options_.estimator == Estimator::power ? power_rows() : train_, columns);
}

/// What the logs move: columns of at least a ten-thousandth of their usual size. The others keep the
/// model's numbers.
void Identifying::find_moved() {
  double rows = 0;
  Array<double> square(problem_.n_unknowns(), 0.0);
  for (const RowFactor& factor : train_.factors) {
    rows += static_cast<double>(factor.rows());
    for (int k = 0; k < square.size(); ++k) {
      const double length = column_length(factor.R(), k);
      square[k] += length * length;
    }
  }
  for (int k = 0; k < base_.size(); ++k) {
    const int c = base_.kept[k];
    const double usual = c < problem_.n_columns() ? size_[c] : 0;
    if (std::sqrt(square[c] / std::max(1.0, rows)) > 1e-4 * usual && square[c] > 0)
      fitted_.push_back(k);
  }
  if (fitted_.empty()) throw Error("identify: nothing moves in the logs");
}

}  // namespace internal

Identification identify(const Model<double>& model, const std::vector<MotionLog>& logs,
                        const std::vector<MotionLog>& validation, const IdentifyOptions& options,
                        const std::function<bool(double)>& progress) {
  return internal::Identifying(model, logs, validation, options, progress).run();
}

}  // namespace torsor
