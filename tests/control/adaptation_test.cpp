/// Rates of estimates: what they promise to the energy of the parameter errors, and that estimates
/// stay possible.
#include "torsor/control/uncertain/adaptation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "control/reference_runs.hpp"
#include "control/textbook_regressors.hpp"
#include "support/random_model.hpp"
#include "torsor/control/uncertain/slotine_li.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/math/principal_axes.hpp"
#include "torsor/model/surgery.hpp"
#include "torsor/trajectory/periodic.hpp"

namespace torsor {
namespace {

using Numbers = std::vector<double>;

/// Smallest second moment about the centre of mass, from the ten of a link: positive for a body.
double smallest_moment(View<const double> ten) {
  const Inertia<double> I = inertia_of(ten.data);
  const Vec3<double> c = I.h * (1 / I.m);
  const Sym3<double> J = I.J - Inertia<double>::parallel_axes(I.m, c);
  const Vec3<double> principal = principal_axes(J).moments;  // ascending
  return (principal.x + principal.y - principal.z) / 2;
}

/// dW/dt along the rate by a central difference, against -p~^T y.
struct Balance {
  double measured, promised;
};
Balance balance(Adaptation& a, const Numbers& p_hat, const Numbers& y, const Model<double>& plant) {
  Numbers rate(p_hat.size()), ahead(p_hat), behind(p_hat);
  a.rate(p_hat, y, rate);
  const double h = 1e-5;
  for (std::size_t k = 0; k < rate.size(); ++k) ahead[k] += h * rate[k], behind[k] -= h * rate[k];
  double promised = 0;
  const View<const double> p = a.values(plant);
  for (int k = 0; k < p.size; ++k) {
    const auto i = static_cast<std::size_t>(k);
    promised -= (p[k] - p_hat[i]) * y[i];
  }
  return {(a.energy(ahead, plant) - a.energy(behind, plant)) / (2 * h), promised};
}

TEST(Adaptation, energy_of_the_errors_falls_by_the_work_of_the_gradient) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model<double> model(testing::random_tree(seed, 6, {.dissipation = false}));
    testing::Draw<double> draw(seed);
    AdaptationOptions o;
    o.parameters = {model.body_name(2), model.body_name(1) + ".mx", model.body_name(3)};
    Numbers rates;
    for (int k = 0; k < 21; ++k) rates.push_back(draw(0.1, 2));
    o.rate = Gain(rates);
    for (const bool natural : {false, true}) {
      o.natural = natural ? 0.7 : 0;
      Adaptation a("law", model, o);
      Numbers ten = parameters(model), p_hat, y(21);
      const auto first =
          ten.begin();  // ten of bodies 2 and 3 for those of 1, 2 and 3: possible ones
      for (int k = 0; k < 10; ++k) p_hat.push_back(0.6 * first[10 + k] + 0.3 * first[20 + k]);
      p_hat.push_back(draw());
      for (int k = 0; k < 10; ++k) p_hat.push_back(0.2 * first[10 + k] + 0.7 * first[20 + k]);
      for (double& x : y) x = draw();
      ten[1] = 1.7;
      for (std::size_t k = 10; k < 30; ++k) ten[k] *= 1.4;
      const Model<double> plant = with_parameters(model, ten);
      const Balance b = balance(a, p_hat, y, plant);
      EXPECT_NEAR(b.measured, b.promised, 1e-7 * (1 + std::abs(b.promised))) << seed << natural;
      EXPECT_GT(a.energy(p_hat, plant), 0);
      EXPECT_NEAR(a.energy(a.values(plant), plant), 0, 1e-9);
    }
  }
}

/// The torque of a motor of several joints is no link's: another motor asks for other parameters.
TEST(Adaptation, values_of_a_plant_are_found_anew_where_only_its_motors_or_springs_differ) {
  RobotDescription robot = load_robot("planar2r").description();
  robot.motors = {
      {"m", {{robot.joints[0].name, 1}, {robot.joints[1].name, 1}}, 0.1, {.viscous = 0.2}, {}}};
  const Model<double> model(robot);
  AdaptationOptions o;
  o.parameters = {"link_2.zz", robot.joints[0].name + ".viscous"};
  o.rate = Gain({1, 1});
  Adaptation a("law", model, o);
  const auto check = [&](const RobotDescription& changed) {
    const Model<double> plant(changed);
    const Array<double> fresh = ParameterSet(model, o.parameters).values_of(plant);
    const View<const double> p = a.values(plant);
    for (int k = 0; k < 2; ++k) EXPECT_EQ(p[k], fresh[k]) << k;
    return p[0] + p[1];
  };
  const double own = check(robot);
  RobotDescription heavier = robot, other_gear = robot, sticky = robot, sprung = robot;
  heavier.motors[0].rotor_inertia = 0.5;
  other_gear.motors[0].ratios[0].factor = 2;
  sticky.motors[0].friction.viscous = 1;
  sprung.joints[1].spring = {{3, 0.5}};
  for (const RobotDescription& plant : {heavier, other_gear, sticky, sprung, robot}) check(plant);
  EXPECT_GT(std::abs(check(heavier) - own), 0.1);
  EXPECT_NEAR(check(robot), own, 1e-12);
}

