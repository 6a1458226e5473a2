#include <algorithm>
#include <cmath>

#include "torsor/formats/text.hpp"
#include "torsor/math/internal/builtins.hpp"
#include "xacro/expression.hpp"

namespace torsor::internal::xacro {
namespace {

[[noreturn]] void cannot(const std::string& sign, const Value& x, const Value& y) {
  throw Refusal(std::string(x.type_name()) + " " + sign + " " + y.type_name() + " has no meaning");
}
[[noreturn]] void too_large() { throw Refusal("an integer needs more than 64 bits"); }

std::int64_t floor_division(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
std::int64_t integer_power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  while (exponent > 0) {
    if ((exponent & 1) != 0 && !multiply_exactly(result, base, result)) too_large();
    exponent >>= 1;
    if (exponent > 0 && !multiply_exactly(base, base, base)) too_large();
  }
  return result;
}

Value integers(const std::string& sign, std::int64_t a, std::int64_t b) {
  std::int64_t c = 0;
  if (sign == "+" && add_exactly(a, b, c)) return Value(c);
  if (sign == "-" && subtract_exactly(a, b, c)) return Value(c);
  if (sign == "*" && multiply_exactly(a, b, c)) return Value(c);
  if (sign == "&") return Value(a & b);
  if (sign == "|") return Value(a | b);
  if (sign == "^") return Value(a ^ b);
  if (sign == "<<" || sign == ">>") {
    if (b < 0) throw Refusal("a shift by " + std::to_string(b));
    if (sign == ">>") return Value(a >> std::min<std::int64_t>(b, 63));
    if (a == 0) return Value(a);
    if (b > 62 || !multiply_exactly(a, std::int64_t{1} << b, c)) too_large();
    return Value(c);
  }
  if (sign == "//" || sign == "%") {
    if (b == 0) throw Refusal("division by zero");
    if (b == -1) {
      if (sign == "%") return Value(std::int64_t{0});
      if (!subtract_exactly(0, a, c)) too_large();
      return Value(c);
    }
    const std::int64_t q = floor_division(a, b);
    return Value(sign == "%" ? a - q * b : q);
  }
  if (sign == "**") return Value(integer_power(a, b));
  too_large();
}

Value numbers(const std::string& sign, double a, double b) {
  if (sign == "+") return Value(a + b);
  if (sign == "-") return Value(a - b);
  if (sign == "*") return Value(a * b);
  if (sign == "**") {
    if (a == 0 && b < 0) throw Refusal("0 to a negative power");
    const double power = std::pow(a, b);
    if (std::isnan(power) && !std::isnan(a) && !std::isnan(b))
      throw Refusal("a power is no real number");
    if (std::isinf(power) && std::isfinite(a) && std::isfinite(b))
      throw Refusal("a power is too large");
    return Value(power);
  }
  if (b == 0) throw Refusal("division by zero");
  if (sign == "/") return Value(a / b);
  double rest = std::fmod(a, b);
  if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
  if (sign == "%") return Value(rest);
  return Value(std::floor((a - rest) / b + 0.5));
}

Value repeated(const Value& of, std::int64_t times, Budget& budget) {
  const auto n = static_cast<std::size_t>(std::max<std::int64_t>(times, 0));
  if (const std::string* s = of.text()) {
    if (s->empty() || n == 0) return Value("");
    budget.spend_text(n > text_limit / s->size() ? text_limit + 1 : n * s->size());
    std::string out;
    for (std::size_t k = 0; k < n; ++k) out += *s;
    return Value(std::move(out));
  }
  const List& list = *of.list();
  if (list.items.empty() || n == 0) return Value::list({}, list.is_tuple);
  budget.spend_list(n > list_limit / list.items.size() ? list_limit + 1 : n * list.items.size());
  std::vector<Value> items;
  for (std::size_t k = 0; k < n; ++k)
    items.insert(items.end(), list.items.begin(), list.items.end());
  return Value::list(std::move(items), list.is_tuple);
}

Value joined(const Value& x, const Value& y, Budget& budget) {
  if (x.text() != nullptr && y.text() != nullptr) {
    budget.spend_text(x.text()->size() + y.text()->size());
    return Value(*x.text() + *y.text());
  }
  const List *a = x.list(), *b = y.list();
  if (a == nullptr || b == nullptr || a->is_tuple != b->is_tuple) cannot("+", x, y);
  budget.spend_list(a->items.size() + b->items.size());
  std::vector<Value> items = a->items;
  items.insert(items.end(), b->items.begin(), b->items.end());
  return Value::list(std::move(items), a->is_tuple);
}

/// Difference, union, intersection, or what one of two sets has alone.
Value sets(const std::string& sign, const Value& x, const Value& y, Budget& budget) {
  const Dict &a = *x.set(), &b = *y.set();
  budget.spend_list(a.items.size() + b.items.size());
  std::vector<Value> items;
  for (const auto& [key, none] : a.items)
    if (sign == "|" || (b.find(key) != nullptr) == (sign == "&")) items.push_back(key);
  for (const auto& [key, none] : b.items)
    if ((sign == "|" || sign == "^") && a.find(key) == nullptr) items.push_back(key);
  return Value::set(items);
}
/// Of a part and the whole: -1, 0, 1; 2 where neither is a part of the other.
int order_of_sets(const Dict& a, const Dict& b, Budget& budget) {
  budget.spend_list(a.items.size() + b.items.size());
  const auto within = [](const Dict& part, const Dict& whole) {
    return std::all_of(part.items.begin(), part.items.end(),
                       [&](const auto& item) { return whole.find(item.first) != nullptr; });
  };
  const bool in = within(a, b), around = within(b, a);
  return in && around ? 0 : in ? -1 : around ? 1 : 2;
}

/// -1, 0, 1; 2 where there is a NaN.
int order(const Value& x, const Value& y, const std::string& sign, Budget& budget) {
  budget.spend();
  const auto of = [](const auto& a, const auto& b) {
    return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2;
  };
  if (x.is_int() && y.is_int()) return of(x.integer(), y.integer());
  if (x.is_number() && y.is_number()) return of(x.number(), y.number());
  if (x.text() != nullptr && y.text() != nullptr) return of(*x.text(), *y.text());
  if (x.set() != nullptr && y.set() != nullptr) return order_of_sets(*x.set(), *y.set(), budget);
  const List *a = x.list(), *b = y.list();
  if (a == nullptr || b == nullptr || a->is_tuple != b->is_tuple) cannot(sign, x, y);
  for (std::size_t k = 0; k < std::min(a->items.size(), b->items.size()); ++k)
    if (!equal(a->items[k], b->items[k], budget))
      return order(a->items[k], b->items[k], sign, budget);
  return of(a->items.size(), b->items.size());
}

bool contains(const Value& in, const Value& what, Budget& budget) {
  if (const std::string* s = in.text()) {
    if (what.text() == nullptr) cannot("in", what, in);
    budget.spend_text(s->size());
    return s->find(*what.text()) != s->npos;
  }
  if (const Dict* d = in.dict()) return d->find(what) != nullptr;
  if (const List* l = in.list())
    return std::any_of(l->items.begin(), l->items.end(),
                       [&](const Value& item) { return equal(item, what, budget); });
  cannot("in", what, in);
}

std::int64_t index_of(const Value& index) {
  if (!index.is_int()) throw Refusal(std::string("an index is a ") + index.type_name());
  return index.integer();
}

}  // namespace

Value unary(const std::string& sign, const Value& x) {
  if (sign == "not") return Value(!x.truth());
  if (!x.is_number() || (sign == "~" && !x.is_int()))
    throw Refusal(sign + " of a " + x.type_name() + " has no meaning");
  if (x.is_int()) {
    if (sign == "-") return integers("-", 0, x.integer());
    return Value(sign == "~" ? ~x.integer() : x.integer());
  }
  return Value(sign == "-" ? -x.number() : x.number());
}

Value binary(const std::string& sign, const Value& x, const Value& y, Budget& budget) {
  if (x.is_number() && y.is_number()) {
    const bool bits = sign == "&" || sign == "|" || sign == "^" || sign == "<<" || sign == ">>";
    const bool whole = x.is_int() && y.is_int();
    if (bits && x.is_bool() && y.is_bool() && sign.size() == 1)
      return Value(integers(sign, x.integer(), y.integer()).truth());
    if (bits && !whole) cannot(sign, x, y);
    if (whole && sign != "/" && !(sign == "**" && y.integer() < 0))
      return integers(sign, x.integer(), y.integer());
    return numbers(sign, x.number(), y.number());
  }
  if (x.set() != nullptr && y.set() != nullptr &&
      (sign == "-" || sign == "|" || sign == "&" || sign == "^"))
    return sets(sign, x, y, budget);
  if (sign == "%" && x.text() != nullptr) return Value(formatted(*x.text(), y, budget));
  const auto repeatable = [](const Value& v) { return v.text() != nullptr || v.list() != nullptr; };
  if (sign == "*" && repeatable(x) && y.is_int()) return repeated(x, y.integer(), budget);
  if (sign == "*" && repeatable(y) && x.is_int()) return repeated(y, x.integer(), budget);
  if (sign == "+") return joined(x, y, budget);
  cannot(sign, x, y);
}

bool compare(const std::string& sign, const Value& x, const Value& y, Budget& budget) {
  if (sign == "==") return equal(x, y, budget);
  if (sign == "!=") return !equal(x, y, budget);
  if (sign == "in") return contains(y, x, budget);
  if (sign == "not in") return !contains(y, x, budget);
  if (sign == "is" || sign == "is not") {
    const bool same = std::string(x.type_name()) == y.type_name() && equal(x, y, budget);
    return same == (sign == "is");
  }
  const int o = order(x, y, sign, budget);
  if (o == 2) return false;
  return sign == "<" ? o < 0 : sign == "<=" ? o <= 0 : sign == ">" ? o > 0 : o >= 0;
}

Value item_of(const Value& of, const Value& index, Budget& budget) {
  if (of.set() != nullptr) throw Refusal("a set has no order, and no index");
  if (const Dict* d = of.dict()) {
    if (const Value* found = d->find(index)) return *found;
    throw Refusal("the dictionary has no key " + one_line(repr_of(index, budget)));
  }
  if (of.text() == nullptr && of.list() == nullptr)
    throw Refusal(std::string("a ") + of.type_name() + " has no items");
  const std::vector<Value> letters =
      of.list() == nullptr ? items_of(of, budget) : std::vector<Value>();
  const std::vector<Value>& items = of.list() == nullptr ? letters : of.list()->items;
  const auto n = static_cast<std::int64_t>(items.size());
  const std::int64_t given = index_of(index), k = given < 0 ? given + n : given;
  if (k < 0 || k >= n)
    throw Refusal("index " + std::to_string(given) + " of " + std::to_string(n) + " items");
  return items[static_cast<std::size_t>(k)];
}

Value slice_of(const Value& of, const Value& begin, const Value& end, const Value& step,
               Budget& budget) {
  if (of.text() == nullptr && of.list() == nullptr)
    throw Refusal(std::string("a ") + of.type_name() + " has no items");
  const std::vector<Value> items = items_of(of, budget);
  const auto n = static_cast<std::int64_t>(items.size());
  const std::int64_t by = step.is_none() ? 1 : index_of(step);
  if (by == 0) throw Refusal("the step of a slice is 0");
  const auto bound = [&](const Value& v, std::int64_t otherwise) {
    if (v.is_none()) return otherwise;
    const std::int64_t k = index_of(v);
    if (k < 0) return std::max(k + n, by > 0 ? std::int64_t{0} : std::int64_t{-1});
    return std::min(k, by > 0 ? n : n - 1);
  };
  const std::int64_t from = bound(begin, by > 0 ? 0 : n - 1), to = bound(end, by > 0 ? n : -1);
  std::vector<Value> part;
  if (by > 0)
    for (std::int64_t k = from; k < to; k += std::min(by, n))
      part.push_back(items[static_cast<std::size_t>(k)]);
  else
    for (std::int64_t k = from; k > to; k += std::max(by, -n))
      part.push_back(items[static_cast<std::size_t>(k)]);
  if (of.list() != nullptr) return Value::list(std::move(part), of.list()->is_tuple);
  std::string text;
  for (const Value& letter : part) text += *letter.text();
  return Value(std::move(text));
}

}  // namespace torsor::internal::xacro
