// What docs/theory says of the laws of a page. Of Markdown those pages use paragraphs, formulas, bold,
// emphasis, code, links and one table.
#include "report/theory.hpp"

#include <algorithm>
#include <vector>

#include "report/formula.hpp"
#include "report/plot.hpp"
#include "torsor/experiments/internal/run_facts.hpp"
#include "torsor/model/error.hpp"

namespace torsor::report {

namespace {

std::string_view page(std::string_view name) {
  for (const builtin::File& file : theory_files())
    if (file.name == name) return file.text;
  throw Error("there is no page " + std::string(name) + " of theory");
}

/// One line of text as HTML.
std::string inline_html(std::string_view text) {
  std::string out;
  bool strong = false, emphasis = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    const std::size_t close = rest.size() < 2 ? rest.npos : rest.find(rest[0], 1);
    if (rest.starts_with("**")) {
      out += strong ? "</b>" : "<b>";
      strong = !strong;
      at += 2;
    } else if (rest[0] == '*') {
      out += emphasis ? "</em>" : "<em>";
      emphasis = !emphasis;
      ++at;
    } else if (rest[0] == '$' && close != rest.npos) {
      out += mathml(rest.substr(1, close - 1), false);
      at += close + 1;
    } else if (rest[0] == '`' && close != rest.npos) {
      out += "<code>" + escaped(rest.substr(1, close - 1)) + "</code>";
      at += close + 1;
    } else if (const std::size_t middle = rest.find("]("); rest[0] == '[' && middle != rest.npos) {
      const std::size_t end = rest.find(')', middle);
      out += "<cite>" + escaped(rest.substr(1, middle - 1)) + "</cite>";
      at += end == rest.npos ? rest.size() : end + 1;
    } else {
      const std::size_t next = std::min(rest.find_first_of("*$`[", 1), rest.size());
      out += escaped(rest.substr(0, next));
      at += next;
    }
  }
  return out;
}

/// Paragraphs, of which those in two dollars are formulas on lines of their own.
std::string paragraphs(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find("\n\n", at), text.size());
    std::string one(text.substr(at, end - at));
    at = end + 2;
    one.erase(0, one.find_first_not_of('\n'));
    one.erase(one.find_last_not_of('\n') + 1);
    if (one.empty()) continue;
    std::replace(one.begin(), one.end(), '\n', ' ');
    if (one.starts_with("$$") && one.ends_with("$$") && one.size() > 4)
      out += "<div class=\"scroll\" tabindex=\"0\">" +
             mathml(std::string_view(one).substr(2, one.size() - 4), true) + "</div>\n";
    else
      out += "<p>" + inline_html(one) + "</p>\n";
  }
  return out;
}

/// From the line after `heading` to the next heading.
std::string_view below(std::string_view text, const std::string& heading) {
  const std::size_t begin = text.find("\n" + heading + "\n");
  if (begin == text.npos) throw Error("theory has no heading \"" + heading + "\"");
  text = text.substr(begin + heading.size() + 2);
  return text.substr(0, std::min(text.find("\n## "), text.size()));
}

/// What a page says before its sections, but for where its letters are.
std::string_view introduction(std::string_view text) {
  text = text.substr(0, std::min(text.find("\n## "), text.size()));
  const std::size_t title = text.find("\n\n");
  if (title == text.npos) return {};
  text = text.substr(title + 2);
  if (!text.starts_with("Letters:")) return text;
  const std::size_t end = text.find(").");
  return end == text.npos ? std::string_view() : text.substr(end + 2);
}

}  // namespace

std::string theory_anchor(const LawEntry& law) { return std::string("theory-") + law.name; }

std::string theory_section(const LawEntry& law) {
  const std::string where = internal::theory_of(law);  // docs/theory/joint.md#computed_torque
  const std::size_t slash = where.rfind('/'), hash = where.find('#');
  const std::string_view text = page(where.substr(slash + 1, hash - slash - 1));
  return paragraphs(introduction(text)) + paragraphs(below(text, std::string("## ") + law.name));
}

std::string theory_letters() {
  std::string out =
      "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">letter</th>"
      "<th scope=\"col\">meaning</th></tr></thead><tbody>\n";
  const std::string_view text = below(page("README.md"), "## Letters");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    const std::size_t middle = line.find(" | ", 2);
    if (!line.starts_with("| $") || middle == line.npos) continue;
    const std::string_view meaning = line.substr(middle + 3);
    out += "<tr><th scope=\"row\">" + inline_html(line.substr(2, middle - 2)) + "</th><td>" +
           inline_html(meaning.substr(0, std::min(meaning.find(" |"), meaning.size()))) +
           "</td></tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string theory_part(const Report& report) {
  std::string out;
  std::vector<std::string> known;
  const auto fold = [](const std::string& title, const std::string& id, const std::string& text) {
    return "<details class=\"theory\"><summary>" + title + "</summary>\n<div id=\"" + id + "\">\n" +
           text + "</div></details>\n";
  };
  for (const ReportSection& section : report.sections)
    for (const ReportRun& run : section.runs)
      for (const LawEntry& law : laws()) {
        if (run.recording->controller != law.name) continue;
        if (std::find(known.begin(), known.end(), law.name) != known.end()) continue;
        known.emplace_back(law.name);
        out += fold(std::string(law.name) + " <small>" + escaped(law.claim) + "</small>",
                    theory_anchor(law),
                    theory_section(law) + "<p class=\"remark\">In the documents of Torsor: <cite>" +
                        escaped(internal::theory_of(law)) + "</cite></p>\n");
      }
  if (out.empty()) return "";
  return "<h2>Theory</h2>\n<p class=\"lead\">What each law assumes, what then follows, why, and "
         "which "
         "part of it the program evaluates.</p>\n" +
         out + fold("Letters", "theory-letters", theory_letters());
}

}  // namespace torsor::report
