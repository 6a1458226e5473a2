#pragma once
/// Gains, and what is common, of the laws that add a PD and, where wanted, an integral to what
/// their model says.
///
///   u = Kp e + Kd edot + Ki x,   x' = e              Ki of size 0: no integral, no state
#include "torsor/control/control_law.hpp"
#include "torsor/control/gain.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct PdiGains {
  Gain Kp, Kd, Ki{};

  bool has_integral() const { return Ki.size() > 0; }
  /// Throws Error, naming law and gain.
  void check(const char* law, int n) const;
  /// u += Kp e + Kd edot + Ki x.
  void add(In<double> e, In<double> edot, In<double> x, Out<double> u) const {
    Kp.add_product(e, u);
    Kd.add_product(edot, u);
    if (has_integral()) Ki.add_product(x, u);
  }
  /// x^T Ki y; zero without an integral.
  double integral_form(In<double> y, In<double> x) const;
  /// Symmetry and definiteness of Kp and Kd and, with an integral, of Ki.
  std::vector<Condition> conditions() const;
  /// |e| <= sqrt(2 V(0) / mu) where V >= mu/2 |e|^2 falls: nothing with an integral, for mu <= 0,
  /// and for V(0) < 0, which only a plant of another weight can have.
  std::vector<Prediction> reach(double mu, double V_start) const;
};

/// The integral and the errors of such a law.
class PdiLaw : public ControlLaw {
 public:
  const PdiGains& gains() const { return gains_; }
  int n_states() const override { return gains_.Ki.size(); }
  std::string state_name(int k) const override { return "integral." + model_->dof_name(k); }
  void state_derivative(const ControlInput& input, Out<double> xdot_c) override {
    if (gains_.has_integral()) difference(*model_, input.state.q, input.reference.q, xdot_c);
  }

 protected:
  PdiLaw(const char* law, const Model<double>& model, PdiGains gains)
      : ControlLaw(law, model), gains_(std::move(gains)), e_(model.n_v()), edot_(model.n_v()) {
    gains_.check(law, model.n_v());
  }

  PdiGains gains_;
  Array<double> e_, edot_;
};

/// Such a law for a constant q_d, whose proof needs the weight; with an integral not even that.
class SetPointLaw : public PdiLaw {
 public:
  Hypotheses hypotheses() const override {
    return {.reference = Hypotheses::Reference::constant,
            .knowledge = gains_.has_integral() ? Hypotheses::Knowledge::nothing
                                               : Hypotheses::Knowledge::gravity,
            .friction = Hypotheses::Friction::dissipative,
            .springs = gains_.has_integral(),
            .link_springs = !gains_.has_integral(),  // seen by the row of all springs
            .rotation_gains = {{"Kp", gains_.Kp}, {"Ki", gains_.Ki}}};
  }

 protected:
  using PdiLaw::PdiLaw;
};

}  // namespace torsor
