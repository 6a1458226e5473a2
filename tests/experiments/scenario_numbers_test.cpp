/// Every number of a scenario has bounds, and one beyond them is refused with file, line, key, value
/// and unit.
#include <gtest/gtest.h>

#include "house/process.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/experiments/scenario_keys.hpp"
#include "torsor/linear/matrix.hpp"

namespace torsor {
namespace {

/// Every section with all keys that have bounds.
const std::string full = R"(
robot: planar2r
plant:
  parameter_factor: 1.5
  parameters: {link_2.m: 2}
  payloads: [{link: link_2, mass: 0.5, inertia: [0.1, 0.1, 0.1]}]
  stops: {stiffness: 1000, damping: 0.1}
  surfaces:
    - {frame: tip, origin: [9, 0, 0], normal: [-1, 0, 0], radius: 0, stiffness: 2000, damping: 1, friction: 0.1, slip: 0.01}
    - {frame: tip, origin: [9, 0, 0], normal: [-1, 0, 0], restitution: 0.5}
controller:
  law: independent_pd
  gains: {Kp: 50, Kd: 30}
  believes: {parameter_factor: 1}
reference: {quintic: {from: [0, 1], to: [1, 0], duration: 2}}
run: {duration: 0.5, record_every: 0.1, integrator: rk4, step: 0.002, tolerance: 1.0e-9, period: 0.01, delay: 0.005}
sensors: {encoder_step: [0.001, 0.001], position_noise: 1.0e-5, velocity_noise: 0.01, seed: 7}
actuators: {torque_limit: [60, 30], rate_limit: [1000, 1000]}
sweep:
  samples: 5
  seed: 3
  uncertainties: {payload: {link: link_2, mass: [0, 1], radius: 0.1}}
)";

std::string refusal(const std::string& from, const std::string& to) {
  std::string text = full;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  try {
    (void)read_scenario(text, "run.yaml");
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

TEST(ScenarioNumbers, all_of_them_are_bounded) {
  ASSERT_NO_THROW((void)read_scenario(full, "run.yaml"));
  struct Case {
    const char *from, *to, *message;
  };
  const Case cases[] = {
      {"parameter_factor: 1.5", "parameter_factor: -1",
       "run.yaml:4: scenario: plant: parameter_factor: -1 is out of bounds; needed is >= 0"},
      {"link_2.m: 2", "link_2.m: -5", "run.yaml:5: scenario: plant: parameters: link_2.m: -5 kg"},
      {"link_2.m: 2", "link_2.zz: -5", "the mass matrix is not positive definite"},
      {"mass: 0.5", "mass: 0", "run.yaml:6: payload 1: mass: 0 kg is out of bounds; needed is > 0"},
      {"[0.1, 0.1, 0.1]", "[-1, -1, -1]", "payload 1: inertia: -1 kg m^2 is out of bounds"},
      {"[0.1, 0.1, 0.1]", "[0.1, 0.1, 1]", "one exceeds the sum of the others"},
      {"stiffness: 1000", "stiffness: -1",
       "run.yaml:7: scenario: plant: stops: stiffness: -1 N m / rad"},
      {"damping: 0.1", "damping: -0.1", "stops: damping: -0.1 s / rad"},
      {"radius: 0", "radius: -1", "run.yaml:9: surface 1: radius: -1 m"},
      {"stiffness: 2000", "stiffness: 0", "surface 1: stiffness: 0 N/m"},
      {"damping: 1,", "damping: -1,", "surface 1: damping: -1 N s / m"},
      {"friction: 0.1", "friction: -0.1", "surface 1: friction: -0.1"},
      {"slip: 0.01", "slip: 0", "surface 1: slip: 0 m/s"},
      {"restitution: 0.5", "restitution: 1.5",
       "run.yaml:10: surface 2: restitution: 1.5 is out of bounds; needed is a number in 0 ... 1"},
      {"stiffness: 2000, damping: 1, friction: 0.1", "damping: 1",
       "run.yaml:9: surface 1: damping: belongs to a surface with a stiffness"},
      {"stiffness: 2000, damping: 1,", "damping: 0,",
       "run.yaml:9: surface 1: friction: belongs to a surface with a stiffness"},
      {"radius: 0, stiffness", "inside: true, stiffness",
       "run.yaml:9: surface 1: inside: belongs to a sphere: a radius"},
      {"damping: 1,", "bilateral: true,",
       "run.yaml:9: surface 1: bilateral: belongs to a surface without stiffness"},
      {"restitution: 0.5", "restitution: 0.5, stiffness: 100",
       "run.yaml:10: surface 2: restitution: belongs to a surface without stiffness"},
      {"believes: {parameter_factor: 1", "believes: {parameter_factor: -2", "parameter_factor: -2"},
      {"duration: 2", "duration: 0", "quintic: duration: 0 s"},
      {"duration: 0.5", "duration: -1", "run: duration: -1 s"},
      {"duration: 0.5, record_every: 0.1", "duration: 1.0e9", "1e+11 rows"},
      {"record_every: 0.1", "record_every: 0", "record_every: 0 s"},
      {"step: 0.002", "step: 0", "run: step: 0 s"},
      {"tolerance: 1.0e-9", "tolerance: -1", "run: tolerance: -1 is out of bounds"},
      {"period: 0.01", "period: -0.01", "run: period: -0.01 s"},
      {"delay: 0.005", "delay: -0.005", "run: delay: -0.005 s"},
      {"[0.001, 0.001]", "[-1, -1]", "run.yaml:17: scenario: sensors: encoder_step: -1 rad"},
      {"position_noise: 1.0e-5", "position_noise: -1", "sensors: position_noise: -1 rad"},
      {"velocity_noise: 0.01", "velocity_noise: -1", "sensors: velocity_noise: -1 rad/s"},
      {"seed: 7", "seed: -7", "is no whole number"},
      {"torque_limit: [60, 30]", "torque_limit: [-1, -1]",
       "run.yaml:18: scenario: actuators: torque_limit: -1 N m is out of bounds; needed is > 0"},
      {"rate_limit: [1000, 1000]", "rate_limit: [1000, 0]", "actuators: rate_limit: 0 N m / s"},
      {"samples: 5", "samples: 0", "sweep: samples: 0 is no whole number"},
      {"radius: 0.1", "radius: -0.1", "payload: radius: -0.1 m"},
  };
  for (const Case& c : cases) {
    const std::string message = refusal(c.from, c.to);
    EXPECT_NE(message.find(c.message), std::string::npos) << c.to << "\n" << message;
    EXPECT_TRUE(message.starts_with("run.yaml:")) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(ScenarioNumbers, noise_without_a_period_is_refused_whatever_its_sign) {
  EXPECT_NE(refusal("period: 0.01, delay: 0.005", "period: 0").find("not refused"),
            std::string::npos);  // told by simulate, which knows the law
  EXPECT_NE(refusal("position_noise: 1.0e-5", "position_noise: -1.0e-5"), "not refused");
}

TEST(ScenarioNumbers, a_library_user_meets_the_same_bounds) {
  Scenario s = read_scenario(full, "run.yaml");
  const auto refused = [&](auto change) {
    Scenario changed = s;
    change(changed.options);
    try {
      (void)run_scenario(changed);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  EXPECT_NE(refused([](SimulateOptions& o) {
              o.actuators.torque_limit = {-1, -1};
            }),
            "not refused");
  EXPECT_NE(refused([](SimulateOptions& o) { o.sensors.encoder_step = {-1, -1}; }), "not refused");
  EXPECT_NE(refused([](SimulateOptions& o) { o.sensors.velocity_noise = -1; }), "not refused");
}

// A torque for 50 ms on a robot at rest in a world without weight: its momentum is the push.
TEST(ScenarioNumbers, no_step_passes_over_a_push) {
  for (const char* integrator : {"dormand_prince8", "dormand_prince5", "rk4"}) {
    const std::string text =
        "robot: pendulum\nplant: {gravity: [0, 0, 0], friction: false, "
        "disturbance: {torque: [3], from: 1.1, to: 1.15}}\ncontroller: {law: none}\n"
        "run: {duration: 4, record_every: 1, integrator: " +
        std::string(integrator) + "}\n";
    const Scenario s = read_scenario(text, "run.yaml");
    const Recording r = run_scenario(s);
    ASSERT_EQ(r.stop, StopReason::finished) << r.message;
    CrbaWorkspace<double> ws(s.plant_model);
    Matrix M(1, 1);
    mass_matrix<double, double>(s.plant_model, ws, Array<double>{0}, M);
    const double v = 3 * 0.05 / M(0, 0);
    EXPECT_NEAR(r.qd(r.size() - 1, 0), v, 1e-9) << integrator;
    EXPECT_NEAR(r.q(r.size() - 1, 0), v * (4 - 1.125), 1e-9) << integrator;
  }
}

TEST(ScenarioNumbers, a_floating_robot_has_a_free_joint_under_its_root) {
  const std::string text =
      "robot: puma560\nfloating: true\ncontroller: {law: none}\nrun: {duration: 0.5}\n";
  const Scenario s = read_scenario(text, "run.yaml");
  EXPECT_EQ(s.plant_model.n_q(), 13);
  EXPECT_EQ(s.plant_model.n_v(), 12);
  EXPECT_EQ(s.controller_model.n_v(), 12);
  // Nothing holds it: after half a second at rest it has fallen by g t^2 / 2.
  const Recording r = run_scenario(s);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_NEAR(r.q(r.size() - 1, 2), -0.5 * 9.81 * 0.25, 1e-9);
}

TEST(ScenarioNumbers, links_behind_fixed_joints_are_resolved_or_named) {
  const testing::ScratchFolder folder;
  testing::write_text(folder / "arm.yaml", R"(
robot: arm
bodies:
  - name: base
  - {name: rod, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  - {name: hand, mass: 0.5, inertia: [0.01, 0.01, 0.01]}
  - {name: post, mass: 3, inertia: [1, 1, 1]}
joints:
  - {name: j, type: revolute, parent: base, child: rod}
  - {name: grip, type: fixed, parent: rod, child: hand, placement: {xyz: [1, 0, 0]}}
  - {name: screwed, type: fixed, parent: base, child: post}
frames:
  - {name: tip, link: hand, placement: {xyz: [0.1, 0, 0]}}
)");
  const auto message = [&](const std::string& plant, const std::string& gains) -> std::string {
    try {
      (void)read_scenario(
          "robot: arm.yaml\nplant: {" + plant + "}\ncontroller: {law: slotine_li, gains: " +
              "{Lambda: 5, Kd: 1, adaptation: 1" + gains + "}}\nreference: {hold: [0]}\n",
          (folder / "run.yaml").string());
    } catch (const Error& error) {
      return error.what();
    }
    return "taken";
  };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  EXPECT_EQ(message("payloads: [{link: hand, mass: 1}]", ""), "taken");
  expect(message("payloads: [{link: tip, mass: 1}]", ""),
         "run.yaml:2: payload 1: link: \"tip\" is no link but a frame of link \"rod\"");
  expect(message("payloads: [{link: hnd, mass: 1}]", ""), "did you mean \"hand\"?");
  const std::string fixed = "link \"hand\" is fixed to \"rod\", whose parameters contain it";
  expect(message("parameters: {hand.m: 1}", ""), fixed);
  expect(message("", ", parameters: [hand]"), fixed);
  expect(message("", ", parameters: [hand.mx]"), fixed);
  expect(message("", ", parameters: [post.m]"), "link \"post\" is fixed to the world");
}

}  // namespace
}  // namespace torsor
