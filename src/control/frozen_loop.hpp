#pragma once
/// The loop of a law at one posture of a run: linear parts of plant and law (sampled_loop.hpp has
/// the equations).
#include "torsor/control/scope.hpp"
#include "torsor/dynamics/full_dynamics.hpp"
#include "torsor/linear/matrix.hpp"

namespace torsor::control_detail {

/// Points closer to a surface than this touch it, m.
inline constexpr double at_surface = 1e-6;

/// A surface that is touched: a force of one newton along the way out.
struct Touch {
  const RunSurface* surface;
  int body;
  Wrench<double> unit;  // on the body, in its link frame
  Array<double> J;      // rate of the distance, n_v

  bool rigid() const { return surface->stiffness == infinity; }
};

/// The linear parts of one posture.
class FrozenLoop {
 public:
  /// `keeps_contact`: surfaces are touched wherever the posture is.
  FrozenLoop(ControlLaw& law, const Run& run, const Hypotheses& theorem, const RunInstant& instant,
             bool keeps_contact);

  /// The largest |eigenvalue| of the map from sample to sample; NaN: there is no linear loop;
  /// infinity: the matrix would be too large.
  double spectral_radius() const;
  /// The largest growth rate of the same loop without sampling, 1/s; -infinity where a surface is
  /// touched, whose forces have no meaning without a delay.
  double growth() const;

 private:
  void leave_rest();
  void find_touches(bool keeps_contact);
  void find_motions();
  void linearise_plant();
  void find_rigid_forces(const Matrix& M, const Matrix& D);
  void linearise_law();
  Array<double> motion(int column, double size) const;
  Array<double> q_at(In<double> step) const;
  Array<double> v_at(In<double> step) const;
  Array<double> answer(In<double> q, In<double> v, In<double> x_c, int surface = -1,
                       double force = 0);
  Matrix transition(double t) const;

  ControlLaw& law_;
  const Run& run_;
  const Model<double>& plant_;
  int n_, held_, n_c_;
  double t_;
  Array<double> q_, v_, qdd_, x_c_;
  Effects effects_;
  DynamicsWorkspace<double> ws_;
  ReferencePoint point_{};
  Array<Touch> touches_{};
  bool regular_ = true;
  Matrix C_{}, Z_{};      // rows of constraints, those of surfaces last; motions they allow
  Matrix A_{}, B_{};      // x' = A x + B u
  Matrix F_x_{}, F_u_{};  // forces of surfaces
  Matrix law_x_{}, law_c_{}, law_f_{};  // of (u, x_c'): by x, by x_c, by forces
};

}  // namespace torsor::control_detail
