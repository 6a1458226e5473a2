#pragma once
/// The text of an MJCF file with its includes in place, and its classes of defaults.
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "read_notes.hpp"

namespace torsor::internal::mjcf {

/// An element with its children, those of included files among them.
struct Node {
  XmlElement xml;
  std::string tag;
  std::vector<Node> children;

  std::string attribute(const char* name) const { return xml.attribute(name).value_or(""); }
};

/// Includes are looked for from the folder of the main file, then from that of the file that includes, as
/// MuJoCo 3 does; each file is read once.
class Document {
 public:
  Document(const std::string& text, const std::string& file_name, Findings* errors);
  const Node& root() const { return root_; }
  /// The folder of the main file, "" for the current one.
  const std::string& folder() const { return folder_; }
  /// The file that `at` names, from folder(): in `within` of it, or beside the included file that `at` is
  /// written in.
  std::string file_of(const XmlElement& at, const std::string& within,
                      const std::string& file) const;

 private:
  Node node_of(const XmlElement& element, const std::string& folder, int depth);
  void include(const XmlElement& element, const std::string& folder, int depth,
               std::vector<Node>& into);

  std::vector<std::unique_ptr<XmlDocument>> files_;
  std::set<std::string> included_;
  std::size_t bytes_ = 0;
  std::string folder_;
  Findings* errors_;
  Node root_;
};

/// A class of defaults: what it says itself; the rest is its parent's.
struct Class {
  std::string name;
  const Class* parent = nullptr;
  std::vector<const Node*> settings;
};

class Classes {
 public:
  Classes();
  /// A <default> of the file and all that it nests. Throws Error for a second class of one name.
  void add(const Node& element, const Class* parent);
  const Class* main() const { return main_; }
  /// The class that the attribute `name` of the element names, `otherwise` where there is none.
  const Class* of(const XmlElement& element, const char* name, const Class* otherwise) const;

 private:
  std::vector<std::unique_ptr<Class>> all_;
  std::unordered_map<std::string, Class*> by_name_;
  Class* main_;
};

/// The attributes of an element with its class's defaults.
class Attributes {
 public:
  /// `tag`: under which defaults name it, as "joint"; of actuators any kind of actuator counts.
  Attributes(const XmlElement& own, const char* tag, const Class* defaults, bool actuator = false)
      : own_(own), tag_(tag), class_(defaults), actuator_(actuator) {}

  /// The element that says it: the own one or one of a class; false where none does.
  XmlElement giver(const char* name) const;
  bool has(const char* name) const { return static_cast<bool>(giver(name)); }
  std::string text(const char* name, const std::string& otherwise = "") const;
  double number(const char* name, double otherwise) const;
  Vec3<double> vec3(const char* name, const Vec3<double>& otherwise) const;
  /// Empty where nobody says it.
  std::vector<double> numbers(const char* name, std::size_t least, std::size_t most) const;
  /// One of the words; throws Error for another one.
  std::string word(const char* name, const std::vector<std::string>& words,
                   const std::string& otherwise) const;
  const XmlElement& own() const { return own_; }

 private:
  XmlElement own_;
  const char* tag_;
  const Class* class_;
  bool actuator_;
};

/// Whether a tag is one of <actuator>'s.
bool is_actuator(const std::string& tag);

/// A finding for each attribute of the element that MJCF does not have, or that nothing here uses.
void check_attributes(const XmlElement& element, const std::string& tag, ReadNotes& notes);

}  // namespace torsor::internal::mjcf
