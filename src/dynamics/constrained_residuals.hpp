#pragma once
/// The equations of constrained dynamics, differentiated at fixed accelerations and multipliers.
#include "torsor/dynamics/constrained_derivatives.hpp"

namespace torsor {

/// Which of the state is varied, and which entry of it.
enum class Vary : unsigned char { q, qd, qdd };

/// dR1 (ws.residual), dR2 (ws.row_residual) and d(A v) (ws.dA) along one direction, at fixed qdd
/// and lambda. An empty v: no dA.
void residuals(const Model<double>& model, const ConstraintSet& set,
               ConstrainedDerivativeWorkspace& ws, Vary vary, int k, In<double> q, In<double> qd,
               In<double> qdd, In<double> lambda, In<Wrench<double>> F_ext, In<double> v,
               const Baumgarte& poles);

}  // namespace torsor
