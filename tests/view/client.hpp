#pragma once
/// A server in a thread, and a client on a bare socket, which can be as rude as it likes.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "server/server.hpp"
#include "server/session.hpp"

namespace torsor::testing {

using view::Json;

/// One connection; closed at the end of its scope.
class Connection {
 public:
  explicit Connection(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected = connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool connected = false;
  bool send(std::string_view text) const {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n = ::send(socket_, text.data() + done, text.size() - done, MSG_NOSIGNAL);
      if (n <= 0) return false;
      done += static_cast<std::size_t>(n);
    }
    return true;
  }
  /// What comes within the time, until the other side closes or `enough` is in it.
  std::string receive(double seconds, const std::string& enough = "") const {
    std::string text;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    for (;;) {
      if (!enough.empty() && text.find(enough) != std::string::npos) return text;
      const double left =
          std::chrono::duration<double>(end - std::chrono::steady_clock::now()).count();
      pollfd entry{socket_, POLLIN, 0};
      if (left <= 0 || poll(&entry, 1, static_cast<int>(1000 * left) + 1) <= 0) return text;
      char buffer[65536];
      const ssize_t n = recv(socket_, buffer, sizeof buffer, 0);
      if (n <= 0) {
        closed_ = true;
        return text;
      }
      text.append(buffer, static_cast<std::size_t>(n));
    }
  }
  /// Whether the other side has closed, waiting so long for it.
  bool is_closed_within(double seconds) const {
    (void)receive(seconds);
    return closed_;
  }

 private:
  int socket_;
  mutable bool closed_ = false;
};

struct HttpAnswer {
  int status = 0;  ///< 0: none
  std::string head, body;
  Json json() const { return Json::parse(body); }
};

inline HttpAnswer parse_answer(const std::string& text) {
  HttpAnswer answer;
  if (text.size() > 12) answer.status = std::atoi(text.c_str() + 9);
  const std::size_t end = text.find("\r\n\r\n");
  answer.head = text.substr(0, end);
  if (end != std::string::npos) answer.body = text.substr(end + 4);
  return answer;
}

/// A robot's session with its server, which ends with its scope.
class RunningServer {
 public:
  explicit RunningServer(const std::string& robot, view::ServerOptions options = {},
                         view::SessionOptions session_options = {})
      : session(Robot(robot), with_robot(std::move(session_options), robot)),
        server(session, {"<!doctype html><title>page</title>", "script", "style"}, options),
        thread_([this] { server.run(); }) {}
  ~RunningServer() {
    server.stop();
    thread_.join();
  }

  view::Session session;
  view::Server server;

  std::string host() const { return "127.0.0.1:" + std::to_string(server.port()); }
  /// "/TOKEN/".
  std::string root() const { return server.url().substr(server.url().find('/', 8)); }
  /// The whole request as text, with an own Host and what else is given.
  std::string request(const std::string& method, const std::string& path,
                      const std::string& body = "", const std::string& headers = "") const {
    return method + " " + path + " HTTP/1.1\r\nHost: " + host() + "\r\nConnection: close\r\n" +
           headers +
           (method == "POST" ? "Content-Type: application/json\r\nContent-Length: " +
                                   std::to_string(body.size()) + "\r\n"
                             : "") +
           "\r\n" + body;
  }
  HttpAnswer raw(const std::string& text, double seconds = 20) const {
    const Connection connection(server.port());
    EXPECT_TRUE(connection.connected);
    (void)connection.send(text);
    return parse_answer(connection.receive(seconds));
  }
  HttpAnswer get(const std::string& place) const { return raw(request("GET", root() + place)); }
  HttpAnswer post(const std::string& verb, const std::string& body) const {
    return raw(request("POST", root() + "api/" + verb, body));
  }
  HttpAnswer post(const std::string& verb, const Json& body) const {
    return post(verb, body.dump());
  }

 private:
  static view::SessionOptions with_robot(view::SessionOptions options, const std::string& robot) {
    options.robot = robot;
    return options;
  }
  std::thread thread_;
};

}  // namespace torsor::testing
