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

TEST(Completion, of_a_robot_has_files_beside_the_names_of_built_in_ones) {
  const ScratchFolder folder;
  write_text((folder / "puma one.urdf").string(), "");
  const ProcessResult result =
      run({"bash", "-c",
           "cd '" + (folder / "").string() +
               "'; source <(" TORSOR_COMMAND " --completion); COMP_WORDS=(torsor info pum); "
               "COMP_CWORD=2; _torsor; printf '%s|' \"${COMPREPLY[@]}\""});
  EXPECT_NE(result.output.find("puma560|"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("|puma one.urdf|"), std::string::npos) << result.output;
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

/// What zsh proposes for the last word: its completion functions replaced by ones that print.
std::string completed_by_zsh(const std::string& words, int current) {
  const ProcessResult result =
      run({"zsh", "-f", "-c",
           "compdef() { : }; _describe() { print -l -- ${(P)2} }; _files() { print files }\n"
           "compadd() { print -l -- ${(P)2} }\n"
           "eval \"$(" TORSOR_COMMAND " --completion zsh)\"\n"
           "words=(" +
               words + "); CURRENT=" + std::to_string(current) + "; _torsor"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  return "\n" + result.output;
}

TEST(Completion, of_zsh_knows_verbs_options_robots_and_laws) {
  if (run({"which", "zsh"}).exit_code != 0) GTEST_SKIP() << "zsh is not installed";
  const std::string verbs = completed_by_zsh("torsor ''", 2);
  for (const std::string& verb : all_verbs())
    EXPECT_NE(verbs.find("\n" + verb + ":"), std::string::npos) << verb;
  const auto has = [](const std::string& list, const std::string& word) {
    return list.find("\n" + word + "\n") != std::string::npos;
  };
  EXPECT_TRUE(has(completed_by_zsh("torsor ik puma560 --fra", 4), "--frame"));
  EXPECT_TRUE(has(completed_by_zsh("torsor info pum", 3), "puma560_akb"));
  EXPECT_TRUE(has(completed_by_zsh("torsor info pum", 3), "files"));
  EXPECT_TRUE(has(completed_by_zsh("torsor scenario new --law comp", 5), "computed_torque"));
  EXPECT_FALSE(has(completed_by_zsh("torsor simulate pum", 3), "puma560"));
  expect_refusal(torsor_command({"--completion", "fish"}), "bash and zsh");
}

void expect_eighty_columns(const std::string& text, const std::string& of, long most = 80) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto is_first = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
    EXPECT_LE(std::count_if(line.begin(), line.end(), is_first), most) << of << ": " << line;
  }
}

TEST(Help, of_every_verb_fits_eighty_columns_on_a_terminal_and_into_a_pipe) {
  expect_eighty_columns(torsor_command({"--help"}).out, "--help");
  for (const std::string& verb : all_verbs()) {
    expect_eighty_columns(
        run({"env", "COLUMNS=80", "LC_ALL=C", TORSOR_COMMAND, verb, "--help"}).output, verb);
    expect_eighty_columns(torsor_command({verb, "--help"}).out, verb);
  }
}

TEST(Help, lists_of_laws_robots_and_keys_fit_eighty_columns) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"laws"},
                                                {"robots"},
                                                {"robots", "--sources"},
                                                {"scenario", "keys"}})
    expect_eighty_columns(torsor_command(words).out, words.back());
  const nlohmann::json laws = torsor_command({"laws", "--json"}).json();
  for (const auto& law : laws["laws"]) {
    // Under "example" stands a piece of a file, whose lines are as they have to be.
    const std::string text = torsor_command({"laws", law["name"]}).out;
    expect_eighty_columns(text.substr(0, text.find("\nexample")), law["name"]);
  }
}

TEST(Manual, has_a_page_for_each_verb) {
  const std::string listed = torsor_command({"--verbs"}).out;
  for (const std::string& verb : all_verbs()) {
    EXPECT_NE(("\n" + listed).find("\n" + verb + "\n"), std::string::npos) << verb;
    const CommandResult page = torsor_command({"--manual", verb});
    EXPECT_EQ(page.code, 0);
    EXPECT_TRUE(page.out.starts_with(".TH TORSOR\\-")) << verb;
    EXPECT_TRUE(page.says("torsor\\-" + verb + " \\- ")) << verb;
    EXPECT_TRUE(page.says("Usage: torsor " + verb)) << verb;
    // What man does not fill itself, without its escapes.
    std::string text = page.out.substr(page.out.find("\n.nf\n"));
    for (const char* escape : {"\\-", "\\&"})
      for (std::size_t at = 0; (at = text.find(escape, at)) != std::string::npos;)
        text.replace(at, 2, std::string(escape) == "\\-" ? "-" : "");
    expect_eighty_columns(text, verb, 73);  // man indents by seven
  }
  expect_refusal(torsor_command({"--manual", "simulat"}), "\"simulate\"");
}

TEST(FirstWords, are_five_things_in_eighty_columns_and_all_verbs_that_they_name_exist) {
  const CommandResult r = torsor_command({});
  EXPECT_EQ(r.code, 0);
  const std::string verbs = "\n" + torsor_command({"--verbs"}).out;
  std::istringstream lines(r.out);
  int wishes = 0;
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 80u) << line;
    if (line.starts_with("  ") && line.size() > 2 && std::isdigit(line[2])) ++wishes;
    if (!line.starts_with("     torsor ")) continue;
    const std::string verb = line.substr(12, line.find(' ', 12) - 12);
    EXPECT_NE(verbs.find("\n" + verb + "\n"), std::string::npos) << line;
  }
  EXPECT_EQ(wishes, 5);
  EXPECT_EQ(r.out.find('\x1b'), std::string::npos);  // no terminal, no colour
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
