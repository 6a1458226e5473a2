// Every built-in robot, loops and couplings included, through every dynamics verb and both faces:
// Robot, and the command's eval.
#include <functional>

#include "apps/command.hpp"
#include "torsor/dynamics/derivatives/full_derivatives.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/kinematics/mobility.hpp"
#include "torsor/model/surgery.hpp"
#include "torsor/robot.hpp"

namespace torsor {
namespace {

using testing::expect_refusal;
using testing::torsor_command;
using Json = nlohmann::json;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// Rigid bodies and rotors of the tree.
constexpr Effects rigid{.friction = false, .springs = false, .disturbance = false, .loops = false};

double largest(const Matrix& x) { return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff(); }

/// Moves a motion to the nearest that loops and couplings allow.
struct Closer {
  const Model<double>& model;
  ConstraintSet set{model};
  AssemblyWorkspace ws{model, set};

  bool position(Vector& q) { return static_cast<bool>(assemble(model, set, ws, q)); }
  void velocity(const Vector& q, Vector& qd) { (void)project_velocity(model, set, ws, q, qd); }
  void acceleration(const Vector& q, const Vector& qd, Vector& qdd) {
    (void)project_acceleration(model, set, ws, q, qd, qdd);
  }
};

/// A drawn motion that the loops allow and the motors can make, and torques.
struct Motion {
  Vector q, qd, qdd, tau;

  Motion(Robot& robot, unsigned seed) {
    Closer closer{robot.model()};
    const auto numbers = [&](double phase) {
      Vector x(robot.n_v());
      for (int k = 0; k < x.size(); ++k) x[k] = std::sin(phase + 1.7 * k + seed);
      return x;
    };
    tau = numbers(2.2);
    for (unsigned trial = 0; trial < 50; ++trial) {
      q = robot.random_configuration(seed + 100 * trial), qd = numbers(0.3), qdd = numbers(1.1);
      if (!closer.position(q)) continue;
      closer.velocity(q, qd);
      closer.acceleration(q, qd, qdd);
      DynamicsWorkspace<double> ws(robot.model());
      Vector torque(robot.n_v());
      const auto result = inverse_dynamics(robot.model(), ws, q, qd, qdd, {}, torque);
      EXPECT_TRUE(result.loops.closed());
      if (result) return;  // not in a singular posture of the loops
    }
    throw Error(robot.name() + ": no configuration closes it");
  }
};

class EveryRobot : public ::testing::TestWithParam<std::string> {
 protected:
  Robot robot{GetParam()};
  const Model<double>& model = robot.model();
  const bool looped = has_loops(model);

  /// What rounding makes of an acceleration.
  double acceleration_error(const Vector& tau, const Vector& qdd) {
    return 1e-11 * (1 + largest(tau) + largest(qdd)) *
           (1 + largest(robot.mass_matrix_inverse(motion.q).matrix));
  }
  bool regular() { return robot.mass_matrix_inverse(motion.q).regular; }
  Motion motion{robot, 1};
  const Vector zero = Vector::Zero(robot.n_v());
};

TEST_P(EveryRobot, forward_and_inverse_dynamics_undo_each_other) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Motion m = motion = Motion(robot, seed);
    const Vector driven = robot.inverse_dynamics(m.q, m.qd, m.qdd);
    const auto back = robot.forward_dynamics(m.q, m.qd, driven);
    EXPECT_EQ(static_cast<bool>(back), regular());
    if (!back) return;  // links without mass
    ASSERT_TRUE(back);
    const double error = acceleration_error(driven, m.qdd);
    EXPECT_LT(largest(back.qdd - m.qdd), error) << seed;
    const Vector given = looped ? driven : m.tau;  // with loops tau is not unique
    const auto forward = robot.forward_dynamics(m.q, m.qd, given);
    ASSERT_TRUE(forward);
    EXPECT_LT(largest(robot.inverse_dynamics(m.q, m.qd, forward.qdd) - given),
              acceleration_error(given, forward.qdd) * (1 + largest(robot.mass_matrix(m.q))))
        << seed;
    // Half of the actuated joints are led along the motion, the others get its torques.
    std::vector<std::string> led;
    const std::vector<char> actuated = actuated_velocities(model);
    for (int i = 1; i < model.n_bodies(); i += 2)
      if (actuated[static_cast<std::size_t>(model.body(i).v.first)] && led.empty() >= looped)
        led.push_back(model.joint_name(i));
    Vector tau = driven;
    const auto hybrid = robot.hybrid_dynamics(led, m.q, m.qd, m.qdd, tau);
    ASSERT_TRUE(hybrid);
    EXPECT_LT(largest(hybrid.qdd - m.qdd), 10 * error) << seed;
    EXPECT_LT(largest(hybrid.tau - driven), 10 * error * (1 + largest(robot.mass_matrix(m.q))))
        << seed;
  }
}

