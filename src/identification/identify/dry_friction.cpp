/// Whether another shape of dry friction would explain the logs better: what the fit leaves where joints move
/// clearly, beside fits of those rows alone with an exact sign or others of its widths.
#include <algorithm>
#include <cmath>

#include "factor_algebra.hpp"
#include "identifying.hpp"
#include "torsor/math/internal/parallel.hpp"
#include "torsor/model/text.hpp"

namespace torsor::internal {
namespace {

constexpr double clearly = 0.05;  // rad/s or m/s
/// That much less has to be left.
constexpr double worth_telling = 0.85;
constexpr int most_chunks = 8;

std::string percent(double x) { return short_number(std::round(100 * x) / 100); }

/// The same robot with signs of that width in all friction.
Model<double> with_width(const Model<double>& model, double width) {
  RobotDescription robot = model.description();
  for (Joint& joint : robot.joints)
    for (Friction& friction : joint.friction) friction.width = width;
  for (Motor& motor : robot.motors) {
    double largest = 0;
    for (const Coupling::Term& term : motor.ratios)
      largest = std::max(largest, std::abs(term.factor));
    motor.friction.width = width * largest;
  }
  return Model<double>(std::move(robot));
}

}  // namespace

/// Rows of joints that are not slower, fitted columns; a part of long logs.
CompressedLog Identifying::rows_with(const RowProblem& problem, double slowest) const {
  struct Part {
    const LogInWork* own;
    LogRows rows;
    int chunk;
  };
  Array<Part> parts;
  for (const LogInWork& own : logs_) {
    if (own.split == 0) continue;
    const LogRows rows(problem, own.log(), own.signals, row_options(own.log(), own.signals),
                       own.index);
    for (int c = 0; c < rows.n_chunks(); ++c) parts.push_back({&own, rows, c});
  }
  const int K = fitted_.size(), n = problem.n_rows();
  const int every = 1 + (parts.size() - 1) / most_chunks, used = (parts.size() + every - 1) / every;
  Array<CompressedLog> found(used);
  parallel_for(used, {.threads = options_.threads}, [&](int index, int) {
    const Part& part = parts[index * every];
    CompressedLog& to = found[index];
    to.names = reduced_.names, to.joints = train_.joints;
    to.add_block(0);
    const ChunkRows chunk = part.rows.rows_of(part.chunk);
    Array<double> row(K + 1);
    for (int s = 0; s < chunk.sample.size() && chunk.block[s] < part.own->split; ++s)
      for (int j = 0; j < n; ++j) {
        const int sample = chunk.sample[s];
        const double speed = std::abs(part.own->signals.qd(sample, problem.torques[j]));
        if (speed < slowest || !part.own->rows.used(sample, j)) continue;
        const In<double> all = chunk.row(s * n + j);
        for (int k = 0; k < K; ++k) row[k] = all[base_.kept[fitted_[k]]];
        row[K] = all[all.size - 1];
        to.factor(0, j).add(row);
      }
  });
  CompressedLog all;
  all.names = reduced_.names, all.joints = train_.joints;
  all.add_block(0);
  for (const CompressedLog& one : found)
    for (int j = 0; j < n; ++j) all.factor(0, j).add(one.factor(0, j));
  return all;
}

/// Whether rows as they were measured have dry friction in them.
bool Identifying::has_dry_rows() const {
  const bool rows_as_measured = !simulates(options_.estimator) &&
                                options_.estimator != Estimator::power &&
                                options_.estimator != Estimator::output_error;
  const bool dry = std::any_of(reduced_.names.begin(), reduced_.names.end(),
                               [](auto& name) { return name.ends_with(".coulomb"); });
  return rows_as_measured && dry && !problem_.loaded &&
         problem_.n_unknowns() == problem_.n_columns();
}

/// A width that neither the file nor anybody gave is a guess: what an exact sign would make of the same rows.
void Identifying::compare_shapes() {
  if (!problem_.sharp || !has_dry_rows()) return;
  RowProblem other = problem_;
  other.model = *problem_.sharp;
  Array<double> weight;
  for (const double noise : estimate_.noise) weight.push_back(1 / std::max(noise, 1e-300));
  const Estimate smooth = least_squares(rows_with(problem_, 0), {.weights = weight}),
                 sharp = least_squares(rows_with(other, 0), {.weights = weight});
  if (smooth.base.kept != estimate_.base.kept || sharp.base.kept != estimate_.base.kept) {
    out_.notes.push_back(
        "dry friction: with an exact sign other parameters are determined; intervals do not count "
        "how "
        "far it would take these");
    return;
  }
  const Array<double> a = out_.base.values(expanded(smooth.x)),
                      b = out_.base.values(expanded(sharp.x));
  for (int k = 0; k < a.size(); ++k) between_shapes_.push_back(std::abs(a[k] - b[k]));
}

void Identifying::look_at_dry_friction() {
  if (!has_dry_rows()) return;
  const CompressedLog now = rows_with(problem_, clearly);
  Array<double> weight;
  for (int j = 0; j < now.n_joints(); ++j) {
    if (now.factor(0, j).rows() < 10 + reduced_.n_unknowns()) return;  // of every joint
    weight.push_back(1 / std::max(estimate_.noise[j], 1e-300));
  }
  const auto left = [&](const CompressedLog& log, In<double> x) {
    double sum = 0;
    for (int j = 0; j < log.n_joints(); ++j)
      sum += squared_residual(log.factor(0, j).R(), x) * weight[j] * weight[j];
    return std::sqrt(sum);
  };
  const double as_it_is = left(now, estimate_.x);
  double best = worth_telling * as_it_is, best_width = 0, per_cent = 0;
  for (const double width : {0.0, 0.02, 0.1}) {
    RowProblem other = problem_;
    other.model = with_width(problem_.model, width);
    const CompressedLog log = rows_with(other, clearly);
    const Estimate fit = least_squares(log, {.weights = weight});
    if (const double then = left(log, fit.x); then < best)
      best = then, best_width = width, per_cent = fit.residual.all;
    tell(0.9);
    if (out_.stopped) return;
  }
  const double before = residual(now, estimate_.x).all;
  if (per_cent == 0 || per_cent > before || before < 0.3) return;
  out_.notes.push_back(
      "dry friction: of joints faster than " + short_number(clearly) + " rad/s the fit leaves " +
      percent(before) + " % of the torque; with --width " + short_number(best_width) +
      (options_.least_speed < clearly ? " --least-speed " + short_number(clearly) : std::string()) +
      " it would be " + percent(per_cent) + " %");
}

}  // namespace torsor::internal
