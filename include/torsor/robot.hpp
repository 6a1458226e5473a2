#pragma once
/// The friendly robot: Eigen vectors in, Eigen vectors out. It owns its workspaces and adds no
/// mathematics.
///
///   torsor::Robot robot("puma560");             // a built-in name, or a .urdf or .yaml file
///   Eigen::VectorXd q = robot.neutral();
///   Eigen::Isometry3d T = robot.frame_pose("tool", q);
///
/// Every verb is the free function of the same name; its header says what it computes. `frame` is
/// the name of a link, joint or further frame. Twists and wrenches are six numbers, angular first.
///
/// Dynamics  By default with all that the model has: rotors, friction, springs, disturbances, loops
///           and couplings; `Effects` leaves terms out of a call, and
///           Robot(with_effects(robot.model(), effects)) out of the robot. Verbs of the dynamics
///           refuse a state that leaves a loop open; what has no multipliers (M, bias, energies,
///           ...) is that of the tree's coordinates.
/// Refused   A vector of the wrong size, a number that is not finite, a quaternion off unit norm,
///           an unknown name: torsor::Error, one line with the argument, its size and the expected
///           one.
/// Threads   One Robot per thread; copies share the immutable model. The verbs of the rooms run on
///           other number types and without allocation; these allocate their results, and each
///           workspace once.
#include <Eigen/Geometry>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "torsor/dynamics/centroidal.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/dynamics/generalised_force.hpp"
#include "torsor/dynamics/moving_base.hpp"
#include "torsor/dynamics/operational.hpp"
#include "torsor/identification/parameter_dynamics.hpp"
#include "torsor/kinematics/analytic_ik.hpp"
#include "torsor/kinematics/inverse_velocity.hpp"
#include "torsor/kinematics/statics.hpp"

namespace torsor {

/// (m, f) on a link, about the origin and in the axes of the frame that is named.
struct LinkWrench {
  std::string frame;
  Eigen::Matrix<double, 6, 1> wrench;
};

/// Whether the mass matrix could be inverted: smallest over largest pivot.
struct [[nodiscard]] Invertibility {
  bool regular = true;
  double pivot_ratio = 1;
  explicit operator bool() const { return regular; }
};

class Robot {
 public:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;
  using Vector3 = Eigen::Vector3d;
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Pose = Eigen::Isometry3d;
  using ConstVector = const Eigen::Ref<const Vector>&;
  using ConstMatrix = const Eigen::Ref<const Matrix>&;
  using Wrenches = std::vector<LinkWrench>;

  /// A built-in name or a file; throws Error.
  explicit Robot(const std::string& path_or_name);
  explicit Robot(Model<double> model);
  Robot(const Robot& other);
  Robot(Robot&& other) noexcept;
  Robot& operator=(Robot other) noexcept;
  ~Robot();

  const Model<double>& model() const { return *model_; }
  const std::string& name() const { return model_->name(); }
  int n_q() const { return model_->n_q(); }
  int n_v() const { return model_->n_v(); }

  // Configurations.
  Vector neutral() const;
  /// Inside the limits; the same seed gives the same configuration.
  Vector random_configuration(unsigned seed) const;
  /// q moved by the tangent step v, on the manifold of the tree.
  Vector integrate(ConstVector q, ConstVector v) const;
  /// The tangent step from q0 to q1.
  Vector difference(ConstVector q0, ConstVector q1) const;

