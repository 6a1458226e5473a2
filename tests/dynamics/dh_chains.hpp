#pragma once
/// Random DH and MDH chains: the robots that the textbook's algorithms take.
#include <numbers>

#include "support/random_model.hpp"
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

}  // namespace torsor::testing
