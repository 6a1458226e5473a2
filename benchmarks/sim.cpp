// Simulation: a sampled arm beside a loop by hand, integrators, closed loops.
//
//   sim                      ten seconds of a Panda: simulate(), the loop, MuJoCo where it is found;
//                            then free motion of a PUMA 560 and of a humanoid with 38 joints
//   sim --benchmark_filter=none                                       the first table alone
#include <benchmark/benchmark.h>

#include "peers/comparison.hpp"
#include "peers/peer_loop.hpp"
#include "torsor/control/joint/computed_torque.hpp"
#include "torsor/control/joint/independent_pd.hpp"
#include "torsor/dynamics/aba.hpp"
#include "torsor/dynamics/rnea.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/surgery.hpp"
#include "torsor/sim/adaptive.hpp"
#include "torsor/sim/simulate.hpp"
#include "torsor/sim/taylor_step.hpp"
#include "torsor/trajectory/periodic.hpp"

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

constexpr int n = 7;
constexpr double kp = 100, kd = 20, step = 1e-3;
constexpr int steps = 10'000;

/// What simulate() is measured against: computed torque at every step and four forward dynamics, on
/// the same kernels, with nothing recorded, checked or measured.
class HandLoop {
 public:
  HandLoop(const Model<double>& model, const Sinusoid& path)
      : model_(model), path_(path), aba_(model), rnea_(model) {}

  Array<double> run() {
    q_ = path_.offset;
    std::fill(v_[0].begin(), v_[0].end(), 0.0);
    for (int k = 0; k < steps; ++k) {
      path_.sample(k * step, q_d_, v_d_, a_d_);
      for (int i = 0; i < n; ++i) a_d_[i] += kp * (q_d_[i] - q_[i]) + kd * (v_d_[i] - v_[0][i]);
      rigid_inverse_dynamics(model_, rnea_, q_, v_[0], a_d_, {}, tau_);
      (void)rigid_forward_dynamics(model_, aba_, q_, v_[0], tau_, {}, a_[0]);
      for (int s = 1; s < 4; ++s) {
        const double h = s == 3 ? step : step / 2;
        for (int i = 0; i < n; ++i) {
          at_[i] = q_[i] + h * v_[s - 1][i];
          v_[s][i] = v_[0][i] + h * a_[s - 1][i];
        }
        (void)rigid_forward_dynamics(model_, aba_, at_, v_[s], tau_, {}, a_[s]);
      }
      for (int i = 0; i < n; ++i) {
        q_[i] += step / 6 * (v_[0][i] + 2 * v_[1][i] + 2 * v_[2][i] + v_[3][i]);
        v_[0][i] += step / 6 * (a_[0][i] + 2 * a_[1][i] + 2 * a_[2][i] + a_[3][i]);
      }
    }
    return q_;
  }

 private:
  const Model<double>& model_;
  const Sinusoid& path_;
  AbaWorkspace<double> aba_;
  RneaWorkspace<double> rnea_;
  Array<double> q_, at_ = Array<double>(n), tau_ = at_, q_d_ = at_, v_d_ = at_, a_d_ = at_;
  Array<double> v_[4] = {at_, at_, at_, at_}, a_[4] = {at_, at_, at_, at_};
};

/// One line: the least time of `call` over repetitions in turn with the others, and where it ends.
struct Row {
  std::string name;
  std::function<Array<double>()> call;
  double least = 1e300;
  Array<double> end{};
};

/// Ten seconds of a Panda without friction, sampled at 1 kHz.
void sampled_arm() {
  const Model<double> model = with_effects(load_robot("panda"), {.friction = false});
  const Sinusoid path{{0, -0.3, 0, -1.8, 0, 1.6, 0.5},
                      {0.4, 0.3, 0.4, 0.3, 0.5, 0.4, 0.5},
                      {2, 1.7, 2.3, 1.9, 2.7, 2.1, 3},
                      {0, 0, 0, 0, 0, 0, 0}};
  ComputedTorque law(model,
                     {Gain({kp, kp, kp, kp, kp, kp, kp}), Gain({kd, kd, kd, kd, kd, kd, kd})});
  HandLoop hand(model, path);
  const auto with = [&](std::optional<Integrator> integrator, bool certificate) {
    return [&, integrator, certificate] {
      SimulateOptions o;
      o.q0 = path.offset;
      o.duration = steps * step;
      o.period = o.step = step;
      o.integrator = integrator;
      o.certificate = certificate;
      const Recording r = simulate(Plant(model), law, follow(path), o);
      const View<const double> q = r.q.row(r.size() - 1);
      return Array<double>(q.begin(), q.end());
    };
  };
  std::vector<Row> rows;
  rows.push_back({"loop by hand, rk4", [&] { return hand.run(); }});
  rows.push_back({"simulate, rk4", with(Integrator::rk4, false)});
  rows.push_back({"simulate, rk4, with certificate", with(Integrator::rk4, true)});
  rows.push_back({"simulate, default (dormand_prince5)", with({}, false)});
  rows.push_back({"simulate, dormand_prince8", with(Integrator::dormand_prince8, false)});
#ifdef TORSOR_PEER_MUJOCO
  const std::vector<PeerBody> bodies = peer_bodies(model);
  const std::unique_ptr<PeerLoop> mujoco(make_mujoco_loop(
      bodies.data(), model.n_bodies(), &model.gravity().x,
      {kp, kd, step, path.offset.data(), path.amplitude.data(), path.frequency.data()}));
  rows.push_back({mujoco->name(), [&] {
                    Array<double> q(n);
                    mujoco->run(steps, q.data());
                    return q;
                  }});
#endif
  for (int repetition = 0; repetition < 20; ++repetition)
    for (Row& row : rows) {
      const double start = detail::cpu_time();
      row.end = row.call();
      row.least = std::min(row.least, 1e-6 * (detail::cpu_time() - start));
    }
  std::printf("%-40s %9s %9s %12s %14s\n", "10 s of a Panda, sampled at 1 kHz", "ms", "ratio",
              "x real time", "|q - order 8|");
  for (const Row& row : rows) {
    double off = 0;
    for (int k = 0; k < n; ++k) off = std::max(off, std::abs(row.end[k] - rows[4].end[k]));
    std::printf("%-40s %9.2f %9.2f %12.0f %14.1e\n", row.name.c_str(), row.least,
                row.least / rows[0].least, 1e3 * steps * step / row.least, off);
  }
}

}  // namespace
}  // namespace torsor

int main(int argc, char** argv) {
  torsor::sampled_arm();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
