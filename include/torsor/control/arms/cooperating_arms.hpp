#pragma once
/// What every law of several arms with one object does: each arm measures the object, moves it and
/// presses with its share.
///
///   X = mean of X^i(q^i),   X' = mean of J~^i qd^i                 every arm measures the object
///   qdd^i = J~^i-1 (X'' - J~^i' qd^i)
///   tau^i = H^i qdd^i + N^i + J~^i^T f^i = J~^i^T (H_x^i X'' + N_x^i + f^i)
///
/// with H^i, N^i of arm i and its share of the object (grasp.hpp). Summed over arms this is the
/// closed chain in coordinates of the object, H_x X'' + N_x = u - f_x, H_x = sum H_x^i, N_x = sum
/// N_x^i Huo 2005, (3-155), (3-156); no matrix of it is formed.
///
/// Internal   Wrenches F^i with sum 0, in the object's frame, squeeze the object and move nothing.
///            Given for the arms after the first, which gets what is left.
/// Redundant  Arms with more joints than the task has coordinates move with the least |qdd|; what
///            does not move the object is damped. Near singular J~ directions about to be lost are
///            damped (kinematics/inverse_velocity.hpp), and near_singular() says so.
/// Frames     X as in task_coordinates.hpp, of the object's frame.
/// Cost       One inverse dynamics of all arms; for each arm one Jacobian and one inverse of it (an
///            SVD for each solution where the arm is redundant or near a singular configuration).
///            No allocation after it is made.
/// Source     Huo 2005, sec. 3.13.
#include "torsor/control/arms/grasp.hpp"
#include "torsor/control/task/task_coordinates.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/kinematics/inverse_velocity.hpp"
#include "torsor/linear/internal/small_matrix.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct CooperationOptions {
  std::string object;            ///< link
  Array<double> fractions{};     ///< of the object for each arm; empty: equal ones
  TaskCoordinateOptions task{};  ///< X; its frame is the object
  double null_damping = 10;      ///< 1/s, of joints that do not move the object
  Effects effects{};
};

class CooperatingArms {
 public:
  /// Throws Error for an object that is not held, or an arm with too few joints for the task.
  CooperatingArms(const Model<double>& model, CooperationOptions options);
  CooperatingArms(CooperatingArms&&) noexcept;  // compiled once
  ~CooperatingArms();

  int n_arms() const { return object_.n_arms(); }
  int n_x() const { return arms_[0].size(); }
  int n_v() const { return forest().n_v(); }
  const HeldObject& object() const { return object_; }
  /// The robot with its loops.
  const Model<double>& model() const { return *model_; }
  /// The arms with their shares of the object.
  const Model<double>& forest() const { return forest_.front(); }
  const TaskCoordinates& coordinates(int arm) const { return arms_[arm]; }
  bool redundant() const;

  /// Measures the object with all arms.
  void evaluate(const ControlState& state);
  In<double> X() const { return {X_.data(), n_x()}; }
  In<double> Xdot() const { return {Xdot_.data(), n_x()}; }
  /// Largest difference of an arm's X or X' from the mean.
  double disagreement() const { return disagreement_; }
  /// Mean over the arms.
  TaskError error(const ControlReference& reference) const;
  /// f_x of the wrench measured on the object.
  void measured_force(View<const Wrench<double>> F_contact, Out<double> f_x);

  /// Joint velocities that move the object at X', and accelerations at X'' (J~' of qd).
  void joint_velocity(In<double> Xdot, Out<double> qd);
  void joint_acceleration(const ControlState& state, In<double> Xdd, Out<double> qdd);
  /// The same where the joints move at qd_r instead: J~ qdd_r = X'' - J~' qd_r.
  void joint_acceleration(const ControlState& state, In<double> qd_r, In<double> Xdd,
                          Out<double> qdd_r);
  /// tau of all arms for the accelerations; zeros at joints that are no arm's.
  void torque(const ControlState& state, In<double> qdd, Out<double> tau);
  /// Zeros at joints that are no arm's.
  void keep_arms(Out<double> tau) const {
    for (int k = 0; k < tau.size; ++k)
      if (!of_arm_[k]) tau[k] = 0;
  }
  void add_force(int arm, In<double> f_x, Out<double> tau) const {
    arms_[arm].add_torque(f_x, tau);
  }
  /// Six numbers (m, f) for each arm but the first, in the object's frame.
  void add_internal(In<double> wrenches, Out<double> tau);

  /// Of the last solution: some arm is near a singular configuration.
  bool near_singular() const { return near_singular_; }
  /// Ratio of smallest to largest singular value of J~^i at q, the worst of the arms; 0 where Euler
  /// angles have no rates.
  double regularity(In<double> q);

 private:
  /// J~^-1 of an arm at the state evaluated; sound: no direction of it is near being lost.
  struct Inverse {
    internal::SmallMatrix<6, 6> entries;
    bool made = false, sound = false;
  };
  void solve(int arm, In<double> Xdot, Out<double> qd);
  const Inverse& inverse_of(int arm);

  const Model<double>* model_;
  HeldObject object_;
  Array<Model<double>> forest_;  // one, on the heap: its place stays when a law moves
  Array<TaskCoordinates> arms_;
  Array<Inverse> inverses_;
  double null_damping_;
  Effects effects_;
  DynamicsWorkspace<double> dynamics_;
  InverseVelocityWorkspace damped_;
  Array<Wrench<double>> F_;
  Array<double> J_, part_, moving_;  // of one arm
  Array<char> of_arm_;               // per degree of freedom
  TaskVector X_{}, Xdot_{};
  double disagreement_ = 0;
  bool near_singular_ = false;
};

class LawParameters;

namespace internal {

/// From a law's parameters: object, fractions, point, axes, angles, sequence, null_damping.
CooperationOptions cooperation_options(const Model<double>& model, LawParameters& parameters);

}  // namespace internal

}  // namespace torsor
