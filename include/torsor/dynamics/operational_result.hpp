#pragma once
/// What operational_dynamics and cartesian_form tell about the task at a configuration.

namespace torsor {

struct [[nodiscard]] OperationalResult {
  double smallest_singular_value = 0, largest_singular_value = 0;  ///< of J
  int rank = 0;                                                    ///< of J M^-1 J^T
  bool regular = true;  ///< full rank: Lambda is the inverse, or is damped near it
  bool exact = true;    ///< regular and no damping
  bool mass_matrix_regular = true;

  explicit operator bool() const { return regular && mass_matrix_regular; }
};

}  // namespace torsor
