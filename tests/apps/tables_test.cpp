// What verbs say in text: units, degrees, names of coordinates, widths, and what is no number.
#include <pty.h>

#include <sstream>

#include "apps/command.hpp"
#include "apps/planar_arm.hpp"

namespace torsor::testing {
namespace {

/// With variables of the environment, such as COLUMNS=80.
ProcessResult with(const std::vector<std::string>& environment,
                   const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"env"};
  words.insert(words.end(), environment.begin(), environment.end());
  words.push_back(TORSOR_COMMAND);
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run(words);
}
std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}
/// What a terminal of so many columns gets.
std::string on_terminal(std::vector<std::string> arguments, unsigned short columns) {
  arguments.insert(arguments.begin(), TORSOR_COMMAND);
  std::vector<char*> words;
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  const winsize size{24, columns, 0, 0};
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    unsetenv("COLUMNS");
    unsetenv("NO_COLOR");
    setenv("TERM", "xterm", 1);
    execv(TORSOR_COMMAND, words.data());
    _exit(127);
  }
  std::string out;
  char buffer[4096];
  for (ssize_t n = 0; (n = read(terminal, buffer, sizeof buffer)) > 0;)
    out.append(buffer, static_cast<std::size_t>(n));
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return out;
}
/// The words of the first line that begins with `name`.
std::vector<std::string> row_of(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> row;
    for (std::string word; words >> word;) row.push_back(word);
    if (!row.empty() && row.front() == name) return row;
  }
  return {};
}

TEST(Tables, name_the_unit_of_every_column) {
  const CommandResult id = torsor_command({"id", "planar2r", "--q", "0.5,-1"});
  for (const char* title : {"q [rad]", "qd [rad/s]", "qdd [rad/s^2]", "tau [N m]"})
    EXPECT_TRUE(id.says(title)) << id.out;
  EXPECT_TRUE(torsor_command({"fd", "planar2r"}).says("qdd [rad/s^2]"));
  EXPECT_TRUE(torsor_command({"gravity", "planar2r"}).says("gravity [N m]"));
  EXPECT_TRUE(torsor_command({"mass", "planar2r"}).says("M (kg m^2)"));
  EXPECT_TRUE(torsor_command({"coriolis", "planar2r"}).says("C (N m s)"));
  EXPECT_TRUE(torsor_command({"mass", "stanford"}).says("kg of two lengths"));
  const CommandResult energy = torsor_command({"energy", "planar2r"});
  EXPECT_EQ(row_of(energy.out, "kinetic").back(), "J");
  EXPECT_EQ(row_of(energy.out, "mass").back(), "kg");
  EXPECT_TRUE(energy.says("com [m]")) << energy.out;
  EXPECT_TRUE(torsor_command({"regressor", "planar2r"}).says("per kg, kg m and kg m^2"));
  EXPECT_TRUE(torsor_command({"derivatives", "planar2r"}).says("dtau (N m or N, per unit"));
}

TEST(Tables, give_each_number_its_unit_where_they_differ) {
  const CommandResult id =
      torsor_command({"id", "stanford", "--q", "0,0,0.4,0,0,0", "--qd", "0,0,0.25,0,0,0"});
  const std::vector<std::string> boom = row_of(id.out, "boom");
  ASSERT_GE(boom.size(), 9u) << id.out;
  EXPECT_EQ((std::vector<std::string>{boom[1], boom[2], boom[3], boom[4], boom[6], boom[8]}),
            (std::vector<std::string>{"0.4", "m", "0.25", "m/s", "m/s^2", "N"}))
      << id.out;
  EXPECT_EQ(row_of(id.out, "joint_1")[2], "rad") << id.out;
  const CommandResult loop = torsor_command({"fd", "four_bar"});  // a weld: three moments, forces
  EXPECT_EQ(row_of(loop.out, "pin.2").back(), "m") << loop.out;
  EXPECT_EQ(row_of(loop.out, "pin.3").back(), "N") << loop.out;
}

TEST(Tables, are_in_degrees_where_the_lists_are) {
  const CommandResult id =
      torsor_command({"id", "planar2r", "--q", "30,-90", "--qd", "10,0", "--qdd", "0,20", "--deg"});
  EXPECT_TRUE(id.says("q [deg]") && id.says("qd [deg/s]") && id.says("qdd [deg/s^2]")) << id.out;
  const std::vector<std::string> one = row_of(id.out, "joint_1"), two = row_of(id.out, "joint_2");
  EXPECT_EQ((std::vector<std::string>{one[1], one[2], two[1], two[3]}),
            (std::vector<std::string>{"30", "10", "-90", "20"}))
      << id.out;
  // Programs get radians, whatever people see.
  const auto json = torsor_command({"id", "planar2r", "--q", "30,-90", "--deg", "--json"}).json();
  EXPECT_NEAR(json["results"][0]["q"][1].get<double>(), -std::acos(0.0), 1e-15);
}

