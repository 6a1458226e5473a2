#pragma once
/// The expressions in ${...}: parsed into a tree, which is then evaluated. Private to xacro.
///
///   lambda, x if c else y, or, and, not, comparisons (chained, in, is), | ^ & << >>, + - * / // %,
///   unary + - ~, **, calls with names of arguments, a.b, a[i], a[i:j:k], numbers, texts, True, False,
///   None, (tuples), [lists], [x for x in y if z] and the same without brackets as an argument
#include <memory>
#include <string>
#include <vector>

#include "xacro/value.hpp"

namespace torsor::internal::xacro {

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

struct Expr {
  enum class Kind : unsigned char {
    literal,
    name,
    list,
    tuple,
    comprehension,  ///< parts[0] for each of its clauses
    unary,          ///< word: + - ~ not
    binary,         ///< word: the operator
    comparison,     ///< parts[0] words[0] parts[1] words[1] ...
    all_of,         ///< and
    any_of,         ///< or
    choice,         ///< parts: condition, then, otherwise
    attribute,      ///< parts[0].word
    item,           ///< parts[0][parts[1]]
    slice,          ///< parts: of what, begin, end, step; null where there is none
    call,           ///< parts: function, arguments; the last words.size() ones are named
    lambda          ///< words: parameters, parts[0]: body
  };
  struct Clause {
    std::vector<std::string> names;
    ExprPtr from;
    std::vector<ExprPtr> conditions;
  };
  Kind kind = Kind::literal;
  Value value{};
  std::string word{};
  std::vector<std::string> words{};
  std::vector<ExprPtr> parts{};
  std::vector<Clause> clauses{};
};

struct Token {
  enum class Kind : unsigned char { number, text, name, sign, end };
  Kind kind = Kind::end;
  std::string text;  ///< as it is written; of a text, what it says
  std::size_t at = 0;
};
/// Throws Refusal for what is no word of the language.
std::vector<Token> tokens_of(const std::string& text);

/// Throws Refusal with the place of what is no expression.
ExprPtr parse_expression(const std::string& text);

/// Whether it can be the name of a property: an identifier that is no word of the language.
bool is_name(const std::string& text);

/// Where names get their values.
class Names {
 public:
  virtual ~Names() = default;
  /// Throws Refusal for an unknown name.
  virtual Value value_of(const std::string& name) = 0;
  /// The same of a namespace: ns.name.
  virtual Value member_of(Table& space, const std::string& name) = 0;
};

Value evaluate(const ExprPtr& expression, Names& names, Budget& budget);

Value unary(const std::string& sign, const Value& x);
Value binary(const std::string& sign, const Value& x, const Value& y, Budget& budget);
/// == != < <= > >= in, not in, is, is not
bool compare(const std::string& sign, const Value& x, const Value& y, Budget& budget);
Value item_of(const Value& of, const Value& index, Budget& budget);
Value slice_of(const Value& of, const Value& begin, const Value& end, const Value& step,
               Budget& budget);
/// "%d %s" % values
std::string formatted(const std::string& format, const Value& values, Budget& budget);

/// d.key, and methods of texts, lists and dictionaries.
Value attribute_of(const Value& of, const std::string& name, Budget& budget);
Value call(const Value& function, Arguments& arguments);

}  // namespace torsor::internal::xacro
