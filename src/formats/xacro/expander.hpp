#pragma once
/// The expansion of one xacro document. Private to xacro.
///
/// The document is walked once, in its order. Source trees never change: each element is written into
/// the element `into` of the result, and a macro's body is walked again for every call.
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "torsor/formats/finding.hpp"
#include "torsor/formats/packages.hpp"
#include "xacro/expression.hpp"
#include "xacro/scope.hpp"

namespace torsor::internal::xacro {

struct Macro {
  struct Default {
    bool forward = false;  ///< ^: the property of that name in the caller's scope
    std::optional<std::string> text;
  };
  NodePtr body;
  std::string name;
  std::vector<std::string> parameters;
  std::map<std::string, Default> defaults;
};
/// name, name:=default, name:=^, name:=^|default, *block, **blocks. Throws Refusal.
void read_parameters(const std::string& text, Macro& macro);

/// Macros by their names; those of a namespace see no others.
class MacroTable {
 public:
  explicit MacroTable(MacroTable* parent = nullptr) : parent_(parent) {}

  std::map<std::string, std::shared_ptr<const Macro>> macros;
  std::map<std::string, std::shared_ptr<MacroTable>> spaces;

  const Macro* find(const std::string& name) const;
  MacroTable* space(const std::string& name) const;
  std::vector<std::string> names() const;

 private:
  MacroTable* parent_;
};

class Expander {
 public:
  Expander(const LoadOptions& options, Findings* findings);

  WrittenNodes expand(const std::string& text, const std::string& file);
  /// What the places of the result point at; the expander is of no use afterwards.
  std::deque<std::string> take_file_names() { return std::move(names_); }

 private:
  friend class TableNames;
  struct Scope {
    MacroTable& macros;
    Table& symbols;
  };

  // expander.cpp
  void children(const Node& source, Scope scope, Node& into);
  void element(const Node& source, Scope scope, Node& into);
  void keyword(const std::string& word, const Node& source, Scope scope, Node& into);
  void plain(const Node& source, const std::string& name, Scope scope, Node& into);
  void attributes(const Node& source, Table& symbols, Node& into);
  void condition(const Node& source, bool wanted, Scope scope, Node& into);
  void insert_block(const Node& source, Scope scope, Node& into);
  void drop_comments(const Node& before, std::size_t first, Node& into);
  Place place_of(const Node& source) const;
  void check_attributes(const Node& source, const std::vector<std::string>& known);
  const std::string& required(const Node& source, const char* name) const;
  void say(Finding::Severity severity, const std::string& message);
  void import_namespaces(const Node& from, Node& into);

  // macros.cpp
  void define_macro(const Node& source, MacroTable& macros);
  void call_macro(const Node& source, std::string name, Scope scope, Node& into);
  void give_parameters(const Node& source, const Macro& macro, Scope scope, Table& inside);

  // property.cpp
  void property(const Node& source, Table& symbols);
  void argument(const Node& source, Table& symbols);

  // include.cpp
  void include(const Node& source, Scope scope, Node& into);
  void include_file(const std::string& path, Scope scope, Node& into);
  std::string path_from_here(const std::string& path) const;

  // text.cpp
  Value eval(const std::string& text, Table& symbols);
  std::string eval_text(const std::string& text, Table& symbols) {
    return text.find('$') == text.npos ? text : text_of(eval(text, symbols), budget_);
  }
  Value expression(const std::string& text, Table& symbols);
  std::string substitution(const std::string& text);
  std::string eval_of_arguments(const std::string& text);
  bool truth(const Value& value, const std::string& written);

  // symbols.cpp
  Value lookup(Table& from, const std::string& name);
  Value resolved(Table& holder, const std::string& name);
  void define_functions();
  /// Throws Error for an argument that was given and that no file asks for.
  void refuse_unused_arguments() const;

  // yaml.cpp
  Value load_yaml(const std::string& path);

  const LoadOptions& options_;
  Findings* findings_;
  Budget budget_;
  std::deque<std::string> names_;  ///< of files; nodes point at them
  std::deque<NodePtr> documents_;
  std::deque<Table> spaces_;                 ///< namespaces, for as long as values may name them
  std::deque<std::unique_ptr<Table>> kept_;  ///< scopes that namespaces stand in
  std::map<std::string, std::string> arguments_, packages_;
  std::set<std::string> used_;  ///< arguments that the files ask for
  std::map<std::string, ExprPtr> parsed_;
  std::map<std::string, Value> functions_;  ///< of xacro itself
  Table xacro_, math_, python_;
  std::vector<const std::string*> files_;  ///< that are being read, the innermost last
  std::shared_ptr<const Place::Way> way_;
  Place here_;
  int depth_ = 0, macro_depth_ = 0;
};

}  // namespace torsor::internal::xacro
