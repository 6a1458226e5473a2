#include "torsor/dynamics/energy.hpp"

#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/dynamics/aba.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/model/builder.hpp"

namespace torsor {
namespace {

using testing::Square;
using testing::State;
using Tangent = Dual<double, 1>;
using Tangents = std::vector<Tangent>;

/// q with the derivative dq along the manifold.
Tangents moving(const Model<double>& model, const std::vector<double>& q,
                const std::vector<double>& dq) {
  Tangents start(q.begin(), q.end()), step(dq.size()), out(q.size());
  for (std::size_t k = 0; k < dq.size(); ++k) step[k].d[0] = dq[k];
  integrate(model, start, step, out);
  return out;
}
Tangents moving(const std::vector<double>& x, const std::vector<double>& dx) {
  Tangents out(x.begin(), x.end());
  for (std::size_t k = 0; k < dx.size(); ++k) out[k].d[0] = dx[k];
  return out;
}
double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

template <class Real>
class Energy : public ::testing::Test {};
TYPED_TEST_SUITE(Energy, testing::Scalars, testing::ScalarNames);

TYPED_TEST(Energy, D_03_kinetic_is_half_qd_M_qd) {
  using Real = TypeParam;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const auto model = testing::model_for<Real>(
        Model<double>(testing::random_tree(seed, 14, testing::everything())));
    const State<Real> s(model, seed);
    Square<Real> M(model.n_v());
    CrbaWorkspace<Real> crba(model);
    mass_matrix(model, crba, s.q, M.view());
    Real twice(0);
    for (int r = 0; r < M.n; ++r)
      for (int c = 0; c < M.n; ++c)
        twice =
            twice + s.qd[static_cast<std::size_t>(r)] * M(r, c) * s.qd[static_cast<std::size_t>(c)];
    MomentumWorkspace<Real> ws(model);
    const Real kinetic = kinetic_energy(model, ws, s.q, s.qd);
    EXPECT_CLOSE(kinetic + kinetic, twice, 100 * M.n * testing::scale_of(M.data))
        << "seed " << seed;
  }
}

TEST(PotentialEnergy, D_03_its_gradient_is_the_gravity_torque) {
  for (unsigned seed = 1; seed <= 25; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14, testing::everything()));
    const State<double> s(model, seed);
    const std::vector<double> zero(s.qd.size());
    std::vector<double> gravity(zero);
    RneaWorkspace<double> rnea(model);
    rigid_inverse_dynamics(model, rnea, s.q, zero, zero, {}, gravity);
    KinematicsWorkspace<Tangent> ws(model);
    for (std::size_t k = 0; k < zero.size(); ++k) {
      std::vector<double> direction(zero);
      direction[k] = 1;
      forward_kinematics(model, ws, moving(model, s.q, direction));
      EXPECT_CLOSE(potential_energy(model, ws).d[0], gravity[k], 200 * testing::scale_of(gravity))
          << "seed " << seed;
    }
  }
}

TEST(PotentialEnergy, of_a_pendulum_is_its_weight_times_its_height) {
  ModelBuilder b("pendulum");
  b.revolute("joint", "base", "rod", {.p = {0, 0, 2}}, {0, 1, 0});
  b.inertia("rod", 3, {0, 0, -0.5}, {0.1, 0, 0.1, 0, 0, 0.1});
  const Model<double> model = b.build();
  KinematicsWorkspace<double> ws(model);
  forward_kinematics(model, ws, std::vector<double>{0.7});
  const double height = 2 - 0.5 * std::cos(0.7);
  EXPECT_NEAR(potential_energy(model, ws), 3 * 9.81 * height, 1e-13);
  const CentreOfMass<double> com = centre_of_mass(model, ws);
  EXPECT_DOUBLE_EQ(com.mass, 3);
  EXPECT_NEAR(com.position.x, -0.5 * std::sin(0.7), 1e-15);
  EXPECT_NEAR(com.position.z, height, 1e-15);
}

TEST(CentreOfMass, linear_momentum_is_mass_times_its_velocity) {
  for (unsigned seed = 1; seed <= 25; ++seed) {
    const Model<double> model(testing::random_tree(seed, 14, testing::everything()));
    const State<double> s(model, seed);
    KinematicsWorkspace<Tangent> moved(model);
    forward_kinematics(model, moved, moving(model, s.q, s.qd));
    const CentreOfMass<Tangent> com = centre_of_mass(model, moved);
    MomentumWorkspace<double> ws(model);
    const Wrench<double> h = momentum(model, ws, s.q, s.qd);
    for (int r = 0; r < 3; ++r)
      EXPECT_CLOSE(com.mass.value * com.position[r].d[0], h.f[r], 400 * com.mass.value)
          << "seed " << seed;
  }
}

