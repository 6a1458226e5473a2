#include "problem.hpp"

#include "closed_states.hpp"
#include "factor_algebra.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "torsor/kinematics/mobility.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/error.hpp"
#include "torsor/model/joint_units.hpp"

namespace torsor {
namespace {

/// Names of the links that stand for payloads.
std::string payload_name(const RobotDescription& robot, std::size_t k) {
  std::string name = k == 0 ? "payload" : "payload_" + std::to_string(k + 1);
  while (robot.find_link(name) != nullptr) name += "_load";
  return name;
}

/// Motors of the drives that turn with several joints; the robot's own stay as they are.
void add_coupled_motors(RobotDescription& robot, const Model<double>& model, const Motors& motors,
                        double width) {
  if (!robot.motors.empty()) return;
  for (int m = 0; m < motors.N.rows(); ++m) {
    Motor motor;
    motor.name = "motor_" + std::to_string(m + 1);
    double largest = 0;
    for (int k = 0; k < motors.N.cols(); ++k)
      if (const double ratio = motors.N(m, k); ratio != 0) {
        motor.ratios.push_back({model.dof_name(k), ratio});
        largest = std::max(largest, std::abs(ratio));
      }
    motor.friction.width = width * largest;  // of the motor's own speed
    if (motor.ratios.size() > 1) robot.motors.push_back(motor);
  }
}

}  // namespace

Model<double> identified_shape(const Model<double>& model, const IdentifyOptions& options) {
  RobotDescription robot = model.description();
  for (Joint& joint : robot.joints) {
    joint.friction.resize(static_cast<std::size_t>(n_v(joint)));
    const bool slides =
        joint.kind == JointKind::prismatic || joint.kind == JointKind::translational;
    const double width = options.sign_width * (slides && !options.force_width ? 0.1 : 1);
    for (Friction& friction : joint.friction)
      if (options.force_width || friction.width == 0) friction.width = width;
  }
  if (options.choice.motors && !options.payload_only)
    add_coupled_motors(robot, model, options.motors, options.sign_width);
  for (std::size_t k = 0; k < options.payloads.size(); ++k) {
    const std::string& on = options.payloads[k].frame;
    if (!model.has_frame(on)) {
      std::vector<std::string> known;
      for (const Link& link : model.description().links) known.push_back(link.name);
      throw Error("payload: robot \"" + model.name() + "\" has no frame \"" + on + "\"" +
                  did_you_mean(on, known));
    }
    const Frame& frame = model.frame(on);
    if (frame.body == 0) throw Error("payload: frame \"" + frame.name + "\" is fixed to the world");
    const std::string name = payload_name(robot, k);
    Link link;
    link.name = name;
    link.has_inertial = true;
    robot.links.push_back(link);
    Joint joint;
    joint.name = name + "_joint";
    joint.kind = JointKind::fixed;
    joint.parent = model.body_name(frame.body);
    joint.child = name;
    joint.placement = frame.placement;
    robot.joints.push_back(joint);
  }
  return Model<double>(std::move(robot));
}

namespace internal {

namespace {

/// Whose torques make rows: of a tree all, of a mechanism its motors, all else moved with them.
void find_torques(RowProblem& p, const std::vector<MotionLog>& logs) {
  for (int i = 1; i < p.model.n_bodies(); ++i)
    if (p.model.joint(i).n_q != p.model.joint(i).n_v)
      throw Error("identify: joint \"" + p.model.joint_name(i) +
                  "\": its velocities are no rates of its coordinates");
  p.loops = ConstraintSet(p.model).n_rows() > 0;
  if (!p.loops) {
    for (int k = 0; k < p.n_v(); ++k) p.torques.push_back(k);
    return;
  }
  if (p.n_unknowns() > p.n_columns())
    throw Error("identify: gains of drives of robots with loops are not found");
  constexpr int postures = 5;  // of each log
  for (const MotionLog& log : logs)
    for (int s = 0; s < postures && log.q.cols() == p.model.n_q(); ++s) {
      Array<double> q(p.model.n_q());
      for (int k = 0; k < q.size(); ++k) q[k] = log.q((log.size() - 1) * s / (postures - 1), k);
      p.postures.push_back(std::move(q));
    }
  for (const char passive : p.passive) p.actuated.push_back(passive == 0);
  p.torques =
      ConstrainedColumnWorkspace(p.model, p.columns, p.postures.front(), p.actuated).independent;
}

/// With loops, per velocity: whether nothing drives it, neither by the file nor by the torques of a log.
Array<char> passive_velocities(const Model<double>& model, const std::vector<MotionLog>& logs) {
  Array<char> passive(model.n_v(), 0);
  if (ConstraintSet(model).n_rows() == 0) return passive;
  const Array<char> actuated = actuated_velocities(model);
  for (int v = 0; v < passive.size(); ++v) {
    bool torque = false;
    for (const MotionLog& log : logs)
      for (int k = 0; v < log.tau.cols() && k < log.tau.rows() && !torque; ++k)
        torque = log.tau(k, v) != 0;
    passive[v] = actuated[v] == 0 || !torque;
  }
  return passive;
}

/// What is unknown where nothing was said: joints that nothing drives have no rotor, and a spring where the
/// file has one.
std::vector<std::string> chosen_names(const RowProblem& p, const ColumnChoice& choice) {
  const ParameterColumns all(p.model, choice);
  Array<char> absent(all.size(), 0);
  const Array<double> before = all.values(p.model);
  for (const ColumnTerm& term : all.plan().of_joints)
    if (p.passive[term.of] != 0)
      absent[term.column] = term.kind == ColumnKind::rotor ||
                            (term.kind == ColumnKind::spring && before[term.column] == 0);
  std::vector<std::string> names;
  for (int k = 0; k < all.size(); ++k)
    if (absent[k] == 0) names.push_back(all.name(k));
  return names;
}

/// Which friction of the load there is, known and not, and whose torques joints transmit.
void find_load(RowProblem& p) {
  p.loaded = p.columns.has_load() || has_load_friction(p.model);
  if (!p.loaded) return;
  if (p.loops)
    throw Error("identify: friction of the load of robots with loops or couplings is not found");
  p.known_part = true;
  p.load_column.assign(p.n_v(), -1);
  p.transmits.assign(p.n_columns(), 0);
  const ColumnPlan& plan = p.columns.plan();
  for (const Array<ColumnTerm>* terms : {&plan.inertial, &plan.spring_dampers})
    for (const ColumnTerm& term : *terms) p.transmits[term.column] = 1;
  for (const Array<ColumnTerm>* terms : {&plan.of_joints, &plan.of_motors})
    for (const ColumnTerm& term : *terms) {
      if (term.kind == ColumnKind::rotor) p.transmits[term.column] = 1;
      if (term.kind == ColumnKind::load) p.load_column[term.of] = term.column;
    }
}

/// One random state; with loops, of the assembly mode that the logs are of.
struct RandomState {
  const Model<double>& model;
  ClosedStates closed;
  std::mt19937_64 random{1};
  std::normal_distribution<double> normal{};
  Array<double> q, qd, qdd, load;

