#include "torsor/control/uncertain/adaptation.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "law_entries.hpp"
#include "torsor/linear/cholesky.hpp"
#include "torsor/linear/internal/ldlt.hpp"
#include "uncertain/plant_in_set.hpp"

namespace torsor {

namespace {

struct Pseudo {
  double entries[4][4];
  const double* operator[](int r) const { return entries[r]; }
  double* operator[](int r) { return entries[r]; }
};

/// P of the ten of a link.
Pseudo pseudo_inertia(const double* p) {
  const double half = (p[4] + p[6] + p[9]) / 2;
  return {{{half - p[4], -p[5], -p[7], p[1]},
           {-p[5], half - p[6], -p[8], p[2]},
           {-p[7], -p[8], half - p[9], p[3]},
           {p[1], p[2], p[3], p[0]}}};
}
/// The ten of a link with that P.
void parameters_of_pseudo(const Pseudo& P, double* p) {
  const double trace = P[0][0] + P[1][1] + P[2][2];
  p[0] = P[3][3], p[1] = P[0][3], p[2] = P[1][3], p[3] = P[2][3];
  p[4] = trace - P[0][0], p[6] = trace - P[1][1], p[9] = trace - P[2][2];
  p[5] = -P[0][1], p[7] = -P[0][2], p[8] = -P[1][2];
}
/// B with tr(P B) = p^T y.
Pseudo dual_of(const double* y) {
  return {{{y[6] + y[9], -y[5] / 2, -y[7] / 2, y[1] / 2},
           {-y[5] / 2, y[4] + y[9], -y[8] / 2, y[2] / 2},
           {-y[7] / 2, -y[8] / 2, y[4] + y[6], y[3] / 2},
           {y[1] / 2, y[2] / 2, y[3] / 2, y[0]}}};
}
Pseudo product(const Pseudo& a, const Pseudo& b) {
  Pseudo c{};
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 4; ++k)
      for (int j = 0; j < 4; ++j) c[i][j] += a[i][k] * b[k][j];
  return c;
}

/// Factors of P; the pivots are positive where P is positive definite.
struct Factors {
  internal::SmallLdlt<double> ldlt;
  double log_det = 0, smallest = infinity;

  explicit Factors(const Pseudo& P) {
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c <= r; ++c) ldlt(r, c) = P[r][c];
    ldlt.factorise(4);
    for (int k = 0; k < 4; ++k) {
      smallest = std::fmin(smallest, ldlt.pivot(k));
      log_det += std::log(std::fmax(ldlt.pivot(k), 0));
    }
  }
};

/// log det P_hat / det P + tr P_hat^-1 P - 4.
double divergence(const double* p, const double* p_hat) {
  const Pseudo P = pseudo_inertia(p);
  const Factors hat(pseudo_inertia(p_hat)), own(P);
  if (!(hat.smallest > 0)) return infinity;  // too large a sampled step has left the possible ones
  double sum = hat.log_det - 4 - (own.smallest > 0 ? own.log_det : 0);
  for (int c = 0; c < 4; ++c) {
    double column[4] = {P[0][c], P[1][c], P[2][c], P[3][c]};
    hat.ldlt.solve(4, column);
    sum += column[c];
  }
  return sum;
}

/// The inverse of a gain, zero where a diagonal one is zero.
Gain inverse(const Gain& A, const std::string& who) {
  const int n = A.size();
  if (A.is_diagonal()) {
    Array<double> d;
    for (int k = 0; k < n; ++k) d.push_back(A(k, k) == 0 ? 0 : 1 / A(k, k));
    return Gain(d);
  }
  Cholesky factors(n);
  Matrix inverse(n, n);
  if (A.asymmetry() > 0 || !factors.factorise(A.matrix()))
    throw Error(who + ": a full adaptation matrix must be symmetric and positive definite");
  factors.inverse(inverse);
  return Gain::full(n, inverse.entries());
}

bool same(const DofConstants<double>& a, const DofConstants<double>& b) {
  using Numbers = std::array<double, sizeof(DofConstants<double>) / sizeof(double)>;
  return std::bit_cast<Numbers>(a) == std::bit_cast<Numbers>(b);
}
bool same(const CoupledMotor<double>& a, const CoupledMotor<double>& b) {
  using Term = CoupledMotor<double>::Term;
  return same(a.constants, b.constants) &&
         std::equal(a.terms.begin(), a.terms.end(), b.terms.begin(), b.terms.end(),
                    [](const Term& s, const Term& t) { return s.v == t.v && s.ratio == t.ratio; });
}

}  // namespace

