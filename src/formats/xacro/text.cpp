// Text with ${expressions} and $(substitutions).
#include <cstdlib>
#include <filesystem>

#include "torsor/formats/text.hpp"
#include "torsor/model/description.hpp"
#include "xacro/expander.hpp"

namespace torsor::internal::xacro {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  constexpr const char* blanks = " \t\n\r";
  for (std::size_t at = text.find_first_not_of(blanks); at != text.npos;) {
    const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(blanks, end);
  }
  return words;
}

}  // namespace

/// Names of the scope, of the scopes around it and of the language.
class TableNames final : public Names {
 public:
  TableNames(Expander& expander, Table& table) : expander_(expander), table_(table) {}
  Value value_of(const std::string& name) override { return expander_.lookup(table_, name); }
  Value member_of(Table& space, const std::string& name) override {
    return expander_.lookup(space, name);
  }

 private:
  Expander& expander_;
  Table& table_;
};

/// Names in $(eval ...): constants and functions of math, then arguments, which become numbers or truth
/// values where they look like them.
class ArgumentNames final : public Names {
 public:
  ArgumentNames(const std::map<std::string, std::string>& arguments, std::set<std::string>& used)
      : arguments_(arguments), used_(used) {}
  Value value_of(const std::string& name) override {
    if (name == "true" || name == "false") return Value(name == "true");
    if (const auto found = math_functions().find(name); found != math_functions().end())
      return found->second;
    used_.insert(name);
    if (const auto found = arguments_.find(name); found != arguments_.end())
      return of_argument(found->second);
    std::vector<std::string> known;
    for (const auto& [other, value] : arguments_) known.push_back(other);
    throw Refusal("no argument is called " + in_quotes(name) + did_you_mean(name, known));
  }
  Value member_of(Table&, const std::string& name) override {
    throw Refusal("unknown name " + in_quotes(name));
  }

 private:
  static Value of_argument(const std::string& text) {
    std::int64_t whole = 0;
    double number = 0;
    if (text.find('.') == text.npos ? parse_int(text, whole) : parse_float(text, number))
      return text.find('.') == text.npos ? Value(whole) : Value(number);
    std::string lower = text;
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return lower == "true" || lower == "false" ? Value(lower == "true") : Value(text);
  }

  const std::map<std::string, std::string>& arguments_;
  std::set<std::string>& used_;
};

/// $(eval text): as in launch files, an expression of arguments. It ends at the first ).
std::string Expander::eval_of_arguments(const std::string& text) {
  try {
    if (text.find("__") != text.npos) throw Refusal("names with two underscores are not accepted");
    ArgumentNames names(arguments_, used_);
    return text_of(evaluate(parse_expression(text), names, budget_), budget_);
  } catch (const Refusal& refused) {
    throw Refusal(
        "$(eval " + one_line(text.substr(0, 100)) + "): " + refused.what() +
        (text.find('(') == text.npos
             ? ""
             : "; $(eval ...) ends at its first \")\", write ${...} where brackets are needed"));
  }
}

