#include "torsor/control/arms/object_task.hpp"

#include <algorithm>
#include <cmath>

#include "law_entries.hpp"
#include "torsor/control/task/hybrid_task.hpp"
#include "torsor/math/euler.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

namespace {

void check_size(const char* law, const char* name, const Array<double>& x, int n) {
  if (x.size() != n)
    throw Error(std::string(law) + ": " + name + " has " + std::to_string(x.size()) + " numbers; " +
                std::to_string(n) + " are needed");
  for (const double v : x)
    if (!std::isfinite(v)) throw Error(std::string(law) + ": " + name + " is not finite");
}

}  // namespace

ObjectTask::ObjectTask(const char* law, const CooperatingArms& arms, ObjectTaskOptions options)
    : options_(std::move(options)), n_(arms.n_x()) {
  const TaskCoordinates& X = arms.coordinates(0);
  if (X.options().angles == TaskAngles::rotation) turns_ = n_ - X.n_positions();
  if (options_.constraint) frame_.emplace(arms.coordinates(0), *options_.constraint);
  if (is_free()) options_.error = PositionError::local;
  if (options_.error == PositionError::coordinates && !frame_->has_coordinates())
    throw Error(std::string(law) + ": x_p of this constraint has no coordinates; integrate it");
  if (options_.start.empty()) options_.start.assign(n_p(), 0.0);
  if (options_.internal.empty()) options_.internal.assign(6 * (arms.n_arms() - 1), 0.0);
  if (options_.weights.empty()) options_.weights.assign(arms.n_arms(), Gain::uniform(n_, 1));
  check_size(law, "start", options_.start, n_p());
  check_size(law, "internal", options_.internal, 6 * (arms.n_arms() - 1));
  if (options_.weights.size() != arms.n_arms())
    throw Error(std::string(law) + ": " + std::to_string(options_.weights.size()) +
                " weights for " + std::to_string(arms.n_arms()) + " arms");
  sharing_ = ForceSharing(n_, options_.weights);
}

ObjectTask::ObjectTask(ObjectTask&&) noexcept = default;
ObjectTask::~ObjectTask() = default;

std::string ObjectTask::error_name(const CooperatingArms& arms, int k) const {
  if (is_free()) return arms.coordinates(0).names()[k];
  return internal::error_name(*frame_, arms.coordinates(0), k);
}

std::string ObjectTask::state_name(const CooperatingArms& arms, int k) const {
  const int force = k - n_states();
  return force < 0 ? "path." + error_name(arms, k) : "integral." + error_name(arms, n_p() + force);
}

int ObjectTask::n_linear() const {
  if (options_.error == PositionError::integral) return n_p();
  if (options_.error == PositionError::local && !is_free()) return 0;
  return std::max(n_p() - turns_, 0);
}

void ObjectTask::check_reference(const char* law, const ControlReference& reference) const {
  const bool local = options_.error == PositionError::local;
  const int wanted = local ? n_ : n_p();
  const auto size = [&](const char* what, In<double> x, int count, int other) {
    if (!x.empty() && x.size != count && x.size != other)
      throw Error(std::string("law \"") + law + "\": the reference has " + std::to_string(x.size) +
                  " numbers of " + what + "; " + std::to_string(count) + " are needed");
  };
  if (reference.x.empty() && wanted > 0 && !(local && reference.pose))
    throw Error(std::string("law \"") + law + "\" follows a task; the reference has none");
  size("the task", reference.x, wanted, wanted);
  size("the task's velocity", reference.xd, wanted, wanted);
  size("the task's acceleration", reference.xdd, wanted, wanted);
  size("force", reference.f_on_environment, n_f(), n_f() + options_.internal.size());
}

void ObjectTask::look(CooperatingArms& arms, const ControlState& state) {
  arms.evaluate(state);
  if (frame_) {
    frame_->evaluate(arms.X(), arms.Xdot());
    frame_->to_frame(arms.Xdot(), Out<double>(xdot_c_.data(), n_));
  } else {
    for (int k = 0; k < n_; ++k) xdot_c_[k] = arms.Xdot()[k];
  }
}

