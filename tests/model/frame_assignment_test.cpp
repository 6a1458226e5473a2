#include "torsor/model/frame_assignment.hpp"

#include <gtest/gtest.h>

#include "model/chain_support.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

const Vec3<double> x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};

JointAxis revolute(Vec3<double> point, Vec3<double> direction) {
  return {false, point, direction, 0};
}
JointAxis prismatic(Vec3<double> point, Vec3<double> direction) {
  return {true, point, direction, 0};
}

// Rows (a, alpha in degrees, d, theta in degrees).
void expect_rows(const FrameAssignment& found, const std::vector<std::array<double, 4>>& rows) {
  ASSERT_EQ(found.table.rows.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const DhRow& row = found.table.rows[i];
    EXPECT_NEAR(row.a, rows[i][0], 4 * epsilon) << "a of row " << i + 1;
    EXPECT_NEAR(row.alpha, rows[i][1] * pi / 180, 4 * epsilon) << "alpha of row " << i + 1;
    EXPECT_NEAR(row.d, rows[i][2], 4 * epsilon) << "d of row " << i + 1;
    EXPECT_NEAR(row.theta, rows[i][3] * pi / 180, 4 * epsilon) << "theta of row " << i + 1;
  }
}

Twist<double> screw_of(const JointAxis& axis) {
  const Vec3<double> u = normalised(axis.direction);
  if (axis.prismatic) return {{}, u};
  return {u, cross(axis.point, u)};
}

// The table moves as the axes do: F_i(q) = exp(S_1 q_1) ... exp(S_i q_i) F_i(0) for standard and
// modified frames, with nothing but the given axes on the right.
void expect_same_motion(const std::vector<JointAxis>& axes, Random& random, double bound) {
  for (const Convention convention : {Convention::standard, Convention::modified}) {
    FrameAssignmentOptions options;
    options.convention = convention;
    const FrameAssignment found = assign_dh_frames(axes, options);
    ASSERT_EQ(found.frames.size(), axes.size() + 1);
    EXPECT_LE(found.direction_error, bound);
    EXPECT_LE(found.position_error, bound);
    std::vector<double> q0, q = random.numbers(axes.size(), 2);
    for (const JointAxis& axis : axes) q0.push_back(axis.q);
    const std::vector<Pose> home = elementary_frames(found.table, q0);
    const std::vector<Pose> moved = elementary_frames(found.table, q);
    Pose T;
    for (std::size_t i = 0; i <= axes.size(); ++i) {
      if (i > 0) T = T * exp(screw_of(axes[i - 1]) * (q[i - 1] - q0[i - 1]));
      EXPECT_LE(distance(found.frames[i], home[i]), bound);
      EXPECT_LE(distance(T * home[i], moved[i]), bound) << "frame " << i;
    }
  }
}

// What the rules promise without loss of generality.
void expect_free_choices_zero(const std::vector<JointAxis>& axes, double bound) {
  const DhTable standard = assign_dh_frames(axes).table;
  FrameAssignmentOptions options;
  options.convention = Convention::modified;
  const DhTable modified = assign_dh_frames(axes, options).table;
  const DhRow &s1 = standard.rows.front(), &sn = standard.rows.back();
  const DhRow &m1 = modified.rows.front(), &mn = modified.rows.back();
  EXPECT_NEAR(s1.prismatic ? s1.a : 0, 0, bound);
  EXPECT_NEAR(sn.a, 0, bound);
  EXPECT_NEAR(sn.alpha, 0, bound);
  EXPECT_NEAR(m1.a, 0, bound);
  EXPECT_NEAR(m1.alpha, 0, bound);
  for (const DhRow* row : {&s1, &sn, &m1, &mn})
    EXPECT_NEAR(row->prismatic ? row->theta : row->d, 0, bound);
}

