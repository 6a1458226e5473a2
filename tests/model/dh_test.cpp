#include "torsor/model/dh.hpp"

#include <gtest/gtest.h>

#include "model/chain_support.hpp"
#include "support/tree_motion.hpp"
#include "torsor/math/dual.hpp"
#include "torsor/math/pack.hpp"
#include "torsor/model/builder.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

const double quarter = pi / 2;

DhRow row(double a, double alpha, double d, double theta, bool prismatic = false) {
  DhRow result;
  result.a = a, result.alpha = alpha, result.d = d, result.theta = theta;
  result.prismatic = prismatic;
  return result;
}

// Table 1-1 of the textbook; with d1 = d6 = 0 it is Table 1-2.
DhTable stanford(double d1, double d2, double d6) {
  DhTable table;
  table.rows = {row(0, -quarter, d1, 0), row(0, quarter, d2, 0), row(0, 0, 0, 0, true),
                row(0, -quarter, 0, 0),  row(0, quarter, 0, 0),  row(0, 0, d6, 0)};
  return table;
}
// Table 2-4.
DhTable stanford_modified(double d2) {
  DhTable table;
  table.convention = Convention::modified;
  table.rows = {row(0, 0, 0, 0), row(0, -quarter, d2, 0), row(0, quarter, 0, 0, true),
                row(0, 0, 0, 0), row(0, -quarter, 0, 0),  row(0, quarter, 0, 0)};
  return table;
}
const std::vector<double> qS = {0.3, 0.7, 0.9, -0.5, 1.1, 0.4};

const double a06_wrist[3][4] = {
    {-0.14267542353339545, 0.15908228813390667, 0.97690150430923533, 0.50957216620324521},
    {0.10392592314319436, 0.98395087793922246, -0.14505196414205568, 0.31464188302947632},
    {-0.98429829117925481, 0.080830040236993856, -0.15691838189608274, 0.68835796855603958}};

TEST(Dh, TV_06_one_row_in_both_conventions_and_their_inverses) {
  const double a = 0.3, alpha = 0.7, d = 0.2, theta = -0.4;
  const double dh[3][4] = {
      {0.92106099400288508, 0.29784357670004788, -0.25087018385001432, 0.27631829820086552},
      {-0.38941834230865049, 0.7044663052755917, -0.59336378336138746, -0.11682550269259515},
      {0, 0.64421768723769105, 0.76484218728448843, 0.2}};
  const double dh_inverse[3][4] = {
      {0.92106099400288508, -0.38941834230865049, 0, -0.3},
      {0.29784357670004788, 0.7044663052755917, 0.64421768723769105, -0.12884353744753821},
      {-0.25087018385001432, -0.59336378336138746, 0.76484218728448843, -0.15296843745689769}};
  const double mdh[3][4] = {
      {0.92106099400288508, 0.38941834230865049, 0, 0.3},
      {-0.29784357670004788, 0.7044663052755917, -0.64421768723769105, -0.12884353744753821},
      {-0.25087018385001432, 0.59336378336138746, 0.76484218728448843, 0.15296843745689769}};
  const double mdh_inverse[3][4] = {
      {0.92106099400288508, -0.29784357670004788, -0.25087018385001432, -0.27631829820086552},
      {0.38941834230865049, 0.7044663052755917, 0.59336378336138746, -0.11682550269259515},
      {0, -0.64421768723769105, 0.76484218728448843, -0.2}};
  EXPECT_LE(distance(dh_transform(a, alpha, d, theta), rows4(dh)), 2 * epsilon);
  EXPECT_LE(distance(dh_transform_inverse(a, alpha, d, theta), rows4(dh_inverse)), 2 * epsilon);
  EXPECT_LE(distance(mdh_transform(a, alpha, d, theta), rows4(mdh)), 2 * epsilon);
  EXPECT_LE(distance(mdh_transform_inverse(a, alpha, d, theta), rows4(mdh_inverse)), 2 * epsilon);
}

