#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

#include "package_scope.hpp"
#include "torsor/formats/internal/regular_file.hpp"
#include "torsor/formats/text.hpp"
#include "xacro/expander.hpp"

namespace torsor::internal::xacro {
namespace {

namespace fs = std::filesystem;

/// Files of one folder whose names fit a pattern, sorted; the folder itself has no pattern.
std::vector<std::string> matching(const std::string& pattern) {
  const fs::path path(pattern);
  const std::string name = path.filename().string();
  std::vector<std::string> found;
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string file = at->path().filename().string();
    if (fnmatch(name.c_str(), file.c_str(), FNM_PERIOD) == 0)
      found.push_back((path.parent_path() / file).string());
    if (found.size() > 10'000) throw Refusal("<xacro:include>: more than 10000 files");
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::string Expander::path_from_here(const std::string& path) const {
  return in_sources((fs::path(*files_.back()).parent_path() / path).string());
}

void Expander::include(const Node& source, Scope scope, Node& into) {
  check_attributes(source, {"filename", "ns", "optional"});
  const std::string path = path_from_here(eval_text(required(source, "filename"), scope.symbols));
  const std::string* const optional = source.attribute("optional");
  const bool may_be_missing = optional != nullptr && truth(Value(*optional), *optional);
  const bool has_child = std::any_of(source.children.begin(), source.children.end(),
                                     [](const auto& c) { return c->kind == Node::Kind::element; });
  if (has_child) say(Finding::Severity::warning, "elements inside <xacro:include> are ignored");

  MacroTable* macros = &scope.macros;
  Table* symbols = &scope.symbols;
  if (const std::string* written = source.attribute("ns");
      written != nullptr && !written->empty()) {
    const std::string ns = eval_text(*written, scope.symbols);
    if (!is_name(ns)) throw Refusal("<xacro:include>: ns " + in_quotes(ns) + " is no identifier");
    spaces_.emplace_back(symbols, true);
    scope.symbols.set(ns, Value(&spaces_.back()), false, here_);
    const auto own = std::make_shared<MacroTable>();
    scope.macros.spaces[ns] = own;
    macros = own.get();
    symbols = &spaces_.back();
  }

  if (path.find_first_of("*[?") == path.npos) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
      if (may_be_missing) return;
      throw Refusal("<xacro:include>: there is no file " + one_line(path));
    }
    return include_file(path, {*macros, *symbols}, into);
  }
  const std::vector<std::string> files = matching(path);
  if (files.empty())
    say(Finding::Severity::warning, "<xacro:include>: no file fits " + in_quotes(path));
  for (const std::string& file : files) include_file(file, {*macros, *symbols}, into);
}

void Expander::include_file(const std::string& path, Scope scope, Node& into) {
  if (files_.size() > include_limit)
    throw Refusal("files that include each other more than " + std::to_string(include_limit) +
                  " deep; the last is " + one_line(path));
  names_.push_back(path);
  const std::string& name = names_.back();
  const Place place = here_;
  NodePtr root;
  try {
    const std::string text = read_regular_file(path);
    budget_.spend(1 + text.size() / 8);
    root = read_nodes(text, name);
  } catch (const Error& refused) {
    const Place inside{
        &name, 0,
        std::make_shared<const Place::Way>(Place::Way{place.way, place.file, place.line, "", 1})};
    throw Error(refused.what() + inside.chain());
  }
  documents_.push_back(root);
  const auto before = way_;
  way_ = std::make_shared<const Place::Way>(Place::Way{
      place.way, place.file, place.line, "", place.way == nullptr ? 1 : place.way->depth + 1});
  files_.push_back(&name);
  here_ = place_of(*root);
  Node ignored;  // of the included root only the children count, and declared namespaces
  attributes(*root, scope.symbols, ignored);
  import_namespaces(*root, into);
  children(*root, scope, into);
  files_.pop_back();
  way_ = before;
  here_ = place;
}

}  // namespace torsor::internal::xacro
