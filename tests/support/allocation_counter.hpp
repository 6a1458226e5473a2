#pragma once
/// Counts heap allocations, to hold kernels and control laws to "no allocation in a call".
///
///   AllocationCounter counter;
///   inverse_dynamics(model, workspace, ...);
///   EXPECT_EQ(counter.count(), 0u);
///
/// Counted, on every thread: all forms of operator new, and malloc, calloc, realloc, aligned_alloc
/// and posix_memalign called from code linked into the test (Eigen calls malloc by itself).
#include <cstddef>

namespace torsor::testing {

/// Allocations since the program started.
std::size_t allocations() noexcept;

/// Allocations since it was made.
class AllocationCounter {
 public:
  AllocationCounter() noexcept : start_(allocations()) {}
  [[nodiscard]] std::size_t count() const noexcept { return allocations() - start_; }

 private:
  std::size_t start_;
};

}  // namespace torsor::testing
