// torsor check and torsor convert on files in a folder of their own.
#include "apps/command.hpp"

using namespace torsor::testing;

namespace {

std::string urdf(const std::string& inertia, const std::string& limit,
                 const std::string& axis = "0 0 1", const std::string& child = "arm") {
  return "<robot name=\"bad\">\n"
         "  <link name=\"base\"/>\n"
         "  <link name=\"" +
         child +
         "\">\n"
         "    <inertial><origin xyz=\"0.2 0 0\"/><mass value=\"2\"/>\n"
         "      <inertia " +
         inertia +
         "/></inertial>\n"
         "  </link>\n"
         "  <joint name=\"hinge\" type=\"revolute\">\n"
         "    <parent link=\"base\"/><child link=\"" +
         child + "\"/><axis xyz=\"" + axis +
         "\"/>\n"
         "    <limit " +
         limit +
         "/>\n"
         "  </joint>\n"
         "</robot>\n";
}
constexpr const char* good_inertia =
    "ixx=\"0.001\" iyy=\"0.03\" izz=\"0.03\" ixy=\"0\" ixz=\"0\" iyz=\"0\"";
constexpr const char* bad_inertia =
    "ixx=\"-0.01\" iyy=\"0.03\" izz=\"0.03\" ixy=\"0\" ixz=\"0\" iyz=\"0\"";
constexpr const char* flat_inertia =
    "ixx=\"0.01\" iyy=\"0.01\" izz=\"0.03\" ixy=\"0\" ixz=\"0\" iyz=\"0\"";
constexpr const char* good_limit = "lower=\"-1\" upper=\"1\" effort=\"10\" velocity=\"2\"";
constexpr const char* zero_limit = "lower=\"0\" upper=\"0\" effort=\"0\" velocity=\"0\"";

class Check : public ::testing::Test {
 protected:
  ScratchFolder folder;
  std::string file = (folder / "bad.urdf").string(), fixed = (folder / "bad.fixed.urdf").string();
};

TEST_F(Check, a_sound_file_has_no_findings) {
  write_text(file, urdf(good_inertia, good_limit));
  const CommandResult result = torsor_command({"check", file});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, file + ": nothing found\n");
}
TEST_F(Check, findings_have_file_line_reason_and_remedy) {
  write_text(file, urdf(bad_inertia, good_limit));
  const CommandResult result = torsor_command({"check", "bad.urdf"}, folder.path());
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.out.starts_with("error    bad.urdf:")) << result.out;
  for (const char* words : {"link \"arm\": inertia is not positive definite", "    why  ",
                            "    fix  ", "1 error, 0 warnings"})
    EXPECT_TRUE(result.says(words)) << result.out;
}
TEST_F(Check, strict_turns_warnings_into_exit_code_1) {
  write_text(file, urdf(flat_inertia, good_limit));
  EXPECT_EQ(torsor_command({"check", file}).code, 0);
  EXPECT_EQ(torsor_command({"check", file, "--strict"}).code, 1);
}
TEST_F(Check, json_has_every_finding) {
  write_text(file, urdf(bad_inertia, zero_limit, "0 0 2"));
  const CommandResult result = torsor_command({"check", file, "--json"});
  EXPECT_EQ(result.code, 1);
  const auto json = result.json();
  EXPECT_EQ(json["errors"], 1);
  EXPECT_EQ(json["warnings"], 4) << result.out;  // range, velocity, effort, axis; each once
  for (const auto& finding : json["findings"]) {
    EXPECT_EQ(finding["file"], file);
    EXPECT_GT(finding["line"].get<int>(), 1);
    for (const char* key : {"severity", "element", "message", "why", "fix"})
      EXPECT_TRUE(finding[key].is_string()) << key;
  }
}
TEST_F(Check, what_reader_and_check_both_see_is_said_once_with_the_readers_line) {
  struct Case {
    std::string text, words;
    int line;
  };
  const auto weightless = [](const char* inertia) {
    std::string text = urdf(inertia, good_limit);
    text.replace(text.find("0.2 0 0"), 7, "0 0 0");
    return text.replace(text.find("value=\"2\""), 9, "value=\"0\"");
  };
  const auto limit = [](const char* effort, const char* velocity, const std::string& more = "") {
    return urdf(good_inertia, std::string("lower=\"-1\" upper=\"1\" effort=\"") + effort +
                                  "\" velocity=\"" + velocity + "\"" + more);
  };
  const char* none = "ixx=\"0\" iyy=\"0\" izz=\"0\" ixy=\"0\" ixz=\"0\" iyz=\"0\"";
  const int link = 3, inertia = 5, limits = 9;  // link and joint begin in lines 3 and 7
  for (const Case& c : {
           Case{urdf(bad_inertia, good_limit), "principal moments", inertia},
           {urdf(flat_inertia, good_limit), "principal moments", inertia},
           {urdf(none, good_limit), "point mass", inertia},
           {weightless(good_inertia), "(trace) but no mass", inertia},
           {weightless(none), "carries no mass", link},
           {urdf(good_inertia, "effort=\"1\" velocity=\"1\""), "no range", limits},
           {urdf(good_inertia, "upper=\"-1\" effort=\"1\" velocity=\"1\""), "is above", limits},
           {limit("1", "0"), "velocity limit", limits},
           {limit("0", "1"), "effort limit", limits},
           {limit("1", "1", " torsor:acceleration=\"0\""), "acceleration limit", limits},
           {limit("1", "1", " torsor:jerk=\"0\""), "jerk limit", limits},
       }) {
    write_text(file, c.text);
    const auto found = torsor_command({"check", file, "--json"}).json()["findings"];
    int count = 0;
    for (const auto& f : found) {
      const bool says = f["message"].get<std::string>().find(c.words) != std::string::npos;
      const bool is_there = f["line"] == c.line;
      EXPECT_EQ(says, is_there) << f;
      count += is_there ? 1 : 0;
    }
    EXPECT_EQ(count, 1) << c.words << found;
  }
}
TEST_F(Check, words_of_a_finding_in_a_name_hide_no_other_finding) {
  std::string text = urdf(good_inertia, "lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"0\"");
  text.insert(text.find("<limit"), "<mimic joint=\"velocity limit is 0\"/>");
  write_text(file, text);
  EXPECT_EQ(torsor_command({"check", file, "--json"}).json()["warnings"], 2);
}
TEST_F(Check, fix_writes_a_clean_copy_and_lists_the_changes) {
  const std::string before = urdf(bad_inertia, zero_limit, "0 0 2", "my arm");
  write_text(file, before);
  const CommandResult result = torsor_command({"check", file, "--fix"});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  for (const char* words :
       {"principal moments", "the nearest possible body", "effort limit 0 became none",
        "axis 0 0 2 became 0 0 1", "\"my_arm\"", "0 errors, 0 warnings left"})
    EXPECT_TRUE(result.says(words)) << words << "\n" << result.out;
  EXPECT_EQ(read_text(file), before);  // the input stays
  const CommandResult again = torsor_command({"check", fixed, "--strict"});
  EXPECT_EQ(again.code, 0) << again.out;
}
TEST_F(Check, limits_of_the_wrong_order_are_an_error_that_fix_mends) {
  write_text(file, urdf(good_inertia, "lower=\"1\" upper=\"-2\" effort=\"10\" velocity=\"2\""));
  const CommandResult found = torsor_command({"check", file, "--json"});
  EXPECT_EQ(found.code, 1) << found.err;
  EXPECT_EQ(found.err, "");
  EXPECT_EQ(found.json()["findings"].size(), 1u) << found.out;
  EXPECT_EQ(found.json()["findings"][0]["severity"], "error");
  EXPECT_EQ(found.json()["findings"][0]["message"],
            "lower limit is above the upper one [1, -2] rad");
  const CommandResult result = torsor_command({"check", file, "--fix"});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  EXPECT_TRUE(result.says("limits [1, -2] were exchanged")) << result.out;
  const auto joint = torsor_command({"info", fixed, "--json"}).json()["joints"][0];
  EXPECT_EQ(joint["limits"][0]["lower"], -2);
  EXPECT_EQ(joint["limits"][0]["upper"], 1);
  const std::string yaml = (folder / "bad.yaml").string();
  write_text(yaml,
             "robot: bad\nunit: deg\nbodies:\n  - {name: base}\n"
             "  - {name: arm, mass: 1, com: [1, 0, 0], inertia: [2, 2, 2]}\njoints:\n  - {name: j, "
             "type: revolute, parent: base, child: arm, limits: {lower: 90, upper: -90}}\n");
  const CommandResult of_yaml = torsor_command({"check", "bad.yaml"}, folder.path());
  EXPECT_EQ(of_yaml.code, 1);
  EXPECT_TRUE(of_yaml.says("error    bad.yaml:7: joint \"j\"")) << of_yaml.out;
  EXPECT_TRUE(of_yaml.tells("[1.5708, -1.5708] rad")) << of_yaml.out;
  EXPECT_EQ(torsor_command({"check", yaml, "--fix"}).code, 0);
  EXPECT_EQ(torsor_command({"check", (folder / "bad.fixed.yaml").string(), "--strict"}).code, 0);
}
TEST_F(Check, fix_overwrites_nothing_unasked) {
  const std::string before = urdf(bad_inertia, good_limit);
  write_text(file, before);
  write_text(fixed, "mine");
  expect_refusal(torsor_command({"check", file, "--fix"}), "exists already; --force");
  EXPECT_EQ(read_text(fixed), "mine");
  expect_refusal(torsor_command({"check", file, "--fix", "-o", file}), "--in-place");
  EXPECT_EQ(read_text(file), before);
  EXPECT_EQ(torsor_command({"check", file, "--fix", "--force"}).code, 0);
  EXPECT_NE(read_text(fixed), "mine");
  EXPECT_EQ(torsor_command({"check", file, "--fix", "--in-place"}).code, 0);
  EXPECT_NE(read_text(file), before);
  EXPECT_EQ(torsor_command({"check", file, "--strict"}).code, 0);
}
TEST_F(Check, in_place_leaves_a_backup_and_says_so) {
  const std::string first = urdf(bad_inertia, good_limit), second = urdf(flat_inertia, good_limit);
  write_text(file, first);
  const CommandResult result = torsor_command({"check", file, "--fix", "--in-place"});
  EXPECT_TRUE(result.says("the file as it was: " + file + ".bak\n")) << result.out;
  EXPECT_EQ(read_text(file + ".bak"), first);
  write_text(file, second);
  const auto json = torsor_command({"check", file, "--fix", "--in-place", "--json"}).json();
  EXPECT_EQ(json["repair"]["backup"], file + ".bak1");
  EXPECT_EQ(read_text(file + ".bak"), first);
  EXPECT_EQ(read_text(file + ".bak1"), second);
}
TEST_F(Check, what_other_programs_need_survives_a_repair) {
  write_text(
      file, read_text(std::string(TORSOR_SOURCE_DIR) + "/tests/data/other_programs_elements.urdf"));
  const CommandResult result = torsor_command({"check", file, "--fix", "--in-place"});
  EXPECT_EQ(result.code, 0) << result.out << result.err;
  const std::string after = read_text(file);
  for (const char* words :
       {"<!-- calibration of 12 March, do not lose -->", "<gazebo reference=\"b\"", "<transmission",
        "<ros2_control", "<safety_controller", "<calibration", "<contact>"})
    EXPECT_NE(after.find(words), std::string::npos) << words;
  EXPECT_EQ(after.size(),
            read_text(file + ".bak").size());  // the edits exchange and shorten nothing
}
TEST_F(Check, what_is_not_used_is_one_line) {
  write_text(
      file, read_text(std::string(TORSOR_SOURCE_DIR) + "/tests/data/other_programs_elements.urdf"));
  const CommandResult result = torsor_command({"check", file});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(
      result.tells("note not used: 1 mesh not found, 1 <contact>, 1 <safety_controller>, 1 "
                   "<calibration>, 1 <transmission>, 2 <gazebo>, 1 <ros2_control>\n"))
      << result.out;
  EXPECT_TRUE(result.says("1 error, 2 warnings, 1 note\n")) << result.out;
  EXPECT_TRUE(torsor_command({"check", file, "--all"}).says("element <gazebo> is not used"));
}
TEST_F(Check, many_warnings_of_one_kind_are_folded) {
  std::string text = "<robot name=\"hand\"><link name=\"palm\"/>\n";
  for (const char* finger : {"a", "b", "c", "d", "e", "f"})
    text += "<link name=\"" + std::string(finger) + "\"/><joint name=\"j" + finger +
            "\" type=\"continuous\"><parent link=\"palm\"/><child link=\"" + finger +
            "\"/></joint>\n";
  write_text(file, text + "</robot>\n");
  const CommandResult result = torsor_command({"check", file});
  EXPECT_TRUE(result.says("and 3 more of this kind (--all)")) << result.out;
  EXPECT_TRUE(result.says("7 warnings")) << result.out;  // and no mass at all
  EXPECT_FALSE(torsor_command({"check", file, "--all"}).says("more of this kind"));
}
TEST_F(Check, warnings_about_masses_do_not_disturb_kinematics) {
  write_text(file, urdf(flat_inertia, good_limit));
  EXPECT_EQ(torsor_command({"fk", file}).err, "");
  EXPECT_NE(torsor_command({"id", file}).err.find("1 warning about"), std::string::npos);
  EXPECT_EQ(torsor_command({"fk", file, "--strict"}).code, 2);
}
TEST_F(Check, a_file_with_many_mistakes_is_read_to_its_end) {
  std::string text = urdf(good_inertia, "lower=\"1\" upper=\"-2\" effort=\"x\" velocity=\"y\"");
  text.replace(text.find("value=\"2\""), 9, "value=\"-2\"");
  text.replace(text.find("revolute"), 8, "hinge");
  write_text(file, text);
  const CommandResult result = torsor_command({"check", file});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err, "");
  for (const char* words :
       {"mass is negative (-2 kg)", "unknown joint type \"hinge\"", "effort: \"x\" is not a number",
        "velocity: \"y\" is not a number", "lower limit is above the upper one", "5 errors"})
    EXPECT_TRUE(result.tells(words)) << words << "\n" << result.out;
  expect_refusal(torsor_command({"info", file}), "mass is negative");
}
TEST_F(Check, fix_of_a_sound_file_writes_nothing) {
  write_text(file, urdf(good_inertia, good_limit));
  EXPECT_TRUE(torsor_command({"check", file, "--fix"}).says("no file written"));
  EXPECT_FALSE(std::filesystem::exists(fixed));
}
TEST_F(Check, fix_of_a_built_in_robot_needs_a_name) {
  expect_refusal(torsor_command({"check", "puma560", "--fix"}), "-o FILE");
  const std::string out = (folder / "puma.yaml").string();
  EXPECT_EQ(torsor_command({"check", "puma560", "--fix", "-o", out}).code, 0);
  EXPECT_EQ(torsor_command({"info", out}).code, 0);
}
TEST_F(Check, a_failed_write_leaves_no_partial_file) {
  write_text(file, urdf(bad_inertia, good_limit));
  const CommandResult result =
      torsor_command({"check", file, "--fix", "-o", (folder / "no" / "such" / "x.urdf").string()});
  EXPECT_EQ(result.code, 2);  // a folder that is not there is bad input
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}
TEST_F(Check, every_built_in_robot_is_without_errors) {
  const auto list = torsor_command({"robots", "--json"}).json();
  for (const auto& robot : list["robots"]) {
    if (robot["dof"].is_null()) continue;
    const CommandResult result = torsor_command({"check", robot["name"]});
    EXPECT_EQ(result.code, 0) << result.out;
  }
}
TEST_F(Check, other_verbs_mention_warnings_and_refuse_them_when_strict) {
  write_text(file, urdf(bad_inertia, good_limit));
  const CommandResult result = torsor_command({"info", file});
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_NE(result.err.find("warning"), std::string::npos);
  expect_refusal(torsor_command({"info", file, "--strict"}), "positive definite");
  const std::string yaml = (folder / "bad.yaml").string();
  write_text(yaml,
             "robot: bad\nbodies:\n  - {name: base}\n"
             "  - {name: arm, mass: 1, com: [1, 0, 0], inertia: [-1, 2, 2]}\n"
             "joints:\n  - {name: j, type: revolute, parent: base, child: arm}\n");
  EXPECT_NE(torsor_command({"info", yaml}).err.find("1 warning about"), std::string::npos);
  expect_refusal(torsor_command({"info", yaml, "--strict"}), "positive definite");
  expect_refusal(torsor_command({"convert", yaml, "x.urdf", "--strict"}, folder.path()),
                 "positive definite");
}
TEST_F(Check, what_it_warns_about_is_what_other_verbs_count_and_refuse) {
  const auto expect_same = [&](const std::string& text) {
    write_text(file, text);
    const auto json = torsor_command({"check", file, "--json"}).json();
    const int n = json["errors"].get<int>() + json["warnings"].get<int>();
    EXPECT_GT(n, 0) << text;
    const std::string words = std::to_string(n) + (n == 1 ? " warning about" : " warnings about");
    const CommandResult info = torsor_command({"info", file});
    EXPECT_NE(info.err.find(words), std::string::npos) << text << info.err << json;
    expect_refusal(torsor_command({"info", file, "--strict"}), "bad.urdf:");
    for (const auto& f : json["findings"])
      for (const char* key : {"why", "fix"}) EXPECT_NE(f[key], "") << f;
  };
  std::string no_limit = urdf(good_inertia, good_limit);
  no_limit.insert(no_limit.find("<limit ") + 6, "s");  // <limits ...>
  expect_same(no_limit);
  expect_same(urdf(good_inertia, "lower=\"-170\" upper=\"170\" effort=\"10\" velocity=\"2\""));
  expect_same(urdf(good_inertia, "lower=\"0.1\" upper=\"1\" velocity=\"2\""));  // no effort
  expect_same(urdf(bad_inertia, zero_limit, "0 0 2", "my arm"));
}
TEST_F(Check, a_thin_rod_is_a_body_in_every_format) {
  write_text(file,
             urdf("ixx=\"0\" iyy=\"0.1\" izz=\"0.1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"", good_limit));
  EXPECT_TRUE(torsor_command({"check", file}).says("0 errors, 0 warnings"));
  EXPECT_EQ(torsor_command({"info", file, "--strict"}).code, 0);
}

// Of as many findings as a large file has; the square would be 16.
TEST_F(Check, four_times_the_findings_take_about_four_times_the_time) {
  const auto seconds = [](int links) {
    const ScratchFolder scratch;
    std::string text = "<robot name=\"r\"><link name=\"l0\"/>\n";
    for (int k = 1; k <= links; ++k) {
      const std::string n = std::to_string(k), before = std::to_string(k - 1);
      text += "<link name=\"l" + n + "\"/><joint name=\"j" + n +
              "\" type=\"continuous\"><parent link=\"l" + before + "\"/><child link=\"l" + n +
              "\"/></joint>\n";
    }
    const std::string chain = (scratch / "r.urdf").string();
    write_text(chain, text + "</robot>");
    double least = 1e300;
    for (int round = 0; round < 2; ++round)
      least = std::min(least, run({TORSOR_COMMAND, "check", chain}).cpu_seconds);
    return least;
  };
  const double small = seconds(8000), large = seconds(32000);
  EXPECT_LT(large, 9 * small) << small << " s and " << large << " s";
}

}  // namespace
