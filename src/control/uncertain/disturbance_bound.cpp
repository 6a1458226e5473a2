#include "torsor/control/uncertain/disturbance_bound.hpp"

#include "torsor/linear/lu.hpp"
#include "torsor/linear/matrix.hpp"

namespace torsor {

DisturbanceBound::DisturbanceBound(std::vector<double> d_bar)
    : n_(static_cast<int>(d_bar.size())), given_(std::move(d_bar)) {}

DisturbanceBound::DisturbanceBound(InertiaMismatch mismatch, RegressorBound regressor,
                                   std::vector<double> half_width)
    : n_(mismatch.n),
      mismatch_(std::move(mismatch)),
      regressor_(std::move(regressor)),
      half_width_(std::move(half_width)),
      k_(n_),
      zero_(k_.size()),
      by_v_(mismatch_.A),
      by_k_(mismatch_.W) {
  if (!(mismatch_.spectral_radius() < 1)) return;
  Matrix I_A = Matrix::identity(n_);
  for (int i = 0; i < n_; ++i)
    for (int j = 0; j < n_; ++j) I_A(i, j) -= mismatch_.A[i * n_ + j];
  Lu factors(n_);
  if (!factors.factorise(I_A)) return;
  factors.solve(row_major(by_v_.data(), n_, n_));
  factors.solve(row_major(by_k_.data(), n_, n_));
}

bool DisturbanceBound::is_zero() const {
  for (const double x : given_)
    if (x != 0) return false;
  return !regressor_;
}

void DisturbanceBound::at(View<const double> q, View<const double> qd, View<const double> v_size,
                          View<double> d) {
  if (!regressor_) {
    for (int i = 0; i < n_; ++i) d[i] = given_[i];
    return;
  }
  regressor_->times(q, qd, qd, zero_, half_width_, k_);
  for (int i = 0; i < n_; ++i) {
    d[i] = 0;
    for (int j = 0; j < n_; ++j) {
      const int e = i * n_ + j;
      d[i] += by_v_[e] * v_size[j] + by_k_[e] * k_[j];
    }
  }
}

std::vector<Condition> DisturbanceBound::conditions() const {
  if (!regressor_) return {};
  return {condition("the bound of the disturbance is consistent",
                    "spectral radius of A >= |I - H^-1 Hhat|", mismatch_.spectral_radius(),
                    Relation::less, 1, mismatch_.note())};
}

std::vector<Condition> DisturbanceBound::conditions(const Run& run) const {
  std::vector<Condition> all = conditions();
  if (regressor_)
    for (Condition& c : regressor_->errors_within(half_width_, run)) all.push_back(std::move(c));
  return all;
}

void DisturbanceBound::check(const char* law, int n) const {
  const std::string who = law;
  if (n_ != n)
    throw Error(who + ": the bound of the disturbance is of size " + std::to_string(n_) +
                "; the robot has " + std::to_string(n) + " degrees of freedom");
  for (const double x : given_)
    if (!(x >= 0) || !std::isfinite(x))
      throw Error(who + ": d_bar is " + std::to_string(x) + "; it must be finite and not negative");
  if (regressor_) regressor_->check(law, "half_width", half_width_);
  if (mismatch_.indefinite)
    throw Error(who + ": the half widths allow an inertia matrix that is not positive definite");
}

}  // namespace torsor
