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
  LoopMotion loops;  ///< to be copied by those who use it
  ExcitationUnknowns unknowns;
  MotionBasis basis;  ///< of the coordinates that drive

  /// Of the smooth signs, by velocity, then by motor.
  Array<double> widths() const;

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
    // With loops: of all coordinates, of the tree.
    MotionSamples all, bar_all;
    LoopMotion::Ratios G, bar_G;
    Matrix W_tree, A_tree;
  };
  /// The motion and what barriers say of it; infinite beyond a limit.
  double sample(In<double> one, double mu, Trajectory& own);
  void fill(Trajectory& own);
  void add_gradient(Trajectory& own);

  const ExcitationTask* task_;
  LoopMotion loops_;
  ExcitationColumns columns_;
  MotionBarrier barrier_;
  InformationCriterion criterion_;
  Array<Trajectory> trajectories_;
  Matrix G_{}, G_one_{}, dG_{};
};

}  // namespace torsor::internal
