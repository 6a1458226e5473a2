#pragma once
/// Parameters of bodies that can exist, near the data and near a prior.
///
///   min |R x - r|^2 + gamma sum_b D(P_b | P0_b) + gamma sum_k d(x_k | x0_k)
///   D(P | P0) = tr(P P0^-1) - log det(P P0^-1) - 4,      d(y | y0) = y / y0 - log(y / y0) - 1
///   P = [Sigma h; h^T m],  Sigma = tr(J)/2 - J           pseudo-inertia of a body's ten
///   sum_b m_b = M,  least < m_b < largest,  tr(P_b Q_b) > 0,   each bound as -gamma log(...)
///
/// P > 0 exactly where some distribution of mass has these parameters; D is the divergence of the
/// distributions, whatever the units and frames. d is for what cannot be negative: viscous and
/// Coulomb friction, rotors, stiffness, damping. Others are held by (x - x0)^2 / w^2, w the value
/// that would explain all torque. The sum is convex: Newton's method along a falling gamma, on it
/// and its dual. All ten of every body come out, also where the data says nothing: the prior
/// decides there. Q is of an ellipsoid that contains the mass: 1 - (r - c)^T S^-1 (r - c),
/// integrated over the body.
///
/// Units    Rows weighted by 1 / noise (stacked with 1 / Estimate::noise), so that gamma is
///          against chi^2.
/// Cost     20 to 35 Newton steps of N^3 / 6 + 10 N^2 each; allocates.
/// Source   Traversaro, Brossette, Escande & Nori 2016; Wensing, Kim & Slotine 2018; Lee & Park
///          2018; Boyd & Vandenberghe 2004, ch. 11; Nesterov & Todd 1998; Mehrotra 1992.
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "torsor/identification/compressed_log.hpp"
#include "torsor/math/vec3.hpp"

namespace torsor {

/// What is known of a link beside the prior.
struct LinkKnowledge {
  std::string link;
  double least_mass = 0, largest_mass = std::numeric_limits<double>::infinity();  ///< kg
  Vec3<double> centre{}, half_axes{};  ///< m: an ellipsoid that contains the mass; 0: none
};

struct ConsistencyOptions {
  double gamma = 1e-3;
  double total_mass = 0;        ///< kg, of all bodies among the unknowns; 0: not known
  double total_mass_sigma = 0;  ///< kg; 0: exactly
  std::vector<LinkKnowledge> links{};
  bool nonnegative = true;  ///< friction, rotors, stiffness and damping
};

struct ConsistentEstimate {
  Array<double> x{};
  double gamma = 0;
  double mass = 0;  ///< kg, of all bodies

  // Certificate.
  bool converged = false;
  int newton_steps = 0;
  double decrement = 0;  ///< Newton's, squared, over gamma: below 1e-6 at an optimum
  double gradient = 0;   ///< of the sum over that of its parts, in the coordinates of the steps
  double gap = 0;        ///< |R x - r|^2 is at most this far above the optimum without -log
  std::vector<std::string> bodies{};
  Array<double> smallest_eigenvalue{};  ///< of P, body by body; positive
  Array<double> margin{};               ///< of P0^-1 P: small at the border of what can exist

  double squared_residual = 0, least_squared_residual = 0;  ///< here, and without any condition
  std::vector<std::string> notes{};
};

/// P of ten parameters, by rows.
std::array<double, 16> pseudo_inertia(In<double> p);

/// `factor` has the columns of the names, then tau. Throws Error for conditions that contradict
/// each other, a prior that is not finite, links that are not among the names.
ConsistentEstimate consistent_estimate(const RowFactor& factor,
                                       const std::vector<std::string>& names, In<double> prior,
                                       const ConsistencyOptions& options = {});

struct GammaChoice {
  double gamma = 0;
  Array<double> gammas{};  ///< tried, falling
  Array<double> errors{};  ///< per cent, of the weighted torques left out
};

/// Cross-validation: each part of the blocks (`folds` stretches, or each log where there are
/// several and `by_log`) is predicted from the others. Picks the largest gamma whose error is
/// within one standard error, or one per cent, of the least.
GammaChoice choose_gamma(const CompressedLog& log, In<double> weights, In<double> prior,
                         const ConsistencyOptions& options = {}, int folds = 5,
                         bool by_log = false);

}  // namespace torsor
