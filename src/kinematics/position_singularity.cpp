#include "torsor/kinematics/position_singularity.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/math/rotation.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {

namespace {

/// What a sum of products is off by, beside their size.
constexpr double rounding = 1e-14;

MatrixView<const double> linear_rows(const SingularityWorkspace& ws) {
  return {ws.J.data() + 3, 3, ws.J.size() / 6, 1, 6};
}

/// |J_v| of the columns that carry the frame; what rounding leaves of 0 is 0.
double determinant_of(const Array<int>& axes, const Array<int>& dofs, InMatrix<double> J) {
  double size = 1;
  Mat3<double> M = Mat3<double>::identity();
  for (int c = 0; c < dofs.size(); ++c) {
    double square = 0;
    for (int r = 0; r < axes.size(); ++r) {
      M(r, c) = J(axes[r], dofs[c]);
      square += M(r, c) * M(r, c);
    }
    size *= std::sqrt(square);
  }
  const double value = dot(M.c0, cross(M.c1, M.c2));
  return std::abs(value) < rounding * size ? 0 : value;
}

}  // namespace

PositionSingularity position_singularity(const Model<double>& model, SingularityWorkspace& ws,
                                         In<double> q, const Frame& frame, double tolerance) {
  internal::require_configuration(model, q, "position_singularity");
  const int n = model.n_v();
  const auto look = [&](In<double> at) {
    jacobian<double, double>(model, ws.kinematics, at, frame, Reference::world_aligned,
                             column_major(ws.J.data(), 6, n));
    ws.svd.factorise(linear_rows(ws));
  };
  PositionSingularity report;
  Array<double> drawn(model.n_q());
  bool moves[3] = {};
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    random_configuration(model, seed, drawn);
    look(drawn);
    report.generic_rank = std::max(report.generic_rank, ws.svd.rank(1e-9));
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < n; ++c)
        moves[r] = moves[r] || std::abs(linear_rows(ws)(r, c)) > 1e-9 * ws.svd.largest();
  }
  Array<int> dofs;
  for (int i = frame.body; i > 0; i = model.body(i).parent)
    for (int c = model.body(i).v.count - 1; c >= 0; --c)
      dofs.insert(dofs.begin(), model.body(i).v.first + c);
  for (int r = 0; r < 3; ++r)
    if (moves[r]) report.axes.push_back(r);
  look(q);
  report.rank = std::min(ws.svd.rank(tolerance), report.generic_rank);
  if (report.generic_rank > 0) {
    report.smallest = ws.svd.sigma(report.generic_rank - 1);
    report.largest = ws.svd.largest();
  }
  report.square = !dofs.empty() && dofs.size() == report.axes.size();
  if (report.square) report.determinant = determinant_of(report.axes, dofs, linear_rows(ws));
  return report;
}

}  // namespace torsor
