#include "torsor/kinematics/textbook_recursion.hpp"

#include <Eigen/Core>

#include "kinematics/textbook_arms.hpp"
#include "support/allocation_counter.hpp"
#include "torsor/kinematics/jacobian.hpp"

namespace torsor {
namespace {

using testing::Draw;
using Vec = Vec3<double>;
using Matrix = Eigen::MatrixXd;
using Moving = Dual<double, 1>;

using testing::Convention;
constexpr Convention both_conventions[] = {Convention::standard, Convention::modified};
using testing::common_qd;
using testing::common_qdd;
using testing::q_puma;
using testing::q_stanford;

Matrix matrix(const HomogeneousMatrix<double>& A) {
  return Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(A.data());
}
Mat3<double> block(const HomogeneousMatrix<double>& A) {
  return {{A[0], A[4], A[8]}, {A[1], A[5], A[9]}, {A[2], A[6], A[10]}};
}
Vec last_column(const HomogeneousMatrix<double>& A) { return {A[3], A[7], A[11]}; }
void expect_near(const Matrix& found, const Matrix& expected, double tolerance = 4e-15) {
  EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), tolerance) << found << "\n\n" << expected;
}
Array<LinkMotion<double>> link_frames(const DhTable& table, const std::vector<double>& q,
                                      const std::vector<double>& qd,
                                      const std::vector<double>& qdd) {
  Array<LinkMotion<double>> motion(static_cast<int>(table.rows.size()) + 1);
  link_frame_motion(table, q, qd, qdd, motion);
  return motion;
}
std::vector<double> numbers(Draw<double>& draw, std::size_t n) {
  std::vector<double> x(n);
  for (double& value : x) value = draw(-1.5, 1.5);
  return x;
}
Matrix jacobian_of(const DhTable& table, const std::vector<double>& q) {
  Matrix J(6, q.size());
  textbook_jacobian(table, q, J);
  return J;
}
Matrix jacobian_dot_of(const DhTable& table, const std::vector<double>& q,
                       const std::vector<double>& qd) {
  Matrix J(6, q.size());
  textbook_jacobian_dot(table, q, qd, J);
  return J;
}

TEST(AngularVelocity, K_1_4_1_of_Rdot_and_back) {
  Draw<double> draw(1);
  for (int k = 0; k < 50; ++k) {
    const SO3<double> R = draw.rotation();
    const Vec w = draw.vec(3);
    EXPECT_CLOSE(omega_from_Rdot(R, Rdot_from_omega(R, w)), w, 16);
  }
}

TEST(AngularVelocity, X_1_27_derivative_of_a_rotation_about_a_fixed_axis_is_S_k_R) {
  Draw<double> draw(2);
  for (int k = 0; k < 20; ++k) {
    const Vec axis = draw.unit();
    const double theta = draw(-3, 3);
    const Mat3<Moving> R = rotation_axis_angle(axis, Moving::variable(theta, 0));
    const Mat3<double> expected = Rdot_from_omega(rotation_axis_angle(axis, theta), axis);
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) EXPECT_CLOSE(R(r, c).d[0], expected(r, c), 8);
  }
}

TEST(AngularVelocity, X_1_26_finite_rotations_do_not_commute_and_small_ones_do_to_first_order) {
  const Vec k{1, 0, 0}, l{0, 1, 0};
  const auto gap = [&](double angle) {
    return testing::distance(rotation_axis_angle(k, angle) * rotation_axis_angle(l, angle),
                             rotation_axis_angle(l, angle) * rotation_axis_angle(k, angle));
  };
  EXPECT_GT(gap(1), 0.5);
  EXPECT_LT(gap(1e-4), 1.1e-8);  // angle^2: nothing of first order is left
}

