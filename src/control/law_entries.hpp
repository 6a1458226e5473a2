#pragma once
/// The entry of each law, defined at the end of its source file, and gains that several laws take.
#include "torsor/control/joint/pdi_gains.hpp"
#include "torsor/control/law_registry.hpp"

namespace torsor::internal {

using LawEntryFunction = LawEntry();
LawEntryFunction adaptive_computed_torque, adaptive_hybrid_position_force, admittance,
    computed_torque, feedforward, gravity_float, hybrid_position_force, impedance, independent_pd,
    independent_pid, joint_limit_avoidance, momentum_observer, multi_arm_adaptive, multi_arm_hybrid,
    multi_arm_impedance, no_law, nonlinear_decoupling, operational_space, optimal_computed_torque,
    passivity_tracking, pd_fixed_gravity, pd_gravity, point_lqr, resolved_acceleration,
    robust_computed_torque, sliding_computed_torque, sliding_passivity, sliding_regressor_bound,
    slotine_li;

/// Kp, Kd and, where it is given, Ki.
GainList pdi_gain_list(const char* stiffness_unit, const char* damping_unit);
PdiGains pdi_gains(LawParameters& parameters, int n);
/// Of task_coordinate_options: the point of a frame and what of it is the task.
GainList task_gain_list();
/// The same without the frame.
GainList task_point_gain_list();
/// Of constraint_of.
GainList constraint_gain_list();
/// Of hybrid_task_options.
GainList hybrid_gain_list();
/// Md, Bd, Kd, and the mode.
GainList impedance_gain_list();
GainList impedance_mode_gain();
/// Of cooperation_options and object_task_options.
GainList arms_gain_list();
/// Lambda, Ks and KF, and adaptation_gain_list.
GainList adaptive_force_gain_list();
/// Of adaptation_options.
GainList adaptation_gain_list();

}  // namespace torsor::internal
