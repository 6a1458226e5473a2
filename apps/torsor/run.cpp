#include <algorithm>
#include <cstdlib>

#include "command.hpp"
#include "manual.hpp"
#include "on_ranks.hpp"
#include "text_output.hpp"
#include "torsor/experiments/internal/ranks.hpp"
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
      "Words complete after: source <(torsor --completion), in zsh --completion zsh\n"
      "Text is for people, --json for programs.\n"
      "Units are SI and radians; degrees where --deg is given.\n"
      "Exit code: 0 good, 1 findings or failed work, 2 bad input.\n";
  return text;
}

/// What most people want: `torsor` alone.
std::string first_words() {
  struct Wish {
    const char *what, *command;
  };
  constexpr Wish wishes[] = {
      {"look at a robot, your own or a built-in one", "torsor view puma560 --open"},
      {"know what is in its file, and what is wrong", "torsor check my_arm.urdf"},
      {"compute: kinematics, dynamics, derivatives", "torsor id puma560 --q 0,45,0,0,0,0 --deg"},
      {"run it under a control law, checked by its proof",
       "torsor scenario new --law computed_torque --robot puma560 > run.yaml\n"
       "     torsor simulate run.yaml --report run.html"},
      {"find its masses and friction from a log", "torsor identify puma560 log.csv"},
  };
  std::string text =
      "Torsor " TORSOR_VERSION ": robot kinematics, dynamics and control on Lie groups.\n";
  int k = 0;
  for (const Wish& wish : wishes)
    text += "\n  " + std::to_string(++k) + "  " + wish.what + "\n     " + bold(wish.command) + "\n";
  return text +
         "\nAll verbs: torsor --help. One of them: torsor simulate --help.\n"
         "A page of runs: torsor demo. Robots: torsor robots. Laws: torsor laws.\n";
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Verb* verb : verbs()) names.emplace_back(verb->name);
  return names;
}

bool runs_on_ranks(const std::vector<std::string>& words) {
  return std::any_of(verbs().begin(), verbs().end(), [&](const Verb* verb) {
    return verb->on_ranks && !words.empty() && words[0] == verb->name;
  });
}

std::string& typed() {
  static std::string words;
  return words;
}

}  // namespace

const std::string& command_line() { return typed(); }

int run(const std::vector<std::string>& given, std::string& out) {
  std::vector<std::string> words = given;
  if (!words.empty() && words[0] == "--manual") setenv("COLUMNS", "72", 1);  // man indents by seven
  typed() = "torsor";
  for (const std::string& word : given) typed() += " " + shell_word(word);
  check_instruction_set();
  if (words.size() > 1 && words[0] == "help") {  // torsor help info
    words = {words[1], "--help"};
  }
  const internal::Launch started = internal::launch();
  if (started.rank > 0 && !runs_on_ranks(words)) return good;  // the first rank answers
  if (words.empty()) {
    out += first_words();
    return good;
  }
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    out += overview();
    return good;
  }
  if (words[0] == "--completion") {
    const std::string shell = words.size() > 1 ? words[1] : "bash";
    if (shell != "bash" && shell != "zsh")
      throw Error("--completion: knows bash and zsh, not " + in_quotes(shell));
    out += shell == "zsh" ? zsh_completion() : bash_completion();
    return good;
  }
  if (words[0] == "--manual" && words.size() == 1) {
    out += manual_page(overview());
    return good;
  }
  if (words[0] == "--verbs") {
    for (const std::string& name : verb_names()) out += name + "\n";
    return good;
  }
  if (words[0] == "--version" || words[0] == "-V" || words[0] == "version") {
    out += version();
    return good;
  }
  const bool manual = words[0] == "--manual";
  if (manual) words.erase(words.begin());
  for (const Verb* verb : verbs())
    if (words[0] == verb->name && manual) {
      out += manual_page(*verb);
      return good;
    } else if (words[0] == verb->name) {
      if (!verb->on_ranks) refuse_ranks(words[0]);
      words.erase(words.begin());
      if (started.rank == 0) return run_verb(*verb, std::move(words), out);
      try {
        (void)run_verb(*verb, std::move(words), out);
      } catch (const internal::RanksOver&) {
      }
      out.clear();
      return good;
    }
  const bool option = words[0].starts_with("-");
  throw Error((option
                   ? "unknown option " + one_line(words[0]) + "; a verb comes first"
                   : "unknown verb " + in_quotes(words[0]) + did_you_mean(words[0], verb_names())) +
              " (torsor --help)");
}

}  // namespace torsor::command
