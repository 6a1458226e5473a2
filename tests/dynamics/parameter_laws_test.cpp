#include "dynamics/parameter_cases.hpp"
#include "support/allocation_counter.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/derivatives/parameter_derivatives.hpp"
#include "torsor/identification/regressor.hpp"

namespace torsor {
namespace {

using testing::at;
using testing::Case;
using testing::every_case;
using testing::Numbers;
using testing::Setting;
using testing::subset;

/// Columns of one problem for a list, by columns.
Numbers inverse_columns(const Setting& s, const std::vector<Parameter>& list) {
  const Model<double> model(s.robot);
  const int n = model.n_v(), m = static_cast<int>(list.size());
  ParameterWorkspace<double> ws(model);
  Numbers d(at(n * m)), tau(s.qd.size());
  tree_inverse_dynamics_derivatives<double>(model, ws, list, s.q, s.qd, s.qdd, s.F_ext, tau,
                                            column_major(d.data(), n, m));
  return d;
}

/// Friction that grows with the load bends what is linear otherwise; parameter_derivatives_test has it.
Setting without_load_friction(Setting s) {
  for (Joint& j : s.robot.joints)
    for (Friction& f : j.friction) f.load = 0;
  return s;
}

TEST(ParameterLaws, regressor_columns_are_derivatives_with_respect_to_inertial_parameters) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Setting s = without_load_friction(testing::random_setting(seed, 9));
    const Model<double> model(s.robot);
    std::vector<Parameter> list;
    for (int i = 1; i < model.n_bodies(); ++i)
      for (int k = 0; k < parameters_per_body; ++k)
        list.push_back(Parameter::inertial(model, model.body_name(i), k));
    const int n = model.n_v(), m = static_cast<int>(list.size());
    Numbers Y(at(n * m));
    RegressorWorkspace<double> ws(model);
    torque_regressor(model, ws, s.q, s.qd, s.qdd, column_major(Y.data(), n, m));
    testing::expect_near(inverse_columns(s, list), Y, 1e-12 * testing::size_of(Y), "Y");
  }
}

TEST(ParameterLaws, torque_is_linear_in_what_joints_and_loads_add) {
  const Setting s = without_load_friction(testing::random_setting(4, 6));
  const Model<double> model(s.robot);
  for (int k = 0; k < model.n_v(); ++k) {
    int i = 1;
    while (k >= model.body(i).v.first + model.body(i).v.count) ++i;
    const double n = model.joint_description(i).actuator[at(k - model.body(i).v.first)].gear_ratio;
    const Numbers d =
        inverse_columns(s, {Parameter::friction(model, k, 0), Parameter::rotor(model, k),
                            Parameter::motor_viscous(model, k), Parameter::disturbance(model, k),
                            Parameter::torque(model, k)});
    for (int r = 0; r < model.n_v(); ++r) {
      const double here = r == k ? 1 : 0;
      const auto entry = [&](int c) { return d[at(c * model.n_v() + r)]; };
      EXPECT_EQ(entry(0), here * s.qd[at(k)]);
      EXPECT_NEAR(entry(1), here * n * n * s.qdd[at(k)], 1e-14);
      EXPECT_NEAR(entry(2), here * n * n * s.qd[at(k)], 1e-14);
      EXPECT_EQ(entry(3), -here);
      EXPECT_EQ(entry(4), 0);
    }
  }
  // Gravity: tau(g) is affine in it.
  Setting doubled = s, none = s;
  doubled.robot.gravity = s.robot.gravity * 2;
  const Numbers a = testing::torque_of(doubled), b = testing::torque_of(s);
  const Numbers d = inverse_columns(s, {Parameter::gravity(model, 0), Parameter::gravity(model, 1),
                                        Parameter::gravity(model, 2)});
  for (std::size_t r = 0; r < a.size(); ++r) {
    double sum = 0;
    for (int c = 0; c < 3; ++c) sum += d[at(c) * a.size() + r] * s.robot.gravity[c];
    EXPECT_NEAR(sum, a[r] - b[r], 1e-11);
  }
}

