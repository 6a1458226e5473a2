#pragma once
/// Random DH and MDH chains, the robots that the algorithms of Huo 2005 take, and comparisons with trees.
#include <numbers>

#include "support/dynamics_state.hpp"
#include "support/random_model.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/rnea.hpp"
#include "torsor/model/dh.hpp"

namespace torsor::testing {

/// Every third chain or so has a prismatic joint; angles are a mix of right and crooked ones.
inline DhTable random_dh_chain(unsigned seed, int n, DhTable::Convention convention) {
  Draw<double> draw(seed + 77);
  DhTable table;
  table.convention = convention;
  table.name = "dh_" + std::to_string(seed);
  table.base = draw.pose();
  table.gravity = draw.vec(10);
  for (int i = 0; i < n; ++i) {
    DhRow row;
    row.a = draw(-0.5, 0.5);
    row.alpha = draw() > 0 ? draw(-3, 3) : std::numbers::pi / 2;
    row.d = draw(-0.5, 0.5);
    row.theta = draw(-1, 1);
    row.prismatic = draw() > 0.4;
    row.inertial = random_tree_detail::cloud(draw, 0.4);
    row.has_inertial = true;
    table.rows.push_back(row);
  }
  return table;
}

inline std::vector<DhTable> random_dh_chains(int n, unsigned count) {
  std::vector<DhTable> tables;
  for (unsigned seed = 1; seed <= count; ++seed)
    for (const auto c : {DhTable::Convention::standard, DhTable::Convention::modified})
      tables.push_back(random_dh_chain(seed, n, c));
  return tables;
}

/// On random chains of six joints, the numbers of torque(table, state, tau) are the torques of the
/// tree.
template <class Real, class Torque>
void expect_torques_of_the_tree(Torque torque) {
  for (const DhTable& table : random_dh_chains(6, 8)) {
    const auto model = model_for<Real>(Model<double>(from_dh(table)));
    const State<Real> s(model, 3);
    RneaWorkspace<Real> rnea(model);
    rnea.rotors = false;
    std::vector<Real> expected(6), tau(6);
    rigid_inverse_dynamics(model, rnea, s.q, s.qd, s.qdd, {}, expected);
    torque(table, s, Out<Real>(tau));
    for (std::size_t k = 0; k < 6; ++k)
      EXPECT_CLOSE(tau[k], expected[k], 100 * scale_of(expected)) << table.name;
  }
}
/// On `count` random chains of n joints, matrix(table, q, H) is the mass matrix of the tree.
template <class Real, class Matrix>
void expect_mass_matrix_of_the_tree(int n, unsigned count, Matrix matrix) {
  for (const DhTable& table : random_dh_chains(n, count)) {
    const auto model = model_for<Real>(Model<double>(from_dh(table)));
    const State<Real> s(model, 4);
    Square<Real> H(n), M(n);
    CrbaWorkspace<Real> crba(model);
    mass_matrix(model, crba, s.q, M.view());
    matrix(table, s.q, H.view());
    for (std::size_t k = 0; k < H.data.size(); ++k)
      EXPECT_CLOSE(H.data[k], M.data[k], 100 * scale_of(M.data)) << table.name;
  }
}

}  // namespace torsor::testing
