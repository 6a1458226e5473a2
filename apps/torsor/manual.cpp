#include "manual.hpp"

#include <sstream>

#include "torsor/control/law_registry.hpp"
#include "torsor/formats/load_robot.hpp"

namespace torsor::command {
namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) (line += line.empty() ? "" : " ") += word;
  return line;
}

/// For a word of zsh in single quotes, before which a colon ends a name.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\'' ? "'\\''" : c == ':' ? "\\:" : std::string(1, c);
  return out;
}

/// One line of text for man.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  return out;
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
         "  if [[ $COMP_CWORD == 2 && $word != -* && $first == \"$robots\" ]]; then  # or a file\n"
         "    compopt -o filenames 2>/dev/null\n"
         "    mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$word\")\n"
         "  fi\n"
         "}\n"
         "complete -o bashdefault -o default -F _torsor torsor\n";
}

std::string zsh_completion() {
  std::string names, options, robots, laws;
  for (const BuiltinRobot& robot : builtin_robots()) robots += " " + robot.name;
  for (const LawEntry& law : torsor::laws()) laws += std::string(" ") + law.name;
  for (const Verb* verb : verbs()) {
    const VerbWords words = words_of(*verb);
    names += "    '" + std::string(verb->name) + ":" + quoted(verb->summary) + "'\n";
    options += "    " + std::string(verb->name) + ") options=(" + joined(words.options) + ")";
    const std::string first = words.positionals.empty() ? "" : words.positionals.front();
    if (first == "ROBOT") options += "; first=($robots)";
    if (first == "LAW") options += "; first=($laws)";
    options += " ;;\n";
  }
  return "#compdef torsor\n"
         "# zsh completion of torsor: torsor --completion zsh > _torsor, in a folder of $fpath\n"
         "_torsor() {\n"
         "  local -a verbs robots laws options first\n"
         "  robots=(" +
         robots.substr(std::min<std::size_t>(1, robots.size())) +
         ")\n"
         "  laws=(" +
         laws.substr(std::min<std::size_t>(1, laws.size())) +
         ")\n"
         "  verbs=(\n" +
         names +
         "  )\n"
         "  if (( CURRENT == 2 )); then _describe verb verbs; return; fi\n"
         "  case $words[2] in\n" +
         options +
         "  esac\n"
         "  if [[ $words[CURRENT-1] == --law ]]; then compadd -a laws\n"
         "  elif [[ $words[CURRENT-1] == --robot ]]; then compadd -a robots\n"
         "  elif [[ $words[CURRENT] == -* ]]; then compadd -a options\n"
         "  else (( CURRENT == 3 )) && compadd -a first; _files\n"
         "  fi\n"
         "}\n"
         "if [[ $funcstack[1] == _torsor ]]; then _torsor \"$@\"; else compdef _torsor torsor; "
         "fi\n";
}

std::string manual_page(const Verb& verb) {
  std::string help, name = verb.name;
  (void)run_verb(verb, {"--help"}, help);
  std::string upper = name;
  for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return ".TH TORSOR\\-" + upper +
         " 1 \"\" \"torsor " TORSOR_VERSION
         "\"\n"
         ".SH NAME\n"
         "torsor\\-" +
         name + " \\- " + plain(verb.summary) +
         "\n"
         ".SH DESCRIPTION\n" +
         verbatim(help) +
         ".SH SEE ALSO\n"
         ".BR torsor (1)\n";
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
