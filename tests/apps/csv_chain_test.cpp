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

}  // namespace
