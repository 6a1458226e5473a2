// Joints that a log says nothing about, and what its numbers look like.
#include <algorithm>
#include <cmath>

#include "log/columns.hpp"
#include "log/log_parts.hpp"
#include "log/table_reader.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/kinematics/mobility.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::internal::logs {
namespace {

/// rad or m between two configurations, so that the second is of the first's assembly mode.
constexpr double longest_step = 0.05;

}  // namespace

ColumnMap with_joints(const std::string& path, const std::string* text, const Model<double>& model,
                      const ColumnMap& map) {
  const ConstraintSet set(model);
  if (!map.joints.empty() || set.n_rows() == 0) return map;
  const Array<char> actuated = actuated_velocities(model);
  std::vector<std::string> all, motors;
  for (int k = 0; k < model.n_v(); ++k) {
    all.push_back(model.dof_name(k));
    if (actuated[k] != 0) motors.push_back(all.back());
  }
  const bool starred = map.q.size() == 1 && map.q[0].find('*') != std::string::npos;
  const auto has = [&](const std::vector<std::string>& joints) {
    if (!map.q.empty() && !starred) return map.q.size() == joints.size();
    try {
      const TableReader reader = text != nullptr ? TableReader(*text, path, map.delimiter)
                                                 : TableReader(path, map.delimiter);
      return !find_columns(reader.columns(), {"q", map.q, joints, {}, false}, reader.name())
                  .at.empty();
    } catch (const Error&) {
      return false;  // what is wrong with the file is said when it is read
    }
  };
  ColumnMap chosen = map;
  if (has(all)) return chosen;
  chosen.joints = motors;
  if (motors.size() < all.size()) return chosen;
  // Nobody said what drives: not joints that a coupling names first, as those that mimic others.
  std::vector<std::string> leading = all;
  for (const Coupling& coupling : model.description().couplings)
    if (!coupling.terms.empty()) std::erase(leading, coupling.terms[0].joint);
  if (leading.size() < all.size() && has(leading)) chosen.joints = leading;
  return chosen;
}

void tell_units(MotionLog& log, const LogShape& shape, const Model<double>& model) {
  constexpr double widest = 30, narrowest = 0.02;  // rad
  std::string beyond;
  bool still = shape.motor_positions;
  for (int j = 0; j < shape.dofs.size(); ++j) {
    double least = log.q(0, j), largest = least;
    for (int k = 0; k < log.size(); ++k) {
      least = std::min(least, log.q(k, j));
      largest = std::max(largest, log.q(k, j));
    }
    still = still && largest - least < narrowest;
    const Limits& limits = model.limits(shape.dofs[j]);
    const double reach = std::max(std::abs(limits.lower), std::abs(limits.upper));
    const double far = std::max(std::abs(least), std::abs(largest));
    if (shape.angle[j] && far > std::min(widest, std::max(3 * reach, 4.0)) && beyond.empty())
      beyond = shape.names[j] + " reaches " + format_number(far) + " rad";
  }
  if (!beyond.empty())
    log.repairs.push_back({log.name, log.rows[0], log.rows.back(),
                           beyond + ": degrees, or the motor's side? units and motor say so"});
  if (still)
    log.repairs.push_back({log.name, log.rows[0], log.rows.back(),
                           "no joint moves by 0.02 rad: are positions the joints' own, "
                           "motor: {positions: joint}?"});
}

void all_joints(MotionLog& log, const LogShape& shape, const Model<double>& model) {
  const int n = model.n_v();
  bool in_order = shape.dofs.size() == n;
  for (int j = 0; j < shape.dofs.size(); ++j) in_order = in_order && shape.dofs[j] == j;
  if (in_order) return;
  const auto spread = [&](const Matrix& from) {
    Matrix to(from.rows(), from.rows() == 0 ? 0 : n);
    for (int k = 0; k < from.rows(); ++k)
      for (int j = 0; j < from.cols(); ++j) to(k, shape.dofs[j]) = from(k, j);
    return to;
  };
  Array<char> measured(n, 0);
  for (int j = 0; j < shape.dofs.size(); ++j) measured[shape.dofs[j]] = log.has_torque(j);
  log.measured = std::move(measured);
  log.q = spread(log.q), log.qd = spread(log.qd), log.tau = spread(log.tau);
  log.q_ref = spread(log.q_ref);
  if (shape.dofs.size() == n) return;

  const ConstraintSet set(model);
  if (set.n_rows() == 0) return;
  AssemblyWorkspace ws(model, set);
  Array<char> moving(n, 1);
  for (const int dof : shape.dofs) moving[dof] = 0;
  AssemblyOptions options;
  options.moving = moving;
  options.keep_limits = false;
  // The robot's own assembly mode is that of the neutral configuration: from there on it moves in steps.
  Array<double> at(n);
  neutral(model, at);
  bool known = assemble(model, set, ws, at, {.keep_limits = false}).closed;
  for (int k = 0; k < log.size(); ++k) {
    Array<double> from = at;
    double farthest = 0;
    for (const int dof : shape.dofs)
      farthest = std::max(farthest, std::abs(log.q(k, dof) - from[dof]));
    const int steps = known ? std::max(1, static_cast<int>(std::ceil(farthest / longest_step))) : 1;
    Assembly closed;
    for (int s = 1; s <= steps; ++s) {
      for (const int dof : shape.dofs)
        at[dof] = s == steps ? log.q(k, dof) : from[dof] + (log.q(k, dof) - from[dof]) * s / steps;
      closed = assemble(model, set, ws, at, options);
      if (!closed && s < steps) at = from;  // a way through what cannot be reached: at once
    }
    if (!closed)
      throw Error(log.name + ": row " + std::to_string(log.rows[k]) +
                  ": the loops of the robot do not close: " + message(set, closed));
    known = true;
    for (int j = 0; j < n; ++j) log.q(k, j) = at[j];
    if (log.qd.rows() > 0)
      (void)project_velocity(model, set, ws, {&log.q(k, 0), n}, {&log.qd(k, 0), n}, moving);
  }
}

Motors motors_of(const LogShape& shape, const Model<double>& model, const ColumnMap& map) {
  Motors motors = map.motors;
  const int n = model.n_v(), m = shape.n_motors;
  const bool plain = motors.N.rows() == 0 && map.sign.empty() && map.joints.empty();
  const bool drives = motors.N.rows() > 0 || !motors.gain.empty() || motors.unknown_gain;
  if (plain || !drives) return motors;
  Matrix N(m, n);
  for (int r = 0; r < m; ++r)
    for (int j = 0; j < shape.dofs.size(); ++j) {
      const double ratio = motors.N.rows() > 0 ? motors.N(r, j) : r == j ? 1 : 0;
      N(r, shape.dofs[j]) = ratio * (map.sign.empty() ? 1 : map.sign[j]);
    }
  motors.N = std::move(N);
  return motors;
}

}  // namespace torsor::internal::logs
