#pragma once
/// Joint limit avoidance: a barrier beside another law.
///
///   tau = tau_inside - dU/dq,   U = sum over finite limits u(d),   d = distance to the limit
///   u(d) = k m^2 / 2 (m / d - 1)^2 for d < m, 0 beyond;     u' = -k m^3 / d^2 (m / d - 1)
///   V = V_inside + U,   V' = V_inside'        where V_inside is an energy
///
/// The torque starts smoothly at the margin m and grows without bound towards the limit. Below
/// d = `nearest` m it stays as it is there (u goes on straight), so that robots beyond a limit are
/// pushed back with a finite torque.
///
/// Assumes  A law inside that shapes energy and has no integral (gravity_float, independent_pd,
///          pd_gravity, pd_fixed_gravity), with what it assumes: a constant q_d, the weight of the
///          plant; and V(0) below the lowest of the hills u(nearest m). With a period: the loop
///          stable where u = V(0), however steep the barrier is there.
/// Claim    V falls, hence u(d) <= V(0) for ever: no limit is reached. A q_d within a margin is not
///          reached.
/// Others   Any law may be inside; beyond the margins it is alone, within them its claim is void.
/// Joints   Limits of coordinates whose rate is a velocity.
/// Cost     That of the law inside and O(n).
/// Source   Khatib 1986 (potential in 1 / d).
#include <memory>
#include "torsor/math/array.hpp"

#include "torsor/control/control_law.hpp"

namespace torsor {

struct JointLimitOptions {
  Array<double> stiffness;  ///< k, N m / rad (N / m), per degree of freedom
  Array<double> margin;     ///< m, rad (m), per degree of freedom
  double nearest = 0.01;
};

class JointLimitAvoidance final : public ControlLaw {
 public:
  /// `inside` is a law for the same model. Throws Error for numbers of
  /// another size or sign.
  JointLimitAvoidance(const Model<double>& model, std::unique_ptr<ControlLaw> inside,
                      JointLimitOptions options);

  int n_states() const override { return inside_->n_states(); }
  std::string state_name(int k) const override { return inside_->state_name(k); }
  void reset(Out<double> x_c) override { inside_->reset(x_c); }
  void torque(const ControlInput& input, Out<double> tau) override;
  void state_derivative(const ControlInput& input, Out<double> xdot_c) override {
    inside_->state_derivative(input, xdot_c);
  }
  void check_reference(const ControlReference& reference) const override {
    inside_->check_reference(reference);
  }
  bool switches() const override { return inside_->switches(); }
  bool feels_contact() const override { return inside_->feels_contact(); }
  bool filtered_error(const ControlInput& input, Out<double> s) override {
    return inside_->filtered_error(input, s);
  }
  int n_task_errors() const override { return inside_->n_task_errors(); }
  std::string task_error_name(int k) const override { return inside_->task_error_name(k); }
  void task_error(const ControlInput& input, Out<double> e) override {
    inside_->task_error(input, e);
  }
  Hypotheses hypotheses() const override { return inside_->hypotheses(); }
  std::vector<Condition> conditions(const Run& run) override;
  LyapunovValue lyapunov(const ControlInput& input, const Model<double>& plant) override;

  /// U(q).
  double barrier(In<double> q) const;
  /// The least distance to a limit of this degree of freedom at which u <= V, m.
  double nearest_distance(int dof, double V) const;

 private:
  struct Coordinate {
    int dof, q;
    double lower, upper;
  };
  /// u(d) and -u'(d), the push.
  struct Push {
    double potential, force;
  };
  Push push(int dof, double d) const;
  Condition sampled_barrier(const Run& run, double V);

  std::unique_ptr<ControlLaw> inside_;
  JointLimitOptions options_;
  Array<Coordinate> limited_;
  bool shapes_energy_;
};

}  // namespace torsor
