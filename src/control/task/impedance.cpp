#include "torsor/control/task/impedance.hpp"

#include <algorithm>

#include "gain_rows.hpp"
#include "law_entries.hpp"
#include "task/task_proof.hpp"
#include "torsor/linear/internal/ldlt.hpp"

namespace torsor {

using namespace internal;

TaskMass::TaskMass(const char* law, const Gain& Md) : n_(Md.size()) {
  if (n_ > TaskCoordinates::max_size) throw Error(std::string(law) + ": Md is too large");
  for (int c = 0; c < n_; ++c) {
    internal::SmallLdlt<double> factors;
    for (int r = 0; r < n_; ++r)
      for (int k = 0; k <= r; ++k) factors(r, k) = Md(r, k);
    factors.factorise(n_);
    double column[6]{};
    column[c] = 1;
    factors.solve(n_, column);
    for (int r = 0; r < n_; ++r) {
      if (factors.pivot(r) == 0) throw Error(std::string(law) + ": Md cannot be inverted");
      inverse_[r * n_ + c] = column[r];
    }
  }
}

void TaskMass::add_inverse_product(In<double> x, Out<double> y) const {
  for (int r = 0; r < n_; ++r)
    for (int c = 0; c < n_; ++c) y[r] += inverse_[r * n_ + c] * x[c];
}

std::vector<Condition> internal::impedance_conditions(const ImpedanceGains& gains) {
  return {symmetric("Md", gains.Md), positive_definite("Md", gains.Md),
          symmetric("Bd", gains.Bd), positive_definite("Bd", gains.Bd),
          symmetric("Kd", gains.Kd), positive_definite("Kd", gains.Kd)};
}

std::vector<Condition> internal::impedance_surface_conditions(ImpedanceMode mode, const Run& run) {
  int rigid = 0;
  for (const RunSurface& s : run.surfaces) rigid += s.stiffness < infinity ? 0 : 1;
  if (mode != ImpedanceMode::book || rigid == 0) return {};
  return {hypothesis("the force is determined", "rigid surfaces under mode book", rigid,
                     Relation::equal, 0, "the measured force is cancelled and shapes nothing")};
}

void internal::check_task_reference(const char* law, const TaskCoordinates& task,
                                    const ControlReference& reference) {
  const auto size = [&](const char* what, In<double> x) {
    if (!x.empty() && x.size != task.size())
      throw Error(std::string("law \"") + law + "\": the reference has " + std::to_string(x.size) +
                  " numbers of " + what + "; " + std::to_string(task.size()) + " are needed");
  };
  if (reference.x.empty() && !reference.pose)
    throw Error(std::string("law \"") + law + "\" follows a task or a pose; there is none");
  size("the task", reference.x);
  size("the task's velocity", reference.xd);
  size("the task's acceleration", reference.xdd);
  size("force", reference.f_on_environment);
}

ImpedanceControl::ImpedanceControl(const Model<double>& model, TaskCoordinateOptions task,
                                   ImpedanceGains gains, ImpedanceMode mode, Effects effects)
    : ControlLaw("impedance", model),
      task_(model, std::move(task)),
      gains_(std::move(gains)),
      mass_(name(), gains_.Md),
      mode_(mode),
      effects_(effects),
      solver_(model),
      ws_(model),
      qdd_(model.n_v()) {
  gains_.Md.check(name(), "Md", task_.size());
  gains_.Bd.check(name(), "Bd", task_.size());
  gains_.Kd.check(name(), "Kd", task_.size());
  null_damping_ = gains_.Bd.largest_eigenvalue() / gains_.Md.largest_eigenvalue();
}

void ImpedanceControl::forces(const ControlInput& input) {
  task_.measured_force(input.state.F_contact, Out<double>(f_e_.data(), task_.size()));
  for (int k = 0; k < task_.size(); ++k) {
    const double wanted =
        input.reference.f_on_environment.empty() ? 0.0 : input.reference.f_on_environment[k];
    g_[k] = mode_ == ImpedanceMode::book             ? wanted
            : mode_ == ImpedanceMode::force_tracking ? f_e_[k] - wanted
                                                     : f_e_[k];
  }
}

void ImpedanceControl::torque(const ControlInput& input, Out<double> tau) {
  const int m = task_.size();
  task_.evaluate(input.state.q, input.state.qd);
  forces(input);
  TaskError error = task_.error(input.reference);
  TaskVector push{};
  for (int k = 0; k < m; ++k) push[k] = -g_[k];
  gains_.Bd.add_product(In<double>(error.edot.data(), m), Out<double>(push.data(), m));
  gains_.Kd.add_product(In<double>(error.e.data(), m), Out<double>(push.data(), m));
  mass_.add_inverse_product(push, error.xdd);
  solver_.acceleration(task_, error.xdd, input.state.qd, null_damping_, qdd_);
  tree_inverse_dynamics(*model_, ws_, input.state.q, input.state.qd, qdd_, {}, tau, effects_);
  task_.add_torque(f_e_, tau);
}

std::vector<Condition> ImpedanceControl::conditions(const Run& run) {
  std::vector<Condition> all = internal::impedance_conditions(gains_);
  append(all, task_conditions(task_, postures_of(*this, run)));
  if (run.surfaces.empty())  // contact gives energy to the rotation, too
    append(all, half_turn_conditions(task_, run, gains_.Kd, gains_.Md));
  append(all, impedance_surface_conditions(mode_, run));
  return all;
}

LyapunovValue ImpedanceControl::lyapunov(const ControlInput& input, const Model<double>&) {
  const int m = task_.size();
  task_.evaluate(input.state.q, input.state.qd);
  forces(input);
  const TaskError error = task_.error(input.reference);
  const In<double> e(error.e.data(), m), edot(error.edot.data(), m);
  double rate = -gains_.Bd.quadratic(edot);
  for (int k = 0; k < m; ++k) rate += edot[k] * g_[k];
  return {0.5 * gains_.Md.quadratic(edot) + 0.5 * gains_.Kd.quadratic(e), rate};
}

void ImpedanceControl::task_error(const ControlInput& input, Out<double> e) {
  task_.evaluate(input.state.q, input.state.qd);
  const TaskError error = task_.error(input.reference);
  std::copy_n(error.e.begin(), e.size, e.begin());
}

void ImpedanceControl::check_reference(const ControlReference& reference) const {
  internal::check_task_reference(name(), task_, reference);
}

ImpedanceMode internal::impedance_mode(LawParameters& p) {
  return static_cast<ImpedanceMode>(p.choice("mode", {"hogan", "force_tracking", "book"}));
}
internal::GainList internal::impedance_gain_list() {
  return {required_gain("Md", GainKind::gain, "1", "kg", "mass that the task shows"),
          required_gain("Bd", GainKind::gain, "20", "N s / m", "its damping"),
          required_gain("Kd", GainKind::gain, "100", "N / m",
                        "its stiffness (no derivative gain: the letter is Hogan's)")};
}
internal::GainList internal::impedance_mode_gain() {
  return {optional_gain("mode", GainKind::word, "hogan", "",
                        "hogan, force_tracking or book (as Huo 2005 has it)")};
}

std::vector<Prediction> ImpedanceControl::predictions(const Run&) {
  return {{"what damping takes less the work of contact, and V at the end, over V(0)",
           PredictedQuantity::cost, -1, 1}};
}

LawEntry internal::impedance() {
  return {"impedance",
          "task/impedance.hpp",
          "Md e'' + Bd e' + Kd e = f_e of positions, Kd the stiffness; rotations by V alone",
          task_gain_list() + impedance_gain_list() + impedance_mode_gain(),
          "x of the task, or a pose; f_on_environment",
          "Hogan 1985; Huo 2005, sec. 3.12, corrected",
          [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
            const TaskCoordinateOptions task = task_coordinate_options(p);
            const int n = TaskCoordinates(model, task).size();
            return std::make_unique<ImpedanceControl>(
                model, task, ImpedanceGains{p.gain("Md", n), p.gain("Bd", n), p.gain("Kd", n)},
                impedance_mode(p));
          }};
}

}  // namespace torsor
