#include "command.hpp"

namespace torsor::command {

extern const Verb robots, laws, info, check, convert;
extern const Verb fk, ik, jacobian;
extern const Verb id, fd, hd, mass, coriolis, gravity, energy, derivatives, regressor;
extern const Verb base, excite, identify_verb, calibrate_verb, trajectory;
extern const Verb scenario, simulate, compare, sweep, report;
extern const Verb eval, bench, demo, draw, view_verb;

const std::vector<const Verb*>& verbs() {
  static const std::vector<const Verb*> all = {
      &robots,
      &laws,
      &info,
      &check,
      &convert,
      &fk,
      &ik,
      &jacobian,
      &id,
      &fd,
      &hd,
      &mass,
      &coriolis,
      &gravity,
      &energy,
      &derivatives,
      &regressor,
      &base,
      &excite,
      &identify_verb,
      &calibrate_verb,
      &trajectory,
      &scenario,
      &simulate,
      &compare,
      &sweep,
      &report,
      &draw,
      &view_verb,
      &eval,
      &bench,
      &demo,
  };
  return all;
}

}  // namespace torsor::command