TEST(Adaptation, full_matrices_are_the_inverse_of_gamma) {
  const Model<double> arm = load_robot("planar2r");
  AdaptationOptions o;
  o.parameters = {"link_2.m", "link_2.mx", "link_2.zz"};
  o.rate = Gain::full(3, {2, 0.5, 0.1, 0.5, 1, -0.2, 0.1, -0.2, 3});
  Adaptation a("law", arm, o);
  const Balance b = balance(a, {1.2, 0.7, 0.1}, {0.3, -2, 1}, arm);
  EXPECT_NEAR(b.measured, b.promised, 1e-8);
  o.rate = Gain::full(3, {2, 3, 0, 3, 1, 0, 0, 0, 3});  // indefinite
  EXPECT_THROW(Adaptation("law", arm, o), Error);
}

TEST(Adaptation, bounds_are_never_left_and_only_help) {
  const Model<double> arm = load_robot("planar2r");
  AdaptationOptions o;
  o.parameters = {"link_2.m", "link_2.mx"};
  o.rate = Gain({2, 3});
  o.lower = {0.2, -1};
  o.upper = {3, 2};
  Adaptation a("law", arm, o);  // p = (1, 0.5) is well inside
  testing::Draw<double> draw(3);
  Numbers p_hat{1, 0.5}, y(2), rate(2);
  double slowest = 1;
  for (int k = 0; k < 20000; ++k) {
    if (k % 500 == 0)
      for (double& x : y) x = 5 * draw();
    a.rate(p_hat, y, rate);
    double work = 0, change = 0;
    for (std::size_t c = 0; c < 2; ++c) {
      const double error = (c == 0 ? 1 : 0.5) - p_hat[c];
      work -= error * y[c];
      change -= error * rate[c] / o.rate(static_cast<int>(c), static_cast<int>(c));
      if (y[c] != 0) slowest = std::fmin(slowest, rate[c] / y[c]);
      p_hat[c] += 1e-3 * rate[c];
      EXPECT_GE(p_hat[c], o.lower[static_cast<int>(c)]);
      EXPECT_LE(p_hat[c], o.upper[static_cast<int>(c)]);
    }
    EXPECT_LE(change, work + 1e-12);  // W' <= -p~^T y
  }
  EXPECT_LT(slowest, 1e-3);  // the bounds were met
}

TEST(Adaptation, natural_estimates_stay_possible_bodies_where_others_do_not) {
  const Model<double> robot = testing::frictionless(load_robot("ur5"));
  const std::string hand = robot.body_name(6);
  const Model<double> loaded =
      attach_payload(robot, hand, {2, {0.05, 0, 0.1}, {0.01, 0, 0.01, 0, 0, 0.005}});
  const auto run = [&](bool natural) {
    AdaptationOptions o;
    o.parameters = {hand};
    o.rate = Gain({5, 0.05, 0.05, 0.05, 5e-4, 5e-4, 5e-4, 5e-4, 5e-4, 5e-4});
    o.natural = natural ? 3 : 0;
    SlotineLiAdaptive law(robot, {Gain::uniform(6, 8), Gain(testing::damping(loaded, 40))}, o);
    SimulateOptions s;
    s.q0 = {0.1, -0.6, 0.9, 0.1, 0.5, -0.2};
    s.duration = 4;
    s.record_every = 0.01;
    const Sinusoid wave{{0, -0.6, 1, 0, 0.6, 0},
                        {0.4, 0.3, 0.4, 0.3, 0.4, 0.5},
                        {2, 3, 2.5, 3.5, 4, 5},
                        {0, 0.5, 1, 1.5, 2, 2.5}};
    return simulate(Plant(loaded), law, follow(wave), s);
  };
  const Recording natural = run(true), plain = run(false);
  double worst = infinity, other = infinity;
  for (int k = 0; k < natural.size(); ++k) {
    worst = std::fmin(worst, smallest_moment(natural.x_c.row(k)));
    EXPECT_GT(natural.x_c(k, 0), 0);
  }
  for (int k = 0; k < plain.size(); ++k)
    other = std::fmin(other, smallest_moment(plain.x_c.row(k)));
  EXPECT_GT(worst, 0);
  EXPECT_LT(other, 0);
  EXPECT_LT(natural.lyapunov_balance(), 1e-8 * natural.lyapunov(0, 0));
  EXPECT_EQ(natural.lyapunov_increase(), 0);
  EXPECT_LT(plain.lyapunov_balance(), 1e-8 * plain.lyapunov(0, 0));
  EXPECT_NEAR(natural.x_c(natural.size() - 1, 0), loaded.body(6).inertia.m, 0.2);
}

