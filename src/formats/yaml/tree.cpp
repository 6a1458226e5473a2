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

/// What a copy takes, about.
std::size_t bytes_of(const YamlNode& node) {
  std::size_t bytes = sizeof(YamlNode) + node.text.size();
  for (const std::string& key : node.keys) bytes += sizeof(key) + key.size();
  for (const YamlNode& item : node.items) bytes += bytes_of(item);
  return bytes;
}

int depth(const YamlNode& node) {
  int deepest = 0;
  for (const YamlNode& item : node.items) deepest = std::max(deepest, depth(item));
  return deepest + 1;
}

/// Builds the tree from the parser's events.
class TreeBuilder final : public YAML::EventHandler {
 public:
  /// `skipped`: bytes before the first that the parser counts.
  TreeBuilder(const std::string& file, std::size_t skipped, bool keep_tags)
      : file_(file), skipped_(skipped), keep_tags_(keep_tags) {}

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
    if (keep_tags_) open_.back().node.tag = tag;
    end();
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) fail(mark, "an alias inside the element that it names");
    const YamlNode& named = node_at(found->second);
    alias_bytes_ += bytes_of(named);
    if (alias_bytes_ > yaml_alias_limit)
      fail(mark, "aliases repeat more than " + std::to_string(yaml_alias_limit >> 20) + " MiB");
    if (static_cast<int>(open_.size()) + depth(named) > yaml_depth_limit) refuse_depth(mark);
    YamlNode copy = named;
    begin(mark, Kind::null, 0);
    copy.line = open_.back().node.line;
    open_.back().node = std::move(copy);
    end();
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    check_tag(mark, tag);
    begin(mark, Kind::sequence, anchor);
    open_.back().node.flow = style == YAML::EmitterStyle::Flow;
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    check_tag(mark, tag);
    begin(mark, Kind::map, anchor);
    open_.back().node.flow = style == YAML::EmitterStyle::Flow;
  }
  void OnMapEnd() override { end(); }

 private:
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;  // of a map: the next child is the value of keys.back()
    std::set<std::string> seen;
  };
  /// Where an anchored element is, so that it need not be copied: the number of each item on the way
  /// from the root. Scalars, which may be keys, are kept themselves.
  struct Anchored {
    std::vector<std::size_t> way;
    YamlNode scalar;
  };

  const YamlNode& node_at(const Anchored& anchored) const {
    if (anchored.scalar.kind != Kind::null) return anchored.scalar;
    const YamlNode* at = &open_.front().node;
    std::size_t level = 0;  // of `at` among the open elements, as long as it is one
    bool open = true;
    for (const std::size_t item : anchored.way) {
      open = open && item == at->items.size() && level + 1 < open_.size();
      at = open ? &open_[++level].node : &at->items[item];
    }
    return *at;
  }

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
    if (!tag.empty() && tag != "?" && tag != "!" && !keep_tags_)
      fail(mark, "tag " + in_quotes(tag) + ": tags have no meaning in this file");
  }

  void begin(const YAML::Mark& mark, Kind kind, YAML::anchor_t anchor) {
    if (static_cast<int>(open_.size()) >= yaml_depth_limit) refuse_depth(mark);
    Open next;
    next.node.kind = kind;
    next.node.line = line_of(mark);
    next.node.begin = mark.pos >= 0 ? static_cast<std::size_t>(mark.pos) + skipped_ : 0;
    next.anchor = anchor;
    open_.push_back(std::move(next));
    if (++nodes_ > yaml_node_limit)
      fail(mark, "more than " + std::to_string(yaml_node_limit) + " values in one file");
  }

  void end() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (done.anchor != 0) {
      Anchored& anchored = anchors_[done.anchor] = {};
      if (done.node.items.empty() && done.node.kind != Kind::null) {
        anchored.scalar = done.node;  // or an empty list or map
      } else {
        for (const Open& o : open_) anchored.way.push_back(o.node.items.size());
      }
    }
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
    if (!map.seen.insert(key.text).second && !keep_tags_)
      fail(key.line, "duplicate key " + in_quotes(key.text) + " (first in line " +
                         std::to_string(first_line(map.node, key.text)) + ")");
    map.node.keys.push_back(std::move(key.text));
    map.node.key_lines.push_back(key.line);
    map.node.key_begins.push_back(key.begin);
    map.has_key = true;
  }
  static int first_line(const YamlNode& map, const std::string& key) {
    for (std::size_t k = 0; k < map.keys.size(); ++k)
      if (map.keys[k] == key) return map.key_lines[k];
    return map.line;
  }

  const std::string& file_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::size_t skipped_, alias_bytes_ = 0, nodes_ = 0;
  bool keep_tags_;
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

YamlNode parse_yaml(std::string_view text, const std::string& file, bool keep_tags) {
  if (const std::size_t at = first_not_utf8(text); at != text.size())
    throw Error(
        one_line(file) + ":" +
        std::to_string(1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n')) +
        ": not UTF-8 text");
  std::istringstream stream{std::string(text)};
  TreeBuilder builder(file, text.starts_with("\xef\xbb\xbf") ? 3 : 0,  // a byte order mark
                      keep_tags);
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
