#include "torsor/dynamics/derivatives/parameter_derivatives.hpp"

#include "dynamics/parameter_cases.hpp"

namespace torsor {
namespace {

using testing::at;
using testing::Case;
using testing::Edit;
using testing::every_case;
using testing::Numbers;
using testing::Setting;
using testing::subset;

Numbers column(const Numbers& matrix, int rows, int c) {
  return {matrix.begin() + rows * c, matrix.begin() + rows * (c + 1)};
}

/// All three problems at one setting, every case.
void check(const Setting& s, const std::vector<Case>& cases, unsigned seed) {
  const Model<double> model(s.robot);
  const std::vector<Parameter> list = testing::parameters_of(cases);
  const int n = model.n_v(), m = static_cast<int>(list.size());
  ParameterWorkspace<double> ws(model);
  Numbers dtau(at(n * m)), dqdd(dtau), hqdd(dtau), htau(dtau), tau(s.qd.size()), qdd(tau);
  tree_inverse_dynamics_derivatives<double>(model, ws, list, s.q, s.qd, s.qdd, s.F_ext, tau,
                                            column_major(dtau.data(), n, m));
  const Numbers expected = testing::torque_of(s);
  testing::expect_near(tau, expected, 1e-12 * testing::size_of(expected), "tau");
  EXPECT_TRUE(tree_forward_dynamics_derivatives<double>(model, ws, list, s.q, s.qd, s.tau, s.F_ext,
                                                        qdd, column_major(dqdd.data(), n, m)));
  const std::vector<char> none(at(model.n_bodies())), mask = subset(model, seed);
  Numbers hybrid_qdd = s.qdd, hybrid_tau = s.tau;
  EXPECT_TRUE(tree_hybrid_dynamics_derivatives<double>(
      model, ws, list, mask, s.q, s.qd, hybrid_qdd, hybrid_tau, s.F_ext,
      column_major(hqdd.data(), n, m), column_major(htau.data(), n, m)));
  const Numbers both = testing::hybrid_of(s, mask);
  Numbers found = hybrid_qdd;
  found.insert(found.end(), hybrid_tau.begin(), hybrid_tau.end());
  testing::expect_near(found, both, 1e-10 * testing::size_of(both), "hybrid");

  for (int c = 0; c < m; ++c) {
    const std::string name = list[at(c)].name + ", seed " + std::to_string(seed);
    const Edit& edit = cases[at(c)].edit;
    const double step = cases[at(c)].step;
    const Numbers id = testing::difference_of(s, edit, testing::torque_of, step);
    testing::expect_near(column(dtau, n, c), id, 2e-8 * testing::size_of(id), "id of " + name);
    Numbers fd = testing::difference_of(
        s, edit, [&](const Setting& x) { return testing::hybrid_of(x, none); }, step);
    fd.resize(at(n));
    testing::expect_near(column(dqdd, n, c), fd, 2e-8 * testing::size_of(fd), "fd of " + name);
    const Numbers hd = testing::difference_of(
        s, edit, [&](const Setting& x) { return testing::hybrid_of(x, mask); }, step);
    Numbers got = column(hqdd, n, c);
    const Numbers lower = column(htau, n, c);
    got.insert(got.end(), lower.begin(), lower.end());
    for (int i = 1; i < model.n_bodies(); ++i)  // the truth changes what is not read as well
      for (int k = model.body(i).v.first; k < model.body(i).v.first + model.body(i).v.count; ++k)
        got[at(mask[at(i)] ? k : n + k)] = hd[at(mask[at(i)] ? k : n + k)];
    testing::expect_near(got, hd, 2e-8 * testing::size_of(hd), "hd of " + name);
  }
}

TEST(ParameterDerivatives, L_09_every_parameter_agrees_with_the_robot_built_again) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const Setting s = testing::random_setting(seed, 5);
    check(s, every_case(Model<double>(s.robot)), seed);
  }
}
TEST(ParameterDerivatives, L_09_motors_that_turn_with_several_joints) {
  for (unsigned seed = 40; seed <= 44; ++seed) {
    const Setting s = testing::random_setting(seed, 5,
                                              {.kinds = {JointKind::revolute, JointKind::prismatic,
                                                         JointKind::helical, JointKind::spherical},
                                               .motors = true});
    ASSERT_FALSE(s.robot.motors.empty());
    check(s, every_case(Model<double>(s.robot)), seed);
  }
}
TEST(ParameterDerivatives, L_09_every_joint_kind_at_once) {
  const Setting s = testing::random_setting(20, 13);
  check(s, every_case(Model<double>(s.robot)), 20);
}
TEST(ParameterDerivatives, L_09_at_rest_and_with_aligned_axes) {
  for (unsigned seed = 30; seed <= 31; ++seed) {
    Setting s = testing::random_setting(seed, 5, {.chain = true, .base = false});
    for (Joint& j : s.robot.joints) j.placement.R = SO3<double>::identity(), j.axis = {0, 0, 1};
    neutral(Model<double>(s.robot), s.q);
    for (double& v : s.qd) v = 0;
    // Gimbal lock of zyz and zxz angles is a singular mass matrix; there only id is asked.
    for (Joint& j : s.robot.joints) j.order = EulerOrder::zyx;
    for (Joint& j : s.robot.joints)
      for (JointPart& part : j.parts) part.order = EulerOrder::zyx;
    check(s, every_case(Model<double>(s.robot)), seed);
  }
}

