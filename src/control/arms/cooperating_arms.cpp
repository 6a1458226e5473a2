#include "torsor/control/arms/cooperating_arms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/control/law_registry.hpp"
#include "torsor/model/surgery.hpp"

namespace torsor {

namespace {

std::string name_in_hand(const HeldObject& object, int arm) {
  return object.link + "_in_" + object.grasps[arm].hand;
}

/// The arms with their shares, and the object as each of them holds it as a frame.
Array<Model<double>> forest_of(const Model<double>& model, const HeldObject& object) {
  Array<Model<double>> forest;
  for (int k = 0; k < object.n_arms(); ++k) {
    const Grasp& g = object.grasps[k];
    forest.push_back(add_frame(forest.empty() ? model : forest.back(), name_in_hand(object, k),
                               g.hand, g.T_body_object));
  }
  forest.push_back(object.partitioned(forest.back()));
  forest.erase(forest.begin(), forest.end() - 1);
  return forest;
}

}  // namespace

CooperatingArms::CooperatingArms(const Model<double>& model, CooperationOptions options)
    : model_(&model),
      object_(model, options.object, options.fractions),
      forest_(forest_of(model, object_)),
      null_damping_(options.null_damping),
      effects_(options.effects),
      dynamics_(model),
      damped_(model),
      F_(model.n_bodies()),
      J_(6 * model.n_v()),
      part_(model.n_v()),
      moving_(part_.size()),
      of_arm_(model.n_v()) {
  for (int k = 0; k < n_arms(); ++k) {
    options.task.frame = name_in_hand(object_, k);
    arms_.emplace_back(forest(), options.task);
    inverses_.emplace_back();
    const Array<int>& dofs = object_.grasps[k].dofs;
    if (dofs.size() < n_x())
      throw Error("the arm of " + object_.grasps[k].hand + " has " + std::to_string(dofs.size()) +
                  " joints for a task of " + std::to_string(n_x()) + " coordinates");
    for (const int dof : dofs) of_arm_[dof] = 1;
  }
}

CooperatingArms::CooperatingArms(CooperatingArms&&) noexcept = default;
CooperatingArms::~CooperatingArms() = default;

bool CooperatingArms::redundant() const {
  return std::any_of(object_.grasps.begin(), object_.grasps.end(),
                     [&](const Grasp& g) { return g.dofs.size() > n_x(); });
}

void CooperatingArms::evaluate(const ControlState& state) {
  const int n = n_x(), positions = arms_[0].n_positions();
  const double share = 1.0 / n_arms();
  TaskVector off{}, mean{};
  for (TaskCoordinates& arm : arms_) arm.evaluate(state.q, state.qd);
  for (Inverse& inverse : inverses_) inverse.made = false;
  Xdot_ = {};
  for (const TaskCoordinates& arm : arms_) {
    arms_[0].error(arm.X(), Out<double>(off.data(), n));
    for (int k = 0; k < n; ++k) {
      mean[k] += share * off[k];
      Xdot_[k] += share * arm.Xdot()[k];
    }
  }
  for (int k = 0; k < n; ++k) X_[k] = arms_[0].X()[k] + mean[k];
  if (arms_[0].options().angles == TaskAngles::rotation) {
    const auto vector = [&](const double* x) {
      return Vec3<double>{x[positions], x[positions + 1], x[positions + 2]};
    };
    const Vec3<double> r = log(exp(vector(mean.data())) * exp(vector(arms_[0].X().data)));
    for (int k = 0; k < 3; ++k) X_[positions + k] = r[k];
  }
  disagreement_ = 0;
  for (const TaskCoordinates& arm : arms_) {
    arm.error(X(), Out<double>(off.data(), n));
    for (int k = 0; k < n; ++k)
      disagreement_ =
          std::max({disagreement_, std::abs(off[k]), std::abs(Xdot_[k] - arm.Xdot()[k])});
  }
}

TaskError CooperatingArms::error(const ControlReference& reference) const {
  TaskError mean;
  const double share = 1.0 / n_arms();
  for (const TaskCoordinates& arm : arms_) {
    const TaskError own = arm.error(reference);
    for (int k = 0; k < n_x(); ++k) {
      mean.e[k] += share * own.e[k];
      mean.edot[k] += share * own.edot[k];
      mean.xdd[k] += share * own.xdd[k];
    }
  }
  return mean;
}

void CooperatingArms::measured_force(View<const Wrench<double>> F_contact, Out<double> f_x) {
  const Grasp& first = object_.grasps[0];
  if (!F_contact.empty())
    F_[first.body] = Ad_dual_inv(first.T_body_object * inverse(object_.frame.placement),
                                 F_contact[object_.frame.body]);
  arms_[0].measured_force(F_contact.empty() ? F_contact : View<const Wrench<double>>(F_), f_x);
}

void CooperatingArms::add_internal(In<double> wrenches, Out<double> tau) {
  Wrench<double> rest{};
  TaskVector f{};
  const Out<double> f_x(f.data(), n_x());
  for (int k = n_arms() - 1; k >= 0; --k) {
    const Grasp& g = object_.grasps[k];
    const double* const w = wrenches.data + 6 * (k - 1);
    const Wrench<double> F =
        k == 0 ? rest * -1.0 : Wrench<double>{{w[0], w[1], w[2]}, {w[3], w[4], w[5]}};
    if (k > 0) rest += F;
    F_[g.body] = Ad_dual_inv(g.T_body_object, F) * -1.0;  // as if the object felt it
    arms_[k].measured_force(F_, f_x);
    arms_[k].add_torque(f_x, tau);
  }
}

/// |J|_F |J^-1|_F bounds the condition number, so where it is below that at which damping begins the
/// damped solution is this one.
const CooperatingArms::Inverse& CooperatingArms::inverse_of(int arm) {
  Inverse& result = inverses_[arm];
  if (result.made) return result;
  result.made = true;
  result.sound = false;
  const Array<int>& dofs = object_.grasps[arm].dofs;
  const InMatrix<double> J = arms_[arm].jacobian();
  const int n = n_x();
  if (dofs.size() != n) return result;
  internal::SmallMatrix<6, 6> a;
  auto& b = result.entries;
  double size = 0, inverse_size = 0;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      a(r, c) = J(r, dofs[c]);
      b(r, c) = r == c;
      size += a(r, c) * a(r, c);
    }
  int exchange[6];
  if (!(internal::eliminate(a, n, exchange).ratio() > 0)) return result;
  internal::substitute(a, n, exchange, b, n);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) inverse_size += b(r, c) * b(r, c);
  const double near = InverseVelocityOptions{}.near;
  result.sound = size * inverse_size * near * near < 1;
  return result;
}

