#pragma once
/// Scenario files: a simulated experiment in YAML.
///
///   scenario: pd_without_gravity
///   title: Independent PD without gravity          one line, optional
///   robot: planar2r                                built in, or a file beside this one
///   plant:                                         how the true robot differs; all optional
///     gravity: [0, 0, 0]
///     parameter_factor: 1.2                        on all inertial parameters
///     parameters: {link_2.mx: 0.4}                 single ones
///     payloads: [{link: link_2, mass: 0.5, com: [1, 0, 0]}]
///     friction: true                               that of the model
///     stops: {stiffness: 1000, damping: 0.1}
///     surfaces: [{name: wall, frame: tip, origin: [1.2, 0, 0], normal: [-1, 0, 0]}]
///                                                  rigid, with restitution: 0.5 or none;
///                                                  stiffness: 2000 makes it compliant, with
///                                                  damping, friction and slip; radius, inside: of
///                                                  a sphere; point: in the frame; bilateral
///     disturbance: {torque: [5, 0], from: 1, to: 2}
///   controller:
///     law: independent_pd
///     gains: {Kp: [100, 60], Kd: [30, 15]}         whatever the law takes: numbers, lists, words
///     believes: {gravity: [0, 0, 0]}               the same of its own model, up to friction
///   reference: {hold: [1, -0.5]}                   a motion of the joints and/or task, force, pose
///   start: {q: [-0.5, 1], qd: [0, 0]}
///   run: {duration: 4, record_every: 0.25, integrator: dormand_prince8, step: 0.001,
///         tolerance: 1e-10, period: 0, delay: 0, measure_acceleration: false}
///   sensors: {encoder_step, velocity_by_difference, position_noise, velocity_noise, seed}
///   actuators: {torque_limit: [60, 30], model_limits: false, rate_limit}
///   output: [run.csv, run.trec]
///   sweep:                                         what `torsor sweep` varies
///     samples: 200
///     seed: 1
///     uncertainties:                               [least, largest], or normal: [mean, deviation]
///       parameter_factor: [0.8, 1.2]               all inertial parameters of the plant alike
///       link_factor: [0.9, 1.1]                    those of each link
///       inertial_factor: [0.9, 1.1]                each of them; possible bodies stay possible
///       friction_factor: {normal: [1, 0.2]}
///       payload: {link: link_2, mass: [0, 0.5], com: [1, 0, 0], radius: 0.05}
///       start_q: [-0.1, 0.1]                       added to each joint
///       start_qd: {normal: [0, 0.01]}
///       noise: true                                another seed for each run
///       gains: {Kp: [0.8, 1.2]}                    factors
///
/// Motions, of joints, task and force (lists may be one number for all where they are no points):
///   hold: [1, -0.5]
///   quintic: {from, to, duration}                  rest to rest; quaternions too
///   sinusoid: {amplitude, frequency, offset, phase}          rad/s; offset and phase optional
///   trapezoid: {from, to, velocity, acceleration}
///   spline: {times, points, ends}                  cubic; ends: clamped, natural, periodic, ...
///   fourier: {frequency, offset, a, b}             trajectory/fourier.hpp; a, b: row per coordinate
/// What laws with a task of their own follow:
///   task: {circle: {centre: [1, 1], radius: 0.25, rate: 2, phase: 0, axes: [[1, 0], [0, 1]]}}
///                                                  or a motion: x and its rates
///   force: {hold: [10]}                            a motion: f_on_environment
///   pose: {from: {xyz: [..], rpy: [..]}, to: {..}, duration: 2, straight: false}
///                                                  along the screw, quintic; or hold: {xyz, rpy}
///
/// `robot`, `controller` and, for laws that follow one, `reference` must be there. Unknown keys are
/// refused with the nearest name.
#include <string>
#include <string_view>

#include "torsor/formats/finding.hpp"
#include "torsor/sim/scenario.hpp"

namespace torsor {

/// Throws Error with file, line and element. `findings`, if there are any, receives what there is to
/// say about the robot's file (load_robot); built-in robots are as they are known to be.
Scenario load_scenario(const std::string& path, Findings* findings = nullptr);
/// The same for a text; `file_name` is for messages and for the folder of the robot's file.
Scenario read_scenario(std::string_view text, const std::string& file_name,
                       Findings* findings = nullptr);

/// Sixteen hexadecimal digits that change with anything that a run depends on: the scenario but for
/// names, outputs and the number of samples, and all of its robot's file.
std::string scenario_fingerprint(std::string_view text, const std::string& file_name);

}  // namespace torsor
