#include "torsor/model/joint_units.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/random_model.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::testing {
namespace {

/// One joint of each kind, alone, in a drawn configuration.
template <class Law>
void for_each_kind(Law law) {
  unsigned seed = 0;
  for (const JointKind kind : every_moving_kind()) {
    const Model<double> model(random_tree(++seed, 1, {.kinds = {kind}, .chain = true}));
    std::vector<double> q(static_cast<std::size_t>(model.n_q()));
    random_configuration(model, seed, q);
    law(model, q, std::string(name_of(kind)));
  }
}

TEST(Measure, a_velocity_is_a_length_where_it_turns_nothing) {
  for_each_kind(
      [](const Model<double>& model, const std::vector<double>& q, const std::string& what) {
        const std::vector<Measure> measures = velocity_measures(model);
        ASSERT_EQ(measures.size(), static_cast<std::size_t>(model.n_v())) << what;
        const auto S = joint_subspace(model, 1, q);
        for (std::size_t k = 0; k < measures.size(); ++k)
          EXPECT_EQ(measures[k] == Measure::length, norm(S[k].w) < 1e-14) << what << " " << k;
      });
}

TEST(Measure, a_coordinate_is_a_length_where_it_turns_nothing) {
  for_each_kind([](const Model<double>& model, const std::vector<double>& q,
                   const std::string& what) {
    const std::vector<Measure> measures = coordinate_measures(model);
    ASSERT_EQ(measures.size(), q.size()) << what;
    std::vector<bool> quaternion(q.size(), false);
    internal::for_each_quaternion(model, [&](int at) {
      for (int k = at; k < at + 4; ++k) quaternion[static_cast<std::size_t>(k)] = true;
    });
    const SO3<double> R = joint_pose(model, 1, q).R;
    for (std::size_t k = 0; k < q.size(); ++k) {
      EXPECT_EQ(measures[k] == Measure::quaternion, quaternion[k]) << what << " " << k;
      if (quaternion[k]) continue;
      std::vector<double> moved = q;
      moved[k] += 0.5;
      EXPECT_EQ(measures[k] == Measure::length, distance(joint_pose(model, 1, moved).R, R) < 1e-14)
          << what << " " << k;
    }
  });
}

TEST(Labels, say_what_each_coordinate_and_velocity_is) {
  using Names = std::vector<std::string>;
  const auto of = [](JointKind kind, bool velocities) {
    const Model<double> model(random_tree(1, 1, {.kinds = {kind}, .chain = true}));
    Names labels = velocities ? velocity_labels(model) : coordinate_labels(model);
    for (std::string& label : labels)  // without the joint's name
      label = label == model.joint_name(1) ? "" : label.substr(model.joint_name(1).size() + 1);
    return labels;
  };
  EXPECT_EQ(of(JointKind::revolute, false), (Names{""}));
  EXPECT_EQ(of(JointKind::free, false), (Names{"x", "y", "z", "qx", "qy", "qz", "qw"}));
  EXPECT_EQ(of(JointKind::free, true), (Names{"wx", "wy", "wz", "vx", "vy", "vz"}));
  EXPECT_EQ(of(JointKind::spherical, false), (Names{"qx", "qy", "qz", "qw"}));
  EXPECT_EQ(of(JointKind::spherical, true), (Names{"wx", "wy", "wz"}));
  EXPECT_EQ(of(JointKind::planar, false), (Names{"x", "y", "angle"}));
  EXPECT_EQ(of(JointKind::planar, true), (Names{"angle", "vx", "vy"}));
  EXPECT_EQ(of(JointKind::cylindrical, true), (Names{"angle", "length"}));
  EXPECT_EQ(of(JointKind::universal, false), (Names{"angle_1", "angle_2"}));
}
TEST(Labels, are_as_many_as_coordinates_and_all_different) {
  for_each_kind([](const Model<double>& model, const std::vector<double>& q,
                   const std::string& what) {
    for (const bool velocities : {false, true}) {
      const auto labels = velocities ? velocity_labels(model) : coordinate_labels(model);
      EXPECT_EQ(labels.size(), velocities ? velocity_measures(model).size() : q.size()) << what;
      EXPECT_EQ(std::set<std::string>(labels.begin(), labels.end()).size(), labels.size()) << what;
    }
  });
}

TEST(Measure, an_axis_counts_where_turning_it_moves_the_joint_otherwise) {
  unsigned seed = 0;
  for (const JointKind kind : every_moving_kind()) {
    if (kind == JointKind::composite) continue;  // its parts have their own
    RobotDescription robot = random_tree(++seed, 1, {.kinds = {kind}, .chain = true});
    std::vector<double> q(static_cast<std::size_t>(Model<double>(robot).n_q()));
    random_configuration(Model<double>(robot), seed, q);
    robot.joints[0].axis = {0, 0, 1};
    const SE3<double> T = joint_pose(Model<double>(robot), 1, q);
    robot.joints[0].axis = {0.6, 0, 0.8};
    const SE3<double> turned = joint_pose(Model<double>(robot), 1, q);
    EXPECT_EQ(has_axis(kind), distance(T, turned) > 1e-3) << name_of(kind);
  }
}

}  // namespace
}  // namespace torsor::testing
