#pragma once
/// What the help says, for other readers: a shell and `man`.
#include <string>

namespace torsor::command {

/// A bash script that completes verbs, their options, robots, laws and files.
std::string bash_completion();
/// A page of section 1 in the language of man, from the help of the command and of every verb.
std::string manual_page(const std::string& overview);

}  // namespace torsor::command
