#include "torsor/dynamics/energy.hpp"

#include <memory>

#include "command.hpp"
#include "states.hpp"
#include "torsor/dynamics/spring_dampers.hpp"
#include "torsor/model/friction.hpp"

namespace torsor::command {
namespace {

Quantity in_world(const char* name, const Vec3<double>& x, const char* unit) {
  return {name, {"x", "y", "z"}, {}, {x.x, x.y, x.z}, {unit}};
}

/// On joints or between links.
bool has_springs(const Model<double>& model) {
  for (int k = 0; k < model.n_v(); ++k)
    if (model.dof(k).stiffness != 0) return true;
  return !model.description().springs.empty();
}

Evaluator energy_evaluator(const Model<double>& model) {
  const auto workspace = std::make_shared<MomentumWorkspace<double>>(model);
  const auto springs = std::make_shared<SpringDamperWorkspace<double>>(model);
  const bool sprung = has_springs(model);
  return [&model, workspace, springs, sprung](const State& s) -> std::vector<Quantity> {
    const Wrench<double> h = momentum(model, *workspace, s.q, s.qd);
    const double kinetic = kinetic_energy(model, *workspace, s.q, s.qd);
    const double potential = potential_energy(model, workspace->kinematics);
    const CentreOfMass<double> com = centre_of_mass(model, workspace->kinematics);
    std::vector<Quantity> out{scalar("kinetic", kinetic, "J"), scalar("potential", potential, "J")};
    double total = kinetic + potential;
    if (sprung) {
      Array<Wrench<double>> unused(model.n_bodies());
      const double energy = joint_spring_energy(model, s.q) +
                            add_spring_damper_wrenches(model, *springs, s.q, s.qd, unused);
      out.push_back(scalar("springs", energy, "J"));
      total += energy;
    }
    for (Quantity& x : std::vector<Quantity>{
             scalar("total", total, "J"), scalar("mass", com.mass, "kg"),
             in_world("com", com.position, "m"), in_world("linear_momentum", h.f, "kg m/s"),
             in_world("angular_momentum", h.m, "kg m^2/s")})
      out.push_back(std::move(x));
    return out;
  };
}

Action add_energy(Arguments& app) {
  return add_state_verb(app, {.qd = true, .evaluator = energy_evaluator});
}

}  // namespace

extern const Verb energy;
const Verb energy{
    "energy", "energies, centre of mass and momentum of the moving bodies",
    "  torsor energy planar2r --q 0.5,-1 --qd 1,0\n"
    "\n"
    "Kinetic energy contains rotors, as M does; momentum is of the bodies. Potential energy\n"
    "is zero at the world's origin; angular momentum is about it. The energy of springs is\n"
    "told where there are any, and counts in the total.\n",
    add_energy};

}  // namespace torsor::command
