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

/// Lane l of x[i] is X(first + l, i), the last row again where there are no more.
void load_lanes(const Matrix& X, int first, Array<Lanes>& x) {
  for (int i = 0; i < X.cols(); ++i)
    for (int l = 0; l < native_lanes<double>; ++l)
      x[i].set(l, X(std::min(first + l, X.rows() - 1), i));
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

/// sum over pairs of a velocity and a body of <S_j, sum_c A_jc wrench_c>, at the dual state.
DualLanes ExcitationColumns::contracted(const Lanes* A) {
  const int rigid = unknowns_->bodies.size();
  world_motion<false>(*model_, duals_, q_dual_, qd_dual_, qd_dual_, qdd_dual_);
  DualLanes sum(0);
  ParameterWrenches<DualLanes> unit{};
  int of = 0;
  for (const auto& [body, velocity, first, count] : paths_) {
    if (body != of) unit = parameter_wrenches<false>(*model_, duals_, body);
    of = body;
    Vec3<DualLanes> n{}, f{};
    for (int c = first; c < first + count; ++c) {
      const int p = unknowns_->bodies[c] % parameters_per_body;
      const Lanes& a = A[velocity * rigid + c];
      n = n + unit.n.data()[p] * a;
      if (p < 4) f = f + unit.f.data()[p] * a;
    }
    const Twist<DualLanes> S = duals_.world.S.twist(velocity);
    sum = sum + (dot(S.w, n) + dot(S.v, f));
  }
  return sum;
}

void ExcitationColumns::add_gradient(const MotionSamples& motion, const Matrix& A,
                                     MotionSamples& bar) {
  const ExcitationUnknowns& u = *unknowns_;
  const int n = model_->n_v(), samples = motion.q.rows(), rigid = u.bodies.size();
  constexpr int lanes = native_lanes<double>;
  for (int first = 0; first < samples; first += lanes) {
    const int here = std::min(lanes, samples - first);
    load_lanes(motion.q, first, q_);
    load_lanes(motion.qd, first, qd_);
    load_lanes(motion.qdd, first, qdd_);
    for (int j = 0; j < n; ++j)
      for (int c = 0; c < rigid; ++c)
        for (int l = 0; l < here; ++l)
          A_[j * rigid + c].set(l, A((first + l) * n + j, c) * u.weight[j]);
    for (int begin = 0; begin < 3 * n; begin += directions) {
      for (int i = 0; i < n; ++i) q_dual_[i] = q_[i], qd_dual_[i] = qd_[i], qdd_dual_[i] = qdd_[i];
      for (int d = 0; d < directions && begin + d < 3 * n; ++d) {
        const int at = begin + d;
        Array<DualLanes>& x = at < n ? q_dual_ : at < 2 * n ? qd_dual_ : qdd_dual_;
        x[at % n].d[d] = Lanes(1);
      }
      const DualLanes slope = contracted(A_.data());
      for (int d = 0; d < directions && begin + d < 3 * n; ++d) {
        const int at = begin + d;
        Matrix& to = at < n ? bar.q : at < 2 * n ? bar.qd : bar.qdd;
        for (int l = 0; l < here; ++l) to(first + l, at % n) += slope.d[d][l];
      }
    }
  }
  for (int k = 0; k < samples; ++k)
    for (int c = 0; c < u.joints.size(); ++c) {
      const auto [column, j] = u.joints[c];
      const double a = A(k * n + j, rigid + c) * u.weight[j];
      if (column == JointColumn::rotor) bar.qdd(k, j) += a;
      if (column == JointColumn::viscous) bar.qd(k, j) += a;
      if (column == JointColumn::coulomb && width_[j] > 0) {
        const double t = std::tanh(motion.qd(k, j) / width_[j]);
        bar.qd(k, j) += a * (1 - t * t) / width_[j];
      }
    }
}

}  // namespace torsor::internal
