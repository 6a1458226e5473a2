// The CSV of one verb is the input of another: what a verb does not need is ignored, with one note.
#include "apps/command.hpp"
#include "torsor/formats/csv.hpp"

using namespace torsor::testing;

namespace {

std::vector<double> column(const torsor::CsvTable& table, const std::string& name) {
  const auto at = std::find(table.columns.begin(), table.columns.end(), name);
  EXPECT_NE(at, table.columns.end()) << name;
  std::vector<double> values;
  for (const std::vector<double>& row : table.rows)
    values.push_back(row[static_cast<std::size_t>(at - table.columns.begin())]);
  return values;
}

TEST(CsvChain, every_verb_reads_the_rows_of_a_simulation_and_inverse_dynamics_agrees) {
  const ScratchFolder folder;
  write_text(folder / "run.yaml",
             "robot: planar2r\ncontroller: {law: computed_torque, gains: {Kp: 100, Kd: 20}}\n"
             "reference: {hold: [0.5, 0.2]}\nstart: {q: [0, 0]}\n"
             "run: {duration: 0.5, record_every: 0.1}\n");
  ASSERT_EQ(torsor_command({"simulate", "run.yaml", "-o", "run.csv"}, folder.path()).code, 0);
  const torsor::CsvTable run = torsor::read_csv((folder / "run.csv").string());
  for (const std::string verb : {"id", "fd", "fk", "mass", "jacobian", "gravity", "energy"}) {
    std::vector<std::string> words{verb, "planar2r", "--csv", "run.csv"};
    if (verb == "jacobian") words.insert(words.end(), {"--frame", "tip"});
    const CommandResult result = torsor_command(words, folder.path());
    EXPECT_EQ(result.code, 0) << verb << result.err;
    EXPECT_TRUE(result.err.starts_with("torsor: run.csv: ignored: q_d.*, qd_d.*, e.*"))
        << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  const CommandResult id = torsor_command({"id", "planar2r", "--csv", "run.csv"}, folder.path());
  const torsor::CsvTable torques = torsor::parse_csv(id.out, "id.csv");
  for (const char* name : {"tau.joint_1", "tau.joint_2"}) {
    const std::vector<double> simulated = column(run, name), computed = column(torques, name);
    ASSERT_EQ(simulated.size(), computed.size());
    for (std::size_t r = 0; r < simulated.size(); ++r)
      EXPECT_NEAR(computed[r], simulated[r], 1e-12 * (1 + std::abs(simulated[r]))) << name << r;
  }
  const CommandResult all = torsor_command(
      {"eval", "planar2r", "run.csv", "--only", "tau,T_frame", "--frame", "tip"}, folder.path());
  EXPECT_TRUE(all.err.starts_with("torsor: run.csv: ignored: q_d.*, qd_d.*, e.*")) << all.err;
  const std::vector<double> first = column(run, "tau.joint_1");
  ASSERT_EQ(all.json()["results"].size(), first.size());
  for (std::size_t r = 0; r < first.size(); ++r)
    EXPECT_NEAR(all.json()["results"][r]["tau"][0].get<double>(), first[r],
                1e-12 * (1 + std::abs(first[r])));
  EXPECT_EQ(all.json()["results"][0]["T_frame"][0][3], 2.0);  // at q = 0
  // And what one of them writes, the next one reads.
  write_text(folder / "id.csv", id.out);
  EXPECT_EQ(torsor_command({"fd", "planar2r", "--csv", "id.csv"}, folder.path()).err, "");
}

TEST(CsvChain, what_a_table_does_not_have_is_zero_and_said_to_be) {
  const ScratchFolder folder;
  write_text(folder / "q.csv", "q.joint_1,q.joint_2\n0.1,0.2\n");
  const auto said = [&](const char* verb) {
    return torsor_command({verb, "planar2r", "--csv", "q.csv"}, folder.path()).err;
  };
  EXPECT_EQ(said("id"), "torsor: q.csv: has no qd, qdd: taken as zero\n");
  EXPECT_EQ(said("fd"), "torsor: q.csv: has no qd, tau: taken as zero\n");
  EXPECT_EQ(said("mass"), "");
}

/// Of planar2r; a row in ten has quotes.
std::string many_rows(int rows) {
  std::string text = "t,q.joint_1,q.joint_2,qd.joint_1,qd.joint_2,tau.joint_1,tau.joint_2\n";
  for (int k = 0; k < rows; ++k) {
    const std::string quote = k % 10 == 0 ? "\"" : "";
    text += std::to_string(0.001 * k) + "," + std::to_string(std::sin(k)) + ",0.50,-1e-3," +
            std::to_string(std::cos(k)) + ",3," + quote + std::to_string(k % 7) + quote + "\n";
  }
  return text;
}

TEST(CsvChain, rows_of_many_states_are_those_of_json) {
  constexpr std::size_t many = 1000;
  const ScratchFolder folder;
  write_text(folder / "in.csv", many_rows(many));
  for (const std::string verb : {"id", "fd", "gravity"}) {
    const std::vector<std::string> words{verb, "planar2r", "--csv", "in.csv"};
    const torsor::CsvTable rows =
        torsor::parse_csv(torsor_command(words, folder.path()).out, "out.csv");
    const nlohmann::json all =
        torsor_command({verb, "planar2r", "--csv", "in.csv", "--json"}, folder.path())
            .json()["results"];
    ASSERT_EQ(rows.rows.size(), many);
    ASSERT_EQ(all.size(), many);
    const std::string word = verb == "id" ? "tau" : verb == "fd" ? "qdd" : "gravity";
    const std::vector<double> x = column(rows, word + ".joint_1"),
                              y = column(rows, word + ".joint_2");
    for (std::size_t k = 0; k < many; ++k) {
      ASSERT_EQ(x[k], all[k][word][0].get<double>()) << verb << k;
      ASSERT_EQ(y[k], all[k][word][1].get<double>()) << verb << k;
    }
  }
}

TEST(CsvChain, rows_in_many_pieces_are_whole_and_numbers_that_pass_are_as_they_were_written) {
  constexpr int many = 80'000;  // more than is printed at once
  const ScratchFolder folder;
  write_text(folder / "in.csv", many_rows(many));
  const std::vector<std::string> words{"id", "planar2r", "--csv", "in.csv"};
  const CommandResult printed = torsor_command(words, folder.path());
  EXPECT_GT(printed.out.size(), std::size_t{1} << 22);
  EXPECT_EQ(std::count(printed.out.begin(), printed.out.end(), '\n'), many + 1);
  EXPECT_TRUE(printed.says("\n0.001,0.841471,0.5,-1e-3,0.540302,0,0,"))
      << printed.out.substr(0, 300);
  ASSERT_EQ(
      torsor_command({"id", "planar2r", "--csv", "in.csv", "-o", "o.csv"}, folder.path()).code, 0);
  EXPECT_TRUE(read_text(folder / "o.csv") == printed.out);
}

TEST(CsvChain, memory_does_not_grow_with_the_number_of_states) {
  const ScratchFolder folder;
  write_text(folder / "in.csv", many_rows(150'000));
  for (const std::string form : {"", "--json"}) {
    const ProcessResult r =
        run({"sh", "-c",
             "ulimit -v 200000; " TORSOR_COMMAND " gravity planar2r --csv in.csv " + form +
                 " | tail -c 200 | grep -c ."},
            folder.path());
    EXPECT_EQ(r.exit_code, 0) << r.output;
    EXPECT_EQ(r.output.find("memory"), std::string::npos) << r.output;
  }
}

TEST(CsvChain, eval_holds_a_block_of_a_table_and_answers_in_pieces_as_it_does_to_json) {
  constexpr int many = 400'000;
  const ScratchFolder folder;
  write_text(folder / "long.csv", many_rows(many));
  const ProcessResult r =
      run({"sh", "-c",
           "ulimit -v 150000; " TORSOR_COMMAND " eval planar2r long.csv --only mass | "
           "grep -c '\"mass\"'"},
          folder.path());
  EXPECT_NE(r.output.find(std::to_string(many) + "\n"), std::string::npos) << r.output;
  EXPECT_EQ(r.output.find("memory"), std::string::npos) << r.output;

  constexpr int some = 130;  // not a whole number of blocks
  const std::string text = many_rows(some);
  write_text(folder / "in.csv", text);
  const torsor::CsvTable rows = torsor::parse_csv(text, "in.csv");
  nlohmann::json states = nlohmann::json::array();
  for (const std::vector<double>& x : rows.rows)
    states.push_back({{"q", {x[1], x[2]}}, {"qd", {x[3], x[4]}}, {"tau", {x[5], x[6]}}});
  write_text(folder / "in.json", nlohmann::json{{"states", states}}.dump());
  const std::string of_table = torsor_command({"eval", "planar2r", "in.csv"}, folder.path()).out;
  EXPECT_EQ(nlohmann::json::parse(of_table)["results"].size(), std::size_t{some});
  EXPECT_TRUE(torsor_command({"eval", "planar2r", "in.json"}, folder.path()).out == of_table);
}

TEST(CsvChain, eval_names_the_line_of_a_row_that_it_cannot_answer) {
  const ScratchFolder folder;
  const auto eval = [&](const std::string& robot, const std::string& text) {
    write_text(folder / "in.csv", text);
    return torsor_command({"eval", robot, "in.csv"}, folder.path());
  };
  expect_refusal(eval("planar2r", many_rows(100) + "0,1,2\n"), "in.csv:102: has 3 cells");
  const CommandResult large = eval("planar2r", many_rows(100) + "\n0,1,2,1e200,1e200,0,0\n");
  EXPECT_EQ(large.code, 1);
  EXPECT_EQ(large.out, "");
  EXPECT_TRUE(large.err.starts_with("torsor: in.csv:103: tau is too large")) << large.err;
  expect_refusal(eval("four_bar", "q.crank,q.coupler,q.pin,q.rocker\n0,0,0,0\n0.5,0,0,0\n"),
                 "in.csv:3: four_bar: loop \"pin\" is open by ");
}

TEST(CsvChain, a_row_that_is_refused_leaves_no_file_and_names_its_line) {
  const ScratchFolder folder;
  write_text(folder / "short.csv", many_rows(100) + "0,1,2\n");
  const auto id = [&](const std::string& input) {
    return torsor_command({"id", "planar2r", "--csv", input, "-o", "out.csv"}, folder.path());
  };
  expect_refusal(id("short.csv"), "short.csv:102: has 3 cells, the header 7");
  expect_refusal(torsor_command({"id", "planar2r", "--csv", "short.csv"}, folder.path()),
                 "short.csv:102: has 3 cells");
  write_text(folder / "long.csv", many_rows(10'000) + "0,1,2,1e200,0,0,0\n");
  const CommandResult large = id("long.csv");
  EXPECT_EQ(large.code, 1);
  EXPECT_TRUE(large.err.starts_with("torsor: long.csv:10002: tau of joint_1 is too large"))
      << large.err;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    EXPECT_EQ(entry.path().filename().string().find("out"), std::string::npos) << entry.path();
}

}  // namespace
