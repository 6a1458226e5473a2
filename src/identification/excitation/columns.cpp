#include "excitation/columns.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <tuple>

#include "closed_states.hpp"
#include "torsor/identification/base_parameters.hpp"
#include "torsor/kinematics/mobility.hpp"

namespace torsor::internal {

namespace {

/// Columns that depend on those before them, in rows of random states.
Array<int> dependent_columns(const Matrix& W, const std::vector<std::string>& names,
                             const Array<int>& order, double tolerance) {
  const int p = static_cast<int>(names.size());
  Array<int> dependent;
  const BaseParameters base = base_parameters_of(W, names, order, tolerance);
  for (int c = 0; c < p; ++c)
    if (!std::binary_search(base.kept.begin(), base.kept.end(), c)) dependent.push_back(c);
  return dependent;
}

Array<double> exact_signs(const Model<double>& model) {
  return Array<double>(model.n_v() + model.motors().size(), 0.0);
}

/// Random motions of all joints.
Matrix random_rows(const Model<double>& model, const ExcitationUnknowns& unknowns) {
  const int n = model.n_v(), samples = 3 * unknowns.size() / n + 20;
  MotionSamples states;
  std::mt19937 random(1);
  for (Matrix* x : {&states.q, &states.qd, &states.qdd}) {
    *x = Matrix(samples, n);
    for (int k = 0; k < samples * n; ++k)
      x->data()[k] = 3 * (static_cast<double>(random()) / 2147483648.0 - 1);
  }
  Matrix W;
  ExcitationColumns(model, unknowns, exact_signs(model)).fill(states, W);
  return W;
}

/// Random motions that the loops allow: states that are walked to from the neutral configuration.
Matrix random_closed_rows(const Model<double>& model, const ExcitationUnknowns& unknowns,
                          LoopMotion& loops) {
  const int n = model.n_v(), m = loops.driven().size(), samples = 4 * unknowns.size() / m + 20;
  ClosedStates states(model, 1);
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  Array<double> q(n), qd(n), qdd(n);
  ExcitationColumns columns(model, unknowns, exact_signs(model));
  MotionSamples own, all;
  LoopMotion::Ratios G;
  Matrix W, projected, rows(samples * m, unknowns.size());
  Array<double> open(unknowns.size(), 0.0);
  for (Matrix* x : {&own.q, &own.qd, &own.qdd}) *x = Matrix(1, m);
  for (int k = 0, draws = 0; k < samples; ++draws) {
    if (draws > 20 * samples)
      throw Error("design_excitation: \"" + model.name() + "\": its loops hardly ever close");
    for (Array<double>* x : {&qd, &qdd})
      for (double& y : *x) y = normal(random);
    if (!states.draw(q, qd, qdd)) continue;
    for (int c = 0; c < m; ++c) {
      own.q(0, c) = q[loops.driven()[c]];
      own.qd(0, c) = qd[loops.driven()[c]];
      own.qdd(0, c) = qdd[loops.driven()[c]];
    }
    if (!loops.follow(own, all, G)) continue;
    columns.fill(all, W);
    project_columns(W, G, Array<double>(n, 1.0), projected);
    std::copy(projected.data(), projected.data() + m * unknowns.size(),
              rows.data() + k * m * unknowns.size());
    for (int v = 0; v < n; ++v)
      for (int c = 0; c < unknowns.size(); ++c) open[c] += W(v, c) * W(v, c);
    ++k;
  }
  // What is less than this part of a column of the open tree is what rounding left where loops take it away.
  constexpr double rounded = 1e-8;
  for (int c = 0; c < unknowns.size(); ++c) {
    double left = 0;
    for (int r = 0; r < rows.rows(); ++r) left += rows(r, c) * rows(r, c);
    for (int r = 0; r < rows.rows() && left <= rounded * rounded * open[c]; ++r) rows(r, c) = 0;
  }
  return rows;
}

}  // namespace

void ExcitationUnknowns::choose(const Model<double>& model, const ExcitationOptions& options,
                                bool loops) {
  const int rigid = parameters_per_body * (model.n_bodies() - 1), n = model.n_v();
  const Array<char> actuated = loops ? actuated_velocities(model) : Array<char>(n, 1);
  if (loops) {
    const std::vector<std::string> all = parameter_names(model);
    for (int k = 0; k < rigid; ++k) {
      names.push_back(all[static_cast<std::size_t>(k)]);
      bodies.push_back(k);
    }
    for (int k = 0; options.rotors && k < n; ++k)
      if (actuated[k] != 0) {
        names.push_back("rotor." + model.dof_name(k));
        joints.push_back({JointColumn::rotor, k});
      }
  } else {
    const BaseParameters base = base_parameters(model, {.rotors = options.rotors});
    for (const int k : base.kept) {
      names.push_back(base.names[static_cast<std::size_t>(k)]);
      if (k < rigid)
        bodies.push_back(k);
      else
        joints.push_back({JointColumn::rotor, k - rigid});
    }
  }
  const auto motors = [&](bool wanted, JointColumn column, const char* word) {
    if (!wanted || !model.is_described()) return;
    for (std::size_t k = 0; k < model.description().motors.size(); ++k) {
      names.push_back("motor." + model.description().motors[k].name + word);
      joints.push_back({column, -1, static_cast<int>(k)});
    }
  };
  motors(options.rotors, JointColumn::rotor, ".rotor");
  for (const bool driven : {true, false})
    for (const auto& [wanted, column, word] :
         {std::tuple{options.viscous, JointColumn::viscous, ".viscous"},
          {options.coulomb, JointColumn::coulomb, ".coulomb"},
          {options.offset && driven, JointColumn::offset, ".offset"}}) {
      for (int k = 0; wanted && k < n; ++k)
        if ((actuated[k] != 0) == driven) {
          names.push_back(model.dof_name(k) + word);
          joints.push_back({column, k});
        }
      if (driven) motors(wanted, column, word);
    }
}

void ExcitationUnknowns::leave_out(const Array<int>& columns) {
  for (auto c = columns.rbegin(); c != columns.rend(); ++c) {
    dependent.insert(dependent.begin(), names[static_cast<std::size_t>(*c)]);
    names.erase(names.begin() + *c);
    if (*c < bodies.size())
      bodies.erase(bodies.begin() + *c);
    else
      joints.erase(joints.begin() + (*c - bodies.size()));
  }
}

ExcitationUnknowns::ExcitationUnknowns(const Model<double>& model, const ExcitationOptions& options,
                                       LoopMotion& loops) {
  choose(model, options, loops.loops());
  const Array<int>& driven = loops.driven();
  weight.assign(model.n_v(), 1.0);
  if (!loops.loops()) {
    Array<int> order(size());
    std::iota(order.begin(), order.end(), 0);
    leave_out(dependent_columns(random_rows(model, *this), names, order, 1e-9));
    for (int k = 0; k < options.torque_noise.size(); ++k) weight[k] = 1 / options.torque_noise[k];
    return;
  }
  // What is at the drives is asked first; of all else what is well told.
  const Array<char> actuated = actuated_velocities(model);
  Array<int> order;
  for (int c = 0; c < joints.size(); ++c)
    if (joints[c].motor >= 0 || actuated[joints[c].velocity] != 0)
      order.push_back(bodies.size() + c);
  leave_out(dependent_columns(random_closed_rows(model, *this, loops), names, order, 1e-6));
  // Bodies regroup as in base_parameters: what is worth telling is friction and offsets.
  std::erase_if(dependent, [](const std::string& name) {
    return !name.ends_with(".viscous") && !name.ends_with(".coulomb") && !name.ends_with(".offset");
  });
  for (int k = 0; k < driven.size(); ++k)
    row_weight.push_back(options.torque_noise.empty() ? 1 : 1 / options.torque_noise[k]);
}

void project_columns(const Matrix& W, const LoopMotion::Ratios& G, In<double> weight, Matrix& out) {
  const int samples = static_cast<int>(G.size()), n = G[0].rows(), m = G[0].cols(), p = W.cols();
  if (out.rows() != samples * m || out.cols() != p) out = Matrix(samples * m, p);
  for (int k = 0; k < samples; ++k)
    for (int j = 0; j < m; ++j)
      for (int c = 0; c < p; ++c) {
        double sum = 0;
        for (int v = 0; v < n; ++v) sum += G[static_cast<std::size_t>(k)](v, j) * W(k * n + v, c);
        out(k * m + j, c) = weight[j] * sum;
      }
}

void unproject_columns(const Matrix& A, const Matrix& W, const LoopMotion::Ratios& G,
                       In<double> weight, Matrix& A_tree, LoopMotion::Ratios& bar_G) {
  const int samples = static_cast<int>(G.size()), n = G[0].rows(), m = G[0].cols(), p = W.cols();
  if (A_tree.rows() != W.rows() || A_tree.cols() != p) A_tree = Matrix(W.rows(), p);
  for (int k = 0; k < samples; ++k) {
    const auto at = static_cast<std::size_t>(k);
    for (int v = 0; v < n; ++v) {
      double* const to = A_tree.data() + (k * n + v) * p;
      std::fill(to, to + p, 0.0);
      for (int j = 0; j < m; ++j) {
        double sum = 0;
        for (int c = 0; c < p; ++c) {
          const double a = weight[j] * A(k * m + j, c);
          to[c] += G[at](v, j) * a;
          sum += W(k * n + v, c) * a;
        }
        bar_G[at](v, j) += sum;
      }
    }
  }
}

ExcitationColumns::ExcitationColumns(const Model<double>& model, const ExcitationUnknowns& unknowns,
                                     Array<double> width)
    : model_(&model),
      unknowns_(&unknowns),
      width_(std::move(width)),
      values_(model),
      duals_(model),
      q_(model.n_q()),
      qd_(model.n_v()),
      qdd_(model.n_v()),
      A_(model.n_v() * unknowns.bodies.size()),
      q_dual_(model.n_q()),
      qd_dual_(model.n_v()),
      qdd_dual_(model.n_v()) {
  const Array<int>& list = unknowns.bodies;
  for (int first = 0, end = 0; first < list.size(); first = end) {
    const int i = list[first] / parameters_per_body + 1;
    while (end < list.size() && list[end] / parameters_per_body + 1 == i) ++end;
    for (int j = i; j != 0; j = model.body(j).parent)
      for (int k = 0; k < model.body(j).v.count; ++k)
        paths_.push_back({i, model.body(j).v.first + k, first, end - first});
  }
}

void ExcitationColumns::fill(const MotionSamples& motion, Matrix& W) {
  const ExcitationUnknowns& u = *unknowns_;
  const int n = model_->n_v(), samples = motion.q.rows(), rigid = u.bodies.size();
  const Array<double>& weight = u.weight;
  if (W.rows() != samples * n || W.cols() != u.size()) W = Matrix(samples * n, u.size());
  std::fill(W.data(), W.data() + samples * n * u.size(), 0.0);
  const auto row = [&](const Matrix& x, int k) { return View<const double>(x.data() + k * n, n); };
  for (int k = 0; k < samples; ++k) {
    const MatrixView<double> Y(W.data() + k * n * u.size(), n, rigid, u.size(), 1);
    torque_regressor(*model_, values_, row(motion.q, k), row(motion.qd, k), row(motion.qdd, k),
                     u.bodies, Y);
    for (int j = 0; j < n; ++j)
      for (int c = 0; c < rigid; ++c) Y(j, c) *= weight[j];
    for (int c = 0; c < u.joints.size(); ++c) {
      const auto [column, j, m] = u.joints[c];
      if (m < 0) {
        W(k * n + j, rigid + c) =
            value(column, width_[j], motion.qd(k, j), motion.qdd(k, j)) * weight[j];
        continue;
      }
      const CoupledMotor<double>& motor = model_->motors()[m];
      const double of_motor = value(column, width_[n + m], motor.along(row(motion.qd, k)),
                                    motor.along(row(motion.qdd, k)));
      for (const auto& term : motor.terms)
        W(k * n + term.v, rigid + c) = of_motor * term.ratio * weight[term.v];
    }
  }
}

double ExcitationColumns::value(JointColumn column, double width, double v, double vdot) const {
  switch (column) {
    case JointColumn::rotor:
      return vdot;
    case JointColumn::viscous:
      return v;
    case JointColumn::coulomb:
      return width > 0 ? std::tanh(v / width) : v > 0 ? 1 : v < 0 ? -1 : 0;
    case JointColumn::offset:
      break;
  }
  return 1;
}

}  // namespace torsor::internal
