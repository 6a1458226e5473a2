#include "xacro/expander.hpp"

#include <algorithm>

#include "torsor/formats/text.hpp"
#include "torsor/model/description.hpp"

namespace torsor::internal::xacro {
namespace {

/// Words of the language before it had a prefix.
bool is_old_name(const Node& node) {
  const auto has = [&](const char* name) { return node.attribute(name) != nullptr; };
  if (node.name == "macro") return has("name") && has("params");
  if (node.name == "include") return has("filename");
  if (node.name == "insert_block") return has("name");
  if (node.name == "if" || node.name == "unless") return has("value");
  return node.name == "property" && has("name") && has("value");
}

void check_xml_name(const std::string& name, const char* what) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == ':' || static_cast<unsigned char>(c) >= 0x80;
  };
  const char first = name.empty() ? '-' : name[0];
  if (!std::all_of(name.begin(), name.end(), fits) || (first >= '0' && first <= '9') ||
      first == '-' || first == '.' || first == ':')
    throw Refusal(in_quotes(name) + " is no name of " + what);
}

}  // namespace

Expander::Expander(const LoadOptions& options, Findings* findings)
    : options_(options), findings_(findings) {
  for (const std::string& word : options.arguments) {
    const std::size_t at = word.find(":=");
    if (at == word.npos || at == 0)
      throw Error("argument " + in_quotes(word) + ": write name:=value");
    arguments_[word.substr(0, at)] = word.substr(at + 2);
  }
  define_functions();
}

WrittenNodes Expander::expand(const std::string& text, const std::string& file) {
  names_.push_back(file);
  files_.push_back(&names_.back());
  documents_.push_back(read_nodes(text, names_.back()));
  const Node& root = *documents_.back();
  MacroTable macros;
  Table symbols;
  auto result = std::make_shared<Node>();
  result->name = root.name;
  result->place = here_ = root.place;
  try {
    attributes(root, symbols, *result);
    if (const std::string* space = root.attribute("xacro:targetNamespace"))
      result->set_attribute("xmlns", *space);
    children(root, {macros, symbols}, *result);
    refuse_unused_arguments();
    return write_nodes(*result);
  } catch (const Refusal& refused) {
    throw Error(here_.origin().prefix() + one_line(refused.what()) + here_.chain());
  }
}

void Expander::refuse_unused_arguments() const {
  const std::vector<std::string> known(used_.begin(), used_.end());
  for (const auto& [name, value] : arguments_)
    if (!used_.contains(name))
      throw Error(one_line(names_.front()) + ": asks for no argument " + in_quotes(name) +
                  did_you_mean(name, known) + (known.empty() ? "" : " (" + listed(known) + ")"));
}

Place Expander::place_of(const Node& source) const {
  return source.place.way != nullptr ? source.place
                                     : Place{source.place.file, source.place.line, way_};
}

void Expander::say(Finding::Severity severity, const std::string& message) {
  if (findings_ == nullptr || findings_->size() >= 1000) return;
  Finding f;
  f.severity = severity;
  f.origin = here_.origin();
  f.message = one_line(message) + here_.chain();
  f.topic = Finding::Topic::drawing;
  findings_->push_back(std::move(f));
}

const std::string& Expander::required(const Node& source, const char* name) const {
  if (const std::string* value = source.attribute(name)) return *value;
  throw Refusal("<" + source.name + "> has no attribute " + name);
}
void Expander::check_attributes(const Node& source, const std::vector<std::string>& known) {
  for (const auto& [name, value] : source.attributes)
    if (std::find(known.begin(), known.end(), name) == known.end() && !name.starts_with("xmlns:"))
      say(Finding::Severity::warning, "<" + source.name + ">: ignored attribute " +
                                          in_quotes(name) + did_you_mean(name, known));
}

void Expander::children(const Node& source, Scope scope, Node& into) {
  const Depth deeper(depth_, depth_limit, "elements and macros");
  std::size_t first = into.children.size();  // behind the last element
  bool eval_comments = false;
  const auto add = [&](const Node& child, Node::Kind kind, std::string text) {
    auto node = std::make_shared<Node>();
    node->kind = kind;
    node->name = std::move(text);
    node->place = place_of(child);
    into.children.push_back(std::move(node));
  };
  for (const std::shared_ptr<Node>& child : source.children) {
    budget_.spend();
    here_ = place_of(*child);
    switch (child->kind) {
      case Node::Kind::element:
        eval_comments = false;
        if (child->name.starts_with("xacro:")) drop_comments(*child, first, into);
        element(*child, scope, into);
        first = into.children.size();
        break;
      case Node::Kind::text:
        eval_comments = false;
        add(*child, child->kind, eval_text(child->name, scope.symbols));
        break;
      case Node::Kind::data:
        add(*child, child->kind, child->name);
        break;
      case Node::Kind::comment:
        if (child->name.find("xacro:eval-comments") != std::string::npos)
          eval_comments = child->name.find("xacro:eval-comments:off") == std::string::npos;
        else if (!eval_comments)
          add(*child, child->kind, child->name);
        else if (std::string text = eval_text(child->name, scope.symbols);
                 text.find("--") == text.npos)
          add(*child, child->kind, std::move(text));
        break;
    }
  }
}

