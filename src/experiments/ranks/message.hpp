#pragma once
/// Bytes of messages between ranks, all of one build. Private to this room.
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace torsor::internal {

template <class Number>
void put(std::string& to, Number x) {
  static_assert(std::is_arithmetic_v<Number> || std::is_enum_v<Number>);
  to.append(reinterpret_cast<const char*>(&x), sizeof x);
}
inline void put_text(std::string& to, std::string_view text) {
  put(to, static_cast<std::uint64_t>(text.size()));
  to.append(text);
}

/// Reads in the order of writing.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : rest_(bytes) {}
  bool empty() const { return rest_.empty(); }

  template <class Number>
  Number get() {
    static_assert(std::is_arithmetic_v<Number> || std::is_enum_v<Number>);
    Number x{};
    std::memcpy(&x, take(sizeof x).data(), sizeof x);
    return x;
  }
  std::string text() { return std::string(take(get<std::uint64_t>())); }

 private:
  std::string_view take(std::size_t count) {
    if (count > rest_.size()) throw std::runtime_error("a message between ranks is cut");
    const std::string_view part = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return part;
  }

  std::string_view rest_;
};

}  // namespace torsor::internal
