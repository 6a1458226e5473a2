#pragma once
/// The only exception type of the library: an error that the caller could have avoided.
///
/// The message is one line that names the value, the joint or link and, where a file is involved,
/// "file:line: ". Results that only the computation can tell are result structs, not exceptions.
#include "torsor/math/language.hpp"  // first: what an older one lacks is said there

#include <stdexcept>

namespace torsor {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace torsor
