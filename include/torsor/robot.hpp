#pragma once
/// The friendly robot: Eigen vectors in and out. It owns its workspaces and adds no mathematics.
///
///   torsor::Robot robot("puma560");             // a built-in name, or a .urdf or .yaml file
///   const torsor::FrameHandle tool = robot.frame("tool");
///   Eigen::VectorXd q = robot.neutral();
///   Eigen::Isometry3d T = robot.frame_pose(tool, q);
///
/// Every verb is the free function of the same name; its header says what it computes.
///
/// Arguments  First what is asked about (frame, task, joints, parameters), then q, qd, qdd or tau,
///            then what may be left out. A frame is a handle, or the name of a link, joint or other
///            frame that each call looks up. Twists and wrenches are six numbers, angular first.
/// In place   Verbs that write to a VectorRef or MatrixRef allocate nothing from a second call on.
/// Dynamics   By default with all that the model has: rotors, friction, springs, disturbances,
///            loops and couplings; `Effects` leaves terms out of a call, with_effects() out of the
///            robot. Verbs of the dynamics refuse a state that leaves a loop open; what has no
///            multipliers (M, bias, energies, ...) is that of the tree's coordinates.
/// Refused    By a torsor::Error of one line: a wrong size, a number that is not finite, an unknown
///            name, a quaternion off unit norm, a handle of another robot, a robot moved from.
/// Threads    One Robot per thread; copies share the immutable model.
#include "torsor/math/language.hpp"  // first: what an older one lacks is said there

#include "torsor/dynamics/centroidal.hpp"
#include "torsor/dynamics/constrained/constrained.hpp"
#include "torsor/dynamics/constrained/constrained_inverse.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/dynamics/moving_base.hpp"
#include "torsor/dynamics/operational.hpp"
#include "torsor/formats/finding.hpp"
#include "torsor/identification/parameter_dynamics.hpp"
#include "torsor/kinematics/analytic_ik.hpp"
#include "torsor/kinematics/inverse_kinematics.hpp"
#include "torsor/kinematics/inverse_velocity.hpp"
#include "torsor/kinematics/mobility.hpp"
#include "torsor/kinematics/statics.hpp"
#include "torsor/math/array.hpp"
#include "torsor/model/parameter.hpp"
#include "torsor/robot_arguments.hpp"
#include "torsor/trajectory/se3_path.hpp"
#include "torsor/trajectory/spline.hpp"

namespace torsor {

class Robot {
 public:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;
  using Vector3 = Eigen::Vector3d;
  using Matrix3 = Eigen::Matrix3d;
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Pose = Eigen::Isometry3d;
  using ConstVector = const Eigen::Ref<const Vector>&;
  using ConstMatrix = const Eigen::Ref<const Matrix>&;
  using VectorRef = Eigen::Ref<Vector>;
  using MatrixRef = Eigen::Ref<Matrix>;
  using Wrenches = std::vector<LinkWrench>;
  using Names = std::vector<std::string>;

  explicit Robot(const std::string& path_or_name, const LoadOptions& options = {});  // throws Error
  explicit Robot(Model<double> model);
  Robot(const Robot& other);
  Robot(Robot&& other) noexcept;
  Robot& operator=(Robot other) noexcept;
  ~Robot();

  const Model<double>& model() const;
  const std::string& name() const { return model().name(); }
  int n_q() const { return model().n_q(); }
  int n_v() const { return model().n_v(); }
  /// What reader and check_model had to say about the file, most severe first.
  const Findings& findings() const;

  // Frames, joints, names, limits.
  /// A link, a further frame or a joint; throws Error with the nearest name.
  FrameHandle frame(const std::string& name) const;
  /// A frame that is fixed in another one.
  FrameHandle frame(const FrameArgument& frame, const Pose& T_frame_new,
                    const std::string& name = "") const;
  JointHandle joint(const std::string& name) const;
  std::vector<FrameHandle> frames() const;
  std::vector<JointHandle> joints() const;  ///< in the order of q
  Names frame_names() const;
  Names joint_names() const;
  Names coordinate_names() const;  ///< of q
  Names dof_names() const;         ///< of qd, qdd, tau
  Names body_names() const;        ///< of the moving bodies, n_bodies - 1
  struct CoordinateLimits {
    Vector lower, upper;                          ///< n_q; infinite for quaternions
    Vector velocity, acceleration, jerk, effort;  ///< n_v
  };
  CoordinateLimits limits() const;

