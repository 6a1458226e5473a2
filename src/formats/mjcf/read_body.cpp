// Bodies with their joints, shapes and sites.
#include <cmath>

#include "mjcf/reader.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::mjcf {
namespace {

constexpr std::size_t most_elements = 1000000;  // replicas included

bool is_identity(const SE3<double>& T) {
  return norm(T.p) == 0 && norm(T.R.c0 - Vec3<double>{1, 0, 0}) == 0 &&
         norm(T.R.c1 - Vec3<double>{0, 1, 0}) == 0;
}

/// The number of a replica, with as many digits as the largest one has.
std::string padded(int k, int count) {
  const std::string number = std::to_string(k);
  return std::string(std::to_string(count).size() - number.size(), '0') + number;
}

}  // namespace

void Reader::expand(const Node& node, const Place& place, std::vector<Item>& items) {
  for (const Node& child : node.children) {
    if (++totals_->made > most_elements)
      child.xml.fail("the file makes more than " + std::to_string(most_elements) + " elements");
    if (child.tag == "frame") {
      check_attributes(child.xml, "frame", notes_);
      const Attributes a(child.xml, "frame", nullptr);
      expand(child,
             {place.T * read_pose(a, compiler_),
              classes_.of(child.xml, "childclass", place.defaults), place.suffix},
             items);
    } else if (child.tag == "replicate") {
      check_attributes(child.xml, "replicate", notes_);
      const double count = child.xml.number("count");
      if (!(count >= 0 && count <= 100000) || count != std::floor(count))
        child.xml.fail("<replicate> count is " + format_number(count) + ", not 0 to 100000");
      const Vec3<double> offset = child.xml.vec3("offset", {}), euler = child.xml.vec3("euler", {});
      const Class* defaults = classes_.of(child.xml, "childclass", place.defaults);
      Vec3<double> p{};
      for (int k = 0; k < static_cast<int>(count); ++k) {
        SO3<double> R = SO3<double>::identity();
        for (std::size_t e = 0; e < 3; ++e) {
          const char axis = compiler_.euler[e];
          const double angle = compiler_.angle(k * euler[static_cast<int>(e)]);
          const SO3<double> turn = axis == 'x' || axis == 'X'   ? rotation_x(angle)
                                   : axis == 'y' || axis == 'Y' ? rotation_y(angle)
                                                                : rotation_z(angle);
          R = axis >= 'a' ? R * turn : turn * R;
        }
        expand(child,
               {place.T * SE3<double>{R, p}, defaults,
                place.suffix + child.attribute("sep") + padded(k, static_cast<int>(count))},
               items);
        p += R * offset;
      }
    } else {
      items.push_back({&child, place});
    }
  }
}

std::size_t Reader::add_link(const std::string& name, const XmlElement& at,
                             const SE3<double>& T_world) {
  Link link;
  link.name = name;
  link.origin = at.origin();
  robot_.links.push_back(std::move(link));
  T_world_.push_back(T_world);
  return robot_.links.size() - 1;
}

void Reader::read_body(const Item& item, std::size_t parent) {
  const XmlElement& at = item.node->xml;
  check_attributes(at, "body", notes_);
  const std::optional<std::string> given = at.attribute("name");
  std::string name;
  if (given) {
    name = *given + item.place.suffix;
    if (name.empty()) at.fail("the name is empty");
    if (bodies_.contains(name))
      at.fail(name == "world" ? "a body cannot be called \"world\""
                              : "another body has the name " + in_quotes(name));
    if (!link_names_.insert(name).second)
      name = fresh(name, link_names_);  // of a link between joints
  } else {
    name = fresh(robot_.links[parent].name + "_body" + item.place.suffix, link_names_);
  }
  const Attributes a(at, "body", nullptr);
  SE3<double> T;
  notes_.attempt([&] { T = item.place.T * read_pose(a, compiler_); });
  if (a.word("mocap", {"false", "true"}, "false") == "true")
    notes_.say(at, Finding::Severity::note, "a mocap body stands still here",
               "programs move it in MuJoCo", "nothing to do");
  if (a.number("gravcomp", 0) != 0)
    notes_.dropped(at, "gravcomp", "the body's weight is not compensated here",
                   "subtract its gravity torques, or set the gravity to 0");
  std::vector<Item> items;
  expand(*item.node, {{}, classes_.of(at, "childclass", item.place.defaults), item.place.suffix},
         items);
  const std::size_t link = add_joints(item, items, name, T, parent);
  bodies_[given ? *given + item.place.suffix : name] = link;
  notes_.attempt([&] { set_inertia(item, items, link); });
  read_members(items, link);
}

