#pragma once
/// Closed loops and other holonomic constraints of a robot, as rows phi(q) = 0, A(q) qd = 0.
///
/// Every row of a loop joint is a wrench W that body b gets and body a gives back, along a line
/// through the origin of the loop's frame on b:
///
///   A qd        = <W, V_b - V_a>
///   A' qd       = <W, A_b - A_a> + <W', V_b - V_a>        A_i: spatial acceleration at qdd = 0
///
///   kind         moment rows (axes of a)          force rows (axes of a)
///   weld         x y z                            x y z
///   revolute     x y                              x y z
///   prismatic    x y z                            x y
///   universal    x_a x y_b                        x y z       turns about x_a, then y_b
///   cylindrical  x y                              x y
///   spherical                                     x y z
///   distance                                      (p_b - p_a) / distance
///
/// A multiplier is a component of the constraint wrench on b in the loop's frame on a (N m, N).
/// phi is the rotation vector and the displacement from a's frame to b's, in the same components (m
/// and rad; for a distance d, (|p_b - p_a|^2 - d^2) / 2d). Its derivative is A where phi = 0.
///
/// Couplings sum_k factor_k q_k = offset and the user's own rows act on the velocities directly.
///
/// Frames   The loop's frame has z along the loop joint's axis. Wrenches are in world axes.
/// Source   Featherstone 2008, ch. 8; Kim 2012, section 3.
#include <functional>

#include "torsor/model/model.hpp"

namespace torsor {

namespace internal {

/// A robot whose joints form a tree, and loops that close what was cut: walking from the root,
/// nearest links first, a joint that reaches a link a second time gets half of that link for itself
/// (mass, and inertia about the same centre), welded to the other half by a loop joint of the
/// joint's name. A joint that leads back to the root is turned round: its coordinate stays.
/// Descriptions of trees come back as they are.
RobotDescription split_loops(RobotDescription robot);

}  // namespace internal

/// Rows of one loop joint, or of a contact made at run time.
struct LoopConstraint {
  std::string name;
  LoopJoint::Kind kind = LoopJoint::Kind::weld;
  int body_a = 0, body_b = 0;
  SE3<double> T_a{}, T_b{};  ///< the loop's frame in the bodies' link frames; z: the axis
  double distance = 0;
  int first_row = 0, n_rows = 0;
};

/// sum_k factor_k q[k.q] = offset, one row.
struct CouplingConstraint {
  struct Term {
    int q = 0, v = 0;
    double factor = 1;
  };
  std::string name;
  std::vector<Term> terms;
  double offset = 0;
  int first_row = 0;
};

/// The user's phi(q) = 0 with A = its derivative along the tangent of q (rows x n_v) and A' qd.
/// What is null is not wanted: phi, A (data null) or bias.
struct UserConstraint {
  using Rows = std::function<void(View<const double> q, View<const double> qd, double* phi,
                                  MatrixView<double> A, double* bias)>;
  std::string name;
  Rows rows;
  int first_row = 0, n_rows = 0;
};

int n_rows(LoopJoint::Kind kind);

/// All constraints of a robot. Built once; the verbs only read it.
class ConstraintSet {
 public:
  /// Loops and couplings of the robot's description.
  explicit ConstraintSet(const Model<double>& model);
  /// None: what follows is added by hand.
  static ConstraintSet none(const Model<double>& model);

  int n_rows() const { return n_rows_; }
  int n_v() const { return n_v_; }
  const std::vector<LoopConstraint>& loops() const { return loops_; }
  const std::vector<CouplingConstraint>& couplings() const { return couplings_; }
  const std::vector<UserConstraint>& user() const { return user_; }

  /// A loop joint between two frames of the model (or a frame and the world: Frame{}).
  ConstraintSet& add(const std::string& name, LoopJoint::Kind kind, const Frame& a, const Frame& b,
                     double distance = 0);
  /// A frame's origin stays at a point of the world: 3 rows, forces in world axes.
  ConstraintSet& add_point(const std::string& name, const Frame& frame, const Vec3<double>& world);
  /// A frame keeps its pose in the world: 6 rows.
  ConstraintSet& add_frame(const std::string& name, const Frame& frame, const SE3<double>& world);
  ConstraintSet& add_user(const std::string& name, int rows, UserConstraint::Rows function);

  /// The constraint that owns a row, and which of its rows that is: "knee.2".
  std::string row_name(int row) const;
  /// Names of the constraints with their rows, in row order.
  struct Part {
    std::string name, kind;
    int first_row, n_rows;
  };
  std::vector<Part> parts() const;

 private:
  ConstraintSet() = default;
  int n_rows_ = 0, n_v_ = 0;
  std::vector<LoopConstraint> loops_;
  std::vector<CouplingConstraint> couplings_;
  std::vector<UserConstraint> user_;
};

}  // namespace torsor
