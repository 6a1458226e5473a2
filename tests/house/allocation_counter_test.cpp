#include "support/allocation_counter.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cstdlib>
#include <memory>
#include <new>
#include <thread>
#include <vector>

using torsor::testing::AllocationCounter;

namespace {

// The optimiser may remove an allocation nobody looks at.
template <class Pointer>
void keep(Pointer pointer) {
  asm volatile("" : : "g"(pointer) : "memory");
}

struct alignas(128) Wide {
  double values[16];
};

TEST(AllocationCounter, stack_work_counts_nothing) {
  AllocationCounter counter;
  double values[64] = {};
  keep(&values[0]);
  EXPECT_EQ(counter.count(), 0u);
}

TEST(AllocationCounter, every_form_of_new_counts_once) {
  AllocationCounter counter;
  std::size_t expected = 0;

  auto* one = new int(1);
  keep(one);
  EXPECT_EQ(counter.count(), ++expected);
  auto* many = new int[10];
  keep(many);
  EXPECT_EQ(counter.count(), ++expected);
  auto* quiet = new (std::nothrow) int(1);
  keep(quiet);
  EXPECT_EQ(counter.count(), ++expected);
  auto* quiet_many = new (std::nothrow) int[10];
  keep(quiet_many);
  EXPECT_EQ(counter.count(), ++expected);
  auto* wide = new Wide;
  keep(wide);
  EXPECT_EQ(counter.count(), ++expected);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide) % alignof(Wide), 0u);
  auto* wide_many = new Wide[3];
  keep(wide_many);
  EXPECT_EQ(counter.count(), ++expected);
  auto* quiet_wide = new (std::nothrow) Wide;
  keep(quiet_wide);
  EXPECT_EQ(counter.count(), ++expected);

  delete one;
  delete[] many;
  delete quiet;
  delete[] quiet_many;
  delete wide;
  delete[] wide_many;
  delete quiet_wide;
  EXPECT_EQ(counter.count(), expected) << "giving memory back is not counted";
}

TEST(AllocationCounter, the_c_functions_count_once) {
  AllocationCounter counter;
  void* memory = std::malloc(10);
  keep(memory);
  EXPECT_EQ(counter.count(), 1u);
  memory = std::realloc(memory, 2000);
  keep(memory);
  EXPECT_EQ(counter.count(), 2u);
  std::free(memory);
  memory = std::calloc(3, 5);
  keep(memory);
  EXPECT_EQ(counter.count(), 3u);
  std::free(memory);
  memory = std::aligned_alloc(64, 128);
  keep(memory);
  EXPECT_EQ(counter.count(), 4u);
  std::free(memory);
}

TEST(AllocationCounter, containers_and_dynamic_eigen_objects_count_and_fixed_ones_do_not) {
  {
    AllocationCounter counter;
    std::vector<double> values(100);
    keep(values.data());
    EXPECT_EQ(counter.count(), 1u);
  }
  {
    AllocationCounter counter;
    Eigen::VectorXd vector(100);
    keep(vector.data());
    EXPECT_EQ(counter.count(), 1u);
  }
  {
    AllocationCounter counter;
    Eigen::Matrix<double, 6, 6> matrix = Eigen::Matrix<double, 6, 6>::Identity();
    keep(matrix.data());
    EXPECT_EQ(counter.count(), 0u);
  }
}

TEST(AllocationCounter, other_threads_are_counted) {
  AllocationCounter counter;
  std::size_t after_start = 0;
  std::thread worker([&] {
    after_start = counter.count();
    keep(std::make_unique<int>(3).get());
  });
  worker.join();
  EXPECT_GE(counter.count(), after_start + 1);
}

}  // namespace
