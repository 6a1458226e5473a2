#pragma once
/// The embedded pair of Dormand and Prince of order 5(4), with Shampine's dense output of order 4.
///
/// Numbers are the published ones; tests hold them to the order conditions and to the order.
/// Source   Dormand & Prince 1980; Shampine 1986; Hairer, Norsett & Wanner 1993, sec. II.5, II.6.

namespace torsor {

struct DormandPrince5 {
  static constexpr int order = 5;
  static constexpr int stages = 6;        ///< of a step; the next one is f at its end
  static constexpr int total_stages = 7;  ///< with those of the dense output
  static constexpr int error_stages = 7;  ///< that the error estimates use
  static constexpr int error_rows = 1;
  static constexpr int dense_rows = 1;
  static constexpr double shrink = 0.2, grow = 10, smoothing = 0.04;

  static constexpr double c[7] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
  static constexpr double a[7][6] = {
      {},
      {1.0 / 5},
      {3.0 / 40, 9.0 / 40},
      {44.0 / 45, -56.0 / 15, 32.0 / 9},
      {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
      {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
      {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
  static constexpr double error[1][7] = {
      {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40}};
  static constexpr double dense[1][7] = {
      {-12715105075.0 / 11282082432, 0, 87487479700.0 / 32700410799, -10690763975.0 / 1880347072,
       701980252875.0 / 199316789632, -1453857185.0 / 822651844, 69997945.0 / 29380423}};
};

}  // namespace torsor
