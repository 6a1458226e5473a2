#include "on_ranks.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <sstream>

#include "command.hpp"
#include "torsor/experiments/internal/run_facts.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/math/error.hpp"

namespace torsor::command {

using internal::Ranks;

int on_all_ranks(const RankWork& work) {
  // Until the process ends: what an interrupted run says is said before MPI ends.
  static const std::unique_ptr<Ranks> ranks = internal::open_ranks();
  if (!ranks) {
    if (const int tasks = internal::launch().tasks; tasks > 1)
      std::fprintf(
          stderr,
          "torsor: srun started %d tasks without MPI, and each does all of the work; mpirun or "
          "srun --mpi=pmix shares it\n",
          tasks);
    work.prepare();
    return work.run(nullptr);
  }
  internal::RankIdentity self = internal::this_rank(TORSOR_VERSION);
  std::exception_ptr refused;
  try {
    work.prepare();
    self.job = work.job();
  } catch (const std::exception& error) {
    self.trouble = error.what();
    refused = std::current_exception();
  }
  try {
    if (!ranks->agree(self)) return good;  // rank 0 says why
  } catch (const Error&) {
    if (refused) std::rethrow_exception(refused);
    throw;
  }
  if (ranks->rank() == 0) return work.run(ranks.get());
  try {
    (void)work.run(ranks.get());
  } catch (const internal::RanksOver&) {
  } catch (const Error& error) {
    ranks->fail(error.what(), true);
  } catch (const std::exception& error) {
    ranks->fail(error.what(), false);
  }
  return good;
}

void refuse_ranks(const std::string& what) {
  const internal::Launch started = internal::launch();
  if (started.rank > 0) throw internal::RanksOver();  // the first rank says it
  if (started.size > 1)
    throw Error(what + ": does not run on many ranks; " + started.by + " started " +
                std::to_string(started.size));
}

std::string job_text(const Model<double>& model, const std::vector<std::string>& files) {
  std::string text;
  std::istringstream words(command_line());
  for (std::string word; words >> word;) {
    if (word == "--threads")
      words >> word;
    else if (!word.starts_with("--threads="))
      text += word + " ";
  }
  for (const std::string& file : files) text += "\n" + internal::file_with_hash(file);
  return text + "\n" + write_robot_file(model.description());
}

bool RankProgress::due() {
  const double now = seconds();
  if (now < next_) return false;
  next_ = std::max(now, std::min(2 * next_, next_ + 60));
  return true;
}

void RankProgress::conclude(const Ranks& ranks, const std::string& what) const {
  const internal::Traffic traffic = ranks.traffic();
  std::fprintf(
      stderr,
      "torsor: %s by %d ranks on %d machine%s in %.3g s; %lld messages, %lld bytes, served by "
      "rank 0 in %.3g s\n",
      what.c_str(), ranks.size(), ranks.machines(), ranks.machines() == 1 ? "" : "s", seconds(),
      static_cast<long long>(traffic.messages), static_cast<long long>(traffic.bytes),
      traffic.seconds);
}

}  // namespace torsor::command