const std::vector<JointAxis> stanford = {revolute({0, 0, 0.37}, z),   revolute({0, 0.37, 0}, y),
                                         prismatic({3, -2, 5}, z),    revolute({0, 0.15, 1.27}, z),
                                         revolute({0, 0.52, 0.9}, y), revolute({0, 0.15, 1.27}, z)};

const std::vector<JointAxis> puma = {revolute({0, 0, 0.2}, z),
                                     revolute({0, -0.3, 0}, y),
                                     revolute({0.4318, 0.7, 0}, y),
                                     revolute({0.41148, 0.14909, 0.1}, z),
                                     revolute({0.41148, -1, 0.43307}, y),
                                     revolute({0.41148, 0.14909, 2}, z)};

TEST(FrameAssignment, TV_27_a_stanford_axes_give_table_1_2) {
  const FrameAssignment found = assign_dh_frames(stanford);
  expect_rows(found, {{0, -90, 0, 0},
                      {0, 90, 0.15, 0},
                      {0, 0, 0.9, 0},
                      {0, -90, 0, 0},
                      {0, 90, 0, 0},
                      {0, 0, 0, 0}});
  EXPECT_TRUE(found.table.rows[2].prismatic);
  EXPECT_LE(distance(found.table.base, Pose{}), epsilon);
}

TEST(FrameAssignment, TV_27_a_the_point_of_a_prismatic_axis_does_not_matter) {
  Random random(21);
  for (int trial = 0; trial < 5; ++trial) {
    std::vector<JointAxis> axes = stanford;
    axes[2].point = random.vector(4);
    expect_rows(assign_dh_frames(axes), {{0, -90, 0, 0},
                                         {0, 90, 0.15, 0},
                                         {0, 0, 0.9, 0},
                                         {0, -90, 0, 0},
                                         {0, 90, 0, 0},
                                         {0, 0, 0, 0}});
  }
}

TEST(FrameAssignment, K_1_2_3_stanford_axes_give_table_2_4_in_modified_frames) {
  FrameAssignmentOptions options;
  options.convention = Convention::modified;
  const FrameAssignment found = assign_dh_frames(stanford, options);
  expect_rows(found, {{0, 0, 0, 0},
                      {0, -90, 0.15, 0},
                      {0, 90, 0.9, 0},
                      {0, 0, 0, 0},
                      {0, -90, 0, 0},
                      {0, 90, 0, 0}});
  // E-16: X_i along the normal of Z_i and Z_{i+1}, O_i on joint i.
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_LE(distance(found.frames[i + 1].R.c2, stanford[i].direction), epsilon);
}

TEST(FrameAssignment, TV_27_b_puma_axes_with_rule_3_taken_literally) {
  const FrameAssignment found = assign_dh_frames(puma);
  expect_rows(found, {{0, -90, 0, 0},
                      {0.4318, 0, 0, 0},
                      {0.02032, -90, 0.14909, 180},
                      {0, 90, 0.43307, 0},
                      {0, -90, 0, 0},
                      {0, 0, 0, 0}});
}

TEST(FrameAssignment, TV_27_tables_do_not_depend_on_where_the_robot_stands) {
  Random random(22);
  for (int trial = 0; trial < 20; ++trial) {
    const Pose T = random.pose(1);
    for (const auto& robot : {stanford, puma}) {
      std::vector<JointAxis> moved = robot;
      for (JointAxis& axis : moved)
        axis.point = T * axis.point, axis.direction = T.R * axis.direction;
      const DhTable a = assign_dh_frames(robot).table, b = assign_dh_frames(moved).table;
      for (std::size_t i = 0; i < robot.size(); ++i) {  // senses of X at crossings are free
        EXPECT_NEAR(std::abs(a.rows[i].a), std::abs(b.rows[i].a), 64 * epsilon);
        EXPECT_NEAR(std::abs(a.rows[i].d), std::abs(b.rows[i].d), 64 * epsilon);
        EXPECT_NEAR(std::abs(std::sin(a.rows[i].alpha)), std::abs(std::sin(b.rows[i].alpha)),
                    64 * epsilon);
        EXPECT_NEAR(std::sin(a.rows[i].theta), std::sin(b.rows[i].theta), 64 * epsilon);
      }
      expect_same_motion(moved, random, 500 * epsilon);
    }
  }
}

