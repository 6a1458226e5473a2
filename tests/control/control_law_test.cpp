/// The shape of laws: gains, conditions, and the holder of any law.
#include "torsor/control/control_law.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "support/allocation_counter.hpp"
#include "torsor/control/any_controller.hpp"
#include "torsor/control/gain.hpp"
#include "torsor/control/make_controller.hpp"
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
  EXPECT_TRUE(good.satisfied);
  EXPECT_EQ(good.text(), "smallest eigenvalue of Kp = 60, needed > 0");
  const Condition bad = condition("alpha < 1", "alpha", 7.45, Relation::less, 1, "vertices of p");
  EXPECT_EQ(bad.text(), "violated: alpha = 7.45, needed < 1 (vertices of p)");
  EXPECT_FALSE(all_satisfied({good, bad}));
  EXPECT_TRUE(all_satisfied({good, good}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Relation r :
       {Relation::greater, Relation::at_least, Relation::less, Relation::at_most, Relation::equal})
    EXPECT_FALSE(condition("", "", nan, r, 0).satisfied);
}

/// Leaks its integral state; knows no Lyapunov function.
struct Integrator {
  static constexpr const char* name = "integrator";
  double start = 0.5;
  int n_states() const { return 1; }
  void reset(View<double> x_c) { x_c[0] = start; }
  void torque(double, const ControlState& state, View<const double> x_c,
              const ControlReference& reference, View<double> tau) {
    tau[0] = reference.q[0] - state.q[0] + x_c[0];
  }
  void state_derivative(double, const ControlState& state, View<const double>,
                        const ControlReference& reference, View<double> xdot_c) {
    xdot_c[0] = reference.q[0] - state.q[0];
  }
  std::vector<Condition> conditions() { return {}; }
};
static_assert(ControlLaw<Integrator> && HasStateDerivative<Integrator>);
static_assert(!HasLyapunov<Integrator> && !HasFilteredError<Integrator>);

TEST(AnyController, does_what_the_law_does_without_allocating) {
  Integrator law;
  AnyController owned(law), referred = AnyController::refer(law);
  law.start = 2;
  const double q[1] = {0.25}, q_d[1] = {1};
  const ControlState state{.q = q, .qd = q};
  const ControlReference reference{.q = q_d};
  double x_c[1], tau[1], rate[1];
  const testing::AllocationCounter counter;
  for (AnyController* c : {&owned, &referred}) {
    EXPECT_STREQ(c->name(), "integrator");
    ASSERT_EQ(c->n_states(), 1);
    c->reset(x_c);
    EXPECT_EQ(x_c[0], c == &owned ? 0.5 : 2);
    c->torque(0, state, x_c, reference, tau);
    EXPECT_EQ(tau[0], 0.75 + x_c[0]);
    c->state_derivative(0, state, x_c, reference, rate);
    EXPECT_EQ(rate[0], 0.75);
    EXPECT_FALSE(c->has_lyapunov());
    EXPECT_FALSE(c->has_filtered_error());
  }
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_TRUE(owned.predictions().empty());
  AnyController moved = std::move(owned);
  moved.torque(0, state, x_c, reference, tau);
  EXPECT_EQ(tau[0], 2.75);
}

TEST(TrackingError, is_desired_less_actual_and_the_shorter_turn_of_a_continuous_joint) {
  ModelBuilder b;
  b.revolute("a", "base", "one");
  b.continuous("b", "one", "two");
  b.inertia("one", 1, {}, {1, 0, 1, 0, 0, 1}).inertia("two", 1, {}, {1, 0, 1, 0, 0, 1});
  const Model<double> model = b.build();
  const double q[2] = {0.5, 3}, qd[2] = {1, 2}, q_d[2] = {2, -3}, qd_d[2] = {0.25, 0};
  double e[2], edot[2];
  tracking_error(model, {.q = q, .qd = qd}, {.q = q_d, .qd = qd_d}, e, edot);
  EXPECT_DOUBLE_EQ(e[0], 1.5);
  EXPECT_NEAR(e[1], 2 * 3.14159265358979323846 - 6, 1e-14);
  EXPECT_EQ(edot[0], -0.75);
  tracking_error(model, {.q = q, .qd = qd}, {.q = q_d}, e, edot);
  EXPECT_EQ(edot[0], -1);
}

TEST(MakeController, the_page_on_control_has_a_row_for_every_law_and_they_are_in_order) {
  std::ifstream file(TORSOR_SOURCE_DIR "/docs/control.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::vector<std::string> names = controller_names();
  for (const std::string& law : names)
    EXPECT_NE(page.find("| `" + law + "` | "), std::string::npos) << law;
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  EXPECT_GE(names.size(), 28u);
}

}  // namespace
}  // namespace torsor
