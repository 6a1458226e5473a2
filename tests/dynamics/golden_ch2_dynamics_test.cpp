/// Huo 2005, sections 2.1 to 2.4: its robots, by every algorithm that claims them.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "dynamics/golden_ch2_robots.hpp"
#include "torsor/dynamics/aba.hpp"
#include "torsor/dynamics/christoffel.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/energy.hpp"
#include "torsor/dynamics/textbook/configuration_space.hpp"
#include "torsor/dynamics/textbook/textbook_forward.hpp"

namespace torsor {
namespace {

using testing::golden_robot;
using testing::golden_robots;
using testing::GoldenRobot;

/// Printed with 15 digits: 1e-13 of the largest number.
void expect_vector(const std::vector<double>& got, const std::vector<double>& expected,
                   const std::string& what) {
  double scale = 1;
  for (const double x : expected) scale = std::max(scale, std::abs(x));
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t k = 0; k < got.size(); ++k)
    EXPECT_NEAR(got[k], expected[k], 1e-13 * scale) << what << " [" << k << "]";
}

class GoldenCh2 : public ::testing::TestWithParam<GoldenRobot> {};
INSTANTIATE_TEST_SUITE_P(Robots, GoldenCh2, ::testing::ValuesIn(golden_robots()),
                         [](const auto& robot) { return robot.param.name; });

TEST_P(GoldenCh2, D_11_lagrange_recursion_gives_the_torques) {
  const DhTable table = GetParam().table();
  LagrangeWorkspace<double> ws(table);
  std::vector<double> tau(table.rows.size());
  for (const GravityForm form : {GravityForm::force, GravityForm::acceleration}) {
    lagrange_inverse_dynamics<double>(table, ws, GetParam().q(), GetParam().qd(), GetParam().qdd(),
                                      tau, form);
    expect_vector(tau, GetParam().tau, "tau");
  }
}

TEST_P(GoldenCh2, D_12_newton_euler_recursion_gives_the_torques) {
  const DhTable table = GetParam().table();
  TextbookWorkspace<double> ws(table);
  std::vector<double> tau(table.rows.size());
  textbook_inverse_dynamics<double>(table, ws, GetParam().q(), GetParam().qd(), GetParam().qdd(),
                                    tau);
  expect_vector(tau, GetParam().tau, "tau");
}

TEST_P(GoldenCh2, D_14_bias_without_and_with_velocity_is_G_and_C_qd) {
  const DhTable table = GetParam().table();
  TextbookWorkspace<double> ws(table);
  const std::vector<double> zero(table.rows.size());
  std::vector<double> G(zero), b(zero);
  textbook_inverse_dynamics<double>(table, ws, GetParam().q(), zero, zero, G);
  expect_vector(G, GetParam().G, "G");
  textbook_inverse_dynamics<double>(table, ws, GetParam().q(), GetParam().qd(), zero, b);
  for (std::size_t k = 0; k < b.size(); ++k)
    EXPECT_NEAR(b[k] - G[k], GetParam().Cqd[k], 1e-13 * (1 + std::abs(b[k]))) << k;
}

TEST_P(GoldenCh2, D_15_D_16_D_04_all_ways_to_H_agree) {
  const DhTable table = GetParam().table();
  const int n = GetParam().n();
  TextbookForwardWorkspace<double> ws(table);
  LagrangeWorkspace<double> lagrange(table);
  StoredMatrix<double> H(n, n);
  composite_body_mass_matrix<double>(table, ws, GetParam().q(), H.view());
  expect_vector(H.data, GetParam().H, "composite bodies");
  unit_acceleration_mass_matrix<double>(table, ws, GetParam().q(), H.view());
  expect_vector(H.data, GetParam().H, "unit accelerations");
  lagrange_mass_matrix<double>(table, lagrange, GetParam().q(), H.view());
  expect_vector(H.data, GetParam().H, "partial derivatives");
  const Eigen::Map<const Eigen::MatrixXd> matrix(H.data.data(), n, n);
  EXPECT_NEAR(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix).eigenvalues()[0],
              GetParam().least_eigenvalue, 1e-14 * matrix.norm());
}