TEST(FrameAssignment, TV_27_products_of_the_rows_reproduce_every_axis_of_random_chains) {
  Random random(23);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<JointAxis> axes(1 + static_cast<std::size_t>(trial) % 7);
    for (JointAxis& axis : axes) {
      axis = {random(0, 1) < 0.3, random.vector(1), random.vector(2), random(-1, 1)};
      if (norm(axis.direction) < 0.3) axis.direction = x;
    }
    // Feet of normals lie far away where axes are nearly parallel; digits go with the distance.
    double reach = 1;
    for (const Pose& T : assign_dh_frames(axes).frames) reach = std::max(reach, norm(T.p));
    expect_same_motion(axes, random, 2000 * epsilon * reach * reach);
    for (const DhRow& row : assign_dh_frames(axes).table.rows) EXPECT_GE(row.a, 0);
  }
}

TEST(FrameAssignment, K_1_2_2_rules_hold_for_random_right_angled_chains_with_every_coincidence) {
  // Directions along the axes and points on a coarse grid: parallel, coincident, intersecting and
  // skew neighbours and runs of prismatic joints all occur.
  Random random(24);
  const Vec3<double> directions[] = {x, y, z, -x, -y, -z};
  int parallel = 0, coincident = 0, intersecting = 0, skew = 0, runs = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<JointAxis> axes(1 + static_cast<std::size_t>(trial) % 6);
    const auto grid = [&] { return 0.5 * std::floor(random(0, 2.999)); };
    for (JointAxis& axis : axes)
      axis = {random(0, 1) < 0.4,
              {grid(), grid(), grid()},
              directions[static_cast<std::size_t>(random(0, 5.999))],
              0};
    expect_same_motion(axes, random, 1000 * epsilon);
    expect_free_choices_zero(axes, 8 * epsilon);

    const FrameAssignment found = assign_dh_frames(axes);
    for (std::size_t i = 1; i < axes.size(); ++i) {
      const DhRow& row = found.table.rows[i - 1];
      EXPECT_GE(row.a, 0);
      const bool is_parallel = std::abs(std::sin(row.alpha)) < 1e-6;
      (is_parallel ? (row.a > 0 ? parallel : coincident) : (row.a > 0 ? skew : intersecting))++;
      if (axes[i - 1].prismatic) {
        EXPECT_NEAR(row.a, 0, 8 * epsilon) << "a prismatic axis meets the next one";
        if (axes[i].prismatic) ++runs;
      } else if (is_parallel) {
        EXPECT_NEAR(row.d, 0, 8 * epsilon) << "parallel or coincident: normal through O_{i-1}";
      }
      // Intersecting or coincident: X keeps its sense where it can.
      const double turn = dot(found.frames[i].R.c0, found.frames[i - 1].R.c0);
      const bool free_sense = row.a < 1e-12;
      EXPECT_TRUE(!free_sense || turn >= -8 * epsilon) << turn;
      EXPECT_TRUE(!free_sense || !is_parallel || std::abs(turn - 1) <= 8 * epsilon) << turn;
    }
    EXPECT_LE(distance(found.frames[0].R.c0, found.frames[axes.size() > 1 ? 1 : 0].R.c0),
              8 * epsilon);
  }
  for (const int seen : {parallel, coincident, intersecting, skew, runs}) EXPECT_GT(seen, 100);
}

TEST(FrameAssignment, E_11_runs_of_prismatic_joints_meet_the_next_revolute_axis) {
  // Two slides before a wrist whose axes 3 and 4 meet at (0.7, 0.2, 0.4).
  const FrameAssignment found =
      assign_dh_frames({prismatic({9, 9, 9}, y), prismatic({-5, 3, 1}, x),
                        revolute({0.7, 0.2, -3}, z), revolute({5, 0.2, 0.4}, x)});
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_LE(distance(found.frames[i].p, {0.7, 0.2, 0.4}), 4 * epsilon) << i;
}

