#pragma once
/// Gains, and what is common, of the laws that add a PD and, where wanted, an integral to what their model says.
///
///   u = Kp e + Kd edot + Ki x,   x' = e              Ki of size 0: no integral, no state
#include "torsor/control/control_law.hpp"
#include "torsor/control/gain.hpp"

namespace torsor {

struct PdiGains {
  Gain Kp, Kd, Ki{};

  bool has_integral() const { return Ki.size() > 0; }
  /// Throws Error, naming law and gain.
  void check(const char* law, int n) const;
  /// u += Kp e + Kd edot + Ki x.
  void add(View<const double> e, View<const double> edot, View<const double> x,
           View<double> u) const {
    Kp.add_product(e, u);
    Kd.add_product(edot, u);
    if (has_integral()) Ki.add_product(x, u);
  }
  /// x^T Ki y; zero without an integral.
  double integral_form(View<const double> y, View<const double> x) const;
  /// Symmetry and definiteness of Kp and Kd and, with an integral, definiteness of Ki.
  std::vector<Condition> conditions() const;
  /// |e| <= sqrt(2 V(0) / mu) where V >= mu/2 |e|^2 falls: nothing with an integral or mu <= 0.
  std::vector<Prediction> reach(double mu) const;
};

/// The integral and the errors of such a law.
class PdiLaw {
 public:
  int n_states() const { return gains_.Ki.size(); }
  void reset(View<double> x_c) {
    for (double& x : x_c) x = 0;
  }
  void state_derivative(double, const ControlState& state, View<const double>,
                        const ControlReference& reference, View<double> xdot_c) {
    if (gains_.has_integral()) difference(*model_, state.q, reference.q, xdot_c);
  }

 protected:
  PdiLaw(const char* law, const Model<double>& model, PdiGains gains)
      : model_(&model),
        gains_(std::move(gains)),
        e_(static_cast<std::size_t>(model.n_v())),
        edot_(e_.size()) {
    gains_.check(law, model.n_v());
  }

  const Model<double>* model_;
  PdiGains gains_;
  std::vector<double> e_, edot_;
};

}  // namespace torsor
