// The command `torsor`: one line on standard error and an exit code for whatever goes wrong.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

#include "command.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/error.hpp"

namespace {

int complain(const std::string& message, int code) {
  std::fprintf(stderr, "torsor: %s\n", torsor::one_line(message).c_str());
  return code;
}

/// A reader that closed the pipe has what it wanted (`torsor robots | head -1`); a full disk is a failure.
int print(const std::string& text, int code) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return code;
  if (errno == EPIPE) return code;
  return complain(std::string("cannot write the output: ") + std::strerror(errno),
                  torsor::command::findings);
}

}  // namespace

int main(int count, char** words) {
  using namespace torsor::command;
  std::signal(SIGPIPE, SIG_IGN);
  std::string out;
  try {
    const int code = run({words + (count > 0 ? 1 : 0), words + count}, out);
    return print(out, code);
  } catch (const torsor::Error& refused) {
    return complain(refused.what(), bad_input);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", findings);
  } catch (const std::exception& failed) {
    return complain(failed.what(), findings);
  }
}