TEST_P(EveryRobot, matrices_and_bias_are_those_of_inverse_dynamics_of_the_tree) {
  const Motion& m = motion;
  const Matrix M = robot.mass_matrix(m.q);
  const Vector rest = robot.inverse_dynamics(m.q, zero, zero, {}, rigid);
  const double error = 1e-12 * (1 + largest(M) + largest(rest));
  for (int k = 0; k < robot.n_v(); ++k) {
    const Vector unit = Vector::Unit(robot.n_v(), k);
    EXPECT_LT(largest(robot.inverse_dynamics(m.q, zero, unit, {}, rigid) - rest - M.col(k)), error);
  }
  EXPECT_LT(largest(robot.gravity_torque(m.q) - rest), error);
  const Vector bias = robot.bias_torque(m.q, m.qd);
  const double moving = error + 1e-12 * largest(bias);
  EXPECT_LT(largest(robot.inverse_dynamics(m.q, m.qd, zero, {}, rigid) - bias), moving);
  EXPECT_LT(largest(robot.coriolis_matrix(m.q, m.qd) * m.qd + rest - bias), 10 * moving);
  EXPECT_LT(largest(robot.two_velocity_inverse_dynamics(m.q, m.qd, m.qd, m.qdd) - bias - M * m.qdd),
            10 * moving);
  EXPECT_NEAR(robot.kinetic_energy(m.q, m.qd), 0.5 * m.qd.dot(M * m.qd),
              1e-12 * (1 + largest(M)) * m.qd.squaredNorm());
}

/// dE/dt = qd . (tau - friction + disturbance): loops do no work.
TEST_P(EveryRobot, energy_grows_by_the_power_of_torques_less_friction) {
  const Motion& m = motion;
  const Vector tau = robot.inverse_dynamics(m.q, m.qd, m.qdd);
  Vector power = tau - robot.friction_torque(m.q, m.qd);
  for (int k = 0; k < robot.n_v(); ++k) power[k] += model.dof(k).disturbance;
  const auto energy = [&](double h) {
    const Vector q = robot.integrate(m.q, h * m.qd + h * h / 2 * m.qdd), qd = m.qd + h * m.qdd;
    return robot.kinetic_energy(q, qd) + robot.potential_energy(q) + robot.spring_energy(q);
  };
  const double h = 1e-4, scale = 1 + std::abs(energy(0)) + power.cwiseAbs().dot(m.qd.cwiseAbs());
  for (const SpringDamper& spring : model.description().springs) ASSERT_EQ(spring.damping, 0);
  EXPECT_NEAR((energy(h) - energy(-h)) / (2 * h), power.dot(m.qd), 1e-6 * scale);
}

