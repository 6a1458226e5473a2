#include "torsor/control/uncertain/robust_computed_torque.hpp"

#include "configuration_search.hpp"
#include "law_entries.hpp"
#include "run_start.hpp"
#include "torsor/control/scope.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/linear/cholesky.hpp"
#include "torsor/linear/lyapunov.hpp"
#include "torsor/model/text.hpp"
#include "uncertain/sliding_parameters.hpp"

namespace torsor {

namespace {

double size_of(In<double> x) {
  double sum = 0;
  for (const double y : x) sum += y * y;
  return std::sqrt(sum);
}
/// Largest singular value of [Kp Kd]: K K^T = Kp Kp^T + Kd Kd^T.
double norm_of(const Gain& Kp, const Gain& Kd) {
  const int n = Kp.size();
  Array<double> KK;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += Kp(r, k) * Kp(c, k) + Kd(r, k) * Kd(c, k);
      KK.push_back(sum);
    }
  return std::sqrt(Gain::full(n, std::move(KK)).largest_eigenvalue());
}
void refuse(const std::string& what) { throw Error("robust_computed_torque: " + what); }

}  // namespace

RobustComputedTorque::RobustComputedTorque(const Model<double>& model, RobustGains gains,
                                           RobustBounds bounds, RegressorBound regressor,
                                           Array<double> half_width, Effects effects)
    : ControlLaw("robust_computed_torque", model),
      gains_(std::move(gains)),
      bounds_(bounds),
      regressor_(std::move(regressor)),
      half_width_(std::move(half_width)),
      effects_(effects),
      ws_(model),
      e_(model.n_v()),
      edot_(e_.size()),
      x_(2 * e_.size()),
      w_(e_.size()),
      v_(e_.size()),
      k_(e_.size()),
      zero_(e_.size()) {
  const int n = model.n_v();
  gains_.Kp.check(name(), "Kp", n);
  gains_.Kd.check(name(), "Kd", n);
  gains_.Q.check(name(), "Q", 2 * n);
  regressor_.check(name(), "half_width", half_width_);
  if (!(gains_.epsilon > 0) || !std::isfinite(gains_.epsilon))
    refuse("epsilon is " + std::to_string(gains_.epsilon) + "; it must be positive");
  if (regressor_.parameters() && bounds_.alpha == 0) bounds_.alpha = mismatch(false)->alpha;
  if (regressor_.parameters() && bounds_.alpha_2 == 0) bounds_.alpha_2 = mismatch(false)->alpha_2;
  if (!(bounds_.alpha >= 0 && bounds_.alpha < 1))
    refuse("||H^-1 Hhat - I|| can be " + std::to_string(bounds_.alpha) +
           "; the law exists below 1 only (Huo 2005, (3-114))");
  if (!(bounds_.alpha_2 > 0) || !std::isfinite(bounds_.alpha_2))
    refuse("alpha_2 is " + std::to_string(bounds_.alpha_2) +
           "; it bounds ||H^-1|| and must be positive");
  K_size_ = norm_of(gains_.Kp, gains_.Kd);
  if (bounds_.K_norm == 0) bounds_.K_norm = K_size_;
  LyapunovSolution P = solve_lyapunov(error_system(gains_.Kp, gains_.Kd), gains_.Q.matrix());
  if (!P.converged) refuse("[0 1; -Kp -Kd] is not Hurwitz: there is no P");
  P_ = P.P.entries();
}

const InertiaMismatch* RobustComputedTorque::mismatch(bool within_limits) {
  std::optional<InertiaMismatch>& found = within_limits ? limited_mismatch_ : mismatch_;
  if (!found && regressor_.parameters())
    found = inertia_mismatch(
        *regressor_.parameters(), half_width_,
        {.constant_inertia = bounds_.constant_inertia, .within_limits = within_limits});
  return found ? &*found : nullptr;
}

double RobustComputedTorque::rho_at(double x_size, double qdd_size, double phi) const {
  return (bounds_.alpha * (qdd_size + bounds_.K_norm * x_size) + bounds_.alpha_2 * phi) /
         (1 - bounds_.alpha);
}

