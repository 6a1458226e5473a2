#include <CLI/CLI.hpp>
#include <algorithm>

#include "command.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/description.hpp"

namespace torsor::command {
namespace {

constexpr const char* version = "torsor " TORSOR_VERSION "\n";

std::string overview() {
  std::string text = "Torsor " TORSOR_VERSION
                     ": robot kinematics, dynamics, identification and control on Lie groups.\n"
                     "\n"
                     "usage: torsor VERB ROBOT [options]\n"
                     "\n"
                     "ROBOT is a file (.urdf, .xml, .yaml, .yml) or the name of a built-in robot.\n"
                     "\n"
                     "verbs\n";
  std::size_t width = 0;
  for (const Verb* verb : verbs()) width = std::max(width, std::string(verb->name).size());
  for (const Verb* verb : verbs()) {
    std::string name = verb->name;
    name.resize(width + 2, ' ');
    text += "  " + name + verb->summary + "\n";
  }
  text +=
      "\n"
      "first steps\n"
      "  torsor robots                          which robots are built in\n"
      "  torsor info puma560                    joints, masses and limits of one of them\n"
      "  torsor check my_arm.urdf               what is wrong with a file, and what to do\n"
      "  torsor convert my_arm.urdf my_arm.yaml\n"
      "\n"
      "Every verb explains itself with an example: torsor info --help\n"
      "Text is for people, --json for programs. Units are SI and radians; --deg where it exists.\n"
      "Exit code: 0 good, 1 findings or failed work, 2 bad input.\n";
  return text;
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Verb* verb : verbs()) names.emplace_back(verb->name);
  return names;
}

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
  if (!extra.empty()) throw Error("unexpected argument " + torsor::quoted(extra.front()) + hint);
  throw Error(std::string(verb.name) + ": " + error.what() + hint);
}

int run_verb(const Verb& verb, std::vector<std::string> arguments, std::string& out) {
  CLI::App app(verb.summary, std::string("torsor ") + verb.name);
  app.set_help_flag("-h,--help", "this text");
  app.get_formatter()->column_width(26);
  app.footer(std::string("Example\n") + verb.example);
  const Action action = verb.add(app);
  for (CLI::Option* option : app.get_options())  // which exclude which, messages say, not the help
    if (!option->get_excludes().empty() || !option->get_needs().empty())
      option->option_text(option->get_type_size() == 0 ? " " : option->get_type_name() + " ");
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    out += app.help();
    return good;
  } catch (const CLI::ParseError& error) {
    refuse(app, verb, error);
  }
  return action(out);
}

}  // namespace

int run(const std::vector<std::string>& arguments, std::string& out) {
  std::vector<std::string> words = arguments;
  if (words.size() > 1 && words[0] == "help") {  // torsor help info
    words = {words[1], "--help"};
  }
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    out += overview();
    return good;
  }
  if (words[0] == "--version") {
    out += version;
    return good;
  }
  for (const Verb* verb : verbs())
    if (words[0] == verb->name) return run_verb(*verb, {words.begin() + 1, words.end()}, out);
  const bool option = words[0].starts_with("-");
  throw Error(
      (option ? "unknown option " + one_line(words[0]) + "; a verb comes first"
              : "unknown verb " + torsor::quoted(words[0]) + did_you_mean(words[0], verb_names())) +
      " (torsor --help)");
}

}  // namespace torsor::command
