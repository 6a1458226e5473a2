/// Runs that slow down: where the mass matrix comes near a singular one explicit steps shrink with
/// the mass that is left long before a pivot of it is zero, and some runs come to a standstill.
#include "torsor/model/text.hpp"
#include "torsor/sim/internal/simulation.hpp"

namespace torsor::sim_detail {

std::string Simulation::nearly_singular() const {
  const auto [dof, ratio] = plant_.least_mass();
  if (!(ratio < 1e-3 * mass_at_start_)) return "";
  return "the mass matrix is nearly singular: " + plant_.model().dof_name(dof) +
         " moves almost no mass (its pivot is " + short_number(ratio) + " of the largest, " +
         short_number(mass_at_start_) + " at the start)";
}

void Simulation::watch_pace() {
  constexpr long often = 100'000;  // evaluations: a few tenths of a second
  constexpr int patience = 20;     // looks at a run that is several times too slow
  constexpr double several = 4;
  const long spent = recording_.evaluations - paced_;
  if (spent < often) return;
  const double pace = static_cast<double>(spent) / (t_ - paced_at_);  // 1/s
  paced_ = recording_.evaluations;
  paced_at_ = t_;
  const double needed = (end() - t_) * pace;
  const auto left = static_cast<double>(most_evaluations_ - paced_);
  standstill_ = needed > several * left ? standstill_ + 1 : 0;
  if (!(needed > left)) return;
  singular_ = nearly_singular();
  if (!singular_.empty())
    halt(StopReason::singular);
  else if (standstill_ >= patience)
    halt(StopReason::evaluations);
}

}  // namespace torsor::sim_detail
