#pragma once
/// Identification joint by joint, from the last to the first: torques of joint i do not depend on
/// links before it.
///
///   [ tau_1 ]   [ Y_11 Y_12 ... Y_1n ] [ p_1 ]        rows of joint i: all samples of tau_i
///   [  ...  ] = [      ...           ] [ ... ]
///   [ tau_n ]   [                Y_nn] [ p_n ]
///   p_i = argmin |Y_ii p_i - (tau_i - sum_(j > i) Y_ij p_j)|,   i = n, ..., 1
///
/// Each Y_ii needs full column rank, which does not follow from that of the whole: base parameters
/// that are kept at their own link have it, sets that are kept towards the hand have not. Where a
/// block lacks rank, or an entry below the diagonal is not zero, all joints are solved together
/// and the notes say why.
///
/// sigma    Classical, with the errors of the joints behind carried on.
/// Source   Huo 2005, (2-135), (2-136) and (2-147)-(2-149); the condition after (2-148) is wrong
///          there.
#include "torsor/identification/least_squares.hpp"

namespace torsor {

struct JointByJoint {
  Estimate estimate{};
  bool sequential = false;      ///< false: solved together
  Array<int> sizes{}, ranks{};  ///< of the diagonal blocks, joint by joint
};

/// `joint_of_column`: the joint whose link, friction or rotor a column is of, from 0. Throws Error
/// where a joint does not exist.
JointByJoint joint_by_joint_least_squares(const CompressedLog& log, In<int> joint_of_column,
                                          double tolerance = 1e-8);

}  // namespace torsor
