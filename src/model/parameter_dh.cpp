#include <algorithm>
#include <optional>

#include "torsor/model/dh_conversion.hpp"
#include "torsor/model/parameter.hpp"

namespace torsor {
namespace {

using Convention = DhTable::Convention;
using Of = Change::Of;

/// Row i of a table with the frames that it connects, on the model's bodies.
struct PlacedRow {
  double a = 0, alpha = 0;
  SE3<double> T_parent_frame{};  ///< frame i-1 in the frame of the body before
  SE3<double> T_body_frame{};    ///< frame i in the frame of body i
};

bool is_chain(const Model<double>& model) {
  for (int i = 1; i < model.n_bodies(); ++i) {
    const JointKind kind = model.joint(i).kind;
    if (model.body(i).parent != i - 1) return false;
    if (internal::motion_class(kind) == JointMotionClass::general) return false;
  }
  return model.n_bodies() > 1;
}

/// Frame i of a table that the file itself has: the link's frame (modified), or "frame_<i>".
std::optional<SE3<double>> own_frame(const Model<double>& model, Convention convention, int i) {
  if (i == 0) return model.description().base;
  if (convention == Convention::modified) return SE3<double>{};
  const std::string name = "frame_" + std::to_string(i);
  if (!model.has_frame(name) || model.frame(name).body != i) return std::nullopt;
  return model.frame(name).placement;
}

/// The row, where the file's own frames are those of a table: axes along z, four numbers suffice.
std::optional<PlacedRow> own_row(const Model<double>& model, Convention convention, int row) {
  constexpr double tolerance = 1e-9;
  const auto before = own_frame(model, convention, row - 1),
             next = own_frame(model, convention, row);
  if (!before || !next || model.body(row).axis_code != 3) return std::nullopt;
  const DhParameters found =
      dh_parameters_from_frames(*before, model.body(row).placement * *next, convention, tolerance);
  if (!found.ok()) return std::nullopt;
  if (convention == Convention::standard) {  // the joint's axis must be z of frame i-1
    const SE3<double> x = internal::x_screw(found.a, found.alpha), off = inverse_times(x, *next);
    if (norm(off.p) > tolerance || norm(off.R.c0 - Vec3<double>::unit_x()) > tolerance ||
        norm(off.R.c2 - Vec3<double>::unit_z()) > tolerance)
      return std::nullopt;
  }
  return PlacedRow{found.a, found.alpha, *before, *next};
}

/// With the root's name, which a description may leave out.
RobotDescription rooted(RobotDescription robot) {
  for (const Link& link : robot.links) {
    const bool carried = std::any_of(robot.joints.begin(), robot.joints.end(),
                                     [&](const Joint& j) { return j.child == link.name; });
    if (!carried) robot.root = link.name;
  }
  return robot;
}

PlacedRow found_row(const Model<double>& model, Convention convention, int row) {
  const DhConversion table = to_dh(rooted(model.description()), convention);
  if (!table.ok()) throw Error("robot \"" + model.name() + "\": " + table.message);
  const auto frame_on = [&](int i) {
    for (const FrameOnLink& f : table.link_frames)
      if (i > 0 && f.name == model.body_name(i)) return inverse(f.placement);
    return table.table.base;
  };
  const DhRow& r = View<const DhRow>(table.table.rows)[row - 1];
  return {r.a, r.alpha, frame_on(row - 1), frame_on(row)};
}

PlacedRow placed_row(const Model<double>& model, Convention convention, int row) {
  if (!is_chain(model)) return found_row(model, convention, row);  // says why there is no table
  for (int i = 1; i < model.n_bodies(); ++i)
    if (!own_row(model, convention, i)) return found_row(model, convention, row);
  return *own_row(model, convention, row);
}

}  // namespace

/// standard  T = (z screw)(x screw): with frame i, everything on link i moves about the joint's axis.
///           T exp(Y), and S with it; for d and theta, [Y, S] = 0.
/// modified  a and alpha come before the joint: exp(X) T; d and theta along its axis, as above.
Parameter Parameter::dh(const Model<double>& model, Convention convention, int row, DhEntry entry) {
  if (row < 1 || row >= model.n_bodies())
    throw Error("robot \"" + model.name() + "\": no DH row " + std::to_string(row) +
                "; rows are 1 to " + std::to_string(model.n_bodies() - 1));
  const bool standard = convention == Convention::standard;
  const PlacedRow r = placed_row(model, convention, row);
  const bool x = entry == DhEntry::a || entry == DhEntry::alpha;
  const bool turns = entry == DhEntry::alpha || entry == DhEntry::theta;
  const Vec3<double> u = x ? Vec3<double>::unit_x() : Vec3<double>::unit_z();
  const Twist<double> screw = turns ? Twist<double>{u, {}} : Twist<double>{{}, u};

  Change c{x && !standard ? Of::parent_side : Of::child_side, row, {}};
  Twist<double> Y = screw;  // in frame i, or in frame i-1 for the parent's side
  if (standard && !x) Y = Ad_inv(internal::x_screw(r.a, r.alpha), screw);
  Y = Ad(x && !standard ? r.T_parent_frame : r.T_body_frame, Y);
  c.by = {Y.w.x, Y.w.y, Y.w.z, Y.v.x, Y.v.y, Y.v.z};
  return {std::string(standard ? "dh." : "mdh.") + std::to_string(row) + "." +
              internal::dh_words[static_cast<int>(entry)],
          {c}};
}

}  // namespace torsor
