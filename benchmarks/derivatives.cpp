// Derivatives of one state, in ns per call: every call takes another of 64 random states.
//   cmake --preset native -DTORSOR_BUILD_BENCHMARKS=ON && cmake --build --preset native
//   build/native/benchmarks/derivatives
#include <benchmark/benchmark.h>

#include <random>

#include "torsor/torsor.hpp"

namespace {

using namespace torsor;
constexpr int states = 64;

struct Case {
  Model<double> model;
  std::vector<std::vector<double>> q, qd, qdd;
  std::vector<double> out, by_q, by_qd, by_third;
  int next = 0;

  explicit Case(const char* robot)
      : model(load_robot(robot)),
        out(static_cast<std::size_t>(model.n_v())),
        by_q(out.size() * out.size()),
        by_qd(by_q),
        by_third(by_q) {
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
  MatrixView<double> square(std::vector<double>& x) {
    return column_major(x.data(), model.n_v(), model.n_v());
  }
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
    using Inverse = InverseDynamicsDerivativesWorkspace<double>;
    add<Inverse>("inverse_dynamics_derivatives", robot, [](Case& c, auto& ws, auto k) {
      inverse_dynamics_derivatives(c.model, ws, c.q[k], c.qd[k], c.qdd[k], {}, c.square(c.by_q),
                                   c.square(c.by_qd));
    });
    add<ForwardDynamicsDerivativesWorkspace<double>>(
        "forward_dynamics_derivatives", robot, [](Case& c, auto& ws, auto k) {
          (void)forward_dynamics_derivatives(c.model, ws, c.q[k], c.qd[k], c.qdd[k], {}, c.out,
                                             c.square(c.by_q), c.square(c.by_qd),
                                             c.square(c.by_third));
        });
    add<Inverse>(
        "inverse_dynamics_derivatives_and_mass_matrix", robot, [](Case& c, auto& ws, auto k) {
          inverse_dynamics_derivatives(c.model, ws, c.q[k], c.qd[k], c.qdd[k], {}, c.square(c.by_q),
                                       c.square(c.by_qd), c.square(c.by_third));
        });
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
