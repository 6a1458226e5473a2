#include "lane_loop.hpp"
#include "torsor/dynamics/gravity.hpp"

namespace torsor::internal {
namespace {

template <class Real>
void gravity(LaneJob<Real>& job) {
  using P = Lanes<Real>;
  for_all_lanes<RneaWorkspace<P>>(job, [&](auto& s) {
    gravity_torque<Real, P>(*job.model, s.ws, s.q, Out<P>(s.outputs(0), s.n()));
  });
}
template <class Real>
void bias(LaneJob<Real>& job) {
  using P = Lanes<Real>;
  for_all_lanes<RneaWorkspace<P>>(job, [&](auto& s) {
    bias_torque<Real, P>(*job.model, s.ws, s.q, s.qd, Out<P>(s.outputs(0), s.n()));
  });
}

}  // namespace

void lanes_gravity(LaneJob<double>& job) { gravity(job); }
void lanes_gravity(LaneJob<float>& job) { gravity(job); }
void lanes_bias(LaneJob<double>& job) { bias(job); }
void lanes_bias(LaneJob<float>& job) { bias(job); }

}  // namespace torsor::internal
