#pragma once
/// Properties and blocks by their names, scope inside scope. Private to xacro.
///
/// A macro call opens a scope inside the caller's (not the definition's); an include with ns= opens a
/// namespace inside the scope that includes. A property is text until it is used: it is then
/// evaluated once, where it was defined.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "xacro/node.hpp"
#include "xacro/value.hpp"

namespace torsor::internal::xacro {

struct Property {
  Value value{};  ///< or the text that is still to be evaluated
  bool unevaluated = false;
  bool in_evaluation = false;
  NodePtr block{};  ///< of the names *x and **x
  Place place{};
};

class Table {
 public:
  explicit Table(Table* parent = nullptr, bool is_namespace = false)
      : parent_(parent), is_namespace_(is_namespace) {}

  Table* parent() const { return parent_; }
  bool is_namespace() const { return is_namespace_; }
  /// The scope of the whole document.
  Table& top() {
    Table* at = this;
    while (at->parent_ != nullptr) at = at->parent_;
    return *at;
  }
  Property* own(const std::string& name) {
    const auto found = entries_.find(name);
    return found == entries_.end() ? nullptr : &found->second;
  }
  /// The nearest scope that has the name; nullptr where none has.
  Table* holder(const std::string& name) {
    Table* at = this;
    while (at != nullptr && at->entries_.count(name) == 0) at = at->parent_;
    return at;
  }
  /// A text in single quotes loses them; numbers and truth values become what they say.
  void set(const std::string& name, Value value, bool unevaluated, const Place& place);
  void set_block(const std::string& name, NodePtr block, const Place& place) {
    entries_[name] = {Value(), false, false, std::move(block), place};
  }
  /// As it is.
  void define(const std::string& name, Value value) {
    entries_[name] = {std::move(value), false, false, nullptr, {}};
  }
  /// From this scope and all around it.
  void remove(const std::string& name) {
    for (Table* at = this; at != nullptr; at = at->parent_) at->entries_.erase(name);
  }
  std::vector<std::string> names() const;

 private:
  Table* parent_;
  bool is_namespace_;
  std::unordered_map<std::string, Property> entries_;
};

/// "12", "1.5", "true" and "'text'" as what they say; anything else as it is.
Value literal_value(Value value);

/// The functions and constants that every expression knows, by their names: sin, math, ...
/// nullptr for any other name.
const Value* global_symbol(const std::string& name);
/// Their names, for advice.
std::vector<std::string> global_names();
/// Those of python.name and math.name.
const std::map<std::string, Value>& python_functions();
const std::map<std::string, Value>& math_functions();

}  // namespace torsor::internal::xacro
