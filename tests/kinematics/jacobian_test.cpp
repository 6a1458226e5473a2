#include "torsor/kinematics/jacobian.hpp"

#include <Eigen/Core>

#include "kinematics/textbook_arms.hpp"
#include "support/allocation_counter.hpp"
#include "support/model_for.hpp"
#include "support/random_model.hpp"

namespace torsor {
namespace {

using testing::Draw;

constexpr Reference every_reference[] = {Reference::body, Reference::world,
                                         Reference::world_aligned};

template <class Real>
struct Columns {
  std::vector<Real> numbers;
  int rows, cols;

  Columns(int r, int c) : numbers(static_cast<std::size_t>(r * c), Real(-1e9)), rows(r), cols(c) {}
  MatrixView<Real> view() { return column_major(numbers.data(), rows, cols); }
  const Real& operator()(int r, int c) const {
    return numbers[static_cast<std::size_t>(c * rows + r)];
  }
  Twist<Real> times(const std::vector<Real>& x) const {
    Real y[6]{};
    for (int c = 0; c < cols; ++c)
      for (int r = 0; r < 6; ++r) y[r] = y[r] + (*this)(r, c) * x[static_cast<std::size_t>(c)];
    return {{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
  }
};

using Moving = Dual<double, 1>;

template <class Real>
struct State {
  std::vector<Real> q, qd;
};
template <class Real, class Param>
State<Real> drawn_state(const Model<Param>& model, std::uint64_t seed) {
  const auto n_q = static_cast<std::size_t>(model.n_q()),
             n_v = static_cast<std::size_t>(model.n_v());
  std::vector<double> start(n_q);
  random_configuration(Model<double>(model.description()), seed, start);
  const std::vector<Real> q0(start.begin(), start.end());
  State<Real> s{std::vector<Real>(n_q), std::vector<Real>(n_v)};
  Draw<Real> draw(seed + 1);
  for (Real& x : s.qd) x = draw(-0.5, 0.5);
  integrate(model, q0, s.qd, s.q);
  for (Real& x : s.qd) x = draw();
  return s;
}
/// q moving along qd.
std::vector<Moving> moving(const Model<double>& model, const State<double>& s) {
  std::vector<Moving> q(s.q.begin(), s.q.end());
  std::vector<double> rates(q.size());
  for (int i = 1; i < model.n_bodies(); ++i) {
    const auto& b = model.body(i);
    internal::coordinate_rates(model.joint(i), s.q.data() + b.q.first, s.qd.data() + b.v.first,
                               rates.data() + b.q.first);
  }
  for (std::size_t k = 0; k < q.size(); ++k) q[k].d[0] = rates[k];
  return q;
}

template <class Real>
class Jacobian : public ::testing::Test {};
TYPED_TEST_SUITE(Jacobian, testing::Scalars, testing::ScalarNames);

TYPED_TEST(Jacobian, K_1_4_5_times_velocity_is_the_frame_velocity) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const auto model = testing::model_for<Real>(Model<double>(testing::random_tree(seed, 15)));
    const State<Real> s = drawn_state<Real>(model, seed);
    VelocityWorkspace<Real> velocity(model);
    forward_velocity(model, velocity, s.q, s.qd);
    KinematicsWorkspace<Real> ws(model);
    Columns<Real> J(6, model.n_v());
    for (const Frame& frame : model.frames())
      for (const Reference reference : every_reference) {
        jacobian(model, ws, s.q, frame, reference, J.view());
        EXPECT_CLOSE(J.times(s.qd), frame_velocity(velocity, frame, reference), 400);
      }
  }
}

TYPED_TEST(Jacobian, jacobian_dot_times_velocity_needs_no_jacobian_dot) {
  using Real = TypeParam;
  const auto model = testing::model_for<Real>(Model<double>(testing::random_tree(11, 15)));
  const State<Real> s = drawn_state<Real>(model, 11);
  VelocityWorkspace<Real> ws(model);
  Columns<Real> Jdot(6, model.n_v());
  for (const Frame& frame : model.frames())
    for (const Reference reference : every_reference) {
      jacobian_dot(model, ws, s.q, s.qd, frame, reference, Jdot.view());
      EXPECT_CLOSE(jacobian_dot_times_velocity(model, ws, s.q, s.qd, frame, reference),
                   Jdot.times(s.qd), 1e3);
    }
}

TEST(JacobianOfAFrame, K_1_5_3_jacobian_dot_is_the_derivative_of_every_entry) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model<double> model(testing::random_tree(seed, 15));
    const State<double> s = drawn_state<double>(model, seed);
    VelocityWorkspace<double> ws(model);
    KinematicsWorkspace<Moving> duals(model);
    Columns<double> Jdot(6, model.n_v());
    Columns<Moving> J(6, model.n_v());
    const std::vector<Moving> q_moving = moving(model, s);
    for (const Frame& frame : model.frames())
      for (const Reference reference : every_reference) {
        jacobian_dot(model, ws, s.q, s.qd, frame, reference, Jdot.view());
        jacobian(model, duals, q_moving, frame, reference, J.view());
        for (int c = 0; c < model.n_v(); ++c)
          for (int r = 0; r < 6; ++r) EXPECT_CLOSE(Jdot(r, c), J(r, c).d[0], 500);
      }
  }
}

