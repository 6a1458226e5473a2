#pragma once
/// Laws of tests: what is common to them, one that does nothing, and a reference that asks for
/// nothing.
#include "torsor/model/builder.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor::testing {

/// Believes in some pendulum, claims nothing, follows nothing.
class LawOfTests : public ControlLaw {
 public:
  Hypotheses hypotheses() const override {
    return {.reference = Hypotheses::Reference::none,
            .knowledge = Hypotheses::Knowledge::nothing,
            .friction = Hypotheses::Friction::any,
            .surface = Hypotheses::Surface::any,
            .loops = true};
  }
  std::vector<Condition> conditions(const Run&) override { return {}; }
  void check_reference(const ControlReference&) const override {}

 protected:
  explicit LawOfTests(const char* name) : ControlLaw(name, pendulum()) {}

 private:
  static const Model<double>& pendulum() {
    static const Model<double> model = [] {
      ModelBuilder b;
      b.revolute("joint", "base", "link");
      b.inertia("link", 1, {}, {1, 0, 1, 0, 0, 1});
      return b.build();
    }();
    return model;
  }
};

struct Nothing final : LawOfTests {
  Nothing() : LawOfTests("nothing") {}
  void torque(const ControlInput&, Out<double> tau) override {
    for (double& x : tau) x = 0;
  }
};

inline const ReferenceFunction nothing = [](double, ReferencePoint&) {};

}  // namespace torsor::testing
