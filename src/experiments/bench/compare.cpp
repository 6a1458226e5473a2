#include <algorithm>

#include "torsor/experiments/bench.hpp"
#include "torsor/math/error.hpp"

namespace torsor {
namespace {

void require_same(const char* what, const std::string& before, const std::string& after) {
  if (before != after)
    throw Error(std::string(what) + " differs: `" + before + "` before, `" + after +
                "` after; times of the two do not compare");
}

}  // namespace

std::vector<SpeedChange> speed_changes(const Bench& before, const Bench& after) {
  require_same("the robot", before.robot, after.robot);
  require_same("the processor", before.processor, after.processor);
  require_same("the instruction set", before.instruction_set, after.instruction_set);
  std::vector<SpeedChange> changes;
  for (const BenchFigure& now : after.figures) {
    const auto old = std::find_if(
        before.figures.begin(), before.figures.end(),
        [&](const BenchFigure& f) { return f.verb == now.verb && f.mode == now.mode; });
    if (old != before.figures.end()) changes.push_back({now.verb, now.mode, old->ns, now.ns});
  }
  return changes;
}

}  // namespace torsor
