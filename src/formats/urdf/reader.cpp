#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "torsor/formats/text.hpp"
#include "torsor/model/loop.hpp"
#include "urdf/elements.hpp"

namespace torsor {
namespace {

using namespace internal::urdf;

/// Calls of macros that the file does not have are left to findings, as other programs leave them out. Depth
/// is limited by XmlDocument, so the recursion is, too.
void refuse_xacro(const XmlElement& element) {
  static const std::set<std::string> language = {
      "xacro:property", "xacro:macro",  "xacro:call",    "xacro:insert_block", "xacro:include",
      "xacro:if",       "xacro:unless", "xacro:element", "xacro:attribute",    "xacro:arg"};
  if (language.contains(element.name()))
    throw Error(element.origin().prefix() + "<" + element.name() +
                ">: this is a xacro file; end its name in .xacro, and it is expanded");
  for (const XmlElement& child : element.children()) refuse_xacro(child);
}

void check_root(const XmlElement& root) {
  const std::string name = root.name();
  if (name == "robot") return;
  std::string kind;
  if (name == "sdf" || name == "world" || name == "model") kind = "; this looks like SDF";
  if (name == "mujoco") kind = "; this looks like a MuJoCo model";
  if (name == "COLLADA") kind = "; this looks like a COLLADA mesh";
  root.fail("the root element of a URDF file is <robot>" + kind);
}

void check_namespace(const XmlElement& root) {
  for (const std::string& name : root.attribute_names()) {
    if (!name.starts_with("xmlns:")) continue;
    const std::string urn = *root.attribute(name.c_str());
    if (name == "xmlns:torsor" && urn != extension_urn)
      root.fail("xmlns:torsor is " + in_quotes(urn) + "; this reader knows " +
                in_quotes(extension_urn));
    if (name != "xmlns:torsor" && urn == extension_urn)
      root.fail(in_quotes(urn) + " must be bound to the prefix torsor, not " +
                in_quotes(name.substr(6)));
  }
}

void note_transmission(const XmlElement& element, Notes& notes) {
  std::string found;
  for (const XmlElement& part : element.children("joint"))
    found += ", joint " + in_quotes(part.attribute("name").value_or(""));
  for (const XmlElement& part : element.children()) {
    if (part.name() != "actuator" && part.name() != "joint" && part.name() != "mechanicalReduction")
      continue;
    if (part.name() == "mechanicalReduction")
      found += ", mechanicalReduction " + in_quotes(part.text());
    for (const XmlElement& reduction : part.children("mechanicalReduction"))
      found += ", mechanicalReduction " + in_quotes(reduction.text());
  }
  notes.not_used(element, "element <transmission>" + found, "<transmission>",
                 "it gives no rotor inertia; <torsor:actuator gear_ratio rotor_inertia/> in the "
                 "joint does");
}

/// A joint that follows none of the robot's has its coordinate to itself.
void drop_loose_mimics(const RobotDescription& robot, std::vector<CouplingRow>& mimics,
                       Notes& notes) {
  std::unordered_map<std::string, int> coordinates;
  std::vector<std::string> names;
  for (const Joint& joint : robot.joints) {
    coordinates.emplace(joint.name, n_q(joint));
    if (names.size() < 100 && n_q(joint) == 1) names.push_back(joint.name);
  }
  std::erase_if(mimics, [&](const CouplingRow& row) {
    const std::string& follower = row.coupling.terms[0].joint;
    const std::string& other = row.coupling.terms[1].joint;
    const auto found = coordinates.find(other);
    if (found != coordinates.end() && found->second == 1) return false;
    const bool unknown = found == coordinates.end();
    notes.add({Finding::Severity::warning, row.coupling.origin, "joint " + in_quotes(follower),
               "ignored <mimic> of " + std::string(unknown ? "the unknown joint " : "joint ") +
                   in_quotes(other) +
                   (unknown ? did_you_mean(other, names) : ", which has not one coordinate"),
               "the joint moves freely", "name a joint of one coordinate, or remove the <mimic>",
               Finding::Kind::ignored});
    return true;
  });
}

/// Following mimics must end somewhere.
void refuse_mimic_cycles(const std::vector<CouplingRow>& mimics) {
  std::unordered_map<std::string, const Coupling*> of;
  for (const CouplingRow& row : mimics) of[row.coupling.terms[0].joint] = &row.coupling;
  std::unordered_set<std::string> done;
  for (const CouplingRow& row : mimics) {
    std::unordered_set<std::string> path;
    std::string at = row.coupling.terms[0].joint;
    while (of.contains(at) && !done.contains(at)) {
      if (!path.insert(at).second)
        throw internal::FileError(
            of.at(at)->origin, "joint " + in_quotes(at),
            "mimics itself through joint " + in_quotes(of.at(at)->terms[1].joint));
      at = of.at(at)->terms[1].joint;
    }
    done.insert(path.begin(), path.end());
  }
}

/// Mimics first, then the extension's, unless the file numbers all of them.
std::vector<Coupling> in_order(std::vector<CouplingRow> rows) {
  if (std::all_of(rows.begin(), rows.end(),
                  [](const CouplingRow& row) { return row.placed && std::isfinite(row.row); }))
    std::stable_sort(rows.begin(), rows.end(),
                     [](const CouplingRow& a, const CouplingRow& b) { return a.row < b.row; });
  std::vector<Coupling> couplings;
  for (CouplingRow& row : rows) couplings.push_back(std::move(row.coupling));
  return couplings;
}

/// With `errors`, they are collected there and reading goes on; otherwise the first is thrown.
RobotDescription read(const std::string& text, const std::string& file_name, Findings* findings,
                      Findings* errors) {
  const XmlDocument document(text, file_name, errors);
  const XmlElement root = document.root();
  refuse_xacro(root);
  check_root(root);
  check_namespace(root);

  Notes notes(findings, errors);
  notes.check_names(root,
                    {"link", "joint", "material", "transmission", "torsor:gravity", "torsor:base",
                     "torsor:frame", "torsor:loop", "torsor:coupling", "torsor:spring_damper",
                     "torsor:motor", "torsor:configuration"},
                    {"name", "version", "torsor:source"},
                    {"gazebo", "sensor", "ros2_control", "group", "contact", "static"});
  if (const std::string version = root.attribute("version").value_or("1.0");
      version != "1.0" && version != "1.1" && version != "1.2")
    notes.add(Finding::Severity::warning, root,
              "version is " + in_quotes(version) + "; the file is read as 1.2",
              "URDF has 1.0, 1.1 and 1.2; another one may mean something else",
              "write version=\"1.2\", or none");
  RobotDescription robot;
  notes.attempt([&] { robot.name = root.required("name"); });
  robot.source = root.attribute("torsor:source").value_or("");
  robot.origin = root.origin();
  for (const char* single : {"torsor:gravity", "torsor:base"})
    notes.attempt([&] { (void)root.child(single); });  // at most one

  Materials materials;
  std::vector<CouplingRow> couplings, further;
  for (const XmlElement& element : root.children("material"))
    notes.attempt([&] { read_material(element, notes, materials); });
  for (const XmlElement& element : root.children()) {
    const std::string name = element.name();
    if (name == "link") {
      robot.links.push_back(read_link(element, notes, materials));
    } else if (name == "joint") {
      robot.joints.push_back(read_joint(element, notes, couplings));
    } else if (name == "transmission") {
      note_transmission(element, notes);
    } else if (name.starts_with(extension_prefix)) {
      notes.attempt([&] { read_extension(element, notes, robot, further); });
    }
  }
  drop_loose_mimics(robot, couplings, notes);
  notes.attempt([&] { refuse_mimic_cycles(couplings); });
  for (CouplingRow& row : couplings)  // multiplier 0
    std::erase_if(row.coupling.terms, [](const auto& term) { return term.factor == 0; });
  couplings.insert(couplings.end(), further.begin(), further.end());
  robot.couplings = in_order(std::move(couplings));
  if (notes.reads_on()) return robot;  // check_model says what is wrong with the tree
  robot = internal::split_loops(std::move(robot));
  robot.root = check_tree(robot);
  note_massless_links(robot, notes);
  return robot;
}

}  // namespace

RobotDescription read_urdf(const std::string& text, const std::string& file_name,
                           Findings* findings) {
  return read(text, file_name, findings, nullptr);
}

RobotDescription internal::urdf::examine(const std::string& text, const std::string& file_name,
                                         Findings& findings) {
  Findings errors;
  RobotDescription robot = read(text, file_name, &findings, &errors);
  findings.insert(findings.begin(), errors.begin(), errors.end());
  return robot;
}

Model<double> load_urdf(const std::string& path, Findings* findings) {
  return Model<double>(read_urdf(read_text_file(path), path, findings));
}

}  // namespace torsor
