#include <algorithm>

#include "torsor/formats/text.hpp"
#include "torsor/model/description.hpp"
#include "xacro/expander.hpp"

namespace torsor::internal::xacro {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Where a default that begins at `at` ends: ${...}, $(...), or words and quoted texts without blanks
/// between them; npos where it does not end before a blank.
std::size_t end_of_default(const std::string& s, std::size_t at) {
  const auto ends = [&](std::size_t end) { return end == s.size() || is_blank(s[end]); };
  const char close = s.compare(at, 2, "${") == 0 ? '}' : s.compare(at, 2, "$(") == 0 ? ')' : '\0';
  if (close != '\0')
    for (std::size_t end = at; (end = s.find(close, end)) != s.npos;)
      if (ends(++end)) return end;
  std::size_t end = at;
  while (end < s.size() && !is_blank(s[end])) {
    if (s[end] == '\'' || s[end] == '"') {
      end = s.find(s[end], end + 1);
      if (end == s.npos) return s.npos;
    }
    ++end;
  }
  return end;
}

}  // namespace

void read_parameters(const std::string& s, Macro& macro) {
  for (std::size_t at = 0; at < s.size();) {
    while (at < s.size() && is_blank(s[at])) ++at;
    if (at == s.size()) return;
    std::size_t end = at;
    while (end < s.size() && !is_blank(s[end]) && s[end] != ':' && s[end] != '=') ++end;
    const std::string name = s.substr(at, end - at);
    if (name.empty()) throw Refusal("params: " + in_quotes(s.substr(at)) + " begins with no name");
    at = end;
    while (at < s.size() && is_blank(s[at])) ++at;
    const std::size_t sign = s.compare(at, 2, ":=") == 0 ? 2 : s.compare(at, 1, "=") == 0 ? 1 : 0;
    if (std::find(macro.parameters.begin(), macro.parameters.end(), name) != macro.parameters.end())
      throw Refusal("params: " + in_quotes(name) + " is there twice");
    macro.parameters.push_back(name);
    if (sign == 0) {
      if (end < s.size() && s[end] == ':')
        throw Refusal("params: " + in_quotes(s.substr(end)) + " behind " + in_quotes(name) +
                      "; write name:=default");
      continue;
    }
    at += sign;
    while (at < s.size() && is_blank(s[at])) ++at;
    Macro::Default value;
    value.forward = s.compare(at, 1, "^") == 0;
    if (value.forward) at += s.compare(at, 2, "^|") == 0 ? 2 : 1;
    end = end_of_default(s, at);
    if (end == s.npos)
      throw Refusal("params: a quote of the default of " + in_quotes(name) + " is not closed");
    if (end > at) value.text = s.substr(at, end - at);
    macro.defaults[name] = std::move(value);
    at = end;
  }
}

const Macro* MacroTable::find(const std::string& name) const {
  for (const MacroTable* at = this; at != nullptr; at = at->parent_)
    if (const auto found = at->macros.find(name); found != at->macros.end())
      return found->second.get();
  return nullptr;
}
MacroTable* MacroTable::space(const std::string& name) const {
  for (const MacroTable* at = this; at != nullptr; at = at->parent_)
    if (const auto found = at->spaces.find(name); found != at->spaces.end())
      return found->second.get();
  return nullptr;
}
std::vector<std::string> MacroTable::names() const {
  std::vector<std::string> all;
  for (const MacroTable* at = this; at != nullptr && all.size() < 200; at = at->parent_) {
    for (const auto& [name, macro] : at->macros) all.push_back(name);
    for (const auto& [ns, space] : at->spaces)
      for (const auto& [name, macro] : space->macros) all.push_back(ns + "." + name);
  }
  return all;
}

void Expander::define_macro(const Node& source, MacroTable& macros) {
  check_attributes(source, {"name", "params"});
  auto macro = std::make_shared<Macro>();
  macro->name = required(source, "name");
  if (macro->name.starts_with("xacro:")) {
    say(Finding::Severity::warning, "macro " + in_quotes(macro->name) + ": its name has no prefix");
    macro->name = macro->name.substr(6);
  }
  if (macro->name == "call") throw Refusal("a macro cannot be called \"call\"");
  if (macro->name.empty()) throw Refusal("<xacro:macro>: the name is empty");
  if (macro->name.find('.') != std::string::npos)
    throw Refusal("macro " + in_quotes(macro->name) +
                  ": a dot separates namespaces, no name has one");
  if (const std::string* text = source.attribute("params")) read_parameters(*text, *macro);
  macro->body = NodePtr(NodePtr(), &source);  // of a document, which documents_ keeps
  macros.macros[macro->name] = std::move(macro);
}

