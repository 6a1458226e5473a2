#include "eval_columns.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>

#include "command.hpp"
#include "eval_files.hpp"
#include "interrupt.hpp"
#include "on_ranks.hpp"
#include "print.hpp"
#include "run_table.hpp"
#include "states.hpp"
#include "text_output.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/math/internal/parallel.hpp"

namespace torsor::command {
namespace {

namespace fs = std::filesystem;
using internal::Ranks;
using internal::worker_count;

/// States at a time whose numbers fit the cache of a core.
int block_size(int inputs, const std::vector<EvalColumn>& columns) {
  constexpr int numbers_in_cache = 1 << 15, lanes = 8, most = 1024;
  int numbers = std::max(inputs, 1);
  for (const EvalColumn& column : columns) numbers += column.size();
  return std::clamp(numbers_in_cache / numbers / lanes * lanes, lanes, most);
}

const Frame* frame_of(const Model<double>& model, const EvalKeys& wanted, const std::string& name) {
  if (!name.empty()) return &model.frame(name);
  for (const char* key : {"T_frame", "J_body", "J_world_aligned", "Jdot_qd_body"})
    if (wanted.explicitly(key)) throw Error("--only " + std::string(key) + ": needs --frame NAME");
  return nullptr;
}

/// What a block leaves beside its numbers in the files.
struct BlockNotes {
  std::vector<std::int64_t> unanswered;  ///< by column
  int lost_rank = 0;                     ///< of the first state that has lost one
  std::int64_t at = -1;                  ///< its number
};

/// What one thread needs: its own places in the files.
struct Evaluator {
  BlockEvaluation evaluate;
  EvalInputs inputs;

  Evaluator(const Model<double>& model, const EvalKeys& wanted, const Frame* frame,
            const std::string& folder)
      : evaluate(model, wanted, frame), inputs(folder, model, evaluate) {}

  /// False where some number is none, states without an answer among them. Matrices grow slower than
  /// torques and energies, but for C where it is asked for alone.
  bool finite() const {
    constexpr double most = std::numeric_limits<double>::max();
    bool good = true;
    for (const EvalColumn& column : evaluate.columns())
      if (column.shape.size() < 2 || column.key == "C")
        for (const double x : column.values) good &= std::abs(x) <= most;
    return good;
  }

  /// Reads, evaluates, and gives every column to `write`.
  template <class Write>
  BlockNotes operator()(const Model<double>& model, std::int64_t first, int count, Write write) {
    const StateBlock states = inputs.read(first, count);
    for (int k = 0; has_loops(model) && k < count; ++k)
      if (const std::string open = evaluate.open_loop(states, k); !open.empty())
        throw Error(inputs.place(0, first + k) + open);
    evaluate(states);
    if (!finite())
      for (int k = 0; k < count; ++k)
        if (const std::string large = evaluate.too_large(k); !large.empty())
          throw Failure(inputs.place(0, first + k) + large);
    BlockNotes notes;
    for (int k = 0; k < count && notes.at < 0; ++k)
      if (const int lost = evaluate.lost_rank(k); lost != 0)
        notes.lost_rank = lost, notes.at = first + k;
    for (std::size_t c = 0; c < evaluate.columns().size(); ++c) {
      const EvalColumn& column = evaluate.columns()[c];
      write(c, first * column.size(), column.values);
      notes.unanswered.push_back(std::count(column.defined.begin(), column.defined.end(), 0));
    }
    return notes;
  }
};

/// All states in blocks: by the threads of this process, or those of all ranks.
class Evaluation {
 public:
  Evaluation(const Model<double>& model, EvalKeys wanted, const EvalFolders& folders)
      : model_(model),
        wanted_(std::move(wanted)),
        folders_(folders),
        frame_(frame_of(model, wanted_, folders.frame)),
        first_(evaluator()),
        n_(first_->inputs.count()),
        at_once_(block_size(first_->inputs.width(), columns())),
        to_(folders.output.empty() ? fs::path(folders.input) / "results"
                                   : fs::path(folders.output)) {
    if (n_ / at_once_ > std::numeric_limits<int>::max() - 1)
      throw Error(one_line(folders.input) + ": has too many states for one run");
    first_->inputs.mention(folders.input);
    unanswered_.resize(columns().size());
  }
  std::string job() const { return first_->inputs.shapes(); }