TEST_P(GoldenCh2, D_17_forward_dynamics_gives_the_acceleration) {
  const DhTable table = GetParam().table();
  TextbookForwardWorkspace<double> ws(table);
  std::vector<double> qdd(table.rows.size());
  const auto result = textbook_forward_dynamics<double>(table, ws, GetParam().q(), GetParam().qd(),
                                                        GetParam().tau, qdd);
  ASSERT_TRUE(result);
  for (std::size_t k = 0; k < qdd.size(); ++k)  // tau has 15 digits, H its condition
    EXPECT_NEAR(qdd[k], GetParam().qdd()[k], 1e-13 / result.pivot_ratio) << k;
}

TEST_P(GoldenCh2, D_03_D_07_the_model_of_the_table_has_the_same_dynamics) {
  const Model<double> model(from_dh(GetParam().table()));
  const auto q = GetParam().q(), qd = GetParam().qd(), qdd = GetParam().qdd();
  ConfigurationSpaceWorkspace<double> ws(model);
  StoredMatrix<double> M(model.n_v(), model.n_v());
  std::vector<double> V(q.size()), G(q.size()), tau(q.size());
  state_space_form(model, ws, q, qd, M.view(), V, G);
  rigid_inverse_dynamics(model, ws.rnea, q, qd, qdd, {}, tau);
  expect_vector(tau, GetParam().tau, "tau");
  expect_vector(M.data, GetParam().H, "H");
  expect_vector(G, GetParam().G, "G");
  for (std::size_t k = 0; k < V.size(); ++k)
    EXPECT_NEAR(V[k], GetParam().Cqd[k], 1e-13 * (1 + std::abs(G[k]))) << k;
  MomentumWorkspace<double> momentum(model);
  EXPECT_NEAR(kinetic_energy(model, momentum, q, qd), GetParam().kinetic_energy, 1e-13);
  EXPECT_NEAR(potential_energy(model, momentum.kinematics), GetParam().potential_energy, 1e-12);
}

/// Numbers of example 2-1 in its notation: products of inertia are +int xy dm, about each O_i.
struct DdArm {
  double Ix, Iy, Iz, Ixy, Ixz, Iyz, mx, my, mz, m;

  explicit DdArm(const Inertial& link) {
    const auto I = Inertia<double>::at_com(link.mass, link.com, link.about_com);
    Ix = I.J.xx, Iy = I.J.yy, Iz = I.J.zz;
    Ixy = -I.J.xy, Ixz = -I.J.xz, Iyz = -I.J.yz;
    mx = I.h.x, my = I.h.y, mz = I.h.z, m = I.m;
  }
};

