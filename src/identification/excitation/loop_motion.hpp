#pragma once
/// Motions of robots with loops: of the coordinates that drive them, all others follow.
///
///   q = phi(u),   qd = G ud,   qdd = G udd + G' ud          u: of the driven joints
///   A_d G_d = -A_u, G_u = 1                                 kinematics/assemble.hpp
///
/// Mode     That of the neutral configuration: from there the mechanism is moved in small steps, and does not
///          jump to where its loops close otherwise, nor go through places where A_d is nearly singular, which
///          is where modes meet.
/// Slopes   dG/du, dqd/du and dqdd/du by central differences of u; dq/du = G, dqdd/dud = 2 G'.
/// Cost     2 k assemblies a sample for k driven coordinates, and some more on the way.
#include "excitation/motion_basis.hpp"
#include "torsor/kinematics/assemble.hpp"

namespace torsor::internal {

class LoopMotion {
 public:
  /// The model outlives this. Throws Error where the loops do not close near the neutral configuration.
  explicit LoopMotion(const Model<double>& model);

  bool loops() const { return set_.n_rows() > 0; }
  /// Coordinates that drive; of a tree all.
  const Array<int>& driven() const { return driven_; }

  /// Of each sample: G, n_v x driven.
  using Ratios = std::vector<Matrix>;
  /// The whole motion of one of the driven coordinates; false where loops do not close.
  bool follow(const MotionSamples& own, MotionSamples& all, Ratios& G);
  /// bar_own += the slope of what has the slopes `bar` by the whole motion and `bar_G` by G.
  void add_gradient(const MotionSamples& own, const MotionSamples& all, const Ratios& G,
                    const MotionSamples& bar, const Ratios& bar_G, MotionSamples& bar_own);

 private:
  /// q_ as it was, moved to u; false where loops do not close.
  bool move(In<double> u);
  bool close(In<double> u);
  /// Of A_d at q_, factorised: the smallest pivot over the largest.
  double firmness();
  /// G at q_, where A_d is factorised.
  void ratios(Matrix& G);
  void rates(In<double> ud, In<double> udd, View<double> qd, View<double> qdd);

  const Model<double>* model_;
  ConstraintSet set_;
  AssemblyWorkspace ws_;
  OrthogonalDecomposition decomposition_;
  Array<int> driven_{}, others_{};
  Array<char> follows_{};
  Matrix A_, A_d_{};
  Array<double> home_, q_, u_, at_, before_, right_, solution_;
  double least_firmness_ = 0;
};

}  // namespace torsor::internal
