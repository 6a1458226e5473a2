#include "print.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "command.hpp"

namespace torsor::command {

bool print(std::string& out) {
  const bool written = std::fwrite(out.data(), 1, out.size(), stdout) == out.size();
  out.clear();
  if (written && std::fflush(stdout) == 0) return true;
  if (errno == EPIPE) return false;
  throw Failure(std::string("cannot write the output: ") + std::strerror(errno));
}

}  // namespace torsor::command
