// docs/theory beside the program: every law has its section with all parts, every section is about
// something that exists, citations are in the bibliography, and links of all documents resolve.
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "apps/command.hpp"

namespace torsor::testing {
namespace {

namespace fs = std::filesystem;
const fs::path root = TORSOR_SOURCE_DIR;
const std::vector<std::string> law_pages = {"joint", "uncertain", "task", "arms", "beside"};
const std::vector<std::string> other_pages = {"dynamics",        "derivatives",    "loops",
                                              "base-parameters", "identification", "stability"};

struct Section {
  std::string title, text;
};
/// By headings of the second level.
std::vector<Section> sections_of(const fs::path& page) {
  std::vector<Section> all;
  std::istringstream lines(read_text(page));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## "))
      all.push_back({line.substr(3), ""});
    else if (!all.empty())
      all.back().text += line + "\n";
  }
  return all;
}
fs::path theory(const std::string& page) { return root / "docs/theory" / (page + ".md"); }

std::vector<fs::path> documents() {
  std::vector<fs::path> all = {root / "README.md", root / "README.zh.md"};
  for (const char* folder : {"docs", "examples"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
      if (entry.path().extension() == ".md") all.push_back(entry.path());
  return all;
}

TEST(TheoryPages, every_law_has_its_section_and_the_command_names_it) {
  std::set<std::string> names;
  const nlohmann::json all = torsor_command({"laws", "--json"}).json();
  for (const auto& law : all["laws"]) {
    const std::string name = law["name"], where = law["theory"];
    const std::string page = where.substr(0, where.find('#'));
    ASSERT_TRUE(exists(root / page)) << where;
    EXPECT_EQ(where, page + "#" + name);
    EXPECT_TRUE(torsor_command({"laws", name}).says("  theory    " + where + "\n")) << name;
    int found = 0;
    for (const Section& s : sections_of(root / page)) found += s.title == name ? 1 : 0;
    EXPECT_EQ(found, 1) << name << " in " << page;
    names.insert(name);
  }
  EXPECT_GE(names.size(), 28u);
  for (const std::string& page : law_pages)
    for (const Section& s : sections_of(theory(page)))
      EXPECT_TRUE(names.contains(s.title)) << s.title << " of " << page << ".md is no law";
}

TEST(TheoryPages, a_law_is_told_in_all_its_parts) {
  for (const std::string& page : law_pages)
    for (const Section& s : sections_of(theory(page))) {
      EXPECT_EQ(s.text.find("\n$$"), s.text.find_first_not_of('\n') - 1)
          << s.title << ": the law first";
      std::size_t from = 0;
      for (const char* part : {"Assumptions", "Statement", "Proof", "Evaluated", "Source"}) {
        const std::size_t at = s.text.find("\n**" + std::string(part) + ".** ", from);
        EXPECT_NE(at, std::string::npos) << s.title << ": " << part;
        if (at != std::string::npos) from = at;
      }
    }
}

TEST(TheoryPages, other_sections_name_verbs_that_their_headers_have) {
  std::map<std::string, std::string> headers;
  for (const auto& entry : fs::recursive_directory_iterator(root / "include"))
    if (entry.is_regular_file()) headers[entry.path().filename()] += read_text(entry.path());
  int checked = 0;
  for (const std::string& page : other_pages)
    for (const Section& s : sections_of(theory(page))) {
      const std::size_t at = s.text.find("\nVerbs: ");
      ASSERT_NE(at, std::string::npos) << page << ": " << s.title;
      const std::size_t end = s.text.find("\n\n", at);
      const std::string line = s.text.substr(at, end - at);
      const std::regex group("((?:`\\w+`,?\\s+)+)\\((\\w+\\.hpp)\\)"), verb("`(\\w+)`");
      for (std::sregex_iterator g(line.begin(), line.end(), group), none; g != none; ++g) {
        const std::string verbs = (*g)[1], header = (*g)[2];
        ASSERT_TRUE(headers.contains(header)) << header;
        for (std::sregex_iterator v(verbs.begin(), verbs.end(), verb); v != none; ++v, ++checked)
          EXPECT_TRUE(std::regex_search(headers[header], std::regex("\\b" + (*v)[1].str() + "\\b")))
              << (*v)[1] << " in " << header;
      }
    }
  EXPECT_GT(checked, 40);
}

TEST(TheoryPages, what_is_cited_is_in_the_bibliography) {
  std::vector<std::string> keys;
  std::istringstream lines(read_text(root / "docs/bibliography.md"));
  for (std::string line; std::getline(lines, line);)
    if (std::smatch row; std::regex_search(line, row, std::regex("^\\| ([^|]* \\d{4}) \\|")))
      keys.push_back(row[1]);
  ASSERT_GT(keys.size(), 100u);
  int cited = 0;
  for (const auto& entry : fs::directory_iterator(root / "docs/theory")) {
    const std::string text = std::regex_replace(read_text(entry.path()), std::regex("\n"), " ");
    const std::regex year("\\b(?:19|20)\\d\\d\\b");
    for (std::sregex_iterator y(text.begin(), text.end(), year), none; y != none; ++y, ++cited) {
      const auto to = static_cast<std::size_t>(y->position()) + 4;
      const std::string before = text.substr(0, to);
      EXPECT_TRUE(std::any_of(keys.begin(), keys.end(),
                              [&](const std::string& key) { return before.ends_with(key); }))
          << entry.path() << ": ..." << before.substr(to < 60 ? 0 : to - 60);
    }
  }
  EXPECT_GT(cited, 80);
  for (const std::string& page : law_pages)
    for (const Section& s : sections_of(theory(page))) {
      const std::string source = s.text.substr(s.text.find("**Source.**"));
      EXPECT_TRUE(std::regex_search(source, std::regex("\\d{4}"))) << s.title;
    }
}

TEST(TheoryPages, a_letter_is_defined_once) {
  std::set<std::string> letters;
  std::istringstream lines(read_text(theory("README")));
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    inside = inside ? !line.empty() || letters.empty() : line == "| letter | meaning | elsewhere |";
    if (!inside || !line.starts_with("| $")) continue;
    const std::string cell = line.substr(0, line.find('|', 2));
    const std::regex formula("\\$([^$=]*)[^$]*\\$");
    for (std::sregex_iterator f(cell.begin(), cell.end(), formula), none; f != none; ++f) {
      std::istringstream names(
          std::regex_replace((*f)[1].str(), std::regex("\\(.*?\\)"), ""));  // arguments are others
      for (std::string name; std::getline(names, name, ',');) {
        name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
        EXPECT_TRUE(letters.insert(name).second) << name << " twice";
      }
    }
  }
  EXPECT_GT(letters.size(), 40u);
}

TEST(TheoryPages, formulas_are_closed_and_their_braces_match) {
  for (const auto& entry : fs::directory_iterator(root / "docs/theory")) {
    const std::string text = read_text(entry.path());
    std::istringstream paragraphs(text);
    int dollars = 0, depth = 0, number = 0;
    for (std::string line; std::getline(paragraphs, line);) {
      ++number;
      for (const char c : line)
        dollars += c == '$' ? 1 : 0, depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      EXPECT_EQ(dollars % 2, 0) << entry.path() << ":" << number << ": a formula over two lines";
      EXPECT_EQ(depth, 0) << entry.path() << ":" << number;
    }
  }
}

/// As GitHub makes it from a heading.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto u = static_cast<unsigned char>(c);
    if (u >= 128 || std::isalnum(u) || c == '_' || c == '-')
      anchor += static_cast<char>(std::tolower(u));
    if (c == ' ') anchor += '-';
  }
  return anchor;
}