TEST(ParameterLaws, accelerations_change_by_minus_the_inverse_mass_matrix_times_torques) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    Setting s = without_load_friction(testing::random_setting(seed, 6));
    const Model<double> model(s.robot);
    std::vector<Parameter> list;
    for (const Case& c : every_case(model))
      if (!c.parameter.name.starts_with("tau.") && !c.parameter.name.starts_with("qdd."))
        list.push_back(c.parameter);
    const int n = model.n_v(), m = static_cast<int>(list.size());
    ParameterWorkspace<double> ws(model);
    Numbers dqdd(at(n * m)), dtau(dqdd), tau(s.tau);
    EXPECT_TRUE(tree_forward_dynamics_derivatives<double>(
        model, ws, list, s.q, s.qd, s.tau, s.F_ext, s.qdd, column_major(dqdd.data(), n, m)));
    tree_inverse_dynamics_derivatives<double>(model, ws, list, s.q, s.qd, s.qdd, s.F_ext, tau,
                                              column_major(dtau.data(), n, m));
    testing::expect_near(tau, s.tau, 1e-9 * testing::size_of(s.qdd), "tau");
    Numbers M(at(n * n));
    CrbaWorkspace<double> crba(model);
    mass_matrix(model, crba, s.q, column_major(M.data(), n, n));
    for (int c = 0; c < m; ++c)
      for (int r = 0; r < n; ++r) {
        double sum = dtau[at(c * n + r)], size = 1;
        for (int k = 0; k < n; ++k) {
          const double term = M[at(k * n + r)] * dqdd[at(c * n + k)];
          sum += term, size = std::max(size, std::abs(term));
        }
        EXPECT_NEAR(sum, 0, 1e-10 * size * testing::size_of(s.qdd)) << list[at(c)].name;
      }
  }
}

TEST(ParameterLaws, coulomb_friction_that_jumps_has_no_slope_and_gives_no_nan) {
  Setting s = testing::random_setting(3, 4);
  for (Joint& j : s.robot.joints)
    for (Friction& f : j.friction) f.width = f.stribeck = 0;
  for (double& v : s.qd) v = 0;
  const Model<double> model(s.robot);
  std::vector<Parameter> list;
  for (int k = 0; k < model.n_v(); ++k)
    for (int f = 0; f < 6; ++f) list.push_back(Parameter::friction(model, k, f));
  for (const double x : inverse_columns(s, list)) EXPECT_EQ(x, 0);
  for (int k = 0; k < model.n_v(); ++k)
    for (const double x : inverse_columns(s, {Parameter::velocity(model, k)}))
      EXPECT_TRUE(std::isfinite(x));
}

TEST(ParameterLaws, a_massless_end_is_reported_and_gives_finite_numbers) {
  Setting s = testing::random_setting(2, 3, {.kinds = testing::one_dof_kinds(), .chain = true});
  for (Joint& j : s.robot.joints) j.actuator.clear();
  const Model<double> heavy(s.robot);
  for (Link& l : s.robot.links)
    if (l.name.starts_with("link_3")) l.inertial = {};
  const Model<double> model(s.robot);
  std::vector<Parameter> list = {Parameter::coordinate(model, 0), Parameter::mass(model, "link_3")};
  ParameterWorkspace<double> ws(model);
  Numbers qdd(s.qd.size()), d(qdd.size() * 2);
  EXPECT_FALSE(tree_forward_dynamics_derivatives<double>(
      model, ws, list, s.q, s.qd, s.tau, s.F_ext, qdd, column_major(d.data(), model.n_v(), 2)));
  for (const double x : d) EXPECT_TRUE(std::isfinite(x));
}

TEST(ParameterLaws, a_call_allocates_nothing) {
  Setting s = testing::random_setting(20, 13);
  const Model<double> model(s.robot);
  const std::vector<Parameter> list = testing::parameters_of(every_case(model));
  const int n = model.n_v(), m = static_cast<int>(list.size());
  ParameterWorkspace<double> ws(model);
  Numbers d(at(n * m)), e(d), out(s.qd.size());
  const std::vector<char> mask = subset(model, 2);
  const testing::AllocationCounter counter;
  tree_inverse_dynamics_derivatives<double>(model, ws, list, s.q, s.qd, s.qdd, s.F_ext, out,
                                            column_major(d.data(), n, m));
  const auto forward = tree_forward_dynamics_derivatives<double>(
      model, ws, list, s.q, s.qd, s.tau, s.F_ext, out, column_major(d.data(), n, m));
  const auto hybrid = tree_hybrid_dynamics_derivatives<double>(
      model, ws, list, mask, s.q, s.qd, s.qdd, s.tau, s.F_ext, column_major(d.data(), n, m),
      column_major(e.data(), n, m));
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_TRUE(forward && hybrid);
}

}  // namespace
}  // namespace torsor
