#pragma once
/// What the help says, for other readers: a shell and `man`.
#include <string>

#include "command.hpp"

namespace torsor::command {

/// A bash script that completes verbs, their options, robots, laws and files.
std::string bash_completion();
/// The same for zsh: verbs with their summaries.
std::string zsh_completion();
/// A page of section 1 in the language of man, from the help of the command and of every verb.
std::string manual_page(const std::string& overview);
/// The page of one verb, torsor-VERB(1).
std::string manual_page(const Verb& verb);

}  // namespace torsor::command