  explicit RandomState(const RowProblem& problem)
      : model(problem.model),
        closed(model, 1, problem.postures),
        q(model.n_q()),
        qd(model.n_v()),
        qdd(model.n_v()),
        load(model.n_v()) {}
  bool draw() {
    for (Array<double>* x : {&qd, &qdd, &load})
      for (double& y : *x) y = normal(random);
    if (closed.n_rows() > 0) return closed.draw(q, qd, qdd);
    random_configuration(model, random(), q);
    return true;
  }
};

/// Columns of transmitted torques with what friction of the load adds to them, which tells weight and offset
/// apart. Which share it is does not matter.
void add_load(const RowProblem& p, In<double> qd, In<double> load, OutMatrix<double> W) {
  for (int j = 0; p.loaded && j < p.n_v(); ++j) {
    const DofConstants<double>& dof = p.model.dof(j);
    const double c = p.load_column[j] < 0 ? dof.load : 0.2;
    const double share = c * slip_direction(dof, qd[j]);
    for (int k = 0; k < p.n_columns(); ++k)
      if (p.transmits[k]) W(j, k) *= load[j] < 0 ? 1 - share : 1 + share;
  }
}

/// Whether nobody said how wide the smooth sign of some joint's friction is.
bool assumes_width(const Model<double>& model, const IdentifyOptions& options) {
  if (options.force_width || options.sign_width == 0) return false;
  for (const Joint& joint : model.description().joints)
    if (joint.kind != JointKind::fixed &&
        (joint.friction.empty() ||
         std::any_of(joint.friction.begin(), joint.friction.end(),
                     [](const Friction& friction) { return friction.width == 0; })))
      return true;
  return false;
}

/// Whether a load that was weighed is in some of the logs alone: where all have it, it cannot be told from the
/// link that carries it, and gives no scale.
bool has_weighed_load(const RowProblem& p, const IdentifyOptions& options) {
  for (const PayloadUnknown& load : options.payloads) {
    int with = 0;
    for (int log = 0; log < p.n_fitted; ++log)
      with += std::find(load.logs.begin(), load.logs.end(), log) != load.logs.end();
    if (load.mass > 0 && with > 0 && with < p.n_fitted) return true;
  }
  return false;
}

}  // namespace

RowProblem row_problem(const Model<double>& model, const IdentifyOptions& options,
                       const std::vector<MotionLog>& logs, int more_logs) {
  RowProblem p{.model = identified_shape(model, options)};
  p.motors = options.motors;
  p.n_fitted = static_cast<int>(logs.size());
  if (assumes_width(model, options)) {
    IdentifyOptions exact = options;
    exact.sign_width = 0;
    p.sharp = identified_shape(model, exact);
  }
  const int n = p.model.n_v();
  std::vector<std::string> names = options.unknowns;
  p.passive = passive_velocities(p.model, logs);
  if (names.empty() && !options.payload_only) names = chosen_names(p, options.choice);
  std::vector<std::string>& loads = p.loads;
  for (std::size_t k = 0; k < options.payloads.size(); ++k)
    loads.push_back(payload_name(model.description(), k));
  for (const std::string& load : loads)
    if (std::find(names.begin(), names.end(), load + ".m") == names.end()) names.push_back(load);
  if (names.empty() && !options.motors.unknown_gain) throw Error("identify: nothing is unknown");
  p.columns = ParameterColumns(p.model, names);
  p.x0 = p.columns.values(p.model);
  p.names = p.columns.names();

  p.of_robot.assign(p.n_columns(), 0);
  for (const ColumnTerm& term : p.columns.plan().inertial)
    p.of_robot[term.column] =
        std::find(loads.begin(), loads.end(), p.columns.plan().links[term.of].name) == loads.end();

  for (std::size_t k = 0; k < loads.size(); ++k) {
    const PayloadUnknown& load = options.payloads[k];
    if (load.mass > 0 && p.known_mass >= 0)
      throw Error("identify: the mass of one payload may be known, not of several");
    if (load.mass > 0) {
      p.known_mass = p.columns.find(loads[k] + ".m");
      p.mass = load.mass;
    }
    if (load.logs.empty()) continue;
    if (p.in_log.empty())
      p.in_log.assign(static_cast<int>(logs.size()) + more_logs, Array<char>(p.n_columns(), 1));
    for (int log = 0; log < p.in_log.size(); ++log)
      for (int c = 0; c < p.n_columns(); ++c)
        if (p.columns.name(c).starts_with(loads[k] + ".") &&
            std::find(load.logs.begin(), load.logs.end(), log) == load.logs.end())
          p.in_log[log][c] = 0;
  }
  if (options.motors.unknown_gain) {
    if (options.motors.N.rows() == 0) p.motors.N = Matrix::identity(n);
    for (int m = 0; m < p.motors.N.rows(); ++m) p.names.push_back("gain." + std::to_string(m + 1));
    p.file_scale = !has_weighed_load(p, options) && !options.payload_only;
    double mass = 0;
    for (int i = 1; i < p.model.n_bodies(); ++i) mass += p.model.body(i).inertia.m;
    if (p.file_scale && !(mass > 0))
      throw Error(
          "identify: unknown drive gains and an unknown robot have no common scale, and the file "
          "has no masses: give the mass of a payload that is in one of the logs and not in "
          "another");
  }
  find_torques(p, logs);
  find_load(p);
  if (p.loaded) return p;
  // What the model has beside the columns: springs, disturbances, bodies that are known.
  DynamicsWorkspace<double> dynamics(p.model, Effects::tree());
  ColumnWorkspace<double> ws(p.model);
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  Matrix W(n, p.n_columns());
  Array<double> q(p.model.n_q()), qd(n), qdd(n), tau(n);
  for (int draw = 0; draw < 3; ++draw) {
    random_configuration(p.model, random(), q);
    for (double& x : qd) x = normal(random);
    for (double& x : qdd) x = normal(random);
    torque_regressor<double, double>(p.model, ws, p.columns, q, qd, qdd, W);
    tree_inverse_dynamics<double, double>(p.model, dynamics, q, qd, qdd, {}, tau);
    for (int j = 0; j < n; ++j) {
      double rest = tau[j], size = std::abs(tau[j]);
      for (int k = 0; k < p.n_columns(); ++k) {
        rest -= W(j, k) * p.x0[k];
        size += std::abs(W(j, k) * p.x0[k]);
      }
      p.known_part = p.known_part || std::abs(rest) > 1e-10 * size;
    }
  }
  return p;
}

namespace {

/// What is less than this part of a column of the open tree is what rounding left where loops take it away.
constexpr double rounded = 1e-8;

/// Joints that are driven give their names to what others have in common with them.
Array<int> driven_first(const RowProblem& p, Array<int> order) {
  Array<char> late(p.n_unknowns(), 0);
  for (const ColumnTerm& term : p.columns.plan().of_joints) late[term.column] = p.passive[term.of];
  std::stable_partition(order.begin(), order.end(), [&](int k) { return late[k] == 0; });
  return order;
}

/// Loops are closed to rounding and not beyond: terms of a formula that say less than this of their column
/// are none.
void drop_dust(Structure& s) {
  constexpr double dust = 1e-6;
  for (int r = 0; r < s.base.size(); ++r)
    for (int c = 0; c < s.base.regrouping.cols(); ++c)
      if (std::abs(s.base.regrouping(r, c)) * s.size[s.base.kept[r]] < dust * s.size[c])
        s.base.regrouping(r, c) = 0;
}

}  // namespace

Structure structure(const RowProblem& p) {
  const int n = p.n_rows(), C = p.n_columns(), N = p.n_unknowns();
  ColumnWorkspace<double> ws(p.model);
  std::optional<ConstrainedColumnWorkspace> loops;
  RandomState state(p);
  RowFactor factor(N + 1);
  Matrix W(n, C);
  Array<double> row(N + 1, 0.0);
  Structure out;
  out.size.assign(N, 0.0);
  Array<double> open(C, 0.0);  // of the tree, without its loops
  int found = 0;
  for (int draw = 0, wanted = 20 + 4 * N / n; found < wanted && draw < 20 * wanted; ++draw) {
    if (!state.draw()) continue;
    if (p.loops) {
      if (!loops) loops.emplace(p.model, p.columns, In<double>(state.q), p.actuated);
      if (!constrained_torque_regressor(p.model, *loops, p.columns, state.q, state.qd, state.qdd, W,
                                        state.load))
        continue;
      for (int v = 0; v < p.n_v(); ++v)
        for (int k = 0; k < C; ++k) open[k] += loops->W(v, k) * loops->W(v, k);
    } else {
      torque_regressor<double, double>(p.model, ws, p.columns, state.q, state.qd, state.qdd, W,
                                       state.load);
      add_load(p, state.qd, state.load, W);
    }
    ++found;
    // Loads are in some logs alone: every log sees its own columns.
    const Array<char>* const there = p.in_log.empty() ? nullptr : &p.in_log[found % p.n_fitted];
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < C; ++k) {
        row[k] = k == p.known_mass || (there != nullptr && (*there)[k] == 0) ? 0 : W(j, k);
        out.size[k] += W(j, k) * W(j, k);
      }
      for (int k = C; k < N; ++k)  // gains: torques that no column explains
        row[k] = p.motors.N(k - C, p.torques[j]) * state.normal(state.random);
      factor.add(row);
    }
  }
  if (found == 0)
    throw Error("identify: no configuration closes the loops of robot \"" + p.model.name() + "\"");
  Matrix R = factor.R();
  for (int k = 0; k < C; ++k)
    if (out.size[k] < rounded * rounded * open[k])
      for (int r = 0; r < R.rows(); ++r) R(r, k) = 0;
  for (double& x : out.size) x = std::sqrt(x / (static_cast<double>(found) * n));
  const std::vector<std::string> names(p.names.begin(), p.names.end());
  out.base =
      determined_columns(R, names, driven_first(p, usual_order(names)), p.loops ? 1e-7 : 1e-8);
  if (p.loops) drop_dust(out);
  return out;
}

