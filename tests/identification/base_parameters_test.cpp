// Base parameters: counts and regroupings that books print, and the two ways to them against each
// other on robots of every kind.
#include "torsor/identification/base_parameters.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "support/random_model.hpp"
#include "torsor/identification/regressor.hpp"
#include "torsor/model/dh.hpp"

namespace torsor::testing {
namespace {

constexpr double right = std::numbers::pi / 2;

struct Link {
  double alpha = 0, a = 0, d = 0;
  bool prismatic = false;
};
Model<double> mdh(const std::vector<Link>& links, const Vec3<double>& gravity = {0, 0, -9.81}) {
  DhTable table;
  table.convention = DhTable::Convention::modified;
  table.gravity = gravity;
  Draw<double> draw(7);
  for (const Link& link : links) {
    DhRow row;
    row.alpha = link.alpha, row.a = link.a, row.d = link.d, row.prismatic = link.prismatic;
    row.inertial = random_tree_detail::cloud(draw, 0.3);
    row.has_inertial = true;
    table.rows.push_back(row);
  }
  return Model<double>(from_dh(table));
}

/// Base parameter of link i's column word: all others as (link, word) -> coefficient.
using Terms = std::map<std::string, double>;
Terms terms(const BaseParameters& base, const std::string& name) {
  Terms found;
  for (int k = 0; k < base.size(); ++k) {
    if (base.names[static_cast<std::size_t>(base.kept[k])] != name) continue;
    for (int c = 0; c < base.n_parameters(); ++c)
      if (base.regrouping(k, c) != 0)
        found[base.names[static_cast<std::size_t>(c)]] = base.regrouping(k, c);
  }
  return found;
}
void expect_terms(const BaseParameters& base, const std::string& name, const Terms& expected) {
  const Terms found = terms(base, name);
  EXPECT_EQ(found.size(), expected.size()) << name;
  for (const auto& [term, factor] : expected) {
    ASSERT_TRUE(found.count(term)) << name << " has no " << term;
    EXPECT_NEAR(found.at(term), factor, 1e-12) << name << ": " << term;
  }
}

/// tau = Y p by all parameters and by base parameters, at random states.
double torque_difference(const Model<double>& model, const BaseParameters& base) {
  RegressorWorkspace<double> ws(model);
  const Array<double> p = all_parameters(model), reduced = base.expanded(base.values(p));
  Matrix Y(model.n_v(), p.size());
  Draw<double> draw(3);
  double worst = 0;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    Array<double> q(model.n_q()), qd(model.n_v()), qdd(model.n_v());
    random_configuration(model, seed, q);
    for (double& x : qd) x = draw(-2, 2);
    for (double& x : qdd) x = draw(-3, 3);
    torque_regressor<double, double>(model, ws, q, qd, qdd, Y);
    for (int r = 0; r < Y.rows(); ++r) {
      double full = 0, regrouped = 0;
      for (int c = 0; c < Y.cols(); ++c) full += Y(r, c) * p[c], regrouped += Y(r, c) * reduced[c];
      worst = std::max(worst, std::abs(full - regrouped));
    }
  }
  return worst;
}

/// The two ways agree in every coefficient, and the torques with what is there.
void expect_agreement(const Model<double>& model, const BaseParameterOptions& options = {}) {
  const BaseParameters base = base_parameters(model, options);
  const BaseParameters numeric = numeric_base_parameters(model, options);
  ASSERT_EQ(base.size(), numeric.size());
  EXPECT_EQ(base.kept, numeric.kept);
  for (int r = 0; r < base.size(); ++r)
    for (int c = 0; c < base.n_parameters(); ++c)
      EXPECT_NEAR(base.regrouping(r, c), numeric.regrouping(r, c), 1e-8)
          << base.formula(r) << "   " << numeric.formula(r);
  if (!options.rotors) {
    EXPECT_LT(torque_difference(model, base), 1e-8);
  }
}

// Huo 2005, corollary 2-1, and ranks of the stacked regressor for three directions of gravity.
TEST(BaseParameters, D_24_Example_2_3_counts_of_textbook_arms) {
  struct Case {
    const char* name;
    std::vector<Link> links;
    int along, across, none;
  };
  const Case cases[] = {
      {"wrist", {{0}, {-right}, {right}}, 15, 17, 11},
      {"planar 2R", {{0}, {0, 0.4}}, 4, 6, 4},
      {"2R, axes that meet", {{0}, {-right}}, 8, 10, 6},
      {"2R, axes that do not meet", {{0}, {-right, 0.2}}, 8, 10, 8},
      {"PUMA",
       {{0},
        {-right, 0, 0.2435},
        {0, 0.4318, -0.0934},
        {right, -0.0203, 0.4331},
        {-right},
        {right}},
       36,
       38,
       34},
      {"Stanford",
       {{0}, {-right, 0, 0.154}, {right, 0, 0, true}, {0}, {-right}, {right}},
       33,
       35,
       31},
      {"SCARA", {{0}, {0, 0.3}, {0, 0.25, 0, true}, {0}}, 8, 10, 8},
      {"DDArm", {{0}, {-right, 0, 0.462}, {right}}, 15, 17, 13},
      {"three slides", {{0, 0, 0, true}, {right, 0, 0, true}, {right, 0, 0, true}}, 3, 3, 3},
  };
  for (const auto& [name, links, along, across, none] : cases) {
    SCOPED_TRACE(name);
    const Vec3<double> directions[] = {{0, 0, -9.81}, {0, -9.81, 0}, {}};
    const int counts[] = {along, across, none};
    for (int k = 0; k < 3; ++k) {
      const Model<double> model = mdh(links, directions[k]);
      EXPECT_EQ(base_parameters(model).size(), counts[k]) << "gravity " << k;
      expect_agreement(model);
    }
  }
}

TEST(BaseParameters, Example_2_2_Stanford_arm) {
  const double d2 = 0.154;
  const BaseParameters base =
      base_parameters(mdh({{0}, {-right, 0, d2}, {right, 0, 0, true}, {0}, {-right}, {right}}));
  ASSERT_EQ(base.size(), 33);
  expect_terms(base, "link_1.zz",
               {{"link_1.zz", 1},
                {"link_2.yy", 1},
                {"link_3.zz", 1},
                {"link_2.mz", 2 * d2},
                {"link_2.m", d2 * d2}});
  expect_terms(
      base, "link_2.xx",
      {{"link_2.xx", 1}, {"link_3.xx", 1}, {"link_4.yy", 1}, {"link_2.yy", -1}, {"link_3.zz", -1}});
  expect_terms(base, "link_2.xy", {{"link_2.xy", 1}, {"link_3.xz", -1}});
  expect_terms(base, "link_2.xz", {{"link_2.xz", 1}, {"link_3.xy", 1}});
  expect_terms(base, "link_2.yz", {{"link_2.yz", 1}, {"link_3.yz", -1}});
  expect_terms(base, "link_2.zz", {{"link_2.zz", 1}, {"link_3.yy", 1}, {"link_4.yy", 1}});
  expect_terms(base, "link_3.mz", {{"link_3.mz", 1}, {"link_4.mz", 1}});
  expect_terms(base, "link_3.m",
               {{"link_3.m", 1}, {"link_4.m", 1}, {"link_5.m", 1}, {"link_6.m", 1}});
  expect_terms(base, "link_4.xx", {{"link_4.xx", 1}, {"link_4.yy", -1}, {"link_5.yy", 1}});
  expect_terms(base, "link_4.my", {{"link_4.my", 1}, {"link_5.mz", 1}});
  expect_terms(base, "link_5.xx", {{"link_5.xx", 1}, {"link_5.yy", -1}, {"link_6.yy", 1}});
  expect_terms(base, "link_5.my", {{"link_5.my", 1}, {"link_6.mz", -1}});
  expect_terms(base, "link_6.xx", {{"link_6.xx", 1}, {"link_6.yy", -1}});
}

TEST(BaseParameters, X_2_29_DDArm) {
  const double d2 = 0.462;
  const BaseParameters base = base_parameters(mdh({{0}, {-right, 0, d2}, {right}}));
  ASSERT_EQ(base.size(), 15);
  expect_terms(base, "link_1.zz",
               {{"link_1.zz", 1},
                {"link_2.yy", 1},
                {"link_2.mz", 2 * d2},
                {"link_2.m", d2 * d2},
                {"link_3.m", d2 * d2}});
  expect_terms(base, "link_2.xx", {{"link_2.xx", 1}, {"link_3.yy", 1}, {"link_2.yy", -1}});
  expect_terms(base, "link_2.zz", {{"link_2.zz", 1}, {"link_3.yy", 1}});
  expect_terms(base, "link_2.my", {{"link_2.my", 1}, {"link_3.mz", -1}});
}

TEST(BaseParameters, X_2_30_PUMA_and_SCARA) {
  const double a3 = 0.4318, a4 = 0.0203, d2 = 0.2435, d3 = -0.0934, d4 = 0.4331;
  const BaseParameters puma = base_parameters(
      mdh({{0}, {-right, 0, d2}, {0, a3, d3}, {-right, a4, d4}, {right}, {-right}}));
  ASSERT_EQ(puma.size(), 36);
  const auto heavy = [](Terms all, double factor, int first) {  // M_first = m_first + ... + m_6
    for (int i = first; i <= 6; ++i) all["link_" + std::to_string(i) + ".m"] += factor;
    return all;
  };
  expect_terms(puma, "link_3.xx",
               heavy({{"link_3.xx", 1}, {"link_3.yy", -1}, {"link_4.yy", 1}, {"link_4.mz", 2 * d4}},
                     d4 * d4 - a4 * a4, 4));
  expect_terms(puma, "link_3.xy", heavy({{"link_3.xy", 1}, {"link_4.mz", -a4}}, -a4 * d4, 4));
  expect_terms(
      puma, "link_3.zz",
      heavy({{"link_3.zz", 1}, {"link_4.yy", 1}, {"link_4.mz", 2 * d4}}, a4 * a4 + d4 * d4, 4));
  expect_terms(puma, "link_3.mx", heavy({{"link_3.mx", 1}}, a4, 4));
  expect_terms(puma, "link_3.my", heavy({{"link_3.my", 1}, {"link_4.mz", 1}}, d4, 4));
  expect_terms(puma, "link_2.xx", heavy({{"link_2.xx", 1}, {"link_2.yy", -1}}, -a3 * a3, 3));
  expect_terms(puma, "link_2.xz", heavy({{"link_2.xz", 1}, {"link_3.mz", -a3}}, -a3 * d3, 3));
  expect_terms(puma, "link_2.zz", heavy({{"link_2.zz", 1}}, a3 * a3, 3));
  expect_terms(puma, "link_2.mx", heavy({{"link_2.mx", 1}}, a3, 3));
  Terms first = {{"link_1.zz", 1},
                 {"link_2.yy", 1},
                 {"link_3.yy", 1},
                 {"link_3.mz", 2 * d3 + 2 * d2},
                 {"link_2.mz", 2 * d2}};
  first = heavy(first, a4 * a4, 4);
  first = heavy(first, a3 * a3 + d3 * d3 + 2 * d2 * d3, 3);
  expect_terms(puma, "link_1.zz", heavy(first, d2 * d2, 2));

  const double a = 0.3, b = 0.25;
  const BaseParameters scara = base_parameters(mdh({{0}, {0, a}, {0, b, 0, true}, {0}}));
  ASSERT_EQ(scara.size(), 8);
  expect_terms(scara, "link_1.zz", {{"link_1.zz", 1}, {"link_2.m", a * a}});
  expect_terms(scara, "link_2.zz", {{"link_2.zz", 1}, {"link_3.zz", 1}, {"link_3.mx", 2 * b}});
  expect_terms(scara, "link_2.mx", {{"link_2.mx", 1}, {"link_3.mx", 1}});
  expect_terms(scara, "link_2.my", {{"link_2.my", 1}, {"link_3.my", 1}});
  expect_terms(scara, "link_3.m", {{"link_3.m", 1}, {"link_4.m", 1}});
}

// Racer3 of Comau as SYMORO+ prints it, rotor inertias of joints 1 and 2 among them.
TEST(BaseParameters, regroupings_of_a_published_arm_with_rotors) {
  const double L1 = 0.05, L3 = 0.27, L4 = 0.05, L5 = 0.299;
  const Model<double> model =
      mdh({{0, 0, 0.365}, {-right, L1}, {0, L3}, {-right, L4, L5}, {right}, {-right}});
  const BaseParameters base = base_parameters(model, {.rotors = true});
  EXPECT_EQ(base.size(), 40);
  Terms zz1 = {{"link_1.zz", 1}, {"link_2.yy", 1}, {"link_3.yy", 1}, {"rotor.joint_1", 1}};
  zz1["link_2.m"] = L1 * L1;
  zz1["link_3.m"] = L3 * L3 + L1 * L1;
  for (const char* link : {"link_4.m", "link_5.m", "link_6.m"})
    zz1[link] = L4 * L4 + L3 * L3 + L1 * L1;
  expect_terms(base, "link_1.zz", zz1);
  Terms zz2 = {{"link_2.zz", 1}, {"rotor.joint_2", 1}};
  for (const char* link : {"link_3.m", "link_4.m", "link_5.m", "link_6.m"}) zz2[link] = L3 * L3;
  expect_terms(base, "link_2.zz", zz2);
  for (const char* rotor : {"rotor.joint_3", "rotor.joint_4", "rotor.joint_5", "rotor.joint_6"})
    expect_terms(base, rotor, {{rotor, 1}});
  expect_agreement(model, {.rotors = true});
}

// Chains with right angles, parallel, meeting and skew axes, slides and hinges, any gravity.
TEST(BaseParameters, D_21_both_ways_agree_on_chains_of_every_class) {
  Draw<double> draw(11);
  const double angles[] = {0, right, -right, std::numbers::pi, 0.7};
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(trial);
    std::vector<Link> links;
    const int n = 1 + trial % 6;
    for (int k = 0; k < n; ++k) {
      const auto some = [&](double size) { return draw(0, 1) < 0.5 ? 0 : draw(-size, size); };
      links.push_back(
          {angles[static_cast<int>(draw(0, 4.999))], some(0.5), some(0.5), draw(0, 1) < 0.35});
    }
    const Vec3<double> g = trial % 4 == 0   ? Vec3<double>{}
                           : trial % 4 == 1 ? Vec3<double>{1, -4, 7}
                                            : Vec3<double>{0, 0, -9.81};
    expect_agreement(mdh(links, g), {.rotors = trial % 3 == 0});
  }
}

