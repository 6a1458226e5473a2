// Forward dynamics under contacts and loops, in ns per call: every call takes another of 64 states.
//   cmake --preset native -DTORSOR_BUILD_BENCHMARKS=ON && cmake --build --preset native
//   build/native/benchmarks/constrained
#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <random>

#include "torsor/torsor.hpp"

namespace {

using namespace torsor;
constexpr int states = 64;

/// A trunk on a free joint with four legs of three hinges: 18 degrees of freedom.
Model<double> quadruped() {
  ModelBuilder b("quadruped");
  b.free("root", "world", "trunk").limits({});
  b.inertia("trunk", 40, {0, 0, 0.02}, {1.2, 0, 3, 0, 0, 3.5});
  for (const auto& [name, x, y] :
       {std::tuple{"lf", 0.4, 0.2}, {"rf", 0.4, -0.2}, {"lh", -0.4, 0.2}, {"rh", -0.4, -0.2}}) {
    const std::string leg = name;
    b.revolute(leg + "_haa", "trunk", leg + "_hip", {.p = {x, y, 0}}, {1, 0, 0});
    b.revolute(leg + "_hfe", leg + "_hip", leg + "_thigh", {.p = {0, 0, -0.08}}, {0, 1, 0});
    b.revolute(leg + "_kfe", leg + "_thigh", leg + "_shank", {.p = {0, 0, -0.35}}, {0, 1, 0});
    b.inertia(leg + "_hip", 3, {0, 0, -0.04}, {0.02, 0, 0.02, 0, 0, 0.02});
    b.inertia(leg + "_thigh", 3.5, {0, 0, -0.15}, {0.04, 0, 0.04, 0, 0, 0.01});
    b.inertia(leg + "_shank", 1, {0, 0, -0.12}, {0.01, 0, 0.01, 0, 0, 0.001});
    b.frame(leg + "_foot", leg + "_shank", {.p = {0, 0, -0.33}});
  }
  return b.build();
}

struct Case {
  Model<double> model;
  ConstraintSet set;
  ConstrainedWorkspace ws;
  std::vector<std::vector<double>> q, qd, tau;
  std::vector<double> qdd, lambda;
  std::size_t next = 0;

  Case(Model<double> m, const std::function<void(const Model<double>&, ConstraintSet&)>& add)
      : model(std::move(m)), set(model), ws(model, (add(model, set), set)) {
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<double> draw(-1, 1);
    qdd.resize(static_cast<std::size_t>(model.n_v()));
    lambda.resize(static_cast<std::size_t>(set.n_rows()));
    for (int k = 0; k < states; ++k) {
      std::vector<double> x(static_cast<std::size_t>(model.n_q())), v(qdd.size()), t(qdd.size());
      random_configuration(model, static_cast<std::uint64_t>(k), x);
      for (auto* y : {&v, &t})
        for (double& e : *y) e = draw(engine);
      q.push_back(x), qd.push_back(v), tau.push_back(t);
    }
  }
};

using Contacts = std::function<void(const Model<double>&, ConstraintSet&)>;

void add(const std::string& name, const std::function<Model<double>()>& robot,
         const Contacts& contacts) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& timer) {
    const auto c = std::make_unique<Case>(robot(), contacts);
    for (auto _ : timer) {
      const std::size_t k = c->next = (c->next + 1) % states;
      (void)constrained_forward_dynamics(c->model, c->ws, c->q[k], c->qd[k], c->tau[k], {}, c->qdd,
                                         c->lambda);
      benchmark::ClobberMemory();
    }
  });
}
/// The last link of a chain held at a point.
Contacts tip(int links) {
  return [=](const Model<double>& m, ConstraintSet& set) {
    set.add_point("tip", m.frame(m.body_name(links)), {});
  };
}

}  // namespace

int main(int argc, char** argv) {
  add(
      "humanoid38, two feet (12 rows)", [] { return load_robot("humanoid38"); },
      [](const Model<double>& m, ConstraintSet& set) {
        set.add_frame("left", m.frame("left_foot"), {});
        set.add_frame("right", m.frame("right_foot"), {});
      });
  add("quadruped, four points (12 rows)", quadruped,
      [](const Model<double>& m, ConstraintSet& set) {
        for (const char* foot : {"lf_foot", "rf_foot", "lh_foot", "rh_foot"})
          set.add_point(foot, m.frame(foot), {});
      });
  for (const int n : {25, 50, 100, 200})
    add(
        "chain:" + std::to_string(n) + ", tip held (3 rows)",
        [=] { return load_robot("chain:" + std::to_string(n)); }, tip(n));
  for (const char* robot : {"four_bar", "five_bar", "palletiser", "stewart", "delta"})
    add(
        std::string(robot) + " (its loops)", [=] { return load_robot(robot); },
        [](const Model<double>&, ConstraintSet&) {});
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