TEST(AngularVelocity, TV_29_of_a_rotation_about_a_moving_axis) {
  using std::cos, std::sin;
  const double u = 0.9, v = 0.4, du = 0.5, dv = -0.3;
  const Vec k{sin(u) * cos(v), sin(u) * sin(v), cos(u)};
  const Vec kdot{cos(u) * cos(v) * du - sin(u) * sin(v) * dv,
                 cos(u) * sin(v) * du + sin(u) * cos(v) * dv, -sin(u) * du};
  const Vec expected{0.44810786827449095, 0.2586922602512497, -0.32531355759320691};
  EXPECT_CLOSE(omega_of_moving_axis(k, kdot, 1.1, 0.2), expected, 4);
  EXPECT_GT(testing::distance(k * 0.2, expected), 0.1);
}

TEST(HomogeneousRecursion, TV_14_stanford_first_and_second_derivative) {
  HomogeneousMotion<double> m(testing::stanford_with_tool());
  homogeneous_motion(testing::stanford_with_tool(), q_stanford, common_qd, common_qdd, m);
  Matrix first(4, 4), second(4, 4), pose(4, 4);
  pose << -0.14267542353339545, 0.15908228813390667, 0.97690150430923533, 0.75379754228055404,
      0.10392592314319436, 0.98395087793922246, -0.14505196414205568, 0.2783788919939624,
      -0.98429829117925481, 0.080830040236993856, -0.15691838189608274, 1.0491283730820189, 0, 0, 0,
      1;
  first << 0.77910626484366806, -0.71692674962652735, 0.23053466810692415, 0.043599110361556825,
      0.9156619902380226, 0.021756989770598923, 0.80363494212705522, 0.31794779966196371,
      -0.016253506518134827, 1.1461399536270027, 0.69233977528721868, 0.65296059428977663, 0, 0, 0,
      0;
  second << -1.8219988465624815, -0.73469500048096674, -1.3483593371400161, -0.17746399523786366,
      0.011260033321139189, -1.6291606091729909, -0.80732746955060149, -0.19799558261748662,
      1.7340600004321123, -1.3386502154393915, -0.13892643756860854, 0.18067420429594062, 0, 0, 0,
      0;
  expect_near(matrix(m.A[6]), pose);
  expect_near(matrix(m.Adot[6]), first);
  expect_near(matrix(m.Addot[6]), second);
}

TEST(HomogeneousRecursion, K_1_4_2_K_1_5_1_X_1_28_X_1_36_is_the_derivative_of_the_poses) {
  using Second = Dual<Moving, 1>;
  for (unsigned seed = 1; seed <= 12; ++seed)
    for (const Convention convention : both_conventions) {
      const DhTable table = testing::random_chain(seed, convention, 7);
      Draw<double> draw(seed + 100);
      const auto q = numbers(draw, 7), qd = numbers(draw, 7), qdd = numbers(draw, 7);
      HomogeneousMotion<double> m(table);
      homogeneous_motion(table, q, qd, qdd, m);
      SE3<Second> T;  // along q + qd t + qdd t^2 / 2
      for (std::size_t i = 0; i < 7; ++i) {
        Second x;
        x.value.value = q[i], x.value.d[0] = x.d[0].value = qd[i], x.d[0].d[0] = qdd[i];
        T = T * link_transform(convention, table.rows[i], x);
        for (int r = 0; r < 3; ++r)
          for (int c = 0; c < 4; ++c) {
            const Second& e = c < 3 ? T.R(r, c) : T.p[r];
            const auto at = static_cast<std::size_t>(4 * r + c);
            EXPECT_NEAR(m.A[i + 1][at], e.value.value, 1e-14);
            EXPECT_NEAR(m.Adot[i + 1][at], e.d[0].value, 1e-13);
            EXPECT_NEAR(m.Addot[i + 1][at], e.d[0].d[0], 1e-12);
          }
      }
    }
}