TEST(FrameAssignment, E_12_a_first_revolute_joint_keeps_its_a_and_a_first_prismatic_one_has_none) {
  const DhTable turning = assign_dh_frames({revolute({}, z), revolute({0.3, 0, 0}, y)}).table;
  EXPECT_NEAR(turning.rows[0].a, 0.3, 4 * epsilon);
  const DhTable sliding = assign_dh_frames({prismatic({}, z), revolute({0.3, 0, 0}, y)}).table;
  EXPECT_NEAR(sliding.rows[0].a, 0, 4 * epsilon);
}

TEST(FrameAssignment, E_18_behind_a_prismatic_joint_the_origin_waits_for_the_next_normal) {
  const std::vector<JointAxis> axes = {revolute({}, x), prismatic({}, z), revolute({0, 0, 3}, z),
                                       revolute({0.2, 0, 0.8}, y)};
  const DhTable table = assign_dh_frames(axes).table;
  EXPECT_NEAR(table.rows[1].d, 0.8, 4 * epsilon);
  EXPECT_NEAR(table.rows[2].d, 0, 4 * epsilon);
  std::vector<JointAxis> turning = axes;  // with a revolute joint there the origin stays behind
  turning[1].prismatic = false;
  const DhTable other = assign_dh_frames(turning).table;
  EXPECT_NEAR(other.rows[1].d, 0, 4 * epsilon);
  EXPECT_NEAR(other.rows[2].d, 0.8, 4 * epsilon);
}

TEST(FrameAssignment, parallel_axes_put_the_base_at_the_height_of_the_first_fixed_normal) {
  const FrameAssignment found = assign_dh_frames(
      {revolute({0, 0, 0.9}, z), revolute({0.4, 0, 7}, z), revolute({0.4, 1, 0.3}, x)});
  EXPECT_LE(distance(found.frames[0].p, {0, 0, 0.3}), 4 * epsilon);
  for (const DhRow& row : found.table.rows) EXPECT_NEAR(row.d, 0, 4 * epsilon);
  // Nothing but parallel axes: the height of the first point.
  const FrameAssignment planar =
      assign_dh_frames({revolute({0, 0, 0.9}, z), revolute({0.4, 0, 7}, z)});
  EXPECT_LE(distance(planar.frames[0].p, {0, 0, 0.9}), 4 * epsilon);
  EXPECT_LE(distance(planar.frames[2].p, {0.4, 0, 0.9}), 4 * epsilon);
}

TEST(FrameAssignment, a_last_prismatic_run_crosses_the_last_revolute_axis_where_d_vanishes) {
  // Cylindrical arm: turn, lift, reach; the lift coincides with the column.
  const FrameAssignment found = assign_dh_frames(
      {revolute({0, 0, 0.5}, z), prismatic({0.3, 0, 0}, z), prismatic({0, 0, 4}, y)});
  expect_rows(found, {{0, 0, 0, 0}, {0, -90, 0, 0}, {0, 0, 0, 0}});
  // Cartesian arm: all axes through the point of the first.
  const FrameAssignment gantry =
      assign_dh_frames({prismatic({1, 2, 3}, z), prismatic({}, y), prismatic({5, 5, 5}, x)});
  for (const Pose& T : gantry.frames) EXPECT_LE(distance(T.p, {1, 2, 3}), 4 * epsilon);
  // The foot of the earlier normal, here at y = 0.25.
  const FrameAssignment skew = assign_dh_frames(
      {revolute({0.2, 1.25, 1}, {0, 1, 1}), revolute({}, y), prismatic({3, 3, 3}, x)});
  EXPECT_NEAR(skew.table.rows[1].d, 0, 4 * epsilon);
  EXPECT_LE(distance(skew.frames[2].p, {0, 0.25, 0}), 4 * epsilon);
}

