#include "torsor/batch/batch.hpp"

#include "batch_parts.hpp"
#include "state_verbs.hpp"
#include "torsor/model/inertial_parameters.hpp"

namespace torsor {
namespace {

using internal::Slot;
using internal::ViewShape;
using Shapes = std::array<ViewShape, 3>;

constexpr Effects bodies_and_rotors{true, false, false, false, false};

/// What verbs with a robot for each state do not know.
template <class Real>
void check_own(const Model<double>& model, const BatchExtras<Real>& extras) {
  if (extras.parameters.empty()) return;
  const auto refuse = [&](const std::string& what) {
    throw Error("parameters: " + model.name() + " has " + what +
                ", for which states cannot have robots of their own");
  };
  if (has_loops(model) && extras.effects.loops) refuse("loops or couplings");
  if (!model.motors().empty()) refuse("motors that turn with several joints");
}

}  // namespace

template <class Real>
Batch<Real>::Batch(const Model<double>& model, BatchOptions options)
    : parts_(std::make_unique<Parts>(model, options)) {}
template <class Real>
Batch<Real>::~Batch() = default;
template <class Real>
Batch<Real>::Batch(Batch&&) noexcept = default;
template <class Real>
Batch<Real>& Batch<Real>::operator=(Batch&&) noexcept = default;

template <class Real>
const Model<double>& Batch<Real>::model() const {
  return parts_->model;
}

template <class Real>
void Batch<Real>::frame_pose(States q, const Frame& frame, Out T) {
  (void)parts_->run({.q = q, .out = {T}, .frame = &frame}, internal::lanes_pose, Slot::kinematics,
                    "", Shapes{{{"T", 16}}});
}
template <class Real>
void Batch<Real>::body_poses(States q, Out T) {
  (void)parts_->run({.q = q, .out = {T}}, internal::lanes_poses, Slot::kinematics, "",
                    Shapes{{{"T", 16 * model().n_bodies()}}});
}
template <class Real>
void Batch<Real>::jacobian(States q, const Frame& frame, Reference reference, Out J) {
  (void)parts_->run({.q = q, .out = {J}, .frame = &frame, .reference = reference},
                    internal::lanes_jacobian, Slot::kinematics, "",
                    Shapes{{{"J", 6 * model().n_v()}}});
}

template <class Real>
void Batch<Real>::rigid_inverse_dynamics(States q, States qd, States qdd, Out tau) {
  (void)parts_->run({.q = q, .qd = qd, .third = qdd, .out = {tau}, .effects = bodies_and_rotors},
                    internal::lanes_inverse_dynamics, Slot::inverse, "qdd",
                    Shapes{{{"tau", model().n_v()}}});
}
template <class Real>
BatchResult Batch<Real>::rigid_forward_dynamics(States q, States qd, States tau, Out qdd) {
  return parts_->run({.q = q, .qd = qd, .third = tau, .out = {qdd}, .effects = bodies_and_rotors},
                     internal::lanes_forward_dynamics, Slot::forward, "tau",
                     Shapes{{{"qdd", model().n_v()}}});
}

template <class Real>
void Batch<Real>::mass_matrix(States q, Out M) {
  (void)parts_->run({.q = q, .out = {M}}, internal::lanes_mass_matrix, Slot::mass, "",
                    Shapes{{{"M", model().n_v() * model().n_v()}}});
}
template <class Real>
BatchResult Batch<Real>::mass_matrix_inverse(States q, Out result) {
  return parts_->run({.q = q, .out = {result}}, internal::lanes_mass_matrix_inverse,
                     Slot::mass_inverse, "", Shapes{{{"inverse", model().n_v() * model().n_v()}}});
}
template <class Real>
void Batch<Real>::coriolis_matrix(States q, States qd, Out C) {
  (void)parts_->run({.q = q, .qd = qd, .out = {C}}, internal::lanes_coriolis_matrix, Slot::coriolis,
                    "", Shapes{{{"C", model().n_v() * model().n_v()}}});
}
template <class Real>
void Batch<Real>::gravity_torque(States q, Out tau) {
  (void)parts_->run({.q = q, .out = {tau}}, internal::lanes_gravity, Slot::torques, "",
                    Shapes{{{"tau", model().n_v()}}});
}
template <class Real>
void Batch<Real>::bias_torque(States q, States qd, Out tau) {
  (void)parts_->run({.q = q, .qd = qd, .out = {tau}}, internal::lanes_bias, Slot::torques, "",
                    Shapes{{{"tau", model().n_v()}}});
}
template <class Real>
void Batch<Real>::energies(States q, States qd, Out kinetic, Out potential) {
  (void)parts_->run({.q = q, .qd = qd, .out = {kinetic, potential}}, internal::lanes_energies,
                    Slot::energy, "", Shapes{{{"kinetic", 1}, {"potential", 1}}});
}
template <class Real>
void Batch<Real>::torque_regressor(States q, States qd, States qdd, Out Y) {
  const int columns = parameters_per_body * (model().n_bodies() - 1);
  (void)parts_->run({.q = q, .qd = qd, .third = qdd, .out = {Y}}, internal::lanes_regressor,
                    Slot::regressor, "qdd", Shapes{{{"Y", model().n_v() * columns}}});
}

template <class Real>
void Batch<Real>::rigid_inverse_dynamics_derivatives(States q, States qd, States qdd, Out dtau_dq,
                                                     Out dtau_dqd, Out dtau_dqdd) {
  const int size = model().n_v() * model().n_v();
  (void)parts_->run({.q = q,
                     .qd = qd,
                     .third = qdd,
                     .out = {dtau_dq, dtau_dqd, dtau_dqdd},
                     .effects = bodies_and_rotors},
                    internal::lanes_inverse_derivatives, Slot::inverse_slopes, "qdd",
                    Shapes{{{"dtau_dq", size}, {"dtau_dqd", size}, {"dtau_dqdd", size}}});
}
template <class Real>
BatchResult Batch<Real>::rigid_forward_dynamics_derivatives(States q, States qd, States tau,
                                                            Out dqdd_dq, Out dqdd_dqd,
                                                            Out dqdd_dtau) {
  const int size = model().n_v() * model().n_v();
  return parts_->run({.q = q, .qd = qd, .third = tau, .out = {dqdd_dq, dqdd_dqd, dqdd_dtau}},
                     internal::lanes_forward_derivatives, Slot::forward_slopes, "tau",
                     Shapes{{{"dqdd_dq", size}, {"dqdd_dqd", size}, {"dqdd_dtau", size}}});
}

template <class Real>
BatchResult Batch<Real>::inverse_dynamics(States q, States qd, States qdd, Out tau,
                                          const BatchExtras<Real>& extras) {
  typename Parts::Job job{.q = q, .qd = qd, .third = qdd, .out = {tau}};
  job.F_ext = extras.F_ext, job.parameters = extras.parameters, job.effects = extras.effects;
  check_own(model(), extras);
  const Shapes shapes{{{"tau", model().n_v()}}};
  if (parts_->loops && extras.effects.loops)
    return parts_->run_states(job, internal::inverse_dynamics_of_state<Real>(parts_->model), "qdd",
                              shapes);
  if (!extras.parameters.empty())
    return parts_->run(job, internal::lanes_own_inverse_dynamics, Slot::own_inverse, "qdd", shapes);
  return parts_->run(job, internal::lanes_inverse_dynamics, Slot::inverse, "qdd", shapes);
}
template <class Real>
BatchResult Batch<Real>::forward_dynamics(States q, States qd, States tau, Out qdd,
                                          const BatchExtras<Real>& extras) {
  typename Parts::Job job{.q = q, .qd = qd, .third = tau, .out = {qdd}};
  job.F_ext = extras.F_ext, job.parameters = extras.parameters, job.effects = extras.effects;
  check_own(model(), extras);
  const Shapes shapes{{{"qdd", model().n_v()}}};
  if (parts_->loops && extras.effects.loops)
    return parts_->run_states(job, internal::forward_dynamics_of_state<Real>(parts_->model), "tau",
                              shapes);
  if (!extras.parameters.empty())
    return parts_->run(job, internal::lanes_own_forward_dynamics, Slot::own_forward, "tau", shapes);
  return parts_->run(job, internal::lanes_forward_dynamics, Slot::forward, "tau", shapes);
}

template <class Real>
BatchResult Batch<Real>::inverse_dynamics_derivatives(States q, States qd, States qdd, Out dtau_dq,
                                                      Out dtau_dqd) {
  const int size = model().n_v() * model().n_v();
  if (parts_->smooth)
    return parts_->run({.q = q, .qd = qd, .third = qdd, .out = {dtau_dq, dtau_dqd}},
                       internal::lanes_inverse_derivatives, Slot::inverse_slopes, "qdd",
                       Shapes{{{"dtau_dq", size}, {"dtau_dqd", size}}});
  return parts_->run_states({.q = q, .qd = qd, .third = qdd, .out = {dtau_dq, dtau_dqd}},
                            internal::inverse_derivatives_of_state<Real>(parts_->model), "qdd",
                            Shapes{{{"dtau_dq", size}, {"dtau_dqd", size}}});
}
template <class Real>
BatchResult Batch<Real>::forward_dynamics_derivatives(States q, States qd, States tau, Out dqdd_dq,
                                                      Out dqdd_dqd, Out dqdd_dtau) {
  if (parts_->rigid)
    return rigid_forward_dynamics_derivatives(q, qd, tau, dqdd_dq, dqdd_dqd, dqdd_dtau);
  const int size = model().n_v() * model().n_v();
  return parts_->run_states({.q = q, .qd = qd, .third = tau, .out = {dqdd_dq, dqdd_dqd, dqdd_dtau}},
                            internal::forward_derivatives_of_state<Real>(parts_->model), "tau",
                            Shapes{{{"dqdd_dq", size}, {"dqdd_dqd", size}, {"dqdd_dtau", size}}});
}

template class Batch<double>;
template class Batch<float>;

}  // namespace torsor
