// Derivatives along one direction, beside the undifferentiated algorithm in the same (physical) form:
// ns per call, every call takes another of 64 random states.
//   cmake --preset native && ninja -C build/native directional_derivatives
//   build/native/benchmarks/directional_derivatives
//
// physical_*       linearise_*: the algorithm itself, and what its derivatives need of it
// *_along_state    one direction of q, qd and qdd (or tau) of all joints, after that
// *_along_mass     one inertial parameter of the last body, after that
// *_parameters     per parameter, of a list of ten of every body: filling and both sweeps
#include <benchmark/benchmark.h>

#include <random>

#include "torsor/dynamics/derivatives/parameter_derivatives.hpp"
#include "torsor/torsor.hpp"

namespace {

using namespace torsor;
constexpr int states = 64;

struct Case {
  Model<double> model;
  std::vector<std::vector<double>> q, qd, qdd;
  std::vector<double> a, b, c;
  std::vector<Parameter> parameters;
  DirectionalWorkspace<double> ws;
  Direction<double> direction;
  ParameterWorkspace<double> named;
  std::vector<double> matrix;
  int next = 0;

  explicit Case(const char* robot)
      : model(load_robot(robot)),
        a(static_cast<std::size_t>(model.n_v())),
        b(a),
        c(a),
        ws(model),
        direction(model),
        named(model) {
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<double> draw(-1, 1);
    for (int k = 0; k < states; ++k) {
      std::vector<double> x(static_cast<std::size_t>(model.n_q())), v(a), w(a);
      random_configuration(model, static_cast<std::uint64_t>(k), x);
      for (auto* y : {&v, &w})
        for (double& e : *y) e = draw(engine);
      q.push_back(x), qd.push_back(v), qdd.push_back(w);
    }
    for (int i = 1; i < model.n_bodies(); ++i)
      for (int k = 0; k < parameters_per_body; ++k)
        parameters.push_back(Parameter::inertial(model, model.body_name(i), k));
    matrix.resize(a.size() * parameters.size());
  }
  std::size_t step() { return static_cast<std::size_t>(next = (next + 1) % states); }
  void inverse(std::size_t k) { linearise_inverse_dynamics(model, ws, q[k], qd[k], qdd[k], {}, a); }
  void forward(std::size_t k) {
    b = qdd[k];
    (void)linearise_hybrid_dynamics(model, ws, {}, q[k], qd[k], a, b, {});
  }
  void along_state(std::size_t k) {
    direction.clear(model);
    add_state<double, double>(model, ws, q[k], qd[k], qdd[k], qd[k], direction);
    direction.tau = qdd[k];
  }
  void along_mass() {
    direction.clear(model);
    direction.add_inertia(model.n_bodies() - 1, {1, {0.1, 0.2, 0.3}, {}});
  }
};

/// Registers verb(case, state) for one robot; `prepare` runs once.
template <class Prepare, class Verb>
void add(const std::string& name, const char* robot, Prepare prepare, Verb verb,
         bool each = false) {
  benchmark::RegisterBenchmark((name + "/" + robot).c_str(), [=](benchmark::State& timer) {
    Case c(robot);
    prepare(c);
    for (auto _ : timer) {
      verb(c, c.step());
      benchmark::ClobberMemory();
    }
    if (each)
      timer.counters["per_parameter"] = benchmark::Counter(
          static_cast<double>(c.parameters.size()),
          benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const auto nothing = [](Case&) {};
  for (const char* robot : {"panda", "humanoid38", "chain:100"}) {
    add("physical_inverse", robot, nothing, [](Case& c, std::size_t k) { c.inverse(k); });
    add(
        "inverse_along_state", robot, [](Case& c) { c.inverse(0); },
        [](Case& c, std::size_t) {
          c.along_state(0);
          directional_inverse_dynamics(c.model, c.ws, c.direction, c.b);
        });
    add(
        "inverse_along_mass", robot, [](Case& c) { c.inverse(0); },
        [](Case& c, std::size_t) {
          c.along_mass();
          directional_inverse_dynamics(c.model, c.ws, c.direction, c.b);
        });
    add("physical_forward", robot, nothing, [](Case& c, std::size_t k) { c.forward(k); });
    add(
        "forward_along_state", robot, [](Case& c) { c.forward(0); },
        [](Case& c, std::size_t) {
          c.along_state(0);
          directional_hybrid_dynamics(c.model, c.ws, c.direction, c.b, c.c);
        });
    add(
        "forward_along_mass", robot, [](Case& c) { c.forward(0); },
        [](Case& c, std::size_t) {
          c.along_mass();
          directional_hybrid_dynamics(c.model, c.ws, c.direction, c.b, c.c);
        });
    add(
        "inverse_parameters", robot, nothing,
        [](Case& c, std::size_t k) {
          tree_inverse_dynamics_derivatives<double>(
              c.model, c.named, c.parameters, c.q[k], c.qd[k], c.qdd[k], {}, c.a,
              column_major(c.matrix.data(), c.model.n_v(), static_cast<int>(c.parameters.size())));
        },
        true);
    add(
        "forward_parameters", robot, nothing,
        [](Case& c, std::size_t k) {
          (void)tree_forward_dynamics_derivatives<double>(
              c.model, c.named, c.parameters, c.q[k], c.qd[k], c.qdd[k], {}, c.a,
              column_major(c.matrix.data(), c.model.n_v(), static_cast<int>(c.parameters.size())));
        },
        true);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