void ObjectTask::evaluate(CooperatingArms& arms, const ControlState& state, In<double> x_p,
                          const ControlReference& reference) {
  look(arms, state);
  const int p = n_p();
  const Out<double> e(e_.data(), p);
  f_d_ = {};
  for (int k = 0; k < n_f() && k < reference.f_on_environment.size; ++k)
    f_d_[k] = reference.f_on_environment[k];
  if (options_.error == PositionError::local) {
    const TaskError error = arms.error(reference);
    if (!frame_) {
      e_ = error.e, edot_ = error.edot, xdd_ = error.xdd;
      return;
    }
    TaskVector c{}, Xd{};
    frame_->to_frame(In<double>(error.e.data(), n_), Out<double>(c.data(), n_));
    for (int k = 0; k < p; ++k) e[k] = c[k];
    frame_->to_frame(In<double>(error.edot.data(), n_), Out<double>(c.data(), n_));
    for (int k = 0; k < p; ++k) edot_[k] = c[k];
    for (int k = 0; k < n_; ++k) Xd[k] = error.edot[k] + arms.Xdot()[k];
    frame_->acceleration_to_frame(In<double>(error.xdd.data(), n_), In<double>(Xd.data(), n_),
                                  Out<double>(c.data(), n_));
    for (int k = 0; k < p; ++k) xdd_[k] = c[k];
    return;
  }
  const auto given = [](In<double> x, int k) { return k < x.size ? x[k] : 0.0; };
  if (options_.error == PositionError::coordinates) {
    TaskVector x{};
    for (int k = 0; k < p; ++k) x[k] = given(reference.x, k);
    frame_->coordinate_error(In<double>(x.data(), p), e);
  } else {
    for (int k = 0; k < p; ++k) e[k] = given(reference.x, k) - x_p[k];
  }
  for (int k = 0; k < p; ++k) {
    edot_[k] = given(reference.xd, k) - xdot_c_[k];
    xdd_[k] = given(reference.xdd, k);
  }
}

void ObjectTask::velocity(In<double> xdot_c, Out<double> Xdot) const {
  if (frame_)
    frame_->from_frame(xdot_c, Xdot);
  else
    std::copy(xdot_c.begin(), xdot_c.end(), Xdot.begin());
}
void ObjectTask::acceleration(In<double> xdd_c, In<double> xdot_c, Out<double> Xdd) const {
  if (frame_)
    frame_->acceleration(xdd_c, xdot_c, Xdd);
  else
    std::copy(xdd_c.begin(), xdd_c.end(), Xdd.begin());
}
void ObjectTask::measured_in_frame(CooperatingArms& arms, const ControlState& state,
                                   Out<double> f_c) const {
  TaskVector x{};
  for (double& f : f_c) f = 0;
  if (!frame_) return;
  arms.measured_force(state.F_contact, Out<double>(x.data(), n_));
  frame_->force_to_frame(In<double>(x.data(), n_), f_c);
}
void ObjectTask::measured_force(CooperatingArms& arms, const ControlState& state,
                                Out<double> f) const {
  TaskVector c{};
  measured_in_frame(arms, state, Out<double>(c.data(), n_));
  for (int k = 0; k < n_f(); ++k) f[k] = c[n_p() + k];
}

void ObjectTask::errors(CooperatingArms& arms, const ControlState& state, Out<double> e) const {
  TaskVector f{};
  measured_force(arms, state, f);
  for (int k = 0; k < n_p(); ++k) e[k] = e_[k];
  for (int k = 0; k < n_f(); ++k) e[n_p() + k] = f_d_[k] - f[k];
}

void ObjectTask::state_derivative(CooperatingArms& arms, const ControlState& state, bool force,
                                  Out<double> xdot) const {
  for (int k = 0; k < n_states(); ++k) xdot[k] = xdot_c_[k];
  if (!force) return;
  TaskVector f{};
  measured_force(arms, state, f);
  for (int k = 0; k < n_f(); ++k) xdot[n_states() + k] = f_d_[k] - f[k];
}

void ObjectTask::add_shared_force(const CooperatingArms& arms, In<double> f_c,
                                  Out<double> tau) const {
  for (int arm = 0; arm < arms.n_arms(); ++arm) {
    TaskVector own{}, f{};
    const Out<double> f_own(own.data(), n_), f_x(f.data(), n_);
    sharing_.add_share(arm, f_c, f_own);
    if (frame_)
      frame_->force_from_frame(f_own, f_x);
    else
      f = own;
    arms.add_force(arm, f_x, tau);
  }
}

void ObjectTask::add_internal(CooperatingArms& arms, const ControlReference& reference,
                              Out<double> tau) const {
  const int wrenches = options_.internal.size();
  const In<double> given = reference.f_on_environment;
  if (given.size >= n_f() + wrenches)
    arms.add_internal({given.data + n_f(), wrenches}, tau);
  else
    arms.add_internal(options_.internal, tau);
}

