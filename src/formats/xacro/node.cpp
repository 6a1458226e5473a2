#include "xacro/node.hpp"

#include <tinyxml2.h>

#include <algorithm>

#include "torsor/formats/text.hpp"
#include "torsor/formats/xml.hpp"
#include "xacro/limits.hpp"

namespace torsor::internal::xacro {
namespace {

std::shared_ptr<Node> copied(const tinyxml2::XMLNode& from, const std::string& file) {
  auto node = std::make_shared<Node>();
  node->place = {&file, from.GetLineNum(), nullptr};
  node->name = from.Value() == nullptr ? "" : from.Value();
  if (const tinyxml2::XMLText* text = from.ToText()) {
    node->kind = text->CData() ? Node::Kind::data : Node::Kind::text;
    return node;
  }
  if (from.ToComment() != nullptr) {
    node->kind = Node::Kind::comment;
    return node;
  }
  const tinyxml2::XMLElement* element = from.ToElement();
  if (element == nullptr) return nullptr;  // a processing instruction
  for (auto* a = element->FirstAttribute(); a != nullptr; a = a->Next())
    node->attributes.emplace_back(a->Name(), a->Value());
  for (auto* child = from.FirstChild(); child != nullptr; child = child->NextSibling())
    if (std::shared_ptr<Node> copy = copied(*child, file))
      node->children.push_back(std::move(copy));
  return node;
}

std::string escaped_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

class Writer {
 public:
  WrittenNodes out;

  void write(const Node& node, int indent) {
    const bool element = node.kind == Node::Kind::element;
    begin(node, indent);
    if (!element) {
      put(node.kind == Node::Kind::comment ? "<!--" + node.name + "-->"
          : node.kind == Node::Kind::data  ? "<![CDATA[" + node.name + "]]>"
                                           : escaped_text(node.name));
      return;
    }
    put("<" + node.name);
    for (const auto& [name, value] : node.attributes) {
      put(" " + name + "=\"");
      put(xml_escaped(value));
      put("\"");
    }
    if (node.children.empty()) return put("/>");
    put(">");
    // Text stays as it is: blanks around it would be part of it.
    const bool inline_children =
        std::any_of(node.children.begin(), node.children.end(), [](const auto& child) {
          return child->kind == Node::Kind::text || child->kind == Node::Kind::data;
        });
    for (const std::shared_ptr<Node>& child : node.children)
      write(*child, inline_children || indent < 0 ? -1 : indent + 1);
    if (!inline_children && indent >= 0) begin(node, indent);
    put("</" + node.name + ">");
  }

 private:
  /// A new line for the node, or the same one for negative indents.
  void begin(const Node& node, int indent) {
    place_ = &node.place;
    if (indent < 0) return;
    if (!out.text.empty()) put("\n");
    put(std::string(2 * static_cast<std::size_t>(indent), ' '));
    if (out.lines.empty()) out.lines.push_back(*place_);
  }
  void put(const std::string& text) {
    out.text += text;
    if (out.text.size() > output_limit)
      throw Refusal("the expansion has more than " + std::to_string(output_limit >> 20) + " MiB");
    for (const char c : text)
      if (c == '\n') out.lines.push_back(*place_);
  }

  const Place* place_ = nullptr;
};

}  // namespace

std::string Place::chain() const {
  std::string out;
  int shown = 0;
  for (const Way* at = way.get(); at != nullptr; at = at->before.get()) {
    const bool outermost = at->before == nullptr;
    if (shown == 3 && !outermost) out += ", ...";
    if (++shown > 3 && !outermost) continue;
    out += shown == 1 ? "; " : ", ";
    out += (at->through.empty() ? "included at " : "in " + at->through + " called at ") +
           one_line(*at->file) + ":" + std::to_string(at->line);
  }
  return out;
}

const std::string* Node::attribute(const std::string& attribute_name) const {
  for (const auto& [own_name, value] : attributes)
    if (own_name == attribute_name) return &value;
  return nullptr;
}
void Node::set_attribute(const std::string& attribute_name, const std::string& value) {
  for (auto& [own_name, own_value] : attributes)
    if (own_name == attribute_name) {
      own_value = value;
      return;
    }
  attributes.emplace_back(attribute_name, value);
}

std::shared_ptr<Node> read_nodes(const std::string& text, const std::string& file) {
  const XmlDocument document(text, file);
  return copied(*document.root().xml(), file);
}

WrittenNodes write_nodes(const Node& root) {
  Writer writer;
  writer.write(root, 0);
  writer.out.text += '\n';
  return std::move(writer.out);
}

}  // namespace torsor::internal::xacro
