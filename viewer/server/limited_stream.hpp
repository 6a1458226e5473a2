#pragma once
/// A connection with a clock and a budget: a request that takes longer, or is longer, ends.
///
/// The clock counts from the first byte of a request, so that a client who sends a byte now and then
/// does not hold a thread. Answers may take as long as they do (events), but a client who does not read for
/// `write_seconds` is left.
#include <httplib.h>

#include <array>
#include <atomic>
#include <chrono>

namespace torsor::view {

struct StreamLimits {
  double request_seconds = 5, write_seconds = 5;
  std::size_t request_bytes = std::size_t{1} << 20;
};

class LimitedStream final : public httplib::Stream {
 public:
  /// `stop`: reading ends soon after it is set.
  LimitedStream(int socket, const StreamLimits& limits, const std::atomic<bool>& stop);

  /// Waits for the first byte of the next request; false: none came, or the client has gone.
  bool wait_for_request(double seconds);

  bool is_readable() const override;
  bool is_writable() const override;
  ssize_t read(char* to, std::size_t size) override;
  ssize_t write(const char* from, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  int socket() const override { return socket_; }

 private:
  bool wait(short events, double seconds) const;

  int socket_;
  StreamLimits limits_;
  const std::atomic<bool>& stop_;
  std::chrono::steady_clock::time_point end_;
  std::size_t left_ = 0;  // bytes that this request may still have
  std::array<char, 4096> buffer_{};
  std::size_t begin_ = 0, filled_ = 0;
};

}  // namespace torsor::view
