// Surgery on the whole robot: names, size, and bodies without what is fixed to them.
#include <cmath>
#include <unordered_map>
#include <utility>

#include "torsor/model/surgery.hpp"
#include "torsor/model/text.hpp"

namespace torsor {
namespace {

RobotDescription description_of(const Model<double>& model) {
  if (!model.is_described())
    throw Error("robot \"" + model.name() +
                "\" has inertial parameters of no possible body; it cannot be changed");
  return model.description();
}

/// The link that carries another one rigidly, and the pose of the carried one in it.
struct Carried {
  std::string by;
  SE3<double> T{};
};
using CarriedBy = std::unordered_map<std::string, Carried>;

CarriedBy carriers(const RobotDescription& robot) {
  std::unordered_map<std::string, const Joint*> above;
  for (const Joint& joint : robot.joints)
    if (joint.kind == JointKind::fixed) above[joint.child] = &joint;
  CarriedBy result;
  for (const Link& link : robot.links) {
    Carried carried{link.name, {}};
    for (auto at = above.find(link.name); at != above.end(); at = above.find(carried.by)) {
      carried.T = at->second->placement * carried.T;
      carried.by = at->second->parent;
    }
    result[link.name] = carried;
  }
  return result;
}

/// Both bodies as one, `more` standing at T.
Inertial together(const Inertial& body, const Inertial& more, const SE3<double>& T) {
  Inertial all;
  all.mass = body.mass + more.mass;
  const Vec3<double> com = T * more.com;
  all.com = all.mass > 0 ? (body.com * body.mass + com * more.mass) * (1 / all.mass) : body.com;
  all.about_com = body.about_com + rotated(T.R, more.about_com) +
                  Inertia<double>::parallel_axes(body.mass, body.com - all.com) +
                  Inertia<double>::parallel_axes(more.mass, com - all.com);
  return all;
}

void scale_limits(Limits& limits, double s) {
  limits.lower *= s, limits.upper *= s;
  limits.velocity *= s, limits.acceleration *= s, limits.jerk *= s;
}

/// Which coordinates of a joint are lengths.
bool is_length(const Joint& joint, int k) {
  return joint.kind != JointKind::composite && k < n_v(joint.kind) &&
         internal::velocity_measure(joint.kind, k) == Measure::length;
}

void scale_joint(Joint& joint, double s) {
  joint.placement.p = joint.placement.p * s;
  joint.pitch *= s;
  for (JointPart& part : joint.parts) {
    part.placement.p = part.placement.p * s;
    part.pitch *= s;
  }
  int k = 0;
  const auto each = [&](JointKind kind) {
    for (int j = 0; j < n_v(kind); ++j, ++k) {
      if (internal::velocity_measure(kind, j) != Measure::length) continue;
      const auto at = static_cast<std::size_t>(k);
      if (at < joint.limits.size()) scale_limits(joint.limits[at], s);
      if (at < joint.spring.size()) joint.spring[at].rest *= s;
    }
  };
  if (joint.kind != JointKind::composite) return each(joint.kind);
  for (const JointPart& part : joint.parts) each(part.kind);
}

/// The lengths among the coordinates of a joint.
void scale_coordinates(const Joint& joint, double s, std::vector<double>& q) {
  std::size_t first = 0;
  const auto each = [&](JointKind kind) {
    for (int k = 0; k < n_q(kind); ++k, ++first)
      if (internal::coordinate_measure(kind, k) == Measure::length && first < q.size())
        q[first] *= s;
  };
  if (joint.kind != JointKind::composite) return each(joint.kind);
  for (const JointPart& part : joint.parts) each(part.kind);
}

}  // namespace

Model<double> merge_fixed(const Model<double>& model) {
  RobotDescription robot = description_of(model);
  const CarriedBy carried = carriers(robot);
  std::vector<Link> links;
  std::unordered_map<std::string, std::size_t> place;
  for (const Link& link : robot.links)
    if (carried.at(link.name).by == link.name) {
      place[link.name] = links.size();
      links.push_back(link);
    }
  for (Link& link : robot.links) {
    const auto& [by, T] = carried.at(link.name);
    if (by == link.name) continue;
    Link& body = links[place.at(by)];
    if (link.has_inertial) body.inertial = together(body.inertial, link.inertial, T);
    body.has_inertial = body.has_inertial || link.has_inertial;
    for (Geometry& shape : link.geometry) {
      shape.placement = T * shape.placement;
      body.geometry.push_back(std::move(shape));
    }
    robot.frames.push_back({link.name, link.name, {}, link.origin});
  }
  robot.links = std::move(links);
  const auto move = [&](std::string& link, SE3<double>& placement) {
    if (link.empty()) return;
    const Carried& by = carried.at(link);
    placement = by.T * placement;
    link = by.by;
  };
  std::erase_if(robot.joints, [](const Joint& joint) { return joint.kind == JointKind::fixed; });
  for (Joint& joint : robot.joints) move(joint.parent, joint.placement);
  for (FrameOnLink& frame : robot.frames) move(frame.link, frame.placement);
  for (LoopJoint& loop : robot.loops) {
    move(loop.link_a, loop.placement_a);
    move(loop.link_b, loop.placement_b);
  }
  for (SpringDamper& spring : robot.springs) {
    SE3<double> a, b;
    a.p = spring.point_a, b.p = spring.point_b;
    move(spring.link_a, a), move(spring.link_b, b);
    spring.point_a = a.p, spring.point_b = b.p;
  }
  return Model<double>(std::move(robot));
}

Model<double> scaled(const Model<double>& model, double s) {
  if (!(s > 0) || !std::isfinite(s)) throw Error("a robot cannot be scaled by " + number(s));
  RobotDescription robot = description_of(model);
  std::unordered_map<std::string, bool> slides;
  for (Joint& joint : robot.joints) {
    slides[joint.name] = is_length(joint, 0);
    scale_joint(joint, s);
  }
  for (Link& link : robot.links) {
    link.inertial.mass *= s * s * s;
    link.inertial.com = link.inertial.com * s;
    link.inertial.about_com = link.inertial.about_com * (s * s * s * s * s);
    for (Geometry& shape : link.geometry) {
      shape.placement.p = shape.placement.p * s;
      shape.size = shape.size * s;
    }
  }
  robot.base.p = robot.base.p * s;
  for (FrameOnLink& frame : robot.frames) frame.placement.p = frame.placement.p * s;
  for (LoopJoint& loop : robot.loops) {
    loop.placement_a.p = loop.placement_a.p * s;
    loop.placement_b.p = loop.placement_b.p * s;
    loop.distance *= s;
  }
  const auto per_length = [&](std::vector<Coupling::Term>& terms) {
    for (Coupling::Term& term : terms)
      if (slides[term.joint]) term.factor /= s;
  };
  for (Coupling& coupling : robot.couplings) per_length(coupling.terms);
  for (Motor& motor : robot.motors) per_length(motor.ratios);
  for (NamedConfiguration& c : robot.configurations)
    for (NamedConfiguration::Entry& entry : c.entries)
      scale_coordinates(*robot.find_joint(entry.joint), s, entry.q);
  for (SpringDamper& spring : robot.springs) {
    spring.point_a = spring.point_a * s, spring.point_b = spring.point_b * s;
    spring.rest_length *= s;
  }
  return Model<double>(std::move(robot));
}

Model<double> renamed(const Model<double>& model, const std::string& name,
                      const std::string& new_name) {
  RobotDescription robot = description_of(model);
  if (new_name.empty()) throw Error("the new name of \"" + name + "\" is empty");
  int found = 0;
  std::vector<std::string> known;
  const auto change = [&](std::string& text) {
    if (text == name) text = new_name;
  };
  const auto own = [&](auto& elements) {
    for (auto& element : elements) {
      found += element.name == name ? 1 : 0;
      if (known.size() < 300) known.push_back(element.name);
      change(element.name);
    }
  };
  own(robot.links), own(robot.joints), own(robot.frames), own(robot.loops);
  own(robot.springs), own(robot.motors), own(robot.configurations);
  if (found == 0)
    throw Error("robot \"" + robot.name + "\" has no link, joint or frame \"" + name + "\"" +
                did_you_mean(name, known));
  change(robot.root);
  for (Joint& joint : robot.joints) change(joint.parent), change(joint.child);
  for (FrameOnLink& frame : robot.frames) change(frame.link);
  for (LoopJoint& loop : robot.loops) change(loop.link_a), change(loop.link_b);
  for (SpringDamper& spring : robot.springs) change(spring.link_a), change(spring.link_b);
  for (Coupling& coupling : robot.couplings)
    for (Coupling::Term& term : coupling.terms) change(term.joint);
  for (Motor& motor : robot.motors)
    for (Coupling::Term& term : motor.ratios) change(term.joint);
  for (NamedConfiguration& c : robot.configurations)
    for (NamedConfiguration::Entry& entry : c.entries) change(entry.joint);
  return Model<double>(std::move(robot));
}

}  // namespace torsor