TEST(HomogeneousRecursion, K_1_4_4_derivative_along_one_joint) {
  for (const Convention convention : both_conventions) {
    const DhTable table = testing::random_chain(21, convention, 6);
    Draw<double> draw(22);
    const auto q = numbers(draw, 6);
    for (int i = 1; i <= 6; ++i) {
      std::vector<double> unit(6, 0.0);
      unit[static_cast<std::size_t>(i - 1)] = 1;
      HomogeneousMotion<double> m(table);
      homogeneous_motion(table, q, unit, {}, m);
      expect_near(matrix(dA_dq(table, q, i)), matrix(m.Adot[6]), 2e-14);
    }
  }
}

/// Rows omega, v, eps, a of links 1 to 6, in the link frames.
void expect_links(const Array<LinkMotion<double>>& found,
                  const std::vector<std::array<Vec, 4>>& rows) {
  ASSERT_EQ(found.size(), rows.size() + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& [w, v, e, a] = found[i + 1];
    EXPECT_CLOSE(w, rows[i][0], 16) << "link " << i + 1;
    EXPECT_CLOSE(v, rows[i][1], 16) << "link " << i + 1;
    EXPECT_CLOSE(e, rows[i][2], 16) << "link " << i + 1;
    EXPECT_CLOSE(a, rows[i][3], 16) << "link " << i + 1;
  }
}

TEST(LinkRecursion, TV_13_stanford_in_link_frames) {
  expect_links(link_frames(testing::stanford_with_tool(), q_stanford, common_qd, common_qdd),
               {{{{0, -0.2, 0}, {}, {0, 0.1, 0}, {}}},
                {{{-0.12884353744753821, -0.3, 0.15296843745689769},
                  {-0.022945265618534653, 0, -0.019326530617130732},
                  {0.11031229996083841, 0.25, -0.037831157494187379},
                  {0.011472632809267326, -0.006, 0.0096632653085653658}}},
                {{{-0.12884353744753821, -0.3, 0.15296843745689769},
                  {-0.29294526561853465, 0.11595918370278439, 0.38067346938286927},
                  {0.11031229996083841, 0.25, -0.037831157494187379},
                  {-0.021265462330524957, -0.043507718120086376, 0.2637226738807697}}},
                {{{0.030756819905032144, -0.65296843745689769, -0.32504565090356862},
                  {-0.31267745079798049, -0.38067346938286927, -0.038681684242111406},
                  {-0.18557105929518323, 0.48783115749418738, 0.25690376434347046},
                  {0.0021965122813569458, -0.2637226738807697, -0.04837682046130891}}},
                {{{-0.56797910313309466, -0.92504565090356862, 0.3235946549152172},
                  {-0.48108827663333531, -0.038681684242111406, -0.10598843623471974},
                  {0.54474119823010839, 0.80690376434347046, -0.045873152928320912},
                  {-0.23403525852613646, -0.04837682046130891, 0.1215811299159102}}},
                {{{-0.88337314123932964, -0.63084198591124299, 1.0235946549152172},
                  {-0.61588550011211519, 0.37255969396276645, -0.10598843623471974},
                  {0.37437360569152044, 1.1494365677164006, -0.69587315292832091},
                  {-0.17309443356797216, -0.20844540256536015, -0.17299629954696018}}}});
}

TEST(LinkRecursion, TV_13_stanford_in_frame_0) {
  Array<LinkMotion<double>> m(7);
  base_frame_motion(testing::stanford_with_tool(), q_stanford, common_qd, common_qdd, m);
  EXPECT_CLOSE(m[6].omega, (Vec{1.0256310086842174, -0.86099731024225283, 0.65789087332435671}),
               16);
  EXPECT_CLOSE(m[6].v, (Vec{0.043599110361556825, 0.31794779966196371, 0.65296059428977663}), 16);
  EXPECT_CLOSE(m[6].epsilon, (Vec{-0.55035844339874016, 1.2708340101379144, -0.16639100716395349}),
               16);
  EXPECT_CLOSE(m[6].a, (Vec{-0.17746399523786366, -0.19799558261748662, 0.18067420429594062}), 16);
}

