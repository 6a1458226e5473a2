#pragma once
/// Whether a law's theorem covers a run: the hypotheses of the theorem beside what the run has.
///
///   certificate   rows of scope, the row of sampled control, and the inequalities of the law
///   RunRange      postures, speeds and accelerations that reference and start really have
///   hold_to_run   rows that the run itself has contradicted lose their "holds"
///
/// A row of scope that is missed makes the run "not covered": the proof says nothing about it, good
/// or bad. The inequalities of the law (ControlLaw::conditions) are "violated" where they are missed.
///
/// Cost     Milliseconds; allocates.
#include <limits>
#include <string>
#include <vector>

#include "torsor/control/run.hpp"

namespace torsor {

/// One instant of a run as it is meant to go.
struct RunInstant {
  double t = 0;                    ///< s
  Array<double> q{}, qd{}, qdd{};  ///< of the reference; of the start: q0, v0 and zeros
  Array<double> x_c{};             ///< states of the law there
  bool reached = true;             ///< false: no posture was found for the task of this instant
  /// Of a posture that does a task, where torques are limited: how the joints move to follow it.
  Array<double> task_qd{}, task_qdd{};
};

/// What reference and start have, sampled: bounds of what was seen, not of all instants.
struct RunRange {
  Array<RunInstant> instants{};  ///< the start first, then along the reference
  Array<double> speed{};         ///< per degree of freedom: largest |qd| of reference and start
  Array<double> acceleration{};  ///< largest |qdd_d|
  /// Largest rate that the reference has, or that its positions show, and when.
  double reference_speed = 0, fastest_at = 0;
  /// Largest step of the reference, or of its rates, that their own rates do not show, over what
  /// sampling explains, and when.
  double jump = 0, jump_at = 0;
  std::string jump_of{};            ///< "rate of joint_2"
  int samples = 0;                  ///< instants of the reference that were looked at
  const ControlLaw* law = nullptr;  ///< whose postures and states these are
  bool passed = false;              ///< the instants are states of the run, of no reference
  bool constant() const { return reference_speed == 0; }
};

/// Of a law with a task of its own postures are found from the start on, by its task error. The
/// reference is looked at densely; `postures` of its instants are kept.
RunRange run_range(ControlLaw& law, const Run& run, int postures = 24);

/// Everything that has to hold for the law's claims about this run.
std::vector<Condition> certificate(ControlLaw& law, const Run& run);

/// What a run did, as far as hypotheses ask. NaN: never.
struct RunTrace {
  static constexpr double never = std::numeric_limits<double>::quiet_NaN();
  Array<RunInstant> instants{};  ///< states that it passed
  Array<double> speed{};         ///< largest |qd| at them, per degree of freedom
  double saturated_at = never;   ///< s, first torque at its limit
  int saturated_dof = -1;
  double touched_at = never;  ///< s, first contact
  std::string touched{};      ///< the surface
  double stop_at = never;     ///< s, first beyond a limit of position
  int stop_dof = -1;
  double beyond_stop = 0;      ///< rad or m, how far
  double diverged_at = never;  ///< s, the end of a run whose errors grew without bound
  double singular_at = never;  ///< s, the end of a run whose mass matrix became singular
  std::string singular{};      ///< the joint that moved no mass
  std::string stopped{};  ///< why it did not come to its end; empty: it did, or was interrupted
  int claims = 0, missed = 0;  ///< predictions that could be judged, and those that were not kept
  /// What the balances of the energy (J) and of V are off by, and what the integration explains.
  double energy_balance = 0, energy_tolerance = infinity;
  double value_balance = 0, value_tolerance = infinity;
  /// Errors of a motion of size 1 that the integration explains, and how large they may be.
  double explained = 0, most_explained = infinity;
};
/// Of the rows of certificate(): those that held before the run and that it contradicted are not
/// covered or violated, with the time. Hypotheses are compared again at the states of the run, and
/// so are the inequalities of laws whose conditions are of states.
void hold_to_run(std::vector<Condition>& rows, ControlLaw& law, const Run& run, RunTrace trace);

}  // namespace torsor
