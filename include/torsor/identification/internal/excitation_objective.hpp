#pragma once
/// What excitation minimises, by itself: the criterion with its barriers as a function of coefficients.
#include <functional>

#include "torsor/identification/excitation.hpp"

namespace torsor::internal {

struct ExcitationObjective {
  Array<double>
      start;  ///< coefficients of a random motion within the limits; empty: none was found
  /// The value, and the gradient as it is used. Infinite beyond a limit.
  std::function<double(In<double> z, Out<double> gradient)> value;
};

/// `power` s of the criterion, 0 for d_optimal; `mu` of the barriers. Model and options outlive it.
ExcitationObjective excitation_objective(const Model<double>& model,
                                         const ExcitationOptions& options, int power, double mu);

}  // namespace torsor::internal