std::size_t Reader::add_joints(const Item& body, const std::vector<Item>& items,
                               const std::string& name, const SE3<double>& T, std::size_t parent) {
  const XmlElement& at = body.node->xml;
  const SE3<double> T_world = T_world_[parent] * T;
  SE3<double> pending = T;  // from the link reached so far
  std::size_t link = parent;
  std::vector<Step> steps;
  int dofs = 0;
  for (const Item& item : items)
    if (item.node->tag == "joint" || item.node->tag == "freejoint")
      notes_.attempt([&] {
        steps.push_back(read_joint(item, name));
        dofs += n_v(steps.back().joint);
        if (steps.back().joint.kind == JointKind::free && (parent != 0 || steps.size() > 1)) {
          steps.pop_back();
          item.node->xml.fail(parent != 0 ? "a free joint belongs to a body of the <worldbody>"
                                          : "a body with a free joint has no other joint");
        }
      });
  if (dofs > 6) at.fail("the joints of the body have more than 6 degrees of freedom");
  const auto move_to = [&](std::string child, Joint joint) {
    joint.parent = robot_.links[link].name;
    joint.child = child;
    joint.placement = pending * joint.placement;
    link = add_link(std::move(child), at, T_world);
    robot_.joints.push_back(std::move(joint));
  };
  for (std::size_t k = 0; k < steps.size(); ++k) {
    Step& step = steps[k];
    const bool last = k + 1 == steps.size() && is_identity(step.after);
    joints_.at(step.joint.name).joint = robot_.joints.size();
    step.joint.placement = step.before;
    move_to(last ? name : fresh(step.joint.name + "_link", link_names_), step.joint);
    pending = step.after;
    if (last) return link;
  }
  Joint fixed;
  fixed.kind = JointKind::fixed;
  fixed.name = fresh(name + "_fixed", joint_names_);
  fixed.origin = at.origin();
  move_to(name, fixed);
  return link;
}

void Reader::read_site(const Item& item, std::size_t link) {
  const XmlElement& at = item.node->xml;
  check_attributes(at, "site", notes_);
  const std::string given = item.node->attribute("name");
  if (given.empty()) return notes_.unused(at, "sites without a name");
  const Attributes a(at, "site", classes_.of(at, "class", item.place.defaults));
  double half = 0;
  const SE3<double> T =
      item.place.T * (a.has("fromto") ? read_fromto(a, half) : read_pose(a, compiler_));
  const std::string name = given + item.place.suffix;
  if (!sites_.emplace(name, Site{link, T}).second)
    at.fail("another site has the name " + in_quotes(name));
  robot_.frames.push_back({name, robot_.links[link].name, T, at.origin()});
}

void Reader::read_members(const std::vector<Item>& items, std::size_t link) {
  for (const Item& item : items) {
    const std::string& tag = item.node->tag;
    const XmlElement& at = item.node->xml;
    if (tag == "site") {
      notes_.attempt([&] { read_site(item, link); });
    } else if (tag == "camera" || tag == "light") {
      notes_.unused(at, "<" + tag + ">");
    } else if (tag == "composite" || tag == "flexcomp") {
      leaves_bodies_out_ = true;
      notes_.dropped(at, "<" + tag + ">", "it makes bodies that have mass and move",
                     "write its bodies out, as MuJoCo does when it saves the model");
    } else if (tag == "plugin") {
      notes_.dropped(at, "<plugin>", "its forces are not computed", "remove it");
    } else if (tag != "body" && tag != "attach" && tag != "geom" && tag != "joint" &&
               tag != "freejoint" && tag != "inertial") {
      notes_.unknown(at, "element <" + tag + ">",
                     did_you_mean(tag, {"body", "geom", "joint", "freejoint", "inertial", "site",
                                        "frame", "replicate", "camera", "light"}),
                     "MJCF");
    }
  }
  for (const Item& item : items) {
    if (item.node->tag == "body") notes_.attempt([&] { read_body(item, link); });
    if (item.node->tag == "attach") notes_.attempt([&] { attach(item, link); });
  }
}

}  // namespace torsor::internal::mjcf
