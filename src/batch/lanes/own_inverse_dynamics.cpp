// Inverse dynamics where every state has a robot of its own.
#include "own_workspace.hpp"

namespace torsor::internal {
namespace {

template <class Real>
void inverse(LaneJob<Real>& job) {
  using P = Lanes<Real>;
  const Model<Real>& model = *job.model;
  const Effects& effects = job.effects;
  for_all_lanes<OwnWorkspace<Real>>(job, [&](auto& s) {
    auto& [own, ws] = s.ws;
    const Out<P> tau(s.outputs(0), s.n());
    own.set(s.parameters.data());
    ws.rnea.rotors = effects.rotors;
    rigid_inverse_dynamics(own, ws.rnea, In<P>(s.q), In<P>(s.qd), In<P>(s.third),
                           all_wrenches<Real, P>(model, ws, s.q, s.qd, s.F, effects), tau);
    if (ws.joints_add) add_joint_torques(model, In<P>(s.q), In<P>(s.qd), tau, effects);
  });
}

}  // namespace

void lanes_own_inverse_dynamics(LaneJob<double>& job) { inverse(job); }
void lanes_own_inverse_dynamics(LaneJob<float>& job) { inverse(job); }

}  // namespace torsor::internal