Value Expander::expression(const std::string& text, Table& symbols) {
  try {
    ExprPtr& parsed = parsed_[text];
    if (parsed == nullptr) {
      if (parsed_.size() > 100'000) parsed_.clear();
      const ExprPtr fresh = parse_expression(text);
      parsed_[text] = fresh;
      TableNames names(*this, symbols);
      return evaluate(fresh, names, budget_);
    }
    TableNames names(*this, symbols);
    return evaluate(ExprPtr(parsed), names, budget_);
  } catch (const Refusal& refused) {
    const std::string what = refused.what();
    if (what.starts_with("${") || what.size() > 1000) throw;
    throw Refusal("${" + one_line(text.size() > 100 ? text.substr(0, 97) + "..." : text) +
                  "}: " + what);
  }
}

Value Expander::eval(const std::string& text, Table& symbols) {
  if (text.find('$') == text.npos) return Value(text);
  const Depth deeper(depth_, depth_limit, "properties");
  std::string all;
  Value single;
  int pieces = 0;
  const auto add = [&](Value piece) {
    if (pieces == 0) {
      single = std::move(piece);
    } else {
      if (pieces == 1) all = text_of(single, budget_);
      const std::string more = text_of(piece, budget_);
      budget_.spend_text(all.size() + more.size() > text_limit ? text_limit + 1 : more.size());
      all += more;
    }
    ++pieces;
  };
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '$') {
      const std::size_t end = std::min(text.find('$', at), text.size());
      add(Value(text.substr(at, end - at)));
      at = end;
      continue;
    }
    std::size_t dollars = at;
    while (dollars < text.size() && text[dollars] == '$') ++dollars;
    const char open = dollars < text.size() ? text[dollars] : '\0';
    if (dollars - at > 1 && (open == '{' || open == '(')) {  // $${ stands for ${
      add(Value(text.substr(at + 1, dollars - at)));
      at = dollars + 1;
    } else if (dollars - at == 1 && (open == '{' || open == '(')) {
      const std::size_t end = text.find(open == '{' ? '}' : ')', dollars);
      if (end == text.npos)
        throw Refusal(in_quotes(text.substr(at)) + " has no closing " + (open == '{' ? "}" : ")"));
      const std::string inside = eval_text(text.substr(dollars + 1, end - dollars - 1), symbols);
      add(open == '{' ? expression(inside, symbols) : Value(substitution(inside)));
      at = end + 1;
    } else if (dollars - at == 1 || dollars == text.size()) {
      const std::size_t end = std::min(text.find('$', dollars), text.size());
      add(Value(text.substr(at, end - at)));
      at = end;
    } else {
      throw Refusal(in_quotes(text.substr(at)) + ": several $ before what is no bracket");
    }
  }
  return pieces == 1 ? single : Value(std::move(all));
}

std::string Expander::substitution(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  const std::string command = words.empty() ? "" : words[0];
  const auto expect = [&](std::size_t count) {
    if (words.size() != count + 1)
      throw Refusal("$(" + one_line(text) + "): $(" + command + ") takes " +
                    (count == 0 ? "nothing" : "one word"));
  };
  if (command == "arg") {
    expect(1);
    used_.insert(words[1]);
    if (const auto found = arguments_.find(words[1]); found != arguments_.end())
      return found->second;
    std::vector<std::string> known;
    for (const auto& [name, value] : arguments_) known.push_back(name);
    throw Refusal("$(arg " + one_line(words[1]) + "): the argument is not given; write " +
                  one_line(words[1]) + ":=value behind the robot" + did_you_mean(words[1], known));
  }
  if (command == "find") {
    expect(1);
    std::string& folder = packages_[words[1] + "\n" + *files_.back()];
    if (folder.empty()) folder = find_package(words[1], *files_.back(), options_.package_folders);
    if (folder.empty()) folder = find_package(words[1], *files_.front(), options_.package_folders);
    if (folder.empty())
      throw Refusal("$(find " + one_line(words[1]) +
                    "): the package is not found; name its folder with " +
                    "--package-path or TORSOR_PACKAGE_PATH");
    return folder;
  }
  if (command == "env" || command == "optenv") {
    if (command == "env") expect(1);
    if (words.size() < 2) throw Refusal("$(" + command + "): which variable?");
    if (const char* value = std::getenv(words[1].c_str())) return value;
    if (command == "env")
      throw Refusal("$(env " + one_line(words[1]) + "): the environment has no such variable");
    std::string otherwise;
    for (std::size_t k = 2; k < words.size(); ++k) otherwise += (k > 2 ? " " : "") + words[k];
    return otherwise;
  }
  std::error_code ignored;
  if (command == "dirname") {
    expect(0);
    return fs::absolute(*files_.back(), ignored).lexically_normal().parent_path().string();
  }
  if (command == "cwd") return fs::current_path(ignored).string();
  if (command == "eval" && text.starts_with("eval ")) return eval_of_arguments(text.substr(5));
  if (command == "anon") throw Refusal("$(anon ...) belongs to launch files");
  throw Refusal("unknown substitution $(" + one_line(text.substr(0, 60)) + ")" +
                did_you_mean(command, {"arg", "eval", "find", "env", "optenv", "dirname", "cwd"}));
}

bool Expander::truth(const Value& value, const std::string& written) {
  const std::string* text = value.text();
  if (text == nullptr) return value.truth();
  if (*text == "true" || *text == "True") return true;
  if (*text == "false" || *text == "False") return false;
  std::int64_t number = 0;
  if (parse_int(*text, number)) return number != 0;
  throw Refusal(in_quotes(written) +
                (written == *text ? "" : " is " + in_quotes(*text) + ", which") +
                " is neither true nor false");
}

}  // namespace torsor::internal::xacro
