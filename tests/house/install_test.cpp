// Torsor as its users get it: installed and found by find_package, or as a folder of a larger
// project; and the example of README.md, built as the README says.
#include <fnmatch.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <sstream>

#include "house/process.hpp"

using namespace torsor::testing;

namespace {

const std::filesystem::path source_folder = TORSOR_SOURCE_DIR;
const std::filesystem::path house = source_folder / "tests/house";

// The first ```cpp block of README.md. A block without main is the body of one, after its
// #include and using lines.
std::string readme_example() {
  const std::string readme = read_text(source_folder / "README.md");
  const std::string fence = "```cpp\n";
  const auto start = readme.find(fence);
  const auto end = readme.find("```", start + fence.size());
  if (start == std::string::npos || end == std::string::npos) return "";
  const std::string block = readme.substr(start + fence.size(), end - start - fence.size());
  if (block.find("int main(") != std::string::npos) return block;

  std::string top, body;
  std::istringstream lines(block);
  for (std::string line; std::getline(lines, line);) {
    const bool above = line.starts_with("#include") || line.starts_with("using ");
    (above ? top : body) += line + "\n";
  }
  return top + "int main() {\n" + body + "}\n";
}

class Installed : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch_ = std::make_unique<ScratchFolder>();
    const ProcessResult install = run({TORSOR_CMAKE, "--install", TORSOR_BINARY_DIR, "--prefix",
                                       (*scratch_ / "prefix").string()});
    ASSERT_EQ(install.exit_code, 0) << install.output;
  }
  static void TearDownTestSuite() { scratch_.reset(); }

  // Configures and builds `project` against the scratch prefix.
  static std::filesystem::path build(const std::filesystem::path& project, const std::string& name,
                                     const std::vector<std::string>& definitions,
                                     const std::string& target) {
    const std::filesystem::path folder = *scratch_ / name;
    std::vector<std::string> configure = {TORSOR_CMAKE,
                                          "-S",
                                          project.string(),
                                          "-B",
                                          folder.string(),
                                          "-G",
                                          "Ninja",
                                          "-DCMAKE_CXX_COMPILER=" TORSOR_CXX_COMPILER,
                                          "-DCMAKE_PREFIX_PATH=" + (*scratch_ / "prefix").string()};
    configure.insert(configure.end(), definitions.begin(), definitions.end());
    const ProcessResult configured = run(configure);
    EXPECT_EQ(configured.exit_code, 0) << configured.output;
    const ProcessResult built =
        run({TORSOR_CMAKE, "--build", folder.string(), "--target", target, "-j2"});
    EXPECT_EQ(built.exit_code, 0) << built.output;
    return folder;
  }

  static std::unique_ptr<ScratchFolder> scratch_;
};
std::unique_ptr<ScratchFolder> Installed::scratch_;

TEST_F(Installed, a_consumer_finds_the_package_builds_and_runs) {
  const auto folder = build(house / "consumer", "consumer", {}, "all");
  for (const std::string program :
       {"consumer", "one_room", "formats_and_dynamics", "with_shared_library"}) {
    if (!exists(folder / program)) continue;  // a build without libtorsor.so
    const ProcessResult result = run({(folder / program).string()});
    EXPECT_EQ(result.exit_code, 0) << program << "\n" << result.output;
  }
}

TEST_F(Installed, reading_a_urdf_and_running_dynamics_links_neither_control_nor_sim) {
  const auto folder = build(house / "consumer", "lean", {}, "formats_and_dynamics");
  const std::string rules = read_text(folder / "build.ninja");
  const auto link = rules.find("build formats_and_dynamics: ");
  ASSERT_NE(link, std::string::npos);
  const std::string rule = rules.substr(link, rules.find("\n\n", link) - link);
  EXPECT_NE(rule.find("torsor_dynamics"), std::string::npos) << rule;
  EXPECT_NE(rule.find("torsor_formats"), std::string::npos) << rule;
  for (const char* room : {"control", "sim", "trajectory", "identification", "experiments"})
    EXPECT_EQ(rule.find("torsor_" + std::string(room)), std::string::npos) << rule;
}

TEST_F(Installed, a_component_that_does_not_exist_is_refused_by_name) {
  const ProcessResult result =
      run({TORSOR_CMAKE, "-S", (house / "consumer").string(), "-B", (*scratch_ / "wrong").string(),
           "-G", "Ninja", "-DCMAKE_CXX_COMPILER=" TORSOR_CXX_COMPILER, "-DCOMPONENT=cooking",
           "-DCMAKE_PREFIX_PATH=" + (*scratch_ / "prefix").string()});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_NE(result.output.find("has no component cooking"), std::string::npos) << result.output;
}

