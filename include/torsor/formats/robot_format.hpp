#pragma once
/// The table of robot file formats: what a file is called, what is in it, how it is read and written.
///
/// A format is one source with one RobotFormat, and one row of src/formats/robot_formats.cpp.
/// load_robot, convert and the command know formats by this table alone.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/formats/finding.hpp"
#include "torsor/model/description.hpp"

namespace torsor {

/// A robot in another format.
struct [[nodiscard]] Conversion {
  std::string message;  ///< empty, or one line that says why the format cannot hold the robot
  std::string text;     ///< the file
  std::vector<std::string> notes;  ///< what the format cannot say, or says in another way
  /// Every link of the original by its name: the link of the result that carries it and its pose there.
  std::vector<FrameOnLink> link_frames;

  /// What of the robot is not in the text: kind ignored where motion or forces change by it.
  Findings losses;

  /// Whether joints read back with their kinds, limits, friction and motors as they were; otherwise the
  /// coordinates are the same, and `losses` and `notes` say what is said differently.
  bool exact = true;

  std::string advice;  ///< why the text may hold the robot less exactly than others; mostly empty

  bool ok() const { return message.empty(); }
};

struct RobotFormat {
  const char* name;                          ///< a word: "urdf"
  const char* title;                         ///< for people: "URDF"
  std::vector<std::string_view> extensions;  ///< in lower case, the usual one first: ".urdf"
  /// Whether a text is of this format, where several share an extension.
  bool (*recognises)(std::string_view text);
  /// Throws Error for what cannot be read. `findings`, if there are any, receives the rest.
  RobotDescription (*read)(const std::string& text, const std::string& file_name,
                           Findings* findings);
  /// The same for torsor check: what `read` refuses is a finding of severity error, and reading goes
  /// on with what is left; a number that cannot be read is NaN. Throws Error only for a text of
  /// another language. May be null: then `read` is asked.
  RobotDescription (*examine)(const std::string& text, const std::string& file_name,
                              Findings& findings) = nullptr;
  /// The text with the numbers and names that differ between the robot that was read from it and
  /// another one; inertias, friction, motors, springs and placements that it lacks are inserted, all
  /// else stays byte for byte. What has no place in the text is left as it is (save_edited.hpp finds
  /// out); Error for a placement that the rows of a DH table cannot say.
  /// May be null: then nothing can be edited.
  std::string (*edit)(const std::string& text, const RobotDescription& read,
                      const RobotDescription& wanted) = nullptr;
  /// `tool` is the link or frame that becomes the tool, for formats that have one.
  Conversion (*write)(const RobotDescription& robot, const std::string& tool);
  /// What of this robot the format has no words for; empty where there is nothing.
  std::vector<std::string> (*cannot_say)(const RobotDescription& robot);
};

using RobotFormats = std::span<const RobotFormat>;

RobotFormats robot_formats();

/// Throws Error with the nearest name.
const RobotFormat& robot_format(const std::string& name, RobotFormats formats = robot_formats());
/// The first with the extension of the path; nullptr where there is none.
const RobotFormat* robot_format_of_path(const std::string& path,
                                        RobotFormats formats = robot_formats());
/// Among those with the extension, the first that recognises the text, or else the first.
const RobotFormat* robot_format_of(const std::string& path, std::string_view text,
                                   RobotFormats formats = robot_formats());
/// ".urdf, .xml, .yaml or .yml"; `before_last` is what stands before the last one.
std::string robot_extensions(const char* before_last = " or ",
                             RobotFormats formats = robot_formats());

/// The names of links stay where they are: for the link_frames of most formats.
std::vector<FrameOnLink> unmoved_links(const RobotDescription& robot);

}  // namespace torsor
