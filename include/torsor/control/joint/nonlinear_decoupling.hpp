#pragma once
/// Nonlinear decoupling of a robot with arbitrary poles (Freund): every joint becomes a linear
/// system of its own.
///
///   y = q has relative degree 2 with D* = H^-1, C* = -H^-1 (C qd + G)     (input_output_form.hpp)
///   tau = C qd + G + H (K v - Lambda_1 qd - Lambda_0 q),
///   K v = qdd_d + Lambda_1 qd_d + Lambda_0 q_d  Huo 2005, (3-66)
///   e_i'' + l1_i e_i' + l0_i e_i = 0,   (s - p_1i)(s - p_2i) = s^2 + l1_i s + l0_i
///   V = sum 1/2 w_i^2 + 1/2 m_i^2 e_i^2,   w = e' + l1/2 e,   m^2 = |l0 - l1^2 / 4|
///   V' = sum -l1_i V_i + (l1^2 / 4 - l0 + m^2) e_i w_i
///
/// Assumes  The exact model; velocities that are rates of coordinates; poles in the left half
///          plane.
/// Claim    e follows the two poles of each joint; V decays at twice the slowest pole's real part
///          (close to a double pole a little slower: there m is kept at l1 / 20).
/// Error    With a wrong model at rest H_believed Lambda_0 e = G(q) - G_believed(q).
/// Joints   Rotors, friction and springs of the believed joints are compensated. Exact where
///          velocities are the coordinates' rates.
/// Cost     O(n), one inverse dynamics.
/// Source   Huo 2005, sec. 3.7, (3-62) to (3-66).
#include <complex>

#include "torsor/control/control_law.hpp"
#include "torsor/dynamics/rnea.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct DecouplingGains {
  Array<double> Lambda0, Lambda1;  ///< one of each per degree of freedom: 1/s^2, 1/s
};

/// a_0 ... a_(d-1) of s^d + a_(d-1) s^(d-1) + ... with these roots. Throws Error where complex ones
/// do not come with their conjugates.
Array<double> pole_coefficients(const Array<std::complex<double>>& poles);

class NonlinearDecoupling final : public ControlLaw {
 public:
  /// `model` outlives the law. Throws Error for gains of another size or that are not finite.
  NonlinearDecoupling(const Model<double>& model, DecouplingGains gains);
  /// Two poles per degree of freedom, one joint after the other.
  static DecouplingGains from_poles(const Array<std::complex<double>>& poles);

  void torque(const ControlInput& input, Out<double> tau) override;
  Hypotheses hypotheses() const override { return {.coordinate_rates = true}; }
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;

 private:
  DecouplingGains gains_;
  RneaWorkspace<double> rnea_;
  Array<double> e_, edot_, qdd_;
};

}  // namespace torsor
