#pragma once
/// One function per law that takes its parameters by name; make_controller.cpp lists them. Each is
/// defined beside its law.
#include "torsor/control/joint/pdi_gains.hpp"
#include "torsor/control/make_controller.hpp"

namespace torsor {

using LawMaker = AnyController(const Model<double>& model, LawParameters& parameters);

/// Of a law by its name, for laws around other ones. Throws Error with the nearest name.
LawMaker& maker_of(const std::string& law);
/// Kp, Kd and, where it is given, Ki.
PdiGains pdi_gains(LawParameters& parameters, int n);

LawMaker make_adaptive_computed_torque;
LawMaker make_adaptive_hybrid_position_force;
LawMaker make_admittance;
LawMaker make_computed_torque;
LawMaker make_feedforward;
LawMaker make_gravity_float;
LawMaker make_hybrid_position_force;
LawMaker make_impedance;
LawMaker make_independent_pd;
LawMaker make_independent_pid;
LawMaker make_joint_limit_avoidance;
LawMaker make_momentum_observer;
LawMaker make_multi_arm_adaptive;
LawMaker make_multi_arm_hybrid;
LawMaker make_multi_arm_impedance;
LawMaker make_nonlinear_decoupling;
LawMaker make_operational_space;
LawMaker make_optimal_computed_torque;
LawMaker make_passivity_tracking;
LawMaker make_pd_fixed_gravity;
LawMaker make_pd_gravity;
LawMaker make_point_lqr;
LawMaker make_resolved_acceleration;
LawMaker make_robust_computed_torque;
LawMaker make_sliding_computed_torque;
LawMaker make_sliding_passivity;
LawMaker make_sliding_regressor_bound;
LawMaker make_slotine_li;

}  // namespace torsor
