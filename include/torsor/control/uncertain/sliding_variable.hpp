#pragma once
/// The filtered error that sliding laws drive to zero, and the motion that it is measured from.
///
///   e = q_d - q,   qd_r = qd_d + Lambda e,   qdd_r = qdd_d + Lambda edot
///   s = qd_r - qd = edot + Lambda e;          on s = 0: edot = -Lambda e
///
/// Cost     O(n) with a diagonal Lambda; no allocation in update.
/// Source   Huo 2005, sec. 3.10.
#include "torsor/control/control_law.hpp"
#include "torsor/control/gain.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

class SlidingVariable {
 public:
  /// `model` outlives it; `law` is for messages. Throws Error for another size of Lambda.
  SlidingVariable(const Model<double>& model, Gain Lambda, const char* law);

  /// All of the members below at one instant.
  void update(const ControlInput& input);

  Array<double> e, edot, s, qd_r, qdd_r;

  const Gain& Lambda() const { return Lambda_; }
  /// Lambda is positive definite, so that e decays on s = 0.
  std::vector<Condition> conditions() const;

 private:
  const Model<double>* model_;
  Gain Lambda_;
};

}  // namespace torsor
