// Models, what they nest and include, and the poses of all that is in them.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "package_scope.hpp"
#include "sdf/reader.hpp"
#include "torsor/formats/internal/regular_file.hpp"
#include "torsor/formats/packages.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::sdf {
namespace {

namespace fs = std::filesystem;
using Kind = Entity::Kind;

constexpr int deepest = 32;                // models in models
constexpr int longest_chain = 2000;        // of relative_to
constexpr std::size_t most = 1000000;      // entities
constexpr std::size_t most_files = 10000;  // that are included, each as often as it is

/// Where models are looked for: in the folders of packages that were given, beside the file, in the
/// folders above it, and where Gazebo looks.
std::vector<fs::path> search_folders(const fs::path& file) {
  std::vector<fs::path> folders;
  for (const std::string& folder : PackageScope::folders()) folders.emplace_back(folder);
  std::error_code ignored;
  fs::path folder = fs::absolute(file, ignored).parent_path();
  for (int up = 0; up < 4 && !folder.empty(); ++up) {
    folders.push_back(folder);
    if (folder == folder.parent_path()) break;
    folder = folder.parent_path();
  }
  for (const char* variable : {"GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "SDF_PATH",
                               "GAZEBO_MODEL_PATH", "TORSOR_PACKAGE_PATH"}) {
    const char* value = std::getenv(variable);
    for (const std::string& part : split(value == nullptr ? "" : value, ':'))
      if (!part.empty()) folders.emplace_back(part);
  }
  return folders;
}

/// The newest <sdf> that a model's model.config names, or model.sdf.
fs::path file_of_model(const fs::path& folder) {
  const fs::path config = folder / "model.config";
  std::error_code ignored;
  if (!fs::exists(config, ignored)) return folder / "model.sdf";
  const XmlDocument document(read_regular_file(config.string()), config.string());
  std::string best;
  int newest = -1;
  for (const XmlElement& sdf : document.root().children("sdf")) {
    const std::string version = sdf.attribute("version").value_or("1.0");
    const int number = std::atoi(version.substr(version.find('.') + 1).c_str());
    if (number <= 12 && number > newest) newest = number, best = sdf.text();
  }
  return folder / (best.empty() ? "model.sdf" : best);
}

/// The file of a model that is named by its folder or file; empty where there is none.
fs::path find_model(const XmlElement& at, const std::string& path) {
  std::error_code ignored;
  for (const fs::path& folder : search_folders(at.origin().file)) {
    const fs::path candidate = folder / path;
    if (fs::is_directory(candidate, ignored)) return file_of_model(candidate);
    if (fs::is_regular_file(candidate, ignored)) return candidate;
  }
  const std::size_t slash = std::min(path.find('/'), path.size());
  const std::string package = find_package(path.substr(0, slash), at.origin().file);
  if (package.empty()) return {};
  const fs::path candidate =
      slash + 1 < path.size() ? package / fs::path(path.substr(slash + 1)) : fs::path(package);
  if (fs::is_directory(candidate, ignored)) return file_of_model(candidate);
  return fs::is_regular_file(candidate, ignored) ? candidate : fs::path();
}

/// Gazebo's own: a light and the ground, which its worlds name and only its installation has.
bool is_scenery(const XmlElement& include) {
  const std::string uri = text_in(include, "uri");
  if (uri == "model://sun") return true;
  return uri == "model://ground_plane" && find_model(include, uri.substr(8)).empty();
}

}  // namespace

void Reader::add_entity(Model& model, Kind kind, const XmlElement& at, const std::string& own_frame,
                        std::string name) {
  if (++made_ > most) at.fail("the file has more than a million links, joints and frames");
  if (name.empty()) name = at.required("name");
  if (name.empty()) at.fail("the name is empty");
  // Before 1.8, models that were in other ones have their names before those of what is in them.
  if (name == "world" || (model.version >= 8 && name.find("::") != std::string::npos))
    at.fail("the name " + in_quotes(name) + " is reserved");
  for (auto taken = model.entities.find(name); taken != model.entities.end();
       taken = model.entities.find(name)) {
    // Before 1.7 joints had names of their own; frames came with it.
    const bool apart = model.version < 7 && kind == Kind::joint && taken->second.kind != kind;
    if (!apart)
      at.fail("another element of the " + std::string(model.is_scene ? "world" : "model") +
              " has the name " + in_quotes(name));
    name += "_joint";
  }
  Entity entity;
  entity.kind = kind;
  entity.xml = at;
  entity.relative_to = own_frame;
  if (kind == Kind::joint) {
    entity.attached_to = text_in(at, "child");
    if (entity.attached_to != "world") entity.relative_to = entity.attached_to;
  }
  if (kind == Kind::frame) {
    entity.attached_to = at.attribute("attached_to").value_or("");
    if (!entity.attached_to.empty()) entity.relative_to = entity.attached_to;
  }
  if (const XmlElement pose = first(at, "pose")) {
    check_names(pose, notes_);
    notes_.attempt([&] { entity.raw = read_pose(pose); });
    for (const char* word : {"relative_to", "frame"})
      if (const std::optional<std::string> other = pose.attribute(word); other && !other->empty())
        entity.relative_to = *other;
  }
  model.entities.emplace(name, std::move(entity));
  model.order.push_back(name);
}

