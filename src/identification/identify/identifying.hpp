#pragma once
/// One call of identify, step by step. Private to it.
#include <atomic>
#include <deque>
#include <optional>

#include "problem.hpp"
#include "torsor/identification/instrumental.hpp"
#include "torsor/identification/least_squares.hpp"
#include "torsor/identification/signal/delay.hpp"
#include "torsor/identification/uncertainty.hpp"
#include "torsor/math/internal/pieces.hpp"
#include "torsor/model/error.hpp"

namespace torsor::internal {

/// A log with its signals and rows; the rows refer to the others.
struct LogInWork {
  MotionLog made;  // where the log itself is not what is used
  const MotionLog& given;
  Signals signals;
  LogRows rows;
  int split;  // blocks from here on validate
  bool validation;
  int index;  // of all logs, those that validate after the others

  const MotionLog& log() const { return made.size() > 0 ? made : given; }
};

/// Bootstrap deviation and 95 % interval of one quantity of x; of few draws, by the deviation.
struct Interval {
  double sigma = 0, low = 0, high = 0;
};
/// An interval that counts what the robot's file decides, and the share of what was unknown of the file's
/// number that still is.
struct Believed {
  Interval interval{};
  double deviation = 0, left = 0;
};
/// Sums over the samples of one log.
struct LogSums {
  Array<double> off, size;
  long long within = 0, count = 0;

  explicit LogSums(int n) : off(n, 0.0), size(n, 0.0) {}
  void add(const LogSums& other) {
    for (int j = 0; j < off.size(); ++j) off[j] += other.off[j], size[j] += other.size[j];
    within += other.within, count += other.count;
  }
  double covered() const {
    return count > 0 ? 100.0 * static_cast<double>(within) / static_cast<double>(count) : 0;
  }
  Residual residual() const {
    const auto per_cent = [](double a, double b) { return b > 0 ? 100 * std::sqrt(a / b) : 0; };
    Residual out;
    double all = 0, of = 0;
    for (int j = 0; j < off.size(); ++j) {
      all += off[j], of += size[j];
      out.joints.push_back(per_cent(off[j], size[j]));
    }
    out.all = per_cent(all, of);
    return out;
  }
};

/// The same robot with other Stribeck velocities of some degrees of freedom.
Model<double> with_stribeck(const Model<double>& model, In<int> dofs, In<double> values);

/// The delay of torques at which the rows of a log fit best; of trees and known gains.
DelayEstimate delay_by_rows(const RowProblem& problem, const MotionLog& log, const Signals& signals,
                            const LogRows& rows, double most = 0.05);

/// Root mean square of all torques.
double mean_torque(const CompressedLog& log);

class Identifying {
 public:
  Identifying(const Model<double>& model, const std::vector<MotionLog>& logs,
              const std::vector<MotionLog>& validation, const IdentifyOptions& options,
              const std::function<bool(double)>& progress)
      : options_(options),
        progress_(progress),
        problem_(row_problem(model, options, logs, static_cast<int>(validation.size()))) {
    Structure of_motions = structure(problem_);
    base_ = std::move(of_motions.base);
    size_ = std::move(of_motions.size);
    before_ = problem_.x0;
    before_.resize(problem_.n_unknowns(), 0.0);
    double duration = 0;
    for (const MotionLog& log : logs) duration += log.size() * log.period;
    // Factors of all blocks are kept, a hundred or so at most; a bootstrap wants ten of them.
    block_ = std::min(std::max(options.block, duration / 100),
                      duration * std::min(options.split, 1.0) / 12);
    for (std::size_t k = 0; k < logs.size(); ++k) open(logs[k], static_cast<int>(k), false);
    for (const MotionLog& log : validation) open(log, static_cast<int>(logs_.size()), true);
  }

  Identification run() {
    if (problem_.loaded &&
        (simulates(options_.estimator) || options_.estimator == Estimator::output_error))
      throw Error(std::string("identify: friction of the load is found by least squares, not by ") +
                  name_of(options_.estimator));
    if (problem_.file_scale && options_.estimator != Estimator::automatic &&
        options_.estimator != Estimator::weighted && options_.estimator != Estimator::consistent)
      throw Error(std::string("identify: ") + name_of(options_.estimator) +
                  " has no scale for gains of drives and an unknown robot: weigh a payload that is "
                  "in one of the logs and not in another, or take weighted or consistent, which "
                  "have the scale of the file's bodies");
    compress();
    if (options_.estimator == Estimator::output_error) {
      find_stribeck();
      compress();
    }
    if (problem_.loaded) settle_load();
    fit();
    if (problem_.loaded) linearise_load(out_.x);
    measure_noise();
    spread();
    look_at_dry_friction();
    compare_shapes();
    look_at_signs();
    look_at_disturbances();
    look_at_single_logs();
    predicted_ = prediction();
    tell_parameters();
    judge();
    tell(1);
    return std::move(out_);
  }

