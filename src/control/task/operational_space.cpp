#include "torsor/control/task/operational_space.hpp"

#include <algorithm>
#include <cmath>

#include "gain_rows.hpp"
#include "law_entries.hpp"
#include "task/task_proof.hpp"
#include "torsor/control/task/impedance.hpp"

namespace torsor {

using namespace internal;

namespace {

/// The same coordinates as rows of a frame's twist, the frame at the point.
OperationalTask rows_of(const Model<double>& model, const TaskCoordinates& task, double damping) {
  const TaskCoordinateOptions& o = task.options();
  Frame frame = model.frame(o.frame);
  frame.placement.p = frame.placement * o.point;
  OperationalTask rows(std::move(frame));
  rows.n_rows = task.size();
  rows.damping = damping;
  for (int k = 0; k < task.size(); ++k)
    Out<int>(rows.rows)[k] = k < task.n_positions()           ? 3 + task.axis(k)
                             : o.angles == TaskAngles::planar ? 2
                                                              : k - task.n_positions();
  return rows;
}

}  // namespace

OperationalSpace::OperationalSpace(const Model<double>& model, OperationalSpaceOptions options)
    : ControlLaw("operational_space", model),
      options_(std::move(options)),
      task_(model, options_.task),
      rows_(rows_of(model, task_, options_.damping)),
      operational_(model),
      dynamics_(model, rows_),
      crba_(model),
      M_(model.n_v() * model.n_v()),
      a_(model.n_v()),
      tau_0_(a_.size()) {
  options_.Kp.check(name(), "Kp", task_.size());
  options_.Kd.check(name(), "Kd", task_.size());
  if (options_.task.angles == TaskAngles::euler)
    throw Error(std::string(name()) + ": the task takes rotations, not Euler angles");
  if (!options_.posture.empty()) {
    if (options_.posture.size() != model.n_q())
      throw Error(std::string(name()) + ": the posture has " +
                  std::to_string(options_.posture.size()) + " numbers; " +
                  std::to_string(model.n_q()) + " are needed");
    check_configuration(model, options_.posture);
  }
  for (const double k : {options_.kp_null, options_.kd_null, options_.damping})
    if (!std::isfinite(k)) throw Error(std::string(name()) + ": numbers must be finite");
}

void OperationalSpace::torque(const ControlInput& input, Out<double> tau) {
  const int n = model_->n_v(), m = task_.size();
  task_.evaluate(input.state.q, input.state.qd);
  TaskError error = task_.error(input.reference);
  options_.Kd.add_product(error.edot, error.xdd);
  options_.Kp.add_product(error.e, error.xdd);
  result_ =
      operational_dynamics(*model_, operational_, input.state.q, input.state.qd, rows_, dynamics_);
  task_torque(dynamics_, In<double>(error.xdd.data(), m), tau);

  for (double& a : a_) a = 0;
  if (!options_.posture.empty()) difference(*model_, input.state.q, options_.posture, a_);
  for (int k = 0; k < n; ++k)
    a_[k] = options_.kp_null * a_[k] - options_.kd_null * input.state.qd[k];
  mass_matrix(*model_, crba_, input.state.q, column_major(M_.data(), n, n));
  for (int r = 0; r < n; ++r) {
    tau_0_[r] = operational_.bias[r] + operational_.gravity[r];
    for (int c = 0; c < n; ++c) tau_0_[r] += M_[c * n + r] * a_[c];
  }
  project_to_null_space<double>(dynamics_, tau_0_);
  for (int k = 0; k < n; ++k) tau[k] += tau_0_[k];
  add_joint_torques(*model_, input.state.q, input.state.qd, tau, options_.effects);
}

std::vector<Condition> OperationalSpace::conditions(const Run& run) {
  std::vector<Condition> all{symmetric("Kp", options_.Kp), positive_definite("Kp", options_.Kp),
                             positive_definite("Kd", options_.Kd)};
  append(all, task_conditions(task_, postures_of(*this, run)));
  append(all, half_turn_conditions(task_, run, options_.Kp));
  if (options_.damping > 0)
    all.push_back(hypothesis("Lambda is exact", "damping", options_.damping, Relation::equal, 0,
                             "a damped Lambda moves the point otherwise"));
  if (model_->n_v() > task_.size())
    all.push_back(condition("redundant joints come to rest", "kd_null", options_.kd_null,
                            Relation::greater, 0));
  if (!options_.posture.empty())
    all.push_back(
        condition("the posture attracts", "kp_null", options_.kp_null, Relation::greater, 0));
  return all;
}

std::vector<Prediction> OperationalSpace::predictions(const Run&) {
  const bool turns = options_.task.angles == TaskAngles::rotation;
  return internal::task_predictions(options_.Kp, options_.Kd,
                                    turns ? task_.n_positions() : task_.size());
}

LyapunovValue OperationalSpace::lyapunov(const ControlInput& input, const Model<double>&) {
  const int m = task_.size();
  task_.evaluate(input.state.q, input.state.qd);
  const TaskError error = task_.error(input.reference);
  const In<double> edot(error.edot.data(), m);
  double value = 0.5 * options_.Kp.quadratic({error.e.data(), m});
  for (const double v : edot) value += 0.5 * v * v;
  return {value, -options_.Kd.quadratic(edot)};
}

void OperationalSpace::task_error(const ControlInput& input, Out<double> e) {
  task_.evaluate(input.state.q, input.state.qd);
  const TaskError error = task_.error(input.reference);
  std::copy_n(error.e.begin(), e.size, e.begin());
}

void OperationalSpace::check_reference(const ControlReference& reference) const {
  internal::check_task_reference(name(), task_, reference);
}

LawEntry internal::operational_space() {
  return {
      "operational_space",
      "task/operational_space.hpp",
      "e'' + Kd e' + Kp e = 0 of positions, whatever redundant joints do; rotations by w' alone",
      task_gain_list() +
          GainList{
              required_gain("Kp", GainKind::gain, "100", "1/s^2", "of the error of the task"),
              required_gain("Kd", GainKind::gain, "20", "1/s", "of its rate"),
              optional_gain("posture", GainKind::vector, "", "rad",
                            "that redundant joints tend to, n_q numbers"),
              optional_gain("kp_null", GainKind::number, "0", "1/s^2", "towards the posture"),
              optional_gain("kd_null", GainKind::number, "0", "1/s", "damping of redundant joints"),
              optional_gain("damping", GainKind::number, "0", "",
                            "of Lambda near singular configurations")},
      "x of the task, or a pose",
      "Khatib 1987",
      [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
        OperationalSpaceOptions o;
        o.task = task_coordinate_options(p);
        const int n = TaskCoordinates(model, o.task).size();
        o.Kp = p.gain("Kp", n);
        o.Kd = p.gain("Kd", n);
        o.kp_null = p.number("kp_null");
        o.kd_null = p.number("kd_null");
        o.posture = p.numbers("posture", model.n_q());
        o.damping = p.number("damping");
        return std::make_unique<OperationalSpace>(model, std::move(o));
      }};
}

}  // namespace torsor