TEST(LinkRecursion, TV_15_X_1_29_X_1_38_stanford_in_modified_link_frames) {
  expect_links(link_frames(testing::stanford_modified(), q_stanford, common_qd, common_qdd),
               {{{{0, 0, 0.2}, {}, {0, 0, -0.1}, {}}},
                {{{-0.12884353744753821, -0.15296843745689769, -0.3},
                  {-0.022945265618534653, 0.019326530617130732, 0},
                  {0.11031229996083841, 0.037831157494187379, 0.25},
                  {0.011472632809267326, -0.0096632653085653658, -0.006}}},
                {{{-0.12884353744753821, -0.3, 0.15296843745689769},
                  {-0.29294526561853465, 0.11595918370278439, 0.38067346938286927},
                  {0.11031229996083841, 0.25, -0.037831157494187379},
                  {-0.021265462330524957, -0.043507718120086376, 0.2637226738807697}}},
                {{{0.030756819905032144, -0.32504565090356862, 0.65296843745689769},
                  {-0.31267745079798049, -0.038681684242111406, 0.38067346938286927},
                  {-0.18557105929518323, 0.25690376434347046, -0.48783115749418738},
                  {0.0021965122813569458, -0.04837682046130891, 0.2637226738807697}}},
                {{{-0.56797910313309466, -0.3235946549152172, -0.92504565090356862},
                  {-0.48108827663333531, 0.10598843623471974, -0.038681684242111406},
                  {0.54474119823010839, 0.045873152928320912, 0.80690376434347046},
                  {-0.23403525852613646, -0.1215811299159102, -0.04837682046130891}}},
                {{{-0.88337314123932964, -0.63084198591124299, 1.0235946549152172},
                  {-0.45817500363430444, 0.15171640865293404, -0.10598843623471974},
                  {0.37437360569152044, 1.1494365677164006, -0.69587315292832091},
                  {-0.23439956908001155, 0.046579620076232226, 0.1215811299159102}}}});
}

TEST(LinkRecursion, TV_22_puma_in_link_frames) {
  expect_links(link_frames(testing::puma(), q_puma, common_qd, common_qdd),
               {{{{0, -0.2, 0}, {}, {0, 0.1, 0}, {}}},
                {{{0.11292849467900707, -0.16506712298193566, -0.3},
                  {0, -0.12954, 0.071275983703599818},
                  {-0.0069441104449228379, 0.11641210989466995, 0.25},
                  {-0.050627321567660553, 0.099900910453587033, -0.064895506253237061}}},
                {{{-0.059104041332267915, 0.1, 0.1910672978251212},
                  {-0.12995839130589152, 0.067393496211793355, 0.07374353376755405},
                  {0.010445290883621837, 0.6, -0.10144405304578739},
                  {0.061972751811551031, -0.068677663683359493, -0.084929763661275451}}},
                {{{-0.099811229870866455, -0.6910672978251212, 0.059422269339629651},
                  {-0.12062537901822175, -0.07374353376755405, 0.040063234632508063},
                  {-0.24877758335936797, 0.55144405304578739, 0.58146289127741483},
                  {0.30925461028364889, 0.090773301766296764, 0.094963035252362644}}},
                {{{-0.66115824886365772, -0.54057773066037035, 0.22451294325982936},
                  {-0.12043598411873877, 0.040063234632508063, -0.074052444694060845},
                  {0.51331421778297434, 1.1314628912774148, -0.075150347634740877},
                  {0.22117452638884298, 0.094963035252362644, 0.23443556720753301}}},
                {{{-0.79138024290711107, -0.32104800896852817, 0.92451294325982936},
                  {-0.10321739485426262, 0.073865136833067132, -0.074052444694060845},
                  {0.60002434381701213, 1.4831992324424221, -0.72515034763474088},
                  {0.23935959132730224, 0.025360110948048506, 0.23443556720753301}}}});
}