 private:
  void open(const MotionLog& log, int index, bool validation);
  void prepare_signals(LogInWork& own);
  DelayEstimate delay_of(const LogInWork& own);
  RowOptions row_options(const MotionLog& log, const Signals& signals) const;
  void compress();
  /// Rows whose friction of the load is linearised at x.
  void linearise_load(const Array<double>& x) {
    problem_.at = x;
    compress();
  }
  void settle_load();
  void fit();
  Array<double> consistent_prior();
  void fit_consistent();
  void measure_noise();
  void spread();
  void tell_parameters();
  bool stands_for_others(int k) const;
  Interval interval_of(double value, double sigma, In<double> c) const;
  Believed believed(Interval of, In<double> c) const;
  /// Of the kept columns a and b; zero where the data does not determine one.
  double covariance(int a, int b) const {
    return kept_at_[a] < 0 || kept_at_[b] < 0 ? 0 : estimate_.covariance(kept_at_[a], kept_at_[b]);
  }
  void judge();
  LogSums judge(const LogInWork& own, bool later);
  std::optional<TorquePrediction> prediction();
  double memory();
  Array<double> refit(In<int> times) const;
  Estimate least_squares_fit(const CompressedLog& log) const;
  /// Unknown gains: gains.cpp. `start`: of the columns of the log.
  Estimate gain_fit(const CompressedLog& log, In<int> times = {}, In<double> start = {}) const;
  Array<double> scale_by_file(const Array<RowFactor>& joints) const;
  /// How far it may be off, relative to it, where each of the file's bodies may be half off.
  double scale_deviation() const;
  /// Rows of torque, with the gains of x.
  RowFactor with_gains(const RowFactor& factor, In<double> x) const;
  CompressedLog with_gains(const CompressedLog& log, In<double> x) const;
  void find_moved();
  /// Of the fitted columns' values, all unknowns: others as the model has them.
  Array<double> expanded(In<double> fitted) const {
    Array<double> b = base_.values(before_);
    for (int k = 0; k < fitted_.size(); ++k) b[fitted_[k]] = fitted[k];
    return base_.expanded(b);
  }
  CompressedLog power_rows() const;
  /// Estimates that simulate: simulated.cpp.
  using RowTaker = std::function<void(int block, int joint, In<double> row)>;
  void check_simulated() const;
  void visit_rows(const std::function<LogRows(const LogInWork&)>& rows_of,
                  const RowTaker& take) const;
  void each_row(const std::deque<Signals>& signals, const RowTaker& take) const;
  std::optional<Model<double>> robot_of(In<double> fitted) const;
  bool simulate_logs(const Model<double>& robot, std::deque<Signals>& out) const;
  void fit_simulated();
  void keep_moments(In<int> blocks, const RegressorRows& measured, const RegressorRows& simulated);
  Array<double> solve_moments(In<int> times) const;
  void test_bias();
  void find_stribeck();
  bool has_dry_rows() const;
  CompressedLog rows_with(const RowProblem& problem, double slowest) const;
  void look_at_dry_friction();
  void compare_shapes();
  Array<int> driving_joints(In<double> kept, double deviations) const;
  void look_at_signs();
  void look_at_disturbances();
  CompressedLog single_log(const CompressedLog& blocks, int log) const;
  void look_at_single_logs();
  RowSource all_rows() const;
  Array<int> joint_of_kept() const;
  /// Before the fit is done a stop is an Error; from then on what is left is short.
  void tell(double share) {
    if (!progress_ || out_.stopped || progress_(share)) return;
    if (share <= 0.65) throw Error("identify: stopped");
    out_.stopped = true;
  }
  /// Results of n pieces, by all threads or whatever hands the options have; the first thread tells how far
  /// it is. Where it is stopped: an Error, or `stopped` is set and some results are empty.
  Array<Array<double>> pieces(int n, double from, double share, const PieceWork& work,
                              bool* stopped = nullptr) const {
    std::atomic<bool> stop{false};
    const auto go_on = [&](int done) { return !progress_ || progress_(from + share * done / n); };
    Array<Array<double>> results = in_pieces(
        options_.hands, n, {.threads = options_.threads, .stop = &stop, .go_on = go_on}, work);
    if (stop && !stopped) throw Error("identify: stopped");
    if (stopped) *stopped = stop;
    return results;
  }

  const IdentifyOptions& options_;
  const std::function<bool(double)>& progress_;
  RowProblem problem_;
  std::optional<RowProblem> delay_problem_;
  BaseParameters base_;
  Array<double> size_;  // of columns, along usual motions
  Array<int> fitted_;   // of base_.kept: those that the logs move
  double block_ = 1;
  std::deque<LogInWork> logs_;
  CompressedLog train_, rest_, reduced_;
  Estimate estimate_;      // of the kept columns
  Estimate plain_;         // least squares, where instruments are beside them
  Array<Matrix> moments_;  // of instruments, block by block and joint by joint
  Array<int> kept_at_;     // of a kept column in the covariance, -1 where it is not determined
  Array<double> weights_;
  double memory_ = 1;  // rows that are worth an independent one
  ConsistencyOptions how_;
  Array<double> prior_;    // that consistent bodies are kept near
  std::string how_found_;  // what torques are not linear in
  Array<double> before_;   // the model's numbers of all unknowns
  Matrix draws_;           // of x, a row for each
  Array<double> width_;    // of the file's numbers, where nothing else is known
  /// Of base parameters: how far an exact sign of dry friction takes them; empty: its width is known.
  Array<double> between_shapes_;
  std::optional<TorquePrediction> predicted_;
  Identification out_;
};

}  // namespace torsor::internal
