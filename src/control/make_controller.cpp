#include "torsor/control/make_controller.hpp"

#include <cassert>

#include "law_makers.hpp"

namespace torsor {

namespace {

struct LawKind {
  const char* name;
  LawMaker* make;
};

/// In alphabetical order.
const LawKind kinds[] = {
    {"adaptive_computed_torque", make_adaptive_computed_torque},
    {"adaptive_hybrid_position_force", make_adaptive_hybrid_position_force},
    {"admittance", make_admittance},
    {"computed_torque", make_computed_torque},
    {"feedforward", make_feedforward},
    {"gravity_float", make_gravity_float},
    {"hybrid_position_force", make_hybrid_position_force},
    {"impedance", make_impedance},
    {"independent_pd", make_independent_pd},
    {"independent_pid", make_independent_pid},
    {"joint_limit_avoidance", make_joint_limit_avoidance},
    {"momentum_observer", make_momentum_observer},
    {"multi_arm_adaptive", make_multi_arm_adaptive},
    {"multi_arm_hybrid", make_multi_arm_hybrid},
    {"multi_arm_impedance", make_multi_arm_impedance},
    {"nonlinear_decoupling", make_nonlinear_decoupling},
    {"operational_space", make_operational_space},
    {"optimal_computed_torque", make_optimal_computed_torque},
    {"passivity_tracking", make_passivity_tracking},
    {"pd_fixed_gravity", make_pd_fixed_gravity},
    {"pd_gravity", make_pd_gravity},
    {"point_lqr", make_point_lqr},
    {"resolved_acceleration", make_resolved_acceleration},
    {"robust_computed_torque", make_robust_computed_torque},
    {"sliding_computed_torque", make_sliding_computed_torque},
    {"sliding_passivity", make_sliding_passivity},
    {"sliding_regressor_bound", make_sliding_regressor_bound},
    {"slotine_li", make_slotine_li},
};

}  // namespace

std::vector<std::string> controller_names() {
  std::vector<std::string> names;
  for (const LawKind& kind : kinds) names.emplace_back(kind.name);
  return names;
}

LawMaker& maker_of(const std::string& law) {
  for (const LawKind& kind : kinds)
    if (law == kind.name) return *kind.make;
  throw Error("unknown control law \"" + law + "\"" + did_you_mean(law, controller_names()));
}

AnyController make_controller(const std::string& law, const Model<double>& model,
                              LawParameters parameters) {  // NOLINT(*-value-param): marked as taken
  AnyController controller = maker_of(law)(model, parameters);
  parameters.check_all_taken(law);
  assert(law == controller.name());
  return controller;
}

}  // namespace torsor
