#include "torsor/kinematics/inverse_velocity.hpp"

#include <Eigen/Dense>

#include "kinematics/textbook_arms.hpp"
#include "support/allocation_counter.hpp"
#include "support/random_model.hpp"
#include "torsor/kinematics/textbook_recursion.hpp"
#include "torsor/model/error.hpp"

namespace torsor {
namespace {

using testing::common_qd;
using testing::common_xdot;
using testing::q_stanford;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

Vector vector_of(const std::vector<double>& x) {
  return Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
}
void expect_near(const Vector& found, const std::vector<double>& expected,
                 double tolerance = 1e-14) {
  ASSERT_EQ(found.size(), static_cast<Eigen::Index>(expected.size()));
  EXPECT_LE((found - vector_of(expected)).cwiseAbs().maxCoeff(), tolerance) << found.transpose();
}
Matrix textbook_J(const DhTable& table, const std::vector<double>& q) {
  Matrix J(6, q.size());
  textbook_jacobian(table, q, J);
  return J;
}
/// Linear first, as the textbook's numbers are.
InverseVelocity solve(const DhTable& table, const std::vector<double>& q,
                      const std::vector<double>& xdot, Vector& qd,
                      const InverseVelocityOptions& options = {}) {
  InverseVelocityWorkspace ws{Model<double>(from_dh(table))};
  qd.resize(static_cast<Eigen::Index>(q.size()));
  const Matrix J = textbook_J(table, q);
  return inverse_velocity(ws, J, xdot, options, qd);
}

TEST(InverseVelocity, K_1_4_6_TV_19_six_joints_have_one_answer) {
  Vector qd;
  const auto found = solve(testing::stanford_wrist(), q_stanford, common_xdot, qd);
  expect_near(qd, {-0.38051202405274899, -0.23228572526929282, 0.21615136731249015,
                   1.0142758982087109, -0.53597465425631937, -0.24989354698977544});
  EXPECT_EQ(found.solvability, Solvability::unique);
  EXPECT_EQ(found.rank, 6);
  EXPECT_EQ(found.damping, 0);
  EXPECT_LE(found.residual, 1e-14);
}

TEST(InverseVelocity, K_1_4_6_TV_20_seven_joints_have_the_least_weighted_answer) {
  const std::vector<double> q{0.1, -0.6, 0.3, 1.2, -0.4, 0.8, 0.5};
  Vector qd;
  const auto plain = solve(testing::seven_revolute(), q, common_xdot, qd);
  expect_near(qd,
              {0.71459021939344696, 0.61808296634341169, -0.62752083658667625, -0.93991127208194598,
               0.23715240324815665, -0.35191555806158509, -0.33778171528930526},
              4e-14);
  EXPECT_NEAR(qd.squaredNorm(), 2.464063644229748, 1e-13);
  EXPECT_EQ(plain.solvability, Solvability::infinitely_many);
  const Matrix D = Vector::LinSpaced(7, 1, 7).asDiagonal();
  EXPECT_NEAR(qd.dot(D * qd), 7.81272136897181, 1e-12);
  InverseVelocityOptions options;
  options.weight = D;
  const auto weighted = solve(testing::seven_revolute(), q, common_xdot, qd, options);
  expect_near(qd,
              {0.91942521483441893, 0.6538603448670879, -0.60106091694656081, -0.93991127208194598,
               -0.070303335683587581, -0.29803529781816645, -0.16013103225757009},
              4e-14);
  EXPECT_NEAR(qd.dot(D * qd), 7.0551215619991604, 1e-12);
  EXPECT_LE(weighted.residual, 1e-14);
}

TEST(InverseVelocity, weighted_answer_has_the_smallest_cost_along_the_null_space) {
  testing::Draw<double> draw(5);
  const std::vector<double> q{0.1, -0.6, 0.3, 1.2, -0.4, 0.8, 0.5};
  Matrix B(7, 7);
  for (int k = 0; k < 49; ++k) B(k / 7, k % 7) = draw();
  const Matrix D = B * B.transpose() + 0.5 * Matrix::Identity(7, 7);
  InverseVelocityOptions options;
  options.weight = D;
  Vector qd;
  const auto found = solve(testing::seven_revolute(), q, common_xdot, qd, options);
  EXPECT_LE(found.residual, 1e-13);
  const Vector null =
      Eigen::FullPivLU<Matrix>(textbook_J(testing::seven_revolute(), q)).kernel().col(0);
  EXPECT_NEAR(null.normalized().dot(D * qd), 0, 1e-12);  // stationary; D is positive: least
}

TEST(InverseVelocity, K_1_4_6_TV_21_three_joints_have_the_least_squares_answer) {
  Vector qd;
  const auto found = solve(testing::planar({0.5, 0.4, 0.3}), {0.3, 0.5, -0.4}, common_xdot, qd);
  expect_near(qd, {-0.60028445409763826, 0.31661359076033812, 0.88367086333730015}, 2e-14);
  EXPECT_NEAR(found.residual, 0.70710678118654752, 1e-15);
  EXPECT_EQ(found.solvability, Solvability::none);
  EXPECT_EQ(found.rank, 3);
}

TEST(InverseVelocity, K_1_4_6_given_the_derivative_of_the_pose) {
  const DhTable table = testing::stanford_with_tool();
  HomogeneousMotion<double> m(table);
  homogeneous_motion(table, q_stanford, common_qd, {}, m);
  const auto &A = m.A[6], &B = m.Adot[6];
  const SO3<double> R{{A[0], A[4], A[8]}, {A[1], A[5], A[9]}, {A[2], A[6], A[10]}};
  const Mat3<double> Rdot{{B[0], B[4], B[8]}, {B[1], B[5], B[9]}, {B[2], B[6], B[10]}};
  const Vec3<double> w = omega_from_Rdot(R, Rdot);
  Vector qd;
  const auto found = solve(table, q_stanford, {B[3], B[7], B[11], w.x, w.y, w.z}, qd);
  expect_near(qd, common_qd);
  EXPECT_EQ(found.solvability, Solvability::unique);
}

TEST(InverseVelocity, of_a_frame_gives_back_the_joint_velocity_in_every_reference) {
  const Model<double> model(from_dh(testing::stanford_with_tool()));
  InverseVelocityWorkspace ws(model);
  VelocityWorkspace<double> velocity(model);
  forward_velocity(model, velocity, q_stanford, common_qd);
  const Frame& tool = model.frame("tool");
  for (const Reference reference : {Reference::body, Reference::world, Reference::world_aligned}) {
    Vector qd(6);
    const auto found = inverse_velocity(model, ws, q_stanford, tool, reference,
                                        frame_velocity(velocity, tool, reference), {}, qd);
    expect_near(qd, common_qd);
    EXPECT_EQ(found.solvability, Solvability::unique);
  }
}

TEST(InverseAcceleration, K_1_5_4_TV_18_uses_the_corrected_1_83) {
  const Model<double> model(from_dh(testing::stanford_wrist()));
  InverseVelocityWorkspace ws(model);
  const Twist<double> A{{0.4, -0.5, 0.6}, {0.1, -0.2, 0.3}};
  Vector qdd(6);
  const auto found = inverse_acceleration(model, ws, q_stanford, common_qd, model.frame("tool"),
                                          Reference::world_aligned, A, {}, qdd);
  expect_near(qdd, {-0.40547231312894455, 0.05090815564842796, 0.30967997978506817,
                    0.36185140857968652, -1.1964178160776332, -0.086243651875769327});
  EXPECT_EQ(found.solvability, Solvability::unique);
  EXPECT_GT(std::abs(qdd[1] - 0.057350332520804871), 1e-3);  // the printed formula's answer
}

TEST(InverseAcceleration, K_1_5_4_gives_back_qdd_on_random_chains_in_every_reference) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model<double> model(
        from_dh(testing::random_chain(seed, testing::Convention::modified, 6)));
    const std::vector<double> q = testing::random_q(model, seed),
                              qd = testing::random_velocity(model, seed + 1),
                              qdd = testing::random_velocity(model, seed + 2);
    InverseVelocityWorkspace ws(model);
    VelocityWorkspace<double> velocity(model);
    forward_acceleration(model, velocity, q, qd, qdd);
    const Frame& tool = model.frame("tool");
    for (const Reference reference :
         {Reference::body, Reference::world, Reference::world_aligned}) {
      Vector found(6);
      const auto result =
          inverse_acceleration(model, ws, q, qd, tool, reference,
                               frame_acceleration(velocity, tool, reference), {}, found);
      if (result.smallest < 0.01 * result.largest) continue;  // a chain with parallel sliders, say
      expect_near(found, qdd, 1e-11);
    }
  }
}