void RobustComputedTorque::look(const ControlInput& input) {
  tracking_error(*model_, input, e_, edot_);
  const int n = e_.size();
  for (int i = 0; i < n; ++i) x_[i] = e_[i], x_[n + i] = edot_[i];
  for (int i = 0; i < n; ++i) {
    w_[i] = 0;
    for (int j = 0; j < 2 * n; ++j) w_[i] += P_[(n + i) * 2 * n + j] * x_[j];
  }
  w_size_ = size_of(w_);
  regressor_.times(input.state.q, input.state.qd, input.state.qd, zero_, half_width_, k_);
  rho_ = rho_at(size_of(x_), bounds_.qdd_max > 0 ? bounds_.qdd_max : size_of(input.reference.qdd),
                size_of(k_));
}
double RobustComputedTorque::rho(const ControlInput& input) {
  look(input);
  return rho_;
}

void RobustComputedTorque::torque(const ControlInput& input, Out<double> tau) {
  look(input);
  const double factor = rho_ / std::max(w_size_, gains_.epsilon);
  for (int i = 0; i < v_.size(); ++i)
    v_[i] = (input.reference.qdd.empty() ? 0.0 : input.reference.qdd[i]) + factor * w_[i];
  gains_.Kp.add_product(e_, v_);
  gains_.Kd.add_product(edot_, v_);
  if (bounds_.constant_inertia > 0) {
    tree_inverse_dynamics(*model_, ws_, input.state.q, input.state.qd, zero_, {}, tau, effects_);
    for (int i = 0; i < tau.size; ++i) tau[i] += bounds_.constant_inertia * v_[i];
  } else {
    tree_inverse_dynamics(*model_, ws_, input.state.q, input.state.qd, v_, {}, tau, effects_);
  }
}

LyapunovValue RobustComputedTorque::lyapunov(const ControlInput& input, const Model<double>&) {
  look(input);
  LyapunovValue V;
  V.rate_is_bound = true;
  const int m = x_.size();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) V.value += x_[i] * P_[i * m + j] * x_[j];
  V.rate = -gains_.Q.quadratic(x_) +
           2 * rho_ * w_size_ * (1 - w_size_ / std::max(w_size_, gains_.epsilon));
  return V;
}

std::vector<Condition> RobustComputedTorque::conditions(const Run& run) {
  if (run.range && run.range->passed) return {rho_at_states(run)};
  std::vector<Condition> all;
  const auto definite = [&](const char* what, const Gain& gain) {
    all.push_back(condition(std::string(what) + " symmetric",
                            std::string("largest asymmetry of ") + what, gain.asymmetry(),
                            Relation::at_most, 0));
    all.push_back(condition(std::string(what) + " positive definite",
                            std::string("smallest eigenvalue of ") + what,
                            gain.smallest_eigenvalue(), Relation::greater, 0));
  };
  definite("Kp", gains_.Kp);
  definite("Kd", gains_.Kd);
  definite("Q", gains_.Q);
  all.push_back(condition("the model is near enough (Huo 2005, (3-114))", "alpha", bounds_.alpha,
                          Relation::less, 1));
  all.push_back(condition("K_norm bounds K (Huo 2005, (3-118))", "K_norm", bounds_.K_norm,
                          Relation::at_least, K_size_));
  if (const InertiaMismatch* found = mismatch(run.stops)) {
    all.push_back(condition("alpha covers the half widths (Huo 2005, (3-114))", "alpha",
                            bounds_.alpha, Relation::at_least, found->alpha, found->note()));
    all.push_back(condition("alpha_2 covers the half widths (Huo 2005, (3-112))", "alpha_2",
                            bounds_.alpha_2, Relation::at_least, found->alpha_2, found->note()));
  }
  for (Condition& c : regressor_.errors_within(half_width_, run)) all.push_back(std::move(c));
  add_stated_bounds(run, all);
  return all;
}

