// Compile-time report and budgets, in processor seconds: one kernel header consumed alone 0.5, one
// library source 3, a unit of several sources and all sources 1 for each. A test fails at twice its
// budget. Consuming a header alone also shows that it is self-contained.
//
// All files are measured where TORSOR_FULL is set (./test --full); otherwise the largest headers and
// the sources of the largest objects. build_time_test reads the build's own log for the rest.
//
// Seconds are user and system time, divided by the slowdown: a fixed text of standard headers,
// compiled in between, tells how slow the machine is at the moment (its kind, shared caches).
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "house/compile_commands.hpp"
#include "house/process.hpp"
#include "house/source_tree.hpp"

using namespace torsor::testing;

namespace {

constexpr double header_budget = 0.5, source_budget = 3, mean_budget = 1;
constexpr double tolerated = 2;
constexpr std::size_t sample = 12;
constexpr double reference_seconds = 0.36;  // of the fixed text, on a quiet 3.6 GHz core

struct Job {
  std::string name;
  std::vector<std::string> command;
  std::filesystem::path folder;
  double budget = 0;  // 0: none
  std::size_t size = 0;
  ProcessResult result{};
};

// At least 1: a faster machine gets no larger budget, and no smaller one.
double slowdown() {
  const ScratchFolder scratch;
  const std::string unit = (scratch / "reference.cpp").string();
  write_text(unit,
             "#include <algorithm>\n#include <functional>\n#include <map>\n"
             "#include <string>\n#include <vector>\n");
  const ProcessResult result = run({TORSOR_CXX_COMPILER, "-std=c++20", "-fsyntax-only", unit});
  return std::max(1.0, result.cpu_seconds / reference_seconds);
}

// Compiles, and again when it looks too slow.
void measure(Job& job, double& factor) {
  const auto once = [&] {
    ProcessResult result = run(job.command, job.folder);
    result.cpu_seconds /= factor;
    return result;
  };
  job.result = once();
  for (int again = 0; again < 2; ++again) {
    if (job.budget == 0 || job.result.cpu_seconds <= tolerated * job.budget) return;
    factor = slowdown();
    ProcessResult next = once();
    if (next.cpu_seconds < job.result.cpu_seconds) job.result = std::move(next);
  }
}

void measure_all(std::vector<Job>& jobs) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    double factor = 1;
    for (std::size_t i = next++, done = 0; i < jobs.size(); i = next++, ++done) {
      if (done % 8 == 0) factor = slowdown();
      measure(jobs[i], factor);
    }
  };
  std::thread other(work);
  work();
  other.join();
}

bool measures_all() { return std::getenv("TORSOR_FULL") != nullptr; }

// The largest files alone, unless all are asked for.
void choose(std::vector<Job>& jobs) {
  if (measures_all() || jobs.size() <= sample) return;
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const Job& a, const Job& b) { return a.size > b.size; });
  jobs.resize(sample);
}

// Prints the table, slowest first, and returns the sum.
double report(std::vector<Job> jobs) {
  std::sort(jobs.begin(), jobs.end(),
            [](const Job& a, const Job& b) { return a.result.cpu_seconds > b.result.cpu_seconds; });
  double sum = 0;
  std::printf("  cpu s  budget  file\n");
  for (const Job& job : jobs) {
    sum += job.result.cpu_seconds;
    if (job.budget > 0) {
      std::printf("%7.2f %7.1f%s %s\n", job.result.cpu_seconds, job.budget,
                  job.result.cpu_seconds > job.budget ? "!" : " ", job.name.c_str());
    } else {
      std::printf("%7.2f       -  %s\n", job.result.cpu_seconds, job.name.c_str());
    }
  }
  std::printf("%7.2f          sum of %zu\n", sum, jobs.size());
  return sum;
}

void expect_compiled_within_budget(const std::vector<Job>& jobs) {
  for (const Job& job : jobs) {
    EXPECT_EQ(job.result.exit_code, 0) << job.name << "\n" << job.result.output;
    if (job.budget > 0) {
      EXPECT_LE(job.result.cpu_seconds, tolerated * job.budget) << job.name;
    }
  }
}

TEST(CompileTime, every_header_compiles_alone_and_kernel_headers_within_their_budget) {
  const ScratchFolder scratch;
  std::vector<Job> jobs;
  for (const SourceFile& file : source_files({"include"})) {
    if (!file.path.ends_with(".hpp")) continue;
    const std::string name = file.path.substr(std::string("include/").size());
    const std::string unit = (scratch / (std::to_string(jobs.size()) + ".cpp")).string();
    write_text(unit, "#include \"" + name + "\"\n");
    jobs.push_back({name,
                    {TORSOR_CXX_COMPILER, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra",
                     "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror", "-I",
                     TORSOR_SOURCE_DIR "/include", "-isystem", TORSOR_EIGEN_INCLUDE, unit},
                    scratch.path(),
                    is_kernel_room(file.room) ? header_budget : 0,
                    file.text.size()});
  }
  choose(jobs);
  measure_all(jobs);
  report(jobs);
  expect_compiled_within_budget(jobs);
}

// The sources of a unit that CMake wrote (TORSOR_UNITY), or 1.
std::size_t sources_of(const std::string& file) {
  if (file.find("/Unity/") == std::string::npos) return 1;
  const std::string text = read_text(file);
  std::size_t count = 0;
  for (std::size_t at = text.find("#include"); at != text.npos; at = text.find("#include", at + 1))
    ++count;
  return count;
}

TEST(CompileTime, every_source_of_the_library_and_their_sum_within_budget) {
  const auto database =
      nlohmann::json::parse(read_text(TORSOR_BINARY_DIR "/compile_commands.json"));
  const std::string root = TORSOR_SOURCE_DIR "/", units = TORSOR_BINARY_DIR "/CMakeFiles/torsor";
  std::vector<Job> jobs;
  std::size_t n_sources = 0;
  for (const auto& entry : database) {
    const std::string file = entry.at("file");
    const bool is_unit = file.starts_with(units) && file.find("/Unity/") != std::string::npos;
    if (!is_unit && !file.starts_with(root + "src/")) continue;
    const std::size_t contained = sources_of(file);
    const double budget = std::max(source_budget, mean_budget * static_cast<double>(contained));
    n_sources += contained;
    std::vector<std::string> command = compiler_words(entry.at("command"));
    const auto output = std::find(command.begin(), command.end(), "-o");
    ASSERT_LT(output + 1, command.end()) << file;
    const std::filesystem::path folder = std::string(entry.at("directory"));
    const auto object_size = static_cast<std::size_t>(file_size(folder / *(output + 1)));
    *(output + 1) = "/dev/null";
    jobs.push_back({file.substr(root.size()), std::move(command), folder, budget, object_size});
  }
  choose(jobs);
  measure_all(jobs);
  const double sum = report(jobs);
  expect_compiled_within_budget(jobs);
  if (measures_all()) {
    EXPECT_LE(sum, tolerated * mean_budget * static_cast<double>(n_sources)) << "the whole library";
  }
}

}  // namespace
