#pragma once
/// One function per law that takes its parameters by name; make_controller.cpp lists them. Each is
/// defined beside its law.
#include "torsor/control/make_controller.hpp"

namespace torsor {

using LawMaker = AnyController(const Model<double>& model, LawParameters& parameters);

LawMaker make_robust_computed_torque;
LawMaker make_sliding_computed_torque;
LawMaker make_sliding_passivity;
LawMaker make_sliding_regressor_bound;
LawMaker make_multi_arm_hybrid;
LawMaker make_adaptive_computed_torque;
LawMaker make_slotine_li;
LawMaker make_adaptive_hybrid_position_force;
LawMaker make_admittance;
LawMaker make_hybrid_position_force;
LawMaker make_impedance;
LawMaker make_multi_arm_adaptive;
LawMaker make_multi_arm_hybrid;
LawMaker make_multi_arm_impedance;
LawMaker make_operational_space;
/// Of a law by its name, for laws around other ones. Throws Error with the nearest name.
LawMaker& maker_of(const std::string& law);

LawMaker make_gravity_float;
LawMaker make_joint_limit_avoidance;
LawMaker make_momentum_observer;

}  // namespace torsor
