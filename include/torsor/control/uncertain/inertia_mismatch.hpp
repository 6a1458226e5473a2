#pragma once
/// How far the believed inertia matrix Hhat can be from the true one, over all configurations and
/// all robots that the stated uncertainty allows.
///
///   |I - H^-1 Hhat| <= A,   |H^-1| <= W            entry by entry: sliding_computed_torque.hpp
///   ||H^-1 Hhat - I||_2 <= alpha < 1,   ||H^-1||_2 <= alpha_2          (3-114), (3-117): robust
///
/// Robots   A list of models, or the corners of |p_j - phat_j| <= a_j: all of them for up to ten
///          parameters that H depends on, 1024 drawn ones for more.
/// Search   Configurations are drawn, angles from a whole turn (inertia_bounds.hpp), then climbed
///          from the worst, entry by entry; of thirty velocities and more the draws have to
///          do. Numbers for certificates, not a proof.
/// Cost     samples x robots inversions of n x n; allocates. For the constructor of a law.
/// Source   Huo 2005, sec. 3.10 and 3.11, lemma 3-3.
#include "torsor/control/uncertain/inertia_bounds.hpp"
#include "torsor/control/uncertain/parameter_set.hpp"

namespace torsor {

struct InertiaMismatch {
  int n = 0;
  Array<double> A, W;  ///< n x n by rows
  double alpha = 0, alpha_2 = 0;
  int configurations = 0, robots = 0;
  bool indefinite = false;  ///< some H is not positive definite: no bound exists, all are infinite

  /// Largest |eigenvalue| of A: below 1, bounds of computed torque laws are consistent.
  double spectral_radius() const;
  /// "256 configurations and 512 robots sampled".
  std::string note() const;
};

struct MismatchOptions {
  int samples = 256;
  double constant_inertia = 0;  ///< > 0: Hhat is this times the unit matrix
  bool within_limits = false;   ///< of the joints: those of a run with stops
};

/// `believed` and `robots` have the same joints.
InertiaMismatch inertia_mismatch(const Model<double>& believed,
                                 const std::vector<Model<double>>& robots,
                                 const MismatchOptions& options = {});
/// The believed model is the set's; one half width for each of its parameters.
InertiaMismatch inertia_mismatch(ParameterSet& set, In<double> half_width,
                                 const MismatchOptions& options = {});

/// Lemma 3-3: with l_1 <= H <= l_2 the constant matrix Hhat = 2 / (1/l_1 + 1/l_2) I keeps
/// ||H^-1 Hhat - I|| <= alpha = (l_2 - l_1) / (l_2 + l_1) < 1.
struct ConstantInertia {
  double inertia = 0, alpha = 0;
};
ConstantInertia constant_inertia(const InertiaBounds& bounds);

}  // namespace torsor
