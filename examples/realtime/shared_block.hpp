#pragma once
/// The block of exchange.hpp as POSIX shared memory with a name, /dev/shm/NAME on Linux.
///
/// The arm creates it and takes the name away as soon as a controller is there: whatever ends either
/// process afterwards, nothing is left behind.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "exchange.hpp"
#include "torsor/math/error.hpp"

namespace realtime {

class SharedBlock {
 public:
  /// Throws torsor::Error where the name is taken or the memory cannot be had.
  static SharedBlock create(const std::string& name) {
    const int file = shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR, 0600);
    if (file < 0)
      fail(name, errno == EEXIST ? "is in use; choose another name" : std::strerror(errno));
    SharedBlock block(name, true);
    const bool sized = ftruncate(file, sizeof(Block)) == 0;
    void* const memory = sized ? map(file) : MAP_FAILED;
    const int why = errno;
    close(file);
    if (memory == MAP_FAILED) fail(name, std::strerror(why));
    block.block_ = new (memory) Block;
    return block;
  }

  /// False where there is no such block yet, or its maker is still at work.
  /// Throws torsor::Error where it is another version's, or another controller has it.
  static bool attach(const std::string& name, SharedBlock& block) {
    const int file = shm_open(name.c_str(), O_RDWR, 0600);
    if (file < 0 && errno == ENOENT) return false;
    if (file < 0) fail(name, std::strerror(errno));
    struct stat status {};
    const bool whole =
        fstat(file, &status) == 0 && static_cast<std::size_t>(status.st_size) >= sizeof(Block);
    void* const memory = whole ? map(file) : MAP_FAILED;
    close(file);
    if (memory == MAP_FAILED) return false;
    SharedBlock found(name, false);
    found.block_ = static_cast<Block*>(memory);
    const std::uint64_t ready = found->ready.load(std::memory_order_acquire);
    if (ready == 0) return false;
    if (ready != Block::ready_word || found->size != sizeof(Block))
      fail(name, "is of another version");
    std::int32_t nobody = 0;
    if (!found->controller.compare_exchange_strong(nobody, getpid()))
      fail(name, "already has a controller, process " + std::to_string(nobody));
    block = std::move(found);
    return true;
  }

  SharedBlock() = default;
  SharedBlock(SharedBlock&& other) noexcept { *this = std::move(other); }
  SharedBlock& operator=(SharedBlock&& other) noexcept {
    std::swap(name_, other.name_);
    std::swap(named_, other.named_);
    std::swap(block_, other.block_);
    return *this;
  }
  ~SharedBlock() {
    remove_name();
    if (block_ != nullptr) munmap(block_, sizeof(Block));
  }

  /// Those who have the block keep it.
  void remove_name() noexcept {
    if (std::exchange(named_, false)) shm_unlink(name_.c_str());
  }
  Block* operator->() const noexcept { return block_; }

 private:
  SharedBlock(std::string name, bool named) : name_(std::move(name)), named_(named) {}
  static void* map(int file) {
    return mmap(nullptr, sizeof(Block), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  [[noreturn]] static void fail(const std::string& name, const std::string& why) {
    throw torsor::Error("shared memory " + name + " " + why);
  }

  std::string name_;
  bool named_ = false;
  Block* block_ = nullptr;
};

}  // namespace realtime