TEST(FrameAssignment, a_prismatic_axis_between_two_revolute_ones_meets_both_where_it_can) {
  const DhTable table =
      assign_dh_frames({revolute({}, z), prismatic({3, 1, 2}, x), revolute({0.8, 0.4, 0.5}, y)})
          .table;
  EXPECT_NEAR(table.rows[0].a, 0, 4 * epsilon);
  EXPECT_NEAR(table.rows[1].a, 0, 4 * epsilon);
}

TEST(FrameAssignment, reference_values_of_q_are_taken_off_the_constants) {
  std::vector<JointAxis> axes = stanford;
  axes[0].q = 0.25, axes[2].q = 0.9;
  const DhTable table = assign_dh_frames(axes).table;
  EXPECT_NEAR(table.rows[0].theta, -0.25, 4 * epsilon);
  EXPECT_NEAR(table.rows[2].d, 0, 4 * epsilon);
}

TEST(FrameAssignment, antiparallel_axes_are_turned_only_when_asked) {
  const std::vector<JointAxis> axes = {revolute({}, z), {false, {0.5, 0, 0}, -z, 0.3}};
  const FrameAssignment kept = assign_dh_frames(axes);
  EXPECT_NEAR(kept.table.rows[0].alpha, pi, 4 * epsilon);
  EXPECT_EQ(kept.sign, (std::vector<int>{1, 1}));
  FrameAssignmentOptions options;
  options.same_sense = true;
  const FrameAssignment turned = assign_dh_frames(axes, options);
  EXPECT_NEAR(turned.table.rows[0].alpha, 0, 4 * epsilon);
  EXPECT_EQ(turned.sign, (std::vector<int>{1, -1}));
  EXPECT_NEAR(turned.table.rows[1].theta, 0.3, 4 * epsilon);
}

TEST(FrameAssignment, axes_that_are_nearly_parallel_count_as_parallel_and_the_error_is_told) {
  // About the normal a tilt is alpha; across it a tilt of 2e-9 would put the normal 5e8 m away.
  const double tilt = 2e-9;
  const FrameAssignment about =
      assign_dh_frames({revolute({}, z), revolute({1, 0, 0}, {0, std::sin(tilt), std::cos(tilt)})});
  EXPECT_NEAR(about.table.rows[0].alpha, -tilt, 4 * epsilon);
  EXPECT_LE(about.direction_error, 4 * epsilon);
  const std::vector<JointAxis> across = {revolute({}, z),
                                         revolute({1, 0, 0}, {std::sin(tilt), 0, std::cos(tilt)})};
  const FrameAssignment snapped = assign_dh_frames(across);
  EXPECT_LE(distance(snapped.frames[1].p, {1, 0, 0}), tilt + 4 * epsilon);
  EXPECT_NEAR(snapped.direction_error, tilt, 4 * epsilon);
  FrameAssignmentOptions options;
  options.parallel = 1e-10;
  const FrameAssignment exact = assign_dh_frames(across, options);
  EXPECT_NEAR(exact.frames[1].p.z, -1 / tilt, 1);
  EXPECT_LE(exact.direction_error, 4 * epsilon);
  EXPECT_LE(exact.position_error, 4 * epsilon / tilt);
}

TEST(FrameAssignment, bad_axes_are_refused) {
  EXPECT_EQ(message_of([] { (void)assign_dh_frames({}); }),
            "frame assignment: there are no joint axes");
  EXPECT_EQ(message_of([] {
              (void)assign_dh_frames({revolute({}, z), revolute({}, {})});
            }),
            "frame assignment: axis 2 has direction zero");
  EXPECT_EQ(message_of([] {
              (void)assign_dh_frames({revolute({0, std::nan(""), 0}, z)});
            }),
            "frame assignment: axis 1 holds a number that is not finite");
}

}  // namespace
