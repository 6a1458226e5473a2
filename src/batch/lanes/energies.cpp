#include "lane_loop.hpp"
#include "torsor/dynamics/energy.hpp"

namespace torsor::internal {
namespace {

template <class Real>
void energies(LaneJob<Real>& job) {
  using P = Lanes<Real>;
  for_all_lanes<MomentumWorkspace<P>>(job, [&](auto& s) {
    *s.outputs(0) = kinetic_energy<Real, P>(*job.model, s.ws, s.q, s.qd);
    *s.outputs(1) = potential_energy<Real, P>(*job.model, s.ws.kinematics);
  });
}

}  // namespace

void lanes_energies(LaneJob<double>& job) { energies(job); }
void lanes_energies(LaneJob<float>& job) { energies(job); }

}  // namespace torsor::internal
