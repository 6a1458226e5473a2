#pragma once
/// Torque regressors of many samples at once, one sample in each lane of a register.
///
///   rows v m + s of W:  row v of W(q_s, qd_s, qdd_s)          s = 0 ... m - 1, v: velocity
///
/// The rows of one velocity are neighbours in the order of time, as filters want them. Each sample's
/// rows are the same whichever lane it falls into.
///
/// Cost     That of torque_regressor by register of samples; no allocation.
/// Source   as column_regressor.hpp.
#include <memory>

#include "torsor/identification/parameter_columns.hpp"

namespace torsor {

/// A measured or planned motion: one row a sample. Views of the caller's numbers.
struct MotionSamples {
  InMatrix<double> q{}, qd{}, qdd{}, tau{};
  InMatrix<double> tau_load{};  ///< what columns of load take; may be empty

  int size() const { return q.rows; }
  /// Samples first ... first + count - 1.
  MotionSamples part(int first, int count) const;
};

namespace internal {

struct SampleLanes;

}  // namespace internal

class SampleWorkspace {
 public:
  SampleWorkspace(const Model<double>& model, const ParameterColumns& columns);
  ~SampleWorkspace();
  SampleWorkspace(SampleWorkspace&&) noexcept;
  SampleWorkspace& operator=(SampleWorkspace&&) noexcept;

  std::unique_ptr<internal::SampleLanes> lanes;
};

/// W, n_v samples x columns; fastest where its columns are contiguous (row_stride 1).
void sample_regressor(const Model<double>& model, SampleWorkspace& ws,
                      const ParameterColumns& columns, const MotionSamples& samples,
                      OutMatrix<double> W);

namespace internal {

/// Throws Error where matrices have other sizes than the robot and columns ask for (tau: where
/// `with_tau`), and for a number that is not finite, with its sample.
void check_samples(const Model<double>& model, const ParameterColumns& columns,
                   const MotionSamples& samples, bool with_tau = true);
/// Of velocity v the columns that act on it alone, side by side: to[v] is samples x as many, by
/// columns at the stride.
void acting_rows(const Model<double>& model, SampleWorkspace& ws, const ParameterColumns& columns,
                 const MotionSamples& samples, double* const* to, int stride);

}  // namespace internal

}  // namespace torsor
