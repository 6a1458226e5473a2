#include "torsor/control/uncertain/sliding_variable.hpp"

namespace torsor {

SlidingVariable::SlidingVariable(const Model<double>& model, Gain Lambda, const char* law)
    : e(model.n_v()),
      edot(e.size()),
      s(e.size()),
      qd_r(e.size()),
      qdd_r(e.size()),
      model_(&model),
      Lambda_(std::move(Lambda)) {
  Lambda_.check(law, "Lambda", model.n_v());
}

void SlidingVariable::update(const ControlInput& input) {
  tracking_error(*model_, input, e, edot);
  for (int k = 0; k < s.size(); ++k) {
    s[k] = edot[k];
    qdd_r[k] = input.reference.qdd.empty() ? 0.0 : input.reference.qdd[static_cast<int>(k)];
  }
  Lambda_.add_product(e, s);
  Lambda_.add_product(edot, qdd_r);
  for (int k = 0; k < s.size(); ++k) qd_r[k] = s[k] + input.state.qd[static_cast<int>(k)];
}

std::vector<Condition> SlidingVariable::conditions() const {
  return {condition("Lambda symmetric", "largest asymmetry of Lambda", Lambda_.asymmetry(),
                    Relation::at_most, 0),
          condition("Lambda positive definite", "smallest eigenvalue of Lambda",
                    Lambda_.smallest_eigenvalue(), Relation::greater, 0)};
}

}  // namespace torsor
