/// What is wrong with logs and cannot be repaired: stretches where the robot was touched, torques of the other
/// sign. Both are seen by what least squares leave, and told.
#include <algorithm>
#include <cmath>

#include "factor_algebra.hpp"
#include "identifying.hpp"
#include "torsor/model/text.hpp"

namespace torsor::internal {
namespace {

/// Mean squares of what a fit leaves, block by block, relative to what it usually leaves.
struct LeftInBlocks {
  Array<double> far{};    ///< largest over the joints
  Array<double> share{};  ///< of that joint's torque, as a mean square
};

LeftInBlocks left_in_blocks(const CompressedLog& log, In<double> x) {
  const int blocks = log.n_blocks(), N = log.n_unknowns();
  LeftInBlocks out{Array<double>(blocks, 0.0), Array<double>(blocks, 0.0)};
  for (int j = 0; j < log.n_joints(); ++j) {
    Array<double> left(blocks, -1.0), those;
    double torque = 0, rows = 0;
    for (int b = 0; b < blocks; ++b) {
      const RowFactor& factor = log.factor(b, j);
      const auto n = static_cast<double>(factor.rows());
      if (n == 0) continue;
      left[b] = squared_residual(factor.R(), x) / n;
      those.push_back(left[b]);
      torque += std::pow(column_length(factor.R(), N), 2), rows += n;
    }
    if (those.empty() || torque == 0) continue;
    std::nth_element(those.begin(), those.begin() + those.size() / 2, those.end());
    const double usual = those[those.size() / 2];
    for (int b = 0; b < blocks; ++b) {
      const double far = usual > 0 ? left[b] / usual : 0;
      if (left[b] < 0 || far < out.far[b]) continue;
      out.far[b] = far, out.share[b] = left[b] * rows / torque;
    }
  }
  return out;
}

std::string seconds(double t) { return short_number(std::round(100 * t) / 100); }

}  // namespace

void Identifying::look_at_disturbances() {
  constexpr double far = 64,
                   much = 0.03;  // of mean squares; measured logs of four arms have 45 at most
  constexpr int least_blocks = 10;
  const int blocks = reduced_.n_blocks();
  if (blocks < least_blocks || options_.estimator == Estimator::robust ||
      options_.estimator == Estimator::power || simulates(options_.estimator))
    return;
  const LeftInBlocks left = left_in_blocks(reduced_, estimate_.x);
  const auto disturbed = [&](int b) { return left.far[b] > far && left.share[b] > much; };
  int all = 0;
  for (int b = 0; b < blocks; ++b) all += disturbed(b);
  if (all == 0 || 5 * all > blocks) return;  // what is usual cannot be seen then
  std::string where;
  double farthest = 0;
  int first_of_log = 0;
  for (const LogInWork& own : logs_) {
    for (int b = 0; b < own.split; ++b) {
      if (!disturbed(first_of_log + b)) continue;
      int last = b;
      while (last + 1 < own.split && disturbed(first_of_log + last + 1)) ++last;
      for (int k = b; k <= last; ++k) farthest = std::max(farthest, left.far[first_of_log + k]);
      const MotionLog& log = own.log();
      const int from = own.rows.block(b).first, to = own.rows.block(last).end - 1;
      where += (where.empty() ? "" : ", ") + log.name + " rows " + std::to_string(log.rows[from]) +
               " to " + std::to_string(log.rows[to]) + " (" + seconds(log.t[from]) + " to " +
               seconds(log.t[to]) + " s)";
      b = last;
    }
    first_of_log += own.split;
  }
  out_.notes.push_back(
      "was the robot touched, or its load another? " + where +
      ": what the fit leaves there is up to " + short_number(std::round(std::sqrt(farthest))) +
      " times what it usually leaves; --estimator robust counts such rows less, rows: {from, to} "
      "of the map leaves them out");
}

namespace {

/// Least squares over rows of joints that count alike, torques of some of them turned.
struct TurnedFit {
  const Array<RowFactor>& joints;
  Array<int> columns;  // kept, then tau
  Array<double> weights{}, x{};
  double left = 0;  // sum of squares, of the share of each joint's torque

