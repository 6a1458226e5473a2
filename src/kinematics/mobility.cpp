#include "torsor/kinematics/mobility.hpp"

#include <algorithm>
#include <random>

#include "torsor/linear/orthogonal_decomposition.hpp"
#include "torsor/linear/svd.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor {
namespace {

/// Column major, with its own storage.
struct Table {
  int rows, cols;
  Array<double> data;

  Table(int r, int c) : rows(r), cols(c), data(r * c) {}
  double* column(int c) { return data.data() + c * rows; }
  MatrixView<double> view() { return column_major(data.data(), rows, cols); }
};

struct Spectrum {
  int rank = 0;
  double ratio = 0;
};
Spectrum spectrum(const Table& A, double tolerance) {
  Svd svd(A.rows, A.cols);
  svd.factorise(column_major(A.data.data(), A.rows, A.cols));
  if (svd.largest() == 0) return {};
  // More columns than rows: the others are zero.
  return {svd.rank(tolerance), A.cols > A.rows ? 0 : svd.smallest() / svd.largest()};
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
    decomposition.factorise(above, options.tolerance);
    result.parts.push_back({part.name, part.kind, part.n_rows, decomposition.rank() - result.rank});
    result.rank = decomposition.rank();
  }
  result.degrees_of_freedom = n - result.rank;
  if (m == 0) decomposition.factorise(column_major(A.data.data(), 0, n));
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

int lost_rank(const Model<double>& model, const ConstraintSet& set, View<const double> q,
              double tolerance) {
  ConstraintWorkspace<double> ws(model);
  AssemblyWorkspace assembly(model, set);
  OrthogonalDecomposition decomposition(std::max(set.n_rows(), 1), std::max(model.n_v(), 1));
  Table A(set.n_rows(), model.n_v());
  const auto rank = [&](View<const double> at) {
    constraint_jacobian(model, set, ws, at, A.view());
    decomposition.factorise(A.view(), tolerance);
    return decomposition.rank();
  };
  const int here = set.n_rows() == 0 ? 0 : rank(q);
  int most = here;
  Array<double> step(model.n_v()), near(model.n_q());
  std::mt19937_64 random(1);
  for (int draw = 0; draw < 8 && here < std::min(set.n_rows(), model.n_v()); ++draw) {
    for (double& x : step) x = 1e-3 * (static_cast<double>(random() >> 11) * 0x1p-52 - 1);
    integrate(model, q, In<double>(step), Out<double>(near));
    if (assemble(model, set, assembly, near, {.keep_limits = false}))
      most = std::max(most, rank(near));
  }
  return most - here;
}

Array<char> actuated_velocities(const Model<double>& model) {
  Array<char> actuated(model.n_v(), 0);
  bool any = false;
  for (int i = 1; i < model.n_bodies(); ++i) {
    if (model.joint_description(i).actuator.empty()) continue;
    any = true;
    for (int k = 0; k < model.body(i).v.count; ++k) actuated[model.body(i).v.first + k] = 1;
  }
  for (const CoupledMotor<double>& motor : model.motors())
    for (const auto& term : motor.terms) any = true, actuated[term.v] = 1;
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