  // Kinematics.
  Pose frame_pose(const std::string& frame, ConstVector q);
  Vector6 frame_velocity(const std::string& frame, ConstVector q, ConstVector qd,
                         Reference reference = Reference::body);
  Vector6 frame_acceleration(const std::string& frame, ConstVector q, ConstVector qd,
                             ConstVector qdd, Reference reference = Reference::body);
  /// 6 x n_v.
  Matrix jacobian(const std::string& frame, ConstVector q, Reference reference = Reference::body);
  Matrix jacobian_dot(const std::string& frame, ConstVector q, ConstVector qd,
                      Reference reference = Reference::body);
  /// 3 x n_v: velocity of a point that is fixed in the frame.
  Matrix point_jacobian(const std::string& frame, ConstVector q, const Vector3& point_in_frame);
  struct [[nodiscard]] Analytic {
    Matrix J;        ///< 6 x n_v: rates of three Euler angles, then velocity of the origin
    Vector3 angles;  ///< rad
    bool singular;   ///< the angles have no rates for some motion; their rows are then zero
  };
  Analytic analytic_jacobian(const std::string& frame, ConstVector q,
                             EulerSequence sequence = EulerSequence::zyx);
  struct IkSolution {
    Vector q;  ///< of the whole robot; joints that do not carry the frame as in `rest`
    std::string branch;
    bool inside_limits;
    double position_error, rotation_error;  ///< m, rad
  };
  struct [[nodiscard]] Ik {
    AnalyticIkStatus status;
    std::vector<IkSolution> solutions;
    double distance;  ///< m, where unreachable
  };
  /// All branches; joints that do not carry the frame are neutral, or as in `rest`.
  Ik analytic_ik(const std::string& frame, const Pose& T_world_frame);
  Ik analytic_ik(const std::string& frame, const Pose& T_world_frame, ConstVector rest);
  struct [[nodiscard]] Rates {
    Vector rates;  ///< qd, or qdd
    InverseVelocity info;
  };
  Rates inverse_velocity(const std::string& frame, ConstVector q, const Vector6& V,
                         Reference reference = Reference::body,
                         const InverseVelocityOptions& options = {});
  Rates inverse_acceleration(const std::string& frame, ConstVector q, ConstVector qd,
                             const Vector6& Vdot, Reference reference = Reference::body,
                             const InverseVelocityOptions& options = {});
  Manipulability manipulability(const std::string& frame, ConstVector q);
  SingularityReport singularities(const std::string& frame, ConstVector q,
                                  double tolerance = 1e-10);
  NearestSingularity nearest_singularity(const std::string& frame, ConstVector q,
                                         const NearestSingularityOptions& options = {});
  /// tau = J^T F: the torques with which the robot exerts the wrench F at the frame.
  Vector statics(const std::string& frame, ConstVector q, const Vector6& F,
                 Reference reference = Reference::body);
  StaticWrench wrench_from_torques(const std::string& frame, ConstVector q, ConstVector tau,
                                   Reference reference = Reference::body);