TEST(JacobianOfAFrame, of_a_point_is_the_derivative_of_its_position) {
  const Model<double> model(testing::random_tree(12, 15));
  const State<double> s = drawn_state<double>(model, 12);
  const Vec3<double> point = Draw<double>(13).vec();
  const Vec3<Moving> fixed{point.x, point.y, point.z};
  KinematicsWorkspace<double> ws(model);
  KinematicsWorkspace<Moving> duals(model);
  forward_kinematics(model, duals, moving(model, s));
  Columns<double> J(3, model.n_v());
  for (const Frame& frame : model.frames()) {
    point_jacobian(model, ws, s.q, frame, point, J.view());
    const Vec3<Moving> x = frame_pose(duals, frame) * fixed;
    Vec3<double> v{};
    for (int c = 0; c < model.n_v(); ++c)
      v += Vec3<double>{J(0, c), J(1, c), J(2, c)} * s.qd[static_cast<std::size_t>(c)];
    EXPECT_CLOSE(v, (Vec3<double>{x.x.d[0], x.y.d[0], x.z.d[0]}), 500);
  }
}

TEST(JacobianOfAFrame, analytic_one_is_the_derivative_of_the_angles_for_every_euler_sequence) {
  const Model<double> model(testing::random_tree(14, 15));
  const State<double> s = drawn_state<double>(model, 14);
  KinematicsWorkspace<double> ws(model);
  KinematicsWorkspace<Moving> duals(model);
  forward_kinematics(model, duals, moving(model, s));
  Columns<double> J(6, model.n_v());
  int checked = 0;
  for (const Frame& frame : model.frames())
    for (int k = 0; k < internal::n_euler_sequences; ++k) {
      const auto sequence = static_cast<EulerSequence>(k);
      const auto found = analytic_jacobian(model, ws, s.q, frame, sequence, J.view());
      EXPECT_FALSE(found.singular);
      const SE3<Moving> T = frame_pose(duals, frame);
      const auto angles = euler_angles(sequence, T.R).first;
      const auto determinant =
          euler_rate_inverse(euler_rate_matrix(sequence, found.angles)).determinant;
      if (std::abs(determinant) < 0.1) continue;  // the rates grow with 1 / determinant
      ++checked;
      const Twist<double> expected{{angles.phi.d[0], angles.theta.d[0], angles.psi.d[0]},
                                   {T.p.x.d[0], T.p.y.d[0], T.p.z.d[0]}};
      EXPECT_CLOSE(J.times(s.qd), expected, 3e3);
      EXPECT_CLOSE(found.angles.theta, angles.theta.value, 100);
    }
  EXPECT_GT(checked, 60);
}

