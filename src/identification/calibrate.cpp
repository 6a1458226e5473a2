#include "torsor/identification/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "calibration_problem.hpp"
#include "torsor/linear/cholesky.hpp"
#include "torsor/linear/orthogonal_decomposition.hpp"
#include "torsor/linear/svd.hpp"

namespace torsor {
namespace {

using internal::CalibrationProblem;
using internal::CalibrationState;
using internal::PoseRows;

constexpr double smallest_sigma = 1e-12;

/// How residuals count: over sigma, and a factor for each pose.
struct Weights {
  double sigma_p = 1e-3, sigma_r = 1e-3;
  Array<double> pose{};  ///< on squares; 0: not used

  double square(int i, const PoseRows& e) const {
    return pose[i] * (squared_norm(e.position) / (sigma_p * sigma_p) +
                      squared_norm(e.rotation) / (sigma_r * sigma_r));
  }
};

/// Columns that the ones before them leave enough of, and what the others are made of.
struct Separation {
  Array<int> kept{}, held{};
  Matrix share{};       ///< kept x held: a unit of a held one does what these of the kept do
  Matrix covariance{};  ///< kept x kept, for unit variance
  double condition = 1;
};

class Fit {
 public:
  Fit(const CalibrationProblem& problem, const CalibrationOptions& options)
      : problem_(problem), options_(options) {}

  CalibrationState state{};
  Array<double> change{};
  Weights weights{};
  Separation separation{};
  int steps = 0;

  void begin(CalibrationState from) {
    state = std::move(from);
    change.assign(problem_.n(), 0.0);
    weights.pose.assign(problem_.n_poses(), 1.0);
    for (int i = 0; i < problem_.n_poses(); ++i) weights.pose[i] = problem_.measurement(i).weight;
  }

  /// To the least squares of the used poses; `geometry`: not only of base and tools.
  void run(bool geometry, bool huber) {
    const Array<double> given = weights.pose;
    for (int round = 0; round < 4; ++round) {  // columns that separate may change on the way
      linearise();
      const Array<int> before = separation.kept;
      separate(geometry);
      if (round > 0 && separation.kept == before) break;
      descend(huber, given);
    }
    weights.pose = given;
  }
  /// Scatter of position and of rotation, from the residuals.
  void update_sigmas() {
    problem_.evaluate(state, rows_, nullptr);
    double p = 0, r = 0, n_p = 0, n_r = 0;
    for (int i = 0; i < problem_.n_poses(); ++i) {
      const double w = weights.pose[i];
      if (w == 0) continue;
      p += w * squared_norm(row(i).position), n_p += 3;
      if (problem_.measurement(i).has_rotation) r += w * squared_norm(row(i).rotation), n_r += 3;
    }
    const double n = n_p + n_r, share = std::max(1.0, n - separation.kept.size()) / n;
    weights.sigma_p = std::max(smallest_sigma, std::sqrt(p / (n_p * share)));
    weights.sigma_r = n_r > 0 ? std::max(smallest_sigma, std::sqrt(r / (n_r * share))) : 1;
  }
  void linearise() { problem_.evaluate(state, rows_, &J_); }

  /// Columns over sigma in the stated order, by orthogonalisation: each against the kept ones before it.
  void separate(bool geometry) {
    const int n = geometry ? problem_.n() : problem_.n_outside(), m = J_.rows();
    Array<Array<double>> Q;
    std::vector<Array<double>> R;  // of each column: its shares of Q
    separation = {};
    Array<double> length;
    double longest[2] = {0, 0};  // of turns and of shifts
    for (int c = 0; c < n; ++c) {
      Array<double> v(m);
      for (int r = 0; r < m; ++r) v[r] = scaled(r, c);
      length.push_back(norm_of(v));
      double& most = longest[problem_.is_angle(c) ? 0 : 1];
      most = std::max(most, length[c]);
    }
    for (int c = 0; c < n; ++c) {
      Array<double> v(m), shares(Q.size(), 0.0);
      for (int r = 0; r < m; ++r) v[r] = scaled(r, c);
      for (int pass = 0; pass < 2; ++pass)
        for (int k = 0; k < Q.size(); ++k) {
          double dot = 0;
          for (int r = 0; r < m; ++r) dot += Q[k][r] * v[r];
          for (int r = 0; r < m; ++r) v[r] -= dot * Q[k][r];
          shares[k] += dot;
        }
      const double left = norm_of(v), most = longest[problem_.is_angle(c) ? 0 : 1];
      const bool keep = length[c] > 1e-9 * most && left > options_.separation * length[c];
      if (keep) {
        for (double& x : v) x /= left;
        shares.push_back(left);
        Q.push_back(std::move(v));
        separation.kept.push_back(c);
      } else {
        separation.held.push_back(c);
      }
      R.push_back(std::move(shares));
    }
    finish(R);
  }

