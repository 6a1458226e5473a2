#pragma once
/// A number that counts what is done with it: how many operations an algorithm takes.
///
///   Counted::count = {};
///   textbook_inverse_dynamics<Counted>(table, ws, q, qd, qdd, tau);
///   Counted::count.multiplications;
///
/// Products, quotients, sums and differences with a plain number count too, zeros and ones included;
/// signs, comparisons and sines do not. One count for each thread.
#include "torsor/math/scalar.hpp"

namespace torsor {

/// Multiplications (and divisions), additions (and subtractions).
struct OperationCount {
  long multiplications = 0, additions = 0;

  friend constexpr bool operator==(const OperationCount&, const OperationCount&) = default;
  friend constexpr OperationCount operator+(const OperationCount& a, const OperationCount& b) {
    return {a.multiplications + b.multiplications, a.additions + b.additions};
  }
};

struct Counted {
  double value = 0;
  static inline thread_local OperationCount count{};

  Counted() = default;
  Counted(double x) : value(x) {}

  friend Counted operator*(const Counted& a, const Counted& b) {
    ++count.multiplications;
    return a.value * b.value;
  }
  friend Counted operator/(const Counted& a, const Counted& b) {
    ++count.multiplications;
    return a.value / b.value;
  }
  friend Counted operator+(const Counted& a, const Counted& b) {
    ++count.additions;
    return a.value + b.value;
  }
  friend Counted operator-(const Counted& a, const Counted& b) {
    ++count.additions;
    return a.value - b.value;
  }
  friend Counted operator-(const Counted& a) { return -a.value; }
  friend Counted& operator+=(Counted& a, const Counted& b) { return a = a + b; }
  friend Counted& operator-=(Counted& a, const Counted& b) { return a = a - b; }
  friend bool operator<(const Counted& a, const Counted& b) { return a.value < b.value; }
  friend bool operator>(const Counted& a, const Counted& b) { return a.value > b.value; }
  friend bool operator==(const Counted& a, const Counted& b) { return a.value == b.value; }
};

inline Counted select(bool mask, const Counted& a, const Counted& b) { return mask ? a : b; }
inline Counted min(const Counted& a, const Counted& b) { return b < a ? b : a; }
inline Counted max(const Counted& a, const Counted& b) { return a < b ? b : a; }
inline SinCos<Counted> sincos(const Counted& x) { return {std::sin(x.value), std::cos(x.value)}; }
template <>
struct ScalarTraits<Counted> {
  using Value = double;
  static constexpr int lanes = 1;
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
};

/// A number that counts what a program written for one robot would do.
///
/// Plain numbers are constants: what is done with constants alone is done beforehand, and products with
/// 0, 1 and -1 and sums with 0 are left out. `variable` makes a number that the program is given.
struct Customised {
  double value = 0;
  bool constant = true;
  static inline thread_local OperationCount count{};

  Customised() = default;
  Customised(double x) : value(std::abs(x) < 1e-15 ? 0 : x) {}  // cosines of right angles
  static Customised variable(double x) { return {x, false}; }

  friend Customised operator*(const Customised& a, const Customised& b) {
    if (a.constant && b.constant) return a.value * b.value;
    if (a.constant && !b.constant) return b * a;
    if (b.is(0)) return 0.0;
    if (b.is(1)) return a;
    if (b.is(-1)) return -a;
    ++count.multiplications;
    return {a.value * b.value, false};
  }
  friend Customised operator/(const Customised& a, const Customised& b) {
    if (a.constant && b.constant) return a.value / b.value;
    if (a.is(0) || b.is(1)) return a;
    ++count.multiplications;
    return {a.value / b.value, false};
  }
  friend Customised operator+(const Customised& a, const Customised& b) {
    if (a.constant && b.constant) return a.value + b.value;
    if (a.is(0)) return b;
    if (b.is(0)) return a;
    ++count.additions;
    return {a.value + b.value, false};
  }
  friend Customised operator-(const Customised& a, const Customised& b) { return a + -b; }
  friend Customised operator-(const Customised& a) { return {-a.value, a.constant}; }
  friend Customised& operator+=(Customised& a, const Customised& b) { return a = a + b; }
  friend Customised& operator-=(Customised& a, const Customised& b) { return a = a - b; }
  friend bool operator<(const Customised& a, const Customised& b) { return a.value < b.value; }
  friend bool operator>(const Customised& a, const Customised& b) { return a.value > b.value; }
  friend bool operator==(const Customised& a, const Customised& b) { return a.value == b.value; }

 private:
  Customised(double x, bool is_constant) : value(x), constant(is_constant) {}
  bool is(double x) const { return constant && value == x; }
};

inline Customised select(bool mask, const Customised& a, const Customised& b) {
  return mask ? a : b;
}
inline Customised min(const Customised& a, const Customised& b) { return b < a ? b : a; }
inline Customised max(const Customised& a, const Customised& b) { return a < b ? b : a; }
inline SinCos<Customised> sincos(const Customised& x) {
  const double s = std::sin(x.value), c = std::cos(x.value);
  if (x.constant) return {s, c};
  return {Customised::variable(s), Customised::variable(c)};
}
template <>
struct ScalarTraits<Customised> {
  using Value = double;
  static constexpr int lanes = 1;
  static constexpr double epsilon = std::numeric_limits<double>::epsilon();
};

}  // namespace torsor
