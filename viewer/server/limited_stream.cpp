#include "server/limited_stream.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace torsor::view {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int slice = 100;  // ms between looks at `stop`

Clock::duration span_of(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

LimitedStream::LimitedStream(int socket, const StreamLimits& limits, const std::atomic<bool>& stop)
    : socket_(socket), limits_(limits), stop_(stop), end_(Clock::now()) {}

bool LimitedStream::wait(short events, double seconds) const {
  const Clock::time_point end = Clock::now() + span_of(seconds);
  while (!stop_) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0 && seconds > 0) return false;
    pollfd entry{socket_, events, 0};
    const int ready = poll(&entry, 1, static_cast<int>(std::clamp<long>(left, 0, slice)));
    if (ready > 0) return (entry.revents & events) != 0;
    if (ready < 0 && errno != EINTR) return false;
    if (seconds <= 0) return false;
  }
  return false;
}

bool LimitedStream::wait_for_request(double seconds) {
  if (begin_ == filled_ && !wait(POLLIN, seconds)) return false;
  char first = 0;
  if (begin_ == filled_ && recv(socket_, &first, 1, MSG_PEEK) <= 0) return false;
  end_ = Clock::now() + span_of(limits_.request_seconds);
  left_ = limits_.request_bytes;
  return true;
}

bool LimitedStream::is_readable() const { return begin_ < filled_ || wait(POLLIN, 0); }

bool LimitedStream::is_writable() const {
  if (!wait(POLLOUT, 0)) return false;
  char byte = 0;
  const ssize_t n = recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return n > 0 || (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));  // 0: it has gone
}

ssize_t LimitedStream::read(char* to, std::size_t size) {
  if (begin_ == filled_) {
    const double left = std::chrono::duration<double>(end_ - Clock::now()).count();
    if (left_ == 0 || left <= 0 || !wait(POLLIN, left)) return -1;
    const ssize_t n = recv(socket_, buffer_.data(), std::min(buffer_.size(), left_), 0);
    if (n <= 0) return n;
    begin_ = 0;
    filled_ = static_cast<std::size_t>(n);
    left_ -= filled_;
  }
  const std::size_t count = std::min(size, filled_ - begin_);
  std::memcpy(to, buffer_.data() + begin_, count);
  begin_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t LimitedStream::write(const char* from, std::size_t size) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = send(socket_, from + done, size - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      if (!wait(POLLOUT, limits_.write_seconds)) return -1;
    } else if (n == 0 || errno != EINTR) {
      return -1;
    }
  }
  return static_cast<ssize_t>(done);
}

void LimitedStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip = "127.0.0.1";
  port = 0;
}
void LimitedStream::get_local_ip_and_port(std::string& ip, int& port) const {
  ip = "127.0.0.1";
  port = 0;
}

}  // namespace torsor::view