TEST(Tables, name_what_the_coordinates_of_a_free_base_are) {
  const CommandResult id = torsor_command({"id", "planar2r", "--floating"});
  for (const char* name :
       {"x", "y", "z", "qx", "qy", "qz", "qw", "wx", "wy", "wz", "vx", "vy", "vz"})
    EXPECT_FALSE(row_of(id.out, "root_joint." + std::string(name)).empty()) << name << "\n"
                                                                            << id.out;
  EXPECT_TRUE(torsor_command({"jacobian", "planar2r", "--floating", "--frame", "tip"})
                  .says("root_joint.wx  root_joint.wy"));
  EXPECT_EQ(row_of(id.out, "root_joint.vz").back(), "N") << id.out;
  EXPECT_EQ(row_of(id.out, "root_joint.wz").back(), "m") << id.out;  // N m
}

TEST(Tables, csv_is_read_by_these_names_and_written_by_numbers) {
  const ScratchFolder folder;
  const std::string numbers = "0.1,0.2,0.3,0,0,0,1,0.4,0.5,1,2,3,4,5,6,7,8";
  const auto header = [](const std::vector<std::string>& q, const std::vector<std::string>& v) {
    std::string line;
    for (const std::string& name : q) line += "q.root_joint." + name + ",";
    line += "q.joint_1,q.joint_2";
    for (const std::string& name : v) line += ",qd.root_joint." + name;
    return line + ",qd.joint_1,qd.joint_2\n";
  };
  const std::string counted =
      header({"0", "1", "2", "3", "4", "5", "6"}, {"0", "1", "2", "3", "4", "5"});
  write_text(folder / "named.csv",
             header({"x", "y", "z", "qx", "qy", "qz", "qw"}, {"wx", "wy", "wz", "vx", "vy", "vz"}) +
                 numbers + "\n");
  write_text(folder / "counted.csv", counted + numbers + "\n");
  const auto torques = [&](const char* file) {
    const CommandResult result =
        torsor_command({"id", "planar2r", "--floating", "--csv", file}, folder.path());
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  EXPECT_EQ(torques("named.csv"), torques("counted.csv"));
  EXPECT_TRUE(torques("named.csv").starts_with("q.root_joint.0,q.root_joint.1,"));
}

TEST(Tables, fit_the_terminal_in_blocks_of_columns) {
  const std::string narrow = with({"COLUMNS=60"}, {"mass", "panda"}).output;
  std::istringstream lines(narrow);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 60u) << line;
  EXPECT_NE(narrow.find("joint_7\n"), std::string::npos) << narrow;
  for (const char* title : {"joint_1 ", "joint_4 ", "joint_7"})
    EXPECT_NE(narrow.find(title), std::string::npos) << narrow;
  const std::string robots = with({"COLUMNS=60"}, {"robots"}).output;
  std::istringstream rows(robots.substr(0, robots.find("\n\n")));
  for (std::string line; std::getline(rows, line);) EXPECT_LE(line.size(), 60u) << line;
  // Into a pipe rows stay whole.
  EXPECT_EQ(row_of(torsor_command({"mass", "panda"}).out, "joint_2").size(), 8u);
}

TEST(Tables, text_of_every_verb_fits_eighty_columns) {
  const std::string scenario =
      TORSOR_SOURCE_DIR "/examples/scenarios/two_arms_press_one_object.yaml";
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"ik", "ur5", "--frame", "tool", "--xyz", "0.4,0.1,0.4", "--rpy",
                                 "3.14,0,0"},
        {"simulate", scenario},
        {"scenario", "keys"},
        {"info", "panda"},
        {"robots"},
        {"compare", scenario},
        {"jacobian", "panda", "--frame", "link_7"}})
    for (const std::string& line : lines_of(with({"COLUMNS=80", "LC_ALL=C"}, words).output))
      EXPECT_LE(line.size(), 80u) << words[0] << "\n" << line;
}

/// Bold takes no room: with it rows are split where they are without it.
TEST(Tables, are_as_wide_on_a_terminal_as_in_a_pipe) {
  const std::vector<std::string> words{"ik",    "ur5",         "--frame", "tool",
                                       "--xyz", "0.4,0.1,0.4", "--rpy",   "3.14,0,0"};
  std::string shown = on_terminal(words, 80);
  EXPECT_NE(shown.find("\x1b[1m"), std::string::npos) << shown;
  for (std::size_t at = 0; (at = shown.find('\x1b')) != std::string::npos;)
    shown.erase(at, shown.find('m', at) + 1 - at);
  std::erase(shown, '\r');
  EXPECT_EQ(shown, with({"COLUMNS=80"}, words).output);
}

