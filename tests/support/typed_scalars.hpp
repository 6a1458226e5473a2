#pragma once
/// One test body for every scalar: double, float, Dual, Pack.
///
/// A drawn Pack has another number in each lane and a drawn Dual has derivatives, so that a law
/// checked with `EXPECT_CLOSE` holds in every lane and for the derivatives too.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "torsor/math/dual.hpp"
#include "torsor/math/inertia.hpp"
#include "torsor/math/pack.hpp"

namespace torsor::testing {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/// Faults of memory are those of double; the other scalars would take minutes a file to compile.
using Scalars = ::testing::Types<double>;
#else
using Scalars = ::testing::Types<double, float, Dual<double, 2>, Pack<double, 4>>;
#endif

/// For the second argument of TYPED_TEST_SUITE's names: readable test lists.
struct ScalarNames {
  template <class Real>
  static std::string GetName(int) {
    if constexpr (internal::is_dual<Real>) return "Dual";
    if constexpr (internal::is_pack<Real>) return "Pack";
    return std::is_same_v<Real, float> ? "float" : "double";
  }
};

template <class Real>
using ValueOf = typename ScalarTraits<Real>::Value;
template <class Real>
inline constexpr double eps = static_cast<double>(ScalarTraits<Real>::epsilon);

/// Reproducible draws in [low, high), the same on every machine.
template <class Real>
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}

  Real operator()(double low = -1, double high = 1) {
    Real x(plain(low, high));
    if constexpr (internal::is_dual<Real>) {
      for (auto& d : x.d) d = plain(-1, 1);
    } else if constexpr (internal::is_pack<Real>) {
      for (int lane = 1; lane < ScalarTraits<Real>::lanes; ++lane) x.set(lane, plain(low, high));
    }
    return x;
  }
  Vec3<Real> vec(double size = 1) {
    return {(*this)(-size, size), (*this)(-size, size), (*this)(-size, size)};
  }
  Vec3<Real> unit() {
    Vec3<Real> a = vec();
    a.x = a.x + copysign(Real(0.1), a.x);  // never too short to normalise
    return normalised(a);
  }
  Twist<Real> twist(double size = 1) { return {vec(size), vec(size)}; }
  Wrench<Real> wrench(double size = 1) { return {vec(size), vec(size)}; }
  SO3<Real> rotation(double angle = 3) { return exp(unit() * (*this)(-angle, angle)); }
  SE3<Real> pose(double angle = 3) { return {rotation(angle), vec()}; }
  Sym3<Real> sym() { return {(*this)(), (*this)(), (*this)(), (*this)(), (*this)(), (*this)()}; }
  Mat3<Real> mat() { return {vec(), vec(), vec()}; }
  /// Of a possible body: principal moments from second moments, which are positive.
  Inertia<Real> inertia() {
    const Real a = (*this)(0.1, 1), b = (*this)(0.1, 1), c = (*this)(0.1, 1);
    const Real o(0);
    const Sym3<Real> principal{b + c, o, a + c, o, o, a + b};
    return Inertia<Real>::at_com((*this)(0.5, 2), vec(), rotated(rotation(), principal));
  }
  ArticulatedInertia<Real> articulated() { return {sym(), mat(), sym()}; }

 private:
  ValueOf<Real> plain(double low, double high) {
    const double u = static_cast<double>(engine_() >> 11) * 0x1p-53;
    return static_cast<ValueOf<Real>>(low + (high - low) * u);
  }
  std::mt19937_64 engine_;
};

