#pragma once
/// Random configurations of a mechanism with loops, reached by moving it.
///
/// A parallelogram can also be assembled crossed, and closing it from a random guess finds either. The two are
/// other mechanisms: bars that stay parallel regroup their parameters, crossed ones do not. So configurations
/// are walked to from one that is known, in small steps that keep A qd = 0, and no step leads through a place
/// where the constraints lose rank, which is where assembly modes meet.
#include <random>

#include "torsor/kinematics/assemble.hpp"
#include "torsor/linear/matrix.hpp"

namespace torsor::internal {

class ClosedStates {
 public:
  /// Walks begin at `homes`, closed where they are not quite; without any at the neutral configuration.
  ClosedStates(const Model<double>& model, unsigned seed, Array<Array<double>> homes = {});

  /// q closes the loops, qd and qdd (random on entry) become what the constraints allow. False: no home
  /// closes the loops.
  bool draw(View<double> q, View<double> qd, View<double> qdd);

  /// Of q as drawn last: rank, and null vectors that are the motions the constraints allow.
  OrthogonalDecomposition& constraints() { return constraints_; }
  int n_rows() const { return set_.n_rows(); }

 private:
  void walk();
  bool step(double length);
  /// The smallest pivot of the constraints over the largest, at q_; 0 where they lost rank.
  double firmness();

  const Model<double>& model_;
  ConstraintSet set_;
  AssemblyWorkspace assembly_;
  OrthogonalDecomposition constraints_;
  Array<Array<double>> homes_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_{};
  Array<double> q_, next_, direction_;
  Matrix A_;
  Array<double> scale_;  // of velocities: a slide is as fast as the robot is large
  int rank_ = 0;         // where nothing is singular
  double firm_ = 0, firmest_ = 0;
  bool away_ = false;
};

}  // namespace torsor::internal
