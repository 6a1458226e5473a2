// A PUMA 560 in one process, its controller at 1 kHz in another, shared memory between them
// (docs/real-time.md).
//   realtime_loop [--law computed-torque|slotine-li|both] [--seconds 3] [--payload 2] [--watchdog 0.1]
//                 [--priority 80] [--attach NAME]
//   realtime_loop --arm NAME [--payload 2] [--watchdog 0.1] [--priority 79]
// Exit code: 0 orderly end, 2 bad arguments, 3 the other process is lost.
#include <charconv>
#include <cstdio>

#include "controller.hpp"

namespace {

double number(const std::string& option, const std::string& text, double low, double high) {
  double x = 0;
  const auto [end, why] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (why != std::errc{} || end != text.data() + text.size() || !(x >= low && x <= high)) {
    char range[64];
    std::snprintf(range, sizeof range, " is no number from %g to %g", low, high);
    throw torsor::Error(option + ": " + text + range);
  }
  return x;
}

realtime::LawChoice law(const std::string& word) {
  if (word == "computed-torque") return realtime::LawChoice::computed_torque;
  if (word == "slotine-li") return realtime::LawChoice::slotine_li;
  if (word == "both") return realtime::LawChoice::both;
  throw torsor::Error("--law: " + word + " is none of computed-torque, slotine-li, both");
}

void print(const realtime::ControllerOptions& options, const realtime::ControllerReport& report) {
  std::printf("%llu periods of 1 ms, %s: %llu missed, %llu without a new measurement\n",
              static_cast<unsigned long long>(report.periods),
              report.fifo ? "SCHED_FIFO" : "an ordinary process",
              static_cast<unsigned long long>(report.missed),
              static_cast<unsigned long long>(report.stale));
  if (report.exit_code == 0 && options.seconds > 0) {
    std::printf("largest error of a joint over the last half of a law's time\n");
    if (options.law != realtime::LawChoice::slotine_li)
      std::printf("  computed torque  %.6f rad\n", report.worst_error[0]);
    if (options.law != realtime::LawChoice::computed_torque)
      std::printf("  Slotine and Li   %.6f rad\n", report.worst_error[1]);
  }
  realtime::print_histograms(stdout, report.wake_up, report.compute, report.round_trip);
}

int run(const std::vector<std::string>& words) {
  realtime::ControllerOptions controller;
  realtime::ArmOptions arm;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string& option = words[i];
    if (i + 1 == words.size()) throw torsor::Error(option + " needs a value");
    const std::string& value = words[i + 1];
    if (option == "--arm")
      arm.name = value;
    else if (option == "--attach")
      controller.attach = value;
    else if (option == "--law")
      controller.law = law(value);
    else if (option == "--seconds")
      controller.seconds = number(option, value, 0, 1e6);
    else if (option == "--payload")
      arm.payload = controller.payload = number(option, value, 0, 10);
    else if (option == "--watchdog")
      arm.watchdog = controller.watchdog = number(option, value, 0.002, 60);
    else if (option == "--priority")
      arm.priority = controller.priority = static_cast<int>(number(option, value, 0, 99));
    else
      throw torsor::Error(option + " is no option; see the first lines of realtime_loop.cpp");
  }
  for (const std::string& name : {arm.name, controller.attach})
    if (!name.empty() &&
        (name.size() < 2 || name[0] != '/' || name.find('/', 1) != std::string::npos))
      throw torsor::Error(name + ": a name of shared memory is /word");
  if (!arm.name.empty()) return realtime::run_arm(arm).exit_code;
  const realtime::ControllerReport report = realtime::run_controller(controller);
  print(controller, report);
  return report.exit_code;
}

}  // namespace

int main(int n, char** words) {
  try {
    return run({words + 1, words + n});
  } catch (const torsor::Error& error) {
    std::fprintf(stderr, "realtime_loop: %s\n", error.what());
    return 2;
  }
}
