#include "torsor/sim/sensitivity.hpp"

#include <cmath>

#include "numbers.hpp"
#include "torsor/dynamics/singular_mass.hpp"

namespace torsor {
namespace {

void check_smooth(const Model<double>& model) {
  for (int k = 0; k < model.n_v(); ++k) {
    const DofConstants<double>& dof = model.dof(k);
    if (is_dry(dof))
      throw Error("robot \"" + model.name() + "\": Coulomb friction of \"" + model.dof_name(k) +
                  "\" jumps at rest; a sensitivity needs a width of its sign (rad/s or m/s)");
  }
  for (int j = 0; j < model.motors().size(); ++j)
    if (static_friction_limit(model.motors()[j].constants) > 0)
      throw Error("robot \"" + model.name() + "\": Coulomb friction of motor \"" +
                  View<const Motor>(model.description().motors)[j].name +
                  "\" jumps at rest; a sensitivity needs a width of its sign (rad/s)");
}

bool is_start(const Change& change) {
  return change.what == Change::Of::coordinate || change.what == Change::Of::velocity;
}
Parameter part_of(const Parameter& parameter, bool start) {
  Parameter part{parameter.name, {}};
  for (const Change& change : parameter.changes)
    if (is_start(change) == start) part.changes.push_back(change);
  return part;
}

}  // namespace

SensitivityRates::SensitivityRates(const Model<double>& model,
                                   const std::vector<Parameter>& parameters, TorqueLaw law,
                                   std::vector<Wrench<double>> F_ext)
    : model_(&model),
      space_(model, 2 * model.n_v() * static_cast<int>(parameters.size())),
      law_(std::move(law)),
      F_ext_(std::move(F_ext)),
      ws_(model),
      tau_(model.n_v()),
      dtau_(tau_),
      qdd_(tau_) {
  check_smooth(model);
  if (!F_ext_.empty() && F_ext_.size() != model.n_bodies())
    throw Error("robot \"" + model.name() + "\" has " + std::to_string(model.n_bodies()) +
                " bodies with the world; " + std::to_string(F_ext_.size()) + " wrenches are given");
  for (const Parameter& p : parameters) {
    parameters_.push_back(part_of(p, false));
    at_start_.push_back(part_of(p, true));
  }
}

std::vector<double> SensitivityRates::start(View<const double> q, View<const double> v) const {
  Array<double> y(space_.n_state());
  for (int k = 0; k < q.size; ++k) space_.q(View<double>(y))[k] = q[k];
  for (int k = 0; k < v.size; ++k) space_.v(View<double>(y))[k] = v[k];
  const int n = model_->n_v();
  for (std::size_t k = 0; k < at_start_.size(); ++k) {
    double* const dq = space_.x(View<double>(y)).data + static_cast<int>(k) * 2 * n;
    for (const Change& c : at_start_[k].changes)
      dq[c.what == Change::Of::coordinate ? c.index : n + c.index] += c.by[0];
  }
  return y;
}

View<const double> SensitivityRates::dq(View<const double> y, int k) const {
  return {space_.x(y).data + 2 * model_->n_v() * k, model_->n_v()};
}
View<const double> SensitivityRates::dv(View<const double> y, int k) const {
  return {space_.x(y).data + 2 * model_->n_v() * k + model_->n_v(), model_->n_v()};
}

void SensitivityRates::operator()(double t, View<const double> y, View<double> dy) {
  const Model<double>& model = *model_;
  const View<const double> q = space_.q(y), v = space_.v(y);
  for (double& x : tau_) x = 0;
  if (law_.torque) law_.torque(t, q, v, tau_);
  const auto result = linearise_hybrid_dynamics<double>(model, ws_, {}, q, v, qdd_, tau_, F_ext_);
  regular_ = regular_ && static_cast<bool>(result);
  for (int k = 0; k < model.n_v(); ++k) {
    space_.q_rate(dy)[k] = v[k];
    space_.v_rate(dy)[k] = qdd_[k];
  }
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    const View<const double> dq_p = dq(y, static_cast<int>(p)), dv_p = dv(y, static_cast<int>(p));
    double* const rates = space_.x_rate(dy).data + static_cast<int>(p) * 2 * model.n_v();
    internal::begin_direction(model, ws_);
    internal::add_parameter(model, ws_, parameters_[p]);
    internal::add_state_change<double>(model, ws_, dq_p, dv_p);
    if (law_.change) {
      for (double& x : dtau_) x = 0;
      law_.change(t, q, v, dq_p, dv_p, dtau_);
      for (int k = 0; const double x : dtau_) ws_.direction.tau[k++] += x;
    }
    internal::hybrid_dynamics_along<double>(model, ws_,
                                            View<double>(rates + model.n_v(), model.n_v()), dtau_);
    for (int k = 0; k < model.n_v(); ++k) rates[k] = dv_p[k];
    for (int i = 1; i < model.n_bodies(); ++i) {
      const int iq = model.body(i).q.first, iv = model.body(i).v.first;
      internal::for_each_part(model.joint(i), [&](auto kind, auto order, int jq, int jv) {
        internal::with_kind(kind, [&](auto type) {
          type.subtract_bracket(order, q.data + iq + jq, v.data + iv + jv, dq_p.data + iv + jv,
                                rates + iv + jv);
        });
      });
    }
  }
}