/// Along a motion of the closed robot, whatever else changes with it.
TEST_P(EveryRobot, derivatives_are_the_differences_along_what_loops_allow) {
  const Motion& m = motion;
  Closer closer{model};
  const int n = robot.n_v();
  const double h = 1e-5;
  Vector along(n);
  for (int k = 0; k < n; ++k) along[k] = std::cos(0.7 + 2.1 * k);
  closer.velocity(m.q, along);
  const auto moved = [&](double by) {
    Motion x = m;
    x.q = robot.integrate(m.q, by * along);
    EXPECT_TRUE(closer.position(x.q));
    closer.velocity(x.q, x.qd);
    closer.acceleration(x.q, x.qd, x.qdd);
    return x;
  };
  const Motion plus = moved(h), minus = moved(-h), here = moved(0);
  const Vector dq =
      (robot.difference(here.q, plus.q) - robot.difference(here.q, minus.q)) / (2 * h);
  const Vector dqd = (plus.qd - minus.qd) / (2 * h), dqdd = (plus.qdd - minus.qdd) / (2 * h);
  const auto slope = [&](const std::function<Vector(const Motion&)>& f) {
    return Vector((f(plus) - f(minus)) / (2 * h));
  };

  std::vector<Parameter> parameters;
  for (int k = 0; k < n; ++k) parameters.push_back(Parameter::coordinate(model, k));
  for (int k = 0; k < n; ++k) parameters.push_back(Parameter::velocity(model, k));
  for (int k = 0; k < n; ++k) parameters.push_back(Parameter::acceleration(model, k));
  DynamicsDerivativesWorkspace ws(model);
  ConstrainedParameterDerivatives d(model, ws.set, 3 * n);
  Vector tau(n), qdd(n);
  ASSERT_TRUE(
      inverse_dynamics_derivatives(model, ws, parameters, here.q, here.qd, here.qdd, {}, tau, d));
  EXPECT_LT(largest(tau - robot.inverse_dynamics(here.q, here.qd, here.qdd)),
            1e-9 * (1 + largest(tau)));
  const Eigen::Map<const Matrix> dtau(d.dtau.data.data(), n, 3 * n);
  const Vector by_torque =
      dtau.leftCols(n) * dq + dtau.middleCols(n, n) * dqd + dtau.rightCols(n) * dqdd;
  const Vector torque_slope =
      slope([&](const Motion& x) { return robot.inverse_dynamics(x.q, x.qd, x.qdd); });
  EXPECT_LT(largest(by_torque - torque_slope), 2e-5 * (1 + largest(torque_slope) + largest(tau)));

  for (int k = 0; k < n; ++k)
    parameters[static_cast<std::size_t>(2 * n + k)] = Parameter::torque(model, k);
  const auto forward =
      forward_dynamics_derivatives(model, ws, parameters, here.q, here.qd, m.tau, {}, qdd, d);
  ASSERT_EQ(static_cast<bool>(forward), regular());
  if (!forward) return;
  const Eigen::Map<const Matrix> dqdd_d(d.dqdd.data.data(), n, 3 * n);
  const Vector slope_found =
      slope([&](const Motion& x) { return robot.forward_dynamics(x.q, x.qd, m.tau).qdd; });
  EXPECT_LT(largest(dqdd_d.leftCols(n) * dq + dqdd_d.middleCols(n, n) * dqd - slope_found),
            2e-5 * (1 + largest(slope_found) + largest(qdd)));
  // tau is free to change as it likes.
  const double small = 1e-3;
  const Vector more = robot.forward_dynamics(here.q, here.qd, m.tau + small * along).qdd;
  EXPECT_LT(largest((more - qdd) / small - dqdd_d.rightCols(n) * along),
            1e-7 * (1 + largest(more) + largest(dqdd_d)));
}

Json list(const Vector& x) { return std::vector<double>(x.data(), x.data() + x.size()); }
Matrix matrix(const Json& rows) {
  Matrix x(static_cast<int>(rows.size()), static_cast<int>(rows[0].size()));
  for (int r = 0; r < x.rows(); ++r)
    for (int c = 0; c < x.cols(); ++c)
      x(r, c) = rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)].get<double>();
  return x;
}
Vector vector(const Json& x) { return matrix(Json::array({x})).transpose(); }

