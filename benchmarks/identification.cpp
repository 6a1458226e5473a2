// Identification: regressors of samples, triangular factors, logs compressed on one core and two.
//
//   identification           a UR10 with 58 unknowns: base parameters, rotors, friction and offsets
//
// Logs are compressed from memory; one of ten million samples is the bar, a hundredth of it is timed.
#include <benchmark/benchmark.h>

#include <cmath>

#include "torsor/formats/load_robot.hpp"
#include "torsor/identification/base_parameters.hpp"
#include "torsor/identification/column_regressor.hpp"
#include "torsor/identification/compress.hpp"

namespace torsor {
namespace {

/// What a log of the arm can tell apart, with viscous and Coulomb friction and an offset of each joint.
ParameterColumns unknowns(const Model<double>& model) {
  std::vector<std::string> names;
  const BaseParameters base = base_parameters(model, {.rotors = true});
  for (const int k : base.kept) names.push_back(base.names[static_cast<std::size_t>(k)]);
  for (int v = 0; v < model.n_v(); ++v)
    for (const char* word : {".viscous", ".coulomb", ".offset"})
      names.push_back(model.dof_name(v) + word);
  return ParameterColumns(model, names);
}
/// Sums of sines; what the torques are does not matter for the time.
struct Motion {
  Matrix q, qd, qdd, tau;

  Motion(const Model<double>& model, int samples)
      : q(samples, model.n_q()), qd(samples, model.n_v()), qdd(qd), tau(qd) {
    for (int s = 0; s < samples; ++s)
      for (int v = 0; v < model.n_v(); ++v) {
        const double w = 1 + 0.37 * v, t = 1e-3 * s;
        q(s, v) = std::sin(w * t) + 0.3 * std::cos(2.3 * w * t);
        qd(s, v) = w * std::cos(w * t) - 0.69 * w * std::sin(2.3 * w * t);
        qdd(s, v) = -w * w * (std::sin(w * t) + 1.587 * std::cos(2.3 * w * t));
        tau(s, v) = 10 * std::sin(3 * w * t + v);
      }
  }
  MotionSamples samples() const { return {q, qd, qdd, tau, {}}; }
};

void torque_regressor_of_one_sample(benchmark::State& state) {
  const Model<double> model = load_robot("ur10");
  const ParameterColumns columns = unknowns(model);
  const Motion motion(model, 1000);
  ColumnWorkspace<double> ws(model);
  Array<double> W(model.n_v() * columns.size());
  int s = 0;
  for (auto _ : state) {
    const auto row = [&](const Matrix& m) { return In<double>(m.data() + s * m.cols(), m.cols()); };
    torque_regressor(model, ws, columns, row(motion.q), row(motion.qd), row(motion.qdd),
                     column_major(W.data(), model.n_v(), columns.size()));
    s = (s + 1) % 1000;
  }
  state.SetItemsProcessed(state.iterations());
}
void sample_regressor_of_many(benchmark::State& state) {
  const Model<double> model = load_robot("ur10");
  const ParameterColumns columns = unknowns(model);
  const Motion motion(model, 128);
  SampleWorkspace ws(model, columns);
  Array<double> W(128 * model.n_v() * columns.size());
  for (auto _ : state)
    sample_regressor(model, ws, columns, motion.samples(),
                     column_major(W.data(), 128 * model.n_v(), columns.size()));
  state.SetItemsProcessed(128 * state.iterations());
}

/// Operations per second: 2 columns^2 for each row.
void row_factor(benchmark::State& state) {
  const int columns = static_cast<int>(state.range(0)), rows = 1024;
  Array<double> A(rows * columns);
  for (int k = 0; k < A.size(); ++k) A[k] = std::sin(0.37 * k * k);
  RowFactor factor(columns);
  for (auto _ : state) factor.add(InMatrix<double>(A.data(), rows, columns, 1, rows));
  state.counters["flop"] =
      benchmark::Counter(2.0 * columns * columns * rows * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}
/// One factor into another, as bootstrap and weights do.
void add_factor(benchmark::State& state) {
  const int columns = static_cast<int>(state.range(0));
  Array<double> A(256 * columns);
  for (int k = 0; k < A.size(); ++k) A[k] = std::sin(0.37 * k * k);
  RowFactor factor(columns), sum(columns);
  factor.add(InMatrix<double>(A.data(), 256, columns, 1, 256));
  for (auto _ : state) sum.add(factor, 0.5);
}

void compress_100_000_samples(benchmark::State& state) {
  const Model<double> model = load_robot("ur10");
  const ParameterColumns columns = unknowns(model);
  const int samples = 100'000;
  const Motion motion(model, samples);
  for (auto _ : state)
    benchmark::DoNotOptimize(compress(model, columns, motion.samples(),
                                      {.block = 4096, .threads = static_cast<int>(state.range(0))})
                                 .n_blocks());
  state.counters["unknowns"] = columns.size();
  state.SetItemsProcessed(samples * state.iterations());
}

BENCHMARK(torque_regressor_of_one_sample);
BENCHMARK(sample_regressor_of_many);
BENCHMARK(row_factor)->Arg(20)->Arg(59)->Arg(128);
BENCHMARK(add_factor)->Arg(59);
BENCHMARK(compress_100_000_samples)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace torsor
