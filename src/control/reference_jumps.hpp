#pragma once
/// Where a reference is no motion: its positions, or its rates, jump beside what it says of them.
///
///   x(t + h) - x(t) = h (x'(t) + x'(t + h)) / 2 + what sampling leaves open
///
/// asked of positions and their rates, and of rates and theirs. A part that is off is halved towards
/// the worse half: what sampling left open shrinks with h, a jump does not.
///
/// Cost     Two comparisons for each instant, and about fifteen more where something is off.
#include <string>

#include "torsor/control/reference.hpp"

namespace torsor::control_detail {

struct ReferenceJump {
  double size = 0;     ///< over what sampling leaves open; above 1 the reference jumps
  double t = 0;        ///< s
  std::string what{};  ///< "rate of joint_2"
};

class ReferenceJumps {
 public:
  /// Both outlive it.
  ReferenceJumps(const Model<double>& model, const ReferenceFunction& reference)
      : model_(model), reference_(reference), moved_(model.n_v()) {}

  /// The part between two instants of the reference.
  void look(const ReferencePoint& from, const ReferencePoint& to, double t, double h);
  const ReferenceJump& worst() const { return worst_; }

 private:
  ReferenceJump between(const ReferencePoint& a, const ReferencePoint& b, double t, double h);
  void compare(In<double> moved, In<double> rate_a, In<double> rate_b, In<double> slope_a,
               In<double> slope_b, double h, const char* of, ReferenceJump& worst) const;
  std::string component(const char* of, int k) const;

  const Model<double>& model_;
  const ReferenceFunction& reference_;
  Array<double> moved_;
  ReferencePoint left_, middle_, right_;
  ReferenceJump worst_;
};

}  // namespace torsor::control_detail
