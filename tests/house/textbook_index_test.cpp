// docs/textbook.md and docs/textbook.zh.md lead from every item of the literature to commands, verbs
// and tests that exist; docs/bibliography.md has every source of a header; the folder of scenarios
// has a table of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "house/source_tree.hpp"

using namespace torsor::testing;

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

const fs::path root = TORSOR_SOURCE_DIR;

std::vector<std::string> all_matches(const std::string& text, const std::string& pattern) {
  std::vector<std::string> found;
  const std::regex regex(pattern);
  for (auto m = std::sregex_iterator(text.begin(), text.end(), regex); m != std::sregex_iterator();
       ++m)
    found.push_back((*m)[1]);
  return found;
}
/// The ids in the name of a test: K_1_1_4, D_12, G_3_9b, TV_A_7, X_2_11, L_03, C_08, E_21, ...
std::vector<std::string> ids_in(const std::string& name) {
  return all_matches(
      "_" + name,
      "_(K_\\d+_\\d+_\\d+|[DLCE]_\\d\\d|G_\\d+_\\d+[a-d]?|X_\\d+_\\d+|Example_\\d_\\d|"
      "TV_(?:\\d\\d|[A-Z]_\\d|[A-Z]{4,}))(?=_|$)");
}
bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool has_word(const std::string& text, const std::string& word) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if (at > 0 && is_word_character(text[at - 1])) continue;
    if (end == text.size() || !is_word_character(text[end])) return true;
  }
  return false;
}
/// Names of tests: the second argument of TEST, TEST_F, TEST_P, TYPED_TEST.
std::vector<std::string> test_names(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find("TEST"); at != std::string::npos;
       at = text.find("TEST", at + 1)) {
    const std::size_t comma = text.find_first_of(",;{", at);
    if (comma == std::string::npos || text[comma] != ',') continue;
    const std::size_t begin = text.find_first_not_of(" \n", comma + 1);
    const auto name = text.begin() + static_cast<std::ptrdiff_t>(std::min(begin, text.size()));
    names.emplace_back(name, std::find_if_not(name, text.end(), is_word_character));
  }
  return names;
}
/// Which test programs have a test of an item.
const std::map<std::string, Names>& programs_of_items() {
  static const auto programs = [] {
    std::map<std::string, Names> found;
    for (const SourceFile& file : source_files({"tests"}))
      if (file.path.ends_with("_test.cpp"))
        for (const std::string& name : test_names(file.text))
          for (const std::string& id : ids_in(name)) found[id].insert(fs::path(file.path).stem());
    return found;
  }();
  return programs;
}

struct Row {
  std::string line;
  std::vector<std::string> cells;
};
/// Rows of the tables of a document with this many columns, headings left out.
std::vector<Row> rows_of(const std::string& document, std::size_t columns) {
  std::vector<Row> rows;
  for (const std::string& line : all_matches(read_text(root / document), "([^\n]+)")) {
    if (!line.starts_with("| `")) continue;
    Row row{line, all_matches(line.substr(1), "([^|]*)\\|")};
    if (row.cells.size() == columns) rows.push_back(std::move(row));
  }
  return rows;
}
Names quoted_in(const std::string& cell) {
  const auto names = all_matches(cell, "`([^`]+)`");
  return {names.begin(), names.end()};
}

class TextbookIndex : public ::testing::TestWithParam<const char*> {
 protected:
  const std::vector<Row> rows = rows_of(GetParam(), 5);  // item, meaning, command, verb, test
};

TEST_P(TextbookIndex, every_item_with_a_test_is_listed_with_all_programs_that_test_it) {
  std::map<std::string, Names> listed;
  for (const Row& row : rows)
    for (const std::string& id : quoted_in(row.cells[0])) listed[id].merge(quoted_in(row.cells[4]));
  const auto& tested = programs_of_items();
  EXPECT_GT(tested.size(), 200u);
  for (const auto& [id, programs] : tested)
    for (const std::string& program : programs)
      EXPECT_TRUE(listed[id].contains(program)) << id << " of " << program;
}

TEST_P(TextbookIndex, every_test_that_a_row_names_tests_one_of_its_items) {
  const auto& tested = programs_of_items();
  for (const Row& row : rows) {
    Names programs;
    for (const std::string& id : quoted_in(row.cells[0])) {
      ASSERT_TRUE(tested.contains(id)) << row.line;
      programs.insert(tested.at(id).begin(), tested.at(id).end());
    }
    EXPECT_EQ(quoted_in(row.cells[4]), programs) << row.line;
  }
}

