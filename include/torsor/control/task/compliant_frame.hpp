#pragma once
/// The compliant frame of a constrained task: which directions move, which press.
///
///   Phi(X) = 0 in R^m,    E_f = Q dPhi/dX,   E_f X' = 0  Huo 2005, (3-128), (3-129)
///   E = [E_p; E_f],  x_c' = E X' = [x_p'; 0],  f_c = E f_x = [0; f_c2]  Huo 2005, (3-130), (3-131)
///
/// E is orthogonal; E' is exact, from dual numbers along X'. E_f are the gradients, orthonormalised
/// in their order; E_p completes them:
///
///   plane    E_f = normal              E_p = `tangent`, normal x tangent; in 2-D (-n_y, n_x)
///   line     E_f = two normals         E_p = the direction
///   circle   E_f = (axis and) outward  E_p = forward about the axis; in 2-D (-n_y, n_x)
///   sphere   E_f = outward             E_p: tangents of the pole, carried by the least rotation;
///                                      no frame goes all around: not at the antipode
///   face     plane, and no tilting about its tangents (m = 3): two faces on each other
///   rows     constant gradients, or a function of X: E_p from `seeds`, made orthonormal in order
///
/// Angles that are not constrained follow as unit rows.
/// Signs    f_c2 > 0 presses where normals point from the robot into the environment.
/// Units    X mixes metres and radians, so that the split depends on their ratio: angles count
///          `angle_length` metres per radian, moments in f_c then are N m / angle_length.
/// Cost     A few hundred operations; no allocation in a call.
/// Source   Huo 2005, sec. 3.12; Mason 1981; x_p is no coordinate in general, and
///          the split is not invariant. Planes, lines and circles have coordinates.
#include <functional>

#include "torsor/control/task/task_coordinates.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

/// m <= 6 constraints: values, gradients in X, and their derivatives along X'.
struct ConstraintRows {
  double phi[6]{}, gradient[6][6]{}, gradient_dot[6][6]{};
};
using ConstraintFunction = std::function<void(In<double> X, In<double> Xdot, ConstraintRows& rows)>;

enum class ConstraintKind : unsigned char { plane, line, circle, sphere, face, rows };

/// What keeps the point, as data.
struct Constraint {
  ConstraintKind kind = ConstraintKind::plane;
  Vec3<double> origin{};         ///< of a plane or line; centre of a circle or sphere
  Vec3<double> normal{0, 0, 1};  ///< of a plane; direction of a line; axis of a circle; pole
  Vec3<double> tangent{};        ///< in which E_p begins (zero: some normal); where arcs begin
  double radius = 0;
  bool inward = false;            ///< normals of circles and spheres point to the centre
  Array<double> gradient{};       ///< of rows: m x n numbers, constant
  ConstraintFunction function{};  ///< of rows: instead; `count` of them
  int count = 0;
  Array<double> seeds{};    ///< of rows: (n - m) x n numbers
  double angle_length = 1;  ///< m / rad
  /// Of rows: names of what moves, in the order of seeds, then of what presses; or none.
  std::vector<std::string> names{};

  static Constraint plane(const Vec3<double>& origin, const Vec3<double>& normal,
                          const Vec3<double>& tangent = {}) {
    return {.kind = ConstraintKind::plane, .origin = origin, .normal = normal, .tangent = tangent};
  }
  static Constraint face(const Vec3<double>& origin, const Vec3<double>& normal,
                         const Vec3<double>& tangent = {}) {
    return {.kind = ConstraintKind::face, .origin = origin, .normal = normal, .tangent = tangent};
  }
  static Constraint line(const Vec3<double>& origin, const Vec3<double>& direction) {
    return {.kind = ConstraintKind::line, .origin = origin, .normal = direction};
  }
  /// `start`: where arc length begins.
  static Constraint circle(const Vec3<double>& centre, double radius,
                           const Vec3<double>& axis = {0, 0, 1}, const Vec3<double>& start = {}) {
    return {.kind = ConstraintKind::circle,
            .origin = centre,
            .normal = axis,
            .tangent = start,
            .radius = radius};
  }
  static Constraint sphere(const Vec3<double>& centre, double radius, const Vec3<double>& pole,
                           const Vec3<double>& tangent = {}) {
    return {.kind = ConstraintKind::sphere,
            .origin = centre,
            .normal = pole,
            .tangent = tangent,
            .radius = radius};
  }
};

class CompliantFrame {
 public:
  /// Throws Error for a constraint that these coordinates cannot have.
  CompliantFrame(const TaskCoordinates& coordinates, Constraint constraint);

  int size() const { return n_; }
  int n_position() const { return n_ - m_; }
  int n_force() const { return m_; }
  const Constraint& constraint() const { return constraint_; }

  /// All that follows, at X and along X'.
  void evaluate(In<double> X, In<double> Xdot);
  In<double> phi() const { return {rows_.phi, m_}; }
  /// E and E', rows of E_p first; in the scaled coordinates (angles times angle_length).
  InMatrix<double> E() const { return {E_[0], n_, n_, TaskCoordinates::max_size, 1}; }
  InMatrix<double> Edot() const { return {Edot_[0], n_, n_, TaskCoordinates::max_size, 1}; }
  /// False: gradients or seeds depend on each other here.
  bool regular() const { return regular_; }

  /// x_c' = E X' and X' = E^-1 x_c'. Different vectors.
  void to_frame(In<double> Xdot, Out<double> xdot_c) const;
  void from_frame(In<double> xdot_c, Out<double> Xdot) const;
  /// X'' = E^-1 x_c'' + (E^-1)' x_c'.
  void acceleration(In<double> xdd_c, In<double> xdot_c, Out<double> Xdd) const;
  /// x_c'' = E X'' + E' X'.
  void acceleration_to_frame(In<double> Xdd, In<double> Xdot, Out<double> xdd_c) const;
  /// f_c of f_x and back: powers f_x . X' = f_c . x_c' are kept.
  void force_to_frame(In<double> f_x, Out<double> f_c) const;
  void force_from_frame(In<double> f_c, Out<double> f_x) const;

  /// Whether x_p has coordinates: planes, lines, circles and constant rows have.
  bool has_coordinates() const;
  /// x_p of the state evaluated: distances along E_p from the origin, arc length in (-pi r, pi r].
  void coordinates(Out<double> x_p) const;
  /// Desired less actual, the shorter way around circles and for angles.
  void coordinate_error(In<double> x_p_d, Out<double> e_p) const;

 private:
  void fill_rows(In<double> X, In<double> Xdot);
  bool is_blockwise() const { return constraint_.kind != ConstraintKind::rows; }

  Constraint constraint_;
  int n_ = 0, m_ = 0, positions_ = 0, m_positions_ = 0;  // constraints of positions come first
  TaskAngles angles_;
  EulerSequence sequence_;
  Vec3<double> origin_{}, u_{}, v_{},
      w_{};             // in the chosen axes; w: normal or axis; u, v: tangents
  TaskVector scale_{};  // of the coordinates
  TaskVector X_{};
  ConstraintRows rows_{};
  double E_[6][6]{}, Edot_[6][6]{};
  bool regular_ = true;
};

namespace internal {

/// From a law's parameters: constraint (plane, line, circle, sphere, face), origin, normal,
/// tangent, radius, inward (yes, no), angle_length.
Constraint constraint_of(LawParameters& parameters);

}  // namespace internal

}  // namespace torsor
