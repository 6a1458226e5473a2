#pragma once
/// A robot that an estimate changes, link by link and joint by joint. Private to the room.
#include <map>
#include <set>

#include "torsor/identification/write_back.hpp"

namespace torsor::internal {

/// What a name stands for: number `word` of a link's ten, of a velocity, of an element, or of something
/// that no robot has (the gain of a drive).
struct ParameterSlot {
  enum class Of : unsigned char { link, joint, element, none } of = Of::link;
  int index = 0;  ///< link, velocity or element
  int list = 0;   ///< of elements
  int word = 0;
};

class RobotWriter {
 public:
  /// Throws Error for a model that its description does not state.
  explicit RobotWriter(const Model<double>& model);

  /// Throws Error for unknown names and those that are there twice.
  std::vector<ParameterSlot> slots_of(const std::vector<std::string>& names);
  /// The ten of a link as the estimate counts them: with every link fixed to the one that a joint
  /// carries, but for those that are `named` themselves.
  Inertia<double> counted(int link, const std::set<int>& named) const;
  /// The model's own.
  double value(const ParameterSlot& slot, const std::set<int>& named) const;
  bool is_rotor(const ParameterSlot& slot) const;
  /// What a rotor counts at the joints: the squares of a motor's ratios; 1 of a rotor at its joint.
  double rotor_weight(const ParameterSlot& slot) const;

  /// Values of all slots.
  void write(const std::vector<ParameterSlot>& slots, In<double> values);
  WriteBack& out() { return out_; }
  /// The result; with a message, the model's own robot.
  WriteBack take();

 private:
  ParameterSlot slot(const std::string& name) const;
  void set_joint(const ParameterSlot& slot, double x);
  void set_links(const std::map<int, Inertia<double>>& wanted);
  void share(int carried, const Inertia<double>& I, const std::vector<int>& fixed);
  bool state(int link, const Inertia<double>& I);
  void finish(const std::vector<Inertia<double>>& total, const std::set<int>& changed);

  static std::size_t at(int k) { return static_cast<std::size_t>(k); }
  const std::string& name(int link) const { return out_.robot.links[at(link)].name; }
  const Inertial& before(int link) const { return model_.description().links[at(link)].inertial; }
  Inertia<double> on_body(int link) const;
  std::vector<int> fixed_links(int body) const;

  const Model<double>& model_;
  std::map<std::string, ParameterSlot> slots_;
  std::vector<std::vector<int>> bodies_;  ///< links of each, those that joints carry first
  WriteBack out_;
};

/// Links that an estimate names.
std::set<int> named_links(const std::vector<ParameterSlot>& slots);

}  // namespace torsor::internal
