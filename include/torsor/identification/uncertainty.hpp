#pragma once
/// How far an estimate can be trusted: blocks drawn again, and the torques that follow.
///
///   bootstrap    K blocks drawn with replacement, t_b times each:  x* = argmin sum_b t_b |W_b x -
///   tau_b|^2
///   interval     x +- t_(K-1) sqrt(K / (K - 1)) deviation of the x*;   or the quantiles of the x*
///   inflation    median over the unknowns of (deviation of the x*) / (classical sigma)
///
/// Noise of real logs is correlated and models are not exact, so that rows do not count one by
/// one; blocks that are long against the correlation do. Classical deviations are 5 to 10 times
/// too small on logs of real arms.
///
///   motion left out: every block is predicted from those that move differently (whose W^T W,
///     columns of length one, has a cosine below `similarity` with that of the block):
///     noise_j      rms of its residuals: what a motion that was not measured will show
///     inflation^2  (squared residuals there - here) / sum of w . (R^T R without them)^-1 w
///
///   torque along a motion, tau = w . x:
///     precision    A = R^T R / inflation^2 + diag(1 / width^2)        R weighted by 1 / noise here
///     mean         w . x,  A x = R^T r / inflation^2 + x0 / width^2
///     half width   z sqrt(w . A^-1 w + noise_j^2 + (w . (x' - x))^2)    x': a mean that is set
///
/// Excitation repeats itself, so that drawing blocks again shows errors of the model only as far
/// as the motion differs; leaving alike ones out shows them. Along directions that the data does
/// not determine the width of the prior decides.
///
/// Cost     Bootstrap: one product of the factors with N^2, then N^3 / 6 a sample. Prediction: N^2
///          a row.
/// Source   Kunsch 1989; Efron & Tibshirani 1993, ch. 8 and 13.
#include "torsor/identification/estimate.hpp"

namespace torsor {

struct BootstrapOptions {
  int samples = 200;
  unsigned seed = 1;
  double confidence = 0.95;
};

struct Uncertainty {
  Array<double> sigma{};                              ///< N, infinite where not determined
  Array<double> low{}, high{};                        ///< N, interval by the deviation
  Array<double> percentile_low{}, percentile_high{};  ///< N, by quantiles of the samples
  Matrix samples{};                                   ///< samples x kept unknowns
  int blocks = 0;
  int failed = 0;  ///< draws that did not determine all unknowns, left out
  double inflation = 1;
  std::vector<std::string> notes{};
};

/// Weights of the joints are those of the estimate. Throws Error for fewer than 8 blocks.
Uncertainty block_bootstrap(const CompressedLog& log, const Estimate& estimate,
                            const BootstrapOptions& options = {});

struct LeftOutMotion {
  Array<double> noise{};  ///< N m or N, joint by joint
  double inflation = 1;   ///< of classical deviations
  double share = 0;       ///< of the blocks left out at a time, in the mean
};

/// Blocks are taken together to at most 48 first.
LeftOutMotion leave_motion_out(const CompressedLog& log, const Estimate& estimate,
                               double similarity = 0.5);

/// How wide a prior is where nothing else is known: `relative` of the mass, of mass times the
/// body's radius about the link's origin, of mass times its square; for what is not of a link,
/// `relative` of the value that would explain all torque, or of the prior's where that is larger.
Array<double> prior_width(const CompressedLog& log, In<double> prior, double relative = 0.5);

/// Torques along any motion, with intervals.
class TorquePrediction {
 public:
  /// The estimate is of the log; prior and its width have N numbers.
  TorquePrediction(const CompressedLog& log, const Estimate& estimate,
                   const LeftOutMotion& left_out, In<double> prior, In<double> width);

  /// The mean, N: what the data and the prior agree on unless it is set.
  const Array<double>& x() const { return x_; }
  /// Instead of it the mean, as of a consistent estimate; how far the two are apart along a motion
  /// counts as a deviation.
  void set_mean(In<double> x);
  /// What the data and the prior agree on, whatever the mean is.
  const Array<double>& from_data() const { return own_; }
  /// Standard deviation of w . x without noise.
  double deviation(In<double> w) const;
  /// W: joints x N (one row for each torque). Half widths at `confidence`, noise included.
  void predict(InMatrix<double> W, Out<double> mean, Out<double> half_width,
               double confidence = 0.95) const;

 private:
  Matrix T_{};  // triangular, T^T T = A
  Array<double> x_{}, own_{}, noise_{};
};

}  // namespace torsor