AdaptationOptions internal::adaptation_options(const Model<double>& model, LawParameters& p) {
  AdaptationOptions o;
  o.parameters = p.words("parameters");
  if (o.parameters == std::vector<std::string>{"all"}) o.parameters.clear();
  const int k = ParameterSet(model, o.parameters).size();
  o.p0 = p.numbers("p0", k);
  o.natural = p.number("natural_adaptation");
  const bool held = o.natural > 0 && !p.has("adaptation");
  o.rate = held ? Gain::uniform(k, 0) : p.gain("adaptation", k);
  o.lower = p.numbers("lower", k);
  o.upper = p.numbers("upper", k);
  o.margin = p.numbers("margin", k);
  return o;
}
internal::GainList internal::adaptation_gain_list() {
  return {required_gain("adaptation", GainKind::gain, "2", "",
                        "Gamma^-1, size of the parameters; may be missing with natural_adaptation"),
          optional_gain("parameters", GainKind::words, "all", "", "names of what is adapted"),
          optional_gain("p0", GainKind::vector, "", "",
                        "estimates at the start, in their units; none: those of the model"),
          optional_gain("natural_adaptation", GainKind::number, "0", "",
                        "> 0: whole links adapt on the manifold of possible bodies at this rate"),
          optional_gain("lower", GainKind::vector, "", "", "least values of the estimates"),
          optional_gain("upper", GainKind::vector, "", "", "largest values of the estimates"),
          optional_gain("margin", GainKind::vector, "", "",
                        "where the bounds begin to act; none: a twentieth of their distance")};
}

Adaptation::Adaptation(const char* law, const Model<double>& model, AdaptationOptions options)
    : options_(std::move(options)),
      set_(model, options_.parameters),
      natural_(set_.size()),
      error_(set_.size()) {
  const std::string who(law);
  const auto check = [&](const char* what, const Array<double>& x) {
    if (x.size() != size())
      throw Error(who + ": " + what + " has " + std::to_string(x.size()) + " numbers; there are " +
                  std::to_string(size()) + " parameters");
    for (int k = 0; k < size(); ++k)
      if (!std::isfinite(x[k]))
        throw Error(who + ": " + what + " of \"" + set_.names()[k] + "\" is not finite");
  };
  AdaptationOptions& o = options_;
  if (o.p0.empty()) o.p0.assign(set_.values().begin(), set_.values().end());
  check("p0", o.p0);
  if (o.rate.size() != size())
    throw Error(who + ": adaptation is of size " + std::to_string(o.rate.size()) + "; there are " +
                std::to_string(size()) + " parameters");
  o.rate.check(law, "adaptation", size());
  gamma_ = inverse(o.rate, who);
  if (!(o.natural >= 0) || !std::isfinite(o.natural))
    throw Error(who + ": natural_adaptation must be a positive number");
  for (int c = 0; o.natural > 0 && c + parameters_per_body <= size(); ++c)
    for (int i = 1; i < model.n_bodies(); ++i) {
      const auto is_word = [&](int k) {
        return set_.names()[c + k] ==
               model.body_name(i) + "." + *(internal::parameter_words.begin() + k);
      };
      int k = 0;
      while (k < parameters_per_body && is_word(k)) ++k;
      if (k < parameters_per_body) continue;
      if (!(Factors(pseudo_inertia(&o.p0[c])).smallest > 0))
        throw Error(who + ": link \"" + model.body_name(i) +
                    "\" cannot adapt naturally: its ten parameters at the start are of no possible "
                    "body");
      links_.push_back(c);
      std::fill_n(natural_.begin() + c, parameters_per_body, char(1));
    }
  if (o.natural > 0 && links_.empty())
    throw Error(who + ": natural_adaptation needs all ten parameters of a link");
  if (o.natural > 0 && !o.rate.is_diagonal())
    throw Error(who + ": natural_adaptation takes a diagonal adaptation for the other parameters");
  if (o.lower.empty() && o.upper.empty()) return;
  check("lower", o.lower);
  check("upper", o.upper);
  if (!o.rate.is_diagonal()) throw Error(who + ": bounds take a diagonal adaptation");
  if (o.margin.empty())
    for (int k = 0; k < o.lower.size(); ++k) o.margin.push_back((o.upper[k] - o.lower[k]) / 20);
  check("margin", o.margin);
  for (int k = 0; k < o.lower.size(); ++k)
    if (!(o.margin[k] > 0) || !(o.upper[k] - o.lower[k] > 2 * o.margin[k]))
      throw Error(who + ": bounds of \"" + set_.names()[k] + "\" leave nothing between them");
}

