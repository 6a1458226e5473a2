#include "torsor/dynamics/singular_mass.hpp"

#include "torsor/dynamics/hybrid.hpp"

namespace torsor {

std::string singular_mass_message(const Model<double>& model, In<double> q, In<char> prescribed) {
  constexpr int most_named = 3;
  const Array<char> none(model.n_bodies());
  const In<char> led = prescribed.empty() ? In<char>(none) : prescribed;
  Array<double> zero(model.n_v()), qdd(model.n_v()), tau(model.n_v());
  AbaWorkspace<double> ws(model);
  const auto result =
      rigid_hybrid_dynamics<Model<double>, double>(model, ws, led, q, zero, qdd, tau, {});
  if (result) return "";
  double largest = 0;
  for (const double D : ws.D) largest = D > largest ? D : largest;
  std::string names;
  int found = 0;
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int k = model.first_v(i); !led[i] && k < model.first_v(i) + model.n_v(i); ++k) {
      if (ws.D[k] > 8 * ScalarTraits<double>::epsilon * largest) continue;
      if (++found <= most_named) names += (found == 1 ? "\"" : ", \"") + model.dof_name(k) + "\"";
    }
  if (found > most_named) names += " and " + std::to_string(found - most_named) + " more";
  return "\"" + model.name() +
         "\": the mass matrix is singular: " + (found == 1 ? "joint " : "joints ") + names +
         (found == 1 ? " moves" : " move") +
         " no mass at this q; give the links a mass or the motors a rotor, or prescribe the " +
         "motion (hybrid dynamics)";
}

}  // namespace torsor