TEST(Tables, are_ascii_where_the_locale_is) {
  for (const std::vector<std::string>& locale :
       {std::vector<std::string>{"LC_ALL=C"}, {"LC_ALL=", "LANG=de_DE.ISO-8859-1"}}) {
    const std::string out = with(locale, {"info", "humanoid38"}).output;
    EXPECT_TRUE(std::all_of(out.begin(), out.end(), [](char c) {
      return static_cast<unsigned char>(c) < 0x80;
    })) << out;
    EXPECT_NE(out.find("|- "), std::string::npos) << out;
  }
  EXPECT_NE(with({"LC_ALL=en_GB.UTF-8"}, {"info", "humanoid38"}).output.find("├─ "),
            std::string::npos);
}

TEST(Notes, a_configuration_beyond_the_limits_is_told_and_degrees_are_proposed) {
  const CommandResult turned = torsor_command({"id", "puma560", "--q", "0,-90,90,0,0,0"});
  EXPECT_EQ(turned.code, 0);
  EXPECT_EQ(std::count(turned.err.begin(), turned.err.end(), '\n'), 1) << turned.err;
  EXPECT_NE(turned.err.find("shoulder = -90 rad, beyond its limits"), std::string::npos)
      << turned.err;
  EXPECT_NE(turned.err.find("did you mean --deg?"), std::string::npos) << turned.err;
  for (const char* verb : {"fk", "mass", "info", "gravity"})
    EXPECT_NE(torsor_command({verb, "puma560", "--q", "0,-90,90,0,0,0"}).err.find("--deg?"),
              std::string::npos)
        << verb;
  // Beyond a limit, though nothing looks like degrees; and within them not a word.
  const CommandResult near = torsor_command({"fk", "puma560", "--q", "0,4,0,0,0,0"});
  EXPECT_NE(near.err.find("shoulder = 4 rad"), std::string::npos) << near.err;
  EXPECT_EQ(near.err.find("--deg"), std::string::npos) << near.err;
  EXPECT_EQ(torsor_command({"fk", "puma560", "--q", "0,1,0,0,0,0"}).err, "");
  const ScratchFolder folder;  // of many states the first one is told
  write_text(folder / "s.csv",
             "q.waist,q.shoulder,q.elbow,q.wrist_roll,q.wrist_bend,q.flange_roll\n0,0,0,0,0,0\n"
             "0,90,0,0,0,0\n0,91,0,0,0,0\n");
  const CommandResult many = torsor_command({"fk", "puma560", "--csv", "s.csv"}, folder.path());
  EXPECT_EQ(many.code, 0);
  EXPECT_EQ(std::count(many.err.begin(), many.err.end(), '\n'), 1) << many.err;
  EXPECT_NE(many.err.find("s.csv: shoulder = 90 rad"), std::string::npos) << many.err;
  EXPECT_NE(many.err.find("CSV is in rad"), std::string::npos) << many.err;
  EXPECT_EQ(torsor_command({"fk", "puma560", "--q", "0,60,0,0,0,0", "--deg"}).err, "");
}

TEST(Numbers, that_overflow_are_a_failure_that_names_them) {
  for (const std::vector<std::string>& form : {std::vector<std::string>{}, {"--json"}}) {
    std::vector<std::string> words{"id", "planar2r", "--q", "0,1", "--qd=1e200,1e200"};
    words.insert(words.end(), form.begin(), form.end());
    const CommandResult result = torsor_command(words);
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find("tau of joint_1 is too large"), std::string::npos) << result.err;
  }
  const ScratchFolder folder;
  write_text(folder / "s.csv", "q.joint_1,q.joint_2,qd.joint_1,qd.joint_2\n0,1,0,0\n0,1,1e200,0\n");
  const CommandResult many =
      torsor_command({"id", "planar2r", "--csv", "s.csv", "-o", "out.csv"}, folder.path());
  EXPECT_EQ(many.code, 1);
  EXPECT_FALSE(exists(folder / "out.csv"));
}

TEST(Numbers, zero_has_no_sign_in_json) {
  const CommandResult fd = torsor_command({"id", "planar2r", "--q=-0,0", "--qd=-0,0", "--json"});
  EXPECT_EQ(fd.out.find("-0.0"), std::string::npos) << fd.out;
}

TEST(Joints, a_robot_without_any_says_so) {
  const ScratchFolder folder;
  write_text(folder / "box.urdf",
             "<robot name=\"box\"><link name=\"box\"><inertial><mass value=\"1\"/><inertia "
             "ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
             "</robot>\n");
  for (const char* verb : {"id", "mass", "gravity"}) {
    const CommandResult result = torsor_command({verb, "box.urdf"}, folder.path());
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, "box\n  no joint moves\n") << verb;
  }
}

TEST(Matrices, of_a_long_chain_take_time_like_their_entries) {
  const double small = run({TORSOR_COMMAND, "mass", "chain:250", "-o", "/dev/null"}).cpu_seconds;
  const ProcessResult large = run({TORSOR_COMMAND, "mass", "chain:1000"});
  EXPECT_EQ(large.exit_code, 0);
  // A cube would take four times sixteen; the floor keeps out what starting takes.
  EXPECT_LT(large.cpu_seconds, 16 * 2 * std::max(small, 0.05));
}

}  // namespace
}  // namespace torsor::testing
