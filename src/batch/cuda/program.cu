// The kernels of one shape and one number type, compiled ahead for chains (cmake/cuda.cmake) or at run
// time with a shape written by the host (compile.cpp). TORSOR_SHAPE is the header that defines
//   namespace torsor::internal { using Shape = ...; using DeviceReal = double; }
// TORSOR_CHAIN says that it is a chain of hinges, TORSOR_ROLLED that the model is read from memory and loops
// over bodies stay loops. TORSOR_PART chooses kernels: 1 sweeps, 2 those of larger code, 3 all.
#ifndef TORSOR_PART
#define TORSOR_PART 3
#endif
#include "torsor/math/internal/register.hpp"
#ifdef TORSOR_ROLLED
#undef TORSOR_UNROLL
#define TORSOR_UNROLL _Pragma("unroll 1")
#undef TORSOR_COLD
#define TORSOR_COLD __noinline__
#endif
#include "kernels.hpp"
#include TORSOR_SHAPE

namespace torsor::internal {

#ifdef TORSOR_ROLLED
using ProgramModel = RolledModel<Shape, DeviceReal>;
#else
using ProgramModel = DeviceModel<Shape, DeviceReal>;
#endif
using Program = device::Kernels<ProgramModel, DeviceReal>;
using ProgramJob = DeviceJob<DeviceReal>;
static_assert(SweepModel<ProgramModel>);

/// Blocks that a multiprocessor holds at least, which says how many registers a thread has: what was
/// measured best on an H200 (docs/gpu.md).
struct Bounds {
  static constexpr bool wide = sizeof(DeviceReal) == 8, chain = ProgramModel::is_chain;
  static constexpr int inverse = chain ? (wide ? 8 : 14) : 1, forward = chain ? (wide ? 1 : 3) : 1;
  static constexpr int mass = chain ? (wide ? 8 : 16) : 1, slopes = wide ? 3 : 6;
  /// Of chains: small blocks, which start and end on their own.
  static constexpr int threads = chain ? 64 : 128, slope_threads = 64;
  /// One block of many threads keeps them near each other in code that is larger than the caches for it.
  static constexpr int forward_threads = wide ? 256 : 128;
  static constexpr int along = chain ? (wide ? 2 : 4) : 1;
  static constexpr int inverses = chain ? (wide ? 2 : 3) : 1;
};

/// The numbers of a thread in memory that the block shares.
struct SharedNumbers {
  const DeviceReal* at;
  int stride;
  __device__ __forceinline__ DeviceReal operator[](int k) const { return at[k * stride]; }
};

}  // namespace torsor::internal

extern "C" {
#ifdef TORSOR_LARGE_MODEL
__device__
#else
__constant__
#endif
    __align__(16) unsigned char torsor_model[sizeof(torsor::internal::ProgramModel)];
}

#define TORSOR_MODEL reinterpret_cast<const torsor::internal::ProgramModel&>(torsor_model)
#define TORSOR_KERNEL_OF(name, threads, blocks, call)                       \
  extern "C" __global__ void __launch_bounds__(threads, blocks)             \
      name(const __grid_constant__ torsor::internal::ProgramJob job) {      \
    using namespace torsor::internal;                                       \
    const long long s = blockIdx.x * (long long)(blockDim.x) + threadIdx.x; \
    if (s < job.count) Program::call;                                       \
  }
using TorsorBounds = torsor::internal::Bounds;

#if TORSOR_PART & 1
TORSOR_KERNEL_OF(torsor_inverse, TorsorBounds::threads, TorsorBounds::inverse,
                 inverse(TORSOR_MODEL, job, s))
TORSOR_KERNEL_OF(torsor_mass, TorsorBounds::threads, TorsorBounds::mass,
                 mass<false>(TORSOR_MODEL, job, s))
#ifndef TORSOR_CHAIN
TORSOR_KERNEL_OF(torsor_forward, 128, TorsorBounds::forward, forward<true>(TORSOR_MODEL, job, s))
#endif
TORSOR_KERNEL_OF(torsor_poses, TorsorBounds::threads, TorsorBounds::inverse,
                 poses(TORSOR_MODEL, job, s))
#endif

#if TORSOR_PART & 2
TORSOR_KERNEL_OF(torsor_mass_inverse, 128, TorsorBounds::inverses, mass<true>(TORSOR_MODEL, job, s))
TORSOR_KERNEL_OF(torsor_rollout, 128, TorsorBounds::along, rollout<true>(TORSOR_MODEL, job, s))

