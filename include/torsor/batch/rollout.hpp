#pragma once
/// Many simulations of one scenario with different parameters.
///
///   const Array<SweepSample> samples = ...;                     // draw_sample, or values of your own
///   const std::vector<Rollout> runs = rollout(scenario, samples, {});
///   runs[17].recording.q ...
///
/// Sampled control with fixed steps (rk4) of arms whose joints have one degree of freedom each runs in
/// lanes: a run in each lane of the machine's registers, torques and figures included. Computed torque is
/// in lanes itself, other laws are asked run by run. What lanes do not know (runs_in_lanes) is simulated
/// run by run, with the same results to rounding.
///
/// Results  of a run depend on its sample alone: they are the same bits whatever the number of threads
///          and the runs beside it. Runs that cannot go on in lanes (a singular mass matrix, numbers
///          that are not finite, blow-up) are made again by simulate(), which says why they end.
/// Cost     That of simulate() over a third to a fifth with eight lanes (docs/performance.md).
#include <vector>

#include "torsor/batch/sweep.hpp"

namespace torsor {

struct Rollout {
  Recording recording;
  std::string impossible;  ///< why there is no recording: no robot, law or run can have the sample
};

struct RolloutOptions {
  int threads = 0;  ///< 0: all cores
};

/// Of the samples, in their order. Throws what the scenario itself is refused for.
std::vector<Rollout> rollout(const Scenario& scenario, const std::vector<SweepSample>& samples,
                             const RolloutOptions& options);

/// Whether runs of the scenario go in lanes, on this machine.
bool runs_in_lanes(const Scenario& scenario);

}  // namespace torsor
