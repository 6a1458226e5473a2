#pragma once
/// Something that a reader or check_model has to say about a robot that could be read.
#include <string>
#include <vector>

#include "torsor/model/error.hpp"

namespace torsor {

struct Finding {
  /// note: nothing is wrong; warning: results may be; error: not to be used like this.
  enum class Severity : unsigned char { note, warning, error };
  /// What it is about, where more than one speaks of it or something is done about it.
  enum class Kind : unsigned char {
    other,
    ignored,     ///< dropped, though motion or forces are others without it
    not_used,    ///< dropped: what is there for other programs; `subject` says what
    unreadable,  ///< the file cannot be used as it stands: what a reader refuses
    not_finite,
    axis_length,
    limit_order,
    limit_range,
    velocity_limit,
    effort_limit,
    acceleration_limit,
    jerk_limit,
    impossible_inertia,
    point_mass,
    inertia_without_mass,
    massless_body
  };

  /// What it touches: frames and motion, masses and forces, or pictures alone.
  enum class Topic : unsigned char { motion, dynamics, drawing };

  Severity severity = Severity::note;
  Origin origin{};
  std::string element;  ///< as in: joint "elbow"
  std::string message;  ///< what is the case, with the value
  std::string why;      ///< why it matters; may be empty
  std::string fix;      ///< what to do; may be empty
  Kind kind = Kind::other;
  Topic topic = Topic::motion;
  std::string subject{};  ///< of what is dropped: "<gazebo>", for one line about all of them
  int count = 1;          ///< how many of them

  /// "file:line: element: message"
  std::string line() const {
    return origin.prefix() + (element.empty() ? message : element + ": " + message);
  }
};

using Findings = std::vector<Finding>;

inline const char* name_of(Finding::Severity severity) {
  return severity == Finding::Severity::note      ? "note"
         : severity == Finding::Severity::warning ? "warning"
                                                  : "error";
}

}  // namespace torsor
