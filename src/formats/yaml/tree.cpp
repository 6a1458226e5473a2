#include "torsor/formats/internal/yaml_tree.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "torsor/formats/text.hpp"

namespace torsor::internal {
namespace {

using Kind = YamlNode::Kind;

std::size_t count_nodes(const YamlNode& node) {
  std::size_t n = 1;
  for (const YamlNode& item : node.items) n += count_nodes(item);
  return n;
}

int depth(const YamlNode& node) {
  int deepest = 0;
  for (const YamlNode& item : node.items) deepest = std::max(deepest, depth(item));
  return deepest + 1;
}

/// Builds the tree from the parser's events.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const std::string& file) : file_(file) {}

  YamlNode root;
  int documents = 0;

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents > 1) fail(mark, "a second document begins here; one is expected");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    begin(mark, Kind::null, anchor);
    end();
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    begin(mark, Kind::scalar, anchor);
    open_.back().node.text = value;
    end();
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(mark, "an alias inside the element that it names");
    alias_nodes_ += count_nodes(found->second);
    if (alias_nodes_ > yaml_alias_limit)
      fail(mark, "aliases repeat more than " + std::to_string(yaml_alias_limit) + " elements");
    const int below = depth(found->second);
    if (static_cast<int>(open_.size()) + below > yaml_depth_limit) refuse_depth(mark);
    begin(mark, Kind::null, 0);
    const int line = open_.back().node.line;
    open_.back().node = found->second;
    open_.back().node.line = line;
    end();
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    check_tag(mark, tag);
    begin(mark, Kind::sequence, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    check_tag(mark, tag);
    begin(mark, Kind::map, anchor);
  }
  void OnMapEnd() override { end(); }

 private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;  // of a map: the next child is the value of keys.back()
    std::set<std::string> seen;
  };

  [[noreturn]] void fail(int line, const std::string& what) const {
    throw Error(one_line(file_) + ":" + std::to_string(line) + ": " + what);
  }
  [[noreturn]] void fail(const YAML::Mark& mark, const std::string& what) const {
    fail(line_of(mark), what);
  }
  [[noreturn]] void refuse_depth(const YAML::Mark& mark) const {
    fail(mark, "nested more than " + std::to_string(yaml_depth_limit) + " deep");
  }
  // yaml-cpp has no place for some nulls and says line -1.
  int line_of(const YAML::Mark& mark) const {
    if (mark.line >= 0) return mark.line + 1;
    return open_.empty() ? 1 : open_.back().node.line;
  }
  void check_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (!tag.empty() && tag != "?" && tag != "!")
      fail(mark, "tag " + in_quotes(tag) + ": tags have no meaning in this file");
  }

  void begin(const YAML::Mark& mark, Kind kind, YAML::anchor_t anchor) {
    if (static_cast<int>(open_.size()) >= yaml_depth_limit) refuse_depth(mark);
    Open next;
    next.node.kind = kind;
    next.node.line = line_of(mark);
    next.anchor = anchor;
    open_.push_back(std::move(next));
  }

  void end() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.anchor != 0) anchors_[done.anchor] = done.node;
    if (open_.empty()) {
      root = std::move(done.node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == Kind::map && !parent.has_key) {
      take_key(parent, done.node);
    } else {
      parent.node.items.push_back(std::move(done.node));
      parent.has_key = false;
    }
  }

  void take_key(Open& map, YamlNode& key) const {
    if (key.kind != Kind::scalar) fail(key.line, "a key must be a name");
    if (!map.seen.insert(key.text).second)
      fail(key.line, "duplicate key " + in_quotes(key.text) + " (first in line " +
                         std::to_string(first_line(map.node, key.text)) + ")");
    map.node.keys.push_back(std::move(key.text));
    map.node.key_lines.push_back(key.line);
    map.has_key = true;
  }
  static int first_line(const YamlNode& map, const std::string& key) {
    for (std::size_t k = 0; k < map.keys.size(); ++k)
      if (map.keys[k] == key) return map.key_lines[k];
    return map.line;
  }

  const std::string& file_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
  std::size_t alias_nodes_ = 0;
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (keys[k] == key) return &items[k];
  return nullptr;
}

// By the table of well-formed sequences: no overlong forms, no surrogates.
std::size_t first_not_utf8(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  for (std::size_t k = 0; k < text.size();) {
    const unsigned char lead = byte(k);
    const std::size_t more = lead < 0x80                   ? 0
                             : lead >= 0xc2 && lead < 0xe0 ? 1
                             : lead >= 0xe0 && lead < 0xf0 ? 2
                             : lead >= 0xf0 && lead < 0xf5 ? 3
                                                           : 4;
    if (more == 4 || k + more >= text.size()) return k;
    for (std::size_t j = 1; j <= more; ++j)
      if ((byte(k + j) & 0xc0) != 0x80) return k;
    if ((lead == 0xe0 && byte(k + 1) < 0xa0) || (lead == 0xed && byte(k + 1) >= 0xa0) ||
        (lead == 0xf0 && byte(k + 1) < 0x90) || (lead == 0xf4 && byte(k + 1) >= 0x90))
      return k;
    k += more + 1;
  }
  return text.size();
}

YamlNode parse_yaml(std::string_view text, const std::string& file) {
  if (const std::size_t at = first_not_utf8(text); at != text.size())
    throw Error(
        one_line(file) + ":" +
        std::to_string(1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n')) +
        ": not UTF-8 text");
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(file);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    const int line = std::max(error.mark.line, 0) + 1;
    throw Error(one_line(file) + ":" + std::to_string(line) + ": not YAML: " + one_line(error.msg));
  }
  return std::move(builder.root);
}

}  // namespace torsor::internal
