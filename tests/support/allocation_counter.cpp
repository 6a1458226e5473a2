#include "support/allocation_counter.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

// The linker's --wrap (tests/CMakeLists.txt) turns calls of malloc into __wrap_malloc and gives
// the library's own one the name __real_malloc. Calls inside shared libraries are not turned;
// theirs that matter come through operator new.
extern "C" {
void* __real_malloc(std::size_t);
void* __real_calloc(std::size_t, std::size_t);
void* __real_realloc(void*, std::size_t);
void* __real_aligned_alloc(std::size_t, std::size_t);
int __real_posix_memalign(void**, std::size_t, std::size_t);
}

namespace {

std::atomic<std::size_t> allocation_count{0};

void count_one() noexcept { allocation_count.fetch_add(1, std::memory_order_relaxed); }

void* counted(std::size_t size) noexcept {
  count_one();
  return __real_malloc(size == 0 ? 1 : size);
}

void* counted(std::size_t size, std::align_val_t alignment) noexcept {
  count_one();
  const auto align = static_cast<std::size_t>(alignment);
  const std::size_t whole = (size + align - 1) / align * align;
  return __real_aligned_alloc(align, whole == 0 ? align : whole);
}

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

namespace torsor::testing {
std::size_t allocations() noexcept { return allocation_count.load(std::memory_order_relaxed); }
}  // namespace torsor::testing

extern "C" {
void* __wrap_malloc(std::size_t size) {
  count_one();
  return __real_malloc(size);
}
void* __wrap_calloc(std::size_t n, std::size_t size) {
  count_one();
  return __real_calloc(n, size);
}
void* __wrap_realloc(void* memory, std::size_t size) {
  count_one();
  return __real_realloc(memory, size);
}
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size) {
  count_one();
  return __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  count_one();
  return __real_posix_memalign(memory, alignment, size);
}
}

void* operator new(std::size_t n) { return or_throw(counted(n)); }
void* operator new[](std::size_t n) { return or_throw(counted(n)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return counted(n); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return counted(n); }
void* operator new(std::size_t n, std::align_val_t a) { return or_throw(counted(n, a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return or_throw(counted(n, a)); }
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return counted(n, a);
}
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
  return counted(n, a);
}

void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t, const std::nothrow_t&) noexcept { std::free(p); }
