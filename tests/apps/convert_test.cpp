// torsor convert: there and back, what a format cannot say, and files that stay as they are.
#include <cmath>

#include "apps/command.hpp"
#include "support/refusal.hpp"

using namespace torsor::testing;

namespace {

class Convert : public ::testing::Test {
 protected:
  ScratchFolder folder;
  std::string at(const std::string& name) { return (folder / name).string(); }
  void convert(const std::string& from, const std::string& to, const std::string& format = "") {
    std::vector<std::string> words = {"convert", from, to};
    if (!format.empty()) words.insert(words.end(), {"--to", format});
    const CommandResult result = torsor_command(words);
    EXPECT_EQ(result.code, 0) << from << " to " << to << ": " << result.err;
  }
  nlohmann::json info(const std::string& robot, const std::string& q) {
    const CommandResult result = torsor_command({"info", robot, "--json", "--q", q});
    EXPECT_EQ(result.code, 0) << result.err;
    return result.json();
  }
};

std::string some_configuration(int n) {
  std::string q;
  for (int k = 0; k < n; ++k) q += (k == 0 ? "" : ",") + std::to_string(0.3 + 0.17 * k);
  return q;
}

double largest_difference(const nlohmann::json& a, const nlohmann::json& b) {
  if (a.is_number()) return std::abs(a.get<double>() - b.get<double>());
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    largest = std::max(largest, largest_difference(a[k], b[k]));
  return largest;
}
nlohmann::json pose(const nlohmann::json& info, const std::string& name) {
  for (const auto& f : info["frames"])
    if (f["name"] == name) return f["T_world"];
  ADD_FAILURE() << "no frame " << name;
  return {};
}

TEST_F(Convert, every_built_in_robot_survives_urdf_and_robot_file) {
  const auto list = torsor_command({"robots", "--json"}).json();
  for (const auto& robot : list["robots"]) {
    if (robot["dof"].is_null()) continue;
    const std::string name = robot["name"];
    convert(name, at(name + ".urdf"));
    convert(at(name + ".urdf"), at(name + ".yaml"));
    convert(at(name + ".yaml"), at(name + "_2.urdf"));
    EXPECT_EQ(read_text(at(name + ".urdf")), read_text(at(name + "_2.urdf"))) << name;
  }
}
TEST_F(Convert, serial_robots_become_dh_tables_with_the_same_mass_and_tool) {
  for (const std::string name :
       {"puma560", "stanford", "ur5", "panda", "iiwa14", "scara", "planar3r"}) {
    convert(name, at(name + ".urdf"));
    const int n = torsor_command({"info", name, "--json"}).json()["n_q"];
    const auto original = info(name, some_configuration(n));
    for (const std::string format : {"dh", "mdh"}) {
      const std::string table = at(name + "_" + format + ".yaml");
      convert(at(name + ".urdf"), table, format);
      const auto converted = info(table, some_configuration(n));
      EXPECT_NEAR(converted["mass"]["moving"].get<double>(),
                  original["mass"]["moving"].get<double>(), 1e-13);
      if (original["com"].is_array()) {
        EXPECT_LT(largest_difference(original["com"], converted["com"]), 1e-12) << name << format;
      }
      EXPECT_EQ(torsor_command({"check", table}).code, 0);
      convert(table, at(name + "_" + format + ".urdf"));  // and back
    }
  }
}
TEST_F(Convert, the_tool_of_a_dh_table_can_be_chosen) {
  write_text(at("arm.yaml"),
             "robot: arm\nbodies:\n  - {name: base}\n  - {name: upper, mass: 1}\n"
             "joints:\n  - {name: j, type: revolute, parent: base, child: upper, axis: [0, 1, 0]}\n"
             "frames:\n  - {name: tip, link: upper, placement: {xyz: [0.3, 0.1, 0.2]}}\n");
  EXPECT_EQ(
      torsor_command({"convert", at("arm.yaml"), at("dh.yaml"), "--to", "dh", "--tool", "tip"})
          .code,
      0);
  const auto before = info(at("arm.yaml"), "0.7"), after = info(at("dh.yaml"), "0.7");
  EXPECT_LT(largest_difference(pose(before, "tip"), pose(after, "tool")), 1e-14);
  EXPECT_LT(largest_difference(pose(before, "tip"), pose(after, "tip")), 1e-14);
}
TEST_F(Convert, what_a_format_cannot_say_is_noted) {
  const CommandResult result = torsor_command({"convert", "puma560", at("p.urdf")});
  EXPECT_TRUE(result.says("note") && result.says("motors")) << result.out;
  const auto json = torsor_command({"convert", "puma560", at("q.urdf"), "--json"}).json();
  EXPECT_EQ(json["format"], "urdf");
  EXPECT_FALSE(json["notes"].empty());
}
TEST_F(Convert, what_the_reader_ignores_is_noted) {
  write_text(at("arm.urdf"),
             "<robot name=\"r\">\n<link name=\"a\"/><link name=\"b\"/>\n"
             "<joint name=\"j\" type=\"planar\"><parent link=\"a\"/><child link=\"b\"/>\n"
             "<limit effort=\"1\" velocity=\"1\"/><mimic joint=\"x\"/></joint>\n"
             "<joint name=\"k\" type=\"continuous\"><parent link=\"b\"/><child link=\"c\"/>\n"
             "<limit lower=\"0\" effort=\"1\" velocity=\"1\"/><mimic joint=\"x\"/></joint>\n"
             "<link name=\"c\" tint=\"red\"/><gazebo/><transmission name=\"t\"/>\n</robot>\n");
  const CommandResult result =
      torsor_command({"convert", at("arm.urdf"), at("arm.yaml"), "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  ASSERT_EQ(result.json()["notes"].size(), 1u);
  const std::string note = result.json()["notes"][0];  // the most severe of seven
  EXPECT_EQ(facts(note), "out: " + at("arm.urdf") + ":4: \"j\" <limit> 6");
}
TEST_F(Convert, a_robot_that_is_no_chain_has_no_dh_table) {
  const CommandResult result =
      torsor_command({"convert", "humanoid38", at("h.yaml"), "--to", "dh"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("no dh table: "), std::string::npos) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
  EXPECT_FALSE(std::filesystem::exists(at("h.yaml")));
}
TEST_F(Convert, what_does_not_agree_is_not_written) {
  const CommandResult result = torsor_command(
      {"convert", "ur5", at("u.yaml"), "--to", "mdh", "--tolerance", "1e-30"});  // below rounding
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("not written: "), std::string::npos) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}
TEST_F(Convert, limits_that_stand_for_none_are_converted) {
  const std::string text = torsor_command({"convert", "planar2r", "-", "--to", "robot"}).out;
  std::string wide = text;
  for (std::size_t at = 0; (at = wide.find("type: revolute", at)) != std::string::npos; at += 60)
    wide.insert(at + 14, "\n    limits: {lower: -1e16, upper: 1e16}");
  EXPECT_NE(wide, text);
  write_text(at("wide.yaml"), wide);
  for (const char* format : {"urdf", "robot", "dh"})
    convert(at("wide.yaml"), at(std::string(format) + (*format == 'u' ? ".urdf" : ".yaml")),
            format);
}
TEST_F(Convert, nothing_is_overwritten_unasked) {
  write_text(at("mine.urdf"), "mine");
  expect_refusal(torsor_command({"convert", "puma560", at("mine.urdf")}),
                 "exists already; --force");
  EXPECT_EQ(read_text(at("mine.urdf")), "mine");
  EXPECT_EQ(torsor_command({"convert", "puma560", at("mine.urdf"), "--force"}).code, 0);
  expect_refusal(torsor_command({"convert", at("mine.urdf"), at("mine.urdf"), "--force"}),
                 "one file");
}
TEST_F(Convert, the_format_follows_the_name_or_the_option) {
  expect_refusal(torsor_command({"convert", "puma560", at("p.txt")}), "--to");
  expect_refusal(torsor_command({"convert", "puma560", at("p.urdf"), "--to", "robot"}),
                 "contradicts");
  expect_refusal(torsor_command({"convert", "puma560", "-"}), "--to");
  expect_refusal(torsor_command({"convert", "puma560", at("p.urdf"), "--tolerance", "x"}),
                 "--tolerance");
  const CommandResult result = torsor_command({"convert", "pendulum", "-", "--to", "urdf"});
  EXPECT_EQ(result.code, 0);
  EXPECT_TRUE(result.says("<robot ")) << result.out;
}
TEST_F(Convert, an_xml_file_stays_what_it_is) {
  const auto format_of = [&](const std::string& from, const std::string& to) {
    const CommandResult result = torsor_command({"convert", from, to, "--json", "--force"});
    EXPECT_EQ(result.code, 0) << result.err;
    return result.json()["format"];
  };
  convert("planar2r", at("arm.mjcf"));
  convert("planar2r", at("arm.sdf"));
  EXPECT_EQ(format_of("planar2r", at("arm.xml")), "urdf");
  EXPECT_EQ(format_of(at("arm.mjcf"), at("copy.xml")), "mjcf");
  EXPECT_EQ(format_of(at("copy.xml"), at("again.xml")), "mjcf");
  EXPECT_EQ(format_of(at("arm.sdf"), at("copy.xml")), "sdf");
  EXPECT_EQ(format_of(at("arm.xml"), at("again.xml")), "urdf");
}
TEST_F(Convert, a_folder_that_is_missing_is_refused_without_leftovers) {
  expect_refusal(torsor_command({"convert", "puma560", at("no/such/p.urdf")}),
                 "there is no folder");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
