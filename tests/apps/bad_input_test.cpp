// Every class of bad file, through every verb that reads one: exit code 2, one line, nothing else; but
// check lists what is wrong with a file that can be read as XML or YAML, with exit code 1.
#include "apps/command.hpp"

using namespace torsor::testing;

namespace {

std::string arm(
    const std::string& inertial =
        "<mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" "
        "ixy=\"0\" ixz=\"0\" iyz=\"0\"/>",
    const std::string& joint =
        "<parent link=\"base\"/><child link=\"arm\"/>"
        "<axis xyz=\"0 0 1\"/>",
    const std::string& limit = "<limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/>") {
  return "<robot name=\"r\">\n<link name=\"base\"/>\n<link name=\"arm\"><inertial>" + inertial +
         "</inertial></link>\n<joint name=\"j\" type=\"revolute\">\n" + joint + "\n" + limit +
         "\n</joint>\n</robot>\n";
}
std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int k = 0; k < times; ++k) out += text;
  return out;
}

class BadInput : public ::testing::Test {
 protected:
  ScratchFolder folder;

  /// A file with this text is refused by every verb with a line that names it and says `what`.
  void refused(const std::string& name, const std::string& text, const std::string& what) {
    SCOPED_TRACE(what);
    const std::string file = (folder / name).string();
    write_text(file, text);
    expect_all_refuse(file, what);
  }
  /// The same, but for check, which has it among its findings.
  void faulty(const std::string& name, const std::string& text, const std::string& what) {
    SCOPED_TRACE(what);
    const std::string file = (folder / name).string();
    write_text(file, text);
    expect_all_refuse(file, what, false);
    const CommandResult found = torsor_command({"check", file, "--json"});
    EXPECT_EQ(found.code, 1);
    EXPECT_EQ(found.err, "");
    std::string all;
    const nlohmann::json json = found.json();
    for (const auto& f : json["findings"])
      all += f["severity"].get<std::string>() + ": " + f["element"].get<std::string>() +
             f["message"].get<std::string>() + "; " + f["fix"].get<std::string>() + "\n";
    EXPECT_NE(all.find(what), std::string::npos) << all;
    EXPECT_TRUE(all.starts_with("error: ")) << all;
  }
  void expect_all_refuse(const std::string& file, const std::string& what, bool check = true) {
    const std::string out = (folder / "out.urdf").string();
    for (const std::vector<std::string>& words : {std::vector<std::string>{"info", file},
                                                  {"info", file, "--json"},
                                                  {"check", file},
                                                  {"convert", file, out}}) {
      if (words[0] == "check" && !check) continue;
      const CommandResult result = torsor_command(words);
      expect_refusal(result, what);
      EXPECT_NE(result.err.find(std::filesystem::path(file).filename().string()), std::string::npos)
          << result.err;
      EXPECT_LT(result.err.size(), 600u);
    }
    EXPECT_FALSE(std::filesystem::exists(out));
  }
};

