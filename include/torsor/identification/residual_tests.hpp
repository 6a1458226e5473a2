#pragma once
/// Tests on residuals and estimates: whiteness, least squares against instruments, essential
/// parameters.
///
///   autocorrelation   r_k = sum_t (e_t - m)(e_(t+k) - m) / sum_t (e_t - m)^2
///   Ljung-Box         Q = n (n + 2) sum_(k <= L) r_k^2 / (n - k)             chi^2 of L when white
///   rows per one      1 + 2 sum_k r_k, over pairs while they stay positive   (Geyer)
///   Durbin-Wu-Hausman H = d^T (C_iv - C_ls)^+ d,  d = x_iv - x_ls            chi^2 of its rank
///   F-test            F = (S_reduced - S) / (k S / (rows - n)) / inflation^2   k unknowns left out
///
/// Leaving unknown k out raises S by x_k^2 / C_kk (in units of the noise): the one of largest
/// relative sigma goes first, and x and C of the others follow without another fit.
///
/// Source   Ljung & Box 1978; Geyer 1992; Hausman 1978; Janot, Vandanjon & Gautier 2014; Khalil &
///          Dombre
///          2002, sec. 12.4 (essential parameters).
#include "torsor/identification/estimate.hpp"

namespace torsor {

struct Whiteness {
  Array<double> autocorrelation{};  ///< at lags 1, 2, ...
  double ljung_box = 0;
  double p_value = 1;  ///< of a white series to be as far from white
  double rows_per_independent = 1;
  bool white = true;    ///< at 1 per cent
  std::string verdict;  ///< one sentence
};

/// Of residuals equally spaced in time. Throws Error for a series that is not longer than the lags.
Whiteness whiteness(In<double> series, int lags = 20);

struct HausmanTest {
  double statistic = 0;
  int degrees = 0;
  double p_value = 1;
  bool agree = true;    ///< at 5 per cent: least squares have no bias that the instruments see
  std::string verdict;  ///< one sentence
};

/// Both of the same unknowns; covariances of the same noise.
HausmanTest hausman_test(In<double> x_ls, InMatrix<double> covariance_ls, In<double> x_iv,
                         InMatrix<double> covariance_iv);

struct EssentialParameters {
  Array<int> essential{};      ///< unknowns that stay, ascending
  Array<int> left_out{};       ///< determined ones that do not, in the order in which they went
  Array<double> x{}, sigma{};  ///< N; zero and infinite where left out
  double p_value = 1;          ///< of the F-test of all that were left out
};

/// Leaves unknowns out while the F-test of all left out so far stays above `level`. Inflation: of
/// the classical deviations (uncertainty.hpp), so that correlated rows do not count one by one.
EssentialParameters essential_parameters(const Estimate& estimate, double inflation = 1,
                                         double level = 0.05);

}  // namespace torsor