TEST_P(TextbookIndex, every_verb_is_in_the_header_beside_it) {
  std::map<std::string, std::string> headers;  // several of one name are joined
  for (const SourceFile& file : source_files({"include"}))
    headers[fs::path(file.path).filename()] += file.text;
  int checked = 0;
  for (const Row& row : rows)
    for (const std::string& group : all_matches(row.cells[3], "([^;]+)")) {
      const auto header = all_matches(group, "\\(`(\\w+\\.hpp)`\\)");
      if (header.empty()) {
        EXPECT_EQ(group.find('`'), std::string::npos) << "verbs without a header: " << row.line;
        continue;
      }
      ASSERT_TRUE(headers.contains(header[0])) << row.line;
      for (const std::string& verb : quoted_in(group.substr(0, group.find('('))))
        EXPECT_TRUE(has_word(headers[header[0]], verb)) << verb << " in " << header[0];
      ++checked;
    }
  EXPECT_GT(checked, 100);
}

TEST_P(TextbookIndex, every_command_has_a_verb_and_a_robot_or_scenarios_that_exist) {
  const std::string verbs = read_text(root / "apps/torsor/verbs.cpp");
  int checked = 0;
  for (const Row& row : rows)
    for (const std::string& command : quoted_in(row.cells[2])) {
      const auto words = all_matches(command, "(\\S+)");
      ASSERT_GE(words.size(), 3u) << command;
      EXPECT_EQ(words[0], "torsor") << command;
      EXPECT_TRUE(has_word(verbs, words[1])) << command;
      const bool file = words[2].ends_with(".yaml"), pattern = words[2].ends_with("*.yaml");
      const fs::path place = pattern ? fs::path(words[2]).parent_path()
                             : file  ? fs::path(words[2])
                                     : fs::path("models/" + words[2] + ".yaml");
      EXPECT_TRUE(fs::exists(root / place)) << command;
      ++checked;
    }
  EXPECT_GT(checked, 60);
}

INSTANTIATE_TEST_SUITE_P(Languages, TextbookIndex,
                         ::testing::Values("docs/textbook.md", "docs/textbook.zh.md"),
                         [](const auto& p) { return p.index == 0 ? "english" : "chinese"; });

TEST(TextbookIndexLanguages, say_the_same_but_for_the_meaning) {
  const auto english = rows_of("docs/textbook.md", 5), chinese = rows_of("docs/textbook.zh.md", 5);
  ASSERT_EQ(english.size(), chinese.size());
  for (std::size_t i = 0; i < english.size(); ++i)
    for (const std::size_t cell : {0u, 2u, 3u, 4u})
      EXPECT_EQ(english[i].cells[cell], chinese[i].cells[cell]) << english[i].line;
}

TEST(ScenarioTable, lists_every_scenario_with_its_law_and_nothing_else) {
  const fs::path folder = root / "examples/scenarios";
  std::map<std::string, Names> laws;  // by file
  for (const Row& row : rows_of("examples/scenarios/README.md", 4))
    for (const std::string& file : quoted_in(row.cells[0])) laws[file] = quoted_in(row.cells[2]);
  int scenarios = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string name = entry.path().filename();
    ASSERT_TRUE(laws.contains(name)) << name << " is not in the table";
    const auto law = all_matches(read_text(entry.path()), "\n  law: (\\w+)");
    ASSERT_EQ(law.size(), 1u) << name;
    EXPECT_EQ(laws[name], Names{law[0]}) << name;
    ++scenarios;
  }
  EXPECT_EQ(static_cast<int>(laws.size()), scenarios) << "the table lists files that are gone";
}

/// Lines of "/// Source" comments and those that continue them, joined.
std::string sources_cited_in(const std::string& text) {
  std::string cited;
  for (std::size_t at = text.find("/// Source"); at != std::string::npos;
       at = text.find("/// Source", at + 1)) {
    std::size_t end = text.find('\n', at);
    cited += text.substr(at + 10, end - at - 10);
    while (end != std::string::npos && text.compare(end + 1, 8, "///     ") == 0) {
      const std::size_t next = text.find('\n', end + 1);
      cited += text.substr(end + 4, next - end - 4);
      end = next;
    }
    cited += '\n';
  }
  return cited;
}

TEST(Bibliography, has_every_author_and_year_that_a_header_names_as_its_source) {
  Names keys;  // the last author of each key with the year
  for (const std::string& key :
       all_matches(read_text(root / "docs/bibliography.md"), "\n\\| [^|]*?(\\S+ \\d{4}) \\|"))
    keys.insert(key);
  EXPECT_GT(keys.size(), 90u);
  int cited = 0;
  for (const SourceFile& file : source_files({"include", "src"}))
    for (const std::string& source :
         all_matches(sources_cited_in(file.text), "\\b([A-Z][A-Za-z-]+ +(?:19|20)\\d\\d)\\b")) {
      const std::string key = std::regex_replace(source, std::regex(" +"), " ");
      EXPECT_TRUE(keys.contains(key)) << key << " in " << file.path;
      ++cited;
    }
  EXPECT_GT(cited, 100);
}

}  // namespace
