#pragma once
/// What is wrong with a robot file, all of it at once, and a repair that edits the file's text.
///
/// Reading goes on after what every other reader refuses (a number that is none, an unknown type, a
/// zero axis, a name that does not resolve): each is a finding of severity error.
#include <string>
#include <vector>

#include "torsor/formats/check_model.hpp"
#include "torsor/formats/robot_format.hpp"

namespace torsor {

struct FileCheck {
  std::string name;                     ///< of the file, as findings have it
  std::string text;                     ///< as it was read
  const RobotFormat* format = nullptr;  ///< none for a robot made by code (chain:N)
  RobotDescription robot;               ///< as far as it could be read
  Findings findings;                    ///< most severe first, then by line
};

/// Of a file or a built-in robot. Throws Error for what cannot be opened or is neither XML nor YAML.
FileCheck check_file(const std::string& path_or_name, const CheckOptions& options = {},
                     RobotFormats formats = robot_formats());

struct [[nodiscard]] FileRepair {
  std::vector<std::string> changes;  ///< one line each: element, old value, new value
  FileCheck after;                   ///< the new text, read again and checked
};

/// What repair_model repairs, as edits of the text: all else stays byte for byte. What the text has
/// no place for, or other programs refer to by its name, stays as it is.
FileRepair repair_file(const FileCheck& check, const CheckOptions& options = {});

}  // namespace torsor
