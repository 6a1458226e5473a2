#pragma once
/// The one door to many machines: processes ("ranks") that mpirun or srun started together.
///
///   const std::unique_ptr<Ranks> ranks = open_ranks();      // null: this process is alone
///   ranks->agree({...});                                    // all can do the job, or none begins
///   ranks->hand_out(tasks, options, work, take);            // rank 0 takes what all of them work out
///   ranks->leave();
///
/// Behind it is Open MPI, in a module of its own (torsor_mpi.so) that is loaded only where a launcher has
/// left its words in the environment: alone, the command knows nothing of it and pays nothing.
///
/// Rank 0 hands out tasks by number, a few ahead of each thread, and takes each result once. A result
/// depends on its task alone; so what comes out does not depend on ranks, threads or their order.
///
/// An algorithm that runs in several rounds runs on every rank, with hands_of(ranks) for its pieces: after a
/// round each rank has all results, and what follows from them is the same on each.
///
/// Cost     A message with results and one with tasks every 10 ms and rank, or every run where runs are
///          longer. Nobody spins: ranks sleep between looks.
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "torsor/math/internal/pieces.hpp"

namespace torsor::internal {

/// What a launcher says of this process by its environment.
struct Launch {
  int rank = 0, size = 1;
  std::string by{};  ///< "mpirun", ...
  int tasks =
      1;  ///< that srun started without MPI, of the first of them: each does all of the work
};
/// {0, 1} without a launcher of ranks.
Launch launch();

/// What has to be the same everywhere, or results would not be.
struct RankIdentity {
  std::string version, build, instruction_set;
  std::string arithmetic{};  ///< of what the C library's functions return here
  std::string job{};         ///< of everything that the tasks depend on: files as they were read
  std::string host{};
  std::string trouble{};  ///< why this rank cannot take part; empty: it can
};
/// Of this process, all but job and trouble.
RankIdentity this_rank(const std::string& version);
/// Why `other` cannot work with `first`, one line without its name; empty: it can.
std::string disagreement(const RankIdentity& first, const RankIdentity& other);

struct HandOutOptions {
  int threads = 0;                          ///< of this rank; 0: its share of the machine's cores
  const std::atomic<bool>* stop = nullptr;  ///< of any rank: no further task begins on any
  std::function<void()> on_stop{};          ///< every rank, once, where some rank was stopped
  std::function<void()> idle{};             ///< every rank, by the thread that called: progress
};
struct HandOut {
  std::int64_t done = 0;  ///< results that were taken
  int threads = 0;        ///< of all ranks
  bool stopped = false;   ///< some rank was asked to
};

/// Counts of rank 0, both ways, and the time that it spent on them.
struct Traffic {
  std::int64_t messages = 0, bytes = 0;
  double seconds = 0;  ///< of receiving, taking results and answering
};

/// Thrown on another rank than 0 where rank 0 has ended: there is nothing more to do or to say.
struct RanksOver {};

class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual int machines() const = 0;  ///< after agree, on rank 0
  virtual Traffic traffic() const = 0;

  /// True: all ranks agree. Where some do not, rank 0 throws Error that names the first of them, and
  /// others return false: they have nothing to do or to say.
  virtual bool agree(const RankIdentity& self) = 0;
  /// Every rank calls it. `work` is called by many threads with a task and a worker below that rank's
  /// threads; `tasks` are those of rank 0; `take` is called on rank 0 by the thread that called. What
  /// either throws ends everything and is thrown on rank 0. Between two of these calls is one of share.
  virtual HandOut hand_out(const std::vector<long>& tasks, const HandOutOptions& options,
                           const std::function<std::string(std::int64_t, int)>& work,
                           const std::function<void(std::int64_t, const std::string&)>& take) = 0;
  /// What rank 0 gives, on every rank.
  virtual std::string share(std::string bytes) = 0;
  /// Not rank 0: what keeps this rank from going on; rank 0 throws it.
  virtual void fail(const std::string& why, bool bad_input) = 0;
  /// The last call: what rank 0 does afterwards it does alone. MPI itself ends with this object, which
  /// may take seconds where mpirun is stopping its ranks: say first what is to be said.
  virtual void leave() = 0;
};

/// Pieces by all ranks, which make the same call.
Hands hands_of(Ranks& ranks);

/// Null where no launcher started more than one rank. Throws Error where it did and there is no MPI.
std::unique_ptr<Ranks> open_ranks();
/// Threads of one rank by default: an equal share of the cores, not more than it is bound to.
int threads_of_rank();

}  // namespace torsor::internal
