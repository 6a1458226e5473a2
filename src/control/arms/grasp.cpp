#include "torsor/control/arms/grasp.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/model/inertial_parameters.hpp"
#include "torsor/model/loop.hpp"

namespace torsor {

namespace {

[[noreturn]] void refuse(const std::string& object, const std::string& why) {
  throw Error("object \"" + object + "\": " + why);
}

std::vector<int> dofs_of_arm(const Model<double>& model, int body) {
  std::vector<int> dofs;
  for (int i = body; i > 0; i = model.body(i).parent)
    for (int k = model.body(i).v.count; k-- > 0;) dofs.push_back(model.body(i).v.first + k);
  std::reverse(dofs.begin(), dofs.end());
  return dofs;
}

}  // namespace

HeldObject::HeldObject(const Model<double>& model, const std::string& object,
                       std::vector<double> fractions)
    : link(object), frame(model.frame(object)) {
  const Link* const description = model.description().find_link(object);
  if (!description) refuse(object, "it is no link of robot \"" + model.name() + "\"");
  const Inertial& own = description->inertial;
  inertia = Inertia<double>::at_com(own.mass, own.com, own.about_com);

  const auto add = [&](int body, const SE3<double>& T_body_object, int loop) {
    grasps.push_back(
        {model.body_name(body), body, T_body_object, dofs_of_arm(model, body), 0, loop});
  };
  if (model.body_name(frame.body) != object) add(frame.body, frame.placement, -1);
  const ConstraintSet set(model);
  for (const LoopConstraint& loop : set.loops()) {
    if (loop.kind != LoopJoint::Kind::weld) continue;
    const bool a = loop.body_a == frame.body, b = loop.body_b == frame.body;
    if (a == b) continue;
    const SE3<double> T_hand_carrier =
        b ? loop.T_a * inverse(loop.T_b) : loop.T_b * inverse(loop.T_a);
    add(b ? loop.body_a : loop.body_b, T_hand_carrier * frame.placement, loop.first_row);
  }
  if (grasps.size() < 2)
    refuse(object, std::to_string(grasps.size()) + " hands hold it; two or more are needed");

  std::vector<char> taken(static_cast<std::size_t>(model.n_v()));
  for (const Grasp& g : grasps)
    for (const int dof : g.dofs) {
      if (taken[static_cast<std::size_t>(dof)])
        refuse(object, "joint " + model.dof_name(dof) + " belongs to two of the arms that hold it");
      taken[static_cast<std::size_t>(dof)] = 1;
    }
  if (fractions.empty()) fractions.assign(grasps.size(), 1 / static_cast<double>(grasps.size()));
  if (fractions.size() != grasps.size())
    refuse(object, std::to_string(fractions.size()) + " fractions for " +
                       std::to_string(grasps.size()) + " hands");
  double sum = 0;
  for (std::size_t k = 0; k < grasps.size(); ++k) sum += grasps[k].fraction = fractions[k];
  if (!(std::abs(sum - 1) < 1e-9))
    refuse(object, "the fractions sum to " + std::to_string(sum) + ", not to 1");
}

Frame HeldObject::frame_of_arm(int k) const {
  const Grasp& g = grasps[static_cast<std::size_t>(k)];
  return {link, g.body, g.T_body_object};
}

Model<double> HeldObject::partitioned(const Model<double>& model) const {
  std::vector<double> p = parameters(model);
  const auto add = [&](int body, const SE3<double>& T_body_object, double factor) {
    const auto share = parameters_of(transported(T_body_object, inertia * factor));
    for (int k = 0; k < parameters_per_body; ++k)
      p[static_cast<std::size_t>((body - 1) * parameters_per_body + k)] +=
          share[static_cast<std::size_t>(k)];
  };
  add(frame.body, frame.placement, -1);
  for (const Grasp& g : grasps) add(g.body, g.T_body_object, g.fraction);
  return with_parameters(model, p);
}

}  // namespace torsor
