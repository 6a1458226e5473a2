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
/// Inverse     H_hat must stay invertible, and rates grow as its inverse. Where its smallest
///             eigenvalue l (with the eigenvector v) comes below 2 d, d = `inertia_floor`, the
///             estimates are held: with g = dl/dp_hat = v^T (dH/dp) v
///               p_hat' = A (y + m g),   m = b [max(0, -g^T A y) + k (2 d - l)] / g^T A g >= 0,
///               b = 1 for l <= d, 0 from 2 d on;   k = `floor_rate`.
///             l is concave in p, so g^T p~ >= l(p) - l(p_hat): for a plant with l(p) >= 2 d the
///             term adds -2 m g^T p~ <= 0 to V', and the proof stays. Should the motion carry l
///             below d all the same, H_hat + (d - l) I is inverted: finite, outside of the proof.
///             Estimates that start with an indefinite H_hat are refused (p_hat = 0 is).
/// Assumes     Kp, Kd, Q, R, A positive definite; a plant that p can say, with l(p) >= 2 d; with
///             bounds inside them by the margin; bounded qd_d, qdd_d; measured qdd; velocities that
///             are rates of coordinates.
/// Claim       e, edot -> 0; int |x|^2 <= V(0) / l_m(Q), |x|^2 <= V(0) / l_m(R); p_hat stays
///             bounded and need not come to p (persistent excitation is not checked).
/// States      p_hat, from p0 or the model's values.
/// Cost        O(n) for the torque; H_hat, its eigenvalues O(n^3) and Y^T H_hat^-1 B^T R x for
///             p_hat'.
/// Source      Huo 2005, sec. 3.9, (3-72) to (3-78); Craig, Hsu & Sastry 1987.
#include "torsor/control/control_law.hpp"
#include "torsor/control/uncertain/adaptation.hpp"
#include "torsor/linear/symmetric_eigen.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct AdaptiveComputedTorqueGains {
  Gain Kp;                   ///< 1/s^2
  Gain Kd;                   ///< 1/s
  Gain Q;                    ///< of size 2 n, for (e, edot)
  double inertia_floor = 0;  ///< d, kg m^2; 0: a twentieth of the least eigenvalue of H at p0
  double floor_rate = 10;    ///< k, 1/s
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
  Hypotheses hypotheses() const override {
    return {.knowledge = Hypotheses::Knowledge::stated,
            .friction = Hypotheses::Friction::stated,
            .link_springs = false,
            .coordinate_rates = true,
            .held_states = adaptation_.size()};
  }
  std::vector<Condition> conditions(const Run& run) override;
  std::vector<Prediction> predictions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;

  Adaptation& adaptation() { return adaptation_; }
  /// R by rows, 2 n x 2 n.
  const Array<double>& lyapunov_matrix() const { return R_; }

 private:
  void measure_error(const ControlInput& input);
  /// Eigenvalues of H_hat; the smallest.
  double decompose(In<double> q, In<double> p_hat);
  /// z <- (H_hat + shift)^-1 z, of the last decomposition.
  void solve(double shift);
  /// y_ += m g of the header.
  void hold(In<double> q, In<double> p_hat, double smallest);
  /// The smallest eigenvalue of H_hat over configurations at p.
  double smallest_over_configurations(In<double> p);
  double smallest_within_bounds();

  AdaptiveComputedTorqueGains gains_;
  Adaptation adaptation_;
  Array<double> R_;
  Array<double> x_, e_, edot_, w_, z_, y_, g_, part_, H_, rest_;
  SymmetricEigen eigen_;
};

}  // namespace torsor
