#pragma once
/// The other side of the wire: a PUMA 560 that moves in real time, with brakes and a watchdog of its own.
///
/// Every period it takes the newest torque, moves for one period and publishes where it is. Brakes hold it
/// until the first torque arrives. Where none arrives for the time of the watchdog, the motors are switched
/// off, the brakes close and the process ends with 3.
#include <memory>
#include <string>

#include "real_time.hpp"
#include "shared_block.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/model/surgery.hpp"

namespace realtime {

inline constexpr int lost_peer = 3;  // exit code

struct ArmOptions {
  std::string name;                              ///< of the shared memory
  double payload = 2;                            ///< kg in its hand, unknown to the controller
  double watchdog = 0.1;                         ///< s
  double patience = 10;                          ///< s to wait for a controller
  int priority = 79;                             ///< of SCHED_FIFO; 0: an ordinary process
  std::size_t (*count_allocations)() = nullptr;  ///< for tests
};

struct ArmReport {
  int exit_code = 0;
  std::size_t allocations = 0;  ///< between the first period and the last
};

inline torsor::Model<double> loaded_arm(double payload) {
  const torsor::Model<double> arm = torsor::load_robot("puma560");
  if (payload <= 0) return arm;
  torsor::Inertial load;
  load.mass = payload;
  load.com = {0, 0, 0.1};
  return torsor::attach_payload(arm, arm.body_name(6), load);
}

class Arm {
 public:
  explicit Arm(double payload) : model_(loaded_arm(payload)), ws_(model_) {
    now_.q = {0, 0.8, 0, 0, 0.5, 0};
  }
  int joints() const { return model_.n_v(); }
  const Measurement& measurement() const { return now_; }
  Measurement& measurement() { return now_; }

  /// One period under `tau`, in semi-implicit Euler steps. False where the torque moves it nowhere.
  bool move(const Joints& tau) noexcept {
    constexpr int steps = 4;
    const auto n = static_cast<std::size_t>(joints());
    const auto view = [n](const Joints& x) { return torsor::In<double>{x.data(), int(n)}; };
    for (int k = 0; k < steps; ++k) {
      if (!torsor::forward_dynamics(model_, ws_, view(now_.q), view(now_.qd), view(tau), {},
                                    torsor::Out<double>{qdd_.data(), int(n)}))
        return false;
      for (std::size_t i = 0; i < n; ++i) {
        now_.qd[i] += period / steps * qdd_[i];
        now_.q[i] += period / steps * now_.qd[i];
      }
    }
    now_.t += period;
    return true;
  }

 private:
  torsor::Model<double> model_;
  torsor::DynamicsWorkspace<double> ws_;
  Measurement now_;
  Joints qdd_{};
};

/// Waits for a controller, serves it and ends with it.
inline ArmReport run_arm(const ArmOptions& options) {
  Arm arm(options.payload);
  SharedBlock block = SharedBlock::create(options.name);
  listen_to_signals();
  block->joints = static_cast<std::uint64_t>(arm.joints());
  block->arm_stage = Stage::running;
  arm.measurement().taken_ns = now_ns();
  block->measured.write(arm.measurement());
  block->ready.store(Block::ready_word, std::memory_order_release);

  const std::int64_t started = now_ns();
  while (block->controller_stage.load() == Stage::absent) {
    if (stop_asked) return {};
    if (1e-9 * static_cast<double>(now_ns() - started) > options.patience) {
      std::fprintf(stderr, "arm: no controller came within %g s\n", options.patience);
      return {lost_peer, 0};
    }
    usleep(1000);
  }
  block.remove_name();
  become_real_time("arm", options.priority);

  ArmReport report;
  const auto allocated = [&] {
    return options.count_allocations ? options.count_allocations() : 0;
  };
  PeriodicTimer timer(0);
  const auto patience = static_cast<std::int64_t>(1e9 * options.watchdog);
  Command command;
  std::uint64_t number = 0;
  std::int64_t heard = now_ns();
  const char* fault = nullptr;
  const std::size_t before = allocated();
  while (fault == nullptr && block->controller_stage.load() == Stage::running && !stop_asked) {
    const int periods = timer.wait().periods;
    const std::int64_t now = now_ns();
    const std::uint64_t last = number;
    Measurement& m = arm.measurement();
    block->commanded.read(command, number);
    if (number != last) {
      heard = now;
      m.used_command = number;
      m.round_trip_ns = now - command.measurement_ns;
    } else if (now - heard > patience) {
      fault = "no torque from the controller";
    }
    for (int k = 0; k < periods && fault == nullptr && number > 0; ++k)
      if (!arm.move(command.tau)) fault = "no acceleration at this torque";
    m.taken_ns = now_ns();
    block->measured.write(m);
  }
  report.allocations = allocated() - before;

  // brakes: the arm stands
  arm.measurement().qd = {};
  block->measured.write(arm.measurement());
  const bool wanted = block->controller_stage.load() == Stage::done || stop_asked;
  if (fault == nullptr && !wanted) fault = "the controller stopped";
  if (fault != nullptr) {
    std::fprintf(stderr, "arm: %s after %.3f s: motors off, brakes on\n", fault,
                 arm.measurement().t);
    report.exit_code = lost_peer;
  }
  block->arm_stage = wanted && !stop_asked ? Stage::done : Stage::stopped;
  return report;
}

}  // namespace realtime
