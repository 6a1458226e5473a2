#include "print.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "command.hpp"

namespace torsor::command {
namespace {

std::string& remarks() {
  static std::string lines;
  return lines;
}

}  // namespace

bool print(std::string& out) {
  const bool written = std::fwrite(out.data(), 1, out.size(), stdout) == out.size();
  out.clear();
  if (written && std::fflush(stdout) == 0) return true;
  if (errno == EPIPE) return false;
  throw Failure(std::string("cannot write the output: ") + std::strerror(errno));
}

void remark(const std::string& line) { (remarks() += line) += '\n'; }
void print_remarks() {
  std::fwrite(remarks().data(), 1, remarks().size(), stderr);
  remarks().clear();
}

}  // namespace torsor::command
