// Robot: torques, accelerations and the matrices of the equations of motion.
#include "robot_workspaces.hpp"
#include "torsor/dynamics/christoffel.hpp"
#include "torsor/dynamics/generalised_force.hpp"
#include "torsor/dynamics/two_velocity.hpp"
#include "torsor/math/rotation.hpp"

namespace torsor {
namespace {

using Full = DynamicsWorkspace<double>;

template <class From>
Invertibility invertibility(const From& from) {
  return {from.regular, from.pivot_ratio};
}
/// Of the last call, where the robot has loops.
Robot::Vector multipliers(const Full& ws, const Effects& effects) {
  return ws.loops && effects.loops ? internal::to_eigen(ws.loops->lambda) : Robot::Vector();
}
/// Why no base moves like this; null: one may.
const char* fault_of(const BaseMotion<double>& base) {
  const auto finite = [](const Twist<double>& V) {
    return std::isfinite(dot(V.w, V.w)) && std::isfinite(dot(V.v, V.v));
  };
  if (!std::isfinite(dot(base.T_world_base.p, base.T_world_base.p)) || !finite(base.V) ||
      !finite(base.Vdot))
    return "the motion of the base is not finite";
  return is_rotation(base.T_world_base.R, 1e-6) ? nullptr : "the pose of the base has no rotation";
}

}  // namespace

Robot::Vector Robot::inverse_dynamics(ConstVector q, ConstVector qd, ConstVector qdd,
                                      const Wrenches& external, const Effects& effects) {
  Vector tau(n_v());
  inverse_dynamics(q, qd, qdd, tau, external, effects);
  return tau;
}
void Robot::inverse_dynamics(ConstVector q, ConstVector qd, ConstVector qdd, VectorRef tau,
                             const Wrenches& external, const Effects& effects) {
  check("qd", qd);
  check("qdd", qdd);
  check_size("tau", tau.size(), n_v());
  const auto result = torsor::inverse_dynamics(model(), work<Full>(), checked(q), qd, qdd,
                                               body_wrenches(external), tau, effects);
  internal::require(model(), result.loops);
}
Robot::Accelerations Robot::forward_dynamics(ConstVector q, ConstVector qd, ConstVector tau,
                                             const Wrenches& external, const Effects& effects) {
  Accelerations out{{}, Vector(n_v()), Vector()};
  static_cast<Invertibility&>(out) = forward_dynamics(q, qd, tau, out.qdd, external, effects);
  out.lambda = multipliers(work<Full>(), effects);
  return out;
}
Invertibility Robot::forward_dynamics(ConstVector q, ConstVector qd, ConstVector tau, VectorRef qdd,
                                      const Wrenches& external, const Effects& effects) {
  check("qd", qd);
  check("tau", tau);
  check_size("qdd", qdd.size(), n_v());
  const auto result = torsor::forward_dynamics(model(), work<Full>(), checked(q), qd, tau,
                                               body_wrenches(external), qdd, effects);
  internal::require(model(), result.loops);
  return invertibility(result);
}
Robot::Hybrid Robot::hybrid_dynamics(const JointSet& prescribed, ConstVector q, ConstVector qd,
                                     ConstVector qdd, ConstVector tau, const Wrenches& external,
                                     const Effects& effects) {
  check("qd", qd);
  check("qdd", qdd);
  check("tau", tau);
  Hybrid out{{}, qdd, tau, Vector()};
  const auto result =
      torsor::hybrid_dynamics(model(), work<Full>(), body_flags(prescribed), checked(q), qd,
                              out.qdd, out.tau, body_wrenches(external), effects);
  internal::require(model(), result.loops);
  static_cast<Invertibility&>(out) = invertibility(result);
  out.lambda = multipliers(work<Full>(), effects);
  return out;
}
Robot::Vector Robot::inverse_dynamics(const BaseMotion<double>& base, ConstVector q, ConstVector qd,
                                      ConstVector qdd, const Wrenches& external) {
  check("qdd", qdd);
  if (const char* const why = fault_of(base)) refuse(why);
  Vector tau(n_v());
  torsor::rigid_inverse_dynamics(model(), work<MovingBaseWorkspace<double>>(), base, tree(q, qd),
                                 qd, qdd, body_wrenches(external), tau);
  return tau;
}
Robot::Accelerations Robot::forward_dynamics(const BaseMotion<double>& base, ConstVector q,
                                             ConstVector qd, ConstVector tau,
                                             const Wrenches& external) {
  check("tau", tau);
  if (const char* const why = fault_of(base)) refuse(why);
  Accelerations out{{}, Vector(n_v()), Vector()};
  static_cast<Invertibility&>(out) = invertibility(
      torsor::rigid_forward_dynamics(model(), work<MovingBaseWorkspace<double>>(), base,
                                     tree(q, qd), qd, tau, body_wrenches(external), out.qdd));
  return out;
}

Robot::Matrix Robot::mass_matrix(ConstVector q) {
  Matrix M(n_v(), n_v());
  mass_matrix(q, M);
  return M;
}
void Robot::mass_matrix(ConstVector q, MatrixRef M) {
  check_size("M", M, n_v(), n_v());
  torsor::mass_matrix(model(), work<CrbaWorkspace<double>>(), closed(q), M);
}
Robot::Inverse Robot::mass_matrix_inverse(ConstVector q) {
  Inverse out{{}, Matrix(n_v(), n_v())};
  static_cast<Invertibility&>(out) = mass_matrix_inverse(q, out.matrix);
  return out;
}
Invertibility Robot::mass_matrix_inverse(ConstVector q, MatrixRef M_inverse) {
  check_size("M_inverse", M_inverse, n_v(), n_v());
  return invertibility(torsor::mass_matrix_inverse(model(), work<MinverseWorkspace<double>>(),
                                                   closed(q), M_inverse));
}
Robot::Inverse Robot::mass_matrix_inverse_times(ConstVector q, ConstMatrix A) {
  if (A.rows() != n_v())
    refuse("A has " + std::to_string(A.rows()) + " rows, expected " + std::to_string(n_v()));
  if (!A.allFinite()) refuse("A is not finite");
  Inverse out{{}, Matrix(n_v(), A.cols())};
  static_cast<Invertibility&>(out) = invertibility(torsor::mass_matrix_inverse_times(
      model(), work<MinverseTimesWorkspace<double>>(), closed(q), A, out.matrix));
  return out;
}
Robot::Matrix Robot::coriolis_matrix(ConstVector q, ConstVector qd) {
  Matrix C(n_v(), n_v());
  coriolis_matrix(q, qd, C);
  return C;
}
void Robot::coriolis_matrix(ConstVector q, ConstVector qd, MatrixRef C) {
  check_size("C", C, n_v(), n_v());
  torsor::coriolis_matrix(model(), work<CoriolisWorkspace<double>>(), closed(q, qd), qd, C);
}
std::vector<Robot::Matrix> Robot::christoffel(ConstVector q) {
  const int n = n_v();
  Array<double> c(n * n * n);
  const SymbolView<double> view{c.data(), n};
  torsor::christoffel(model(), work<ChristoffelWorkspace<double>>(), closed(q), view);
  std::vector<Matrix> out;
  for (int k = 0; k < n; ++k) {
    Matrix& symbols = out.emplace_back(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) symbols(i, j) = view(i, j, k);
  }
  return out;
}
Robot::Vector Robot::gravity_torque(ConstVector q) {
  Vector tau(n_v());
  gravity_torque(q, tau);
  return tau;
}
void Robot::gravity_torque(ConstVector q, VectorRef tau) {
  check_size("tau", tau.size(), n_v());
  torsor::gravity_torque(model(), work<Full>().rnea, closed(q), tau);
}
Robot::Vector Robot::bias_torque(ConstVector q, ConstVector qd) {
  Vector tau(n_v());
  bias_torque(q, qd, tau);
  return tau;
}
void Robot::bias_torque(ConstVector q, ConstVector qd, VectorRef tau) {
  check_size("tau", tau.size(), n_v());
  torsor::bias_torque(model(), work<Full>().rnea, closed(q, qd), qd, tau);
}
Robot::Vector Robot::two_velocity_inverse_dynamics(ConstVector q, ConstVector qd, ConstVector v,
                                                   ConstVector a) {
  check("v", v);
  check("a", a);
  Vector tau(n_v());
  torsor::two_velocity_inverse_dynamics(model(), work<TwoVelocityWorkspace<double>>(),
                                        closed(q, qd), qd, v, a, tau);
  return tau;
}
Robot::Vector Robot::friction_torque(ConstVector q, ConstVector qd) const {
  const Array<double> at = checked_copy("q", q);
  check("qd", qd);
  Vector tau(n_v());
  torsor::friction_torque(model(), at, qd, tau);
  return tau;
}
Robot::Matrix Robot::joint_wrenches(ConstVector q, ConstVector qd, ConstVector qdd,
                                    const Wrenches& external) {
  check("qdd", qdd);
  Vector tau(n_v());
  auto& ws = work<JointWrenchWorkspace<double>>();
  torsor::joint_wrenches(model(), ws, closed(q, qd), qd, qdd, body_wrenches(external), tau);
  Matrix F(6, model().n_bodies() - 1);
  const View<const Wrench<double>> on = ws.F;
  for (int i = 1; i < model().n_bodies(); ++i) F.col(i - 1) = internal::to_eigen(on[i]);
  return F;
}
Robot::Vector Robot::generalised_force(ConstVector q, const std::vector<PointLoad>& loads) {
  Array<AppliedLoad<double>> applied;
  for (const PointLoad& load : loads) {
    const Frame& frame = find(load.frame);
    applied.push_back({frame.body, frame.placement * vec3("point", load.point),
                       vec3("force", load.force), vec3("moment", load.moment)});
  }
  Vector Q(n_v());
  torsor::generalised_force(model(), work<GeneralisedForceWorkspace<double>>(), closed(q), applied,
                            Q);
  return Q;
}

}  // namespace torsor
