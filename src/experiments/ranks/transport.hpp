#pragma once
/// Messages between ranks: what the module with MPI implements. Private to this room.
#include <string>
#include <utility>
#include <vector>

namespace torsor::internal {

class Transport {
 public:
  virtual ~Transport() = default;  ///< waits until all that was sent is gone, and ends MPI
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Returns at once. Messages from one rank to another arrive in their order.
  virtual void send(int to, std::string bytes) = 0;
  /// Returns at once; false: nothing is there.
  virtual bool receive(int& from, std::string& bytes) = 0;
  /// Ends all ranks, for what cannot be said otherwise.
  virtual void abort(int code) = 0;
};

/// What the module exports; null where `interface` is not its own number.
constexpr int transport_interface = 1;
constexpr const char* open_transport_name = "torsor_open_transport";
using OpenTransport = Transport* (*)(int interface);

}  // namespace torsor::internal