  int run(Ranks* ranks, std::string& out) {
    if (ranks && ranks->rank() > 0) return follow(*ranks);
    const EvalOutputFolder made(to_);
    EvalOutputs files(to_, columns(), n_, first_->inputs, folders_.force);
    const auto write = [&](std::size_t c, std::int64_t at, View<const double> numbers) {
      files[c].write_at(at, numbers);
    };
    if (ranks)
      lead(*ranks, files, write);
    else
      by_threads(write);
    if (stop_)
      throw Failure(one_line(folders_.input) + ": interrupted after " + std::to_string(done_) +
                    " states; no file is written");
    for (std::size_t c = 0; c < columns().size(); ++c) files[c].all_written();
    note_lost_rank(
        model_, lost_rank_,
        "qdd_fd of state " + std::to_string(lost_at_) + " is one of infinitely many accelerations");
    files.commit();
    out +=
        bold(model_.name()) + ": " + std::to_string(n_) + " states\n\n" + files.text(unanswered_);
    return good;
  }

 private:
  const std::vector<EvalColumn>& columns() const { return first_->evaluate.columns(); }
  int n_blocks() const { return static_cast<int>((n_ + at_once_ - 1) / at_once_); }
  std::int64_t first_of(std::int64_t block) const { return block * at_once_; }
  int count_of(std::int64_t block) const {
    return static_cast<int>(std::min<std::int64_t>(at_once_, n_ - first_of(block)));
  }
  std::unique_ptr<Evaluator> evaluator() const {
    return std::make_unique<Evaluator>(model_, wanted_, frame_, folders_.input);
  }
  int threads(Ranks* ranks) const {
    return worker_count(n_blocks(), folders_.threads > 0 ? folders_.threads
                                    : ranks              ? internal::threads_of_rank()
                                                         : 0);
  }
  /// Thread `worker`'s own, made when it begins.
  Evaluator& of(int worker) {
    std::unique_ptr<Evaluator>& own = worker == 0 ? first_ : others_[worker - 1];
    if (!own) own = evaluator();
    return *own;
  }

  void take(std::int64_t block, const BlockNotes& notes) {
    done_ += count_of(block);
    for (std::size_t c = 0; c < unanswered_.size(); ++c) unanswered_[c] += notes.unanswered[c];
    if (notes.at < 0 || (lost_at_ >= 0 && lost_at_ < notes.at)) return;
    lost_at_ = notes.at, lost_rank_ = notes.lost_rank;
  }

  template <class Write>
  void by_threads(Write write) {
    const Interrupt interrupt;
    const int workers = threads(nullptr);
    others_.resize(workers - 1);
    std::mutex mutex;
    std::exception_ptr failure;  // of the first state that cannot be answered
    int failed = n_blocks();
    auto shown = std::chrono::steady_clock::now();
    internal::parallel_for(
        n_blocks(), {.threads = workers, .stop = &stop_}, [&](int b, int worker) {
          {
            const std::lock_guard lock(mutex);
            if (b > failed) return;
          }
          BlockNotes notes;
          std::exception_ptr refused;
          try {
            notes = of(worker)(model_, first_of(b), count_of(b), write);
          } catch (...) {
            refused = std::current_exception();
          }
          const std::lock_guard lock(mutex);
          if (refused && b < failed) failed = b, failure = refused;
          if (refused) return;
          take(b, notes);
          if (worker > 0) return;
          if (interrupt.asked()) stop_ = true;
          const auto now = std::chrono::steady_clock::now();
          if (now - shown < std::chrono::milliseconds(100)) return;
          shown = now;
          progress(std::to_string(done_) + " of " + std::to_string(n_) + " states",
                   static_cast<double>(done_) / static_cast<double>(n_));
        });
    end_progress();
    if (failure) std::rethrow_exception(failure);
    if (interrupt.asked() && done_ < n_) stop_ = true;
  }

