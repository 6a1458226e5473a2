#pragma once
/// What compilers and processors offer beyond the language, as functions. With register.hpp, which has
/// the attributes and the vectors, all of it: tests/house/compiler_words_test.cpp.
///
/// GCC, clang and clang-cl have these words; docs/portability.md says what was tried.
#include <cstdint>

namespace torsor::internal {

#if !defined(__GNUC__) && !defined(__clang__)
#error "Torsor needs GCC or clang (on Windows clang-cl): registers are vectors of theirs"
#endif

/// Who compiled this.
inline constexpr const char* compiler_name =
#ifdef __clang__
    "clang " __clang_version__;
#else
    "g++ " __VERSION__;
#endif

/// The result of exact integers, or false and some other number where it needs more than 64 bits.
inline bool add_exactly(std::int64_t a, std::int64_t b, std::int64_t& sum) {
  return !__builtin_add_overflow(a, b, &sum);
}
inline bool subtract_exactly(std::int64_t a, std::int64_t b, std::int64_t& difference) {
  return !__builtin_sub_overflow(a, b, &difference);
}
inline bool multiply_exactly(std::int64_t a, std::int64_t b, std::int64_t& product) {
  return !__builtin_mul_overflow(a, b, &product);
}

/// The level (cmake/levels.cmake) that this source was compiled for.
inline constexpr const char* compiled_for =
#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__) && defined(__AVX512BW__)
    "x86-64-v4";
#elif defined(__AVX2__) && defined(__FMA__)
    "x86-64-v3";
#else
    "baseline";
#endif

/// Whether this machine has the instructions of a level: 1 is x86-64-v3, 2 x86-64-v4.
inline bool machine_has([[maybe_unused]] int level) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (level >= 1 && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))) {
    return false;
  }
  if (level >= 2 && !(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl"))) {
    return false;
  }
  return true;
#else
  return level == 0;
#endif
}

}  // namespace torsor::internal
