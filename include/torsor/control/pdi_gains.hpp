#pragma once
/// Gains of the laws that add a PD and, where wanted, an integral to what their model says.
///
///   u = Kp e + Kd edot + Ki x,   x' = e              Ki of size 0: no integral, no state
#include "torsor/control/certificate.hpp"
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

}  // namespace torsor
