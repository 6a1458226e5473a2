#include "torsor/formats/text.hpp"
#include "xacro/expander.hpp"

namespace torsor::internal::xacro {

void Expander::property(const Node& source, Table& symbols) {
  check_attributes(source, {"name", "value", "default", "remove", "scope", "lazy_eval"});
  std::string name = eval_text(required(source, "name"), symbols);
  if (!is_name(name)) throw Refusal("property " + in_quotes(name) + ": the name is no identifier");
  if (name.starts_with("__"))
    throw Refusal("property " + in_quotes(name) + ": names with two underscores are not accepted");
  const std::string *value = source.attribute("value"), *otherwise = source.attribute("default"),
                    *scope = source.attribute("scope"), *lazy = source.attribute("lazy_eval");
  bool remove = false;
  if (const std::string* written = source.attribute("remove"))
    remove = truth(eval(*written, symbols), *written);
  if ((value != nullptr) + (otherwise != nullptr) + remove > 1)
    throw Refusal("property " + in_quotes(name) + ": value, default and remove exclude each other");
  if (scope != nullptr && *scope != "local" && *scope != "parent" && *scope != "global")
    say(Finding::Severity::warning, "property " + in_quotes(name) + ": unknown scope " +
                                        in_quotes(*scope) + " (parent or global)");
  if (remove) {
    symbols.remove(name);
    return;
  }
  if (otherwise != nullptr) {
    if (symbols.holder(name) != nullptr || global_symbol(name) != nullptr) return;
    value = otherwise;
  }
  if (global_symbol(name) != nullptr)
    say(Finding::Severity::warning,
        "property " + in_quotes(name) + " hides the function or constant of that name");

  bool later = lazy == nullptr || truth(eval(*lazy, symbols), *lazy);
  Table* target = &symbols;
  if (scope != nullptr && *scope == "global") {
    target = &symbols.top();
    later = false;
  } else if (scope != nullptr && *scope == "parent") {
    if (symbols.parent() == nullptr)
      return say(Finding::Severity::warning,
                 "property " + in_quotes(name) + ": there is no scope around this one");
    target = symbols.parent();
    later = false;
    while (!symbols.is_namespace() && target->is_namespace()) target = target->parent();
  }
  if (value == nullptr)  // a block of a document, which documents_ keeps
    return target->set_block("**" + name, NodePtr(NodePtr(), &source), here_);
  target->set(name, later ? Value(*value) : eval(*value, symbols), later, here_);
}

void Expander::argument(const Node& source, Table& symbols) {
  check_attributes(source, {"name", "default"});
  const std::string& name = required(source, "name");
  const std::string& otherwise = required(source, "default");
  used_.insert(name);
  if (arguments_.count(name) == 0) arguments_[name] = eval_text(otherwise, symbols);
}

}  // namespace torsor::internal::xacro