/// Angles around everything that a rotation algorithm may switch on, none beyond pi.
template <class Real>
std::vector<ValueOf<Real>> angle_battery() {
  using Value = ValueOf<Real>;
  constexpr double pi = std::numbers::pi;
  std::vector<Value> angles;
  for (double a : {0.0, 1e-12, 1e-8, 1e-4, 0.0316, 0.0633, 0.3, 0.999999, 1.0, 1.000001, 1.5, 2.0,
                   3.0, pi - 1e-4, pi - 1e-8, pi - 1e-12, pi}) {
    Value angle = static_cast<Value>(a);
    if (static_cast<double>(angle) > pi)
      angle = std::nextafter(angle, Value(0));  // float's pi is above
    angles.push_back(angle);
  }
  return angles;
}

/// The largest difference of the values and derivatives; NaN counts as infinite.
inline double distance(double a, double b) {
  const double d = std::abs(a - b);
  return d >= 0 ? d : std::numeric_limits<double>::infinity();
}
inline double distance(float a, float b) {
  return distance(static_cast<double>(a), static_cast<double>(b));
}
template <class Real, int W>
double distance(const Pack<Real, W>& a, const Pack<Real, W>& b) {
  double d = 0;
  for (int lane = 0; lane < W; ++lane) d = std::max(d, distance(a[lane], b[lane]));
  return d;
}
template <class Real, int N>
double distance(const Dual<Real, N>& a, const Dual<Real, N>& b) {
  double d = distance(a.value, b.value);
  for (int i = 0; i < N; ++i) d = std::max(d, distance(a.d[i], b.d[i]));
  return d;
}
template <class Real>
double distance(const Vec3<Real>& a, const Vec3<Real>& b) {
  return std::max({distance(a.x, b.x), distance(a.y, b.y), distance(a.z, b.z)});
}
template <class Real>
double distance(const Mat3<Real>& a, const Mat3<Real>& b) {
  return std::max({distance(a.c0, b.c0), distance(a.c1, b.c1), distance(a.c2, b.c2)});
}
template <class Real>
double distance(const Sym3<Real>& a, const Sym3<Real>& b) {
  return distance(a.matrix(), b.matrix());
}
template <class Real>
double distance(const Quaternion<Real>& a, const Quaternion<Real>& b) {
  return std::max(distance(Vec3<Real>{a.x, a.y, a.z}, Vec3<Real>{b.x, b.y, b.z}),
                  distance(a.w, b.w));
}
template <class Real>
double distance(const SE3<Real>& a, const SE3<Real>& b) {
  return std::max(distance(a.R, b.R), distance(a.p, b.p));
}
template <class Real>
double distance(const Twist<Real>& a, const Twist<Real>& b) {
  return std::max(distance(a.w, b.w), distance(a.v, b.v));
}
template <class Real>
double distance(const Wrench<Real>& a, const Wrench<Real>& b) {
  return std::max(distance(a.m, b.m), distance(a.f, b.f));
}
template <class Real>
double distance(const Inertia<Real>& a, const Inertia<Real>& b) {
  return std::max({distance(a.m, b.m), distance(a.h, b.h), distance(a.J, b.J)});
}
template <class Real>
double distance(const MassMoments<Real>& a, const MassMoments<Real>& b) {
  return std::max({distance(a.m, b.m), distance(a.h, b.h), distance(a.S, b.S)});
}
template <class Real>
double distance(const ArticulatedInertia<Real>& a, const ArticulatedInertia<Real>& b) {
  return std::max({distance(a.A, b.A), distance(a.B, b.B), distance(a.D, b.D)});
}

/// The scalar at the bottom of a vector, matrix, pose, ...
template <class X>
struct ScalarOf {
  using type = X;
};
template <template <class> class Group, class Real>
struct ScalarOf<Group<Real>> {
  using type = Real;
};

}  // namespace torsor::testing

/// |a - b| <= multiple * epsilon: `multiple` is a small number times the scale of the problem.
#define EXPECT_CLOSE(a, b, multiple)       \
  EXPECT_LE(                               \
      ::torsor::testing::distance(a, b),   \
      (multiple) * ::torsor::testing::eps< \
                       typename ::torsor::testing::ScalarOf<std::decay_t<decltype(a)>>::type>)
