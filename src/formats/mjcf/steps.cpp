#include "mjcf/steps.hpp"

#include "torsor/model/model.hpp"

namespace torsor::internal::mjcf {
namespace {

using Type = Step::Type;

/// Steps of one kind in the frame of the joint, in the order of its coordinates.
bool add_kind(JointKind kind, const Vec3<double>& axis, EulerOrder order, bool free_allowed,
              const Joint& joint, std::size_t first, Chain& chain) {
  const auto add = [&](Type type, const Vec3<double>& a, std::size_t dof) {
    chain.steps.push_back({type, a, {}, &joint, first + dof, {}});
  };
  const Vec3<double> x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  const auto euler = [&](std::size_t dof) {
    const Vec3<double> second = order == EulerOrder::zxz ? x : y;
    const Vec3<double> third = order == EulerOrder::zyx ? x : z;
    add(Type::hinge, z, dof), add(Type::hinge, second, dof + 1), add(Type::hinge, third, dof + 2);
  };
  const auto slides = [&](std::size_t dof) {
    add(Type::slide, x, dof), add(Type::slide, y, dof + 1), add(Type::slide, z, dof + 2);
  };
  using enum JointKind;
  if (kind == fixed) return true;
  if (kind == revolute || kind == continuous) return add(Type::hinge, axis, 0), true;
  if (kind == prismatic) return add(Type::slide, axis, 0), true;
  if (kind == cylindrical) return add(Type::hinge, axis, 0), add(Type::slide, axis, 1), true;
  if (kind == universal) return add(Type::hinge, x, 0), add(Type::hinge, y, 1), true;
  if (kind == translational) return slides(0), true;
  if (kind == spherical) return add(Type::ball, z, 0), true;
  if (kind == spherical_euler) return euler(0), true;
  if (kind == planar) {  // coordinates x, y, angle; velocities angle, x, y
    const SO3<double> turn = turn_to(axis * (1 / norm(axis)));
    add(Type::slide, turn.c0, 1), add(Type::slide, turn.c1, 2), add(Type::hinge, turn.c2, 0);
    return true;
  }
  if (kind == free && free_allowed) return add(Type::free, z, 0), true;
  if (kind == free) return slides(3), add(Type::ball, z, 0), true;
  if (kind == free_euler) return slides(0), euler(3), true;
  return false;
}

}  // namespace

void Chain::move(const SE3<double>& T_next) {
  T = T * T_next;
  const SE3<double> back = inverse(T_next);
  for (Step& step : steps) {
    step.axis = back.R * step.axis;
    step.pos = back * step.pos;
  }
}

bool Chain::may_move(const SE3<double>& T_next) const {
  const bool turned = norm(T_next.R.c0 - Vec3<double>{1, 0, 0}) != 0 ||
                      norm(T_next.R.c1 - Vec3<double>{0, 1, 0}) != 0;
  const bool moved = norm(T_next.p) != 0;
  for (const Step& step : steps)
    if ((step.type == Type::ball && turned) || (step.type == Type::free && (turned || moved)))
      return false;
  return true;
}

std::size_t Chain::dofs() const {
  std::size_t n = 0;
  for (const Step& step : steps) n += step.type == Type::ball ? 3 : step.type == Type::free ? 6 : 1;
  return n;
}

bool add_steps(const Joint& joint, bool free_allowed, Chain& chain) {
  chain.move(joint.placement);
  if (joint.kind != JointKind::composite)
    return add_kind(joint.kind, joint.axis, joint.order, free_allowed, joint, 0, chain);
  std::size_t first = 0;
  for (const JointPart& part : joint.parts) {
    if (!chain.may_move(part.placement)) return false;
    chain.move(part.placement);
    if (!add_kind(part.kind, part.axis, part.order, false, joint, first, chain)) return false;
    first += static_cast<std::size_t>(n_v(part.kind));
  }
  return true;
}

std::size_t coordinate_of(const Step& step) {
  std::size_t found = 0, iq = 0, iv = 0;
  const auto look = [&](JointKind kind) {
    const auto n = static_cast<std::size_t>(n_v(kind));
    if (step.dof >= iv && step.dof < iv + n) {
      const int at = step.type == Type::free ? 0
                     : step.type == Type::ball
                         ? quaternion_of(kind)
                         : moved_coordinate(kind, static_cast<int>(step.dof - iv));
      found = iq + static_cast<std::size_t>(at < 0 ? 0 : at);
    }
    iq += static_cast<std::size_t>(n_q(kind)), iv += n;
  };
  if (step.joint->kind != JointKind::composite)
    look(step.joint->kind);
  else
    for (const JointPart& part : step.joint->parts) look(part.kind);
  return found;
}

bool changes_velocities(const Joint& joint, bool free_allowed) {
  const auto changes = [](JointKind kind) {
    return kind == JointKind::planar || kind == JointKind::free_euler;
  };
  if (joint.kind == JointKind::free) return !free_allowed;
  for (const JointPart& part : joint.parts)
    if (changes(part.kind) || part.kind == JointKind::free) return true;
  return changes(joint.kind);
}

}  // namespace torsor::internal::mjcf
