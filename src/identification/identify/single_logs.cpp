/// Logs fitted one by one: what two of them know, and do not agree on. Intervals count what differs between the
/// blocks of a log; what the model lacks is put elsewhere by another motion, and only another log shows it.
#include <algorithm>
#include <cmath>

#include "factor_algebra.hpp"
#include "identifying.hpp"
#include "torsor/model/text.hpp"

namespace torsor::internal {
namespace {

std::string three_digits(double x) {
  if (x == 0) return "0";
  const double unit = std::pow(10, std::floor(std::log10(std::abs(x))) - 2);
  return short_number(std::round(x / unit) * unit);
}

/// Least squares of one log, and its bootstrap.
struct Single {
  Estimate estimate{};
  Array<double> sigma{};

  /// Known to 30 %, and no sum with others that the log does not tell apart.
  bool knows(int c) const {
    return estimate.base.roles[c] == ParameterRole::alone &&
           sigma[c] < 0.3 * std::abs(estimate.x[c]);
  }
  std::string number(int c) const {
    return three_digits(estimate.x[c]) + " +- " + three_digits(1.96 * sigma[c]);
  }
};

struct Difference {
  double size = 0;  // of the deviation of a difference
  int column = 0;
  const Single *a = nullptr, *b = nullptr;
};

}  // namespace

/// Blocks of one log, with the fitted columns.
CompressedLog Identifying::single_log(const CompressedLog& blocks, int log) const {
  CompressedLog own;
  own.names = blocks.names, own.joints = blocks.joints;
  for (int b = 0; b < blocks.n_blocks(); ++b) {
    if (blocks.log_of_block[b] != log) continue;
    own.add_block(log);
    for (int j = 0; j < own.n_joints(); ++j)
      own.factor(own.n_blocks() - 1, j) = blocks.factor(b, j);
  }
  Array<int> columns;
  for (const int k : fitted_) columns.push_back(base_.kept[k]);
  return selected(own, columns);
}

void Identifying::look_at_single_logs() {
  constexpr double apart = 1.96, usual = 0.2;
  constexpr int fewest = 5, told = 6;
  if (options_.bootstrap == 0 || logs_.size() < 2 || problem_.motors.unknown_gain ||
      options_.estimator == Estimator::power || simulates(options_.estimator))
    return;
  std::vector<Single> singles;
  for (int l = 0; const LogInWork& own : logs_) {
    const CompressedLog log = single_log(own.validation ? rest_ : train_, l++);
    try {
      Single single{.estimate = least_squares(log)};
      single.sigma = block_bootstrap(log, single.estimate, {.samples = options_.bootstrap}).sigma;
      singles.push_back(std::move(single));
    } catch (const Error&) {  // too short, or too little moves: nothing to compare
    }
  }
  int known = 0;
  std::vector<Difference> differences;
  for (std::size_t a = 0; a < singles.size(); ++a)
    for (std::size_t b = a + 1; b < singles.size(); ++b)
      for (int c = 0; c < reduced_.n_unknowns(); ++c) {
        const Single &one = singles[a], &other = singles[b];
        if (!one.knows(c) || !other.knows(c)) continue;
        ++known;
        const double size = std::abs(one.estimate.x[c] - other.estimate.x[c]) /
                            std::hypot(one.sigma[c], other.sigma[c]);
        if (size >= apart) differences.push_back({size, c, &one, &other});
      }
  const int count = static_cast<int>(differences.size());
  if (known < fewest || count <= usual * known) return;
  std::sort(differences.begin(), differences.end(),
            [](const Difference& a, const Difference& b) { return a.size > b.size; });
  std::string names;
  for (int k = 0; k < std::min(count, told); ++k) {
    const Difference& d = differences[static_cast<std::size_t>(k)];
    names += (k == 0 ? "" : ", ") + reduced_.names[static_cast<std::size_t>(d.column)] + " (" +
             d.a->number(d.column) + ", " + d.b->number(d.column) + ")";
  }
  out_.notes.push_back(
      "fitted one by one, by least squares, the logs agree in " + std::to_string(known - count) +
      " of " + std::to_string(known) + " numbers that they know to 30 %; they differ in " + names +
      (count > told ? " and " + std::to_string(count - told) + " more" : "") +
      ": the model lacks something that these motions show differently, and intervals do not "
      "count it");
}

}  // namespace torsor::internal