void Adaptation::reset(Out<double> p_hat) const {
  std::copy(options_.p0.begin(), options_.p0.end(), p_hat.data);
}

void Adaptation::rate(In<double> p_hat, In<double> y, Out<double> p_hat_rate) const {
  for (double& x : p_hat_rate) x = 0;
  options_.rate.add_product(y, p_hat_rate);
  for (int c = 0; is_bounded() && c < size(); ++c) {
    double& x = p_hat_rate[c];
    const double room = x > 0 ? options_.upper[c] - p_hat[c] : p_hat[c] - options_.lower[c];
    x *= std::clamp(room / options_.margin[c], 0.0, 1.0);
  }
  for (const int c : links_) {
    const Pseudo P = pseudo_inertia(p_hat.data + c);
    Pseudo PBP = product(P, product(dual_of(y.data + c), P));
    for (auto& row : PBP.entries)
      for (double& x : row) x *= options_.natural;
    parameters_of_pseudo(PBP, p_hat_rate.data + c);
  }
}

bool Adaptation::knows(const Model<double>& plant) const {
  if (plant_dofs_.size() != plant.n_v() || plant_motors_.size() != plant.motors().size())
    return false;
  for (int k = 0; k < plant.n_v(); ++k)
    if (!same(plant_dofs_[k], plant.dof(k))) return false;
  for (int k = 0; k < plant_motors_.size(); ++k)
    if (!same(plant_motors_[k], plant.motors()[k])) return false;
  for (int i = 1; i < plant.n_bodies(); ++i) {
    const auto ten = parameters_of(plant.body(i).inertia);
    if (!std::equal(ten.begin(), ten.end(),
                    plant_inertial_.begin() + (i - 1) * parameters_per_body))
      return false;
  }
  return true;
}

In<double> Adaptation::values(const Model<double>& plant) {
  if (knows(plant)) return values_;
  values_ = set_.values_of(plant);
  plant_inertial_ = parameters(plant);
  plant_dofs_.clear();
  for (int k = 0; k < plant.n_v(); ++k) plant_dofs_.push_back(plant.dof(k));
  plant_motors_ = plant.motors();
  return values_;
}

double Adaptation::energy(In<double> p_hat, const Model<double>& plant) {
  const In<double> p = values(plant);
  for (int c = 0; c < size(); ++c) error_[c] = is_natural(c) ? 0 : p[c] - p_hat[c];
  double W = gamma_.quadratic(error_) / 2;
  for (const int c : links_) W += divergence(p.data + c, p_hat.data + c) / options_.natural;
  return W;
}

std::vector<Condition> Adaptation::conditions() const {
  std::vector<Condition> list;
  double slowest = infinity;
  if (options_.rate.is_diagonal()) {
    for (int c = 0; c < size(); ++c)
      if (!is_natural(c)) slowest = std::fmin(slowest, options_.rate(c, c));
  } else {
    slowest = options_.rate.smallest_eigenvalue();
  }
  if (slowest < infinity)
    list.push_back(condition("adaptation positive definite", "smallest eigenvalue of adaptation",
                             slowest, Relation::greater, 0));
  if (!links_.empty())
    list.push_back(condition("natural adaptation positive", "natural_adaptation", options_.natural,
                             Relation::greater, 0));
  if (is_bounded()) {
    double room = infinity;
    for (int k = 0; k < options_.p0.size(); ++k)
      room = std::fmin(
          room, std::fmin(options_.p0[k] - options_.lower[k], options_.upper[k] - options_.p0[k]));
    list.push_back(condition("estimates start within their bounds", "smallest room to a bound",
                             room, Relation::at_least, 0));
  }
  return list;
}

std::vector<Condition> Adaptation::conditions(const Run& run) const {
  std::vector<Condition> list = conditions();
  const internal::PlantInSet plant = internal::plant_in_set(set_, run);
  list.push_back(plant.condition());
  if (!is_bounded()) return list;
  double room = infinity;
  for (int k = 0; k < size(); ++k)
    room =
        std::fmin(room, std::fmin(plant.p[k] - options_.lower[k], options_.upper[k] - plant.p[k]) -
                            options_.margin[k]);
  list.push_back(hypothesis("the plant's parameters are inside their bounds",
                            "smallest room to a bound beyond the margin", room, Relation::at_least,
                            0));
  return list;
}

}  // namespace torsor
