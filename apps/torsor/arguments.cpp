#include <CLI/CLI.hpp>
#include <algorithm>

#include "command.hpp"
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
  option_->check(CLI::Range(lowest, highest));
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

Argument Arguments::add_flag(const char* name, bool& flag, const std::string& help) {
  return Argument(app_.add_flag(name, flag, help));
}
Argument Arguments::add_option(const char* name, std::string& text, const std::string& help) {
  return Argument(app_.add_option(name, text, help));
}
Argument Arguments::add_option(const char* name, std::optional<std::string>& text,
                               const std::string& help) {
  return Argument(app_.add_option(name, text, help));
}
Argument Arguments::add_option(const char* name, std::vector<std::string>& texts,
                               const std::string& help) {
  return Argument(app_.add_option(name, texts, help));
}
Argument Arguments::add_option(const char* name, int& number, const std::string& help) {
  return Argument(app_.add_option(name, number, help));
}
Argument Arguments::add_option(const char* name, std::optional<long>& number,
                               const std::string& help) {
  return Argument(app_.add_option(name, number, help));
}
Argument Arguments::add_option(const char* name, std::optional<std::uint64_t>& number,
                               const std::string& help) {
  return Argument(app_.add_option(name, number, help));
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

}  // namespace

int run_verb(const Verb& verb, std::vector<std::string> words, std::string& out) {
  CLI::App app(verb.summary, std::string("torsor ") + verb.name);
  app.set_help_flag("-h,--help", "this text");
  app.get_formatter()->column_width(26);
  app.footer(std::string("Example\n") + verb.example);
  Arguments arguments(app);
  const Action action = verb.add(arguments);
  for (CLI::Option* option : app.get_options())  // which exclude which, messages say, not the help
    if (!option->get_excludes().empty() || !option->get_needs().empty())
      option->option_text(option->get_type_size() == 0 ? " " : option->get_type_name() + " ");
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    out += app.help();
    return good;
  } catch (const CLI::ParseError& error) {
    refuse(app, verb, error);
  }
  return action(out);
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
