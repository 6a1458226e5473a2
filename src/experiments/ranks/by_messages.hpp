#pragma once
/// Ranks by messages of a Transport. Private to this room.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "ranks/crew.hpp"
#include "ranks/message.hpp"
#include "ranks/transport.hpp"
#include "torsor/experiments/internal/ranks.hpp"

namespace torsor::internal {

/// First byte of a message. From rank 0: verdict, tasks, end (of a round), shared, over (of everything). To
/// it: greeting, results, interrupted, failed, done (with a round), left.
enum class MessageKind : char {
  greeting,
  verdict,
  tasks,
  end,
  results,
  interrupted,
  failed,
  done,
  shared,
  over,
  left
};

/// How long to sleep between looks: short after something happened, longer where nothing does.
class Patience {
 public:
  void something() { now_ = shortest; }
  std::chrono::microseconds next() {
    const std::chrono::microseconds now = now_;
    now_ = std::min(now_ * 3 / 2, longest);
    return now;
  }

 private:
  static constexpr std::chrono::microseconds shortest{50}, longest{2000};
  std::chrono::microseconds now_ = shortest;
};

class RanksByMessages final : public Ranks {
 public:
  explicit RanksByMessages(std::unique_ptr<Transport> transport);
  ~RanksByMessages() override;
  RanksByMessages(const RanksByMessages&) = delete;
  RanksByMessages& operator=(const RanksByMessages&) = delete;

  int rank() const override { return transport_->rank(); }
  int size() const override { return transport_->size(); }
  int machines() const override { return machines_; }
  Traffic traffic() const override { return traffic_; }

  bool agree(const RankIdentity& self) override;
  HandOut hand_out(const std::vector<long>& tasks, const HandOutOptions& options,
                   const std::function<std::string(std::int64_t, int)>& work,
                   const std::function<void(std::int64_t, const std::string&)>& take) override;
  std::string share(std::string bytes) override;
  void fail(const std::string& why, bool bad_input) override;
  void leave() override;

 private:
  class Leading;
  class Following;

  void send(int to, std::string bytes);
  void send(int to, MessageKind kind) { send(to, std::string(1, static_cast<char>(kind))); }
  void send_all(const std::string& bytes);  // from rank 0 to those that are there
  bool receive(int& from, std::string& bytes);
  /// Sleeps until there is a message.
  void await(int& from, std::string& bytes);

  std::unique_ptr<Transport> transport_;
  Traffic traffic_;
  int machines_ = 1;
  bool over_ = false;  // rank 0 has said so; of rank 0: nobody waits for it
  bool left_ = false;
  Array<char> gone_;  // of rank 0: who has left
};

}  // namespace torsor::internal
