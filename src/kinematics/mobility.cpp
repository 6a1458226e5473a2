#include "torsor/kinematics/mobility.hpp"

#include <algorithm>
#include <cmath>

namespace torsor {
namespace {

std::size_t at(int k) { return static_cast<std::size_t>(k); }

/// Column major, with its own storage.
struct Table {
  int rows, cols;
  std::vector<double> data;

  Table(int r, int c) : rows(r), cols(c), data(at(r) * at(c)) {}
  double* column(int c) { return data.data() + c * rows; }
  MatrixView<double> view() { return column_major(data.data(), rows, cols); }
};

/// Singular values, descending, by one-sided Jacobi rotations of the columns (Hestenes 1958).
std::vector<double> singular_values(Table A) {
  const auto dot = [&](int a, int b) {
    double sum = 0;
    for (int r = 0; r < A.rows; ++r) sum += A.column(a)[r] * A.column(b)[r];
    return sum;
  };
  for (int sweep = 0; sweep < 40; ++sweep) {
    bool turned = false;
    for (int a = 0; a < A.cols; ++a)
      for (int b = a + 1; b < A.cols; ++b) {
        const double aa = dot(a, a), bb = dot(b, b), ab = dot(a, b);
        if (std::abs(ab) <= 1e-15 * std::sqrt(aa * bb) || ab == 0) continue;
        turned = true;
        const double zeta = (bb - aa) / (2 * ab);
        const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
        const double c = 1 / std::sqrt(1 + t * t), s = c * t;
        for (int r = 0; r < A.rows; ++r) {
          const double x = A.column(a)[r], y = A.column(b)[r];
          A.column(a)[r] = c * x - s * y;
          A.column(b)[r] = s * x + c * y;
        }
      }
    if (!turned) break;
  }
  std::vector<double> sigma;
  for (int c = 0; c < A.cols; ++c) sigma.push_back(std::sqrt(dot(c, c)));
  std::sort(sigma.rbegin(), sigma.rend());
  return sigma;
}

struct Spectrum {
  int rank = 0;
  double ratio = 0;
};
Spectrum spectrum(const Table& A, double tolerance) {
  const std::vector<double> sigma = singular_values(A);
  if (sigma.empty() || sigma[0] == 0) return {};
  Spectrum result{0, sigma.back() / sigma[0]};
  for (const double s : sigma) result.rank += s > tolerance * sigma[0] ? 1 : 0;
  return result;
}

}  // namespace

Mobility mobility(const Model<double>& model, const ConstraintSet& set, View<const double> q,
                  const MobilityOptions& options) {
  Mobility result;
  const int n = model.n_v(), m = set.n_rows();
  result.n_v = n, result.rows = m;
  ConstraintWorkspace<double> ws(model);
  Table A(m, n);
  constraint_jacobian(model, set, ws, q, A.view());
  OrthogonalDecomposition decomposition(std::max(m, 1), std::max(n, 1));
  for (const ConstraintSet::Part& part : set.parts()) {
    MatrixView<double> above = A.view();
    above.rows = part.first_row + part.n_rows;
    decomposition.factorize(above, options.tolerance);
    result.parts.push_back({part.name, part.kind, part.n_rows, decomposition.rank() - result.rank});
    result.rank = decomposition.rank();
  }
  result.degrees_of_freedom = n - result.rank;
  if (m == 0) decomposition.factorize(column_major(A.data.data(), 0, n));
  const int dof = result.degrees_of_freedom;
  Table N(n, dof);
  for (int k = 0; k < dof; ++k) decomposition.null_vector(k, {N.column(k), n});

  const auto is_actuated = [&](int k) { return options.actuated.empty() || options.actuated[k]; };
  for (int k = 0; k < n; ++k) result.actuators += is_actuated(k) ? 1 : 0;
  Table N_a(result.actuators, dof);
  for (int c = 0; c < dof; ++c)
    for (int k = 0, row = 0; k < n; ++k)
      if (is_actuated(k)) N_a.column(c)[row++] = N.column(c)[k];
  const Spectrum actuation = spectrum(N_a, options.tolerance);
  result.controlled = actuation.rank, result.actuation = actuation.ratio;

  if (options.output) {
    KinematicsWorkspace<double> kinematics(model);
    const int first = options.output_point ? 3 : 0;  // rows are angular, then linear
    Table J(6, n), JN(6 - first, dof);
    jacobian(model, kinematics, q, *options.output, Reference::body, J.view());
    for (int c = 0; c < dof; ++c)
      for (int k = 0; k < n; ++k)
        for (int r = first; r < 6; ++r) JN.column(c)[r - first] += J.column(k)[r] * N.column(c)[k];
    const Spectrum output = spectrum(JN, options.tolerance);
    result.output_rank = output.rank, result.output = output.ratio;
  }
  return result;
}

std::vector<char> actuated_velocities(const Model<double>& model) {
  std::vector<char> actuated(at(model.n_v()), 0);
  bool any = false;
  for (int i = 1; i < model.n_bodies(); ++i) {
    if (model.joint_description(i).actuator.empty()) continue;
    any = true;
    for (int k = 0; k < model.body(i).v.count; ++k) actuated[at(model.body(i).v.first + k)] = 1;
  }
  if (!any) std::fill(actuated.begin(), actuated.end(), char{1});
  return actuated;
}

std::vector<std::string> redundancy_messages(const Mobility& mobility) {
  std::vector<std::string> lines;
  for (const Mobility::Part& part : mobility.parts)
    if (part.independent < part.rows)
      lines.push_back("\"" + part.name + "\" (" + part.kind +
                      "): " + std::to_string(part.rows - part.independent) + " of its " +
                      std::to_string(part.rows) + " rows repeat what holds already");
  return lines;
}

}  // namespace torsor
