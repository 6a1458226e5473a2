#pragma once
/// Small SDF files for the frames and joints that the reader knows, in the words of SDF 1.9.
#include <string>
#include <vector>

namespace torsor::testing {

struct SdfFile {
  std::string name, text;
  friend void PrintTo(const SdfFile& file, std::ostream* out) { *out << file.name; }
};

inline std::string sdf_inertial() {
  return "<inertial><pose>0.1 0.2 0.3 0.3 0.2 0.1</pose><mass>2</mass><inertia><ixx>0.1</ixx>"
         "<iyy>0.2</iyy><izz>0.25</izz><ixy>0.01</ixy><ixz>0.02</ixz><iyz>0.03</iyz></inertia>"
         "</inertial>";
}

inline std::vector<SdfFile> sdf_files() {
  const std::string body = sdf_inertial();
  const auto link = [&](const std::string& name, const std::string& pose = "") {
    return "<link name=\"" + name + "\">" + pose + body + "</link>";
  };
  const auto joint = [](const std::string& name, const std::string& type, const std::string& parent,
                        const std::string& child, const std::string& more) {
    return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent>" + parent +
           "</parent><child>" + child + "</child>" + more + "</joint>";
  };
  const auto file = [](const std::string& inside, const std::string& version = "1.9") {
    return "<?xml version=\"1.0\"?><sdf version=\"" + version + "\"><model name=\"m\">" + inside +
           "</model></sdf>";
  };
  const std::string hold = joint("hold", "fixed", "world", "a", "");
  const std::string oblique = "<axis><xyz>0.6 0 0.8</xyz></axis>";
  return {
      {"plain",
       file("<pose>1 2 3 0.1 0.2 0.3</pose>" + hold + link("a", "<pose>0 0 1 0.2 0 0</pose>") +
            link("b", "<pose>0.5 0 1 0 0.3 1</pose>") +
            joint("j", "revolute", "a", "b", "<pose>0.1 0.2 0 0 0 0.4</pose>" + oblique))},
      {"relative",
       file(hold + link("a") +
            "<frame name=\"f\" attached_to=\"a\"><pose>0 0 0.5 0.1 0.2 0.3</pose></frame>"
            "<frame name=\"g\" attached_to=\"f\"><pose relative_to=\"b\">0.1 0 0 0 0 0</pose>"
            "</frame>" +
            link("b", "<pose relative_to=\"f\" degrees=\"true\">0 1 0 10 20 30</pose>") +
            link("c",
                 "<pose relative_to=\"j\" rotation_format=\"quat_xyzw\">0 0 0.3 0.1 "
                 "0.2 0.3 0.9273618495495704</pose>") +
            joint("i", "prismatic", "a", "b",
                  "<axis><xyz expressed_in=\"f\">0 0.6 0.8</xyz></axis>") +
            joint("j", "revolute", "f", "c",
                  "<pose relative_to=\"b\">0.2 0 0 0 0 0.7</pose><axis><xyz "
                  "expressed_in=\"g\">1 0 0</xyz></axis>"))},
      {"nested",
       file(hold + link("a") +
            "<model name=\"n\" placement_frame=\"d\"><pose relative_to=\"a\">1 0 0 0 0 0.5</pose>" +
            link("c", "<pose>0.2 0 0 0 0 0.1</pose>") + link("d", "<pose>0 0.3 0 0.4 0 0</pose>") +
            joint("k", "revolute", "c", "d", oblique) + "</model>" +
            joint("j", "revolute", "a", "n::c", oblique))},
      {"old", file(hold + link("a") + link("b", "<pose>0.5 0 1 0 0.3 1</pose>") +
                       joint("j", "revolute", "a", "b",
                             "<pose>0.1 0.2 0 0 0 0.4</pose><axis><xyz>0.6 0 0.8</xyz>"
                             "<use_parent_model_frame>true</use_parent_model_frame></axis>"),
                   "1.6")},
  };
}

}  // namespace torsor::testing
