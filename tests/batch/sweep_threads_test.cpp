/// A system that grants no more threads: the sweep goes on with those that it has.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>

#include "torsor/batch/sweep.hpp"
#include "torsor/formats/load_robot.hpp"

namespace {

std::atomic<int> granted{1 << 20};

}  // namespace

/// In the place of the system's.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*work)(void*), void* argument) noexcept {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (granted-- <= 0) return EAGAIN;
  return create(thread, attributes, work, argument);
}

namespace torsor {
namespace {

TEST(SweepThreads, a_sweep_goes_on_with_the_threads_that_there_are) {
  const Model<double> robot = load_robot("planar2r");
  Scenario s{.name = {},
             .title = {},
             .plant_model = robot,
             .controller_model = robot,
             .law = "independent_pd"};
  s.parameters.set("Kp", {100});
  s.parameters.set("Kd", {20});
  s.reference = hold({0, 1}, 2);
  s.options.duration = 0.1;
  s.sweep.parameter_factor = Distribution::uniform(0.8, 1.2);
  for (const int more : {0, 3}) {
    granted = more;
    int told = 0;
    SweepOptions options{.threads = 16};
    options.on_fewer_threads = [&](int threads) { told = threads; };
    EXPECT_EQ(run_sweep(s, first_samples(20), options).size(), 20u);
    EXPECT_EQ(told, more + 1);
  }
}

}  // namespace
}  // namespace torsor
