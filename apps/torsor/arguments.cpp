#include <CLI/CLI.hpp>
#include <algorithm>

#include "command.hpp"
#include "text_output.hpp"
#include "torsor/experiments/internal/ranks.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/description.hpp"

namespace torsor::command {

Argument Argument::required() const {
  option_->required();
  return *this;
}
Argument Argument::type_name(const char* word) const {
  option_->type_name(word);
  return *this;
}
Argument Argument::needs(Argument other) const {
  option_->needs(other.option_);
  return *this;
}
Argument Argument::excludes(Argument other) const {
  option_->excludes(other.option_);
  return *this;
}
Argument Argument::range(long lowest, long highest) const {
  option_->check(CLI::Range(lowest, highest).description(""));
  return *this;
}
Argument Argument::repeatable() const {
  option_->take_all()->allow_extra_args(false);
  return *this;
}
Argument Argument::show_default() const {
  option_->capture_default_str();
  return *this;
}

namespace {

/// A positional argument is written in capitals, like ROBOT.
std::string option_name(const char* name) {
  std::string text = name;
  if (text.starts_with("-")) return text;
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}
/// What stands for the value in the help, unless the verb says.
const char* usual_type(const std::string& name) {
  if (!name.starts_with("-")) return "";
  for (const char* file : {"--output", "--report", "--figure", "--journal"})
    if (name.find(file) != std::string::npos) return "FILE";
  return "TEXT";
}
template <class Value>
Argument add_text(CLI::App& app, const char* name, Value& value, const std::string& help) {
  CLI::Option* const option = app.add_option(option_name(name), value, help);
  option->type_name(usual_type(name));
  return Argument(option);
}
template <class Value>
Argument add_number(CLI::App& app, const char* name, Value& value, const std::string& help) {
  CLI::Option* const option = app.add_option(name, value, help);
  option->type_name("N");
  return Argument(option);
}

}  // namespace

Argument Arguments::add_flag(const char* name, bool& flag, const std::string& help) {
  return Argument(app_.add_flag(name, flag, help));
}
Argument Arguments::add_option(const char* name, std::string& text, const std::string& help) {
  return add_text(app_, name, text, help);
}
Argument Arguments::add_option(const char* name, std::optional<std::string>& text,
                               const std::string& help) {
  return add_text(app_, name, text, help);
}
Argument Arguments::add_option(const char* name, std::vector<std::string>& texts,
                               const std::string& help) {
  return add_text(app_, name, texts, help);
}
Argument Arguments::add_option(const char* name, int& number, const std::string& help) {
  return add_number(app_, name, number, help);
}
Argument Arguments::add_option(const char* name, std::optional<long>& number,
                               const std::string& help) {
  return add_number(app_, name, number, help);
}
Argument Arguments::add_option(const char* name, std::optional<std::uint64_t>& number,
                               const std::string& help) {
  return add_number(app_, name, number, help);
}

namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

/// One line for every way in which words do not fit the options of a verb.
[[noreturn]] void refuse(const CLI::App& app, const Verb& verb, const CLI::ParseError& error) {
  const std::string hint = " (torsor " + std::string(verb.name) + " --help)";
  const std::vector<std::string> extra = app.remaining();
  const auto is_option = [](const std::string& word) {
    return word.size() > 1 && word[0] == '-' && !parse_number(word);
  };
  const auto unknown = std::find_if(extra.begin(), extra.end(), is_option);
  if (unknown != extra.end()) {
    const std::string name = unknown->substr(0, unknown->find('='));
    throw Error("unknown option " + name + " of " + verb.name +
                did_you_mean(name, option_names(app)) + hint);
  }
  if (!extra.empty())
    throw Error("unexpected argument " + in_quotes(extra.front()) +
                (parse_number(extra.front())
                     ? "; the numbers of a list stand in one word, with commas: 1,2.5,-3"
                     : "") +
                hint);
  throw Error(std::string(verb.name) + ": " + error.what() + hint);
}

/// name:=value, as arguments of xacro files are written.
bool is_assignment(const std::string& word) {
  const std::size_t at = word.find(":=");
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '/';
  };
  return at != word.npos && at > 0 && word[0] != '-' &&
         std::all_of(word.begin(), word.begin() + static_cast<long>(at), fits);
}

