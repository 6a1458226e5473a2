/// Stops, surfaces, motors and springs of a plant: closed forms, and laws of every run.
#include "torsor/sim/plant.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support/nothing.hpp"
#include "support/sliding_block.hpp"

namespace torsor {
namespace {

using testing::block;
using testing::Nothing;
using testing::nothing;

const Integrator integrators[] = {Integrator::rk4, Integrator::dormand_prince5,
                                  Integrator::dormand_prince8};

TEST(Motors, that_turn_with_several_joints_keep_the_energy_balance) {
  ModelBuilder b("sliders");
  b.prismatic("x", "base", "car", {}, {1, 0, 0}).spring(20);
  b.prismatic("y", "base", "cart", {}, {0, 0, 1}).spring(30);
  b.inertia("car", 2, {}).inertia("cart", 3, {});
  b.motor({"sum",
           {{"x", 2}, {"y", 1}},
           0.5,
           {.viscous = 0.05, .coulomb = 0.1, .width = 0.1, .offset = 0.2},
           {}});
  const Model<double> model = b.build();
  Nothing law;
  SimulateOptions o;
  o.q0 = {0.5, -0.3};
  o.duration = 3;
  const Recording r = simulate(Plant(model), law, nothing, o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_LT(r.energy_balance(), 1e-8);
  Plant free(model);
  free.friction = false;
  EXPECT_NEAR(simulate(free, law, nothing, o).energy(r.size() - 1, 3), 0, 1e-12);
  b.motor({"dry", {{"x", 1}, {"y", 1}}, 0, {.coulomb = 1}, {}});
  const Model<double> dry = b.build();
  EXPECT_THROW(PlantDynamics{Plant(dry)}, Error);
}

TEST(JointStops, a_block_returns_from_an_elastic_stop_with_the_energy_it_had) {
  const Model<double> model = block({}, 0.5);
  Plant plant(model);
  plant.stops.stiffness = 800;  // half a swing in the stop: pi sqrt(m / k) = pi / 20
  Nothing law;
  SimulateOptions o;
  o.v0 = {1};
  o.duration = 1;
  o.record_every = 0.5 + std::numbers::pi / 20;
  const Recording r = simulate(plant, law, nothing, o);
  EXPECT_NEAR(r.q(1, 0), 0.5, 1e-8);
  EXPECT_NEAR(r.qd(1, 0), -1, 1e-8);
  EXPECT_LT(r.energy_balance(), 1e-8);
  plant.stops.damping = 1;
  const Recording damped = simulate(plant, law, nothing, o);
  EXPECT_LT(std::abs(damped.qd(1, 0)), 0.9);
}

/// A ball of 2 kg that falls on a plane with stiffness 2e4.
TEST(CompliantSurface, a_fall_touches_and_leaves_when_the_closed_form_says) {
  ModelBuilder b("ball");
  b.prismatic("drop", "base", "ball");
  b.inertia("ball", 2, {}, {1, 0, 1, 0, 0, 1});
  const Model<double> model = b.build();
  Plant plant(model);
  plant.surfaces = {{.name = "floor", .frame = "ball", .stiffness = 2e4}};
  Nothing law;
  SimulateOptions o;
  o.q0 = {0.1};
  o.duration = 2;
  o.record_every = 1e-3;
  const Recording r = simulate(plant, law, nothing, o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  const double g = 9.81, fall = std::sqrt(2 * 0.1 / g);
  // in contact: z = -A sin + ..., w = 100 rad/s, about z_e = -m g / k
  const double w = 100, v = g * fall, z_e = g / (w * w);
  const double inside = 2 * (std::numbers::pi - std::atan2(v / w, z_e)) / w;
  EXPECT_NEAR(r.contact(r.at(fall), 0), 0, 2e4 * v * 1e-3);
  EXPECT_GT(r.contact(r.at(fall + inside / 2), 0), 2 * 9.81);
  EXPECT_EQ(r.contact(r.at(fall + inside + 1e-3), 0), 0);
  EXPECT_NEAR(r.q(r.at(2 * fall + inside), 0), 0.1, 1e-4);  // back where it was, at rest
  EXPECT_GE(r.events, 4);
  EXPECT_LT(r.energy_balance(), 1e-7);
}

TEST(CompliantSurface, a_damped_fall_ends_on_the_surface_with_its_weight) {
  ModelBuilder b("ball");
  b.free("drop", "base", "ball");
  b.inertia("ball", 2, {}, {1, 0, 1, 0, 0, 1});
  const Model<double> model = b.build();
  Plant plant(model);
  plant.surfaces = {{.name = "globe",
                     .frame = "ball",
                     .origin = {0, 0, -5},
                     .radius = 5,
                     .stiffness = 2e4,
                     .damping = 300}};
  Nothing law;
  SimulateOptions o;
  o.q0 = {0, 0, 0.05, 0, 0, 0, 1};
  o.duration = 2;
  const Recording r = simulate(plant, law, nothing, o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_NEAR(r.contact(r.size() - 1, 0), 2 * 9.81, 1e-6);
  EXPECT_NEAR(r.q(r.size() - 1, 2), -2 * 9.81 / 2e4, 1e-9);
}

/// A mass of 0.7 kg that moves freely in x, y, z (three sliders).
Model<double> point_mass() {
  ModelBuilder b("point");
  const SE3<double> here{};
  b.prismatic("x", "base", "a", here, {1, 0, 0});
  b.prismatic("y", "a", "b", here, {0, 1, 0});
  b.prismatic("z", "b", "mass", here, {0, 0, 1});
  b.inertia("mass", 0.7, {}, {});
  return b.build();
}

TEST(RigidSurface, a_mass_slides_off_a_sphere_at_two_thirds_of_its_height) {
  const Model<double> model = point_mass();
  Plant plant(model);
  plant.surfaces = {{.name = "dome", .frame = "mass", .radius = 1.5}};
  const double v0 = 0.3, g = 9.81, r = 1.5;
  for (const Integrator integrator : integrators) {
    Nothing law;
    SimulateOptions o;
    o.integrator = integrator;
    o.q0 = {0, 0, r};
    o.v0 = {v0, 0, 0};
    o.duration = 2;
    o.record_every = 1e-3;
    const Recording run = simulate(plant, law, nothing, o);
    ASSERT_EQ(run.stop, StopReason::finished) << run.message;
    int k = 0;  // the first row without force
    while (k < run.size() && run.contact(k, 0) > 0) ++k;
    // cos = 2/3 + v0^2 / (3 g r) where the force m (g cos - v^2 / r) ends
    const double height = r * (2.0 / 3 + v0 * v0 / (3 * g * r));
    EXPECT_LE(run.q(k, 2), height);
    EXPECT_GE(run.q(k - 1, 2), height);
    const double cosine = run.q(k - 1, 2) / r, v2 = v0 * v0 + 2 * g * (r - run.q(k - 1, 2));
    // the stabilisation answers 1e-10 m off the sphere with 0.7 (20)^2 1e-10 N
    EXPECT_NEAR(run.contact(k - 1, 0), 0.7 * (g * cosine - v2 / r), 1e-7);
    EXPECT_NEAR(std::hypot(run.q(k - 1, 0), run.q(k - 1, 2)), r, 1e-10);
    EXPECT_EQ(run.events, 1);
    EXPECT_LT(run.energy_balance(), 1e-8) << name_of(integrator);
  }
}

TEST(RigidSurface, a_bilateral_sphere_makes_a_pendulum) {
  // against a ball joint with the mass at 1.5 m
  ModelBuilder b("pendulum");
  b.revolute("about_x", "base", "cross", {}, {1, 0, 0});
  b.revolute("about_y", "cross", "mass", {}, {0, 1, 0});
  b.inertia("mass", 0.7, {0, 0, -1.5}, {});
  b.frame("bob", "mass", {.p = {0, 0, -1.5}});
  const Model<double> pendulum = b.build(), model = point_mass();
  Plant plant(model);
  plant.surfaces = {
      {.name = "ball", .frame = "mass", .radius = 1.5, .inside = true, .bilateral = true}};
  Nothing law;
  SimulateOptions o;
  o.duration = 4;
  o.q0 = {0, 0, -1.5};
  o.v0 = {1.2, 2.0, 0};
  const Recording run = simulate(plant, law, nothing, o);
  o.q0 = {0, 0};
  o.v0 = {2.0 / 1.5, -1.2 / 1.5};  // w x (0, 0, -1.5)
  const Recording swing = simulate(Plant(pendulum), law, nothing, o);
  ASSERT_EQ(run.stop, StopReason::finished) << run.message;
  KinematicsWorkspace<double> ws(pendulum);
  for (int k = 0; k < run.size(); k += 20) {
    forward_kinematics(pendulum, ws, swing.q.row(k));
    const Vec3<double> bob = frame_pose(ws, pendulum.frame("bob")).p;
    EXPECT_NEAR(run.q(k, 0), bob.x, 1e-7) << k;
    EXPECT_NEAR(run.q(k, 1), bob.y, 1e-7) << k;
    EXPECT_NEAR(run.q(k, 2), bob.z, 1e-7) << k;
  }
  EXPECT_LT(run.energy_balance(), 1e-8);
  o.q0 = {0, 0, -1};
  o.v0 = {};
  EXPECT_THROW((void)simulate(plant, law, nothing, o), Error);  // off the surface
}

TEST(RigidSurface, a_strike_is_plastic_and_the_weight_rests_on_it) {
  const Model<double> model = point_mass();
  Plant plant(model);
  plant.surfaces = {{.name = "slope", .frame = "mass", .normal = {0.6, 0, 0.8}}};
  for (const Integrator integrator : integrators) {
    Nothing law;
    SimulateOptions o;
    o.integrator = integrator;
    o.q0 = {0, 0, 0.5};
    o.v0 = {0.2, 0.4, 0};
    o.duration = 1;
    const Recording run = simulate(plant, law, nothing, o);
    ASSERT_EQ(run.stop, StopReason::finished) << run.message;
    // 0.6 (0.2 t) + 0.8 (0.5 - g t^2 / 2) = 0 at the touch; then g sin down the slope
    const double g = 9.81, t = (0.12 + std::sqrt(0.0144 + 4 * 0.4 * 0.4 * g)) / (0.8 * g);
    const Vec3<double> down{0.8, 0, -0.6};
    const double along = 0.2 * 0.8 + g * t * 0.6 + (1 - t) * g * 0.6;
    const int last = run.size() - 1;
    EXPECT_NEAR(run.qd(last, 0), along * down.x, 1e-8) << name_of(integrator);
    EXPECT_NEAR(run.qd(last, 1), 0.4, 1e-12);
    EXPECT_NEAR(run.qd(last, 2), along * down.z, 1e-8);
    EXPECT_NEAR(run.contact(last, 0), 0.7 * g * 0.8, 1e-6);
    const double normal = 0.6 * 0.2 - 0.8 * g * t;
    EXPECT_NEAR(run.energy(last, 3), 0.5 * 0.7 * normal * normal, 1e-8);
    EXPECT_LT(run.energy_balance(), 1e-8);
  }
}

TEST(RigidSurface, a_ball_bounces_to_the_square_of_its_restitution_of_the_height) {
  ModelBuilder b("ball");
  b.prismatic("drop", "base", "ball");
  b.inertia("ball", 2, {}, {1, 0, 1, 0, 0, 1});
  const Model<double> model = b.build();
  for (const double restitution : {0.5, 0.8, 1.0})
    for (const Integrator integrator : integrators) {
      Plant plant(model);
      plant.surfaces = {{.name = "floor", .frame = "ball", .restitution = restitution}};
      Nothing law;
      SimulateOptions o;
      o.integrator = integrator;
      o.q0 = {0.5};
      o.duration = 2;
      o.record_every = 1e-3;
      const Recording r = simulate(plant, law, nothing, o);
      ASSERT_EQ(r.stop, StopReason::finished) << r.message;
      const double g = 9.81, fall = std::sqrt(2 * 0.5 / g);
      double touch = fall, up = restitution * g * fall;  // of the k-th flight
      for (int k = 0; k < 3; ++k, touch += 2 * up / g, up *= restitution) {
        const int row = r.at(touch + up / g);
        const double t = r.t[static_cast<std::size_t>(row)] - touch;
        if (row + 1 >= r.size()) break;
        EXPECT_NEAR(r.q(row, 0), up * t - g * t * t / 2, 1e-8) << k << name_of(integrator);
        EXPECT_NEAR(r.q(row, 0), 0.5 * std::pow(restitution, 2 * k + 2), 1e-5);
      }
      EXPECT_LT(r.energy_balance(), 1e-7);
      if (restitution == 0.5) {  // after fall (1 + 2 e / (1 - e)) = 3 fall it rests
        EXPECT_NEAR(r.q(r.at(3 * fall + 0.01), 0), 0, 1e-8);
        EXPECT_NEAR(r.contact(r.size() - 1, 0), 2 * g, 1e-6);
        EXPECT_NEAR(r.energy(r.size() - 1, 3), 2 * g * 0.5, 1e-6);  // all lost
      }
    }
  Plant plant(model);
  plant.surfaces = {{.name = "floor", .frame = "ball", .restitution = 1.5}};
  EXPECT_THROW(PlantDynamics{plant}, Error);
  plant.surfaces[0].restitution = 0.5;
  plant.surfaces[0].stiffness = 100;
  EXPECT_THROW(PlantDynamics{plant}, Error);
}

/// A rod falls flat on two points at its ends: each end comes back with its own velocity.
TEST(RigidSurface, two_points_struck_at_once_both_turn_back) {
  ModelBuilder b("rod");
  b.free("float", "base", "rod");
  b.inertia("rod", 3, {}, {0.01, 0, 0.25, 0, 0, 0.25});
  const Model<double> model = b.build();
  Plant plant(model);
  plant.surfaces = {{.name = "a", .frame = "rod", .point = {0.5, 0, 0}, .restitution = 0.6},
                    {.name = "b", .frame = "rod", .point = {-0.5, 0, 0}, .restitution = 0.6}};
  Nothing law;
  SimulateOptions o;
  o.q0 = {0, 0, 0.2, 0, 0, 0, 1};
  const double fall = std::sqrt(0.4 / 9.81), up = 0.6 * 9.81 * fall;
  o.duration = fall + up / 9.81;
  o.record_every = o.duration / 2;
  const Recording r = simulate(plant, law, nothing, o);
  ASSERT_EQ(r.stop, StopReason::finished) << r.message;
  EXPECT_NEAR(r.q(r.size() - 1, 2), 0.36 * 0.2, 1e-8);
  EXPECT_NEAR(r.qd(r.size() - 1, 1), 0, 1e-8);
}

TEST(RigidSurface, three_points_on_a_plane_carry_a_plate_by_their_levers) {
  ModelBuilder b("plate");
  b.free("float", "base", "plate");
  b.inertia("plate", 3, {0.1, 0.05, 0}, {0.1, 0, 0.1, 0, 0, 0.2});
  const Model<double> model = b.build();
  Plant plant(model);
  plant.surfaces = {{.name = "a", .frame = "plate", .point = {0, 0, 0}},
                    {.name = "b", .frame = "plate", .point = {0.4, 0, 0}},
                    {.name = "c", .frame = "plate", .point = {0, 0.5, 0}}};
  Nothing law;
  SimulateOptions o;
  o.duration = 0.5;
  const Recording run = simulate(plant, law, nothing, o);
  ASSERT_EQ(run.stop, StopReason::finished) << run.message;
  const double weight = 3 * 9.81, last = run.contact(run.size() - 1, 0);
  EXPECT_NEAR(run.contact(run.size() - 1, 1), weight * 0.25, 1e-9);  // 0.1 / 0.4
  EXPECT_NEAR(run.contact(run.size() - 1, 2), weight * 0.10, 1e-9);  // 0.05 / 0.5
  EXPECT_NEAR(last, weight * 0.65, 1e-9);
  EXPECT_NEAR(run.q(run.size() - 1, 2), 0, 1e-12);
}

TEST(SpringDampers, of_the_model_pull_between_their_points) {
  RobotDescription robot = point_mass().description();
  robot.gravity = {};
  SpringDamper spring;
  spring.name = "rubber", spring.link_a = "base", spring.link_b = "mass";
  spring.stiffness = 28, spring.rest_length = 0.5;
  robot.springs.push_back(spring);
  const Model<double> model(robot);
  Nothing law;
  SimulateOptions o;
  o.q0 = {0.3, 0, 0.4 + 0.4};  // along (0.3, 0, 0.8), longer than at rest
  const double l = std::hypot(0.3, 0.8), w = std::sqrt(28 / 0.7);
  o.duration = 0.2;
  const Recording run = simulate(Plant(model), law, nothing, o);
  const double x = 0.5 + (l - 0.5) * std::cos(w * 0.2);
  EXPECT_NEAR(run.q(run.size() - 1, 0), 0.3 / l * x, 1e-9);
  EXPECT_NEAR(run.q(run.size() - 1, 2), 0.8 / l * x, 1e-9);
  EXPECT_LT(run.energy_balance(), 1e-9);
}

TEST(CompliantSurface, a_frame_that_is_not_there_or_no_stiffness_is_refused) {
  const Model<double> model = block({});
  Plant plant(model);
  plant.surfaces = {{.frame = "blok"}};
  EXPECT_THROW(PlantDynamics{plant}, Error);
  plant.surfaces = {{.frame = "block", .stiffness = 0}};
  EXPECT_THROW(PlantDynamics{plant}, Error);
}

}  // namespace
}  // namespace torsor
