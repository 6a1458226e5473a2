#pragma once
/// The text that kernels are compiled from, in the library: what program.cu includes. cmake/cuda.cmake
/// writes the definitions.
#include <span>
#include <string_view>

namespace torsor::internal {

struct DeviceFile {
  std::string_view name, text;
};
std::span<const DeviceFile> device_files();

/// Kernels compiled ahead, by name: "chain7_double".
std::span<const DeviceFile> device_codes();

}  // namespace torsor::internal
