/// What laws see of contact forces, and friction along compliant surfaces: a block on a floor.
#include <gtest/gtest.h>

#include <cmath>

#include "support/nothing.hpp"
#include "torsor/model/builder.hpp"

namespace torsor {
namespace {

constexpr double mass = 2, g = 9.81;

/// Moves along x and z; the origin of "block" touches the floor.
Model<double> block() {
  ModelBuilder b("block");
  b.gravity({0, 0, -g});
  b.prismatic("along", "base", "sledge", {}, {1, 0, 0});
  b.prismatic("up", "sledge", "block", {}, {0, 0, 1});
  b.inertia("sledge", 1e-6, {}, {1e-6, 0, 1e-6, 0, 0, 1e-6});
  b.inertia("block", mass, {}, {1, 0, 1, 0, 0, 1});
  return b.build();
}

/// Presses with 3 + 2 sin 5t; integrates what a force sensor at the block shows.
struct Sensor final : testing::LawOfTests {
  int body;
  double least_in_torque = 0;
  explicit Sensor(int b) : LawOfTests("sensor"), body(b) {}
  int n_states() const override { return 1; }
  static double force(double t) { return 3 + 2 * std::sin(5 * t); }
  void torque(const ControlInput& input, Out<double> tau) override {
    tau[0] = 0;
    tau[1] = -force(input.t);
    least_in_torque = std::fmin(least_in_torque, -input.state.F_contact[body].f.z);
  }
  void state_derivative(const ControlInput& input, Out<double> rate) override {
    rate[0] = input.state.F_contact[body].f.z;
  }
};
using testing::nothing;

TEST(ContactForce, of_a_rigid_surface_is_seen_of_the_same_instant_by_the_states_of_a_law) {
  const Model<double> model = block();
  Plant plant(model);
  plant.surfaces = {{.name = "floor", .frame = "block"}};
  Sensor law{model.frame("block").body};
  SimulateOptions o;
  o.duration = 1;
  o.v0 = {0.5, 0};
  const Recording r = simulate(plant, law, nothing, o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  const double impulse = mass * g + 3 + 2 * (1 - std::cos(5.0)) / 5;
  EXPECT_NEAR(r.x_c(r.size() - 1, 0), impulse, 1e-9);
  EXPECT_EQ(law.least_in_torque, 0);  // it follows from the torque
  EXPECT_NEAR(r.contact(r.at(0.5), 0), mass * g + Sensor::force(0.5), 1e-9);
  EXPECT_LT(r.energy_balance(), 1e-9);
}

/// Samples see the force of the torque that was held until then; the first sees none, the last is
/// taken at the end.
TEST(ContactForce, of_a_rigid_surface_is_sampled_one_period_late) {
  const Model<double> model = block();
  Plant plant(model);
  plant.surfaces = {{.name = "floor", .frame = "block"}};
  Sensor law{model.frame("block").body};
  SimulateOptions o;
  o.duration = 1;
  o.period = 0.01;
  o.integrator = Integrator::rk4;
  const Recording r = simulate(plant, law, nothing, o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  double sum = 0;
  for (int k = 1; k <= 100; ++k) sum += 0.01 * (mass * g + Sensor::force(0.01 * (k - 1)));
  EXPECT_NEAR(r.x_c(r.size() - 1, 0), sum, 1e-9);
  EXPECT_LT(law.least_in_torque, -mass * g);
}

/// Pulls and pushes in turn, one sample each.
struct Puller final : testing::LawOfTests {
  Puller() : LawOfTests("puller") {}
  void torque(const ControlInput& input, Out<double> tau) override {
    tau[0] = 0;
    tau[1] = std::lround(input.t / 0.01) % 2 == 0 ? -5 : 100;
  }
};

/// A torque that would pull at a one-sided surface ends the contact before the row of its sample.
TEST(ContactForce, of_a_surface_with_one_side_is_never_recorded_as_a_pull) {
  const Model<double> model = block();
  Plant plant(model);
  plant.surfaces = {{.name = "floor", .frame = "block"}};
  Puller law;
  SimulateOptions o;
  o.period = o.record_every = 0.01;
  for (const Integrator integrator : {Integrator::rk4, Integrator::dormand_prince8})
    for (const double duration : {0.1, 0.01}) {  // the second ends where it pulls
      o.integrator = integrator;
      o.duration = duration;
      const Recording r = simulate(plant, law, nothing, o);
      ASSERT_EQ(r.stop, StopReason::finished) << r.message;
      EXPECT_NEAR(r.contact(0, 0), mass * g + 5, 1e-9);
      for (int k = 0; k < r.size(); ++k) EXPECT_GE(r.contact(k, 0), 0) << k;
      EXPECT_EQ(r.contact(1, 0), 0);
      EXPECT_NEAR(r.qdd(1, 1), 100 / mass - g, 1e-9);
    }
}

/// The last row is one of a sample like those before it.
TEST(ContactForce, of_the_last_sample_is_that_of_the_torque_commanded_there) {
  const Model<double> model = block();
  Plant plant(model);
  plant.surfaces = {{.name = "floor", .frame = "block"}};
  Sensor law{model.frame("block").body};
  SimulateOptions o;
  o.duration = 0.3;  // not a multiple of the period in binary numbers
  o.period = o.record_every = 0.1;
  o.integrator = Integrator::rk4;
  const Recording r = simulate(plant, law, nothing, o);
  ASSERT_EQ(r.size(), 4);
  for (int k = 0; k < 4; ++k) {
    EXPECT_NEAR(r.tau(k, 1), -Sensor::force(0.1 * k), 1e-12) << k;
    EXPECT_NEAR(r.contact(k, 0), mass * g + Sensor::force(0.1 * k), 1e-9) << k;
  }
}

/// It stops after v^2 / (2 mu g) and v / (mu g), but for the slip in which friction turns.
TEST(CompliantSurface, friction_stops_a_sliding_block_where_coulomb_says) {
  const Model<double> model = block();
  const double mu = 0.4, v = 1.5, k = 1e5;
  Plant plant(model);
  plant.surfaces = {{.name = "floor",
                     .frame = "block",
                     .stiffness = k,
                     .damping = 400,
                     .friction = mu,
                     .slip = 1e-4}};
  SimulateOptions o;
  o.q0 = {0, -mass * g / k};
  o.v0 = {v, 0};
  o.duration = 0.6;
  o.integrator = Integrator::dormand_prince5;
  testing::Nothing law;
  const Recording r = simulate(plant, law, nothing, o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  const int last = r.size() - 1;
  EXPECT_NEAR(r.q(last, 0), v * v / (2 * mu * g), 1e-4);
  EXPECT_NEAR(r.qd(r.at(0.2), 0), v - mu * g * 0.2, 1e-5);
  EXPECT_LT(std::abs(r.qd(last, 0)), 1e-6);
  EXPECT_LT(r.energy_balance(), 1e-6);
  plant.surfaces[0].stiffness = infinity;
  plant.surfaces[0].damping = 0;
  EXPECT_THROW(PlantDynamics{plant}, Error);
  plant.surfaces[0].stiffness = k;
  plant.surfaces[0].friction = -1;
  EXPECT_THROW(PlantDynamics{plant}, Error);
}

}  // namespace
}  // namespace torsor
