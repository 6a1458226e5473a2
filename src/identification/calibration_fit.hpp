#pragma once
/// Least squares of measured poses: steps, columns that separate, scatter and strays. Private to the room.
#include <algorithm>
#include <functional>

#include "calibration_problem.hpp"

namespace torsor::internal {

/// How residuals count: over sigma, and a factor for each pose.
struct PoseWeights {
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

class CalibrationFit {
 public:
  using Progress = std::function<bool(double share)>;
  /// All outlive this.
  CalibrationFit(const CalibrationProblem& problem, const CalibrationOptions& options,
                 const Progress& progress)
      : problem_(problem), options_(options), progress_(progress) {}

  CalibrationState state{};
  Array<double> change{};  ///< of every unknown, the sum of the steps
  PoseWeights weights{};
  Separation separation{};
  int steps = 0, resamples = 0;
  bool stopped = false;  ///< by the progress: what is here is not the end

  void begin(CalibrationState from);
  /// To the least squares of the used poses; `geometry`: not only of base and tools.
  void run(bool geometry, bool huber);
  /// Scatter of position and of rotation, from the residuals.
  void update_sigmas();
  void linearise() { problem_.evaluate(state, rows_, &J_); }
  /// Columns over sigma in the stated order, by orthogonalisation: each against the kept ones before it.
  void separate(bool geometry);
  PoseResiduals residuals(const Array<double>& used);
  /// Poses whose residual is no scatter: beyond sqrt(rows) + 3.5 robust sigma.
  Array<int> strays();
  /// Standard deviations of the kept unknowns over poses drawn with replacement, one step each.
  Array<double> bootstrap(int wanted, unsigned seed);
  /// Whether to go on.
  bool tell(double share) {
    share_ = std::max(share_, share);
    stopped = stopped || (progress_ && !progress_(share_));
    return !stopped;
  }
  /// The parts of the share: the fit until its steps end, whenever that is, the bootstrap, the folds.
  static constexpr double share_of_fit = 0.5, share_of_bootstrap = 0.4;

 private:
  const PoseRows& row(int i) const { return rows_[static_cast<std::size_t>(i)]; }
  int n_rows(int pose) const { return problem_.measurement(pose).n_numbers(); }
  double factor(int r) const;
  double scaled(int r, int c) const { return J_(r, c) * factor(r); }
  double scaled_residual(int r) const;
  double scatter() const;
  double cost(const std::vector<PoseRows>& rows) const;
  bool tell_step() { return tell(share_of_fit * steps / (steps + 20.0)); }
  void finish_separation(const std::vector<Array<double>>& R);
  void descend(bool huber, const Array<double>& given);
  void set_huber(const Array<double>& given);

  const CalibrationProblem& problem_;
  const CalibrationOptions& options_;
  const Progress& progress_;
  double share_ = 0;  ///< that was told
  std::vector<PoseRows> rows_;
  Matrix J_;
};

}  // namespace torsor::internal