  // Dynamics.
  struct [[nodiscard]] Accelerations : Invertibility {
    Vector qdd;
  };
  struct [[nodiscard]] Hybrid : Invertibility {
    Vector qdd, tau;
  };
  struct [[nodiscard]] Inverse : Invertibility {
    Matrix matrix;
  };
  Vector inverse_dynamics(ConstVector q, ConstVector qd, ConstVector qdd,
                          const Wrenches& external = {}, const Effects& effects = {});
  Accelerations forward_dynamics(ConstVector q, ConstVector qd, ConstVector tau,
                                 const Wrenches& external = {}, const Effects& effects = {});
  /// The named joints follow qdd, the others obey tau; what is not given comes back.
  Hybrid hybrid_dynamics(const std::vector<std::string>& prescribed, ConstVector q, ConstVector qd,
                         ConstVector qdd, ConstVector tau, const Wrenches& external = {},
                         const Effects& effects = {});
  /// On a base that is carried along: rigid bodies and rotors, of a tree.
  Vector inverse_dynamics(const BaseMotion<double>& base, ConstVector q, ConstVector qd,
                          ConstVector qdd, const Wrenches& external = {});
  Accelerations forward_dynamics(const BaseMotion<double>& base, ConstVector q, ConstVector qd,
                                 ConstVector tau, const Wrenches& external = {});
  Matrix mass_matrix(ConstVector q);
  Inverse mass_matrix_inverse(ConstVector q);
  /// M^-1 A, A with n_v rows.
  Inverse mass_matrix_inverse_times(ConstVector q, ConstMatrix A);
  Matrix coriolis_matrix(ConstVector q, ConstVector qd);
  /// n_v matrices: entry (i, j) of the k-th is c_ijk.
  std::vector<Matrix> christoffel(ConstVector q);
  Vector gravity_torque(ConstVector q);
  Vector bias_torque(ConstVector q, ConstVector qd);
  Vector two_velocity_inverse_dynamics(ConstVector q, ConstVector qd, ConstVector v, ConstVector a);
  Vector friction_torque(ConstVector q, ConstVector qd) const;
  /// 6 x (n_bodies - 1): what its parent exerts on each body, in the body's link frame.
  Matrix joint_wrenches(ConstVector q, ConstVector qd, ConstVector qdd,
                        const Wrenches& external = {});
  Vector generalised_force(ConstVector q, const std::vector<AppliedLoad<double>>& loads);
  struct StateSpace {
    Matrix M;
    Vector V, G;
  };
  StateSpace state_space_form(ConstVector q, ConstVector qd);
  struct ConfigurationSpace {
    Matrix M, coriolis_B, centrifugal_C;
    Vector G;
  };
  ConfigurationSpace configuration_space_form(ConstVector q);
  struct [[nodiscard]] Operational {
    OperationalResult result;  ///< rank, singular values, whether Lambda is exact
    Matrix lambda, jacobian, consistent_inverse;
    Vector mu, p;
  };
  Operational operational_dynamics(ConstVector q, ConstVector qd, const OperationalTask& task);
  struct [[nodiscard]] Cartesian {
    OperationalResult result;
    Matrix M_x, coriolis_B, centrifugal_C;
    Vector G_x;
  };
  Cartesian cartesian_form(ConstVector q, const OperationalTask& task);

  // Energy, momentum, centre of mass.
  double kinetic_energy(ConstVector q, ConstVector qd);
  double potential_energy(ConstVector q);
  /// Of springs on joints and between links.
  double spring_energy(ConstVector q);
  double mass() const;
  Vector3 centre_of_mass(ConstVector q);
  /// About the world's origin.
  Vector6 momentum(ConstVector q, ConstVector qd);
  CentroidalMomentum<double> centroidal_momentum(ConstVector q, ConstVector qd, ConstVector qdd);
  Matrix com_jacobian(ConstVector q);
  Matrix com_jacobian_dot(ConstVector q, ConstVector qd);
  Matrix centroidal_map(ConstVector q);
  Matrix centroidal_map_dot(ConstVector q, ConstVector qd);

  // Parameters.
  Vector parameters() const;
  std::vector<std::string> parameter_names() const;
  /// n_v x 10 (n_bodies - 1).
  Matrix torque_regressor(ConstVector q, ConstVector qd, ConstVector qdd);
  Matrix two_velocity_torque_regressor(ConstVector q, ConstVector qd, ConstVector v, ConstVector a);
  Matrix joint_regressor(JointParameter parameter, ConstVector qd, ConstVector qdd) const;
  struct EnergyRows {
    Vector kinetic, potential;
  };
  EnergyRows energy_regressor(ConstVector q, ConstVector qd);
  /// Of the rigid bodies, with these parameters instead of the model's own.
  Vector torque_of_parameters(ConstVector q, ConstVector qd, ConstVector qdd,
                              ConstVector parameters);

 private:
  struct Workspaces;

  /// Throw Error; the first gives q with its quaternions normalised.
  Vector checked_q(ConstVector q, const char* what = "q") const;
  /// checked_q and check of a state that closes the loops.
  Vector closed(ConstVector q);
  Vector closed(ConstVector q, ConstVector qd);
  void check(const char* what, ConstVector v) const;
  void check_size(const char* what, Eigen::Index size, int expected) const;
  std::vector<Wrench<double>> body_wrenches(const Wrenches& external) const;

  std::shared_ptr<const Model<double>> model_;
  std::unique_ptr<Workspaces> workspaces_;
};

}  // namespace torsor
