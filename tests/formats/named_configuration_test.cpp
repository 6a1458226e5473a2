// Named configurations: keyframes of MJCF, and their ways through the other formats.
#include <gtest/gtest.h>

#include <cmath>

#include "torsor/formats/convert.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/robot_format.hpp"
#include "torsor/formats/urdf.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {
namespace {

// The free body stands 1 m up and turned by 90 deg about z; the key moves it to (1, 2, 3), turned by
// 180 deg: in its own axes that is (2, -1, 2) and 90 deg.
constexpr const char* text = R"(<mujoco model="m">
  <compiler angle="radian"/>
  <worldbody>
    <body name="base" pos="0 0 1" quat="0.70710678118654752 0 0 0.70710678118654752">
      <freejoint name="root"/>
      <geom size="0.1"/>
      <body name="arm">
        <joint name="hinge" axis="0 1 0" ref="0.5"/>
        <geom size="0.1" pos="1 0 0"/>
        <body name="hand"><joint name="ball" type="ball"/><geom size="0.1" pos="0 0 1"/></body>
      </body>
    </body>
    <body name="cart"><joint name="slide" type="slide" axis="1 0 0"/><geom size="0.1"/></body>
  </worldbody>
  <keyframe><key name="home" qpos="1 2 3 0 0 0 1 0.25 0.6 0.8 0 0 -0.5"/></keyframe>
</mujoco>)";

const RobotFormat& format(const char* name) {
  for (const RobotFormat& f : robot_formats())
    if (std::string(f.name) == name) return f;
  throw Error("no format");
}

void expect_home(const Model<double>& model) {
  const double h = std::sqrt(0.5);
  const std::vector<double> q = named_configuration(model, "home");
  const double expected[] = {2, -1, 2, 0, 0, h, h, 0.25, 0.8, 0, 0, 0.6, -0.5};
  ASSERT_EQ(q.size(), std::size(expected));
  const double sign = q[6] < 0 ? -1 : 1;  // of the quaternion
  for (std::size_t k = 0; k < q.size(); ++k)
    EXPECT_NEAR(q[k] * (k >= 3 && k < 7 ? sign : 1), expected[k], 1e-14) << k;
}

TEST(named_configuration, key_is_the_configuration_in_the_robots_own_coordinates) {
  expect_home(Model<double>(format("mjcf").read(text, "m.xml", nullptr)));
}

TEST(named_configuration, goes_through_every_format_that_has_words_for_it) {
  const RobotDescription robot = format("mjcf").read(text, "m.xml", nullptr);
  for (const char* name : {"mjcf", "urdf", "robot"}) {
    SCOPED_TRACE(name);
    const Conversion out = format(name).write(robot, "");
    ASSERT_TRUE(out.ok()) << out.message;
    expect_home(Model<double>(format(name).read(out.text, "again", nullptr)));
  }
  const Conversion sdf = format("sdf").write(robot, "");
  bool named = !sdf.ok();
  for (const Finding& loss : sdf.losses) named = named || loss.subject == "named configurations";
  EXPECT_TRUE(named);
}

TEST(named_configuration, surgery_takes_it_along) {
  const Model<double> model(format("mjcf").read(text, "m.xml", nullptr));
  expect_home(renamed(model, "hinge", "elbow"));
  EXPECT_DOUBLE_EQ(named_configuration(scaled(model, 2), "home").back(), -1);
  std::vector<double> q(static_cast<std::size_t>(model.n_q()));
  neutral(model, q);
  EXPECT_EQ(named_configuration(lock_joints(model, {"root", "ball"}, q), "home"),
            (std::vector<double>{0.25, -0.5}));
  EXPECT_EQ(named_configuration(extract(model, "cart"), "home").size(), 0u);
}

TEST(named_configuration, joints_that_are_not_mentioned_are_neutral_and_degrees_are_counted) {
  const Model<double> model(read_robot_file(
      "robot: r\nunit: deg\nbodies: [{name: a}, {name: b, mass: 1}, {name: c, mass: 1}]\n"
      "joints:\n  - {name: j, type: revolute, parent: a, child: b}\n"
      "  - {name: k, type: prismatic, parent: b, child: c}\n"
      "configurations:\n  - {name: up, q: {j: 90}}\n  - {name: out, q: {k: 2}}\n",
      "r.yaml"));
  EXPECT_NEAR(named_configuration(model, "up")[0], std::acos(0.0), 1e-15);
  EXPECT_EQ(named_configuration(model, "out"), (std::vector<double>{0, 2}));
  EXPECT_THROW((void)named_configuration(model, "down"), Error);
}

TEST(named_configuration, wrong_ones_are_refused_with_the_place) {
  const auto refused = [](const std::string& from, const std::string& to, const char* words) {
    std::string wrong = text;
    wrong.replace(wrong.find(from), from.size(), to);
    try {
      (void)Model<double>(format("mjcf").read(wrong, "m.xml", nullptr));
      ADD_FAILURE() << to;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(words), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("m.xml:15"), std::string::npos) << e.what();
    }
  };
  refused("1 2 3 0", "1 2 3", "12");
  refused("0.6 0.8", "0 0", "ball");
  refused("1 2 3", "x 2 3", "x");
}

// "::" stands between a model and its links in SDF: names with it are written without it.
TEST(sdf_names, nested_models_can_be_written_as_sdf_again) {
  const RobotFormat& sdf = format("sdf");
  const RobotDescription robot = sdf.read(R"(<sdf version="1.9"><model name="m">
      <link name="a_b"/>
      <model name="a"><link name="b"/><link name="c"/>
        <joint name="j" type="revolute"><parent>b</parent><child>c</child>
          <axis><xyz>0 0 1</xyz></axis></joint></model>
      <joint name="k" type="prismatic"><parent>a_b</parent><child>a::b</child>
        <axis><xyz>1 0 0</xyz></axis></joint></model></sdf>)",
                                          "m.sdf", nullptr);
  const Conversion out = sdf.write(robot, "");
  ASSERT_TRUE(out.ok()) << out.message;
  const RobotDescription again = sdf.read(out.text, "again.sdf", nullptr);
  EXPECT_EQ(Model<double>(again).n_v(), Model<double>(robot).n_v());
  EXPECT_NE(again.find_link("a_b_1"), nullptr);
  EXPECT_NE(again.find_joint("a_j"), nullptr);
  bool said = false;
  for (const Finding& loss : out.losses) said = said || loss.subject == "\"::\" in names";
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace torsor
