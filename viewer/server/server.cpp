#include "server/server.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "server/door.hpp"
#include "server/limited_stream.hpp"
#include "torsor/math/error.hpp"

namespace torsor::view {
namespace {

constexpr int keep_alive_requests = 1000;
constexpr double keep_alive_seconds = 5;
constexpr auto event_wait = std::chrono::milliseconds(250);
constexpr int heartbeat = 40;  // waits without news after which a sign of life is sent

// Of the request that this thread is answering.
thread_local bool refused = false, overloaded = false;

/// A pool with a bounded queue. What is beyond it is run at once by whoever brings it, with `overloaded`
/// set, and then only closes its connection.
class Pool final : public httplib::TaskQueue {
 public:
  Pool(int threads, int waiting) : most_(static_cast<std::size_t>(waiting)) {
    for (int k = 0; k < threads; ++k) threads_.emplace_back([this] { serve(); });
  }
  void enqueue(std::function<void()> task) override {
    {
      const std::scoped_lock lock(mutex_);
      if (tasks_.size() < most_) {
        tasks_.push_back(std::move(task));
        wake_.notify_one();
        return;
      }
    }
    overloaded = true;
    task();
    overloaded = false;
  }
  void shutdown() override {
    {
      const std::scoped_lock lock(mutex_);
      ended_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void serve() {
    for (;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return ended_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  std::size_t most_;
  bool ended_ = false;
};

/// httplib's server on connections that have limits.
class LimitedServer final : public httplib::Server {
 public:
  LimitedServer(const StreamLimits& limits, const std::atomic<bool>& stop)
      : limits_(limits), stop_(stop) {}
  /// The length of the system's own queue; httplib asks for five.
  void lengthen_backlog() { ::listen(svr_sock_, 128); }

 private:
  bool process_and_close_socket(int socket) override {
    if (!overloaded) serve(socket);
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return true;
  }
  void serve(int socket) {
    LimitedStream stream(socket, limits_, stop_);
    for (int k = keep_alive_requests; k > 0 && !stop_; --k) {
      if (!stream.wait_for_request(keep_alive_seconds)) return;
      bool closed = false;
      refused = false;
      if (!process_request(stream, k == 1, closed, nullptr) || closed || refused) return;
    }
  }
  StreamLimits limits_;
  const std::atomic<bool>& stop_;
};

void answer(httplib::Response& response, int status, std::string_view text, const char* type) {
  response.status = status;
  response.set_content(text.data(), text.size(), type);
  if (status >= 400) refused = true;  // a body may be unread: the connection ends
}
void complain(httplib::Response& response, int status, const std::string& why) {
  answer(response, status, complaint(why), "application/json");
}

}  // namespace

struct Server::Work {
  Answers& session;
  PageFiles files;
  ServerOptions options;
  std::atomic<bool> stopped{false};
  std::atomic<int> listeners{0};
  LimitedServer http;
  std::unique_ptr<Door> door;
  int port = 0;
  std::string url;

  Work(Answers& s, PageFiles f, const ServerOptions& o)
      : session(s),
        files(f),
        options(o),
        http({o.request_seconds, 5, request_limit + (std::size_t{1} << 14)}, stopped) {}

  void check(const httplib::Request& request, httplib::Response& response, std::string& place) {
    const auto header = [&](const char* name) {
      return request.get_header_value_count(name) > 1 ? std::string("(several)")
                                                      : request.get_header_value(name);
    };
    std::string type = header("Content-Type");
    type = type.substr(0, type.find(';'));
    const Door::Verdict verdict = door->ask(
        {request.method, request.path, header("Host"), header("Origin"), header("Sec-Fetch-Site"),
         type, request.has_header("Content-Encoding") || request.has_header("Transfer-Encoding")});
    place = verdict.place;
    if (verdict.status != 200) complain(response, verdict.status, verdict.why);
  }

  void give(const httplib::Request& request, httplib::Response& response) {
    std::string place;
    check(request, response,
          place);  // the same as before routing: this handler has no other way in
    if (response.status >= 400) return;
    const bool asks = request.method != "POST";
    const auto part = [&](std::string_view text, const char* type) {
      text.empty() || !asks ? complain(response, 404, "there is nothing here")
                            : answer(response, 200, text, type);
    };
    if (place.empty()) return part(files.html, "text/html; charset=utf-8");
    if (place == "view.js") return part(files.script, "text/javascript; charset=utf-8");
    if (place == "view.css") return part(files.style, "text/css; charset=utf-8");
    if (place == "events" && asks) return events(response);
    if (place.starts_with("mesh/") && asks)
      return pass(session.mesh(std::string_view(place).substr(5)), response,
                  "application/octet-stream");
    if (!place.starts_with("api/")) return complain(response, 404, "there is nothing here");
    pass(session.ask(place.substr(4), asks ? std::string_view() : request.body), response,
         "application/json");
  }
  static void pass(const Answered& answered, httplib::Response& response, const char* type) {
    answer(response, answered.status, answered.body,
           answered.status < 400 ? type : "application/json");
  }

  void events(httplib::Response& response) {
    if (++listeners > options.event_streams) {
      --listeners;
      return complain(response, 503, "too many pages are open");
    }
    response.set_header("Cache-Control", "no-store");
    const auto seen = std::make_shared<std::uint64_t>(0);
    const auto quiet = std::make_shared<int>(0);
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, seen, quiet](std::size_t, httplib::DataSink& sink) {
          if (stopped || !sink.is_writable()) return false;
          const std::uint64_t now = session.wait(*seen, event_wait);
          std::string text;
          if (now != *seen)
            text = "data: {\"version\":" + std::to_string(now) + "}\n\n";
          else if (++*quiet % heartbeat == 0)
            text = ":\n\n";
          *seen = now;
          return text.empty() || sink.write(text.data(), text.size());
        },
        [this](bool) { --listeners; });
  }

  void prepare() {
    http.new_task_queue = [this] { return new Pool(options.threads, options.waiting); };
    http.set_tcp_nodelay(true);
    // Not SO_REUSEPORT, which is httplib's choice: two servers would share a port.
    http.set_socket_options([](int socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    http.set_payload_max_length(request_limit);
    http.set_default_headers(
        {{"X-Content-Type-Options", "nosniff"},
         {"X-Frame-Options", "DENY"},
         {"Referrer-Policy", "no-referrer"},
         {"Cross-Origin-Resource-Policy", "same-origin"},
         {"Cross-Origin-Opener-Policy", "same-origin"},
         {"Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
          "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
          "frame-ancestors 'none'"}});
    http.set_pre_routing_handler(
        [this](const httplib::Request& request, httplib::Response& response) {
          std::string place;
          check(request, response, place);  // before a body is read
          return response.status >= 400 ? httplib::Server::HandlerResponse::Handled
                                        : httplib::Server::HandlerResponse::Unhandled;
        });
    const auto handler = [this](const httplib::Request& request, httplib::Response& response) {
      give(request, response);
    };
    http.Get("/.*", handler);
    http.Post("/.*", handler);
    http.set_error_handler([](const httplib::Request&, httplib::Response& response) {
      refused = true;
      if (response.body.empty())
        complain(response, response.status, "the request cannot be answered");
    });
  }
};

Server::Server(Answers& session, PageFiles files, const ServerOptions& options)
    : work_(std::make_unique<Work>(session, files, options)) {
  Work& w = *work_;
  w.prepare();
  const char* loopback = "127.0.0.1";
  w.port = options.port > 0 ? options.port : w.http.bind_to_any_port(loopback);
  if (w.port <= 0 || (options.port > 0 && !w.http.bind_to_port(loopback, options.port)))
    throw Error("port " + std::to_string(options.port) + " of " + loopback + " is not free");
  w.http.lengthen_backlog();
  w.door = std::make_unique<Door>(new_token(), w.port);
  w.url = "http://127.0.0.1:" + std::to_string(w.port) + "/" + w.door->token() + "/";
}
Server::~Server() { stop(); }

int Server::port() const { return work_->port; }
const std::string& Server::url() const { return work_->url; }

void Server::run(const std::atomic<bool>* interrupted) {
  std::thread watch([&] {
    while (!work_->stopped && !(interrupted != nullptr && *interrupted))
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop();
  });
  work_->http.listen_after_bind();
  work_->stopped = true;
  watch.join();
}

void Server::stop() {
  work_->stopped = true;
  work_->http.stop();
}

}  // namespace torsor::view
