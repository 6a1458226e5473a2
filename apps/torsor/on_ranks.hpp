#pragma once
/// What verbs that run on many ranks have in common (docs/many-machines.md).
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "torsor/experiments/internal/ranks.hpp"
#include "torsor/model/model.hpp"

namespace torsor::command {

struct RankWork {
  /// Reads what the work needs. What it throws on any rank is said by rank 0, and nothing runs.
  std::function<void()> prepare;
  /// What was read, as a text that differs where it does.
  std::function<std::string()> job;
  /// The work, on every rank; null: this process is alone. The exit code is that of rank 0.
  std::function<int(internal::Ranks*)> run;
};
int on_all_ranks(const RankWork& work);
/// Throws Error where a launcher started several of these: "eval of a JSON file: does not run on ...".
void refuse_ranks(const std::string& what);

/// The robot, these files and the words of the command, but for options that may differ from rank to rank.
std::string job_text(const Model<double>& model, const std::vector<std::string>& files);

/// Under mpirun there is no terminal: lines on standard error, at 1, 2, 4, ... s and then every minute.
class RankProgress {
 public:
  /// Whether it is time for the next line.
  bool due();
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }
  /// The last line: what was done by whom, in which time, with how many messages.
  void conclude(const internal::Ranks& ranks, const std::string& what) const;

 private:
  double next_ = 1;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace torsor::command
