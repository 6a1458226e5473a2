#pragma once
/// Natural and artificial constraints of a task, direction by direction, as data.
///
///   TaskConstraints chalk({"v_z = 0", "f_x = 0", "f_y = 0", "n_x = 0", "n_y = 0", "n_z = 0"},
///                         {"v_x = writing", "v_y = writing", "f_z = f_d",
///                          "w_x = 0", "w_y = 0", "w_z = 0"});
///
/// Along each axis of the compliant frame, in translation and in rotation, the environment fixes
/// one of motion and force (natural) and the task commands the other (artificial). Motion and force
/// cannot both be commanded along one direction, nor can either stay open.
///
/// Names    v_x v_y v_z w_x w_y w_z: velocities; f_x f_y f_z n_x n_y n_z: forces and moments
/// Source   Huo 2005, sec. 3.12 and exercise 3-21; Mason 1981.
#include <array>
#include <string>
#include <vector>

#include "torsor/control/task/compliant_frame.hpp"

namespace torsor {

class TaskConstraints {
 public:
  /// Throws Error for an unknown name (with the nearest), a direction that is constrained twice or
  /// not at all, and for motion and force of one direction on the same side.
  TaskConstraints(const std::vector<std::string>& natural,
                  const std::vector<std::string>& artificial);

  /// x, y, z, then the rotations about them: whether the task commands the force there.
  bool commands_force(int direction) const { return force_[direction]; }
  int n_force() const;
  /// The constraint of a task of three positions and rotation angles; `axes` are those of the
  /// compliant frame in the world.
  Constraint constraint(const SO3<double>& axes = SO3<double>::identity()) const;
  /// One line for each direction: "z   v_z = 0 (natural)   f_z = f_d (artificial)".
  std::string text() const;

 private:
  bool force_[6]{};
  std::string natural_[6], artificial_[6];
};

}  // namespace torsor
