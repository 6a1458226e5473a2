// One round of work: rank 0 hands out tasks to its own crew and to the crews of the others.
#include <algorithm>
#include <exception>
#include <optional>
#include <set>

#include "ranks/by_messages.hpp"
#include "torsor/math/error.hpp"
#include "torsor/math/internal/parallel.hpp"

namespace torsor::internal {
namespace {

using std::chrono::microseconds;

/// A busy crew has tasks for several times as long.
constexpr microseconds busy{10000};

}  // namespace

class RanksByMessages::Leading {
 public:
  Leading(RanksByMessages& ranks, const std::vector<long>& tasks, const HandOutOptions& options,
          Crew& crew, const std::function<void(std::int64_t, const std::string&)>& take)
      : ranks_(ranks), all_(tasks), options_(options), crew_(crew), take_(take) {
    out_.threads = crew.size();
  }

  HandOut run() {
    for (int k = 1; k < ranks_.size(); ++k)
      if (here(k)) working_.insert(k);
    while (true) {
      if (const auto tasks = granted(crew_.wanted() - crew_.unfinished(), crew_.idle());
          !tasks.empty())
        crew_.give(tasks);
      hear();
      if (options_.idle) options_.idle();
      if (options_.stop && *options_.stop) out_.stopped = true;
      if (!ending_ && (out_.done == n() || out_.stopped || failure_)) end();
      if (ending_ && working_.empty() && (failure_ || crew_.unfinished() == 0)) break;
      // Far from the end nobody waits for an answer: crews have tasks for a while.
      const bool calm = !ending_ && crew_.idle() == 0 && n() - next_ > 4 * out_.threads;
      try {
        for (const FinishedTask& done : crew_.collect(calm ? busy : patience_.next())) {
          patience_.something();
          taken(done.task, done.result);
        }
      } catch (...) {
        if (!failure_) failure_ = std::current_exception();
      }
    }
    if (failure_) std::rethrow_exception(failure_);
    return out_;
  }

 private:
  std::int64_t n() const { return static_cast<std::int64_t>(all_.size()); }
  bool here(int k) const { return ranks_.gone_[k] == 0; }

  /// Idle threads get a task while there is one; those ahead of them only far from the end.
  std::vector<std::int64_t> granted(std::int64_t wanted, std::int64_t idle) {
    std::vector<std::int64_t> tasks;
    if (ending_) return tasks;
    const std::int64_t rest = n() - next_;
    const std::int64_t count =
        std::max(std::min(idle, rest), std::min(wanted, rest / (2 * out_.threads + 1)));
    for (std::int64_t k = 0; k < count; ++k)
      tasks.push_back(all_[static_cast<std::size_t>(next_++)]);
    return tasks;
  }

