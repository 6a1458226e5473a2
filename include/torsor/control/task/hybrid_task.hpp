#pragma once
/// Common parts of hybrid laws: task coordinates, the compliant frame, and the error along E_p.
///
///   PositionError   e_p                                        reference x
///   integral        x_p^d - x_p with x_p' = E_p X' a state of the law    x_p^d, n_position numbers
///   coordinates     x_p^d - x_p with the constraint's own coordinates    x_p^d, n_position numbers
///   local           E_p (X_d - X)                                        X_d, all of the task
///
/// x_p is a quasi-coordinate in general: its integral depends on the path. Planes, lines and
/// circles have coordinates; `local` is exact to first order where X_d lies on the constraint, and
/// nothing drifts.
///
/// Source   Huo 2005, sec. 3.12.
#include "torsor/control/gain.hpp"
#include "torsor/control/task/compliant_frame.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

enum class PositionError : unsigned char { integral, coordinates, local };

struct HybridTaskOptions {
  TaskCoordinateOptions coordinates;
  Constraint constraint;
  PositionError error = PositionError::integral;
  Array<double> start{};  ///< x_p of the integral as a run starts; empty: zeros
};

class HybridTask {
 public:
  /// `model` outlives it. Throws Error for a start of another size and for coordinates that the
  /// constraint does not have.
  HybridTask(const Model<double>& model, HybridTaskOptions options);

  TaskCoordinates coordinates;
  CompliantFrame frame;

  /// How many components of e_p obey their linear equation exactly: all of an integral, positions
  /// and
  /// plain angles of coordinates, none of the local error.
  int n_linear() const;
  /// Where the three components of a rotation e = log(R_d R^T) begin in e_p; -1: there is none.
  int first_rotation() const;
  /// Components of e_p whose rate is edot to first order only: of the local error on a curve.
  int n_inexact() const;
  int n() const { return coordinates.size(); }
  int n_position() const { return frame.n_position(); }
  int n_force() const { return frame.n_force(); }
  /// States of the law: x_p, or none.
  int n_states() const { return options_.error == PositionError::integral ? n_position() : 0; }
  /// Of an error: "x", "rz", "f_z" of constraints by direction, in the compliant frame; else
  /// "along_1", "normal_1" of lengths, an angle's own name or "turn_1", "moment_1" of angles, and of
  /// rows that mix them "motion_1", "force_1": m and N, where a radian counts `angle_length` metres.
  std::string error_name(int k) const;
  /// Of x_p: "path." and the name of the error along it.
  std::string state_name(int k) const;
  void reset(Out<double> x_p) const;
  /// Throws Error, naming the law, for a reference of another size.
  void check_reference(const char* law, const ControlReference& reference) const;

  /// Coordinates, frame and errors at a state. x_p: the law's n_states() states.
  void evaluate(const ControlState& state, In<double> x_p, const ControlReference& reference);
  /// E_p part: desired less actual and desired acceleration; x_c' whole.
  TaskVector e{}, edot{}, xdd_d{}, xdot_c{};
  /// x_p'.
  void state_derivative(Out<double> xdot_p) const;
  /// f_c that is measured, of the wrench on the frame's body, and f_c2 alone.
  void measured_in_frame(const ControlState& state, Out<double> f_c) const;
  void measured_force(const ControlState& state, Out<double> f) const;
  /// e_p, then f_c2^d - f_c2, after evaluate at the same state.
  void errors(const ControlInput& input, Out<double> out) const;
  /// f_c2 that is desired; zeros without a reference.
  static double desired_force(const ControlReference& reference, int k) {
    return reference.f_on_environment.empty() ? 0.0 : reference.f_on_environment[k];
  }
  /// tau += J~^T E^T [0; f].
  void add_force(In<double> f, Out<double> tau) const;

 private:
  HybridTaskOptions options_;
};

namespace internal {

/// Of component k of an error along and against a constraint of these coordinates.
std::string error_name(const CompliantFrame& frame, const TaskCoordinates& coordinates, int k);
/// From a law's parameters: those of task_coordinate_options and constraint_of, or natural and
/// artificial lists instead of a constraint; position_error, start.
HybridTaskOptions hybrid_task_options(LawParameters& parameters, const Model<double>& model);
/// The first `count` components of the task error move by the poles of s^2 + Kd s + Kp; none for
/// gains that couple them.
std::vector<Prediction> task_predictions(const Gain& Kp, const Gain& Kd, int count);

}  // namespace internal

}  // namespace torsor
