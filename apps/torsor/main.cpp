// The command `torsor`: one line on standard error and an exit code for whatever goes wrong.
#include <csignal>
#include <cstdio>
#include <new>

#include "command.hpp"
#include "print.hpp"
#include "torsor/experiments/internal/ranks.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/error.hpp"

namespace {

int complain(const std::string& message, int code) {
  const int rank = torsor::internal::launch().rank;
  std::fprintf(stderr, "torsor: %s%s\n",
               rank > 0 ? ("rank " + std::to_string(rank) + ": ").c_str() : "",
               torsor::one_line(message).c_str());
  return code;
}

}  // namespace

int main(int count, char** words) {
  using namespace torsor::command;
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit is an error of its write
  std::string out;
  try {
    const int code = run({words + (count > 0 ? 1 : 0), words + count}, out);
    if (torsor::internal::launch().rank == 0) print_remarks();
    (void)print(out);
    return code;
  } catch (const torsor::WriteError& failed) {
    return complain(failed.what(), findings);
  } catch (const torsor::Error& refused) {
    return complain(refused.what(), bad_input);
  } catch (const std::bad_alloc&) {
    return complain("out of memory", findings);
  } catch (const std::exception& failed) {
    return complain(failed.what(), findings);
  }
}
