// Inverse and forward dynamics where every state has a robot of its own.
#include "lane_loop.hpp"
#include "lane_model.hpp"
#include "torsor/dynamics/full_dynamics.hpp"

namespace torsor::internal {
namespace {

template <class Real>
struct OwnWorkspace {
  using P = Lanes<Real>;

  LaneModel<Real> own;
  DynamicsWorkspace<P> dynamics;

  explicit OwnWorkspace(const Model<Real>& model) : own(model), dynamics(model, Effects::tree()) {}
};

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

void lanes_own_inverse_dynamics(LaneJob<double>& job) { inverse(job); }
void lanes_own_inverse_dynamics(LaneJob<float>& job) { inverse(job); }
void lanes_own_forward_dynamics(LaneJob<double>& job) { forward(job); }
void lanes_own_forward_dynamics(LaneJob<float>& job) { forward(job); }

}  // namespace torsor::internal