TEST(GoldenCh2DdArm, G_2_1_X_2_14_closed_form_of_H_C_and_G) {
  const GoldenRobot robot = golden_robot("DDARM_DH");
  const Model<double> model(from_dh(robot.table()));
  const DdArm l1(robot.links[0]), l2(robot.links[1]), l3(robot.links[2]);
  const double d2 = 0.462, g = 9.81;
  for (const std::vector<double>& q :
       {robot.q(), {1.1, 0.4, -2.0}, {-0.6, 1.9, 0.8}, {2.8, -2.2, 1.4}}) {
    const std::vector<double> qd = robot.qd();
    const double s2 = std::sin(q[1]), c2 = std::cos(q[1]), s3 = std::sin(q[2]), c3 = std::cos(q[2]);
    const double cs2 = c2 * s2, cs3 = c3 * s3, k3 = c3 * c3 - s3 * s3, k2 = c2 * c2 - s2 * s2;
    const double h11 = l1.Iy +
                       s2 * s2 * (l2.Ix + c3 * c3 * l3.Ix + 2 * cs3 * l3.Ixy + s3 * s3 * l3.Iy) +
                       2 * cs2 * (l2.Ixz + c3 * l3.Ixz - s3 * l3.Iyz) + c2 * c2 * (l2.Iz + l3.Iz) +
                       2 * d2 * (l2.my + s3 * l3.mx + c3 * l3.my) + d2 * d2 * (l2.m + l3.m);
    const double h12 = s2 * (l2.Ixy + d2 * l2.mx - cs3 * (l3.Ix - l3.Iy) + k3 * l3.Ixy +
                             d2 * (c3 * l3.mx - s3 * l3.my)) -
                       c2 * (l2.Iyz + s3 * l3.Ixz + c3 * l3.Iyz + d2 * (l2.mz + l3.mz));
    const double h13 =
        s2 * (c3 * l3.Ixz - s3 * l3.Iyz) + c2 * (l3.Iz + d2 * (s3 * l3.mx + c3 * l3.my));
    const double h22 = l2.Iy + s3 * s3 * l3.Ix - 2 * cs3 * l3.Ixy + c3 * c3 * l3.Iy;
    const double h23 = -s3 * l3.Ixz - c3 * l3.Iyz, h33 = l3.Iz;
    const double A =
        cs2 * (l2.Ix - l2.Iz + c3 * c3 * l3.Ix + 2 * cs3 * l3.Ixy + s3 * s3 * l3.Iy - l3.Iz) +
        k2 * (l2.Ixz + c3 * l3.Ixz - s3 * l3.Iyz);
    const double B = s2 * s2 * (cs3 * (-l3.Ix + l3.Iy) + k3 * l3.Ixy) -
                     cs2 * (s3 * l3.Ixz + c3 * l3.Iyz) + d2 * (c3 * l3.mx - s3 * l3.my);
    const double E = c2 * (l2.Ixy - cs3 * (l3.Ix - l3.Iy) + k3 * l3.Ixy +
                           d2 * (l2.mx + c3 * l3.mx - s3 * l3.my)) +
                     s2 * (l2.Iyz + s3 * l3.Ixz + c3 * l3.Iyz + d2 * (l2.mz + l3.mz));
    const double F =
        -0.5 * s2 *
        (k3 * (l3.Ix - l3.Iy) + 4 * cs3 * l3.Ixy + l3.Iz + 2 * d2 * (s3 * l3.mx + c3 * l3.my));
    const double U = 0.5 * (s2 * (k3 * (l3.Ix - l3.Iy) + 4 * cs3 * l3.Ixy - l3.Iz) +
                            2 * c2 * (c3 * l3.Ixz - s3 * l3.Iyz));
    const double W = cs3 * (l3.Ix - l3.Iy) - k3 * l3.Ixy;
    const double c13 =
        B * qd[0] + F * qd[1] -
        (s2 * (s3 * l3.Ixz + c3 * l3.Iyz) - d2 * c2 * (c3 * l3.mx - s3 * l3.my)) * qd[2];
    const double C[3][3] = {{A * qd[1] + B * qd[2], A * qd[0] + E * qd[1] + F * qd[2], c13},
                            {-A * qd[0] - U * qd[2], W * qd[2],
                             -U * qd[0] + W * qd[1] - (c3 * l3.Ixz - s3 * l3.Iyz) * qd[2]},
                            {-B * qd[0] + U * qd[1], U * qd[0] - W * qd[1], 0}};
    ConfigurationSpaceWorkspace<double> ws(model);
    StoredMatrix<double> M(3, 3), coriolis(3, 3);
    std::vector<double> V(3), G(3);
    state_space_form(model, ws, q, qd, M.view(), V, G);
    expect_vector(M.data, {h11, h12, h13, h12, h22, h23, h13, h23, h33}, "H");
    expect_vector(G,
                  {0, -(s2 * (l2.mz + l3.mz) + c2 * (l2.mx + c3 * l3.mx - s3 * l3.my)) * g,
                   s2 * (s3 * l3.mx + c3 * l3.my) * g},
                  "G");
    coriolis_matrix(model, ws.coriolis, q, qd, coriolis.view());
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(coriolis(r, c), C[r][c], 1e-13) << r << c;
  }
}

