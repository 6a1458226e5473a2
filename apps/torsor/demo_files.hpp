#pragma once
/// The scenarios of `torsor demo`, the files of demo/, compiled into the command.
#include "torsor/formats/builtin_files.hpp"

namespace torsor::command {

/// Sorted by name.
std::span<const builtin::File> demo_files();

}  // namespace torsor::command
