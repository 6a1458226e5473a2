// Dynamics of one state, in ns per call: every call takes another of 64 random states.
//   cmake --preset native -DTORSOR_BUILD_BENCHMARKS=ON && cmake --build --preset native
//   build/native/benchmarks/dynamics
#include <benchmark/benchmark.h>

#include <memory>
#include <random>

#include "torsor/torsor.hpp"

namespace {

using namespace torsor;
constexpr int states = 64;

struct Case {
  Model<double> model;
  std::vector<std::vector<double>> q, qd, qdd;
  std::vector<double> out, matrix, regressor;
  int next = 0;

  explicit Case(const char* robot)
      : model(load_robot(robot)),
        out(static_cast<std::size_t>(model.n_v())),
        matrix(out.size() * out.size()),
        regressor(out.size() * 10 * static_cast<std::size_t>(model.n_bodies() - 1)) {
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<double> draw(-1, 1);
    for (int k = 0; k < states; ++k) {
      std::vector<double> x(static_cast<std::size_t>(model.n_q())), v(out.size()), a(out.size());
      random_configuration(model, static_cast<std::uint64_t>(k), x);
      for (auto* y : {&v, &a})
        for (double& e : *y) e = draw(engine);
      q.push_back(x), qd.push_back(v), qdd.push_back(a);
    }
  }
  std::size_t step() { return static_cast<std::size_t>(next = (next + 1) % states); }
  MatrixView<double> square() { return column_major(matrix.data(), model.n_v(), model.n_v()); }
};

/// Registers verb(case, workspace, state) for one robot.
template <class Workspace, class Verb>
void add(const std::string& name, const char* robot, Verb verb) {
  benchmark::RegisterBenchmark((name + "/" + robot).c_str(), [=](benchmark::State& timer) {
    Case c(robot);
    Workspace ws(c.model);
    for (auto _ : timer) {
      verb(c, ws, c.step());
      benchmark::ClobberMemory();
    }
  });
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* robot : {"panda", "humanoid38", "chain:100"}) {
    add<KinematicsWorkspace<double>>("forward_kinematics", robot, [](Case& c, auto& ws, auto k) {
      forward_kinematics(c.model, ws, c.q[k]);
    });
    add<RneaWorkspace<double>>("inverse_dynamics", robot, [](Case& c, auto& ws, auto k) {
      inverse_dynamics(c.model, ws, c.q[k], c.qd[k], c.qdd[k], {}, c.out);
    });
    add<AbaWorkspace<double>>("forward_dynamics", robot, [](Case& c, auto& ws, auto k) {
      (void)forward_dynamics(c.model, ws, c.q[k], c.qd[k], c.qdd[k], {}, c.out);
    });
    add<CrbaWorkspace<double>>("mass_matrix", robot, [](Case& c, auto& ws, auto k) {
      mass_matrix(c.model, ws, c.q[k], c.square());
    });
    add<MinverseWorkspace<double>>("mass_matrix_inverse", robot, [](Case& c, auto& ws, auto k) {
      (void)mass_matrix_inverse(c.model, ws, c.q[k], c.square());
    });
    add<CoriolisWorkspace<double>>("coriolis_matrix", robot, [](Case& c, auto& ws, auto k) {
      coriolis_matrix(c.model, ws, c.q[k], c.qd[k], c.square());
    });
    add<RegressorWorkspace<double>>("torque_regressor", robot, [](Case& c, auto& ws, auto k) {
      torque_regressor(
          c.model, ws, c.q[k], c.qd[k], c.qdd[k],
          column_major(c.regressor.data(), c.model.n_v(), 10 * (c.model.n_bodies() - 1)));
    });
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