  /// The notes of a block as bytes: places in the files are known beforehand, numbers are not sent.
  template <class Write>
  std::string bytes_of(std::int64_t block, int worker, Write write) {
    const BlockNotes notes = of(worker)(model_, first_of(block), count_of(block), write);
    std::vector<std::int64_t> numbers{notes.lost_rank, notes.at};
    numbers.insert(numbers.end(), notes.unanswered.begin(), notes.unanswered.end());
    return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof numbers[0]};
  }
  template <class Write, class Take>
  void hand_out(Ranks& ranks, Write write, Take take, const std::function<void()>& idle) {
    const Interrupt interrupt;
    const int workers = threads(&ranks);
    others_.resize(workers - 1);
    std::vector<long> blocks;
    for (int b = 0; b < n_blocks() && ranks.rank() == 0; ++b) blocks.push_back(b);
    const auto work = [&](std::int64_t b, int worker) { return bytes_of(b, worker, write); };
    stop_ = ranks
                .hand_out(blocks, {.threads = workers, .stop = &interrupt.flag(), .idle = idle},
                          work, take)
                .stopped;
  }
  template <class Write>
  void lead(Ranks& ranks, EvalOutputs& files, Write write) {
    std::string names;
    for (const std::string& part : files.parts()) names += part + '\n';
    (void)ranks.share(names);
    RankProgress lines;
    hand_out(
        ranks, write,
        [&](std::int64_t block, const std::string& bytes) {
          std::vector<std::int64_t> numbers(bytes.size() / sizeof(std::int64_t));
          std::memcpy(numbers.data(), bytes.data(), bytes.size());
          take(block,
               {{numbers.begin() + 2, numbers.end()}, static_cast<int>(numbers[0]), numbers[1]});
        },
        [&] {
          if (lines.due())
            std::fprintf(stderr, "torsor: %lld of %lld states, %d ranks\n",
                         static_cast<long long>(done_), static_cast<long long>(n_), ranks.size());
        });
    lines.conclude(ranks, std::to_string(done_) + " states");
    ranks.leave();  // all files are closed
  }
  int follow(Ranks& ranks) {
    const std::string names = ranks.share({});
    std::deque<internal::NpyPart> files;
    std::size_t at = 0;
    for (const EvalColumn& column : columns()) {
      const std::size_t end = names.find('\n', at);
      files.emplace_back(names.substr(at, end - at), file_shape(column, n_));
      at = end + 1;
    }
    const auto write = [&](std::size_t c, std::int64_t first, View<const double> numbers) {
      files[c].write_at(first, numbers);
    };
    hand_out(ranks, write, [](std::int64_t, const std::string&) {}, {});
    return good;
  }

  const Model<double>& model_;
  const EvalKeys wanted_;
  const EvalFolders& folders_;
  const Frame* frame_;
  std::unique_ptr<Evaluator> first_;
  Array<std::unique_ptr<Evaluator>> others_;
  std::int64_t n_;
  int at_once_;
  fs::path to_;
  std::vector<std::int64_t> unanswered_;
  int lost_rank_ = 0;
  std::int64_t lost_at_ = -1, done_ = 0;
  std::atomic<bool> stop_{false};
};

}  // namespace

int evaluate_columns(const std::function<Model<double>()>& load, const std::string& only,
                     const EvalFolders& folders, std::string& out) {
  std::optional<Model<double>> model;
  std::optional<Evaluation> evaluation;
  return on_all_ranks({[&] {
                         model = load();
                         evaluation.emplace(*model, EvalKeys(only), folders);
                       },
                       [&] { return evaluation->job() + job_text(*model, {}); },
                       [&](Ranks* ranks) { return evaluation->run(ranks, out); }});
}

}  // namespace torsor::command
