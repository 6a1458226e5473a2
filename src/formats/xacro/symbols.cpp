// Names in expressions: properties, namespaces, and the functions of the language.
#include <algorithm>
#include <filesystem>

#include "torsor/formats/text.hpp"
#include "torsor/model/description.hpp"
#include "xacro/expander.hpp"

namespace torsor::internal::xacro {
namespace {

const std::string& text_argument(const Arguments& a, const char* name) {
  if (a.values.size() != 1 || a.values[0].text() == nullptr)
    throw Refusal(std::string(name) + "() takes one text");
  return *a.values[0].text();
}

/// All dictionaries of a value with their keys behind a dot.
Value dotted(const Value& value) {
  if (const List* l = value.list()) {
    std::vector<Value> items;
    for (const Value& item : l->items) items.push_back(dotted(item));
    return Value::list(std::move(items), l->is_tuple);
  }
  const Dict* d = value.dict();
  if (d == nullptr || d->is_set) return value;
  Dict copy;
  copy.dotted = true;
  for (const auto& [key, item] : d->items) copy.set(key, dotted(item));
  return Value::dict(std::move(copy));
}

std::string words(const Arguments& a) {
  std::string out;
  for (const Value& value : a.values) out += (out.empty() ? "" : " ") + text_of(value, a.budget);
  return out.size() > 500 ? out.substr(0, 497) + "..." : out;
}

Value tokenized(Arguments& a) {
  if (a.values.empty() || a.values.size() > 3 || a.values[0].text() == nullptr)
    throw Refusal("tokenize() takes a text, the separators and whether empty parts are left out");
  std::string separators = ",; ";
  bool skip_empty = true;
  if (a.values.size() > 1 && a.values[1].text() != nullptr) separators = *a.values[1].text();
  if (a.values.size() > 2) skip_empty = a.values[2].truth();
  for (const auto& [name, value] : a.named) {
    if (name == "sep" && value.text() != nullptr) separators = *value.text();
    if (name == "skip_empty") skip_empty = value.truth();
  }
  const std::string& text = *a.values[0].text();
  std::vector<Value> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    if (end > at || !skip_empty) parts.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  a.budget.spend_list(parts.size());
  return Value::list(std::move(parts));
}

}  // namespace

void Expander::define_functions() {
  const auto add = [&](const char* name, std::function<Value(Arguments&)> call) {
    functions_[name] = Value(std::make_shared<const Callable>(Callable{name, std::move(call)}));
  };
  add("load_yaml", [this](Arguments& a) { return load_yaml(text_argument(a, "load_yaml")); });
  add("abs_filename",
      [this](Arguments& a) { return Value(path_from_here(text_argument(a, "abs_filename"))); });
  add("dotify", [](Arguments& a) {
    if (a.values.size() != 1 || a.values[0].dict() == nullptr)
      throw Refusal("dotify() takes one dictionary");
    return dotted(a.values[0]);
  });
  add("tokenize", tokenized);
  add("arg", [this](Arguments& a) {
    const auto found = arguments_.find(text_argument(a, "arg"));
    used_.insert(*a.values[0].text());
    if (found == arguments_.end())
      throw Refusal("arg(): the argument " + in_quotes(*a.values[0].text()) + " is not given");
    return Value(found->second);
  });
  const auto speak = [&](const char* name, Finding::Severity severity) {
    add(name, [this, severity](Arguments& a) {
      say(severity, words(a));
      return Value("");
    });
  };
  speak("message", Finding::Severity::note);
  speak("warning", Finding::Severity::warning);
  speak("error", Finding::Severity::error);
  add("print_location", [this](Arguments&) {
    say(Finding::Severity::note, "print_location()");
    return Value("");
  });
  add("fatal", [](Arguments& a) -> Value { throw Refusal(words(a)); });
  for (const auto& [name, value] : functions_) xacro_.define(name, value);
  for (const auto& [name, value] : math_functions()) math_.define(name, value);
  for (const auto& [name, value] : python_functions()) python_.define(name, value);
}

Value Expander::resolved(Table& holder, const std::string& name) {
  Property& property = *holder.own(name);
  if (!property.unevaluated) return property.value;
  if (property.in_evaluation)
    throw Refusal("property " + in_quotes(name) + " is defined by itself");
  struct Mark {
    bool& flag;
    ~Mark() { flag = false; }
  } const mark{property.in_evaluation};
  property.in_evaluation = true;
  try {
    property.value = literal_value(eval(std::string(*property.value.text()), holder));
  } catch (const Refusal& refused) {
    const std::string what = refused.what();
    if (what.size() > 300) throw;
    const Origin at = property.place.origin();
    throw Refusal("property " + in_quotes(name) + " (" +
                  one_line(std::filesystem::path(at.file).filename().string()) + ":" +
                  std::to_string(at.line) + "): " + what);
  }
  property.unevaluated = false;
  return property.value;
}

Value Expander::lookup(Table& from, const std::string& name) {
  if (name.starts_with("__")) throw Refusal("names with two underscores are not accepted");
  if (Table* holder = from.holder(name)) return resolved(*holder, name);
  if (name == "math") return Value(&math_);
  if (name == "python") return Value(&python_);
  if (name == "xacro") return Value(&xacro_);
  if (const Value* value = global_symbol(name)) return *value;
  for (const char* direct : {"load_yaml", "abs_filename", "dotify"})
    if (name == direct) return functions_.at(name);

  std::vector<std::string> known;
  for (Table* at = &from; at != nullptr && known.size() < 1000; at = at->parent())
    for (std::string& word : at->names()) known.push_back(std::move(word));
  if (python_functions().count(name) > 0)
    throw Refusal("unknown name " + in_quotes(name) + "; write python." + name);
  for (std::string& word : global_names()) known.push_back(std::move(word));
  throw Refusal("unknown name " + in_quotes(name) + did_you_mean(name, known));
}

}  // namespace torsor::internal::xacro
