#pragma once
/// Forward dynamics in lanes. The two number types are compiled apart: each takes several seconds.
#include "chain_forward.hpp"
#include "lane_loop.hpp"
#include "torsor/dynamics/full_dynamics.hpp"

namespace torsor::internal {

template <class Real>
void forward_lanes(LaneJob<Real>& job) {
  using P = Lanes<Real>;
  using State = LaneState<Real, DynamicsWorkspace<P>>;
  const Model<Real>& model = *job.model;
  const Effects& effects = job.effects;
  State& state = job.scratch->template get<State>(model, Effects::tree());
  const bool chain =
      has_lanes && job.shape->hinge_chain && (!effects.springs || state.ws.springs.ends.empty());
  const bool joints = effects.friction || effects.springs || effects.disturbance;
  const bool rotors = effects.rotors && job.shape->rotors;
  state.ws.aba.rotors = effects.rotors;
  state.in_place = chain && !joints;
  state.witness = model.n_v() > 1 ? model.n_v() - 1 : -1;
  NoFriction none;
  for_all_lanes(job, state, [&](State& s) {
    const Out<P> qdd(s.outputs(0), s.n());
    In<P> left = s.third;
    if (joints) left = torques_left<Real, P>(model, s.ws, s.q, s.qd, s.third, effects, none);
    const In<Wrench<P>> F = s.F;
    if constexpr (has_lanes) {
      const LaneIn<Real> torque = joints ? lane_in<Real>(left.data) : s.from[2];
      if (chain && rotors)
        return chain_forward_dynamics(HingeChain<Real, true>(model), s.ws.aba, s.from[0], s.from[1],
                                      torque, F, s.to[0]);
      if (chain)
        return chain_forward_dynamics(HingeChain<Real, false>(model), s.ws.aba, s.from[0],
                                      s.from[1], torque, F, s.to[0]);
    }
    return rigid_forward_dynamics(model, s.ws.aba, In<P>(s.q), In<P>(s.qd), left,
                                  all_wrenches<Real, P>(model, s.ws, s.q, s.qd, F, effects), qdd)
        .regular;
  });
}

}  // namespace torsor::internal
