#include "torsor/dynamics/singular_mass.hpp"

#include <gtest/gtest.h>

#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/model/internal/chain_robot.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor::testing {
namespace {

/// A chain whose outer links, from number `first` on, have no mass.
Model<double> with_massless_end(int n, int first) {
  RobotDescription robot = internal::chain_robot(n);
  for (std::size_t k = 0; k < robot.links.size(); ++k)
    if (static_cast<int>(k) >= first) robot.links[k].inertial = {};
  return Model<double>(robot);
}

TEST(SingularMass, the_joints_that_move_no_mass_are_named) {
  const Model<double> model = with_massless_end(4, 4);  // link 0 is the base
  const Array<double> q(4, 0.3);
  const std::string line = singular_mass_message(model, q);
  EXPECT_NE(line.find("joint \"" + model.joint_name(4) + "\" moves no mass"), std::string::npos)
      << line;
  EXPECT_EQ(line.find(model.joint_name(3)), std::string::npos) << line;
  EXPECT_EQ(line.find('\n'), std::string::npos);
}
TEST(SingularMass, many_joints_are_three_names_and_a_number) {
  const Model<double> model = with_massless_end(8, 4);
  const std::string line = singular_mass_message(model, Array<double>(8, 0.3));
  EXPECT_NE(line.find("joints \"" + model.joint_name(4) + "\", \"" + model.joint_name(5) +
                      "\", \"" + model.joint_name(6) + "\" and 2 more move no mass"),
            std::string::npos)
      << line;
}
TEST(SingularMass, nothing_is_said_of_a_regular_robot_or_of_joints_that_are_led) {
  EXPECT_EQ(singular_mass_message(with_massless_end(4, 9), Array<double>(4, 0.3)), "");
  const Model<double> model = with_massless_end(4, 4);
  Array<char> prescribed(model.n_bodies());
  prescribed[4] = 1;
  EXPECT_EQ(singular_mass_message(model, Array<double>(4, 0.3), prescribed), "");
}
TEST(SingularMass, it_speaks_where_forward_dynamics_has_no_answer) {
  const Model<double> model = with_massless_end(4, 4);
  DynamicsWorkspace<double> ws(model);
  const Array<double> q(4, 0.3), zero(4);
  Array<double> qdd(4);
  EXPECT_FALSE(forward_dynamics(model, ws, q, zero, zero, {}, qdd).regular);
  EXPECT_NE(singular_mass_message(model, q), "");
}

}  // namespace
}  // namespace torsor::testing
