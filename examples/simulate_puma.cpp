// A PUMA 560 under independent PD, at rest to rest, with the proof's checks.
#include <cstdio>

#include "torsor/control/joint/independent_pd.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/sim/simulate.hpp"

int main() {
  using namespace torsor;
  const Model<double> robot = load_robot("puma560");

  IndependentPd law(robot, {Gain({800, 1500, 400, 40, 40, 20}), Gain({120, 200, 60, 4, 4, 2})});
  SimulateOptions options;
  options.duration = 3;
  options.record_every = 0.5;
  const Recording run = simulate(Plant(robot), law, hold({0.5, -0.6, 0.4, 0, 0.3, 0}, 6), options);
  if (run.stop != StopReason::finished) {
    std::printf("%s\n", run.message.c_str());
    return 1;
  }

  for (const Condition& c : run.conditions) std::printf("%s\n", c.text().c_str());
  std::printf("\n     t        e_1        e_2        e_3          V\n");
  for (int k = 0; k < run.size(); ++k)
    std::printf("%6.2f %10.6f %10.6f %10.6f %10.4f\n", run.t[static_cast<std::size_t>(k)],
                run.e(k, 0), run.e(k, 1), run.e(k, 2), run.lyapunov(k, 0));
  std::printf("\nenergy balance within %.1e J\n", run.energy_balance());
  return 0;
}
