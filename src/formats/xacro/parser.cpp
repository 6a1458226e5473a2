#include <algorithm>
#include <array>
#include <charconv>

#include "torsor/formats/text.hpp"
#include "xacro/expression.hpp"

namespace torsor::internal::xacro {
namespace {

using Kind = Expr::Kind;

constexpr std::array keywords = {
    "and",    "as",   "assert", "async",  "await",    "break", "class", "continue", "def",
    "del",    "elif", "else",   "except", "finally",  "for",   "from",  "global",   "if",
    "import", "in",   "is",     "lambda", "nonlocal", "not",   "or",    "pass",     "raise",
    "return", "try",  "while",  "with",   "yield",    "True",  "False", "None"};
bool is_keyword(const std::string& word) {
  return std::find(keywords.begin(), keywords.end(), word) != keywords.end();
}

Value number_value(std::string text) {
  std::erase(text, '_');
  int base = 10;
  if (text.size() > 2 && text[0] == '0') {
    const char c = static_cast<char>(text[1] | 32);
    base = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 10;
  }
  if (base != 10) {
    std::int64_t x = 0;
    const auto [end, code] = std::from_chars(text.data() + 2, text.data() + text.size(), x, base);
    if (code == std::errc() && end == text.data() + text.size()) return Value(x);
    throw Refusal("no number: " + in_quotes(text));
  }
  if (text.find_first_of(".eE") == text.npos) {
    if (text[0] == '0' && text.find_first_not_of('0') != text.npos)
      throw Refusal("no number: " + in_quotes(text) + "; leave out the leading zeros");
    std::int64_t x = 0;
    if (parse_int(text, x)) return Value(x);
  }
  double x = 0;
  if (!parse_float(text, x)) throw Refusal("no number: " + in_quotes(text));
  return Value(x);
}

class Parser {
 public:
  explicit Parser(const std::string& text) : tokens_(tokens_of(text)) {}

  ExprPtr all() {
    if (top().kind == Token::Kind::end) throw Refusal("the expression is empty");
    ExprPtr e = list_of_expressions();
    if (top().kind != Token::Kind::end) unexpected();
    return e;
  }

 private:
  const Token& top() const { return tokens_[at_]; }
  bool is(const char* word) const {
    return (top().kind == Token::Kind::sign || top().kind == Token::Kind::name) &&
           top().text == word;
  }
  bool take(const char* word) {
    if (!is(word)) return false;
    ++at_;
    return true;
  }
  void expect(const char* word) {
    if (!take(word)) unexpected(std::string(" instead of ") + in_quotes(word));
  }
  [[noreturn]] void unexpected(const std::string& more = "") const {
    if (top().kind == Token::Kind::end) throw Refusal("the expression ends too early" + more);
    throw Refusal("unexpected " + in_quotes(top().text) + " at letter " +
                  std::to_string(top().at + 1) + more);
  }
  std::string name() {
    if (top().kind != Token::Kind::name || is_keyword(top().text)) unexpected();
    return tokens_[at_++].text;
  }
  static ExprPtr made(Kind kind, std::vector<ExprPtr> parts, std::string word = "") {
    Expr e;
    e.kind = kind;
    e.parts = std::move(parts);
    e.word = std::move(word);
    return std::make_shared<const Expr>(std::move(e));
  }
  static ExprPtr literal(Value value) {
    Expr e;
    e.value = std::move(value);
    return std::make_shared<const Expr>(std::move(e));
  }

  /// a, or the tuple a, b, c
  ExprPtr list_of_expressions() {
    ExprPtr first = expression();
    if (!is(",")) return first;
    std::vector<ExprPtr> items{first};
    while (take(",")) {
      if (top().kind == Token::Kind::end || is(")")) break;
      items.push_back(expression());
    }
    return made(Kind::tuple, std::move(items));
  }