  // Configurations.
  Vector neutral() const;
  /// Inside the limits; the same seed gives the same configuration.
  Vector random_configuration(unsigned seed) const;
  /// q moved by the tangent step v, on the manifold of the tree.
  Vector integrate(ConstVector q, ConstVector v) const;
  /// The tangent step from q0 to q1.
  Vector difference(ConstVector q0, ConstVector q1) const;

  // Kinematics.
  /// Of every body; [0] is the world.
  std::vector<Pose> forward_kinematics(ConstVector q);
  Pose frame_pose(const FrameArgument& frame, ConstVector q);
  Vector6 frame_velocity(const FrameArgument& frame, ConstVector q, ConstVector qd,
                         Reference reference = Reference::body);
  Vector6 frame_acceleration(const FrameArgument& frame, ConstVector q, ConstVector qd,
                             ConstVector qdd, Reference reference = Reference::body);
  /// 6 x n_v.
  Matrix jacobian(const FrameArgument& frame, ConstVector q, Reference reference = Reference::body);
  void jacobian(const FrameArgument& frame, ConstVector q, MatrixRef J,
                Reference reference = Reference::body);
  Matrix jacobian_dot(const FrameArgument& frame, ConstVector q, ConstVector qd,
                      Reference reference = Reference::body);
  void jacobian_dot(const FrameArgument& frame, ConstVector q, ConstVector qd, MatrixRef J_dot,
                    Reference reference = Reference::body);
  /// 3 x n_v: velocity of a point that is fixed in the frame.
  Matrix point_jacobian(const FrameArgument& frame, ConstVector q, const Vector3& point_in_frame);
  struct [[nodiscard]] Analytic {
    Matrix J;        ///< 6 x n_v: rates of three Euler angles, then velocity of the origin
    Vector3 angles;  ///< rad
    bool singular;   ///< the angles have no rates for some motion; their rows are then zero
  };
  Analytic analytic_jacobian(const FrameArgument& frame, ConstVector q,
                             EulerSequence sequence = EulerSequence::zyx);
  struct [[nodiscard]] Rates {
    Vector rates;  ///< qd, or qdd
    InverseVelocity info;
  };
  Rates inverse_velocity(const FrameArgument& frame, ConstVector q, const Vector6& V,
                         Reference reference = Reference::body,
                         const InverseVelocityOptions& options = {});
  Rates inverse_acceleration(const FrameArgument& frame, ConstVector q, ConstVector qd,
                             const Vector6& Vdot, Reference reference = Reference::body,
                             const InverseVelocityOptions& options = {});
  Manipulability manipulability(const FrameArgument& frame, ConstVector q);
  SingularityReport singularities(const FrameArgument& frame, ConstVector q,
                                  double tolerance = 1e-10);
  NearestSingularity nearest_singularity(const FrameArgument& frame, ConstVector q,
                                         const NearestSingularityOptions& options = {},
                                         const std::function<bool(double share)>& progress = {});
  /// tau = J^T F: the torques with which the robot exerts the wrench F at the frame.
  Vector statics(const FrameArgument& frame, ConstVector q, const Vector6& F,
                 Reference reference = Reference::body);
  StaticWrench wrench_from_torques(const FrameArgument& frame, ConstVector q, ConstVector tau,
                                   Reference reference = Reference::body);

  // Inverse kinematics.
  struct [[nodiscard]] NumericIk {
    Vector q;  ///< the configuration found, or the closest one
    bool converged = false;
    IkStatus status = IkStatus::unreachable;
    int iterations = 0, restarts = 0;
    double position_residual = 0, orientation_residual = 0;  ///< m, rad; the largest
    int levels = 0, levels_reached = 0;                      ///< of priority
    double objective = 0;
    std::vector<IkResidual> targets;
    std::vector<ActiveLimit> active_limits;
    std::string message;  ///< one line
    explicit operator bool() const { return converged; }
  };
  NumericIk inverse_kinematics(const FrameArgument& frame, const Pose& T_world_frame,
                               ConstVector q_start, const InverseKinematicsOptions& options = {});
  /// Several frames, by priority.
  NumericIk inverse_kinematics(const std::vector<FrameTarget>& targets, ConstVector q_start,
                               const InverseKinematicsOptions& options = {});
  struct IkSolution {
    Vector q;  ///< of the whole robot; joints that do not carry the frame as in `rest`
    std::string branch;
    bool inside_limits;
    double position_error, rotation_error;  ///< m, rad
  };
  struct [[nodiscard]] AnalyticIk {
    AnalyticIkStatus status;
    std::vector<IkSolution> solutions;
    double distance;  ///< m, where unreachable
  };
  /// All branches; joints that do not carry the frame are neutral, or as in `rest`.
  AnalyticIk analytic_ik(const FrameArgument& frame, const Pose& T_world_frame);
  AnalyticIk analytic_ik(const FrameArgument& frame, const Pose& T_world_frame, ConstVector rest);

