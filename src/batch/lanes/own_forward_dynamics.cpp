// Forward dynamics where every state has a robot of its own.
#include "own_workspace.hpp"

namespace torsor::internal {
namespace {

template <class Real>
void forward(LaneJob<Real>& job) {
  using P = Lanes<Real>;
  const Model<Real>& model = *job.model;
  const Effects& effects = job.effects;
  NoFriction none;
  for_all_lanes<OwnWorkspace<Real>>(job, [&](auto& s) {
    auto& [own, ws] = s.ws;
    own.set(s.parameters.data());
    ws.aba.rotors = effects.rotors;
    return rigid_forward_dynamics(
               own, ws.aba, In<P>(s.q), In<P>(s.qd),
               torques_left<Real, P>(model, ws, s.q, s.qd, s.third, effects, none),
               all_wrenches<Real, P>(model, ws, s.q, s.qd, s.F, effects),
               Out<P>(s.outputs(0), s.n()))
        .regular;
  });
}

}  // namespace

void lanes_own_forward_dynamics(LaneJob<double>& job) { forward(job); }
void lanes_own_forward_dynamics(LaneJob<float>& job) { forward(job); }

}  // namespace torsor::internal