TEST_F(BadInput, the_file_itself) {
  expect_all_refuse((folder / "missing.urdf").string(), "no such file");
  refused("empty.urdf", "", "empty");
  refused("empty.yaml", "", "empty");
  refused("binary.urdf",
          std::string("\x7f"
                      "ELF\0\1\2\3",
                      8),
          "not a text file");
  refused("binary.yaml", std::string("\0\1\2\3", 4), "not a text file");
  refused("truncated.urdf", arm().substr(0, 150), "truncated.urdf:");
  refused("truncated.yaml", "robot: r\nbodies: [{name: base}, {name: ", "truncated.yaml:");
  refused("arm.urdf.xacro", "<robot xmlns:xacro='x'><xacro:arm/></robot>", "unknown macro");
  refused("arm.txt", arm(), "ends in");
  std::filesystem::create_directory(folder / "folder.urdf");
  expect_all_refuse((folder / "folder.urdf").string(), "folder");
}
TEST_F(BadInput, files_that_are_too_large_or_too_deep) {
  refused("huge.urdf", std::string(100 << 20, ' '), "limit");
  refused("huge.yaml", std::string(100 << 20, '#'), "limit");
  refused("deep.urdf", "<robot name=\"r\">" + repeated("<a>", 200000), "deep.urdf:");
  refused("deep.yaml", repeated("[", 200000), "deep.yaml:");
  refused(
      "bomb.urdf",
      "<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\">]>\n<robot name=\"&b;\"/>",
      "bomb.urdf:");
  refused("bomb.yaml", "a: &a [1,1,1,1]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nrobot: *c\n",
          "bomb.yaml:");
}
TEST_F(BadInput, names_and_trees) {
  faulty("twice.urdf", "<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"a\"/>\n</robot>",
         "\"a\"");
  const std::string joint = "<axis xyz=\"0 0 1\"/>";
  faulty("parent.urdf",
         arm("<mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" "
             "ixz=\"0\" iyz=\"0\"/>",
             "<parent link=\"bas\"/><child link=\"arm\"/>" + joint),
         "did you mean \"base\"?");
  faulty(
      "cycle.urdf",
      "<robot name=\"r\">\n<link name=\"a\"/><link name=\"b\"/>\n"
      "<joint name=\"ab\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\n"
      "<joint name=\"ba\" type=\"fixed\"><parent link=\"b\"/><child link=\"a\"/></joint>\n</robot>",
      "cycle");
  faulty("roots.urdf", "<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"b\"/>\n</robot>",
         "root");
  faulty("keys.yaml", "robot: r\nbodies:\n  - {name: base, mas: 1}\n", "did you mean \"mass\"?");
}
TEST_F(BadInput, numbers) {
  const std::string tail = "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>";
  faulty("nan.urdf", arm("<mass value=\"nan\"/>" + tail), "nan");
  faulty("inf.urdf", arm("<mass value=\"inf\"/>" + tail), "inf");
  faulty("comma.urdf", arm("<mass value=\"1,5\"/>" + tail), "write 1.5");
  faulty("large.urdf", arm("<mass value=\"1e400\"/>" + tail), "1e400");
  faulty("negative.urdf", arm("<mass value=\"-1\"/>" + tail), "-1");
  const std::string far = (folder / "far.urdf").string();  // squares overflow: never a silent NaN
  for (const std::string& inertial : {"<origin xyz=\"0 0 1e154\"/><mass value=\"1\"/>" + tail,
                                      "<mass value=\"1e308\"/>" + tail}) {
    write_text(far, arm(inertial));
    expect_refusal(torsor_command({"info", far, "--json"}), " is out of range");
    EXPECT_EQ(torsor_command({"check", far}).code, 1);
  }
  faulty("nan.yaml", "robot: r\nbodies:\n  - {name: base, mass: .nan}\n", ".nan");
  faulty("negative.yaml", "robot: r\nbodies:\n  - {name: base, mass: -1}\n", "-1");
}
TEST_F(BadInput, joints) {
  const std::string inertial =
      "<mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>";
  const std::string links = "<parent link=\"base\"/><child link=\"arm\"/>";
  faulty("axis.urdf", arm(inertial, links + "<axis xyz=\"0 0 0\"/>"), "zero");
  faulty("row.yaml", "robot: r\ndh:\n  convention: standard\n  rows:\n    - [0, 0, 0]\n",
         "has 3 entries");
}
TEST_F(BadInput, limits_of_the_wrong_order_are_refused_and_check_says_why) {
  const std::string inertial =
      "<mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>";
  write_text(folder / "bad.urdf",
             arm(inertial, "<parent link=\"base\"/><child link=\"arm\"/>",
                 "<limit lower=\"1\" upper=\"-2\" effort=\"1\" velocity=\"1\"/>"));
  write_text(folder / "bad.yaml",
             "robot: r\nunit: deg\ndh:\n  convention: standard\n  rows:\n"
             "    - {name: j, a: 1, limits: {lower: 90, upper: -90}}\n");
  const std::pair<const char*, const char*> files[] = {
      {"bad.urdf", "bad.urdf:6: joint \"j\": lower limit is above the upper one [1, -2] rad"},
      {"bad.yaml",
       "bad.yaml:6: joint \"j\": lower limit is above the upper one [1.5708, -1.5708] "
       "rad; torsor check --fix exchanges them"}};
  for (const auto& [file, what] : files) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"info", file},
                                                  {"info", file, "--strict"},
                                                  {"fk", file},
                                                  {"id", file, "--json"},
                                                  {"ik", file, "--xyz", "1,0,0", "--ignore-limits"},
                                                  {"convert", file, "out.urdf"},
                                                  {"convert", file, "out.yaml"}})
      expect_refusal(torsor_command(words, folder.path()), what);
    const CommandResult checked = torsor_command({"check", file}, folder.path());
    EXPECT_EQ(checked.code, 1);
    EXPECT_TRUE(checked.says("no position is allowed")) << checked.out;
    EXPECT_EQ(checked.err, "");
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 2);
}

}  // namespace
