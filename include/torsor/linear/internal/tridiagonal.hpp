#pragma once
/// The small linear systems of splines: tridiagonal, cyclic tridiagonal, and with 2 x 2 blocks.
///
/// Elimination without pivoting (Thomas): the rows of the cubic spline are diagonally dominant. The
/// cyclic one adds a rank-one term (Sherman and Morrison); the blocks are inverted in closed form.
/// Cost     O(n).
#include "torsor/math/array.hpp"

namespace torsor::internal::tridiagonal {

/// below[i] x[i-1] + diagonal[i] x[i] + above[i] x[i+1]; cyclic: below[0] and above[n-1] are the
/// corners.
template <class Param>
struct System {
  Array<Param> below, diagonal, above;

  explicit System(int n) : below(n), diagonal(n), above(n) {}
};

/// x: the right side, then the solution. The corners are not read.
template <class Param>
void solve(const System<Param>& rows, Array<Param>& x) {
  const int n = x.size();
  Array<Param> upper(n);
  for (int i = 0; i < n; ++i) {
    const Param none(0), before = i > 0 ? rows.below[i] : none;
    const Param pivot = rows.diagonal[i] - (i > 0 ? before * upper[i - 1] : none);
    upper[i] = rows.above[i] / pivot;
    x[i] = (x[i] - (i > 0 ? before * x[i - 1] : none)) / pivot;
  }
  for (int i = n - 2; i >= 0; --i) x[i] = x[i] - upper[i] * x[i + 1];
}

template <class Param>
void solve_cyclic(System<Param> rows, Array<Param>& x) {
  const int n = x.size(), last = n - 1;
  if (n == 1) {
    x[0] = x[0] / (rows.diagonal[0] + rows.below[0] + rows.above[0]);
    return;
  }
  const Param corner_above = rows.below[0], corner_below = rows.above[last];
  if (n == 2) {  // the corners fall on the off-diagonal entries
    rows.above[0] = rows.above[0] + corner_above;
    rows.below[1] = rows.below[1] + corner_below;
    return solve(rows, x);
  }
  const Param g = -rows.diagonal[0];
  rows.diagonal[0] = rows.diagonal[0] - g;
  rows.diagonal[last] = rows.diagonal[last] - corner_above * corner_below / g;
  Array<Param> u(n);
  u[0] = g, u[last] = corner_below;
  solve(rows, x);
  solve(rows, u);
  const Param s = corner_above / g;
  const Param f = (x[0] + s * x[last]) / (Param(1) + u[0] + s * u[last]);
  for (int i = 0; i < n; ++i) x[i] = x[i] - f * u[i];
}

template <class Param>
struct Pair {
  Param a{}, b{};
};
/// Rows (p, q) and (r, s).
template <class Param>
struct Block {
  Param p{}, q{}, r{}, s{};
};
template <class Param>
Pair<Param> operator*(const Block<Param>& m, const Pair<Param>& x) {
  return {m.p * x.a + m.q * x.b, m.r * x.a + m.s * x.b};
}
template <class Param>
Block<Param> operator*(const Block<Param>& m, const Block<Param>& x) {
  return {m.p * x.p + m.q * x.r, m.p * x.q + m.q * x.s, m.r * x.p + m.s * x.r,
          m.r * x.q + m.s * x.s};
}
template <class Param>
Block<Param> inverse(const Block<Param>& m) {
  const Param k = Param(1) / (m.p * m.s - m.q * m.r);
  return {m.s * k, -m.q * k, -m.r * k, m.p * k};
}

template <class Param>
struct BlockSystem {
  Array<Block<Param>> below, diagonal, above;
  Array<Pair<Param>> right;  ///< then the solution

  explicit BlockSystem(int n) : below(n), diagonal(n), above(n), right(n) {}
};

template <class Param>
void solve(BlockSystem<Param>& rows) {
  const int n = rows.right.size();
  for (int i = 0; i < n; ++i) {
    Block<Param>& pivot = rows.diagonal[i];
    Pair<Param>& x = rows.right[i];
    if (i > 0) {
      const Block<Param> m = rows.below[i] * rows.above[i - 1];
      const Pair<Param> y = rows.below[i] * rows.right[i - 1];
      pivot = {pivot.p - m.p, pivot.q - m.q, pivot.r - m.r, pivot.s - m.s};
      x = {x.a - y.a, x.b - y.b};
    }
    const Block<Param> k = inverse(pivot);
    rows.above[i] = k * rows.above[i];
    x = k * x;
  }
  for (int i = n - 2; i >= 0; --i) {
    const Pair<Param> y = rows.above[i] * rows.right[i + 1];
    rows.right[i] = {rows.right[i].a - y.a, rows.right[i].b - y.b};
  }
}

}  // namespace torsor::internal::tridiagonal
