#pragma once
/// The verbs for many states at once: one state in each lane of the machine's registers, blocks of
/// states in several threads.
///
///   Batch batch(model);                                           // Batch<float> for float
///   batch.inverse_dynamics(by_state(q, N, 7), by_state(qd, N, 7), by_state(qdd, N, 7),
///                          by_state(tau, N, 7));
///
/// Arrays   are views (states.hpp): by state as NumPy's (N, n), by number, or with any strides; each has
///          its own layout, and any N will do. Inputs that are empty count as zero, outputs that are
///          empty are not written. Matrices are by rows, poses [R p; 0 1] of 16 numbers.
/// Results  are those of the verbs for single states, to rounding, and the same whatever the number of
///          threads, the layout and the place of a state in its array.
/// Errors   A wrong size, a number that is not finite, a quaternion off unit norm by more than 1e-6 and
///          an open loop are an Error that names the state: "qd[29500]: ...". What has been written to
///          the outputs by then has no meaning. States whose mass matrix is singular have no answer:
///          their outputs are nan, and the result counts them.
/// Loops    The verbs of a robot with loops go state by state, in double, in several threads; so do
///          derivatives of what has no kernel in lanes (docs/batch.md).
/// Cost     Eight states in double or 16 in float at a time on a machine with AVX-512, half as many
///          with AVX2; the first call of a verb makes its scratch. One Batch for each thread that calls.
#include <memory>

#include "torsor/batch/states.hpp"
#include "torsor/kinematics/velocity.hpp"
#include "torsor/model/friction.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

struct BatchOptions {
  int threads = 0;  ///< at most; 0: as many as there are cores. Small batches take fewer.
};

/// What else belongs to the states.
template <class Real>
struct BatchExtras {
  StatesView<const Real> F_ext{};  ///< external wrenches (m, f) in link frames: 6 n_bodies numbers
  /// Inertial parameters of each state's own robot (model/inertial_parameters.hpp): 10 (n_bodies - 1)
  /// numbers; they need not be those of a possible body. Empty: the model's.
  StatesView<const Real> parameters{};
  Effects effects{};
};

struct [[nodiscard]] BatchResult {
  std::int64_t unanswered = 0;  ///< states whose outputs are nan

  explicit operator bool() const { return unanswered == 0; }
};

template <class Real = double>
class Batch {
 public:
  using States = StatesView<const Real>;
  using Out = StatesView<Real>;

  explicit Batch(const Model<double>& model, BatchOptions options = {});
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  const Model<double>& model() const;

  /// T_world_frame, and T_world_body of every body, the world included.
  void frame_pose(States q, const Frame& frame, Out T);
  void body_poses(States q, Out T);
  /// 6 x n_v, angular rows first.
  void jacobian(States q, const Frame& frame, Reference reference, Out J);

  /// With everything the model has and `extras.effects` does not leave out (full_dynamics.hpp).
  BatchResult inverse_dynamics(States q, States qd, States qdd, Out tau,
                               const BatchExtras<Real>& extras = {});
  BatchResult forward_dynamics(States q, States qd, States tau, Out qdd,
                               const BatchExtras<Real>& extras = {});
  /// Rigid bodies and rotors alone.
  void rigid_inverse_dynamics(States q, States qd, States qdd, Out tau);
  BatchResult rigid_forward_dynamics(States q, States qd, States tau, Out qdd);

  void mass_matrix(States q, Out M);
  BatchResult mass_matrix_inverse(States q, Out inverse);
  void coriolis_matrix(States q, States qd, Out C);
  void gravity_torque(States q, Out tau);
  void bias_torque(States q, States qd, Out tau);
  /// One number for each state.
  void energies(States q, States qd, Out kinetic, Out potential);
  /// n_v x 10 (n_bodies - 1).
  void torque_regressor(States q, States qd, States qdd, Out Y);

  /// Along the tangent of q, along qd, and along qdd or tau.
  void rigid_inverse_dynamics_derivatives(States q, States qd, States qdd, Out dtau_dq,
                                          Out dtau_dqd, Out dtau_dqdd = {});
  BatchResult rigid_forward_dynamics_derivatives(States q, States qd, States tau, Out dqdd_dq,
                                                 Out dqdd_dqd, Out dqdd_dtau = {});
  /// Those of inverse_dynamics and forward_dynamics.
  BatchResult inverse_dynamics_derivatives(States q, States qd, States qdd, Out dtau_dq,
                                           Out dtau_dqd);
  BatchResult forward_dynamics_derivatives(States q, States qd, States tau, Out dqdd_dq,
                                           Out dqdd_dqd, Out dqdd_dtau = {});

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

extern template class Batch<double>;
extern template class Batch<float>;

}  // namespace torsor
