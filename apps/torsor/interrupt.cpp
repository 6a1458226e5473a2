#include "interrupt.hpp"

#include <csignal>

namespace torsor::command {
namespace {

constexpr int signals[] = {SIGINT, SIGTERM};

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void note_interrupt(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

Interrupt::Interrupt() {
  for (int k = 0; k < 2; ++k) {
    before_[k] = std::signal(signals[k], note_interrupt);
    if (before_[k] == SIG_IGN) std::signal(signals[k], SIG_IGN);
  }
}
Interrupt::~Interrupt() {
  for (int k = 0; k < 2; ++k)
    if (before_[k] != SIG_ERR) std::signal(signals[k], before_[k]);
}

const std::atomic<bool>& Interrupt::flag() const { return interrupted; }

}  // namespace torsor::command
