#pragma once
/// Derivatives of sampled signals by central differences.
///
///   x'_k = sum_j w_j x_{k+j} / period,   j = -points / 2 ... points / 2      exact for polynomials of
///   degree < points, an error of (2 pi f period)^(points - 1) relative at the frequency f
///
/// At the ends five samples are used, from one side.
///
/// Cost     2 points operations a number.
/// Source   Fornberg 1988 (weights on any samples).
#include "torsor/identification/signal/low_pass.hpp"

namespace torsor {

/// Derivative 1 or 2 of every column; rows are samples of one stretch, at least `points` of them.
void differentiate(InMatrix<double> samples, double period, int derivative,
                   OutMatrix<double> result, int points = 9);

/// d/dt of the filtered columns, in place: F(x') without ever differentiating noise beyond the cut-off.
///
/// What models without acceleration need: with the energy h(q, qd) x of the robot,
///   d/dt F(h) x = F(qd^T tau)            F: zero_phase; dissipated power F(qd^T friction) beside it
/// rows of filtered_derivative(h) and of zero_phase(power) are a linear model in x without qdd.
void filtered_derivative(const LowPass& filter, OutMatrix<double> samples);

namespace internal {

/// Weights of derivative `m` at `at` from samples at `nodes`.
Array<double> difference_weights(In<double> nodes, double at, int m);

}  // namespace internal

}  // namespace torsor
