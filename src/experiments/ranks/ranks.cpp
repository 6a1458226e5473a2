#include "torsor/experiments/internal/ranks.hpp"

#include <dlfcn.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "ranks/by_messages.hpp"
#include "torsor/math/error.hpp"

namespace torsor::internal {
namespace {

std::unique_ptr<Transport> load_transport(const Launch& started) {
  const std::string by =
      "started by " + started.by + " as " + std::to_string(started.size) + " ranks, but ";
#ifdef TORSOR_MPI_FOLDER
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path beside = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const fs::path& folder : {beside, beside / TORSOR_MPI_FOLDER}) {
    const fs::path file = folder / "torsor_mpi.so";
    if (!fs::exists(file, error)) continue;
    void* module = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!module) throw Error(by + "MPI cannot be loaded: " + ::dlerror());
    const auto open = reinterpret_cast<OpenTransport>(::dlsym(module, open_transport_name));
    std::unique_ptr<Transport> transport(open ? open(transport_interface) : nullptr);
    if (!transport) throw Error(by + file.string() + " is of another version");
    return transport;
  }
  throw Error(by + "torsor_mpi.so is not installed with this torsor");
#else
  throw Error(by + "this torsor was built without MPI (TORSOR_BUILD_MPI)");
#endif
}

}  // namespace

std::unique_ptr<Ranks> open_ranks() {
  const Launch started = launch();
  if (started.size <= 1) return nullptr;
  std::unique_ptr<Transport> transport;
  try {
    transport = load_transport(started);
  } catch (const Error&) {
    // Where the first rank has the same to say, it says it, and the launcher ends the others.
    if (started.rank > 0) std::this_thread::sleep_for(std::chrono::seconds(2));
    throw;
  }
  if (transport->size() != started.size)
    throw Error("started by " + started.by + " as " + std::to_string(started.size) +
                " ranks, but Open MPI sees " + std::to_string(transport->size()) +
                ": the launcher is of another MPI");
  return std::make_unique<RanksByMessages>(std::move(transport));
}

}  // namespace torsor::internal
