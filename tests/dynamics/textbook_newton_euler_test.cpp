#include "torsor/dynamics/textbook/textbook_newton_euler.hpp"

#include "dynamics/dh_chains.hpp"
#include "support/allocation_counter.hpp"
#include "support/dynamics_state.hpp"
#include "torsor/dynamics/aba.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/textbook/textbook_forward.hpp"

namespace torsor {
namespace {

using testing::State;

template <class Real>
class Textbook : public ::testing::Test {};
TYPED_TEST_SUITE(Textbook, testing::Scalars, testing::ScalarNames);

TYPED_TEST(Textbook, D_12_X_2_12_X_2_15_vector_recursion_gives_the_torques_of_any_chain) {
  using Real = TypeParam;
  testing::expect_torques_of_the_tree<Real>([](const DhTable& table, const auto& s, auto tau) {
    TextbookWorkspace<Real> ws(table);
    textbook_inverse_dynamics<Real>(table, ws, s.q, s.qd, s.qdd, tau);
  });
}

TYPED_TEST(Textbook, D_15_D_16_X_2_17_both_ways_to_H_are_the_mass_matrix) {
  using Real = TypeParam;
  testing::expect_mass_matrix_of_the_tree<Real>(
      6, 8, [](const DhTable& table, const auto& q, const auto& H) {
        TextbookForwardWorkspace<Real> ws(table);
        composite_body_mass_matrix<Real>(table, ws, q, H);
      });
  testing::expect_mass_matrix_of_the_tree<Real>(
      6, 8, [](const DhTable& table, const auto& q, const auto& H) {
        TextbookForwardWorkspace<Real> ws(table);
        unit_acceleration_mass_matrix<Real>(table, ws, q, H);
      });
}

TYPED_TEST(Textbook, D_17_X_2_18_forward_dynamics_of_the_inverse_is_the_acceleration) {
  using Real = TypeParam;
  for (const DhTable& table : testing::random_dh_chains(6, 8)) {
    const auto model = testing::model_for<Real>(Model<double>(from_dh(table)));
    const State<Real> s(model, 5);
    TextbookForwardWorkspace<Real> ws(table);
    std::vector<Real> tau(6), qdd(6);
    textbook_inverse_dynamics<Real>(table, ws.newton_euler, s.q, s.qd, s.qdd, tau);
    const auto result = textbook_forward_dynamics<Real>(table, ws, s.q, s.qd, tau, qdd);
    EXPECT_TRUE(result);
    const double condition =
        std::max(1.0, 1 / testing::distance(Real(result.pivot_ratio), Real(0)));
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_CLOSE(qdd[k], s.qdd[k], 50 * condition * testing::scale_of(tau)) << table.name;
  }
}

TEST(TextbookNewtonEuler, D_10_every_link_is_in_balance_with_the_forces_of_its_joints) {
  for (const DhTable& table : testing::random_dh_chains(5, 10)) {
    const bool standard = table.convention == DhTable::Convention::standard;
    TextbookWorkspace<double> ws(table);
    testing::Draw<double> draw(9);
    std::vector<double> q(5), qd(5), qdd(5), tau(5);
    for (auto* v : {&q, &qd, &qdd})
      for (double& x : *v) x = draw();
    const Wrench<double> hand = draw.wrench();
    textbook_inverse_dynamics<double>(table, ws, q, qd, qdd, tau, hand);
    for (int i = 1; i <= 5; ++i) {
      const auto& link = ws.links[i];
      const Inertial& inertial = table.rows.data()[i - 1].inertial;
      const bool last = i == 5;
      const SO3<double> R = last ? SO3<double>::identity() : ws.links[i + 1].A.R;
      // Moments about the mass centre: joint i acts at O_i-1 or O_i, joint i+1 at O_i or O_i+1.
      const Vec3<double> f_out = last ? hand.f : R * ws.links[i + 1].f;
      const Vec3<double> n_out = last ? hand.m : R * ws.links[i + 1].n;
      const Vec3<double> in = standard ? -transpose_times(link.A.R, link.A.p) : Vec3<double>{};
      const Vec3<double> out = standard || last ? Vec3<double>{} : ws.links[i + 1].A.p;
      const Vec3<double> force = link.f - f_out, moment = link.n - n_out +
                                                          cross(in - inertial.com, link.f) -
                                                          cross(out - inertial.com, f_out);
      EXPECT_CLOSE(force, link.a_centre * inertial.mass, 2000) << table.name;  // (2-58)
      EXPECT_CLOSE(moment,
                   inertial.about_com * link.epsilon +  // (2-60)
                       cross(link.omega, inertial.about_com * link.omega),
                   2000)
          << table.name;
    }
  }
}

TEST(TextbookForward, a_massless_end_is_reported_and_nothing_is_infinite) {
  DhTable table = testing::random_dh_chain(1, 4, DhTable::Convention::standard);
  table.rows.back().inertial = {};
  TextbookForwardWorkspace<double> ws(table);
  const std::vector<double> q(4, 0.3);
  std::vector<double> qdd(4);
  EXPECT_FALSE(textbook_forward_dynamics<double>(table, ws, q, q, q, qdd));
  for (const double x : qdd) EXPECT_TRUE(std::isfinite(x));
}

TEST(TextbookNewtonEuler, and_forward_dynamics_allocate_nothing) {
  const DhTable table = testing::random_dh_chain(1, 6, DhTable::Convention::modified);
  TextbookForwardWorkspace<double> ws(table);
  const std::vector<double> q(6, 0.3);
  std::vector<double> out(6);
  const testing::AllocationCounter counter;
  textbook_inverse_dynamics<double>(table, ws.newton_euler, q, q, q, out);
  EXPECT_TRUE(textbook_forward_dynamics<double>(table, ws, q, q, q, out));
  EXPECT_EQ(counter.count(), 0u);
}

}  // namespace
}  // namespace torsor
