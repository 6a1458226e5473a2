/// Stribeck velocities: what torques are not linear in, by what linear least squares leave (output error with
/// variable projection).
#include <algorithm>
#include <cmath>

#include "factor_algebra.hpp"
#include "identifying.hpp"
#include "torsor/identification/output_error.hpp"

namespace torsor::internal {

/// The same robot with other Stribeck velocities of some degrees of freedom.
Model<double> with_stribeck(const Model<double>& model, In<int> dofs, In<double> values) {
  RobotDescription robot = model.description();
  Array<std::string> names;
  for (const int v : dofs) names.push_back(model.dof_name(v));
  for (Joint& joint : robot.joints)
    for (std::size_t k = 0; k < joint.friction.size(); ++k) {
      const std::string name =
          joint.friction.size() == 1 ? joint.name : joint.name + "." + std::to_string(k);
      for (int d = 0; d < names.size(); ++d)
        if (names[d] == name) joint.friction[k].stribeck = values[d];
    }
  return Model<double>(std::move(robot));
}

namespace {

/// One fit for given Stribeck velocities. Columns of Coulomb friction and stiction change with them, others
/// stay.
struct Projection {
  Matrix rows;                 ///< fitted columns and tau, weighted
  Array<double> weight;        ///< of each row
  Array<int> changing, place;  ///< columns of the small problem, and where they are in `rows`

  void leave(Array<double>& r) const {
    const int K = rows.cols() - 1;
    RowFactor factor(K + 1);
    factor.add(InMatrix<double>(rows));
    const Matrix& R = factor.R();
    const BaseParameters base =
        base_parameters_of(factor, std::vector<std::string>(static_cast<std::size_t>(K), "column"));
    const Array<double> b = solution(selected(R, with_last(base.kept, K)), base.size());
    r.assign(rows.rows(), 0.0);
    for (int i = 0; i < rows.rows(); ++i) {
      r[i] = rows(i, K);
      for (int k = 0; k < base.size(); ++k) r[i] -= rows(i, base.kept[k]) * b[k];
    }
  }
};

}  // namespace

void Identifying::find_stribeck() {
  const Model<double> before = problem_.model;
  Array<int> dofs;
  std::vector<std::string> friction;
  OutputErrorProblem search;
  for (int v = 0; v < problem_.n_v(); ++v) {
    const std::string joint = before.dof_name(v);
    if (problem_.columns.find(joint + ".stiction") < 0 ||
        problem_.columns.find(joint + ".coulomb") < 0)
      continue;
    double fastest = 0;
    for (const LogInWork& own : logs_)
      for (int i = 0; i < own.signals.qd.rows(); ++i)
        fastest = std::max(fastest, std::abs(own.signals.qd(i, v)));
    dofs.push_back(v);
    friction.insert(friction.end(), {joint + ".coulomb", joint + ".stiction"});
    search.names.push_back(joint + ".stribeck");
    search.low.push_back(1e-4 * std::max(fastest, 1e-3));
    search.high.push_back(std::max(fastest, 1e-3));
    search.start.push_back(
        std::clamp(before.dof(v).stribeck, search.low.back(), search.high.back()));
  }
  if (dofs.empty())
    throw Error(
        "identify: output_error finds Stribeck velocities: Coulomb friction and stiction of "
        "a joint that has one in the robot's file have to be unknown");
  if (problem_.loops) throw Error("identify: output_error takes trees, not robots with loops");

  const Estimate start = least_squares(reduced_);
  Projection fit;
  Array<double> all;
  each_row({}, [&](int, int joint, In<double> row) {
    fit.weight.push_back(1 / std::max(start.noise[joint], 1e-300));
    for (const double x : row) all.push_back(x * fit.weight.back());
  });
  fit.rows = Matrix(fit.weight.size(), fitted_.size() + 1, std::move(all));
  RowProblem small{.model = before};
  small.columns = ParameterColumns(before, friction);
  small.names = small.columns.names();
  small.x0.assign(small.n_columns(), 0.0);
  small.torques = problem_.torques;
  for (int c = 0; c < small.n_columns(); ++c)
    for (int k = 0; k < fitted_.size(); ++k)
      if (problem_.names[base_.kept[fitted_[k]]] == small.names[c])
        fit.changing.push_back(c), fit.place.push_back(k);
  search.residual = [&](In<double> p, Array<double>& r) {
    tell(0.6);
    small.model = with_stribeck(before, dofs, p);
    int i = 0;
    visit_rows(
        [&](const LogInWork& own) {
          return LogRows(small, own.log(), own.signals, row_options(own.log(), own.signals), -1);
        },
        [&](int, int, In<double> row) {
          for (int k = 0; k < fit.place.size(); ++k)
            fit.rows(i, fit.place[k]) = fit.weight[i] * row[fit.changing[k]];
          ++i;
        });
    fit.leave(r);
    return true;
  };
  const OutputErrorEstimate found = output_error(search, {.iterations = 30, .tolerance = 1e-6});
  Array<double> values;
  for (int k = 0; k < dofs.size(); ++k) {
    IdentifiedParameter p{
        .name = search.names[static_cast<std::size_t>(k)], .formula = {}, .unit = {}};
    p.formula = p.name;
    const std::string coulomb =
        small.columns.unit(small.columns.find(friction[static_cast<std::size_t>(2 * k)]));
    p.unit = coulomb == "N" ? "m/s" : "rad/s";
    p.before = before.dof(dofs[k]).stribeck;
    p.determined = found.sigma[k] < std::abs(found.p[k]);
    p.value = p.determined ? found.p[k] : p.before;
    if (p.determined) p.sigma = p.classical_sigma = found.sigma[k];
    p.low = p.value - 1.96 * p.sigma, p.high = p.value + 1.96 * p.sigma;
    values.push_back(p.value);
    out_.nonlinear.push_back(p);
  }
  out_.notes.insert(out_.notes.end(), found.notes.begin(), found.notes.end());
  problem_.model = with_stribeck(before, dofs, values);
  how_found_ = "; Stribeck velocities by Levenberg and Marquardt, " +
               std::to_string(found.iterations) + " iterations";
}

}  // namespace torsor::internal
