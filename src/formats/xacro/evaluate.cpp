#include <algorithm>

#include "torsor/formats/text.hpp"
#include "xacro/expression.hpp"

namespace torsor::internal::xacro {
namespace {

using Kind = Expr::Kind;
constexpr int evaluation_depth_limit = 500;

/// Variables of lambdas and comprehensions in front of all other names.
class Evaluator {
 public:
  Evaluator(Names& names, Budget& budget) : names_(names), budget_(budget) {}

  std::vector<std::pair<std::string, Value>> variables;

  Value operator()(const ExprPtr& e) {
    const Depth deeper(depth_, evaluation_depth_limit, "expressions");
    budget_.spend();
    switch (e->kind) {
      case Kind::literal:
        if (e->value.text() != nullptr) budget_.spend_text(e->value.text()->size());
        return e->value;
      case Kind::name:
        return name(e->word);
      case Kind::list:
        return Value::list(all(e->parts));
      case Kind::tuple:
        return Value::list(all(e->parts), true);
      case Kind::comprehension:
        return comprehension(*e);
      case Kind::unary:
        return unary(e->word, (*this)(e->parts[0]));
      case Kind::binary:
        return binary_of(*e);
      case Kind::comparison:
        return comparison(*e);
      case Kind::all_of:
      case Kind::any_of:
        return logic(*e);
      case Kind::choice:
        return (*this)((*this)(e->parts[0]).truth() ? e->parts[1] : e->parts[2]);
      case Kind::attribute:
        return attribute(*e);
      case Kind::item:
      case Kind::slice:
        return part_of(*e);
      case Kind::call:
        return call_of(*e);
      case Kind::lambda:
        return lambda(e);
    }
    return {};
  }

 private:
  Value name(const std::string& word) {
    const auto own = std::find_if(variables.rbegin(), variables.rend(),
                                  [&](const auto& v) { return v.first == word; });
    Value value = own != variables.rend() ? own->second : names_.value_of(word);
    if (value.text() != nullptr) budget_.spend_text(value.text()->size());
    return value;
  }
  std::vector<Value> all(const std::vector<ExprPtr>& parts) {
    std::vector<Value> values;
    for (const ExprPtr& part : parts) values.push_back((*this)(part));
    return values;
  }
  Value binary_of(const Expr& e) {
    const Value x = (*this)(e.parts[0]), y = (*this)(e.parts[1]);
    return binary(e.word, x, y, budget_);
  }
  Value comparison(const Expr& e) {
    Value left = (*this)(e.parts[0]);
    for (std::size_t k = 0; k < e.words.size(); ++k) {
      Value right = (*this)(e.parts[k + 1]);
      if (!compare(e.words[k], left, right, budget_)) return Value(false);
      left = std::move(right);
    }
    return Value(true);
  }
  Value attribute(const Expr& e) {
    const Value of = (*this)(e.parts[0]);
    if (of.space() == nullptr) return attribute_of(of, e.word, budget_);
    Value value = names_.member_of(*of.space(), e.word);
    if (value.text() != nullptr) budget_.spend_text(value.text()->size());
    return value;
  }
  Value logic(const Expr& e) {
    Value value;
    for (const ExprPtr& part : e.parts) {
      value = (*this)(part);
      if (value.truth() == (e.kind == Kind::any_of)) break;
    }
    return value;
  }
  Value part_of(const Expr& e) {
    std::vector<Value> parts;
    for (const ExprPtr& part : e.parts) parts.push_back(part == nullptr ? Value() : (*this)(part));
    if (e.kind == Kind::item) return item_of(parts[0], parts[1], budget_);
    return slice_of(parts[0], parts[1], parts[2], parts[3], budget_);
  }
  Value call_of(const Expr& e) {
    const Value function = (*this)(e.parts[0]);
    Arguments arguments{{}, {}, budget_};
    const std::size_t plain = e.parts.size() - e.words.size();
    for (std::size_t k = 1; k < e.parts.size(); ++k) {
      Value value = (*this)(e.parts[k]);
      if (k < plain)
        arguments.values.push_back(std::move(value));
      else
        arguments.named.emplace_back(e.words[k - plain], std::move(value));
    }
    return call(function, arguments);
  }
  /// Called while the expression is evaluated, for map() and sorted(); it does not outlive it.
  Value lambda(const ExprPtr& e) {
    return Value(std::make_shared<const Callable>(
        Callable{"lambda", [this, e, kept = variables](Arguments& arguments) {
                   if (arguments.values.size() != e->words.size() || !arguments.named.empty())
                     throw Refusal("a lambda takes " + std::to_string(e->words.size()) +
                                   " arguments, not " + std::to_string(arguments.values.size()));
                   const auto outside = std::exchange(variables, kept);
                   for (std::size_t k = 0; k < e->words.size(); ++k)
                     variables.emplace_back(e->words[k], arguments.values[k]);
                   Value result = (*this)(e->parts[0]);
                   variables = outside;
                   return result;
                 }}));
  }
  Value comprehension(const Expr& e) {
    std::vector<Value> items;
    const std::size_t before = variables.size();
    loop(e, 0, items);
    variables.resize(before);
    return Value::list(std::move(items));
  }
  void loop(const Expr& e, std::size_t level, std::vector<Value>& items) {
    if (level == e.clauses.size()) {
      items.push_back((*this)(e.parts[0]));
      if (items.size() > list_limit) budget_.spend_list(items.size());
      return;
    }
    const Expr::Clause& clause = e.clauses[level];
    const std::size_t before = variables.size();
    for (const Value& item : items_of((*this)(clause.from), budget_)) {
      variables.resize(before);
      bind(clause.names, item);
      if (std::all_of(clause.conditions.begin(), clause.conditions.end(),
                      [&](const ExprPtr& c) { return (*this)(c).truth(); }))
        loop(e, level + 1, items);
    }
  }
  void bind(const std::vector<std::string>& names, const Value& item) {
    if (names.size() == 1) {
      variables.emplace_back(names[0], item);
      return;
    }
    const std::vector<Value> parts = items_of(item, budget_);
    if (parts.size() != names.size())
      throw Refusal(std::to_string(parts.size()) + " values for " + std::to_string(names.size()) +
                    " names");
    for (std::size_t k = 0; k < names.size(); ++k) variables.emplace_back(names[k], parts[k]);
  }

  Names& names_;
  Budget& budget_;
  int depth_ = 0;
};

}  // namespace

Value evaluate(const ExprPtr& expression, Names& names, Budget& budget) {
  Value value = Evaluator(names, budget)(expression);
  if (value.callable() != nullptr && value.callable()->name == "lambda")
    throw Refusal("a lambda is no value of a property");
  return value;
}

}  // namespace torsor::internal::xacro
