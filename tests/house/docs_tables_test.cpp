// Tables of the documents that say which header has a verb, and which test holds a claim, are true;
// links lead to files that are there.
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
  // tests/control/law_registry_test.cpp holds the tables of control.md.
  for (const auto& entry : std::filesystem::directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md" && entry.path().filename() != "control.md")
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

/// Markdown of the tree: what was installed by others (node_modules) and built is left out.
std::vector<std::filesystem::path> documents() {
  std::vector<std::filesystem::path> files;
  for (auto entry = std::filesystem::recursive_directory_iterator(root);
       entry != std::filesystem::recursive_directory_iterator(); ++entry) {
    const std::string name = entry->path().filename();
    if (name == "node_modules" || name == "build" || name.starts_with("."))
      entry.disable_recursion_pending();
    else if (entry->path().extension() == ".md")
      files.push_back(entry->path());
  }
  return files;
}
/// The word that a link to a heading uses: lower case, hyphens for blanks, nothing but words.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading)
    if (c == ' ')
      anchor += '-';
    else if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c < 0)
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return anchor;
}
bool has_heading(const std::filesystem::path& file, const std::string& anchor) {
  for (const std::string& line : lines_of(file)) {
    const std::size_t text = line.find_first_not_of('#');
    if (text == 0 || text == std::string::npos || line[text] != ' ') continue;
    if (anchor_of(line.substr(text + 1)) == anchor) return true;
  }
  return false;
}

TEST(Documents, links_lead_to_files_and_headings_that_are_there) {
  const std::regex link(R"(\]\(([^)#\s]+)(?:#([^)]*))?\))");
  int checked = 0;
  for (const std::filesystem::path& document : documents()) {
    bool code = false;
    for (const std::string& line : lines_of(document)) {
      if (line.starts_with("```")) code = !code;
      if (code) continue;
      for (std::sregex_iterator m(line.begin(), line.end(), link), end; m != end; ++m) {
        const std::string target = (*m)[1], anchor = (*m)[2];
        if (target.find("://") != std::string::npos) continue;
        const std::filesystem::path file = document.parent_path() / target;
        const std::string where = document.lexically_relative(root).string() + ": " + line;
        ++checked;
        EXPECT_TRUE(exists(file)) << where;
        if (!anchor.empty() && file.extension() == ".md" && exists(file)) {
          EXPECT_TRUE(has_heading(file, anchor)) << where;
        }
      }
    }
  }
  EXPECT_GT(checked, 200);
}

}  // namespace
