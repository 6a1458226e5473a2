#pragma once
/// The switching function of sliding laws: the sign of s, or its smooth form in a boundary layer.
///
///   sgn(s) = -1, 0, 1                            sgn(0) = 0
///   sat(s / epsilon) = s / epsilon for |s| <= epsilon, else sgn(s)          Huo 2005, sec. 3.10
///
/// A layer takes the chatter away and a part of the claim with it. Where the joints of s are
/// decoupled (sliding_computed_torque.hpp) |s_i| <= epsilon_i in the end, joint by joint; where s
/// moves through H (sliding_passivity.hpp) one bound holds for all joints together, and none of
/// them need stay in its own layer.
///
/// Cost     One comparison; no allocation.
/// Source   Huo 2005, sec. 3.10; Slotine & Sastry 1983 (boundary layer).
#include <vector>

#include "torsor/math/array.hpp"
namespace torsor {

class Switching {
 public:
  /// The sign.
  Switching() = default;
  /// One thickness for each degree of freedom, in the unit of s; 0: the sign.
  explicit Switching(Array<double> layer) : layer_(std::move(layer)) {}

  double layer(int i) const { return layer_.empty() ? 0 : layer_[i]; }
  /// Whether every degree of freedom has a layer.
  bool is_smooth() const {
    for (const double x : layer_)
      if (!(x > 0)) return false;
    return !layer_.empty();
  }
  double operator()(int i, double s) const {
    const double epsilon = layer(i);
    if (s < epsilon && s > -epsilon) return s / epsilon;
    return s > 0 ? 1 : s < 0 ? -1 : s;  // a NaN stays one
  }

  /// The door of a law: throws Error for another size or a thickness that is negative or not
  /// finite.
  void check(const char* law, int n) const;

 private:
  Array<double> layer_;
};

}  // namespace torsor
