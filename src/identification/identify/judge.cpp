/// What was found, and how it does on every log.
#include <algorithm>
#include <cmath>

#include "consistency_newton.hpp"
#include "distributions.hpp"
#include "factor_algebra.hpp"
#include "identifying.hpp"
#include "torsor/model/text.hpp"

namespace torsor::internal {
namespace {

/// Rows of a log that pages draw.
constexpr int drawn_rows = 4000;

/// Of what was unknown of a number: where logs leave more, it is the file's.
constexpr double most_left = 0.7;

/// Few blocks know their own spread badly: Student's t, as block_bootstrap has it.
Interval interval(double value, Array<double> draws, int blocks) {
  const int n = draws.size();
  double mean = 0, square = 0;
  for (const double x : draws) mean += x / n;
  for (const double x : draws) square += (x - mean) * (x - mean) / (n - 1);
  const double sigma = std::sqrt(square * blocks / (blocks - 1));
  const double half = t_quantile(0.975, blocks - 1) * sigma;
  return {sigma, value - half, value + half};
}

}  // namespace

/// Interval of a combination c . x of the unknowns.
Interval Identifying::interval_of(double value, double sigma, In<double> c) const {
  if (draws_.rows() == 0) return {sigma, value - 1.96 * sigma, value + 1.96 * sigma};
  Array<double> draws(draws_.rows());
  for (int d = 0; d < draws_.rows(); ++d) {
    draws[d] = 0;
    for (int k = 0; k < c.size; ++k) draws[d] += c[k] * draws_(d, k);
  }
  return interval(value, draws, train_.n_blocks());
}

/// Bodies that are kept near the file's hardly move from draw to draw where the motions say nothing. What is
/// unknown there: c . x of the rows and of a file that may be off by its width, and how far the estimate
/// is from what these two agree on.
Believed Identifying::believed(Interval of, In<double> c) const {
  double value = 0, before = 0, apart = 0;
  for (int k = 0; k < c.size; ++k) {
    value += c[k] * out_.x[k];
    apart += c[k] * (out_.x[k] - predicted_->from_data()[k]);
    before += c[k] * c[k] * width_[k] * width_[k];
  }
  Believed out;
  const double deviation = predicted_->deviation(c);
  out.deviation = std::max(of.sigma, deviation);
  out.left = before > 0 ? deviation / std::sqrt(before) : 0;
  const double half = std::max(0.5 * (of.high - of.low), 1.96 * std::hypot(out.deviation, apart));
  out.interval = {of.sigma, value - half, value + half};
  // Sums of what the estimator keeps above zero.
  bool positive = how_.nonnegative;
  for (int k = 0; k < c.size && positive; ++k)
    positive = c[k] >= 0 && (c[k] == 0 || never_negative(problem_.names[k]) ||
                             problem_.names[k].ends_with(".m"));
  if (positive) out.interval.low = std::max(out.interval.low, 0.0);
  return out;
}

/// Whether these logs move another column in step with a kept one: its number is then a sum that only they know.
bool Identifying::stands_for_others(int k) const {
  constexpr double share = 0.05;  // of its own column, along usual motions
  if (kept_at_[k] < 0) return false;
  const double own = size_[base_.kept[k]];
  for (int f = 0; f < fitted_.size(); ++f)
    if (fitted_[f] != k && std::abs(estimate_.base.regrouping(kept_at_[k], f)) * own >
                               share * size_[base_.kept[fitted_[f]]])
      return true;
  return false;
}

namespace {

/// Numbers that are wrong together by a factor that is known but for this relative deviation.
void count_scale(IdentifiedParameter& p, double deviation) {
  if (deviation == 0) return;
  const double factor = std::exp(1.96 * deviation);  // or its inverse: no sign changes
  const double far = std::abs(p.value) * (factor - 1), near = std::abs(p.value) * (1 - 1 / factor);
  p.sigma = std::hypot(p.sigma, deviation * std::abs(p.value));
  p.low = p.value - std::hypot(p.value - p.low, p.value > 0 ? near : far);
  p.high = p.value + std::hypot(p.high - p.value, p.value > 0 ? far : near);
}

/// Numbers that another shape of dry friction would move by so much.
void count_shape(IdentifiedParameter& p, double apart) {
  const double half = 1.96 * apart;
  const bool above = p.low >= 0 && p.value >= 0;
  p.low = p.value - std::hypot(p.value - p.low, half);
  p.high = p.value + std::hypot(p.high - p.value, half);
  if (above) p.low = std::max(p.low, 0.0);
}

}  // namespace

void Identifying::tell_parameters() {
  const double scale = scale_deviation();
  if (scale > 0)
    out_.notes.push_back(
        "these logs tell gains and masses but for a common factor: it is that of the file's "
        "bodies, and all are wrong together where the file is (intervals count " +
        short_number(std::round(100 * scale)) +
        " %); a payload that was weighed, in one of the logs and not in another, would tell");
  const BaseParameters& base = out_.base;
  const Array<double> value = base.values(out_.x), before = base.values(before_);
  const double torque =
      mean_torque(problem_.motors.unknown_gain ? with_gains(train_, out_.x) : train_);
  const int K = base.size(), N = problem_.n_unknowns();
  const bool consistent = out_.estimator == Estimator::consistent;
  // With all that intervals count beside the deviation.
  const auto narrow = [&](const IdentifiedParameter& p, int c) {
    return 0.5 * (p.high - p.low) * size_[c] <= torque;
  };
  for (int k = 0; k < K; ++k) {
    const int c = base.kept[k];
    IdentifiedParameter p{.name = problem_.names[c], .formula = base.formula(k), .unit = {}};
    p.unit = c < problem_.n_columns() ? problem_.columns.unit(c) : problem_.motors.gain_unit;
    p.value = value[k];
    p.before = before[k];
    double variance = 0;  // of the kept columns that it is a sum of
    for (int a = 0; a < K; ++a)
      for (int b = 0; b < K; ++b)
        variance +=
            base.regrouping(k, base.kept[a]) * base.regrouping(k, base.kept[b]) * covariance(a, b);
    p.classical_sigma = std::sqrt(variance);
    const In<double> sum{base.regrouping.data() + k * N, N};
    Believed of{.interval = interval_of(p.value, p.classical_sigma, sum)};
    of.deviation = of.interval.sigma;
    if (consistent) of = believed(of.interval, sum);
    p.sigma = of.interval.sigma, p.low = of.interval.low, p.high = of.interval.high;
    p.determined =
        kept_at_[k] >= 0 && of.deviation * size_[c] <= 0.2 * torque && of.left < most_left;
    if (p.name.ends_with(".load")) p.determined = kept_at_[k] >= 0 && p.sigma <= 0.2;
    if (c >= problem_.n_columns())
      p.determined = kept_at_[k] >= 0 && p.sigma < 0.3 * std::abs(p.value);
    if (stands_for_others(k)) p.determined = false;
    count_scale(p, scale);
    if (!between_shapes_.empty()) count_shape(p, between_shapes_[k]);
    p.determined = p.determined && narrow(p, c);
    out_.parameters.push_back(p);
  }
  if (!consistent) return;
  for (int c = 0; c < problem_.n_columns(); ++c) {
    IdentifiedParameter p{
        .name = problem_.names[c], .formula = problem_.names[c], .unit = problem_.columns.unit(c)};
    p.value = out_.x[c];
    p.before = before_[c];
    Array<double> unit(N, 0.0);
    unit[c] = 1;
    const Believed of = believed(interval_of(p.value, 0, unit), unit);
    p.sigma = of.interval.sigma, p.low = of.interval.low, p.high = of.interval.high;
    p.determined = base.roles[c] == ParameterRole::alone &&
                   of.deviation * size_[c] <= 0.2 * torque && of.left < most_left;
    count_scale(p, scale);
    p.determined = p.determined && narrow(p, c);
    out_.links.push_back(p);
  }
}

/// What torques along other motions have to expect, from what the logs and the robot's file say.
std::optional<TorquePrediction> Identifying::prediction() {
  const bool short_log = train_.n_blocks() < 8;
  if (short_log) {
    out_.notes.emplace_back(
        "the logs are too short to tell what another motion will show: intervals "
        "of torques are those of the residual alone");
    if (out_.estimator != Estimator::consistent) return {};
  }
  if (problem_.n_columns() == 0) return {};         // gains alone
  const bool gains = problem_.motors.unknown_gain;  // then they are as they were found
  const CompressedLog with_torques = gains ? with_gains(train_, out_.x) : CompressedLog{};
  const CompressedLog& log = gains ? with_torques : train_;
  const Estimate all = least_squares(log);
  Array<double> prior = prior_.empty() ? before_ : prior_;
  width_ = prior_width(log, prior);
  const Array<double> size = usual_sizes(problem_, mean_torque(log));
  for (int k = 0; k < width_.size(); ++k)
    if (!(width_[k] > 0)) width_[k] = std::max(size[k], 1e-9);
  for (int k = problem_.n_columns(); k < width_.size(); ++k)
    prior[k] = out_.x[k], width_[k] = 1e-6 * std::max(std::abs(prior[k]), 1e-9);
  LeftOutMotion other{.noise = all.noise, .inflation = std::sqrt(memory_)};
  if (!short_log) other = leave_motion_out(log, all);
  other.inflation = std::max(other.inflation, std::sqrt(memory_));
  TorquePrediction predicted(log, all, other, prior, width_);
  predicted.set_mean(out_.x);
  return predicted;
}

/// Residuals of every log and the intervals that are predicted for it.
void Identifying::judge() {
  out_.validated = rest_.n_blocks() > 0;
  LogSums fitted(problem_.n_rows()), validated(problem_.n_rows());
  for (const LogInWork& own : logs_)
    for (const bool later : {false, true}) (later ? validated : fitted).add(judge(own, later));
  out_.train = fitted.residual();
  out_.validation = validated.residual();
  out_.covered = validated.covered();
}

LogSums Identifying::judge(const LogInWork& own, bool later) {
  const bool told = predicted_ && train_.n_blocks() >= 8;
  const int n = problem_.n_rows(), N = problem_.n_unknowns();
  LogSums sums(n);
  TorqueSeries series{.log = own.log().name};
  series.validation = later;
  Array<double> measured, model, half, q, mean(n), width(n);
  int rows = 0;
  for (int c = 0; c < own.rows.n_chunks(); ++c) rows += own.rows.n_rows(c);
  const int every = 1 + rows / drawn_rows;
  for (int c = 0, seen = 0; c < own.rows.n_chunks(); ++c) {
    const ChunkRows chunk = own.rows.rows_of(c);
    for (int s = 0; s < chunk.sample.size(); ++s) {
      if ((chunk.block[s] >= own.split) != later) continue;
      const double* const at = chunk.rows.data() + s * n * (N + 1);
      if (told) predicted_->predict({at, n, N, N + 1, 1}, mean, width);
      for (int j = 0; !told && j < n; ++j) {
        mean[j] = at[j * (N + 1) + N] - chunk.residual(s * n + j, out_.x);
        width[j] = 1.96 * out_.noise[j];
      }
      const bool drawn = seen++ % every == 0;
      if (drawn) {
        const int sample = chunk.sample[s];
        series.t.push_back(own.log().t[sample]);
        for (int k = 0; k < own.log().q.cols(); ++k) q.push_back(own.log().q(sample, k));
      }
      for (int j = 0; j < n; ++j) {
        // Measured: what the row explains, what is known beside it, and drives with their gains.
        const double* const row = at + j * (N + 1);
        const double error = row[N] - mean[j];
        double also = chunk.known[s * n + j];
        for (int k = problem_.n_columns(); k < N; ++k) also -= row[k] * out_.x[k];
        const double tau = row[N] + also;
        if (drawn) measured.push_back(tau), model.push_back(tau - error), half.push_back(width[j]);
        if (!own.rows.used(chunk.sample[s], j)) continue;
        sums.off[j] += error * error, sums.size[j] += tau * tau;
        ++sums.count, sums.within += std::abs(error) <= width[j];
      }
    }
  }
  if (sums.count == 0) return sums;
  series.q = Matrix(series.t.size(), own.log().q.cols(), std::move(q));
  series.measured = Matrix(series.t.size(), n, std::move(measured));
  series.predicted = Matrix(series.t.size(), n, std::move(model));
  series.half_width = Matrix(series.t.size(), n, std::move(half));
  LogResidual log{.log = own.log().name};
  log.validation = later;
  log.covered = sums.covered();
  log.residual = sums.residual();
  out_.logs.push_back(log);
  out_.series.push_back(std::move(series));
  return sums;
}

}  // namespace torsor::internal
