#include "torsor/dynamics/minverse.hpp"

#include "lane_loop.hpp"

namespace torsor::internal {
namespace {

template <class Real>
void inverse(LaneJob<Real>& job) {
  using P = Lanes<Real>;
  for_all_lanes<MinverseWorkspace<P>>(job, [&](auto& s) {
    return mass_matrix_inverse<Real, P>(*job.model, s.ws, s.q, s.matrix(0)).regular;
  });
}

}  // namespace

void lanes_mass_matrix_inverse(LaneJob<double>& job) { inverse(job); }
void lanes_mass_matrix_inverse(LaneJob<float>& job) { inverse(job); }

}  // namespace torsor::internal
