// <attach> of MJCF: the same robot as the one that is written out.
#include <gtest/gtest.h>

#include "formats/same_motion.hpp"
#include "house/process.hpp"
#include "torsor/formats/load_robot.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

/// In radians and with classes of its own; what is not in "arm" is no part of it.
constexpr const char* part = R"(<mujoco model="part">
  <compiler angle="radian"/>
  <default><joint damping="0.3"/><default class="heavy"><geom density="4000"/></default></default>
  <worldbody>
    <body name="stand"><joint name="sway"/><geom size="0.3"/></body>
    <body name="arm" pos="0 0 0.2" euler="0 0.3 0" childclass="heavy">
      <joint name="shoulder" axis="0 1 0" range="-1 1"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.05"/>
      <body name="hand" pos="0.4 0 0">
        <joint name="wrist" axis="0 0 1" ref="0.2"/>
        <geom type="box" size="0.05 0.03 0.02"/>
        <site name="tip" pos="0.1 0 0"/>
      </body>
    </body>
    <frame name="corner" pos="1 0 0" euler="0 0 0.5">
      <body name="post"><joint name="slide" type="slide"/><geom size="0.1"/></body>
      <site name="mark"/>
    </frame>
  </worldbody>
  <equality><joint joint1="shoulder" joint2="wrist" polycoef="0.1 2 0 0 0"/>
            <joint joint1="sway" joint2="wrist"/></equality>
  <actuator><motor name="m" joint="wrist" ctrlrange="-7 7" ctrllimited="true"/></actuator>
  <keyframe><key qpos="0 0 0 0"/></keyframe>
</mujoco>)";

class MjcfAttach : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) { write_text(path(name), text); }
  /// With the model "p" of part.xml.
  RobotDescription robot(const std::string& world, const std::string& rest = "",
                         Findings* findings = nullptr) {
    std::filesystem::create_directory(folder_.path() / "lib");
    write("lib/part.xml", part);
    return robot_format("mjcf").read(
        "<mujoco>\n<asset><model name=\"p\" file=\"lib/part.xml\"/>"
        "</asset><worldbody>\n" +
            world + "\n</worldbody>" + rest + "</mujoco>",
        path("r.xml"), findings);
  }
  std::string refusal(const std::string& world) {
    try {
      (void)robot(world);
    } catch (const Error& error) {
      const std::string said = error.what();
      return said.substr(said.rfind("xml:") + 4);
    }
    return "no error";
  }
  /// The arm written out, its angles in degrees, in a place.
  static std::string arm(const std::string& place, const std::string& prefix) {
    const auto n = [&](const char* name) { return "name=\"" + prefix + name + "\""; };
    return "<frame " + place + "><body " + n("arm") +
           R"( pos="0 0 0.2" euler="0 17.188733853924695 0">
      <joint )" +
           n("shoulder") + R"( axis="0 1 0" damping="0.3" range="-57.295779513082 57.295779513082"/>
      <geom type="capsule" fromto="0 0 0 0.4 0 0" size="0.05" density="4000"/><body )" +
           n("hand") + R"( pos="0.4 0 0"><joint )" + n("wrist") +
           R"( axis="0 0 1" ref="11.459155902616466" damping="0.3"/>
      <geom type="box" size="0.05 0.03 0.02" density="4000"/><site )" +
           n("tip") + R"( pos="0.1 0 0"/></body></body></frame>)";
  }

 private:
  ScratchFolder folder_;
};

TEST_F(MjcfAttach, a_body_is_the_one_that_is_written_out) {
  Findings found;
  const std::string before =
      "<body name=\"car\" pos=\"0 0 1\"><joint name=\"x\" type=\"slide\"/>"
      "<geom size=\"0.2\"/>";
  const RobotDescription attached =
      robot(before +
                "<frame pos=\"0.1 0 0\" euler=\"0 0 90\">"
                "<attach model=\"p\" body=\"arm\" prefix=\"left_\"/></frame></body>",
            "<equality><weld body1=\"left_hand\"/></equality>", &found);
  const RobotDescription written =
      robot(before + arm("pos=\"0.1 0 0\" euler=\"0 0 90\"", "left_") + "</body>");
  expect_same_motion(attached, written, 1e-12);
  EXPECT_NE(attached.find_joint("left_wrist"), nullptr);
  EXPECT_EQ(attached.find_joint("sway"), nullptr);
  EXPECT_NEAR(attached.find_joint("left_shoulder")->limits[0].upper, 1, 1e-12);
  EXPECT_EQ(attached.find_joint("left_wrist")->limits[0].effort, 7);
  ASSERT_EQ(attached.couplings.size(), 1u);  // of the two, that which is whole
  EXPECT_EQ(attached.couplings[0].terms[1].joint, "left_wrist");
  ASSERT_EQ(attached.loops.size(), 1u);
  EXPECT_EQ(attached.loops[0].link_a, "left_hand");
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const Finding& f) {
    return f.subject.find("refer to what is not attached") != std::string::npos;
  }));
}

