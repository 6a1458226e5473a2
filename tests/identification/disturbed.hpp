#pragma once
/// Robots that are not quite what their files say, for write-back.
#include "support/random_model.hpp"
#include "torsor/model/inertial_parameters.hpp"

namespace torsor::testing {

/// The robot with every body changed by up to `part`, possible where it was.
inline Array<double> disturbed(const Model<double>& model, double part, unsigned seed) {
  Draw<double> draw(seed);
  Array<double> p;
  for (int i = 1; i < model.n_bodies(); ++i) {
    Inertia<double> I = model.body(i).inertia * (1 + draw(-part, part));
    const SE3<double> shift{exp(draw.vec(part)), draw.vec(0.1 * part)};
    I = transported(shift, I);
    for (const double x : parameters_of(I)) p.push_back(x);
  }
  return p;
}

}  // namespace torsor::testing
