#pragma once
/// What lanes need where every state has a robot of its own.
#include "lane_loop.hpp"
#include "lane_model.hpp"
#include "torsor/dynamics/full_dynamics.hpp"

namespace torsor::internal {

template <class Real>
struct OwnWorkspace {
  using P = Lanes<Real>;

  LaneModel<Real> own;
  DynamicsWorkspace<P> dynamics;

  explicit OwnWorkspace(const Model<Real>& model) : own(model), dynamics(model, Effects::tree()) {}
};

}  // namespace torsor::internal
