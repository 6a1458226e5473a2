// The manual page and the completion of the shell say what the help says.
#include <sstream>

#include "apps/command.hpp"

namespace torsor::testing {
namespace {

/// The first words of the lines below "verbs".
std::vector<std::string> all_verbs() {
  std::istringstream help(torsor_command({"--help"}).out);
  std::vector<std::string> names;
  bool listed = false;
  for (std::string line; std::getline(help, line);) {
    if (listed && line.empty()) break;
    if (listed && line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
    listed = listed || line == "verbs";
  }
  return names;
}

/// What bash proposes for the last word.
std::string completed(const std::string& words) {
  const ProcessResult result =
      run({"bash", "-c",
           "source <(" TORSOR_COMMAND " --completion); COMP_WORDS=(" + words +
               "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _torsor; echo "
               "\"${COMPREPLY[*]}\""});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  return result.output.substr(0, result.output.find('\n'));
}

TEST(Completion, knows_verbs_options_robots_and_laws) {
  EXPECT_EQ(completed("torsor jac"), "jacobian");
  EXPECT_EQ(completed("torsor ik puma560 --fra"), "--frame");
  EXPECT_EQ(completed("torsor info puma560_"), "puma560_akb");
  EXPECT_EQ(completed("torsor scenario new --law comp"), "computed_torque");
  EXPECT_EQ(completed("torsor scenario new --robot planar2"), "planar2r");
  EXPECT_EQ(completed("torsor simulate pum"), "");  // a file is asked for
}

TEST(Completion, and_manual_have_every_verb_and_option_of_the_help) {
  const std::string manual = torsor_command({"--manual"}).out;
  const std::string script = torsor_command({"--completion"}).out;
  ASSERT_GT(all_verbs().size(), 20u);
  for (const std::string& verb : all_verbs()) {
    EXPECT_NE(manual.find("\n.SS " + verb + "\n"), std::string::npos) << verb;
    const std::size_t begin = script.find("    " + verb + ") options=");
    ASSERT_NE(begin, std::string::npos) << verb;
    const std::string options = script.substr(begin, script.find(";;", begin) - begin);
    std::istringstream help(torsor_command({verb, "--help"}).out);
    bool listed = false;
    for (std::string line; std::getline(help, line);) {
      listed = (listed || line == "Options:") && line != "Example";
      const std::size_t at = line.find("--");
      if (!listed || !line.starts_with("  -") || at > 5) continue;
      EXPECT_NE(options.find(line.substr(at, line.find_first_of(" ,", at) - at)), std::string::npos)
          << verb << line;
    }
  }
}

TEST(Manual, is_a_page_of_requests_and_text_that_is_none) {
  std::istringstream page(torsor_command({"--manual"}).out);
  for (std::string line; std::getline(page, line);)
    if (line.starts_with(".")) {
      EXPECT_TRUE(line.starts_with(".TH ") || line.starts_with(".SH ") ||
                  line.starts_with(".SS ") || line.starts_with(".B ") || line == ".nf" ||
                  line == ".fi")
          << line;
    }
}

}  // namespace
}  // namespace torsor::testing
