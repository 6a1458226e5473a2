#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base_parameter_ways.hpp"
#include "dh_regrouping.hpp"
#include "torsor/model/dh_conversion.hpp"
#include "torsor/model/error.hpp"

namespace torsor {
namespace {

using namespace internal;

/// Letters of a table: a and d of row i, ratios of T2, then cosines and sines in pairs.
class Symbols {
 public:
  Symbols(const DhTable& table, const Array<DhJointFacts>& facts) {
    for (std::size_t k = 0; k < table.rows.size(); ++k) {
      const DhRow& row = table.rows[k];
      const int i = static_cast<int>(k) + 1;
      DhNumbers<Polynomial> x;
      x.a = length(2 * i, "a", i, row.a);
      if (!row.prismatic) x.d = length(2 * i + 1, "d", i, row.d);
      angle(first_angle + 4 * i, "a", "alpha", i, row.alpha, x.ca, x.sa);
      if (row.prismatic) angle(first_angle + 4 * i + 2, "t", "theta", i, row.theta, x.ct, x.st);
      if (!facts.empty() && facts[k].type == DhJointClass::T2) ratios(i, facts[k], x);
      numbers_.push_back(x);
    }
  }

  const Array<DhNumbers<Polynomial>>& numbers() const { return numbers_; }
  const std::map<int, double>& values() const { return values_; }
  const DhSymbol& letter(int id) const { return letters_.at(id); }
  const std::string& latex(int id) const { return latex_.at(id); }

 private:
  Polynomial named(int id, DhSymbol letter, std::string latex) {
    values_[id] = letter.value;
    letters_[id] = std::move(letter);
    latex_[id] = std::move(latex);
    return Polynomial::symbol(id);
  }
  Polynomial length(int id, const std::string& word, int i, double value) {
    if (value == 0) return {};
    const std::string number = std::to_string(i);
    return named(id, {word + number, word + "_" + number, value}, word + "_{" + number + "}");
  }
  void angle(int id, const std::string& word, const std::string& name, int i, double value,
             Polynomial& cosine, Polynomial& sine) {
    const AngleDirection at = direction_of(value);
    const std::string number = std::to_string(i);
    if (at.is_quarter()) {
      cosine = at.c, sine = at.s;
      return;
    }
    cosine = named(id, {"c" + word + number, "cos(" + name + "_" + number + ")", at.c},
                   "\\cos\\" + name + "_{" + number + "}");
    sine = named(id + 1, {"s" + word + number, "sin(" + name + "_" + number + ")", at.s},
                 "\\sin\\" + name + "_{" + number + "}");
  }
  /// Numbers where the hinges' direction is along axes of frame i, else letters.
  void ratios(int i, const DhJointFacts& joint, DhNumbers<Polynomial>& x) {
    const auto& [l, mu, nu] = joint.hinge_direction;
    x.pivot_x = std::abs(l) > 1e-8;
    const double pivot = x.pivot_x ? l : mu;
    const auto ratio = [&](int id, const char* word, const char* greek, double value) {
      if (std::abs(value) < 1e-15 || std::abs(std::abs(value) - 1) < 1e-15)
        return Polynomial(std::round(value));
      const std::string number = std::to_string(i);
      return named(id,
                   {word + number,
                    std::string(greek) + "/" + (x.pivot_x ? "lambda" : "mu") +
                        ", direction (lambda, mu, nu) of the hinges before it in frame " + number,
                    value},
                   std::string(word) + "_{" + number + "}");
    };
    if (x.pivot_x) x.of_y = ratio(1000 + 2 * i, "u", "mu", mu / pivot);
    x.of_z = ratio(1001 + 2 * i, "v", "nu", nu / pivot);
  }

  Array<DhNumbers<Polynomial>> numbers_{};
  std::map<int, double> values_{};
  std::map<int, DhSymbol> letters_{};
  std::map<int, std::string> latex_{};
};

/// Names of parameters in formulas: "zz1", "Ia1".
class Writer {
 public:
  Writer(const Symbols& symbols, int n, bool latex) : symbols_(symbols), n_(n), latex_(latex) {}

  std::string name(int column) const {
    const bool rotor = column >= parameters_per_body * n_;
    const int number = rotor ? column - parameters_per_body * n_ : column / parameters_per_body;
    const std::string word =
        rotor ? "Ia" : parameter_words[static_cast<std::size_t>(column % parameters_per_body)];
    return with_index(word, number + 1);
  }
  /// The base parameter that a kept one stands for: "ZZ1".
  std::string base_name(int column) const {
    std::string text = name(column);
    if (column >= parameters_per_body * n_) return text;
    for (char& c : text)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return text;
  }

