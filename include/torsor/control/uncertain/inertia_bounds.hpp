#pragma once
/// Bounds of the inertia matrix over all configurations: l_m <= eigenvalues of H(q) <= l_M.
///
/// Proofs ask for them (Huo 2005, (3-112), decay rates, integral gains). They are found by drawing
/// configurations and descending from the best ones, coordinate by coordinate: exact at smooth
/// extremes that the draws come near, so a number for certificates, not a proof.
///
/// Limits   Angles are searched through a whole turn: a limit in a file keeps no joint. With
///          `within_limits` (a run with stops) they stay within theirs. Sliding joints stay within
///          their limits, or within a metre either way.
/// Cost     samples + some hundred evaluations of H and its eigenvalues; allocates.
#include "torsor/model/model.hpp"

namespace torsor {

struct InertiaBounds {
  double smallest = 0, largest = 0;  ///< of the eigenvalues, rotors included
  int samples = 0;
};
InertiaBounds inertia_bounds(const Model<double>& model, int samples = 512,
                             bool within_limits = false);

}  // namespace torsor
