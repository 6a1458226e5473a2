#pragma once
/// States of a robot one after the other, as every door of `torsor eval` hands them over.
#include "torsor/math/spatial.hpp"
#include "torsor/math/view.hpp"

namespace torsor::command {

/// n_q numbers of q and n_v of the others for each state. An empty view means zero, of wrenches none.
struct StateBlock {
  int count = 0;
  View<const double> q, qd{}, qdd{}, tau{};
  /// Of each state, per body in its link frame.
  View<const View<const Wrench<double>>> F_ext{};
};

}  // namespace torsor::command
