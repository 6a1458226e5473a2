#pragma once
/// How s goes to zero: reaching laws as data.
///
///   constant      s' = -epsilon sgn(s)                t = |s0| / epsilon
///   exponential   s' = -epsilon sgn(s) - k s          t = ln(1 + k |s0| / epsilon) / k
///   power         s' = -k |s|^a sgn(s), 0 < a < 1     t = |s0|^(1 - a) / ((1 - a) k)
///
/// The times are those without uncertainty; a law that outweighs its uncertainty is not slower.
/// In a boundary layer sgn is the law's switching function, which the power law does without.
///
/// Cost     One power at most; no allocation.
/// Source   Huo 2005, exercise 3-17; Gao & Hung 1993.
#include <vector>

#include "torsor/control/uncertain/switching.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

class ReachingLaw {
 public:
  enum class Kind : unsigned char { constant, exponential, power };

  // One number of each for every degree of freedom; epsilon in units of s per second, k in 1/s.
  static ReachingLaw constant(Array<double> epsilon);
  static ReachingLaw exponential(Array<double> epsilon, Array<double> k);
  static ReachingLaw power(Array<double> k, Array<double> exponent);

  Kind kind() const { return kind_; }
  double epsilon(int i) const { return epsilon_.empty() ? 0 : epsilon_[i]; }
  double k(int i) const { return k_.empty() ? 0 : k_[i]; }
  double exponent(int i) const { return exponent_.empty() ? 1 : exponent_[i]; }

  /// -s' of a degree of freedom.
  double rate(int i, double s, const Switching& switching) const;
  /// |s'| of the law itself, at the sign: what bounds are made from.
  double speed(int i, double s) const { return rate(i, s < 0 ? -s : s, Switching()); }
  /// Until s = 0, s; infinity where the law does not get there.
  double time(int i, double s0) const;

  /// The door of a law: throws Error for another size, a number that is not finite or an exponent
  /// outside (0, 1).
  void check(const char* law, int n) const;

 private:
  Kind kind_ = Kind::constant;
  Array<double> epsilon_, k_, exponent_;
};

}  // namespace torsor