Constraint point_on_plane(const TaskCoordinates& coordinates, const Vec3<double>& point,
                          const Vec3<double>& origin, const Vec3<double>& normal,
                          const Vec3<double>& tangent) {
  const TaskCoordinateOptions& task = coordinates.options();
  if (task.angles == TaskAngles::none || !(norm(normal) > 0))
    throw Error("a point of the object on a plane needs angles in X and a normal");
  const int n = coordinates.size(), positions = coordinates.n_positions();
  Array<int> axes;
  for (int k = 0; k < positions; ++k) axes.push_back(coordinates.axis(k));
  Constraint c{.kind = ConstraintKind::rows, .count = 1};
  const Vec3<double> w = normalised(normal);
  c.function = [axes, positions, angles = task.angles, sequence = task.sequence,
                start = task.origin, r = point - task.point, w,
                origin](In<double> X, In<double> Xdot, ConstraintRows& rows) {
    const Vec3<double> z{0, 0, 1};
    const auto turns = [&](In<double> x) {
      return angles == TaskAngles::planar
                 ? z * x[positions]
                 : Vec3<double>{x[positions], x[positions + 1], x[positions + 2]};
    };
    const Vec3<double> angle = turns(X), rate = turns(Xdot);
    Mat3<double> E = SO3<double>::identity();
    SO3<double> R = SO3<double>::identity();
    Vec3<double> turning = rate;
    if (angles == TaskAngles::euler) {
      const EulerAngles<double> a{angle.x, angle.y, angle.z};
      R = rotation(sequence, a);
      E = euler_rate_matrix(sequence, a);
      turning = E * rate;
    } else {
      R = angles == TaskAngles::planar ? exp(angle) : exp(angle) * start;
    }
    const Vec3<double> arm = R * r;
    const Vec3<double> m = cross(arm, w), mdot = cross(cross(turning, arm), w);
    rows = {};
    rows.phi[0] = dot(w, arm - origin);
    for (int k = 0; k < positions; ++k) {
      rows.phi[0] += w[axes[k]] * X[k];
      rows.gradient[0][k] = w[axes[k]];
    }
    if (angles == TaskAngles::planar) {
      rows.gradient[0][positions] = m.z, rows.gradient_dot[0][positions] = mdot.z;
      return;
    }
    const Vec3<double> columns[3] = {E.c0, E.c1, E.c2};
    const Vec3<double> bend[3] = {
        {0, 0, 0}, cross(E.c0, E.c1) * rate.x, cross(E.c0 * rate.x + E.c1 * rate.y, E.c2)};
    for (int k = 0; k < 3; ++k) {
      rows.gradient[0][positions + k] = dot(columns[k], m);
      rows.gradient_dot[0][positions + k] = dot(columns[k], mdot);
      if (angles == TaskAngles::euler) rows.gradient_dot[0][positions + k] += dot(bend[k], m);
    }
  };
  // E_p: along the plane, then the angles.
  Vec3<double> u = tangent - w * dot(w, tangent);
  for (int k = 0; !(norm(u) > 1e-6) && k < positions; ++k) {
    Vec3<double> axis{};
    axis[axes[k]] = 1;
    u = axis - w * dot(w, axis);
    if (norm(u) < 0.5) u = {};
  }
  const Vec3<double> tangents[2] = {u, cross(w, u)};
  for (int t = 0; t < positions - 1; ++t)
    for (int k = 0; k < n; ++k) c.seeds.push_back(k < positions ? tangents[t][axes[k]] : 0.0);
  for (int a = positions; a < n; ++a)
    for (int k = 0; k < n; ++k) c.seeds.push_back(k == a ? 1.0 : 0.0);
  return c;
}

ObjectTaskOptions internal::object_task_options(const CooperatingArms& arms, LawParameters& p) {
  ObjectTaskOptions o;
  if (p.has("constraint")) {
    o.constraint = constraint_of(p);
    const Array<double> contact = p.numbers("contact", 3);
    if (!contact.empty()) {
      if (o.constraint->kind != ConstraintKind::plane)
        throw Error("a contact beside the point of X is for planes alone");
      o.constraint =
          point_on_plane(arms.coordinates(0), {contact[0], contact[1], contact[2]},
                         o.constraint->origin, o.constraint->normal, o.constraint->tangent);
    }
  }
  o.error = o.constraint ? PositionError::integral : PositionError::local;
  if (p.has("position_error"))
    o.error = static_cast<PositionError>(
        p.choice("position_error", {"integral", "coordinates", "local"}));
  const int n = arms.n_x(), m = arms.n_arms();
  const int n_p = ObjectTask("several arms", arms, {.constraint = o.constraint}).n_p();
  o.start = p.numbers("start", n_p);
  for (const double w : p.numbers("W", m)) o.weights.push_back(Gain::uniform(n, w));
  o.internal = p.numbers("internal", 6 * (m - 1));
  return o;
}
internal::GainList internal::arms_gain_list() {
  return GainList{
             required_gain("object", GainKind::word, "object", "", "the link that all arms hold"),
             optional_gain("fractions", GainKind::vector, "", "",
                           "shares of the object, one for each arm; none: equal ones"),
             optional_gain("null_damping", GainKind::number, "10", "1/s",
                           "of joints that do not move the object"),
             optional_gain("W", GainKind::vector, "1", "",
                           "how arms share a contact force, one for each arm"),
             optional_gain("internal", GainKind::vector, "", "N m, N",
                           "wrenches (m, f) with which each arm but the first squeezes"),
             optional_gain("contact", GainKind::vector, "", "m",
                           "the point of the object that a plane keeps, f then along (n, r x n) of "
                           "length 1; none: point"),
             optional_gain("position_error", GainKind::word, "", "",
                           "integral (none, with a constraint), coordinates or local (none)"),
             optional_gain("start", GainKind::vector, "", "m",
                           "where an integrated x_p starts; none: zeros")} +
         task_point_gain_list();
}

}  // namespace torsor
