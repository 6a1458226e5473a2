#include "command.hpp"

namespace torsor::command {

extern const Verb robots, info, check, convert;

const std::vector<const Verb*>& verbs() {
  static const std::vector<const Verb*> all = {&robots, &info, &check, &convert};
  return all;
}

}  // namespace torsor::command
