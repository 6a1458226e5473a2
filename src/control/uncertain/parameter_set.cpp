#include "torsor/control/uncertain/parameter_set.hpp"

#include <algorithm>
#include <cmath>

#include "draws.hpp"
#include "torsor/dynamics/rnea.hpp"
#include "torsor/linear/orthogonal_decomposition.hpp"

namespace torsor {

namespace {

constexpr int weights_per_body = 4;  // m, mx, my, mz

/// The wrench of a unit of a term.
Wrench<double> term_wrench(const internal::ParameterWrenches<double>& of, int entry, double motion,
                           double weight, const SO3<double>& R, const Vec3<double>& p,
                           const Vec3<double>& up) {
  Wrench<double> F{of.n(entry) * motion, {}};
  if (entry < weights_per_body) F.f = of.f(entry) * motion;
  if (weight == 0) return F;
  if (entry == 0) return {F.m + cross(p, up) * weight, F.f + up * weight};
  return {F.m + cross(entry == 1 ? R.c0 : entry == 2 ? R.c1 : R.c2, up) * weight, F.f};
}

}  // namespace

ParameterSet::ParameterSet(const Model<double>& model, const std::vector<std::string>& names)
    : model_(&model),
      own_(parameters(model)),
      named_(model.n_bodies()),
      ws_(model),
      column_(model.n_bodies()),
      twist_(model.n_bodies()),
      composite_(model.n_bodies()),
      inertial_(own_.size()),
      rest_(model.n_v()),
      weight_(weights_per_body * (model.n_bodies() - 1)) {
  if (internal::has_load_friction(model))
    throw Error(
        "robot \"" + model.name() +
        "\": with friction of the load torques are not linear in the parameters; believe in a "
        "robot without it");
  for (const std::string& name : names.empty() ? parameter_names(model) : names) add(name);
  values_ = first_terms(model);
}

Array<double> ParameterSet::first_terms(const Model<double>& robot) const {
  Array<double> p(names_.size());
  const Array<double> ten = parameters(robot);
  for (auto t = joints_.rbegin(); t != joints_.rend(); ++t)
    p[t->column] = internal::joint_parameter(robot.dof(t->dof), t->parameter) / t->factor;
  for (auto t = links_.rbegin(); t != links_.rend(); ++t)
    p[t->column] = ten[(t->body - 1) * parameters_per_body + t->entry] /
                   (t->motion != 0 ? t->motion : t->weight);
  return p;
}

void ParameterSet::inertial_parameters(In<double> p, Out<double> ten_per_body) const {
  std::copy(own_.begin(), own_.end(), ten_per_body.data);
  for (const LinkTerm& t : links_)
    ten_per_body[(t.body - 1) * parameters_per_body + t.entry] +=
        t.motion * (p[t.column] - values_[t.column]);
}

void ParameterSet::set_parameters(In<double> p) {
  inertial_parameters(p, inertial_);
  std::fill(weight_.begin(), weight_.end(), 0.0);
  for (const LinkTerm& t : links_)
    if (t.weight != 0)
      weight_[(t.body - 1) * weights_per_body + t.entry] +=
          t.weight * (p[t.column] - values_[t.column]);
}

double ParameterSet::joint_entry(const JointTerm& term, In<double> qd, In<double> w) const {
  return term.factor *
         joint_regressor(model_->dof(term.dof), term.parameter, qd[term.dof], w[term.dof]);
}

void ParameterSet::torque(In<double> q, In<double> qd, In<double> v, In<double> w, In<double> p,
                          Out<double> tau) {
  set_parameters(p);
  two_velocity_inverse_dynamics(*model_, ws_, q, qd, v, w, inertial_, tau);
  // What weighs more than it moves: f = -m g, n = -h x g, carried to the base.
  const Vec3<double> up = -model_->gravity();
  for (Wrench<double>& F : ws_.F) F = {};
  for (int i = model_->n_bodies() - 1; i > 0; --i) {
    const internal::CanonicalBody<double>& b = model_->canonical(i);
    if (named_[i]) {
      const double* x = weight_.data() + (i - 1) * weights_per_body;
      const Vec3<double> h =
          internal::world_link_axes(*model_, ws_.world, i) * Vec3<double>{x[1], x[2], x[3]};
      const Vec3<double> f = up * x[0];
      ws_.F[i] += Wrench<double>{cross(h, up) + cross(ws_.world.p[i], f), f};
    }
    for (int k = b.v; k < b.v + b.n_v; ++k) tau[k] += dot(ws_.world.S.twist(k), ws_.F[i]);
    ws_.F[b.parent] += ws_.F[i];
  }
  internal::add_rotor_torques(*model_, w, tau);
  add_joint_torques(*model_, q, qd, tau);
  for (const JointTerm& t : joints_)
    tau[t.dof] += joint_entry(t, qd, w) * (p[t.column] - values_[t.column]);
}

/// The motion alone: a regressor without columns.
void ParameterSet::move(In<double> q, In<double> qd, In<double> v, In<double> w) {
  two_velocity_torque_regressor(*model_, ws_, q, qd, v, w, View<const int>(), OutMatrix<double>());
}

/// Wrenches of the named bodies for a unit of each parameter, at the last motion.
void ParameterSet::weigh_columns() {
  for (int i = 1; i < model_->n_bodies(); ++i)
    if (named_[i]) column_[i] = internal::parameter_wrenches<true>(*model_, ws_, i);
}

void ParameterSet::regressor(In<double> q, In<double> qd, In<double> v, In<double> w,
                             OutMatrix<double> Y) {
  move(q, qd, v, w);
  weigh_columns();
  for (int c = 0; c < Y.cols; ++c)
    for (int r = 0; r < Y.rows; ++r) Y(r, c) = 0;
  for (const LinkTerm& t : links_) {
    const Wrench<double> F = term_wrench(column_[t.body], t.entry, t.motion, t.weight,
                                         internal::world_link_axes(*model_, ws_.world, t.body),
                                         ws_.world.p[t.body], -model_->gravity());
    for (int j = t.body; j != 0; j = model_->canonical(j).parent) {
      const internal::CanonicalBody<double>& b = model_->canonical(j);
      for (int k = b.v; k < b.v + b.n_v; ++k) Y(k, t.column) += dot(ws_.world.S.twist(k), F);
    }
  }
  for (const JointTerm& t : joints_) Y(t.dof, t.column) += joint_entry(t, qd, w);
}

void ParameterSet::transpose_times(In<double> q, In<double> qd, In<double> v, In<double> w,
                                   In<double> r, Out<double> y) {
  move(q, qd, v, w);
  weigh_columns();
  for (int i = 1; i < model_->n_bodies(); ++i) {
    const internal::CanonicalBody<double>& b = model_->canonical(i);
    Twist<double> V = b.parent == 0 ? Twist<double>{} : twist_[b.parent];
    for (int k = b.v; k < b.v + b.n_v; ++k) V += ws_.world.S.twist(k) * r[k];
    twist_[i] = V;
  }
  for (double& x : y) x = 0;
  for (const LinkTerm& t : links_)
    y[t.column] +=
        dot(twist_[t.body], term_wrench(column_[t.body], t.entry, t.motion, t.weight,
                                        internal::world_link_axes(*model_, ws_.world, t.body),
                                        ws_.world.p[t.body], -model_->gravity()));
  for (const JointTerm& t : joints_) y[t.column] += joint_entry(t, qd, w) * r[t.dof];
}

void ParameterSet::inertia_matrix(In<double> q, In<double> p, OutMatrix<double> H) {
  inertial_parameters(p, inertial_);
  move(q, rest_, rest_, rest_);
  for (int c = 0; c < H.cols; ++c)
    for (int r = 0; r < H.rows; ++r) H(r, c) = 0;
  for (Inertia<double>& I : composite_) I = {};
  for (int i = model_->n_bodies() - 1; i > 0; --i) {
    const internal::CanonicalBody<double>& b = model_->canonical(i);
    Inertia<double>& I = composite_[i];
    I = I +
        transported(SE3<double>{internal::world_link_axes(*model_, ws_.world, i), ws_.world.p[i]},
                    inertia_of(inertial_.data() + (i - 1) * parameters_per_body));
    if (b.parent != 0) composite_[b.parent] = composite_[b.parent] + I;
    for (int k = b.v; k < b.v + b.n_v; ++k) {
      const Wrench<double> F = I * ws_.world.S.twist(k);
      for (int j = i; j != 0; j = model_->canonical(j).parent) {
        const internal::CanonicalBody<double>& above = model_->canonical(j);
        for (int l = above.v; l < above.v + above.n_v; ++l)
          H(l, k) = H(k, l) = dot(ws_.world.S.twist(l), F);
      }
    }
  }
  for (int k = 0; k < model_->n_v(); ++k) H(k, k) += model_->dof(k).armature;
  for (const CoupledMotor<double>& motor : model_->motors())
    for (const auto& a : motor.terms)
      for (const auto& b : motor.terms)
        H(a.v, b.v) += motor.constants.armature * (a.ratio * b.ratio);
  for (const JointTerm& t : joints_)
    if (t.parameter == JointParameter::rotor)
      H(t.dof, t.dof) += t.factor * (p[t.column] - values_[t.column]);
}

Array<double> ParameterSet::values_of(const Model<double>& plant) const {
  Array<double> p = first_terms(plant);
  ParameterSet set = *this;  // whose workspaces are free
  const int n = model_->n_v(), states = 16 + 3 * size() / std::max(n, 1), rows = n * states;
  RneaWorkspace<double> rnea(plant);
  Array<double> q(model_->n_q()), qd(n), qdd(n), tau(n), step(p.size());
  Array<double> Y(rows * size()), left(rows);
  // Twice: the second pass takes away what rounding left of the first.
  OrthogonalDecomposition solver(rows, size());
  for (int pass = 0; pass < 3; ++pass) {
    internal::Draws draw;
    double worst = 0, scale = 0;
    for (int s = 0; s < states; ++s) {
      random_configuration(*model_, static_cast<std::uint64_t>(s + 1), q);
      for (double& x : qd) x = draw();
      for (double& x : qdd) x = draw();
      rigid_inverse_dynamics(plant, rnea, q, qd, qdd, {}, tau);
      add_joint_torques(plant, q, qd, tau);
      for (int k = 0; k < n; ++k) left[s * n + k] = tau[k];
      set.torque(q, qd, qd, qdd, p, tau);
      for (int k = 0; k < n; ++k) {
        scale = std::fmax(scale, std::abs(left[s * n + k]));
        left[s * n + k] -= tau[k];
        worst = std::fmax(worst, std::abs(left[s * n + k]));
      }
      if (pass == 0)
        set.regressor(q, qd, qd, qdd, OutMatrix<double>(Y.data() + s * n, n, size(), 1, rows));
    }
    if (pass == 2 || worst <= 1e-13 * scale) break;
    if (pass == 0) solver.factorise(column_major(Y.data(), rows, size()));
    solver.solve(left, step);
    for (int c = 0; c < p.size(); ++c) p[c] += step[c];
  }
  return p;
}

}  // namespace torsor
