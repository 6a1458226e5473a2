#include "torsor/kinematics/singularity.hpp"

#include <Eigen/Dense>

#include "kinematics/textbook_arms.hpp"
#include "support/allocation_counter.hpp"
#include "support/random_model.hpp"

namespace torsor {
namespace {

using testing::Convention;
using testing::dh_table;
using testing::q_puma;
using testing::q_stanford;
using testing::quarter_turn;
using Matrix = Eigen::MatrixXd;
constexpr double pi = std::numbers::pi;

SingularityReport report(const DhTable& table, const std::vector<double>& q,
                         double tolerance = 1e-10) {
  const Model<double> model(from_dh(table));
  SingularityWorkspace ws(model);
  return singularities(model, ws, q, model.frame("tool"), tolerance);
}
std::string text_of(const DhTable& table, const SingularityReport& r,
                    const SingularityText& how = {}) {
  return describe(Model<double>(from_dh(table)), r, how);
}
Manipulability ability(const Model<double>& model, const std::vector<double>& q,
                       const Frame& frame) {
  SingularityWorkspace ws(model);
  return manipulability(model, ws, q, frame);
}
std::vector<double> with(std::vector<double> q, std::size_t k, double value) {
  q[k] = value;
  return q;
}
void expect_values(const SingularCoordinate& found, int coordinate,
                   const std::vector<double>& expected, double tolerance = 1e-12) {
  EXPECT_EQ(found.coordinate, coordinate);
  ASSERT_EQ(found.values.size(), expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_NEAR(found.values[k], expected[k], tolerance);
}

TEST(Singularities, K_1_4_7_G_1_5_TV_11_stanford_determinant_splits_into_arm_and_wrist) {
  const SingularityReport r = report(testing::stanford_wrist(), q_stanford);
  ASSERT_TRUE(r.decoupled);
  EXPECT_NEAR(r.arm, -0.52181632666252975, 1e-15);
  EXPECT_NEAR(r.wrist, -0.89120736006143534, 1e-15);
  EXPECT_NEAR(r.determinant, 0.46504655092186872, 1e-15);
  EXPECT_NEAR(r.arm, -0.9 * 0.9 * std::sin(0.7), 1e-15);
  EXPECT_NEAR(r.wrist, -std::sin(1.1), 1e-15);
  EXPECT_EQ(r.rank, 6);
  EXPECT_FALSE(r.singular() || r.arm_singular || r.wrist_singular);
  EXPECT_NEAR(r.wrist_centre.x, 0.50957216620324521, 1e-15);
}

TEST(Singularities, TV_12_the_tool_does_not_change_the_determinant) {
  const SingularityReport r = report(testing::stanford_with_tool(), q_stanford);
  EXPECT_NEAR(r.determinant, 0.46504655092186872, 1e-15);
  EXPECT_NEAR(r.arm * r.wrist, r.determinant, 1e-15);
}

TEST(Singularities, G_1_5_conditions_of_the_stanford_arm_are_found_and_printed) {
  const SingularityReport r = report(testing::stanford_with_tool(), q_stanford);
  ASSERT_EQ(r.arm_where.size(), 2u);  // joint 1 plays no part
  expect_values(r.arm_where[0], 1, {0, pi});
  expect_values(r.arm_where[1], 2, {0}, 1e-6);  // d3 = 0: a double zero
  ASSERT_EQ(r.wrist_where.size(), 1u);
  expect_values(r.wrist_where[0], 4, {0, pi});
  const std::string text = text_of(testing::stanford_with_tool(), r);
  EXPECT_NE(text.find("|J| = |J11| |z4 z5 z6| = (-0.521816) (-0.891207) = 0.465047\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("arm singular where joint_2 = 0 or 3.14159 rad\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("wrist singular where joint_5 = 0 or 3.14159 rad\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("regular: rank 6 of 6"), std::string::npos) << text;
  // In degrees, and with angular rows first, which has the other sign.
  const std::string other =
      text_of(testing::stanford_with_tool(), r, {.degrees = true, .angular_first = true});
  EXPECT_NE(other.find("= -(-0.521816) (-0.891207) = -0.465047\n"), std::string::npos) << other;
  EXPECT_NE(other.find("arm singular where joint_2 = 0 or 180 deg\n"), std::string::npos) << other;
  EXPECT_NE(other.find("arm singular where joint_3 = 0 m\n"), std::string::npos) << other;
}

TEST(Singularities, G_1_5_stanford_arm_singularity_blocks_the_velocity_along_z1) {
  const SingularityReport r = report(testing::stanford_wrist(), with(q_stanford, 1, 0));
  EXPECT_TRUE(r.singular() && r.arm_singular && !r.wrist_singular);
  EXPECT_EQ(r.rank, 5);
  const Vec3<double> z1{-std::sin(0.3), std::cos(0.3), 0};
  EXPECT_NEAR(std::abs(dot(r.blocked.v, z1)), 1, 1e-14);
  EXPECT_NEAR(norm(r.blocked.w), 0, 1e-14);
  const std::string text = text_of(testing::stanford_wrist(), r);
  EXPECT_NE(text.find("singular: rank 5 of 6"), std::string::npos) << text;
}

TEST(Singularities, G_1_5_stanford_wrist_singularities_are_at_0_and_at_pi) {
  for (const double q5 : {0.0, pi}) {
    const SingularityReport r = report(testing::stanford_wrist(), with(q_stanford, 4, q5));
    EXPECT_TRUE(r.singular() && !r.arm_singular && r.wrist_singular);
    const double sign = q5 == 0 ? -1 : 1, half = 1 / std::sqrt(2.0);
    const double expected[] = {0, 0, 0, half, 0, sign * half};
    const double facing = r.self_motion[3] > 0 ? 1 : -1;
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(facing * r.self_motion[k], expected[k], 1e-14);
  }
}

TEST(Singularities, G_1_5_stanford_arm_is_singular_with_the_arm_drawn_in) {
  const SingularityReport r = report(testing::stanford_wrist(), with(q_stanford, 2, 0));
  EXPECT_TRUE(r.singular() && r.arm_singular);
}

TEST(Singularities, the_number_of_vanishing_factors_is_not_the_rank_defect) {
  const SingularityReport r = report(testing::stanford_wrist(), with(with(q_stanford, 1, 0), 4, 0));
  EXPECT_TRUE(r.arm_singular && r.wrist_singular);
  EXPECT_EQ(r.rank, 5);
}

TEST(Singularities, TV_22_puma_factors_and_conditions) {
  for (const DhTable& table : {testing::puma(), testing::puma_modified()}) {
    const SingularityReport r = report(table, q_puma);
    ASSERT_TRUE(r.decoupled);  // although d4 is not zero
    EXPECT_NEAR(r.arm, -0.057241603497662934, 1e-16);
    EXPECT_NEAR(r.wrist, -std::sin(1.1), 1e-15);
    EXPECT_NEAR(r.determinant, 0.051014138338835607, 1e-16);
    ASSERT_EQ(r.arm_where.size(), 2u);
    EXPECT_EQ(r.arm_where[0].coordinate, 1);
    bool shoulder = false;
    for (const double x : r.arm_where[0].values)
      shoulder |= std::abs(x - 1.9303946994341551) < 1e-12;
    EXPECT_TRUE(shoulder);
    bool stretched = false, folded = false;
    for (const double x : r.arm_where[1].values) {
      stretched |= std::abs(x - 1.6176827602667964) < 1e-12;
      folded |= std::abs(x + 1.5239098933229969) < 1e-12;
    }
    EXPECT_TRUE(stretched && folded);
  }
}

// Where joint 5 lines up axes 4 and 6, no other joint of the wrist changes anything; so it is with the
// arm where one of its own joints makes it singular. The values that rounding would give are none.
TEST(Singularities, a_factor_that_vanishes_for_every_value_of_a_joint_is_said_to_do_so) {
  for (const double q5 : {0.0, pi, -pi}) {
    for (const DhTable& table : {testing::puma(), testing::stanford_wrist()}) {
      for (unsigned seed = 1; seed <= 20; ++seed) {
        testing::Draw<double> draw(seed);
        std::vector<double> q{draw(-3, 3), draw(-3, 3), draw(0.1, 3), draw(-3, 3), q5, draw(-3, 3)};
        const SingularityReport r = report(table, q);
        EXPECT_EQ(r.wrist, 0);
        EXPECT_EQ(r.determinant, 0);
        for (const SingularCoordinate& c : r.wrist_where) {
          EXPECT_EQ(c.always, c.coordinate != 4) << c.coordinate;
          if (c.coordinate == 4) expect_values(c, 4, {0, pi}, 1e-9);
        }
        ASSERT_EQ(r.wrist_where.size(), 3u);  // joints 4 and 6 for every value, joint 5 at two
      }
    }
  }
  // The boom of a Stanford arm drawn in, and its shoulder upright.
  for (const auto& [joint, other] : {std::pair<std::size_t, int>{2, 1}, {1, 2}}) {
    const DhTable table = testing::stanford_wrist();
    const SingularityReport r = report(table, with(q_stanford, joint, 0));
    EXPECT_EQ(r.arm, 0);
    bool said = false;
    for (const SingularCoordinate& c : r.arm_where) said |= c.coordinate == other && c.always;
    EXPECT_TRUE(said) << text_of(table, r);
    EXPECT_NE(text_of(table, r).find("arm singular for every joint_" + std::to_string(other + 1)),
              std::string::npos);
  }
}

// The same arm ten thousand times smaller and larger is singular at the same angles.
TEST(Singularities, do_not_depend_on_the_size_of_the_arm) {
  const auto scaled = [](double size) {
    DhTable table = testing::puma();
    for (DhRow& row : table.rows) row.a *= size, row.d *= size;
    return table;
  };
  const SingularityReport plain = report(scaled(1), q_puma);
  for (const double size : {1e-4, 1e4}) {
    const SingularityReport r = report(scaled(size), q_puma);
    ASSERT_TRUE(r.decoupled);
    ASSERT_EQ(r.arm_where.size(), plain.arm_where.size());
    for (int k = 0; k < r.arm_where.size(); ++k)
      expect_values(r.arm_where[k], plain.arm_where[k].coordinate, plain.arm_where[k].values, 1e-9);
    const SingularityReport upright = report(scaled(size), with(q_puma, 4, 0));
    EXPECT_EQ(upright.wrist, 0);
  }
}

TEST(Manipulability, of_a_jacobian_in_hand_is_that_of_its_reference_and_order) {
  const Model<double> model(from_dh(testing::puma()));
  const Frame& tool = model.frame("tool");
  SingularityWorkspace ws(model);
  KinematicsWorkspace<double> kinematics(model);
  for (const Reference reference : {Reference::body, Reference::world, Reference::world_aligned}) {
    Matrix J(6, 6);
    jacobian<double, double>(model, kinematics, q_puma, tool, reference, J);
    const Manipulability m = manipulability(model, ws, InMatrix<double>(J), tool);
    const Eigen::JacobiSVD<Matrix> svd(J);
    for (int k = 0; k < 6; ++k)
      EXPECT_NEAR(m.sigma[static_cast<std::size_t>(k)], svd.singularValues()[k], 1e-14);
    EXPECT_NEAR(m.determinant, J.determinant(), 1e-15);
    EXPECT_NEAR(m.measure, std::abs(J.determinant()), 1e-15);
    EXPECT_EQ(m.rank, 6);
    Matrix linear_first(6, 6);
    linear_first << J.bottomRows(3), J.topRows(3);
    EXPECT_NEAR(manipulability(model, ws, InMatrix<double>(linear_first), tool).determinant,
                -m.determinant, 1e-15);
  }
}

/// The arm factors of the five basic structures, each with the wrist (0, -90, d4), (0, 90, 0), (0,
/// 0, d6).
TEST(Singularities, X_1_34_arm_factors_of_the_five_structures) {
  constexpr double h = quarter_turn;
  const auto arm = [&](std::vector<std::array<double, 4>> rows, std::vector<int> sliders, double d4,
                       const std::vector<double>& q) {
    rows.insert(rows.end(), {{0, -h, d4, 0}, {0, h, 0, 0}, {0, 0, 0.1, 0}});
    return report(dh_table(Convention::standard, rows, sliders), q);
  };
  const std::vector<double> q{0.4, -0.6, 0.9, -0.5, 1.1, 0.3};
  const double s2 = std::sin(-0.6), c2 = std::cos(-0.6), s3 = std::sin(0.9), c3 = std::cos(0.9),
               s23 = std::sin(0.3), c23 = std::cos(0.3);
  const double a2 = 0.5, a3 = 0.1, d4 = 0.45, X = a2 * c2 + a3 * c23 + d4 * s23;
  const auto elbow = arm({{0, -h, 0.6, 0}, {a2, 0, 0, 0}, {a3, h, 0.2, 0}}, {}, d4, q);
  EXPECT_NEAR(elbow.arm, a2 * (a3 * s3 - d4 * c3) * X, 1e-15);
  const auto scara = arm({{0.5, 0, 0.6, 0}, {0.4, 0, 0, 0}, {0, 0, 0, 0}}, {3}, 0, q);
  EXPECT_NEAR(scara.arm, 0.5 * 0.4 * s2, 1e-15);
  expect_values(scara.arm_where.at(0), 1, {0, pi});
  const auto spherical = arm({{0, -h, 0.4, 0}, {0, h, 0.15, 0}, {0, 0, 0, 0}}, {3}, 0, q);
  EXPECT_NEAR(spherical.arm, -0.9 * 0.9 * s2, 1e-15);
  const auto cylindrical = arm({{0, 0, 0.6, 0}, {0, -h, 0, 0}, {0, 0, 0, 0}}, {2, 3}, 0, q);
  EXPECT_NEAR(cylindrical.arm, 0.9, 1e-15);
  expect_values(cylindrical.arm_where.at(0), 2, {0});
  const auto cartesian = arm({{0, -h, 0, 0}, {0, -h, 0, -h}, {0, 0, 0, 0}}, {1, 2, 3}, 0, q);
  EXPECT_NEAR(cartesian.arm, -1, 1e-15);
  EXPECT_TRUE(cartesian.arm_where.empty());
  for (const auto* r : {&elbow, &scara, &spherical, &cylindrical, &cartesian}) {
    EXPECT_TRUE(r->decoupled);
    EXPECT_NEAR(r->arm * r->wrist, r->determinant, 1e-15);
  }
}

TEST(Singularities, an_arm_without_spherical_wrist_is_not_split) {
  const SingularityReport r = report(testing::random_chain(3, Convention::standard, 6), q_puma);
  EXPECT_FALSE(r.decoupled);
  EXPECT_NE(r.determinant, 0);
  EXPECT_EQ(text_of(testing::random_chain(3, Convention::standard, 6), r).find("|J| = "), 0u);
}

TEST(Singularities, of_a_planar_arm_are_counted_from_the_rank_it_can_have) {
  const DhTable table = testing::planar({0.5, 0.4, 0.3});
  const SingularityReport bent = report(table, {0.3, 0.5, -0.4});
  EXPECT_EQ(bent.generic_rank, 3);
  EXPECT_FALSE(bent.singular());
  const SingularityReport stretched = report(table, {0.3, 0, 0});
  EXPECT_TRUE(stretched.singular());
  EXPECT_EQ(stretched.rank, 2);
}

TEST(Singularities, of_a_frame_that_no_joint_carries_there_are_none) {
  const Model<double> model(from_dh(testing::puma()));
  SingularityWorkspace ws(model);
  const Frame& base = model.frame("base");
  const SingularityReport r = singularities(model, ws, q_puma, base);
  EXPECT_EQ(r.rank, 0);
  EXPECT_EQ(r.generic_rank, 0);
  EXPECT_FALSE(r.singular());
  EXPECT_FALSE(nearest_singularity(model, ws, q_puma, base).converged);
  EXPECT_EQ(manipulability(model, ws, q_puma, base).measure, 0);
}

TEST(Singularities, refuse_a_configuration_of_another_size) {
  const Model<double> model(from_dh(testing::puma()));
  SingularityWorkspace ws(model);
  const std::vector<double> q{1, 2};
  EXPECT_THROW((void)singularities(model, ws, q, model.frame("tool")), Error);
  EXPECT_THROW((void)manipulability(model, ws, q, model.frame("tool")), Error);
  EXPECT_THROW((void)nearest_singularity(model, ws, q, model.frame("tool")), Error);
}

TEST(Manipulability, measure_is_the_root_of_the_gram_determinant) {
  const Model<double> stanford(from_dh(testing::stanford_with_tool()));
  EXPECT_NEAR(ability(stanford, q_stanford, stanford.frame("tool")).measure, 0.46504655092186872,
              1e-14);
  const Model<double> seven(from_dh(testing::seven_revolute()));
  const std::vector<double> q{0.1, -0.6, 0.3, 1.2, -0.4, 0.8, 0.5};
  KinematicsWorkspace<double> ws(seven);
  Matrix J(6, 7);
  jacobian(seven, ws, q, seven.frame("tool"), Reference::world_aligned, J);
  const Manipulability m = ability(seven, q, seven.frame("tool"));
  EXPECT_NEAR(m.measure, std::sqrt((J * J.transpose()).determinant()), 1e-14);
  const Eigen::VectorXd sigma = Eigen::JacobiSVD<Matrix>(J).singularValues();
  EXPECT_NEAR(m.inverse_condition, sigma[5] / sigma[0], 1e-14);
}

TEST(Manipulability, ellipsoids_have_the_axes_and_radii_of_J_J_transposed) {
  const Model<double> model(testing::random_tree(5, 12));
  const std::vector<double> q = testing::random_q(model, 5);
  KinematicsWorkspace<double> ws(model);
  Matrix J(6, model.n_v());
  for (const Frame& frame : model.frames()) {
    if (frame.body == 0) continue;
    jacobian(model, ws, q, frame, Reference::world_aligned, J);
    const Manipulability m = ability(model, q, frame);
    for (const bool linear : {false, true}) {
      const Ellipsoid& e = linear ? m.linear : m.angular;
      Matrix axes(3, 3), radii = Matrix::Zero(3, 3);
      for (int k = 0; k < 3; ++k) {
        radii(k, k) = e.radii[k];
        for (int r = 0; r < 3; ++r) axes(r, k) = e.axes(r, k);
      }
      const Matrix block = linear ? J.bottomRows(3) : J.topRows(3);
      const double size = 1 + block.squaredNorm();
      EXPECT_LE((axes * radii * radii * axes.transpose() - block * block.transpose()).norm(),
                1e-14 * size);
      EXPECT_LE((axes.transpose() * axes - Matrix::Identity(3, 3)).norm(), 1e-14);
    }
  }
}

TEST(Manipulability, does_not_depend_on_joints_that_do_not_carry_the_frame) {
  const DhTable table = testing::planar({1, 0.5, 0.25});
  const Model<double> model(from_dh(table));
  DhTable shorter = table;
  shorter.rows.pop_back();
  const Model<double> stub(from_dh(shorter));
  const Manipulability whole = ability(model, {0.3, 0.5, 0.7}, model.frame("frame_2"));
  const Manipulability part = ability(stub, {0.3, 0.5}, stub.frame("tool"));
  EXPECT_NEAR(whole.measure, part.measure, 1e-15);
  EXPECT_NEAR(whole.inverse_condition, part.inverse_condition, 1e-15);
  EXPECT_GT(part.measure, 0);
}

TEST(Manipulability, of_one_and_two_joints_has_flat_ellipsoids_with_three_axes) {
  const Model<double> model(from_dh(testing::planar({1, 1})));
  const std::vector<double> q{0.3, 0.5};
  for (const char* frame : {"link_1", "tool"}) {
    const Ellipsoid e = ability(model, q, model.frame(frame)).linear;
    EXPECT_NEAR(std::abs(determinant(e.axes)), 1, 1e-14) << frame;
    EXPECT_EQ(e.radii.z, 0);
  }
}

TEST(Manipulability, a_call_allocates_nothing) {
  const Model<double> model(from_dh(testing::puma()));
  SingularityWorkspace ws(model);
  const Frame& tool = model.frame("tool");
  const testing::AllocationCounter counter;
  const Manipulability m = manipulability(model, ws, q_puma, tool);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_GT(m.measure, 0);
}

TEST(NearestSingularity, of_the_stanford_arm_with_an_almost_straight_wrist_straightens_it) {
  const Model<double> model(from_dh(testing::stanford_wrist()));
  SingularityWorkspace ws(model);
  const std::vector<double> q = with(q_stanford, 4, 0.1);
  const NearestSingularity found = nearest_singularity(model, ws, q, model.frame("tool"));
  ASSERT_TRUE(found.converged);
  EXPECT_NEAR(found.distance, 0.1, 1e-6);  // |z4 z5 z6| depends on joint 5 alone
  for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(found.q[k], k == 4 ? 0 : q[k], 1e-6);
  EXPECT_LE(found.sigma, 1e-8);
}

TEST(NearestSingularity, of_the_puma_is_the_nearest_of_elbow_shoulder_and_wrist) {
  const Model<double> model(from_dh(testing::puma()));
  SingularityWorkspace ws(model);
  // elbow: joint 3 alone; wrist: joint 5 alone; shoulder: X(q2, q3) = 0, nearest point by a scan
  double best = std::min(1.6176827602667964 - 0.9, 1.1);
  for (double q3 = -3; q3 < 3; q3 += 1e-5) {
    const double A =
        testing::puma_a2 + testing::puma_a3 * std::cos(q3) + testing::puma_d4 * std::sin(q3);
    const double B = -testing::puma_a3 * std::sin(q3) + testing::puma_d4 * std::cos(q3);
    for (const double half_turn : {0.0, pi, -pi}) {
      const double q2 = std::atan2(-A, B) + half_turn;
      best = std::min(best, std::hypot(q2 + 0.6, q3 - 0.9));
    }
  }
  const NearestSingularity found = nearest_singularity(model, ws, q_puma, model.frame("tool"));
  ASSERT_TRUE(found.converged);
  EXPECT_NEAR(found.distance, best, 1e-6);
  EXPECT_TRUE(report(testing::puma(), found.q, 1e-7).singular());
}

TEST(NearestSingularity, is_found_for_trees_with_quaternions_too) {
  testing::RandomTree options;
  options.kinds = {JointKind::spherical, JointKind::revolute, JointKind::revolute,
                   JointKind::revolute};
  options.chain = true;
  const Model<double> model(testing::random_tree(6, 4, options));
  SingularityWorkspace ws(model);
  const std::vector<double> q = testing::random_q(model, 6);
  const NearestSingularity found = nearest_singularity(model, ws, q, model.frame("link_4"));
  ASSERT_TRUE(found.converged);
  EXPECT_TRUE(singularities(model, ws, found.q, model.frame("link_4"), 1e-7).singular());
}

}  // namespace
}  // namespace torsor
