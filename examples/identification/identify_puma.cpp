// From a robot to its numbers, and back into its controller. A PUMA 560 whose masses, rotors and
// friction are not those of its file follows a motion that shows them, is logged with noise and
// late torques, and is identified; then computed torque tracks another motion with the model before
// and after. README.md has the same chain as commands.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "torsor/control/joint/computed_torque.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/identification/excitation.hpp"
#include "torsor/identification/identify.hpp"
#include "torsor/identification/signal/delay.hpp"
#include "torsor/sim/simulate.hpp"
#include "torsor/trajectory/configuration_path.hpp"
#include "torsor/trajectory/periodic.hpp"

using namespace torsor;

namespace {

/// The robot in the laboratory: nobody knows these factors.
Model<double> true_robot(const Model<double>& file) {
  constexpr double mass[] = {1.15, 1.18, 0.85, 1.2, 0.8, 1.2};
  constexpr double rotor[] = {1.2, 0.85, 1.15, 0.8, 1.2, 0.9};
  constexpr double viscous[] = {1.4, 0.7, 1.3, 1.4, 0.7, 1.3};
  constexpr double coulomb[] = {0.8, 1.3, 1.25, 0.75, 1.3, 0.8};
  RobotDescription robot = file.description();
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    Joint& joint = robot.joints[i];
    if (joint.actuator.empty()) continue;
    joint.actuator[0].rotor_inertia *= rotor[i];
    joint.actuator[0].motor_viscous *= viscous[i];
    joint.friction[0].coulomb *= coulomb[i];
    for (Link& link : robot.links)
      if (link.name == joint.child) {
        link.inertial.mass *= mass[i];
        link.inertial.about_com = link.inertial.about_com * mass[i];
      }
  }
  return Model<double>(robot);
}

/// `robot` under computed torque with the model that the law believes in, at 1 kHz; torques act one
/// period after the measurement.
Recording run(const Model<double>& robot, const Model<double>& believed,
              const ReferenceFunction& motion, double duration) {
  ComputedTorque law(believed, {Gain::uniform(6, 400), Gain::uniform(6, 40)});
  ReferencePoint first;
  motion(0, first);
  SimulateOptions options;
  options.q0 = first.q, options.v0 = first.qd;
  options.duration = duration;
  options.period = options.delay = options.record_every = 1e-3;
  options.sensors.position_noise = 2e-5, options.sensors.velocity_noise = 2e-3;
  options.certificate = false;
  return simulate(Plant(robot), law, motion, options);
}

/// What the robot's controller writes into its log: encoders with noise, and the torques of the
/// drives with the noise of their currents, which reach the log 6 ms after the positions.
MotionLog measured(const Recording& run) {
  constexpr int late = 6;
  const int n = run.size();
  MotionLog log{.name = "laboratory", .period = 1e-3};
  log.q = Matrix(n, 6), log.tau = Matrix(n, 6);
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (int k = 0; k < n; ++k) {
    log.t.push_back(run.t[static_cast<std::size_t>(k)]);
    log.rows.push_back(k + 1);
    for (int i = 0; i < 6; ++i) {
      log.q(k, i) = run.q(k, i) + 2e-5 * normal(random);
      log.tau(k, i) = run.tau(std::max(0, k - late), i) + (i < 3 ? 0.5 : 0.05) * normal(random);
    }
  }
  return log;
}

double rms(const Recording& run) {
  double square = 0;
  for (const Metrics& joint : run.figures.joints) square += joint.rms_error * joint.rms_error;
  return std::sqrt(square);
}

}  // namespace

int main() {
  const Model<double> nominal = load_robot("puma560"), robot = true_robot(nominal);

  // 1. A motion that shows every parameter; the file has no limits of velocity and acceleration.
  ExcitationOptions how;
  how.limits = coordinate_limits(nominal);
  for (Limits& limit : how.limits) limit.velocity = 2, limit.acceleration = 10;
  const Excitation motion = design_excitation(nominal, how);
  std::printf("1. excitation: %.0f s, %zu unknowns, condition number %.1f\n", motion.duration(),
              motion.unknowns.size(), motion.condition);

  // 2. Two periods of it on the robot, under the model of the file.
  const Recording experiment = run(robot, nominal, follow(motion.series[0]), 20);
  if (experiment.stop != StopReason::finished) return std::puts(experiment.message.c_str()), 1;
  const MotionLog raw = measured(experiment);
  const DelayEstimate delay = estimate_delay(nominal, raw, prepare(raw));
  const MotionLog log = without_delay(raw, delay.delay);
  std::printf("2. log: %d samples at 1 kHz; torques are late by %.1f ms (%s)\n", raw.size(),
              1e3 * delay.delay, delay.clear ? "clear" : "not clear");

  // 3. The numbers: the first period is fitted, the second one is for validation.
  IdentifyOptions options;
  options.estimator = Estimator::consistent;  // bodies that can exist: link 3 of the file cannot
  options.split = 0.5;
  options.sign_width = 0;      // dry friction: its sign as it is
  options.least_speed = 0.05;  // rad/s: a joint that sticks tells nothing of its friction
  const Identification found = identify(nominal, {log}, {}, options);
  const WriteBack back = write_back(nominal, options, found);
  if (!back.ok()) return std::puts(back.message.c_str()), 1;
  const Model<double> identified(back.robot);
  std::printf("3. identified: residual %.2f %% fitted, %.2f %% of the period that was not\n\n",
              found.train.all, found.validation.all);
  std::printf("   friction           in the file  identified  +-95 %%    true\n");
  const ParameterColumns columns(robot);
  const Array<double> truth = columns.values(robot);
  for (const IdentifiedParameter& p : found.parameters)
    if (p.name.ends_with(".coulomb") || p.name.ends_with(".viscous"))
      std::printf("   %-20s %9.3f %11.3f %7.3f %7.3f\n", p.name.c_str(), p.before, p.value,
                  p.high - p.value, truth[columns.find(p.name)]);

  // 4. Another motion, faster than the first one: what is each model worth to a controller?
  const Sinusoid other{{0, 0.8, -1.2, 0.2, 0.3, 0},
                       {0.6, 0.4, 0.5, 0.6, 0.5, 0.8},
                       {2.2, 2.9, 2.5, 3.1, 2.7, 2.3},
                       {0, 1, 2, 3, 4, 5}};
  const Recording before = run(robot, nominal, follow(other), 6);
  const Recording after = run(robot, identified, follow(other), 6);
  const Recording exact = run(robot, robot, follow(other), 6);
  std::printf(
      "\n4. computed torque along another motion, rms errors in mrad\n\n"
      "   joint         model of the file  identified  the true one\n");
  for (std::size_t i = 0; i < 6; ++i)
    std::printf("   %-12s %18.3f %11.3f %13.3f\n", robot.dof_name(static_cast<int>(i)).c_str(),
                1e3 * before.figures.joints[i].rms_error, 1e3 * after.figures.joints[i].rms_error,
                1e3 * exact.figures.joints[i].rms_error);
  std::printf("   %-12s %18.3f %11.3f %13.3f\n", "all", 1e3 * rms(before), 1e3 * rms(after),
              1e3 * rms(exact));
  return rms(after) < rms(before) / 10 ? 0 : 1;
}
