// What the help of the command shows works as it is printed: every example of every verb, pasted
// into a shell, in a folder with the files that the examples name.
#include <map>
#include <sstream>

#include "apps/command.hpp"
#include "apps/planar_arm.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/npy_writer.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::testing {
namespace {

const std::filesystem::path scenarios =
    std::filesystem::path(TORSOR_SOURCE_DIR) / "examples/scenarios";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream stream(line);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// The indented lines after `title`, up to the first blank one; a line that ends in | or \\ goes on.
std::vector<std::string> examples_after(const std::string& title, const std::string& help) {
  std::vector<std::string> commands;
  bool inside = false, goes_on = false;
  for (const std::string& line : lines_of(help)) {
    if (inside && line.empty()) break;
    if (inside && goes_on) commands.back() += "\n" + line;
    if (inside && !goes_on) commands.push_back(line);
    goes_on = line.ends_with("|") || line.ends_with("\\");
    inside = inside || line == title;
  }
  return commands;
}
/// In the order of the help.
std::vector<std::string> all_verbs() {
  std::vector<std::string> names;
  bool inside = false;
  for (const std::string& line : lines_of(torsor_command({"--help"}).out)) {
    if (inside && line.empty()) break;
    if (inside && line.at(2) != ' ') names.push_back(words_of(line).front());
    inside = inside || line == "verbs";
  }
  return names;
}

/// Three states between which little moves, inside the limits, with t, q, qd, qdd and tau.
void write_states(const std::filesystem::path& path, const std::string& robot) {
  const Model<double> model = load_robot(robot);
  std::string text = "t";
  const auto add_names = [&](const char* word, int count, auto name) {
    for (int k = 0; k < count; ++k) text += "," + (word + name(k));
  };
  add_names("q.", model.n_q(), [&](int k) { return model.coordinate_name(k); });
  for (const char* word : {"qd.", "qdd.", "tau."})
    add_names(word, model.n_v(), [&](int k) { return model.dof_name(k); });
  Array<double> q(model.n_q()), step(model.n_v(), 0.01);
  random_configuration(model, 7, q);
  for (int row = 0; row < 3; ++row) {
    text += "\n" + format_number(0.1 * row);
    for (const double x : q) text += "," + format_number(x);
    for (int k = 0; k < 3 * model.n_v(); ++k) text += ",0.1";
    integrate(model, q, step, q);
  }
  write_text(path, text + "\n");
}

/// A folder with what the examples take as given: a robot and scenarios of one's own, a recording.
class Shell {
 public:
  Shell() {
    std::filesystem::create_directory(folder_ / "examples");
    std::filesystem::copy(scenarios, folder_ / "examples/scenarios");
    std::filesystem::copy(scenarios / "../calibration", folder_ / "examples/calibration");
    const auto run_of = [](const std::string& controller) {
      return "scenario: mine\n"
             "robot: planar2r\n"
             "reference: {hold: [0.5, 0.5]}\n"
             "start: {q: [0.4, 0.6]}\n"
             "run: {duration: 0.02, record_every: 0.01}\n"
             "controller: " +
             controller + "\n";
    };
    const std::string pd = run_of("{law: pd_gravity, gains: {Kp: 50, Kd: 15}}"),
                      ct = run_of("{law: computed_torque, gains: {Kp: 100, Kd: 20}}");
    given_ = {{"my_arm.urdf", PlanarArm::urdf()},
              {"pd.yaml", pd},
              {"ct.yaml", ct},
              {"computed_torque.yaml", ct},
              {"my_run.yaml", pd + "sweep: {samples: 3, seed: 1, uncertainties: "
                                   "{parameter_factor: [0.9, 1.1]}}\n"}};
    std::filesystem::create_directory(folder_ / "states");
    NpyWriter q((folder_ / "states/q.npy").string(), {1, 7});
    q.write(Array<double>(7, 0.1));
    q.commit();
    write_text(folder_ / "pd.yaml", pd);
    EXPECT_EQ(
        torsor_command({"simulate", "pd.yaml", "-o", "run.trec", "-o", "run.csv"}, folder_.path())
            .code,
        0);
  }

  /// As a user pastes it. States and poses of `--csv` belong to the robot of the line.
  ProcessResult paste(const std::string& line) {
    const std::vector<std::string> words = words_of(line);
    for (std::size_t k = 1; k < words.size(); ++k) {
      const bool written = words[k - 1] == "-o" || words[k - 1] == "--output";
      if (given_.contains(words[k]) && !written && !exists(folder_ / words[k]))
        write_text(folder_ / words[k], given_.at(words[k]));
    }
    const auto csv = std::find(words.begin(), words.end(), "--csv");
    if (csv != words.end() && csv + 1 != words.end() && !exists(folder_ / csv[1])) {
      const std::string robot = words.at(2);
      if (words.at(1) == "ik") {
        const auto frame = std::find(words.begin(), words.end(), "--frame");
        EXPECT_NE(frame, words.end()) << line;
        write_states(folder_ / "along.csv", robot);
        const CommandResult poses = torsor_command(
            {"fk", robot, "--frame", frame[1], "--csv", "along.csv", "-o", csv[1]}, folder_.path());
        EXPECT_EQ(poses.code, 0) << poses.err;
      } else {
        write_states(folder_ / csv[1], robot);
      }
    }
    const std::string path = std::filesystem::path(TORSOR_COMMAND).parent_path().string();
    return run({"bash", "-c", "set -e; PATH='" + path + "':$PATH\n" + line}, folder_.path());
  }

 private:
  ScratchFolder folder_;
  std::map<std::string, std::string> given_;
};

TEST(Help, every_example_works_as_it_is_printed) {
  for (const std::string& verb : all_verbs()) {
    const auto examples = examples_after("Example", torsor_command({verb, "--help"}).out);
    ASSERT_FALSE(examples.empty()) << verb;
    Shell shell;
    for (const std::string& line : examples) {
      const ProcessResult result = shell.paste(line);
      EXPECT_EQ(result.exit_code, 0) << line << "\n" << result.output;
    }
  }
}

TEST(Help, the_first_steps_work_as_they_are_printed) {
  const auto steps = examples_after("first steps", torsor_command({"--help"}).out);
  ASSERT_GE(steps.size(), 3u);
  Shell shell;
  for (const std::string& line : steps) {
    const ProcessResult result = shell.paste(line);
    EXPECT_EQ(result.exit_code, 0) << line << "\n" << result.output;
  }
}

TEST(Help, says_what_a_value_is_in_words_of_this_program) {
  for (const std::string& verb : all_verbs()) {
    const std::string help = torsor_command({verb, "--help"}).out;
    for (const char* word : {" INT ", ":INT", "UINT", "TEXT"})
      EXPECT_EQ(help.find(word), std::string::npos) << word << "\n" << help;
  }
}

TEST(Help, describes_options_within_the_width_of_the_terminal) {
  for (const std::string& verb : all_verbs()) {
    const ProcessResult help = run({"env", "COLUMNS=80", TORSOR_COMMAND, verb, "--help"});
    for (const std::string& line : lines_of(help.output)) {
      if (line == "Example") break;
      EXPECT_LE(line.size(), 80u) << line;
    }
  }
  for (const std::string& line :
       lines_of(run({"env", "COLUMNS=80", TORSOR_COMMAND, "--help"}).output))
    EXPECT_LE(line.size(), 80u) << line;
}

}  // namespace
}  // namespace torsor::testing
