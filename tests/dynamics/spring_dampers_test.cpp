#include "torsor/dynamics/spring_dampers.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/dynamics/energy.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/model/builder.hpp"

namespace torsor {
namespace {

using testing::State;
using Tangent = Dual<double, 1>;
using Tangents = std::vector<Tangent>;

/// A random tree whose links are tied by springs, also to links that are fixed to bodies and to the
/// ground; `damping` of them all.
RobotDescription tied_tree(unsigned seed, double damping) {
  auto kinds = testing::every_moving_kind();
  kinds.pop_back();  // the parts of a composite joint may move alike: M is singular without rotors
  RobotDescription robot = testing::random_tree(seed, 8, {.kinds = kinds, .rotors = false});
  testing::Draw<double> draw(seed + 77);
  const auto tie = [&](const std::string& a, const std::string& b) {
    SpringDamper s;
    s.name = a + "_" + b;
    s.link_a = a, s.link_b = b;
    s.point_a = draw.vec(0.3), s.point_b = draw.vec(0.3);
    s.stiffness = draw(10, 50), s.rest_length = draw(0, 0.4), s.damping = damping;
    robot.springs.push_back(s);
  };
  tie("link_1", "link_5");
  tie("", "link_3");
  tie("link_8", "base");
  for (const Link& link : robot.links)
    if (link.name.ends_with("_tip")) {
      tie(link.name, link.name == "link_2_tip" ? "link_4" : "link_2");
      break;
    }
  return robot;
}

Tangents moving(const Model<double>& model, const std::vector<double>& q,
                const std::vector<double>& qd) {
  Tangents start(q.begin(), q.end()), step(qd.size()), out(q.size());
  for (std::size_t k = 0; k < qd.size(); ++k) step[k].d[0] = qd[k];
  integrate(model, start, step, out);
  return out;
}
Tangents moving(const std::vector<double>& x, const std::vector<double>& dx) {
  Tangents out(x.begin(), x.end());
  for (std::size_t k = 0; k < dx.size(); ++k) out[k].d[0] = dx[k];
  return out;
}

/// Kinetic, potential and spring energy with its rate.
Tangent total_energy(const Model<double>& model, const Tangents& q, const Tangents& qd) {
  MomentumWorkspace<Tangent> ws(model);
  const Tangent kinetic = kinetic_energy(model, ws, q, qd);
  SpringDamperWorkspace<Tangent> springs(model);
  std::vector<Wrench<Tangent>> F(static_cast<std::size_t>(model.n_bodies()));
  return kinetic + potential_energy(model, ws.kinematics) +
         add_spring_damper_wrenches(model, springs, q, qd, F);
}

TEST(SpringDampers, L_11_energy_of_bodies_and_springs_stays_where_nothing_damps) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Model<double> model(tied_tree(seed, 0));
    const State<double> s(model, seed);
    const std::vector<double> none(s.qd.size());
    std::vector<double> qdd(none);
    DynamicsWorkspace<double> ws(model);
    ASSERT_TRUE(forward_dynamics(model, ws, s.q, s.qd, none, {}, qdd,
                                 {.friction = false, .disturbance = false}));
    const Tangent energy = total_energy(model, moving(model, s.q, s.qd), moving(s.qd, qdd));
    EXPECT_CLOSE(energy.d[0], 0.0, 1000 * testing::scale_of(qdd)) << "seed " << seed;
  }
}

TEST(SpringDampers, L_11_power_of_the_torques_feeds_bodies_and_springs_and_dampers_take_theirs) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const Model<double> damped(tied_tree(seed, 3)), free(tied_tree(seed, 0));
    const State<double> s(free, seed);
    std::vector<double> tau(s.qd.size()), more(s.qd.size());
    DynamicsWorkspace<double> ws(free), ws_damped(damped);
    const Effects effects{.friction = false, .disturbance = false};
    EXPECT_TRUE(inverse_dynamics(free, ws, s.q, s.qd, s.qdd, {}, tau, effects));
    EXPECT_TRUE(inverse_dynamics(damped, ws_damped, s.q, s.qd, s.qdd, {}, more, effects));
    double power = 0, lost = 0;
    for (std::size_t k = 0; k < tau.size(); ++k)
      power += tau[k] * s.qd[k], lost += (more[k] - tau[k]) * s.qd[k];
    const Tangent energy = total_energy(free, moving(free, s.q, s.qd), moving(s.qd, s.qdd));
    EXPECT_CLOSE(power, energy.d[0], 2000 * testing::scale_of(tau)) << "seed " << seed;
    EXPECT_GT(lost, 0) << "seed " << seed;
  }
}

TEST(SpringDampers, a_pendulum_on_a_spring_by_hand) {
  // A rod about y from (0, 0, 0); its end (0, 0, -1) is tied to (1, 0, -1) of the base.
  ModelBuilder b("pendulum");
  b.revolute("joint", "base", "rod", {}, {0, 1, 0});
  b.inertia("rod", 3, {0, 0, -0.5}, {0.1, 0, 0.1, 0, 0, 0.1});
  b.spring_damper({.name = "tie",
                   .link_a = "rod",
                   .link_b = "",
                   .point_a = {0, 0, -1},
                   .point_b = {1, 0, -1},
                   .stiffness = 20,
                   .rest_length = 0.4,
                   .damping = 2});
  const Model<double> model = b.build();
  const double q = 0.3, qd = -0.7, c = std::cos(q), s = std::sin(q);
  const double x = 1 + s, z = -1 + c, l = std::hypot(x, z);  // from the end to the base's point
  const double rate = (x * c - z * s) / l * qd, tension = 20 * (l - 0.4) + 2 * rate;
  // The end moves by (-c, s) qd: the pull does (-c x + s z) / l tension qd of work.
  const double pull = tension * (-c * x + s * z) / l;
  DynamicsWorkspace<double> ws(model);
  std::vector<double> tau(1);
  EXPECT_TRUE(inverse_dynamics(model, ws, std::vector<double>{q}, std::vector<double>{qd},
                               std::vector<double>{0}, {}, tau));
  EXPECT_NEAR(tau[0], 3 * 9.81 * 0.5 * s - pull, 1e-13);
  EXPECT_TRUE(inverse_dynamics(model, ws, std::vector<double>{q}, std::vector<double>{qd},
                               std::vector<double>{0}, {}, tau, {.springs = false}));
  EXPECT_NEAR(tau[0], 3 * 9.81 * 0.5 * s, 1e-14);
}

TEST(SpringDampers, a_call_allocates_nothing) {
  const Model<double> model(tied_tree(3, 1));
  const State<double> s(model, 3);
  SpringDamperWorkspace<double> ws(model);
  std::vector<Wrench<double>> F(static_cast<std::size_t>(model.n_bodies()));
  const testing::AllocationCounter counter;
  const double energy = add_spring_damper_wrenches(model, ws, s.q, s.qd, F);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_GT(energy, 0);
}

}  // namespace
}  // namespace torsor
