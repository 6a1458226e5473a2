// Estimators on compressed factors: time of one fit of a seven-axis arm, 70 inertial parameters
// with viscous and Coulomb friction and an offset of each joint; 20 blocks of 100 samples.
//
//   identification_consistency    bodies that can exist, along a falling weight of the prior;
//   least squares;
//                                 bootstrap
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "torsor/formats/load_robot.hpp"
#include "torsor/identification/consistency.hpp"
#include "torsor/identification/least_squares.hpp"
#include "torsor/identification/regressor.hpp"
#include "torsor/identification/uncertainty.hpp"
#include "torsor/model/inertial_parameters.hpp"

namespace torsor {
namespace {

struct Arm {
  CompressedLog log{};
  Array<double> prior{}, weights{};
  double mass = 0;
  RowFactor factor{};
  Estimate estimate{};

  Arm() {
    const Model<double> model = load_robot("iiwa14");
    const int n = model.n_v(), inertial = 10 * (model.n_bodies() - 1), N = inertial + 3 * n;
    log.names = parameter_names(model);
    const std::vector<double> p = parameters(model);
    Array<double> truth(p.begin(), p.end());
    for (int b = 0; b < inertial; b += 10) mass += truth[b];
    for (int j = 0; j < n; ++j) {
      log.joints.push_back(model.dof_name(j));
      for (const char* word : {".viscous", ".coulomb", ".offset"})
        log.names.push_back(model.dof_name(j) + word), truth.push_back(0.3);
    }
    prior = truth;  // each link half as heavy or half as heavy again
    for (int k = 0; k < inertial; ++k) prior[k] *= (k / 10) % 2 == 0 ? 0.5 : 1.5;
    RegressorWorkspace<double> ws(model);
    Matrix Y(n, inertial);
    Array<double> q(n), qd(n), qdd(n), row(N + 1);
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    for (int k = 0; k < 2000; ++k) {
      if (k % 100 == 0) log.add_block(0);
      const double t = 0.01 * k;
      for (int j = 0; j < n; ++j) {
        q[j] = qd[j] = qdd[j] = 0;
        for (int h = 1; h <= 4; ++h) {
          const double w = 0.9 * h + 0.13 * j, a = 0.4 / h, phase = 1.7 * j + h * h;
          q[j] += a * std::sin(w * t + phase);
          qd[j] += a * w * std::cos(w * t + phase);
          qdd[j] -= a * w * w * std::sin(w * t + phase);
        }
      }
      torque_regressor<double, double>(model, ws, q, qd, qdd, Y);
      for (int j = 0; j < n; ++j) {
        row.assign(N + 1, 0.0);
        for (int c = 0; c < inertial; ++c) row[c] = Y(j, c);
        row[inertial + 3 * j] = qd[j];
        row[inertial + 3 * j + 1] = std::tanh(qd[j] / 0.02);
        row[inertial + 3 * j + 2] = 1;
        for (int c = 0; c < N; ++c) row[N] += row[c] * truth[c];
        // Torques of a real arm: a model that is not exact asks for bodies that cannot exist.
        row[N] += 0.2 * normal(random) + 0.3 * std::sin(3 * q[j]) * qd[j];
        log.factor(log.n_blocks() - 1, j).add(row);
      }
    }
    estimate = least_squares(log);
    for (const double s : estimate.noise) weights.push_back(1 / s);
    factor = stacked(log, weights);
    (void)factor.R();
  }
};
const Arm& arm() {
  static const Arm made;
  return made;
}

void consistent(benchmark::State& state, double gamma, bool known_mass) {
  ConsistencyOptions options;
  options.gamma = gamma;
  options.total_mass = known_mass ? arm().mass : 0;
  ConsistentEstimate e;
  for (auto _ : state) e = consistent_estimate(arm().factor, arm().log.names, arm().prior, options);
  state.counters["steps"] = e.newton_steps;
  state.counters["converged"] = e.converged;
}
BENCHMARK_CAPTURE(consistent, gamma_1, 1.0, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(consistent, gamma_1_known_mass, 1.0, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(consistent, gamma_1e3_known_mass, 1e-3, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(consistent, gamma_1e3, 1e-3, false)->Unit(benchmark::kMillisecond);

void by_joint(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(least_squares(arm().log).condition);
}
BENCHMARK(by_joint)->Unit(benchmark::kMillisecond);

void bootstrap(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(block_bootstrap(arm().log, arm().estimate).inflation);
}
BENCHMARK(bootstrap)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace torsor