  PoseResiduals residuals(const Array<double>& used) {
    problem_.evaluate(state, rows_, nullptr);
    PoseResiduals out;
    double p = 0, r = 0;
    int turns = 0;
    for (int i = 0; i < problem_.n_poses(); ++i) {
      if (used[i] == 0) continue;
      ++out.poses;
      const double position = norm(row(i).position), rotation = norm(row(i).rotation);
      p += position * position, r += rotation * rotation;
      turns += problem_.measurement(i).has_rotation ? 1 : 0;
      out.position_max = std::max(out.position_max, position);
      out.rotation_max = std::max(out.rotation_max, rotation);
    }
    if (out.poses > 0) out.position_rms = std::sqrt(p / out.poses);
    if (turns > 0) out.rotation_rms = std::sqrt(r / turns);
    return out;
  }
  /// Poses whose residual is no scatter: sqrt(rows) + 3.5 robust sigma; 0 where none is.
  Array<int> strays() {
    problem_.evaluate(state, rows_, nullptr);
    const double sigma = scatter();
    Array<int> found;
    for (int i = 0; i < problem_.n_poses(); ++i) {
      if (weights.pose[i] == 0) continue;
      const double size = std::sqrt(weights.square(i, row(i)));
      const double rounding = 1e-9 / std::min(weights.sigma_p, weights.sigma_r);
      if (size > std::max(limit(i) * sigma, rounding)) found.push_back(i);
    }
    return found;
  }
  /// Standard deviations of the kept unknowns over poses drawn with replacement.
  Array<double> bootstrap(int resamples, unsigned seed) {
    linearise();
    const int k = separation.kept.size();
    Array<int> used;
    for (int i = 0; i < problem_.n_poses(); ++i)
      if (weights.pose[i] > 0) used.push_back(i);
    std::mt19937_64 random(seed);
    Array<double> sum(k, 0.0), squares(k, 0.0);
    int done = 0;
    for (int b = 0; b < resamples; ++b) {
      Matrix H(k, k);
      Array<double> g(k, 0.0);
      for (int draw = 0; draw < used.size(); ++draw) {
        const int i = used[static_cast<int>(random() % static_cast<unsigned>(used.size()))];
        for (int r = 6 * i; r < 6 * i + 6; ++r)
          for (int a = 0; a < k; ++a) {
            const double x = scaled(r, separation.kept[a]);
            g[a] += x * scaled_residual(r);
            for (int c = 0; c <= a; ++c) H(a, c) += x * scaled(r, separation.kept[c]);
          }
      }
      Cholesky factors(k);
      if (!factors.factorise(H, 1e-13)) continue;
      factors.solve(g);
      for (int a = 0; a < k; ++a) sum[a] += g[a], squares[a] += g[a] * g[a];
      ++done;
    }
    Array<double> sigma(k, 0.0);
    for (int a = 0; a < k && done > 1; ++a)
      sigma[a] = std::sqrt(std::max(0.0, (squares[a] - sum[a] * sum[a] / done) / (done - 1)));
    return sigma;
  }

