#include "manual.hpp"

#include <sstream>

#include "command.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor::command {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) (line += line.empty() ? "" : " ") += word;
  return line;
}

/// Text as it is: man sees no request in it and breaks no line.
std::string verbatim(const std::string& text) {
  std::istringstream lines(text);
  std::string out = ".nf\n";
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(".") || line.starts_with("'")) out += "\\&";
    for (const char c : line)
      if (c == '\\')
        out += "\\e";
      else if (c == '-')
        out += "\\-";
      else
        out += c;
    out += '\n';
  }
  return out + ".fi\n";
}

}  // namespace

std::string bash_completion() {
  std::vector<std::string> names, robots, laws;
  std::string options;
  for (const Verb* verb : verbs()) {
    const VerbWords words = words_of(*verb);
    names.emplace_back(verb->name);
    options += std::string("    ") + verb->name + ") options=\"" + joined(words.options) + "\"";
    if (!words.positionals.empty() && words.positionals.front() == "ROBOT")
      options += "; first=$robots";
    if (!words.positionals.empty() && words.positionals.front() == "LAW")
      options += "; first=$laws";
    options += " ;;\n";
  }
  for (const BuiltinRobot& robot : builtin_robots()) robots.push_back(robot.name);
  for (const LawEntry& law : torsor::laws()) laws.emplace_back(law.name);
  return "# bash completion of torsor: source <(torsor --completion)\n"
         "_torsor() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  local robots=\"" +
         joined(robots) +
         "\"\n"
         "  local laws=\"" +
         joined(laws) +
         "\"\n"
         "  local verbs=\"" +
         joined(names) +
         "\" options= first= choice=\n"
         "  case ${COMP_WORDS[1]} in\n" +
         options +
         "  esac\n"
         "  if [[ $COMP_CWORD == 1 ]]; then choice=\"$verbs --help --version\"\n"
         "  elif [[ $before == --law ]]; then choice=$laws\n"
         "  elif [[ $before == --robot ]]; then choice=$robots\n"
         "  elif [[ $word == -* ]]; then choice=$options\n"
         "  elif [[ $COMP_CWORD == 2 ]]; then choice=$first\n"
         "  fi\n"
         "  COMPREPLY=($(compgen -W \"$choice\" -- \"$word\"))\n"
         "}\n"
         "complete -o bashdefault -o default -F _torsor torsor\n";
}

std::string manual_page(const std::string& overview) {
  std::string out = ".TH TORSOR 1 \"\" \"torsor " TORSOR_VERSION
                    "\"\n"
                    ".SH NAME\n"
                    "torsor \\- robot kinematics, dynamics and control on Lie groups\n"
                    ".SH SYNOPSIS\n"
                    ".B torsor\n"
                    "VERB ROBOT [options]\n"
                    ".SH DESCRIPTION\n" +
                    verbatim(overview) + ".SH VERBS\n";
  for (const Verb* verb : verbs()) {
    std::string help;
    (void)run_verb(*verb, {"--help"}, help);
    out += std::string(".SS ") + verb->name + "\n" + verbatim(help);
  }
  return out;
}

}  // namespace torsor::command
