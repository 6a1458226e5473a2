#include "torsor/dynamics/textbook/lagrange.hpp"

#include "dynamics/dh_chains.hpp"
#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/energy.hpp"
#include "torsor/dynamics/rnea.hpp"
#include "torsor/kinematics/jacobian.hpp"

namespace torsor {
namespace {

using testing::State;

template <class Real>
class Lagrange : public ::testing::Test {};
TYPED_TEST_SUITE(Lagrange, testing::Scalars, testing::ScalarNames);

TYPED_TEST(Lagrange, D_11_X_2_11_X_2_13_X_2_15_matrix_recursion_gives_the_torques_of_any_chain) {
  using Real = TypeParam;
  for (const GravityForm form : {GravityForm::force, GravityForm::acceleration})
    testing::expect_torques_of_the_tree<Real>(
        [form](const DhTable& table, const auto& s, auto tau) {
          LagrangeWorkspace<Real> ws(table);
          lagrange_inverse_dynamics<Real>(table, ws, s.q, s.qd, s.qdd, tau, form);
        });
}

TYPED_TEST(Lagrange, D_04_mass_matrix_by_partial_derivatives_is_that_of_composite_bodies) {
  using Real = TypeParam;
  testing::expect_mass_matrix_of_the_tree<Real>(
      5, 6, [](const DhTable& table, const auto& q, const auto& H) {
        LagrangeWorkspace<Real> ws(table);
        lagrange_mass_matrix<Real>(table, ws, q, H);
      });
}

TYPED_TEST(Lagrange, C_06_energies_of_the_links_add_up_to_those_of_the_robot) {
  using Real = TypeParam;
  for (const DhTable& table : testing::random_dh_chains(5, 6)) {
    const auto model = testing::model_for<Real>(Model<double>(from_dh(table)));
    const State<Real> s(model, 4);
    LagrangeWorkspace<Real> ws(table);
    MomentumWorkspace<Real> momentum(model);
    std::vector<LinkEnergy<Real>> links(5), raised(5);
    lagrange_energies<Real>(table, ws, s.q, s.qd, links);
    lagrange_energies<Real>(table, ws, s.q, s.qd, raised, std::vector<double>{1, 2, 3, 4, 5});
    Real kinetic(0), potential(0);
    for (std::size_t k = 0; k < 5; ++k) {
      kinetic = kinetic + links[k].kinetic;
      potential = potential + links[k].potential;
      const Real more = raised[k].potential - links[k].potential;
      EXPECT_CLOSE(more, Real(static_cast<double>(k) + 1), 500);
    }
    EXPECT_CLOSE(kinetic, kinetic_energy(model, momentum, s.q, s.qd, {.rotors = false}), 500)
        << table.name;
    EXPECT_CLOSE(potential, potential_energy(model, momentum.kinematics), 2000) << table.name;
  }
}

TEST(MassMatrix, C_06_is_the_sum_of_the_inertias_seen_through_the_link_jacobians) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Model<double> model(testing::random_tree(seed, 8, {.rotors = false}));
    const State<double> s(model, seed);
    const int n = model.n_v();
    testing::Square<double> M(n), sum(n);
    CrbaWorkspace<double> crba(model);
    mass_matrix(model, crba, s.q, M.view());
    KinematicsWorkspace<double> kinematics(model);
    std::vector<double> J(static_cast<std::size_t>(6 * n));
    for (int i = 1; i < model.n_bodies(); ++i) {
      jacobian(model, kinematics, s.q, Frame{"body", i, {}}, Reference::body,
               column_major(J.data(), 6, n));
      const auto column = [&](int k) {
        const double* x = J.data() + 6 * k;
        return Twist<double>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
      };
      for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c) sum(r, c) += dot(column(r), model.body(i).inertia * column(c));
    }
    for (std::size_t e = 0; e < M.data.size(); ++e)
      EXPECT_CLOSE(M.data[e], sum.data[e], 100 * testing::scale_of(M.data)) << "seed " << seed;
  }
}

TEST(PseudoInertia, D_01_of_a_particle_is_the_outer_product_of_its_place) {
  const auto J = pseudo_inertia({2, {1, -2, 3}, {}});
  const double r[4] = {1, -2, 3, 1};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(J[4 * i + k], 2 * r[i] * r[k], 1e-14);
}

TEST(LagrangeInverseDynamics, a_call_allocates_nothing) {
  const DhTable table = testing::random_dh_chain(1, 6, DhTable::Convention::standard);
  LagrangeWorkspace<double> ws(table);
  const std::vector<double> q(6, 0.3);
  std::vector<double> tau(6);
  const testing::AllocationCounter counter;
  lagrange_inverse_dynamics<double>(table, ws, q, q, q, tau);
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
