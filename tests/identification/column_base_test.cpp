// What given rows determine, for columns of any name: base_parameters_of.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "dynamics/golden_ch2_robots.hpp"
#include "support/random_model.hpp"
#include "torsor/identification/dh_base_parameters.hpp"
#include "torsor/identification/parameter_dynamics.hpp"
#include "torsor/linear/svd.hpp"
#include "torsor/model/dh.hpp"

namespace torsor::testing {
namespace {

int column(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
}

TEST(ColumnBase, sums_of_columns_are_found_by_name) {
  // c = 2 a - b, d = 0, e = 3 e-9 of its own beside b.
  Draw<double> draw(1);
  RowFactor rows(6);
  for (int k = 0; k < 200; ++k) {
    const double a = draw(), b = 1e4 * draw(), tau = draw();
    rows.add(Array<double>{a, b, 2 * a - b, 0, b * (1 + 3e-9 * draw()), tau});
  }
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  const Array<int> order = {0, 1, 2, 3, 4};
  const BaseParameters base = base_parameters_of(rows, names, order);
  ASSERT_EQ(base.kept, (Array<int>{0, 1}));
  EXPECT_EQ(base.formula(0, 4), "a + 2 c");
  EXPECT_EQ(base.formula(1, 4), "b - c + e");
  EXPECT_EQ(base.roles[3], ParameterRole::ineffective);
  EXPECT_EQ(base_parameters_of(rows, names, order, 1e-10).size(), 3);
  // Without an order the column of which most is left comes first: as many are kept.
  EXPECT_EQ(base_parameters_of(rows, names).size(), 2);
  EXPECT_EQ(base_parameters_of(rows, names, Array<int>{2}).kept[0] == 2 ||
                base_parameters_of(rows, names, Array<int>{2}).kept[1] == 2,
            true);
}

TEST(ColumnBase, units_of_columns_do_not_matter) {
  Draw<double> draw(2);
  Matrix rows(40, 4), scaled(40, 4);
  const double unit[] = {1e-6, 1, 1e5, 1e-3};
  for (int r = 0; r < 40; ++r) {
    for (int c = 0; c < 3; ++c) rows(r, c) = draw();
    rows(r, 3) = rows(r, 0) + rows(r, 2);
    for (int c = 0; c < 4; ++c) scaled(r, c) = unit[c] * rows(r, c);
  }
  const Array<int> order = {0, 1, 2, 3};
  const BaseParameters a = base_parameters_of(rows, {"a", "b", "c", "d"}, order);
  const BaseParameters b = base_parameters_of(scaled, {"a", "b", "c", "d"}, order);
  EXPECT_EQ(a.kept, b.kept);
  for (int k = 0; k < 3; ++k)
    EXPECT_NEAR(b.regrouping(k, 3) * unit[k] / unit[3], a.regrouping(k, 3), 1e-12);
}

// Squares of 3e-161 underflow: a column of such numbers must not disturb those after it.
TEST(ColumnBase, columns_of_rounding_do_not_disturb_the_others) {
  Draw<double> draw(8);
  RowFactor rows(3);
  double square[2] = {0, 0};
  for (int k = 0; k < 300; ++k) {
    const Array<double> row = {3e-161 * draw(), draw(), draw()};
    rows.add(row);
    for (int c = 0; c < 2; ++c) square[c] += row[c + 1] * row[c + 1];
  }
  const Matrix& R = rows.R();
  for (int c = 0; c < 2; ++c) {
    double sum = 0;
    for (int r = 0; r <= c + 1; ++r) sum += R(r, c + 1) * R(r, c + 1);
    EXPECT_NEAR(sum / square[c], 1, 1e-12);
  }
  const BaseParameters base = base_parameters_of(rows, {"dust", "a", "b"});
  EXPECT_EQ(base.kept, (Array<int>{1, 2}));
  EXPECT_EQ(base.roles[0], ParameterRole::ineffective);
}

/// Rows of the torque regressor with further columns of every joint, at random states.
struct Columns {
  std::vector<std::string> names;
  RowFactor rows;
};
Columns extended(const Model<double>& model, const Array<double>& moving) {
  Columns all;
  all.names = parameter_names(model);
  const int n = model.n_v(), inertial = 10 * n;
  for (const char* word : {"rotor", "viscous", "coulomb", "offset"})
    for (int k = 0; k < n; ++k) all.names.push_back(model.dof_name(k) + "." + word);
  all.rows = RowFactor(static_cast<int>(all.names.size()));
  RegressorWorkspace<double> ws(model);
  Draw<double> draw(4);
  Array<double> q(n), qd(n), qdd(n);
  Matrix Y(n, inertial);
  for (int sample = 0; sample < 150; ++sample) {
    for (int k = 0; k < n; ++k) {
      q[k] = moving[k] * draw(-3, 3);
      qd[k] = moving[k] * draw(-2, 2);
      qdd[k] = moving[k] * draw(-3, 3);
    }
    torque_regressor<double, double>(model, ws, q, qd, qdd, Y);
    for (int j = 0; j < n; ++j) {
      Array<double> row(all.rows.columns(), 0.0);
      for (int c = 0; c < inertial; ++c) row[c] = Y(j, c);
      row[inertial + j] = qdd[j];
      row[inertial + n + j] = qd[j];
      row[inertial + 2 * n + j] = qd[j] > 0 ? 1 : qd[j] < 0 ? -1 : 0;
      row[inertial + 3 * n + j] = 1;
      all.rows.add(row);
    }
  }
  return all;
}

/// The seven-axis arm of Barrett, standard DH.
Model<double> wam() {
  const double quarter = std::numbers::pi / 2;
  const double alpha[] = {-1, 1, -1, 1, -1, 1, 0}, a[] = {0, 0, 0.045, -0.045, 0, 0, 0},
               d[] = {0, 0, 0.55, 0, 0.3, 0, 0.06};
  DhTable table;
  Draw<double> draw(3);
  for (int k = 0; k < 7; ++k) {
    DhRow row;
    row.alpha = alpha[k] * quarter, row.a = a[k], row.d = d[k];
    row.inertial = random_tree_detail::cloud(draw, 0.3);
    row.has_inertial = true;
    table.rows.push_back(row);
  }
  return Model<double>(from_dh(table));
}

TEST(ColumnBase, WAM_69_of_98) {
  const Model<double> model = wam();
  EXPECT_EQ(base_parameters(model).size(), 43);
  EXPECT_EQ(base_parameters(model, {.rotors = true}).size(), 48);
  const Columns all = extended(model, Array<double>(7, 1.0));
  ASSERT_EQ(all.names.size(), 98u);
  EXPECT_EQ(base_parameters_of(all.rows, all.names).size(), 69);
}

// A joint that stands still in the data: its rotor and friction have no effect, by name, and its offset
// is all that is left of it beside the inertias.
TEST(ColumnBase, D_21_what_a_log_does_not_determine) {
  const Model<double> model = wam();
  Array<double> moving(7, 1.0);
  moving[4] = 0;
  const Columns all = extended(model, moving);
  const BaseParameters base = base_parameters_of(all.rows, all.names);
  EXPECT_LT(base.size(), 69);
  for (const char* word : {"rotor", "viscous", "coulomb"})
    EXPECT_EQ(base.roles[column(all.names, "joint_5." + std::string(word))],
              ParameterRole::ineffective)
        << word;
  EXPECT_EQ(base.roles[column(all.names, "joint_4.viscous")], ParameterRole::alone);
}

// tau_i-identifiable: what joint i's own torque determines of link i (exercises 2-21 to 2-24), for the
// kept parameters of theorem 2-1 and the samples of the spec.
TEST(ColumnBase, D_30_X_2_21_X_2_22_X_2_23_X_2_24_blocks_of_the_textbook_robots) {
  const nlohmann::json golden = golden_file("huo_chapter_2_base_parameters.json")["block_ranks"];
  ASSERT_EQ(golden.size(), 7u);
  for (const auto& [name, expected] : golden.items()) {
    SCOPED_TRACE(name);
    const Model<double> model(from_dh(golden_robot(name).table()));
    const BaseParameters base = base_parameters(model);
    const int n = model.n_v();
    RegressorWorkspace<double> ws(model);
    Array<double> q(n), qd(n), qdd(n);
    Matrix Y(n, 10 * n);
    Array<RowFactor> blocks(n, RowFactor(10));
    RowFactor all(base.size());
    for (int k = 0; k < 60; ++k) {
      for (int i = 1; i <= n; ++i) {
        q[i - 1] = std::sin(1.3 * k + 0.7 * i);
        qd[i - 1] = std::cos(0.9 * k + 1.1 * i);
        qdd[i - 1] = std::sin(2.1 * k - 0.5 * i);
      }
      torque_regressor<double, double>(model, ws, q, qd, qdd, Y);
      for (int i = 0; i < n; ++i) {
        Array<double> row(10, 0.0);
        for (const int c : base.kept)
          if (c / 10 == i) row[c % 10] = Y(i, c);
        blocks[i].add(row);
        Array<double> kept;
        for (const int c : base.kept) kept.push_back(Y(i, c));
        all.add(kept);
      }
    }
    Svd svd(base.size(), base.size());
    svd.factorise(all.R());
    EXPECT_NEAR(svd.largest() / expected["largest"].get<double>(), 1, 1e-11);
    EXPECT_NEAR(svd.smallest() / expected["least"].get<double>(), 1, 1e-11);
    const std::vector<std::string> ten = {"m",  "mx", "my", "mz", "xx",
                                          "xy", "yy", "xz", "yz", "zz"};
    for (int i = 0; i < n; ++i) {
      const int rank = base_parameters_of(blocks[i], ten).size();
      EXPECT_EQ(rank, expected["from_the_hand"][static_cast<std::size_t>(n - 1 - i)]);
      int kept = 0;  // full column rank: joint by joint identification may go on
      for (const int c : base.kept) kept += c / 10 == i;
      EXPECT_EQ(rank, kept);
    }
  }
}

// Full rank of all rows does not give full rank of the diagonal blocks: base sets that keep parameters at
// the hand must not be identified joint by joint.
TEST(ColumnBase, D_30_a_base_set_whose_last_block_is_singular) {
  const Model<double> model(from_dh(golden_robot("DDARM_MDH").table()));
  const int n = 3;
  RegressorWorkspace<double> ws(model);
  Draw<double> draw(6);
  Array<double> q(n), qd(n), qdd(n);
  Matrix Y(n, 30);
  RowFactor rows(30), last(10);
  for (int k = 0; k < 80; ++k) {
    for (int i = 0; i < n; ++i) q[i] = draw(-3, 3), qd[i] = draw(-2, 2), qdd[i] = draw(-3, 3);
    torque_regressor<double, double>(model, ws, q, qd, qdd, Y);
    for (int i = 0; i < n; ++i) {
      Array<double> row(30, 0.0);
      for (int c = 0; c < 30; ++c) row[c] = Y(i, c);
      rows.add(row);
    }
    Array<double> row(10, 0.0);
    for (int c = 0; c < 10; ++c) row[c] = Y(2, 20 + c);
    last.add(row);
  }
  Array<int> from_the_hand;
  for (int c = 29; c >= 0; --c) from_the_hand.push_back(c);
  const BaseParameters handward = base_parameters_of(rows, parameter_names(model), from_the_hand);
  EXPECT_EQ(handward.size(), 15);
  int at_the_hand = 0;
  for (const int c : handward.kept) at_the_hand += c >= 20;
  EXPECT_EQ(at_the_hand, 10);
  EXPECT_EQ(base_parameters_of(last, std::vector<std::string>(10, "p")).size(), 7);
}

TEST(ColumnBase, refuses_what_it_cannot_read) {
  Matrix R(2, 2);
  EXPECT_THROW(static_cast<void>(base_parameters_of(R, {"a", "b", "c"})), Error);
  EXPECT_THROW(static_cast<void>(base_parameters_of(R, {"a", "b"}, Array<int>{2})), Error);
  EXPECT_THROW(static_cast<void>(base_parameters_of(R, {"a", "b"}, Array<int>{1, 1})), Error);
  R(1, 1) = std::nan("");
  EXPECT_THROW(static_cast<void>(base_parameters_of(R, {"a", "b"})), Error);
}

}  // namespace
}  // namespace torsor::testing
