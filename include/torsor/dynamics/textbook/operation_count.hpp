#pragma once
/// Multiplications and additions of the algorithms of Huo 2005 for a chain of n joints.
///
///   inverse dynamics   4x4 Lagrange recursion    830 n - 592                  675 n - 464
///                      Newton-Euler recursion    150 n - 48                   131 n - 48
///   forward dynamics   b = C qd + G              137 n - 22                   101 n - 11
///                      H by composite bodies     12 n^2 + 56 n - 27           7 n^2 + 67 n - 53
///                      triangular solution       (n^3 + 9 n^2 - 4 n) / 6   (n^3 + 6 n^2 - 7 n) / 6
///
/// They count a program that leaves out every product with a constant zero; for comparing
/// algorithms, not for predicting times: benchmarks/ measures those.
///
/// Source   Huo 2005, tables 2-2 and 2-3.
#include "torsor/math/counted.hpp"

namespace torsor {

constexpr OperationCount lagrange_operations(long n) { return {830 * n - 592, 675 * n - 464}; }
constexpr OperationCount newton_euler_operations(long n) { return {150 * n - 48, 131 * n - 48}; }
constexpr OperationCount bias_operations(long n) { return {137 * n - 22, 101 * n - 11}; }
constexpr OperationCount mass_matrix_operations(long n) {
  return {12 * n * n + 56 * n - 27, 7 * n * n + 67 * n - 53};
}
constexpr OperationCount triangular_solution_operations(long n) {
  return {(n * n * n + 9 * n * n - 4 * n) / 6, (n * n * n + 6 * n * n - 7 * n) / 6};
}
constexpr OperationCount forward_dynamics_operations(long n) {
  return bias_operations(n) + mass_matrix_operations(n) + triangular_solution_operations(n);
}

}  // namespace torsor
