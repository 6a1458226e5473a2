#pragma once
/// Regressors that the textbook writes out: tau = Y(q, qd, v, w) p = H w + C(q, qd) v + G.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "torsor/math/view.hpp"

namespace torsor::testing {

/// Of the arm R2, p = (a1, a2, a3, b1, b2).
inline std::array<std::array<double, 5>, 2> r2_regressor(View<const double> q, View<const double> a,
                                                         View<const double> v,
                                                         View<const double> w) {
  const double c1 = std::cos(q[0]), c2 = std::cos(q[1]), s2 = std::sin(q[1]),
               c12 = std::cos(q[0] + q[1]), g = 9.81;
  return {{{w[0], c2 * (2 * w[0] + w[1]) - s2 * (a[1] * v[0] + (a[0] + a[1]) * v[1]), w[1], g * c1,
            g * c12},
           {0, c2 * w[0] + s2 * a[0] * v[0], w[0] + w[1], 0, g * c12}}};
}
/// The same five by name: a3 turns joint 2 alone, so what zz of link 2 adds to joint 1 is taken off.
inline std::vector<std::string> r2_names() {
  return {"link_1.zz", "link_2.mx.inertia", "link_2.zz - link_1.zz", "link_1.mx.gravity",
          "link_2.mx.gravity"};
}

/// Of the direct-drive arm, p as in examples 3-4 and 3-5. `misprint`: the term s2 s3 qd3 v2 of y_19
/// with the printed sign.
inline std::array<std::array<double, 9>, 3> ddarm_regressor(View<const double> q,
                                                            View<const double> a,
                                                            View<const double> v,
                                                            View<const double> w,
                                                            bool misprint = false) {
  const double c2 = std::cos(q[1]), s2 = std::sin(q[1]), c3 = std::cos(q[2]), s3 = std::sin(q[2]),
               cs2 = c2 * s2, cs3 = c3 * s3, D2 = c2 * c2 - s2 * s2, D3 = c3 * c3 - s3 * s3,
               d2 = 0.462, g = 9.81;
  const double a1 = a[0], a2 = a[1], a3 = a[2], v1 = v[0], v2 = v[1], v3 = v[2], w1 = w[0],
               w2 = w[1], w3 = w[2], sign = misprint ? 1 : -1;
  std::array<std::array<double, 9>, 3> Y{};
  Y[0] = {
      w1,
      -c2 * c2 * w1 + cs2 * a2 * v1 + cs2 * a1 * v2,
      c2 * w2 - s2 * a2 * v2,
      0,
      0,
      -s2 * s2 * s3 * s3 * w1 + s2 * cs3 * w2 - cs2 * s3 * s3 * a2 * v1 - s2 * s2 * cs3 * a3 * v1 -
          cs2 * s3 * s3 * a1 * v2 + c2 * cs3 * a2 * v2 + 0.5 * s2 * D3 * a3 * v2 -
          s2 * s2 * cs3 * a1 * v3 + 0.5 * s2 * D3 * a2 * v3,
      -2 * cs2 * c3 * w1 - c2 * s3 * w2 + s2 * c3 * w3 - D2 * c3 * a2 * v1 + cs2 * s3 * a3 * v1 -
          D2 * c3 * a1 * v2 + s2 * s3 * a2 * v2 + cs2 * s3 * a1 * v3 - s2 * s3 * a3 * v3,
      c2 * c2 * w1 - c2 * w3 - cs2 * a2 * v1 - cs2 * a1 * v2 + 0.5 * s2 * a3 * v2 +
          0.5 * s2 * a2 * v3,
      2 * d2 * s3 * w1 -
          d2 * (s2 * c3 * w2 + c2 * s3 * w3 - c3 * a3 * v1 + c2 * c3 * a2 * v2 +
                sign * s2 * s3 * a3 * v2 - c3 * a1 * v3 - s2 * s3 * a2 * v3 + c2 * c3 * a3 * v3)};
  Y[1] = {0,
          -cs2 * a1 * v1,
          c2 * w1,
          w2,
          -g * s2,
          s2 * cs3 * w1 - c3 * c3 * w2 + cs2 * s3 * s3 * a1 * v1 + 0.5 * s2 * D3 * a3 * v1 +
              cs3 * a3 * v2 + 0.5 * s2 * D3 * a1 * v3 + cs3 * a2 * v3,
          -c2 * s3 * w1 + s3 * w3 + D2 * c3 * a1 * v1 - c2 * c3 * a3 * v1 - c2 * c3 * a1 * v3 +
              c3 * a3 * v3,
          cs2 * a1 * v1 - 0.5 * s2 * a3 * v1 - 0.5 * s2 * a1 * v3,
          -d2 * s2 * c3 * w1 + g * c2 * c3};
  Y[2] = {
      0,
      0,
      0,
      0,
      0,
      s2 * s2 * cs3 * a1 * v1 - 0.5 * s2 * D3 * a2 * v1 - 0.5 * s2 * D3 * a1 * v2 - cs3 * a2 * v2,
      s2 * c3 * w1 + s3 * w2 - cs2 * s3 * a1 * v1 + c2 * c3 * a2 * v1 + c2 * c3 * a1 * v2,
      -c2 * w1 + w3 + 0.5 * s2 * a2 * v1 + 0.5 * s2 * a1 * v2,
      -d2 * c2 * s3 * w1 - d2 * c3 * a1 * v1 - g * s2 * s3};
  return Y;
}
inline std::vector<std::string> ddarm_names() {
  return {"link_1.zz",  "-link_2.yy", "link_2.yz", "link_2.zz", "link_2.my",
          "-link_3.yy", "link_3.xz",  "link_3.zz", "link_3.mx"};
}
/// Huo 2005, example 3-1.
inline std::vector<double> ddarm_parameters() {
  return {13.0315, 0.4147, -1.3526, 0.8632, 3.0813, -0.2735, -0.0166, 0.39, 0.3108};
}

/// Ten for each link that have these nine exactly: link 2 is no possible body.
inline std::vector<double> ddarm_links() {
  return {0,  0,      0, 0,       0,   0, 0,      0,       0,         7.76262,  // link_1
          0,  0,      0, 0,       0.4, 0, 0.5853, 0,       0.0709606, 0.2632,   // link_2
          20, 0.3108, 0, -3.0813, 0.6, 0, 0.8735, -0.0166, 0,         0.39};    // link_3
}

}  // namespace torsor::testing