TEST(GoldenCh2DdArm, TV_DDARM_christoffel_matrix_and_Hdot) {
  const GoldenRobot robot = golden_robot("DDARM_DH");
  const Model<double> model(from_dh(robot.table()));
  const double C[3][3] = {{0.0825441274545242, 0.00619204858767885, 0.0994800192782593},
                          {0.044171882079813, -0.00374172432152278, -0.0513996266506201},
                          {-0.12556960263918, 0.0391934580985021, 0.0}};
  const double Hdot[3][3] = {{0.165088254909048, 0.0503639306674918, -0.0260895833609206},
                             {0.0503639306674919, -0.00748344864304556, -0.012206168552118},
                             {-0.0260895833609206, -0.012206168552118, 0.0}};
  std::vector<double> symbols(27);
  ChristoffelWorkspace<double> ws(model);
  christoffel(model, ws, robot.q(), {symbols.data(), 3});
  const SymbolView<const double> c{symbols.data(), 3};
  StoredMatrix<double> got(3, 3);
  const std::vector<double> qd = robot.qd();
  christoffel_matrix<double>(c, qd, got.view());
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double rate = 0;
      for (int k = 0; k < 3; ++k)
        rate += internal::mass_matrix_slope(c, i, j, k) * qd[static_cast<std::size_t>(k)];
      EXPECT_NEAR(got(i, j), C[i][j], 1e-14);
      EXPECT_NEAR(rate, Hdot[i][j], 1e-14);
    }
}

TEST(GoldenCh2DdArm, X_2_4_C_plus_kappa_S_qd_is_another_matrix_with_the_same_skewness) {
  using Along = Dual<double, 1>;
  const GoldenRobot robot = golden_robot("DDARM_DH");
  const Model<double> model(from_dh(robot.table()));
  const std::vector<double> qd = robot.qd();
  CoriolisWorkspace<double> ws(model);
  StoredMatrix<double> C(3, 3);
  coriolis_matrix(model, ws, robot.q(), qd, C.view());
  const std::vector<double> at = robot.q();
  std::vector<Along> q(at.begin(), at.end());
  for (std::size_t k = 0; k < 3; ++k) q[k].d[0] = qd[k];
  CrbaWorkspace<Along> crba(model);
  StoredMatrix<Along> H(3, 3);
  mass_matrix(model, crba, q, H.view());  // H, and Hdot along qd
  const double S[3][3] = {{0, -qd[2], qd[1]}, {qd[2], 0, -qd[0]}, {-qd[1], qd[0], 0}};
  for (const double kappa : {0.0, 2.5}) {
    const auto other = [&](int i, int j) { return C(i, j) + kappa * S[i][j]; };
    double apart = 0;
    for (int i = 0; i < 3; ++i) {
      double before = 0, after = 0;
      for (int j = 0; j < 3; ++j) {
        const auto N = [&](int r, int c) { return H(r, c).d[0] - 2 * other(r, c); };
        EXPECT_NEAR(N(i, j), -N(j, i), 1e-14) << kappa;
        before += C(i, j) * qd[static_cast<std::size_t>(j)];
        after += other(i, j) * qd[static_cast<std::size_t>(j)];
        apart = std::max(apart, std::abs(other(i, j) - C(i, j)));
      }
      EXPECT_NEAR(after, before, 1e-14) << kappa;
    }
    EXPECT_EQ(apart > 0.1, kappa > 0);
  }
}

TEST(GoldenCh2DdArm, X_2_5_modified_frames_give_the_same_torques) {
  const GoldenRobot dh = golden_robot("DDARM_DH"), mdh = golden_robot("DDARM_MDH");
  std::vector<double> a(3), b(3);
  TextbookWorkspace<double> ws(dh.table());
  for (const double scale : {1.0, -0.5, 2.0}) {
    std::vector<double> q = dh.q(), qd = dh.qd();
    for (std::size_t k = 0; k < 3; ++k) q[k] *= scale, qd[k] *= scale;
    textbook_inverse_dynamics<double>(dh.table(), ws, q, qd, dh.qdd(), a);
    textbook_inverse_dynamics<double>(mdh.table(), ws, q, qd, dh.qdd(), b);
    expect_vector(b, a, "tau");
  }
}

