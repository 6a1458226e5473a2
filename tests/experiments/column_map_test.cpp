/// MAP.yaml: docs/logs.md is true, and what is refused names file, line and key.
#include "torsor/experiments/column_map.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <regex>
#include <set>

#include "house/process.hpp"
#include "torsor/math/error.hpp"

namespace torsor {
namespace {

std::string refusal(const std::string& text) {
  try {
    (void)read_column_map(text, "map.yaml");
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "not refused";
}
const std::string page = testing::read_text(TORSOR_SOURCE_DIR "/docs/logs.md");

std::vector<std::string> examples() {
  std::vector<std::string> found;
  const std::string open = "```yaml\n";
  for (std::size_t at = page.find(open); at != std::string::npos; at = page.find(open, at)) {
    at += open.size();
    found.push_back(page.substr(at, page.find("```", at) - at));
  }
  return found;
}

TEST(ColumnMap, every_example_of_the_page_is_read) {
  const std::vector<std::string> found = examples();
  ASSERT_EQ(found.size(), 5u);
  const ColumnMap motors = read_column_map(found[0], "map.yaml");
  EXPECT_EQ(motors.t, "Timestamp");
  EXPECT_EQ(motors.q, (std::vector<std::string>{"Enc_A", "Enc_B", "Enc_C"}));
  EXPECT_TRUE(motors.current);
  EXPECT_EQ(motors.t_unit, 1e-3);
  EXPECT_EQ(motors.q_unit, std::numbers::pi / 180);
  EXPECT_EQ(motors.tau_unit, 1e-3);
  EXPECT_EQ(motors.motors.N(2, 1), 81);
  EXPECT_TRUE(motors.motors.unknown_gain);
  EXPECT_EQ(motors.sign, (Array<double>{1, 1, -1}));
  EXPECT_EQ(motors.first_row, 500);
  const ColumnMap files = read_column_map(found[1], "map.yaml");
  EXPECT_EQ(files.rate, 5000);
  EXPECT_EQ(files.files.at("tau"), "curr_data.csv");
  EXPECT_EQ(files.motors.N(5, 4), 32);
  EXPECT_FALSE(files.motors.unknown_gain);
  const ColumnMap joints = read_column_map(found[2], "map.yaml");
  EXPECT_TRUE(joints.joint_positions);
  EXPECT_EQ(joints.motors.N(3, 3), 221);
  EXPECT_EQ(joints.motors.N(3, 2), 0);
  EXPECT_EQ(joints.q_unit, 0);
  EXPECT_EQ(joints.qd_unit, std::numbers::pi / 180);
  EXPECT_EQ(joints.delay, 0.004);
  const ColumnMap numbers = read_column_map(found[3], "map.yaml");
  EXPECT_EQ(numbers.delimiter, ' ');
  EXPECT_EQ(numbers.q, (std::vector<std::string>{"2", "3"}));
  EXPECT_EQ(numbers.joints[1], "right_shoulder");
  EXPECT_EQ(numbers.last_row, 20000);
  const ColumnMap asked = read_column_map(found[4], "map.yaml");
  EXPECT_EQ(asked.reference, (std::vector<std::string>{"cmd_*"}));
  EXPECT_EQ(asked.controller.kp, (Array<double>{4000, 4000, 900}));
  EXPECT_EQ(asked.controller.kd, (Array<double>{200, 200, 40}));
  EXPECT_TRUE(asked.controller.ki.empty());
}

TEST(ColumnMap, the_page_has_every_key_in_its_table_and_in_an_example) {
  const std::string message = refusal("{something_else: 1}");
  std::set<std::string> known, listed;
  const std::regex word("\\w+");
  const std::string list = message.substr(message.find("known are ") + 10);
  for (std::sregex_iterator i(list.begin(), list.end(), word), end; i != end; ++i)
    known.insert(i->str());
  const std::size_t table = page.find("| key | meaning |");
  const std::string rows = page.substr(table, page.find("\n\n", table) - table);
  const std::regex row("\n\\| ([^|]*) \\|"), key("`(\\w+)`");
  for (std::sregex_iterator r(rows.begin(), rows.end(), row), end; r != end; ++r) {
    const std::string cell = (*r)[1];
    for (std::sregex_iterator k(cell.begin(), cell.end(), key); k != end; ++k)
      listed.insert((*k)[1]);
  }
  EXPECT_EQ(listed, known);
  std::string all;
  for (const std::string& example : examples()) all += "\n" + example;
  for (const std::string& name : known)
    EXPECT_NE(all.find("\n" + name + ":"), std::string::npos) << name;
}

TEST(ColumnMap, refusals_name_file_line_and_key) {
  EXPECT_EQ(refusal("t: a\nqdd: [b]\n"), "map.yaml:2: unknown key \"qdd\"; did you mean \"qd\"?");
  EXPECT_EQ(refusal("t: a\nrate: -5\n"), "map.yaml:2: rate: -5 Hz is no rate");
  EXPECT_EQ(refusal("t: a\nrate: 5\n"),
            "map.yaml:2: rate: there is a column of time, too; leave one out");
  EXPECT_NE(refusal("\nunits: {q: gon}").find("map.yaml:2: units: q: \"gon\" is no unit"),
            std::string::npos);
  EXPECT_NE(refusal("current: [a]").find("needs motor: {gain"), std::string::npos);
  EXPECT_EQ(refusal("q: [a]\ncontroller: {kp: [1, 2]}\n"),
            "map.yaml:2: controller: needs kp and kd; kd is missing");
  EXPECT_EQ(refusal("controller: {kp: [1, 2], kd: [3]}\n"),
            "map.yaml:1: controller: kd: has 1 numbers for 2 joints");
  EXPECT_EQ(refusal("controller: {kp: [1, -2], kd: [3, 4]}\n"),
            "map.yaml:1: controller: kp: -2 is below 0");
  EXPECT_NE(refusal("{tau: [a], current: [b], motor: {gain: unknown}}").find("leave one out"),
            std::string::npos);
  EXPECT_NE(refusal("motor: {gain: 3}").find("motor: gain: must be a list"), std::string::npos);
  EXPECT_NE(refusal("motor: {N: [[1, 2], [3]]}").find("has 1 numbers instead of 2"),
            std::string::npos);
  EXPECT_NE(refusal("motor: {N: [1, 0]}").find("ratio 2 is 0"), std::string::npos);
  EXPECT_NE(refusal("motor: {N: [2, 3], gain: [1]}").find("1 numbers for 2 motors"),
            std::string::npos);
  EXPECT_NE(refusal("motor: {positions: both}").find("joint or motor"), std::string::npos);
  EXPECT_NE(refusal("rows: {from: 0}").find("rows count from 1"), std::string::npos);
  EXPECT_NE(refusal("rows: {from: 9, to: 3}").find("row 3 is before row 9"), std::string::npos);
  EXPECT_NE(refusal("sign: [1, 2]").find("2 is neither 1 nor -1"), std::string::npos);
  EXPECT_NE(refusal("delimiter: e").find("cannot separate"), std::string::npos);
  EXPECT_NE(refusal("q: []").find("empty list"), std::string::npos);
  EXPECT_NE(refusal("q: {a: b}").find("must be text"), std::string::npos);
  EXPECT_NE(refusal("[1, 2]").find("must be a map"), std::string::npos);
  EXPECT_NE(refusal("t: [unclosed").find("map.yaml:"), std::string::npos);
}

TEST(ColumnMap, units_of_angles_are_those_of_their_rates_unless_said) {
  EXPECT_EQ(read_column_map("units: deg", "m").qd_unit, std::numbers::pi / 180);
  EXPECT_EQ(read_column_map("units: {q: deg}", "m").qd_unit, std::numbers::pi / 180);
  EXPECT_EQ(read_column_map("units: {q: deg, qd: rad/s}", "m").qd_unit, 1);
  EXPECT_EQ(read_column_map("units: {qd: rpm}", "m").q_unit, 0);  // not said
  EXPECT_EQ(read_column_map("units: degrees", "m").q_unit, std::numbers::pi / 180);
  EXPECT_EQ(read_column_map("units: {tau: N m, t: seconds}", "m").t_unit, 1);
}

}  // namespace
}  // namespace torsor
