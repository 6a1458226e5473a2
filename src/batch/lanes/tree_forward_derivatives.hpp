#pragma once
/// Derivatives of forward dynamics of any tree. The two number types are compiled apart: each takes
/// several seconds.
#include "lane_loop.hpp"
#include "torsor/dynamics/derivatives/aba_derivatives.hpp"

namespace torsor::internal {

template <class Real>
void forward_derivatives_of_tree(LaneJob<Real>& job) {
  using P = Lanes<Real>;
  for_all_lanes<ForwardDynamicsDerivativesWorkspace<P>>(job, [&](auto& s) {
    const int size = s.n() * s.n();
    return rigid_forward_dynamics_derivatives<Real, P>(
               *job.model, s.ws, s.q, s.qd, s.third, s.F, Out<P>{}, s.matrix(0), s.matrix(size),
               job.out[2].empty() ? MatrixView<P>{} : s.matrix(2 * size))
        .regular;
  });
}

extern template void forward_derivatives_of_tree(LaneJob<double>& job);
extern template void forward_derivatives_of_tree(LaneJob<float>& job);

}  // namespace torsor::internal