TEST(JacobianOfAFrame, has_zero_columns_for_joints_that_do_not_carry_the_frame) {
  const Model<double> model(testing::random_tree(7, 12));
  const std::vector<double> q = testing::random_q(model, 7),
                            qd = testing::random_velocity(model, 8);
  KinematicsWorkspace<double> ws(model);
  VelocityWorkspace<double> velocity(model);
  Columns<double> J(6, model.n_v()), Jdot(6, model.n_v());
  for (const Frame& frame : model.frames()) {
    std::vector<bool> carries(static_cast<std::size_t>(model.n_v()));
    for (int i = frame.body; i > 0; i = model.body(i).parent)
      for (int c = 0; c < model.body(i).v.count; ++c)
        carries[static_cast<std::size_t>(model.body(i).v.first + c)] = true;
    jacobian(model, ws, q, frame, Reference::world_aligned, J.view());
    jacobian_dot(model, velocity, q, qd, frame, Reference::body, Jdot.view());
    for (int c = 0; c < model.n_v(); ++c) {
      double size = 0, rate = 0;
      for (int r = 0; r < 6; ++r) size += std::abs(J(r, c)), rate += std::abs(Jdot(r, c));
      EXPECT_EQ(size > 0, static_cast<bool>(carries[static_cast<std::size_t>(c)]));
      EXPECT_LT(rate, 1e6);
      if (!carries[static_cast<std::size_t>(c)]) {
        EXPECT_EQ(rate, 0);
      }
    }
  }
}

