// The module torsor_mpi.so: messages by MPI. The only source that knows it.
//
// One thread calls. Sends do not wait, receives are asked for: blocking calls of Open MPI spin, and
// the cores belong to the work.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include "ranks/transport.hpp"

#include <mpi.h>

#include <deque>
#include <limits>
#include <memory>

namespace {

using torsor::internal::Transport;

class MpiTransport final : public Transport {
 public:
  MpiTransport() {
    int given = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    if (given < MPI_THREAD_FUNNELED) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  ~MpiTransport() override {
    for (Sent& sent : sent_) MPI_Wait(&sent.request, MPI_STATUS_IGNORE);
    MPI_Finalize();
  }
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, std::string bytes) override {
    if (bytes.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) abort(1);
    sent_.push_back({std::move(bytes), MPI_REQUEST_NULL});
    Sent& last = sent_.back();  // a deque does not move what it holds
    MPI_Isend(last.bytes.data(), static_cast<int>(last.bytes.size()), MPI_BYTE, to, 0,
              MPI_COMM_WORLD, &last.request);
    forget();
  }
  bool receive(int& from, std::string& bytes) override {
    forget();
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
    if (there == 0) return false;
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    from = status.MPI_SOURCE;
    bytes.resize(static_cast<std::size_t>(count));
    MPI_Recv(bytes.data(), count, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return true;
  }
  void abort(int code) override { MPI_Abort(MPI_COMM_WORLD, code); }

 private:
  struct Sent {
    std::string bytes;
    MPI_Request request;
  };
  /// What has gone, from the front.
  void forget() {
    while (!sent_.empty()) {
      int gone = 0;
      MPI_Test(&sent_.front().request, &gone, MPI_STATUS_IGNORE);
      if (gone == 0) return;
      sent_.pop_front();
    }
  }

  int rank_ = 0, size_ = 1;
  std::deque<Sent> sent_;
};

}  // namespace

extern "C" Transport* torsor_open_transport(int interface);
extern "C" Transport* torsor_open_transport(int interface) {
  if (interface != torsor::internal::transport_interface) return nullptr;
  return std::make_unique<MpiTransport>().release();
}
