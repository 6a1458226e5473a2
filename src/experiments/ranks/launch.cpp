// What the launcher and the machine say of this process.
#include <elf.h>
#include <link.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "ranks/message.hpp"
#include "scenario/fingerprint.hpp"
#include "torsor/experiments/internal/ranks.hpp"
#include "torsor/math/instruction_set.hpp"
#include "torsor/math/internal/parallel.hpp"

namespace torsor::internal {
namespace {

int number_of(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  if (!text || *text == '\0') return otherwise;
  char* end = nullptr;
  const long x = std::strtol(text, &end, 10);
  return *end == '\0' && x >= 0 && x < 1'000'000'000 ? static_cast<int>(x) : otherwise;
}

/// The linker's note on the program; empty where there is none.
std::string build_of_program() {
  std::string bytes;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* to) {
        for (int k = 0; k < object->dlpi_phnum; ++k) {
          const auto& part = object->dlpi_phdr[k];
          if (part.p_type != PT_NOTE) continue;
          const char* at = reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr);
          const char* end = at + part.p_memsz;
          while (at + sizeof(ElfW(Nhdr)) <= end) {
            ElfW(Nhdr) note;
            std::memcpy(&note, at, sizeof note);
            const char* name = at + sizeof note;
            const char* text = name + (note.n_namesz + 3) / 4 * 4;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
                std::memcmp(name, "GNU", 4) == 0) {
              static_cast<std::string*>(to)->assign(text, note.n_descsz);
              return 1;
            }
            at = text + (note.n_descsz + 3) / 4 * 4;
          }
        }
        return 1;  // the program itself is the first
      },
      &bytes);
  return bytes.empty() ? bytes : fingerprint(bytes);
}

/// Functions of the C library choose by the processor: their last bits are what samples are drawn with.
std::string arithmetic() {
  std::string bytes;
  double x = 0.37;
  for (int k = 0; k < 500; ++k) {
    x = std::fmod(x * 1.618033988749895 + 0.1, 37.0);
    for (const double y : {std::sin(x), std::cos(x), std::tan(x), std::exp(-x), std::log(x + 0.01),
                           std::pow(x + 0.01, 0.37), std::atan2(x, 3.0), std::tanh(x - 18)})
      put(bytes, y);
  }
  return fingerprint(bytes);
}

}  // namespace

Launch launch() {
  if (const int size = number_of("OMPI_COMM_WORLD_SIZE", 0); size > 0)
    return {number_of("OMPI_COMM_WORLD_RANK", 0), size, "mpirun"};
  if (const int size = number_of("PMI_SIZE", 0); size > 0)
    return {number_of("PMI_RANK", 0), size, "an MPI launcher"};
  if (std::getenv("PMIX_RANK"))
    return {number_of("PMIX_RANK", 0), std::max(1, number_of("SLURM_NTASKS", 1)), "srun"};
  const int tasks = number_of("SLURM_STEP_NUM_TASKS", 1);
  if (tasks > 1 && number_of("SLURM_PROCID", 0) == 0) return {0, 1, "srun", tasks};
  return {};
}

int threads_of_rank() {
  const int cores = core_count();
  const int here =
      std::max(1, number_of("OMPI_COMM_WORLD_LOCAL_SIZE", number_of("SLURM_NTASKS_PER_NODE", 1)));
  cpu_set_t mask;
  CPU_ZERO(&mask);
  const int bound = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : cores;
  return std::max(1, std::min(bound, cores / here));
}

RankIdentity this_rank(const std::string& version) {
  char host[256] = "";
  (void)gethostname(host, sizeof host - 1);
  RankIdentity self{version, build_of_program(), instruction_set()};
  self.arithmetic = arithmetic();
  self.host = host;
  return self;
}

std::string disagreement(const RankIdentity& first, const RankIdentity& other) {
  if (other.version != first.version)
    return "is torsor " + other.version + ", rank 0 is " + first.version;
  if (other.build != first.build) return "is another build of torsor " + first.version;
  if (other.instruction_set != first.instruction_set)
    return "has the instruction set " + other.instruction_set + ", rank 0 has " +
           first.instruction_set + " (TORSOR_ARCH chooses one for all)";
  if (other.arithmetic != first.arithmetic)
    return "has a C library or a processor whose functions round otherwise than those of rank 0";
  if (!other.trouble.empty()) return other.trouble;
  if (other.job != first.job) return "has other files or options than rank 0";
  return {};
}

}  // namespace torsor::internal