TEST_P(EveryRobot, both_faces_give_the_same_numbers) {
  const testing::ScratchFolder folder;
  const std::string states = (folder / "states.json").string();
  const Motion& m = motion;
  testing::write_text(
      states,
      Json{{"states",
            {{{"q", list(m.q)}, {"qd", list(m.qd)}, {"qdd", list(m.qdd)}, {"tau", list(m.tau)}}}}}
          .dump());
  const testing::CommandResult run = torsor_command({"eval", GetParam(), states});
  ASSERT_EQ(run.code, 0) << run.err;
  const Json r = run.json()["results"][0];
  const auto expect_same = [&](const char* key, const Matrix& expected) {
    const Matrix found = expected.cols() == 1 ? Matrix(vector(r[key])) : matrix(r[key]);
    EXPECT_LE(largest(found - expected), 1e-12 * (1 + largest(expected))) << key;
  };
  expect_same("tau", robot.inverse_dynamics(m.q, m.qd, m.qdd));
  if (regular())
    expect_same("qdd_fd", robot.forward_dynamics(m.q, m.qd, m.tau).qdd);
  else
    EXPECT_TRUE(r["qdd_fd"].is_null());
  expect_same("gravity", robot.gravity_torque(m.q));
  expect_same("bias", robot.bias_torque(m.q, m.qd));
  const double kinetic = robot.kinetic_energy(m.q, m.qd), potential = robot.potential_energy(m.q);
  EXPECT_NEAR(r["kinetic"].get<double>(), kinetic, 1e-12 * (1 + kinetic));
  EXPECT_NEAR(r["potential"].get<double>(), potential, 1e-12 * (1 + std::abs(potential)));
  if (robot.n_v() > 1) {
    expect_same("M", robot.mass_matrix(m.q));
    expect_same("C", robot.coriolis_matrix(m.q, m.qd));
    expect_same("regressor", robot.torque_regressor(m.q, m.qd, m.qdd));
  }
  const int n = robot.n_v();
  std::vector<Parameter> parameters;
  for (int k = 0; k < n; ++k) parameters.push_back(Parameter::coordinate(model, k));
  DynamicsDerivativesWorkspace ws(model);
  ConstrainedParameterDerivatives d(model, ws.set, n);
  Vector x(n);
  if (n == 1) return;
  ASSERT_TRUE(inverse_dynamics_derivatives(model, ws, parameters, m.q, m.qd, m.qdd, {}, x, d));
  expect_same("dtau_dq", Eigen::Map<const Matrix>(d.dtau.data.data(), n, n));
  EXPECT_EQ(r["dqdd_dq"].is_null(), !regular());
  if (!regular()) return;
  ASSERT_TRUE(forward_dynamics_derivatives(model, ws, parameters, m.q, m.qd, m.tau, {}, x, d));
  expect_same("dqdd_dq", Eigen::Map<const Matrix>(d.dqdd.data.data(), n, n));
}

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

class EveryRobotWithLoops : public EveryRobot {};

/// A loop that is open, and motions that would open it.
TEST_P(EveryRobotWithLoops, refuses_what_opens_them_in_every_verb_of_both_faces) {
  const Motion& m = motion;
  Vector step(robot.n_v());
  for (int k = 0; k < step.size(); ++k) step[k] = 0.05 * std::sin(3.0 * k + 1);
  const Vector open = robot.integrate(m.q, step), qd = m.qd + step, qdd = m.qdd + step;
  const std::function<void()> verbs[] = {
      [&] { (void)robot.inverse_dynamics(open, zero, zero); },
      [&] { (void)robot.forward_dynamics(open, zero, zero); },
      [&] { (void)robot.hybrid_dynamics({model.joint_name(1)}, open, zero, zero, zero); },
      [&] { (void)robot.mass_matrix(open); },
      [&] { (void)robot.mass_matrix_inverse(open); },
      [&] { (void)robot.coriolis_matrix(open, zero); },
      [&] { (void)robot.gravity_torque(open); },
      [&] { (void)robot.bias_torque(open, zero); },
      [&] { (void)robot.two_velocity_inverse_dynamics(open, zero, zero, zero); },
      [&] { (void)robot.joint_wrenches(open, zero, zero); },
      [&] { (void)robot.kinetic_energy(open, zero); },
      [&] { (void)robot.potential_energy(open); },
      [&] { (void)robot.momentum(open, zero); },
      [&] { (void)robot.torque_regressor(open, zero, zero); },
      [&] { (void)robot.energy_regressor(open, zero); }};
  for (const auto& verb : verbs)
    EXPECT_NE(refusal(verb).find(" is open by "), std::string::npos) << refusal(verb);
  EXPECT_NE(refusal([&] { (void)robot.forward_dynamics(m.q, qd, zero); }).find("qd opens "),
            std::string::npos);
  EXPECT_NE(refusal([&] { (void)robot.bias_torque(m.q, qd); }).find("qd opens "),
            std::string::npos);
  EXPECT_NE(refusal([&] { (void)robot.inverse_dynamics(m.q, m.qd, qdd); }).find("qdd opens "),
            std::string::npos);
  // Opened deliberately, it is a tree.
  Robot tree(with_effects(model, Effects::tree()));
  EXPECT_TRUE(tree.forward_dynamics(open, qd, zero));
  EXPECT_LT(largest(tree.inverse_dynamics(open, qd, qdd) -
                    robot.inverse_dynamics(open, qd, qdd, {}, Effects::tree())),
            1e-12 * (1 + largest(tree.bias_torque(open, qd))));

  const auto text = [](const Vector& x) {
    std::string out;
    for (const double e : x) out += (out.empty() ? "" : ",") + Json(e).dump();
    return out;
  };
  for (const char* verb :
       {"id", "fd", "mass", "coriolis", "gravity", "energy", "regressor", "derivatives"}) {
    expect_refusal(torsor_command({verb, GetParam(), "--q", text(open)}), " is open by ");
    EXPECT_EQ(torsor_command({verb, GetParam(), "--q", text(open), "--tree"}).code, 0) << verb;
  }
  expect_refusal(torsor_command({"hd", GetParam(), "--prescribe", "none", "--q", text(open)}),
                 " is open by ");
  expect_refusal(torsor_command({"energy", GetParam(), "--q", text(m.q), "--qd", text(qd)}),
                 "qd opens ");
  const testing::ScratchFolder folder;
  const std::string states = (folder / "states.json").string();
  const auto eval = [&](const Json& state, const std::vector<std::string>& options) {
    testing::write_text(states, Json{{"states", {{{"q", list(m.q)}}, state}}}.dump());
    std::vector<std::string> words{"eval", GetParam(), states};
    words.insert(words.end(), options.begin(), options.end());
    return torsor_command(words);
  };
  const Json opened = {{"q", list(open)}}, fast = {{"q", list(m.q)}, {"qd", list(qd)}},
             pushed = {{"q", list(m.q)}, {"qd", list(m.qd)}, {"qdd", list(qdd)}};
  expect_refusal(eval(opened, {}), "states[1]: ");
  expect_refusal(eval(opened, {}), " is open by ");
  expect_refusal(eval(fast, {}), "qd opens ");
  expect_refusal(eval(pushed, {}), "qdd opens ");
  EXPECT_EQ(eval(pushed, {"--only", "M,qdd_fd"}).code, 0);
  EXPECT_EQ(eval(opened, {"--tree"}).code, 0);
}

