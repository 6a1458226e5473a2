// Dynamics on base parameters: the linear algorithms of the textbook with all inertial parameters, with base
// parameters, and beside them the recursions about mass centres and the library's own (times per call).
//   build/native/benchmarks/base_dynamics
#include <benchmark/benchmark.h>

#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/rnea.hpp"
#include "torsor/dynamics/textbook/linear_dynamics.hpp"
#include "torsor/dynamics/textbook/textbook_forward.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/identification/dh_base_parameters.hpp"
#include "torsor/model/dh_conversion.hpp"

namespace torsor {
namespace {

/// A robot whose links have no zero among their parameters, and states in turn.
struct Arm {
  Model<double> model;
  DhTable table;
  int n;
  Array<double> all, kept, out;
  Array<Array<double>> states;
  int at = 0;

  explicit Arm(const char* name)
      : model(load_robot(name)),
        table(to_dh(model.description(), DhTable::Convention::modified).table),
        n(model.n_v()),
        out(n * n) {
    for (DhRow& row : table.rows) {
      row.inertial = {2, {0.1, 0.2, 0.3}, {0.5, 0.01, 0.6, 0.02, 0.03, 0.7}};
      row.has_inertial = true;
    }
    model = Model<double>(from_dh(table));
    all = table_parameters(table);
    const BaseParameters base = dh_base_parameters(table);
    kept = base.expanded(base.values(all));
    for (int s = 0; s < 64; ++s) {
      states.push_back({});
      for (int k = 0; k < n; ++k) states[s].push_back(0.9 * (((7 * s + 13 * k) % 29) / 14.5 - 1));
    }
  }
  const Array<double>& x() { return states[at = (at + 1) % 64]; }
  MatrixView<double> H() { return column_major(out.data(), n, n); }
};

void inverse(benchmark::State& state, const char* robot, bool base) {
  Arm arm(robot);
  LinearDynamicsWorkspace<double> ws(arm.table);
  const Array<double>& p = base ? arm.kept : arm.all;
  for (auto _ : state) {
    const Array<double>& x = arm.x();
    linear_inverse_dynamics<double>(arm.table, ws, x, x, x, p, Out<double>(arm.out.data(), arm.n));
    benchmark::DoNotOptimize(arm.out.data());
  }
}
void newton_euler(benchmark::State& state, const char* robot) {
  Arm arm(robot);
  TextbookWorkspace<double> ws(arm.table);
  for (auto _ : state) {
    const Array<double>& x = arm.x();
    textbook_inverse_dynamics<double>(arm.table, ws, x, x, x, Out<double>(arm.out.data(), arm.n));
    benchmark::DoNotOptimize(arm.out.data());
  }
}
void recursive(benchmark::State& state, const char* robot) {
  Arm arm(robot);
  RneaWorkspace<double> ws(arm.model);
  for (auto _ : state) {
    const Array<double>& x = arm.x();
    rigid_inverse_dynamics(arm.model, ws, x, x, x, {}, Out<double>(arm.out.data(), arm.n));
    benchmark::DoNotOptimize(arm.out.data());
  }
}
void mass(benchmark::State& state, const char* robot, bool base) {
  Arm arm(robot);
  LinearDynamicsWorkspace<double> ws(arm.table);
  const Array<double>& p = base ? arm.kept : arm.all;
  for (auto _ : state) {
    linear_mass_matrix<double>(arm.table, ws, arm.x(), p, arm.H());
    benchmark::DoNotOptimize(arm.out.data());
  }
}
void composite(benchmark::State& state, const char* robot) {
  Arm arm(robot);
  TextbookForwardWorkspace<double> ws(arm.table);
  for (auto _ : state) {
    composite_body_mass_matrix<double>(arm.table, ws, arm.x(), arm.H());
    benchmark::DoNotOptimize(arm.out.data());
  }
}

BENCHMARK_CAPTURE(newton_euler, puma560, "puma560");
BENCHMARK_CAPTURE(inverse, puma560_all, "puma560", false);
BENCHMARK_CAPTURE(inverse, puma560_base, "puma560", true);
BENCHMARK_CAPTURE(recursive, puma560, "puma560");
BENCHMARK_CAPTURE(composite, puma560, "puma560");
BENCHMARK_CAPTURE(mass, puma560_all, "puma560", false);
BENCHMARK_CAPTURE(mass, puma560_base, "puma560", true);
BENCHMARK_CAPTURE(newton_euler, stanford, "stanford");
BENCHMARK_CAPTURE(inverse, stanford_all, "stanford", false);
BENCHMARK_CAPTURE(inverse, stanford_base, "stanford", true);
BENCHMARK_CAPTURE(recursive, stanford, "stanford");
BENCHMARK_CAPTURE(composite, stanford, "stanford");
BENCHMARK_CAPTURE(mass, stanford_all, "stanford", false);
BENCHMARK_CAPTURE(mass, stanford_base, "stanford", true);

}  // namespace
}  // namespace torsor
