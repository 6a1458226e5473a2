#pragma once
/// What every verb of the command is made of.
///
/// A verb is one file with one `const Verb`: it adds its options to a CLI11 sub-command and returns what
/// to do when it is chosen. verbs.cpp lists them. The action appends to `out`, which main prints at the
/// end, so that a failed run prints nothing but its one line.
///
/// Exit codes: 0 good; 1 findings or failed work (Failure); 2 bad input (torsor::Error, wrong options).
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace torsor::command {

enum ExitCode : int { good = 0, findings = 1, bad_input = 2 };

/// The input was right, the work could not be done. Exit code 1.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Action = std::function<int(std::string& out)>;

struct Verb {
  const char* name;
  const char* summary;  ///< one line, lower case, no full stop
  const char* example;  ///< what `--help` of the verb ends with
  Action (*add)(CLI::App& app);
};

/// In the order of `torsor --help`.
const std::vector<const Verb*>& verbs();

/// Both ends of a run: understands the arguments, runs the verb, returns the exit code.
int run(const std::vector<std::string>& arguments, std::string& out);

}  // namespace torsor::command
