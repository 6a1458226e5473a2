#pragma once
/// What a run came to, in rows with numbers: its end, whether it diverged, limits, balances.
///
/// A run has diverged where
///   - it was stopped because a velocity or a state of the law grew beyond every bound or was no
///     number any more, or
///   - its joint errors still grow and have left everything that it was asked to do: the largest
///     norm of e over the last quarter is at least that of the first half, more than ten times both
///     the norm at the start and the largest excursion of the reference, and more than pi (rad or m),
///   - the same of a component of the task's error, with its own start and more than 1 (SI).
/// Errors that are half as large again in the last quarter as in the first half and at the start, and
/// more than 0.01, are told as growing; those that are ten times the start's and more than 0.1 in the
/// last quarter are told as left.
///
/// Limits are those of the robot's file. They are told whether or not the plant has stops and
/// whether or not actuators saturate; leaving them is no failure of the run.
#include <string>
#include <vector>

#include "torsor/sim/recording.hpp"

namespace torsor {

enum class OutcomeVerdict : unsigned char {
  good,
  bad,
  told  ///< a number without a bound, or one that nothing claims
};
/// "good", "bad", "told".
const char* name_of(OutcomeVerdict verdict);

struct OutcomeRow {
  std::string name;  ///< "end", "divergence", "saturation", "position limits", ...
  OutcomeVerdict verdict = OutcomeVerdict::told;
  double value = 0, bound = 0;  ///< NaN: there is none
  std::string text;             ///< one line with both, units and joint
};

/// Empty where the recording has no figures of its own (it was not simulated).
std::vector<OutcomeRow> outcome(const Recording& recording);
bool diverged(const Recording& recording);

}  // namespace torsor
