#pragma once
/// Where a new scenario begins: a frame, what of it a task can move, and a posture. Private to this
/// room.
#include <string>

#include "torsor/kinematics/forward.hpp"
#include "torsor/math/array.hpp"

namespace torsor::internal::scenario {

struct Posture {
  std::string frame;   ///< at the end of the arm
  std::string axes;    ///< positions of it that joints can move independently: "xyz", "xy", ...
  std::string angles;  ///< with them, in the words of the task laws: "none", "planar", "rotation"
  Array<double> q;     ///< far from singular, inside the limits, loops closed
  SE3<double> T;       ///< of the frame
  Array<double> inertia;  ///< largest diagonal entry of the mass matrix over some postures
  Array<double> weight;   ///< largest sum over a row of |dG/dq| there
  Array<double> load;     ///< largest |G|

  int positions() const { return static_cast<int>(axes.size()); }
  int turns() const { return angles == "rotation" ? 3 : angles == "planar" ? 1 : 0; }
  int size() const { return positions() + turns(); }
  /// The coordinates of the task: positions, then angles (rotation: from T).
  Array<double> x() const;
};

/// Loops and couplings closed, q moves; and whether it is then inside the limits (asked for or not).
bool closes(const Model<double>& model, Array<double>& q, bool within_limits = true);
/// A configuration `far` (rad, m) from q in every joint, less where limits or loops allow no more.
Array<double> moved(const Model<double>& model, const Array<double>& q, double far);

/// `frame` may be empty: the tool, or the last one.
Posture good_posture(const Model<double>& model, std::string frame = "");

}  // namespace torsor::internal::scenario
