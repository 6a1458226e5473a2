// <attach>: a body, a frame or the whole world of another model, or a frame of this one, under new names.
//
// The other model is read with its own <compiler>, defaults and meshes; of what is outside of its bodies,
// that counts which mentions nothing but what is attached. Its options and keyframes do not.
#include <filesystem>

#include "mjcf/reader.hpp"
#include "torsor/formats/internal/regular_file.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::mjcf {
namespace {

constexpr int deepest = 16;                 // models in models
constexpr std::size_t most_parts = 1000;    // that are read
constexpr std::size_t most_made = 1000000;  // elements

struct Found {
  const Node* node = nullptr;
  const Class* defaults = nullptr;
};

/// The body or frame of that name, with the class of defaults around it.
Found find_part(const Node& in, const std::string& tag, const std::string& name,
                const Class* defaults, const Classes& classes) {
  for (const Node& child : in.children) {
    if (child.tag == tag && child.attribute("name") == name) return {&child, defaults};
    if (child.tag != "body" && child.tag != "frame" && child.tag != "replicate") continue;
    const Found found =
        find_part(child, tag, name, classes.of(child.xml, "childclass", defaults), classes);
    if (found.node != nullptr) return found;
  }
  return {};
}

}  // namespace

/// `tag`: "body", "frame", or "worldbody" for all of it.
void Reader::read_part(const XmlElement& at, const std::string& tag, const std::string& name) {
  read_settings();
  bool any = false;
  for (const Node& world : document_.root().children) {
    if (world.tag != "worldbody") continue;
    const Class* around = classes_.of(world.xml, "childclass", classes_.main());
    std::vector<Item> items;
    if (tag == "worldbody") {
      expand(world, {{}, around}, items);
    } else {
      const Found found = find_part(world, tag, name, around, classes_);
      if (found.node == nullptr) continue;
      if (tag == "body") {
        items.push_back({found.node, {{}, found.defaults}});
      } else {
        const XmlElement& frame = found.node->xml;
        check_attributes(frame, "frame", notes_);
        expand(*found.node,
               {read_pose(Attributes(frame, "frame", nullptr), compiler_),
                classes_.of(frame, "childclass", found.defaults)},
               items);
      }
    }
    any = true;
    read_world(items);
    if (tag != "worldbody") break;
  }
  if (!any) at.fail("the model has no " + tag + (tag == "worldbody" ? "" : " " + in_quotes(name)));
  read_references_of_part();
}

void Reader::read_references_of_part() {
  const auto some = [&](const Node& node, const auto& read) {
    for (const Node& child : node.children) try {
        read(child);
      } catch (const Error&) {
        notes_.unused(child.xml, "parts of a model that refer to what is not attached",
                      Finding::Topic::motion);
      }
  };
  for (const char* section : {"tendon", "equality", "actuator"})
    for (const Node& node : document_.root().children) {
      if (node.tag != section) continue;
      if (node.tag == "tendon") some(node, [&](const Node& child) { read_tendon(child); });
      if (node.tag == "equality") some(node, [&](const Node& child) { read_equality(child); });
      if (node.tag == "actuator") some(node, [&](const Node& child) { read_actuator(child); });
    }
  for (const Node& node : document_.root().children)
    if (node.tag == "keyframe")
      notes_.unused(node.xml, "keyframes of attached models", Finding::Topic::motion);
}

Reader::ModelAsset& Reader::model_asset(const XmlElement& at, const std::string& name) {
  std::vector<std::string> known;
  for (ModelAsset& model : models_) {
    const std::optional<std::string> given = model.xml.attribute("name");
    if (model.path.empty() && (!given || *given == name)) {
      model.path = (std::filesystem::path(document_.folder()) /
                    document_.file_of(model.xml, "", model.xml.required("file")))
                       .string();
      try {
        model.text = read_regular_file(model.path);
      } catch (const Error& refused) {
        model.xml.fail("<model>: " + std::string(refused.what()));
      }
      totals_->bytes += model.text.size();
      if (totals_->bytes > text_file_limit)
        model.xml.fail("the file and the models in it are larger than 64 MiB");
    }
    const std::string own = given ? *given
                                  : XmlDocument(model.text, model.path, nullptr, xml_deep_limit)
                                        .root()
                                        .attribute("model")
                                        .value_or("MuJoCo Model");
    if (own == name) return model;
    if (known.size() < 100) known.push_back(own);
  }
  at.fail("unknown model " + in_quotes(name) + did_you_mean(name, known));
}

const Reader& Reader::part_of(const XmlElement& at) {
  if (at.attribute("body") && at.attribute("frame"))
    at.fail("<attach> has body and frame; remove one of them");
  const std::optional<std::string> model = at.attribute("model");
  const std::string tag = at.attribute("body")    ? "body"
                          : at.attribute("frame") ? "frame"
                                                  : "worldbody";
  const std::string name = at.attribute(tag.c_str()).value_or("");
  if (!model && tag == "worldbody") at.fail("<attach> has neither model, body nor frame");
  Part& part = parts_[model.value_or("") + "\n" + tag + "\n" + name];
  if (part.reader != nullptr) return *part.reader;
  if (depth_ >= deepest)
    at.fail("models are attached to each other more than " + std::to_string(deepest) + " deep");
  if (parts_.size() > most_parts)
    at.fail("more than " + std::to_string(most_parts) + " parts are attached");
  std::string path = file_;
  if (model) {
    const ModelAsset& asset = model_asset(at, *model);
    path = asset.path;
    part.text = asset.text;
  }
  const std::string& text = model ? part.text : text_;
  if (totals_->bytes + text.size() > text_file_limit)
    at.fail("the file and the models in it are larger than 64 MiB");
  auto reader =
      std::make_unique<Reader>(text, path, findings_, notes_.errors(), depth_ + 1, totals_);
  reader->read_part(at, tag, name);
  part.reader = std::move(reader);
  return *part.reader;
}

