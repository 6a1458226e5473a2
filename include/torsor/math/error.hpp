#pragma once
/// The one exception of the library: something that the caller could have known is wrong.
///
/// The message is one line that names the value, the joint or link and, where a file is involved,
/// "file:line: ". Results that only the computation can tell are result structs, not exceptions.
#include <stdexcept>

namespace torsor {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace torsor