TEST(GoldenCh2DdArm, TV_A_7_intermediates_of_the_newton_euler_recursion) {
  const GoldenRobot robot = golden_robot("DDARM_DH");
  TextbookWorkspace<double> ws(robot.table());
  std::vector<double> tau(3);
  textbook_inverse_dynamics<double>(robot.table(), ws, robot.q(), robot.qd(), robot.qdd(), tau);
  struct Row {
    Vec3<double> omega, epsilon, a, a_centre, F, N, f, n;
  };
  const Row rows[3] = {{{0, -0.8, 0},
                        {0, 0.4, 0},
                        {0, -9.81, 0},
                        {0.0016, -9.81, -0.0167999999999994},
                        {0.032, -196.2, -0.335999999999988},
                        {0.0272, 0.28, -0.000800000000000019},
                        {3.10063474794237, -313.893487106548, -4.13727579270581},
                        {52.4358215716513, 1.57627928409493, 1.29395515835962}},
                       {{0.515374149790153, -0.5, 0.611873749827591},
                        {0.048249800018719, 1.1, -0.563623949808872},
                        {6.46111834801192, -0.29568, 7.38405042865931},
                        {6.4888040664858, -0.265815554240705, 7.36834548870715},
                        {51.9104325318864, -2.12652443392564, 58.9467639096572},
                        {-0.0208417898858352, 0.257930592734182, -0.0921332344007362},
                        {78.1672473793127, -3.80127579270582, 88.0400753274142},
                        {36.2377254921112, 3.25515515835962, -32.2122176325678}},
                       {{0.246584392750402, -0.674393543506933, 0.961873749827591},
                        {0.285870739910878, 0.883200275089402, -0.313623949808872},
                        {5.68928468529904, -3.07660799242251, 7.38405042865931},
                        {5.72860343177512, -3.23220862558633, 7.27332785443927},
                        {22.9144137271005, -12.9288345023453, 29.0933114177571},
                        {0.0809058813872215, 0.113135402885008, -0.021166320999552},
                        {22.9144137271005, -12.9288345023453, 29.0933114177571},
                        {1.92329913584623, 0.826333250894072, -1.15532887343473}}};
  const auto near = [](const Vec3<double>& x, const Vec3<double>& y, double tolerance) {
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(x[k], y[k], tolerance);
  };
  for (std::size_t i = 0; i < 3; ++i) {
    const TextbookLink<double>& link = ws.links.data()[i + 1];
    near(link.omega, rows[i].omega, 1e-14);
    near(link.epsilon, rows[i].epsilon, 1e-14);
    near(link.a, rows[i].a, 1e-13);
    near(link.a_centre, rows[i].a_centre, 1e-13);
    near(link.F, rows[i].F, 2e-12);
    near(link.N, rows[i].N, 1e-14);
    near(link.f, rows[i].f, 2e-12);
    near(link.n, rows[i].n, 2e-12);
  }
}

TEST(GoldenCh2Arms, D_32_contact_of_the_hand_adds_J_transpose_F) {
  struct Case {
    const char* robot;
    std::vector<double> tau;
  };
  for (const Case& c : {Case{"DDARM_DH", {-1.51561741310911, 3.96940963341571, -1.45532887343473}},
                        Case{"PUMA560_DH",
                             {1.24482456165332, 31.6992921482462, 1.24050608806322,
                              -0.121488694873137, -0.692821238543644, -0.300001351685257}}}) {
    const GoldenRobot robot = golden_robot(c.robot);
    TextbookWorkspace<double> ws(robot.table());
    std::vector<double> tau(c.tau.size());
    const Wrench<double> hand{{0.4, 0.6, -0.3}, {3, -2, 5}};
    textbook_inverse_dynamics<double>(robot.table(), ws, robot.q(), robot.qd(), robot.qdd(), tau,
                                      hand);
    expect_vector(tau, c.tau, c.robot);
  }
}

