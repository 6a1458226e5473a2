#include "robot_workspaces.hpp"

namespace torsor {
namespace {

template <class Result, class From>
void take(const From& from, Result& to) {
  to.regular = from.regular;
  to.pivot_ratio = from.pivot_ratio;
}
/// Throws where loops and couplings have something against the state or what is asked of it.
const DynamicsResult<double>& obeyed(const Model<double>& model,
                                     const DynamicsResult<double>& result) {
  if (!result.loops) throw Error(message(model, result.loops));
  return result;
}

void refuse_loops(const Model<double>& model) {
  if (has_loops(model))
    throw Error(
        "robot \"" + model.name() +
        "\": has loops or couplings; dynamics on a base that is carried along are for trees");
}

}  // namespace

Robot::Vector Robot::closed(ConstVector q) {
  const Vector at = checked_q(q);
  if (auto& loops = workspaces_->full(*model_).loops)
    (void)obeyed(*model_, {1, true, closure(*model_, loops->set(), loops->assembly, at)});
  return at;
}
Robot::Vector Robot::closed(ConstVector q, ConstVector qd) {
  const Vector at = checked_q(q);
  check("qd", qd);
  if (auto& loops = workspaces_->full(*model_).loops)
    (void)obeyed(*model_, {1, true, closure(*model_, loops->set(), loops->assembly, at, qd)});
  return at;
}

Robot::Vector Robot::inverse_dynamics(ConstVector q, ConstVector qd, ConstVector qdd,
                                      const Wrenches& external, const Effects& effects) {
  const Vector at = checked_q(q);
  check("qd", qd), check("qdd", qdd);
  Vector tau(n_v());
  (void)obeyed(*model_, torsor::inverse_dynamics(*model_, workspaces_->full(*model_), at, qd, qdd,
                                                 body_wrenches(external), tau, effects));
  return tau;
}
Robot::Accelerations Robot::forward_dynamics(ConstVector q, ConstVector qd, ConstVector tau,
                                             const Wrenches& external, const Effects& effects) {
  const Vector at = checked_q(q);
  check("qd", qd), check("tau", tau);
  Accelerations out{{}, Vector(n_v())};
  take(obeyed(*model_, torsor::forward_dynamics(*model_, workspaces_->full(*model_), at, qd, tau,
                                                body_wrenches(external), out.qdd, effects)),
       out);
  return out;
}
Robot::Hybrid Robot::hybrid_dynamics(const std::vector<std::string>& prescribed, ConstVector q,
                                     ConstVector qd, ConstVector qdd, ConstVector tau,
                                     const Wrenches& external, const Effects& effects) {
  const Vector at = checked_q(q);
  check("qd", qd), check("qdd", qdd), check("tau", tau);
  Array<char> flags(model_->n_bodies());
  for (const std::string& joint : prescribed) flags[model_->joint_index(joint)] = 1;
  Hybrid out{{}, qdd, tau};
  take(obeyed(*model_, torsor::hybrid_dynamics(*model_, workspaces_->full(*model_), flags, at, qd,
                                               out.qdd, out.tau, body_wrenches(external), effects)),
       out);
  return out;
}
Robot::Vector Robot::inverse_dynamics(const BaseMotion<double>& base, ConstVector q, ConstVector qd,
                                      ConstVector qdd, const Wrenches& external) {
  refuse_loops(*model_);
  const Vector at = closed(q, qd);
  check("qdd", qdd);
  Vector tau(n_v());
  torsor::rigid_inverse_dynamics(*model_, workspaces_->moving_base(*model_), base, at, qd, qdd,
                                 body_wrenches(external), tau);
  return tau;
}
Robot::Accelerations Robot::forward_dynamics(const BaseMotion<double>& base, ConstVector q,
                                             ConstVector qd, ConstVector tau,
                                             const Wrenches& external) {
  refuse_loops(*model_);
  const Vector at = closed(q, qd);
  check("tau", tau);
  Accelerations out{{}, Vector(n_v())};
  take(torsor::rigid_forward_dynamics(*model_, workspaces_->moving_base(*model_), base, at, qd, tau,
                                      body_wrenches(external), out.qdd),
       out);
  return out;
}

Robot::Matrix Robot::mass_matrix(ConstVector q) {
  Matrix M(n_v(), n_v());
  torsor::mass_matrix(*model_, workspaces_->crba(*model_), closed(q), M);
  return M;
}
Robot::Inverse Robot::mass_matrix_inverse(ConstVector q) {
  Inverse out{{}, Matrix(n_v(), n_v())};
  take(torsor::mass_matrix_inverse(*model_, workspaces_->minverse(*model_), closed(q), out.matrix),
       out);
  return out;
}
Robot::Inverse Robot::mass_matrix_inverse_times(ConstVector q, ConstMatrix A) {
  const Vector at = closed(q);
  if (A.rows() != n_v())
    throw Error("robot \"" + name() + "\": A has " + std::to_string(A.rows()) + " rows, expected " +
                std::to_string(n_v()));
  Inverse out{{}, Matrix(n_v(), A.cols())};
  take(torsor::mass_matrix_inverse_times(*model_, workspaces_->minverse_times(*model_), at, A,
                                         out.matrix),
       out);
  return out;
}
Robot::Matrix Robot::coriolis_matrix(ConstVector q, ConstVector qd) {
  Matrix C(n_v(), n_v());
  torsor::coriolis_matrix(*model_, workspaces_->coriolis(*model_), closed(q, qd), qd, C);
  return C;
}
std::vector<Robot::Matrix> Robot::christoffel(ConstVector q) {
  const Vector at = closed(q);
  const int n = n_v();
  std::vector<double> c(static_cast<std::size_t>(n * n * n));
  const SymbolView<double> view{c.data(), n};
  torsor::christoffel(*model_, workspaces_->christoffel(*model_), at, view);
  std::vector<Matrix> out(static_cast<std::size_t>(n), Matrix(n, n));
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) out[static_cast<std::size_t>(k)](i, j) = view(i, j, k);
  return out;
}
Robot::Vector Robot::gravity_torque(ConstVector q) {
  Vector tau(n_v());
  torsor::gravity_torque(*model_, workspaces_->full(*model_).rnea, closed(q), tau);
  return tau;
}
Robot::Vector Robot::bias_torque(ConstVector q, ConstVector qd) {
  Vector tau(n_v());
  torsor::bias_torque(*model_, workspaces_->full(*model_).rnea, closed(q, qd), qd, tau);
  return tau;
}
Robot::Vector Robot::two_velocity_inverse_dynamics(ConstVector q, ConstVector qd, ConstVector v,
                                                   ConstVector a) {
  const Vector at = closed(q, qd);
  check("v", v), check("a", a);
  Vector tau(n_v());
  torsor::two_velocity_inverse_dynamics(*model_, workspaces_->two_velocity(*model_), at, qd, v, a,
                                        tau);
  return tau;
}
Robot::Vector Robot::friction_torque(ConstVector q, ConstVector qd) const {
  const Vector at = checked_q(q);
  check("qd", qd);
  Vector tau(n_v());
  torsor::friction_torque(*model_, at, qd, tau);
  return tau;
}
Robot::Matrix Robot::joint_wrenches(ConstVector q, ConstVector qd, ConstVector qdd,
                                    const Wrenches& external) {
  const Vector at = closed(q, qd);
  check("qdd", qdd);
  Vector tau(n_v());
  auto& ws = workspaces_->joint_wrenches(*model_);
  torsor::joint_wrenches(*model_, ws, at, qd, qdd, body_wrenches(external), tau);
  Matrix F(6, model_->n_bodies() - 1);
  for (int i = 1; i < model_->n_bodies(); ++i)
    F.col(i - 1) = to_eigen(ws.F[static_cast<std::size_t>(i)]);
  return F;
}
Robot::Vector Robot::generalised_force(ConstVector q,
                                       const std::vector<AppliedLoad<double>>& loads) {
  const Vector at = closed(q);
  for (const AppliedLoad<double>& load : loads)
    if (load.body < 0 || load.body >= model_->n_bodies())
      throw Error("robot \"" + name() + "\": a load is on body " + std::to_string(load.body) +
                  "; there are " + std::to_string(model_->n_bodies()));
  Vector Q(n_v());
  torsor::generalised_force(*model_, workspaces_->generalised_force(*model_), at, loads, Q);
  return Q;
}

}  // namespace torsor