  // Loops and couplings: rows phi(q) = 0, A qd = 0, A qdd + A' qd = 0.
  int n_constraints() const;
  Names constraint_names() const;  ///< of the rows
  struct ConstraintRows {
    Vector phi;   ///< m, rad
    Matrix A;     ///< n_constraints x n_v
    Vector bias;  ///< A' qd
  };
  ConstraintRows constraint_rows(ConstVector q, ConstVector qd);
  /// Largest entries of the rows; empty qd or qdd are not looked at.
  ConstraintErrors constraint_errors(ConstVector q, ConstVector qd = Vector(),
                                     ConstVector qdd = Vector());
  struct [[nodiscard]] Assembled : Assembly {
    Vector q;
    std::string message;  ///< one line
  };
  /// Closes the loops from a guess. `moving`: the joints that may move; none named: all.
  Assembled assemble(ConstVector q, const JointSet& moving = {}, AssemblyOptions options = {});
  /// Different closed configurations, the other joints as in q.
  std::vector<Vector> assembly_modes(ConstVector q, const JointSet& moving = {}, int samples = 100,
                                     unsigned seed = 1, AssemblyOptions options = {},
                                     const std::function<bool(double share)>& progress = {});
  struct Projected {
    Vector rates;     ///< the nearest qd or qdd that the loops allow
    double residual;  ///< the largest |A qd|, or |A qdd + A' qd|, that is left
  };
  Projected project_velocity(ConstVector q, ConstVector qd, const JointSet& moving = {});
  Projected project_acceleration(ConstVector q, ConstVector qd, ConstVector qdd,
                                 const JointSet& moving = {});
  /// `actuated`: none named, all; `output`: the frame of type I singularities, or its origin alone.
  Mobility mobility(ConstVector q, const JointSet& actuated = {}, const FrameArgument& output = {},
                    bool output_point = false);

  // Dynamics. lambda: multipliers of the loops, empty without any.
  struct [[nodiscard]] Accelerations : Invertibility {
    Vector qdd, lambda;
  };
  struct [[nodiscard]] Hybrid : Invertibility {
    Vector qdd, tau, lambda;
  };
  struct [[nodiscard]] Inverse : Invertibility {
    Matrix matrix;
  };
  Vector inverse_dynamics(ConstVector q, ConstVector qd, ConstVector qdd,
                          const Wrenches& external = {}, const Effects& effects = {});
  void inverse_dynamics(ConstVector q, ConstVector qd, ConstVector qdd, VectorRef tau,
                        const Wrenches& external = {}, const Effects& effects = {});
  Accelerations forward_dynamics(ConstVector q, ConstVector qd, ConstVector tau,
                                 const Wrenches& external = {}, const Effects& effects = {});
  Invertibility forward_dynamics(ConstVector q, ConstVector qd, ConstVector tau, VectorRef qdd,
                                 const Wrenches& external = {}, const Effects& effects = {});
  /// The named joints follow qdd, the others obey tau; what is not given comes back.
  Hybrid hybrid_dynamics(const JointSet& prescribed, ConstVector q, ConstVector qd, ConstVector qdd,
                         ConstVector tau, const Wrenches& external = {},
                         const Effects& effects = {});
  /// On a base that is carried along: rigid bodies and rotors, of a tree.
  Vector inverse_dynamics(const BaseMotion<double>& base, ConstVector q, ConstVector qd,
                          ConstVector qdd, const Wrenches& external = {});
  Accelerations forward_dynamics(const BaseMotion<double>& base, ConstVector q, ConstVector qd,
                                 ConstVector tau, const Wrenches& external = {});
  Matrix mass_matrix(ConstVector q);
  void mass_matrix(ConstVector q, MatrixRef M);
  Inverse mass_matrix_inverse(ConstVector q);
  Invertibility mass_matrix_inverse(ConstVector q, MatrixRef M_inverse);
  /// M^-1 A, A with n_v rows.
  Inverse mass_matrix_inverse_times(ConstVector q, ConstMatrix A);
  Matrix coriolis_matrix(ConstVector q, ConstVector qd);
  void coriolis_matrix(ConstVector q, ConstVector qd, MatrixRef C);
  /// n_v matrices: entry (i, j) of the k-th is c_ijk.
  std::vector<Matrix> christoffel(ConstVector q);
  Vector gravity_torque(ConstVector q);
  void gravity_torque(ConstVector q, VectorRef tau);
  Vector bias_torque(ConstVector q, ConstVector qd);
  void bias_torque(ConstVector q, ConstVector qd, VectorRef tau);
  Vector two_velocity_inverse_dynamics(ConstVector q, ConstVector qd, ConstVector v, ConstVector a);
  Vector friction_torque(ConstVector q, ConstVector qd) const;
  /// 6 x (n_bodies - 1): what its parent exerts on each body, in the body's link frame.
  Matrix joint_wrenches(ConstVector q, ConstVector qd, ConstVector qdd,
                        const Wrenches& external = {});
  Vector generalised_force(ConstVector q, const std::vector<PointLoad>& loads);