/// qdd = v - d~ with d~ = H^-1 (torque that the plant needs for v - torque of the law).
Condition RobustComputedTorque::rho_at_states(const Run& run) {
  const Model<double>& plant = *run.plant;
  const int n = plant.n_v();
  DynamicsWorkspace<double> own(plant);
  CrbaWorkspace<double> crba(plant);
  Cholesky factors(n);
  Array<double> H(n * n), tau(n), d(n);
  ReferencePoint point;
  double most = 0, when = run.start;
  for (const RunInstant& at : run.range->instants) {
    if (run.reference) run.reference(at.t, point);
    torque({at.t, {.q = at.q, .qd = at.qd}, {}, point.view()}, tau);  // leaves v_ and rho_
    tree_inverse_dynamics(plant, own, at.q, at.qd, v_, {}, d, {.friction = run.friction});
    mass_matrix(plant, crba, at.q, column_major(H.data(), n, n));
    if (!factors.factorise(column_major<const double>(H.data(), n, n))) continue;
    for (int k = 0; k < n; ++k) d[k] -= tau[k];
    factors.solve(d);
    const double size = size_of(d), share = size > 1e-9 * (1 + size_of(v_)) ? size / rho_ : 0;
    if (share > most) most = share, when = at.t;
  }
  return hypothesis("rho covers the plant where the run passed (Huo 2005, (3-119))",
                    "largest |d~| / rho", most, Relation::at_most, 1 + 1e-9,
                    "at t = " + short_number(when) + " s");
}

/// What the caller stated about reference and start, where he did.
void RobustComputedTorque::add_stated_bounds(const Run& run, std::vector<Condition>& all) {
  const RunRange range = run_range(*this, run);
  (void)internal::lyapunov_at_start(*this, run);  // leaves x of the start in x_
  const double start = size_of(x_);
  double speed = 0, acceleration = 0;
  for (const RunInstant& at : range.instants) {
    if (&at == &range.instants[0]) continue;  // the start is no part of the reference
    speed = std::max(speed, size_of(at.qd));
    acceleration = std::max(acceleration, size_of(at.qdd));
  }
  const std::string note = std::to_string(range.instants.size() - 1) + " instants sampled";
  if (bounds_.qdd_max > 0)
    all.push_back(hypothesis("qdd_max covers the reference", "qdd_max", bounds_.qdd_max,
                             Relation::at_least, acceleration * (1 - 1e-9), note));
  if (!(bounds_.start > 0)) return;
  all.push_back(hypothesis("start covers the run's", "start", bounds_.start, Relation::at_least,
                           start * (1 - 1e-9)));
  all.push_back(hypothesis("qd_max covers the reference", "qd_max", bounds_.qd_max,
                           Relation::at_least, speed * (1 - 1e-9), note));
  const double around = ultimate_bound().k_under;
  all.push_back(hypothesis("the ball lies where rho_bar is a bound (Huo 2005, (3-127))",
                           "V of the ellipsoid around the ball", around, Relation::at_most,
                           covered_,
                           "rho_bar is that of V <= l_M(P) start^2, or of the ball itself"));
}

/// Over all configurations and some directions of qd at this speed.
double RobustComputedTorque::largest_phi(double speed) {
  const auto n = zero_.size();
  std::vector<Array<double>> directions;
  for (int k = 0; k < n + 8; ++k) {
    Array<double> u(n);
    for (int i = 0; i < n; ++i)
      u[i] = k < n ? (i == k ? 1.0 : 0.0)
                   : std::cos(1 + static_cast<double>(7 * (k - n) * n + 3 * i * i + i));
    const double size = size_of(u);
    for (double& x : u) x *= speed / size;
    directions.push_back(std::move(u));
  }
  const auto phi_at = [&](const Array<double>& q) {
    double phi = 0;
    for (const Array<double>& u : directions) {
      regressor_.times(q, u, u, zero_, half_width_, k_);
      phi = std::max(phi, size_of(k_));
    }
    return phi;
  };
  Array<double> q(model_->n_q()), worst = q;
  double largest = -1;
  for (int draw = 0; draw < 256; ++draw) {
    control_detail::draw_configuration(*model_, static_cast<std::uint64_t>(draw + 1), false,
                                       Out<double>(q));
    if (const double phi = phi_at(q); phi > largest) largest = phi, worst = q;
  }
  return control_detail::climb(*model_, phi_at, std::move(worst), false);
}

double RobustComputedTorque::k_0() const {
  return Gain::full(x_.size(), P_).largest_eigenvalue() * bounds_.start * bounds_.start;
}

