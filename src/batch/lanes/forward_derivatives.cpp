#include "chain_derivatives.hpp"
#include "tree_forward_derivatives.hpp"

namespace torsor::internal {
namespace {

constexpr int most_of_chain = 16;  // joints, from which on O(n^3) is too much

template <class Real>
void of_chain(LaneJob<Real>& job) {
  using P = Lanes<Real>;
  const HingeChain<Real, true> chain(*job.model);
  for_all_lanes<ChainSlopes<P>>(job, [&](auto& s) {
    const int size = s.n() * s.n();
    return chain_forward_derivatives<HingeChain<Real, true>, P>(
               chain, s.ws, s.q, s.qd.data(), s.third.data(), s.outputs(0), s.outputs(size),
               job.out[2].empty() ? nullptr : s.outputs(2 * size))
        .regular;
  });
}

template <class Real>
void derivatives(LaneJob<Real>& job) {
  if constexpr (has_lanes)
    if (job.shape->hinge_chain && job.model->n_v() <= most_of_chain) return of_chain(job);
  forward_derivatives_of_tree(job);
}

}  // namespace

void lanes_forward_derivatives(LaneJob<double>& job) { derivatives(job); }
void lanes_forward_derivatives(LaneJob<float>& job) { derivatives(job); }

}  // namespace torsor::internal
