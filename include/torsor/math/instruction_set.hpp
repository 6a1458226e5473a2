#pragma once
/// Which instructions the compiled sweeps use.
///
/// The rooms with sweeps are compiled for several instruction sets of one processor family, and every
/// call takes the best that this machine has (cmake/levels.cmake says how). On x86-64 they are
///   baseline    what every machine of the family has: registers of 16 bytes
///   x86-64-v3   AVX2 and fused multiply-add, 32 bytes
///   x86-64-v4   AVX-512, 64 bytes
/// The layout of models and workspaces is the same for all, so what one made another may go on with.
/// Results differ by rounding: a fused multiply-add rounds once.
///
/// The environment variable TORSOR_ARCH forces one. A build for one machine (-march=native) or with
/// TORSOR_LEVELS=OFF has one only, and is called after what it was compiled for.
#include <string>
#include <string_view>
#include <vector>

namespace torsor {

/// The one in use.
std::string instruction_set();

/// Those that this build contains and this machine can run, the plainest first.
std::vector<std::string> instruction_sets();

/// Uses another one from now on. Nothing may be running meanwhile. Error where it is not one of
/// instruction_sets().
void use_instruction_set(std::string_view name);

}  // namespace torsor
