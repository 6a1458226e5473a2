#include <algorithm>
#include <cstdlib>

#include "command.hpp"
#include "manual.hpp"
#include "text_output.hpp"
#include "torsor/formats/robot_format.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/math/instruction_set.hpp"
#include "torsor/math/internal/kernel_table.hpp"
#include "torsor/model/description.hpp"

namespace torsor::command {
namespace {

std::string version() {
  return "torsor " TORSOR_VERSION " (instruction set " + instruction_set() + ")\n";
}

/// TORSOR_ARCH is input like any other.
void check_instruction_set() {
  if (const char* wrong = internal::wrong_instruction_set())
    throw Error("environment variable TORSOR_ARCH: " + in_quotes(std::getenv("TORSOR_ARCH")) +
                " is " + wrong);
}

std::string overview() {
  std::string text = "Torsor " TORSOR_VERSION
                     ": robot kinematics, dynamics and control on Lie groups.\n"
                     "\n"
                     "usage: torsor VERB ROBOT [options]\n"
                     "\n"
                     "ROBOT is a file (" +
                     robot_extensions(", ") +
                     ")\nor the name of a built-in robot.\n"
                     "\n"
                     "verbs\n";
  std::size_t width = 0;
  for (const Verb* verb : verbs()) width = std::max(width, std::string(verb->name).size());
  for (const Verb* verb : verbs()) {
    std::string name = verb->name;
    name.resize(width + 2, ' ');
    text += "  " + name + wrapped(verb->summary, width + 4) + "\n";
  }
  text +=
      "\n"
      "first steps\n"
      "  torsor robots                            # which robots are built in\n"
      "  torsor info puma560                      # joints, masses, limits of one\n"
      "  torsor check my_arm.urdf                 # what is wrong, and what to do\n"
      "  torsor convert my_arm.urdf my_arm.yaml   # URDF to a robot file\n"
      "\n"
      "Every verb has a help text with examples: torsor info --help\n"
      "Words complete in bash after: source <(torsor --completion)\n"
      "Text is for people, --json for programs.\n"
      "Units are SI and radians; degrees where --deg is given.\n"
      "Exit code: 0 good, 1 findings or failed work, 2 bad input.\n";
  return text;
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Verb* verb : verbs()) names.emplace_back(verb->name);
  return names;
}

std::string& typed() {
  static std::string words;
  return words;
}

}  // namespace

const std::string& command_line() { return typed(); }

int run(const std::vector<std::string>& given, std::string& out) {
  std::vector<std::string> words = given;
  typed() = "torsor";
  for (const std::string& word : given) typed() += " " + one_line(word);
  check_instruction_set();
  if (words.size() > 1 && words[0] == "help") {  // torsor help info
    words = {words[1], "--help"};
  }
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    out += overview();
    return good;
  }
  if (words[0] == "--completion" || words[0] == "--manual") {
    out += words[0] == "--manual" ? manual_page(overview()) : bash_completion();
    return good;
  }
  if (words[0] == "--version" || words[0] == "-V" || words[0] == "version") {
    out += version();
    return good;
  }
  for (const Verb* verb : verbs())
    if (words[0] == verb->name) return run_verb(*verb, {words.begin() + 1, words.end()}, out);
  const bool option = words[0].starts_with("-");
  throw Error((option
                   ? "unknown option " + one_line(words[0]) + "; a verb comes first"
                   : "unknown verb " + in_quotes(words[0]) + did_you_mean(words[0], verb_names())) +
              " (torsor --help)");
}

}  // namespace torsor::command
