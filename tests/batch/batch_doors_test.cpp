// What a batch refuses, and what does not change its results: threads, places, instruction sets.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "batch/many_states.hpp"
#include "support/random_loops.hpp"
#include "support/refusal.hpp"
#include "torsor/batch/batch.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/math/instruction_set.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/inertial_parameters.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

Model<double> arm() {
  RandomTree chain;
  chain.kinds = {JointKind::revolute};
  chain.chain = true;
  return Model<double>(random_tree(3, 7, chain));
}

TEST(BatchDoors, numbers_that_are_not_finite_are_refused_with_their_state) {
  const Model<double> model = arm();
  Batch<double> batch(model, {.threads = 2});
  for (const bool number_first : {false, true})
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
      ManyStates<double> x(model, 5000, 1, number_first);
      Answers<double> tau(x, model.n_v());
      x.numbers_of_qd().view()(4711, 3) = bad;
      x.numbers_of_qd().view()(4999, 0) = bad;
      const std::string why =
          refusal([&] { return batch.inverse_dynamics(x.q(), x.qd(), x.third(), tau.view()); });
      EXPECT_EQ(why.rfind("qd[4711]: ", 0), 0U) << why;
      EXPECT_NE(why.find(model.joint_name(4)), std::string::npos) << why;
    }
}

/// No joint is no chain of hinges: every verb answers with nothing, and says so.
TEST(BatchDoors, a_robot_without_joints_has_states_of_no_numbers) {
  ModelBuilder b("stone");
  b.fixed("held", "base", "stone");
  b.inertia("stone", 2, {0, 0, 1}, {1, 0, 1, 0, 0, 1});
  const Model<double> model = b.build();
  Batch<double> batch(model, {.threads = 1});
  ManyStates<double> x(model, 40, 1, false);
  Answers<double> none(x, 0), kinetic(x, 1), potential(x, 1);
  EXPECT_TRUE(batch.inverse_dynamics(x.q(), x.qd(), x.third(), none.view()));
  EXPECT_TRUE(batch.forward_dynamics(x.q(), x.qd(), x.third(), none.view()));
  EXPECT_TRUE(batch.rigid_forward_dynamics(x.q(), x.qd(), x.third(), none.view()));
  batch.rigid_inverse_dynamics(x.q(), x.qd(), x.third(), none.view());
  batch.bias_torque(x.q(), x.qd(), none.view());
  batch.gravity_torque(x.q(), none.view());
  batch.mass_matrix(x.q(), none.view());
  EXPECT_TRUE(batch.mass_matrix_inverse(x.q(), none.view()));
  batch.coriolis_matrix(x.q(), x.qd(), none.view());
  batch.rigid_inverse_dynamics_derivatives(x.q(), x.qd(), x.third(), none.view(), none.view());
  EXPECT_TRUE(
      batch.rigid_forward_dynamics_derivatives(x.q(), x.qd(), x.third(), none.view(), none.view()));
  batch.energies(x.q(), x.qd(), kinetic.view(), potential.view());
  EXPECT_EQ(kinetic.view()(39, 0), 0);
  EXPECT_EQ(potential.view()(39, 0), 0);  // what is held by the world is part of it
}

TEST(BatchDoors, large_numbers_that_single_states_take_are_taken) {
  const Model<double> model = arm();
  Batch<double> batch(model, {.threads = 1});
  ManyStates<double> x(model, 20, 1, false);
  Answers<double> tau(x, model.n_v());
  x.numbers_of_qd().view()(7, 0) = 1e160;  // whose square is no double
  EXPECT_TRUE(batch.inverse_dynamics(x.q(), x.qd(), x.third(), tau.view()));
  x.numbers_of_q().view()(9, 2) = 3e14;  // an angle of 2^48 or more
  EXPECT_EQ(refusal([&] {
              return batch.inverse_dynamics(x.q(), x.qd(), x.third(), tau.view());
            }).rfind("q[9]: ", 0),
            0U);
}

