#pragma once
/// Robots with given base parameters, and bounds of their regressors for every configuration, as
/// Huo 2005, sec. 3.10 and 3.11 use them.
#include <cmath>

#include "control/textbook_regressors.hpp"
#include "torsor/control/uncertain/regressor_bound.hpp"
#include "torsor/model/inertial_parameters.hpp"

namespace torsor::testing {

/// p = (a1, a2, a3, b1, b2) of R2.
inline std::vector<double> r2_parameters() { return {5.0 / 3, 0.5, 1.0 / 3, 1.5, 0.5}; }
inline std::vector<double> times(double factor, std::vector<double> x) {
  for (double& y : x) y *= factor;
  return x;
}
/// R2 with other base parameters; a2 = b2 (1 m long links).
inline Model<double> r2_with(const Model<double>& arm, const std::vector<double>& p) {
  std::vector<double> links(20);
  links[0] = links[10] = 1;                         // kg
  links[1] = p[3] - 1, links[9] = p[0] - p[2] - 1;  // link_1.mx, zz
  links[11] = p[1], links[19] = p[2];               // link_2.mx, zz
  return with_parameters(arm, links);
}
/// The direct-drive arm with other base parameters, in the order of example 3-4.
inline Model<double> ddarm_with(const Model<double>& arm, const std::vector<double>& p) {
  std::vector<double> x(30);
  const double d2 = 0.462, xx2 = 0.4, xx3 = 0.6, m3 = 20;
  x[9] = p[0] - xx2 - xx3 - d2 * d2 * m3;
  x[14] = xx2, x[16] = xx2 + xx3 - p[1], x[18] = p[2] + d2 * p[4], x[19] = p[3] - xx3;
  x[20] = m3, x[21] = p[8], x[23] = -p[4];
  x[24] = xx3, x[26] = xx3 - p[5], x[27] = p[6], x[29] = p[7];
  return with_parameters(arm, x);
}

/// Section 3.10: every sine and cosine of R2's regressor is 1.
inline void r2_bound(View<const double>, View<const double> a, View<const double> v,
                     View<const double> w, MatrixView<double> Y) {
  const double g = 9.81;
  const double row[2][5] = {
      {std::abs(w[0]),
       2 * std::abs(w[0]) + std::abs(w[1]) + std::abs(a[1] * v[0]) +
           (std::abs(a[0]) + std::abs(a[1])) * std::abs(v[1]),
       std::abs(w[1]), g, g},
      {0, std::abs(w[0]) + std::abs(a[0] * v[0]), std::abs(w[0]) + std::abs(w[1]), 0, g}};
  for (int r = 0; r < 2; ++r)
    for (int c = 0; c < 5; ++c) Y(r, c) = row[r][c];
}
/// Example 3-5: the same for the direct-drive arm, term by term.
inline void ddarm_bound(View<const double>, View<const double> a, View<const double> v,
                        View<const double> w, MatrixView<double> Y) {
  const double g = 9.81, d2 = 0.462;
  const double w1 = std::abs(w[0]), w2 = std::abs(w[1]), w3 = std::abs(w[2]);
  const auto av = [&](int i, int j) { return std::abs(a[i - 1] * v[j - 1]); };
  const double row[3][9] = {
      {w1, w1 + av(2, 1) + av(1, 2), w2 + av(2, 2), 0, 0,
       w1 + w2 + av(2, 1) + av(3, 1) + av(1, 2) + av(2, 2) + av(3, 2) / 2 + av(1, 3) + av(2, 3) / 2,
       2 * w1 + w2 + w3 + av(2, 1) + av(3, 1) + av(1, 2) + av(2, 2) + av(1, 3) + av(3, 3),
       w1 + w3 + av(2, 1) + av(1, 2) + av(3, 2) / 2 + av(2, 3) / 2,
       2 * d2 * w1 +
           d2 * (w2 + w3 + av(3, 1) + av(2, 2) + av(3, 2) + av(1, 3) + av(2, 3) + av(3, 3))},
      {0, av(1, 1), w1, w2, g,
       w1 + w2 + av(1, 1) + av(3, 1) / 2 + av(3, 2) + av(1, 3) / 2 + av(2, 3),
       w1 + w3 + av(1, 1) + av(3, 1) + av(1, 3) + av(3, 3), av(1, 1) + av(3, 1) / 2 + av(1, 3) / 2,
       d2 * w1 + g},
      {0, 0, 0, 0, 0, av(1, 1) + av(2, 1) / 2 + av(1, 2) / 2 + av(2, 2),
       w1 + w2 + av(1, 1) + av(2, 1) + av(1, 2), w1 + w3 + av(2, 1) / 2 + av(1, 2) / 2,
       d2 * w1 + d2 * av(1, 1) + g}};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 9; ++c) Y(r, c) = row[r][c];
}
/// Example 3-5: what is believed, and by how much it can be wrong.
inline std::vector<double> ddarm_believed() {
  return {12, 0.4, -1.2, 0.7, 2.8, -0.3, -0.01, 0.35, 0.35};
}
inline std::vector<double> ddarm_half_width() {
  return {2, 0.2, 0.4, 0.4, 0.5, 0.1, 0.01, 0.1, 0.1};
}

}  // namespace torsor::testing
