#pragma once
/// Where the position of a frame loses a direction, whatever its orientation does.
///
///   v = J_v qd          J_v: the linear rows of J, of the world's axes along which it ever moves
///   square              |J_v|; a planar arm of two joints and lengths a, b: a b sin(q_2)
///
/// A stretched planar arm is regular as a pose (it still turns) and singular as a position: this is
/// what tasks of positions meet.
///
/// Frames   World axes, the origin of the frame.
/// Cost     Five Jacobians and decompositions; for people.
#include "torsor/kinematics/singularity.hpp"

namespace torsor {

struct [[nodiscard]] PositionSingularity {
  Array<int> axes{};     ///< 0, 1, 2: x, y, z along which the position moves somewhere
  int rank = 0;          ///< here
  int generic_rank = 0;  ///< at almost every configuration
  bool square = false;   ///< as many joints carry the frame as there are axes
  double determinant = 0;
  double smallest = 0, largest = 0;  ///< sigma; the smallest is the generic_rank-th

  bool singular() const { return rank < generic_rank; }
};
/// `tolerance` is the ratio of singular values below which a direction counts as lost.
PositionSingularity position_singularity(const Model<double>& model, SingularityWorkspace& ws,
                                         In<double> q, const Frame& frame,
                                         double tolerance = 1e-10);

}  // namespace torsor
