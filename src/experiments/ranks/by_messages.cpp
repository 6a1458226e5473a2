#include "ranks/by_messages.hpp"

#include <set>
#include <thread>

#include "torsor/math/error.hpp"

namespace torsor::internal {

RanksByMessages::RanksByMessages(std::unique_ptr<Transport> transport)
    : transport_(std::move(transport)), gone_(transport_->size()) {}
RanksByMessages::~RanksByMessages() { leave(); }

void RanksByMessages::send(int to, std::string bytes) {
  ++traffic_.messages;
  traffic_.bytes += static_cast<std::int64_t>(bytes.size());
  transport_->send(to, std::move(bytes));
}

void RanksByMessages::send_all(const std::string& bytes) {
  for (int k = 1; k < size(); ++k)
    if (gone_[k] == 0) send(k, bytes);
}

bool RanksByMessages::receive(int& from, std::string& bytes) {
  if (!transport_->receive(from, bytes)) return false;
  ++traffic_.messages;
  traffic_.bytes += static_cast<std::int64_t>(bytes.size());
  if (static_cast<MessageKind>(bytes[0]) == MessageKind::over) over_ = true;
  if (static_cast<MessageKind>(bytes[0]) == MessageKind::left) gone_[from] = 1;
  return true;
}

void RanksByMessages::await(int& from, std::string& bytes) {
  Patience patience;
  while (!receive(from, bytes)) std::this_thread::sleep_for(patience.next());
}

bool RanksByMessages::agree(const RankIdentity& self) {
  if (rank() > 0) {
    std::string text(1, static_cast<char>(MessageKind::greeting));
    for (const std::string* part : {&self.version, &self.build, &self.instruction_set,
                                    &self.arithmetic, &self.job, &self.host, &self.trouble})
      put_text(text, *part);
    send(0, std::move(text));
    int from = 0;
    std::string answer;
    await(from, answer);
    return static_cast<MessageKind>(answer[0]) == MessageKind::verdict && answer[1] == 'y';
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
  send_all({static_cast<char>(MessageKind::verdict), good ? 'y' : 'n'});
  if (!self.trouble.empty()) throw Error(self.trouble);
  if (count > 0)
    throw Error(refused + (count > 1 ? " (" + std::to_string(count) + " ranks are refused)" : ""));
  return true;
}

std::string RanksByMessages::share(std::string bytes) {
  if (rank() == 0) {
    send_all(static_cast<char>(MessageKind::shared) + bytes);
    return bytes;
  }
  int from = 0;
  while (!over_) {
    await(from, bytes);
    if (static_cast<MessageKind>(bytes[0]) == MessageKind::shared) return bytes.substr(1);
  }
  throw RanksOver();
}

void RanksByMessages::fail(const std::string& why, bool bad_input) {
  if (left_ || over_) return;
  std::string text(1, static_cast<char>(MessageKind::failed));
  put(text, bad_input ? 'e' : 'f');
  put_text(text, why);
  send(0, std::move(text));
}

/// All ranks end together: rank 0 says that it is over when the others have heard everything else.
void RanksByMessages::leave() {
  if (left_) return;
  left_ = true;
  int from = 0;
  std::string bytes;
  if (rank() == 0) {
    for (int k = 1; k < size(); ++k) send(k, MessageKind::over);
    for (int k = 1; k < size(); ++k)
      while (gone_[k] == 0) await(from, bytes);
  } else {
    send(0, MessageKind::left);
    while (!over_) await(from, bytes);
  }
}

}  // namespace torsor::internal
