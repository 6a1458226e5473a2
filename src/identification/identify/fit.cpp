/// Estimates and their spread.
#include <algorithm>
#include <cmath>
#include <random>

#include "factor_algebra.hpp"
#include "identifying.hpp"
#include "torsor/identification/joint_by_joint.hpp"
#include "torsor/identification/residual_tests.hpp"
#include "torsor/model/text.hpp"

namespace torsor::internal {
namespace {

/// Whether the model has masses that a fit can stay near, and all ten of every body are unknown.
bool has_masses(const RowProblem& problem) {
  double mass = 0;
  for (int i = 1; i < problem.model.n_bodies(); ++i) {
    for (const char* word : {".m", ".mx", ".xx", ".zz"})
      if (problem.columns.find(problem.model.body_name(i) + word) < 0) return false;
    mass += problem.model.body(i).inertia.m;
  }
  return mass > 0;
}

/// Parts of one log repeat its motion and cannot tell how a fit does on others. Of all weights that
/// predict them about as well as the best (5 %), the largest, which stays nearest to the robot's file.
double nearest_to_prior(const GammaChoice& choice) {
  const double least = *std::min_element(choice.errors.begin(), choice.errors.end());
  for (int k = 0; k < choice.gammas.size(); ++k)
    if (choice.errors[k] <= 1.05 * least) return choice.gammas[k];
  return choice.gamma;
}

}  // namespace

/// The balance of energy of the logs that are fitted, block by block.
CompressedLog Identifying::power_rows() const {
  for (const LogInWork& own : logs_)
    if (own.signals.filter.cutoff <= 0)
      throw Error("identify: the balance of energy needs a low-pass");
  if (problem_.known_part || problem_.n_unknowns() > problem_.n_columns() ||
      problem_.known_mass >= 0)
    throw Error(
        "identify: the balance of energy has no place for known parts, known loads, friction of "
        "the load and gains of drives; choose another estimator");
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
    each_row({}, [&](int, int joint, In<double> row) { take(joint, row); });
  };
}

