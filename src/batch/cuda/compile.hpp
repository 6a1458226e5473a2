#pragma once
/// Machine code of the kernels of a shape: compiled ahead, from the cache, or compiled now by NVRTC or
/// nvcc, whichever this machine has.
#include <functional>
#include <string>
#include <string_view>

namespace torsor::internal {

struct KernelRequest {
  std::string shape;         ///< the header of shape_text
  std::string options;       ///< "-DTORSOR_CHAIN -DTORSOR_PART=1 ..."
  std::string architecture;  ///< "sm_90"
  std::string cache;         ///< folder; "": the user's
  std::string robot;         ///< for the line
  std::function<void(const std::string&)> say;
};
struct KernelCode {
  std::string bytes;   ///< "" where nothing can compile
  std::string origin;  ///< in words
};
KernelCode compile_kernels(const KernelRequest& request);
/// Makes the cache forget code that the driver refused.
void forget_kernels(const KernelRequest& request);

/// Code that was compiled when the library was built: "chain7_double", "any_float"; "" where there is none.
std::string_view kernels_ahead(const std::string& name);

}  // namespace torsor::internal