TEST_F(MjcfAttach, again_and_again_under_other_names) {
  const RobotDescription attached = robot(
      "<attach model=\"p\" body=\"arm\" prefix=\"a_\"/>"
      "<replicate count=\"2\" offset=\"0 1 0\" sep=\"-\">"
      "<attach model=\"p\" body=\"arm\" prefix=\"b_\"/></replicate>");
  const RobotDescription written =
      robot(arm("", "a_") + arm("", "b_0") + arm("pos=\"0 1 0\"", "b_1"));
  expect_same_motion(attached, written, 1e-12);
  EXPECT_NE(attached.find_link("b_hand-1"), nullptr);
}

TEST_F(MjcfAttach, a_frame_and_the_whole_world) {
  const RobotDescription frame = robot("<attach model=\"p\" frame=\"corner\" prefix=\"f_\"/>");
  EXPECT_EQ(frame.links.size(), 2u);
  Robot moved{Model<double>(frame)};
  const Eigen::Isometry3d T = moved.frame_pose("f_post", Eigen::VectorXd::Zero(1));
  EXPECT_LT((T.translation() - Eigen::Vector3d(1, 0, 0)).norm(), 1e-15);
  EXPECT_NEAR(T.linear()(1, 0), std::sin(0.5), 1e-15);
  ASSERT_EQ(frame.frames.size(), 1u);
  EXPECT_EQ(frame.frames[0].link, "world");

  const RobotDescription whole =
      robot("<frame pos=\"0 0 3\"><attach model=\"p\" prefix=\"w_\"/></frame>");
  EXPECT_EQ(whole.links.size(), 5u);
  EXPECT_EQ(whole.couplings.size(), 2u);
  Robot all{Model<double>(opened(whole))};
  EXPECT_NEAR(all.frame_pose("w_stand", Eigen::VectorXd::Zero(4)).translation().z(), 3, 1e-15);
}

TEST_F(MjcfAttach, of_the_file_itself_and_of_models_in_models) {
  const RobotDescription self = robot(
      "<frame name=\"one\"><body name=\"b\" pos=\"0 0 1\"><joint name=\"j\"/>"
      "<geom size=\"0.1\"/></body></frame><frame pos=\"2 0 0\">"
      "<attach frame=\"one\" prefix=\"other_\"/></frame>");
  EXPECT_EQ(self.links.size(), 3u);
  EXPECT_NE(self.find_joint("other_j"), nullptr);
  write("middle.xml",
        "<mujoco model=\"m\"><asset><model name=\"p\" file=\"lib/part.xml\"/></asset>"
        "<worldbody><body name=\"b\"><joint name=\"j\"/><geom size=\"0.1\"/>"
        "<attach model=\"p\" body=\"hand\" prefix=\"p_\"/></body></worldbody></mujoco>");
  // By its own name.
  const RobotDescription deep = robot_format("mjcf").read(
      "<mujoco><asset><model file=\"middle.xml\"/></asset><worldbody>"
      "<attach model=\"m\" body=\"b\" prefix=\"m_\"/></worldbody></mujoco>",
      path("r.xml"), nullptr);
  EXPECT_NE(deep.find_link("m_p_hand"), nullptr);
}

TEST_F(MjcfAttach, is_refused_in_one_line) {
  EXPECT_EQ(refusal("<attach model=\"q\" body=\"arm\" prefix=\"a\"/>"),
            "3: <attach>: unknown model \"q\"");
  EXPECT_EQ(refusal("<attach model=\"p\" body=\"leg\" prefix=\"a\"/>"),
            "3: <attach>: the model has no body \"leg\"");
  EXPECT_EQ(refusal("<attach model=\"p\" body=\"arm\"/>"),
            "3: <attach>: <attach> has no attribute prefix");
  EXPECT_EQ(refusal("<attach prefix=\"a\"/>"),
            "3: <attach>: <attach> has neither model, body nor frame");
  EXPECT_EQ(refusal("<attach model=\"p\" body=\"arm\" prefix=\"a\"/>\n"
                    "<attach model=\"p\" body=\"arm\" prefix=\"a\"/>"),
            "4: <attach>: another body has the name \"aarm\"");
  // A frame in itself, as of a hostile file.
  EXPECT_NE(refusal("<frame name=\"f\"><attach frame=\"f\" prefix=\"a\"/></frame>")
                .find("more than 16 deep"),
            std::string::npos);
  write("self.xml",
        "<mujoco><asset><model name=\"s\" file=\"self.xml\"/></asset><worldbody>"
        "<attach model=\"s\" prefix=\"a\"/><attach model=\"s\" prefix=\"b\"/>"
        "</worldbody></mujoco>");
  EXPECT_THROW((void)load_description(path("self.xml")), Error);
}

TEST_F(MjcfAttach, doubling_models_are_bounded) {
  for (int k = 0; k < 15; ++k) {
    const std::string next = std::to_string(k + 1);
    std::string text =
        "<mujoco><asset><model name=\"n\" file=\"m" + next + ".xml\"/></asset><worldbody>";
    for (int j = 0; j < 10; ++j)
      text += "<attach model=\"n\" prefix=\"" + std::to_string(j) + "_\"/>";
    write("m" + std::to_string(k) + ".xml", text + "</worldbody></mujoco>");
  }
  write("m15.xml",
        "<mujoco><worldbody><body name=\"b\"><geom size=\"1\"/></body></worldbody></mujoco>");
  try {
    (void)load_description(path("m0.xml"));
    ADD_FAILURE() << "ten to the fifteenth bodies";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("elements"), std::string::npos) << error.what();
  }
}

}  // namespace
