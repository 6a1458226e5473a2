#include "sdf/reader.hpp"

#include "torsor/formats/text.hpp"
#include "torsor/model/loop.hpp"

namespace torsor::internal::sdf {

RobotDescription Reader::run() {
  files_.push_back(std::make_unique<XmlDocument>(text_, file_, notes_.errors()));
  bytes_ = text_.size();
  const XmlElement root = files_.front()->root();
  if (root.name() != "sdf") root.fail("the root element of an SDF file is <sdf>");
  const int version = read_version(root);
  check_names(root, notes_);
  robot_.origin = root.origin();
  robot_.root = "world";
  link_names_.insert("world");
  T_world_["world"] = {};
  Link world;
  world.name = "world";
  world.origin = root.origin();
  robot_.links.push_back(std::move(world));

  // The models of a world are nested in a model without a name; so is the only one of a file.
  XmlElement scene = first(root, "world");
  if (scene && root.children("world").size() > 1)
    notes_.unused(root.children("world")[1], "further <world>s", Finding::Topic::motion);
  std::vector<std::pair<XmlElement, XmlElement>> models;  // element, its <include>
  if (scene) {
    check_names(scene, notes_);
    if (const XmlElement gravity = first(scene, "gravity")) {
      const std::vector<double> g = gravity.text_numbers(3);
      robot_.gravity = {g[0], g[1], g[2]};
    } else {
      robot_.gravity = {0, 0, -9.8};
    }
  } else {
    scene = root;
  }
  for (const char* tag : {"joint", "frame"})
    for (const XmlElement& at : scene.children(tag))
      notes_.dropped(at, "<" + std::string(tag) + "> of a world", "models are joined by it",
                     "put it into a model", Finding::Topic::motion);
  for (const XmlElement& at : scene.children()) {
    if (at.name() == "model") models.emplace_back(at, XmlElement{});
    if (at.name() == "include") models.emplace_back(at, at);
  }
  if (models.empty()) root.fail("<sdf> has no <model>");
  std::set<std::string> names;
  for (const auto& [at, by] : models)
    notes_.attempt([&, element = at, include_of = by] {
      auto model = std::make_unique<Model>();
      model->version = version;
      model->xml = include_of ? included_model(include_of, model->version, 0) : element;
      const XmlElement place = include_of && first(include_of, "pose") ? first(include_of, "pose")
                                                                       : first(model->xml, "pose");
      if (place && place.attribute("relative_to").value_or("world") != "world")
        place.fail("the pose of a model in the world is relative to the world here");
      std::string name = model->xml.required("name");
      if (include_of) {
        check_names(include_of, notes_);
        name = text_in(include_of, "name", name);
        model->is_static = truth_in(include_of, "static", false);
      }
      if (!names.insert(name).second) element.fail("another model has the name " + in_quotes(name));
      if (models.size() > 1) model->prefix = name + "::";
      if (robot_.name == "robot" || robot_.links.size() == 1) robot_.name = name;
      read_model(*model, "", 0);
      if (include_of)
        model->placement_frame = text_in(include_of, "placement_frame", model->placement_frame);
      SE3<double> T = read_pose(place);
      if (!model->placement_frame.empty()) T = T * inverse(pose_of(*model, model->placement_frame));
      add_links(*model, T, false);
      add_joints(*model, T);
      models_.push_back(std::move(model));
    });
  hold_roots();
  std::set<std::string> taken = link_names_;
  for (FrameOnLink& frame : robot_.frames) frame.name = fresh(frame.name, taken);
  if (notes_.reads_on()) return std::move(robot_);
  return split_loops(std::move(robot_));
}

}  // namespace torsor::internal::sdf
