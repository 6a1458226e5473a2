#include "torsor/identification/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "calibration_fit.hpp"

namespace torsor {
namespace {

using internal::CalibrationProblem;
using internal::CalibrationState;
using internal::Separation;
using Fit = internal::CalibrationFit;

/// Sigmas and the fit depend on each other: three rounds settle them.
void settle(Fit& fit) {
  for (int round = 0; round < 3; ++round) {
    fit.run(true, false);
    fit.update_sigmas();
  }
}

/// Each pose by a fit that has not seen it.
PoseResiduals cross_validated(const CalibrationProblem& problem, const CalibrationOptions& options,
                              Fit& all) {
  Array<int> used;
  for (int i = 0; i < problem.n_poses(); ++i)
    if (all.weights.pose[i] > 0) used.push_back(i);
  std::mt19937_64 random(options.seed);
  std::shuffle(used.begin(), used.end(), random);
  PoseResiduals sum;
  double p = 0, r = 0, turns = 0;
  for (int fold = 0; fold < options.folds; ++fold) {
    Fit fit = all;
    const double share = Fit::share_of_fit + Fit::share_of_bootstrap;
    all.stopped = !fit.tell(share + (1 - share) * fold / options.folds);
    if (all.stopped) return {};
    Array<double> left(problem.n_poses(), 0.0);
    for (int k = fold; k < used.size(); k += options.folds)
      left[used[k]] = 1, fit.weights.pose[used[k]] = 0;
    int numbers = 0;
    for (const int i : used) numbers += left[i] == 0 ? problem.measurement(i).n_numbers() : 0;
    if (used.size() < options.folds || numbers <= problem.n()) return {};
    fit.run(true, false);
    all.stopped = fit.stopped;
    if (all.stopped) return {};
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
  out.resamples = fit.resamples;
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
                      const CalibrationOptions& options,
                      const std::function<bool(double)>& progress) {
  if (!model.description().loops.empty() || !model.description().couplings.empty())
    throw Error("robot \"" + model.name() + "\" has loops or couplings; calibrate takes trees");
  const CalibrationProblem problem(model, measured, options);
  if (problem.n() == 0) throw Error("calibrate: no parameter is named");
  double numbers = 0;
  for (const PoseMeasurement& m : measured) numbers += m.n_numbers();
  if (numbers < problem.n())
    throw Error("calibrate: " + std::to_string(measured.size()) + " poses give " +
                std::to_string(static_cast<int>(numbers)) + " numbers for " +
                std::to_string(problem.n()) + " parameters");
  Calibration out;
  CalibrationState start = problem.start();
  internal::register_poses(problem, options, start);
  Fit fit(problem, options, progress);
  fit.begin(start);
  fit.run(false, true);
  out.before = fit.residuals(fit.weights.pose);

  fit.run(true, options.reject);
  fit.update_sigmas();
  for (int round = 0; options.reject && round < 5 && !fit.stopped; ++round) {
    fit.run(true, true);
    const Array<int> strays = fit.strays();
    for (const int i : strays) {
      fit.weights.pose[i] = 0;
      out.rejected.push_back(i);
      numbers -= measured[static_cast<std::size_t>(i)].n_numbers();
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
  if (fit.stopped) {
    out.stopped = true;
    out.message = "calibrate: stopped before the parameters were found";
    return out;
  }
  fit.linearise();
  fit.separate(true);
  out.after = fit.residuals(fit.weights.pose);
  out.sigma_position = fit.weights.sigma_p, out.sigma_rotation = fit.weights.sigma_r;
  out.condition = fit.separation.condition;
  out.steps = fit.steps;
  fit.linearise();
  report(problem, options, fit, numbers, out);
  if (options.folds > 1 && !fit.stopped) out.held_out = cross_validated(problem, options, fit);
  out.stopped = fit.stopped;

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
