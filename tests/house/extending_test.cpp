// The law that docs/extending.md shows compiles as it is printed.
#include <gtest/gtest.h>

#include "house/process.hpp"

using namespace torsor::testing;

namespace {

/// The texts between ```cpp and ``` of a section.
std::vector<std::string> code_of(const std::string& text, const std::string& title) {
  std::vector<std::string> blocks;
  const std::size_t begin = text.find("\n## " + title + "\n"), end = text.find("\n## ", begin + 1);
  const std::string mark = "```cpp\n";
  for (std::size_t at = text.find(mark, begin); at < end; at = text.find(mark, at)) {
    at += mark.size();
    blocks.push_back(text.substr(at, text.find("```", at) - at));
  }
  return blocks;
}

TEST(Extending, the_law_of_the_recipe_compiles_once_it_is_declared) {
  const std::filesystem::path root = TORSOR_SOURCE_DIR;
  const std::vector<std::string> code =
      code_of(read_text(root / "docs/extending.md"), "A control law");
  ASSERT_EQ(code.size(), 2u) << "header and source";
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch / "torsor/control/beside");
  write_text(scratch / "torsor/control/beside/damping.hpp", code[0]);
  write_text(scratch / "damping.cpp", code[1]);
  std::string entries = read_text(root / "src/control/law_entries.hpp");
  const auto compile = [&] {
    write_text(scratch / "law_entries.hpp", entries);
    return run({TORSOR_CXX_COMPILER, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                "-I", scratch.path().string(), "-I", (root / "include").string(), "-I",
                (root / "src/control").string(), (scratch / "damping.cpp").string()});
  };
  EXPECT_EQ(compile().exit_code, 1) << "without its declaration";
  const std::string last = "slotine_li;";
  ASSERT_NE(entries.find(last), std::string::npos);
  entries.replace(entries.find(last), last.size(), "slotine_li, damping;");
  const ProcessResult result = compile();
  EXPECT_EQ(result.exit_code, 0) << result.output;
}

}  // namespace
