// Poses, numbers in text, and the names that SDF has.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <sstream>

#include "rpy.hpp"
#include "sdf/reader.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal::sdf {
namespace {

std::set<std::string> words(const char* list) {
  std::istringstream in(list);
  std::set<std::string> all;
  for (std::string word; in >> word;) all.insert(word);
  return all;
}

struct Row {
  std::set<std::string> used, drawn, other;  // children; attributes begin with "@"
};

const std::map<std::string, Row>& table() {
  static const std::map<std::string, Row> rows = {
      {"sdf", {words("@version model world"), words("light actor"), words("@xmlns:xacro")}},
      {"world",
       {words("@name model include gravity joint frame"), words("scene light gui audio"),
        words("physics plugin magnetic_field atmosphere wind spherical_coordinates road state "
              "population actor")}},
      {"model",
       {words("@name @canonical_link @placement_frame pose link joint frame model include static"),
        {},
        words("self_collide allow_auto_disable enable_wind plugin gripper @version")}},
      {"include",
       {words("@merge @placement_frame uri name pose static placement_frame"),
        {},
        words("plugin")}},
      {"link",
       {words("@name pose inertial visual collision gravity kinematic"),
        words("light projector particle_emitter"),
        words("sensor self_collide must_be_base_link velocity_decay audio_source audio_sink "
              "battery enable_wind material plugin")}},
      {"inertial",
       {words("@auto pose mass inertia density fluid_added_mass"),
        {},
        words("auto_inertia_params @frame")}},
      {"joint",
       {words("@name @type pose parent child axis axis2 thread_pitch screw_thread_pitch"),
        {},
        words("physics sensor gearbox_ratio gearbox_reference_body")}},
      {"axis",
       {words("xyz dynamics limit use_parent_model_frame mimic"), {}, words("initial_position")}},
      {"limit", {words("lower upper effort velocity"), {}, words("stiffness dissipation")}},
      {"dynamics", {words("damping friction spring_reference spring_stiffness"), {}, {}}},
      {"mimic", {words("@joint @axis multiplier offset reference"), {}, {}}},
      {"frame", {words("@name @attached_to pose"), {}, {}}},
      {"pose", {words("@relative_to @frame @rotation_format @degrees"), {}, {}}},
      {"visual",
       {words("@name pose geometry material"),
        words("cast_shadows laser_retro transparency meta visibility_flags plugin"),
        {}}},
      {"collision",
       {words("@name pose geometry density"),
        words("surface laser_retro max_contacts auto_inertia_params"),
        {}}},
  };
  return rows;
}

}  // namespace

void check_names(const XmlElement& element, ReadNotes& notes) {
  const std::string tag = element.name();
  const auto found = table().find(tag == "axis2" ? "axis" : tag);
  if (found == table().end()) return;
  const Row& row = found->second;
  const std::vector<std::string> known(row.used.begin(), row.used.end());
  for (const XmlElement& child : element.children()) {
    const std::string name = child.name();
    if (row.used.contains(name)) continue;
    if (row.drawn.contains(name) || row.other.contains(name) ||
        name.find(':') != std::string::npos)  // of another program
      notes.unused(child, "<" + name + ">");
    else
      notes.unknown(child, "element <" + name + "> in <" + tag + ">", did_you_mean(name, known),
                    "SDF");
  }
  for (const std::string& name : element.attribute_names()) {
    if (row.used.contains("@" + name) || name.starts_with("xmlns")) continue;
    if (row.other.contains("@" + name) || name.find(':') != std::string::npos)
      notes.unused(element, "attribute " + in_quotes(name));
    else
      notes.unknown(element, "attribute " + in_quotes(name) + " of <" + tag + ">",
                    did_you_mean("@" + name, known), "SDF");
  }
}

int read_version(const XmlElement& root) {
  const std::string version = root.attribute("version").value_or("");
  int number = 0;
  const char* const end = version.data() + version.size();
  if (!version.starts_with("1.") || std::from_chars(version.data() + 2, end, number).ptr != end ||
      number < 2 || number > 12)
    root.fail("<sdf> version is " + in_quotes(version) + "; 1.2 to 1.11 are read");
  return std::max(number, 4);  // of models, 1.2 and 1.3 say what 1.4 says
}

XmlElement first(const XmlElement& element, const char* name) {
  const std::vector<XmlElement> all = element.children(name);
  return all.empty() ? XmlElement{} : all[0];
}
double number_in(const XmlElement& element, const char* child, double otherwise) {
  const XmlElement at = first(element, child);
  if (!at) return otherwise;
  const std::string text = at.text();
  if (text == "inf" || text == "+inf") return infinity;
  if (text == "-inf") return -infinity;
  return at.text_numbers(1)[0];
}
std::string text_in(const XmlElement& element, const char* child, const std::string& otherwise) {
  const XmlElement at = first(element, child);
  if (!at) return otherwise;
  std::string text = at.text();
  text.erase(0, text.find_first_not_of(" \t\r\n"));
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}
bool truth_in(const XmlElement& element, const char* child, bool otherwise) {
  const std::string text = text_in(element, child, otherwise ? "true" : "false");
  if (text == "true" || text == "1") return true;
  if (text != "false" && text != "0")
    first(element, child)
        .fail("<" + std::string(child) + "> is " + in_quotes(text) + ", not true or false");
  return false;
}

SE3<double> read_pose(const XmlElement& pose) {
  if (!pose) return {};
  if (pose.text().find_first_not_of(" \t\r\n") == std::string::npos) return {};
  const std::string format = pose.attribute("rotation_format").value_or("euler_rpy");
  if (format == "quat_xyzw") {
    const std::vector<double> v = pose.text_numbers(7);
    const double n = std::hypot(std::hypot(v[3], v[4]), std::hypot(v[5], v[6]));
    if (n == 0) pose.fail("<pose> has a quaternion of zeros");
    if (std::isnan(n)) return {SO3<double>::identity(), {v[0], v[1], v[2]}};
    return {rotation(Quaternion<double>{v[3] / n, v[4] / n, v[5] / n, v[6] / n}),
            {v[0], v[1], v[2]}};
  }
  if (format != "euler_rpy")
    pose.fail("<pose> rotation_format is " + in_quotes(format) +
              did_you_mean(format, {"euler_rpy", "quat_xyzw"}));
  const std::vector<double> v = pose.text_numbers(6);
  const std::string degrees = pose.attribute("degrees").value_or("false");
  const double unit = degrees == "true" || degrees == "1" ? std::numbers::pi / 180 : 1;
  return {rotation_xyz(unit * Vec3<double>{v[3], v[4], v[5]}), {v[0], v[1], v[2]}};
}

SE3<double> between(const SE3<double>& A, const SE3<double>& B) {
  const SE3<double> T = inverse(A) * B;
  const double rounding = 1e-15;
  return {tidied(T.R, rounding), tidied(T.p, rounding * (1 + norm(A.p) + norm(B.p)))};
}

}  // namespace torsor::internal::sdf
