/// The chart of a step: its rates are those of the motion, for every joint kind.
#include "torsor/sim/state_space.hpp"

#include "support/random_model.hpp"

namespace torsor {
namespace {

using testing::Draw;
using Motion = Dual<double, 1>;

/// y = (q, v, x) with 3 further states, drawn.
std::vector<double> drawn_state(const Model<double>& model, const RobotSpace<double>& space,
                                unsigned seed) {
  std::vector<double> y(static_cast<std::size_t>(space.n_state()));
  random_configuration(model, seed, View<double>(y.data(), model.n_q()));
  Draw<double> draw(seed);
  for (std::size_t k = static_cast<std::size_t>(model.n_q()); k < y.size(); ++k) y[k] = draw();
  return y;
}

TEST(RobotSpace, chart_rates_move_the_state_at_the_rates_of_the_motion) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Model<double> model(testing::random_tree(seed, 12));
    const RobotSpace<double> space(model, 3);
    const std::vector<double> y0 = drawn_state(model, space, seed);
    Draw<double> draw(seed + 1000);
    std::vector<double> z(static_cast<std::size_t>(space.n_tangent())), dy(z.size());
    for (double& x : z) x = draw(-0.8, 0.8);
    for (double& x : dy) x = draw();
    std::vector<double> rates = dy;
    space.chart_rates(y0.data(), z.data(), rates.data());

    // y(s) = y_0 (+) (z + s z') with dual numbers: its derivative is the motion's
    std::vector<Motion> from(y0.begin(), y0.end()), moving(z.size()), y(y0.size());
    for (std::size_t k = 0; k < z.size(); ++k) {
      moving[k] = Motion(z[k]);
      moving[k].d[0] = rates[k];
    }
    space.retract(from.data(), moving.data(), y.data());
    std::vector<double> at(y.size()), qdot(static_cast<std::size_t>(model.n_q()));
    for (std::size_t k = 0; k < y.size(); ++k) at[k] = value_of(y[k]);
    const View<const double> velocity(dy.data(), model.n_v());
    configuration_rates(model, View<const double>(at.data(), model.n_q()), velocity, qdot);
    for (std::size_t k = 0; k < y.size(); ++k) {
      const int tangent = static_cast<int>(k) - model.n_q() + model.n_v();
      const double expected = k < qdot.size() ? qdot[k] : dy[static_cast<std::size_t>(tangent)];
      EXPECT_NEAR(y[k].d[0], expected, 200 * testing::eps<double> * 10) << seed << ", " << k;
    }
  }
}

/// Steps of robots whose joints all add are those of the joints, and are known without them.
TEST(RobotSpace, steps_that_add_are_the_steps_of_every_joint) {
  int adding = 0, turning = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const Model<double> model(testing::random_tree(seed, 1 + static_cast<int>(seed % 4)));
    const RobotSpace<double> space(model, 3, 2);
    const std::vector<double> y0 = drawn_state(model, space, seed);
    Draw<double> draw(seed + 2000);
    std::vector<double> z(static_cast<std::size_t>(space.n_tangent()));
    for (double& x : z) x = draw(-0.8, 0.8);
    std::vector<double> y(y0.size(), 7.0), coupled = y, q(static_cast<std::size_t>(model.n_q()));
    space.retract(y0.data(), z.data(), y.data());
    space.retract_coupled(y0.data(), z.data(), coupled.data());
    integrate(model, View<const double>(y0.data(), model.n_q()),
              View<const double>(z.data(), model.n_v()), q);
    for (std::size_t k = 0; k < y.size(); ++k) {
      const bool quadrature = k + 2 >= y.size();
      if (k < q.size()) {
        EXPECT_EQ(y[k], q[k]) << seed;
      }
      EXPECT_EQ(coupled[k], quadrature ? 7.0 : y[k]) << seed;
    }
    ++(space.steps_add ? adding : turning);
  }
  EXPECT_GT(adding, 5);
  EXPECT_GT(turning, 5);
}

TEST(RobotSpace, parts_of_a_state_are_q_v_and_x) {
  const Model<double> model(testing::random_tree(3, 5));
  const RobotSpace<double> space(model, 2);
  std::vector<double> y(static_cast<std::size_t>(space.n_state()));
  const View<double> view(y);
  EXPECT_EQ(space.q(view).size + space.v(view).size + space.x(view).size, space.n_state());
  EXPECT_EQ(space.x(view).end(), view.end());
  std::vector<double> dy(static_cast<std::size_t>(space.n_tangent()));
  const View<double> rate(dy);
  EXPECT_EQ(space.v_rate(rate).begin(), space.q_rate(rate).end());
  EXPECT_EQ(space.x_rate(rate).begin(), space.v_rate(rate).end());
  EXPECT_EQ(space.x_rate(rate).end(), rate.end());
}

TEST(RobotSpace, magnitudes_are_positive_numbers_for_every_tangent_component) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model<double> model(testing::random_tree(seed, 12));
    const RobotSpace<double> space(model, 3);
    const std::vector<double> y = drawn_state(model, space, seed);
    std::vector<double> m(static_cast<std::size_t>(space.n_tangent()), -1);
    space.magnitudes(y.data(), m.data());
    for (const double x : m) EXPECT_GT(x, 0) << seed;
  }
}

}  // namespace
}  // namespace torsor
