#pragma once
/// The task of an object in several hands: which directions it moves in, where it presses, how the
/// arms share that and with what they squeeze it.
///
///   x_c' = E X' = [x_p'; 0],   f_c = E f_x = [0; f_c2]         E: compliant_frame.hpp; 1 when free
///   f_c^i = W_i^-1 (sum_j W_j^-1)^-1 f_c                       force_sharing.hpp
///
/// Forces   f_c2 belongs to the unit rows of E_f. A point of the object beside that of X has the
///          gradient (n, r x n), a row that mixes N and N m: its normal force is
///          f_c2 / sqrt(1 + |r x n|^2), with r in metres (8.94 N of 10 for a lever of 0.5 m).
///
///   PositionError as in hybrid_task.hpp: x_p integrated from `start`, coordinates of the
///   constraint,
///   or E_p (X_d - X).
///
/// A free object (no constraint) has the local error.
/// Reference   f_on_environment: f_c2, then for each arm but the first a wrench (m, f) in the
///             object's frame with which it squeezes; without them `internal`.
/// Signs       Errors are desired less actual; f_c2 > 0 presses along the gradient.
/// Source      Huo 2005, sec. 3.12 and 3.13.
#include <optional>

#include "torsor/control/arms/cooperating_arms.hpp"
#include "torsor/control/arms/force_sharing.hpp"
#include "torsor/control/task/hybrid_task.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct ObjectTaskOptions {
  std::optional<Constraint> constraint{};  ///< none: the object is free
  PositionError error = PositionError::local;
  Array<double> start{};     ///< where an integrated x_p starts; empty: zeros
  Array<Gain> weights{};     ///< W_i, n_x x n_x, of forces along E; empty: equal ones
  Array<double> internal{};  ///< wrenches where the reference gives none; empty: zeros
};

class ObjectTask {
 public:
  /// Throws Error for sizes that do not fit the arms, and x_p that the constraint does not have.
  ObjectTask(const char* law, const CooperatingArms& arms, ObjectTaskOptions options);
  ObjectTask(ObjectTask&&) noexcept;  // compiled once
  ~ObjectTask();

  int n_x() const { return n_; }
  int n_p() const { return n_ - n_f(); }
  int n_f() const { return frame_ ? frame_->n_force() : 0; }
  int n_states() const { return options_.error == PositionError::integral ? n_p() : 0; }
  bool is_free() const { return !frame_.has_value(); }
  /// Of an error: a coordinate of a free object; on a constraint as HybridTask::error_name.
  std::string error_name(const CooperatingArms& arms, int k) const;
  /// Of x_p as HybridTask::state_name, then of the integrals of forces "integral.normal_1".
  std::string state_name(const CooperatingArms& arms, int k) const;
  /// How many components of e obey their linear equation exactly: all of an integral, positions and
  /// plain angles otherwise, none of the local error on a constraint.
  int n_linear() const;
  const ObjectTaskOptions& options() const { return options_; }

  void reset(Out<double> x_p) const {
    for (int k = 0; k < x_p.size; ++k) x_p[k] = options_.start[k];
  }
  /// Throws Error, naming the law, for a reference of another size.
  void check_reference(const char* law, const ControlReference& reference) const;
  /// Arms and frame at a state, without a reference.
  void look(CooperatingArms& arms, const ControlState& state);
  /// All that follows, at a state; x_p: the law's states, if any. Evaluates the arms.
  void evaluate(CooperatingArms& arms, const ControlState& state, In<double> x_p,
                const ControlReference& reference);
  In<double> e() const { return {e_.data(), n_p()}; }
  In<double> edot() const { return {edot_.data(), n_p()}; }
  In<double> xdd_desired() const { return {xdd_.data(), n_p()}; }
  In<double> xdot_p() const { return {xdot_c_.data(), n_p()}; }
  In<double> xdot_c() const { return {xdot_c_.data(), n_}; }
  In<double> force_desired() const { return {f_d_.data(), n_f()}; }
  bool regular() const { return !frame_ || frame_->regular(); }

  /// X' of x_c', and X'' of x_c'' where x_c moves at x_c'. Different vectors.
  void velocity(In<double> xdot_c, Out<double> Xdot) const;
  void acceleration(In<double> xdd_c, In<double> xdot_c, Out<double> Xdd) const;
  /// f_c that is measured on the object, and f_c2 alone; zeros of a free one.
  void measured_in_frame(CooperatingArms& arms, const ControlState& state, Out<double> f_c) const;
  void measured_force(CooperatingArms& arms, const ControlState& state, Out<double> f) const;
  /// After evaluate at the same state: e_p, then f_c2_d - f_c2; rates of the states of a law that
  /// has x_p (where it is integrated) and, with `force`, the integral of the force error.
  void errors(CooperatingArms& arms, const ControlState& state, Out<double> e) const;
  void state_derivative(CooperatingArms& arms, const ControlState& state, bool force,
                        Out<double> xdot) const;
  /// tau += sum_i J~^i^T E^T f_c^i.
  void add_shared_force(const CooperatingArms& arms, In<double> f_c, Out<double> tau) const;
  /// tau += sum_i J~^i^T (internal wrenches).
  void add_internal(CooperatingArms& arms, const ControlReference& reference,
                    Out<double> tau) const;

 private:
  ObjectTaskOptions options_;
  int n_ = 0, turns_ = 0;  // coordinates; rotations among them
  std::optional<CompliantFrame> frame_;
  ForceSharing sharing_;
  TaskVector e_{}, edot_{}, xdd_{}, xdot_c_{}, f_d_{};
};

/// A point of the object, not that of X, stays on a plane:
///   Phi = n . (p + R r - origin) = 0,   gradient (n, (R r) x n)
/// `point` in the object's frame; E_p begins with the plane's `tangent` (zero: some tangent).
Constraint point_on_plane(const TaskCoordinates& coordinates, const Vec3<double>& point,
                          const Vec3<double>& origin, const Vec3<double>& normal,
                          const Vec3<double>& tangent = {});

class LawParameters;

namespace internal {

/// From a law's parameters: constraint and what belongs to it (compliant_frame.hpp); contact (three
/// numbers: the point of the object that a plane keeps, where it is not `point`); position_error
/// (integral, coordinates, local), start; W (one number for each arm), internal.
ObjectTaskOptions object_task_options(const CooperatingArms& arms, LawParameters& parameters);

}  // namespace internal

}  // namespace torsor
