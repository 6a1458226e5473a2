#include "torsor/experiments/internal/ranks.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <set>

#include "ranks/crew.hpp"
#include "ranks/message.hpp"
#include "ranks/transport.hpp"
#include "torsor/math/error.hpp"

namespace torsor::internal {
namespace {

using std::chrono::microseconds;

/// First byte of a message.
enum class MessageKind : char { greeting, verdict, tasks, end, results, interrupted, failed, left };

/// Short after something happened, up to 2 ms where nothing does.
class Patience {
 public:
  void something() { now_ = microseconds(50); }
  microseconds next() {
    const microseconds now = now_;
    now_ = std::min(now_ * 3 / 2, microseconds(2000));
    return now;
  }

 private:
  microseconds now_{50};
};

class RanksByMessages final : public Ranks {
 public:
  explicit RanksByMessages(std::unique_ptr<Transport> transport)
      : transport_(std::move(transport)) {}
  ~RanksByMessages() override { leave(); }
  RanksByMessages(const RanksByMessages&) = delete;
  RanksByMessages& operator=(const RanksByMessages&) = delete;

  int rank() const override { return transport_->rank(); }
  int size() const override { return transport_->size(); }
  int machines() const override { return machines_; }
  Traffic traffic() const override { return traffic_; }

  bool agree(const RankIdentity& self) override {
    if (rank() > 0) {
      std::string text(1, static_cast<char>(MessageKind::greeting));
      for (const std::string* part : {&self.version, &self.build, &self.instruction_set,
                                      &self.arithmetic, &self.job, &self.host, &self.trouble})
        put_text(text, *part);
      send(0, std::move(text));
      int from = 0;
      std::string answer;
      await(from, answer);
      over_ = answer[0] != static_cast<char>(MessageKind::verdict) || answer[1] != 'y';
      return !over_;
    }
    std::set<std::string> hosts = {self.host};
    std::string refused;
    int first = size(), count = 0;
    for (int k = 1; k < size(); ++k) {
      int from = 0;
      std::string text;
      await(from, text);
      MessageReader in(std::string_view(text).substr(1));
      RankIdentity other;
      for (std::string* part : {&other.version, &other.build, &other.instruction_set,
                                &other.arithmetic, &other.job, &other.host, &other.trouble})
        *part = in.text();
      hosts.insert(other.host);
      const std::string why = disagreement(self, other);
      count += why.empty() ? 0 : 1;
      if (why.empty() || from > first) continue;
      first = from;
      refused = "rank " + std::to_string(from) + " on " + other.host + ": " + why;
    }
    machines_ = static_cast<int>(hosts.size());
    const bool good = self.trouble.empty() && count == 0;
    for (int k = 1; k < size(); ++k)
      send(k, {static_cast<char>(MessageKind::verdict), good ? 'y' : 'n'});
    over_ = !good;
    if (!self.trouble.empty()) throw Error(self.trouble);
    if (count > 0)
      throw Error(refused +
                  (count > 1 ? " (" + std::to_string(count) + " ranks are refused)" : ""));
    return true;
  }

  HandOut hand_out(const std::vector<long>& tasks, const HandOutOptions& options,
                   const std::function<std::string(std::int64_t, int)>& work,
                   const std::function<void(std::int64_t, const std::string&)>& take) override {
    Crew crew(options.threads > 0 ? options.threads : threads_of_rank(), work);
    return rank() == 0 ? lead(tasks, options, crew, take) : follow(options, crew);
  }

  void leave() override {
    if (!transport_) return;
    if (rank() == 0 && !over_)  // something was thrown between agreement and work
      for (int k = 1; k < size(); ++k) send(k, {static_cast<char>(MessageKind::end)});
    over_ = true;
    transport_.reset();
  }

 private:
  void send(int to, std::string bytes) {
    ++traffic_.messages;
    traffic_.bytes += static_cast<std::int64_t>(bytes.size());
    transport_->send(to, std::move(bytes));
  }
  bool receive(int& from, std::string& bytes) {
    if (!transport_->receive(from, bytes)) return false;
    ++traffic_.messages;
    traffic_.bytes += static_cast<std::int64_t>(bytes.size());
    return true;
  }
  void await(int& from, std::string& bytes) {
    Patience patience;
    while (!receive(from, bytes)) std::this_thread::sleep_for(patience.next());
  }

