// From a log to the file: coupled motors, offsets and preloads that a file lacks arrive in it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "identification/moved_robot.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/save_edited.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/formats/urdf.hpp"
#include "torsor/identification/identify.hpp"

namespace torsor::testing {
namespace {

/// Three hinges, a motor of the last two, a gas spring.
RobotDescription wrist() {
  RobotDescription robot =
      random_tree(7, 3, {.kinds = {JointKind::revolute}, .chain = true, .fixed_links = false});
  for (Joint& joint : robot.joints) {
    joint.friction = {{.viscous = 0.4, .coulomb = 0.7, .width = 0.1, .offset = -0.3}};
    joint.actuator.clear();
  }
  Motor motor;
  motor.name = "motor_3", motor.ratios = {{"joint_2", 4}, {"joint_3", -5}};
  motor.rotor_inertia = 2e-2;
  motor.friction = {.viscous = 1e-2, .coulomb = 2e-1, .width = 0.5};
  robot.motors = {motor};
  SpringDamper spring;
  spring.name = "gas", spring.link_a = "base", spring.link_b = "link_1";
  spring.point_a = {0, 0, 1}, spring.point_b = {0.3, 0.2, 0};
  spring.stiffness = 20, spring.rest_length = 0.5, spring.damping = 2, spring.preload = 30;
  robot.springs = {spring};
  return robot;
}

TEST(IdentifyWritten, a_file_without_motors_and_offsets_becomes_the_robot_that_moved) {
  const Model<double> truth(wrist());
  RobotDescription bare = wrist();
  bare.motors.clear();
  bare.springs[0].preload = 0, bare.springs[0].stiffness = 10, bare.springs[0].damping = 0;
  for (Joint& joint : bare.joints) joint.friction.clear();
  const auto folder = std::filesystem::temp_directory_path() /
                      ("torsor_identify_written_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  IdentifyOptions options;
  options.estimator = Estimator::ordinary;
  options.filter.cutoff = 20;
  options.bootstrap = 0;
  options.sign_width = 0.1;
  options.choice.spring_dampers = true;
  options.motors.N = Matrix(3, 3);
  options.motors.N(0, 0) = 1, options.motors.N(1, 1) = 4;
  options.motors.N(2, 1) = 4, options.motors.N(2, 2) = -5;
  for (const char* name : {"arm.yaml", "arm.urdf"}) {
    const std::string path = (folder / name).string();
    const bool urdf = path.ends_with("urdf");
    write_text_file_atomically(path, urdf ? write_urdf(bare) : write_robot_file(bare));
    const Model<double> model = load_robot(path);
    const Identification found = identify(model, {moved(truth, {.from_rest = true})}, {}, options);
    const WriteBack back = write_back(model, options, found);
    ASSERT_TRUE(back.ok()) << back.message;
    (void)save_edited(path, back.robot, path);
    const Model<double> made = load_robot(path);
    ASSERT_EQ(made.motors().size(), 1);
    const DofConstants<double>&m = made.motors()[0].constants, &was = truth.motors()[0].constants;
    EXPECT_NEAR(m.viscous, was.viscous, 1e-6);
    EXPECT_NEAR(m.coulomb, was.coulomb, 1e-6);
    EXPECT_NEAR(
        made.description().springs[0].preload - made.description().springs[0].stiffness * 0.5,
        30 - 20 * 0.5, 1e-4);
    DynamicsWorkspace<double> a(truth), b(made);
    Draw<double> draw(3);
    Array<double> q(3), qd(3), qdd(3), wanted(3), tau(3);
    for (int k = 0; k < 20; ++k) {
      for (int j = 0; j < 3; ++j) q[j] = draw(-1, 1), qd[j] = draw(-1, 1), qdd[j] = draw(-2, 2);
      tree_inverse_dynamics<double, double>(truth, a, q, qd, qdd, {}, wanted);
      tree_inverse_dynamics<double, double>(made, b, q, qd, qdd, {}, tau);
      for (int j = 0; j < 3; ++j) EXPECT_NEAR(tau[j], wanted[j], 1e-5) << name;
    }
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace torsor::testing