/// The last joint that a kept column acts on: the one whose link, friction or rotor it is of.
Array<int> Identifying::joint_of_kept() const {
  Array<int> joint;
  for (const int f : fitted_) {
    const int c = base_.kept[f];
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
    case Estimator::automatic:
    case Estimator::weighted:
    case Estimator::consistent:
      return problem_.motors.unknown_gain ? gain_fit(log) : least_squares(log, how);
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

/// Rows linearised at their own estimate: Newton's method, whose steps shrink quadratically.
void Identifying::settle_load() {
  constexpr int most = 12;
  Array<double> last;
  for (int pass = 0; pass < most; ++pass) {
    const Array<double> x = expanded(least_squares_fit(reduced_).x);
    double step = 0;
    for (int k = 0; k < last.size(); ++k)
      step = std::max(step, std::abs(x[k] - last[k]) / (std::abs(x[k]) + 1e-3));
    if (!last.empty() && step < 1e-10) return;
    linearise_load(last = x);
  }
  out_.notes.emplace_back(
      "friction of the load has not settled: look at its share, and at the logs");
}

void Identifying::fit() {
  if (simulates(options_.estimator)) check_simulated();
  estimate_ = least_squares_fit(reduced_);
  if (simulates(options_.estimator)) fit_simulated();
  out_.estimator = options_.estimator;
  out_.base = seen_at_joints(problem_, base_);
  kept_at_.assign(base_.size(), -1);
  for (int k = 0; k < estimate_.base.size(); ++k) kept_at_[fitted_[estimate_.base.kept[k]]] = k;
  out_.names = problem_.names;
  out_.joints = train_.joints;
  out_.method = estimate_.method + how_found_;
  out_.condition = estimate_.condition;
  out_.rows = estimate_.rows;
  out_.x = expanded(estimate_.x);
  weights_.assign(reduced_.n_joints(), 1.0);
  if (options_.estimator != Estimator::ordinary && options_.estimator != Estimator::power)
    for (int j = 0; j < weights_.size(); ++j)
      weights_[j] = 1 / std::max(estimate_.noise[j], 1e-300);
  out_.notes.insert(out_.notes.end(), estimate_.notes.begin(), estimate_.notes.end());
  out_.noise.assign(problem_.n_rows(), 0.0);
  memory_ = memory();
  if (options_.estimator == Estimator::instrumental) test_bias();
  for (const int k : essential_parameters(estimate_, std::sqrt(memory_)).left_out)
    out_.not_essential.push_back(reduced_.names[static_cast<std::size_t>(k)]);
  const bool alone = problem_.n_unknowns() == problem_.n_columns() && options_.payloads.empty();
  if (options_.estimator == Estimator::consistent ||
      (options_.estimator == Estimator::automatic && alone && has_masses(problem_)))
    fit_consistent();
  else if (options_.estimator == Estimator::automatic)
    out_.estimator = Estimator::weighted;
  if (problem_.motors.unknown_gain && out_.estimator != Estimator::weighted &&
      out_.estimator != Estimator::consistent)
    out_.notes.emplace_back(
        "noise of the currents makes gains too small where they are columns of this estimator: "
        "--estimator weighted is free of that");
  tell(0.65);
}

/// The rows that noise with memory is worth one of, in the mean over the joints; says where it has one.
double Identifying::memory() {
  const int n = problem_.n_rows();
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
      residual[j].resize(std::min(residual[j].size(), 4000));  // the sums grow with the square
      const Whiteness of = whiteness(residual[j]);
      rows[j] += of.rows_per_independent * residual[j].size();
      weight[j] += residual[j].size();
      const std::string name = problem_.model.dof_name(problem_.torques[j]);
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

/// What bodies are kept near: those of the file. Of loads and gains the file knows nothing, and plain least
/// squares say about where they are: a load of that mass at the frame that carries it, the gains themselves.
/// A mass that was weighed is held there.
/// Gains that least squares find with the noise where it is, at the currents, are those of the bodies, too.
Array<double> Identifying::consistent_prior() {
  Array<double> prior = before_;
  for (int k = problem_.n_columns(); k < problem_.n_unknowns(); ++k) prior[k] = out_.x[k];
  for (const std::string& load : problem_.loads) {
    const int m = problem_.columns.find(load + ".m");
    const double mass = m == problem_.known_mass ? problem_.mass : out_.x[m];
    if (m == problem_.known_mass) {
      how_.links.push_back({.link = load,
                            .least_mass = (1 - 1e-6) * problem_.mass,
                            .largest_mass = (1 + 1e-6) * problem_.mass});
      if (how_.total_mass > 0) how_.total_mass += problem_.mass;
    } else if (how_.total_mass > 0) {
      throw Error("identify: --mass is of the robot: with a load of unknown mass it says nothing");
    }
    if (!(mass > 0)) continue;
    prior[m] = mass;
    for (const char* word : {".xx", ".yy", ".zz"})  // a ball of 10 cm
      prior[problem_.columns.find(load + word)] = 0.4 * mass * 0.01;
  }
  return prior;
}

void Identifying::fit_consistent() {
  out_.estimator = Estimator::consistent;
  for (double& w : weights_) w /= std::sqrt(memory_);
  how_ = options_.consistency;
  prior_ = consistent_prior();
  const CompressedLog log = problem_.motors.unknown_gain ? with_gains(train_, out_.x) : train_;
  if (how_.gamma == 0) {
    how_.gamma = 1;  // of none: the choice looks at many
    how_.gamma = nearest_to_prior(choose_gamma(log, weights_, prior_, how_));
  }
  out_.certificate = consistent_estimate(stacked(log, weights_), log.names, prior_, how_);
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
  out_.consistent = out_.certificate.converged;
  out_.mass = out_.certificate.mass;
  for (const std::string& load : problem_.loads)
    out_.mass -= out_.x[problem_.columns.find(load + ".m")];
  out_.notes.insert(out_.notes.end(), out_.certificate.notes.begin(), out_.certificate.notes.end());
}

/// x of a resampled log.
Array<double> Identifying::refit(In<int> times) const {
  if (out_.estimator == Estimator::consistent) {
    if (!problem_.motors.unknown_gain)
      return consistent_estimate(stacked(train_, weights_, times), train_.names, prior_, how_).x;
    const Array<double> x = expanded(gain_fit(reduced_, times, estimate_.x).x);
    Array<double> prior = prior_;
    for (int k = problem_.n_columns(); k < prior.size(); ++k) prior[k] = x[k];
    return consistent_estimate(with_gains(stacked(train_, weights_, times), x), train_.names, prior,
                               how_)
        .x;
  }
  // Columns that the logs determine; the others stay as the estimate has them.
  Array<double> b = estimate_.x;
  Array<int> columns = estimate_.base.kept;
  const int n = columns.size();
  if (out_.estimator == Estimator::instrumental) {
    const Array<double> x = solve_moments(times);
    for (int k = 0; k < n; ++k) b[columns[k]] = x[k];
    return expanded(b);
  }
  if (problem_.motors.unknown_gain && out_.estimator == Estimator::weighted)
    return expanded(gain_fit(reduced_, times, estimate_.x).x);
  columns.push_back(reduced_.n_unknowns());
  const Array<double> x = solution(selected(stacked(reduced_, weights_, times).R(), columns), n);
  for (int k = 0; k < n; ++k) b[columns[k]] = x[k];
  return expanded(b);
}

/// The spread of what the fit leaves, joint by joint: what a prediction has to expect.
void Identifying::measure_noise() {
  const int n = problem_.n_rows();
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
  const PieceWork draw = [&](int d, int) {
    std::mt19937_64 random(options_.seed + static_cast<std::uint64_t>(d) * 0x9E3779B97F4A7C15u);
    std::uniform_int_distribution<int> block(0, blocks - 1);
    Array<int> times(blocks, 0);
    for (int k = 0; k < blocks; ++k) ++times[block(random)];
    return refit(times);
  };
  Array<Array<double>> drawn = pieces(options_.bootstrap, 0.65, 0.25, draw, &out_.stopped);
  const auto end =
      std::remove_if(drawn.begin(), drawn.end(), [](const Array<double>& x) { return x.empty(); });
  if (end != drawn.end()) {    // stopped before they were all drawn
    constexpr int least = 20;  // fewer say little of an interval
    drawn.resize(static_cast<int>(end - drawn.begin()));
    const bool enough = drawn.size() >= least;
    out_.notes.push_back("stopped after " + std::to_string(drawn.size()) + " of " +
                         std::to_string(options_.bootstrap) +
                         " draws of the bootstrap: intervals are " +
                         (enough ? "of these" : "classical"));
    if (!enough) return;
  }
  out_.bootstrapped = true;
  draws_ = Matrix(drawn.size(), N);
  for (int d = 0; d < draws_.rows(); ++d)
    for (int k = 0; k < N; ++k) draws_(d, k) = drawn[d][k];
}

}  // namespace torsor::internal
