#include "torsor/formats/csv.hpp"

#include "support/random_model.hpp"
#include "support/refusal.hpp"
#include "torsor/model/builder.hpp"

namespace torsor {
namespace {

using testing::refusal;

std::string refusal(const std::string& text) {
  return refusal([&] { return parse_csv(text, "log.csv"); });
}

Model<double> two_joints() {
  ModelBuilder b("arm");
  b.revolute("shoulder", "base", "upper");
  b.revolute("elbow", "upper", "lower", {.p = {0.5, 0, 0}});
  b.inertia("upper", 1, {0.25, 0, 0}, {0.1, 0, 0.1, 0, 0, 0.1});
  b.inertia("lower", 1, {0.25, 0, 0}, {0.1, 0, 0.1, 0, 0, 0.1});
  return b.build();
}

TEST(Csv, reads_names_and_numbers) {
  const CsvTable table =
      parse_csv("\xef\xbb\xbft, q.a ,\"x,\"\"y\"\"\"\r\n\n0,1e-3, -2\r\n1,2,3", "log.csv");
  EXPECT_EQ(table.columns, (std::vector<std::string>{"t", "q.a", "x,\"y\""}));
  EXPECT_EQ(table.rows, (std::vector<std::vector<double>>{{0, 1e-3, -2}, {1, 2, 3}}));
  EXPECT_EQ(table.lines, (std::vector<int>{3, 4}));
}

TEST(Csv, what_is_written_reads_back_as_the_same_numbers) {
  testing::Draw<double> draw(3);
  CsvTable table{{"t", "a,b", "c\"d"}, {}, {}};
  for (int r = 0; r < 50; ++r) table.rows.push_back({draw(-1e9, 1e9), draw() * 1e-12, draw()});
  const CsvTable again = parse_csv(csv_text(table), "log.csv");
  EXPECT_EQ(again.columns, table.columns);
  EXPECT_EQ(again.rows, table.rows);
}

TEST(Csv, bad_tables_are_refused_with_file_line_and_column) {
  EXPECT_NE(refusal("").find("log.csv"), std::string::npos);
  EXPECT_EQ(refusal("t,,b\n"), "log.csv:1: column 2 has no name");
  EXPECT_EQ(refusal("t,a,t\n"), "log.csv:1: column \"t\" is there twice");
  EXPECT_EQ(refusal("0,1\n"),
            "log.csv:1: the first line holds names of columns, not numbers like \"0\"");
  EXPECT_EQ(refusal("t,a\n0,1\n\n2\n"), "log.csv:4: has 1 cells, the header 2");
  EXPECT_EQ(refusal("t,\"a\n"), "log.csv:1: a quote is not closed");
  EXPECT_EQ(
      refusal("pose,q.a,reached\n1,0,1\n2,,0\n"),
      "log.csv:3: \"q.a\" is blank: the pose was out of reach (reached is 0); leave such rows "
      "out");
  for (const char* cell : {"x", "nan", "1e999", "", "1 2"})
    EXPECT_TRUE(
        refusal(std::string("t,a\n0,") + cell + "\n").starts_with("log.csv:2: column \"a\":"))
        << cell;
}

TEST(Csv, columns_of_states_come_in_any_order) {
  const Model<double> model = two_joints();
  const StateTable s =
      states_of(parse_csv("tau.elbow,q.elbow,t,q.shoulder,tau.shoulder\n1,2,3,4,5\n", "log.csv"),
                model, "log.csv");
  EXPECT_EQ(s.t, std::vector<double>{3});
  EXPECT_EQ(s.q, (std::vector<std::vector<double>>{{4, 2}}));
  EXPECT_EQ(s.tau, (std::vector<std::vector<double>>{{5, 1}}));
  EXPECT_TRUE(s.qd.empty());
  EXPECT_TRUE(s.qdd.empty());
}

TEST(Csv, states_that_do_not_fit_the_robot_are_refused) {
  const Model<double> model = two_joints();
  const auto why = [&](const std::string& text) {
    return refusal([&] { states_of(parse_csv(text, "log.csv"), model, "log.csv"); });
  };
  EXPECT_EQ(why("q.shoulder,q.elbo\n0,0\n"),
            "log.csv: column \"q.elbow\" is missing, though \"q.shoulder\" is there");
  EXPECT_EQ(
      why("q.shoulder,q.elbow,qd.wrist\n0,0,0\n").find("log.csv: unknown column \"qd.wrist\""), 0u);
  EXPECT_EQ(why("t\n0\n"), "log.csv: no column \"q.shoulder\"");
}

TEST(Csv, columns_of_other_things_are_ignored_and_named) {
  const Model<double> model = two_joints();
  const StateTable s =
      states_of(parse_csv("t,q.shoulder,q.elbow,q_d.shoulder,q_d.elbow,V,current.elbow,qd_d.elbow\n"
                          "0,1,2,3,4,5,6,7\n",
                          "run.csv"),
                model, "run.csv");
  EXPECT_EQ(s.q, (std::vector<std::vector<double>>{{1, 2}}));
  EXPECT_TRUE(s.qd.empty());
  EXPECT_EQ(s.ignored, (std::vector<std::string>{"q_d.*", "V", "current.*", "qd_d.*"}));
}

TEST(Csv, a_misspelt_column_is_not_ignored) {
  const Model<double> model = two_joints();
  const auto why = [&](const std::string& more) {
    return refusal([&] {
      states_of(parse_csv("q.shoulder,q.elbow," + more + "\n0,0,0\n", "log.csv"), model, "log.csv");
    });
  };
  for (const auto& [written, meant] : {std::pair{"qd_.elbow", "qd.elbow"},
                                       {"QD.elbow", "qd.elbow"},
                                       {"qdot.elbow", "qd.elbow"},
                                       {"Tau.elbow", "tau.elbow"}}) {
    EXPECT_EQ(why(written), "log.csv: unknown column \"" + std::string(written) +
                                "\" for robot \"" + model.name() + "\"; did you mean \"" + meant +
                                "\"?");
  }
  EXPECT_EQ(why("qd.elbwo").find("log.csv: unknown column \"qd.elbwo\""), 0u);
}

TEST(Csv, states_of_every_joint_kind_go_out_and_come_back) {
  const Model<double> model(testing::random_tree(4, 14));
  StateTable states;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    states.t.push_back(0.1 * seed);
    states.q.push_back(testing::random_q(model, seed));
    states.qd.push_back(testing::random_velocity(model, seed));
    states.tau.push_back(testing::random_velocity(model, seed + 50));
  }
  const StateTable again =
      states_of(parse_csv(csv_text(table_of(states, model)), "log.csv"), model, "log.csv");
  EXPECT_EQ(again.t, states.t);
  EXPECT_EQ(again.qd, states.qd);
  EXPECT_EQ(again.tau, states.tau);
  ASSERT_EQ(again.q.size(), states.q.size());
  for (std::size_t r = 0; r < states.q.size(); ++r)  // quaternions are normalised again
    for (std::size_t k = 0; k < states.q[r].size(); ++k)
      EXPECT_NEAR(again.q[r][k], states.q[r][k], 4 * testing::eps<double>);
}

TEST(Csv, a_quaternion_off_unit_norm_is_refused_with_its_line) {
  ModelBuilder b("ball");
  b.spherical("joint", "base", "ball");
  b.inertia("ball", 1, {}, {0.1, 0, 0.1, 0, 0, 0.1});
  const Model<double> model = b.build();
  const std::string header = "q.joint.0,q.joint.1,q.joint.2,q.joint.3\n";
  const std::string why = refusal(
      [&] { states_of(parse_csv(header + "0,0,0,1\n0,0,0,1.1\n", "log.csv"), model, "log.csv"); });
  EXPECT_TRUE(why.starts_with("log.csv:3: ")) << why;
}

}  // namespace
}  // namespace torsor