  ExprPtr expression() {
    const Depth deeper(depth_, expression_depth_limit, "expressions");
    if (take("lambda")) return lambda();
    ExprPtr then = any();
    if (!take("if")) return then;
    ExprPtr condition = any();
    expect("else");
    ExprPtr otherwise = expression();
    return made(Kind::choice, {condition, then, otherwise});
  }
  ExprPtr lambda() {
    Expr e;
    e.kind = Kind::lambda;
    while (!is(":")) {
      e.words.push_back(name());
      if (!take(",")) break;
    }
    expect(":");
    e.parts = {expression()};
    return std::make_shared<const Expr>(std::move(e));
  }
  ExprPtr any() {
    return chain("or", Kind::any_of, [this] { return all_of(); });
  }
  ExprPtr all_of() {
    return chain("and", Kind::all_of, [this] { return negation(); });
  }
  template <class Operand>
  ExprPtr chain(const char* word, Kind kind, Operand operand) {
    std::vector<ExprPtr> parts{operand()};
    while (take(word)) parts.push_back(operand());
    return parts.size() == 1 ? parts[0] : made(kind, std::move(parts));
  }
  ExprPtr negation() {
    if (!is("not")) return comparison();
    const Depth deeper(depth_, expression_depth_limit, "expressions");
    take("not");
    return made(Kind::unary, {negation()}, "not");
  }
  std::string comparison_sign() {
    for (const char* sign : {"==", "!=", "<=", ">=", "<", ">", "in"})
      if (take(sign)) return sign;
    if (take("is")) return take("not") ? "is not" : "is";
    if (is("not") && tokens_[at_ + 1].text == "in" && tokens_[at_ + 1].kind == Token::Kind::name) {
      at_ += 2;
      return "not in";
    }
    return "";
  }
  ExprPtr comparison() {
    Expr e;
    e.kind = Kind::comparison;
    e.parts.push_back(operation(0));
    for (std::string sign = comparison_sign(); !sign.empty(); sign = comparison_sign()) {
      e.words.push_back(sign);
      e.parts.push_back(operation(0));
    }
    return e.words.empty() ? e.parts[0] : std::make_shared<const Expr>(std::move(e));
  }
  /// Binary operators from the weakest to the strongest; all of them from left to right. A chain of
  /// n operators is a tree of depth n: its length is bounded, too.
  ExprPtr operation(std::size_t level) {
    static const std::vector<std::vector<const char*>> levels = {
        {"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"*", "//", "/", "%"}};
    if (level == levels.size()) return sign();
    ExprPtr left = operation(level + 1);
    for (int length = 0;; ++length) {
      const auto op = std::find_if(levels[level].begin(), levels[level].end(),
                                   [&](const char* word) { return is(word); });
      if (op == levels[level].end()) return left;
      if (length > 200) throw Refusal("an expression has more than 200 operators in a row");
      ++at_;
      left = made(Kind::binary, {left, operation(level + 1)}, *op);
    }
  }
  ExprPtr sign() {
    for (const char* word : {"-", "+", "~"}) {
      if (!is(word)) continue;
      const Depth deeper(depth_, expression_depth_limit, "expressions");
      take(word);
      return made(Kind::unary, {sign()}, word);
    }
    return power();
  }
  ExprPtr power() {
    ExprPtr base = primary();
    if (!take("**")) return base;
    const Depth deeper(depth_, expression_depth_limit, "expressions");
    return made(Kind::binary, {base, sign()}, "**");
  }
  ExprPtr primary() {
    ExprPtr e = atom();
    for (int length = 0;; ++length) {
      if (length > 200) throw Refusal("an expression has more than 200 calls in a row");
      if (take("."))
        e = made(Kind::attribute, {e}, name());
      else if (take("("))
        e = call_of(e);
      else if (take("["))
        e = item_of_list(e);
      else
        return e;
    }
  }
  ExprPtr call_of(ExprPtr function) {
    Expr e;
    e.kind = Kind::call;
    e.parts = {function};
    while (!is(")")) {
      const bool named = top().kind == Token::Kind::name && tokens_[at_ + 1].text == "=" &&
                         tokens_[at_ + 1].kind == Token::Kind::sign;
      if (named) {
        e.words.push_back(name());
        expect("=");
      } else if (!e.words.empty()) {
        throw Refusal("an argument without a name stands behind one with a name");
      }
      ExprPtr argument = expression();
      if (is("for")) argument = comprehension(argument);
      e.parts.push_back(argument);
      if (!take(",")) break;
    }
    expect(")");
    return std::make_shared<const Expr>(std::move(e));
  }
  ExprPtr item_of_list(ExprPtr of) {
    const auto optional = [&] { return is(":") || is("]") ? nullptr : list_of_expressions(); };
    const ExprPtr begin = optional();
    if (begin != nullptr && take("]")) return made(Kind::item, {of, begin});
    expect(":");
    const ExprPtr end = optional(), step = take(":") ? optional() : nullptr;
    expect("]");
    return made(Kind::slice, {of, begin, end, step});
  }
  ExprPtr comprehension(ExprPtr item) {
    Expr e;
    e.kind = Kind::comprehension;
    e.parts = {item};
    while (take("for")) {
      Expr::Clause clause;
      const bool brackets = take("(");
      do {
        clause.names.push_back(name());
      } while (take(","));
      if (brackets) expect(")");
      expect("in");
      clause.from = any();
      while (take("if")) clause.conditions.push_back(any());
      e.clauses.push_back(std::move(clause));
    }
    return std::make_shared<const Expr>(std::move(e));
  }
  ExprPtr atom() {
    const Token token = top();
    if (token.kind == Token::Kind::number) {
      ++at_;
      return literal(number_value(token.text));
    }
    if (token.kind == Token::Kind::text) {
      std::string text;
      while (top().kind == Token::Kind::text) text += tokens_[at_++].text;
      return literal(Value(std::move(text)));
    }
    if (take("True")) return literal(Value(true));
    if (take("False")) return literal(Value(false));
    if (take("None")) return literal(Value());
    if (take("(")) return bracketed();
    if (take("[")) return list();
    return made(Kind::name, {}, name());
  }
  ExprPtr bracketed() {
    if (take(")")) return made(Kind::tuple, {});
    ExprPtr e = list_of_expressions();
    if (is("for")) e = comprehension(e);
    expect(")");
    return e;
  }
  ExprPtr list() {
    std::vector<ExprPtr> items;
    while (!is("]")) {
      items.push_back(expression());
      if (items.size() == 1 && is("for")) {
        ExprPtr e = comprehension(items[0]);
        expect("]");
        return e;
      }
      if (!take(",")) break;
    }
    expect("]");
    return made(Kind::list, std::move(items));
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

ExprPtr parse_expression(const std::string& text) { return Parser(text).all(); }

bool is_name(const std::string& text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  return !text.empty() && letter(text[0]) && !is_keyword(text) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace torsor::internal::xacro
