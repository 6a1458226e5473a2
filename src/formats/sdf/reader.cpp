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
  if (first(root, "world")) check_names(root, notes_);
  robot_.origin = root.origin();
  robot_.root = "world";
  link_names_.insert("world");
  T_world_["world"] = {};
  Link world;
  world.name = "world";
  world.origin = root.origin();
  robot_.links.push_back(std::move(world));

  auto scene = std::make_unique<Model>();
  scene->is_scene = true;
  scene->version = version;
  scene->xml = first(root, "world");
  if (scene->xml && root.children("world").size() > 1)
    notes_.unused(root.children("world")[1], "further <world>s", Finding::Topic::motion);
  if (scene->xml) {
    if (const XmlElement gravity = first(scene->xml, "gravity")) {
      const std::vector<double> g = gravity.text_numbers(3);
      robot_.gravity = {g[0], g[1], g[2]};
    } else {
      robot_.gravity = {0, 0, -9.8};
    }
  } else {
    scene->xml = root;
  }
  const std::size_t models = count_models(scene->xml);
  if (models == 0) root.fail("<sdf> has no <model>");
  scene->only_model = models == 1;
  read_model(*scene, "", 0);
  for (const std::string& name : scene->order)
    if (scene->entities.at(name).kind == Entity::Kind::model) {
      robot_.name = name;
      break;
    }
  add_links(*scene, {}, false);
  add_joints(*scene, {});
  models_.push_back(std::move(scene));
  hold_roots();
  std::set<std::string> taken = link_names_;
  for (FrameOnLink& frame : robot_.frames) frame.name = fresh(frame.name, taken);
  if (notes_.reads_on()) return std::move(robot_);
  return split_loops(std::move(robot_));
}

}  // namespace torsor::internal::sdf