/// J~ of an arm times qd is X'.
void CooperatingArms::solve(int arm, In<double> Xdot, Out<double> qd) {
  const Array<int>& dofs = object_.grasps[arm].dofs;
  const int m = n_x(), n = dofs.size();
  if (const Inverse& inverse = inverse_of(arm); inverse.sound) {
    for (int r = 0; r < m; ++r) {
      double sum = 0;
      for (int c = 0; c < m; ++c) sum += inverse.entries[r][c] * Xdot[c];
      qd[dofs[r]] = sum;
    }
    return;
  }
  const InMatrix<double> J = arms_[arm].jacobian();
  bool finite = true;
  for (int c = 0; c < n; ++c)
    for (int r = 0; r < m; ++r) {
      const double x = J_[c * m + r] = J(r, dofs[c]);
      finite = finite && std::isfinite(x) && std::isfinite(Xdot[r]);
    }
  const Out<double> part(part_.data(), n);
  if (finite) {
    const InverseVelocity result =
        inverse_velocity(damped_, column_major<const double>(J_.data(), m, n), Xdot, {}, part);
    near_singular_ = near_singular_ || result.damping > 0 || result.rank < m;
  }
  for (int c = 0; c < n; ++c)
    qd[dofs[c]] = finite ? part[c] : std::numeric_limits<double>::quiet_NaN();
}

void CooperatingArms::joint_velocity(In<double> Xdot, Out<double> qd) {
  near_singular_ = false;
  keep_arms(qd);
  for (int arm = 0; arm < n_arms(); ++arm) solve(arm, Xdot, qd);
}

void CooperatingArms::joint_acceleration(const ControlState& state, In<double> Xdd,
                                         Out<double> qdd) {
  near_singular_ = false;
  keep_arms(qdd);
  TaskVector x{};
  const Out<double> wanted(x.data(), n_x());
  for (int arm = 0; arm < n_arms(); ++arm) {
    const TaskCoordinates& own = arms_[arm];
    const Array<int>& dofs = object_.grasps[arm].dofs;
    if (dofs.size() > n_x()) {  // what does not move the object comes to rest
      solve(arm, own.Xdot(), qdd);
      for (int c = 0; c < dofs.size(); ++c) moving_[c] = qdd[dofs[c]];
    }
    for (int k = 0; k < n_x(); ++k) wanted[k] = Xdd[k] - own.bias()[k];
    solve(arm, wanted, qdd);
    if (dofs.size() > n_x())
      for (int c = 0; c < dofs.size(); ++c)
        qdd[dofs[c]] -= null_damping_ * (state.qd[dofs[c]] - moving_[c]);
  }
}

void CooperatingArms::joint_acceleration(const ControlState& state, In<double> qd_r, In<double> Xdd,
                                         Out<double> qdd_r) {
  near_singular_ = false;
  keep_arms(qdd_r);
  TaskVector x{};
  const Out<double> wanted(x.data(), n_x());
  for (int arm = 0; arm < n_arms(); ++arm) {
    const InMatrix<double> Jdot = arms_[arm].jacobian_dot(state.q, state.qd);
    for (int k = 0; k < n_x(); ++k) {
      wanted[k] = Xdd[k];
      for (const int dof : object_.grasps[arm].dofs) wanted[k] -= Jdot(k, dof) * qd_r[dof];
    }
    solve(arm, wanted, qdd_r);
  }
}

void CooperatingArms::torque(const ControlState& state, In<double> qdd, Out<double> tau) {
  tree_inverse_dynamics(forest(), dynamics_, state.q, state.qd, qdd, {}, tau, effects_);
  keep_arms(tau);
}

double CooperatingArms::regularity(In<double> q) {
  double worst = infinity;
  const Array<double> rest(n_v());
  for (int arm = 0; arm < n_arms(); ++arm) {
    const Array<int>& dofs = object_.grasps[arm].dofs;
    const int m = n_x(), n = dofs.size();
    arms_[arm].evaluate(q, rest);
    const InMatrix<double> J = arms_[arm].jacobian();
    for (int c = 0; c < n; ++c)
      for (int r = 0; r < m; ++r) J_[c * m + r] = J(r, dofs[c]);
    damped_.svd.factorise(column_major<const double>(J_.data(), m, n));
    const double ratio = damped_.svd.smallest() / damped_.svd.largest();
    worst = std::min(worst, arms_[arm].regular() ? ratio : 0);
  }
  return worst;
}

CooperationOptions internal::cooperation_options(const Model<double>& model, LawParameters& p) {
  CooperationOptions o;
  o.object = p.word("object");
  const int arms = HeldObject(model, o.object).n_arms();
  o.fractions = p.numbers("fractions", arms);
  o.task = task_coordinate_options(p, o.object);
  o.null_damping = p.number("null_damping");
  return o;
}

}  // namespace torsor
