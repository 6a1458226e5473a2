#include "mjcf/document.hpp"

#include <algorithm>
#include <filesystem>

#include "torsor/formats/internal/regular_file.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/description.hpp"

namespace torsor::internal::mjcf {
namespace {

namespace fs = std::filesystem;
constexpr int include_depth = 16;

/// The path without "." and ".."; a link to a file is another one, as it is in MuJoCo.
fs::path plain(const fs::path& path) {
  std::error_code error;
  const fs::path found = fs::absolute(path, error);
  return (error ? path : found).lexically_normal();
}

}  // namespace

Document::Document(const std::string& text, const std::string& file_name, Findings* errors)
    : folder_(fs::path(file_name).parent_path().string()), errors_(errors) {
  files_.push_back(std::make_unique<XmlDocument>(text, file_name, errors, xml_deep_limit));
  bytes_ = text.size();
  included_.insert(plain(file_name).string());
  const XmlElement root = files_.front()->root();
  if (root.name() != "mujoco") root.fail("the root element of an MJCF file is <mujoco>");
  root_ = node_of(root, folder_, 0);
}

Node Document::node_of(const XmlElement& element, const std::string& folder, int depth) {
  Node node{element, element.name(), {}};
  for (const XmlElement& child : element.children())
    if (child.name() == "include")
      include(child, folder, depth, node.children);
    else
      node.children.push_back(node_of(child, folder, depth));
  return node;
}

void Document::include(const XmlElement& element, const std::string& folder, int depth,
                       std::vector<Node>& into) {
  const std::string file = element.required("file");
  std::error_code ignored;
  fs::path path = fs::path(folder_) / file;
  if (!fs::exists(path, ignored) && fs::exists(fs::path(folder) / file, ignored))
    path = fs::path(folder) / file;
  const fs::path found = plain(path);
  if (depth == include_depth)
    element.fail("<include> is nested more than " + std::to_string(include_depth) + " deep");
  if (!included_.insert(found.string()).second)
    element.fail("<include> file " + in_quotes(file) + " is included already");
  std::string text;
  try {
    text = read_regular_file(path.string());
  } catch (const Error& refused) {
    element.fail(refused.what());
  }
  bytes_ += text.size();
  if (bytes_ > text_file_limit) element.fail("the file and its includes are larger than 64 MiB");
  files_.push_back(std::make_unique<XmlDocument>(text, path.string(), errors_, xml_deep_limit));
  const XmlElement root = files_.back()->root();  // of any name
  for (Node& child : node_of(root, path.parent_path().string(), depth + 1).children)
    into.push_back(std::move(child));
}

std::string Document::file_of(const XmlElement& at, const std::string& within,
                              const std::string& file) const {
  const fs::path usual = fs::path(within) / file;
  const fs::path writer = fs::path(at.origin().file).parent_path();
  std::error_code ignored;
  if (writer == folder_ || fs::exists(fs::path(folder_) / usual, ignored) ||
      !fs::exists(writer / file, ignored))
    return usual.generic_string();
  const fs::path beside = (writer / file).lexically_proximate(folder_);
  return beside.generic_string();
}

Classes::Classes() {
  all_.push_back(std::make_unique<Class>());
  main_ = all_.back().get();
  main_->name = "main";
  by_name_["main"] = main_;
}

void Classes::add(const Node& element, const Class* parent) {
  Class* own = main_;
  const std::optional<std::string> name = element.xml.attribute("class");
  if (parent != nullptr || (name && *name != "main")) {
    if (!name || name->empty()) element.xml.fail("a nested <default> needs a class");
    if (by_name_.contains(*name))
      element.xml.fail("another <default> has the class " + in_quotes(*name));
    all_.push_back(std::make_unique<Class>());
    own = all_.back().get();
    own->name = *name;
    own->parent = parent != nullptr ? parent : main_;
    by_name_[*name] = own;
  }
  for (const Node& child : element.children)
    if (child.tag != "default") own->settings.push_back(&child);
  for (const Node& child : element.children)
    if (child.tag == "default") add(child, own);
}

const Class* Classes::of(const XmlElement& element, const char* name,
                         const Class* otherwise) const {
  const std::optional<std::string> wanted = element.attribute(name);
  if (!wanted) return otherwise;
  const auto found = by_name_.find(*wanted);
  if (found != by_name_.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& one : all_)
    if (known.size() < 100) known.push_back(one->name);
  element.fail("unknown class " + in_quotes(*wanted) + did_you_mean(*wanted, known));
}

bool is_actuator(const std::string& tag) {
  static const std::set<std::string> tags = {
      "general", "motor",   "position", "velocity", "intvelocity", "orientation", "pid",
      "damper",  "dcmotor", "cylinder", "muscle",   "adhesion",    "plugin"};
  return tags.contains(tag);
}

XmlElement Attributes::giver(const char* name) const {
  if (own_.attribute(name)) return own_;
  for (const Class* c = class_; c != nullptr; c = c->parent) {
    XmlElement found;  // the last one counts
    for (const Node* setting : c->settings)
      if ((setting->tag == tag_ || (actuator_ && is_actuator(setting->tag))) &&
          setting->xml.attribute(name))
        found = setting->xml;
    if (found) return found;
  }
  return {};
}
std::string Attributes::text(const char* name, const std::string& otherwise) const {
  const XmlElement from = giver(name);
  return from ? *from.attribute(name) : otherwise;
}
double Attributes::number(const char* name, double otherwise) const {
  const XmlElement from = giver(name);
  return from ? from.number(name) : otherwise;
}
Vec3<double> Attributes::vec3(const char* name, const Vec3<double>& otherwise) const {
  const XmlElement from = giver(name);
  return from ? from.vec3(name) : otherwise;
}
std::vector<double> Attributes::numbers(const char* name, std::size_t least,
                                        std::size_t most) const {
  const XmlElement from = giver(name);
  return from ? from.numbers(name, least, most) : std::vector<double>{};
}
std::string Attributes::word(const char* name, const std::vector<std::string>& words,
                             const std::string& otherwise) const {
  const XmlElement from = giver(name);
  if (!from) return otherwise;
  const std::string value = *from.attribute(name);
  if (std::find(words.begin(), words.end(), value) == words.end())
    from.fail("<" + from.name() + "> " + name + " is " + in_quotes(value) +
              did_you_mean(value, words) + " (" + listed(words) + ")");
  return value;
}

}  // namespace torsor::internal::mjcf
