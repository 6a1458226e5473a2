#pragma once
/// The names that a header declares in `namespace torsor` itself, read without a compiler: types,
/// aliases, concepts, functions and variables; not members, operators, specialisations' contents or
/// anything in a nested namespace.
#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

namespace torsor::testing {

using Words = std::vector<std::string>;

inline bool is_word(const std::string& word) {
  return std::isalpha(static_cast<unsigned char>(word[0])) || word[0] == '_';
}

/// Words and single characters of a C++ text; comments, literals and preprocessor lines left out.
inline Words words_of(const std::string& text) {
  Words words;
  const std::size_t n = text.size();
  for (std::size_t i = 0; i < n;) {
    const char c = text[i];
    const auto skip_line = [&] {
      while (i < n && (text[i] != '\n' || text[i - 1] == '\\')) ++i;
    };
    if (c == '#' || text.compare(i, 2, "//") == 0) {
      skip_line();
    } else if (text.compare(i, 2, "/*") == 0) {
      i = text.find("*/", i) + 2;
    } else if (c == '"' || (c == '\'' && (words.empty() || !std::isdigit(words.back()[0])))) {
      for (++i; i < n && text[i] != c; ++i)
        if (text[i] == '\\') ++i;
      ++i;
      words.emplace_back("0");
    } else if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') {
      std::size_t end = i;
      while (end < n && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
        ++end;
      words.push_back(text.substr(i, end - i));
      i = end;
    } else {
      if (!std::isspace(static_cast<unsigned char>(c))) words.emplace_back(1, c);
      ++i;
    }
  }
  return words;
}

/// The index after the bracket that closes the one at `first`.
inline std::size_t after_bracket(const Words& words, std::size_t first) {
  const std::string open = words[first], close = open == "("   ? ")"
                                                 : open == "[" ? "]"
                                                 : open == "{" ? "}"
                                                               : ">";
  int depth = 0;
  for (std::size_t i = first; i < words.size(); ++i) {
    if (words[i] == open) ++depth;
    if (words[i] == close && --depth == 0) return i + 1;
  }
  return words.size();
}

/// A macro in front of a declaration: a list that it expands to, or a mark.
inline bool is_macro(const std::string& word) { return word.starts_with("TORSOR_"); }

/// The declared name, or "".
inline std::string declared_name(const Words& d) {
  std::size_t i = 0;
  const auto at = [&](std::size_t k) { return k < d.size() ? d[k] : std::string(); };
  while (is_macro(at(i))) i = at(i + 1) == "(" ? after_bracket(d, i + 1) : i + 1;
  if (at(i) == "extern" || at(i) == "friend" || at(i) == "static_assert") return "";
  while (at(i) == "template") {
    if (at(i + 1) != "<") return "";  // an explicit instantiation
    i = after_bracket(d, i + 1);
    if (at(i) == "requires" && at(i + 1) == "(") i = after_bracket(d, i + 1);
  }
  while (at(i) == "[") i = after_bracket(d, i);
  const std::string first = at(i);
  if (first == "using") return at(i + 2) == "=" ? at(i + 1) : "";
  if (first == "struct" || first == "class" || first == "enum" || first == "concept") {
    ++i;
    while (at(i) == "class" || at(i) == "[" || at(i) == "alignas")
      i = at(i) == "class" ? i + 1 : at(i) == "[" ? after_bracket(d, i) : after_bracket(d, i + 1);
    return at(i);
  }
  std::string last;
  for (; i < d.size(); ++i) {
    if (d[i] == "operator") return "";
    if (d[i] == "=") break;
    if (d[i] == "<" && !last.empty() && last != "requires") {
      i = after_bracket(d, i) - 1;  // arguments of a template
    } else if (d[i] == "(") {
      if (last == "decltype" || last == "__attribute__" || last == "requires")
        i = after_bracket(d, i) - 1;
      else
        return last;
    } else if (d[i] == ":") {
      if (at(i + 1) == ":" && at(i + 3) == "(") return "";  // a member of a class
    } else if (is_word(d[i])) {
      last = d[i];
    }
  }
  return last;
}

inline std::set<std::string> public_names(const std::string& text) {
  const Words words = words_of(text);
  std::set<std::string> names;
  std::vector<std::string> scopes;
  Words declaration;
  const auto in_parentheses = [&] {
    return std::count(declaration.begin(), declaration.end(), "(") >
           std::count(declaration.begin(), declaration.end(), ")");
  };
  const auto end_declaration = [&] {
    if (scopes == std::vector<std::string>{"torsor"} && !declaration.empty()) {
      const std::string name = declared_name(declaration);
      if (!name.empty() && is_word(name)) names.insert(name);
    }
    declaration.clear();
  };
  for (std::size_t i = 0; i < words.size();) {
    if (words[i] == "namespace" && declaration.empty()) {
      std::string name;
      for (++i; i < words.size() && words[i] != "{" && words[i] != ";" && words[i] != "="; ++i)
        name += words[i];
      if (i < words.size() && words[i] == "{") scopes.push_back(name);
      ++i;
    } else if (words[i] == "{" && in_parentheses()) {
      i = after_bracket(words, i);  // a value, as of a default argument
    } else if (words[i] == "{") {
      i = after_bracket(words, i);
      end_declaration();
      if (i < words.size() && words[i] == ";") ++i;
    } else if (words[i] == "}") {
      if (!scopes.empty()) scopes.pop_back();
      declaration.clear();
      ++i;
    } else if (words[i] == ";") {
      end_declaration();
      ++i;
    } else {
      declaration.push_back(words[i++]);
    }
  }
  return names;
}

}  // namespace torsor::testing
