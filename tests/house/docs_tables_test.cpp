// Tables of the documents that say which header has a verb, and which test holds a claim, are true.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>

#include "house/process.hpp"

using namespace torsor::testing;

namespace {

const std::filesystem::path root = TORSOR_SOURCE_DIR;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  for (std::size_t begin = 1; begin < line.size();) {
    const std::size_t end = line.find('|', begin);
    if (end == std::string::npos) break;
    cells.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return cells;
}
/// What stands between back quotes.
std::vector<std::string> quoted_in(const std::string& cell) {
  std::vector<std::string> names;
  for (std::size_t begin = cell.find('`'); begin != std::string::npos;) {
    const std::size_t end = cell.find('`', begin + 1);
    if (end == std::string::npos) break;
    names.push_back(cell.substr(begin + 1, end - begin - 1));
    begin = cell.find('`', end + 1);
  }
  return names;
}
/// Text of every file below a folder, by file name (several of one name are joined).
std::map<std::string, std::string> texts_below(const std::string& folder) {
  std::map<std::string, std::string> texts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder))
    if (entry.is_regular_file()) texts[entry.path().filename()] += read_text(entry.path());
  return texts;
}
std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::vector<std::string> lines;
  const std::string text = read_text(file);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}
std::vector<std::string> lines_of_documents() {
  std::vector<std::string> lines;
  for (const auto& entry : std::filesystem::directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md")
      for (std::string& line : lines_of(entry.path())) lines.push_back(std::move(line));
  return lines;
}

TEST(DocsTables, a_verb_is_in_the_header_that_its_row_names) {
  const auto headers = texts_below("include");
  int checked = 0;
  for (const std::string& line : lines_of_documents()) {
    const std::vector<std::string> cells = cells_of(line);
    if (!line.starts_with("| `") || cells.size() < 2) continue;
    const std::string header = std::regex_replace(cells[1], std::regex("[ `]"), "");
    if (!header.ends_with(".hpp")) continue;
    ASSERT_TRUE(headers.contains(header)) << line;
    for (const std::string& verb : quoted_in(cells[0])) {
      const std::regex word("\\b" + verb + "\\b");
      EXPECT_TRUE(std::regex_search(headers.at(header), word)) << verb << " in " << header;
      ++checked;
    }
  }
  EXPECT_GT(checked, 60);
}

TEST(DocsTables, a_law_takes_the_gains_that_its_row_names) {
  std::string sources;
  for (const auto& [name, text] : texts_below("src/control")) sources += text;
  int checked = 0;
  for (const std::string& line : lines_of(root / "docs/control.md")) {
    const std::vector<std::string> cells = cells_of(line);
    if (!line.starts_with("| `") || cells.size() != 4) continue;
    const std::regex word("[A-Za-z_0-9]+");
    for (auto w = std::sregex_iterator(cells[2].begin(), cells[2].end(), word);
         w != std::sregex_iterator(); ++w, ++checked)
      EXPECT_NE(sources.find("\"" + w->str() + "\""), std::string::npos) << line;
  }
  EXPECT_GT(checked, 80);
}

TEST(DocsTables, a_test_that_a_row_names_exists) {
  std::string tests;
  for (const auto& [name, text] : texts_below("tests"))
    if (name.ends_with("_test.cpp")) tests += text;
  int checked = 0;
  for (const std::string& line : lines_of_documents()) {
    const std::vector<std::string> cells = cells_of(line);
    if (!line.starts_with("|") || cells.empty()) continue;
    for (const std::string& name : quoted_in(cells.back())) {
      const bool word = std::regex_match(name, std::regex("\\w+"));
      const bool sentence = word && std::count(name.begin(), name.end(), '_') >= 4;
      if (!sentence || name.ends_with("_test")) continue;  // a program, of textbook_index_test
      EXPECT_NE(tests.find(", " + name + ")"), std::string::npos) << name;
      ++checked;
    }
  }
  EXPECT_GT(checked, 5);
}

}  // namespace
