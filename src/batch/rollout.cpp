#include "torsor/batch/rollout.hpp"

#include <algorithm>

#include "lane_runs.hpp"
#include "lanes/rollout.hpp"
#include "torsor/batch/internal/sample_runner.hpp"
#include "torsor/math/internal/parallel.hpp"

namespace torsor {
namespace internal {

SampleRunner::SampleRunner(const Scenario& scenario)
    : scenario_(scenario), at_once_(lanes_know(scenario) ? rollout_width() : 1) {}

template <class Run>
std::string SampleRunner::refused(Run run) {
  try {
    run();
    return {};
  } catch (const Error& error) {
    // Once: throws where the scenario as it stands cannot run either.
    std::call_once(checked_, [&] { (void)run_scenario(scenario_); });
    return error.what();
  }
}

std::vector<Rollout> SampleRunner::runs(const std::vector<SweepSample>& samples, bool with_rows) {
  struct Begun {
    std::unique_ptr<Scenario> scenario;
    std::unique_ptr<BegunRun> run;
    Rollout* result;
  };
  std::vector<Rollout> all(samples.size());
  std::vector<Begun> begun;
  std::vector<BegunRun*> in_lanes;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    all[k].impossible = samples[k].impossible;
    if (!all[k].impossible.empty()) continue;
    all[k].impossible = refused([&] {
      auto scenario = std::make_unique<Scenario>(with_sample(scenario_, samples[k]));
      if (at_once_ == 1) {
        all[k].recording = run_scenario(*scenario);
        return;
      }
      if (!with_rows) scenario->options.record_every = scenario->options.duration;
      auto run = std::make_unique<BegunRun>(*scenario);
      in_lanes.push_back(run.get());
      begun.push_back({std::move(scenario), std::move(run), &all[k]});
    });
  }
  const std::vector<bool> good = go_on_in_lanes(in_lanes);
  for (std::size_t k = 0; k < begun.size(); ++k) {
    Scenario& scenario = *begun[k].scenario;
    if (good[k]) {
      begun[k].result->recording = std::move(begun[k].run->run->recording());
      continue;
    }
    begun[k].run.reset();
    scenario.options.record_every = scenario_.options.record_every;
    begun[k].result->impossible =
        refused([&] { begun[k].result->recording = run_scenario(scenario); });
  }
  return all;
}

std::vector<Rollout> SampleRunner::operator()(const std::vector<SweepSample>& samples) {
  return runs(samples, true);
}

std::vector<SweepRow> SampleRunner::operator()(const std::vector<long>& indices) {
  std::vector<SweepSample> samples;
  for (const long k : indices) samples.push_back(draw_sample(scenario_, k));
  const std::vector<Rollout> done = runs(samples, false);
  std::vector<SweepRow> rows;
  for (std::size_t k = 0; k < done.size(); ++k) {
    rows.push_back({std::move(samples[k]), {}});
    rows.back().sample.impossible = done[k].impossible;
    if (done[k].impossible.empty()) rows.back().summary = summarise(done[k].recording);
  }
  return rows;
}

}  // namespace internal

std::vector<Rollout> rollout(const Scenario& scenario, const std::vector<SweepSample>& samples,
                             const RolloutOptions& options) {
  internal::SampleRunner run(scenario);
  const auto n = static_cast<long>(samples.size()), at_once = static_cast<long>(run.at_once());
  std::vector<Rollout> all(samples.size());
  internal::parallel_for(static_cast<int>((n + at_once - 1) / at_once),
                         {.threads = options.threads}, [&](int group, int) {
                           const auto first = samples.begin() + group * at_once;
                           const auto last = samples.begin() + std::min((group + 1) * at_once, n);
                           std::vector<Rollout> some = run(std::vector<SweepSample>(first, last));
                           std::move(some.begin(), some.end(), all.begin() + group * at_once);
                         });
  return all;
}

bool runs_in_lanes(const Scenario& scenario) { return internal::lanes_know(scenario); }

}  // namespace torsor