TEST(Adaptation, friction_is_learnt_and_keeps_its_sign) {
  RobotDescription described = load_robot("planar2r").description();
  described.joints[0].friction = {Friction{}};
  described.joints[0].friction[0].viscous = 2;
  described.joints[0].friction[0].coulomb = 3;
  described.joints[0].friction[0].width = 0.05;
  const Model<double> rough(described);
  RobotDescription smooth = described;
  smooth.joints[0].friction[0].viscous = smooth.joints[0].friction[0].coulomb = 0;
  const Model<double> believed(smooth);
  AdaptationOptions o;
  o.parameters = {"joint_1.viscous", "joint_1.coulomb"};
  o.rate = Gain({60, 60});
  o.lower = {0, 0};
  o.upper = {10, 10};
  o.margin = {1e-3, 1e-3};
  SlotineLiAdaptive law(believed, {Gain({5, 5}), Gain({20, 10})}, o);
  const Recording r = simulate(Plant(rough), law, testing::trajectory_a(), testing::start_a(20));
  const int last = r.size() - 1;
  EXPECT_TRUE(r.rate_is_bound);
  EXPECT_LT(r.lyapunov_balance(), 1e-9);                 // no excess over the bound
  EXPECT_NEAR(r.x_c(last, 0) + r.x_c(last, 1), 5, 0.1);  // the torque at 1 rad/s
  EXPECT_NEAR(r.x_c(last, 0), 2, 0.2);                   // one sine hardly tells them apart
  for (int c = 0; c < 2; ++c) EXPECT_LT(metrics(r, c, 15).max_error, 1e-3);
  for (int k = 0; k < r.size(); ++k) EXPECT_GE(std::fmin(r.x_c(k, 0), r.x_c(k, 1)), 0);
}

TEST(Adaptation, impossible_starts_and_bounds_are_refused) {
  const Model<double> arm = load_robot("planar2r");
  const auto message = [&](AdaptationOptions o) -> std::string {
    if (o.rate.size() == 0) o.rate = Gain::uniform(ParameterSet(arm, o.parameters).size(), 1);
    try {
      Adaptation a("law", arm, o);
      return all_satisfied(a.conditions()) ? "taken" : "violated";
    } catch (const Error& e) {
      return e.what();
    }
  };
  AdaptationOptions o;
  o.parameters = {"link_2"};
  EXPECT_EQ(message(o), "taken");
  o.natural = 1;
  EXPECT_EQ(message(o), "taken");
  o.p0 = {1, 2, 0, 0, 0.1, 0, 0.1, 0, 0, 0.1};  // centre of mass out of reach of the inertia
  EXPECT_EQ(
      message(o),
      "law: link \"link_2\" cannot adapt naturally: its ten parameters at the start are of no "
      "possible body");
  o = {};
  o.parameters = {"link_2.m"};
  o.natural = 1;
  EXPECT_NE(message(o).find("all ten"), std::string::npos);
  o = {};
  o.parameters = {"link_2.m"};
  o.lower = {2};
  EXPECT_NE(message(o).find("upper has 0 numbers"), std::string::npos);
  o.upper = {1};
  EXPECT_NE(message(o).find("leave nothing between them"), std::string::npos);
  o.upper = {3};
  EXPECT_EQ(message(o), "violated");  // 1 kg starts outside
  o.lower = {0};
  EXPECT_EQ(message(o), "taken");
  o.rate = Gain({-1});
  EXPECT_EQ(message(o), "violated");
  o.rate = Gain({std::nan("")});
  EXPECT_NE(message(o).find("not finite"), std::string::npos);
}

}  // namespace
}  // namespace torsor
