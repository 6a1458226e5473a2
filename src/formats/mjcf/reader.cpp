#include "mjcf/reader.hpp"

#include <algorithm>
#include <cmath>

#include "fresh_name.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::mjcf {
namespace {

const std::vector<std::string> truth = {"false", "true"};

bool is_true(const XmlElement& at, const char* name, bool otherwise) {
  return Attributes(at, "", nullptr).word(name, truth, otherwise ? "true" : "false") == "true";
}

}  // namespace

std::string Reader::fresh(const std::string& wish, std::set<std::string>& taken) {
  return fresh_name(wish, taken);
}

void Reader::read_compiler(const Node& node) {
  const XmlElement& at = node.xml;
  check_attributes(at, "compiler", notes_);
  const Attributes a(at, "", nullptr);
  compiler_.degrees =
      a.word("angle", {"degree", "radian"}, compiler_.degrees ? "degree" : "radian") == "degree";
  if (a.word("coordinate", {"local", "global"}, "local") == "global")
    at.fail("coordinate=\"global\" is not read; MuJoCo 2.3.3 converts such files");
  compiler_.autolimits = is_true(at, "autolimits", compiler_.autolimits);
  compiler_.balance_inertia = is_true(at, "balanceinertia", compiler_.balance_inertia);
  compiler_.strip_path = is_true(at, "strippath", compiler_.strip_path);
  compiler_.exact_meshes = is_true(at, "exactmeshinertia", compiler_.exact_meshes);
  compiler_.fit_box = is_true(at, "fitaabb", compiler_.fit_box);
  compiler_.euler = a.text("eulerseq", compiler_.euler);
  if (compiler_.euler.size() != 3 ||
      compiler_.euler.find_first_not_of("xyzXYZ") != std::string::npos) {
    const std::string given = std::exchange(compiler_.euler, "xyz");
    at.fail("eulerseq is " + in_quotes(given) + "; it has three letters of x, y, z, X, Y, Z");
  }
  compiler_.mesh_folder = a.text("meshdir", a.text("assetdir", compiler_.mesh_folder));
  compiler_.inertia_from_geom =
      a.word("inertiafromgeom", {"false", "true", "auto"}, compiler_.inertia_from_geom);
  compiler_.bound_mass = a.number("boundmass", compiler_.bound_mass);
  compiler_.bound_inertia = a.number("boundinertia", compiler_.bound_inertia);
  compiler_.total_mass = a.number("settotalmass", compiler_.total_mass);
  if (const std::vector<double> range = a.numbers("inertiagrouprange", 2, 2); !range.empty()) {
    compiler_.lowest_group = range[0];
    compiler_.highest_group = range[1];
  }
  for (const Node& child : node.children)
    if (child.tag == "lengthrange")
      notes_.unused(child.xml, "<lengthrange>");
    else
      notes_.unknown(child.xml, "element <" + child.tag + "> in <compiler>", "", "MJCF");
}

void Reader::read_option(const Node& node) {
  check_attributes(node.xml, "option", notes_);
  robot_.gravity = node.xml.vec3("gravity", robot_.gravity);
  const Vec3<double> wind = node.xml.vec3("wind", {});
  if (node.xml.number("density", 0) != 0 || node.xml.number("viscosity", 0) != 0 || norm(wind) != 0)
    notes_.dropped(node.xml, "a fluid (density, viscosity, wind)",
                   "drag of the medium is not computed", "remove it where it is not meant");
  for (const Node& child : node.children) {
    if (child.tag != "flag") {
      notes_.unknown(child.xml, "element <" + child.tag + "> in <option>",
                     did_you_mean(child.tag, {"flag"}), "MJCF");
      continue;
    }
    for (const std::string& name : child.xml.attribute_names()) {
      const bool off = child.attribute(name.c_str()) == "disable";
      if (name == "gravity")
        compiler_.gravity = !off;
      else if (off &&
               (name == "constraint" || name == "equality" || name == "frictionloss" ||
                name == "limit" || name == "spring" || name == "damper" || name == "passive"))
        notes_.dropped(child.xml, "flag " + name + "=\"disable\"",
                       "what it turns off is computed here",
                       "remove the forces or constraints themselves");
      else
        notes_.unused(child.xml, "<flag>");
    }
  }
}

