// Integrators: time of a step and of a second of motion kept to a tolerance.
//
//   sim                      free motion of a PUMA 560 and of a humanoid with 38 joints; closed loops
#include <benchmark/benchmark.h>

#include "torsor/control/joint/independent_pd.hpp"
#include "torsor/dynamics/aba.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/sim/adaptive.hpp"
#include "torsor/sim/simulate.hpp"
#include "torsor/sim/taylor_step.hpp"

namespace torsor {
namespace {

struct FreeMotion {
  RobotSpace<double> space;
  AbaWorkspace<double> aba;
  std::vector<double> tau;

  explicit FreeMotion(const Model<double>& model)
      : space(model), aba(model), tau(static_cast<std::size_t>(model.n_v())) {}
  void operator()(double, View<const double> y, View<double> dy) {
    const View<const double> v = space.v(y);
    for (int k = 0; k < v.size; ++k) space.q_rate(dy)[k] = v[k];
    const auto regular =
        rigid_forward_dynamics(*space.model, aba, space.q(y), v, tau, {}, space.v_rate(dy));
    benchmark::DoNotOptimize(regular.pivot_ratio);
  }
};

std::vector<double> start(const Model<double>& model) {
  std::vector<double> y(static_cast<std::size_t>(model.n_q() + model.n_v()));
  random_configuration(model, 1, View<double>(y.data(), model.n_q()));
  return y;
}

void rates(benchmark::State& state, const char* robot) {
  const Model<double> model = load_robot(robot);
  FreeMotion motion(model);
  const std::vector<double> y = start(model);
  std::vector<double> dy(static_cast<std::size_t>(motion.space.n_tangent()));
  for (auto _ : state) motion(0, y, dy);
}
void rk4(benchmark::State& state, const char* robot) {
  const Model<double> model = load_robot(robot);
  FreeMotion motion(model);
  RungeKuttaWorkspace<double> ws(motion.space);
  std::vector<double> y = start(model);
  for (auto _ : state) rk4_step(motion.space, ws, motion, 0, 1e-5, y);
}
void taylor(benchmark::State& state, const char* robot) {
  const Model<double> model = load_robot(robot);
  FreeMotion motion(model);
  RungeKuttaWorkspace<double> ws(motion.space);
  std::vector<double> y = start(model);
  for (auto _ : state) taylor_step(motion.space, ws, motion, 0, 1e-5, y);
}
template <class Pair>
void one_second(benchmark::State& state, const char* robot) {
  const Model<double> model = load_robot(robot);
  FreeMotion motion(model);
  PairWorkspace<Pair, double> ws(motion.space);
  long steps = 0;
  for (auto _ : state) {
    std::vector<double> y = start(model);
    double t = 0;
    ws.restart();
    const auto result = integrate_adaptive(motion.space, ws, {.relative = 1e-10, .absolute = 1e-10},
                                           motion, t, 1.0, y);
    if (!result) state.SkipWithError("the run ended early");
    steps = ws.accepted + ws.rejected;
  }
  state.counters["steps"] = static_cast<double>(steps) / static_cast<double>(state.iterations());
}

void order_5(benchmark::State& state, const char* robot) {
  one_second<DormandPrince5>(state, robot);
}
void order_8(benchmark::State& state, const char* robot) {
  one_second<DormandPrince8>(state, robot);
}

/// One second of a PUMA 560 under independent PD, with certificate and recording.
void closed_loop(benchmark::State& state, Integrator integrator, double period) {
  const Model<double> model = load_robot("puma560");
  IndependentPd law(model, {Gain({800, 1500, 400, 40, 40, 20}), Gain({120, 200, 60, 4, 4, 2})});
  SimulateOptions o;
  o.integrator = integrator;
  o.period = period;
  long evaluations = 0;
  for (auto _ : state) {
    const Recording r = simulate(Plant(model), law, hold({0.5, -0.6, 0.4, 0, 0.3, 0}, 6), o);
    if (r.stop != StopReason::finished) state.SkipWithError(r.message.c_str());
    evaluations = r.evaluations;
  }
  state.counters["evaluations"] = static_cast<double>(evaluations);
}

BENCHMARK_CAPTURE(rates, puma560, "puma560");
BENCHMARK_CAPTURE(rates, humanoid38, "humanoid38");
BENCHMARK_CAPTURE(taylor, puma560, "puma560");
BENCHMARK_CAPTURE(rk4, puma560, "puma560");
BENCHMARK_CAPTURE(rk4, humanoid38, "humanoid38");
BENCHMARK_CAPTURE(order_5, puma560, "puma560")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(order_8, puma560, "puma560")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(closed_loop, rk4_continuous, Integrator::rk4, 0)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(closed_loop, rk4_sampled, Integrator::rk4, 1e-3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(closed_loop, order_8, Integrator::dormand_prince8, 0)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace torsor
