#include "torsor/dynamics/energy.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "command.hpp"
#include "states.hpp"

namespace torsor::command {
namespace {

Quantity in_world(const char* name, const Vec3<double>& x) {
  return {name, {"x", "y", "z"}, {}, {x.x, x.y, x.z}};
}

Evaluator evaluator(const Model<double>& model) {
  const auto workspace = std::make_shared<MomentumWorkspace<double>>(model);
  return [&model, workspace](const State& s) -> std::vector<Quantity> {
    const Wrench<double> h = momentum(model, *workspace, s.q, s.qd);
    const double kinetic = kinetic_energy(model, *workspace, s.q, s.qd);
    const double potential = potential_energy(model, workspace->kinematics);
    const CentreOfMass<double> com = centre_of_mass(model, workspace->kinematics);
    return {scalar("kinetic", kinetic),           scalar("potential", potential),
            scalar("total", kinetic + potential), scalar("mass", com.mass),
            in_world("com", com.position),        in_world("linear_momentum", h.f),
            in_world("angular_momentum", h.m)};
  };
}

Action add(CLI::App& app) { return add_state_verb(app, {.qd = true, .evaluator = evaluator}); }

}  // namespace

extern const Verb energy;
const Verb energy{"energy", "energies, centre of mass and momentum of the moving bodies",
                  "  torsor energy planar2r --q 0.5,-1 --qd 1,0\n"
                  "\n"
                  "Potential energy is zero at the world's origin; angular momentum is about it.\n",
                  add};

}  // namespace torsor::command
