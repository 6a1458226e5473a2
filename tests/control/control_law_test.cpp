/// The shape of laws: gains, conditions, and what every law answers.
#include "torsor/control/control_law.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/allocation_counter.hpp"
#include "torsor/control/gain.hpp"
#include "torsor/control/run.hpp"
#include "torsor/model/builder.hpp"

namespace torsor {
namespace {

TEST(Gain, products_and_eigenvalues_are_those_of_the_matrix) {
  const Gain d({100, 60}), f = Gain::full(2, {2, 1, 1, 3});
  std::vector<double> x{1, -2}, y{0, 0};
  d.add_product(x, y);
  EXPECT_EQ(y, (std::vector<double>{100, -120}));
  f.add_product(x, y);
  EXPECT_EQ(y, (std::vector<double>{100, -125}));
  EXPECT_EQ(d.quadratic(x), 340);
  EXPECT_EQ(f.quadratic(x), 10);  // 2 - 4 + 12
  EXPECT_EQ(d.smallest_eigenvalue(), 60);
  EXPECT_EQ(d.largest_eigenvalue(), 100);
  EXPECT_NEAR(f.smallest_eigenvalue(), (5 - std::sqrt(5.0)) / 2, 1e-15);
  EXPECT_NEAR(f.largest_eigenvalue(), (5 + std::sqrt(5.0)) / 2, 1e-15 * 4);
  EXPECT_EQ(Gain::full(2, {2, 1, 0.5, 3}).asymmetry(), 0.5);
  // 4 x 4 with known eigenvalues: 1 on the ones' complement, 5 on them
  const Gain ones = Gain::full(4, {2, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2});
  EXPECT_NEAR(ones.smallest_eigenvalue(), 1, 1e-14);
  EXPECT_NEAR(ones.largest_eigenvalue(), 5, 1e-14);
}

TEST(Gain, a_wrong_size_or_number_is_refused_with_its_name) {
  const auto message = [](const Gain& gain) -> std::string {
    try {
      gain.check("independent_pd", "Kp", 2);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message(Gain({1, 2, 3})),
            "independent_pd: gain Kp is of size 3; the robot has 2 degrees of freedom");
  EXPECT_EQ(message(Gain({1, std::nan("")})),
            "independent_pd: gain Kp is not finite at row 2, column 2");
  EXPECT_EQ(message(Gain({1, 2})), "");
  EXPECT_THROW(Gain::full(2, {1, 2, 3}), Error);
}

TEST(Condition, says_its_numbers_and_whether_they_hold) {
  const Condition good = condition("Kp > 0", "smallest eigenvalue of Kp", 60, Relation::greater, 0);
  EXPECT_TRUE(good.satisfied());
  EXPECT_EQ(good.text(), "smallest eigenvalue of Kp = 60, needed > 0");
  const Condition bad = condition("alpha < 1", "alpha", 7.45, Relation::less, 1, "vertices of p");
  EXPECT_EQ(bad.text(), "alpha = 7.45, needed < 1 (vertices of p)");
  EXPECT_STREQ(name_of(bad.verdict), "violated");
  EXPECT_STREQ(name_of(good.verdict), "holds");
  EXPECT_FALSE(all_satisfied({good, bad}));
  EXPECT_TRUE(all_satisfied({good, good}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Relation r :
       {Relation::greater, Relation::at_least, Relation::less, Relation::at_most, Relation::equal})
    EXPECT_FALSE(condition("", "", nan, r, 0).satisfied());
}

/// Leaks its integral state; knows no Lyapunov function.
struct Integrator final : ControlLaw {
  double start = 0.5;
  explicit Integrator(const Model<double>& model) : ControlLaw("integrator", model) {}
  int n_states() const override { return 1; }
  void reset(Out<double> x_c) override { x_c[0] = start; }
  void torque(const ControlInput& input, Out<double> tau) override {
    tau[0] = input.reference.q[0] - input.state.q[0] + input.x_c[0];
  }
  void state_derivative(const ControlInput& input, Out<double> xdot_c) override {
    xdot_c[0] = input.reference.q[0] - input.state.q[0];
  }
  Hypotheses hypotheses() const override { return {}; }
  std::vector<Condition> conditions(const Run&) override { return {}; }
};

Model<double> pendulum() {
  ModelBuilder b("pendulum");
  b.revolute("joint", "base", "link");
  b.inertia("link", 1, {}, {1, 0, 1, 0, 0, 1});
  return b.build();
}

TEST(ControlLaw, answers_through_its_interface_without_allocating) {
  const Model<double> model = pendulum();
  Integrator law(model);
  ControlLaw& any = law;
  const double q[1] = {0.25}, q_d[1] = {1};
  double x_c[1], tau[1], rate[1];
  const ControlInput input{0, {.q = q, .qd = q}, x_c, {.q = q_d}};
  const testing::AllocationCounter counter;
  EXPECT_STREQ(any.name(), "integrator");
  EXPECT_EQ(&any.model(), &model);
  ASSERT_EQ(any.n_states(), 1);
  any.reset(x_c);
  EXPECT_EQ(x_c[0], 0.5);
  any.torque(input, tau);
  EXPECT_EQ(tau[0], 1.25);
  any.state_derivative(input, rate);
  EXPECT_EQ(rate[0], 0.75);
  EXPECT_FALSE(any.lyapunov(input, model).given);
  EXPECT_FALSE(any.filtered_error(input, rate));
  EXPECT_FALSE(any.switches() || any.feels_contact());
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_TRUE(any.predictions(ideal_run(model)).empty());
  EXPECT_THROW(any.check_reference({}), Error);  // no task of its own: it follows q
}

struct Forgetful final : ControlLaw {
  explicit Forgetful(const Model<double>& model) : ControlLaw("forgetful", model) {}
  int n_states() const override { return 1; }
  int n_task_errors() const override { return 1; }
  int n_estimates() const override { return 1; }
  void torque(const ControlInput&, Out<double> tau) override { tau[0] = 0; }
  Hypotheses hypotheses() const override { return {}; }
  std::vector<Condition> conditions(const Run&) override { return {}; }
};

/// Zeros would be a law that never learns.
TEST(ControlLaw, with_states_and_no_rates_of_them_is_refused) {
  const Model<double> model = pendulum();
  Forgetful law(model);
  double x[1];
  EXPECT_THROW(law.state_derivative({}, x), Error);
  EXPECT_THROW(law.task_error({}, x), Error);
  EXPECT_THROW(law.estimate({}, x), Error);
}

TEST(TrackingError, is_desired_less_actual_and_the_shorter_turn_of_a_continuous_joint) {
  ModelBuilder b;
  b.revolute("a", "base", "one");
  b.continuous("b", "one", "two");
  b.inertia("one", 1, {}, {1, 0, 1, 0, 0, 1}).inertia("two", 1, {}, {1, 0, 1, 0, 0, 1});
  const Model<double> model = b.build();
  const double q[2] = {0.5, 3}, qd[2] = {1, 2}, q_d[2] = {2, -3}, qd_d[2] = {0.25, 0};
  double e[2], edot[2];
  tracking_error(model, {.state = {.q = q, .qd = qd}, .reference = {.q = q_d, .qd = qd_d}}, e,
                 edot);
  EXPECT_DOUBLE_EQ(e[0], 1.5);
  EXPECT_NEAR(e[1], 2 * 3.14159265358979323846 - 6, 1e-14);
  EXPECT_EQ(edot[0], -0.75);
  tracking_error(model, {.state = {.q = q, .qd = qd}, .reference = {.q = q_d}}, e, edot);
  EXPECT_EQ(edot[0], -1);
}

}  // namespace
}  // namespace torsor
