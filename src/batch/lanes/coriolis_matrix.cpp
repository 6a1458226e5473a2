#include "lane_loop.hpp"
#include "torsor/dynamics/coriolis.hpp"

namespace torsor::internal {
namespace {

template <class Real>
void coriolis(LaneJob<Real>& job) {
  using P = Lanes<Real>;
  for_all_lanes<CoriolisWorkspace<P>>(
      job, [&](auto& s) { coriolis_matrix<Real, P>(*job.model, s.ws, s.q, s.qd, s.matrix(0)); });
}

}  // namespace

void lanes_coriolis_matrix(LaneJob<double>& job) { coriolis(job); }
void lanes_coriolis_matrix(LaneJob<float>& job) { coriolis(job); }

}  // namespace torsor::internal