  TurnedFit(const Array<RowFactor>& of_joints, const Array<int>& kept, int N)
      : joints(of_joints), columns(with_last(kept, N)) {
    for (const RowFactor& joint : joints) {
      const double torque = column_length(joint.R(), N);
      weights.push_back(torque > 0 ? 1 / torque : 0);
    }
  }
  void fit(In<char> turned) {
    const int last = columns.size() - 1, N = columns[last];
    Array<RowFactor> other = joints;
    for (int j = 0; j < turned.size; ++j) {
      if (turned[j] == 0) continue;
      Matrix R = joints[j].R();
      for (int r = 0; r < N; ++r) R(r, N) = -R(r, N);
      other[j] = RowFactor(std::move(R), joints[j].rows());
    }
    const Matrix R = selected(weighted_sum(other, weights).R(), columns);
    x = solution(R, last);
    left = R(last, last) * R(last, last);
  }
};

}  // namespace

/// Friction takes energy: joints whose viscous and Coulomb friction are negative by `deviations`, or at all.
Array<int> Identifying::driving_joints(In<double> kept, double deviations) const {
  Array<int> out;
  for (int j = 0; j < problem_.n_rows(); ++j) {
    const std::string joint = problem_.model.dof_name(problem_.torques[j]);
    int below = 0;
    for (int k = 0; k < kept.size; ++k) {
      const int c = estimate_.base.kept[k];
      const std::string& name = reduced_.names[static_cast<std::size_t>(c)];
      if (name == joint + ".viscous" || name == joint + ".coulomb")
        below += kept[k] < -deviations * std::sqrt(memory_) * estimate_.sigma[c];
    }
    if (below == 2) out.push_back(j);
  }
  return out;
}

void Identifying::look_at_signs() {
  constexpr double better = 0.25, clear = 5, most = 0.25;
  if (options_.estimator == Estimator::power || problem_.motors.unknown_gain) return;
  const Array<RowFactor> joints = joint_factors(reduced_);
  const int n = joints.size();
  TurnedFit fit(joints, estimate_.base.kept, reduced_.n_unknowns());
  Array<char> turned(n, 0);
  fit.fit(turned);
  const double first = fit.left;
  // One joint after another, while that explains much more.
  int count = 0;
  for (double now = first; count < n; ++count) {
    int best = -1;
    double least = 0.5 * now;
    for (int j = 0; j < n; ++j) {
      if (turned[j] != 0) continue;
      turned[j] = 1;
      fit.fit(turned);
      turned[j] = 0;
      if (fit.left < least) least = fit.left, best = j;
    }
    if (best < 0) break;
    turned[best] = 1, now = least;
  }
  fit.fit(turned);
  Array<int> named;
  if (fit.left < better * first && fit.left < most * n) {
    // All others turned fit as well: bodies are negative then, and so is friction.
    const bool others = 2 * driving_joints(fit.x, 0).size() > n;
    for (int j = 0; j < n; ++j)
      if ((turned[j] != 0) != others) named.push_back(j);
  } else {
    Array<double> kept;
    for (const int c : estimate_.base.kept) kept.push_back(estimate_.x[c]);
    named = driving_joints(kept, clear);
  }
  std::string names;
  for (const int j : named)
    names += (names.empty() ? "" : ", ") + problem_.model.dof_name(problem_.torques[j]);
  if (!names.empty())
    out_.notes.push_back("have the torques of " + names +
                         " the sign of their positions? The other one would explain them, friction "
                         "included; motor: {N: [1, -1, ...], positions: joint} of the map turns "
                         "torques alone");
}

}  // namespace torsor::internal