/// `link`: what carries the part.
void Reader::attach(const Item& item, std::size_t link) {
  const XmlElement& at = item.node->xml;
  check_attributes(at, "attach", notes_);
  const std::string prefix = at.required("prefix");
  const Reader& part = part_of(at);
  const RobotDescription& other = part.robot_;
  const SE3<double>& T = item.place.T;
  const auto named = [&](const std::string& name) { return prefix + name + item.place.suffix; };
  totals_->made += other.links.size() + other.frames.size();
  for (const Link& one : other.links) totals_->made += one.geometry.size();
  if (totals_->made > most_made)
    at.fail("the file makes more than " + std::to_string(most_made) + " elements");
  if (link != 0 && !other.links[0].geometry.empty())
    at.fail(
        "shapes that stand in the attached frame itself would weigh on the body here; put them "
        "into a body of their own");

  std::vector<std::size_t> links{link};
  for (Geometry shape : other.links[0].geometry) {
    shape.placement = T * shape.placement;
    robot_.links[link].geometry.push_back(std::move(shape));
  }
  for (std::size_t k = 1; k < other.links.size(); ++k) {
    Link own = other.links[k];
    own.name = named(own.name);
    if (!link_names_.insert(own.name).second)
      at.fail("another body has the name " + in_quotes(own.name));
    links.push_back(robot_.links.size());
    robot_.links.push_back(std::move(own));
    T_world_.push_back(T_world_[link] * T * part.T_world_[k]);
  }
  const auto link_named = [&](const std::string& name) {
    return name == "world" ? robot_.links[link].name : named(name);
  };
  const std::size_t first_joint = robot_.joints.size();
  for (Joint joint : other.joints) {
    joint.name = named(joint.name);
    if (!joint_names_.insert(joint.name).second)
      at.fail("another joint has the name " + in_quotes(joint.name));
    if (joint.parent == "world") {
      if (joint.kind == JointKind::free && link != 0)
        at.fail("joint " + in_quotes(joint.name) +
                " is free: such a body is attached to the <worldbody>");
      joint.placement = T * joint.placement;
    }
    joint.parent = link_named(joint.parent);
    joint.child = named(joint.child);
    robot_.joints.push_back(std::move(joint));
  }
  join_names(part, links, first_joint, T, named);
  leaves_bodies_out_ = leaves_bodies_out_ || part.leaves_bodies_out_;
}

/// What mentions links and joints of the part, and the names by which the file may mention them.
void Reader::join_names(const Reader& part, const std::vector<std::size_t>& links,
                        std::size_t first_joint, const SE3<double>& T,
                        const std::function<std::string(const std::string&)>& named) {
  const RobotDescription& other = part.robot_;
  const auto link_named = [&](const std::string& name) {
    return name == "world" || name.empty() ? robot_.links[links[0]].name : named(name);
  };
  const auto on = [&](const std::string& name, const SE3<double>& placement) {
    return name == "world" || name.empty() ? T * placement : placement;
  };
  const auto renamed = [&](std::vector<Coupling::Term> terms) {
    for (Coupling::Term& term : terms) term.joint = named(term.joint);
    return terms;
  };
  for (FrameOnLink frame : other.frames) {
    frame.name = named(frame.name);
    frame.placement = on(frame.link, frame.placement);
    frame.link = link_named(frame.link);
    robot_.frames.push_back(std::move(frame));
  }
  for (LoopJoint loop : other.loops) {
    loop.name = fresh(named(loop.name), loop_names_);
    loop.placement_a = on(loop.link_a, loop.placement_a);
    loop.placement_b = on(loop.link_b, loop.placement_b);
    loop.link_a = link_named(loop.link_a);
    loop.link_b = link_named(loop.link_b);
    robot_.loops.push_back(std::move(loop));
  }
  for (Coupling coupling : other.couplings) {
    coupling.name = fresh(named(coupling.name), loop_names_);
    coupling.terms = renamed(std::move(coupling.terms));
    robot_.couplings.push_back(std::move(coupling));
  }
  for (SpringDamper spring : other.springs) {
    spring.name = fresh(named(spring.name), spring_names_);
    spring.point_a = on(spring.link_a, {SO3<double>::identity(), spring.point_a}).p;
    spring.point_b = on(spring.link_b, {SO3<double>::identity(), spring.point_b}).p;
    spring.link_a = link_named(spring.link_a);
    spring.link_b = link_named(spring.link_b);
    robot_.springs.push_back(std::move(spring));
  }
  for (Motor motor : other.motors) {
    motor.name = named(motor.name);
    motor.ratios = renamed(std::move(motor.ratios));
    robot_.motors.push_back(std::move(motor));
  }
  for (const auto& [name, index] : part.bodies_)
    if (index != 0) bodies_[named(name)] = links[index];
  for (const auto& [name, known] : part.joints_)
    joints_[named(name)] = {first_joint + known.joint, known.ref};
  for (const auto& [name, site] : part.sites_)
    sites_[named(name)] = {links[site.link], site.link == 0 ? T * site.T : site.T};
  for (const auto& [name, tendon] : part.tendons_) {
    Tendon own = tendon;
    own.terms = renamed(std::move(own.terms));
    tendons_[named(name)] = std::move(own);
  }
}

}  // namespace torsor::internal::mjcf
