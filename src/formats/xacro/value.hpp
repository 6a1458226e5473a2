#pragma once
/// Values of the expressions in ${...}: the part of Python's that robot files use. Private to xacro.
///
/// Integers have 64 bits; one that needs more is refused. Lists, tuples and dictionaries are shared
/// and never change. Strings, lists and nesting are bounded (limits.hpp), so that no expression takes
/// more than its share of memory.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "xacro/limits.hpp"

namespace torsor::internal::xacro {

class Value;
class Table;

struct List {
  std::vector<Value> items;
  bool is_tuple = false;
  int depth = 1;
};
struct Dict {
  std::vector<std::pair<Value, Value>> items;  ///< in the order in which keys came
  std::map<std::string, std::size_t> places;   ///< of keys, by key_text
  bool dotted = false;                         ///< d.key is d["key"], as of load_yaml
  bool is_set = false;                         ///< the keys alone count
  int depth = 1;

  const Value* find(const Value& key) const;
  void set(const Value& key, Value value);
};
struct Arguments {
  std::vector<Value> values;
  std::vector<std::pair<std::string, Value>> named;
  Budget& budget;
};
struct Callable {
  std::string name;
  std::function<Value(Arguments&)> call;
};

class Value {
 public:
  using ListPtr = std::shared_ptr<const List>;
  using DictPtr = std::shared_ptr<const Dict>;
  using CallPtr = std::shared_ptr<const Callable>;

  Value() = default;
  Value(bool x) : data_(x) {}
  Value(std::int64_t x) : data_(x) {}
  Value(double x) : data_(x) {}
  Value(std::string x) : data_(std::move(x)) {}
  Value(const char* x) : data_(std::string(x)) {}
  Value(CallPtr x) : data_(std::move(x)) {}
  /// A namespace, as of ns.name; whoever expands keeps it.
  explicit Value(Table* x) : data_(x) {}
  /// Refuses more items and deeper nesting than the limits.
  static Value list(std::vector<Value> items, bool is_tuple = false);
  static Value dict(Dict items);
  static Value set(const std::vector<Value>& items);

  bool is_none() const { return std::holds_alternative<std::monostate>(data_); }
  bool is_bool() const { return std::holds_alternative<bool>(data_); }
  bool is_int() const { return is_bool() || std::holds_alternative<std::int64_t>(data_); }
  bool is_float() const { return std::holds_alternative<double>(data_); }
  bool is_number() const { return is_int() || is_float(); }
  const std::string* text() const { return std::get_if<std::string>(&data_); }
  const List* list() const { return shared<ListPtr>(); }
  const Dict* dict() const { return shared<DictPtr>(); }
  const Callable* callable() const { return shared<CallPtr>(); }
  Table* space() const {
    Table* const* p = std::get_if<Table*>(&data_);
    return p == nullptr ? nullptr : *p;
  }

  /// The dictionary that is a set, or null.
  const Dict* set() const { return dict() != nullptr && dict()->is_set ? dict() : nullptr; }

  /// Of a number.
  double number() const;
  std::int64_t integer() const;
  bool truth() const;
  int depth() const;
  const char* type_name() const;

 private:
  template <class Pointer>
  auto shared() const -> decltype(std::declval<Pointer>().get()) {
    const Pointer* p = std::get_if<Pointer>(&data_);
    return p == nullptr ? nullptr : p->get();
  }
  std::variant<std::monostate, bool, std::int64_t, double, std::string, ListPtr, DictPtr, CallPtr,
               Table*>
      data_;
};

/// As Python's str() and repr() write it.
std::string text_of(const Value& value, Budget& budget);
std::string repr_of(const Value& value, Budget& budget);
std::string float_text(double x);
/// Equal keys have equal texts: 1, 1.0 and True are one key. Refuses lists and dictionaries.
std::string key_text(const Value& key);
bool equal(const Value& a, const Value& b, Budget& budget);

/// The whole text as Python's int() and float() read it; false where they refuse it.
bool parse_int(const std::string& text, std::int64_t& x);
bool parse_float(const std::string& text, double& x);

/// The items of a list, the letters of a text or the keys of a dictionary.
std::vector<Value> items_of(const Value& value, Budget& budget);
/// The letters of a text in UTF-8.
std::vector<std::string> letters_of(const std::string& text);

}  // namespace torsor::internal::xacro