TEST(JacobianOfAFrame, has_the_axis_of_joints_along_x_y_z_of_either_sign) {
  const Vec3<double> axes[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  for (const JointKind kind : {JointKind::revolute, JointKind::prismatic})
    for (const Vec3<double>& axis : axes) {
      RobotDescription d;
      d.links.resize(2);
      d.links[0].name = "base";
      d.links[1].name = "arm";
      Joint joint;
      joint.name = "joint";
      joint.kind = kind;
      joint.parent = "base";
      joint.child = "arm";
      joint.axis = axis;
      joint.placement = {exp(Vec3<double>{0.3, -0.5, 0.7}), {0.1, 0.2, 0.3}};
      d.joints.push_back(joint);
      const Model<double> model(d);
      KinematicsWorkspace<double> ws(model);
      Columns<double> J(6, 1);
      const double q[] = {0.8};
      jacobian(model, ws, q, model.frame("arm"), Reference::world_aligned, J.view());
      const Vec3<double> expected = joint.placement.R * axis;  // the joint leaves its axis alone
      const int first = kind == JointKind::revolute ? 0 : 3;
      EXPECT_CLOSE((Vec3<double>{J(first, 0), J(first + 1, 0), J(first + 2, 0)}), expected, 4);
      EXPECT_EQ(J(3 - first, 0), 0);
    }
}

TEST(JacobianOfAFrame, fills_row_major_matrices_and_blocks_of_larger_ones) {
  const Model<double> model(testing::random_tree(8, 10));
  const std::vector<double> q = testing::random_q(model, 8);
  const Frame& frame = model.frames().back();
  KinematicsWorkspace<double> ws(model);
  Eigen::MatrixXd J(6, model.n_v()), large = Eigen::MatrixXd::Zero(8, model.n_v() + 1);
  Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor> rows(6, model.n_v());
  jacobian(model, ws, q, frame, Reference::body, J);
  jacobian(model, ws, q, frame, Reference::body, rows);
  jacobian(model, ws, q, frame, Reference::body, large.block(1, 1, 6, model.n_v()));
  EXPECT_EQ(J, rows);
  EXPECT_EQ(J, large.block(1, 1, 6, model.n_v()));
  EXPECT_EQ(large.row(7).norm() + large.col(0).norm() + large.row(0).norm(), 0);
}

TEST(JacobianOfAFrame, calls_allocate_nothing) {
  const Model<double> model(testing::random_tree(9, 20));
  const std::vector<double> q = testing::random_q(model, 9),
                            qd = testing::random_velocity(model, 9);
  const Frame& frame = model.frames().back();
  KinematicsWorkspace<double> ws(model);
  VelocityWorkspace<double> velocity(model);
  Columns<double> J(6, model.n_v()), P(3, model.n_v());
  const testing::AllocationCounter counter;
  jacobian(model, ws, q, frame, Reference::body, J.view());
  point_jacobian(model, ws, q, frame, {1, 2, 3}, P.view());
  const auto found = analytic_jacobian(model, ws, q, frame, EulerSequence::zyx, J.view());
  jacobian_dot(model, velocity, q, qd, frame, Reference::world, J.view());
  const Twist<double> A = jacobian_dot_times_velocity(model, velocity, q, qd, frame);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_TRUE(!found.singular && norm(A.w) > 0);
}

TEST(AnalyticJacobian, says_so_where_the_angles_have_no_rates) {
  const Model<double> model(from_dh(testing::planar({1, 1})));
  KinematicsWorkspace<double> ws(model);
  Columns<double> J(6, 2);
  const double q[] = {0.3, 0.5};  // the tip turns about z only: theta = 0
  const auto zyz =
      analytic_jacobian(model, ws, q, model.frame("tool"), EulerSequence::zyz, J.view());
  EXPECT_TRUE(zyz.singular);
  EXPECT_EQ(J(0, 0), 0);
  const auto zyx =
      analytic_jacobian(model, ws, q, model.frame("tool"), EulerSequence::zyx, J.view());
  EXPECT_FALSE(zyx.singular);
  EXPECT_NEAR(zyx.angles.phi, 0.8, 1e-15);
  EXPECT_NEAR(J(0, 0), 1, 1e-15);
}

/// The textbook's numbers: linear first, world axes, the origin of the last frame.
class TextbookNumbers : public ::testing::Test {
 protected:
  using Matrix = Eigen::MatrixXd;

  static Matrix J(const DhTable& table, const std::vector<double>& q) {
    const Model<double> model(from_dh(table));
    KinematicsWorkspace<double> ws(model);
    Matrix out(6, model.n_v());
    jacobian(model, ws, q, model.frame("tool"), Reference::world_aligned, out);
    textbook_order<double>(out);
    return out;
  }
  static Matrix Jdot(const DhTable& table, const std::vector<double>& q,
                     const std::vector<double>& qd) {
    const Model<double> model(from_dh(table));
    VelocityWorkspace<double> ws(model);
    Matrix out(6, model.n_v());
    jacobian_dot(model, ws, q, qd, model.frame("tool"), Reference::world_aligned, out);
    textbook_order<double>(out);
    return out;
  }
  static void expect_near(const Matrix& found, const Matrix& expected) {
    ASSERT_EQ(found.cols(), expected.cols());
    EXPECT_LE((found - expected).cwiseAbs().maxCoeff(), 4e-15) << found << "\n\n" << expected;
  }
};

TEST_F(TextbookNumbers, TV_11_stanford_jacobian_at_the_wrist) {
  Matrix expected(6, 6);
  expected << -0.31464188302947632, 0.65761348494196116, 0.6154446635582735, 0, 0, 0,
      0.50957216620324521, 0.20342368912466071, 0.19037934406737268, 0, 0, 0, 0,
      -0.57979591851392195, 0.76484218728448843, 0, 0, 0, 0, -0.29552020666133958, 0,
      0.6154446635582735, 0.09096406351630997, 0.97690150430923533, 0, 0.95533648912560602, 0,
      0.19037934406737268, 0.94674943439803065, -0.14505196414205568, 1, 0, 0, 0.76484218728448843,
      -0.30885441168228403, -0.15691838189608274;
  expect_near(J(testing::stanford_wrist(), testing::q_stanford), expected);
  expect_near(J(testing::stanford_modified(), testing::q_stanford), expected);
}

TEST_F(TextbookNumbers, TV_12_stanford_jacobian_at_the_tool) {
  Matrix expected(6, 6);
  expected << -0.2783788919939624, 0.62013602093199248, 0.6154446635582735, 0.020266960726707833,
      -0.048340582088806218, 0, 0.75379754228055404, 0.19183055096293736, 0.19037934406737268,
      0.21093751601738149, -0.071861601431823819, 0, 0, -0.80239688524602556, 0.76484218728448843,
      -0.068813331219674021, -0.23451886568668433, 0, 0, -0.29552020666133958, 0,
      0.6154446635582735, 0.09096406351630997, 0.97690150430923533, 0, 0.95533648912560602, 0,
      0.19037934406737268, 0.94674943439803065, -0.14505196414205568, 1, 0, 0, 0.76484218728448843,
      -0.30885441168228403, -0.15691838189608274;
  expect_near(J(testing::stanford_with_tool(), testing::q_stanford), expected);
}

TEST_F(TextbookNumbers, TV_16_stanford_jacobian_dot) {
  Matrix wrist(6, 6), tool(3, 6);
  wrist << -0.1170390641301999, 0.41775798131000666, -0.25728036379412826, 0, 0, 0,
      -0.014034556665174212, 0.27333564838643206, 0.055281036336767798, 0, 0, 0, 0,
      -0.051179684328264546, 0.19326530617130732, 0, 0, 0, 0, -0.1910672978251212, 0,
      -0.25728036379412826, -0.49228862434921858, 0.23053466810692415, 0, -0.059104041332267915, 0,
      0.055281036336767798, 0.17540260496904222, 0.80363494212705522, 0, 0, 0, 0.19326530617130732,
      0.39268256746639666, 0.69233977528721868;
  tool << -0.31794779966196371, 0.58543097149357696, -0.25728036379412826, -0.11587195328365189,
      0.23327849316641454, 0, 0.043599110361556825, 0.31699025395262439, 0.055281036336767798,
      -0.025336257580131144, 0.043045841982644699, 0, 0, -0.14424844205515706, 0.19326530617130732,
      0.10850467305710785, -0.061275075871791936, 0;
  expect_near(Jdot(testing::stanford_wrist(), testing::q_stanford, testing::common_qd), wrist);
  Matrix both = wrist;
  both.topRows(3) = tool;
  expect_near(Jdot(testing::stanford_with_tool(), testing::q_stanford, testing::common_qd), both);
}

TEST_F(TextbookNumbers, TV_16_jacobian_dot_times_velocity) {
  const auto bias = [](const DhTable& table) {
    const Model<double> model(from_dh(table));
    VelocityWorkspace<double> ws(model);
    return textbook_order(jacobian_dot_times_velocity(model, ws, testing::q_stanford,
                                                      testing::common_qd, model.frame("tool"),
                                                      Reference::world_aligned));
  };
  const double wrist[] = {-0.25164735273669328, -0.062695191314257341, 0.09266002776700229,
                          0.38542744973485028,  0.5026746270755776,    0.34566095530686874};
  const double tool[] = {-0.5400340694397918, -0.10276047355842122, 0.21159803713669913};
  for (std::size_t k = 0; k < 6; ++k) {
    EXPECT_NEAR(bias(testing::stanford_wrist())[k], wrist[k], 4e-15);
    EXPECT_NEAR(bias(testing::stanford_with_tool())[k], k < 3 ? tool[k] : wrist[k], 4e-15);
  }
}

TEST_F(TextbookNumbers, TV_11_TV_16_TV_22_velocity_and_acceleration_of_the_last_frame) {
  const auto expect_motion = [](const DhTable& table, const std::vector<double>& q,
                                const std::array<double, 6>& xdot,
                                const std::array<double, 6>& xddot) {
    const Model<double> model(from_dh(table));
    VelocityWorkspace<double> ws(model);
    forward_acceleration(model, ws, q, testing::common_qd, testing::common_qdd);
    const Frame& tool = model.frame("tool");
    const auto V = textbook_order(frame_velocity(ws, tool, Reference::world_aligned));
    const auto A = textbook_order(frame_acceleration(ws, tool, Reference::world_aligned));
    for (std::size_t k = 0; k < 6; ++k) {
      EXPECT_NEAR(V[k], xdot[k], 4e-15);
      EXPECT_NEAR(A[k], xddot[k], 4e-15);
    }
  };
  expect_motion(testing::stanford_wrist(), testing::q_stanford,
                {-0.014034556665174212, 0.1170390641301999, 0.47987565046797195, 1.0256310086842174,
                 -0.86099731024225283, 0.65789087332435671},
                {0.15962583904714036, 0.0038362847701637532, 0.21540581368809275,
                 -0.55035844339874016, 1.2708340101379144, -0.16639100716395349});
  // For the PUMA the book-side acceleration is J qdd + J' qd of the closed forms.
  const Matrix P = J(testing::puma(), testing::q_puma);
  const Eigen::Map<const Eigen::VectorXd> qdd(testing::common_qdd.data(), 6);
  const double bias[] = {-0.04049441798816003, -0.03713226593247039, -0.02614046124052771,
                         0.39224789962818497,  0.51240466990845813,  0.23601977249500504};
  std::array<double, 6> xddot{};
  for (int k = 0; k < 6; ++k) xddot[static_cast<std::size_t>(k)] = P.row(k).dot(qdd) + bias[k];
  expect_motion(testing::puma(), testing::q_puma,
                {-0.092386045904795888, 0.061899117337590277, 0.096057125711420325,
                 0.73371997570735992, -0.47761529514730565, 0.90422194303758743},
                xddot);
}

TEST_F(TextbookNumbers, TV_17_counterexample_to_the_printed_1_83) {
  const std::vector<double> q{0.3, 0.5}, qd{1, 2};
  Matrix expected = Matrix::Zero(6, 2);
  expected(0, 0) = -3.0454566171671023, expected(0, 1) = -2.0901201280414963;
  expected(1, 0) = -2.4475884793599079, expected(1, 1) = -2.1520682726985683;
  expect_near(Jdot(testing::planar({1, 1}), q, qd), expected);
  Matrix three = Matrix::Zero(6, 3);
  three.topRows(2) << -0.15056086999893364, -0.055027221086373041, -0.082895489460259657,
      -0.035905427837931591, -0.0063534071717976338, -0.035047650807778544;
  expect_near(Jdot(testing::planar({0.5, 0.4, 0.3}), {0.3, 0.5, -0.4}, {0.2, -0.3, 0.4}), three);
}

TEST_F(TextbookNumbers, TV_22_puma_jacobian_and_its_derivative) {
  Matrix expected(6, 6), derivative(6, 6);
  expected << -0.31838042538662517, 0.61116556828000575, 0.38659927414132718, 0, 0, 0,
      0.37018747042841609, 0.25839665779504141, 0.16345155147604871, 0, 0, 0, 0,
      -0.4649484169577931, -0.10856849843979402, 0, 0, 0, 0, -0.38941834230865049,
      -0.38941834230865049, 0.27219213529543145, 0.080110896228635128, 0.97804611432527188, 0,
      0.92106099400288508, 0.92106099400288508, 0.11508098899676867, 0.98666561738878882,
      -0.050375026589578861, 1, 0, 0, 0.95533648912560602, -0.14167993424703811,
      0.20220819703794508;
  derivative << -0.061899117337590277, 0.036795140129812613, -0.042690131204245477, 0, 0, 0,
      -0.092386045904795888, 0.1596395203174761, 0.073091998359329046, 0, 0, 0, 0,
      0.031170531609094418, -0.041973254394498462, 0, 0, 0, 0, -0.18421219880057702,
      -0.18421219880057702, 0.064976119828771976, -0.68983387649019195, -0.051027523286083548, 0,
      -0.077883668461730098, -0.077883668461730098, 0.09164098225331225, 0.068053415819932839,
      0.7360065644570496, 0, 0, 0, -0.029552020666133958, 0.083870418941386188, 0.43016862027557677;
  for (const DhTable& table : {testing::puma(), testing::puma_modified()}) {
    expect_near(J(table, testing::q_puma), expected);
    expect_near(Jdot(table, testing::q_puma, testing::common_qd), derivative);
  }
}

TEST(TextbookOrder, puts_the_linear_part_first_and_is_its_own_inverse) {
  const auto x = textbook_order(Twist<double>{{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(x, (std::array<double, 6>{4, 5, 6, 1, 2, 3}));
  EXPECT_EQ(textbook_order(Wrench<double>{{1, 2, 3}, {4, 5, 6}}), x);
  double J[] = {1, 2, 3, 4, 5, 6};
  textbook_order(column_major(J, 6, 1));
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(J[k], x[k]);
  textbook_order(column_major(J, 6, 1));
  for (int k = 0; k < 6; ++k) EXPECT_EQ(J[k], k + 1);
}

}  // namespace
}  // namespace torsor
