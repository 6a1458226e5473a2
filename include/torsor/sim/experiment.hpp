#pragma once
/// Several laws in one experiment: what two scenarios share, and one scenario's law in the plant of
/// another.
///
/// The experiment is everything that happens to a law: the true robot, its environment, where it
/// starts, what it should do, how it is sampled, measured and limited. The law is its name, its
/// gains and the robot that it believes in.
#include "torsor/sim/scenario.hpp"

namespace torsor {

/// The parts in which b's experiment is another than a's, of "plant", "start", "reference", "run",
/// "sensors", "actuators"; empty: the same. Robots are compared by their torques at a few states,
/// references and disturbances by their values at a few times.
std::vector<std::string> differences(const Scenario& a, const Scenario& b);

/// The law of `law` in the experiment of `experiment`. Throws Error where their robots have other
/// joints.
Scenario with_law_of(const Scenario& experiment, const Scenario& law);

}  // namespace torsor