/// Several threads per state: direction blockIdx.y of state s.
TORSOR_KERNEL_OF(torsor_inverse_along, 64, 1,
                 slope_along<false>(TORSOR_MODEL, job, s, static_cast<int>(blockIdx.y)))
TORSOR_KERNEL_OF(torsor_forward_along, 64, 1,
                 slope_along<true>(TORSOR_MODEL, job, s, static_cast<int>(blockIdx.y)))
#endif

#ifdef TORSOR_CHAIN

namespace torsor::internal {

/// A grid that stays: while a thread computes one state, the numbers of its next one are on their way to
/// shared memory.
template <bool with_rotors>
__device__ __forceinline__ void forward_in_turn(const ProgramModel& model, const ProgramJob& job) {
  constexpr int n = ProgramModel::max_velocities, bytes = sizeof(DeviceReal);
  extern __shared__ __align__(16) unsigned char shared[];
  DeviceReal* const mine = reinterpret_cast<DeviceReal*>(shared) + threadIdx.x;
  const int stride = static_cast<int>(blockDim.x);
  const long long step = gridDim.x * static_cast<long long>(stride);
  const auto fetch = [&](long long s, DeviceReal* to) {
    const DeviceReal* const from[3]{job.q, job.qd, job.third};
    if (s < job.count) {
      for (int part = 0; part < 3; ++part) {
#pragma unroll
        for (int k = 0; k < n; ++k) {
          DeviceReal* const at = to + (part * n + k) * stride;
          if (from[part]) {
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(
                             static_cast<unsigned>(__cvta_generic_to_shared(at))),
                         "l"(from[part] + k * job.count + s), "n"(bytes));
          } else {
            *at = DeviceReal(0);
          }
        }
      }
    }
    asm volatile("cp.async.commit_group;");
  };
  long long s = blockIdx.x * static_cast<long long>(stride) + threadIdx.x;
  DeviceReal *now = mine, *next = mine + 3 * n * stride;
  fetch(s, now);
  for (; s < job.count; s += step) {
    fetch(s + step, next);
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    const SharedNumbers q{now, stride}, qd{now + n * stride, stride},
        tau{now + 2 * n * stride, stride};
    DeviceReal qdd[n];
    const DeviceReal ratio = device::chain_forward_dynamics<with_rotors>(model, q, qd, tau, qdd);
    Program::store(job, qdd, s, n, job.out[0]);
    if (!Program::regular(ratio) || !Program::finite(qdd, n)) {
      Program::refuse(job, s, n, job.out[0]);
      Program::count_one(job);
    }
    DeviceReal* const done = now;
    now = next, next = done;
  }
}

template <bool solved, bool with_mass>
__device__ __forceinline__ void slopes(const ProgramModel& model, const ProgramJob& job) {
  extern __shared__ __align__(16) unsigned char shared[];
  const long long s = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (s >= job.count) return;
  const device::ColumnMemory<DeviceReal, Bounds::slope_threads> columns{
      reinterpret_cast<DeviceReal*>(shared) + threadIdx.x};
  Program::chain_slopes_of<solved, with_mass>(model, job, s, columns);
}

}  // namespace torsor::internal

#define TORSOR_KERNEL(name, threads, blocks, call)                     \
  extern "C" __global__ void __launch_bounds__(threads, blocks)        \
      name(const __grid_constant__ torsor::internal::ProgramJob job) { \
    using namespace torsor::internal;                                  \
    call;                                                              \
  }
TORSOR_KERNEL(torsor_forward, TorsorBounds::forward_threads, TorsorBounds::forward,
              forward_in_turn<false>(TORSOR_MODEL, job))
TORSOR_KERNEL(torsor_forward_rotors, TorsorBounds::forward_threads, TorsorBounds::forward,
              forward_in_turn<true>(TORSOR_MODEL, job))
TORSOR_KERNEL(torsor_inverse_slopes, TorsorBounds::slope_threads, TorsorBounds::slopes,
              (slopes<false, false>(TORSOR_MODEL, job)))
TORSOR_KERNEL(torsor_inverse_slopes_and_mass, TorsorBounds::slope_threads, TorsorBounds::slopes,
              (slopes<false, true>(TORSOR_MODEL, job)))
TORSOR_KERNEL(torsor_forward_slopes, TorsorBounds::slope_threads, TorsorBounds::slopes,
              (slopes<true, true>(TORSOR_MODEL, job)))

#endif