TEST(GoldenCh2Arms, X_2_7_stanford_arm_of_table_1_1_by_all_algorithms) {
  GoldenRobot robot = golden_robot("STANFORD_MDH");  // its links, now in the standard frames
  const double right = 1.5707963267948966;
  robot.convention = DhTable::Convention::standard;
  robot.alpha = {-right, right, 0, -right, right, 0};
  robot.d = {0.412, 0.154, 0, 0, 0, 0.263};
  const DhTable table = robot.table();
  const Model<double> model(from_dh(table));
  RneaWorkspace<double> rnea(model);
  LagrangeWorkspace<double> lagrange(table);
  TextbookForwardWorkspace<double> ws(table);
  std::vector<double> tau(6), other(6), qdd(6);
  rigid_inverse_dynamics(model, rnea, robot.q(), robot.qd(), robot.qdd(), {}, tau);
  lagrange_inverse_dynamics<double>(table, lagrange, robot.q(), robot.qd(), robot.qdd(), other);
  expect_vector(other, tau, "4x4");
  textbook_inverse_dynamics<double>(table, ws.newton_euler, robot.q(), robot.qd(), robot.qdd(),
                                    other);
  expect_vector(other, tau, "vectors");
  const auto result = textbook_forward_dynamics<double>(table, ws, robot.q(), robot.qd(), tau, qdd);
  ASSERT_TRUE(result);
  for (std::size_t k = 0; k < 6; ++k)
    EXPECT_NEAR(qdd[k], robot.qdd()[k], 1e-13 / result.pivot_ratio);
}

TEST(GoldenCh2Arms, TV_A_8_planar_2R_closed_form) {
  const GoldenRobot robot = golden_robot("TWO_R_MDH");
  const Model<double> model(from_dh(robot.table()));
  const auto I1 =
      Inertia<double>::at_com(robot.links[0].mass, robot.links[0].com, robot.links[0].about_com);
  const auto I2 =
      Inertia<double>::at_com(robot.links[1].mass, robot.links[1].com, robot.links[1].about_com);
  const double l = 0.5, g = 9.81;
  const double ZZ1 = I1.J.zz + l * l * I2.m, MX1 = I1.h.x + l * I2.m, MY1 = I1.h.y;
  for (const std::vector<double>& q : {robot.q(), {1.2, 0.5}, {-2.0, 2.6}}) {
    const std::vector<double> qd{0.8, -0.5};
    const double c2 = std::cos(q[1]), s2 = std::sin(q[1]);
    const double A = l * (c2 * I2.h.x - s2 * I2.h.y), B = l * (s2 * I2.h.x + c2 * I2.h.y);
    const double G2 = g * (std::cos(q[0] + q[1]) * I2.h.x - std::sin(q[0] + q[1]) * I2.h.y);
    ConfigurationSpaceWorkspace<double> ws(model);
    StoredMatrix<double> M(2, 2);
    std::vector<double> V(2), G(2);
    state_space_form(model, ws, q, qd, M.view(), V, G);
    expect_vector(M.data, {ZZ1 + I2.J.zz + 2 * A, I2.J.zz + A, I2.J.zz + A, I2.J.zz}, "H");
    expect_vector(G, {g * (std::cos(q[0]) * MX1 - std::sin(q[0]) * MY1) + G2, G2}, "G");
    EXPECT_NEAR(V[0], -B * (2 * qd[0] * qd[1] + qd[1] * qd[1]), 1e-13 * (1 + std::abs(G[0])));
    EXPECT_NEAR(V[1], B * qd[0] * qd[0], 1e-13 * (1 + std::abs(G[1])));
  }
}

}  // namespace
}  // namespace torsor
