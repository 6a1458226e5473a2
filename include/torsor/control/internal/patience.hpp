#pragma once
/// Whether work that searches for long is still wanted: the searches of certificates lie far below
/// the functions that know of a run, and ask whoever waits for them on their thread.
#include <functional>

namespace torsor::control_detail {

/// Thrown by ask_whether_wanted. Nobody but the one who made the Patience catches it.
struct NotWanted {};

/// While it lives, work of this thread asks `go_on`; false: it is wanted no more.
class Patience {
 public:
  explicit Patience(std::function<bool()> go_on);
  ~Patience();
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

 private:
  std::function<bool()> before_;
};

/// Asks at once, then every tenth of a second at most. Nothing where nobody waits.
void ask_whether_wanted();

}  // namespace torsor::control_detail
