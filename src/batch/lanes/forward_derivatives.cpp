#include "chain_derivatives.hpp"
#include "tree_forward_derivatives.hpp"

namespace torsor::internal {
namespace {

template <int N, class Real>
void of_chain(LaneJob<Real>& job) {
  const HingeChain<Real, true, N> chain(*job.model);
  for_all_lanes<ChainSlopes<Lanes<Real>>>(job, true, [&](auto& s) {
    return chain_forward_derivatives(chain, s.ws, s.from[0], s.from[1], s.from[2], s.to,
                                     !job.out[2].empty());
  });
}

template <class Real>
void derivatives(LaneJob<Real>& job) {
  if constexpr (has_lanes) {
    const int n = job.model->n_v();
    if (job.shape->hinge_chain && n == 6) return of_chain<6>(job);  // as most arms have
    if (job.shape->hinge_chain && n == 7) return of_chain<7>(job);
    if (job.shape->hinge_chain && n <= most_of_slopes) return of_chain<0>(job);
  }
  forward_derivatives_of_tree(job);
}

}  // namespace

void lanes_forward_derivatives(LaneJob<double>& job) { derivatives(job); }
void lanes_forward_derivatives(LaneJob<float>& job) { derivatives(job); }

}  // namespace torsor::internal
