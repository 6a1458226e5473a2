#pragma once
/// Who may ask: the owner's own page, and nobody else.
///
/// A server on loopback can be reached by every program and by every web page that the user looks at.
/// So each request has to bring the token of the URL, which is new for each start, has to name the
/// server as the user's browser does (a foreign name that resolves to 127.0.0.1 is refused), and
/// may not come from the page of another origin. Requests that change something are JSON, which other
/// pages cannot send without being asked first. Bodies that are packed or sent in pieces of unknown
/// number are refused: their size is not known.
#include <string>
#include <string_view>

namespace torsor::view {

/// 32 hexadecimal digits from the system's source of randomness. Throws Error where there is none.
std::string new_token();

struct Asked {
  std::string method, path;
  std::string host, origin, fetch_site, content_type;
  bool encoded = false;  ///< Content-Encoding or Transfer-Encoding is given
};

class Door {
 public:
  Door(std::string token, int port);

  struct Verdict {
    int status = 200;  ///< of HTTP; 200: come in
    std::string why{};
    std::string place{};  ///< the path behind the token: "", "state", "mesh/3"
  };
  Verdict ask(const Asked& asked) const;
  const std::string& token() const { return token_; }

 private:
  bool is_own_name(std::string_view host) const;
  std::string token_, numeric_, named_;
};

}  // namespace torsor::view