TEST(Solvability, K_1_4_7_tells_none_unique_and_infinitely_many_apart) {
  std::vector<double> q = q_stanford;
  q[4] = 0;  // wrist singular
  Vector qd;
  InverseVelocityOptions undamped;
  undamped.max_damping = 0;
  const Matrix J = textbook_J(testing::stanford_wrist(), q);
  const Vector reachable = J * vector_of(common_qd);
  const auto many =
      solve(testing::stanford_wrist(), q, {reachable.data(), reachable.data() + 6}, qd, undamped);
  EXPECT_EQ(many.solvability, Solvability::infinitely_many);
  EXPECT_EQ(many.rank, 5);
  EXPECT_LE(many.residual, 1e-14);
  EXPECT_NEAR(qd[3], qd[5], 1e-14);  // the least of them shares what joints 4 and 6 both can do
  const auto none = solve(testing::stanford_wrist(), q, common_xdot, qd, undamped);
  EXPECT_EQ(none.solvability, Solvability::none);
  EXPECT_GT(none.residual, 0.01);
  EXPECT_STREQ(name_of(many.solvability), "infinitely many");
}

TEST(Damping, is_reported_bounds_the_joint_velocity_and_fades_away_from_the_singularity) {
  double before = 1e300;
  for (const double q5 : {1e-8, 1e-6, 1e-4, 3e-4}) {
    std::vector<double> q = q_stanford;
    q[4] = q5;
    Vector qd;
    const auto found = solve(testing::stanford_wrist(), q, common_xdot, qd);
    EXPECT_GT(found.damping, 0);
    EXPECT_LT(found.damping, before + 1e-15);
    EXPECT_LT(qd.norm(),
              0.5 * 1.0 / found.damping + 2);  // gain of a direction is at most 1 / (2 lambda)
    before = found.damping;
    InverseVelocityOptions undamped;
    undamped.near = 0;
    const auto wild = solve(testing::stanford_wrist(), q, common_xdot, qd, undamped);
    EXPECT_EQ(wild.damping, 0);
    if (q5 > 1e-7 && q5 < 1e-3) {
      EXPECT_GT(qd.norm(), 0.1 / q5 * 0.1);
    }
  }
  std::vector<double> q = q_stanford;
  q[4] = 0.1;
  Vector qd;
  EXPECT_EQ(solve(testing::stanford_wrist(), q, common_xdot, qd).damping, 0);
}

