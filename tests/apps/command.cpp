#include "apps/command.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace torsor::testing {

nlohmann::json CommandResult::json() const { return nlohmann::json::parse(out); }

bool CommandResult::tells(const std::string& words) const {
  const auto in_one_line = [](const std::string& text) {
    std::string line;
    for (const char c : text)
      if (c != '\n' && c != ' ')
        line += c;
      else if (!line.empty() && line.back() != ' ')
        line += ' ';
    return line;
  };
  return in_one_line(out).find(in_one_line(words)) != std::string::npos;
}

CommandResult torsor_command(const std::vector<std::string>& arguments,
                             const std::filesystem::path& folder, const std::string& output) {
  const ScratchFolder scratch;
  const std::string out = output.empty() ? (scratch / "out").string() : output;
  const std::string err = (scratch / "err").string();
  std::vector<std::string> words = {TORSOR_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int to_out = open(out.c_str(), O_WRONLY | O_CREAT, 0600);
    const int to_err = open(err.c_str(), O_WRONLY | O_CREAT, 0600);
    dup2(to_out, STDOUT_FILENO);
    dup2(to_err, STDERR_FILENO);
    setenv("LC_ALL", "C.UTF-8", 1);  // whatever the locale and the terminal of the test are
    unsetenv("COLUMNS");
    if (chdir(folder.c_str()) != 0) _exit(126);
    execv(TORSOR_COMMAND, pointers.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CommandResult result;
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (output.empty()) result.out = read_text(out);
  result.err = read_text(err);
  return result;
}

void expect_refusal(const CommandResult& result, const std::string& text) {
  EXPECT_EQ(result.code, 2) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with("torsor: ")) << result.err;
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_NE(result.err.find(text), std::string::npos)
      << "expected \"" << text << "\" in: " << result.err;
}

}  // namespace torsor::testing
