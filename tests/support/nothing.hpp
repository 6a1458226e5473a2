#pragma once
/// A control law that does nothing, and a reference that asks for nothing.
#include "torsor/sim/simulate.hpp"

namespace torsor::testing {

struct Nothing {
  static constexpr const char* name = "nothing";
  int n_states() const { return 0; }
  void reset(View<double>) {}
  void check_reference(const ControlReference&) const {}
  void torque(double, const ControlState&, View<const double>, const ControlReference&,
              View<double> tau) {
    for (double& x : tau) x = 0;
  }
  std::vector<Condition> conditions() { return {}; }
};

inline const ReferenceFunction nothing = [](double, ReferencePoint&) {};

}  // namespace torsor::testing