/// A file: a PUMA 560 whose wrist is coupled, with uneven friction and a counterbalance.
std::string puma_with_everything() {
  RobotDescription robot = load_robot("puma560").description();
  double way = 1;
  std::vector<std::string> joints;
  for (Joint& joint : robot.joints) {
    if (n_v(joint) == 1) joints.push_back(joint.name);
    for (Friction& f : joint.friction) {
      f.offset = way * 0.3, f.coulomb_asymmetry = -way * 0.2 * f.coulomb;
      f.viscous_asymmetry = way * 0.3 * f.viscous;
      way = -way;
    }
  }
  const Friction smooth{.viscous = 1e-4, .coulomb = 0.01, .width = 0.5, .offset = 0.002};
  robot.motors.push_back({"motor_5", {{joints[3], -12}, {joints[4], 70}}, 3e-5, smooth, {}});
  robot.motors.push_back(
      {"motor_6", {{joints[3], 5}, {joints[4], 20}, {joints[5], 76}}, 3e-5, smooth, {}});
  SpringDamper balance;
  balance.name = "balance";
  balance.link_a = robot.root, balance.link_b = robot.find_joint(joints[1])->child;
  balance.point_a = {0, 0, 0.8}, balance.point_b = {0.2, 0.1, 0};
  balance.stiffness = 200, balance.rest_length = 0.1, balance.preload = 40;
  robot.springs.push_back(balance);
  const std::string path = ::testing::TempDir() + "torsor_puma_with_everything.yaml";
  save_robot_file(robot, path);
  return path;
}

std::vector<std::string> names(bool with_loops_only) {
  std::vector<std::string> all;
  for (const BuiltinRobot& robot : builtin_robots()) {
    const std::string name = robot.name == "chain:N" ? "chain:8" : robot.name;
    if (!with_loops_only || has_loops(load_robot(name))) all.push_back(name);
  }
  if (!with_loops_only) all.push_back(puma_with_everything());
  return all;
}
std::string test_name(const ::testing::TestParamInfo<std::string>& robot) {
  std::string name = robot.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(BuiltIn, EveryRobot, ::testing::ValuesIn(names(false)), test_name);
INSTANTIATE_TEST_SUITE_P(BuiltIn, EveryRobotWithLoops, ::testing::ValuesIn(names(true)), test_name);

}  // namespace
}  // namespace torsor
