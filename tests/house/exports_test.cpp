// libtorsor.so exports the public names, those of cmake/exports_internal.txt and nothing else, and it
// is enough for whatever inline functions of the public headers call.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

#include "house/process.hpp"

using namespace torsor::testing;
namespace fs = std::filesystem;

namespace {

const fs::path library = fs::path(TORSOR_BINARY_DIR) / "libtorsor.so";
const fs::path source_folder = TORSOR_SOURCE_DIR;

#define SKIP_WITHOUT_THE_LIBRARY \
  if (!exists(library)) GTEST_SKIP() << "this build has no libtorsor.so"

std::set<std::string> exported() {
  const ProcessResult read =
      run({"nm", "--dynamic", "--defined-only", "--format=posix", library.string()});
  EXPECT_EQ(read.exit_code, 0) << read.output;
  std::set<std::string> names;
  std::istringstream lines(read.output);
  for (std::string line; std::getline(lines, line);) {
    const std::string symbol = line.substr(0, line.find(' '));
    names.insert(symbol.substr(0, symbol.find('@')));
  }
  return names;
}

// Whether a mangled name is of namespace torsor: a function, data, or what a compiler makes of a class.
const std::string front = "_Z(T[VIST]|GV|GR|T[hv][n0-9_]*_)?N[VKRO]*6torsor";
bool of_torsor(const std::string& name) {
  static const std::regex pattern(front + ".*");
  return std::regex_match(name, pattern);
}
bool of_internal(const std::string& name) {
  static const std::regex pattern(front + "8internal.*");
  return std::regex_match(name, pattern);
}

TEST(Exports, names_are_public_or_on_the_list) {
  SKIP_WITHOUT_THE_LIBRARY;
  std::set<std::string> allowed;
  std::istringstream lines(read_text(source_folder / "cmake/exports_internal.txt"));
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with('#')) allowed.insert(line);
  int n_public = 0;
  for (const std::string& name : exported()) {
    if (name.starts_with("TORSOR_") || allowed.erase(name) > 0) continue;
    ++n_public;
    EXPECT_TRUE(of_torsor(name)) << name;
    EXPECT_FALSE(of_internal(name)) << name;
    EXPECT_FALSE(name.ends_with(".v3") || name.ends_with(".v4")) << name;
  }
  EXPECT_GT(n_public, 1000);
  for (const std::string& name : allowed) ADD_FAILURE() << name << " is listed and not exported";
}

TEST(Exports, the_name_of_the_library_has_its_version) {
  SKIP_WITHOUT_THE_LIBRARY;
  const ProcessResult read = run({"objdump", "-p", library.string()});
  EXPECT_NE(read.output.find("SONAME               libtorsor.so.0\n"), std::string::npos);
  EXPECT_NE(read.output.find("TORSOR_0."), std::string::npos) << "symbols without version";
}

// Every inline function of every public header, compiled whether it is used or not.
TEST(Exports, whatever_public_headers_call_is_there) {
  SKIP_WITHOUT_THE_LIBRARY;
  const ScratchFolder scratch;
  std::string text;
  for (const auto& entry : fs::recursive_directory_iterator(source_folder / "include/torsor")) {
    const std::string name = fs::relative(entry.path(), source_folder / "include").string();
    if (name.ends_with(".hpp") && name.find("internal/") == std::string::npos)
      text += "#include \"" + name + "\"\n";
  }
  write_text(scratch / "all.cpp", text);
  const std::string object = (scratch / "all.o").string();
  const ProcessResult built =
      run({TORSOR_CXX_COMPILER, "-std=c++20", "-O0", "-fkeep-inline-functions", "-c",
           (scratch / "all.cpp").string(), "-I" + (source_folder / "include").string(),
           "-isystem" TORSOR_EIGEN_INCLUDE, "-o", object});
  ASSERT_EQ(built.exit_code, 0) << built.output;
  const std::set<std::string> there = exported();
  std::istringstream lines(run({"nm", "--undefined-only", "--format=posix", object}).output);
  int n_called = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.substr(0, line.find(' '));
    if (!of_torsor(name)) continue;
    ++n_called;
    EXPECT_TRUE(there.contains(name)) << name << " is called by a public header and hidden";
  }
  EXPECT_GT(n_called, 50);
}

TEST(Exports, every_instruction_set_is_in_it) {
  SKIP_WITHOUT_THE_LIBRARY;
  const ScratchFolder scratch;
  write_text(scratch / "sets.cpp",
             "#include <cstdio>\n#include \"torsor/math/instruction_set.hpp\"\nint main() {\n"
             "  for (const std::string& name : torsor::instruction_sets())\n"
             "    std::printf(\"%s \", name.c_str());\n"
             "  std::printf(\"| %s\", torsor::instruction_set().c_str());\n}\n");
  const std::string program = (scratch / "sets").string();
  const ProcessResult built =
      run({TORSOR_CXX_COMPILER, "-std=c++20", (scratch / "sets.cpp").string(),
           "-I" + (source_folder / "include").string(), library.string(),
           "-Wl,-rpath," TORSOR_BINARY_DIR, "-o", program});
  ASSERT_EQ(built.exit_code, 0) << built.output;
  // The command has the static rooms: both know the same.
  const ProcessResult sets = run({program});
  ASSERT_EQ(sets.exit_code, 0);
  if (!exists(fs::path(TORSOR_BINARY_DIR) / "levels")) return;
  std::istringstream words(sets.output);
  for (std::string name; words >> name && name != "|";) {
    const ProcessResult forced = run({"env", "TORSOR_ARCH=" + name, program});
    EXPECT_TRUE(forced.output.ends_with("| " + name)) << forced.output;
  }
}

}  // namespace