void Reader::check_defaults(const Node& node) {
  check_attributes(node.xml, "default", notes_);
  for (const Node& child : node.children) {
    if (child.tag == "default")
      check_defaults(child);
    else if (child.tag == "joint" || child.tag == "geom" || child.tag == "site" ||
             child.tag == "mesh")
      check_attributes(child.xml, child.tag, notes_);
    else if (!is_actuator(child.tag) && child.tag != "material" && child.tag != "camera" &&
             child.tag != "light" && child.tag != "pair" && child.tag != "equality" &&
             child.tag != "tendon")
      notes_.unknown(child.xml, "element <" + child.tag + "> in <default>",
                     did_you_mean(child.tag, {"joint", "geom", "site", "mesh", "material", "camera",
                                              "light", "pair", "equality", "tendon", "general",
                                              "motor", "position", "velocity"}),
                     "MJCF");
  }
}

void Reader::read_assets(const Node& node) {
  for (const Node& child : node.children) {
    if (child.tag == "mesh") {
      check_attributes(child.xml, "mesh", notes_);
      std::string name = child.attribute("name");
      if (name.empty()) {  // the name of the file, without folders and extension
        name = child.attribute("file");
        name = name.substr(name.find_last_of("/\\") + 1);
        name = name.substr(0, name.rfind('.'));
      }
      meshes_.insert_or_assign(
          name, MeshAsset{child.xml, classes_.of(child.xml, "class", classes_.main()),
                          std::any_of(child.children.begin(), child.children.end(),
                                      [](const Node& part) { return part.tag == "plugin"; })});
      for (const Node& part : child.children) notes_.unused(part.xml, "<" + part.tag + ">");
    } else if (child.tag == "material") {
      const Attributes a(child.xml, "material", classes_.of(child.xml, "class", classes_.main()));
      if (a.has("rgba")) materials_[child.attribute("name")] = a.numbers("rgba", 4, 4);
    } else if (child.tag == "texture" || child.tag == "hfield" || child.tag == "skin") {
      notes_.unused(child.xml, "<" + child.tag + ">");
    } else if (child.tag == "model") {
      models_.push_back({child.xml, "", ""});  // read where an <attach> needs it
    } else {
      notes_.unknown(child.xml, "element <" + child.tag + "> in <asset>",
                     did_you_mean(child.tag, {"mesh", "material", "texture", "hfield", "skin"}),
                     "MJCF");
    }
  }
}

/// A section that no algorithm here would use.
void Reader::unused_section(const Node& node) {
  const std::string name = node.tag;
  if (name == "deformable") {
    notes_.dropped(node.xml, "<deformable>", "deformable bodies have mass and move",
                   "make them rigid bodies");
  } else if (name == "sensor" || name == "contact" || name == "custom" || name == "extension") {
    for (const Node& child : node.children)
      notes_.unused(child.xml, name == "sensor" ? "<sensor>" : "<" + child.tag + ">");
  } else if (name == "visual" || name == "statistic" || name == "size") {
    notes_.unused(node.xml, "<" + name + ">");
  } else {
    notes_.unknown(node.xml, "element <" + name + "> in <mujoco>",
                   did_you_mean(name, {"compiler", "option", "default", "asset", "worldbody",
                                       "equality", "tendon", "actuator", "contact", "sensor",
                                       "keyframe", "visual", "statistic", "size", "custom"}),
                   "MJCF");
  }
}

void Reader::scale_to_total_mass() {
  if (!(compiler_.total_mass > 0)) return;
  double sum = 0;
  for (const Link& link : robot_.links) sum += link.inertial.mass;
  if (!(sum > 0)) return;
  for (Link& link : robot_.links) {
    link.inertial.mass *= compiler_.total_mass / sum;
    link.inertial.about_com = link.inertial.about_com * (compiler_.total_mass / sum);
  }
}

/// Loops between links that fixed joints hold together anyway.
void Reader::drop_idle_loops(const XmlElement& root) {
  if (robot_.loops.empty()) return;
  std::unordered_map<std::string, std::string> holder;  // of links on fixed joints
  for (const Joint& joint : robot_.joints)
    if (joint.kind == JointKind::fixed) holder[joint.child] = joint.parent;
  const auto rigid = [&](std::string link) {
    for (auto at = holder.find(link); at != holder.end(); at = holder.find(link)) link = at->second;
    return link;
  };
  std::erase_if(robot_.loops, [&](const LoopJoint& loop) {
    if (rigid(loop.link_a) != rigid(loop.link_b)) return false;
    notes_.unused(root, "loops between bodies that are fixed to each other",
                  Finding::Topic::motion);
    return true;
  });
}

