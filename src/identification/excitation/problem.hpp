#pragma once
/// One evaluation of excitation: criterion and barriers of coefficients z, with the gradient.
#include "excitation/barrier.hpp"
#include "excitation/columns.hpp"
#include "excitation/criterion.hpp"

namespace torsor::internal {

/// What all threads share.
struct ExcitationTask {
  const ExcitationOptions& options;
  const Model<double>& model;
  Model<double> smooth;  ///< the same with signs of friction that have a slope
  MotionLimits limits;
  ExcitationUnknowns unknowns;
  MotionBasis basis;

  /// Checks the options; throws Error.
  ExcitationTask(const Model<double>& model, const ExcitationOptions& options);
  int size() const { return options.trajectories * basis.coefficients(); }
};

/// The robot with every exact sign replaced by tanh(v / width), width a part of the velocity limit.
Model<double> with_smooth_signs(const Model<double>& model, const std::vector<Limits>& limits);

/// What is minimised: the criterion of power s (0: d_optimal) and mu times the barriers.
struct ExcitationStage {
  int s = 0;
  double mu = 0;
};

/// One thread's.
class ExcitationEvaluator {
 public:
  explicit ExcitationEvaluator(const ExcitationTask& task);

  double operator()(const ExcitationStage& stage, In<double> z, Out<double> gradient);
  /// Whether all samples of one trajectory keep all limits.
  bool inside(In<double> one);
  /// Not below the condition number of the last z.
  double condition_bound() const { return criterion_.bound(); }

  long long evaluations = 0;

 private:
  struct Trajectory {
    MotionSamples motion, bar;
    Matrix W, A;
  };
  void sample(In<double> one, Trajectory& own) const;

  const ExcitationTask* task_;
  ExcitationColumns columns_;
  MotionBarrier barrier_;
  InformationCriterion criterion_;
  Array<Trajectory> trajectories_;
  Matrix G_{}, G_one_{}, dG_{};
};

}  // namespace torsor::internal