TEST(Dh, K_1_2_4_X_1_17_X_1_18_rows_are_products_of_elementary_motions_in_every_order) {
  Random random(11);
  for (int trial = 0; trial < 100; ++trial) {
    const double a = random(-2, 2), alpha = random(-4, 4), d = random(-2, 2), t = random(-4, 4);
    const Pose z1 = Tz(d) * Rz(t), z2 = Rz(t) * Tz(d), x1 = Tx(a) * Rx(alpha),
               x2 = Rx(alpha) * Tx(a);
    const Pose A = dh_transform(a, alpha, d, t), B = mdh_transform(a, alpha, d, t);
    for (const Pose& z : {z1, z2})
      for (const Pose& x : {x1, x2}) {
        EXPECT_LE(distance(A, z * x), 8 * epsilon);
        EXPECT_LE(distance(B, x * z), 8 * epsilon);
      }
    EXPECT_LE(distance(A * dh_transform_inverse(a, alpha, d, t), Pose{}), 16 * epsilon);
    EXPECT_LE(distance(B * mdh_transform_inverse(a, alpha, d, t), Pose{}), 16 * epsilon);
    EXPECT_LE(distance(internal::x_screw(a, alpha) * internal::z_screw(d, t), B), 8 * epsilon);
  }
}

TEST(Dh, rows_take_floats_duals_and_packs) {
  DhRow r = row(0.3, 0.7, 0.2, -0.4);
  for (const Convention convention : {Convention::standard, Convention::modified}) {
    for (const bool prismatic : {false, true}) {
      r.prismatic = prismatic;
      const Pose A = link_transform(convention, r, 0.6);
      const Pose x = Tx(0.3) * Rx(0.7), z = prismatic ? Tz(0.8) * Rz(-0.4) : Tz(0.2) * Rz(0.2);
      EXPECT_LE(distance(A, convention == Convention::standard ? z * x : x * z), 4 * epsilon);
      EXPECT_LE(distance(link_transform(convention, r, 0.6f).cast<double>(), A), 4e-7);

      using D = Dual<double, 1>;
      const SE3<D> B = link_transform(convention, r, D::variable(0.6, 0));
      const double h = 1e-6;
      const Pose up = link_transform(convention, r, 0.6 + h),
                 down = link_transform(convention, r, 0.6 - h);
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(B.p[k].value, A.p[k], epsilon);
        EXPECT_NEAR(B.p[k].d[0], (up.p[k] - down.p[k]) / (2 * h), 1e-9);
        EXPECT_NEAR(B.R.c1[k].d[0], (up.R.c1[k] - down.R.c1[k]) / (2 * h), 1e-9);
      }

      using P = Pack<double, 2>;
      P q;
      q.lanes[0] = 0.6, q.lanes[1] = -1.3;
      const SE3<P> C = link_transform(convention, r, q);
      for (int lane = 0; lane < 2; ++lane)
        EXPECT_NEAR(C.p.y.lanes[lane], link_transform(convention, r, double(q.lanes[lane])).p.y,
                    epsilon);
    }
  }
}

TEST(Dh, G_1_3_wrist_of_the_stanford_arm_is_the_zyz_matrix) {
  const double d6 = 0.25;
  const DhTable table = stanford(0.4, 0.15, d6);
  Random random(3);
  for (int trial = 0; trial < 20; ++trial) {
    const std::vector<double> q = random.numbers(6, 3);
    Pose A36;
    for (std::size_t i = 3; i < 6; ++i)
      A36 = A36 * link_transform(table.convention, table.rows[i], q[i]);
    const double c4 = std::cos(q[3]), s4 = std::sin(q[3]), c5 = std::cos(q[4]), s5 = std::sin(q[4]),
                 c6 = std::cos(q[5]), s6 = std::sin(q[5]);
    const double expected[3][4] = {
        {c4 * c5 * c6 - s4 * s6, -c4 * c5 * s6 - s4 * c6, c4 * s5, c4 * s5 * d6},
        {s4 * c5 * c6 + c4 * s6, -s4 * c5 * s6 + c4 * c6, s4 * s5, s4 * s5 * d6},
        {-s5 * c6, s5 * s6, c5, c5 * d6}};
    EXPECT_LE(distance(A36, rows4(expected)), 8 * epsilon);
  }
}

