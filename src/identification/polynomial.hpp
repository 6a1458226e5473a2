#pragma once
/// Polynomials in named symbols: coefficients of regrouping formulas.
///
/// A symbol is a number. Cosines and sines come in pairs: from `first_angle` on, 2k is a cosine and
/// 2k + 1 the sine of the same angle. Squares of sines are written as 1 - cos^2, so that equal polynomials
/// have equal terms; `folded` turns 1 - cos^2 back into sin^2 for people.
#include <map>
#include <utility>
#include <vector>

namespace torsor::internal {

inline constexpr int first_angle = 1 << 16;

/// Symbols and exponents, ascending; empty: 1.
using Monomial = std::vector<std::pair<int, int>>;
Monomial product(const Monomial& a, const Monomial& b);
int degree(const Monomial& monomial);

class Polynomial {
 public:
  Polynomial() = default;
  Polynomial(double constant);
  static Polynomial symbol(int id);

  const std::map<Monomial, double>& terms() const { return terms_; }
  bool is_zero() const { return terms_.empty(); }
  double at(const std::map<int, double>& values) const;
  /// k m - k m cos^2 becomes k m sin^2.
  Polynomial folded() const;

  Polynomial& operator+=(const Polynomial& other);
  friend Polynomial operator*(const Polynomial& a, const Polynomial& b);

 private:
  void add(Monomial monomial, double factor);  // with squares of sines rewritten
  void add_raw(const Monomial& monomial, double factor);

  std::map<Monomial, double> terms_{};
};

}  // namespace torsor::internal