// Every installed file is one of the list, and every line of the list is there.
TEST_F(Installed, files_are_those_of_the_list) {
  std::vector<std::pair<std::string, int>> patterns;
  std::istringstream lines(read_text(house / "installed_files.txt"));
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line[0] != '#') patterns.emplace_back(line, 0);
  const std::filesystem::path prefix = *scratch_ / "prefix";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(prefix)) {
    if (entry.is_directory()) continue;
    const std::string file = std::filesystem::relative(entry.path(), prefix).generic_string();
    bool listed = false;
    for (auto& [pattern, count] : patterns) {
      const bool optional = pattern[0] == '?';
      if (fnmatch(pattern.c_str() + optional, file.c_str(), 0) != 0) continue;
      listed = true;
      ++count;
    }
    EXPECT_TRUE(listed) << file << " is not in tests/house/installed_files.txt";
  }
  for (const auto& [pattern, count] : patterns) {
    EXPECT_TRUE(count > 0 || pattern[0] == '?') << pattern << " was not installed";
  }
}

TEST_F(Installed, every_model_file_is_installed) {
  ASSERT_TRUE(exists(source_folder / "models"));
  for (const auto& entry : std::filesystem::directory_iterator(source_folder / "models")) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".yaml" && extension != ".urdf") continue;
    EXPECT_TRUE(exists(*scratch_ / "prefix" / "share/torsor/models" / entry.path().filename()))
        << entry.path();
  }
}

TEST_F(Installed, examples_documents_and_licence_are_installed) {
  const std::filesystem::path share = *scratch_ / "prefix" / "share";
  const auto beside = [&](const std::filesystem::path& file) {
    return share / "torsor" / std::filesystem::relative(file, source_folder);
  };
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(source_folder / "examples")) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".yaml" || extension == ".cpp" || extension == ".md") {
      EXPECT_TRUE(exists(beside(entry.path()))) << entry.path();
    }
  }
  for (const auto& entry : std::filesystem::directory_iterator(source_folder / "docs")) {
    EXPECT_TRUE(exists(share / "doc/torsor/docs" / entry.path().filename())) << entry.path();
  }
  for (const char* name : {"LICENSE", "README.md", "README.zh.md"})
    EXPECT_EQ(read_text(share / "doc/torsor" / name), read_text(source_folder / name));
}

// The flags of pkg-config: what follows "Libs:" and "Cflags:", with the prefix put in.
std::vector<std::string> flags(const std::string& text, const std::string& key,
                               const std::string& prefix) {
  std::vector<std::string> words;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key + ":")) continue;
    std::istringstream rest(line.substr(key.size() + 1));
    for (std::string word; rest >> word;) {
      for (const char* folder : {"libdir", "includedir"}) {
        const std::string variable = std::string("${") + folder + "}";
        const auto at = word.find(variable);
        if (at == std::string::npos) continue;
        const auto stated = text.find(std::string(folder) + "=${prefix}/");
        const auto begin = text.find('/', stated), end = text.find('\n', stated);
        word.replace(at, variable.size(), prefix + text.substr(begin, end - begin));
      }
      words.push_back(word);
    }
  }
  return words;
}

// torsor is the shared library, where there is one; torsor-static never is.
TEST_F(Installed, a_compiler_with_the_flags_of_pkg_config_builds_the_example) {
  const std::string prefix = (*scratch_ / "prefix").string();
  write_text(*scratch_ / "plain.cpp", readme_example());
  for (const std::string name : {"torsor", "torsor-static"}) {
    std::filesystem::path file;
    bool shared = false;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(prefix)) {
      if (entry.path().filename() == name + ".pc") file = entry.path();
      shared = shared || entry.path().filename() == "libtorsor.so";
    }
    if (file.empty() && name == "torsor-static") continue;  // every room is a shared library
    ASSERT_FALSE(file.empty()) << name;
    const std::string text = read_text(file), program = (*scratch_ / name).string();
    std::vector<std::string> command = {TORSOR_CXX_COMPILER, "-std=c++20", "-O0",
                                        (*scratch_ / "plain.cpp").string(),
                                        "-isystem" TORSOR_EIGEN_INCLUDE};
    for (const char* key : {"Cflags", "Libs"})
      for (const std::string& flag : flags(text, key, prefix)) command.push_back(flag);
    command.insert(command.end(),
                   {"-Wl,-rpath," + (file.parent_path().parent_path()).string(), "-o", program});
    const ProcessResult built = run(command);
    ASSERT_EQ(built.exit_code, 0) << built.output;
    EXPECT_EQ(run({program}).exit_code, 0) << name;
    const ProcessResult needs = run({"objdump", "-p", program});
    EXPECT_EQ(needs.output.find("libtorsor.so.0") != std::string::npos, shared && name == "torsor")
        << name << " links\n"
        << needs.output;
  }
}