TEST(Dh, TV_07_stanford_poses) {
  const double a03[3][4] = {
      {0.7306816499355124, -0.29552020666133958, 0.6154446635582735, 0.50957216620324521},
      {0.22602632124962301, 0.95533648912560602, 0.19037934406737268, 0.31464188302947632},
      {-0.64421768723769105, 0, 0.76484218728448843, 1.0883579685560396}};
  const double a06[3][4] = {
      {-0.14267542353339545, 0.15908228813390667, 0.97690150430923533, 0.75379754228055404},
      {0.10392592314319436, 0.98395087793922246, -0.14505196414205568, 0.2783788919939624},
      {-0.98429829117925481, 0.080830040236993856, -0.15691838189608274, 1.0491283730820189}};
  const WorldState S1 = world_state(from_dh(stanford(0.4, 0.15, 0.25)), qS);
  EXPECT_LE(distance(S1.frames.at("frame_3"), rows4(a03)), 8 * epsilon);
  EXPECT_LE(distance(S1.frames.at("frame_6"), rows4(a06)), 8 * epsilon);
  EXPECT_LE(distance(S1.frames.at("tool"), rows4(a06)), 8 * epsilon);
}

TEST(Dh, G_1_3b_both_tables_of_the_stanford_arm_give_one_pose) {
  const WorldState S2 = world_state(from_dh(stanford(0, 0.15, 0)), qS);
  const WorldState SM = world_state(from_dh(stanford_modified(0.15)), qS);
  EXPECT_LE(distance(S2.frames.at("tool"), rows4(a06_wrist)), 8 * epsilon);
  EXPECT_LE(distance(SM.frames.at("tool"), rows4(a06_wrist)), 8 * epsilon);
  EXPECT_LE(distance(SM.frames.at("link_6"), rows4(a06_wrist)), 8 * epsilon);
}

TEST(Dh, K_1_2_1_description_of_a_table_has_its_frames_at_every_q) {
  Random random(5);
  for (int trial = 0; trial < 40; ++trial) {
    const Convention convention = trial % 2 ? Convention::standard : Convention::modified;
    const DhTable table = random_table(random, convention, 1 + static_cast<std::size_t>(trial) % 7);
    const RobotDescription robot = from_dh(table);
    const std::vector<double> q = random.numbers(table.rows.size(), 3);
    const std::vector<Pose> frames = elementary_frames(table, q);
    const WorldState state = world_state(robot, q);
    const double bound = 200 * epsilon;
    EXPECT_LE(distance(state.frames.at("base"), frames[0]), bound);
    EXPECT_LE(distance(state.frames.at("tool"), frames.back() * table.tool), bound);
    for (std::size_t i = 1; i < frames.size(); ++i) {
      const std::string number = std::to_string(i);
      const std::string frame = convention == Convention::standard ? "frame_" : "link_";
      EXPECT_LE(distance(state.frames.at(frame + number), frames[i]), bound);
      // The link's inertia, seen from the world, is the row's.
      const Inertial &file = table.rows[i - 1].inertial, &body = robot.links[i].inertial;
      EXPECT_LE(distance(transported(frames[i],
                                     Inertia<double>::at_com(file.mass, file.com, file.about_com)),
                         transported(state.frames.at("link_" + number),
                                     Inertia<double>::at_com(body.mass, body.com, body.about_com))),
                100 * bound);
    }
  }
}

TEST(Dh, K_1_2_1_axes_of_the_description_are_z_of_the_link_frames) {
  Random random(6);
  const RobotDescription robot = from_dh(random_table(random, Convention::standard, 4));
  for (const Joint& joint : robot.joints)
    EXPECT_EQ(distance(joint.axis, Vec3<double>::unit_z()), 0);
}

