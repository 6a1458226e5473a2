#pragma once
/// An older language ends here, with one line instead of thousands.
#if defined(_MSVC_LANG)
#define TORSOR_LANGUAGE _MSVC_LANG
#else
#define TORSOR_LANGUAGE __cplusplus
#endif
#if TORSOR_LANGUAGE < 202002L
#error \
    "Torsor needs C++20: compile with -std=c++20, or link torsor::torsor in CMake, which asks for it"
#include "torsor/needs/c++20"  // there is no such file: the compiler stops
#endif
#undef TORSOR_LANGUAGE