  /// Terms of one monomial together, short monomials first, the kept parameter before all.
  std::string formula(int kept, const Form<Polynomial>& form) const {
    const auto shorter = [](const Monomial& a, const Monomial& b) {
      return degree(a) != degree(b) ? degree(a) < degree(b) : a < b;
    };
    std::map<Monomial, Form<double>, decltype(shorter)> groups(shorter);
    for (const auto& [column, coefficient] : form) {
      const Polynomial readable = coefficient.folded();
      for (const auto& [monomial, factor] : readable.terms()) groups[monomial][column] = factor;
    }
    std::string text = name(kept);
    groups[{}].erase(kept);
    for (const auto& [monomial, terms] : groups) {
      if (monomial.empty())
        for (const auto& [column, factor] : terms) text += signed_term(factor, name(column));
      else if (!terms.empty())
        text += group(monomial, terms);
    }
    return text;
  }

 private:
  std::string with_index(const std::string& word, int i) const {
    const std::string number = std::to_string(i);
    return latex_ ? word + "_{" + number + "}" : word + number;
  }
  static std::string digits(double x) {
    char text[40];
    std::snprintf(text, sizeof text, "%.6g", x);
    return text;
  }
  static std::string signed_term(double factor, const std::string& what) {
    std::string text = factor < 0 ? " - " : " + ";
    if (std::abs(factor) != 1) text += digits(std::abs(factor)) + " ";
    return text + what;
  }
  std::string power(int id, int exponent) const {
    std::string text = latex_ ? symbols_.latex(id) : symbols_.letter(id).name;
    if (exponent == 1) return text;
    const std::string number = std::to_string(exponent);
    if (!latex_) return text + "^" + number;
    // \cos^{2}\alpha_{1} rather than \cos\alpha_{1}^{2}
    const bool function = text.starts_with("\\cos") || text.starts_with("\\sin");
    return function ? text.substr(0, 4) + "^{" + number + "}" + text.substr(4)
                    : text + "^{" + number + "}";
  }
  std::string group(const Monomial& monomial, const Form<double>& terms) const {
    std::string product;
    for (const auto& [id, exponent] : monomial)
      product += (product.empty() ? "" : " ") + power(id, exponent);
    double common = terms.begin()->second;
    for (const auto& [column, factor] : terms)
      if (std::abs(std::abs(factor / common) - 1) > 1e-12) common = common < 0 ? -1 : 1;
    std::string inside;
    for (const auto& [column, factor] : terms) inside += signed_term(factor / common, name(column));
    inside = inside.substr(3);  // the first is positive
    return signed_term(common, product + " " + (terms.size() > 1 ? "(" + inside + ")" : inside));
  }

  const Symbols& symbols_;
  int n_;
  bool latex_;
};

SymbolicBaseParameters written(DhTable table, const Array<DhJointFacts>& facts,
                               const BaseParameterOptions& options, bool towards_hand) {
  const Symbols symbols(table, facts);
  DhRegrouping<Polynomial> formulas(table, symbols.numbers(), options.rotors);
  auto rows = towards_hand ? formulas.towards_hand() : formulas.towards_base(facts);
  std::sort(rows.begin(), rows.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });

  SymbolicBaseParameters out;
  const int n = static_cast<int>(table.rows.size());
  const Writer plain(symbols, n, false), latex(symbols, n, true);
  std::vector<std::pair<int, Form<double>>> numbers;
  std::map<int, bool> occurs;
  for (auto& [kept, form] : rows) {
    std::erase_if(form, [](const auto& term) { return term.second.is_zero(); });
    numbers.emplace_back(kept, Form<double>{});
    for (const auto& [column, coefficient] : form) {
      numbers.back().second[column] = coefficient.at(symbols.values());
      const Polynomial readable = coefficient.folded();
      for (const auto& [monomial, factor] : readable.terms())
        for (const auto& [id, exponent] : monomial) occurs[id] = true;
    }
    out.names.push_back(plain.base_name(kept));
    out.formulas.push_back(plain.formula(kept, form));
    out.latex.push_back(latex.formula(kept, form));
  }
  for (const auto& [id, unused] : occurs) out.symbols.push_back(symbols.letter(id));
  out.base = all_named(table, options);
  set_rows(out.base, table, numbers, options.tolerance);
  out.table = std::move(table);
  return out;
}

}  // namespace

SymbolicBaseParameters symbolic_base_parameters(const DhTable& table,
                                                const BaseParameterOptions& options) {
  if (table.rows.empty())
    throw Error(table.origin.prefix() + "DH table '" + table.name + "' has no row");
  const bool standard = table.convention == DhTable::Convention::standard;
  DhTable modified = tidied(standard ? dh_to_mdh(table) : table, options.tolerance);
  const Array<DhJointFacts> facts = joint_facts(modified, options.tolerance);
  return written(std::move(modified), facts, options, false);
}

SymbolicBaseParameters symbolic_handward_parameters(const DhTable& standard,
                                                    const BaseParameterOptions& options) {
  if (standard.convention != DhTable::Convention::standard)
    return symbolic_handward_parameters(mdh_to_dh(standard), options);
  if (standard.rows.empty())
    throw Error(standard.origin.prefix() + "DH table '" + standard.name + "' has no row");
  return written(tidied(standard, options.tolerance), {}, options, true);
}

}  // namespace torsor
