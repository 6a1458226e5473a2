#pragma once
/// What identify asks of its logs: the model that x belongs to, its columns, what is known. Private to identify.
#include "rows.hpp"
#include "torsor/identification/identify.hpp"

namespace torsor::internal {

/// Throws Error for unknowns that are none and logs that do not fit. `more_logs` validate.
RowProblem row_problem(const Model<double>& model, const IdentifyOptions& options,
                       const std::vector<MotionLog>& logs, int more_logs = 0);

/// Which columns no motion at all can tell apart, by random states of the model.
struct Structure {
  BaseParameters base{};
  Array<double> size{};  ///< root mean square of each column: at about 1 rad/s and 1 rad/s^2
};
Structure structure(const RowProblem& problem);

/// What friction and rotors of joints are called as the joint sees them: with the share of motors that turn
/// several joints. b of the result is another set of numbers for the same torques.
BaseParameters seen_at_joints(const RowProblem& problem, BaseParameters base);

/// The size that an unknown has in a robot of this size and weight: what is known of it beforehand.
Array<double> usual_sizes(const RowProblem& problem, double torque);

/// The columns of the list and tau.
CompressedLog selected(const CompressedLog& log, In<int> columns);

}  // namespace torsor::internal
