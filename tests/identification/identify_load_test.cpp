// Friction of the load from logs: found with everything else, written, and known beforehand.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "identification/identified_robot.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/save_edited.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/formats/urdf.hpp"

namespace torsor::testing {
namespace {

RobotDescription worm_geared(unsigned seed) {
  RobotDescription robot = tree(seed, 3, {JointKind::revolute});
  Draw<double> draw(seed + 9);
  for (Joint& joint : robot.joints)
    for (Friction& f : joint.friction) f.load = draw(0.05, 0.35);
  return robot;
}
/// What a file knows of it: nothing.
Model<double> without_load(RobotDescription robot, double factor = 1.3) {
  for (Joint& joint : robot.joints)
    for (Friction& f : joint.friction) f.load = 0;
  return guess(std::move(robot), factor);
}
IdentifyOptions with_load(Estimator estimator = Estimator::ordinary) {
  IdentifyOptions options = exact(estimator);
  options.choice.load = true;
  return options;
}
/// Between two robots, relative, along a log.
double torque_difference(const Model<double>& a, const Model<double>& b, const MotionLog& log) {
  DynamicsWorkspace<double> of_a(a), of_b(b);
  const int n = a.n_v();
  Array<double> q(n), qd(n), qdd(n), tau_a(n), tau_b(n);
  double worst = 0, most = 0;
  Draw<double> draw(3);
  for (int i = 0; i < log.size(); i += 50) {
    for (int k = 0; k < n; ++k) q[k] = log.q(i, k), qd[k] = log.qd(i, k), qdd[k] = draw(-3, 3);
    tree_inverse_dynamics<double, double>(a, of_a, q, qd, qdd, {}, tau_a);
    tree_inverse_dynamics<double, double>(b, of_b, q, qd, qdd, {}, tau_b);
    for (int k = 0; k < n; ++k) {
      worst = std::max(worst, std::abs(tau_a[k] - tau_b[k]));
      most = std::max(most, std::abs(tau_a[k]));
    }
  }
  return worst / most;
}

TEST(IdentifyLoad, noiseless_logs_give_its_share_beside_bodies_rotors_and_friction) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const Model<double> truth(worm_geared(seed));
    const MotionLog log = moved(truth, {.seed = seed, .from_rest = true});
    for (const Estimator estimator : {Estimator::ordinary, Estimator::weighted}) {
      const IdentifyOptions options = with_load(estimator);
      const Model<double> start = without_load(worm_geared(seed));
      const Identification found = identify(start, {log}, {}, options);
      for (int v = 0; v < truth.n_v(); ++v)
        EXPECT_NEAR(parameter(found, truth.dof_name(v) + ".load").value, truth.dof(v).load, 1e-8)
            << seed << name_of(estimator);
      EXPECT_LT(worst_error(found, truth, options), 1e-8) << seed << name_of(estimator);
      EXPECT_LT(found.train.all, 1e-6);
      const WriteBack back = write_back(start, options, found, {.inconsistent = true});
      ASSERT_TRUE(back.ok()) << back.message;
      EXPECT_LT(torque_difference(truth, Model<double>(back.robot), log), 1e-9) << seed;
    }
  }
}

TEST(IdentifyLoad, that_the_file_knows_is_neither_forgotten_nor_estimated) {
  const RobotDescription robot = worm_geared(2);
  const Model<double> truth(robot);
  const MotionLog log = moved(truth, {.seed = 2, .from_rest = true});
  RobotDescription heavier = robot;
  for (Link& link : heavier.links) link.inertial.mass *= 1.4;
  IdentifyOptions options = with_load();
  options.choice.load = false;
  const Identification found = identify(Model<double>(heavier), {log}, {}, options);
  EXPECT_LT(worst_error(found, truth, options), 1e-8);
}

TEST(IdentifyLoad, goes_into_the_robots_own_file) {
  const Model<double> truth(worm_geared(3));
  const auto folder = std::filesystem::temp_directory_path() /
                      ("torsor_identify_load_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const RobotDescription bare = without_load(worm_geared(3), 1.1).description();
  const MotionLog log = moved(truth, {.from_rest = true});
  for (const char* name : {"arm.yaml", "arm.urdf"}) {
    const std::string path = (folder / name).string();
    write_text_file_atomically(path,
                               path.ends_with("urdf") ? write_urdf(bare) : write_robot_file(bare));
    const Model<double> model = load_robot(path);
    const IdentifyOptions options = with_load(Estimator::weighted);
    const WriteBack back =
        write_back(model, options, identify(model, {log}, {}, options), {.inconsistent = true});
    ASSERT_TRUE(back.ok()) << back.message;
    ASSERT_TRUE(back.described);
    (void)save_edited(path, back.robot, path);
    const Model<double> made = load_robot(path);
    for (int v = 0; v < made.n_v(); ++v)
      EXPECT_NEAR(made.dof(v).load, truth.dof(v).load, 1e-8) << name;
    EXPECT_LT(torque_difference(truth, made, log), 1e-9) << name;
  }
  std::filesystem::remove_all(folder);
}

TEST(IdentifyLoad, of_estimators_that_are_not_linear_is_refused_impossible_shares_too) {
  const Model<double> model(worm_geared(1));
  for (const Estimator estimator : {Estimator::power, Estimator::output_error, Estimator::didim}) {
    IdentifyOptions options = exact(estimator);
    options.choice.load = true;
    EXPECT_THROW(identify(model, {moved(model)}, {}, options), Error) << name_of(estimator);
  }
  for (const double load : {-0.01, 1.0}) {
    const WriteBack back = write_back(model, ParameterValues{{"joint_1.load"}, {load}});
    EXPECT_FALSE(back.ok());
    EXPECT_NE(back.message.find("joint_1"), std::string::npos) << back.message;
  }
  const WriteBack back = write_back(model, ParameterValues{{"joint_1.load"}, {0.2}});
  ASSERT_TRUE(back.ok()) << back.message;
  EXPECT_EQ(Model<double>(back.robot).dof(0).load, 0.2);
}

}  // namespace
}  // namespace torsor::testing
