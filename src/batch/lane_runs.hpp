#pragma once
/// Runs of one scenario that are simulated together, one in each lane.
#include <memory>
#include <vector>

#include "torsor/sim/internal/figure_keeper.hpp"
#include "torsor/sim/scenario.hpp"

namespace torsor::internal {

/// Whether lanes know what happens in runs of the scenario. Laws may still tell of themselves, when a
/// run has begun, that they need one of their own.
bool lanes_know(const Scenario& scenario);

/// One run that has begun: its simulation, and the figures that are kept along.
class BegunRun {
 public:
  /// `scenario` outlives it. Throws what simulate() throws.
  explicit BegunRun(const Scenario& scenario);

  /// Whether lanes know what happens in it.
  bool can_go_on() const;
  /// Whether both robots and gains differ from the other's in numbers alone.
  bool goes_with(const BegunRun& other) const;

  const Scenario& scenario;
  SimulateOptions options;
  std::unique_ptr<ControlLaw> law;
  Plant plant;
  std::unique_ptr<sim_detail::Simulation> run;
  std::unique_ptr<sim_detail::FigureKeeper> figures;
};

/// Takes runs to their ends, at most as many as there are lanes, which changes nothing of any of them.
/// False: the run has to be simulated by itself.
std::vector<bool> go_on_in_lanes(const std::vector<BegunRun*>& runs);

}  // namespace torsor::internal
