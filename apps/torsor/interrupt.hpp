#pragma once
/// Ctrl-C and SIGTERM while there is something to keep: work stops at the next good place, and what
/// is done is written. A second one ends the process.
#include <atomic>

namespace torsor::command {

class Interrupt {
 public:
  /// Listens while it lives. A signal that the parent had ignored stays ignored.
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  const std::atomic<bool>& flag() const;
  bool asked() const { return flag(); }

 private:
  void (*before_[2])(int);
};

}  // namespace torsor::command
