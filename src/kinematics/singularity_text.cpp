// A SingularityReport in words.
#include <numbers>

#include "torsor/kinematics/singularity.hpp"
#include "torsor/model/joint_units.hpp"
#include "torsor/model/text.hpp"

namespace torsor {
namespace {

std::string shown(double x) { return short_number(x == 0 ? 0.0 : x); }

/// "wrist singular where joint_5 = 0 or 180 deg".
std::string sentence(const Model<double>& model, const char* what, const SingularCoordinate& c,
                     bool degrees) {
  const std::string name = model.coordinate_name(c.coordinate);
  if (c.always) return std::string(what) + " singular for every " + name + "\n";
  if (c.values.empty()) return std::string(what) + " singular for no " + name + "\n";
  const bool angle = Array<Measure>(coordinate_measures(model))[c.coordinate] == Measure::angle;
  const double unit = angle && degrees ? 180 / std::numbers::pi : 1;
  std::string text = std::string(what) + " singular where " + name + " =";
  for (int k = 0; k < c.values.size(); ++k)
    text += (k > 0 ? " or " : " ") + shown(c.values[k] * unit);
  return text + (angle ? degrees ? " deg" : " rad" : " m") + "\n";
}

}  // namespace

std::string describe(const Model<double>& model, const SingularityReport& report,
                     const SingularityText& how) {
  std::string text;
  const double determinant = how.angular_first ? -report.determinant : report.determinant;
  const std::string minus = how.angular_first ? "-" : "";
  if (report.decoupled) {
    text += "|J| = " + minus + "|J11| |z4 z5 z6| = " + minus + "(" + shown(report.arm) + ") (" +
            shown(report.wrist) + ") = " + shown(determinant) + "\n";
    for (const SingularCoordinate& c : report.arm_where)
      text += sentence(model, "arm", c, how.degrees);
    for (const SingularCoordinate& c : report.wrist_where)
      text += sentence(model, "wrist", c, how.degrees);
    if (report.arm_where.empty()) text += "arm never singular\n";
  } else if (report.six_joints) {
    text += "|J| = " + shown(determinant) + "\n";
  }
  text += report.singular() ? "singular: rank " : "regular: rank ";
  return text + std::to_string(report.rank) + " of " + std::to_string(report.generic_rank) +
         ", smallest singular value " +
         shown(report.smallest < 1e-14 * report.largest ? 0 : report.smallest) + "\n";
}

}  // namespace torsor
