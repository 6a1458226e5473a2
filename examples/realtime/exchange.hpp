#pragma once
/// What two processes exchange over shared memory: newest measurement one way, newest torque back.
///
/// A mailbox has one writer and one reader and keeps the newest message. Message k lies in slot k mod 2
/// and is guarded by that slot's sequence number: odd while it is written, 2 k when it is whole.
///
///   writer   sequence = 2 k - 1, words, sequence = 2 k, latest = k
///   reader   k = latest; sequence == 2 k, words, sequence == 2 k, or again
///
/// Nobody waits for anybody: a writer that dies or is preempted in the middle of message k leaves
/// message k - 1 whole in the other slot. A reader starts again only when two messages were written
/// while it read one, and after a few attempts goes on with what it had.
///
/// Order    Words are stored with release and loaded with acquire: a reader that sees one word of a
///          newer message also sees that its sequence number has changed (Boehm 2012).
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace realtime {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "shared memory needs such atomics");

template <class Message>
class Mailbox {
  static_assert(std::is_trivially_copyable_v<Message> && sizeof(Message) % 8 == 0);
  using Words = std::array<std::uint64_t, sizeof(Message) / 8>;

 public:
  void write(const Message& message) noexcept {
    const std::uint64_t k = latest_.load(std::memory_order_relaxed) + 1;
    Slot& slot = slots_[k % 2];
    const Words words = std::bit_cast<Words>(message);
    slot.sequence.store(2 * k - 1, std::memory_order_relaxed);
    for (std::size_t i = 0; i < words.size(); ++i)
      slot.words[i].store(words[i], std::memory_order_release);
    slot.sequence.store(2 * k, std::memory_order_release);
    latest_.store(k, std::memory_order_release);
  }

  /// The newest message and its number. False where there is none yet, or none could be read whole;
  /// both are untouched then.
  bool read(Message& message, std::uint64_t& number) const noexcept {
    for (int attempt = 0; attempt < 8; ++attempt) {
      const std::uint64_t k = latest_.load(std::memory_order_acquire);
      if (k == 0) return false;
      const Slot& slot = slots_[k % 2];
      if (slot.sequence.load(std::memory_order_acquire) != 2 * k) continue;
      Words words;
      for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = slot.words[i].load(std::memory_order_acquire);
      if (slot.sequence.load(std::memory_order_relaxed) != 2 * k) continue;
      message = std::bit_cast<Message>(words);
      number = k;
      return true;
    }
    return false;
  }

 private:
  struct Slot {
    alignas(64) std::atomic<std::uint64_t> sequence{0};
    std::array<std::atomic<std::uint64_t>, std::tuple_size_v<Words>> words{};
  };
  alignas(64) std::atomic<std::uint64_t> latest_{0};
  std::array<Slot, 2> slots_{};
};

inline constexpr std::size_t max_joints = 8;
using Joints = std::array<double, max_joints>;

/// From the arm.
struct Measurement {
  double t = 0;                    ///< s, of the arm's own clock: periods that it has moved
  std::int64_t taken_ns = 0;       ///< when it was taken
  std::uint64_t used_command = 0;  ///< number of the command of the period before; 0: none yet
  std::int64_t round_trip_ns = 0;  ///< of that command: from its measurement to its use
  Joints q{}, qd{};
};

/// From the controller.
struct Command {
  std::uint64_t measurement = 0;    ///< number of the measurement that it answers
  std::int64_t measurement_ns = 0;  ///< when that was taken
  Joints tau{};
};

enum class Stage : std::uint32_t { absent, running, done, stopped };

/// The whole block. The arm makes it and fills it; `ready` is written last.
struct Block {
  static constexpr std::uint64_t ready_word =
      0x746f72736f720001;  // "torsor", version of the layout
  std::atomic<std::uint64_t> ready{0};
  std::uint64_t size = sizeof(Block);
  std::uint64_t joints = 0;
  std::atomic<std::int32_t> controller{0};  ///< its process; who writes it first is the controller
  std::atomic<Stage> arm_stage{Stage::absent}, controller_stage{Stage::absent};
  Mailbox<Measurement> measured;
  Mailbox<Command> commanded;
};

}  // namespace realtime
