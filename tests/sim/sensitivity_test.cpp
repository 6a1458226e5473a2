#include "torsor/sim/sensitivity.hpp"

#include "dynamics/parameter_cases.hpp"
#include "support/allocation_counter.hpp"

namespace torsor {
namespace {

using testing::at;
using testing::Case;
using testing::Edit;
using testing::Numbers;
using testing::Setting;

constexpr double duration = 0.4;

/// A spring and damper to the start, and a wave: its derivative is written beside it.
TorqueLaw feedback(const Model<double>& model, const Numbers& q0) {
  const auto own = std::make_shared<Numbers>(at(model.n_v()));
  TorqueLaw law;
  law.torque = [&model, q0, own](double t, View<const double> q, View<const double> v,
                                 View<double> tau) {
    difference(model, q0, q, *own);
    for (int k = 0; k < tau.size; ++k) tau[k] = std::sin(3 * t + k) - 0.5 * v[k];
    for (int i = 1; i < model.n_bodies();
         ++i)  // stiffness on coordinates whose rates are velocities
      for (int j = 0; j < model.joint(i).n_v; ++j)
        if (internal::coordinate_of_dof(model.joint(i), j) >= 0 &&
            internal::velocities_are_rates(model.joint(i).kind))
          tau[model.body(i).v.first + j] -= 2 * (*own)[at(model.body(i).v.first + j)];
  };
  law.change = [&model](double, View<const double>, View<const double>, View<const double> dq,
                        View<const double> dv, View<double> dtau) {
    for (int k = 0; k < dtau.size; ++k) dtau[k] = -0.5 * dv[k];
    for (int i = 1; i < model.n_bodies(); ++i)
      for (int j = 0; j < model.joint(i).n_v; ++j)
        if (internal::coordinate_of_dof(model.joint(i), j) >= 0 &&
            internal::velocities_are_rates(model.joint(i).kind))
          dtau[model.body(i).v.first + j] -= 2 * dq[model.body(i).v.first + j];
  };
  return law;
}

SensitivityOptions options_of(const Setting& s) {
  SensitivityOptions o;
  o.q0 = s.q, o.v0 = s.qd, o.F_ext = s.F_ext;
  o.duration = duration, o.record_every = 0.15;
  o.control.relative = 1e-13, o.control.absolute = 1e-14;
  return o;
}
/// The end of the motion of a setting; its tau is a constant torque beside the law's. The law is
/// that of the unchanged start.
SensitivityRecord motion(const Setting& s, const Numbers& q0, const Numbers& tau0) {
  const Model<double> model(s.robot);
  TorqueLaw law = feedback(model, q0);
  const auto inner = law.torque;
  law.torque = [&](double t, View<const double> q, View<const double> v, View<double> tau) {
    inner(t, q, v, tau);
    for (int k = 0; k < tau.size; ++k) tau[k] += s.tau[at(k)] - tau0[at(k)];
  };
  return motion_sensitivity(model, {}, law, options_of(s));
}

/// dq and dv at the end, by central differences of whole motions.
Numbers truth(const Setting& s, const Case& c, const SensitivityRecord& nominal) {
  const Model<double> model(s.robot);
  return testing::difference_of(
      s, c.edit,
      [&](const Setting& x) {
        const SensitivityRecord m = motion(x, s.q, s.tau);
        EXPECT_TRUE(m) << m.message;
        Numbers out(at(model.n_v()));
        difference(model, nominal.q.back(), m.q.back(), out);
        out.insert(out.end(), m.v.back().begin(), m.v.back().end());
        return out;
      },
      c.step);
}

void check(unsigned seed, int joints, std::size_t stride) {
  const Setting s = testing::random_setting(seed, joints);
  const Model<double> model(s.robot);
  std::vector<Case> cases;
  const std::vector<Case> all = testing::every_case(model);
  for (std::size_t k = seed % stride; k < all.size(); k += stride)
    if (!all[k].parameter.name.starts_with("qdd:")) cases.push_back(all[k]);
  const SensitivityRecord record =
      motion_sensitivity(model, testing::parameters_of(cases), feedback(model, s.q), options_of(s));
  ASSERT_TRUE(record) << record.message;
  ASSERT_EQ(record.t.size(), 4u);
  EXPECT_EQ(record.t.back(), duration);
  const auto n = at(model.n_v());
  for (std::size_t c = 0; c < cases.size(); ++c) {
    Numbers got(record.dq.back().begin() + static_cast<std::ptrdiff_t>(c * n),
                record.dq.back().begin() + static_cast<std::ptrdiff_t>((c + 1) * n));
    got.insert(got.end(), record.dv.back().begin() + static_cast<std::ptrdiff_t>(c * n),
               record.dv.back().begin() + static_cast<std::ptrdiff_t>((c + 1) * n));
    const Numbers want = truth(s, cases[c], record);
    testing::expect_near(got, want, 1e-6 * testing::size_of(want),
                         cases[c].parameter.name + ", seed " + std::to_string(seed));
  }
}

TEST(Sensitivity, of_a_motion_is_the_difference_of_motions_for_any_parameter) {
  for (unsigned seed = 1; seed <= 4; ++seed) check(seed, 4, 21);
}
TEST(Sensitivity, of_every_joint_kind_at_once) { check(20, 13, 60); }

/// x'' = -k/m x: the motion is known, and so are its derivatives.
TEST(Sensitivity, of_an_oscillator_is_the_closed_form) {
  RobotDescription robot;
  robot.links = {{"base", {}, false, {}, {}}, {"mass", {2, {}, {}}, true, {}, {}}};
  Joint slide;
  slide.name = "slide", slide.kind = JointKind::prismatic, slide.parent = "base";
  slide.child = "mass", slide.axis = {1, 0, 0}, slide.spring = {{8, 0}};
  robot.joints = {slide};
  const Model<double> model(robot);
  SensitivityOptions o;
  o.q0 = {0.7}, o.v0 = {-0.3}, o.duration = 3, o.control.relative = 1e-13;
  o.control.absolute = 1e-14;
  const SensitivityRecord r = motion_sensitivity(
      model,
      {Parameter::mass(model, "mass"), Parameter::spring(model, 0, 0),
       Parameter::coordinate(model, 0), Parameter::velocity(model, 0), Parameter::torque(model, 0)},
      {}, o);
  ASSERT_TRUE(r);
  const double w = 2, t = 3, a = 0.7, b = -0.3 / w, c = std::cos(w * t), s = std::sin(w * t);
  EXPECT_NEAR(r.q.back()[0], a * c + b * s, 1e-11);
  // x = a cos wt + (v0/w) sin wt, w^2 = k/m
  const double dx_dw = -a * t * s + b * t * c - b / w * s;
  EXPECT_NEAR(r.dq.back()[0], dx_dw * (-w / (2 * 2.0)), 1e-10);
  EXPECT_NEAR(r.dq.back()[1], dx_dw * (1 / (2 * w * 2.0)), 1e-10);
  EXPECT_NEAR(r.dq.back()[2], c, 1e-11);
  EXPECT_NEAR(r.dq.back()[3], s / w, 1e-11);
  EXPECT_NEAR(r.dq.back()[4], (1 - c) / 8, 1e-11);
  EXPECT_NEAR(r.dv.back()[2], -w * s, 1e-10);
}

/// A free body turning in space: the derivative of its end with respect to its start is a linear map
/// that keeps the momentum's: checked through rotation about a fixed axis, dq = t dw.
TEST(Sensitivity, of_a_turning_ball_grows_with_time) {
  RobotDescription robot;
  robot.gravity = {};
  robot.links = {{"base", {}, false, {}, {}},
                 {"ball", {1, {}, Sym3<double>::diagonal(0.4, 0.4, 0.4)}, true, {}, {}}};
  Joint joint;
  joint.name = "socket", joint.kind = JointKind::spherical;
  joint.parent = "base", joint.child = "ball";
  robot.joints = {joint};
  const Model<double> model(robot);
  SensitivityOptions o;
  o.v0 = {0, 0, 2}, o.duration = 1.5;
  const SensitivityRecord r = motion_sensitivity(
      model, {Parameter::velocity(model, 2), Parameter::coordinate(model, 0)}, {}, o);
  ASSERT_TRUE(r);
  EXPECT_NEAR(r.dq.back()[2], 1.5, 1e-9);
  // A turn of the start about x, seen from the ball that has turned by 3 rad about z since.
  EXPECT_NEAR(r.dq.back()[3], std::cos(3.0), 1e-9);
  EXPECT_NEAR(r.dq.back()[4], -std::sin(3.0), 1e-9);
}

TEST(Sensitivity, what_could_be_known_is_refused) {
  Setting s = testing::random_setting(2, 3);
  const Model<double> model(s.robot);
  SensitivityOptions o = options_of(s);
  o.q0.pop_back();
  EXPECT_THROW((void)motion_sensitivity(model, {}, {}, o), Error);
  o = options_of(s), o.duration = -1;
  EXPECT_THROW((void)motion_sensitivity(model, {}, {}, o), Error);
  o = options_of(s), o.F_ext.pop_back();
  EXPECT_THROW((void)motion_sensitivity(model, {}, {}, o), Error);
  for (Joint& j : s.robot.joints)
    for (Friction& f : j.friction) f.width = 0;
  const Model<double> sticky(s.robot);
  EXPECT_THROW((void)motion_sensitivity(sticky, {}, {}, options_of(s)), Error);
}

TEST(Sensitivity, a_massless_end_stops_the_motion_with_its_time) {
  RobotDescription robot;
  robot.links = {{"base", {}, false, {}, {}}, {"arm", {}, false, {}, {}}};
  Joint joint;
  joint.name = "j", joint.parent = "base", joint.child = "arm";
  robot.joints = {joint};
  const Model<double> model(robot);
  const SensitivityRecord r = motion_sensitivity(model, {}, {}, {});
  EXPECT_FALSE(r);
  EXPECT_NE(r.message.find("joint \"j\" moves no mass"), std::string::npos) << r.message;
}

TEST(Sensitivity, rates_allocate_nothing) {
  const Setting s = testing::random_setting(3, 6);
  const Model<double> model(s.robot);
  SensitivityRates rates(model, testing::parameters_of(testing::every_case(model)), {});
  const Numbers y = rates.start(s.q, s.qd);
  Numbers dy(at(rates.space().n_tangent()));
  const testing::AllocationCounter counter;
  rates(0, y, dy);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