 private:
  const PoseRows& row(int i) const { return rows_[static_cast<std::size_t>(i)]; }
  static double norm_of(const Array<double>& v) {
    double sum = 0;
    for (const double x : v) sum += x * x;
    return std::sqrt(sum);
  }
  double factor(int r) const {
    return std::sqrt(weights.pose[r / 6]) / (r % 6 < 3 ? weights.sigma_p : weights.sigma_r);
  }
  double scaled(int r, int c) const { return J_(r, c) * factor(r); }
  double scaled_residual(int r) const {
    const PoseRows& e = row(r / 6);
    return (r % 6 < 3 ? e.position[r % 3] : e.rotation[r % 3]) * factor(r);
  }
  double limit(int i) const {
    return std::sqrt(problem_.measurement(i).has_rotation ? 6 : 3) + 3.5;
  }
  /// Of one row, from the median of the poses: half of |e| of n rows lie below about sqrt(n - 2/3).
  double scatter() const {
    Array<double> sizes;
    for (int i = 0; i < problem_.n_poses(); ++i)
      if (weights.pose[i] > 0)
        sizes.push_back(std::sqrt(weights.square(i, row(i)) /
                                  ((problem_.measurement(i).has_rotation ? 6 : 3) - 2.0 / 3)));
    if (sizes.empty()) return 1;
    std::nth_element(sizes.begin(), sizes.begin() + sizes.size() / 2, sizes.end());
    return sizes[sizes.size() / 2];
  }
  double cost(const std::vector<PoseRows>& rows) const {
    double sum = 0;
    for (int i = 0; i < problem_.n_poses(); ++i)
      sum += weights.square(i, rows[static_cast<std::size_t>(i)]);
    return sum;
  }

  /// Shares, covariance and condition from the triangular factor.
  void finish(const std::vector<Array<double>>& R) {
    const int k = separation.kept.size(), h = separation.held.size();
    const auto upper = [&](int row, int column) {
      const Array<double>& of = R[static_cast<std::size_t>(separation.kept[column])];
      return row < of.size() ? of[row] : 0.0;
    };
    const auto solve = [&](Array<double> x) {  // R x = given
      for (int r = k - 1; r >= 0; --r) {
        for (int c = r + 1; c < k; ++c) x[r] -= upper(r, c) * x[c];
        x[r] /= upper(r, r);
      }
      return x;
    };
    separation.share = Matrix(k, h);
    for (int c = 0; c < h; ++c) {
      Array<double> shares = R[static_cast<std::size_t>(separation.held[c])];
      shares.resize(k, 0.0);
      const Array<double> x = solve(shares);
      for (int r = 0; r < k; ++r) separation.share(r, c) = x[r];
    }
    Matrix inverse(k, k), unit(k, k);
    for (int c = 0; c < k; ++c) {
      Array<double> e(k, 0.0);
      e[c] = 1;
      const Array<double> x = solve(e);
      double length = 0;
      for (int r = 0; r < k; ++r) inverse(r, c) = x[r], length += upper(r, c) * upper(r, c);
      for (int r = 0; r < k; ++r) unit(r, c) = upper(r, c) / std::sqrt(length);
    }
    separation.covariance = Matrix(k, k);
    for (int a = 0; a < k; ++a)
      for (int b = 0; b < k; ++b)
        for (int c = 0; c < k; ++c) separation.covariance(a, b) += inverse(a, c) * inverse(b, c);
    if (k == 0) return;
    Svd svd(k, k);
    svd.factorise(unit);
    separation.condition = svd.largest() / svd.smallest();
  }