/// Of the names of what is in a model `name` in `model`.
std::string Reader::prefix_of(const Model& model, const std::string& name) {
  return model.only_model ? model.prefix : model.prefix + name + "::";
}

/// Models of a world or a file, without scenery.
std::size_t Reader::count_models(const XmlElement& scene) {
  std::size_t count = 0;
  for (const XmlElement& at : scene.children())
    count += at.name() == "model" || (at.name() == "include" && !is_scenery(at));
  return count;
}

/// `own_frame`: the frame that stands for the model's own, of a model merged into another.
void Reader::read_model(Model& model, const std::string& own_frame, int depth) {
  const XmlElement& at = model.xml;
  if (depth > deepest) at.fail("models are nested more than " + std::to_string(deepest) + " deep");
  check_names(at, notes_);
  model.is_static = model.is_static || truth_in(at, "static", false);
  if (own_frame.empty() && !model.is_scene) {
    model.canonical = at.attribute("canonical_link").value_or("");
    model.placement_frame = at.attribute("placement_frame").value_or(model.placement_frame);
  }
  std::vector<XmlElement> children = at.children();
  if (model.version < 7)  // links have their names first
    std::stable_partition(children.begin(), children.end(),
                          [](const XmlElement& child) { return child.name() != "joint"; });
  for (const XmlElement& child : children) {
    const std::string name = child.name();
    notes_.attempt([&] {
      if (name == "link") {
        add_entity(model, Kind::link, child, own_frame);
        if (model.canonical.empty()) model.canonical = child.required("name");
      } else if (name == "joint") {
        add_entity(model, Kind::joint, child, own_frame);
      } else if (name == "frame") {
        check_names(child, notes_);
        add_entity(model, Kind::frame, child, own_frame);
      } else if (name == "include" && model.is_scene && is_scenery(child)) {
        notes_.unused(child, "<include> of " + text_in(child, "uri"));
      } else if (name == "include") {
        include(model, child, depth);
      } else if (name == "model") {
        add_entity(model, Kind::model, child, own_frame);
        auto nested = std::make_unique<Model>();
        nested->xml = child;
        nested->version = model.version;
        nested->prefix = prefix_of(model, child.required("name"));
        nested->is_static = model.is_static;
        read_model(*nested, "", depth + 1);
        if (model.canonical.empty() && !nested->canonical.empty() && !model.is_scene)
          model.canonical = child.required("name") + "::" + nested->canonical;
        model.entities.at(child.required("name")).model = std::move(nested);
      }
    });
  }
}

/// None where the file holds a light or an actor, which worlds include, too.
XmlElement Reader::included_model(const XmlElement& at, int& version, int depth) {
  if (depth >= deepest)
    at.fail("<include> is nested more than " + std::to_string(deepest) + " deep");
  const std::string uri = text_in(at, "uri");
  std::string path = uri;
  for (const char* scheme : {"model://", "file://", "package://"})
    if (path.starts_with(scheme)) path = path.substr(std::string(scheme).size());
  if (path.find("://") != std::string::npos)
    at.fail("<include> uri " + in_quotes(uri) + " is not a local model; download it");
  if (files_.size() > most_files)
    at.fail("more than " + std::to_string(most_files) + " files are included");
  const fs::path found = find_model(at, path);
  if (found.empty())
    at.fail("<include> uri " + in_quotes(uri) +
            " is not found; --package-path, GZ_SIM_RESOURCE_PATH and SDF_PATH name folders with "
            "models");
  const std::string text = read_regular_file(found.string());
  bytes_ += text.size();
  if (bytes_ > text_file_limit) at.fail("the file and its includes are larger than 64 MiB");
  files_.push_back(std::make_unique<XmlDocument>(text, found.string(), notes_.errors()));
  const XmlElement root = files_.back()->root();
  version = read_version(root);
  const std::vector<XmlElement> models = root.children("model");
  if (models.empty() && (first(root, "light") || first(root, "actor"))) return {};
  if (models.size() != 1) root.fail("an included file has one <model>");
  return models[0];
}