SensitivityRecord motion_sensitivity(const Model<double>& model,
                                     const std::vector<Parameter>& parameters, const TorqueLaw& law,
                                     const SensitivityOptions& options) {
  if (!(options.duration >= 0) || !std::isfinite(options.duration) || !(options.record_every > 0) ||
      !std::isfinite(options.start))
    throw Error(
        "motion_sensitivity: start, duration and record_every must be numbers, a duration"
        " of 0 or more and steps of more than 0 s");
  Array<double> q = options.q0, v = options.v0;
  if (q.empty()) q.resize(model.n_q()), neutral(model, q);
  if (v.empty()) v.resize(model.n_v());
  check_configuration(model, q);
  check_velocity(model, v);

  SensitivityRates rates(model, parameters, law, options.F_ext);
  SensitivityRecord record;
  for (const Parameter& p : parameters) record.parameters.push_back(p.name);
  std::vector<double> y = rates.start(q, v);
  PairWorkspace<DormandPrince8, double> ws(rates.space());
  double t = options.start;
  const double end = options.start + options.duration;
  const auto keep = [&] {
    const View<const double> now(y);
    const auto list = [](View<const double> x) { return std::vector<double>(x.begin(), x.end()); };
    record.t.push_back(t);
    record.q.push_back(list(rates.space().q(now)));
    record.v.push_back(list(rates.space().v(now)));
    record.dq.emplace_back();
    record.dv.emplace_back();
    for (int k = 0; k < static_cast<int>(parameters.size()); ++k) {
      for (const double x : rates.dq(now, k)) record.dq.back().push_back(x);
      for (const double x : rates.dv(now, k)) record.dv.back().push_back(x);
    }
  };
  keep();
  for (long step = 1; t < end; ++step) {
    // The last record is at the end, however the steps divide it.
    const double next = options.start + static_cast<double>(step) * options.record_every;
    const double limit = next > end - 1e-9 * options.record_every ? end : next;
    while (t < limit) {
      const auto result =
          internal::adaptive_step(rates.space(), ws, options.control, rates, t, limit, y);
      if (result && rates.regular()) continue;
      std::string why = "it cannot be continued with any step size";
      if (!rates.regular()) {
        why = singular_mass_message(model, rates.space().q(View<const double>(y)));
        if (why.empty()) why = "the mass matrix becomes singular";
      }
      record.message = "the motion ends at t = " + std::to_string(t) + " s: " + why;
      return record;
    }
    keep();
  }
  return record;
}

}  // namespace torsor