TEST(Damping, answer_is_the_minimum_of_the_squares_with_the_near_direction_damped) {
  Vector qd;
  const std::vector<double> q = {0.3, 0.7, 0.9, -0.5, 1e-5, 0.4};
  const auto found = solve(testing::stanford_wrist(), q, common_xdot, qd);
  const Matrix J = textbook_J(testing::stanford_wrist(), q);
  const Eigen::JacobiSVD<Matrix> svd(J, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Vector v = svd.matrixV().col(5);
  const Matrix damped = J.transpose() * J + found.damping * found.damping * v * v.transpose();
  const Vector expected = damped.ldlt().solve(J.transpose() * vector_of(common_xdot));
  EXPECT_LE((qd - expected).norm(), 1e-9);
}

TEST(Damping, answer_at_the_singularity_is_the_limit_of_the_damped_ones) {
  Vector near, there;
  std::vector<double> q = q_stanford;
  q[4] = 1e-8;
  const auto damped = solve(testing::stanford_wrist(), q, common_xdot, near);
  q[4] = 0;
  const auto lost = solve(testing::stanford_wrist(), q, common_xdot, there);
  EXPECT_EQ(damped.rank, 6);
  EXPECT_EQ(lost.rank, 5);
  EXPECT_EQ(lost.damping, 0);
  EXPECT_LE((near - there).norm(), 1e-3);  // gain of the lost direction: sigma / lambda^2 = 1e-4
}

/// A planar arm never moves out of its plane, and joints elsewhere never move the frame: singular
/// values that are always zero must not damp the motion that there is.
TEST(Damping, leaves_arms_alone_that_lack_a_direction_everywhere) {
  const std::vector<double> q{0.3, 0.5, -0.4, 0.7};
  const DhTable table = testing::planar({0.5, 0.4, 0.3, 0.2});
  const Vector reachable = textbook_J(table, q) * Vector::LinSpaced(4, -0.5, 0.7);
  Vector qd;
  const auto found = solve(table, q, {reachable.data(), reachable.data() + 6}, qd);
  EXPECT_EQ(found.rank, 3);
  EXPECT_EQ(found.damping, 0);
  EXPECT_LE(found.residual, 1e-14);
  EXPECT_EQ(found.solvability, Solvability::infinitely_many);
}

TEST(InverseVelocity, a_weight_that_is_not_positive_is_refused) {
  Matrix D = Matrix::Identity(6, 6);
  D(2, 2) = -1;
  InverseVelocityOptions options;
  options.weight = D;
  Vector qd;
  const auto found = solve(testing::stanford_wrist(), q_stanford, common_xdot, qd, options);
  EXPECT_FALSE(found.weight_ok);
  EXPECT_EQ(qd.norm(), 0);
}

TEST(InverseVelocity, sizes_that_do_not_fit_and_numbers_that_are_none_are_refused) {
  const Model<double> model(from_dh(testing::stanford_wrist()));
  InverseVelocityWorkspace ws(model);
  const Frame& tool = model.frame("tool");
  const double nan = std::nan("");
  Vector qd(6), short_qd(5);
  const auto message = [&](const std::vector<double>& q, const Twist<double>& V, Vector& out,
                           const InverseVelocityOptions& options) -> std::string {
    try {
      const auto found = inverse_velocity(model, ws, q, tool, Reference::body, V, options, out);
      return name_of(found.solvability);
    } catch (const Error& error) {
      return error.what();
    }
  };
  const Twist<double> V{{1, 0, 0}, {}};
  EXPECT_EQ(message(q_stanford, V, qd, {}), "unique");
  EXPECT_EQ(message({1, 2}, V, qd, {}),
            "inverse_velocity: q has 2 numbers, robot \"robot\" has 6 coordinates");
  EXPECT_NE(message({0, nan, 0, 0, 0, 0}, V, qd, {}).find("joint_2 = "), std::string::npos);
  EXPECT_NE(message(q_stanford, {{0, nan, 0}, {}}, qd, {}).find("x'[1] = "), std::string::npos);
  EXPECT_EQ(message(q_stanford, V, short_qd, {}),
            "inverse_velocity: J is 6 x 6, x' has 6 numbers and qd 5");
  const Matrix D = Matrix::Identity(5, 5);
  InverseVelocityOptions options;
  options.weight = D;
  EXPECT_EQ(message(q_stanford, V, qd, options),
            "inverse_velocity: the weight is 5 x 5 for 6 joints");
}

TEST(InverseVelocity, calls_allocate_nothing) {
  const Model<double> model(from_dh(testing::seven_revolute()));
  InverseVelocityWorkspace ws(model);
  const Frame& tool = model.frame("tool");
  const std::vector<double> q{0.1, -0.6, 0.3, 1.2, -0.4, 0.8, 0.5};
  const Twist<double> V{{1, 2, 3}, {4, 5, 6}};
  const Matrix D = Matrix::Identity(7, 7) * 2;
  InverseVelocityOptions options;
  options.weight = D;
  Vector qd(7), qdd(7);
  const testing::AllocationCounter counter;
  const auto a = inverse_velocity(model, ws, q, tool, Reference::body, V, options, qd);
  const auto b = inverse_acceleration(model, ws, q, q, tool, Reference::world, V, {}, qdd);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_EQ(a.rank + b.rank, 12);
}

TEST(DeterminantMethod, TV_19_exact_on_small_integers) {
  Matrix J(3, 3);
  J << 1, 1, 0, 0, 1, 1, 1, 0, 1;
  const double xdot[] = {1, 2, 3};
  Vector qd(3);
  const auto found = inverse_velocity_by_determinants(J, xdot, qd);
  EXPECT_EQ(qd, Eigen::Vector3d(1, 0, 2));
  const double normals[3][3] = {{1, 0, 1}, {-1, -2, 1}, {-2, 2, 2}}, pivots[] = {2, -3, 4};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found.pivots[i], pivots[i]);
    for (std::size_t r = 0; r < 3; ++r) EXPECT_EQ(found.normals[i][r], normals[i][r]);
  }
}

