#include "torsor/identification/residual_tests.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "distributions.hpp"
#include "torsor/linear/symmetric_eigen.hpp"
#include "torsor/math/error.hpp"

namespace torsor {

using namespace internal;

namespace {

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

}  // namespace

Whiteness whiteness(In<double> series, int lags) {
  const int n = series.size;
  if (lags < 1 || n <= 2 * lags)
    throw Error("whiteness: " + std::to_string(n) + " residuals for " + std::to_string(lags) +
                " lags");
  double mean = 0, square = 0;
  for (const double e : series) mean += e / n;
  for (const double e : series) square += (e - mean) * (e - mean);
  Whiteness result;
  if (!(square > 0)) {
    result.autocorrelation.assign(lags, 0.0);
    result.verdict = "residuals are constant";
    return result;
  }
  const auto at = [&](int lag) {
    double sum = 0;
    for (int t = 0; t + lag < n; ++t) sum += (series[t] - mean) * (series[t + lag] - mean);
    return sum / square;
  };
  for (int k = 1; k <= lags; ++k) {
    const double r = at(k);
    result.autocorrelation.push_back(r);
    result.ljung_box += static_cast<double>(n) * (n + 2) * r * r / (n - k);
  }
  for (int k = 0; k + 1 < n / 2; k += 2) {
    const double pair = (k == 0 ? 1 : at(k)) + at(k + 1);
    if (pair <= 0) break;
    result.rows_per_independent += 2 * pair - (k == 0 ? 2 : 0);
  }
  result.rows_per_independent = std::max(1.0, result.rows_per_independent);
  result.p_value = 1 - chi_squared_probability(result.ljung_box, lags);
  result.white = result.p_value > 0.01;
  result.verdict = result.white
                       ? "residuals are white as far as " + std::to_string(lags) +
                             " lags show (p = " + number(result.p_value) + ")"
                       : "residuals are not white: about " + number(result.rows_per_independent) +
                             " rows count as one, and classical deviations are too small";
  return result;
}

HausmanTest hausman_test(In<double> x_ls, InMatrix<double> C_ls, In<double> x_iv,
                         InMatrix<double> C_iv) {
  const int n = x_ls.size;
  if (x_iv.size != n || C_ls.rows != n || C_ls.cols != n || C_iv.rows != n || C_iv.cols != n)
    throw Error("Hausman test: estimates of " + std::to_string(n) + " and " +
                std::to_string(x_iv.size) + " unknowns, covariances of " +
                std::to_string(C_ls.rows) + " and " + std::to_string(C_iv.rows));
  // In units of the deviations of the instruments, so that unknowns of all units count alike.
  Matrix difference(n, n);
  Array<double> d(n), unit(n);
  for (int k = 0; k < n; ++k) {
    unit[k] = C_iv(k, k) > 0 ? 1 / std::sqrt(C_iv(k, k)) : 0;
    d[k] = (x_iv[k] - x_ls[k]) * unit[k];
  }
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) difference(r, c) = (C_iv(r, c) - C_ls(r, c)) * unit[r] * unit[c];
  SymmetricEigen eigen(n);
  eigen.factorise(difference);
  HausmanTest result;
  for (int k = 0; k < n; ++k) {
    if (eigen.value(k) < 1e-6) continue;  // there the instruments are as good: no test
    double along = 0;
    for (int r = 0; r < n; ++r) along += eigen.vector(r, k) * d[r];
    result.statistic += along * along / eigen.value(k);
    ++result.degrees;
  }
  if (result.degrees > 0)
    result.p_value = 1 - chi_squared_probability(result.statistic, result.degrees);
  result.agree = result.p_value > 0.05;
  result.verdict = (result.agree ? "least squares agree with the instruments (p = "
                                 : "least squares are biased by noise in the regressor (p = ") +
                   number(result.p_value) + ", " + std::to_string(result.degrees) + " degrees)";
  return result;
}

EssentialParameters essential_parameters(const Estimate& e, double inflation, double level) {
  const int N = e.base.n_parameters(), n = e.base.size();
  if (e.covariance.rows() != n || !(inflation > 0) || !(level > 0 && level < 1))
    throw Error(
        "essential parameters: an estimate with covariance, a positive inflation and a "
        "level between 0 and 1 are needed");
  Array<double> b;
  for (const int k : e.base.kept) b.push_back(e.x[k]);
  Matrix C = e.covariance;
  Array<int> stays(n, 1);
  EssentialParameters result;
  const double free_rows = std::max(1.0, static_cast<double>(e.rows) / (inflation * inflation) - n);
  double more = 0;
  for (int round = 0; round < n; ++round) {
    int worst = -1;
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < n; ++k)
      if (stays[k] && C(k, k) > 0 && b[k] * b[k] / C(k, k) < least)
        least = b[k] * b[k] / C(k, k), worst = k;
    if (worst < 0) break;
    const double next = more + least / (inflation * inflation);
    const double p = 1 - f_probability(next / (round + 1), round + 1, free_rows);
    if (p < level) break;
    more = next;
    result.p_value = p;
    stays[worst] = 0;
    result.left_out.push_back(e.base.kept[worst]);
    Array<double> column(n);
    for (int k = 0; k < n; ++k) column[k] = C(k, worst);
    const double own = column[worst], value = b[worst];
    for (int r = 0; r < n; ++r) {
      b[r] -= column[r] * value / own;
      for (int c = 0; c < n; ++c) C(r, c) -= column[r] * column[c] / own;
    }
    b[worst] = 0;
  }
  result.x.assign(N, 0.0);
  result.sigma.assign(N, std::numeric_limits<double>::infinity());
  for (int k = 0; k < n; ++k) {
    if (!stays[k]) continue;
    result.essential.push_back(e.base.kept[k]);
    result.x[e.base.kept[k]] = b[k];
    result.sigma[e.base.kept[k]] = inflation * std::sqrt(std::max(0.0, C(k, k)));
  }
  return result;
}

}  // namespace torsor