  /// Levenberg's steps on the kept columns.
  void descend(bool huber, const Array<double>& given) {
    const int k = separation.kept.size(), m = J_.rows();
    if (k == 0) return;
    double damping = 1e-9;
    OrthogonalDecomposition factors(m + k, k);
    for (int step = 0; step < 60; ++step) {
      if (huber) set_huber(given);
      const double before = cost(rows_);
      Matrix A(m + k, k);
      Array<double> b(m + k, 0.0), x(k), lengths(k, 0.0);
      for (int r = 0; r < m; ++r) b[r] = scaled_residual(r);
      for (int c = 0; c < k; ++c) {
        for (int r = 0; r < m; ++r) {
          A(r, c) = scaled(r, separation.kept[c]);
          lengths[c] += A(r, c) * A(r, c);
        }
        lengths[c] = std::sqrt(lengths[c]);
        for (int r = 0; r < m; ++r) A(r, c) /= lengths[c];
      }
      bool better = false;
      double gain = 0, size = 0;
      for (int trial = 0; trial < 12 && !better; ++trial) {
        for (int c = 0; c < k; ++c) A(m + c, c) = std::sqrt(damping);
        factors.factorise(A, 1e-14);
        factors.solve(b, x);
        Array<double> dx(problem_.n(), 0.0);
        for (int c = 0; c < k; ++c) dx[separation.kept[c]] = x[c] / lengths[c];
        CalibrationState next = state;
        problem_.move(next, dx);
        std::vector<PoseRows> rows;
        problem_.evaluate(next, rows, nullptr);
        const double after = cost(rows);
        better = after < before;
        if (!better) {
          damping = std::max(1e-9, damping * 10);
          continue;
        }
        damping = std::max(1e-15, damping * 0.1);
        gain = before - after;
        size = norm_of(dx);
        state = std::move(next);
        for (int c = 0; c < dx.size(); ++c) change[c] += dx[c];
        ++steps;
      }
      if (!better) return;
      linearise();
      if (gain <= 1e-14 * before || size < 1e-15) return;
    }
  }
  void set_huber(const Array<double>& given) {
    weights.pose = given;
    const double sigma = scatter();
    for (int i = 0; i < problem_.n_poses(); ++i) {
      if (given[i] == 0) continue;
      const double rows = problem_.measurement(i).has_rotation ? 6 : 3;
      const double size = std::sqrt(weights.square(i, row(i))),
                   corner = (std::sqrt(rows) + 1) * sigma;
      if (size > corner && corner > 0) weights.pose[i] *= corner / size;
    }
  }