  // Dynamics under loops: rigid bodies and rotors, with stabilisation or a choice of actuators.
  struct [[nodiscard]] Constrained : ConstrainedResult {
    Vector qdd, tau, lambda;
  };
  struct [[nodiscard]] ConstrainedTorques : ConstrainedInverseResult {
    Vector tau, lambda;
  };
  Constrained constrained_forward_dynamics(ConstVector q, ConstVector qd, ConstVector tau,
                                           const Wrenches& external = {},
                                           const ConstrainedOptions& options = {});
  Constrained constrained_hybrid_dynamics(const JointSet& prescribed, ConstVector q, ConstVector qd,
                                          ConstVector qdd, ConstVector tau,
                                          const Wrenches& external = {},
                                          const ConstrainedOptions& options = {});
  /// Torques of the named joints (none named: those with a motor); the others have those of `tau`.
  ConstrainedTorques constrained_inverse_dynamics(const JointSet& actuated, ConstVector q,
                                                  ConstVector qd, ConstVector qdd, ConstVector tau,
                                                  const Wrenches& external = {},
                                                  const ActuationOptions& options = {});

  // Forms of the equations of motion.
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
  Operational operational_dynamics(const FrameTask& task, ConstVector q, ConstVector qd);
  struct [[nodiscard]] Cartesian {
    OperationalResult result;
    Matrix M_x, coriolis_B, centrifugal_C;
    Vector G_x;
  };
  Cartesian cartesian_form(const FrameTask& task, ConstVector q);

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