TEST(BaseParameters, both_ways_agree_on_trees_of_every_joint_kind) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    const Model<double> model(random_tree(seed, 13));
    expect_agreement(model, {.rotors = seed % 2 == 0});
  }
}

TEST(BaseParameters, roles_say_what_becomes_of_each_parameter) {
  const BaseParameters base = base_parameters(mdh({{0}, {-right}}));
  const auto role = [&](const std::string& name) {
    for (int c = 0; c < base.n_parameters(); ++c)
      if (base.names[static_cast<std::size_t>(c)] == name) return base.roles[c];
    throw std::out_of_range(name);
  };
  EXPECT_EQ(role("link_2.xy"), ParameterRole::alone);
  EXPECT_EQ(role("link_2.xx"), ParameterRole::kept);
  EXPECT_EQ(role("link_2.yy"), ParameterRole::regrouped);
  EXPECT_EQ(role("link_1.m"), ParameterRole::ineffective);
  EXPECT_EQ(base.formula(0), "link_1.zz + link_2.yy");
}

TEST(BaseParameters, refuse_vectors_of_another_size) {
  const BaseParameters base = base_parameters(mdh({{0}, {-right}}));
  EXPECT_THROW(static_cast<void>(base.values(Array<double>(3, 0.0))), Error);
  EXPECT_THROW(static_cast<void>(base.expanded(Array<double>(3, 0.0))), Error);
}

}  // namespace
}  // namespace torsor::testing
