#include "server/door.hpp"

#include <sys/random.h>

#include <array>

#include "torsor/model/error.hpp"

namespace torsor::view {
namespace {

constexpr std::size_t longest_path = 256;

/// In a time that does not tell how much of it was right.
bool is_same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned different = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    different |=
        static_cast<unsigned>(static_cast<unsigned char>(a[k]) ^ static_cast<unsigned char>(b[k]));
  return different == 0;
}

}  // namespace

std::string new_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error("the system gives no random numbers");
  std::string token;
  for (const unsigned char byte : bytes)
    for (const int digit : {byte >> 4, byte & 15}) token += "0123456789abcdef"[digit];
  return token;
}

Door::Door(std::string token, int port)
    : token_(std::move(token)),
      numeric_("127.0.0.1:" + std::to_string(port)),
      named_("localhost:" + std::to_string(port)) {}

bool Door::is_own_name(std::string_view host) const { return host == numeric_ || host == named_; }

Door::Verdict Door::ask(const Asked& asked) const {
  if (asked.path.size() > longest_path) return {414, "the address is too long"};
  if (!is_own_name(asked.host)) return {421, "this is no server of that name"};
  if (!asked.origin.empty() && !(asked.origin.starts_with("http://") &&
                                 is_own_name(std::string_view(asked.origin).substr(7))))
    return {403, "requests of other origins are refused"};
  if (!asked.fetch_site.empty() && asked.fetch_site != "same-origin" && asked.fetch_site != "none")
    return {403, "requests of other sites are refused"};
  // /TOKEN/place
  const std::size_t slash = asked.path.find('/', 1);
  const std::string_view path = asked.path;
  if (slash == std::string::npos || !is_same(path.substr(1, slash - 1), token_))
    return {403, "the address lacks the token that torsor view printed"};
  const bool asks = asked.method == "GET" || asked.method == "HEAD";
  if (!asks && asked.method != "POST") return {405, "only GET and POST are known"};
  if (asked.encoded) return {415, "packed bodies are refused"};
  if (!asks && asked.content_type != "application/json")
    return {415, "the body has to be application/json"};
  return {200, "", std::string(path.substr(slash + 1))};
}

}  // namespace torsor::view