  // Derivatives. d/dq is along the tangent of q; column k is along velocity k.
  struct VelocityDerivatives {
    Matrix dV_dq, dV_dqd;  ///< 6 x n_v
  };
  VelocityDerivatives frame_velocity_derivatives(const FrameArgument& frame, ConstVector q,
                                                 ConstVector qd,
                                                 Reference reference = Reference::body);
  struct AccelerationDerivatives {
    Matrix dVdot_dq, dVdot_dqd, dVdot_dqdd;  ///< 6 x n_v
  };
  AccelerationDerivatives frame_acceleration_derivatives(const FrameArgument& frame, ConstVector q,
                                                         ConstVector qd, ConstVector qdd,
                                                         Reference reference = Reference::body);
  /// n_v matrices: the k-th is dJ/dq_k, 6 x n_v.
  std::vector<Matrix> jacobian_derivatives(const FrameArgument& frame, ConstVector q,
                                           Reference reference = Reference::body);
  struct InverseDerivatives {
    Vector tau, lambda;
    Matrix dtau_dq, dtau_dqd, dtau_dqdd, dlambda_dq, dlambda_dqd, dlambda_dqdd;
  };
  InverseDerivatives inverse_dynamics_derivatives(ConstVector q, ConstVector qd, ConstVector qdd,
                                                  const Wrenches& external = {});
  struct [[nodiscard]] ForwardDerivatives : Invertibility {
    Vector qdd, lambda;
    Matrix dqdd_dq, dqdd_dqd, dqdd_dtau, dlambda_dq, dlambda_dqd, dlambda_dtau;
  };
  ForwardDerivatives forward_dynamics_derivatives(ConstVector q, ConstVector qd, ConstVector tau,
                                                  const Wrenches& external = {});
  /// Given accelerations and torques change with themselves alone.
  struct [[nodiscard]] HybridDerivatives : Invertibility {
    Vector qdd, tau, lambda;
    Matrix dqdd_dq, dqdd_dqd, dqdd_dqdd, dqdd_dtau, dtau_dq, dtau_dqd, dtau_dqdd, dtau_dtau;
    Matrix dlambda_dq, dlambda_dqd, dlambda_dqdd, dlambda_dtau;
  };
  HybridDerivatives hybrid_dynamics_derivatives(const JointSet& prescribed, ConstVector q,
                                                ConstVector qd, ConstVector qdd, ConstVector tau,
                                                const Wrenches& external = {});
  /// Column k is with respect to parameters[k].
  struct [[nodiscard]] ParameterDerivatives : Invertibility {
    Vector qdd, tau, lambda;
    Matrix dqdd, dtau, dlambda;
    std::vector<bool> defined;  ///< false: the rank of the loops changes with the parameter
  };
  /// "forearm:mass,gravity:z,q": formats/parameter_name.hpp lists the names.
  std::vector<Parameter> parse_parameters(const std::string& names) const;
  ParameterDerivatives inverse_dynamics_derivatives(const std::vector<Parameter>& parameters,
                                                    ConstVector q, ConstVector qd, ConstVector qdd,
                                                    const Wrenches& external = {});
  ParameterDerivatives forward_dynamics_derivatives(const std::vector<Parameter>& parameters,
                                                    ConstVector q, ConstVector qd, ConstVector tau,
                                                    const Wrenches& external = {});
  ParameterDerivatives hybrid_dynamics_derivatives(const std::vector<Parameter>& parameters,
                                                   const JointSet& prescribed, ConstVector q,
                                                   ConstVector qd, ConstVector qdd, ConstVector tau,
                                                   const Wrenches& external = {});
  Matrix gravity_torque_derivatives(ConstVector q);
  struct BiasDerivatives {
    Matrix dbias_dq, dbias_dqd;
  };
  BiasDerivatives bias_torque_derivatives(ConstVector q, ConstVector qd);
  struct EnergyDerivatives {
    Vector dkinetic_dq, dkinetic_dqd, dpotential_dq;
    Matrix dmomentum_dq, dmomentum_dqd;  ///< 6 x n_v, about the world's origin
    Matrix dcom_dq;                      ///< 3 x n_v
  };
  EnergyDerivatives energy_derivatives(ConstVector q, ConstVector qd);

  // Parameters: ten for each moving body.
  Vector parameters() const;
  Names parameter_names() const;
  /// n_v x 10 (n_bodies - 1).
  Matrix torque_regressor(ConstVector q, ConstVector qd, ConstVector qdd);
  void torque_regressor(ConstVector q, ConstVector qd, ConstVector qdd, MatrixRef Y);
  Matrix two_velocity_torque_regressor(ConstVector q, ConstVector qd, ConstVector v, ConstVector a);
  Matrix joint_regressor(JointParameter parameter, ConstVector qd, ConstVector qdd) const;
  struct EnergyRows {
    Vector kinetic, potential;
  };
  EnergyRows energy_regressor(ConstVector q, ConstVector qd);
  /// Of the rigid bodies, with these parameters instead of the model's own.
  Vector torque_of_parameters(ConstVector q, ConstVector qd, ConstVector qdd,
                              ConstVector parameters);

  // Surgery: a new robot, this one stays (model/surgery.hpp). Its handles are of the new robot.
  Robot lock_joints(const JointSet& joints, ConstVector q) const;
  Robot extract(const std::string& from_link, const std::string& to_link) const;
  Robot append(const Robot& other, const std::string& link, const Pose& T_link_other,
               const std::string& prefix = "") const;
  Robot with_base(JointKind kind, const std::string& name = "root_joint") const;
  Robot with_base(const Pose& T_world_root) const;
  Robot with_gravity(const Vector3& gravity) const;
  Robot with_effects(const Effects& effects) const;
  Robot with_parameters(ConstVector parameters) const;
  Robot without_friction() const;
  Robot add_frame(const std::string& name, const std::string& link, const Pose& T_link_frame) const;
  /// mass in kg, com in the payload's frame, inertia about com in its axes.
  Robot attach_payload(const std::string& link, double mass, const Vector3& com = Vector3::Zero(),
                       const Matrix3& inertia = Matrix3::Zero(),
                       const Pose& T_link_payload = Pose::Identity(),
                       const std::string& name = "payload") const;

