#pragma once
/// The shape of every control law: one plain class, no virtual call, no allocation in a call.
///
///   class Law {
///     static constexpr const char* name = "law";   its word in scenarios and reports
///     static constexpr bool feels_contact = true;   of laws whose torque takes measured forces
///     int n_states() const;                         states x_c: estimates, integrals, filters
///     void reset(Out<double> x_c);                  x_c as the run starts; forgets everything else
///     void torque(double t, const ControlState&, In<double> x_c, const ControlReference&,
///                 Out<double> tau);
///     std::vector<Condition> conditions();          certificate.hpp
///
///     // where there are states, and where the law has them:
///     void state_derivative(double t, const ControlState&, In<double> x_c,
///                           const ControlReference&, Out<double> xdot_c);
///     LyapunovValue lyapunov(double t, const ControlState&, In<double> x_c,
///                            const ControlReference&, const Model<double>& plant);
///     void filtered_error(const ControlState&, const ControlReference&, Out<double> s);
///     int n_task_errors() const;                    of laws with a task of their own:
///     void task_error(double t, const ControlState&, In<double> x_c, const ControlReference&,
///                     Out<double> e);               desired less actual, positions then forces
///     void check_reference(const ControlReference&) const;   throws Error for one without what
///                                                   the law needs, or of another size; a law
///                                                   that does not have it needs q
///     int n_estimates() const;                      what it knows beside its states:
///     void estimate(const ControlState&, In<double> x_c, Out<double> estimate);
///     std::vector<Prediction> predictions();
///     bool switches() const;                        the torque jumps with the state: steps of an
///                                                   adaptive integrator would shrink to nothing
///   };
///
/// A law is made from a model (what it believes of the robot; it must outlive the law) and gains,
/// checks both at its door (Error) and makes its workspaces there. x_c belongs to the caller: a
/// continuous simulation integrates it with the plant, a sampled one steps it once per period.
/// torque and state_derivative depend on their arguments only, so that an integrator may evaluate
/// them at trial states in any order.
///
/// lyapunov is about the closed loop with the true robot: `plant` gives the proof's H, G and p (the
/// same joints as the law's model, other parameters perhaps).
///
/// Signs    e = q_d - q, s = edot + Lambda e: desired less actual (docs/conventions.md).
/// Joints   e is the model's difference(q, q_d), edot = qd_d - qd: velocities in the joints' own
///          frames.
#include <concepts>

#include "torsor/control/certificate.hpp"
#include "torsor/math/spatial.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {

template <class Real>
struct PoseMotion;  // trajectory/se3_path.hpp

/// What the law measures at one instant. Views of the caller's numbers.
struct ControlState {
  View<const double> q{}, qd{};            ///< n_q, n_v numbers
  View<const double> qdd{};                ///< empty: not measured
  View<const Wrench<double>> F_contact{};  ///< on each body, in its link frame; empty: not measured
};

/// What the law should do at one instant. Empty where it is not given.
struct ControlReference {
  View<const double> q{}, qd{}, qdd{};       ///< joint space: n_q, n_v, n_v numbers
  const PoseMotion<double>* pose = nullptr;  ///< of the law's frame in the world, body twists
  View<const double> x{}, xd{}, xdd{};       ///< coordinates of the law's own task
  View<const double> f_on_environment{};     ///< in the task's force directions
};

template <class Law>
concept HasLyapunov = requires(Law& law, const ControlState& state, View<const double> x_c,
                               const ControlReference& reference, const Model<double>& plant) {
  { law.lyapunov(0.0, state, x_c, reference, plant) } -> std::convertible_to<LyapunovValue>;
};
template <class Law>
concept HasFilteredError = requires(Law& law, const ControlState& state,
                                    const ControlReference& reference, View<double> s) {
  law.filtered_error(state, reference, s);
};
template <class Law>
concept HasTaskError = requires(Law& law, const Law& made, const ControlState& state,
                                View<const double> x_c, const ControlReference& reference,
                                View<double> e) {
  { made.n_task_errors() } -> std::same_as<int>;
  law.task_error(0.0, state, x_c, reference, e);
};
template <class Law>
concept HasReferenceCheck = requires(const Law& law, const ControlReference& reference) {
  law.check_reference(reference);
};
template <class Law>
concept HasEstimate = requires(Law& law, const Law& made, const ControlState& state,
                               View<const double> x_c, View<double> out) {
  { made.n_estimates() } -> std::same_as<int>;
  law.estimate(state, x_c, out);
};
template <class Law>
concept HasStateDerivative = requires(Law& law, const ControlState& state, View<const double> x_c,
                                      const ControlReference& reference, View<double> xdot_c) {
  law.state_derivative(0.0, state, x_c, reference, xdot_c);
};
template <class Law>
concept HasSwitches = requires(const Law& law) {
  { law.switches() } -> std::same_as<bool>;
};
template <class Law>
concept HasPredictions = requires(Law& law) {
  { law.predictions() } -> std::convertible_to<std::vector<Prediction>>;
};
template <class Law>
concept ControlLaw = requires(Law& law, const Law& made, const ControlState& state,
                              View<const double> x_c, const ControlReference& reference,
                              View<double> out) {
  { Law::name } -> std::convertible_to<const char*>;
  { made.n_states() } -> std::same_as<int>;
  law.reset(out);
  law.torque(0.0, state, x_c, reference, out);
  { law.conditions() } -> std::convertible_to<std::vector<Condition>>;
};

/// e = q_d (-) q and edot = qd_d - qd; a reference without velocity stands still. Sizes n_v.
inline void tracking_error(const Model<double>& model, const ControlState& state,
                           const ControlReference& reference, View<double> e, View<double> edot) {
  difference(model, state.q, reference.q, e);
  for (int k = 0; k < edot.size; ++k)
    edot[k] = (reference.qd.empty() ? 0.0 : reference.qd[k]) - state.qd[k];
}

}  // namespace torsor
