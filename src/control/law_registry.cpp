#include "torsor/control/law_registry.hpp"

#include <cassert>
#include <string_view>

#include "law_entries.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

const char* name_of(GainKind kind) {
  constexpr const char* names[] = {"number", "vector", "gain", "word", "words"};
  return names[static_cast<int>(kind)];
}

internal::GainList operator+(internal::GainList a, const internal::GainList& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string LawEntry::chapter() const {
  const std::string_view folder =
      std::string_view(header).substr(0, std::string_view(header).find('/'));
  if (folder == "joint") return "Joint space, known model";
  if (folder == "uncertain") return "Unknown parameters";
  if (folder == "task") return "Tasks and contact";
  if (folder == "arms") return "Several arms";
  return "Beside other laws";
}

const std::vector<LawEntry>& laws() {
  using namespace internal;
  static const std::vector<LawEntry> all = {adaptive_computed_torque(),
                                            adaptive_hybrid_position_force(),
                                            admittance(),
                                            computed_torque(),
                                            feedforward(),
                                            gravity_float(),
                                            hybrid_position_force(),
                                            impedance(),
                                            independent_pd(),
                                            independent_pid(),
                                            joint_limit_avoidance(),
                                            momentum_observer(),
                                            multi_arm_adaptive(),
                                            multi_arm_hybrid(),
                                            multi_arm_impedance(),
                                            no_law(),
                                            nonlinear_decoupling(),
                                            operational_space(),
                                            optimal_computed_torque(),
                                            passivity_tracking(),
                                            pd_fixed_gravity(),
                                            pd_gravity(),
                                            point_lqr(),
                                            resolved_acceleration(),
                                            robust_computed_torque(),
                                            sliding_computed_torque(),
                                            sliding_passivity(),
                                            sliding_regressor_bound(),
                                            slotine_li()};
  return all;
}

std::string example_of(const LawEntry& law) {
  std::string gains;
  for (const GainEntry& gain : law.gains)
    if (gain.required)
      gains += (gains.empty() ? "" : ", ") + std::string(gain.name) + ": " + gain.value;
  return std::string("controller:\n  law: ") + law.name + "\n  gains: {" + gains + "}\n";
}

std::vector<std::string> law_names() {
  std::vector<std::string> names;
  for (const LawEntry& law : laws()) names.emplace_back(law.name);
  return names;
}

const LawEntry& find_law(const std::string& name) {
  for (const LawEntry& law : laws())
    if (name == law.name) return law;
  std::string advice = did_you_mean(name, law_names());
  if (advice.empty())
    for (const LawEntry& law : laws())
      (advice += advice.empty() ? "; known are " : ", ") += law.name;
  throw Error("unknown control law \"" + name + "\"" + advice);
}

namespace {

std::unique_ptr<ControlLaw> made(const LawEntry& entry, const Model<double>& model,
                                 LawParameters& parameters) {
  parameters.expect(entry.gains);
  std::unique_ptr<ControlLaw> law = entry.make(model, parameters);
  assert(std::string(entry.name) == law->name());
  return law;
}

}  // namespace

std::unique_ptr<ControlLaw> make_law(const std::string& name, const Model<double>& model,
                                     LawParameters parameters) {
  std::unique_ptr<ControlLaw> law = made(find_law(name), model, parameters);
  parameters.check_all_expected(name);
  return law;
}

std::unique_ptr<ControlLaw> internal::make_law_inside(const char* gain, const Model<double>& model,
                                                      LawParameters& parameters) {
  return made(find_law(parameters.word(gain)), model, parameters);
}

}  // namespace torsor