TEST(Dh, K_1_2_1_a_joint_of_three_degrees_of_freedom_is_three_rows_of_zero_length) {
  DhTable wrist;
  wrist.rows = {row(0, -quarter, 0, 0), row(0, quarter, 0, 0), row(0, 0, 0, 0)};
  ModelBuilder builder;
  builder.spherical_euler("ball", "base", "hand", EulerOrder::zyz);
  const Model<double> rows(from_dh(wrist)), ball = builder.build();
  Random random(7);
  for (int trial = 0; trial < 20; ++trial) {
    const std::vector<double> q = random.numbers(3, 3), v = random.numbers(3, 2);
    const TreeMotion three = tree_motion(rows, q, v), one = tree_motion(ball, q, v);
    EXPECT_LE(distance(three.T[3], one.T[1]), 20 * epsilon);
    EXPECT_LE(distance(three.V[3].w, one.V[1].w), 40 * epsilon);
    EXPECT_LE(distance(three.V[3].v, one.V[1].v), 40 * epsilon);
  }
}

TEST(Dh, names_limits_and_motors_of_a_row_reach_its_joint) {
  DhTable table = stanford(0, 0.1, 0);
  table.name = "arm", table.root = "floor", table.source = "textbook";
  table.has_inertial = true, table.inertial.mass = 7;
  DhRow& waist = table.rows[0];
  waist.name = "waist", waist.link = "column", waist.continuous = true;
  waist.limits.lower = -1, waist.limits.velocity = 2;
  waist.friction.coulomb = 0.5, waist.actuator.rotor_inertia = 1e-3, waist.spring.stiffness = 4;
  const RobotDescription robot = from_dh(table);
  EXPECT_EQ(robot.root, "floor");
  EXPECT_EQ(robot.source, "textbook");
  EXPECT_EQ(robot.links[0].inertial.mass, 7);
  const Joint& first = robot.joints[0];
  EXPECT_EQ(first.name, "waist");
  EXPECT_EQ(first.parent, "floor");
  EXPECT_EQ(first.child, "column");
  EXPECT_EQ(first.kind, JointKind::continuous);
  EXPECT_EQ(first.limits.at(0).lower, -1);
  EXPECT_EQ(first.limits.at(0).velocity, 2);
  EXPECT_EQ(first.friction.at(0).coulomb, 0.5);
  EXPECT_EQ(first.actuator.at(0).rotor_inertia, 1e-3);
  EXPECT_EQ(first.spring.at(0).stiffness, 4);
  const Joint& third = robot.joints[2];
  EXPECT_EQ(third.name, "joint_3");
  EXPECT_EQ(third.child, "link_3");
  EXPECT_EQ(third.kind, JointKind::prismatic);
  EXPECT_TRUE(third.limits.empty() && third.friction.empty() && third.actuator.empty());
  EXPECT_FALSE(robot.links[3].has_inertial);
  EXPECT_EQ(robot.links[3].inertial.com.x, 0);
}

TEST(Dh, bad_tables_are_refused_with_row_and_value) {
  EXPECT_EQ(message_of([] { from_dh({}); }), "DH table 'robot' has no rows");
  DhTable table = stanford(0, 0.1, 0);
  table.rows[1].alpha = std::nan("");
  table.rows[1].origin = {"arm.yaml", 12};
  EXPECT_EQ(message_of([&] { from_dh(table); }),
            "arm.yaml:12: DH row 2 (joint 'joint_2'): alpha = nan is not a finite number");
  table = stanford(0, 0.1, 0);
  table.rows[2].continuous = true;
  EXPECT_EQ(message_of([&] { from_dh(table); }),
            "DH row 3 (joint 'joint_3'): a joint is prismatic or continuous, not both");
}

