// The real-time example: the mailbox under two threads, tracking over shared memory, no allocation in
// either loop, and what each process does when the other is killed, stopped or asked to end.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include "controller.hpp"
#include "house/process.hpp"
#include "support/allocation_counter.hpp"

using namespace realtime;

namespace {

const std::string program = TORSOR_BINARY_DIR "/examples/realtime_loop";

std::string fresh_name() {
  static int count = 0;
  return "/torsor-realtime-test-" + std::to_string(getpid()) + "-" + std::to_string(++count);
}

/// A program of its own, its standard error in a file.
class Program {
 public:
  explicit Program(std::vector<std::string> words) {
    child_ = fork();
    if (child_ == 0) {
      const int file = open((scratch_ / "lines").c_str(), O_CREAT | O_WRONLY, 0600);
      dup2(file, STDERR_FILENO);
      dup2(file, STDOUT_FILENO);
      std::vector<char*> arguments{const_cast<char*>(program.c_str())};
      for (std::string& word : words) arguments.push_back(word.data());
      arguments.push_back(nullptr);
      execv(program.c_str(), arguments.data());
      _exit(127);
    }
  }
  ~Program() {
    if (child_ > 0) kill(child_, SIGKILL), waitpid(child_, nullptr, 0);
  }
  pid_t id() const { return child_; }
  int exit_code() {
    int status = 0;
    waitpid(std::exchange(child_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  std::string lines() const { return torsor::testing::read_text(scratch_ / "lines"); }

 private:
  torsor::testing::ScratchFolder scratch_;
  pid_t child_ = 0;
};

struct Message {
  std::uint64_t words[64];
};

TEST(Mailbox, a_message_is_whole_or_not_read_and_never_older_than_the_last) {
  Mailbox<Message> box;
  std::atomic<bool> done{false};
  std::thread writer([&] {
    Message message{};
    for (std::uint64_t k = 1; k <= 300000; ++k) {
      for (std::uint64_t& word : message.words) word = k;
      box.write(message);
    }
    done = true;
  });
  Message message{};
  std::uint64_t number = 0, last = 0, torn = 0, wrong = 0, older = 0, reads = 0;
  while (!done) {
    if (!box.read(message, number)) continue;
    ++reads;
    for (const std::uint64_t word : message.words) torn += word != message.words[0];
    wrong += message.words[0] != number;
    older += number < last;
    last = number;
  }
  writer.join();
  EXPECT_EQ(torn, 0u);
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(older, 0u);
  EXPECT_GT(reads, 0u);
  ASSERT_TRUE(box.read(message, number));
  EXPECT_EQ(number, 300000u);
}

TEST(Motion, rates_are_the_derivatives_of_the_positions_and_it_comes_to_rest) {
  Motion motion;
  const double dt = 1e-4;
  Motion before = motion;
  double worst = 0;
  for (int k = 0; k < 40000; ++k) {
    before = motion;
    motion.advance(dt, k > 20000);
    for (std::size_t i = 0; i < Motion::n; ++i)
      worst = std::fmax(
          worst, std::abs((motion.q[i] - before.q[i]) / dt - 0.5 * (motion.qd[i] + before.qd[i])));
  }
  EXPECT_LT(worst, 1e-6);
  EXPECT_EQ(motion.speed(), 0);
  for (const double rate : motion.qd) EXPECT_EQ(rate, 0);
}

TEST(HistogramCounts, quantiles_and_the_worst_are_those_of_the_sorted_times) {
  Histogram times("times", 1000, 100);
  for (int us = 0; us < 1000; ++us) times.add(us * 50 + 1);  // 0 to 49.95 us, evenly
  times.add(250'000);
  EXPECT_EQ(times.below(10), 200u);
  EXPECT_EQ(times.quantile_us(0.5), 26);
  EXPECT_EQ(times.quantile_us(1), 250);
  EXPECT_EQ(times.worst_us(), 250);
}

TEST(RealTime, a_controller_tracks_and_allocates_nothing) {
  ControllerOptions options;
  options.program = program;
  options.watchdog = 2;  // a busy machine is late, not dead
  options.payload = 0;
  options.law = LawChoice::computed_torque;
  options.seconds = 1.5;
  options.count_allocations = torsor::testing::allocations;
  const ControllerReport report = run_controller(options);
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(report.allocations, 0u);
  // One period of delay disturbs e'' + 40 e' + 400 e = 0 by about qddd_d 1.5 ms, |qddd_d| <= 2.4 rad/s^3
  // times a factor of the arm's coupling: 1e-5 rad. A thousand periods late would be 1e-2.
  EXPECT_LT(report.worst_error[0], 2e-3);
  EXPECT_EQ(report.compute.total() + report.stale, report.periods);
  EXPECT_GE(report.periods + report.missed, 2000u);
}

TEST(RealTime, adaptation_learns_the_load_that_computed_torque_does_not_know) {
  ControllerOptions options;
  options.program = program;
  options.watchdog = 2;
  options.seconds = 4;
  options.count_allocations = torsor::testing::allocations;
  const ControllerReport report = run_controller(options);
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(report.allocations, 0u);
  EXPECT_LT(report.worst_error[1], report.worst_error[0] / 3);
}

TEST(RealTime, an_arm_allocates_nothing_and_ends_with_its_controller) {
  ArmOptions options;
  options.name = fresh_name();
  options.watchdog = 2;
  options.count_allocations = torsor::testing::allocations;
  Program controller({"--attach", options.name, "--seconds", "0.5", "--watchdog", "2"});
  const ArmReport report = run_arm(options);
  EXPECT_EQ(report.exit_code, 0);
  EXPECT_EQ(report.allocations, 0u);
  EXPECT_EQ(controller.exit_code(), 0) << controller.lines();
  EXPECT_FALSE(std::filesystem::exists("/dev/shm" + options.name));
}

TEST(RealTime, an_arm_whose_controller_is_killed_closes_its_brakes) {
  const std::string name = fresh_name();
  Program arm({"--arm", name, "--watchdog", "0.3"});
  Program controller({"--attach", name, "--seconds", "60", "--watchdog", "2"});
  std::this_thread::sleep_for(std::chrono::milliseconds(800));
  kill(controller.id(), SIGKILL);
  EXPECT_EQ(controller.exit_code(), 128 + SIGKILL);
  EXPECT_EQ(arm.exit_code(), lost_peer);
  EXPECT_NE(arm.lines().find("no torque from the controller"), std::string::npos) << arm.lines();
  EXPECT_NE(arm.lines().find("brakes on"), std::string::npos) << arm.lines();
  EXPECT_FALSE(std::filesystem::exists("/dev/shm" + name));
}

TEST(RealTime, a_controller_whose_arm_is_killed_or_hangs_sends_zero_torque) {
  for (const int signal : {SIGKILL, SIGSTOP}) {
    const std::string name = fresh_name();
    Program arm({"--arm", name, "--watchdog", "2"});
    Program controller({"--attach", name, "--seconds", "60", "--watchdog", "0.3"});
    std::this_thread::sleep_for(std::chrono::milliseconds(800));
    kill(arm.id(), signal);
    EXPECT_EQ(controller.exit_code(), lost_peer);
    EXPECT_NE(controller.lines().find("nothing new from the arm"), std::string::npos)
        << controller.lines();
    EXPECT_NE(controller.lines().find("zero torque"), std::string::npos);
  }
}

TEST(RealTime, a_signal_brings_the_arm_to_rest) {
  const std::string name = fresh_name();
  Program arm({"--arm", name, "--watchdog", "2"});
  Program controller({"--attach", name, "--seconds", "0", "--watchdog", "2"});
  std::this_thread::sleep_for(std::chrono::milliseconds(800));
  kill(controller.id(), SIGINT);
  EXPECT_EQ(controller.exit_code(), 0) << controller.lines();
  EXPECT_EQ(arm.exit_code(), 0) << arm.lines();
}

TEST(RealTime, bad_arguments_are_one_line_and_2) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--seconds", "many"},
                                                {"--law", "pid"},
                                                {"--arm", "a/b"},
                                                {"--what"}}) {
    Program wrong(words);
    EXPECT_EQ(wrong.exit_code(), 2);
    const std::string lines = wrong.lines();
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 1) << lines;
  }
}

}  // namespace
