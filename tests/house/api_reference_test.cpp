// The reference of the public names (the target `docs`): every one is documented, by a comment of its
// own, by that of the declaration that it stands under, or by the head of its header.
// A part of ./test --full: Doxygen reads every header.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <sstream>

#include "house/process.hpp"
#include "house/source_tree.hpp"

using namespace torsor::testing;

namespace {

/// Names of the namespace, without their members, that Doxygen calls undocumented; `input`: headers.
std::vector<std::string> undocumented(const std::filesystem::path& input,
                                      const std::filesystem::path& scratch) {
  std::string settings = read_text(TORSOR_SOURCE_DIR "/docs/api/Doxyfile.in");
  const auto replace = [&](const std::string& what, const std::string& by) {
    for (std::size_t at = 0; (at = settings.find(what, at)) != std::string::npos; at += by.size())
      settings.replace(at, what.size(), by);
  };
  replace("@PROJECT_SOURCE_DIR@/include/torsor", input.string());
  replace("@PROJECT_SOURCE_DIR@", TORSOR_SOURCE_DIR);
  replace("@PROJECT_BINARY_DIR@", scratch.string());
  replace("@PROJECT_VERSION@", "0");
  replace("@PROJECT_DESCRIPTION@", "test");
  std::filesystem::create_directories(scratch / "docs");
  write_text(scratch / "Doxyfile", settings + "GENERATE_HTML = NO\nGENERATE_XML = NO\n");
  const ProcessResult result = run({"doxygen", (scratch / "Doxyfile").string()});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  std::vector<std::string> names;
  std::istringstream lines(read_text(scratch / "docs/warnings.txt"));
  const std::regex type("Compound torsor::(\\w+) is not documented"),
      other("Member (\\w+).* of namespace torsor is not documented");
  for (std::string line; std::getline(lines, line);)
    if (std::smatch found;
        std::regex_search(line, found, type) || std::regex_search(line, found, other))
      names.push_back(found[1]);
  return names;
}

bool is_asked() {
  return std::getenv("TORSOR_FULL") != nullptr && run({"which", "doxygen"}).exit_code == 0;
}

TEST(ApiReference, every_public_name_is_documented) {
  if (!is_asked()) GTEST_SKIP() << "a part of ./test --full, where Doxygen is installed";
  const ScratchFolder scratch;
  std::string found;
  for (const std::string& name : undocumented(TORSOR_SOURCE_DIR "/include/torsor", scratch.path()))
    found += name + "\n";
  EXPECT_EQ(found, "");
}

TEST(ApiReference, a_name_without_comment_in_a_header_without_head_is_found) {
  if (!is_asked()) GTEST_SKIP() << "a part of ./test --full, where Doxygen is installed";
  const ScratchFolder scratch;
  std::filesystem::create_directories(scratch / "headers");
  write_text(scratch / "headers/a.hpp",
             "#pragma once\nnamespace torsor {\nint bare(int x);\nstruct Naked {\n  int x;\n};\n"
             "\n}  // namespace torsor\n");
  write_text(scratch / "headers/b.hpp",
             "#pragma once\n/// What b is about.\n#include <string>\n\nnamespace torsor {\n\n"
             "int headed(int x);\nint below(int x);\n/// Its own.\nint own(int x);\n\n"
             "struct Clothed {\n  int x;\n};\n\n}  // namespace torsor\n");
  std::vector<std::string> names = undocumented(scratch / "headers", scratch.path());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"Naked", "bare"}));
}

TEST(ApiReference, documents_become_pages_with_formulas_whose_links_lead_to_pages) {
  if (std::getenv("TORSOR_FULL") == nullptr || run({"which", "pandoc"}).exit_code != 0)
    GTEST_SKIP() << "a part of ./test --full, where pandoc is installed";
  const ScratchFolder scratch;
  const ProcessResult made =  // a formula that pandoc cannot read is a failure
      run({TORSOR_SOURCE_DIR "/docs/api/pages.sh", TORSOR_SOURCE_DIR "/docs",
           scratch.path().string()});
  ASSERT_EQ(made.exit_code, 0) << made.output;
  const std::string page = read_text(scratch / "theory/joint.html");
  EXPECT_NE(page.find("<math"), std::string::npos);
  EXPECT_NE(page.find("id=\"computed_torque\""), std::string::npos);
  for (const char* name : {"README.html", "theory/README.html", "tutorials/student.zh.html"}) {
    const std::string text = read_text(scratch / name);
    const std::regex link("href=\"([^\":#]+)[\"#]");
    for (std::sregex_iterator l(text.begin(), text.end(), link), none; l != none; ++l)
      EXPECT_TRUE(exists((scratch / name).parent_path() / (*l)[1].str()))
          << name << ": " << (*l)[1];
  }
}

TEST(ApiReference, every_public_header_has_a_head) {
  for (const SourceFile& file : source_files({"include"})) {
    if (file.path.find("/internal/") != std::string::npos) continue;
    const std::size_t second = file.text.find('\n') + 1;
    EXPECT_EQ(file.text.substr(second, 4), "/// ") << file.path;
  }
}

}  // namespace
