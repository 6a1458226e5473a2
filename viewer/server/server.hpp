#pragma once
/// The page of a session, on loopback.
///
///   Server server(session, page_files());
///   puts(server.url().c_str());              // http://127.0.0.1:40123/5f0c.../
///   server.run();                            // until stop(), from any thread or a signal's flag
///
/// Only programs of this machine can connect, and door.hpp says which requests are answered. Requests
/// are bounded in size and time, connections in number; what is too much is refused, and what goes on
/// does not suffer from it.
///
/// Paths    /TOKEN/            the page          /TOKEN/view.js, view.css    its parts
///          /TOKEN/api/VERB    Answers::ask      /TOKEN/mesh/K               a mesh file
///          /TOKEN/events      server-sent events: the version of the state, whenever it changes
#include <atomic>
#include <memory>
#include <string>

#include "server/answers.hpp"
#include "server/page.hpp"

namespace torsor::view {

struct ServerOptions {
  int port = 0;                ///< 0: any that is free
  double request_seconds = 5;  ///< for a whole request to arrive
  int threads = 64;            ///< connections that are served at once
  int waiting = 256;           ///< connections that wait; more are closed
  int event_streams = 24;      ///< pages that listen to events
};

class Server {
 public:
  /// Binds the port. Throws Error where that cannot be had. `session` outlives the server.
  Server(Answers& session, PageFiles files, const ServerOptions& options = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  /// With the token: whoever has it may ask.
  const std::string& url() const;
  /// Serves until stop() is called or `interrupted` becomes true.
  void run(const std::atomic<bool>* interrupted = nullptr);
  /// From any thread.
  void stop();

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace torsor::view
