#include "chain_derivatives.hpp"
#include "lane_loop.hpp"
#include "torsor/dynamics/derivatives/joint_torque_derivatives.hpp"
#include "torsor/dynamics/derivatives/rnea_derivatives.hpp"

namespace torsor::internal {
namespace {

/// What friction and springs of joints add; friction of the load has no part in it.
template <class Real, class State>
void add_joints(const LaneJob<Real>& job, State& s) {
  if (job.effects.friction)
    add_joint_torque_derivatives<Lanes<Real>>(*job.model, s.qd, s.matrix(0),
                                              s.matrix(s.n() * s.n()));
}

template <class Real>
void of_tree(LaneJob<Real>& job) {
  using P = Lanes<Real>;
  for_all_lanes<InverseDynamicsDerivativesWorkspace<P>>(job, [&](auto& s) {
    const int size = s.n() * s.n();
    rigid_inverse_dynamics_derivatives<Real, P>(
        *job.model, s.ws, s.q, s.qd, s.third, s.F, s.matrix(0), s.matrix(size),
        job.out[2].empty() ? MatrixView<P>{} : s.matrix(2 * size));
    add_joints(job, s);
  });
}

template <class Real>
void of_chain(LaneJob<Real>& job) {
  using P = Lanes<Real>;
  const HingeChain<Real, true> chain(*job.model);
  for_all_lanes<ChainSlopes<P>>(job, !job.effects.friction, [&](auto& s) {
    chain_inverse_derivatives(chain, s.ws, s.from[0], s.from[1], s.from[2], s.to[0], s.to[1],
                              job.out[2].empty() ? nullptr : &s.to[2]);
    add_joints(job, s);
  });
}

template <class Real>
void derivatives(LaneJob<Real>& job) {
  if constexpr (has_lanes)
    if (job.shape->hinge_chain) return of_chain(job);
  of_tree(job);
}

}  // namespace

void lanes_inverse_derivatives(LaneJob<double>& job) { derivatives(job); }
void lanes_inverse_derivatives(LaneJob<float>& job) { derivatives(job); }

}  // namespace torsor::internal
