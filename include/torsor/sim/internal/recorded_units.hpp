#pragma once
/// What each column of a recording measures, by the names in it.
///
///   e q q_d tau s ...       of a degree of freedom: rad or m, N m or N, their rates
///   task_e                  x y z along_1 motion_1: m;  rx phi theta turn_1: rad;  f_x normal_1 force_1: N;
///                           n_x moment_1: N m;  arc_: an angle or moment that counts as a length
///   x_c, estimate           link.mx joint.viscous -link.yy "0.5*link.zz": as model/parameter.hpp;
///                           integral.joint, path.along_1, momentum.joint, r.joint: of what they name
///   energy, contact, loop   J; N; N m or N by the kind of the loop's row
///
/// "" where nothing tells it: names of a user's own law, coordinates of ball and free joints without
/// the robot, multipliers of loops without it, the Lyapunov function, whose unit is its law's.
#include <string>
#include <string_view>
#include <vector>

#include "torsor/model/model.hpp"
#include "torsor/sim/recording.hpp"

namespace torsor::internal {

class RecordedUnits {
 public:
  /// `linear`: degrees of freedom in m; empty: none, or those of the robot. `robot` may be null; it and
  /// the recording outlive the units.
  explicit RecordedUnits(const Recording& recording, std::vector<bool> linear = {},
                         const Model<double>* robot = nullptr);

  std::string of(const Series& series, int column) const;
  /// Of the error of a degree of freedom, and of its torque.
  const char* error(int dof) const { return slides(dof) ? "m" : "rad"; }
  const char* torque(int dof) const { return slides(dof) ? "N" : "N m"; }
  /// What a figure of the whole robot is in, whose unit for angles is given: "rad", "m", "rad, m" ...
  std::string of_figure(const std::string& unit) const;
  /// All units of a series, each once.
  std::string all(const Series& series) const;

 private:
  bool slides(int dof) const {
    const auto k = static_cast<std::size_t>(dof);
    return k < linear_.size() && linear_[k];
  }
  /// The degree of freedom with that name; -1: none.
  int dof(std::string_view name) const;
  std::string of_state(std::string_view name) const;

  const Recording* recording_;
  std::vector<bool> linear_;
  std::vector<std::string> coordinates_, rows_;  // of q and of loops, where the robot is known
};

}  // namespace torsor::internal