TEST(LinkRecursion, X_1_30_X_1_39_stanford_closed_form_of_links_1_to_3) {
  const double d2 = 0.15, d3 = 0.9, s2 = std::sin(0.7), c2 = std::cos(0.7);
  const double u = 0.2, v = -0.3, w = 0.4, du = -0.1, dv = 0.25, dw = 0.35;  // qd, qdd
  const Vec omega{-s2 * u, v, c2 * u}, epsilon{-c2 * u * v - s2 * du, dv, -s2 * u * v + c2 * du};
  const auto m = link_frames(testing::stanford_with_tool(), q_stanford, common_qd, common_qdd);
  EXPECT_CLOSE(m[2].omega, omega, 4);
  EXPECT_CLOSE(m[2].v, (Vec{-d2 * c2 * u, 0, -d2 * s2 * u}), 4);
  EXPECT_CLOSE(m[2].epsilon, epsilon, 4);
  EXPECT_CLOSE(m[2].a, (Vec{-d2 * c2 * du, -d2 * u * u, -d2 * s2 * du}), 4);
  EXPECT_CLOSE(m[3].v, (Vec{-d2 * c2 * u + d3 * v, d3 * s2 * u, -d2 * s2 * u + w}), 4);
  EXPECT_CLOSE(m[3].a,
               (Vec{-d2 * c2 * du - d3 * s2 * c2 * u * u + d3 * dv + 2 * v * w,
                    -d2 * u * u + 2 * d3 * c2 * u * v + d3 * s2 * du + 2 * s2 * u * w,
                    -d2 * s2 * du - d3 * s2 * s2 * u * u - d3 * v * v + dw}),
               8);
}

TEST(LinkRecursion, X_1_30_puma_closed_form_of_links_2_and_3) {
  const double a2 = testing::puma_a2, a3 = testing::puma_a3, d3 = testing::puma_d3;
  const double s2 = std::sin(-0.6), c2 = std::cos(-0.6), s3 = std::sin(0.9), c3 = std::cos(0.9);
  const double s23 = std::sin(0.3), c23 = std::cos(0.3);
  const double u = 0.2, v = -0.3, vw = 0.1, du = -0.1, dv = 0.25, dvw = 0.6;
  const auto m = link_frames(testing::puma(), q_puma, common_qd, common_qdd);
  EXPECT_CLOSE(m[2].omega, (Vec{-s2 * u, -c2 * u, v}), 4);
  EXPECT_CLOSE(m[2].v, (Vec{0, a2 * v, a2 * c2 * u}), 4);
  EXPECT_CLOSE(m[2].epsilon, (Vec{-c2 * u * v - s2 * du, s2 * u * v - c2 * du, dv}), 4);
  EXPECT_CLOSE(
      m[2].a, (Vec{-c2 * c2 * u * u - v * v, s2 * c2 * u * u + dv, -2 * s2 * u * v + c2 * du} * a2),
      4);
  EXPECT_CLOSE(m[3].omega, (Vec{-s23 * u, vw, c23 * u}), 4);
  EXPECT_CLOSE(m[3].v,
               (Vec{a2 * s3 * v - d3 * c23 * u, (a2 * c2 + a3 * c23) * u,
                    -a2 * c3 * v - a3 * vw - d3 * s23 * u}),
               4);
  EXPECT_CLOSE(m[3].epsilon, (Vec{-c23 * u * vw - s23 * du, dvw, -s23 * u * vw + c23 * du}), 4);
  EXPECT_CLOSE(
      m[3].a,
      (Vec{-a2 * c2 * c23 * u * u - a2 * c3 * v * v + a2 * s3 * dv - a3 * c23 * c23 * u * u -
               a3 * vw * vw - d3 * c23 * du,
           -2 * a2 * s2 * u * v + a2 * c2 * du - 2 * a3 * s23 * u * vw + a3 * c23 * du - d3 * u * u,
           -a2 * c2 * s23 * u * u - a2 * s3 * v * v - a2 * c3 * dv - a3 * s23 * c23 * u * u -
               a3 * dvw - d3 * s23 * du}),
      8);
}

