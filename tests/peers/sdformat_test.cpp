// SDF files read here and by libsdformat 12 (Debian's libsdformat-dev): the same poses, masses and axes.
#include <gtest/gtest.h>

#include <sdf/sdf.hh>

#include "formats/same_motion.hpp"
#include "formats/sdf_files.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor {
namespace {

using Pose = ignition::math::Pose3d;

void expect_ok(const sdf::Errors& errors) {
  for (const sdf::Error& error : errors) ADD_FAILURE() << error.Message();
}

double difference(const Pose& theirs, const Eigen::Isometry3d& ours) {
  const auto q = theirs.Rot();
  const Eigen::Quaterniond R(q.W(), q.X(), q.Y(), q.Z());
  const Eigen::Vector3d p(theirs.Pos().X(), theirs.Pos().Y(), theirs.Pos().Z());
  return (ours.linear() - R.toRotationMatrix()).norm() + (ours.translation() - p).norm();
}

/// Every link and joint of a model, and of the models in it. X: the model in the world.
void compare(const sdf::Model& model, const Pose& X, const std::string& prefix, Robot& robot,
             const RobotDescription& read, int& compared) {
  const Eigen::VectorXd q = Eigen::VectorXd::Zero(robot.model().n_q());
  for (std::uint64_t k = 0; k < model.LinkCount(); ++k) {
    const sdf::Link& link = *model.LinkByIndex(k);
    const std::string name = prefix + link.Name();
    SCOPED_TRACE(name);
    Pose pose;
    expect_ok(link.SemanticPose().Resolve(pose, "__model__"));
    const Pose at = X * pose;
    EXPECT_LT(difference(at, robot.frame_pose(name, q)), 1e-9);
    const auto inertial = link.Inertial();
    const Inertial& ours = read.find_link(name)->inertial;
    EXPECT_NEAR(inertial.MassMatrix().Mass(), ours.mass, 1e-12);
    EXPECT_NEAR(inertial.Pose().Pos().Y(), ours.com.y, 1e-12);
    const auto J = inertial.Moi();
    EXPECT_NEAR(J(0, 0), ours.about_com.xx, 1e-9);
    EXPECT_NEAR(J(0, 1), ours.about_com.xy, 1e-9);
    EXPECT_NEAR(J(1, 2), ours.about_com.yz, 1e-9);
    ++compared;
  }
  for (std::uint64_t k = 0; k < model.JointCount(); ++k) {
    const sdf::Joint& joint = *model.JointByIndex(k);
    if (joint.Axis() == nullptr) continue;
    SCOPED_TRACE(joint.Name());
    ignition::math::Vector3d axis;
    expect_ok(joint.Axis()->ResolveXyz(axis, "__model__"));
    Pose pose;
    expect_ok(joint.SemanticPose().Resolve(pose, "__model__"));
    axis = X.Rot() * axis;
    const Joint& ours = *read.find_joint(prefix + joint.Name());
    const Eigen::Isometry3d T = robot.frame_pose(ours.child, q);
    const Eigen::Vector3d turned =
        T.linear() * Eigen::Vector3d(ours.axis.x, ours.axis.y, ours.axis.z);
    EXPECT_LT((turned - Eigen::Vector3d(axis.X(), axis.Y(), axis.Z())).norm(), 1e-9);
    if (ours.kind == JointKind::revolute) {  // the axis goes through the joint's origin
      const Pose at = X * pose;
      const Eigen::Vector3d p(at.Pos().X(), at.Pos().Y(), at.Pos().Z());
      EXPECT_LT(turned.cross(p - T.translation()).norm(), 1e-9);
    }
    ++compared;
  }
  for (std::uint64_t k = 0; k < model.ModelCount(); ++k) {
    const sdf::Model& nested = *model.ModelByIndex(k);
    Pose pose;
    expect_ok(nested.SemanticPose().Resolve(pose, "__model__"));
    compare(nested, X * pose, prefix + nested.Name() + "::", robot, read, compared);
  }
}

int compare(const RobotDescription& read, const std::string& text) {
  sdf::Root root;
  expect_ok(root.LoadSdfString(text));
  if (root.Model() == nullptr) {
    ADD_FAILURE() << "no model";
    return 0;
  }
  Robot robot{Model<double>(read)};
  int compared = 0;
  compare(*root.Model(), root.Model()->RawPose(), "", robot, read, compared);
  return compared;
}

class Sdformat : public ::testing::TestWithParam<testing::SdfFile> {};
TEST_P(Sdformat, finds_the_same_poses_masses_and_axes) {
  const std::string& text = GetParam().text;
  EXPECT_GT(compare(robot_format("sdf").read(text, "r.sdf", nullptr), text), 2);
}
INSTANTIATE_TEST_SUITE_P(, Sdformat, ::testing::ValuesIn(testing::sdf_files()),
                         [](const auto& file) { return file.param.name; });

TEST(SdformatWritten, is_read_as_the_same_robot) {
  for (const char* name : {"puma560", "panda", "ur10", "scara"}) {
    SCOPED_TRACE(name);
    RobotDescription robot = load_description(name);
    for (Link& link : robot.links) {  // what libsdformat takes for a body
      link.inertial.mass += 1;
      link.inertial.about_com = link.inertial.about_com + Sym3<double>::diagonal(4, 4, 4);
    }
    const Conversion written = robot_format("sdf").write(robot, "");
    ASSERT_TRUE(written.ok()) << written.message;
    EXPECT_GT(compare(robot_format("sdf").read(written.text, "r.sdf", nullptr), written.text), 4);
  }
}

}  // namespace
}  // namespace torsor
