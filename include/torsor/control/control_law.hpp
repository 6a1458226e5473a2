#pragma once
/// What every control law is: the torque of one instant, its states, and what its proof claims.
///
///   class Law final : public ControlLaw {
///    public:
///     Law(const Model<double>& model, Gains gains) : ControlLaw("law", model) ...
///     void torque(const ControlInput& input, Out<double> tau) override;
///     Hypotheses hypotheses() const override;                                hypotheses.hpp
///     std::vector<Condition> conditions(const Run& run) override;            certificate.hpp
///   };
///
/// These three every law must have; the others it overrides where they apply. A law is made from a
/// model (what it believes of the robot; it must outlive the law) and gains, checks both in its
/// constructor (Error) and makes its workspaces there. Its entry in the registry (law_registry.hpp)
/// says what a scenario may set.
///
/// x_c belongs to the caller: a continuous simulation integrates it with the plant, a sampled one
/// steps it once per period. torque and state_derivative depend on their arguments only, so that an
/// integrator may evaluate them at trial states in any order.
///
/// Cost     One virtual call per evaluation; a law is `final`, so that code that knows its class
///          calls it directly. torque and state_derivative allocate nothing.
/// Signs    e = q_d - q, s = edot + Lambda e: desired less actual (docs/conventions.md).
/// Joints   e is the model's difference(q, q_d), edot = qd_d - qd: velocities in the joints' own
///          frames.
#include "torsor/control/certificate.hpp"
#include "torsor/control/hypotheses.hpp"
#include "torsor/math/spatial.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {

template <class Real>
struct PoseMotion;  // trajectory/se3_path.hpp
struct Run;         // control/run.hpp

/// What the law measures at one instant. Views of the caller's numbers.
struct ControlState {
  In<double> q{}, qd{};            ///< n_q, n_v numbers
  In<double> qdd{};                ///< empty: not measured
  In<Wrench<double>> F_contact{};  ///< on each body, in its link frame; empty: not measured
};

/// What the law should do at one instant. Empty where it is not given.
struct ControlReference {
  In<double> q{}, qd{}, qdd{};               ///< joint space: n_q, n_v, n_v numbers
  const PoseMotion<double>* pose = nullptr;  ///< of the law's frame in the world, body twists
  In<double> x{}, xd{}, xdd{};               ///< coordinates of the law's own task
  In<double> f_on_environment{};             ///< in the task's force directions
};

/// One instant as a law sees it.
struct ControlInput {
  double t = 0;  ///< s
  ControlState state{};
  In<double> x_c{};  ///< the law's own states
  ControlReference reference{};
};

class ControlLaw {
 public:
  virtual ~ControlLaw() = default;

  /// Its word in scenarios and reports.
  const char* name() const { return name_; }
  /// The robot that the law believes in.
  const Model<double>& model() const { return *model_; }

  virtual void torque(const ControlInput& input, Out<double> tau) = 0;

  /// States x_c: estimates, integrals, filters. A law that has some overrides state_derivative too:
  /// the one here throws Error.
  virtual int n_states() const { return 0; }
  /// What a state is called in recordings; here by its number.
  virtual std::string state_name(int k) const { return std::to_string(k); }
  virtual void state_derivative(const ControlInput& input, Out<double> xdot_c);
  /// x_c as the run starts (here: zeros); the law forgets everything else.
  virtual void reset(Out<double> x_c) {
    for (double& x : x_c) x = 0;
  }

  /// What the theorem assumes about runs.
  virtual Hypotheses hypotheses() const = 0;
  /// The inequalities of the proof, with the numbers of this run; certificate() (scope.hpp) adds
  /// the rows of the hypotheses.
  virtual std::vector<Condition> conditions(const Run& run) = 0;
  /// Whether the conditions look at postures and states of RunRange: then they are asked again at
  /// those that a run passed (hold_to_run). Here: of a law with a task.
  virtual bool conditions_of_states() const { return n_task_errors() > 0; }
  /// What the run should show.
  virtual std::vector<Prediction> predictions(const Run&) { return {}; }
  /// About the closed loop with the true robot: `plant` gives the proof's H, G and p (the same
  /// joints as the law's model, other parameters perhaps). Here: `given` is false.
  virtual LyapunovValue lyapunov(const ControlInput&, const Model<double>& plant);

  /// n_v numbers; false, and s untouched, where the law has no filtered error.
  virtual bool filtered_error(const ControlInput&, Out<double> /*s*/) { return false; }
  /// Of a law with a task of its own: desired less actual, positions, then forces.
  virtual int n_task_errors() const { return 0; }
  /// What a component of it is called in recordings; here by its number.
  virtual std::string task_error_name(int k) const { return std::to_string(k); }
  virtual void task_error(const ControlInput& input, Out<double> e);
  /// What the law knows beside its states.
  virtual int n_estimates() const { return 0; }
  /// What one of them is called in recordings; here by its number.
  virtual std::string estimate_name(int k) const { return std::to_string(k); }
  virtual void estimate(const ControlInput& input, Out<double> estimate);

  /// Throws Error for a reference without what the law needs, or of another size. Here: a law
  /// without a task of its own needs q.
  virtual void check_reference(const ControlReference& reference) const;
  /// The torque jumps with the state: steps of an adaptive integrator would shrink to nothing.
  virtual bool switches() const { return false; }
  /// The torque depends on measured contact forces.
  virtual bool feels_contact() const { return false; }

 protected:
  /// `name` is a literal; `model` outlives the law.
  ControlLaw(const char* name, const Model<double>& model) : name_(name), model_(&model) {}
  ControlLaw(const ControlLaw&) = default;
  ControlLaw(ControlLaw&&) noexcept = default;
  ControlLaw& operator=(const ControlLaw&) = default;
  ControlLaw& operator=(ControlLaw&&) noexcept = default;

  const char* name_;
  const Model<double>* model_;
};

/// e = q_d (-) q and edot = qd_d - qd; a reference without velocity stands still. Sizes n_v.
inline void tracking_error(const Model<double>& model, const ControlInput& input, Out<double> e,
                           Out<double> edot) {
  difference(model, input.state.q, input.reference.q, e);
  for (int k = 0; k < edot.size; ++k)
    edot[k] = (input.reference.qd.empty() ? 0.0 : input.reference.qd[k]) - input.state.qd[k];
}

}  // namespace torsor