TEST(LinkRecursion, K_1_4_3_K_1_5_2_X_1_37_vectors_matrices_and_the_recursion_on_SE3_agree) {
  for (unsigned seed = 1; seed <= 20; ++seed)
    for (const Convention convention : both_conventions) {
      const DhTable table = testing::random_chain(seed, convention, 8);
      Draw<double> draw(seed + 50);
      const auto q = numbers(draw, 8), qd = numbers(draw, 8), qdd = numbers(draw, 8);
      const auto links = link_frames(table, q, qd, qdd);
      Array<LinkMotion<double>> base(9);
      base_frame_motion(table, q, qd, qdd, base);
      HomogeneousMotion<double> m(table);
      homogeneous_motion(table, q, qd, qdd, m);
      const Model<double> model(from_dh(table));
      VelocityWorkspace<double> ws(model);
      forward_acceleration(model, ws, q, qd, qdd);
      for (std::size_t i = 1; i <= 8; ++i) {
        const SO3<double> R = block(m.A[i]);
        EXPECT_CLOSE(R * links[i].omega, base[i].omega, 300);
        EXPECT_CLOSE(R * links[i].v, base[i].v, 1000);
        EXPECT_CLOSE(R * links[i].epsilon, base[i].epsilon, 1000);
        EXPECT_CLOSE(R * links[i].a, base[i].a, 3000);
        EXPECT_CLOSE(omega_from_Rdot(R, block(m.Adot[i])), base[i].omega, 300);
        EXPECT_CLOSE(last_column(m.Adot[i]), base[i].v, 1000);
        const Mat3<double> W = skew(base[i].omega);
        EXPECT_CLOSE(block(m.Addot[i]) * transpose(R), skew(base[i].epsilon) + W * W, 3000);
        EXPECT_CLOSE(last_column(m.Addot[i]), base[i].a, 3000);
        const Frame& frame = model.frame((convention == Convention::standard ? "frame_" : "link_") +
                                         std::to_string(i));
        const Twist<double> V = frame_velocity(ws, frame, Reference::world_aligned);
        const Twist<double> A = frame_acceleration(ws, frame, Reference::world_aligned);
        EXPECT_CLOSE(V, (Twist<double>{base[i].omega, base[i].v}), 1000);
        EXPECT_CLOSE(A, (Twist<double>{base[i].epsilon, base[i].a}), 3000);
      }
    }
}

TEST(LinkRecursion, calls_allocate_nothing) {
  const DhTable table = testing::stanford_with_tool();
  HomogeneousMotion<double> m(table);
  Array<LinkMotion<double>> links(7);
  const testing::AllocationCounter counter;
  homogeneous_motion(table, q_stanford, common_qd, common_qdd, m);
  link_frame_motion(table, q_stanford, common_qd, common_qdd, links);
  base_frame_motion(table, q_stanford, common_qd, common_qdd, links);
  EXPECT_EQ(counter.count(), 0u);
}

TEST(TextbookJacobian, K_1_4_5_K_1_5_3_X_1_32_X_1_40_is_the_robot_s_own_in_both_conventions) {
  for (unsigned seed = 1; seed <= 20; ++seed)
    for (const Convention convention : both_conventions) {
      const DhTable table = testing::random_chain(seed, convention, 7);
      Draw<double> draw(seed + 70);
      const auto q = numbers(draw, 7), qd = numbers(draw, 7);
      const Model<double> model(from_dh(table));
      KinematicsWorkspace<double> ws(model);
      VelocityWorkspace<double> velocity(model);
      Matrix J(6, 7), Jdot(6, 7);
      jacobian(model, ws, q, model.frame("tool"), Reference::world_aligned, J);
      jacobian_dot(model, velocity, q, qd, model.frame("tool"), Reference::world_aligned, Jdot);
      textbook_order<double>(J);
      textbook_order<double>(Jdot);
      expect_near(jacobian_of(table, q), J, 1e-13);
      expect_near(jacobian_dot_of(table, q, qd), Jdot, 1e-12);
    }
}

