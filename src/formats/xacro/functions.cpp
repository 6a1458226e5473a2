// The functions of Python that every expression knows.
#include <algorithm>
#include <charconv>

#include "torsor/math/internal/builtins.hpp"
#include "xacro/functions.hpp"

namespace torsor::internal::xacro {
namespace {

using Body = Value (*)(Arguments&);

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
  if (a.values.size() > 1)
    throw Refusal("dict() takes one argument, not " + std::to_string(a.values.size()));
  Dict d;
  if (!a.values.empty() && a.values[0].dict() != nullptr && a.values[0].set() == nullptr) {
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
                                  static_cast<int>(digits))
                        .ptr;
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
    if (!add_exactly(k, step, k)) break;
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
  for (const Value& item : items_of(a.values[0], a.budget))
    items.push_back(Value::list({Value(k++), item}, true));
  return Value::list(std::move(items));
}
Value summed(Arguments& a) {
  expect(a, "sum", 1, 2);
  Value total = a.values.size() == 2 ? a.values[1] : Value(std::int64_t{0});
  for (const Value& item : items_of(a.values[0], a.budget))
    total = binary("+", total, item, a.budget);
  return total;
}
Value is_instance(Arguments& a) {
  expect(a, "isinstance", 2, 2);
  const std::vector<Value> kinds =
      a.values[1].list() != nullptr ? a.values[1].list()->items : std::vector{a.values[1]};
  const std::string type = a.values[0].type_name();
  return Value(std::any_of(kinds.begin(), kinds.end(), [&](const Value& kind) {
    const std::string name = kind.callable() == nullptr ? "" : kind.callable()->name;
    return name == type || (type == "bool" && name == "int");
  }));
}

Functions made_python() {
  const std::pair<const char*, Body> table[] = {
      {"int", make_int},
      {"float", make_float},
      {"dict", make_dict},
      {"round", round_number},
      {"range", make_range},
      {"sorted", make_sorted},
      {"map", map_list},
      {"zip", zip_lists},
      {"enumerate", enumerated},
      {"sum", summed},
      {"isinstance", is_instance},
      {"list",
       [](Arguments& a) {
         expect(a, "list", 0, 1);
         return a.values.empty() ? Value::list({}) : Value::list(items_of(a.values[0], a.budget));
       }},
      {"tuple",
       [](Arguments& a) {
         expect(a, "tuple", 0, 1);
         return Value::list(
             a.values.empty() ? std::vector<Value>() : items_of(a.values[0], a.budget), true);
       }},
      {"set",
       [](Arguments& a) {
         expect(a, "set", 0, 1);
         return Value::set(a.values.empty() ? std::vector<Value>()
                                            : items_of(a.values[0], a.budget));
       }},
      {"len",
       [](Arguments& a) {
         expect(a, "len", 1, 1);
         return Value(static_cast<std::int64_t>(items_of(a.values[0], a.budget).size()));
       }},
      {"str",
       [](Arguments& a) {
         expect(a, "str", 0, 1);
         return a.values.empty() ? Value("") : Value(text_of(a.values[0], a.budget));
       }},
      {"repr",
       [](Arguments& a) {
         expect(a, "repr", 1, 1);
         return Value(repr_of(a.values[0], a.budget));
       }},
      {"bool",
       [](Arguments& a) {
         expect(a, "bool", 0, 1);
         return Value(!a.values.empty() && a.values[0].truth());
       }},
      {"min", [](Arguments& a) { return extreme(a, "min", "<"); }},
      {"max", [](Arguments& a) { return extreme(a, "max", ">"); }},
      {"abs",
       [](Arguments& a) {
         expect(a, "abs", 1, 1);
         const double x = number_of(a.values[0], "abs");
         return a.values[0].is_int() && x < 0 ? unary("-", a.values[0])
                : a.values[0].is_int()        ? Value(a.values[0].integer())
                                              : Value(std::abs(x));
       }},
      {"any",
       [](Arguments& a) {
         expect(a, "any", 1, 1);
         const auto all = items_of(a.values[0], a.budget);
         return Value(
             std::any_of(all.begin(), all.end(), [](const Value& v) { return v.truth(); }));
       }},
      {"all",
       [](Arguments& a) {
         expect(a, "all", 1, 1);
         const auto all = items_of(a.values[0], a.budget);
         return Value(
             std::all_of(all.begin(), all.end(), [](const Value& v) { return v.truth(); }));
       }},
      {"reversed",
       [](Arguments& a) {
         expect(a, "reversed", 1, 1);
         auto all = items_of(a.values[0], a.budget);
         std::reverse(all.begin(), all.end());
         return Value::list(std::move(all));
       }},
      {"divmod",
       [](Arguments& a) {
         expect(a, "divmod", 2, 2);
         return Value::list({binary("//", a.values[0], a.values[1], a.budget),
                             binary("%", a.values[0], a.values[1], a.budget)},
                            true);
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

const Value* global_symbol(const std::string& name) {
  static const std::vector<std::string> direct = {"list", "dict",  "map",    "len",
                                                  "str",  "float", "int",    "min",
                                                  "max",  "round", "sorted", "range"};
  if (std::find(direct.begin(), direct.end(), name) != direct.end())
    return &python_functions().at(name);
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
  if (f.callable() == nullptr)
    throw Refusal(std::string("a ") + f.type_name() + " cannot be called");
  arguments.budget.spend();
  return f.callable()->call(arguments);
}

}  // namespace torsor::internal::xacro