TEST(Documents, links_resolve) {
  int checked = 0;
  for (const fs::path& page : documents()) {
    const std::string text = read_text(page);
    const std::regex link("\\]\\(([^)\\s]+)\\)");
    for (std::sregex_iterator l(text.begin(), text.end(), link), none; l != none; ++l) {
      const std::string target = (*l)[1];
      if (target.find("://") != std::string::npos) continue;
      const std::size_t hash = target.find('#');
      const fs::path file = hash == 0 ? page : page.parent_path() / target.substr(0, hash);
      EXPECT_TRUE(exists(file)) << page << ": " << target;
      ++checked;
      if (hash == std::string::npos || !exists(file)) continue;
      std::set<std::string> anchors;
      std::istringstream lines(read_text(file));
      for (std::string line; std::getline(lines, line);)
        if (const std::size_t at = line.find_first_not_of('#'); at != 0 && at != line.npos)
          anchors.insert(anchor_of(line.substr(at + 1)));
      EXPECT_TRUE(anchors.contains(target.substr(hash + 1))) << page << ": " << target;
    }
  }
  EXPECT_GT(checked, 150);
}

TEST(Documents, the_index_names_every_page) {
  const std::string index = read_text(root / "docs/README.md");
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs")) {
    const std::string path = fs::relative(entry.path(), root / "docs").generic_string();
    if (!path.ends_with(".md") || path == "README.md") continue;
    if (path.starts_with("theory/") && path != "theory/README.md") continue;  // its own index
    EXPECT_NE(index.find("](" + path + ")"), std::string::npos) << path;
  }
  const std::string theory_index = read_text(theory("README"));
  for (const auto& entry : fs::directory_iterator(root / "docs/theory")) {
    const std::string name = entry.path().filename();
    if (name == "README.md") continue;
    EXPECT_NE(theory_index.find("](" + name + ")"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace torsor::testing