// Of every public header that an older language cannot read the first error, and beside it only the end.
TEST_F(Installed, an_older_language_gets_one_line) {
  const std::filesystem::path include = *scratch_ / "prefix/include";
  int refused = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(include / "torsor")) {
    const std::string header = std::filesystem::relative(entry.path(), include).generic_string();
    if (entry.is_directory() || header.find("/internal/") != std::string::npos) continue;
    write_text(*scratch_ / "old.cpp", "#include \"" + header + "\"\nint main() {}\n");
    const ProcessResult result =
        run({TORSOR_CXX_COMPILER, "-std=c++17", "-fsyntax-only", (*scratch_ / "old.cpp").string(),
             "-I" + include.string(), "-isystem" TORSOR_EIGEN_INCLUDE});
    if (result.exit_code == 0) continue;  // nothing in it is newer
    ++refused;
    std::vector<std::string> errors;
    std::istringstream lines(result.output);
    for (std::string line; std::getline(lines, line);)
      if (line.find("error: ") != std::string::npos) errors.push_back(line);
    ASSERT_EQ(errors.size(), 2) << header << "\n" << result.output;
    EXPECT_NE(errors[0].find("Torsor needs C++20"), std::string::npos) << result.output;
  }
  EXPECT_GT(refused, 250);
}

TEST_F(Installed, the_example_of_the_readme_compiles_and_runs) {
  const std::string text = readme_example();
  ASSERT_NE(text, "") << "README.md has no ```cpp block";
  write_text(*scratch_ / "readme_example.cpp", text);
  const auto folder =
      build(house / "consumer", "readme",
            {"-DREADME_EXAMPLE=" + (*scratch_ / "readme_example.cpp").string()}, "readme_example");
  const ProcessResult result = run({(folder / "readme_example").string()}, scratch_->path());
  EXPECT_EQ(result.exit_code, 0) << result.output << "\n" << text;
}

// What is installed without a component, or with one that is no package, would be in no package.
TEST(Packages, everything_that_is_installed_is_in_one_of_them) {
  const std::filesystem::path build = TORSOR_BINARY_DIR;
  const std::string line = "set(CPACK_COMPONENTS_ALL \"";
  const std::string config = read_text(build / "CPackConfig.cmake");
  const auto at = config.find(line);
  ASSERT_NE(at, std::string::npos);
  const auto end = config.find('"', at + line.size());
  const std::string packages = ";" + config.substr(at + line.size(), end - at - line.size()) + ";";
  int seen = 0;
  for (auto file = std::filesystem::recursive_directory_iterator(build);
       file != std::filesystem::recursive_directory_iterator(); ++file) {
    if (file->is_directory() && file->path().filename() == "CMakeFiles")
      file.disable_recursion_pending();
    if (file->path().filename() != "cmake_install.cmake") continue;
    const std::string text = read_text(file->path()), word = "INSTALL_COMPONENT STREQUAL \"";
    for (auto k = text.find(word); k != std::string::npos; k = text.find(word, k + 1)) {
      const auto from = k + word.size();
      const std::string name = text.substr(from, text.find('"', from) - from);
      ++seen;
      if (name == "python_libraries") continue;  // of the wheel
      EXPECT_NE(packages.find(";" + name + ";"), std::string::npos) << name << " in " << *file;
    }
  }
  EXPECT_GT(seen, 10);
}

class Subproject : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(ways, Subproject, ::testing::Values("add_subdirectory", "FetchContent"));

TEST_P(Subproject, configures_builds_and_leaves_the_parent_project_alone) {
  const ScratchFolder scratch;
  const ProcessResult configured =
      run({TORSOR_CMAKE, "-S", (house / "subproject").string(), "-B", scratch.path().string(), "-G",
           "Ninja", "-DCMAKE_CXX_COMPILER=" TORSOR_CXX_COMPILER,
           "-DTORSOR_SOURCE_DIR=" TORSOR_SOURCE_DIR, std::string("-DWAY=") + GetParam()});
  ASSERT_EQ(configured.exit_code, 0) << configured.output;
  const ProcessResult built =
      run({TORSOR_CMAKE, "--build", scratch.path().string(), "--target", "one_room", "-j2"});
  ASSERT_EQ(built.exit_code, 0) << built.output;
  EXPECT_EQ(run({(scratch / "one_room").string()}).exit_code, 0);
}

}  // namespace
