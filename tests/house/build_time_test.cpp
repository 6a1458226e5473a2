// The time that the last build took, by its own log (.ninja_log), against the budgets of
// docs/architecture.md: what ./run builds (rooms and command, one instruction set) 650 s, what ./test
// builds 2000 s, in processor seconds. A log has seconds of the clock: a few sources are compiled again
// in processor seconds, which tells how much other work the machine had. A test fails at twice its
// budget. Objects that a compiler cache answered cost nothing, and pass.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "house/compile_commands.hpp"
#include "house/process.hpp"

using namespace torsor::testing;

namespace {

constexpr double run_budget = 650, test_budget = 2000, tolerated = 2;

const std::vector<std::string> of_run = {"CMakeFiles/torsor", "libtorsor", "generated/", "apps/",
                                         "viewer/server",     "torsor"};
const std::vector<std::string> all = {
    "CMakeFiles/torsor", "libtorsor", "generated/", "apps/", "viewer/server", "torsor", "tests/",
    "examples/",         "python/"};

bool any_of_folders(const std::string& output, const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& folder) { return output.starts_with(folder); });
}

struct Log {
  std::map<std::string, double> seconds;  // of each output, as built last

  Log() {
    std::istringstream lines(read_text(TORSOR_BINARY_DIR "/.ninja_log"));
    std::string line;
    std::getline(lines, line);  // version
    while (std::getline(lines, line)) {
      std::istringstream words(line);
      double start = 0, end = 0;
      std::string time, output;
      if (words >> start >> end >> time >> output) seconds[output] = (end - start) / 1000;
    }
  }

  double sum(const std::vector<std::string>& folders) const {
    double total = 0;
    for (const auto& [output, s] : seconds)
      if (any_of_folders(output, folders)) total += s;
    return total;
  }
  // What ./run builds, of a build of everything: one level of the sweeps, here the dearest, and neither
  // the face for C++ nor the shared library.
  double sum_of_run() const {
    double rest = 0;
    std::map<std::string, double> levels{{"_baseline", 0}, {"_v3", 0}, {"_v4", 0}};
    for (const auto& [output, s] : seconds) {
      if (!any_of_folders(output, of_run) || output.starts_with("CMakeFiles/torsor.dir/") ||
          output.starts_with("CMakeFiles/torsor_shared"))
        continue;
      const auto level = std::find_if(levels.begin(), levels.end(), [&](const auto& each) {
        return output.find(each.first + ".dir/") != std::string::npos;
      });
      (level == levels.end() ? rest : level->second) += s;
    }
    double dearest = 0;
    for (const auto& [name, s] : levels) dearest = std::max(dearest, s);
    return rest + dearest;
  }
  // The slowest outputs, and the sum by folder.
  void print() const {
    std::vector<std::pair<double, std::string>> slowest;
    std::map<std::string, double> folders;
    for (const auto& [output, s] : seconds) {
      slowest.emplace_back(s, output);
      folders[output.substr(0, output.find(".dir/"))] += s;
    }
    std::sort(slowest.rbegin(), slowest.rend());
    slowest.resize(std::min<std::size_t>(slowest.size(), 20));
    for (const auto& [s, output] : slowest) std::printf("%7.2f s  %s\n", s, output.c_str());
    for (const auto& [folder, s] : folders)
      if (s > 10) std::printf("%7.1f s in all  %s\n", s, folder.c_str());
  }
};

// Seconds of the clock over processor seconds, of every sixtieth source of the library; at least 1.
double measured_slowdown(const Log& log) {
  const auto database =
      nlohmann::json::parse(read_text(TORSOR_BINARY_DIR "/compile_commands.json"));
  double clock = 0, processor = 0;
  int count = 0;
  for (const auto& entry : database) {
    std::vector<std::string> command = compiler_words(entry.at("command"));
    const auto output = std::find(command.begin(), command.end(), "-o");
    if (output + 1 >= command.end()) continue;
    const auto logged = log.seconds.find(*(output + 1));
    if (logged == log.seconds.end() || !logged->first.starts_with("CMakeFiles/torsor")) continue;
    if (count++ % 60 != 0) continue;
    *(output + 1) = "/dev/null";
    const ProcessResult result = run(command, std::string(entry.at("directory")));
    if (result.exit_code != 0) continue;
    clock += logged->second;
    processor += result.cpu_seconds;
  }
  return processor > 0 ? std::max(1.0, clock / processor) : 1;
}

double slowdown(const Log& log) {
  static const double factor = measured_slowdown(log);  // of one build, for both tests
  return factor;
}

TEST(BuildTime, library_and_command_are_built_within_the_budget_of_run) {
  const Log log;
  log.print();
  const double factor = slowdown(log), seconds = log.sum_of_run() / factor;
  std::printf("rooms and command %.0f s; budget %.0f s; slowdown %.2f\n", seconds, run_budget,
              factor);
  EXPECT_GT(log.seconds.size(), 100u);
  EXPECT_LE(seconds, tolerated * run_budget);
}

TEST(BuildTime, everything_that_is_tested_is_built_within_the_budget_of_test) {
  const Log log;
  const double seconds = log.sum(all) / slowdown(log);
  std::printf("rooms, command, module, examples and tests %.0f s; budget %.0f s\n", seconds,
              test_budget);
  EXPECT_LE(seconds, tolerated * test_budget);
}

}  // namespace