TEST(Dh, K_1_2_6_parameters_of_two_frames_are_those_that_placed_them) {
  Random random(7);
  for (int trial = 0; trial < 100; ++trial) {
    const double a = random(-2, 2), d = random(-2, 2);
    const double alpha = trial == 0 ? pi : random(-pi, pi),
                 theta = trial == 1 ? pi : random(-pi, pi);
    const Pose T = random.pose(1);
    const Pose next[] = {T * dh_transform(a, alpha, d, theta),
                         T * mdh_transform(a, alpha, d, theta)};
    for (const Convention convention : {Convention::standard, Convention::modified}) {
      const bool standard = convention == Convention::standard;
      const DhParameters found = dh_parameters_from_frames(T, next[standard ? 0 : 1], convention);
      EXPECT_TRUE(found.ok()) << found.message;
      EXPECT_NEAR(found.a, a, 32 * epsilon);
      EXPECT_NEAR(found.d, d, 32 * epsilon);
      EXPECT_NEAR(std::remainder(found.alpha - alpha, 2 * pi), 0, 32 * epsilon);
      EXPECT_NEAR(std::remainder(found.theta - theta, 2 * pi), 0, 32 * epsilon);
      EXPECT_LE(found.off_perpendicular, 8 * epsilon);
      EXPECT_LE(found.gap, 32 * epsilon);
    }
  }
}

TEST(Dh, K_1_2_6_half_a_turn_is_plus_pi) {
  const Pose about_z{{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}, {}};
  const Pose about_x{{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}, {}};
  for (const Convention convention : {Convention::standard, Convention::modified}) {
    EXPECT_EQ(dh_parameters_from_frames({}, about_z, convention).theta, pi);
    EXPECT_EQ(dh_parameters_from_frames({}, about_x, convention).alpha, pi);
  }
}

TEST(Dh, X_1_16_frames_off_the_two_conditions_are_refused_by_how_much) {
  const Pose T{exp(Vec3<double>{0.2, -0.4, 1.1}), {0.3, 0.1, -0.2}};
  for (const Convention convention : {Convention::standard, Convention::modified}) {
    const bool standard = convention == Convention::standard;
    // Turn about y of the joint's middle frame: x and z lose their right angle by 0.02 rad.
    const Pose tilt{rotation_y(0.02), {}}, shift{Mat3<double>::identity(), {0, 0.03, 0}};
    const Pose x = Tx(0.4) * Rx(0.9), z = Tz(0.1) * Rz(-0.7);
    const auto off = [&](const Pose& middle) {
      return dh_parameters_from_frames(T, T * (standard ? z * middle * x : x * middle * z),
                                       convention);
    };
    const DhParameters tilted = off(tilt), shifted = off(shift), both = off(shift * tilt);
    EXPECT_FALSE(tilted.ok());
    EXPECT_NEAR(tilted.off_perpendicular, 0.02, 8 * epsilon);
    EXPECT_NEAR(tilted.gap, 0, 8 * epsilon);
    EXPECT_FALSE(shifted.ok());
    EXPECT_NEAR(shifted.off_perpendicular, 0, 8 * epsilon);
    EXPECT_NEAR(shifted.gap, 0.03, 8 * epsilon);
    const std::string lines = standard ? "X of the next frame and Z of the previous one"
                                       : "X of the previous frame and Z of the next one";
    EXPECT_EQ(tilted.message, lines + " are off perpendicular by 0.02 rad");
    EXPECT_EQ(shifted.message, lines + " miss each other by 0.03 m");
    EXPECT_NEAR(both.gap, 0.03, 8 * epsilon);
    EXPECT_EQ(both.message,
              lines + " are off perpendicular by 0.02 rad and miss each other by 0.03 m");
  }
  // X along Z: no common normal, and the distance of the parallels is the gap.
  const DhParameters along = dh_parameters_from_frames({}, {rotation_y(-quarter), {0.3, 0.4, 5}});
  EXPECT_NEAR(along.off_perpendicular, quarter, 8 * epsilon);
  EXPECT_NEAR(along.gap, 0.5, 8 * epsilon);
}

}  // namespace
