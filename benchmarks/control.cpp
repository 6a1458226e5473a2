// Control laws: time of one call on a PUMA 560 (torque and, where the law has states, their rates).
//
//   control                  every law that make_controller knows; a law without gains here is named
#include <benchmark/benchmark.h>

#include <cstdio>
#include <map>

#include "torsor/control/make_controller.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/trajectory/se3_path.hpp"

namespace torsor {
namespace {

using Numbers = std::map<std::string, std::vector<double>>;
using Words = std::map<std::string, std::string>;
struct Gains {
  Numbers numbers{};
  Words words{};
};

/// Laws that take gains of the joints; parameters that need a list for six joints are one number.
const std::map<std::string, Gains> gains_of{
    {"adaptive_hybrid_position_force",
     {{{"Lambda", {8}}, {"Ks", {10}}, {"KF", {2}}, {"adaptation", {0.1}}},
      {{"frame", "tool"}, {"angles", "rotation"}, {"constraint", "plane"}}}},
    {"admittance",
     {{{"Md", {1}}, {"Bd", {20}}, {"Kd", {100}}, {"Kp", {400}}, {"Kv", {40}}},
      {{"frame", "tool"}, {"angles", "rotation"}}}},
    {"computed_torque", {{{"Kp", {100}}, {"Kd", {20}}}}},
    {"feedforward", {{{"Kp", {100}}, {"Kd", {20}}}}},
    {"gravity_float", {{{"Kd", {2}}, {"friction", {0.5}}}}},
    {"hybrid_position_force",
     {{{"Kp", {100}}, {"Kd", {20}}, {"KF", {2}}},
      {{"frame", "tool"}, {"angles", "rotation"}, {"constraint", "plane"}}}},
    {"impedance",
     {{{"Md", {1}}, {"Bd", {20}}, {"Kd", {100}}}, {{"frame", "tool"}, {"angles", "rotation"}}}},
    {"independent_pd", {{{"Kp", {100}}, {"Kd", {20}}}}},
    {"independent_pid", {{{"Kp", {100}}, {"Ki", {10}}, {"Kd", {20}}}}},
    {"joint_limit_avoidance",
     {{{"Kp", {100}}, {"Kd", {20}}, {"limit_stiffness", {50}}, {"limit_margin", {0.2}}}}},
    {"momentum_observer", {{{"Kp", {100}}, {"Kd", {20}}, {"observer", {20}}}}},
    {"nonlinear_decoupling", {{{"Lambda0", {100}}, {"Lambda1", {20}}}}},
    {"operational_space",
     {{{"Kp", {100}}, {"Kd", {20}}, {"kd_null", {5}}},
      {{"frame", "tool"}, {"angles", "rotation"}}}},
    {"optimal_computed_torque", {{{"Q", {100}}, {"R0", {1}}}}},
    {"passivity_tracking", {{{"Lambda", {5}}, {"Kd", {20}}}}},
    {"pd_fixed_gravity", {{{"Kp", {100}}, {"Kd", {20}}}}},
    {"pd_gravity", {{{"Kp", {100}}, {"Kd", {20}}, {"Ki", {10}}}}},
    {"point_lqr", {{{"point", {0.3}}, {"Q", {10}}, {"R", {0.1}}}}},
    {"resolved_acceleration", {{{"kp", {100}}, {"kd", {20}}}, {{"frame", "tool"}}}},
    {"robust_computed_torque",
     {{{"Kp", {100}},
       {"Kd", {20}},
       {"Q", {1}},
       {"epsilon", {0.1}},
       {"alpha", {0.2}},
       {"alpha_2", {10}},
       {"half_width_share", {0.1}}}}},
    {"sliding_computed_torque", {{{"Lambda", {5}}, {"eta", {1}}, {"half_width_share", {0.001}}}}},
    {"sliding_passivity", {{{"Lambda", {5}}, {"Kd", {20}}, {"half_width_share", {0.2}}}}},
    {"sliding_regressor_bound", {{{"Lambda", {5}}, {"Kd", {20}}, {"p_bar_share", {1.2}}}}},
};

/// A moving robot beside its reference, with everything a law may measure or follow.
struct Scene {
  Model<double> arm = load_robot("puma560");
  std::vector<double> q{0.3, 0.6, -0.4, 0.3, 1.2, -0.2}, qd{0.5, -0.3, 0.4, 0.2, -0.6, 0.7},
      qdd{1, -1, 0.5, 0.4, -0.2, 0.3};
  std::vector<double> q_d{0.35, 0.55, -0.35, 0.25, 1.15, -0.1};
  std::vector<double> x{0.5, 0.1, 0.4, 0, 0, 0}, rest = std::vector<double>(6),
                                                 f{10, 0, 0, 0, 0, 0};
  std::vector<Wrench<double>> F =
      std::vector<Wrench<double>>(static_cast<std::size_t>(arm.n_bodies()));
  PoseMotion<double> pose{{{}, {0.5, 0.1, 0.4}}, {}, {}};

  ControlState state() const { return {q, qd, qdd, F}; }
  ControlReference reference() const { return {q_d, qd, qdd, &pose, x, rest, rest, f}; }
};

void call(benchmark::State& state, const std::string& law, const Gains& gains) {
  const Scene scene;
  LawParameters parameters;
  for (const auto& [name, numbers] : gains.numbers) parameters.set(name, numbers);
  for (const auto& [name, word] : gains.words)
    parameters.set(name, word == "tool" ? scene.arm.frames().back().name : word);
  AnyController controller = make_controller(law, scene.arm, parameters);
  std::vector<double> x_c(static_cast<std::size_t>(controller.n_states())), rate = x_c, tau(6);
  controller.reset(x_c);
  const ControlState seen = scene.state();
  const ControlReference reference = scene.reference();
  for (auto _ : state) {
    controller.torque(0.1, seen, x_c, reference, tau);
    if (!x_c.empty()) controller.state_derivative(0.1, seen, x_c, reference, rate);
    benchmark::DoNotOptimize(tau.data());
  }
}

const bool registered = [] {
  for (const std::string& law : controller_names()) {
    const auto found = gains_of.find(law);
    if (found == gains_of.end())
      std::fprintf(stderr, "law \"%s\" has no gains in benchmarks/control.cpp: not measured\n",
                   law.c_str());
    else
      benchmark::RegisterBenchmark(law.c_str(), call, law, found->second);
  }
  return true;
}();

}  // namespace
}  // namespace torsor