TEST(BatchDoors, angles_without_a_digit_in_float_are_refused_in_float) {
  const Model<double> model = arm();
  Batch<float> batch(model, {.threads = 1});
  ManyStates<float> x(model, 20, 1, false);
  Answers<float> tau(x, model.n_v());
  const auto run = [&] { return batch.inverse_dynamics(x.q(), x.qd(), x.third(), tau.view()); };
  x.numbers_of_q().view()(9, 2) = 5e5F;
  EXPECT_TRUE(run());
  for (const float t : tau.data) EXPECT_TRUE(std::isfinite(t));
  x.numbers_of_q().view()(9, 2) = -0x1p+19F;
  const std::string why = refusal(run);
  EXPECT_EQ(why.rfind("q[9]: ", 0), 0U) << why;
  EXPECT_NE(why.find(model.joint_name(3)), std::string::npos) << why;
  Batch<double> wide(model, {.threads = 1});
  ManyStates<double> y(model, 20, 1, false);
  Answers<double> answers(y, model.n_v());
  y.numbers_of_q().view()(9, 2) = -0x1p+19;
  EXPECT_TRUE(wide.inverse_dynamics(y.q(), y.qd(), y.third(), answers.view()));
}

TEST(BatchDoors, quaternions_off_unit_norm_are_refused_and_small_deviations_normalised) {
  RandomTree options;
  options.kinds = {JointKind::spherical, JointKind::free};
  const Model<double> model(random_tree(2, 4, options));
  Batch<double> batch(model, {.threads = 1});
  ManyStates<double> x(model, 30, 1, false);
  Answers<double> straight(x, model.n_v()), tau(straight);
  ASSERT_TRUE(batch.inverse_dynamics(x.q(), x.qd(), x.third(), straight.view()));
  const int at = model.joint_description(1).kind == JointKind::spherical ? 0 : 3;
  const auto scale = [&](int state, double by) {
    for (int k = at; k < at + 4; ++k) x.numbers_of_q().view()(state, k) *= by;
  };
  scale(11, 1 + 9e-7);
  ASSERT_TRUE(batch.inverse_dynamics(x.q(), x.qd(), x.third(), tau.view()));
  for (std::size_t k = 0; k < tau.data.size(); ++k)
    EXPECT_NEAR(tau.data[k], straight.data[k], 1e-11 * (1 + std::abs(straight.data[k])));
  scale(23, 1.001);
  EXPECT_EQ(refusal([&] {
              return batch.inverse_dynamics(x.q(), x.qd(), x.third(), tau.view());
            }).rfind("q[23]: ", 0),
            0U);
}

TEST(BatchDoors, views_of_other_sizes_are_refused_by_name) {
  const Model<double> model = arm();
  Batch<double> batch(model);
  const ManyStates<double> x(model, 10, 1, false);
  Answers<double> tau(x, 7), small(x, 6);
  const auto with = [&](StatesView<const double> qd, StatesView<double> out) {
    return refusal([&] { return batch.inverse_dynamics(x.q(), qd, x.third(), out); });
  };
  EXPECT_EQ(facts(with(x.qd(), small.view())), "tau: 6 7");
  EXPECT_EQ(facts(with(x.qd().part(0, 9), tau.view())), "qd: 9 10");
  EXPECT_EQ(facts(with(x.qd(), tau.view().part(0, 9))), "tau: 9 10");
  EXPECT_EQ(facts(with(by_state(x.qd().data, 10, 5), tau.view())), "qd: 5 7");
  EXPECT_TRUE(batch.inverse_dynamics(x.q().part(0, 0), {}, {}, tau.view().part(0, 0)));
}

TEST(BatchDoors, an_empty_input_counts_as_zero) {
  const Model<double> model = arm();
  Batch<double> batch(model);
  const ManyStates<double> x(model, 10, 1, false);
  ManyNumbers<double> zero(10, 7, false);
  for (double& number : zero.data) number = 0;
  Answers<double> a(x, 7), b(a);
  ASSERT_TRUE(batch.inverse_dynamics(x.q(), x.qd(), x.third(), a.view()));  // fills the scratch
  ASSERT_TRUE(batch.inverse_dynamics(x.q(), {}, {}, a.view()));
  ASSERT_TRUE(batch.inverse_dynamics(x.q(), zero.view(), zero.view(), b.view()));
  EXPECT_EQ(a.data, b.data);
}

