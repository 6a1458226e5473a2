#pragma once
/// The textbook's arms as DH tables, the common motion of its test vectors, and random chains.
#include <array>
#include <numbers>
#include <vector>

#include "support/typed_scalars.hpp"
#include "torsor/model/dh.hpp"

namespace torsor::testing {

using Convention = DhTable::Convention;
inline constexpr double quarter_turn = std::numbers::pi / 2;

/// Rows (a, alpha, d, theta); `sliders` are the numbers of the prismatic joints, from 1.
inline DhTable dh_table(Convention convention, const std::vector<std::array<double, 4>>& rows,
                        const std::vector<int>& sliders = {}) {
  DhTable table;
  table.convention = convention;
  for (const auto& [a, alpha, d, theta] : rows) {
    DhRow row;
    row.a = a, row.alpha = alpha, row.d = d, row.theta = theta;
    table.rows.push_back(row);
  }
  for (const int i : sliders) table.rows[static_cast<std::size_t>(i - 1)].prismatic = true;
  return table;
}

/// Table 1-1; with d1 = d6 = 0 Table 1-2.
inline DhTable stanford(double d1, double d2, double d6) {
  constexpr double h = quarter_turn;
  return dh_table(
      Convention::standard,
      {{0, -h, d1, 0}, {0, h, d2, 0}, {0, 0, 0, 0}, {0, -h, 0, 0}, {0, h, 0, 0}, {0, 0, d6, 0}},
      {3});
}
/// Arm S1 of the test vectors: tool point 0.25 m in front of the wrist.
inline DhTable stanford_with_tool() { return stanford(0.4, 0.15, 0.25); }
/// Arm S2: the reference point is the wrist.
inline DhTable stanford_wrist() { return stanford(0, 0.15, 0); }
/// Arm SM: Table 2-4, the same arm in modified parameters.
inline DhTable stanford_modified() {
  constexpr double h = quarter_turn;
  return dh_table(
      Convention::modified,
      {{0, 0, 0, 0}, {0, -h, 0.15, 0}, {0, h, 0, 0}, {0, 0, 0, 0}, {0, -h, 0, 0}, {0, h, 0, 0}},
      {3});
}
inline constexpr double puma_a2 = 0.4318, puma_a3 = -0.02032, puma_d3 = 0.14909, puma_d4 = 0.43307;
/// Arm P, exercise 1-19.
inline DhTable puma() {
  constexpr double h = quarter_turn;
  return dh_table(Convention::standard, {{0, -h, 0, 0},
                                         {puma_a2, 0, 0, 0},
                                         {puma_a3, h, puma_d3, 0},
                                         {0, -h, puma_d4, 0},
                                         {0, h, 0, 0},
                                         {0, 0, 0, 0}});
}
/// Exercise 1-20.
inline DhTable puma_modified() {
  constexpr double h = quarter_turn;
  return dh_table(Convention::modified, {{0, 0, 0, 0},
                                         {0, -h, 0, 0},
                                         {puma_a2, 0, puma_d3, 0},
                                         {puma_a3, h, puma_d4, 0},
                                         {0, -h, 0, 0},
                                         {0, h, 0, 0}});
}
/// The arm of TV-20.
inline DhTable seven_revolute() {
  constexpr double h = quarter_turn;
  return dh_table(Convention::standard, {{0, -h, 0.3, 0},
                                         {0, h, 0, 0},
                                         {0, -h, 0.4, 0},
                                         {0, h, 0, 0},
                                         {0, -h, 0.35, 0},
                                         {0, h, 0, 0},
                                         {0, 0, 0.1, 0}});
}
inline DhTable planar(const std::vector<double>& lengths) {
  std::vector<std::array<double, 4>> rows;
  for (const double a : lengths) rows.push_back({a, 0, 0, 0});
  return dh_table(Convention::standard, rows);
}

inline const std::vector<double> q_stanford{0.3, 0.7, 0.9, -0.5, 1.1, 0.4};
inline const std::vector<double> q_puma{0.4, -0.6, 0.9, -0.5, 1.1, 0.3};
inline const std::vector<double> common_qd{0.2, -0.3, 0.4, 0.5, -0.6, 0.7};
inline const std::vector<double> common_qdd{-0.1, 0.25, 0.35, -0.45, 0.55, -0.65};
/// The tip velocity of TV-19 to TV-21, linear first.
inline const std::vector<double> common_xdot{0.1, -0.2, 0.3, 0.4, -0.5, 0.6};

/// Any rows, revolute and prismatic mixed.
inline DhTable random_chain(unsigned seed, Convention convention, int n) {
  Draw<double> draw(seed);
  DhTable table;
  table.convention = convention;
  for (int i = 0; i < n; ++i) {
    DhRow row;
    row.a = draw(-0.5, 0.5), row.alpha = draw(-3, 3), row.d = draw(-0.5, 0.5),
    row.theta = draw(-3, 3);
    row.prismatic = draw(0, 1) < 0.35;
    table.rows.push_back(row);
  }
  return table;
}

}  // namespace torsor::testing
