#include "torsor/model/loop.hpp"

#include <cmath>

#include "torsor/model/internal/loop_rows.hpp"

namespace torsor {

int n_rows(LoopJoint::Kind kind) {
  const internal::LoopShape shape = internal::shape_of(kind);
  return shape.moments + shape.forces + (shape.universal || shape.distance ? 1 : 0);
}

ConstraintSet::ConstraintSet(const Model<double>& model) : n_v_(model.n_v()) {
  for (const LoopJoint& loop : model.description().loops) {
    const SE3<double> turn{internal::turn_to(loop.axis * (1 / norm(loop.axis))), {}};
    Frame a = model.frame(loop.link_a), b = model.frame(loop.link_b);
    a.placement = a.placement * loop.placement_a * turn;
    b.placement = b.placement * loop.placement_b * turn;
    add(loop.name, loop.kind, a, b, loop.distance);
  }
  for (const Coupling& coupling : model.description().couplings) {
    CouplingConstraint row{coupling.name, {}, coupling.offset, n_rows_};
    for (const Coupling::Term& term : coupling.terms) {
      const Body<double>& body = model.body(model.joint_index(term.joint));
      row.terms.push_back({body.q.first, body.v.first, term.factor});
    }
    couplings_.push_back(std::move(row));
    ++n_rows_;
  }
}

ConstraintSet ConstraintSet::none(const Model<double>& model) {
  ConstraintSet set;
  set.n_v_ = model.n_v();
  return set;
}

ConstraintSet& ConstraintSet::add(const std::string& name, LoopJoint::Kind kind, const Frame& a,
                                  const Frame& b, double distance) {
  if (a.body == b.body)
    throw Error("constraint \"" + name + "\": both ends are on one rigid body" +
                (a.body == 0 ? ", the world" : ""));
  if (kind == LoopJoint::Kind::distance && !(distance > 0 && std::isfinite(distance)))
    throw Error("constraint \"" + name + "\": distance is " + std::to_string(distance) +
                " m; it must be above 0 (a spherical joint keeps two points together)");
  const int rows = torsor::n_rows(kind);
  loops_.push_back({name, kind, a.body, b.body, a.placement, b.placement, distance, n_rows_, rows});
  n_rows_ += rows;
  return *this;
}
ConstraintSet& ConstraintSet::add_point(const std::string& name, const Frame& frame,
                                        const Vec3<double>& world) {
  return add(name, LoopJoint::Kind::spherical, {"world", 0, {SO3<double>::identity(), world}},
             frame);
}
ConstraintSet& ConstraintSet::add_frame(const std::string& name, const Frame& frame,
                                        const SE3<double>& world) {
  return add(name, LoopJoint::Kind::weld, {"world", 0, world}, frame);
}
ConstraintSet& ConstraintSet::add_user(const std::string& name, int rows,
                                       UserConstraint::Rows function) {
  if (rows < 1 || !function)
    throw Error("constraint \"" + name + "\": needs a function and at least one row (" +
                std::to_string(rows) + ")");
  user_.push_back({name, std::move(function), n_rows_, rows});
  n_rows_ += rows;
  return *this;
}

std::vector<ConstraintSet::Part> ConstraintSet::parts() const {
  std::vector<Part> parts;
  for (const LoopConstraint& c : loops_)
    parts.push_back({c.name, name_of(c.kind), c.first_row, c.n_rows});
  for (const CouplingConstraint& c : couplings_)
    parts.push_back({c.name, "coupling", c.first_row, 1});
  for (const UserConstraint& c : user_) parts.push_back({c.name, "user", c.first_row, c.n_rows});
  std::vector<Part> in_order;
  for (int row = 0; row < n_rows_;)
    for (const Part& part : parts)
      if (part.first_row == row) {
        in_order.push_back(part);
        row += part.n_rows;
        break;
      }
  return in_order;
}
std::string ConstraintSet::row_name(int row) const {
  for (const Part& part : parts())
    if (row >= part.first_row && row < part.first_row + part.n_rows)
      return part.n_rows == 1 ? part.name : part.name + "." + std::to_string(row - part.first_row);
  return {};
}

}  // namespace torsor
