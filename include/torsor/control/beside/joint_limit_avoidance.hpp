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
/// Claim    With an inside law that shapes energy (gravity_float, independent_pd, pd_gravity,
///          pd_fixed_gravity; q_d constant) V falls, hence u(d) <= V(0) for ever: no limit is
///          reached from a V(0) below u(nearest m). A q_d within a margin is not reached.
/// Others   Any law may be inside; beyond the margins it is alone, within them its claim is void.
/// Joints   Limits of coordinates whose rate is a velocity.
/// Cost     That of the law inside and O(n).
/// Source   Khatib 1986 (potential in 1 / d).
#include "torsor/control/any_controller.hpp"

namespace torsor {

struct JointLimitOptions {
  std::vector<double> stiffness;  ///< k, N m / rad (N / m), per degree of freedom
  std::vector<double> margin;     ///< m, rad (m), per degree of freedom
  double nearest = 0.01;
};

class JointLimitAvoidance {
 public:
  static constexpr const char* name = "joint_limit_avoidance";

  /// `inside` is a law for the same model. Throws Error for numbers of
  /// another size or sign.
  JointLimitAvoidance(const Model<double>& model, AnyController inside, JointLimitOptions options);

  int n_states() const { return inside_.n_states(); }
  void reset(View<double> x_c) { inside_.reset(x_c); }
  void torque(double t, const ControlState& state, View<const double> x_c,
              const ControlReference& reference, View<double> tau);
  void state_derivative(double t, const ControlState& state, View<const double> x_c,
                        const ControlReference& reference, View<double> xdot_c) {
    inside_.state_derivative(t, state, x_c, reference, xdot_c);
  }
  void check_reference(const ControlReference& reference) const {
    inside_.check_reference(reference);
  }
  int n_task_errors() const { return inside_.n_task_errors(); }
  void task_error(double t, const ControlState& state, View<const double> x_c,
                  const ControlReference& reference, View<double> e) {
    inside_.task_error(t, state, x_c, reference, e);
  }
  std::vector<Condition> conditions();
  LyapunovValue lyapunov(double t, const ControlState& state, View<const double> x_c,
                         const ControlReference& reference, const Model<double>& plant);

  /// U(q).
  double barrier(View<const double> q) const;
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

  AnyController inside_;
  JointLimitOptions options_;
  std::vector<Coordinate> limited_;
  bool shapes_energy_;
};

}  // namespace torsor