/// tau of the free joint is the wrench on the whole robot: what gravity adds to it changes the momentum.
TEST(Momentum, changes_by_weight_and_the_wrench_on_a_floating_robot) {
  for (unsigned seed = 1; seed <= 15; ++seed) {
    RobotDescription robot = testing::random_tree(seed, 12, {.rotors = false});
    RobotDescription floating = robot;  // base -> free joint -> robot
    Link world;
    world.name = "world";
    floating.links.insert(floating.links.begin(), world);
    Joint free;
    free.name = "root";
    free.kind = JointKind::free;
    free.parent = "world";
    free.child = "base";
    floating.joints.insert(floating.joints.begin(), free);
    const Model<double> model(floating);
    const State<double> s(model, seed);
    std::vector<double> tau(s.tau.size());
    RneaWorkspace<double> rnea(model);
    rigid_inverse_dynamics(model, rnea, s.q, s.qd, s.qdd, {}, tau);
    MomentumWorkspace<Tangent> ws(model);
    const Wrench<Tangent> h = momentum(model, ws, moving(model, s.q, s.qd), moving(s.qd, s.qdd));
    KinematicsWorkspace<double> kinematics(model);
    forward_kinematics(model, kinematics, s.q);
    const CentreOfMass<double> com = centre_of_mass(model, kinematics);
    const Vec3<double> weight = model.gravity() * com.mass;
    const Wrench<double> on_base{{tau[0], tau[1], tau[2]}, {tau[3], tau[4], tau[5]}};
    const Wrench<double> F = Ad_dual_inv(kinematics.T_world_body[1], on_base) +
                             Wrench<double>{cross(com.position, weight), weight};
    double scale = 1;
    for (int r = 0; r < 3; ++r) scale = std::max({scale, std::abs(F.m[r]), std::abs(F.f[r])});
    for (int r = 0; r < 3; ++r) {
      EXPECT_CLOSE(h.m[r].d[0], F.m[r], 1000 * scale) << "seed " << seed;
      EXPECT_CLOSE(h.f[r].d[0], F.f[r], 1000 * scale) << "seed " << seed;
    }
  }
}

TEST(TotalEnergy, D_08_power_of_the_torques_is_the_rate_of_the_energy) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    const bool rotors = seed % 2 == 0;  // M, tau and kinetic energy contain them alike
    const Model<double> model(testing::random_tree(seed, 14, {.rotors = rotors}));
    const State<double> s(model, seed);
    std::vector<double> tau(s.tau.size());
    RneaWorkspace<double> rnea(model);
    rigid_inverse_dynamics(model, rnea, s.q, s.qd, s.qdd, {}, tau);
    MomentumWorkspace<Tangent> ws(model);
    const Tangent kinetic =
        kinetic_energy(model, ws, moving(model, s.q, s.qd), moving(s.qd, s.qdd));
    const double rate = kinetic.d[0] + potential_energy(model, ws.kinematics).d[0];
    const double size = testing::scale_of(tau) * static_cast<double>(tau.size());
    EXPECT_CLOSE(rate, dot(tau, s.qd), 100 * size) << "seed " << seed;
  }
}

TEST(TotalEnergy, nothing_is_lost_or_won_under_forward_dynamics_without_torques) {
  auto kinds = testing::every_moving_kind();
  kinds.pop_back();  // the parts of a composite joint may move alike: M is singular without rotors
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model<double> model(testing::random_tree(seed, 12, {.kinds = kinds, .rotors = false}));
    const State<double> s(model, seed);
    const std::vector<double> none(s.tau.size());
    std::vector<double> qdd(none);
    AbaWorkspace<double> aba(model);
    ASSERT_TRUE(rigid_forward_dynamics(model, aba, s.q, s.qd, none, {}, qdd));
    MomentumWorkspace<Tangent> ws(model);
    const Tangent kinetic = kinetic_energy(model, ws, moving(model, s.q, s.qd), moving(s.qd, qdd));
    const double rate = kinetic.d[0] + potential_energy(model, ws.kinematics).d[0];
    const double size = testing::scale_of(qdd) * static_cast<double>(qdd.size());
    EXPECT_CLOSE(rate, 0.0, 1000 * size) << "seed " << seed;
  }
}

TEST(TotalEnergy, a_call_allocates_nothing) {
  const Model<double> model(testing::random_tree(7, 30, testing::everything()));
  const State<double> s(model, 3);
  MomentumWorkspace<double> ws(model);
  const testing::AllocationCounter counter;
  const double kinetic = kinetic_energy(model, ws, s.q, s.qd);
  const Wrench<double> h = momentum(model, ws, s.q, s.qd);
  const double potential = potential_energy(model, ws.kinematics);
  EXPECT_EQ(counter.count(), 0u);
  EXPECT_TRUE(std::isfinite(kinetic + potential + h.f.x));
}

/// Generalised momenta are the slopes of L = T - V in the velocities, by duals; rotors are left out.
TEST(Hamiltonian, X_3_3_is_kinetic_plus_potential_energy) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const Model<double> model(testing::random_tree(seed, 10, {.rotors = false}));
    const State<double> s(model, seed);
    const int n = model.n_v();
    MomentumWorkspace<double> ws(model);
    const double T = kinetic_energy(model, ws, s.q, s.qd);
    const double V = potential_energy(model, ws.kinematics);
    Square<double> M(n);
    CrbaWorkspace<double> crba(model);
    mass_matrix(model, crba, s.q, M.view());
    MomentumWorkspace<Tangent> dual(model);
    double H = -(T - V);
    for (int k = 0; k < n; ++k) {
      std::vector<double> unit(s.qd.size());
      unit[static_cast<std::size_t>(k)] = 1;
      const Tangents q(s.q.begin(), s.q.end());
      const Tangent L = kinetic_energy(model, dual, q, moving(s.qd, unit)) -
                        potential_energy(model, dual.kinematics);
      double row = 0;  // p = H(q) qd, (3-10)
      for (int c = 0; c < n; ++c) row += M(k, c) * s.qd[static_cast<std::size_t>(c)];
      EXPECT_CLOSE(L.d[0], row, 100 * n * testing::scale_of(M.data)) << "seed " << seed;
      H += L.d[0] * s.qd[static_cast<std::size_t>(k)];
    }
    EXPECT_CLOSE(H, T + V, 100 * n * (T + std::abs(V))) << "seed " << seed;
  }
}

}  // namespace
}  // namespace torsor
