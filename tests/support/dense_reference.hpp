#pragma once
/// Plain dense matrices in extended precision: the slow, obvious other way to compute what the
/// groups compute. Power series only; nothing here comes from the library but the numbers put in.
#include <array>

#include "torsor/math/inertia.hpp"

namespace torsor::testing {

using Extended = long double;

template <int N>
struct Dense {
  std::array<std::array<Extended, N>, N> at{};

  Extended& operator()(int r, int c) {
    return at[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
  }
  Extended operator()(int r, int c) const {
    return at[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
  }
  static Dense identity() {
    Dense one;
    for (int k = 0; k < N; ++k) one(k, k) = 1;
    return one;
  }
};
template <int N>
Dense<N> operator*(const Dense<N>& a, const Dense<N>& b) {
  Dense<N> c;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      for (int k = 0; k < N; ++k) c(i, j) += a(i, k) * b(k, j);
  return c;
}
template <int N>
Dense<N> operator*(const Dense<N>& a, Extended s) {
  Dense<N> c;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) c(i, j) = a(i, j) * s;
  return c;
}
template <int N>
Dense<N> operator+(const Dense<N>& a, const Dense<N>& b) {
  Dense<N> c;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) c(i, j) = a(i, j) + b(i, j);
  return c;
}
template <int N>
Dense<N> transpose(const Dense<N>& a) {
  Dense<N> c;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) c(i, j) = a(j, i);
  return c;
}
/// sum_k A^k / (k + shift)!: the exponential (shift 0) and (e^A - 1) / A (shift 1).
template <int N>
Dense<N> exponential_series(const Dense<N>& a, int shift = 0) {
  Dense<N> term = Dense<N>::identity(), sum = term;
  for (int k = 1; k < 70; ++k) {
    term = term * a * (Extended(1) / Extended(k + shift));
    sum = sum + term;
  }
  return sum;
}

template <class Real>
Dense<3> dense(const Mat3<Real>& m) {
  Dense<3> d;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) d(r, c) = m(r, c);
  return d;
}
template <class Real>
Dense<4> dense(const SE3<Real>& T) {
  Dense<4> d = Dense<4>::identity();
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) d(r, c) = T.R(r, c);
    d(r, 3) = T.p[r];
  }
  return d;
}
/// The element of se(3) as a 4x4 matrix.
template <class Real>
Dense<4> dense(const Twist<Real>& x) {
  Dense<4> d;
  const Mat3<Real> W = skew(x.w);
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) d(r, c) = W(r, c);
    d(r, 3) = x.v[r];
  }
  return d;
}
inline void set_block(Dense<6>& d, int row, int col, const Mat3<double>& m) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) d(row + r, col + c) = m(r, c);
}
/// Kim 2012, (7) and (27), as printed.
inline Dense<6> dense_Ad(const SE3<double>& T) {
  Dense<6> d;
  set_block(d, 0, 0, T.R);
  set_block(d, 3, 0, skew(T.p) * T.R);
  set_block(d, 3, 3, T.R);
  return d;
}
inline Dense<6> dense_ad(const Twist<double>& V) {
  Dense<6> d;
  set_block(d, 0, 0, skew(V.w));
  set_block(d, 3, 0, skew(V.v));
  set_block(d, 3, 3, skew(V.w));
  return d;
}
inline Dense<6> dense(const ArticulatedInertia<double>& I) {
  Dense<6> d;
  set_block(d, 0, 0, I.A.matrix());
  set_block(d, 0, 3, I.B);
  set_block(d, 3, 0, transpose(I.B));
  set_block(d, 3, 3, I.D.matrix());
  return d;
}
inline Twist<double> operator*(const Dense<6>& a, const Twist<double>& x) {
  const double in[6] = {x.w.x, x.w.y, x.w.z, x.v.x, x.v.y, x.v.z};
  Extended out[6]{};
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 6; ++c) out[r] += a(r, c) * in[c];
  return {{double(out[0]), double(out[1]), double(out[2])},
          {double(out[3]), double(out[4]), double(out[5])}};
}
inline Wrench<double> operator*(const Dense<6>& a, const Wrench<double>& F) {
  const Twist<double> y = a * Twist<double>{F.m, F.f};
  return {y.w, y.v};
}
template <int N>
double distance(const Dense<N>& a, const Dense<N>& b) {
  Extended d = 0;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      const Extended x = a(i, j) - b(i, j), size = x < 0 ? -x : x;
      if (!(size <= d)) d = size;
    }
  return static_cast<double>(d);
}

}  // namespace torsor::testing
