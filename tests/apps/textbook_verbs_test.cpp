// torsor info --dh and torsor id --method: tables, matrices and algorithms of the textbook.
#include "apps/command.hpp"
#include "torsor/dynamics/textbook/operation_count.hpp"

namespace torsor::testing {
namespace {

using nlohmann::json;

TEST(DhTable, K_1_2_1_is_the_table_of_the_file_and_its_matrices_multiply_to_the_pose) {
  const json dh =
      torsor_command({"info", "puma560", "--q", "10,20,-30,40,50,60", "--deg", "--dh", "--json"})
          .json()["dh"];
  ASSERT_EQ(dh["rows"].size(), 6u);
  EXPECT_EQ(dh["convention"], "standard");
  EXPECT_EQ(dh["rows"][1]["a"], 0.4318);  // models/puma560.yaml
  EXPECT_EQ(dh["rows"][2]["d"], 0.15005);
  // A_1 by (1-8): [c, -s ca, s sa, a c; s, c ca, -c sa, a s; 0, sa, ca, d].
  const double t = std::acos(-1.0) / 18, alpha = dh["rows"][0]["alpha"];
  const double expected[4][4] = {
      {std::cos(t), -std::sin(t) * std::cos(alpha), std::sin(t) * std::sin(alpha), 0},
      {std::sin(t), std::cos(t) * std::cos(alpha), -std::cos(t) * std::sin(alpha), 0},
      {0, std::sin(alpha), std::cos(alpha), 0},
      {0, 0, 0, 1}};
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t c = 0; c < 4; ++c)
      EXPECT_NEAR(dh["A"][0][r][c].get<double>(), expected[r][c], 1e-15);
  // base A_1 ... A_6 tool is where fk sees the tool.
  std::vector<json> factors{dh["base"]};
  for (const json& A : dh["A"]) factors.push_back(A);
  factors.push_back(dh["tool"]);
  double T[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  for (const json& A : factors) {
    double next[4][4] = {};
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t c = 0; c < 4; ++c)
        for (std::size_t k = 0; k < 4; ++k) next[r][c] += T[r][k] * A[k][c].get<double>();
    std::copy(&next[0][0], &next[0][0] + 16, &T[0][0]);
  }
  const json fk = torsor_command({"fk", "puma560", "--frame", "tool", "--q", "10,20,-30,40,50,60",
                                  "--deg", "--json"})
                      .json()["results"][0]["frames"]["tool"]["T"];
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(T[r][c], fk[r][c].get<double>(), 1e-14);
}

TEST(DhTable, text_has_variables_matrices_and_both_conventions) {
  const CommandResult standard = torsor_command({"info", "stanford", "--dh", "--deg"});
  for (const char* word : {"standard DH table", "Tz(d) Rz(theta) Tx(a) Rx(alpha)", "q1", "A_6"})
    EXPECT_TRUE(standard.says(word)) << word << "\n" << standard.out;
  EXPECT_TRUE(
      torsor_command({"info", "stanford", "--mdh"}).says("Tx(a) Rx(alpha) Tz(d) Rz(theta)"));
  EXPECT_EQ(standard.out.find("e-1"), std::string::npos) << standard.out;  // no rounding is shown
  expect_refusal(torsor_command({"info", "four_bar", "--dh"}), "has no DH table");
  expect_refusal(torsor_command({"info", "humanoid38", "--mdh"}), "has no DH table");
}

TEST(Method, D_13_all_algorithms_of_inverse_dynamics_agree_and_tell_their_cost) {
  for (const char* robot : {"puma560", "stanford", "planar2r"}) {
    const int n = std::string(robot) == "planar2r" ? 2 : 6;
    const std::string list = n == 2 ? "0.3,-0.7" : "0.3,-0.7,0.4,0.2,0.5,-0.6";
    const json r = torsor_command({"id", robot, "--q", list, "--qd", list, "--qdd", list,
                                   "--method", "all", "--json"})
                       .json()["results"][0];
    const json rigid = torsor_command({"id", robot, "--q", list, "--qd", list, "--qdd", list,
                                       "--no-friction", "--json"})
                           .json()["results"][0]["tau"];
    ASSERT_EQ(r["methods"].size(), 4u);
    for (const json& m : r["methods"]) {
      EXPECT_LT(m["difference"].get<double>(), 1e-13) << robot << m;
      const json& tau = r["tau_" + m["method"].get<std::string>()];
      for (std::size_t k = 0; k < tau.size(); ++k)
        EXPECT_NEAR(tau[k].get<double>(), rigid[k].get<double>(), 1e-12) << robot << m;
    }
    EXPECT_EQ(r["methods"][1]["printed"]["multiplications"],
              newton_euler_operations(n).multiplications);
    EXPECT_EQ(r["methods"][2]["printed"]["additions"], lagrange_operations(n).additions);
    EXPECT_LT(r["methods"][0]["multiplications"], r["methods"][1]["multiplications"]);
    EXPECT_LT(r["methods"][1]["multiplications"], r["methods"][2]["multiplications"]);
  }
}

TEST(Method, the_counts_of_the_documents_are_those_of_the_program) {
  const std::string page = read_text(TORSOR_SOURCE_DIR "/docs/dynamics.md");
  const json methods = torsor_command({"id", "puma560", "--method", "all", "--json"})
                           .json()["results"][0]["methods"];
  for (std::size_t k = 0; k < 3; ++k) {
    const auto pair = [](const json& m) {
      return std::to_string(m["multiplications"].get<int>()) + " and " +
             std::to_string(m["additions"].get<int>());
    };
    EXPECT_NE(page.find(pair(methods[k])), std::string::npos) << methods[k];
    if (methods[k].contains("printed")) {
      EXPECT_NE(page.find(pair(methods[k]["printed"])), std::string::npos) << methods[k];
    }
  }
}

TEST(Method, one_alone_answers_as_id_does_and_refuses_what_it_is_not_for) {
  const CommandResult text = torsor_command({"id", "planar2r", "--method", "lagrange"});
  EXPECT_TRUE(text.says("tau [N m]") && text.says("4 x 4 matrices")) << text.out;
  EXPECT_FALSE(text.says("newton_euler")) << text.out;
  // Any tree has the recursion; DH tables are of chains.
  EXPECT_EQ(torsor_command({"id", "humanoid38", "--method", "recursive"}).code, 0);
  expect_refusal(torsor_command({"id", "humanoid38", "--method", "lagrange"}), "is of DH tables");
  expect_refusal(torsor_command({"id", "four_bar", "--method", "recursive"}), "has loops");
  expect_refusal(torsor_command({"id", "planar2r", "--method", "lagrnge"}),
                 "did you mean \"lagrange\"?");
  expect_refusal(
      torsor_command({"id", "planar2r", "--method", "all", "--f-ext", "tip=0,0,0,0,1,0"}),
      "--f-ext");
}

}  // namespace
}  // namespace torsor::testing