/// A chain with inertias in the table's frames, and a wrench held in the last one.
DhTable random_table(DhTable::Convention convention, unsigned seed) {
  testing::Draw<double> draw(seed);
  DhTable table;
  table.convention = convention;
  table.base = draw.pose();
  table.tool = draw.pose();
  for (int i = 0; i < 5; ++i) {
    DhRow row;
    row.a = draw(), row.alpha = draw(-2, 2), row.d = draw(), row.theta = draw(-2, 2);
    row.prismatic = i == 2;
    row.inertial = testing::random_tree_detail::cloud(draw, 0.5);
    row.has_inertial = true;
    table.rows.push_back(row);
  }
  return table;
}
/// The frames of the table on the links' frames: where the wrenches are held.
SE3<double> table_frame(const DhTable& table, std::size_t i) {
  if (table.convention == DhTable::Convention::modified) return {};
  return internal::x_screw(table.rows[i].a, table.rows[i].alpha);
}
Setting setting_of(const DhTable& table, const std::vector<Wrench<double>>& F_frame,
                   const testing::State<double>& state) {
  Setting s{from_dh(table), state.q, state.qd, state.qdd, state.tau, F_frame};
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    s.F_ext[i + 1] = Ad_dual_inv(table_frame(table, i), F_frame[i + 1]);
  return s;
}
std::vector<Case> dh_cases(const Model<double>& model, const DhTable& table,
                           const std::vector<Wrench<double>>& F_frame,
                           const testing::State<double>& state) {
  const std::array<double DhRow::*, 4> fields = {&DhRow::a, &DhRow::alpha, &DhRow::d,
                                                 &DhRow::theta};
  std::vector<Case> cases;
  for (int row = 1; row <= 5; ++row)
    for (int e = 0; e < 4; ++e)
      cases.push_back({Parameter::dh(model, table.convention, row, static_cast<DhEntry>(e)),
                       [=](Setting& s, double h) {
                         DhTable other = table;
                         other.rows[at(row - 1)].*fields[at(e)] += h;
                         s = setting_of(other, F_frame, state);
                       },
                       0.005});
  return cases;
}

TEST(ParameterDerivatives, L_09_rows_of_standard_and_modified_dh_tables) {
  for (const auto convention : {DhTable::Convention::standard, DhTable::Convention::modified})
    for (unsigned seed = 1; seed <= 4; ++seed) {
      const DhTable table = random_table(convention, seed);
      const Model<double> model(from_dh(table));
      const testing::State<double> state(model, seed);
      const Setting s = setting_of(table, state.F_ext, state);
      check(s, dh_cases(model, table, state.F_ext, state), seed);
    }
}

/// The same robot with link frames elsewhere: the parameters of its table have the same derivatives.
TEST(ParameterDerivatives, dh_rows_of_a_chain_with_other_link_frames_are_those_of_its_table) {
  DhTable table = random_table(DhTable::Convention::standard, 9);
  table.rows[2].prismatic = false;  // a slider's frames are a choice
  const Model<double> own(from_dh(table));
  RobotDescription moved = own.description();
  testing::Draw<double> draw(5);
  moved.frames.clear();
  // Frames turned about their axis, so that no link frame is a table's.
  std::vector<SE3<double>> turned(moved.links.size());
  for (std::size_t i = 1; i < moved.links.size(); ++i) {
    turned[i] = {rotation_z(draw()), {0, 0, draw()}};
    moved.links[i].inertial = transported(inverse(turned[i]), moved.links[i].inertial);
    moved.joints[i - 1].placement =
        inverse_times(turned[i - 1], own.description().joints[i - 1].placement) * turned[i];
  }
  const Model<double> other(moved);
  testing::State<double> s(own, 3);
  for (const auto convention : {DhTable::Convention::standard, DhTable::Convention::modified}) {
    // Rows 2 to 4: the first and last frame are a choice (base and tool).
    std::vector<Parameter> a, b;
    for (int row = 2; row <= 4; ++row)
      for (int e = 0; e < 4; ++e) {
        a.push_back(Parameter::dh(own, convention, row, static_cast<DhEntry>(e)));
        b.push_back(Parameter::dh(other, convention, row, static_cast<DhEntry>(e)));
      }
    const int n = own.n_v(), m = static_cast<int>(a.size());
    Numbers da(at(n * m)), db(da), tau_a(at(n)), tau_b(tau_a);
    ParameterWorkspace<double> wa(own), wb(other);
    tree_inverse_dynamics_derivatives<double>(own, wa, a, s.q, s.qd, s.qdd, {}, tau_a,
                                              column_major(da.data(), n, m));
    tree_inverse_dynamics_derivatives<double>(other, wb, b, s.q, s.qd, s.qdd, {}, tau_b,
                                              column_major(db.data(), n, m));
    testing::expect_near(tau_a, tau_b, 1e-11, "tau");
    // Axes may point the other way in another table: the same column, or its opposite.
    for (int c = 0; c < m; ++c) {
      const Numbers x = column(da, n, c);
      Numbers y = column(db, n, c);
      double dot_xy = 0;
      for (std::size_t k = 0; k < x.size(); ++k) dot_xy += x[k] * y[k];
      for (double& e : y) e = dot_xy < 0 ? -e : e;
      testing::expect_near(x, y, 1e-9 * testing::size_of(x), a[at(c)].name);
    }
  }
}

TEST(ParameterDerivatives, stiction_follows_coulomb_where_it_is_not_larger) {
  Setting s = testing::random_setting(5, 3);
  for (Joint& j : s.robot.joints)
    for (Friction& f : j.friction) f.stiction = 0;
  const Model<double> model(s.robot);
  std::vector<Case> cases;
  for (int k = 0; k < model.n_v(); ++k) {
    cases.push_back({Parameter::friction(model, k, 2),
                     testing::dof_edit(model, k, &Joint::friction, &Friction::coulomb)});
    EXPECT_THROW((void)Parameter::friction(model, k, 3), Error);
  }
  check(s, cases, 5);
}

}  // namespace
}  // namespace torsor