/// Sites share their names with bodies in MJCF, frames do not with links.
void Reader::finish(const XmlElement& root) {
  std::set<std::string> taken = link_names_;
  for (const FrameOnLink& frame : robot_.frames)
    if (!link_names_.contains(frame.name)) taken.insert(frame.name);
  for (FrameOnLink& frame : robot_.frames) {
    if (!link_names_.contains(frame.name)) continue;
    frame.name = fresh(frame.name + "_site", taken);
    notes_.say(root, Finding::Severity::note, "sites with the name of a body are renamed",
               "a frame and a link have different names here", "nothing to do");
  }
  drop_idle_loops(root);
  if (robot_.motors.empty() || (robot_.loops.empty() && robot_.couplings.empty())) return;
  robot_.motors.clear();
  notes_.dropped(root, "friction and inertia of fixed tendons",
                 "motors of several joints do not go with loops and couplings",
                 "give them to the joints");
}

template <class Read>
void Reader::each(const char* section, const Read& read) {
  for (const Node& node : document_.root().children)
    if (node.tag == section) notes_.attempt([&] { read(node); });
}

/// All that comes before the bodies, and the world.
void Reader::read_settings() {
  const Node& root = document_.root();
  totals_->bytes += text_.size();
  robot_.origin = root.xml.origin();
  robot_.name = root.xml.attribute("model").value_or("MuJoCo Model");
  check_attributes(root.xml, "mujoco", notes_);
  each("compiler", [&](const Node& node) { read_compiler(node); });
  each("option", [&](const Node& node) { read_option(node); });
  if (!compiler_.gravity) robot_.gravity = {};
  each("default", [&](const Node& node) {
    classes_.add(node, nullptr);
    check_defaults(node);
  });
  each("asset", [&](const Node& node) { read_assets(node); });
  robot_.root = "world";
  link_names_.insert("world");
  bodies_["world"] = add_link("world", root.xml, {});
}

void Reader::read_world(const std::vector<Item>& items) {
  for (const Item& item : items)
    if (item.node->tag == "joint" || item.node->tag == "freejoint" || item.node->tag == "inertial")
      notes_.attempt([&] {
        item.node->xml.fail("<" + item.node->tag + "> in <worldbody>: the world does not move");
      });
  std::vector<Shape> none;
  for (const Item& item : items)
    if (item.node->tag == "geom") notes_.attempt([&] { read_geom(item, 0, false, none); });
  read_members(items, 0);
}

RobotDescription Reader::run() {
  const Node& root = document_.root();
  read_settings();
  bool any = false;
  each("worldbody", [&](const Node& node) {
    any = true;
    check_attributes(node.xml, "worldbody", notes_);
    std::vector<Item> items;
    expand(node, {{}, classes_.of(node.xml, "childclass", classes_.main())}, items);
    read_world(items);
  });
  if (!any) notes_.attempt([&] { root.xml.fail("<mujoco> has no <worldbody>"); });
  each("tendon", [&](const Node& node) {
    for (const Node& child : node.children) notes_.attempt([&] { read_tendon(child); });
  });
  each("equality", [&](const Node& node) {
    for (const Node& child : node.children) notes_.attempt([&] { read_equality(child); });
  });
  each("actuator", [&](const Node& node) {
    for (const Node& child : node.children) notes_.attempt([&] { read_actuator(child); });
  });
  each("keyframe", [&](const Node& node) {
    for (const Node& child : node.children) notes_.attempt([&] { read_key(child); });
  });
  for (const Node& node : root.children) {
    static const std::set<std::string> read = {"compiler", "option",    "default",
                                               "asset",    "worldbody", "tendon",
                                               "equality", "actuator",  "keyframe"};
    if (!read.contains(node.tag)) unused_section(node);
  }
  scale_to_total_mass();
  finish(root.xml);
  return std::move(robot_);
}

}  // namespace torsor::internal::mjcf
