#pragma once
/// Parameters of degrees of freedom, springs and motors: their names, where the model has them and where a
/// description keeps them. One line each. Private to the room.
#include <span>
#include <string>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor::internal {

/// One degree of freedom of a joint that is being written.
struct JointSlot {
  Joint& joint;
  int dof = 0, n_v = 1;
  const DofConstants<double>& before;  ///< of the model
  std::vector<std::string>& notes;

  Friction& friction() const { return entry(joint.friction); }
  Actuator& actuator() const { return entry(joint.actuator); }
  JointSpring& spring() const { return entry(joint.spring); }

 private:
  template <class Entry>
  Entry& entry(std::vector<Entry>& entries) const {
    if (entries.empty()) entries.resize(static_cast<std::size_t>(n_v));
    return entries[static_cast<std::size_t>(dof)];
  }
};

struct JointWord {
  std::string before, after;  ///< of the name of the degree of freedom
  double (*get)(const DofConstants<double>&);
  void (*set)(const JointSlot&, double);
  bool is_rotor = false;
};
std::span<const JointWord> joint_words();

/// Parameters of named elements of the description: "spring_damper.NAME.stiffness", "motor.NAME.rotor".
struct ElementWords {
  const char* before;  ///< of the name of the element
  int (*count)(const RobotDescription&);
  const std::string& (*name)(const RobotDescription&, int element);
  struct Word {
    const char* name;
    double (*get)(const RobotDescription&, int element);
    void (*set)(RobotDescription&, int element, double);
    bool is_rotor = false;
  };
  std::vector<Word> words;
};
std::span<const ElementWords> element_words();

}  // namespace torsor::internal
