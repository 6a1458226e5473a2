#pragma once
/// Savitzky-Golay: a polynomial by least squares through a sliding window, or one of its derivatives.
///
///   x^(d)_k = sum_j w_j x_{k+j} / period^d,   j = -window / 2 ... window / 2
///   w_j = sum_i p_i^(d)(at) p_i(j) / |p_i|^2        p_i: orthogonal on the window, i = 0 ... degree
///
/// Exact for polynomials of that degree, at the ends too, where the polynomial of the outermost window is
/// taken.
///
/// Cost     2 window operations a number.
/// Source   Savitzky & Golay 1964.
#include "torsor/math/array.hpp"
#include "torsor/math/view.hpp"

namespace torsor {

/// Weights of the window's samples, for a derivative at its sample `at` (0 ... window - 1), period 1.
Array<double> savitzky_golay_weights(int window, int degree, int derivative, int at);

/// Rows are samples of one stretch. Throws Error for an even window, one longer than the stretch, a degree
/// that is not below the window or a derivative above the degree.
void savitzky_golay(InMatrix<double> samples, double period, int window, int degree, int derivative,
                    OutMatrix<double> result);

/// The largest odd window that keeps sqrt(1/2), -3 dB, of an amplitude at `cutoff`, Hz.
int savitzky_golay_window(int degree, double cutoff, double period);

}  // namespace torsor