TEST(DeterminantMethod, TV_19_stanford_normals_pivots_and_joint_velocity) {
  const double normals[6][6] = {
      {-0.31464188302947632, 0.50957216620324521, 0, 0, 0, 1},
      {-0.86098737514778337, -0.32899951138781624, 0.78774744010593553, 0.40151246130487801,
       -1.2979806337329669, -0.10325369528340594},
      {1.4584570976449062, 0.55730395863575406, 1.8669458093817349, -0.0029486056170880792,
       0.0095320403632266388, 0.17490510208503312},
      {-0.30131445492827023, 0.74696643874483688, 0.056528514520746181, -1.5198642001829912,
       -0.38748420541153697, -0.47543945375496142},
      {-0.53966272749146676, 0.11734359035284046, 0.40504139957804414, 0.093187615626630374,
       0.62114155730630357, -0.22959552430490138},
      {-0.016967769439036546, -0.27971042099146488, 0.083277061189636754, -0.18998872227668998,
       0.063010420009542849, 0.13719387420713397}};
  const double pivots[] = {1.3586633071254024, -2.4485192603072999, 2.4316177162546061,
                           -1.372797451929888, 0.667453732831725,   -0.21626829452432623};
  const Matrix J = textbook_J(testing::stanford_wrist(), q_stanford);
  Vector qd(6);
  const auto found = inverse_velocity_by_determinants(J, common_xdot, qd);
  EXPECT_FALSE(found.singular);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(found.pivots[i], pivots[i], 1e-14);
    for (std::size_t r = 0; r < 6; ++r) EXPECT_NEAR(found.normals[i][r], normals[i][r], 1e-14);
  }
  expect_near(qd,
              {-0.38051202405274899, -0.23228572526929282, 0.21615136731249015, 1.0142758982087109,
               -0.53597465425631937, -0.24989354698977544},
              3e-14);
}