  // Trajectories.
  /// From rest to rest, all joints together, as fast as the limits allow; or in `duration` seconds.
  JointTrajectory configuration_trajectory(ConstVector q0, ConstVector q1,
                                           Profile profile = Profile::quintic) const;
  JointTrajectory configuration_trajectory(ConstVector q0, ConstVector q1, double duration,
                                           Profile profile = Profile::quintic) const;
  /// Through the points: as fast as the limits allow, from rest to rest; or at `times`, from 0.
  JointTrajectory spline(const std::vector<Vector>& points) const;
  JointTrajectory spline(const std::vector<double>& times, const std::vector<Vector>& points,
                         SplineEnds ends = SplineEnds::natural) const;
  struct [[nodiscard]] JointPath {
    JointTrajectory trajectory;  ///< up to solved_until
    bool complete = false;       ///< every pose was reached
    double solved_until = 0;     ///< s
    double largest_step = 0;     ///< of one coordinate between neighbours
    explicit operator bool() const { return complete; }
  };
  /// A frame along poses at `segments` + 1 times, from near q_start on, until `progress` is false.
  JointPath joint_path(const FrameArgument& frame, const std::function<Pose(double)>& T_world_frame,
                       double duration, ConstVector q_start, int segments = 100,
                       const std::function<bool(double share)>& progress = {});
  /// From pose to pose, along the screw or straight, from rest to rest within the limits.
  JointPath screw_path(const FrameArgument& frame, const Pose& T0, const Pose& T1,
                       ConstVector q_start, const PoseLimits& limits,
                       Profile profile = Profile::quintic, int segments = 100,
                       const std::function<bool(double share)>& progress = {});
  JointPath line_path(const FrameArgument& frame, const Pose& T0, const Pose& T1,
                      ConstVector q_start, const PoseLimits& limits,
                      Profile profile = Profile::quintic, int segments = 100,
                      const std::function<bool(double share)>& progress = {});

  // Files.
  std::string to_urdf() const;
  /// By the extension; returns what the format says differently or not at all.
  Names save(const std::string& path) const;

 private:
  struct Workspaces;
  Robot(Model<double> model, std::shared_ptr<const Findings> findings);
  /// The workspace of a type, made at its first use.
  template <class Workspace>
  Workspace& work();
  Workspaces& workspaces();

  // What follows throws Error. Views are of scratch that the next such call overwrites.
  [[noreturn]] void refuse(const std::string& why) const;
  void check_size(const char* what, Eigen::Index size, int expected) const;
  void check_size(const char* what, const MatrixRef& matrix, int rows, int cols) const;
  void check(const char* what, ConstVector v) const;
  Array<double> checked_copy(const char* what, ConstVector q) const;  ///< quaternions normalised
  View<const double> checked(ConstVector q);
  std::vector<std::vector<double>> checked_points(const std::vector<Vector>& points) const;
  /// The same, and check of qd, for a state that closes the loops.
  View<const double> closed(ConstVector q);
  View<const double> closed(ConstVector q, ConstVector qd);
  View<const double> tree(ConstVector q, ConstVector qd);  ///< of a robot that has no loops
  /// The same, or any state where the constraints are stabilised.
  View<const double> stabilised(ConstVector q, ConstVector qd, const Baumgarte& poles);
  const RobotDescription& described() const;
  Vec3<double> vec3(const char* what, const Vector3& x) const;
  Twist<double> twist(const char* what, const Vector6& x) const;
  Wrench<double> wrench(const char* what, const Vector6& x) const;
  SE3<double> pose(const char* what, const Pose& T) const;
  const Frame& find(const FrameArgument& frame) const;
  int find(const JointArgument& joint) const;  ///< the body that it carries
  View<const char> body_flags(const JointSet& joints);
  View<const char> velocity_flags(const JointSet& joints);  ///< empty where none is named
  View<const Wrench<double>> body_wrenches(const Wrenches& external);
  OperationalTask task_of(const FrameTask& task) const;

  std::shared_ptr<const Model<double>> model_;
  std::shared_ptr<const Findings> findings_;
  std::unique_ptr<Workspaces> workspaces_;
};

}  // namespace torsor
