#pragma once
/// What every verb of the command is made of.
///
/// A verb is one file with one `const Verb`: it describes its arguments and returns what to do when
/// it is chosen. verbs.cpp lists them. The action appends to `out`, which main prints at the end, so
/// that a failed run prints nothing but its one line.
///
/// Exit codes: 0 good; 1 findings or failed work (Failure); 2 bad input (torsor::Error, wrong options).
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace torsor::command {

enum ExitCode : int { good = 0, findings = 1, bad_input = 2 };

/// The input was right, the work could not be done. Exit code 1.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Action = std::function<int(std::string& out)>;

/// One argument of a verb, while the verb describes it.
class Argument {
 public:
  explicit Argument(CLI::Option* option) : option_(option) {}

  Argument required() const;
  /// What stands for the value in the help.
  Argument type_name(const char* word) const;
  Argument needs(Argument other) const;
  Argument excludes(Argument other) const;
  Argument range(long lowest, long highest) const;
  /// One value each time, and the option may be repeated.
  Argument repeatable() const;
  /// The help shows the value that the variable has now.
  Argument show_default() const;

 private:
  CLI::Option* option_;
};

/// The arguments of a verb: their names, the variables that receive them and their help. CLI11 does
/// the work, in arguments.cpp alone: its headers are slow to compile.
class Arguments {
 public:
  explicit Arguments(CLI::App& app) : app_(app) {}

  Argument add_flag(const char* name, bool& flag, const std::string& help);
  Argument add_option(const char* name, std::string& text, const std::string& help);
  Argument add_option(const char* name, std::optional<std::string>& text, const std::string& help);
  Argument add_option(const char* name, std::vector<std::string>& texts, const std::string& help);
  Argument add_option(const char* name, int& number, const std::string& help);
  Argument add_option(const char* name, std::optional<long>& number, const std::string& help);
  Argument add_option(const char* name, std::optional<std::uint64_t>& number,
                      const std::string& help);

  /// Words name:=value, wherever they stand, go there; other verbs refuse them.
  void take_assignments(std::vector<std::string>& words) { assignments_ = &words; }
  std::vector<std::string>* assignments() const { return assignments_; }

  /// What was written with a value, in its order: {"--frame", "tool"}, ... For the action.
  std::vector<std::pair<std::string, std::string>> written() const;

 private:
  CLI::App& app_;
  std::vector<std::string>* assignments_ = nullptr;
};

struct Verb {
  const char* name;
  const char* summary;  ///< one line, lower case, no full stop
  const char* example;  ///< what `--help` of the verb ends with
  Action (*add)(Arguments& arguments);
  bool on_ranks = false;  ///< mpirun may start it as many processes
};

/// In the order of `torsor --help`.
const std::vector<const Verb*>& verbs();

/// Reads the arguments of one verb and runs it, or writes its help.
int run_verb(const Verb& verb, std::vector<std::string> words, std::string& out);
/// The words that a verb takes: "--q", "-o", ... and its arguments without a dash, "ROBOT".
struct VerbWords {
  std::vector<std::string> options, positionals;
};
VerbWords words_of(const Verb& verb);
/// What the user typed: "torsor simulate run.yaml".
const std::string& command_line();
/// Both ends of a run: understands the arguments, runs the verb, returns the exit code.
int run(const std::vector<std::string>& given, std::string& out);

}  // namespace torsor::command
