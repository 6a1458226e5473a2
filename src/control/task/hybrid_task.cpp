#include "torsor/control/task/hybrid_task.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "law_entries.hpp"
#include "task/task_proof.hpp"
#include "torsor/control/task/task_constraints.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

internal::PressingLaw internal::pressing_law(HybridTask& task, const Gain& KF) {
  return {[&task](const ControlState& state, Out<double> f_c) {
            task.coordinates.evaluate(state.q, state.qd);
            task.frame.evaluate(task.coordinates.X(), task.coordinates.Xdot());
            task.measured_in_frame(state, f_c);
          },
          task.n_position(), task.n_force(), KF};
}

HybridTask::HybridTask(const Model<double>& model, HybridTaskOptions options)
    : coordinates(model, options.coordinates),
      frame(coordinates, options.constraint),
      options_(std::move(options)) {
  if (!options_.start.empty() && options_.start.size() != n_position())
    throw Error("hybrid task: start has " + std::to_string(options_.start.size()) + " numbers; " +
                std::to_string(n_position()) + " are needed");
  if (options_.error == PositionError::coordinates && !frame.has_coordinates())
    throw Error(
        "hybrid task: this constraint has no coordinates; take the integral or the local "
        "error");
}

std::string HybridTask::error_name(int k) const {
  return internal::error_name(frame, coordinates, k);
}

std::string HybridTask::state_name(int k) const { return "path." + error_name(k); }

namespace {

/// What a row of E is of: lengths alone, angles alone, or both.
enum class RowOf : unsigned char { length, angle, mixture };

/// Rows by a function may change from place to place: what they are of is known where the task has
/// lengths or angles alone.
std::array<RowOf, TaskCoordinates::max_size> rows_of(CompliantFrame frame, int positions) {
  std::array<RowOf, TaskCoordinates::max_size> of{};
  const int n = frame.size();
  const Constraint& c = frame.constraint();
  const bool constant = c.kind == ConstraintKind::rows && !c.function;
  if (constant) {
    const TaskVector zero{};
    frame.evaluate({zero.data(), n}, {zero.data(), n});
  }
  for (int k = 0; k < n; ++k) {
    double length = positions > 0 ? 1 : 0, angle = positions < n ? 1 : 0;
    if (constant) {
      length = angle = 0;
      for (int j = 0; j < n; ++j) (j < positions ? length : angle) += std::abs(frame.E()(k, j));
    }
    of[static_cast<std::size_t>(k)] = !(angle > 1e-12)    ? RowOf::length
                                      : !(length > 1e-12) ? RowOf::angle
                                                          : RowOf::mixture;
  }
  return of;
}

}  // namespace

/// The name tells the unit (sim/internal/recorded_units.hpp).
std::string internal::error_name(const CompliantFrame& frame, const TaskCoordinates& X, int k) {
  const Constraint& c = frame.constraint();
  const int positions = X.n_positions(), moving = frame.n_position();
  const bool pressed = k >= moving;
  const std::string arc = c.angle_length == 1 ? "" : "arc_";  // angles as lengths
  if (c.kind != ConstraintKind::rows) {  // lengths first, along the constraint and across it
    const bool face = c.kind == ConstraintKind::face;
    const int across = face ? 1 : frame.n_force(), along = positions - across;
    const int turn = pressed ? k - moving - across : k - along;
    if (turn < 0)
      return pressed ? "normal_" + std::to_string(k - moving + 1)
                     : "along_" + std::to_string(k + 1);
    if (pressed) return arc + "moment_" + std::to_string(turn + 1);
    return arc + (face ? "turn_" + std::to_string(turn + 1) : X.names()[positions + turn]);
  }
  const auto of = rows_of(frame, positions);
  const auto row = [&](int j) { return of[static_cast<std::size_t>(j)]; };
  const std::string before = row(k) == RowOf::angle ? arc : "";
  if (k < static_cast<int>(c.names.size())) return before + c.names[static_cast<std::size_t>(k)];
  int number = 1;
  for (int j = pressed ? moving : 0; j < k; ++j) number += row(j) == row(k) ? 1 : 0;
  const char* const word = row(k) == RowOf::length  ? (pressed ? "normal_" : "along_")
                           : row(k) == RowOf::angle ? (pressed ? "moment_" : "turn_")
                                                    : (pressed ? "force_" : "motion_");
  return before + word + std::to_string(number);
}

int HybridTask::n_linear() const {
  if (options_.error == PositionError::integral) return n_position();
  if (options_.error == PositionError::local) return 0;
  const bool turns = coordinates.options().angles == TaskAngles::rotation &&
                     options_.constraint.kind != ConstraintKind::face;
  return turns ? n_position() - 3 : n_position();
}

int HybridTask::first_rotation() const {
  const ConstraintKind kind = options_.constraint.kind;
  const bool turns = coordinates.options().angles == TaskAngles::rotation &&
                     options_.error != PositionError::integral && kind != ConstraintKind::face &&
                     kind != ConstraintKind::rows;
  return turns ? n_position() - 3 : -1;
}

int HybridTask::n_inexact() const {
  const Constraint& c = options_.constraint;
  const bool curved =
      c.kind == ConstraintKind::circle || c.kind == ConstraintKind::sphere || c.function;
  return curved && options_.error == PositionError::local ? n_position() : 0;
}

void HybridTask::reset(Out<double> x_p) const {
  for (int k = 0; k < x_p.size; ++k) x_p[k] = options_.start.empty() ? 0.0 : options_.start[k];
}