TEST(BatchResults, do_not_depend_on_threads_nor_on_the_place_of_a_state) {
  const Model<double> model(random_tree(1, 12, everything()));
  const int count = 3001, n = model.n_v();
  const ManyStates<double> x(model, count, 1, false);
  Answers<double> one(x, n), three(one), slopes(x, n * n), again(slopes), more(slopes);
  Batch<double> alone(model, {.threads = 1}), together(model, {.threads = 3});
  ASSERT_TRUE(alone.forward_dynamics(x.q(), x.qd(), x.third(), one.view()));
  ASSERT_TRUE(together.forward_dynamics(x.q(), x.qd(), x.third(), three.view()));
  EXPECT_EQ(one.data, three.data);
  alone.rigid_inverse_dynamics_derivatives(x.q(), x.qd(), x.third(), slopes.view(), more.view());
  together.rigid_inverse_dynamics_derivatives(x.q(), x.qd(), x.third(), again.view(), more.view());
  EXPECT_EQ(slopes.data, again.data);
  const auto part = [](const StatesView<const double>& view) { return view.part(2990, 5); };
  std::vector<double> few(static_cast<std::size_t>(5 * n));
  ASSERT_TRUE(alone.forward_dynamics(part(x.q()), part(x.qd()), part(x.third()),
                                     by_state(few.data(), 5, n)));
  EXPECT_EQ(std::memcmp(few.data(), &one.data[static_cast<std::size_t>(2990 * n)],
                        few.size() * sizeof(double)),
            0);
}

TEST(BatchResults, numbers_between_states_and_after_them_stay_as_they_are) {
  const Model<double> model = arm();
  Batch<double> batch(model);
  const ManyStates<double> x(model, 21, 1, false);
  std::vector<double> room(21 * 9 + 16, -5.0);
  ASSERT_TRUE(batch.inverse_dynamics(x.q(), x.qd(), x.third(),
                                     StatesView<double>(room.data() + 1, 21, 7, 9, 1)));
  Answers<double> tau(x, 7);
  ASSERT_TRUE(batch.inverse_dynamics(x.q(), x.qd(), x.third(), tau.view()));
  for (std::size_t k = 0; k < room.size(); ++k) {
    const bool inside = k >= 1 && k < 1 + 21 * 9 && (k - 1) % 9 < 7;
    EXPECT_EQ(room[k], inside ? tau.data[(k - 1) / 9 * 7 + (k - 1) % 9] : -5.0) << k;
  }
}

TEST(BatchResults, of_all_instruction_sets_agree_to_rounding) {
  const Model<double> model(random_tree(1, 12, everything()));
  const ManyStates<double> x(model, 45, 1, false);
  Answers<double> first(x, model.n_v());
  Batch<double> batch(model);
  const std::string before = instruction_set();
  bool any = false;
  for (const std::string& name : instruction_sets()) {
    use_instruction_set(name);
    Answers<double> tau(x, model.n_v());
    ASSERT_TRUE(batch.inverse_dynamics(x.q(), x.qd(), x.third(), tau.view()));
    if (!any) first = tau;
    any = true;
    for (int s = 0; s < x.count(); ++s)
      tau.expect_near(
          s, {first.data.begin() + s * model.n_v(), first.data.begin() + (s + 1) * model.n_v()});
  }
  use_instruction_set(before);
}

