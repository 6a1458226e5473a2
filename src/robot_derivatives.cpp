// Robot: derivatives of the dynamics with respect to the state and to named parameters.
#include <limits>

#include "robot_workspaces.hpp"
#include "torsor/dynamics/derivatives/energy_derivatives.hpp"
#include "torsor/dynamics/derivatives/full_derivatives.hpp"
#include "torsor/dynamics/derivatives/rnea_derivatives.hpp"
#include "torsor/dynamics/internal/state_derivatives.hpp"
#include "torsor/model/parameter_name.hpp"

namespace torsor {
namespace {

using FullDerivatives = DynamicsDerivativesWorkspace;
using Found = ConstrainedParameterDerivatives;

/// The state, group by group with one parameter for each velocity.
struct StateParameters {
  std::vector<Parameter> inverse, forward, hybrid;  // q, qd, qdd; q, qd, tau; q, qd, qdd, tau

  explicit StateParameters(const Model<double>& model) {
    const auto add = [&](auto make, auto&... lists) {
      for (int k = 0; k < model.n_v(); ++k) (lists.push_back(make(model, k)), ...);
    };
    add(Parameter::coordinate, inverse, forward, hybrid);
    add(Parameter::velocity, inverse, forward, hybrid);
    add(Parameter::acceleration, inverse, hybrid);
    add(Parameter::torque, forward, hybrid);
  }
};

/// Group k of the columns; not a number where a column is not defined.
Robot::Matrix group(const Robot::ParameterDerivatives& d, const Robot::Matrix& columns, int k) {
  const Eigen::Index n = d.qdd.size();
  Robot::Matrix out = columns.middleCols(k * n, n);
  for (Eigen::Index c = 0; c < n; ++c)
    if (!d.defined[static_cast<std::size_t>(k * n + c)])
      out.col(c).setConstant(std::numeric_limits<double>::quiet_NaN());
  return out;
}

Robot::ParameterDerivatives derivatives_of(const Found& found, const DynamicsResult<double>& result,
                                           Robot::Vector qdd, Robot::Vector tau,
                                           View<const double> lambda) {
  using internal::to_eigen;
  return {{result.regular, result.pivot_ratio},
          std::move(qdd),
          std::move(tau),
          to_eigen(lambda),
          to_eigen(found.dqdd),
          to_eigen(found.dtau),
          to_eigen(found.dlambda),
          {found.defined.begin(), found.defined.end()}};
}

}  // namespace

Robot::InverseDerivatives Robot::inverse_dynamics_derivatives(ConstVector q, ConstVector qd,
                                                              ConstVector qdd,
                                                              const Wrenches& external) {
  if (auto& ws = work<internal::StateDerivativesWorkspace>(); ws.covers) {
    check("qd", qd);
    check("qdd", qdd);
    const int n = n_v();
    InverseDerivatives d{Vector(n),    {},           Matrix(n, n), Matrix(n, n),
                         Matrix(n, n), Matrix(0, n), Matrix(0, n), Matrix(0, n)};
    internal::state_inverse_dynamics_derivatives(model(), ws, checked(q), qd, qdd,
                                                 body_wrenches(external), d.tau, d.dtau_dq,
                                                 d.dtau_dqd, d.dtau_dqdd);
    return d;
  }
  const ParameterDerivatives d =
      inverse_dynamics_derivatives(work<StateParameters>().inverse, q, qd, qdd, external);
  const auto dtau = [&](int k) { return group(d, d.dtau, k); };
  const auto dlambda = [&](int k) { return group(d, d.dlambda, k); };
  return {d.tau, d.lambda, dtau(0), dtau(1), dtau(2), dlambda(0), dlambda(1), dlambda(2)};
}
Robot::ForwardDerivatives Robot::forward_dynamics_derivatives(ConstVector q, ConstVector qd,
                                                              ConstVector tau,
                                                              const Wrenches& external) {
  if (auto& ws = work<internal::StateDerivativesWorkspace>(); ws.covers) {
    check("qd", qd);
    check("tau", tau);
    const int n = n_v();
    ForwardDerivatives d{{},           Vector(n),    {},           Matrix(n, n), Matrix(n, n),
                         Matrix(n, n), Matrix(0, n), Matrix(0, n), Matrix(0, n)};
    const auto result = internal::state_forward_dynamics_derivatives(
        model(), ws, checked(q), qd, tau, body_wrenches(external), d.qdd, d.dqdd_dq, d.dqdd_dqd,
        d.dqdd_dtau);
    d.regular = result.regular, d.pivot_ratio = result.pivot_ratio;
    return d;
  }
  const ParameterDerivatives d =
      forward_dynamics_derivatives(work<StateParameters>().forward, q, qd, tau, external);
  const auto dqdd = [&](int k) { return group(d, d.dqdd, k); };
  const auto dlambda = [&](int k) { return group(d, d.dlambda, k); };
  return {d, d.qdd, d.lambda, dqdd(0), dqdd(1), dqdd(2), dlambda(0), dlambda(1), dlambda(2)};
}
Robot::HybridDerivatives Robot::hybrid_dynamics_derivatives(const JointSet& prescribed,
                                                            ConstVector q, ConstVector qd,
                                                            ConstVector qdd, ConstVector tau,
                                                            const Wrenches& external) {
  if (auto& ws = work<internal::StateDerivativesWorkspace>(); ws.covers) {
    const Hybrid at = hybrid_dynamics(prescribed, q, qd, qdd, tau, external);
    const int n = n_v();
    HybridDerivatives d;
    static_cast<Invertibility&>(d) = at;
    d.qdd = at.qdd, d.tau = at.tau;
    for (Matrix* M : {&d.dqdd_dq, &d.dqdd_dqd, &d.dqdd_dqdd, &d.dqdd_dtau, &d.dtau_dq, &d.dtau_dqd,
                      &d.dtau_dqdd, &d.dtau_dtau})
      M->resize(n, n);
    for (Matrix* M : {&d.dlambda_dq, &d.dlambda_dqd, &d.dlambda_dqdd, &d.dlambda_dtau})
      M->resize(0, n);
    if (d &&
        internal::state_hybrid_dynamics_derivatives(
            model(), ws, velocity_flags(prescribed), checked(q), qd, d.qdd, body_wrenches(external),
            {{d.dqdd_dq, d.dqdd_dqd, d.dqdd_dqdd, d.dqdd_dtau},
             {d.dtau_dq, d.dtau_dqd, d.dtau_dqdd, d.dtau_dtau}}))
      return d;
  }
  const ParameterDerivatives d = hybrid_dynamics_derivatives(work<StateParameters>().hybrid,
                                                             prescribed, q, qd, qdd, tau, external);
  const auto dqdd = [&](int k) { return group(d, d.dqdd, k); };
  const auto dtau = [&](int k) { return group(d, d.dtau, k); };
  const auto dlambda = [&](int k) { return group(d, d.dlambda, k); };
  return {d,       d.qdd,   d.tau,   d.lambda, dqdd(0),    dqdd(1),    dqdd(2),    dqdd(3),
          dtau(0), dtau(1), dtau(2), dtau(3),  dlambda(0), dlambda(1), dlambda(2), dlambda(3)};
}

std::vector<Parameter> Robot::parse_parameters(const std::string& names) const {
  return torsor::parse_parameters(model(), names);
}
Robot::ParameterDerivatives Robot::inverse_dynamics_derivatives(
    const std::vector<Parameter>& parameters, ConstVector q, ConstVector qd, ConstVector qdd,
    const Wrenches& external) {
  check("qd", qd);
  check("qdd", qdd);
  auto& ws = work<FullDerivatives>();
  Found d(model(), ws.set, static_cast<int>(parameters.size()));
  Vector tau(n_v());
  const auto result = torsor::inverse_dynamics_derivatives(model(), ws, parameters, checked(q), qd,
                                                           qdd, body_wrenches(external), tau, d);
  internal::require(model(), result.loops);
  return derivatives_of(d, result, qdd, tau, ws.lambda);
}
Robot::ParameterDerivatives Robot::forward_dynamics_derivatives(
    const std::vector<Parameter>& parameters, ConstVector q, ConstVector qd, ConstVector tau,
    const Wrenches& external) {
  check("qd", qd);
  check("tau", tau);
  auto& ws = work<FullDerivatives>();
  Found d(model(), ws.set, static_cast<int>(parameters.size()));
  Vector qdd(n_v());
  const auto result = torsor::forward_dynamics_derivatives(model(), ws, parameters, checked(q), qd,
                                                           tau, body_wrenches(external), qdd, d);
  internal::require(model(), result.loops);
  return derivatives_of(d, result, qdd, tau, ws.lambda);
}
Robot::ParameterDerivatives Robot::hybrid_dynamics_derivatives(
    const std::vector<Parameter>& parameters, const JointSet& prescribed, ConstVector q,
    ConstVector qd, ConstVector qdd, ConstVector tau, const Wrenches& external) {
  check("qd", qd);
  check("qdd", qdd);
  check("tau", tau);
  auto& ws = work<FullDerivatives>();
  Found d(model(), ws.set, static_cast<int>(parameters.size()));
  Vector qdd_all = qdd, tau_all = tau;
  const auto result = torsor::hybrid_dynamics_derivatives(
      model(), ws, parameters, body_flags(prescribed), checked(q), qd, qdd_all, tau_all,
      body_wrenches(external), d);
  internal::require(model(), result.loops);
  return derivatives_of(d, result, qdd_all, tau_all, ws.lambda);
}

Robot::Matrix Robot::gravity_torque_derivatives(ConstVector q) {
  Matrix dg_dq(n_v(), n_v());
  torsor::gravity_torque_derivatives(model(), work<InverseDynamicsDerivativesWorkspace<double>>(),
                                     closed(q), dg_dq);
  return dg_dq;
}
Robot::BiasDerivatives Robot::bias_torque_derivatives(ConstVector q, ConstVector qd) {
  BiasDerivatives out{Matrix(n_v(), n_v()), Matrix(n_v(), n_v())};
  torsor::bias_torque_derivatives(model(), work<InverseDynamicsDerivativesWorkspace<double>>(),
                                  closed(q, qd), qd, out.dbias_dq, out.dbias_dqd);
  return out;
}
Robot::EnergyDerivatives Robot::energy_derivatives(ConstVector q, ConstVector qd) {
  const int n = n_v();
  EnergyDerivatives out{Vector(n), Vector(n), Vector(n), Matrix(6, n), Matrix(6, n), Matrix(3, n)};
  torsor::energy_derivatives(model(), work<EnergyDerivativesWorkspace<double>>(), closed(q, qd), qd,
                             {out.dkinetic_dq, out.dkinetic_dqd, out.dpotential_dq,
                              out.dmomentum_dq, out.dmomentum_dqd, out.dcom_dq});
  return out;
}

}  // namespace torsor
