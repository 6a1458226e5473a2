#pragma once
/// Operational space: the equations of motion of a frame, and what a singularity does to them.
///
///   F = Lambda xdd + mu + p,    tau = J^T F + (1 - J^T Jbar^T) tau_0      x: the task, m <= 6
///   Lambda = (J M^-1 J^T)^-1    Jbar = M^-1 J^T Lambda                    consistent inverse
///   mu = Jbar^T C qd - Lambda Jdot qd           p = Jbar^T g              tau_0 moves no task
///
/// For square regular J these are Craig's Cartesian forms M_x = J^-T M J^-1 = Lambda, V_x = mu,
/// G_x = p; in configuration space form
///   J^T V_x = B_x [qd qd] + C_x [qd^2],     B_x = J^T (Jbar^T B - Lambda K_B),  C_x likewise,
/// with Jdot qd = K_B [qd qd] + K_C [qd^2].
///
/// Singular J M^-1 J^T has no inverse: the task cannot move in some direction, whatever the force:
///          its inertia there is infinite. Without damping the pseudo-inverse is taken (no force is
///          spent on those directions); with damping d, Lambda = (J M^-1 J^T + d^2)^-1, which is
///          finite and no longer exact. The result says which, and how near: rank, singular values.
///
/// Frames   Rows of the Jacobian as `Reference` says (kinematics/velocity.hpp), angular first.
/// Cost     O(n m) and a singular value problem of size m; no allocation.
/// Source   Khatib 1987; Craig 2005, sec. 6.10 (seeds 000, 002).
#include <array>
#include <initializer_list>

#include "torsor/dynamics/configuration_space.hpp"
#include "torsor/dynamics/minverse_times.hpp"
#include "torsor/kinematics/jacobian.hpp"
#include "torsor/kinematics/jacobian_svd.hpp"

namespace torsor {

/// Which numbers of a frame's motion are the task.
struct OperationalTask {
  Frame frame;
  Reference reference = Reference::world_aligned;
  int n_rows = 6;
  std::array<int, 6> rows{0, 1, 2, 3, 4, 5};  ///< of (wx, wy, wz, vx, vy, vz)
  double damping = 0;                         ///< d, in units of sqrt(J M^-1 J^T)

  explicit OperationalTask(Frame f, Reference r = Reference::world_aligned)
      : frame(std::move(f)), reference(r) {}
  /// Throws Error for a row outside 0 ... 5, a repeated row, or none.
  OperationalTask(Frame f, Reference r, std::initializer_list<int> chosen);
};

struct [[nodiscard]] OperationalResult {
  double smallest_singular_value = 0, largest_singular_value = 0;  ///< of J
  int rank = 0;                                                    ///< of J M^-1 J^T
  bool regular = true;  ///< full rank: Lambda is the inverse, or is damped near it
  bool exact = true;    ///< regular and no damping
  bool mass_matrix_regular = true;

  explicit operator bool() const { return regular && mass_matrix_regular; }
};

struct OperationalDynamics {
  StoredMatrix<double> lambda;              ///< m x m; M_x
  std::array<double, 6> mu{}, p{};          ///< V_x, G_x
  StoredMatrix<double> jacobian;            ///< m x n
  StoredMatrix<double> consistent_inverse;  ///< Jbar, n x m

  OperationalDynamics(const Model<double>& model, const OperationalTask& task)
      : lambda(task.n_rows, task.n_rows),
        jacobian(task.n_rows, model.n_v()),
        consistent_inverse(model.n_v(), task.n_rows) {}
};

struct OperationalWorkspace {
  KinematicsWorkspace<double> kinematics;
  VelocityWorkspace<double> velocity;
  MinverseTimesWorkspace<double> minverse;
  RneaWorkspace<double> rnea;
  ConfigurationSpaceWorkspace<double> configuration_space;
  JacobianSvd svd, inverse;  // of J, and of J M^-1 J^T
  std::vector<double> full_jacobian, bias, gravity, unit;

  explicit OperationalWorkspace(const Model<double>& model)
      : kinematics(model),
        velocity(model),
        minverse(model),
        rnea(model),
        configuration_space(model),
        svd(model.n_v()),
        inverse(6),
        full_jacobian(static_cast<std::size_t>(6 * model.n_v())),
        bias(static_cast<std::size_t>(model.n_v())),
        gravity(bias.size()),
        unit(bias.size()) {}
};

/// Lambda, mu, p, J and Jbar of a task.
OperationalResult operational_dynamics(const Model<double>& model, OperationalWorkspace& ws,
                                       In<double> q, In<double> qd, const OperationalTask& task,
                                       OperationalDynamics& out);

/// J^T (Lambda xdd + mu + p): joint torques for an acceleration of the task.
void task_torque(const OperationalDynamics& dynamics, In<double> xdd, Out<double> tau);

/// (1 - J^T Jbar^T) tau_0: what of tau_0 does not accelerate the task. In place.
void project_to_null_space(const OperationalDynamics& dynamics, Out<double> tau);

/// The Cartesian configuration space form: tau = J^T (M_x xdd + G_x) + B_x [qd qd] + C_x [qd^2].
struct CartesianForm {
  OperationalDynamics at_rest;         ///< M_x = lambda, G_x = p; mu is zero
  StoredMatrix<double> coriolis_B;     ///< B_x, n x n(n-1)/2
  StoredMatrix<double> centrifugal_C;  ///< C_x, n x n
  ConfigurationSpaceForm<double> joint_space;

  CartesianForm(const Model<double>& model, const OperationalTask& task)
      : at_rest(model, task),
        coriolis_B(model.n_v(), n_velocity_products(model.n_v())),
        centrifugal_C(model.n_v(), model.n_v()),
        joint_space(model) {}
};
OperationalResult cartesian_form(const Model<double>& model, OperationalWorkspace& ws, In<double> q,
                                 const OperationalTask& task, CartesianForm& out);

}  // namespace torsor