BaseParameters seen_at_joints(const RowProblem& p, BaseParameters base) {
  const std::vector<Motor>& motors = p.model.description().motors;
  for (int m = 0; m < p.model.motors().size(); ++m)
    for (const auto& term : p.model.motors()[m].terms)
      for (const bool rotor : {true, false}) {
        const std::string joint = p.model.dof_name(term.v);
        const int of_joint = p.columns.find(rotor ? "rotor." + joint : joint + ".viscous");
        const int of_motor = p.columns.find("motor." + motors[static_cast<std::size_t>(m)].name +
                                            (rotor ? ".rotor" : ".viscous"));
        if (of_joint < 0 || of_motor < 0) continue;
        for (int r = 0; r < base.size(); ++r)
          base.regrouping(r, of_motor) += base.regrouping(r, of_joint) * term.ratio * term.ratio;
      }
  return base;
}

Array<double> usual_sizes(const RowProblem& p, double torque) {
  double length = 0, mass = 0;
  for (int i = 1; i < p.model.n_bodies(); ++i) {
    length = std::max(length, norm(p.model.body(i).placement.p));
    mass = std::max(mass, p.model.body(i).inertia.m);
  }
  if (length == 0) length = 1;
  if (mass == 0) mass = torque / (9.81 * length);
  const auto ends = [](const std::string& name, const char* word) { return name.ends_with(word); };
  Array<double> sizes;
  for (const std::string& name : p.names) {
    double size = torque;
    if (ends(name, ".m"))
      size = mass;
    else if (ends(name, ".mx") || ends(name, ".my") || ends(name, ".mz"))
      size = mass * length;
    else if (name.starts_with("rotor.") || ends(name, "xx") || ends(name, "xy") ||
             ends(name, "yy") || ends(name, "xz") || ends(name, "yz") || ends(name, "zz"))
      size = mass * length * length;
    else if (ends(name, ".load"))
      size = 1;
    else if (name.starts_with("gain."))
      size = 0;
    sizes.push_back(size);
  }
  return sizes;
}

CompressedLog selected(const CompressedLog& log, In<int> columns) {
  CompressedLog out;
  for (const int k : columns) out.names.push_back(log.names[static_cast<std::size_t>(k)]);
  out.joints = log.joints;
  Array<int> with_tau(columns.begin(), columns.end());
  with_tau.push_back(log.n_unknowns());
  for (int b = 0; b < log.n_blocks(); ++b) {
    out.add_block(log.log_of_block[b]);
    for (int j = 0; j < log.n_joints(); ++j)
      out.factor(b, j) =
          RowFactor(selected(log.factor(b, j).R(), with_tau), log.factor(b, j).rows());
  }
  return out;
}

}  // namespace internal
}  // namespace torsor
