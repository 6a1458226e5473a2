// The tutorials work as they are printed: blocks of sh and python of every page in docs/tutorials,
// one after another in a folder that has nothing but the examples.
#include <cstdlib>
#include <sstream>

#include "apps/command.hpp"

namespace torsor::testing {
namespace {

namespace fs = std::filesystem;
const fs::path root = TORSOR_SOURCE_DIR;

struct Block {
  std::string language, text;
  int line = 0;
};
std::vector<Block> blocks_of(const fs::path& page) {
  std::vector<Block> all;
  std::istringstream lines(read_text(page));
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) all.push_back({line.substr(3), "", number});
    } else if (inside) {
      all.back().text += line + "\n";
    }
  }
  return all;
}

/// How many blocks ran.
int follow(const std::string& name) {
  const ScratchFolder folder;
  fs::copy(root / "examples", folder / "examples", fs::copy_options::recursive);
  const fs::path bin = fs::path(TORSOR_COMMAND).parent_path();
  const char* interpreter = std::getenv("TORSOR_PYTHON");  // where the module is built
  int ran = 0;
  for (const Block& block : blocks_of(root / "docs/tutorials" / name)) {
    const bool python = block.language == "python";
    if (python ? interpreter == nullptr : block.language != "sh") continue;
    write_text(folder / "block", block.text);
    const ProcessResult result =
        python ? run({"env", "PYTHONPATH=" + (bin / "python").string(), interpreter, "block"},
                     folder.path())
               : run({"env", "PATH=" + bin.string() + ":/usr/local/bin:/usr/bin:/bin", "bash", "-e",
                      "block"},
                     folder.path());
    EXPECT_EQ(result.exit_code, 0) << name << ":" << block.line << "\n" << result.output;
    ++ran;
    if (result.exit_code != 0) break;  // what follows needs it
  }
  return ran;
}

TEST(Tutorials, the_engineer_gets_from_a_file_to_a_comparison) {
  EXPECT_GE(follow("engineer.md"), 5);
}

TEST(Tutorials, the_student_finds_every_section) { EXPECT_GE(follow("student.md"), 6); }

TEST(Tutorials, the_students_page_has_the_same_commands_in_both_languages) {
  const auto commands = [](const std::string& name) {
    std::string all;
    for (const Block& block : blocks_of(root / "docs/tutorials" / name)) {
      std::istringstream lines(block.text);
      for (std::string line; std::getline(lines, line);) {
        line = line.substr(0, line.find(" #"));
        all += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
      }
    }
    return all;
  };
  EXPECT_EQ(commands("student.md"), commands("student.zh.md"));
}

TEST(Tutorials, the_researcher_calls_from_outside) { EXPECT_GE(follow("researcher.md"), 1); }

TEST(Tutorials, an_arm_is_identified) { EXPECT_GE(follow("identification.md"), 4); }

TEST(Tutorials, every_page_is_followed_and_names_tests_that_exist) {
  std::vector<std::string> pages;
  for (const auto& entry : fs::directory_iterator(root / "docs/tutorials"))
    pages.push_back(entry.path().filename());
  std::sort(pages.begin(), pages.end());
  EXPECT_EQ(pages, (std::vector<std::string>{"engineer.md", "identification.md", "researcher.md",
                                             "student.md", "student.zh.md"}));
  std::string sources;
  for (const auto& entry : fs::recursive_directory_iterator(root / "tests"))
    sources += "/" + entry.path().filename().string() + "\n";
  int named = 0;
  for (const char* page : {"student.md", "student.zh.md"}) {
    const std::string text = read_text(root / "docs/tutorials" / page);
    for (std::size_t at = text.find("_test`"); at != text.npos; at = text.find("_test`", at + 1)) {
      const std::size_t from = text.rfind('`', at) + 1;
      const std::string test = text.substr(from, at + 5 - from);
      EXPECT_NE(sources.find("/" + test + ".cpp\n"), std::string::npos) << test;
      ++named;
    }
  }
  EXPECT_GT(named, 20);
}

}  // namespace
}  // namespace torsor::testing
