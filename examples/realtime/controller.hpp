#pragma once
/// The loop that would run on the robot's computer: 1 kHz, half a period after the arm's measurement.
///
///   wait for the timer; newest measurement; reference; law; torque out; count the times
///
/// After its start it allocates nothing, takes no lock and prints nothing. It ends orderly after
/// `seconds` or at a signal: the motion slows down to a stop, the arm closes its brakes, exit code 0. Where
/// the arm says nothing new for the time of the watchdog, or a torque is not a number, the last torque
/// sent is zero and the exit code 3.
///
/// Times    wake-up: from the instant of the timer (the first unserved one) to the first instruction;
///          compute: from there to the torque in the mailbox; round trip, measured by the arm: from its
///          measurement to the use of the torque that answers it, one period where all is well.
#include <spawn.h>
#include <sys/wait.h>

#include <cmath>
#include <memory>

#include "arm.hpp"
#include "histogram.hpp"
#include "motion.hpp"
#include "torsor/control/joint/computed_torque.hpp"
#include "torsor/control/uncertain/slotine_li.hpp"

extern char** environ;

namespace realtime {

enum class LawChoice { computed_torque, slotine_li, both };

struct ControllerOptions {
  LawChoice law = LawChoice::both;         ///< both: each for half of the time
  double seconds = 3;                      ///< of the loop; 0: until a signal
  double watchdog = 0.1;                   ///< s
  double payload = 2;                      ///< kg, of the arm that is started
  int priority = 80;                       ///< of SCHED_FIFO; 0: an ordinary process
  std::string attach;                      ///< shared memory of a running arm; empty: start one
  std::string program = "/proc/self/exe";  ///< that is an arm with --arm NAME
  std::size_t (*count_allocations)() = nullptr;  ///< for tests
};

struct ControllerReport {
  int exit_code = 0;
  bool fifo = false;
  std::uint64_t periods = 0, missed = 0;  ///< served; passed while the loop was late
  std::uint64_t stale = 0;                ///< served without a new measurement
  double worst_error[2] = {0, 0};         ///< rad, of each law over the last half of its time
  std::size_t allocations = 0;            ///< between the first period and the last
  Histogram wake_up{"wake-up", 1000, 20000}, compute{"compute", 100, 20000},
      round_trip{"round trip", 1000, 20000};
};

/// Starts `program --arm NAME` in a group of its own, so that Ctrl-C reaches the controller alone.
inline pid_t start_arm(const ControllerOptions& options, const std::string& name) {
  const std::string payload = std::to_string(options.payload);
  const std::string watchdog = std::to_string(options.watchdog);
  const std::string priority = std::to_string(options.priority > 0 ? options.priority - 1 : 0);
  std::string words[] = {options.program, "--arm",  name,         "--payload", payload,
                         "--watchdog",    watchdog, "--priority", priority};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t child = 0;
  const int why =
      posix_spawn(&child, options.program.c_str(), nullptr, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  if (why != 0) throw torsor::Error(options.program + ": " + std::strerror(why));
  return child;
}

/// The block of an arm, waited for.
inline SharedBlock find_arm(const std::string& name, pid_t child) {
  SharedBlock block;
  for (int k = 0; k < 10000; ++k) {
    if (SharedBlock::attach(name, block)) return block;
    int status = 0;
    if (child > 0 && waitpid(child, &status, WNOHANG) == child)
      throw torsor::Error("the arm ended before it began");
    usleep(1000);
  }
  throw torsor::Error("shared memory " + name + " does not appear: is the arm running?");
}

/// Both laws, their references and states; everything is allocated here.
class Laws {
 public:
  Laws()
      : robot_(torsor::load_robot("puma560")),
        computed_(robot_, {torsor::Gain::uniform(6, 400), torsor::Gain::uniform(6, 40)}),
        adaptive_(robot_, {torsor::Gain::uniform(6, 10), torsor::Gain({120, 160, 90, 10, 10, 8})},
                  adaptation(robot_)),
        x_c_(static_cast<std::size_t>(adaptive_.n_states())),
        rate_(x_c_.size()) {
    adaptive_.reset(x_c_);
  }
  Motion motion;
  int joints() const { return robot_.n_v(); }

  /// The torque for `m`, `dt` after the one before. Returns the largest error of a joint, rad.
  double torque(bool adaptive, const Measurement& m, double dt, bool stop, Joints& tau) {
    motion.advance(dt, stop);
    constexpr int n = static_cast<int>(Motion::n);
    const torsor::ControlState seen{{m.q.data(), n}, {m.qd.data(), n}};
    const torsor::ControlReference wanted{motion.q, motion.qd, motion.qdd};
    const torsor::Out<double> out{tau.data(), n};
    if (adaptive) {
      adaptive_.torque({m.t, seen, x_c_, wanted}, out);
      adaptive_.state_derivative({m.t, seen, x_c_, wanted}, rate_);
      for (std::size_t i = 0; i < x_c_.size(); ++i) x_c_[i] += dt * rate_[i];
    } else {
      computed_.torque({m.t, seen, {}, wanted}, out);
    }
    double error = 0;
    for (std::size_t i = 0; i < Motion::n; ++i)
      error = std::fmax(error, std::abs(motion.q[i] - m.q[i]));
    return error;
  }

 private:
  /// What of the last link a load changes.
  static torsor::AdaptationOptions adaptation(const torsor::Model<double>& robot) {
    torsor::AdaptationOptions options;
    const std::string& hand = robot.body_name(6);
    options.parameters = {hand + ".m", hand + ".mz"};
    options.rate = torsor::Gain({8, 1});
    return options;
  }

  torsor::Model<double> robot_;
  torsor::ComputedTorque computed_;
  torsor::SlotineLiAdaptive adaptive_;
  std::vector<double> x_c_, rate_;
};

/// The loop itself.
inline void control(const ControllerOptions& options, SharedBlock& block, Laws& laws,
                    ControllerReport& report, const char*& fault) {
  PeriodicTimer timer(period_ns / 2);
  const auto patience = static_cast<std::int64_t>(1e9 * options.watchdog);
  const bool first_adaptive = options.law == LawChoice::slotine_li;
  const double share = options.law == LawChoice::both ? options.seconds / 2 : options.seconds;
  Measurement m;
  Command command;
  std::uint64_t number = 0, counted = 0;
  std::int64_t heard = now_ns();
  double t = 0, at_rest = 0;
  while (fault == nullptr && at_rest < 0.2) {
    const PeriodicTimer::Wake wake = timer.wait();
    const std::int64_t woken = now_ns();
    report.wake_up.add(wake.late_ns);
    ++report.periods;
    report.missed += static_cast<std::uint64_t>(wake.periods - 1);
    const std::uint64_t last = number;
    const double before = m.t;
    block->measured.read(m, number);
    if (number == last) {
      ++report.stale;
      if (woken - heard > patience) fault = "nothing new from the arm";
      if (block->arm_stage.load() != Stage::running) fault = "the arm stopped";
      continue;
    }
    heard = woken;
    if (m.used_command > counted) {
      counted = m.used_command;
      report.round_trip.add(m.round_trip_ns);
    }
    const double dt = last == 0 ? 0 : m.t - before;
    t += dt;
    const bool stop =
        stop_asked.load(std::memory_order_relaxed) || (options.seconds > 0 && t >= options.seconds);
    const bool second = options.law == LawChoice::both && options.seconds > 0 && t >= share;
    const bool adaptive = first_adaptive || second;
    const double error = laws.torque(adaptive, m, dt, stop, command.tau);
    const double into = t - (second ? share : 0);
    if (!stop && into >= share / 2)
      report.worst_error[adaptive] = std::fmax(report.worst_error[adaptive], error);
    if (stop && laws.motion.speed() == 0) at_rest += dt;
    for (const double x : command.tau)
      if (!std::isfinite(x)) fault = "the torque is not a number";
    if (fault != nullptr) break;
    command.measurement = number;
    command.measurement_ns = m.taken_ns;
    block->commanded.write(command);
    report.compute.add(now_ns() - woken);
  }
}

/// Starts or finds an arm, controls it, brings it to rest.
inline ControllerReport run_controller(const ControllerOptions& options) {
  Laws laws;
  ControllerReport report;
  listen_to_signals();
  const std::string name =
      options.attach.empty() ? "/torsor-realtime-" + std::to_string(getpid()) : options.attach;
  const pid_t child = options.attach.empty() ? start_arm(options, name) : 0;
  SharedBlock block = find_arm(name, child);
  if (block->joints != static_cast<std::uint64_t>(laws.joints()))
    throw torsor::Error("the arm has " + std::to_string(block->joints) +
                        " joints, the controller " + std::to_string(laws.joints()));
  report.fifo = become_real_time("controller", options.priority);
  block->controller_stage = Stage::running;

  const char* fault = nullptr;
  const auto allocated = [&] {
    return options.count_allocations ? options.count_allocations() : 0;
  };
  const std::size_t before = allocated();
  control(options, block, laws, report, fault);
  report.allocations = allocated() - before;

  if (fault != nullptr) {
    block->commanded.write(Command{});
    std::fprintf(stderr, "controller: %s after %llu periods: zero torque\n", fault,
                 static_cast<unsigned long long>(report.periods));
    report.exit_code = lost_peer;
  }
  block->controller_stage = fault == nullptr ? Stage::done : Stage::stopped;
  int status = 0;
  for (int k = 0; child > 0 && waitpid(child, &status, WNOHANG) == 0; ++k) {
    if (k == 2000) kill(child, SIGKILL);  // stopped or stuck: it is ours
    usleep(1000);
  }
  return report;
}

}  // namespace realtime
