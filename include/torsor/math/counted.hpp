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

}  // namespace torsor
