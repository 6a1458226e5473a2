// Changed robots written into the text of their own MJCF and SDF files.
#include <gtest/gtest.h>

#include "formats/mjcf_files.hpp"
#include "formats/same_motion.hpp"
#include "formats/sdf_files.hpp"
#include "house/process.hpp"
#include "torsor/formats/check_file.hpp"
#include "torsor/formats/save_edited.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

/// Masses, inertias, friction and springs of another robot with the same joints.
RobotDescription changed(RobotDescription robot) {
  double k = 1;
  for (Link& link : robot.links) {
    if (!link.has_inertial) continue;
    k *= 1.1;
    link.inertial.mass *= 1.5 * k;
    link.inertial.com += Vec3<double>{0.01 * k, 0.02, -0.03};
    link.inertial.about_com =
        link.inertial.about_com + Sym3<double>{0.1 * k, 0.001, 0.2, 0.002, 0.003, 0.3};
  }
  for (Joint& joint : robot.joints) {
    if (n_v(joint) != 1) continue;
    k *= 1.1;
    joint.friction.assign(1, {.damping = 0.3 * k, .coulomb = 0.1 * k});
    joint.spring.assign(1, {2 * k, 0.1 * k});
  }
  return robot;
}

TEST(EditedMjcf, says_what_changed_and_nothing_else) {
  for (const MjcfFile& file : mjcf_files()) {
    SCOPED_TRACE(file.name);
    if (file.name == "bounds" || file.name == "inertia_from_shapes")
      continue;  // the compiler decides there
    const RobotFormat& format = robot_format("mjcf");
    const std::string text = "<!-- kept -->\n" + file.text + "\n<!-- kept, too -->\n";
    const RobotDescription read = format.read(text, "r.xml", nullptr);
    EXPECT_EQ(format.edit(text, read, read), text);
    const RobotDescription wanted = changed(read);
    const std::string edited = format.edit(text, read, wanted);
    EXPECT_TRUE(edited.starts_with("<!-- kept -->\n<mujoco"));
    EXPECT_TRUE(edited.ends_with("<!-- kept, too -->\n"));
    expect_same_motion(wanted, format.read(edited, "r.xml", nullptr), 1e-12);
  }
}

TEST(EditedMjcf, moves_bodies_and_sites) {
  std::string text;  // orientations of every kind
  for (const MjcfFile& file : mjcf_files())
    if (file.name == "orientations") text = file.text;
  const RobotFormat& format = robot_format("mjcf");
  const RobotDescription read = format.read(text, "r.xml", nullptr);
  RobotDescription wanted = read;
  const SE3<double> step{exp(Vec3<double>{0.1, 0.2, 0.3}), {0.01, 0.02, 0.03}};
  for (Joint& joint : wanted.joints) joint.placement = joint.placement * step;
  for (FrameOnLink& frame : wanted.frames) frame.placement = step * frame.placement;
  expect_same_motion(wanted, format.read(format.edit(text, read, wanted), "r.xml", nullptr), 1e-12);
}

TEST(EditedSdf, says_what_changed_and_nothing_else) {
  for (const SdfFile& file : sdf_files()) {
    SCOPED_TRACE(file.name);
    const RobotFormat& format = robot_format("sdf");
    const std::string text = file.text + "\n<!-- kept -->\n";
    const RobotDescription read = format.read(text, "r.sdf", nullptr);
    EXPECT_EQ(format.edit(text, read, read), text);
    const RobotDescription wanted = changed(read);
    const std::string edited = format.edit(text, read, wanted);
    EXPECT_TRUE(edited.ends_with("\n<!-- kept -->\n"));
    expect_same_motion(wanted, format.read(edited, "r.sdf", nullptr), 1e-12);
  }
}

TEST(EditedFiles, refuse_what_they_have_no_place_for) {
  const ScratchFolder folder;
  const std::string file = (folder / "r.sdf").string();
  write_text(file, sdf_files()[0].text);
  RobotDescription robot = robot_format("sdf").read(sdf_files()[0].text, file, nullptr);
  robot.links[1].inertial.mass = 7;
  EXPECT_NE(edited_robot(file, robot).text.find("<mass>7</mass>"), std::string::npos);
  robot.joints[1].placement.p.x += 1;
  EXPECT_THROW((void)edited_robot(file, robot), Error);
}

// A finding names what cannot be read; the rest is repaired or left, and nothing is thrown.
TEST(EditedFiles, with_parts_that_cannot_be_read_are_left_as_they_are) {
  const ScratchFolder folder;
  const std::string mjcf =
      "<mujoco><worldbody><body name=\"b\"><joint name=\"j\" range=\"20 -30\"/>"
      "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 5\" quat=\"1 0 x 0\"/>"
      "</body></worldbody></mujoco>";
  const std::string sdf =
      "<sdf version=\"1.9\"><model name=\"m\"><link name=\"b\"><inertial><pose>0 0 x</pose>"
      "<mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>5</izz></inertia></inertial></link>"
      "</model></sdf>";
  for (const auto& [name, text] : {std::pair{"r.xml", mjcf}, std::pair{"r.sdf", sdf}}) {
    SCOPED_TRACE(name);
    const std::string file = (folder / name).string();
    write_text(file, text);
    const FileCheck check = check_file(file);
    EXPECT_TRUE(std::any_of(check.findings.begin(), check.findings.end(), [](const Finding& f) {
      return f.severity == Finding::Severity::error && f.line().find('x') != std::string::npos;
    }));
    FileRepair repair;
    ASSERT_NO_THROW(repair = repair_file(check));
    EXPECT_EQ(repair.after.text, text);
  }
}

TEST(EditedFiles, are_repaired_by_check) {
  const ScratchFolder folder;
  const std::string file = (folder / "r.xml").string();
  write_text(
      file,
      "<mujoco><!-- a --><worldbody><body name=\"b\"><joint name=\"j\" range=\"20 -30\"/>"
      "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"1 1 5\"/></body></worldbody></mujoco>");
  const FileCheck check = check_file(file);
  EXPECT_FALSE(check.findings.empty());
  const FileRepair repair = repair_file(check);
  EXPECT_GE(repair.changes.size(), 2u);
  EXPECT_NE(repair.after.text.find("<!-- a -->"), std::string::npos);
  const Model<double> model(repair.after.robot);
  EXPECT_LT(model.limits(0).lower, model.limits(0).upper);
}

}  // namespace
