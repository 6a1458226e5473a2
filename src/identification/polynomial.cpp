#include "polynomial.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/model/error.hpp"

namespace torsor::internal {
namespace {

constexpr std::size_t most_terms = 20000;

bool is_angle(int id) { return id >= first_angle; }
bool is_sine(int id) { return is_angle(id) && id % 2 == 1; }

/// The monomial with the exponent of `id` changed.
Monomial changed(const Monomial& monomial, int id, int by) { return product(monomial, {{id, by}}); }

}  // namespace

Monomial product(const Monomial& a, const Monomial& b) {
  Monomial result;
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      result.push_back(*i++);
    } else if (i == a.end() || j->first < i->first) {
      result.push_back(*j++);
    } else {
      if (i->second + j->second != 0) result.emplace_back(i->first, i->second + j->second);
      ++i, ++j;
    }
  }
  return result;
}

int degree(const Monomial& monomial) {
  int sum = 0;
  for (const auto& [id, exponent] : monomial) sum += exponent;
  return sum;
}

Polynomial::Polynomial(double constant) {
  if (constant != 0) terms_[{}] = constant;
}

Polynomial Polynomial::symbol(int id) {
  Polynomial p;
  p.terms_[{{id, 1}}] = 1;
  return p;
}

void Polynomial::add_raw(const Monomial& monomial, double factor) {
  double& sum = terms_[monomial];
  sum += factor;
  if (std::abs(sum) < 1e-12 * std::max(1.0, std::abs(factor))) terms_.erase(monomial);
  if (terms_.size() > most_terms)
    throw Error("base parameters in symbols: the formulas have more than " +
                std::to_string(most_terms) + " terms; ask for numbers instead");
}

void Polynomial::add(Monomial monomial, double factor) {
  for (const auto& [id, exponent] : monomial) {
    if (!is_sine(id) || exponent < 2) continue;
    const Monomial less = changed(monomial, id, -2);
    add(less, factor);
    add(changed(less, id - 1, 2), -factor);
    return;
  }
  add_raw(monomial, factor);
}

Polynomial& Polynomial::operator+=(const Polynomial& other) {
  for (const auto& [monomial, factor] : other.terms_) add_raw(monomial, factor);
  return *this;
}

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial result;
  for (const auto& [m, x] : a.terms_)
    for (const auto& [n, y] : b.terms_) result.add(product(m, n), x * y);
  return result;
}

double Polynomial::at(const std::map<int, double>& values) const {
  double sum = 0;
  for (const auto& [monomial, factor] : terms_) {
    double term = factor;
    for (const auto& [id, exponent] : monomial) term *= std::pow(values.at(id), exponent);
    sum += term;
  }
  return sum;
}

Polynomial Polynomial::folded() const {
  Polynomial result = *this;
  for (const auto& [monomial, unused] : terms_)
    for (const auto& [id, exponent] : monomial) {
      if (!is_angle(id) || is_sine(id) || exponent < 2) continue;
      const Monomial one = changed(monomial, id, -2);
      const auto square = result.terms_.find(monomial), plain = result.terms_.find(one);
      if (square == result.terms_.end() || plain == result.terms_.end()) continue;
      if (std::abs(square->second + plain->second) > 1e-12) continue;
      const double factor = plain->second;
      result.terms_.erase(square);
      result.terms_.erase(plain);
      result.add_raw(changed(one, id + 1, 2), factor);
      break;
    }
  return result;
}

}  // namespace torsor::internal
