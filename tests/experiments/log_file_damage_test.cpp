/// Tables of logs that are damaged, in other units or none at all: what is told and what is refused.
#include <sstream>

#include "experiments/log_of_two.hpp"

namespace torsor::testing {
namespace {

TEST_F(LogFile, what_looks_like_other_units_is_told) {
  const auto told = [](const MotionLog& log, const std::string& what) {
    for (const LogRepair& r : log.repairs)
      if (r.what.find(what) != std::string::npos) return true;
    return false;
  };
  const auto degrees = [](int k, int c) {
    return cell_of_two(k, c) * (c == 1 || c == 2 ? 180 / pi : 1);
  };
  const MotionLog log = load(table("t,q1,q2,qd1,qd2,tau1,tau2", 7, degrees));
  EXPECT_TRUE(told(log, "degrees"));
  EXPECT_TRUE(told(log, "times the rate of q1"));
  const MotionLog slow = load(
      table("t,q1,q2,tau1,tau2", 5, [](int k, int c) { return cell_of_two(k, c < 3 ? c : c + 2); }),
      "{motor: {N: [100, 100]}}");
  EXPECT_TRUE(told(slow, "positions: joint"));
}

TEST_F(LogFile, damage_of_the_file_is_told_by_row) {
  std::string content = "t,q1,q2,qd1,qd2,tau1,tau2\n";
  for (int k = 0; k < rows; ++k) {
    if (k == 40) {
      content += "0.2,1,2\n";  // row 41: cut off
      continue;
    }
    if (k == 41) content += "\n# a remark\n";
    for (int c = 0; c < 7; ++c)
      content += (c == 0 ? "" : ",") + (k == 90 && c == 5    ? "ERR"
                                        : k == 120 && c == 1 ? "inf"
                                        : k == 130 && c == 2 ? ""
                                                             : text(cell_of_two(k, c)));
    content += "\n";
  }
  const MotionLog log = load(content);
  EXPECT_EQ(log.size(), rows);  // all filled
  std::vector<std::string> found;
  for (const LogRepair& r : log.repairs)
    found.push_back(std::to_string(r.first_row) + "-" + std::to_string(r.last_row) + " " + r.what);
  const std::vector<std::string> expected = {
      "40-42 1 sample is missing between: interpolated", "41-41 3 cells instead of 7: left out",
      "91-91 tau1: no number: interpolated", "121-121 q1: no number: interpolated",
      "131-131 q2: no number: interpolated"};
  EXPECT_EQ(found, expected);
  EXPECT_NEAR(log.q(40, 0), q_at(40, 0), 1e-6);
  EXPECT_NEAR(log.q(120, 0), q_at(120, 0), 1e-6);
}

TEST_F(LogFile, hostile_files_get_one_line) {
  EXPECT_NE(refusal(std::string("\x7f"
                                "ELF\x02\x01\0\0 rest",
                                14))
                .find("not a text file"),
            std::string::npos);
  EXPECT_NE(refusal("").find("empty"), std::string::npos);
  EXPECT_NE(refusal("just one column\n1\n2\n").find("no columns of q"), std::string::npos);
  EXPECT_NE(refusal("q\n1\n2\n").find("one column"), std::string::npos);
  EXPECT_NE(refusal(std::string(3 << 20, 'x')).find("more than 1 MiB"), std::string::npos);
  EXPECT_NE(refusal("t,q1,q2,tau1,tau2\n").find("no rows"), std::string::npos);
  EXPECT_NE(refusal("t,q1,q2,tau1,tau2\n0,1,2,3,4\n1,2\n").find("are needed"), std::string::npos);
  std::string text_rows = "t,q1,q2,tau1,tau2\n";
  for (int k = 0; k < 50; ++k) text_rows += "a,b,c,d,e\n";
  EXPECT_NE(refusal(text_rows), "not refused");
  std::string ragged = "t,q1,q2,tau1,tau2\n";
  for (int k = 0; k < 50; ++k) ragged += "1,2,3\n";
  EXPECT_NE(refusal(ragged).find("50 of 50 rows"), std::string::npos);
  EXPECT_THROW((void)load_log((folder_ / "none.csv").string(), model_), Error);
  EXPECT_THROW((void)load_log(folder_.path().string(), model_), Error);
}

TEST_F(LogFile, refusals_name_the_column) {
  const std::string content = table("t,q1,q2,qd1,qd2,tau1,tau2", 7, cell_of_two);
  EXPECT_NE(refusal(content, "{q: [q1, q3]}").find("no column \"q3\""), std::string::npos);
  EXPECT_NE(refusal(content, "{q: [q1, 9]}").find("no column 9 of 7"), std::string::npos);
  EXPECT_NE(refusal(content, "{q: [q1]}").find("1 columns for 2"), std::string::npos);
  EXPECT_NE(refusal(content, "{q: [q1, q1]}").find("used twice"), std::string::npos);
  EXPECT_NE(refusal(content, "{motor: {N: [1, 2, 3]}}").find("3 columns for 2"), std::string::npos);
  EXPECT_NE(refusal(content, "{motor: {N: [[1, 1], [1, 1]]}}").find("no inverse"),
            std::string::npos);
  EXPECT_NE(refusal(content, "{joints: [elbo]}").find("no joint \"elbo\""), std::string::npos);
  EXPECT_NE(refusal(table("t,q1,qd1,q2,qd2,x,tau2", 7, cell_of_two)).find("\"tau1\" is missing"),
            std::string::npos);
  EXPECT_NE(refusal(table("t,q1,q2,q3,qd2,tau1,tau2", 7, cell_of_two)).find("\"q3\" is there"),
            std::string::npos);
  EXPECT_NE(refusal(table("x,q1,q2,qd1,qd2,tau1,tau2", 7, cell_of_two)).find("no column of time"),
            std::string::npos);
  EXPECT_NE(refusal(table("t,q1,q2,qd1,qd2,tau1,tau2", 7,
                          [](int k, int c) { return cell_of_two(k, c) * (c == 0 ? 1e3 : 1); }))
                .find("units: {t:"),
            std::string::npos);
}

TEST_F(LogFile, refusals_say_what_the_table_has) {
  EXPECT_NE(
      refusal(table("zeit,a,b,c,d,e,f", 7, cell_of_two)).find("(of 7: zeit, a, b, c, d, e, ...)"),
      std::string::npos);
  const std::string with = table("t,q1,q2,qd1,qd2,tau1,tau2", 7, cell_of_two);
  EXPECT_NE(
      refusal(with.substr(with.find('\n') + 1)).find("the table has no header, and 7 columns"),
      std::string::npos);
  std::string dates = "t,q1,q2,tau1,tau2\n";
  for (int k = 0; k < 50; ++k)
    dates += "2024-01-01T00:00:00." + std::to_string(100 + k) + ",1,2,3,4\n";
  EXPECT_NE(refusal(dates).find("no stamp is a number"), std::string::npos) << refusal(dates);
}

}  // namespace
}  // namespace torsor::testing