/// Comments right above a word of the language speak of it, not of what it becomes.
void Expander::drop_comments(const Node& before, std::size_t first, Node& into) {
  int line = before.place.line;
  while (into.children.size() > first && into.children.back()->kind == Node::Kind::comment) {
    const Node& comment = *into.children.back();
    const auto rows = std::count(comment.name.begin(), comment.name.end(), '\n');
    if (line - (comment.place.line + rows) > 1) return;
    line = comment.place.line;
    into.children.pop_back();
  }
}

void Expander::element(const Node& source, Scope scope, Node& into) {
  const Place place = here_;
  try {
    if (source.name.starts_with("xacro:"))
      keyword(source.name.substr(6), source, scope, into);
    else
      plain(source, source.name, scope, into);
    here_ = place;
  } catch (const Refusal& refused) {
    throw Error(here_.origin().prefix() + one_line(refused.what()) + here_.chain());
  }
}

void Expander::plain(const Node& source, const std::string& name, Scope scope, Node& into) {
  if (is_old_name(source))
    say(Finding::Severity::warning, "<" + name + "> is an ordinary element without its prefix: " +
                                        "write <xacro:" + name + ">");
  budget_.spend(10);
  auto result = std::make_shared<Node>();
  result->name = name;
  result->place = here_;
  attributes(source, scope.symbols, *result);
  into.children.push_back(result);
  children(source, scope, *result);
}

void Expander::attributes(const Node& source, Table& symbols, Node& into) {
  for (const auto& [name, value] : source.attributes)
    if (!name.starts_with("xacro:") && name != "xmlns:xacro")
      into.attributes.emplace_back(name, eval_text(value, symbols));
}

void Expander::keyword(const std::string& word, const Node& source, Scope scope, Node& into) {
  if (word == "property") return property(source, scope.symbols);
  if (word == "macro") return define_macro(source, scope.macros);
  if (word == "include") return include(source, scope, into);
  if (word == "arg") return argument(source, scope.symbols);
  if (word == "if" || word == "unless") return condition(source, word == "if", scope, into);
  if (word == "insert_block") return insert_block(source, scope, into);
  if (word == "element") {
    const std::string name = eval_text(required(source, "xacro:name"), scope.symbols);
    check_xml_name(name, "an element");
    if (!name.starts_with("xacro:")) return plain(source, name, scope, into);
    return keyword(name.substr(6), source, scope, into);
  }
  if (word == "attribute") {
    const std::string name = eval_text(required(source, "name"), scope.symbols);
    check_xml_name(name, "an attribute");
    return into.set_attribute(name, eval_text(required(source, "value"), scope.symbols));
  }
  if (word == "call") {
    const std::string name = eval_text(required(source, "macro"), scope.symbols);
    return call_macro(source, name, scope, into);
  }
  call_macro(source, word, scope, into);
}

void Expander::condition(const Node& source, bool wanted, Scope scope, Node& into) {
  check_attributes(source, {"value"});
  const std::string& value = required(source, "value");
  if (truth(eval(value, scope.symbols), value) == wanted) children(source, scope, into);
}

void Expander::insert_block(const Node& source, Scope scope, Node& into) {
  check_attributes(source, {"name"});
  const std::string& name = required(source, "name");
  for (const char* stars : {"**", "*"}) {
    Table* const holder = scope.symbols.holder(stars + name);
    if (holder == nullptr) continue;
    const NodePtr block = holder->own(stars + name)->block;
    const Depth deeper(depth_, depth_limit, "blocks");
    if (std::string(stars) == "**") return children(*block, scope, into);
    if (block->kind == Node::Kind::element) return element(*block, scope, into);
  }
  throw Refusal("unknown block " + in_quotes(name));
}

void Expander::import_namespaces(const Node& from, Node& into) {
  for (const auto& [name, value] : from.attributes) {
    if (!name.starts_with("xmlns:") || name == "xmlns:xacro") continue;
    const std::string* const old = into.attribute(name);
    if (old != nullptr && *old != value)
      say(Finding::Severity::warning,
          name + " is " + in_quotes(value) + " here and " + in_quotes(*old) + " around it");
    else
      into.set_attribute(name, value);
  }
}

}  // namespace torsor::internal::xacro
