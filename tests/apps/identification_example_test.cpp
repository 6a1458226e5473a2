// The commands of examples/identification/README.md, as they stand there.
#include <sstream>

#include "apps/command.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor::testing {
namespace {

const std::string folder = TORSOR_SOURCE_DIR "/examples/identification";

/// Lines of the first block of text, continued ones joined.
std::vector<std::string> commands() {
  const std::string page = read_text(folder + "/README.md"), open = "```text\n";
  const std::size_t from = page.find(open) + open.size();
  std::istringstream block(page.substr(from, page.find("```", from) - from));
  std::vector<std::string> lines;
  bool goes_on = false;
  for (std::string line; std::getline(block, line);) {
    const bool more = line.ends_with('\\');
    if (more) line.pop_back();
    if (goes_on)
      lines.back() += line;
    else if (!line.empty())
      lines.push_back(line);
    goes_on = more;
  }
  return lines;
}

TEST(IdentificationExample, its_commands_run_one_after_another_and_the_result_tracks_better) {
  const std::vector<std::string> lines = commands();
  ASSERT_GE(lines.size(), 6u);
  const ScratchFolder scratch;
  const std::string path = std::filesystem::path(TORSOR_COMMAND).parent_path().string();
  std::string last;
  for (std::string line : lines) {
    if (const std::size_t at = line.find(".../examples"); at != std::string::npos)
      line.replace(at, 3, TORSOR_SOURCE_DIR);
    const bool searches = line.starts_with("torsor excite");
    if (searches) line += " --time 2";  // any good motion will do
    const ProcessResult result =
        run({"sh", "-c", "PATH=" + path + ":$PATH; " + line}, scratch.path());
    ASSERT_EQ(result.exit_code, 0) << line << "\n" << result.output;
    last = result.output;
  }
  std::string page = read_text(scratch / "identified.html");
  for (std::size_t at = page.find("<script"); at != page.npos; at = page.find("<script"))
    page.erase(at, page.find("</script>", at) - at + 9);  // programs have words of their own
  EXPECT_NE(page.find("viscous"), page.npos);
  EXPECT_EQ(page.find("nan"), page.npos);
  EXPECT_EQ(load_robot((scratch / "identified.yaml").string()).name(), "puma560");
  // run, rms e, ...
  const auto error_of = [&](const std::string& name) {
    std::istringstream row(last.substr(last.find(name + "  ") + name.size()));
    double rms = 0;
    row >> rms;
    return rms;
  };
  const double nominal = error_of("nominal model"), identified = error_of("identified model");
  EXPECT_GT(identified, 0) << last;
  EXPECT_LT(identified, 0.2 * nominal) << last;
}

}  // namespace
}  // namespace torsor::testing
