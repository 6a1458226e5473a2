// Control laws: time of one call on a PUMA 560 (torque and, where the law has states, their rates);
// laws of several arms on two of them with a box.
//
//   control                  every law of the registry; a law without gains here is named
#include <benchmark/benchmark.h>

#include <cstdio>
#include <map>

#include "torsor/control/law_registry.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/model/surgery.hpp"
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
const Words pose{{"frame", "tool"}, {"axes", "xyz"}, {"angles", "rotation"}};
const Words box{{"object", "box"}, {"axes", "xyz"}, {"angles", "rotation"}};
const Words pose_on_plane{
    {"frame", "tool"}, {"axes", "xyz"}, {"angles", "rotation"}, {"constraint", "plane"}};
const Words box_on_plane{
    {"object", "box"}, {"axes", "xyz"}, {"angles", "rotation"}, {"constraint", "plane"}};
const std::map<std::string, Gains> gains_of{
    {"adaptive_computed_torque", {{{"Kp", {100}}, {"Kd", {20}}, {"adaptation", {1}}}}},
    {"adaptive_hybrid_position_force",
     {{{"Lambda", {5}}, {"Ks", {20}}, {"adaptation", {1}}}, pose_on_plane}},
    {"admittance", {{{"Md", {2}}, {"Bd", {60}}, {"Kd", {200}}, {"Kp", {100}}, {"Kv", {20}}}, pose}},
    {"computed_torque", {{{"Kp", {100}}, {"Kd", {20}}}}},
    {"feedforward", {{{"Kp", {100}}, {"Kd", {20}}}}},
    {"gravity_float", {{{"Kd", {2}}, {"friction", {0.5}}}}},
    {"hybrid_position_force", {{{"Kp", {100}}, {"Kd", {20}}}, pose_on_plane}},
    {"impedance", {{{"Md", {2}}, {"Bd", {60}}, {"Kd", {200}}}, pose}},
    {"independent_pd", {{{"Kp", {100}}, {"Kd", {20}}}}},
    {"independent_pid", {{{"Kp", {100}}, {"Ki", {10}}, {"Kd", {20}}}}},
    {"joint_limit_avoidance",
     {{{"Kp", {100}}, {"Kd", {20}}, {"limit_stiffness", {50}}, {"limit_margin", {0.2}}}}},
    {"momentum_observer", {{{"Kp", {100}}, {"Kd", {20}}, {"observer", {20}}}}},
    {"multi_arm_adaptive", {{{"Lambda", {5}}, {"Ks", {20}}, {"adaptation", {1}}}, box_on_plane}},
    {"multi_arm_hybrid", {{{"Kp", {100}}, {"Kd", {20}}}, box_on_plane}},
    {"multi_arm_impedance", {{{"Md", {2}}, {"Bd", {60}}, {"Kd", {200}}}, box}},
    {"nonlinear_decoupling", {{{"Lambda0", {100}}, {"Lambda1", {20}}}}},
    {"operational_space", {{{"Kp", {100}}, {"Kd", {20}}}, pose}},
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
    {"slotine_li", {{{"Lambda", {5}}, {"Kd", {20}}, {"adaptation", {1}}}}},
};

/// Two PUMA 560 beside each other with a box that their hands meet on at the same q.
Model<double> two_arms(const std::vector<double>& q) {
  const Model<double> arm = load_robot("puma560");
  const SE3<double> apart{.p = {0, 1, 0}};
  KinematicsWorkspace<double> ws(arm);
  forward_kinematics(arm, ws, q);
  const SE3<double> hand = frame_pose(ws, arm.frame("link_6"));
  return hold_object(append(arm, arm, arm.description().root, apart, "other_"), "box",
                     {3, {0.05, 0, 0}, {0.05, 0, 0.05, 0, 0, 0.08}},
                     {{"link_6", {}, {}}, {"other_link_6", {}, inverse_times(hand, apart * hand)}});
}

/// A moving robot beside its reference, with everything a law may measure or follow.
struct Scene {
  explicit Scene(bool several)
      : robot(several ? two_arms(q) : load_robot("puma560")),
        F(static_cast<std::size_t>(robot.n_bodies())) {
    for (std::vector<double>* part : {&q, &qd, &qdd, &q_d})
      if (several) part->insert(part->end(), part->begin(), part->begin() + 6);
  }

  std::vector<double> q{0.3, 0.6, -0.4, 0.3, 1.2, -0.2}, qd{0.5, -0.3, 0.4, 0.2, -0.6, 0.7},
      qdd{1, -1, 0.5, 0.4, -0.2, 0.3};
  std::vector<double> q_d{0.35, 0.55, -0.35, 0.25, 1.15, -0.1};
  std::vector<double> x{0.5, 0.1, 0.4, 0, 0, 0}, rest = std::vector<double>(6), f = rest;
  Model<double> robot;
  std::vector<Wrench<double>> F;
  PoseMotion<double> pose{.T = {.p = {0.5, 0.1, 0.4}}};

  ControlState state() const { return {q, qd, qdd, F}; }
  ControlReference reference() const { return {q_d, qd, qdd, &pose, x, rest, rest, f}; }
};

void call(benchmark::State& state, const std::string& law, const Gains& gains) {
  const Scene scene(law.rfind("multi_arm", 0) == 0);
  LawParameters parameters;
  for (const auto& [name, numbers] : gains.numbers) parameters.set(name, numbers);
  for (const auto& [name, word] : gains.words) parameters.set(name, word);
  const std::unique_ptr<ControlLaw> controller_made = make_law(law, scene.robot, parameters);
  ControlLaw& controller = *controller_made;
  std::vector<double> x_c(static_cast<std::size_t>(controller.n_states())), rate = x_c,
                                                                            tau(scene.q.size());
  controller.reset(x_c);
  const ControlState seen = scene.state();
  const ControlReference reference = scene.reference();
  for (auto _ : state) {
    controller.torque({0.1, seen, x_c, reference}, tau);
    if (!x_c.empty()) controller.state_derivative({0.1, seen, x_c, reference}, rate);
    benchmark::DoNotOptimize(tau.data());
  }
}

const bool registered = [] {
  for (const std::string& law : law_names()) {
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
