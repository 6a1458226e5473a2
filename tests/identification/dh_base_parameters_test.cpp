// Base parameters of DH chains in closed form: published formulas symbol by symbol, published numbers, and
// agreement with the two other ways on chains of every class.
#include "torsor/identification/dh_base_parameters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "dynamics/golden_ch2_robots.hpp"
#include "support/random_model.hpp"
#include "torsor/identification/regressor.hpp"
#include "torsor/model/dh_conversion.hpp"

namespace torsor::testing {
namespace {

constexpr double right = std::numbers::pi / 2;

struct Geometry {
  double alpha = 0, a = 0, d = 0;
  bool prismatic = false;
  double theta = 0;
};
DhTable mdh(const std::vector<Geometry>& links, const Vec3<double>& gravity = {0, 0, -9.81},
            unsigned seed = 7) {
  DhTable table;
  table.convention = DhTable::Convention::modified;
  table.gravity = gravity;
  Draw<double> draw(seed);
  for (const Geometry& link : links) {
    DhRow row;
    row.alpha = link.alpha, row.a = link.a, row.d = link.d, row.theta = link.theta;
    row.prismatic = link.prismatic;
    row.inertial = random_tree_detail::cloud(draw, 0.3);
    row.has_inertial = true;
    row.actuator.rotor_inertia = draw(0.1, 0.5);
    table.rows.push_back(row);
  }
  return table;
}

using Formulas = std::map<std::string, std::string>;
Formulas formulas(const SymbolicBaseParameters& found) {
  Formulas all;
  for (std::size_t k = 0; k < found.names.size(); ++k) all[found.names[k]] = found.formulas[k];
  return all;
}
/// What is not in `expected` is as it was: "XY1" = "xy1".
void expect_formulas(const SymbolicBaseParameters& found, std::size_t n, const Formulas& expected) {
  EXPECT_EQ(found.names.size(), n);
  Formulas all = formulas(found);
  for (const auto& [name, formula] : expected) EXPECT_EQ(all[name], formula) << name;
  for (const auto& [name, formula] : all) {
    if (expected.count(name)) continue;
    std::string own = name;
    if (!name.starts_with("Ia"))
      std::transform(own.begin(), own.end(), own.begin(),
                     [](unsigned char c) { return std::tolower(c); });
    EXPECT_EQ(formula, own);
  }
}
std::string masses(int first, int last) {
  std::string sum;
  for (int i = first; i <= last; ++i) sum += (sum.empty() ? "m" : " + m") + std::to_string(i);
  return "(" + sum + ")";
}

// As SYMORO+ prints it, with L1 = a2, L3 = a3, L4 = a4, L5 = d4.
TEST(DhBaseParameters, Racer3_symbol_by_symbol) {
  const DhTable table =
      mdh({{0, 0, 0.365}, {-right, 0.05}, {0, 0.27}, {-right, 0.05, 0.299}, {right}, {-right}});
  const std::string m2 = masses(2, 6), m3 = masses(3, 6), m4 = masses(4, 6);
  const Formulas expected = {
      {"ZZ1", "zz1 + yy2 + yy3 + Ia1 + a2^2 " + m2 + " + a3^2 " + m3 + " + a4^2 " + m4},
      {"XX2", "xx2 - yy2 - a3^2 " + m3},
      {"XZ2", "xz2 - a3 mz3"},
      {"ZZ2", "zz2 + Ia2 + a3^2 " + m3},
      {"MX2", "mx2 + a3 " + m3},
      {"XX3", "xx3 - yy3 + yy4 + 2 d4 mz4 - a4^2 " + m4 + " + d4^2 " + m4},
      {"XY3", "xy3 - a4 mz4 - a4 d4 " + m4},
      {"ZZ3", "zz3 + yy4 + 2 d4 mz4 + a4^2 " + m4 + " + d4^2 " + m4},
      {"MX3", "mx3 + a4 " + m4},
      {"MY3", "my3 + mz4 + d4 " + m4},
      {"XX4", "xx4 - yy4 + yy5"},
      {"ZZ4", "zz4 + yy5"},
      {"MY4", "my4 - mz5"},
      {"XX5", "xx5 - yy5 + yy6"},
      {"ZZ5", "zz5 + yy6"},
      {"MY5", "my5 + mz6"},
      {"XX6", "xx6 - yy6"}};
  ASSERT_EQ(expected.size(), 17u);
  const SymbolicBaseParameters found = symbolic_base_parameters(table, {.rotors = true});
  expect_formulas(found, 40, expected);
  std::string letters;
  for (const DhSymbol& symbol : found.symbols) letters += symbol.name + " ";
  EXPECT_EQ(letters, "a2 a3 a4 d4 ");
  EXPECT_EQ(found.latex[0].substr(0, 60),
            "zz_{1} + yy_{2} + yy_{3} + Ia_{1} + a_{2}^{2} (m_{2} + m_{3}");
}

TEST(DhBaseParameters, RX_90_symbol_by_symbol) {
  const DhTable table = mdh({{}, {right}, {0, 0.45}, {-right, 0, 0.45}, {right}, {-right}});
  const std::string m3 = masses(3, 6), m4 = masses(4, 6);
  expect_formulas(symbolic_base_parameters(table, {.rotors = true}), 40,
                  {{"ZZ1", "zz1 + yy2 + yy3 + Ia1 + a3^2 " + m3},
                   {"XX2", "xx2 - yy2 - a3^2 " + m3},
                   {"XZ2", "xz2 - a3 mz3"},
                   {"ZZ2", "zz2 + Ia2 + a3^2 " + m3},
                   {"MX2", "mx2 + a3 " + m3},
                   {"XX3", "xx3 - yy3 + yy4 + 2 d4 mz4 + d4^2 " + m4},
                   {"ZZ3", "zz3 + yy4 + 2 d4 mz4 + d4^2 " + m4},
                   {"MY3", "my3 + mz4 + d4 " + m4},
                   {"XX4", "xx4 - yy4 + yy5"},
                   {"ZZ4", "zz4 + yy5"},
                   {"MY4", "my4 - mz5"},
                   {"XX5", "xx5 - yy5 + yy6"},
                   {"ZZ5", "zz5 + yy6"},
                   {"MY5", "my5 + mz6"},
                   {"XX6", "xx6 - yy6"}});
}

TEST(DhBaseParameters, Example_2_2_Stanford_arm_in_symbols) {
  const DhTable table = mdh({{}, {-right, 0, 0.154}, {right, 0, 0, true}, {}, {-right}, {right}});
  expect_formulas(symbolic_base_parameters(table), 33,
                  {{"ZZ1", "zz1 + yy2 + zz3 + 2 d2 mz2 + d2^2 m2"},
                   {"XX2", "xx2 - yy2 + xx3 - zz3 + yy4"},
                   {"XY2", "xy2 - xz3"},
                   {"XZ2", "xz2 + xy3"},
                   {"YZ2", "yz2 - yz3"},
                   {"ZZ2", "zz2 + yy3 + yy4"},
                   {"MZ3", "mz3 + mz4"},
                   {"M3", "m3 + m4 + m5 + m6"},
                   {"XX4", "xx4 - yy4 + yy5"},
                   {"ZZ4", "zz4 + yy5"},
                   {"MY4", "my4 + mz5"},
                   {"XX5", "xx5 - yy5 + yy6"},
                   {"ZZ5", "zz5 + yy6"},
                   {"MY5", "my5 - mz6"},
                   {"XX6", "xx6 - yy6"}});
}

TEST(DhBaseParameters, X_2_29_and_X_2_30_in_symbols) {
  expect_formulas(symbolic_base_parameters(mdh({{}, {-right, 0, 0.462}, {right}})), 15,
                  {{"ZZ1", "zz1 + yy2 + 2 d2 mz2 + d2^2 (m2 + m3)"},
                   {"XX2", "xx2 - yy2 + yy3"},
                   {"ZZ2", "zz2 + yy3"},
                   {"MY2", "my2 - mz3"},
                   {"XX3", "xx3 - yy3"}});
  expect_formulas(symbolic_base_parameters(mdh({{}, {0, 0.3}, {0, 0.25, 0, true}, {}})), 8,
                  {{"ZZ1", "zz1 + a2^2 m2"},
                   {"ZZ2", "zz2 + zz3 + 2 a3 mx3"},
                   {"MX2", "mx2 + mx3"},
                   {"MY2", "my2 + my3"},
                   {"M3", "m3 + m4"}});
  const DhTable puma = mdh(
      {{}, {-right, 0, 0.2435}, {0, 0.4318, -0.0934}, {-right, 0.0203, 0.4331}, {right}, {-right}});
  const std::string m2 = masses(2, 6), m3 = masses(3, 6), m4 = masses(4, 6);
  const Formulas found = formulas(symbolic_base_parameters(puma));
  EXPECT_EQ(found.size(), 36u);
  EXPECT_EQ(found.at("ZZ1"), "zz1 + yy2 + yy3 + 2 d2 (mz2 + mz3) + 2 d3 mz3 + 2 d2 d3 " + m3 +
                                 " + d2^2 " + m2 + " + a3^2 " + m3 + " + d3^2 " + m3 + " + a4^2 " +
                                 m4);
  EXPECT_EQ(found.at("XZ2"), "xz2 - a3 mz3 - a3 d3 " + m3);
  EXPECT_EQ(found.at("MY5"), "my5 + mz6");
}

// An angle of any size: 1 - cos^2 is written as sin^2.
TEST(DhBaseParameters, skew_angles_are_letters) {
  const SymbolicBaseParameters found = symbolic_base_parameters(mdh({{}, {0.7, 0.2, 0.1}}));
  const Formulas all = formulas(found);
  EXPECT_EQ(all.at("ZZ1"), "zz1 + a2^2 m2 + sa2^2 yy2 + 2 d2 sa2^2 mz2 + d2^2 sa2^2 m2");
  std::map<std::string, double> values;
  for (const DhSymbol& symbol : found.symbols) values[symbol.name] = symbol.value;
  EXPECT_EQ(values.size(), 3u);
  EXPECT_DOUBLE_EQ(values["sa2"], std::sin(0.7));
  EXPECT_NE(found.latex[0].find("\\sin^{2}\\alpha_{2} yy_{2}"), std::string::npos);
}

/// "ZZ1" of the book to a column.
int column_of(const BaseParameters& base, const std::string& name) {
  const auto digit = name.find_first_of("0123456789");
  std::string word = name.substr(0, digit);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  const std::string full = "link_" + name.substr(digit) + "." + word;
  const auto at = std::find(base.names.begin(), base.names.end(), full);
  EXPECT_NE(at, base.names.end()) << full;
  return static_cast<int>(at - base.names.begin());
}
void expect_values(const BaseParameters& base, const Array<double>& b,
                   const nlohmann::json& expected) {
  ASSERT_EQ(static_cast<std::size_t>(base.size()), expected.size());
  for (const auto& [name, value] : expected.items()) {
    const auto at = std::find(base.kept.begin(), base.kept.end(), column_of(base, name));
    ASSERT_NE(at, base.kept.end()) << name;
    EXPECT_NEAR(b[static_cast<int>(at - base.kept.begin())], value.get<double>(), 1e-12) << name;
  }
}

TEST(DhBaseParameters, D_22_and_D_23_classes_and_values_of_the_textbook_robots) {
  const nlohmann::json golden = golden_file("huo_chapter_2_base_parameters.json")["robots"];
  ASSERT_EQ(golden.size(), 10u);
  for (const auto& [name, expected] : golden.items()) {
    SCOPED_TRACE(name);
    const DhTable table = golden_robot(name).table();
    std::vector<std::string> classes;
    int count = 0;
    for (const DhJointClass type : joint_classes(table)) {
      classes.push_back(name_of(type));
      count += kept_count(type);
    }
    EXPECT_EQ(classes, expected["classes"].get<std::vector<std::string>>());
    const BaseParameters base = dh_base_parameters(table);
    EXPECT_EQ(base.size(), expected["rank"]);
    EXPECT_EQ(count, expected["rank"]);  // D-24, corollary 2-1
    if (expected.contains("base"))
      expect_values(base, base.values(table_parameters(table)), expected["base"]);
  }
}

// With the row of R3 as the book prints it, ZZ1 would be 1.2812 and tau_1 -0.95498.
TEST(DhBaseParameters, D_23_X_2_28_R3_keeps_the_offset_of_a_slide) {
  const DhTable table = golden_robot("RPR_OFFAXIS_MDH").table();
  const BaseParameters base = dh_base_parameters(table);
  EXPECT_NEAR(base.values(table_parameters(table))[0], 0.9212, 1e-12);
  EXPECT_EQ(formulas(symbolic_base_parameters(table)).at("ZZ1"),
            "zz1 + zz2 + 2 a2 mx2 + 2 a2 a3 m3 + a3^2 m3");
}

TEST(DhBaseParameters, D_24_first_joint_and_gravity) {
  const auto classes = [](const std::vector<Geometry>& links, const Vec3<double>& g) {
    std::string text;
    for (const DhJointClass type : joint_classes(mdh(links, g))) text += name_of(type);
    return text;
  };
  const Vec3<double> down{0, 0, -9.81}, across{0, -9.81, 0};
  EXPECT_EQ(classes({{}}, down), "R3");
  EXPECT_EQ(classes({{}}, across), "R2");
  EXPECT_EQ(classes({{0, 0, 0, true}}, down), "T4");
  EXPECT_EQ(classes({{0, 0, 0, true}}, across), "T4");
  EXPECT_EQ(classes({{}, {0, 0.3}, {0, 0.2}}, down), "R3R2R2");
  EXPECT_EQ(classes({{}, {0, 0, 0.2}, {std::numbers::pi, 0, 0.1}}, down), "R3R3R3");
  EXPECT_EQ(classes({{}, {0, 0, 0, true}, {right, 0, 0, true}}, down), "R3T3T2");
  EXPECT_EQ(classes({{}, {right}, {0.7, 0, 0, true}}, down), "R3R1T1");
  EXPECT_EQ(classes({{0, 0, 0, true}, {}}, down), "T4R3");
  EXPECT_EQ(classes({{right, 0, 0, true}, {-right}}, down), "T4R2");
  // The base may be turned: what counts is gravity in frame 0.
  DhTable table = mdh({{}, {right}}, across);
  table.base.R = rotation_x(right);
  EXPECT_EQ(joint_classes(table)[0], DhJointClass::R3);
}

TEST(DhBaseParameters, D_22_without_gravity_hinges_that_meet_are_of_a_class_of_their_own) {
  const auto classes = [](const std::vector<Geometry>& links) {
    std::string text;
    for (const DhJointClass type : joint_classes(mdh(links, {}))) text += name_of(type);
    return text;
  };
  EXPECT_EQ(classes({{}, {-right}, {right}}), "R3R4R4");
  EXPECT_EQ(classes({{}, {-right, 0, 0.2}}), "R3R4");
  EXPECT_EQ(classes({{}, {-right, 0.2}}), "R3R1");
  EXPECT_EQ(classes({{}, {-right, 0, 0.2}, {right}}), "R3R4R1");  // axis 3 passes axis 1
  EXPECT_EQ(classes({{}, {-right}, {right, 0, 0.3}, {0, 0, 0.1}, {0.4}}), "R3R4R4R4R1");
  EXPECT_EQ(classes({{}, {-right}, {right, 0, 0.3}, {0, 0, -0.3}, {0.4}}), "R3R4R4R4R4");
  EXPECT_EQ(classes({{0, 0, 0, true}, {}, {-right}}), "T4R3R1");  // the slide takes the point along
  EXPECT_EQ(classes({{}, {0, 0, 0, true}, {0}, {-right}}), "R3T3R3R1");
  EXPECT_EQ(kept_count(DhJointClass::R4), 5);
}

// The point lies at -d2 on axis 2, at d3 - d4 on axis 4, which is axis 3 turned over.
TEST(DhBaseParameters, D_23_without_gravity_in_symbols) {
  const Formulas two = formulas(symbolic_base_parameters(mdh({{}, {-right, 0, 0.2}}, {})));
  EXPECT_EQ(two, (Formulas{{"ZZ1", "zz1 + yy2 + 2 d2 mz2 + d2^2 m2"},
                           {"XX2", "xx2 - yy2"},
                           {"XY2", "xy2"},
                           {"XZ2", "xz2 - d2 mx2"},
                           {"YZ2", "yz2 - d2 my2"},
                           {"ZZ2", "zz2"}}));
  const DhTable wrist = mdh({{}, {-right}, {right, 0, 0.3}, {std::numbers::pi, 0, 0.1}}, {});
  const Formulas four = formulas(symbolic_base_parameters(wrist));
  EXPECT_EQ(four.size(), 16u);
  EXPECT_EQ(four.at("XZ3"), "xz3 - d3 mx3");
  EXPECT_EQ(four.at("XZ4"), "xz4 + d3 mx4 - d4 mx4");
  EXPECT_EQ(four.at("YZ4"), "yz4 + d3 my4 - d4 my4");
}

// Ranks of the stacked regressor that are printed for arms without gravity.
TEST(DhBaseParameters, D_24_counts_without_gravity) {
  const struct {
    std::vector<Geometry> links;
    int rank;
  } arms[] = {
      {{{}, {-right}, {right}}, 11},
      {{{}, {0, 0.4}}, 4},
      {{{}, {-right}}, 6},
      {{{}, {-right, 0, 0.2}}, 6},
      {{{}, {-right, 0.2}}, 8},
      {{{}, {-right, 0, 0.2435}, {0, 0.4318, -0.0934}, {right, -0.0203, 0.4331}, {-right}, {right}},
       34},
      {{{}, {-right, 0, 0.154}, {right, 0, 0, true}, {}, {-right}, {right}}, 31},
      {{{}, {0, 0.3}, {0, 0.25, 0, true}, {}}, 8},
      {{{}, {-right, 0, 0.462}, {right}}, 13},
      {{{0, 0, 0, true}, {right, 0, 0, true}, {right, 0, 0, true}}, 3},
  };
  for (const auto& [links, rank] : arms) {
    const DhTable table = mdh(links, {});
    int count = 0;
    for (const DhJointClass type : joint_classes(table)) count += kept_count(type);
    EXPECT_EQ(count, rank);
    EXPECT_EQ(symbolic_base_parameters(table).names.size(), static_cast<std::size_t>(rank));
  }
}

/// tau of all parameters and of base parameters.
double torque_difference(const Model<double>& model, const BaseParameters& base, unsigned seed) {
  RegressorWorkspace<double> ws(model);
  const Array<double> p = all_parameters(model), reduced = base.expanded(base.values(p));
  Matrix Y(model.n_v(), p.size());
  Draw<double> draw(seed);
  double worst = 0;
  Array<double> q(model.n_q()), qd(model.n_v()), qdd(model.n_v());
  random_configuration(model, seed, q);
  for (double& x : qd) x = draw(-2, 2);
  for (double& x : qdd) x = draw(-3, 3);
  torque_regressor<double, double>(model, ws, q, qd, qdd, Y);
  for (int r = 0; r < Y.rows(); ++r) {
    double difference = 0;
    for (int c = 0; c < Y.cols(); ++c) difference += Y(r, c) * (p[c] - reduced[c]);
    worst = std::max(worst, std::abs(difference));
  }
  return worst;
}
double largest_difference(const Matrix& a, const Matrix& b) {
  double worst = 0;
  for (int k = 0; k < a.entries().size(); ++k)
    worst = std::max(worst, std::abs(a.entries()[k] - b.entries()[k]));
  return worst;
}

std::vector<Geometry> random_chain(Draw<double>& draw, int n) {
  const double angles[] = {0, right, -right, std::numbers::pi, 0.7};
  const auto one_of_them = [&] { return angles[static_cast<int>(draw(0, 4.999))]; };
  const auto some = [&](double size) { return draw(0, 1) < 0.5 ? 0 : draw(-size, size); };
  std::vector<Geometry> links;
  for (int k = 0; k < n; ++k)
    links.push_back({one_of_them(), some(0.5), some(0.5), draw(0, 1) < 0.4, one_of_them()});
  // Now and then a wrist at the base, whose axes meet.
  if (draw(0, 1) < 0.4)
    for (Geometry& link : links) link = {link.alpha, 0, 0};
  // Now and then a slide whose frame lies off the line of the hinges before and after it.
  if (n >= 3 && draw(0, 1) < 0.2) {
    const std::size_t k = static_cast<std::size_t>(draw(0, n - 2.001));
    links[k] = {links[k].alpha, links[k].a, links[k].d};
    links[k + 1] = {0, 0.3, 0, true};
    links[k + 2] = {0, -0.3, 0.1};
  }
  return links;
}

Vec3<double> any_gravity(int trial) {
  return trial % 3 == 0 ? Vec3<double>{} : Vec3<double>{1, -4, 7};
}

// The three ways on 5000 chains: same kept parameters, same coefficients, same rank, same torques.
class ChainsOfEveryClass : public ::testing::TestWithParam<int> {};
TEST_P(ChainsOfEveryClass, D_23_closed_form_is_the_recursion_is_the_rank_is_the_torques) {
  Draw<double> draw(static_cast<unsigned>(100 + GetParam()));
  std::map<DhJointClass, int> seen;
  for (int trial = 0; trial < 1000; ++trial) {
    SCOPED_TRACE(trial);
    const int n = 1 + trial % 6;
    const std::vector<Geometry> links = random_chain(draw, n);
    // Any direction, along axes of the base, along a tilted first axis, none.
    const Vec3<double> g = std::array<Vec3<double>, 5>{
        Vec3<double>{draw(-9, 9), draw(-9, 9), draw(-9, 9)}, Vec3<double>{0, -9.81, 0},
        Vec3<double>{0, 0, -9.81},
        Vec3<double>{0, std::sin(links[0].alpha), -std::cos(links[0].alpha)} * 9.81,
        Vec3<double>{}}[static_cast<std::size_t>(trial % 5)];
    const DhTable table = mdh(links, g, static_cast<unsigned>(trial));
    const BaseParameterOptions options{.rotors = trial % 2 == 0};
    for (const DhJointClass type : joint_classes(table)) ++seen[type];
    const Model<double> model(from_dh(table));
    const BaseParameters closed = dh_base_parameters(table, options);
    const BaseParameters generic = base_parameters(model, options);
    const BaseParameters numeric = numeric_base_parameters(model, options);
    ASSERT_EQ(closed.names, generic.names);
    ASSERT_EQ(closed.kept, generic.kept);
    ASSERT_EQ(closed.size(), numeric.size());
    ASSERT_LT(largest_difference(closed.regrouping, generic.regrouping), 1e-8);
    if (!options.rotors) {
      ASSERT_LT(torque_difference(model, closed, static_cast<unsigned>(trial)), 1e-8);
    }
  }
  EXPECT_EQ(seen.size(), 8u);
  for (const auto& [type, count] : seen) EXPECT_GT(count, 100) << name_of(type);
}
INSTANTIATE_TEST_SUITE_P(parts, ChainsOfEveryClass, ::testing::Range(0, 5));

TEST(DhBaseParameters, D_23_symbols_have_the_values_of_numbers) {
  Draw<double> draw(5);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(trial);
    const DhTable table = mdh(random_chain(draw, 1 + trial % 4), any_gravity(trial));
    const BaseParameterOptions options{.rotors = true};
    const SymbolicBaseParameters symbolic = symbolic_base_parameters(table, options);
    const BaseParameters closed = dh_base_parameters(table, options);
    ASSERT_EQ(symbolic.base.kept, closed.kept);
    ASSERT_LT(largest_difference(symbolic.base.regrouping, closed.regrouping), 1e-12);
  }
}

TEST(DhBaseParameters, D_25_standard_tables_in_modified_frames_are_minimal) {
  Draw<double> draw(9);
  for (int trial = 0; trial < 100; ++trial) {
    SCOPED_TRACE(trial);
    DhTable table = mdh(random_chain(draw, 2 + trial % 4), any_gravity(trial));
    table.convention = DhTable::Convention::standard;
    const Model<double> model(from_dh(table));
    const BaseParameters closed = dh_base_parameters(table);
    EXPECT_EQ(closed.size(), numeric_base_parameters(model).size());
    EXPECT_LT(torque_difference(model, closed, static_cast<unsigned>(trial)), 1e-8);
  }
}

/// Torques of parameters in the frames of a standard table, by the tree's regressor in link frames.
DhTable stanford_dh() {
  DhTable table = golden_robot("STANFORD_MDH").table();  // link data are the same numbers
  table.convention = DhTable::Convention::standard;
  const double alpha[] = {-right, right, 0, -right, right, 0};
  for (std::size_t k = 0; k < 6; ++k) {
    table.rows[k].a = table.rows[k].d = table.rows[k].theta = 0;
    table.rows[k].alpha = alpha[k];
  }
  table.rows[1].d = 0.154;
  return table;
}

TEST(DhBaseParameters, D_25_towards_the_hand) {
  const nlohmann::json golden = golden_file("huo_chapter_2_base_parameters.json")["handward"];
  for (const auto& [name, expected] : golden.items()) {
    SCOPED_TRACE(name);
    const DhTable table = name == "STANFORD_DH" ? stanford_dh() : golden_robot(name).table();
    const BaseParameters partial = handward_parameters(table);
    EXPECT_EQ(partial.size(), expected["kept"]);
    EXPECT_EQ(dh_base_parameters(table).size(), expected["rank"]);
    expect_values(partial, partial.values(table_parameters(table)), expected["params"]);
  }
  EXPECT_EQ(formulas(symbolic_handward_parameters(stanford_dh())).at("MY2"), "my2 + mz1 - d2 m1");
}

// Another payload changes ten numbers at the hand and nothing else; base parameters change along the arm.
TEST(DhBaseParameters, D_31_a_payload_stays_at_the_hand) {
  DhTable table = golden_robot("PUMA560_DH").table();
  const auto changed_links = [](const BaseParameters& base, const Array<double>& p,
                                const Array<double>& loaded) {
    const Array<double> a = base.values(p), b = base.values(loaded);
    std::map<int, int> links;
    for (int k = 0; k < base.size(); ++k)
      if (std::abs(a[k] - b[k]) > 1e-12) ++links[base.kept[k] / 10 + 1];
    return links;
  };
  DhTable loaded = table;
  loaded.rows[5].inertial.mass += 2;
  loaded.rows[5].inertial.com = {0.02, -0.01, 0.1};
  const std::map<int, int> partial =
      changed_links(handward_parameters(table), table_parameters(table), table_parameters(loaded));
  ASSERT_EQ(partial.size(), 1u);
  EXPECT_EQ(partial.begin()->first, 6);
  EXPECT_LE(partial.begin()->second, 10);
  const std::map<int, int> minimal =
      changed_links(dh_base_parameters(table), table_parameters(dh_to_mdh(table)),
                    table_parameters(dh_to_mdh(loaded)));
  EXPECT_EQ(minimal.size(), 5u);  // not link 4, whose axis meets those of 5 and 6 at right angles
}

TEST(DhBaseParameters, refuse_a_table_without_rows) {
  EXPECT_THROW(static_cast<void>(dh_base_parameters({})), Error);
  EXPECT_THROW(static_cast<void>(joint_classes({})), Error);
  EXPECT_THROW(static_cast<void>(symbolic_base_parameters({})), Error);
}

}  // namespace
}  // namespace torsor::testing
