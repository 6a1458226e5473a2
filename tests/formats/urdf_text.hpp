#pragma once
/// A small robot as URDF.
#include <string>

namespace torsor::testing {

/// A robot of two links and one joint, with the given text in the places.
inline std::string two_links(const std::string& joint, const std::string& type = "revolute",
                             const std::string& link = "", const std::string& robot = "") {
  return "<robot name=\"r\" xmlns:torsor=\"urn:torsor:urdf:1\">\n" + robot +
         "\n<link name=\"a\"/>\n<link name=\"b\">" + link + "</link>\n<joint name=\"j\" type=\"" +
         type + "\"><parent link=\"a\"/><child link=\"b\"/>" + joint + "</joint>\n</robot>\n";
}
inline const std::string mass =
    "<inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" "
    "iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>";
inline const std::string limit = "<limit lower=\"-1\" upper=\"2\" effort=\"3\" velocity=\"4\"/>";

}  // namespace torsor::testing
