#ifdef TORSOR_HAS_CUDA

#include "compile.hpp"

#include <dlfcn.h>
#include <nvrtc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "device_files.hpp"
#include "torsor/math/error.hpp"

namespace torsor::internal {
namespace {

namespace fs = std::filesystem;

/// FNV-1a of a text, twice with different starts: names files.
std::string fingerprint(const std::string& text) {
  std::ostringstream out;
  for (std::uint64_t hash : {14695981039346656037ULL, 1099511628211ULL * 31}) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    out << std::hex << hash;
  }
  return out.str();
}

std::string everything(const KernelRequest& request) {
  std::string text = request.shape + '\n' + request.options + '\n' + request.architecture + '\n';
  for (const DeviceFile& file : device_files()) (text += file.name) += file.text;
  return text;
}

fs::path cache_folder(const KernelRequest& request) {
  if (!request.cache.empty()) return request.cache;
  if (const char* const cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    return fs::path(cache) / "torsor" / "kernels";
  if (const char* const home = std::getenv("HOME"); home && *home)
    return fs::path(home) / ".cache" / "torsor" / "kernels";
  return {};
}
fs::path cache_file(const KernelRequest& request) {
  const fs::path folder = cache_folder(request);
  return folder.empty() ? fs::path() : folder / (fingerprint(everything(request)) + ".cubin");
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
/// All of it or nothing: other processes read the folder too.
bool write(const fs::path& path, const std::string& bytes) {
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  if (failed) return false;
  const fs::path part = path.string() + "." + std::to_string(getpid());
  {
    std::ofstream file(part, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!file) return false;
  }
  fs::rename(part, path, failed);
  if (failed) fs::remove(part, failed);
  return fs::exists(path);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

#define TORSOR_NVRTC_FUNCTIONS(X) \
  X(nvrtcVersion)                 \
  X(nvrtcCreateProgram)           \
  X(nvrtcDestroyProgram)          \
  X(nvrtcCompileProgram)          \
  X(nvrtcGetCUBINSize)            \
  X(nvrtcGetCUBIN)                \
  X(nvrtcGetProgramLogSize)       \
  X(nvrtcGetProgramLog)

struct Nvrtc {
#define TORSOR_NVRTC_FUNCTION(name) decltype(&::name) name = nullptr;
  TORSOR_NVRTC_FUNCTIONS(TORSOR_NVRTC_FUNCTION)
#undef TORSOR_NVRTC_FUNCTION
  bool found = false;

  Nvrtc() {
    for (const char* const file :
         {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so",
          "/usr/local/cuda/lib64/libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.12"}) {
      void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
      if (!library) continue;
      found = true;
#define TORSOR_NVRTC_FUNCTION(name)                               \
  name = reinterpret_cast<decltype(name)>(dlsym(library, #name)); \
  found = found && name;
      TORSOR_NVRTC_FUNCTIONS(TORSOR_NVRTC_FUNCTION)
#undef TORSOR_NVRTC_FUNCTION
      if (found) return;
    }
  }
};

/// The code, or "" and why.
std::string by_nvrtc(const Nvrtc& nvrtc, const KernelRequest& request, std::string& why) {
  std::vector<std::string> names, texts;
  std::string program;
  for (const DeviceFile& file : device_files()) {
    std::string name(file.name), text(file.text);
    if (name == "program.cu") {
      program = text;
      continue;
    }
    names.push_back(name), texts.push_back(text);
  }
  for (const char* const header : {"array", "cassert", "cmath", "concepts", "cstddef", "cstdint",
                                   "cstring", "limits", "type_traits", "utility"})
    names.emplace_back(header), texts.emplace_back("#include \"device_std.hpp\"\n");
  names.emplace_back("torsor_shape.hpp"), texts.push_back(request.shape);
  std::vector<const char*> name_pointers, text_pointers, options;
  for (const std::string& name : names) name_pointers.push_back(name.c_str());
  for (const std::string& text : texts) text_pointers.push_back(text.c_str());
  nvrtcProgram handle = nullptr;
  if (nvrtc.nvrtcCreateProgram(&handle, program.c_str(), "program.cu",
                               static_cast<int>(names.size()), text_pointers.data(),
                               name_pointers.data()) != NVRTC_SUCCESS) {
    why = "NVRTC takes no program";
    return "";
  }
  std::vector<std::string> words = words_of(request.options);
  for (const char* const option :
       {"-std=c++20", "-default-device", "-DNDEBUG", "-DTORSOR_SHAPE=\"torsor_shape.hpp\""})
    words.emplace_back(option);
  words.push_back("-arch=" + request.architecture);
  for (const std::string& word : words) options.push_back(word.c_str());
  std::string code;
  if (nvrtc.nvrtcCompileProgram(handle, static_cast<int>(options.size()), options.data()) ==
      NVRTC_SUCCESS) {
    std::size_t size = 0;
    nvrtc.nvrtcGetCUBINSize(handle, &size);
    code.resize(size);
    nvrtc.nvrtcGetCUBIN(handle, code.data());
  } else {
    std::size_t size = 0;
    nvrtc.nvrtcGetProgramLogSize(handle, &size);
    std::string log(size, '\0');
    nvrtc.nvrtcGetProgramLog(handle, log.data());
    const std::size_t at = log.find("error");
    const std::size_t begin = at == std::string::npos ? 0 : log.rfind('\n', at) + 1;
    why = "NVRTC: " + log.substr(begin, log.find('\n', begin) - begin);
  }
  nvrtc.nvrtcDestroyProgram(&handle);
  return code;
}

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// nvcc of CUDA_HOME, of the path, of the usual folder; "" where there is none.
std::string nvcc_file() {
  std::vector<fs::path> places;
  if (const char* const home = std::getenv("CUDA_HOME"); home && *home)
    places.push_back(fs::path(home) / "bin" / "nvcc");
  if (const char* const path = std::getenv("PATH")) {
    std::istringstream folders(path);
    for (std::string folder; std::getline(folders, folder, ':');)
      places.push_back(fs::path(folder) / "nvcc");
  }
  places.emplace_back("/usr/local/cuda/bin/nvcc");
  for (const fs::path& place : places)
    if (access(place.c_str(), X_OK) == 0) return place;
  return "";
}

std::string by_nvcc(const std::string& nvcc, const KernelRequest& request, std::string& why) {
  std::string pattern = (fs::temp_directory_path() / "torsor-kernels-XXXXXX").string();
  if (!mkdtemp(pattern.data())) {
    why = "no temporary folder for nvcc";
    return "";
  }
  const fs::path folder = pattern;
  for (const DeviceFile& file : device_files())
    write(folder / std::string(file.name), std::string(file.text));
  write(folder / "torsor_shape.hpp", request.shape);
  std::string command =
      quoted(nvcc) +
      " -std=c++20 --expt-relaxed-constexpr -DNDEBUG -cubin -arch=" + request.architecture + " " +
      request.options + " " + quoted("-DTORSOR_SHAPE=\"torsor_shape.hpp\"") + " -I" +
      quoted(folder) + " -o " + quoted(folder / "code") + " " + quoted(folder / "program.cu") +
      " 2>" + quoted(folder / "log");
  std::string code;
  if (std::system(command.c_str()) == 0) {
    code = read(folder / "code");
  } else {
    const std::string log = read(folder / "log");
    why = "nvcc: " + log.substr(0, log.find('\n'));
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return code;
}

}  // namespace

KernelCode compile_kernels(const KernelRequest& request) {
  const fs::path file = cache_file(request);
  if (!file.empty())
    if (std::string code = read(file); !code.empty()) return {code, "from " + file.string()};
  static const Nvrtc nvrtc;
  std::string compiler, why, code;
  const auto start = std::chrono::steady_clock::now();
  if (nvrtc.found) {
    int major = 0, minor = 0;
    nvrtc.nvrtcVersion(&major, &minor);
    compiler = "NVRTC " + std::to_string(major) + "." + std::to_string(minor);
    request.say("device: compiling kernels for " + request.robot + " by " + compiler + " ...");
    code = by_nvrtc(nvrtc, request, why);
  }
  if (code.empty())
    if (const std::string nvcc = nvcc_file(); !nvcc.empty()) {
      compiler = nvcc;
      request.say("device: compiling kernels for " + request.robot + " by " + compiler + " ...");
      code = by_nvcc(nvcc, request, why);
    }
  if (code.empty()) return {"", why.empty() ? "neither NVRTC nor nvcc is found" : why};
  std::ostringstream origin;
  origin.precision(2);
  origin << "compiled by " << compiler << " in " << std::fixed
         << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() << " s";
  if (!file.empty() && write(file, code))
    origin << ", kept in " << file.string();
  else
    origin << ", not kept: no folder for it";
  request.say("device: " + origin.str());
  return {code, origin.str()};
}

std::string_view kernels_ahead(const std::string& name) {
  for (const DeviceFile& code : device_codes())
    if (code.name == name) return code.text;
  return {};
}

void forget_kernels(const KernelRequest& request) {
  std::error_code ignored;
  fs::remove(cache_file(request), ignored);
}

}  // namespace torsor::internal

#endif