void Expander::give_parameters(const Node& source, const Macro& macro, Scope scope, Table& inside) {
  std::vector<std::string> open = macro.parameters;
  const std::string who = "macro " + in_quotes(macro.name);
  for (const auto& [name, text] : source.attributes) {
    if (source.name == "xacro:call" && name == "macro") continue;
    if (source.name == "xacro:element" && name == "xacro:name") continue;
    const auto at = std::find(open.begin(), open.end(), name);
    if (at == open.end())
      throw Refusal(who + " has no parameter " + in_quotes(name) + did_you_mean(name, open));
    open.erase(at);
    inside.set(name, eval(text, scope.symbols), false, here_);
  }

  auto blocks = std::make_shared<Node>();
  children(source, scope, *blocks);
  std::vector<NodePtr> elements;
  for (const std::shared_ptr<Node>& child : blocks->children)
    if (child->kind == Node::Kind::element) elements.push_back(child);
  std::size_t used = 0;
  std::erase_if(open, [&](const std::string& name) {
    if (name[0] != '*') return false;
    if (used == elements.size())
      throw Refusal(who + " needs a block for " + in_quotes(name) + ", and has " +
                    std::to_string(elements.size()));
    inside.set_block(name, elements[used++], here_);
    return true;
  });
  if (used < elements.size())
    throw Refusal(who + ": block <" + one_line(elements[used]->name) + "> is not used");

  std::erase_if(open, [&](const std::string& name) {
    const auto found = macro.defaults.find(name);
    if (found == macro.defaults.end()) return false;
    const Macro::Default& value = found->second;
    if (value.forward) {
      if (scope.symbols.holder(name) != nullptr || global_symbol(name) != nullptr) {
        inside.set(name, lookup(scope.symbols, name), false, here_);
        return true;
      }
      if (!value.text)
        throw Refusal(who + ": there is no property " + in_quotes(name) + " to forward");
    }
    if (!value.text) return false;
    inside.set(name, eval(*value.text, scope.symbols), false, here_);
    return true;
  });
  if (!open.empty()) throw Refusal(who + " needs " + listed(open, " and "));
}

void Expander::call_macro(const Node& source, std::string name, Scope scope, Node& into) {
  MacroTable* macros = &scope.macros;
  Table* symbols = &scope.symbols;
  const Macro* macro = macros->find(name);
  const std::string full = name;
  for (std::size_t dot; macro == nullptr && (dot = name.find('.')) != name.npos;) {
    const std::string space = name.substr(0, dot);
    name.erase(0, dot + 1);
    macros = macros->space(space);
    Table* const holder = symbols->holder(space);
    if (macros == nullptr || holder == nullptr)
      throw Refusal("<" + source.name + ">: there is no namespace " + in_quotes(space));
    symbols = holder->own(space)->value.space();
    if (symbols == nullptr) throw Refusal(in_quotes(space) + " is no namespace any more");
    if (name.find('.') == name.npos) macro = macros->find(name);
  }
  if (macro == nullptr)
    throw Refusal("unknown macro " + in_quotes("xacro:" + full) +
                  did_you_mean(full, scope.macros.names()));

  const Depth deeper(macro_depth_, macro_limit, "macro calls");
  budget_.spend(50);
  const Place place = here_;
  auto inside = std::make_unique<Table>(symbols);
  MacroTable own(macros);
  give_parameters(source, *macro, {*macros, *symbols}, *inside);
  here_ = place;
  import_namespaces(*macro->body, into);
  const auto before = way_;
  way_ = std::make_shared<const Place::Way>(
      Place::Way{place.way, place.file, place.line, "macro " + in_quotes(macro->name),
                 place.way == nullptr ? 1 : place.way->depth + 1});
  const std::size_t spaces = spaces_.size();
  const NodePtr body = macro->body;  // the macro may define itself anew
  children(*body, {own, *inside}, into);
  way_ = before;
  if (spaces_.size() > spaces) kept_.push_back(std::move(inside));
}

}  // namespace torsor::internal::xacro
