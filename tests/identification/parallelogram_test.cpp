// Mechanisms whose loops can be assembled in several ways: what the bars of parallelograms share is regrouped,
// and a log is read in the robot's own mode. The truth are the closed-form angles of the palletiser.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/experiments/log_file.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/identification/base_parameters.hpp"
#include "torsor/identification/constrained_regressor.hpp"
#include "torsor/identification/identify.hpp"

using namespace torsor;

namespace {

/// Angles, velocities or accelerations of all joints of the palletiser: waist, shoulder, elbow, wrist,
/// triangle_pivot, upper_tie_pin, drive, rod_pin, tie_foot.
Array<double> all_joints(double waist, double shoulder, double drive) {
  return {waist, shoulder, drive - shoulder, -drive,  -shoulder,
          drive, drive,    shoulder - drive, shoulder};
}

using Centre = std::array<double, 3>;
struct Driven {
  double q[3], qd[3], qdd[3];
};
/// Three sines that have no common period soon.
Driven motion(double t, const Centre& centre, double size = 0.18) {
  Driven m{};
  for (int k = 0; k < 3; ++k)
    for (int l = 1; l <= 3; ++l) {
      const double w = 0.7 * l + 0.21 * k, a = size / l;
      m.q[k] += (l == 1 ? centre[k] : 0) + a * std::sin(w * t + k);
      m.qd[k] += a * w * std::cos(w * t + k);
      m.qdd[k] -= a * w * w * std::sin(w * t + k);
    }
  return m;
}

RobotDescription with_effects(double viscous, double coulomb, double stiffness) {
  RobotDescription robot = load_robot("palletiser").description();
  for (Joint& joint : robot.joints)
    if (!joint.actuator.empty()) {
      joint.friction.resize(1);
      joint.friction[0].viscous = viscous, joint.friction[0].coulomb = coulomb;
      joint.friction[0].width = 0.1;
    }
  SpringDamper spring;
  spring.name = "balance", spring.link_a = "column", spring.link_b = "upper_arm";
  spring.point_a = {-0.3, 0, 0.5}, spring.point_b = {0.3, 0, 0};
  spring.stiffness = stiffness, spring.rest_length = 0.2;
  robot.springs.push_back(spring);
  return robot;
}

/// A log of the motors alone, as a controller writes it.
class Parallelogram : public ::testing::Test {
 protected:
  std::string written(const Model<double>& robot, const Centre& centre, double size = 0.18) {
    const std::string path =
        (std::filesystem::temp_directory_path() /
         (std::string("parallelogram_") +
          ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv"))
            .string();
    std::ofstream file(path);
    file.precision(15);
    file << "t,q.waist,q.shoulder,q.drive,tau.waist,tau.shoulder,tau.drive\n";
    DynamicsWorkspace<double> ws(robot);
    Array<double> tau(9);
    for (int k = 0; k < 6000; ++k) {
      const Driven m = motion(0.005 * k, centre, size);
      const Array<double> q = all_joints(m.q[0], m.q[1], m.q[2]),
                          qd = all_joints(m.qd[0], m.qd[1], m.qd[2]),
                          qdd = all_joints(m.qdd[0], m.qdd[1], m.qdd[2]);
      EXPECT_TRUE((inverse_dynamics<double, double>(robot, ws, q, qd, qdd, {}, tau)));
      file << 0.005 * k;
      for (const double x : m.q) file << ',' << x;
      for (const int v : {0, 1, 6}) file << ',' << tau[v];
      file << '\n';
    }
    files_.push_back(path);
    return path;
  }
  void TearDown() override {
    for (const std::string& path : files_) std::filesystem::remove(path);
  }
  std::vector<std::string> files_{};
};

}  // namespace

TEST_F(Parallelogram, base_parameters_are_those_of_the_assembly_mode_of_the_robot) {
  const Model<double> robot = load_robot("palletiser");
  const BaseParameters base = base_parameters(robot);
  const ParameterColumns columns(robot, std::vector<std::string>(base.names));
  ConstrainedColumnWorkspace ws(robot, columns, all_joints(0, 0, 0));
  Matrix W(3, columns.size());
  RowFactor rows(columns.size());
  const Centre centre = {0, -0.3, 0.1};
  for (int k = 0; k < 400; ++k) {
    const Driven m = motion(0.37 * k, centre);
    ASSERT_TRUE(constrained_torque_regressor(robot, ws, columns, all_joints(m.q[0], m.q[1], m.q[2]),
                                             all_joints(m.qd[0], m.qd[1], m.qd[2]),
                                             all_joints(m.qdd[0], m.qdd[1], m.qdd[2]), W));
    for (int r = 0; r < 3; ++r) {
      rows.add({&W(r, 0), W.cols()});
      // Y p = Y_kept b, with p of the file.
      const Array<double> p = columns.values(robot), b = base.values(p);
      double all = 0, kept = 0;
      for (int c = 0; c < p.size(); ++c) all += W(r, c) * p[c];
      for (int j = 0; j < base.size(); ++j) kept += W(r, base.kept[j]) * b[j];
      EXPECT_NEAR(kept, all, 1e-8 * (1 + std::abs(all)));
    }
  }
  EXPECT_EQ(base.size(), base_parameters_of(rows, base.names).size());
}

TEST_F(Parallelogram, joints_of_a_log_are_of_the_mode_of_the_robot_wherever_it_begins) {
  const Model<double> robot = load_robot("palletiser");
  for (const Centre centre : {Centre{0, 0.5, -0.6}, Centre{1, 0.6, 0.6}, Centre{0, -1.3, -0.9}}) {
    const LoadedLogs loaded = load_logs({written(robot, centre, 0.06)}, robot);
    const MotionLog& log = loaded.logs[0];
    for (int k = 0; k < log.size(); k += 500) {
      const Array<double> q = all_joints(log.q(k, 0), log.q(k, 1), log.q(k, 6));
      for (int j = 0; j < q.size(); ++j) EXPECT_NEAR(log.q(k, j), q[j], 1e-8);
    }
  }
}

TEST_F(Parallelogram, friction_and_counterbalance_are_found_under_the_names_of_what_is_driven) {
  const Model<double> truth(with_effects(20, 15, 3000));
  const Model<double> guess(with_effects(3, 2, 1000));
  const Centre centre = {0, -0.3, 0.1};
  IdentifyOptions options;
  options.estimator = Estimator::weighted;
  options.filter.cutoff = 20;
  options.choice.spring_dampers = true;
  options.bootstrap = 0;
  const LoadedLogs loaded = load_logs({written(truth, centre)}, guess);
  const Identification found = identify(guess, loaded.logs, {}, options);
  EXPECT_LT(found.train.all, 0.01);
  int seen = 0;
  for (const IdentifiedParameter& p : found.parameters) {
    EXPECT_NE(p.name, "rotor.elbow");  // nothing drives it
    for (const char* joint : {"waist", "shoulder", "drive"}) {
      const bool viscous = p.name == std::string(joint) + ".viscous";
      if (!viscous && p.name != std::string(joint) + ".coulomb") continue;
      ++seen;
      EXPECT_NEAR(p.value, viscous ? 20 : 15, 0.01) << p.name;
    }
  }
  EXPECT_EQ(seen, 6);
}
