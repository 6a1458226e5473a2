// The functions that every expression knows: Python's own and those of its module math.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "torsor/formats/text.hpp"
#include "xacro/expression.hpp"
#include "xacro/scope.hpp"

namespace torsor::internal::xacro {
namespace {

using Functions = std::map<std::string, Value>;
using Body = Value (*)(Arguments&);

Value function(const std::string& name, std::function<Value(Arguments&)> call) {
  return Value(std::make_shared<const Callable>(Callable{name, std::move(call)}));
}
/// Refuses other numbers of arguments and names of arguments.
void expect(const Arguments& a, const std::string& name, std::size_t least, std::size_t most) {
  if (!a.named.empty())
    throw Refusal(name + "() takes no argument named " + in_quotes(a.named[0].first));
  if (a.values.size() < least || a.values.size() > most)
    throw Refusal(name + "() takes " + std::to_string(least) +
                  (most == least ? "" : " to " + std::to_string(most)) + " arguments, not " +
                  std::to_string(a.values.size()));
}
double number_of(const Value& v, const std::string& name) {
  if (!v.is_number()) throw Refusal(name + "() of a " + v.type_name());
  return v.number();
}
std::int64_t whole(double x) {
  if (!(std::abs(x) < 9.2e18)) throw Refusal("an integer needs more than 64 bits");
  return static_cast<std::int64_t>(x);
}

/// A function of real numbers; no number or no finite one where the arguments are: refused.
template <std::size_t count, class Real>
Value real(const std::string& name, Real f) {
  return function(name, [name, f](Arguments& a) {
    expect(a, name, count, count);
    double x[3] = {0, 0, 0};
    bool finite = true, any_nan = false;
    for (std::size_t k = 0; k < count; ++k) {
      x[k] = number_of(a.values[k], name);
      finite = finite && std::isfinite(x[k]);
      any_nan = any_nan || std::isnan(x[k]);
    }
    const double y = f(x);
    if ((std::isnan(y) && !any_nan) || (std::isinf(y) && finite))
      throw Refusal(name + "() of " + float_text(x[0]) + " has no value");
    return Value(y);
  });
}
#define TORSOR_REAL(name) all[#name] = real<1>(#name, [](const double* x) { return std::name(x[0]); })

Functions made_math() {
  Functions all;
  TORSOR_REAL(sin), TORSOR_REAL(cos), TORSOR_REAL(tan), TORSOR_REAL(asin), TORSOR_REAL(acos);
  TORSOR_REAL(atan), TORSOR_REAL(sinh), TORSOR_REAL(cosh), TORSOR_REAL(tanh), TORSOR_REAL(asinh);
  TORSOR_REAL(acosh), TORSOR_REAL(atanh), TORSOR_REAL(sqrt), TORSOR_REAL(exp), TORSOR_REAL(expm1);
  TORSOR_REAL(log2), TORSOR_REAL(log10), TORSOR_REAL(log1p), TORSOR_REAL(fabs), TORSOR_REAL(erf);
  all["atan2"] = real<2>("atan2", [](const double* x) { return std::atan2(x[0], x[1]); });
  all["pow"] = real<2>("pow", [](const double* x) { return std::pow(x[0], x[1]); });
  all["fmod"] = real<2>("fmod", [](const double* x) { return std::fmod(x[0], x[1]); });
  all["copysign"] = real<2>("copysign", [](const double* x) { return std::copysign(x[0], x[1]); });
  all["degrees"] = real<1>("degrees", [](const double* x) { return x[0] * (180 / std::numbers::pi); });
  all["radians"] = real<1>("radians", [](const double* x) { return x[0] * (std::numbers::pi / 180); });
  all["hypot"] = function("hypot", [](Arguments& a) {
    expect(a, "hypot", 0, 16);
    double y = 0;
    for (const Value& v : a.values) y = std::hypot(y, number_of(v, "hypot"));
    return Value(y);
  });
  all["log"] = function("log", [](Arguments& a) {
    expect(a, "log", 1, 2);
    const double x = number_of(a.values[0], "log");
    const double base = a.values.size() == 2 ? number_of(a.values[1], "log") : 2;
    if (!(x > 0) || !(base > 0) || base == 1) throw Refusal("log() of " + float_text(x) + " has no value");
    return Value(a.values.size() == 2 ? std::log(x) / std::log(base) : std::log(x));
  });
  for (const char* name : {"floor", "ceil", "trunc"})
    all[name] = function(name, [name](Arguments& a) {
      expect(a, name, 1, 1);
      if (a.values[0].is_int()) return Value(a.values[0].integer());
      const double x = number_of(a.values[0], name);
      return Value(whole(name[0] == 'f' ? std::floor(x) : name[0] == 'c' ? std::ceil(x) : std::trunc(x)));
    });
  for (const char* name : {"isnan", "isinf", "isfinite"})
    all[name] = function(name, [name](Arguments& a) {
      expect(a, name, 1, 1);
      const double x = number_of(a.values[0], name);
      return Value(name[2] == 'n' ? std::isnan(x) : name[3] == 'n' ? std::isinf(x) : std::isfinite(x));
    });
  all["gcd"] = function("gcd", [](Arguments& a) {
    expect(a, "gcd", 2, 2);
    if (!a.values[0].is_int() || !a.values[1].is_int()) throw Refusal("gcd() of what is no int");
    return Value(std::gcd(a.values[0].integer(), a.values[1].integer()));
  });
  all["pi"] = Value(std::numbers::pi);
  all["e"] = Value(std::numbers::e);
  all["tau"] = Value(2 * std::numbers::pi);
  all["inf"] = Value(std::numeric_limits<double>::infinity());
  all["nan"] = Value(std::numeric_limits<double>::quiet_NaN());
  return all;
}
#undef TORSOR_REAL

Value make_int(Arguments& a) {
  expect(a, "int", 0, 1);
  if (a.values.empty()) return Value(std::int64_t{0});
  const Value& v = a.values[0];
  if (v.is_int()) return Value(v.integer());
  if (v.is_float()) return Value(whole(std::trunc(v.number())));
  std::int64_t x = 0;
  if (v.text() != nullptr && parse_int(*v.text(), x)) return Value(x);
  throw Refusal("int() of " + in_quotes(text_of(v, a.budget)));
}
Value make_float(Arguments& a) {
  expect(a, "float", 0, 1);
  if (a.values.empty()) return Value(0.0);
  const Value& v = a.values[0];
  if (v.is_number()) return Value(v.number());
  double x = 0;
  if (v.text() != nullptr && parse_float(*v.text(), x)) return Value(x);
  throw Refusal("float() of " + in_quotes(text_of(v, a.budget)));
}
Value make_dict(Arguments& a) {
  if (a.values.size() > 1) throw Refusal("dict() takes one argument, not " + std::to_string(a.values.size()));
  Dict d;
  if (!a.values.empty() && a.values[0].dict() != nullptr) {
    d = *a.values[0].dict();
    d.dotted = false;
  } else if (!a.values.empty()) {
    for (const Value& pair : items_of(a.values[0], a.budget)) {
      const std::vector<Value> two = items_of(pair, a.budget);
      if (two.size() != 2) throw Refusal("dict() of what are no pairs");
      d.set(two[0], two[1]);
    }
  }
  for (const auto& [name, value] : a.named) d.set(Value(name), value);
  a.budget.spend_list(d.items.size());
  return Value::dict(std::move(d));
}
Value extreme(Arguments& a, const char* name, const char* sign) {
  expect(a, name, 1, list_limit);
  const std::vector<Value> all = a.values.size() == 1 ? items_of(a.values[0], a.budget) : a.values;
  if (all.empty()) throw Refusal(std::string(name) + "() of nothing");
  Value best = all[0];
  for (const Value& v : all)
    if (compare(sign, v, best, a.budget)) best = v;
  return best;
}
/// To the nearest even number, and to so many decimals.
Value round_number(Arguments& a) {
  expect(a, "round", 1, 2);
  const double x = number_of(a.values[0], "round");
  if (a.values.size() == 1 || a.values[1].is_none())
    return Value(a.values[0].is_int() ? a.values[0].integer() : whole(std::nearbyint(x)));
  if (!a.values[1].is_int()) throw Refusal("round() to a " + std::string(a.values[1].type_name()));
  const std::int64_t digits = a.values[1].integer();
  if (digits < 0) {
    const double unit = std::pow(10.0, static_cast<double>(std::min<std::int64_t>(-digits, 300)));
    const double y = std::nearbyint(x / unit) * unit;
    return a.values[0].is_int() ? Value(whole(y)) : Value(y);
  }
  if (a.values[0].is_int()) return a.values[0];
  if (!std::isfinite(x) || digits > 300) return Value(x);
  char buffer[800];
  char* const end = std::to_chars(buffer, buffer + sizeof buffer, x, std::chars_format::fixed,
                                  static_cast<int>(digits)).ptr;
  double y = x;
  std::from_chars(buffer, end, y);
  return Value(y);
}
Value make_range(Arguments& a) {
  expect(a, "range", 1, 3);
  for (const Value& v : a.values)
    if (!v.is_int()) throw Refusal(std::string("range() of a ") + v.type_name());
  const std::int64_t begin = a.values.size() > 1 ? a.values[0].integer() : 0;
  const std::int64_t end = a.values[a.values.size() > 1 ? 1 : 0].integer();
  const std::int64_t step = a.values.size() > 2 ? a.values[2].integer() : 1;
  if (step == 0) throw Refusal("range() with a step of 0");
  std::vector<Value> items;
  for (std::int64_t k = begin; step > 0 ? k < end : k > end;) {
    items.emplace_back(k);
    if (items.size() > list_limit) a.budget.spend_list(items.size());
    if (__builtin_add_overflow(k, step, &k)) break;
  }
  a.budget.spend_list(items.size());
  return Value::list(std::move(items));
}
Value make_sorted(Arguments& a) {
  const Value* key = nullptr;
  bool reverse = false;
  for (const auto& [name, value] : a.named) {
    if (name == "key") key = &value;
    if (name == "reverse") reverse = value.truth();
  }
  if (a.values.size() != 1) throw Refusal("sorted() takes one list");
  std::vector<std::pair<Value, Value>> keyed;
  for (const Value& item : items_of(a.values[0], a.budget)) {
    Arguments one{{item}, {}, a.budget};
    keyed.emplace_back(key == nullptr || key->is_none() ? item : call(*key, one), item);
  }
  // Merge sort calls a comparison that may throw safely.
  std::stable_sort(keyed.begin(), keyed.end(), [&](const auto& x, const auto& y) {
    return reverse ? compare("<", y.first, x.first, a.budget)
                   : compare("<", x.first, y.first, a.budget);
  });
  std::vector<Value> items;
  for (auto& [k, item] : keyed) items.push_back(std::move(item));
  return Value::list(std::move(items));
}
Value map_list(Arguments& a) {
  expect(a, "map", 2, 2);
  std::vector<Value> items;
  for (const Value& item : items_of(a.values[1], a.budget)) {
    Arguments one{{item}, {}, a.budget};
    items.push_back(call(a.values[0], one));
  }
  return Value::list(std::move(items));
}
Value zip_lists(Arguments& a) {
  std::vector<std::vector<Value>> columns;
  std::size_t rows = a.values.empty() ? 0 : list_limit;
  for (const Value& v : a.values) {
    columns.push_back(items_of(v, a.budget));
    rows = std::min(rows, columns.back().size());
  }
  std::vector<Value> items;
  for (std::size_t k = 0; k < rows; ++k) {
    std::vector<Value> row;
    for (const auto& column : columns) row.push_back(column[k]);
    items.push_back(Value::list(std::move(row), true));
  }
  return Value::list(std::move(items));
}
Value enumerated(Arguments& a) {
  expect(a, "enumerate", 1, 2);
  std::int64_t k = a.values.size() == 2 && a.values[1].is_int() ? a.values[1].integer() : 0;
  std::vector<Value> items;
  for (const Value& item : items_of(a.values[0], a.budget)) items.push_back(Value::list({Value(k++), item}, true));
  return Value::list(std::move(items));
}
Value summed(Arguments& a) {
  expect(a, "sum", 1, 2);
  Value total = a.values.size() == 2 ? a.values[1] : Value(std::int64_t{0});
  for (const Value& item : items_of(a.values[0], a.budget)) total = binary("+", total, item, a.budget);
  return total;
}
Value is_instance(Arguments& a) {
  expect(a, "isinstance", 2, 2);
  const std::vector<Value> kinds = a.values[1].list() != nullptr ? a.values[1].list()->items : std::vector{a.values[1]};
  const std::string type = a.values[0].type_name();
  return Value(std::any_of(kinds.begin(), kinds.end(), [&](const Value& kind) {
    const std::string name = kind.callable() == nullptr ? "" : kind.callable()->name;
    return name == type || (type == "bool" && name == "int");
  }));
}

Functions made_python() {
  const std::pair<const char*, Body> table[] = {
      {"int", make_int},       {"float", make_float}, {"dict", make_dict},    {"round", round_number},
      {"range", make_range},   {"sorted", make_sorted}, {"map", map_list},    {"zip", zip_lists},
      {"enumerate", enumerated}, {"sum", summed},     {"isinstance", is_instance},
      {"list", [](Arguments& a) {
         expect(a, "list", 0, 1);
         return a.values.empty() ? Value::list({}) : Value::list(items_of(a.values[0], a.budget));
       }},
      {"tuple", [](Arguments& a) {
         expect(a, "tuple", 0, 1);
         return Value::list(a.values.empty() ? std::vector<Value>() : items_of(a.values[0], a.budget), true);
       }},
      {"len", [](Arguments& a) {
         expect(a, "len", 1, 1);
         return Value(static_cast<std::int64_t>(items_of(a.values[0], a.budget).size()));
       }},
      {"str", [](Arguments& a) {
         expect(a, "str", 0, 1);
         return a.values.empty() ? Value("") : Value(text_of(a.values[0], a.budget));
       }},
      {"repr", [](Arguments& a) {
         expect(a, "repr", 1, 1);
         return Value(repr_of(a.values[0], a.budget));
       }},
      {"bool", [](Arguments& a) {
         expect(a, "bool", 0, 1);
         return Value(!a.values.empty() && a.values[0].truth());
       }},
      {"min", [](Arguments& a) { return extreme(a, "min", "<"); }},
      {"max", [](Arguments& a) { return extreme(a, "max", ">"); }},
      {"abs", [](Arguments& a) {
         expect(a, "abs", 1, 1);
         const double x = number_of(a.values[0], "abs");
         return a.values[0].is_int() && x < 0 ? unary("-", a.values[0])
                : a.values[0].is_int()        ? Value(a.values[0].integer())
                                              : Value(std::abs(x));
       }},
      {"any", [](Arguments& a) {
         expect(a, "any", 1, 1);
         const auto all = items_of(a.values[0], a.budget);
         return Value(std::any_of(all.begin(), all.end(), [](const Value& v) { return v.truth(); }));
       }},
      {"all", [](Arguments& a) {
         expect(a, "all", 1, 1);
         const auto all = items_of(a.values[0], a.budget);
         return Value(std::all_of(all.begin(), all.end(), [](const Value& v) { return v.truth(); }));
       }},
      {"reversed", [](Arguments& a) {
         expect(a, "reversed", 1, 1);
         auto all = items_of(a.values[0], a.budget);
         std::reverse(all.begin(), all.end());
         return Value::list(std::move(all));
       }},
      {"divmod", [](Arguments& a) {
         expect(a, "divmod", 2, 2);
         return Value::list({binary("//", a.values[0], a.values[1], a.budget),
                             binary("%", a.values[0], a.values[1], a.budget)}, true);
       }},
  };
  Functions all;
  for (const auto& [name, body] : table) all[name] = function(name, body);
  return all;
}

}  // namespace

const std::map<std::string, Value>& python_functions() {
  static const Functions all = made_python();
  return all;
}
const std::map<std::string, Value>& math_functions() {
  static const Functions all = made_math();
  return all;
}

const Value* global_symbol(const std::string& name) {
  static const std::vector<std::string> direct = {"list", "dict", "map", "len", "str", "float", "int",
                                                  "min", "max", "round", "sorted", "range"};
  if (std::find(direct.begin(), direct.end(), name) != direct.end()) return &python_functions().at(name);
  const auto found = math_functions().find(name);
  return found == math_functions().end() ? nullptr : &found->second;
}
std::vector<std::string> global_names() {
  std::vector<std::string> names;
  for (const auto& [name, value] : math_functions()) names.push_back(name);
  for (const auto& [name, value] : python_functions()) names.push_back(name);
  return names;
}

Value call(const Value& f, Arguments& arguments) {
  if (f.callable() == nullptr) throw Refusal(std::string("a ") + f.type_name() + " cannot be called");
  arguments.budget.spend();
  return f.callable()->call(arguments);
}

}  // namespace torsor::internal::xacro
