#pragma once
/// Residuals of measured poses and their derivatives: the equations of
/// torsor/identification/calibrate.hpp. Private to the room.
#include <vector>

#include "geometry_parameter.hpp"
#include "torsor/identification/calibrate.hpp"
#include "torsor/linear/matrix.hpp"

namespace torsor::internal {

/// What is being estimated, as it stands.
struct CalibrationState {
  RobotDescription robot;
  SE3<double> base{};          ///< B
  Array<SE3<double>> tools{};  ///< C of each measured frame
};

/// Residuals of one pose: of position, then of rotation if that was measured; a distance is the first.
struct PoseRows {
  Vec3<double> position{}, rotation{};
};

class CalibrationProblem {
 public:
  /// All outlive this.
  CalibrationProblem(const Model<double>& model, const std::vector<PoseMeasurement>& measured,
                     const CalibrationOptions& options);

  int n() const { return static_cast<int>(names_.size()); }
  int n_poses() const { return static_cast<int>(measured_.size()); }
  int n_outside() const { return n_outside_; }  ///< unknowns of base and tools, which come first
  const std::string& name(int k) const { return names_[static_cast<std::size_t>(k)]; }
  bool is_angle(int k) const { return angles_[k]; }
  const PoseMeasurement& measurement(int i) const { return measured_[static_cast<std::size_t>(i)]; }
  const std::vector<std::string>& frames() const { return frames_; }
  int frame_of(int pose) const { return frame_of_[pose]; }
  CalibrationState start() const;

  /// Residuals of all poses; with `J`, its rows 6 i ... 6 i + 5 are their derivatives along the unknowns
  /// (e falls by J dx), rows of a rotation that was not measured are zero. Throws Error where the robot
  /// became impossible.
  void evaluate(const CalibrationState& state, std::vector<PoseRows>& rows, Matrix* J) const;
  void move(CalibrationState& state, In<double> step) const;

 private:
  struct Outside {
    int frame;  ///< -1: base
    int axis;   ///< 0 ... 5: turns, then shifts
  };
  void fill(const Model<double>& model, const CalibrationState& state,
            const Array<SE3<double>>& T_world_body, int pose, const Vec3<double>& e_r,
            Matrix& J) const;

  const std::vector<PoseMeasurement>& measured_;
  RobotDescription nominal_;
  std::vector<std::string> frames_;
  Array<int> frame_of_;
  std::vector<GeometryParameter> geometry_;
  std::vector<Array<bool>> moves_;  ///< by parameter and measured frame
  std::vector<Outside> outside_;
  std::vector<std::string> names_;
  Array<bool> angles_;
  int n_outside_ = 0;
};

/// B and C where they are unknown, from the poses of the nominal robot.
void register_poses(const CalibrationProblem& problem, const CalibrationOptions& options,
                    CalibrationState& state);

}  // namespace torsor::internal
