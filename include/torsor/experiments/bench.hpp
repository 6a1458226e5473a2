#pragma once
/// How long the verbs take for one robot on this machine.
///
/// Every figure is the least CPU time of the calling thread over many short repetitions, divided by
/// the states of one: what the machine can do, not what it did while it had other work. States are
/// random configurations in turn, velocities and torques of order one. Modes:
///   single    calls one after the other, whose work the processor overlaps (throughput)
///   latency   each call waits for a number of the one before, as a control loop does
///   batch     many states at once in double, batch_float in float (batch/batch.hpp), one thread
/// The verbs are those of the tree: bodies and rotors (rigid_...); `inverse_dynamics` and
/// `forward_dynamics` themselves contain friction, springs and the like, and are left out for robots
/// with loops.
#include <functional>
#include <string>
#include <vector>

#include "torsor/experiments/report.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

struct BenchFigure {
  std::string verb, mode;
  double ns = 0;  ///< per state
};

/// Another library on the same robot and states, measured in the same run by the program of peers.
struct BenchPeer {
  std::string verb, library;
  double ns = 0, torsor_ns = 0;
  double difference = 0;  ///< of the results, over the largest number
};

struct Bench {
  std::string robot, processor, instruction_set, compiler;
  int n_v = 0;
  std::vector<BenchFigure> figures;
  std::vector<BenchPeer> peers;
};

struct BenchOptions {
  double seconds = 0.1;  ///< of each figure
  /// Called before each figure with its name and the share of figures that are done; false ends the
  /// measurement with what there is.
  std::function<bool(const std::string& verb, const std::string& mode, double share)> go_on{};
};

/// The name of the processor as the system tells it.
std::string processor_name();

Bench measure_speed(const Model<double>& model, const BenchOptions& options = {});

/// A figure that both have.
struct SpeedChange {
  std::string verb, mode;
  double before = 0, after = 0;  ///< ns

  double ratio() const { return after / before; }
};
/// Throws Error where the two are of different robots, processors or instruction sets.
std::vector<SpeedChange> speed_changes(const Bench& before, const Bench& after);

/// Bars for every verb, peers beside them, and the table.
std::string bench_page(const Bench& bench, const std::vector<RunFact>& facts = {});

}  // namespace torsor