TEST(BatchOwnRobots, states_with_parameters_of_their_own_are_states_of_those_robots) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    RandomTree options = seed == 3 ? RandomTree{} : everything();
    options.motors = false;
    const Model<double> model(random_tree(seed, 10, options));
    const int width = parameters_per_body * (model.n_bodies() - 1);
    const ManyStates<double> x(model, 19, seed, false);
    ManyNumbers<double> own(19, width, false), F(19, 6 * model.n_bodies(), false);
    Draw<double> draw(seed);
    for (double& f : F.data) f = draw(-1, 1);
    const std::vector<double> given = parameters(model);
    for (int s = 0; s < 19; ++s) {
      const double by = draw(0.5, 2);  // a possible robot: all bodies heavier or lighter
      for (int k = 0; k < width; ++k) own.view()(s, k) = by * given[static_cast<std::size_t>(k)];
    }
    Answers<double> tau(x, model.n_v()), qdd(tau);
    Batch<double> batch(model, {.threads = 2});
    const BatchExtras<double> extras{.F_ext = F.view(), .parameters = own.view()};
    ASSERT_TRUE(batch.inverse_dynamics(x.q(), x.qd(), x.third(), tau.view(), extras));
    ASSERT_TRUE(batch.forward_dynamics(x.q(), x.qd(), x.third(), qdd.view(), extras));
    x.each([&](const OneState& at) {
      const auto row = static_cast<std::size_t>(at.index * width);
      const Model<double> robot =
          with_parameters(model, View<const double>(own.data.data() + row, width));
      DynamicsWorkspace<double> ws(robot);
      std::vector<Wrench<double>> wrenches;
      for (int i = 0; i < model.n_bodies(); ++i) {
        const double* const f = &F.view()(at.index, 6 * i);
        wrenches.push_back({{f[0], f[1], f[2]}, {f[3], f[4], f[5]}});
      }
      std::vector<double> truth(at.qd.size());
      ASSERT_TRUE(inverse_dynamics(robot, ws, at.q, at.qd, at.third, wrenches, truth));
      tau.expect_near(at.index, truth);
      const auto found = forward_dynamics(robot, ws, at.q, at.qd, at.third, wrenches, truth);
      ASSERT_TRUE(found);
      qdd.expect_near(at.index, truth, 1 / found.pivot_ratio);
    });
  }
}

TEST(BatchLoops, states_of_a_robot_with_loops_are_answered_and_open_ones_refused) {
  RandomTree hinges;
  hinges.kinds = {JointKind::revolute};
  hinges.chain = true;
  const LoopedRobot looped = random_loops(1, 9, {LoopJoint::Kind::revolute}, hinges);
  const Model<double>& model = looped.model;
  const int n = model.n_v(), count = 12;
  ManyNumbers<double> q(count, model.n_q(), true), tau(count, n, true);
  Draw<double> draw(1);
  for (int s = 0; s < count; ++s) {
    for (int k = 0; k < model.n_q(); ++k) q.view()(s, k) = looped.q[static_cast<std::size_t>(k)];
    for (int k = 0; k < n; ++k) tau.view()(s, k) = draw();
  }
  ManyNumbers<double> qdd(count, n, true), slopes(count, n * n, true), other(slopes);
  Batch<double> batch(model, {.threads = 2});
  EXPECT_TRUE(batch.forward_dynamics(q.view(), {}, tau.view(), qdd.view()));
  EXPECT_TRUE(
      batch.forward_dynamics_derivatives(q.view(), {}, tau.view(), slopes.view(), other.view()));
  DynamicsWorkspace<double> ws(model);
  const std::vector<double> still(static_cast<std::size_t>(n));
  for (int s = 0; s < count; ++s) {
    std::vector<double> truth(still), given;
    for (int k = 0; k < n; ++k) given.push_back(tau.view()(s, k));
    ASSERT_TRUE(forward_dynamics(model, ws, looped.q, still, given, {}, truth));
    for (int k = 0; k < n; ++k)
      EXPECT_EQ(qdd.view()(s, k), truth[static_cast<std::size_t>(k)]) << s << " " << k;
  }
  for (int k = 0; k < model.n_q(); ++k) q.view()(7, k) += 0.3 * k;
  EXPECT_EQ(refusal([&] {
              return batch.forward_dynamics(q.view(), {}, tau.view(), qdd.view());
            }).rfind("q[7]: ", 0),
            0U);
}

}  // namespace
