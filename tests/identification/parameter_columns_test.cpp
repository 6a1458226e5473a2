#include "torsor/identification/parameter_columns.hpp"

#include <gtest/gtest.h>

#include "support/refusal.hpp"
#include "support/sprung_tree.hpp"

namespace torsor {
namespace {

using Names = Array<std::string>;

/// A base, an arm on a hinge with a tool fixed to it, a slider, a ball joint.
RobotDescription robot() {
  RobotDescription r;
  r.name = "sample";
  r.root = "base";
  const Inertial some{2, {0.1, 0.2, 0.3}, {0.1, 0.01, 0.2, 0.02, 0.03, 0.25}};
  for (const char* name : {"base", "plate", "arm", "tool", "slide", "ball"})
    r.links.push_back({name, some, true, {}, {}});
  const auto join = [&](const char* name, JointKind kind, const char* parent, const char* child) {
    Joint j;
    j.name = name, j.kind = kind, j.parent = parent, j.child = child;
    j.placement.p = {0.3, 0, 0.1};
    r.joints.push_back(j);
  };
  join("bolts", JointKind::fixed, "base", "plate");
  join("elbow", JointKind::revolute, "plate", "arm");
  join("flange", JointKind::fixed, "arm", "tool");
  join("rail", JointKind::prismatic, "tool", "slide");
  join("socket", JointKind::spherical, "slide", "ball");
  r.joints[1].friction = {{0.5, 0.25, 2, 3, 0.1, 0}};
  r.joints[1].actuator = {{1e-4, 100, 0, 0, 0}};
  r.joints[1].spring = {{7, 0.5}};
  r.springs.push_back({"strut", "base", "arm", {}, {0, 0, 1}, 300, 0.5, 20, {}, -40});
  return r;
}

/// The same with a motor of two joints.
RobotDescription driven() {
  RobotDescription r = robot();
  Motor both;
  both.name = "both", both.ratios = {{"elbow", 1}, {"rail", 2}}, both.rotor_inertia = 0.03;
  both.friction = {.viscous = 0.5,
                   .damping = 0.25,
                   .coulomb = 2,
                   .stiction = 3,
                   .stribeck = 0.1,
                   .offset = -1,
                   .viscous_asymmetry = 0.125,
                   .coulomb_asymmetry = -0.5};
  r.motors = {both};
  return r;
}

Names names_of(const Model<double>& model, const std::vector<std::string>& asked) {
  return ParameterColumns(model, asked).names();
}
Names ten(const std::string& link) {
  Names all;
  for (const char* word : internal::parameter_words) all.push_back(link + "." + word);
  return all;
}
std::string refusal(const Model<double>& model, const std::vector<std::string>& asked) {
  return testing::refusal([&] { return ParameterColumns(model, asked); });
}

TEST(ParameterColumns, of_a_choice_are_bodies_then_rotors_then_friction_joint_by_joint) {
  const Model<double> model(robot());
  const ParameterColumns columns(model);
  EXPECT_EQ(columns.size(), 3 * 10 + 5 + 5 * 3);
  EXPECT_EQ(columns.name(0), "arm.m");
  EXPECT_EQ(columns.name(29), "ball.zz");
  EXPECT_EQ(columns.name(30), "rotor.elbow");
  EXPECT_EQ(columns.name(33), "rotor.socket.1");
  EXPECT_EQ(columns.name(35), "elbow.viscous");
  EXPECT_EQ(columns.name(36), "elbow.coulomb");
  EXPECT_EQ(columns.name(37), "elbow.offset");
  EXPECT_EQ(columns.find("socket.2.offset"), 49);
  EXPECT_EQ(columns.find("tool.m"), -1);
  const ParameterColumns all(model, testing::every_column);
  EXPECT_EQ(all.size(),
            3 * 10 + 5 + 5 * 5 + 2 + 1 + 2 + 3);  // two loads, one stiction, two springs
  EXPECT_TRUE(all.has_load());
  EXPECT_FALSE(columns.has_load());
  EXPECT_EQ(ParameterColumns(model, ColumnChoice{.inertial = false, .rotors = false}).name(0),
            "elbow.viscous");
}

TEST(ParameterColumns, names_stand_for_columns_and_groups) {
  const Model<double> model(robot());
  EXPECT_EQ(names_of(model, {"arm"}), ten("arm"));
  EXPECT_EQ(names_of(model, {"link.tool"}), ten("tool"));
  EXPECT_EQ(names_of(model, {"link.tool.mx", "arm.zz"}), (Names{"tool.mx", "arm.zz"}));
  EXPECT_EQ(names_of(model, {"friction.elbow"}),
            (Names{"elbow.viscous", "elbow.coulomb", "elbow.stiction", "elbow.offset"}));
  EXPECT_EQ(names_of(model, {"friction.rail"}),
            (Names{"rail.viscous", "rail.coulomb", "rail.offset"}));
  EXPECT_EQ(names_of(model, {"friction.elbow.load"}), (Names{"elbow.load"}));
  EXPECT_EQ(names_of(model, {"socket.coulomb"}),
            (Names{"socket.0.coulomb", "socket.1.coulomb", "socket.2.coulomb"}));
  EXPECT_EQ(names_of(model, {"rotor.socket"}),
            (Names{"rotor.socket.0", "rotor.socket.1", "rotor.socket.2"}));
  EXPECT_EQ(names_of(model, {"rotor"}).size(), 5);
  EXPECT_EQ(names_of(model, {"friction"}).size(), 16);
  EXPECT_EQ(names_of(model, {"spring"}),
            (Names{"spring.elbow.stiffness", "spring.rail.stiffness"}));
  EXPECT_EQ(names_of(model, {"spring.elbow"}), (Names{"spring.elbow.stiffness"}));
  EXPECT_EQ(names_of(model, {"spring_damper.strut"}),
            (Names{"spring_damper.strut.stiffness", "spring_damper.strut.preload",
                   "spring_damper.strut.damping"}));
  EXPECT_TRUE(names_of(model, {}).empty());
}

TEST(ParameterColumns, say_their_units) {
  const Model<double> model(driven());
  const ParameterColumns c(model, testing::every_column);
  const auto unit = [&](const char* name) { return c.unit(c.find(name)); };
  EXPECT_EQ(unit("arm.m"), "kg");
  EXPECT_EQ(unit("arm.mz"), "kg m");
  EXPECT_EQ(unit("arm.xy"), "kg m^2");
  EXPECT_EQ(unit("rotor.elbow"), "kg m^2");
  EXPECT_EQ(unit("rotor.rail"), "kg");
  EXPECT_EQ(unit("elbow.viscous_asymmetry"), "N m s/rad");
  EXPECT_EQ(unit("rail.viscous"), "N s/m");
  EXPECT_EQ(unit("rail.coulomb"), "N");
  EXPECT_EQ(unit("elbow.load"), "1");
  EXPECT_EQ(unit("spring.rail.stiffness"), "N/m");
  EXPECT_EQ(unit("spring_damper.strut.preload"), "N");
  EXPECT_EQ(unit("motor.both.rotor"), "kg m^2");
  EXPECT_EQ(unit("motor.both.viscous_asymmetry"), "N m s/rad");
}

TEST(ParameterColumns, values_are_the_models_own) {
  const Model<double> model(robot());
  const ParameterColumns c(model, testing::every_column);
  const Array<double> x = c.values(model);
  const auto value = [&](const char* name) { return x[c.find(name)]; };
  EXPECT_DOUBLE_EQ(value("rotor.elbow"), 1);       // 1e-4 of 100 turns
  EXPECT_DOUBLE_EQ(value("elbow.viscous"), 0.75);  // with damping
  EXPECT_DOUBLE_EQ(value("elbow.coulomb"), 2);
  EXPECT_DOUBLE_EQ(value("elbow.stiction"), 3);
  EXPECT_DOUBLE_EQ(value("spring.elbow.stiffness"), 7);
  EXPECT_DOUBLE_EQ(value("spring_damper.strut.stiffness"), 300);
  EXPECT_DOUBLE_EQ(value("spring_damper.strut.damping"), 20);
  EXPECT_DOUBLE_EQ(value("spring_damper.strut.preload"), -40);
  const std::vector<double> ten_each = parameters(model);
  for (int k = 0; k < 30; ++k) EXPECT_EQ(x[k], ten_each[static_cast<std::size_t>(k)]);
  // With columns of its own the tool is taken out of the arm.
  const ParameterColumns both(model, {"arm.m", "arm.mx", "tool.m", "tool.mx"});
  const Array<double> y = both.values(model);
  EXPECT_DOUBLE_EQ(y[0], 2);
  EXPECT_DOUBLE_EQ(y[1], 2 * 0.1);
  EXPECT_DOUBLE_EQ(y[2], 2);
  EXPECT_DOUBLE_EQ(y[3], 2 * 0.1);
  // Of the tool's mass alone, its moments stay with the arm: 2 kg at the flange's 0.3 m go.
  const ParameterColumns mass(model, {"tool.m", "arm.mx"});
  EXPECT_NEAR(mass.values(model)[1], ten_each[1] - 2 * 0.3, 1e-15);
}

TEST(ParameterColumns, of_motors_are_their_rotor_and_all_of_their_friction) {
  const Model<double> model(driven());
  EXPECT_EQ(names_of(model, {"motor.both"}),
            (Names{"motor.both.rotor", "motor.both.viscous", "motor.both.coulomb",
                   "motor.both.stiction", "motor.both.offset"}));
  const ParameterColumns c(model, testing::every_column);
  const Array<double> x = c.values(model);
  const auto value = [&](const char* word) { return x[c.find(std::string("motor.both.") + word)]; };
  EXPECT_DOUBLE_EQ(value("rotor"), 0.03);
  EXPECT_DOUBLE_EQ(value("viscous"), 0.75);
  EXPECT_DOUBLE_EQ(value("coulomb"), 2);
  EXPECT_DOUBLE_EQ(value("stiction"), 3);
  EXPECT_DOUBLE_EQ(value("offset"), -1);
  EXPECT_DOUBLE_EQ(value("viscous_asymmetry"), 0.125);
  EXPECT_DOUBLE_EQ(value("coulomb_asymmetry"), -0.5);
  EXPECT_EQ(c.find("motor.both.load"), -1);
  EXPECT_EQ(ParameterColumns(model).size() - ParameterColumns(Model<double>(robot())).size(), 4);
  ColumnChoice none = testing::every_column;
  none.motors = false;
  EXPECT_EQ(ParameterColumns(model, none).size(),
            ParameterColumns(Model<double>(robot()), testing::every_column).size());
}

TEST(ParameterColumns, refuse_what_is_no_column_with_the_nearest_name) {
  const Model<double> model(robot());
  const auto says = [&](const char* name, const std::string& words) {
    EXPECT_NE(refusal(model, {name}).find(words), std::string::npos) << refusal(model, {name});
  };
  says("arn.m", "did you mean \"arm.m\"");
  says("elbow.viscus", "did you mean \"elbow.viscous\"");
  says("motor.left.rotor", "no column of robot \"sample\"");
  says("base.m", "fixed to the world");
  says("plate", "fixed to the world");
  says("arm.mass", "not linear");
  says("elbow.stribeck", "not linear");
  says("elbow.width", "not linear");
  says("spring.elbow.rest", "not linear");
  says("spring_damper.strut.rest_length", "not linear");
  says("dh", "no");
  says("q.elbow", "not linear");
  says("elbow.damping", "\"elbow.viscous\"");
  says("spring.socket", "no column");
  EXPECT_NE(refusal(model, {"arm", "arm.zz"}).find("\"arm.zz\": is said twice"), std::string::npos);
  EXPECT_NE(refusal(model, {"motor"}), "accepted");
  for (const char* bad : {"", ".", "arm.", ".m", "arm..m", "arm.m\n"})
    EXPECT_EQ(refusal(model, {bad}).find_first_of("\n"), std::string::npos) << bad;
  for (const char* bad : {"", ".", "arm.", ".m", "arm..m", "arm.m\n"})
    EXPECT_NE(refusal(model, {bad}), "accepted") << bad;
}

}  // namespace
}  // namespace torsor