const UltimateBound& RobustComputedTorque::ultimate_bound() {
  if (ultimate_) return *ultimate_;
  const Gain P = Gain::full(x_.size(), P_);
  covered_ = k_0();
  for (int turn = 0; turn < 40; ++turn) {
    const double far = std::sqrt(covered_ / P.smallest_eigenvalue());
    const double phi = largest_phi(bounds_.qd_max + far);
    ultimate_ =
        torsor::ultimate_bound(P, gains_.Q, gains_.epsilon, rho_at(far, bounds_.qdd_max, phi));
    if (ultimate_->k_under <= covered_ || !(ultimate_->k_under < 1e9 * k_0())) break;
    covered_ = 1.01 * ultimate_->k_under;
  }
  return *ultimate_;
}

std::vector<Prediction> RobustComputedTorque::predictions(const Run& run) {
  std::vector<Prediction> all;
  if (!(bounds_.start > 0)) return all;
  const UltimateBound& b = ultimate_bound();
  if (b.k_under > covered_) return all;     // rho_bar grows faster than the ball
  const double late = 0.75 * run.duration;  // where error bounds are looked at
  const double left = b.radius(b.level_at(late, k_0()));
  const bool met = left <= b.delta;
  for (int i = 0; i < model_->n_v(); ++i)
    all.push_back({"|e| of " + model_->dof_name(i) + " <= the ultimate bound (Huo 2005, (3-126))" +
                       (met ? "" : ", and what is left of V(0)"),
                   PredictedQuantity::error_bound, i, std::fmax(b.delta, left)});
  return all;
}

using namespace internal;

LawEntry internal::robust_computed_torque() {
  return {
      "robust_computed_torque",
      "uncertain/robust_computed_torque.hpp",
      "the error ends in a ball that is computed",
      GainList{
          required_gain("Kp", GainKind::gain, "100", "1/s^2", "of e"),
          required_gain("Kd", GainKind::gain, "20", "1/s", "of edot"),
          required_gain("Q", GainKind::gain, "1", "",
                        "of the Lyapunov equation for (e, edot), size 2 n"),
          required_gain("epsilon", GainKind::number, "0.1", "",
                        "width of the layer in which the added acceleration is smooth"),
          optional_gain("alpha", GainKind::number, "0", "",
                        "bound of |1 - H^-1 Hhat|; 0: searched over the half widths"),
          optional_gain("alpha_2", GainKind::number, "0", "", "largest |H^-1|; 0: searched"),
          optional_gain("K_norm", GainKind::number, "0", "", "norm of [Kp Kd]; 0: computed"),
          optional_gain("qdd_max", GainKind::number, "0", "rad/s^2",
                        "largest |qdd_d|; 0: that of each instant"),
          optional_gain("qd_max", GainKind::number, "0", "rad/s", "largest |qd_d|"),
          optional_gain("start", GainKind::number, "0", "",
                        "bound of |(e, edot)| at the start; 0: no ultimate bound is predicted"),
          optional_gain("constant_inertia", GainKind::number, "0", "kg m^2",
                        "Hhat is this times the unit matrix (Huo 2005, lemma 3-3); 0: the model")} +
          half_width_gain_list(),
      "q, qd, qdd of the joints",
      "Huo 2005, sec. 3.11; Spong & Vidyasagar 1989",
      [](const Model<double>& model, LawParameters& p) -> std::unique_ptr<ControlLaw> {
        const int n = model.n_v();
        RobustGains gains{p.gain("Kp", n), p.gain("Kd", n), p.gain("Q", 2 * n),
                          p.number("epsilon")};
        const RobustBounds bounds{p.number("alpha"),           p.number("alpha_2"),
                                  p.number("K_norm"),          p.number("qdd_max"),
                                  p.number("qd_max"),          p.number("start"),
                                  p.number("constant_inertia")};
        RegressorBound regressor = regressor_bound(model, p);
        Array<double> half_width = parameter_numbers(regressor, p, "half_width");
        return std::make_unique<RobustComputedTorque>(model, std::move(gains), bounds,
                                                      std::move(regressor), std::move(half_width));
      }};
}

}  // namespace torsor