TEST(TextbookJacobian, G_1_5_stanford_closed_form) {
  const double d2 = 0.15, d3 = 0.9;
  const double s1 = std::sin(0.3), c1 = std::cos(0.3), s2 = std::sin(0.7), c2 = std::cos(0.7);
  const double s4 = std::sin(-0.5), c4 = std::cos(-0.5), s5 = std::sin(1.1), c5 = std::cos(1.1);
  Matrix J = Matrix::Zero(6, 6);
  J.topLeftCorner(3, 3) << -d2 * c1 - d3 * s1 * s2, d3 * c1 * c2, c1 * s2, -d2 * s1 + d3 * c1 * s2,
      d3 * s1 * c2, s1 * s2, 0, -d3 * s2, c2;
  J.bottomRows(3) << 0, -s1, 0, c1 * s2, -c1 * c2 * s4 - s1 * c4,
      (c1 * c2 * c4 - s1 * s4) * s5 + c1 * s2 * c5, 0, c1, 0, s1 * s2, -s1 * c2 * s4 + c1 * c4,
      (s1 * c2 * c4 + c1 * s4) * s5 + s1 * s2 * c5, 1, 0, 0, c2, s2 * s4, -s2 * c4 * s5 + c2 * c5;
  expect_near(jacobian_of(testing::stanford_wrist(), q_stanford), J);
}

TEST(TextbookJacobian, X_1_31_X_1_41_puma_closed_form_and_its_derivative) {
  const double a2 = testing::puma_a2, a3 = testing::puma_a3, d3 = testing::puma_d3,
               d4 = testing::puma_d4;
  const double s1 = std::sin(0.4), c1 = std::cos(0.4), s2 = std::sin(-0.6), c2 = std::cos(-0.6);
  const double s23 = std::sin(0.3), c23 = std::cos(0.3);
  const double Xf = a3 * c23 + d4 * s23, Zf = -a3 * s23 + d4 * c23;
  const double X = a2 * c2 + Xf, Z = -a2 * s2 + Zf;
  Matrix b(3, 3), bdot(3, 3);
  b << -s1 * X - c1 * d3, c1 * Z, c1 * Zf, c1 * X - s1 * d3, s1 * Z, s1 * Zf, 0, -X, -Xf;
  expect_near(jacobian_of(testing::puma(), q_puma).topLeftCorner(3, 3), b);
  const double u = 0.2, v = -0.3, w = 0.4, vw = 0.1;
  const double dX = Z * v + Zf * w, dZ = -X * v - Xf * w, dXf = Zf * vw, dZf = -Xf * vw;
  bdot << -c1 * X * u - s1 * dX + s1 * d3 * u, -s1 * Z * u + c1 * dZ, -s1 * Zf * u + c1 * dZf,
      -s1 * X * u + c1 * dX - c1 * d3 * u, c1 * Z * u + s1 * dZ, c1 * Zf * u + s1 * dZf, 0, -dX,
      -dXf;
  const Matrix found = jacobian_dot_of(testing::puma(), q_puma, common_qd);
  expect_near(found.topLeftCorner(3, 3), bdot);
  EXPECT_LE(found.topRightCorner(3, 3).norm(), 1e-16);
  Vec c2dot{-c1 * u, -s1 * u, 0};
  for (int r = 0; r < 3; ++r) EXPECT_NEAR(found(3 + r, 1), c2dot[r], 1e-15);
}

