#pragma once
/// Parameters with given combinations, near a prior and physically consistent: the problem of
/// torsor/identification/write_back.hpp in plain arrays. Private to the room.
#include <array>

#include "torsor/linear/matrix.hpp"
#include "torsor/math/inertia.hpp"
#include "torsor/model/inertial_parameters.hpp"

namespace torsor::internal {

/// 4 x 4, symmetric, by rows.
using PseudoInertia = std::array<double, 16>;
/// [Sigma h; h^T m] of the ten numbers; lengths in units of `length`.
PseudoInertia pseudo_inertia(const double* ten, double length = 1);
/// Ascending.
std::array<double, 4> eigenvalues(const PseudoInertia& P);

struct DistributionProblem {
  Matrix A{};             ///< A p = b
  Array<double> b{};      ///< as many as rows
  Array<double> prior{};  ///< p of the model
  Array<double> unit{};   ///< the size of a usual change of each
  Array<int> bodies{};    ///< where the ten of a body begin
  Array<int> positive{};  ///< numbers above zero
  double length = 1;      ///< m, of the robot
};

struct Distribution {
  Array<double> p{};
  bool found = false;  ///< every body and number above zero; otherwise p is the nearest exact one
  double divergence = 0;
};

Distribution distribute(const DistributionProblem& problem);

}  // namespace torsor::internal