void Reader::include(Model& model, const XmlElement& at, int depth) {
  check_names(at, notes_);
  int version = model.version;
  const XmlElement element = included_model(at, version, depth);
  if (!element) return notes_.unused(at, "<include> of " + text_in(at, "uri"));
  std::string name = text_in(at, "name");
  if (name.empty()) name = element.required("name");
  const std::string merge = at.attribute("merge").value_or("false");
  const bool merged = merge == "true" || merge == "1";
  const std::string frame = merged ? "_merged__" + name + "__model__" : name;
  add_entity(model, merged ? Kind::frame : Kind::model, at, "", frame);
  Entity& entity = model.entities.at(frame);
  if (!first(at, "pose")) {
    entity.raw = read_pose(first(element, "pose"));
    entity.relative_to.clear();
  }
  auto nested = std::make_unique<Model>();
  nested->xml = element;
  nested->version = version;
  nested->is_static = model.is_static || truth_in(at, "static", false);
  if (merged) {
    Model part;
    std::swap(part.entities, model.entities);
    part.order = model.order;
    part.prefix = model.prefix;
    part.canonical = model.canonical;
    part.xml = element;
    part.version = version;
    part.is_static = nested->is_static;
    read_model(part, frame, depth + 1);
    std::swap(part.entities, model.entities);
    model.order = part.order;
    if (model.canonical.empty()) model.canonical = part.canonical;
    return;
  }
  nested->prefix = prefix_of(model, name);
  read_model(*nested, "", depth + 1);
  nested->placement_frame = text_in(at, "placement_frame", nested->placement_frame);
  if (model.canonical.empty() && !nested->canonical.empty() && !model.is_scene)
    model.canonical = name + "::" + nested->canonical;
  model.entities.at(frame).model = std::move(nested);
}

SE3<double> Reader::pose_of(Model& model, const std::string& name, int depth) {
  if (name.empty() || name == "__model__" || (model.is_scene && name == "world")) return {};
  if (depth > longest_chain) model.xml.fail("frames follow each other in more than 2000 steps");
  const std::size_t colons = model.entities.contains(name) ? std::string::npos : name.find("::");
  const std::string own = name.substr(0, colons);
  const auto found = model.entities.find(own);
  if (found == model.entities.end()) {
    const std::vector<std::string> known(
        model.order.begin(),
        model.order.begin() +
            static_cast<std::ptrdiff_t>(std::min<std::size_t>(model.order.size(), 200)));
    model.xml.fail("unknown frame " + in_quotes(name) + did_you_mean(name, known));
  }
  Entity& entity = found->second;
  if (entity.state == 1) entity.xml.fail("its pose is relative to itself, through other frames");
  if (entity.state == 0) {
    entity.state = 1;
    SE3<double> X = pose_of(model, entity.relative_to, depth + 1) * entity.raw;
    if (entity.model && !entity.model->placement_frame.empty())
      X = X * inverse(pose_of(*entity.model, entity.model->placement_frame, depth + 1));
    entity.X = X;
    entity.state = 2;
  }
  if (colons == std::string::npos) return entity.X;
  if (!entity.model)
    entity.xml.fail(in_quotes(own) + " is no model, but " + in_quotes(name) + " is used");
  return entity.X * pose_of(*entity.model, name.substr(colons + 2), depth + 1);
}

std::pair<Model*, std::string> Reader::carrier(Model& model, const std::string& name,
                                               const XmlElement& at, int depth) {
  if (name == "world") return {&model, ""};
  if (depth > longest_chain) at.fail("frames are attached to each other in a circle");
  if (name.empty() || name == "__model__") {
    if (model.is_scene) return {&model, ""};
    if (model.canonical.empty()) at.fail("the model has no link");
    return carrier(model, model.canonical, at, depth + 1);
  }
  const std::size_t colons = model.entities.contains(name) ? std::string::npos : name.find("::");
  const auto found = model.entities.find(name.substr(0, colons));
  if (found == model.entities.end()) {
    std::vector<std::string> known;
    for (const std::string& entity : model.order)
      if (known.size() < 200) known.push_back(entity);
    at.fail("unknown link or frame " + in_quotes(name) + did_you_mean(name, known));
  }
  Entity& entity = found->second;
  if (entity.model)
    return carrier(*entity.model, colons == std::string::npos ? "" : name.substr(colons + 2), at,
                   depth + 1);
  if (colons != std::string::npos) at.fail("unknown link or frame " + in_quotes(name));
  if (entity.kind == Kind::link) return {&model, name};
  return carrier(model, entity.attached_to, at, depth + 1);
}

}  // namespace torsor::internal::sdf