TEST(DeterminantMethod,
     X_1_33_normals_are_orthogonal_to_earlier_columns_and_pivots_are_gram_determinants) {
  testing::Draw<double> draw(8);
  for (int trial = 0; trial < 20; ++trial) {
    Matrix J(6, 6);
    for (int k = 0; k < 36; ++k) J(k / 6, k % 6) = draw();
    Vector qd(6);
    const auto found = inverse_velocity_by_determinants(J, common_xdot, qd);
    for (int i = 0; i < 6; ++i) {
      const Eigen::Map<const Vector> n(found.normals[static_cast<std::size_t>(i)].data(), 6);
      for (int j = 0; j < i; ++j) EXPECT_NEAR(n.dot(J.col(j)), 0, 1e-11);
      const Matrix columns = J.leftCols(i + 1);
      const double gram = (columns.transpose() * columns).determinant();
      EXPECT_NEAR(found.pivots[static_cast<std::size_t>(i)], (i % 2 == 0 ? 1 : -1) * gram, 1e-11);
      // span{n_1 ... n_i} = span{J_1 ... J_i}
      const Vector inside = columns * columns.householderQr().solve(n);
      EXPECT_LE((inside - n).norm(), 1e-11);
    }
  }
}

TEST(DeterminantMethod, TV_21_with_three_columns_gives_the_least_squares_answer) {
  Vector qd(3);
  const Matrix J = textbook_J(testing::planar({0.5, 0.4, 0.3}), {0.3, 0.5, -0.4});
  EXPECT_FALSE(inverse_velocity_by_determinants(J, common_xdot, qd).singular);
  expect_near(qd, {-0.60028445409763826, 0.31661359076033812, 0.88367086333730015}, 1e-12);
}

TEST(DeterminantMethod, says_so_at_a_singularity) {
  std::vector<double> q = q_stanford;
  q[4] = 0;
  Vector qd(6);
  const Matrix J = textbook_J(testing::stanford_wrist(), q);
  EXPECT_TRUE(inverse_velocity_by_determinants(J, common_xdot, qd).singular);
  EXPECT_EQ(qd.norm(), 0);
}

}  // namespace
}  // namespace torsor