  void taken(std::int64_t task, const std::string& result) {
    if (failure_) return;
    try {
      take_(task, result);
      ++out_.done;
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  void hear() {
    using Time = std::chrono::steady_clock;
    int from = 0;
    std::string text;
    while (true) {
      const Time::time_point begin = Time::now();
      if (!ranks_.receive(from, text)) return;
      patience_.something();
      answer(from, text);
      ranks_.traffic_.seconds += std::chrono::duration<double>(Time::now() - begin).count();
    }
  }

  void answer(int from, const std::string& text) {
    MessageReader in(std::string_view(text).substr(1));
    switch (static_cast<MessageKind>(text[0])) {
      case MessageKind::results: {
        out_.threads += in.get<int>();
        const auto wanted = in.get<std::int64_t>(), idle = in.get<std::int64_t>();
        const std::vector<std::int64_t> tasks = granted(wanted, idle);
        if (!tasks.empty()) {
          std::string given(1, static_cast<char>(MessageKind::tasks));
          for (const std::int64_t task : tasks) put(given, task);
          ranks_.send(from, std::move(given));
        }
        while (!in.empty()) {
          const auto task = in.get<std::int64_t>();
          taken(task, in.text());
        }
        break;
      }
      case MessageKind::interrupted:
        out_.stopped = true;
        break;
      case MessageKind::failed: {
        const bool bad_input = in.get<char>() == 'e';
        const std::string what = "rank " + std::to_string(from) + ": " + in.text();
        if (!failure_ && bad_input) failure_ = std::make_exception_ptr(Error(what));
        if (!failure_) failure_ = std::make_exception_ptr(std::runtime_error(what));
        break;
      }
      case MessageKind::left:  // one that has failed beside its tasks
      case MessageKind::done:
        working_.erase(from);
        break;
      default:
        break;
    }
  }

  void end() {
    ending_ = true;
    crew_.drop();
    ranks_.send_all({static_cast<char>(MessageKind::end), out_.stopped ? 'y' : 'n'});
    if (out_.stopped && options_.on_stop) options_.on_stop();
  }

  RanksByMessages& ranks_;
  const std::vector<long>& all_;
  const HandOutOptions& options_;
  Crew& crew_;
  const std::function<void(std::int64_t, const std::string&)>& take_;
  HandOut out_;
  std::int64_t next_ = 0;
  std::set<int> working_;  // other ranks that are not done
  bool ending_ = false;
  std::exception_ptr failure_;
  Patience patience_;
};

class RanksByMessages::Following {
 public:
  Following(RanksByMessages& ranks, const HandOutOptions& options, Crew& crew)
      : ranks_(ranks), options_(options), crew_(crew) {}

  HandOut run() {
    report({});
    while (!ending_ || (!failed_ && crew_.unfinished() > 0)) {
      work();
      hear();
      if (ranks_.over_) {  // rank 0 has failed
        crew_.drop();
        throw RanksOver();
      }
      if (options_.idle) options_.idle();
      if (!ending_ && options_.stop && *options_.stop && !out_.stopped) {
        out_.stopped = true;
        ranks_.send(0, MessageKind::interrupted);
      }
    }
    ranks_.send(0, MessageKind::done);
    return out_;
  }

 private:
  void work() {
    std::optional<std::string> why;
    bool bad_input = false;
    try {
      const bool calm = !ending_ && crew_.idle() == 0;
      const std::vector<FinishedTask> finished = crew_.collect(calm ? busy : patience_.next());
      if (!finished.empty()) {
        patience_.something();
        report(finished);
        out_.done += static_cast<std::int64_t>(finished.size());
      }
    } catch (const Error& error) {
      why = error.what(), bad_input = true;
    } catch (const std::exception& error) {
      why = error.what();
    }
    if (why && !failed_) ranks_.fail(*why, bad_input);
    failed_ = failed_ || why;
  }

  void report(const std::vector<FinishedTask>& finished) {
    std::string text(1, static_cast<char>(MessageKind::results));
    put(text, said_threads_ ? 0 : crew_.size());
    said_threads_ = true;
    put(text, crew_.wanted() - crew_.unfinished());
    put(text, static_cast<std::int64_t>(crew_.idle()));
    for (const FinishedTask& done : finished) {
      put(text, done.task);
      put_text(text, done.result);
    }
    ranks_.send(0, std::move(text));
  }

  void hear() {
    int from = 0;
    std::string text;
    while (ranks_.receive(from, text)) {
      patience_.something();
      if (static_cast<MessageKind>(text[0]) == MessageKind::end) {
        ending_ = true;
        crew_.drop();
        if (text[1] == 'y' && options_.on_stop) options_.on_stop();
      } else if (static_cast<MessageKind>(text[0]) == MessageKind::tasks) {
        MessageReader in(std::string_view(text).substr(1));
        std::vector<std::int64_t> tasks;
        while (!in.empty()) tasks.push_back(in.get<std::int64_t>());
        if (!failed_) crew_.give(tasks);
      }
    }
  }

  RanksByMessages& ranks_;
  const HandOutOptions& options_;
  Crew& crew_;
  HandOut out_;
  bool said_threads_ = false, ending_ = false, failed_ = false;
  Patience patience_;
};

HandOut RanksByMessages::hand_out(
    const std::vector<long>& tasks, const HandOutOptions& options,
    const std::function<std::string(std::int64_t, int)>& work,
    const std::function<void(std::int64_t, const std::string&)>& take) {
  Crew crew(options.threads > 0 ? options.threads : threads_of_rank(), work);
  return rank() == 0 ? Leading(*this, tasks, options, crew, take).run()
                     : Following(*this, options, crew).run();
}

Hands hands_of(Ranks& ranks) {
  return [&ranks](int n, const PieceOptions& options, const PieceWork& work) {
    std::vector<long> tasks;
    for (int k = 0; k < n; ++k) tasks.push_back(k);
    Array<Array<double>> results(n);
    std::atomic<bool> own_stop{false};
    std::atomic<bool>& stop = options.stop ? *options.stop : own_stop;
    int done = 0;
    const HandOutOptions how{.threads = worker_count(n, options.threads),
                             .stop = &stop,
                             .on_stop = [&] { stop = true; },
                             .idle =
                                 [&] {
                                   if (options.go_on && !options.go_on(done)) stop = true;
                                 }};
    std::string all;
    (void)ranks.hand_out(
        tasks, how,
        [&](std::int64_t piece, int worker) {
          std::string bytes;
          for (const double x : work(static_cast<int>(piece), worker)) put(bytes, x);
          return bytes;
        },
        [&](std::int64_t piece, const std::string& bytes) {
          put(all, piece);
          put_text(all, bytes);
          ++done;
        });
    all = ranks.share(std::move(all));
    for (MessageReader in(all); !in.empty();) {
      const auto piece = in.get<std::int64_t>();
      const std::string bytes = in.text();
      for (MessageReader numbers(bytes); !numbers.empty();)
        results[piece].push_back(numbers.get<double>());
    }
    return results;
  };
}

}  // namespace torsor::internal
