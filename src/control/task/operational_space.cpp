#include "torsor/control/task/operational_space.hpp"

#include <algorithm>
#include <cmath>

#include "law_makers.hpp"
#include "torsor/control/task/hybrid_task.hpp"
#include "torsor/control/task/impedance.hpp"

namespace torsor {

namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// The same coordinates as rows of a frame's twist, the frame at the point.
OperationalTask rows_of(const Model<double>& model, const TaskCoordinates& task, double damping) {
  const TaskCoordinateOptions& o = task.options();
  Frame frame = model.frame(o.frame);
  frame.placement.p = frame.placement * o.point;
  OperationalTask rows(std::move(frame));
  rows.n_rows = task.size();
  rows.damping = damping;
  for (int k = 0; k < task.size(); ++k)
    rows.rows[at(k)] = k < task.n_positions()           ? 3 + task.axis(k)
                       : o.angles == TaskAngles::planar ? 2
                                                        : k - task.n_positions();
  return rows;
}

}  // namespace

OperationalSpace::OperationalSpace(const Model<double>& model, OperationalSpaceOptions options)
    : model_(&model),
      options_(std::move(options)),
      task_(model, options_.task),
      rows_(rows_of(model, task_, options_.damping)),
      operational_(model),
      dynamics_(model, rows_),
      crba_(model),
      M_(at(model.n_v() * model.n_v())),
      a_(at(model.n_v())),
      tau_0_(a_.size()) {
  options_.Kp.check(name, "Kp", task_.size());
  options_.Kd.check(name, "Kd", task_.size());
  if (options_.task.angles == TaskAngles::euler)
    throw Error(std::string(name) + ": the task takes rotations, not Euler angles");
  if (!options_.posture.empty()) {
    if (static_cast<int>(options_.posture.size()) != model.n_q())
      throw Error(std::string(name) + ": the posture has " +
                  std::to_string(options_.posture.size()) + " numbers; " +
                  std::to_string(model.n_q()) + " are needed");
    check_configuration(model, options_.posture);
  }
  for (const double k : {options_.kp_null, options_.kd_null, options_.damping})
    if (!std::isfinite(k)) throw Error(std::string(name) + ": numbers must be finite");
}

void OperationalSpace::torque(double, const ControlState& state, View<const double>,
                              const ControlReference& reference, View<double> tau) {
  const int n = model_->n_v(), m = task_.size();
  task_.evaluate(state.q, state.qd);
  TaskError error = task_.error(reference);
  options_.Kd.add_product(error.edot, error.xdd);
  options_.Kp.add_product(error.e, error.xdd);
  result_ = operational_dynamics(*model_, operational_, state.q, state.qd, rows_, dynamics_);
  task_torque(dynamics_, View<const double>(error.xdd.data(), m), tau);

  for (double& a : a_) a = 0;
  if (!options_.posture.empty()) difference(*model_, state.q, options_.posture, a_);
  for (int k = 0; k < n; ++k)
    a_[at(k)] = options_.kp_null * a_[at(k)] - options_.kd_null * state.qd[k];
  mass_matrix(*model_, crba_, state.q, column_major(M_.data(), n, n));
  for (int r = 0; r < n; ++r) {
    tau_0_[at(r)] = operational_.bias[r] + operational_.gravity[r];
    for (int c = 0; c < n; ++c) tau_0_[at(r)] += M_[at(c * n + r)] * a_[at(c)];
  }
  project_to_null_space<double>(dynamics_, tau_0_);
  for (int k = 0; k < n; ++k) tau[k] += tau_0_[at(k)];
  add_joint_torques(*model_, state.q, state.qd, tau, options_.effects);
}

std::vector<Condition> OperationalSpace::conditions() {
  std::vector<Condition> all{condition("Kp symmetric", "largest asymmetry of Kp",
                                       options_.Kp.asymmetry(), Relation::at_most, 0),
                             condition("Kp positive definite", "smallest eigenvalue of Kp",
                                       options_.Kp.smallest_eigenvalue(), Relation::greater, 0),
                             condition("Kd positive definite", "smallest eigenvalue of Kd",
                                       options_.Kd.smallest_eigenvalue(), Relation::greater, 0)};
  for (Condition& c : task_conditions(*model_, task_)) all.push_back(std::move(c));
  if (model_->n_v() > task_.size())
    all.push_back(condition("redundant joints come to rest", "kd_null", options_.kd_null,
                            Relation::greater, 0));
  if (!options_.posture.empty())
    all.push_back(
        condition("the posture attracts", "kp_null", options_.kp_null, Relation::greater, 0));
  return all;
}

std::vector<Prediction> OperationalSpace::predictions() {
  const bool turns = options_.task.angles == TaskAngles::rotation;
  return task_predictions(options_.Kp, options_.Kd, turns ? task_.n_positions() : task_.size());
}

LyapunovValue OperationalSpace::lyapunov(double, const ControlState& state, View<const double>,
                                         const ControlReference& reference, const Model<double>&) {
  const int m = task_.size();
  task_.evaluate(state.q, state.qd);
  const TaskError error = task_.error(reference);
  const View<const double> edot(error.edot.data(), m);
  double value = 0.5 * options_.Kp.quadratic({error.e.data(), m});
  for (const double v : edot) value += 0.5 * v * v;
  return {value, -options_.Kd.quadratic(edot)};
}

void OperationalSpace::task_error(double, const ControlState& state, View<const double>,
                                  const ControlReference& reference, View<double> e) {
  task_.evaluate(state.q, state.qd);
  const TaskError error = task_.error(reference);
  std::copy_n(error.e.begin(), e.size, e.begin());
}

void OperationalSpace::check_reference(const ControlReference& reference) const {
  check_task_reference(name, task_, reference);
}

AnyController make_operational_space(const Model<double>& model, LawParameters& p) {
  OperationalSpaceOptions o;
  o.task = task_coordinate_options(p);
  const int n = TaskCoordinates(model, o.task).size();
  o.Kp = p.gain("Kp", n);
  o.Kd = p.gain("Kd", n);
  o.kp_null = p.number("kp_null", 0);
  o.kd_null = p.number("kd_null", 0);
  o.posture = p.numbers("posture", model.n_q(), {});
  o.damping = p.number("damping", 0);
  return AnyController(OperationalSpace(model, std::move(o)));
}

}  // namespace torsor
