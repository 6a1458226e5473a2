#pragma once
/// Monte-Carlo: one scenario under many draws of what is not known of it.
///
///   const std::vector<SweepRow> rows = run_sweep(scenario, first_samples(1000), {});
///   for (const FigureStatistics& f : statistics(rows)) ...
///
/// Sample k is drawn from a generator seeded by (plan.seed, k) alone: its numbers do not depend on
/// the number of samples, of threads, nor on the order in which they finish, on any machine.
///
/// A draw that no robot can have (a mass, a friction or a gain below zero, no possible body) is a row
/// of its own with the reason; it is not run and enters no statistics.
///
/// Cost     One run for each sample, on `threads` threads; a row holds figures, not the recording.
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "torsor/sim/run_summary.hpp"
#include "torsor/sim/scenario.hpp"

namespace torsor {

struct SweepSample {
  long index = 0;
  std::uint64_t seed = 0;      ///< of its generator
  std::vector<double> values;  ///< as named by sweep_value_names
  std::string impossible{};    ///< why no robot, law or run can have them; empty: they are possible
};

struct SweepRow {
  SweepSample sample;
  RunSummary summary;  ///< of a run; nothing where the draw is impossible

  bool finished() const {
    return sample.impossible.empty() && summary.stop == StopReason::finished;
  }
};

/// "parameter_factor", "link_2.factor", "link_2.mx", "payload.mass", "start.q.joint_1", "gain.Kp"
std::vector<std::string> sweep_value_names(const Scenario& scenario);
SweepSample draw_sample(const Scenario& scenario, long index);
/// The scenario with that sample's robot, start, noise and gains. Throws Error for an impossible one.
Scenario with_sample(const Scenario& scenario, const SweepSample& sample);

struct SweepOptions {
  int threads = 0;  ///< 0: all cores
  /// Where the system grants fewer threads than asked for: how many the sweep goes on with.
  std::function<void(int)> on_fewer_threads{};
  /// Called by one thread at a time when a run has ended, in any order.
  std::function<void(const SweepRow&)> on_row{};
  /// Once true no further run begins; those that run are finished.
  const std::atomic<bool>* stop = nullptr;
};

std::vector<long> first_samples(long count);
/// The rows of those samples, by index. Throws what the scenario itself is refused for, and what
/// `on_row` throws.
std::vector<SweepRow> run_sweep(const Scenario& scenario, const std::vector<long>& samples,
                                const SweepOptions& options);

/// By linear interpolation between the ordered values (Hyndman and Fan's type 7): the smallest for
/// p = 0, the median for 0.5. `ordered` is in ascending order, not empty.
double quantile(const std::vector<double>& ordered, double p);

/// Of one figure over the runs that reached their end and have it.
struct FigureStatistics {
  RunFigure figure;
  std::size_t count = 0;
  double q05 = 0, median = 0, q95 = 0;
  double worst = 0;  ///< the largest
  long worst_sample = 0;
};
/// Figures that no run has are left out.
std::vector<FigureStatistics> statistics(const std::vector<SweepRow>& rows);

}  // namespace torsor