  HandOut lead(const std::vector<long>& all, const HandOutOptions& options, Crew& crew,
               const std::function<void(std::int64_t, const std::string&)>& take) {
    HandOut out;
    out.threads = crew.size();
    const auto n = static_cast<std::int64_t>(all.size());
    std::int64_t next = 0;
    int left = 0;
    bool ending = false;
    std::exception_ptr failure;
    Patience patience;
    const auto taken = [&](std::int64_t task, const std::string& result) {
      if (failure) return;
      try {
        take(task, result);
        ++out.done;
      } catch (...) {
        failure = std::current_exception();
      }
    };
    // Idle threads get a task while there is one; those ahead of them only far from the end.
    const auto granted = [&](std::int64_t wanted, std::int64_t idle) {
      std::vector<std::int64_t> tasks;
      if (ending) return tasks;
      const std::int64_t rest = n - next;
      const std::int64_t count =
          std::max(std::min(idle, rest), std::min(wanted, rest / (2 * out.threads + 1)));
      for (std::int64_t k = 0; k < count; ++k)
        tasks.push_back(all[static_cast<std::size_t>(next++)]);
      return tasks;
    };
    while (true) {
      if (const auto tasks = granted(crew.wanted() - crew.unfinished(), crew.idle());
          !tasks.empty())
        crew.give(tasks);
      int from = 0;
      std::string text;
      while (receive(from, text)) {
        patience.something();
        MessageReader in(std::string_view(text).substr(1));
        switch (static_cast<MessageKind>(text[0])) {
          case MessageKind::results: {
            out.threads += in.get<int>();
            const auto wanted = in.get<std::int64_t>(), idle = in.get<std::int64_t>();
            const std::vector<std::int64_t> tasks = granted(wanted, idle);
            if (!tasks.empty()) {
              std::string given(1, static_cast<char>(MessageKind::tasks));
              for (const std::int64_t task : tasks) put(given, task);
              send(from, std::move(given));
            }
            while (!in.empty()) {
              const auto task = in.get<std::int64_t>();
              taken(task, in.text());
            }
            break;
          }
          case MessageKind::interrupted:
            out.stopped = true;
            break;
          case MessageKind::failed: {
            const bool bad_input = in.get<char>() == 'e';
            const std::string what = "rank " + std::to_string(from) + ": " + in.text();
            if (!failure && bad_input) failure = std::make_exception_ptr(Error(what));
            if (!failure) failure = std::make_exception_ptr(std::runtime_error(what));
            break;
          }
          case MessageKind::left:
            ++left;
            break;
          default:
            break;
        }
      }
      if (options.stop && *options.stop) out.stopped = true;
      if (!ending && (out.done == n || out.stopped || failure)) {
        ending = over_ = true;
        crew.drop();
        for (int k = 1; k < size(); ++k) send(k, {static_cast<char>(MessageKind::end)});
      }
      if (ending && left == size() - 1 && (failure || crew.unfinished() == 0)) break;
      if (options.idle) options.idle();
      try {
        for (const FinishedTask& done : crew.collect(patience.next())) {
          patience.something();
          taken(done.task, done.result);
        }
      } catch (...) {
        if (!failure) failure = std::current_exception();
      }
    }
    if (failure) std::rethrow_exception(failure);
    return out;
  }

  HandOut follow(const HandOutOptions& options, Crew& crew) {
    HandOut out;
    bool said_threads = false, ending = false, failed = false;
    Patience patience;
    const auto report = [&](const std::vector<FinishedTask>& finished) {
      std::string text(1, static_cast<char>(MessageKind::results));
      put(text, said_threads ? 0 : crew.size());
      said_threads = true;
      put(text, crew.wanted() - crew.unfinished());
      put(text, static_cast<std::int64_t>(crew.idle()));
      for (const FinishedTask& done : finished) {
        put(text, done.task);
        put_text(text, done.result);
      }
      send(0, std::move(text));
    };
    report({});
    while (!ending || (!failed && crew.unfinished() > 0)) {
      std::string why;
      char kind = 'e';
      try {
        const std::vector<FinishedTask> finished = crew.collect(patience.next());
        if (!finished.empty()) {
          patience.something();
          report(finished);
          out.done += static_cast<std::int64_t>(finished.size());
        }
      } catch (const Error& error) {
        why = error.what();
      } catch (const std::exception& error) {
        why = error.what(), kind = 'f';
      }
      if (!why.empty() && !failed) {
        failed = true;
        std::string text(1, static_cast<char>(MessageKind::failed));
        put(text, kind);
        put_text(text, why);
        send(0, std::move(text));
      }
      int from = 0;
      std::string text;
      while (receive(from, text)) {
        patience.something();
        if (static_cast<MessageKind>(text[0]) == MessageKind::end) {
          ending = true;
          crew.drop();
        } else if (static_cast<MessageKind>(text[0]) == MessageKind::tasks) {
          MessageReader in(std::string_view(text).substr(1));
          std::vector<std::int64_t> tasks;
          while (!in.empty()) tasks.push_back(in.get<std::int64_t>());
          if (!failed) crew.give(tasks);
        }
      }
      if (options.stop && *options.stop && !out.stopped) {
        out.stopped = true;
        send(0, {static_cast<char>(MessageKind::interrupted)});
      }
    }
    send(0, {static_cast<char>(MessageKind::left)});
    over_ = true;
    return out;
  }

  std::unique_ptr<Transport> transport_;
  Traffic traffic_;
  int machines_ = 1;
  bool over_ = false;
};

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
