#include "chain_mass.hpp"
#include "lane_loop.hpp"

namespace torsor::internal {
namespace {

template <class Real>
void mass(LaneJob<Real>& job) {
  using P = Lanes<Real>;
  const Model<Real>& model = *job.model;
  const bool chain = has_lanes && job.shape->hinge_chain;
  for_all_lanes<CrbaWorkspace<P>>(job, chain, [&](auto& s) {
    if constexpr (has_lanes)
      if (chain)
        return chain_mass_matrix(HingeChain<Real, true>(model), s.ws.world.joints, s.from[0],
                                 s.to[0]);
    mass_matrix<Real, P>(model, s.ws, s.q, s.matrix(0));
  });
}

}  // namespace

void lanes_mass_matrix(LaneJob<double>& job) { mass(job); }
void lanes_mass_matrix(LaneJob<float>& job) { mass(job); }

}  // namespace torsor::internal