constexpr std::size_t help_column = 26;

/// A command of an example, in lines that fit: its remark above it, and broken before an option.
std::string fitted_command(std::string line) {
  const std::size_t columns = reading_columns();
  if (line.size() <= columns) return line;
  std::string out;
  if (const std::size_t remark = line.find(" # "); remark != std::string::npos) {
    out = "  " + line.substr(remark + 1) + "\n";
    line.erase(line.find_last_not_of(' ', remark) + 1);
  }
  while (line.size() > columns) {
    const std::size_t at = line.rfind(" -", columns - 2);
    if (at == std::string::npos || line.find_first_not_of(' ') >= at) break;
    out += line.substr(0, at) + " \\\n";
    line = "      " + line.substr(at + 1);
  }
  return out + line;
}

/// The descriptions of arguments and the sentences after the examples, broken at the width of the
/// terminal.
std::string wrapped_help(const std::string& help) {
  std::string out, paragraph;
  bool example = false;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) out += wrapped(paragraph, 0, reading_columns()) + "\n";
    paragraph.clear();
  };
  for (std::size_t begin = 0; begin < help.size();) {
    const std::size_t end = std::min(help.find('\n', begin), help.size());
    const std::string line = help.substr(begin, end - begin);
    begin = end + 1;
    const bool sentence = example && !line.empty() && line.front() != ' ';
    if (sentence) {
      paragraph += (paragraph.empty() ? "" : " ") + line;
      continue;
    }
    end_paragraph();
    const bool described = line.size() > help_column && line.starts_with("  ") && !example;
    out += described ? line.substr(0, help_column) + wrapped(line.substr(help_column), help_column)
           : example ? fitted_command(line)
           : line.starts_with(" ") ? line
                                   : wrapped(line, 0, reading_columns());
    out += '\n';
    example = example || line == "Example";
  }
  end_paragraph();
  return out;
}

}  // namespace

int run_verb(const Verb& verb, std::vector<std::string> words, std::string& out) {
  CLI::App app(verb.summary, std::string("torsor ") + verb.name);
  app.set_help_flag("-h,--help", "this text");
  app.get_formatter()->column_width(help_column);
  app.footer(std::string("Example\n") + verb.example);
  Arguments arguments(app);
  const Action action = verb.add(arguments);
  for (CLI::Option* option : app.get_options())  // which exclude which, messages say, not the help
    if (!option->get_excludes().empty() || !option->get_needs().empty())
      option->option_text(option->get_type_size() == 0 ? " " : option->get_type_name() + " ");
  if (std::vector<std::string>* assignments = arguments.assignments()) {
    std::copy_if(words.begin(), words.end(), std::back_inserter(*assignments), is_assignment);
    std::erase_if(words, is_assignment);
  }
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    if (internal::launch().rank > 0) return good;  // the first rank answers
    out += wrapped_help(app.help());
    return good;
  } catch (const CLI::ParseError& error) {
    if (internal::launch().rank > 0) return good;
    refuse(app, verb, error);
  }
  return action(out);
}

VerbWords words_of(const Verb& verb) {
  CLI::App app;
  app.set_help_flag("-h,--help");
  Arguments arguments(app);
  (void)verb.add(arguments);
  VerbWords words{option_names(app), {}};
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional()) words.positionals.push_back(option->get_name());
  return words;
}

std::vector<std::pair<std::string, std::string>> Arguments::written() const {
  std::vector<std::pair<std::string, std::string>> out;
  std::vector<const CLI::Option*> seen;
  for (const CLI::Option* option : app_.parse_order()) {
    const auto before = std::count(seen.begin(), seen.end(), option);
    seen.push_back(option);
    const auto& values = option->results();
    if (option->get_lnames().empty() || static_cast<std::size_t>(before) >= values.size()) continue;
    out.emplace_back("--" + option->get_lnames().front(), values[static_cast<std::size_t>(before)]);
  }
  return out;
}

}  // namespace torsor::command
