#pragma once
/// What finished motions need of every limit, and what they tell about the unknowns.
#include "excitation/problem.hpp"

namespace torsor::internal {

/// Fills series or splines of z, verified, samples, condition, log_det and use.
Excitation realised(const ExcitationTask& task, In<double> z);

}  // namespace torsor::internal
