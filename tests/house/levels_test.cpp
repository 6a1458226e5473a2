// Code for wider registers than every machine has stays where the program chooses it at its start:
// no other part of a program can be given a function from there (cmake/levels.cmake).
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "house/process.hpp"

using namespace torsor::testing;
namespace fs = std::filesystem;

namespace {

using Words = std::set<std::string>;

std::vector<fs::path> rooms() {
  std::vector<fs::path> found;
  const fs::path folder = fs::path(TORSOR_BINARY_DIR) / "levels";
  if (!fs::exists(folder)) return found;
  for (const auto& entry : fs::directory_iterator(folder))
    if (fs::exists(entry.path() / "v4.o")) found.push_back(entry.path());
  return found;
}

/// Symbols that an object defines for others, by kind.
std::map<std::string, char> defined_by(const fs::path& object) {
  std::map<std::string, char> symbols;
  const ProcessResult read =
      run({"nm", "--defined-only", "--extern-only", "--format=posix", object.string()});
  EXPECT_EQ(read.exit_code, 0) << read.output;
  std::istringstream lines(read.output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    char kind = 0;
    if (words >> name >> kind) symbols[name] = kind;
  }
  return symbols;
}

TEST(Levels, functions_of_a_level_carry_its_name_and_the_others_are_its_own) {
  for (const fs::path& room : rooms())
    for (const std::string level : {"v3", "v4"}) {
      int functions = 0;
      for (const auto& [name, kind] : defined_by(room / (level + ".o"))) {
        if (kind != 'T' && kind != 'W') continue;
        ++functions;
        EXPECT_TRUE(name.ends_with("." + level)) << room << ": " << name;
      }
      EXPECT_GT(functions, 10) << room;
    }
}

TEST(Levels, every_function_has_one_jump_and_one_version_for_each_level) {
  for (const fs::path& room : rooms()) {
    std::map<std::string, Words> versions;
    for (const std::string level : {"baseline", "v3", "v4"})
      for (const auto& [name, kind] : defined_by(room / (level + ".o")))
        if (name.ends_with("." + level)) versions[level].insert(name.substr(0, name.rfind('.')));
    EXPECT_EQ(versions["baseline"], versions["v3"]) << room;
    EXPECT_EQ(versions["baseline"], versions["v4"]) << room;
    const std::string jumps = read_text(room / "jumps.cpp");
    for (const std::string& name : versions["baseline"])
      EXPECT_NE(jumps.find("\n" + name + ":\n"), std::string::npos) << room << ": " << name;
  }
}

// No function that takes a register by value crosses from one level to another.
TEST(Levels, packs_are_never_passed_between_levels) {
  for (const fs::path& room : rooms())
    for (const auto& [name, kind] : defined_by(room / "v4.o"))
      if (kind == 'W') {
        EXPECT_EQ(name.find("4Pack"), std::string::npos) << name;
      }
}

TEST(Levels, what_is_not_chosen_at_the_start_needs_no_wide_registers) {
  if (rooms().empty()) GTEST_SKIP() << "this build has one level";
  for (const auto& entry : fs::directory_iterator(TORSOR_BINARY_DIR)) {
    if (entry.path().extension() != ".a") continue;
    const ProcessResult read = run({"sh", "-c",
                                    "objdump -d --no-show-raw-insn '" + entry.path().string() +
                                        "' | grep -E ':     file format|%[yz]mm|%k[1-7]' | "
                                        "awk '/file format/ {o = $1; next} {n[o]++} "
                                        "END {for (k in n) print k, n[k]}'"});
    std::istringstream lines(read.output);
    for (std::string object; lines >> object;) {
      int count = 0;
      lines >> count;
      EXPECT_TRUE(object == "v3.o:" || object == "v4.o:")
          << entry.path() << ": " << object << " has " << count << " instructions";
    }
  }
}

// What ./run configures.
TEST(Levels, a_build_for_this_machine_alone_has_one_of_them) {
  if (rooms().empty()) GTEST_SKIP() << "this build has one level";
  const ScratchFolder scratch;
  std::vector<std::string> configure = {TORSOR_CMAKE,
                                        "-S",
                                        TORSOR_SOURCE_DIR,
                                        "-B",
                                        scratch.path().string(),
                                        "-G",
                                        "Ninja",
                                        "-DCMAKE_BUILD_TYPE=Release",
                                        "-DTORSOR_HOST_LEVEL=ON",
                                        "-DTORSOR_BUILD_VIEWER=OFF"};
  for (const std::string part : {"TESTS", "EXAMPLES", "APPS", "MPI", "CUDA"})
    configure.push_back("-DTORSOR_BUILD_" + part + "=OFF");
  const ProcessResult result = run(configure);
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const std::string text = read_text(scratch / "build.ninja");
  int n = 0;
  for (const std::string level : {"baseline", "v3", "v4"})
    n += text.find("torsor_dynamics_" + level + ".dir/") != std::string::npos ? 1 : 0;
  EXPECT_EQ(n, 1);
  EXPECT_NE(text.find("TORSOR_ONLY_LEVEL="), std::string::npos) << "the program must know";
}

}  // namespace