  const CalibrationProblem& problem_;
  const CalibrationOptions& options_;
  std::vector<PoseRows> rows_;
  Matrix J_;
};

/// Sigmas and the fit depend on each other: three rounds settle them.
void settle(Fit& fit) {
  for (int round = 0; round < 3; ++round) {
    fit.run(true, false);
    fit.update_sigmas();
  }
}

/// Each pose by a fit that has not seen it.
PoseResiduals cross_validated(const CalibrationProblem& problem, const CalibrationOptions& options,
                              const Fit& all) {
  Array<int> used;
  for (int i = 0; i < problem.n_poses(); ++i)
    if (all.weights.pose[i] > 0) used.push_back(i);
  std::mt19937_64 random(options.seed);
  std::shuffle(used.begin(), used.end(), random);
  PoseResiduals sum;
  double p = 0, r = 0, turns = 0;
  for (int fold = 0; fold < options.folds; ++fold) {
    Fit fit = all;
    Array<double> left(problem.n_poses(), 0.0);
    int n = 0;
    for (int k = fold; k < used.size(); k += options.folds, ++n)
      left[used[k]] = 1, fit.weights.pose[used[k]] = 0;
    if (n == 0 || 3 * (used.size() - n) <= problem.n()) return {};
    fit.run(true, false);
    const PoseResiduals here = fit.residuals(left);
    sum.poses += here.poses;
    p += here.position_rms * here.position_rms * here.poses;
    r += here.rotation_rms * here.rotation_rms * here.poses;
    turns += here.rotation_max > 0 ? here.poses : 0;
    sum.position_max = std::max(sum.position_max, here.position_max);
    sum.rotation_max = std::max(sum.rotation_max, here.rotation_max);
  }
  if (sum.poses > 0) sum.position_rms = std::sqrt(p / sum.poses);
  if (turns > 0) sum.rotation_rms = std::sqrt(r / turns);
  return sum;
}

/// 97.5 % of Student's distribution, by its first terms in 1 / degrees.
double student(double degrees) {
  const double z = 1.959963984540054, n = std::max(1.0, degrees);
  return z + (z * z * z + z) / (4 * n) +
         (5 * std::pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * n * n);
}

void report(const CalibrationProblem& problem, const CalibrationOptions& options, Fit& fit,
            double numbers, Calibration& out) {
  const Separation& s = fit.separation;
  for (int k = 0; k < problem.n(); ++k) {
    CalibratedParameter p;
    p.name = problem.name(k);
    p.angle = problem.is_angle(k);
    p.change = k < problem.n_outside() ? 0 : fit.change[k];
    out.parameters.push_back(std::move(p));
  }
  const auto at = [&](int k) -> CalibratedParameter& {
    return out.parameters[static_cast<std::size_t>(k)];
  };
  const Array<double> again = options.bootstrap > 0 ? fit.bootstrap(options.bootstrap, options.seed)
                                                    : Array<double>(s.kept.size(), 0.0);
  const double factor = student(numbers - s.kept.size());
  for (int c = 0; c < s.kept.size(); ++c) {
    CalibratedParameter& p = at(s.kept[c]);
    p.sigma = std::sqrt(s.covariance(c, c));
    p.lower = p.change - factor * p.sigma, p.upper = p.change + factor * p.sigma;
    p.bootstrap_sigma = again[c];
  }
  for (int h = 0; h < s.held.size(); ++h) {
    CalibratedParameter& p = at(s.held[h]);
    p.held = true;
    for (int c = 0; c < s.kept.size(); ++c) {
      // What counts is how far it moves the poses: in lengths of about a metre.
      if (std::abs(s.share(c, h)) > 0.02)
        p.same_as.push_back({problem.name(s.kept[c]), s.share(c, h)});
    }
  }
}

}  // namespace

Calibration calibrate(const Model<double>& model, const std::vector<PoseMeasurement>& measured,
                      const CalibrationOptions& options) {
  if (!model.description().loops.empty() || !model.description().couplings.empty())
    throw Error("robot \"" + model.name() + "\" has loops or couplings; calibrate takes trees");
  const CalibrationProblem problem(model, measured, options);
  if (problem.n() == 0) throw Error("calibrate: no parameter is named");
  double numbers = 0;
  for (const PoseMeasurement& m : measured) numbers += m.has_rotation ? 6 : 3;
  if (numbers < problem.n())
    throw Error("calibrate: " + std::to_string(measured.size()) + " poses give " +
                std::to_string(static_cast<int>(numbers)) + " numbers for " +
                std::to_string(problem.n()) + " parameters");
  Calibration out;
  CalibrationState start = problem.start();
  internal::register_poses(problem, options, start);
  Fit fit(problem, options);
  fit.begin(start);
  fit.run(false, true);
  out.before = fit.residuals(fit.weights.pose);

  fit.run(true, options.reject);
  fit.update_sigmas();
  for (int round = 0; options.reject && round < 5; ++round) {
    fit.run(true, true);
    const Array<int> strays = fit.strays();
    for (const int i : strays) {
      fit.weights.pose[i] = 0;
      out.rejected.push_back(i);
      numbers -= measured[static_cast<std::size_t>(i)].has_rotation ? 6 : 3;
    }
    fit.update_sigmas();
    if (strays.empty()) break;
  }
  std::sort(out.rejected.begin(), out.rejected.end());
  if (numbers < fit.separation.kept.size()) {
    out.message = "too many poses do not fit: " + std::to_string(out.rejected.size()) + " of " +
                  std::to_string(measured.size());
    return out;
  }
  settle(fit);
  fit.linearise();
  fit.separate(true);
  out.after = fit.residuals(fit.weights.pose);
  out.sigma_position = fit.weights.sigma_p, out.sigma_rotation = fit.weights.sigma_r;
  out.condition = fit.separation.condition;
  out.steps = fit.steps;
  fit.linearise();
  report(problem, options, fit, numbers, out);
  if (options.folds > 1) out.held_out = cross_validated(problem, options, fit);

  out.robot = fit.state.robot;
  out.T_measuring_world = fit.state.base;
  for (std::size_t f = 0; f < problem.frames().size(); ++f) {
    const std::string& name = problem.frames()[f];
    out.tools.push_back({name, fit.state.tools[f]});
    for (FrameOnLink& frame : out.robot.frames)
      if (frame.name == name) frame.placement = frame.placement * fit.state.tools[f];
  }
  return out;
}

}  // namespace torsor
