#include "torsor/model/parameter_name.hpp"

#include <gtest/gtest.h>

#include "torsor/formats/load_robot.hpp"
#include "torsor/model/builder.hpp"

namespace torsor {
namespace {

std::vector<std::string> names(const std::vector<Parameter>& list) {
  std::vector<std::string> text;
  for (const Parameter& p : list) text.push_back(p.name);
  return text;
}
using Names = std::vector<std::string>;

/// A screw, a ball and a plate, springs of both sorts, a payload on a fixed joint.
Model<double> workbench() {
  ModelBuilder b("bench");
  b.helical("lead", "base", "nut", 0.01).friction({.viscous = 1}).spring(5, 0.1).rotor(1e-3, 10);
  b.spherical("ball", "nut", "arm", {.p = {0.3, 0, 0}});
  b.planar("slide", "arm", "plate");
  b.fixed("grip", "plate", "payload");
  for (const char* link : {"nut", "arm", "plate", "payload"})
    b.inertia(link, 1, {0.1, 0, 0}, {0.01, 0, 0.02, 0, 0, 0.02});
  b.frame("tcp", "payload", {.p = {0, 0, 0.2}});
  SpringDamper spring;
  spring.name = "bungee", spring.link_b = "arm", spring.stiffness = 3;
  b.spring_damper(spring);
  return b.build();
}

void expect_refused(const Model<double>& model, const std::string& name, const std::string& what) {
  try {
    (void)parse_parameters(model, name);
    FAIL() << name << " was taken";
  } catch (const Error& refused) {
    const std::string text = refused.what();
    EXPECT_NE(text.find(what), std::string::npos) << name << ": " << text;
    EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  }
}

TEST(ParameterName, a_name_reads_back_as_itself) {
  const Model<double> model = workbench();
  for (const char* name : {"q.lead",
                           "q.ball.2",
                           "qd.slide.0",
                           "qdd.lead",
                           "tau.ball.0",
                           "arm.mass",
                           "payload.com_x",
                           "plate.principal_3",
                           "nut.density",
                           "arm.m",
                           "arm.mx",
                           "arm.zz",
                           "placement.ball.rx",
                           "placement.grip.z",
                           "axis.lead.y",
                           "axis.slide.x",
                           "pitch.lead",
                           "gravity.z",
                           "wrench.tcp.fx",
                           "tool.tcp.ry",
                           "point.payload.z",
                           "lead.viscous",
                           "ball.1.coulomb",
                           "rotor.lead",
                           "gear.lead",
                           "motor_viscous.lead",
                           "disturbance.ball.2",
                           "spring.lead.stiffness",
                           "spring.lead.rest",
                           "spring_damper.bungee.damping",
                           "spring_damper.bungee.b_z"})
    EXPECT_EQ(names(parse_parameter(model, name)), Names{name});
}

TEST(ParameterName, a_name_without_its_last_word_stands_for_all) {
  const Model<double> model = workbench();
  EXPECT_EQ(names(parse_parameter(model, "q.ball")), (Names{"q.ball.0", "q.ball.1", "q.ball.2"}));
  EXPECT_EQ(parse_parameter(model, "qd").size(), 7u);
  EXPECT_EQ(parse_parameter(model, "link.arm").size(), 10u);
  EXPECT_EQ(names(parse_parameter(model, "arm")), names(parse_parameter(model, "link.arm")));
  EXPECT_EQ(names(parse_parameter(model, "gravity")),
            (Names{"gravity.x", "gravity.y", "gravity.z"}));
  EXPECT_EQ(parse_parameter(model, "placement.grip").size(), 6u);
  EXPECT_EQ(parse_parameter(model, "wrench.tcp").size(), 6u);
  EXPECT_EQ(parse_parameter(model, "spring_damper.bungee").size(), 10u);
  // Stiction is not a parameter where it follows Coulomb's.
  EXPECT_EQ(
      names(parse_parameter(model, "friction.lead")),
      (Names{"lead.viscous", "lead.damping", "lead.coulomb", "lead.stribeck", "lead.width",
             "lead.offset", "lead.viscous_asymmetry", "lead.coulomb_asymmetry", "lead.load"}));
  EXPECT_EQ(names(parse_parameters(model, "pitch.lead, link.arm.mass,gravity.x")),
            (Names{"pitch.lead", "arm.mass", "gravity.x"}));
  EXPECT_EQ(names(parse_parameter(model, "spring")),
            (Names{"spring.lead.stiffness", "spring.lead.rest", "spring.slide.0.stiffness",
                   "spring.slide.0.rest"}));
}

TEST(ParameterName, rows_of_tables_by_number_and_by_joint) {
  const Model<double> puma = load_robot("puma560");
  EXPECT_EQ(names(parse_parameter(puma, "dh.3.a")), Names{"dh.3.a"});
  EXPECT_EQ(names(parse_parameter(puma, "mdh." + puma.joint_name(2) + ".alpha")),
            Names{"mdh.2.alpha"});
  EXPECT_EQ(parse_parameter(puma, "dh.2").size(), 4u);
  EXPECT_EQ(parse_parameter(puma, "mdh").size(), 24u);
  expect_refused(puma, "dh.7.a", "rows are 1 to 6");
  expect_refused(puma, "dh.0.a", "no DH row 0");
  expect_refused(puma, "dh.1e300.a", "neither a number nor a joint");
  expect_refused(puma, "dh.2.5.a", "neither a number nor a joint");
  expect_refused(puma, "dh.3.b", "no \"b\"");
  expect_refused(puma, "dh.3.alpa", "did you mean \"alpha\"?");
}

TEST(ParameterName, mistakes_are_one_line_with_the_nearest_name) {
  const Model<double> model = workbench();
  expect_refused(model, "", "a name is missing");
  expect_refused(model, "q,,qd", "a name is missing");
  expect_refused(model, "masss", "is not known");
  expect_refused(model, "dh:3:a", "write dh.3.a");
  expect_refused(model, "q:joint_1", "write q.joint_1");
  expect_refused(model, "gravty.z", "did you mean \"gravity\"?");
  expect_refused(model, "gravity.w", "no \"w\"");
  expect_refused(model, "q.leed", "did you mean \"lead\"?");
  expect_refused(model, "q.ball.3", "no joint \"ball.3\"");
  expect_refused(model, "q.", "nothing after the dot");
  expect_refused(model, "arm.mas", "did you mean \"mass\"?");
  expect_refused(model, "am.mass", "did you mean \"arm\"?");
  expect_refused(model, "link.am.mass", "did you mean \"arm\"?");
  expect_refused(model, "link", "has no LINK");
  expect_refused(model, "placement", "has no JOINT");
  expect_refused(model, "placement.ball.rw", "no \"rw\"");
  expect_refused(model, "placement.bal.rx", "did you mean \"ball\"?");
  expect_refused(model, "pitch.ball", "is spherical and has no pitch");
  expect_refused(model, "axis.ball.x", "is spherical and has no axis");
  expect_refused(model, "wrench.tcpp.fx", "did you mean \"tcp\"?");
  expect_refused(model, "lead.stiction", "has none of its own");
  expect_refused(model, "spring.ball.0.rest", "no coordinate's rate");
  expect_refused(model, "spring_damper.bunge.damping", "did you mean \"bungee\"?");
  expect_refused(model, "dh.1.a", "DH table");
  expect_refused(model, "axis.lead.x\n", "no \"x\\n\"");
}

TEST(ParameterName, names_with_dots_mean_the_longest_element) {
  ModelBuilder b("r");
  b.revolute("a", "base", "l");
  b.revolute("a.x", "l", "l.m");
  b.inertia("l", 1, {0.1, 0, 0}).inertia("l.m", 2, {0.1, 0, 0});
  const Model<double> model = b.build();
  EXPECT_EQ(names(parse_parameter(model, "placement.a.x")).front(), "placement.a.x.rx");
  EXPECT_EQ(names(parse_parameter(model, "placement.a.y")), Names{"placement.a.y"});
  EXPECT_EQ(names(parse_parameter(model, "placement.a.x.x")), Names{"placement.a.x.x"});
  EXPECT_EQ(names(parse_parameter(model, "l.m")).front(), "l.m.m");  // the link, not l's mass
  EXPECT_EQ(names(parse_parameter(model, "l.m.mass")), Names{"l.m.mass"});
  EXPECT_EQ(names(parse_parameter(model, "a.x.viscous")), Names{"a.x.viscous"});
  EXPECT_EQ(names(parse_parameter(model, "link.l.mx")), Names{"l.mx"});
}

TEST(ParameterName, a_link_may_have_the_name_of_a_kind) {
  ModelBuilder b("r");
  b.revolute("j", "base", "gravity");
  b.inertia("gravity", 1, {0.1, 0, 0});
  const Model<double> model = b.build();
  EXPECT_EQ(parse_parameter(model, "link.gravity.mass").front().changes.front().what,
            Change::Of::inertia);
  EXPECT_EQ(parse_parameter(model, "gravity.x").front().changes.front().what, Change::Of::gravity);
}

}  // namespace
}  // namespace torsor
