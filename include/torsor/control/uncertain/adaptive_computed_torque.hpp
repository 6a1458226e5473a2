#pragma once
/// Adaptive computed torque (Craig, Hsu and Sastry): the linear error equation, with estimates for
/// the parameters that are not known. It needs the measured acceleration and an invertible H_hat.
///
///   tau = H_hat (qdd_d + Kd edot + Kp e) + C_hat qd + G_hat  Huo 2005, (3-72)
///   e'' + Kd e' + Kp e = Phi p~,  Phi = H_hat^-1 Y(q, qd, qdd),  p~ = p - p_hat  Huo 2005, (3-73)
///   x' = A x + B Phi p~,   x = (e, edot),   A = [0 1; -Kp -Kd],   B = [0; 1]  Huo 2005, (3-75)
///   p_hat' = Gamma^-1 Phi^T B^T R x,   A^T R + R A = -Q  Huo 2005, (3-76)
///   V = x^T R x + p~^T Gamma p~,   V' = -x^T Q x  Huo 2005, (3-78)
///
/// Parameters  Any ParameterSet, natural rates and bounds: adaptation.hpp; with natural ones V
///             holds
///             2 W, with bounds V' <= -x^T Q x.
/// Inverse  The proof assumes that H_hat stays invertible. Estimates that start with an H_hat of a
///             condition number over `condition_limit` are refused (p_hat = 0 is). Where one comes
///             near that limit on the way, the estimates turn back towards the start at
///             `reset_rate`: finite everywhere, but outside of the proof, and the balance of V
///             shows it. Bounds that rule this out (a condition) and natural rates keep the proof.
/// Claim  e, edot -> 0; int |x|^2 <= V(0) / l_m(Q), |x|^2 <= V(0) / l_m(R); p_hat stays bounded
///             and need not come to p.
/// States      p_hat, from p0 or the model's values.
/// Cost        O(n) for the torque; H_hat, its factors O(n^3) and Y^T H_hat^-1 B^T R x for p_hat'.
/// Source      Huo 2005, sec. 3.9, (3-72) to (3-78); Craig, Hsu & Sastry 1987.
#include "torsor/control/control_law.hpp"
#include "torsor/control/uncertain/adaptation.hpp"
#include "torsor/linear/cholesky.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct AdaptiveComputedTorqueGains {
  Gain Kp;                       ///< 1/s^2
  Gain Kd;                       ///< 1/s
  Gain Q;                        ///< of size 2 n, for (e, edot)
  double condition_limit = 1e6;  ///< of H_hat
  double reset_rate = 10;        ///< 1/s
};

class AdaptiveComputedTorque final : public ControlLaw {
 public:
  /// `model` outlives the law. Throws Error for gains of another size, that are not finite or give
  /// no R, for a singular H_hat at the start, and as Adaptation does.
  AdaptiveComputedTorque(const Model<double>& model, AdaptiveComputedTorqueGains gains,
                         AdaptationOptions adaptation);

  int n_states() const override { return adaptation_.size(); }
  std::string state_name(int k) const override { return adaptation_.name(k); }
  void reset(Out<double> p_hat) override { adaptation_.reset(p_hat); }
  void torque(const ControlInput& input, Out<double> tau) override;
  /// Throws Error where no acceleration is measured.
  void state_derivative(const ControlInput& input, Out<double> p_hat_rate) override;
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;

  Adaptation& adaptation() { return adaptation_; }
  /// R by rows, 2 n x 2 n.
  const Array<double>& lyapunov_matrix() const { return R_; }

 private:
  void measure_error(const ControlInput& input);
  /// Factors of H_hat; smallest pivot over the largest, below zero where it is not positive
  /// definite.
  double factorise(In<double> q, In<double> p_hat);
  /// The smallest eigenvalue of H_hat over configurations at p, and the largest condition number.
  struct Spectrum {
    double smallest, condition;
  };
  Spectrum spectrum(In<double> p);
  double smallest_within_bounds();

  AdaptiveComputedTorqueGains gains_;
  Adaptation adaptation_;
  Array<double> R_;
  Array<double> x_, e_, edot_, w_, z_, y_, H_;
  Cholesky factors_;
};

}  // namespace torsor