void HybridTask::check_reference(const char* law, const ControlReference& reference) const {
  const int wanted = options_.error == PositionError::local ? n() : n_position();
  const auto size = [&](const char* what, In<double> x, int count) {
    if (!x.empty() && x.size != count)
      throw Error(std::string("law \"") + law + "\": the reference has " + std::to_string(x.size) +
                  " numbers of " + what + "; " + std::to_string(count) + " are needed");
  };
  if (reference.x.empty() && wanted > 0)
    throw Error(std::string("law \"") + law + "\" follows a task; the reference has none");
  size("the task", reference.x, wanted);
  size("the task's velocity", reference.xd, wanted);
  size("the task's acceleration", reference.xdd, wanted);
  size("force", reference.f_on_environment, n_force());
}

void HybridTask::evaluate(const ControlState& state, In<double> x_p,
                          const ControlReference& reference) {
  coordinates.evaluate(state.q, state.qd);
  frame.evaluate(coordinates.X(), coordinates.Xdot());
  frame.to_frame(coordinates.Xdot(), xdot_c);
  const int p = n_position();
  if (options_.error == PositionError::local) {
    const TaskError task = coordinates.error(reference);
    TaskVector Xd{};
    for (int k = 0; k < n(); ++k) Xd[k] = task.edot[k] + coordinates.Xdot()[k];
    frame.to_frame(In<double>(task.e.data(), n()), e);
    frame.to_frame(In<double>(task.edot.data(), n()), edot);
    frame.acceleration_to_frame(In<double>(task.xdd.data(), n()), Xd, xdd_d);
    return;
  }
  const auto given = [&](In<double> x, int k) { return x.empty() ? 0.0 : x[k]; };
  if (options_.error == PositionError::coordinates)
    frame.coordinate_error(reference.x, e);
  else
    for (int k = 0; k < p; ++k) e[k] = reference.x[k] - x_p[k];
  for (int k = 0; k < p; ++k) {
    edot[k] = given(reference.xd, k) - xdot_c[k];
    xdd_d[k] = given(reference.xdd, k);
  }
}

void HybridTask::state_derivative(Out<double> xdot_p) const {
  for (int k = 0; k < n_states(); ++k) xdot_p[k] = xdot_c[k];
}

void HybridTask::measured_in_frame(const ControlState& state, Out<double> f_c) const {
  TaskVector f_x{};
  coordinates.measured_force(state.F_contact, Out<double>(f_x.data(), n()));
  frame.force_to_frame(f_x, f_c);
}
void HybridTask::measured_force(const ControlState& state, Out<double> f) const {
  TaskVector f_c{};
  measured_in_frame(state, f_c);
  for (int k = 0; k < n_force(); ++k) f[k] = f_c[n_position() + k];
}

void HybridTask::errors(const ControlInput& input, Out<double> out) const {
  TaskVector f{};
  measured_force(input.state, f);
  const int p = n_position();
  for (int k = 0; k < p; ++k) out[k] = e[k];
  for (int k = 0; k < n_force(); ++k) out[p + k] = desired_force(input.reference, k) - f[k];
}

void HybridTask::add_force(In<double> f, Out<double> tau) const {
  TaskVector f_c{}, f_x{};
  for (int k = 0; k < n_force(); ++k) f_c[n_position() + k] = f[k];
  frame.force_from_frame(f_c, f_x);
  coordinates.add_torque(f_x, tau);
}

HybridTaskOptions internal::hybrid_task_options(LawParameters& parameters,
                                                const Model<double>& model) {
  HybridTaskOptions o;
  o.coordinates = task_coordinate_options(parameters);
  if (parameters.has("natural")) {
    const Array<double> r = parameters.numbers("axes_rpy", 3);
    parameters.require("artificial");
    o.constraint =
        TaskConstraints(parameters.words("natural"), parameters.words("artificial"))
            .constraint(rotation(EulerSequence::zyx, EulerAngles<double>{r[2], r[1], r[0]}));
    o.constraint.angle_length = parameters.number("angle_length");
  } else {
    o.constraint = constraint_of(parameters);
  }
  o.error = static_cast<PositionError>(
      parameters.choice("position_error", {"integral", "coordinates", "local"}));
  const TaskCoordinates coordinates(model, o.coordinates);
  o.start = parameters.numbers("start", CompliantFrame(coordinates, o.constraint).n_position());
  return o;
}

internal::GainList internal::hybrid_gain_list() {
  GainList constraint = constraint_gain_list();
  constraint.front() = required_gain("constraint", GainKind::word, "plane", "",
                                     "plane, line, circle, sphere or face; not with natural");
  return task_gain_list() + constraint +
         GainList{
             optional_gain("natural", GainKind::words, "", "",
                           "instead of a constraint: what the environment fixes, by direction"),
             optional_gain("artificial", GainKind::words, "", "", "what the law commands there"),
             optional_gain("axes_rpy", GainKind::vector, "0", "rad",
                           "roll, pitch, yaw of those directions"),
             optional_gain("position_error", GainKind::word, "integral", "",
                           "integral, coordinates or local"),
             optional_gain("start", GainKind::vector, "", "m",
                           "where an integrated x_p starts; none: zeros")};
}

std::vector<Prediction> internal::task_predictions(const Gain& Kp, const Gain& Kd, int count) {
  std::vector<Prediction> all;
  for (int k = 0; Kp.is_diagonal() && Kd.is_diagonal() && k < count; ++k)
    all.push_back({"component " + std::to_string(k) + " of the task off the motion of its poles",
                   PredictedQuantity::linear_task_error,
                   k,
                   0,
                   {Kp(k, k), Kd(k, k)}});
  return all;
}

}  // namespace torsor
