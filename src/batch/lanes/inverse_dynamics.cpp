#include "chain_inverse.hpp"
#include "lane_loop.hpp"
#include "torsor/dynamics/full_dynamics.hpp"

namespace torsor::internal {
namespace {

template <class Real>
void inverse(LaneJob<Real>& job) {
  using P = Lanes<Real>;
  using State = LaneState<Real, DynamicsWorkspace<P>>;
  const Model<Real>& model = *job.model;
  const Effects& effects = job.effects;
  State& state = job.scratch->template get<State>(model, Effects::tree());
  const bool chain =
      has_lanes && job.shape->hinge_chain && (!effects.springs || state.ws.springs.ends.empty());
  const bool joints =
      state.ws.joints_add && (effects.friction || effects.springs || effects.disturbance);
  state.ws.rnea.rotors = effects.rotors && (job.shape->rotors || !chain);
  state.in_place = chain && !joints;
  state.witness = model.n_v() > 1 ? 0 : -1;
  for_all_lanes(job, state, [&](State& s) {
    const Out<P> tau(s.outputs(0), s.n());
    if constexpr (has_lanes)
      if (chain)
        chain_inverse_dynamics(HingeChain<Real, true>(model), s.ws.rnea, s.from[0], s.from[1],
                               s.from[2], In<Wrench<P>>(s.F), s.to[0]);
    if (!chain) transmitted_torques<Real, P>(model, s.ws, s.q, s.qd, s.third, s.F, tau, effects);
    if (joints) add_joint_torques(model, In<P>(s.q), In<P>(s.qd), tau, effects);
  });
}

}  // namespace

void lanes_inverse_dynamics(LaneJob<double>& job) { inverse(job); }
void lanes_inverse_dynamics(LaneJob<float>& job) { inverse(job); }

}  // namespace torsor::internal
