#include "excitation/columns.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "torsor/identification/base_parameters.hpp"

namespace torsor::internal {

namespace {

/// Columns that depend on those before them, at random states of all joints.
Array<int> dependent_columns(const Model<double>& model, const ExcitationUnknowns& unknowns) {
  const int n = model.n_v(), p = unknowns.size(), samples = 3 * p / n + 20;
  MotionSamples states;
  std::mt19937 random(1);
  for (Matrix* x : {&states.q, &states.qd, &states.qdd}) {
    *x = Matrix(samples, n);
    for (int k = 0; k < samples * n; ++k)
      x->data()[k] = 3 * (static_cast<double>(random()) / 2147483648.0 - 1);
  }
  Matrix W;
  ExcitationColumns(model, unknowns, Array<double>(n, 0.0)).fill(states, W);
  Array<int> order(p), dependent;
  std::iota(order.begin(), order.end(), 0);
  const BaseParameters base = base_parameters_of(W, unknowns.names, order, 1e-9);
  for (int c = 0; c < p; ++c)
    if (!std::binary_search(base.kept.begin(), base.kept.end(), c)) dependent.push_back(c);
  return dependent;
}

}  // namespace

ExcitationUnknowns::ExcitationUnknowns(const Model<double>& model,
                                       const ExcitationOptions& options) {
  const BaseParameters base = base_parameters(model, {.rotors = options.rotors});
  const int rigid = parameters_per_body * (model.n_bodies() - 1);
  for (const int k : base.kept) {
    names.push_back(base.names[static_cast<std::size_t>(k)]);
    if (k < rigid)
      bodies.push_back(k);
    else
      joints.push_back({JointColumn::rotor, k - rigid});
  }
  const auto add = [&](bool wanted, JointColumn column, const char* word) {
    for (int k = 0; wanted && k < model.n_v(); ++k) {
      names.push_back(model.dof_name(k) + word);
      joints.push_back({column, k});
    }
  };
  add(options.viscous, JointColumn::viscous, ".viscous");
  add(options.coulomb, JointColumn::coulomb, ".coulomb");
  add(options.offset, JointColumn::offset, ".offset");
  for (int k = 0; k < model.n_v(); ++k)
    weight.push_back(options.torque_noise.empty() ? 1 : 1 / options.torque_noise[k]);

  const Array<int> none = dependent_columns(model, *this);
  for (auto c = none.rbegin(); c != none.rend(); ++c) {
    dependent.insert(dependent.begin(), names[static_cast<std::size_t>(*c)]);
    names.erase(names.begin() + *c);
    if (*c < bodies.size())
      bodies.erase(bodies.begin() + *c);
    else
      joints.erase(joints.begin() + (*c - bodies.size()));
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
  if (W.rows() != samples * n) W = Matrix(samples * n, u.size());
  std::fill(W.data(), W.data() + samples * n * u.size(), 0.0);
  const auto row = [&](const Matrix& x, int k) { return View<const double>(x.data() + k * n, n); };
  for (int k = 0; k < samples; ++k) {
    const MatrixView<double> Y(W.data() + k * n * u.size(), n, rigid, u.size(), 1);
    torque_regressor(*model_, values_, row(motion.q, k), row(motion.qd, k), row(motion.qdd, k),
                     u.bodies, Y);
    for (int j = 0; j < n; ++j)
      for (int c = 0; c < rigid; ++c) Y(j, c) *= u.weight[j];
    for (int c = 0; c < u.joints.size(); ++c) {
      const auto [column, j] = u.joints[c];
      W(k * n + j, rigid + c) = value(column, j, motion.qd(k, j), motion.qdd(k, j)) * u.weight[j];
    }
  }
}

double ExcitationColumns::value(JointColumn column, int j, double v, double vdot) const {
  switch (column) {
    case JointColumn::rotor:
      return vdot;
    case JointColumn::viscous:
      return v;
    case JointColumn::coulomb:
      return width_[j] > 0 ? std::tanh(v / width_[j]) : v > 0 ? 1 : v < 0 ? -1 : 0;
    case JointColumn::offset:
      break;
  }
  return 1;
}

}  // namespace torsor::internal
