#pragma once
/// Pieces of the reader of scenario files. Private to it.
#include "scenario/section.hpp"
#include "torsor/control/reference.hpp"
#include "torsor/formats/finding.hpp"
#include "torsor/formats/packages.hpp"
#include "torsor/sim/scenario.hpp"

namespace torsor::internal::scenario {

/// Coordinates of any kind in time, with two derivatives; an empty view leaves its part out.
struct Motion {
  int size = 0;
  std::function<void(double t, View<double> x, View<double> xd, View<double> xdd)> sample;
};

/// One of the kinds, under its word; `size` 0: as many coordinates as are given.
Motion read_motion(const YamlElement& element, const std::string& kind, int size);

/// What a planner makes; what it refuses gets its line.
template <class Planner>
auto planned(const YamlElement& e, Planner planner) {
  try {
    return planner();
  } catch (const Error& error) {
    e.fail(error.what());
  }
}

/// The section `reference`. The function owns all it needs.
ReferenceFunction read_reference(const YamlElement& element, const Model<double>& model);

/// The sections `plant` and, of `controller`, `believes`. `files`: of another robot's file.
void read_plant(const YamlElement& element, Scenario& scenario, Findings* findings);
void read_believes(const YamlElement& element, Scenario& scenario, const LoadOptions& files);

/// A name that the robot has.
std::string read_link(const YamlElement& element, const Model<double>& model,
                      const char* what = "link");

/// The section `sweep`. `so_far`: what was read before, for the names of links and gains.
SweepPlan read_sweep(const YamlElement& element, const Scenario& so_far);

}  // namespace torsor::internal::scenario