TEST(TextbookJacobian, TV_16_TV_17_the_printed_1_83_is_wrong) {
  // b'_i as printed: without w_{i-1} x (p_n - p_{i-1}).
  const auto printed = [](const DhTable& table, const std::vector<double>& q,
                          const std::vector<double>& qd, std::size_t i) {
    Array<LinkMotion<double>> m(static_cast<int>(q.size()) + 1);
    base_frame_motion(table, q, qd, {}, m);
    HomogeneousMotion<double> A(table);
    homogeneous_motion(table, q, qd, {}, A);
    const Matrix J = jacobian_of(table, q);
    Vec sum{};
    for (std::size_t k = i - 1; k < q.size(); ++k) {
      const auto c = static_cast<Eigen::Index>(k);
      sum += Vec{J(0, c), J(1, c), J(2, c)} * qd[k];
    }
    const Vec z = block(A.A[i - 1]).c2, arm = last_column(A.A.back()) - last_column(A.A[i - 1]);
    return cross(cross(m[i - 1].omega, z), arm) + cross(z, sum);
  };
  EXPECT_NEAR(printed(testing::stanford_wrist(), q_stanford, common_qd, 2).z, -0.081179684328264546,
              1e-15);
  EXPECT_NEAR(jacobian_dot_of(testing::stanford_wrist(), q_stanford, common_qd)(2, 1),
              -0.081179684328264546 + 0.15 * 0.2, 1e-15);
  const Vec wrong = printed(testing::planar({1, 1}), {0.3, 0.5}, {1, 2}, 2);
  EXPECT_CLOSE(wrong, (Vec{-1.3934134186943308, -1.4347121817990455, 0}), 8);
  const Matrix right = jacobian_dot_of(testing::planar({1, 1}), {0.3, 0.5}, {1, 2});
  EXPECT_NEAR(right(0, 1), -2.0901201280414963, 1e-15);
  EXPECT_NEAR(right(1, 1), -2.1520682726985683, 1e-15);
}

TEST(TextbookJacobian, TV_20_seven_revolute_joints) {
  const std::vector<double> q{0.1, -0.6, 0.3, 1.2, -0.4, 0.8, 0.5};
  Matrix J(6, 7), pose(3, 4);
  pose << 0.21415786046917604, -0.11803971355079281, 0.96964067407680032, 0.047283832759664522,
      0.12328966929311178, 0.98799918354943615, 0.093044455779174208, 0.10120655994267447,
      -0.96898713523186677, 0.099620476461891887, 0.22614086854137089, 0.93338904288464906;
  J << -0.10120655994267447, 0.63022473591168791, -0.11923363736621937, 0.30152896490882071,
      -0.00006577055079605758, 0.024453245708527517, 0, 0.047283832759664522, 0.063233392217838874,
      0.39487668486589253, 0.057129232530563675, 0.066438585054442264, -0.036547517688083539, 0, 0,
      -0.057151407212324976, -0.054194634236110599, -0.29377819948243748, -0.027053792741586762,
      -0.089812681315934452, 0, 0, -0.099833416646828152, -0.56182161292094703,
      -0.33805935640772153, 0.50013831577246657, -0.00091684662095201756, 0.96964067407680032, 0,
      0.99500416527802577, -0.056370187302942145, 0.92621408101189607, 0.32700054081695402,
      0.92615907075009495, 0.093044455779174208, 1, 0, 0.8253356149096783, -0.16686326042747078,
      0.80183060019040188, -0.37713198625891476, 0.22614086854137089;
  HomogeneousMotion<double> m(testing::seven_revolute());
  homogeneous_motion(testing::seven_revolute(), q, q, {}, m);
  expect_near(matrix(m.A[7]).topRows(3), pose);
  expect_near(jacobian_of(testing::seven_revolute(), q), J);
}

TEST(TextbookJacobian, TV_21_planar_3R) {
  Matrix J = Matrix::Zero(6, 3);
  J.topRows(2) << -0.55152804238307404, -0.40376793905240425, -0.11682550269259515,
      1.0326692265025347, 0.55500098193973169, 0.27631829820086552;
  J.row(5) << 1, 1, 1;
  expect_near(jacobian_of(testing::planar({0.5, 0.4, 0.3}), {0.3, 0.5, -0.4}), J);
}

}  // namespace
}  // namespace torsor
