#include "torsor/control/uncertain/regressor_bound.hpp"

#include <cmath>

#include "uncertain/plant_in_set.hpp"

namespace torsor {

RegressorBound::RegressorBound(const Model<double>& model, const std::vector<std::string>& names)
    : n_v_(model.n_v()), columns_(0), set_(ParameterSet(model, names)) {
  columns_ = set_->size();
  Y_.resize(n_v_ * columns_);
  zero_.resize(columns_);
}
RegressorBound::RegressorBound(const Model<double>& model, int columns, BoundFunction bound)
    : n_v_(model.n_v()), columns_(columns), bound_(std::move(bound)), Y_(n_v_ * columns) {}

RegressorBound::RegressorBound(const RegressorBound&) = default;
RegressorBound::RegressorBound(RegressorBound&&) noexcept = default;
RegressorBound& RegressorBound::operator=(const RegressorBound&) = default;
RegressorBound& RegressorBound::operator=(RegressorBound&&) noexcept = default;
RegressorBound::~RegressorBound() = default;

void RegressorBound::times(In<double> q, In<double> qd, In<double> v, In<double> w, In<double> a,
                           Out<double> k) {
  const OutMatrix<double> Y = column_major(Y_.data(), n_v_, columns_);
  if (set_)
    set_->regressor(q, qd, v, w, Y);
  else
    bound_(q, qd, v, w, Y);
  for (double& x : k) x = 0;
  for (int c = 0; c < columns_; ++c)
    for (int r = 0; r < n_v_; ++r) k[r] += std::abs(Y(r, c)) * a[c];
}

void RegressorBound::known_torque(In<double> q, In<double> qd, In<double> v, In<double> w,
                                  Out<double> tau) {
  if (set_)
    set_->torque(q, qd, v, w, zero_, tau);
  else
    for (double& x : tau) x = 0;
}

std::vector<Condition> RegressorBound::within(In<double> a, const Run& run, bool sizes) const {
  if (!set_) return {};
  const internal::PlantInSet plant = internal::plant_in_set(*set_, run);
  double most = 0;
  int worst = 0;
  for (int j = 0; j < columns_; ++j) {
    const double off = std::abs(plant.p[j] - (sizes ? 0 : set_->values()[j]));
    if (off <= 1e-9 * std::fmax(1, std::abs(plant.p[j])) && !sizes) continue;  // rounding
    const double share = off == 0 ? 0 : off / a[j];
    if (share > most) most = share, worst = j;
  }
  return {plant.condition(),
          hypothesis(sizes ? "p_bar bounds the parameters of the plant (Huo 2005, (3-107))"
                           : "the plant is within the half widths",
                     sizes ? "largest |p| / p_bar" : "largest |p - p_believed| / half width", most,
                     Relation::at_most, 1 + 1e-9, most > 0 ? set_->names()[worst] : "")};
}
std::vector<Condition> RegressorBound::errors_within(In<double> a, const Run& run) const {
  return within(a, run, false);
}
std::vector<Condition> RegressorBound::sizes_within(In<double> a, const Run& run) const {
  return within(a, run, true);
}

void RegressorBound::check(const char* law, const char* what, In<double> a) const {
  if (a.size != columns_)
    throw Error(std::string(law) + ": " + what + " has " + std::to_string(a.size) +
                " numbers; there are " + std::to_string(columns_) + " parameters");
  for (int c = 0; c < a.size; ++c)
    if (!(a[c] >= 0) || !std::isfinite(a[c]))
      throw Error(std::string(law) + ": " + what + " of " +
                  (set_ ? set_->names()[c] : "parameter " + std::to_string(c + 1)) + " is " +
                  std::to_string(a[c]) + "; it must be finite and not negative");
}

}  // namespace torsor
