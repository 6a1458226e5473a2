// The time that the last build took, by its own log (.ninja_log), against the budgets of
// docs/architecture.md: what ./run builds (library and command) 360 s, what ./test builds 1300 s,
// in seconds of one core. A test fails at twice its budget, since a log knows nothing of other work
// on the machine. Objects that a compiler cache answered cost nothing, and pass.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <sstream>

#include "house/process.hpp"

using namespace torsor::testing;

namespace {

constexpr double run_budget = 360, test_budget = 1300, source_budget = 3, tolerated = 2;

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
      if (std::any_of(folders.begin(), folders.end(),
                      [&](const std::string& folder) { return output.starts_with(folder); }))
        total += s;
    return total;
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

const std::vector<std::string> library = {"CMakeFiles/torsor", "libtorsor", "generated/"};
const std::vector<std::string> command = {"CMakeFiles/torsor", "libtorsor", "generated/", "apps/",
                                          "torsor"};
const std::vector<std::string> all = {
    "CMakeFiles/torsor", "libtorsor", "generated/", "apps/", "torsor", "tests/", "examples/"};

TEST(BuildTime, library_and_command_are_built_within_the_budget_of_run) {
  const Log log;
  log.print();
  const double seconds = log.sum(command);
  std::printf("library %.0f s, library and command %.0f s; budget %.0f s\n", log.sum(library),
              seconds, run_budget);
  EXPECT_GT(log.seconds.size(), 100u);
  EXPECT_LE(seconds, tolerated * run_budget);
}

TEST(BuildTime, everything_that_is_tested_is_built_within_the_budget_of_test) {
  const double seconds = Log().sum(all);
  std::printf("library, command, examples and tests %.0f s; budget %.0f s\n", seconds, test_budget);
  EXPECT_LE(seconds, tolerated * test_budget);
}

TEST(BuildTime, each_source_of_library_and_command_is_built_within_its_budget) {
  for (const auto& [output, seconds] : Log().seconds) {
    if (!output.ends_with(".cpp.o")) continue;
    if (output.starts_with("CMakeFiles/torsor") || output.starts_with("apps/")) {
      EXPECT_LE(seconds, 2 * tolerated * source_budget) << output;  // two compilers side by side
    }
  }
}

}  // namespace
