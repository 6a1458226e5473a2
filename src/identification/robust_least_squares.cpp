#include <algorithm>
#include <cmath>

#include "factor_algebra.hpp"
#include "joint_weights.hpp"
#include "torsor/math/error.hpp"

namespace torsor {

using namespace internal;

namespace {

constexpr int most_rounds = 50;
constexpr double settled = 1e-6;

/// Weight of a squared residual; u: residual over spread.
double weight_of(RobustLoss loss, double u) {
  if (loss == RobustLoss::huber) return u <= 1.345 ? 1 : 1.345 / u;
  const double part = u / 4.685;
  return part < 1 ? (1 - part * part) * (1 - part * part) : 0;
}

/// Median of positive numbers in constant memory: counts in 64 bins for each power of two.
class LogMedian {
 public:
  void add(double x) {
    int exponent = 0;
    const double mantissa = std::frexp(x, &exponent);  // 1/2 to 1
    ++total_;
    if (x > 0)
      ++counts_[std::clamp((exponent + 512) * 64 + static_cast<int>((mantissa - 0.5) * 128), 0,
                           counts_.size() - 1)];
    else
      ++zeros_;
  }
  double value() const {
    long long below = zeros_;
    if (2 * below >= total_) return 0;
    for (int k = 0; k < counts_.size(); ++k)
      if (2 * (below += counts_[k]) >= total_)
        return std::ldexp(0.5 + (k % 64 + 0.5) / 128, k / 64 - 512);
    return 0;
  }

 private:
  long long total_ = 0, zeros_ = 0;
  Array<long long> counts_ = Array<long long>(1024 * 64, 0);
};

double change_of(In<double> a, In<double> b) {
  double difference = 0, size = 0;
  for (int k = 0; k < a.size; ++k) difference += (a[k] - b[k]) * (a[k] - b[k]), size += a[k] * a[k];
  return size > 0 ? std::sqrt(difference / size) : 0;
}

std::string word(RobustLoss loss) { return loss == RobustLoss::huber ? "Huber" : "Tukey"; }

double median(Array<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + values.size() / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

Estimate robust_least_squares(const std::vector<std::string>& names,
                              const std::vector<std::string>& joints, const RowSource& rows,
                              RobustLoss loss, const LeastSquaresOptions& options) {
  const int N = static_cast<int>(names.size()), n_joints = static_cast<int>(joints.size());
  const auto residual_at = [&](In<double> x, In<double> row) {
    double sum = row[N];
    for (int c = 0; c < N; ++c) sum -= row[c] * x[c];
    return std::abs(sum);
  };
  const Array<RowFactor> none(n_joints, RowFactor(N + 1));
  Array<RowFactor> factors = none;
  rows([&](int joint, In<double> row) { factors[joint].add(row); });
  const auto fitted = [&](Array<RowFactor> of) {
    JointFit fit(std::move(of), names, joints, options);
    fit.iterate();
    fit.finish();
    return std::move(fit.estimate);
  };
  // Redescending losses need a start near by: Huber's first.
  const Array<RowFactor> unweighted = factors;
  Estimate estimate = fitted(factors);
  int round = 1;
  double down = 0, total = 0;
  for (RobustLoss now = RobustLoss::huber; round < most_rounds; ++round) {
    Array<LogMedian> medians(n_joints);
    rows([&](int joint, In<double> row) { medians[joint].add(residual_at(estimate.x, row)); });
    Array<double> spread;
    for (const LogMedian& median_of : medians) spread.push_back(1.4826 * median_of.value());
    factors = none;
    down = total = 0;
    Array<double> scaled(N + 1);
    rows([&](int joint, In<double> row) {
      const double r = residual_at(estimate.x, row);
      const double weight = spread[joint] > 0 ? weight_of(now, r / spread[joint]) : 1;
      for (int c = 0; c <= N; ++c) scaled[c] = std::sqrt(weight) * row[c];
      factors[joint].add(scaled);
      down += weight < 0.5, ++total;
    });
    Estimate next = fitted(factors);
    const double change = change_of(next.x, estimate.x);
    estimate = std::move(next);
    if (change < settled) {
      if (now == loss) break;
      now = loss;
    }
  }
  estimate.residual = residual_of(unweighted, estimate.x);
  estimate.method = "iteratively reweighted least squares (" + word(loss) + "), " +
                    std::to_string(round) + " rounds";
  if (round == most_rounds) estimate.notes.emplace_back("weights did not settle");
  estimate.notes.push_back(std::to_string(static_cast<long long>(down)) + " of " +
                           std::to_string(static_cast<long long>(total)) +
                           " rows count less than half");
  return estimate;
}

Estimate robust_least_squares(const CompressedLog& log, RobustLoss loss,
                              const LeastSquaresOptions& options) {
  check_log(log);
  const int n_joints = log.n_joints(), n_blocks = log.n_blocks();
  Array<double> weights(n_blocks * n_joints, 1.0);
  const auto fitted = [&] {
    Array<RowFactor> joints;
    for (int j = 0; j < n_joints; ++j) {
      RowFactor sum(log.n_unknowns() + 1);
      for (int b = 0; b < n_blocks; ++b)
        if (weights[b * n_joints + j] > 0)
          sum.add(log.factor(b, j), std::sqrt(weights[b * n_joints + j]));
      joints.push_back(std::move(sum));
    }
    JointFit fit(std::move(joints), log.names, log.joints, options);
    fit.iterate();
    fit.finish();
    return std::move(fit.estimate);
  };
  Estimate estimate = fitted();
  int round = 1;
  for (RobustLoss now = RobustLoss::huber; round < most_rounds; ++round) {
    for (int j = 0; j < n_joints; ++j) {
      Array<double> rms(n_blocks, 0.0), seen;
      for (int b = 0; b < n_blocks; ++b)
        if (const auto rows = static_cast<double>(log.factor(b, j).rows()); rows > 0)
          seen.push_back(rms[b] =
                             std::sqrt(squared_residual(log.factor(b, j).R(), estimate.x) / rows));
      const double usual = median(seen);
      for (int b = 0; b < n_blocks; ++b)
        weights[b * n_joints + j] = usual > 0 ? weight_of(now, rms[b] / usual) : 1;
    }
    Estimate next = fitted();
    const double change = change_of(next.x, estimate.x);
    estimate = std::move(next);
    if (change < settled) {
      if (now == loss) break;
      now = loss;
    }
  }
  estimate.residual = residual(log, estimate.x);
  estimate.method = "least squares with blocks reweighted (" + word(loss) + "), " +
                    std::to_string(round) + " rounds";
  if (round == most_rounds) estimate.notes.emplace_back("weights did not settle");
  for (int b = 0; b < n_blocks; ++b)
    for (int j = 0; j < n_joints; ++j)
      if (weights[b * n_joints + j] < 0.5)
        estimate.notes.push_back("joint " + log.joints[static_cast<std::size_t>(j)] + ", block " +
                                 std::to_string(b + 1) + " counts less than half");
  return estimate;
}

}  // namespace torsor
