#include "torsor/formats/xml.hpp"

#include <tinyxml2.h>
#include <algorithm>

#include <cassert>
#include <cmath>
#include <limits>

#include "torsor/formats/internal/file_error.hpp"
#include "torsor/formats/text.hpp"

namespace torsor {
namespace {

std::string in_angles(std::string_view name) {
  std::string tag = "<";
  tag += name;
  tag += '>';
  return tag;
}
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

/// Walks the tags without building anything. What is malformed in other ways is left to the parser.
class Prescan {
 public:
  Prescan(std::string_view text, const std::string& file, int depth_limit)
      : text_(text), file_(file), depth_limit_(depth_limit) {}

  void run() {
    while ((at_ = text_.find('<', at_)) != std::string_view::npos) {
      if (starts("<!--")) {
        skip_past("-->");
      } else if (starts("<![CDATA[")) {
        skip_past("]]>");
      } else if (starts("<?")) {
        skip_past("?>");
      } else if (starts("<!")) {
        refuse("document types and entities (<!DOCTYPE ...>) are not accepted; remove them");
      } else if (starts("</")) {
        --depth_;
        skip_past(">");
      } else {
        skip_tag();
      }
    }
  }

 private:
  bool starts(std::string_view word) const { return text_.substr(at_, word.size()) == word; }
  void skip_past(std::string_view word) {
    at_ = text_.find(word, at_);
    at_ = at_ == std::string_view::npos ? text_.size() : at_ + word.size();
  }
  void skip_tag() {
    int attributes = 0;
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        if (++attributes > xml_attribute_limit)
          refuse("an element has more than " + std::to_string(xml_attribute_limit) + " attributes");
        at_ = text_.find(c, at_ + 1);
        if (at_ == std::string_view::npos) at_ = text_.size() - 1;
      } else if (c == '>') {
        if (text_[at_ - 1] != '/' && ++depth_ > depth_limit_)
          refuse("elements are nested more than " + std::to_string(depth_limit_) + " deep");
        return;
      }
    }
  }
  [[noreturn]] void refuse(const std::string& message) const {
    int line = 1;
    for (const char c : text_.substr(0, at_)) line += c == '\n';
    throw Error(Origin{file_, line}.prefix() + message);
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  int depth_limit_, depth_ = 0;
};

void refuse_other_formats(std::string_view text, const std::string& file) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // byte order mark
  int line = 1;
  std::size_t at = 0;
  for (; at < text.size() && is_blank(text[at]); ++at) line += text[at] == '\n';
  if (at == text.size() || text[at] == '<') return;
  std::size_t end = at;
  while (end < text.size() && !is_blank(text[end])) ++end;
  throw Error(Origin{file, line}.prefix() + "not an XML file: it starts with " +
              in_quotes(text.substr(at, end - at)));
}

const char* in_words(tinyxml2::XMLError error) {
  switch (error) {
    case tinyxml2::XML_ERROR_PARSING_ELEMENT:
      return "malformed element";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
      return "malformed or repeated attribute";
    case tinyxml2::XML_ERROR_PARSING_TEXT:
      return "text ends before its element does; is the file cut off?";
    case tinyxml2::XML_ERROR_PARSING_CDATA:
      return "a CDATA section has no end; is the file cut off?";
    case tinyxml2::XML_ERROR_PARSING_COMMENT:
      return "a comment has no end; is the file cut off?";
    case tinyxml2::XML_ERROR_PARSING_DECLARATION:
      return "malformed XML declaration, or one that is not the first thing in the file";
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
      return "no XML element in the file";
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
      return "the end tag of an element is missing or does not match; is the file cut off?";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
      return "elements are nested too deep";
    default:
      return "not well-formed XML; is the file cut off?";
  }
}

}  // namespace

std::string XmlElement::name() const { return element_->Name(); }
std::string XmlElement::text() const {
  const char* text = element_->GetText();
  return text == nullptr ? "" : text;
}
Origin XmlElement::origin() const { return {*file_, element_->GetLineNum()}; }

std::string XmlElement::label() const {
  const tinyxml2::XMLElement* top = element_;
  const auto parent = [](const tinyxml2::XMLElement* e) {
    return e->Parent() == nullptr ? nullptr : e->Parent()->ToElement();
  };
  if (std::string_view(element_->GetDocument()->RootElement()->Name()) == "robot") {
    while (parent(top) != nullptr && parent(parent(top)) != nullptr) top = parent(top);
  } else {
    while (top->Attribute("name") == nullptr && parent(top) != nullptr &&
           parent(parent(top)) != nullptr)
      top = parent(top);
    if (top->Attribute("name") == nullptr) top = element_;
  }
  const char* own_name = top->Attribute("name");
  return own_name == nullptr ? in_angles(top->Name())
                             : std::string(top->Name()) + " " + in_quotes(own_name);
}

void XmlElement::fail(const std::string& message) const {
  throw internal::FileError(origin(), one_line(label()), one_line(message));
}
void XmlElement::complain(const std::string& message) const {
  internal::attempt(errors_, [&] { fail(message); });
}

std::vector<XmlElement> XmlElement::children() const {
  std::vector<XmlElement> all;
  for (auto* e = element_->FirstChildElement(); e != nullptr; e = e->NextSiblingElement())
    all.emplace_back(e, file_, errors_);
  return all;
}
std::vector<XmlElement> XmlElement::children(std::string_view name) const {
  const std::string wanted(name);
  std::vector<XmlElement> all;
  for (auto* e = element_->FirstChildElement(wanted.c_str()); e != nullptr;
       e = e->NextSiblingElement(wanted.c_str()))
    all.emplace_back(e, file_, errors_);
  return all;
}
XmlElement XmlElement::child(const char* name) const {
  const tinyxml2::XMLElement* first = element_->FirstChildElement(name);
  if (first == nullptr) return {};
  if (const tinyxml2::XMLElement* second = first->NextSiblingElement(name))
    XmlElement(second, file_, errors_)
        .fail("second <" + std::string(name) + "> in <" + element_->Name() +
              ">, the first is in line " + std::to_string(first->GetLineNum()));
  return {first, file_, errors_};
}
XmlElement XmlElement::required_child(const char* name) const {
  const XmlElement found = child(name);
  if (!found) fail(in_angles(this->name()) + " has no <" + name + ">");
  return found;
}

std::vector<std::string> XmlElement::attribute_names() const {
  std::vector<std::string> names;
  for (auto* a = element_->FirstAttribute(); a != nullptr; a = a->Next())
    names.emplace_back(a->Name());
  return names;
}
std::optional<std::string> XmlElement::attribute(const char* name) const {
  const char* value = element_->Attribute(name);
  if (value == nullptr) return std::nullopt;
  return value;
}
std::string XmlElement::required(const char* name) const {
  const char* value = element_->Attribute(name);
  if (value == nullptr) fail(in_angles(this->name()) + " has no attribute " + name);
  return value;
}

double XmlElement::parsed(const char* name, std::string_view word) const {
  std::string why;
  if (const std::optional<double> value = parse_number(word, &why)) return *value;
  if (word.find("${") != std::string_view::npos || word.find("$(") != std::string_view::npos)
    why += "; this is a xacro file: end its name in .xacro, and it is expanded";
  complain(in_angles(this->name()) + (*name != 0 ? " " : "") + name + ": " + why);
  return std::numeric_limits<double>::quiet_NaN();
}
double XmlElement::number(const char* name) const { return parsed(name, required(name)); }
double XmlElement::number(const char* name, double fallback) const {
  const char* value = element_->Attribute(name);
  return value == nullptr ? fallback : parsed(name, value);
}
std::vector<double> XmlElement::numbers(const char* name, std::size_t count) const {
  return parsed_list(name, required(name), count, count);
}
std::vector<double> XmlElement::numbers(const char* name, std::size_t least,
                                        std::size_t most) const {
  return parsed_list(name, required(name), least, most);
}
std::vector<double> XmlElement::text_numbers(std::size_t count) const {
  return parsed_list("", text(), count, count);
}
std::vector<double> XmlElement::parsed_list(const char* name, const std::string& value,
                                            std::size_t least, std::size_t most) const {
  const std::string what = in_angles(this->name()) + (*name != 0 ? " " : "") + name;
  const std::vector<double> none(least, std::numeric_limits<double>::quiet_NaN());
  std::vector<double> all;
  for (std::size_t at = 0; at < value.size();) {
    if (is_blank(value[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < value.size() && !is_blank(value[end])) ++end;
    if (all.size() == most) {
      complain(what + " has more than " + std::to_string(most) + " numbers: " + in_quotes(value));
      return none;
    }
    all.push_back(parsed(name, std::string_view(value).substr(at, end - at)));
    at = end;
  }
  if (all.size() >= least) return all;
  complain(what + " has " + std::to_string(all.size()) +
           (all.size() == 1 ? " number, not " : " numbers, not ") + std::to_string(least) + ": " +
           in_quotes(value));
  return none;
}
Vec3<double> XmlElement::vec3(const char* name) const {
  const std::vector<double> v = numbers(name, 3);
  return {v[0], v[1], v[2]};
}
Vec3<double> XmlElement::vec3(const char* name, const Vec3<double>& fallback) const {
  return element_->Attribute(name) == nullptr ? fallback : vec3(name);
}

XmlDocument::XmlDocument(const std::string& text, const std::string& file_name, Findings* errors,
                         int depth_limit)
    : file_(one_line(file_name)),
      errors_(errors),
      document_(std::make_unique<tinyxml2::XMLDocument>()) {
  check_is_text(text, file_name);
  refuse_other_formats(text, file_);
  Prescan(text, file_, depth_limit).run();
  if (document_->Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
    const int line = document_->ErrorLineNum();
    throw Error(Origin{file_, line > 0 ? line : 1}.prefix() + in_words(document_->ErrorID()));
  }
  const tinyxml2::XMLElement* root = document_->RootElement();
  if (root == nullptr) throw Error(Origin{file_, 1}.prefix() + "no XML element in the file");
  if (const tinyxml2::XMLElement* second = root->NextSiblingElement())
    XmlElement(second, &file_)
        .fail("second root element, the first is <" + std::string(root->Name()) + "> in line " +
              std::to_string(root->GetLineNum()));
}
XmlDocument::~XmlDocument() = default;
XmlElement XmlDocument::root() const { return {document_->RootElement(), &file_, errors_}; }

std::string_view xml_root_name(std::string_view text) {
  for (;;) {  // past declarations and comments
    const std::size_t begin = text.find('<');
    if (begin == std::string_view::npos) return {};
    text.remove_prefix(begin);
    const std::string_view end = text.starts_with("<!--") ? "-->"
                                 : text.starts_with("<?") ? "?>"
                                 : text.starts_with("<!") ? ">"
                                                          : "";
    if (end.empty()) return text.substr(1, text.find_first_of(" \t\r\n/>") - 1);
    text.remove_prefix(std::min(text.find(end), text.size() - end.size()) + end.size());
  }
}

std::string xml_escaped(std::string_view value, char quote) {
  std::string out;
  for (const char c : value) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == quote) {
      out += c == '"' ? "&quot;" : "&apos;";
    } else if (is_control(c)) {  // as themselves, new lines and tabs would read as blanks
      out += "&#" + std::to_string(static_cast<unsigned char>(c)) + ";";
    } else {
      out += c;
    }
  }
  return out;
}

XmlWriter::XmlWriter() : text_("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") {}

void XmlWriter::open(std::string_view name) {
  if (in_tag_) text_ += ">\n";
  text_.append(2 * open_.size(), ' ');
  text_ += '<';
  text_ += name;
  open_.emplace_back(name);
  in_tag_ = true;
}
void XmlWriter::close() {
  assert(!open_.empty());
  const std::string name = open_.back();
  open_.pop_back();
  if (in_line_) {
    text_ += "</" + name + ">\n";
    in_line_ = false;
  } else if (in_tag_) {
    text_ += "/>\n";
  } else {
    text_.append(2 * open_.size(), ' ');
    text_ += "</" + name + ">\n";
  }
  in_tag_ = false;
}
void XmlWriter::attribute(std::string_view name, std::string_view value) {
  assert(in_tag_);
  if (name == "name" && open_.size() <= 2) label_ = open_.back() + " " + in_quotes(value);
  text_ += ' ';
  text_ += name;
  text_ += "=\"";
  for (const char c : value)
    if (is_control(c) && !is_blank(c))
      fail(name, in_quotes(value) + " has a control character, which XML cannot hold");
  text_ += xml_escaped(value);
  text_ += '"';
}
void XmlWriter::content(std::string_view value) {
  assert(in_tag_);
  for (const char c : value)
    if (is_control(c) && !is_blank(c))
      fail("", in_quotes(value) + " has a control character, which XML cannot hold");
  text_ += '>';
  text_ += xml_escaped(value);
  in_tag_ = false;
  in_line_ = true;
}
void XmlWriter::fail(std::string_view name, const std::string& message) const {
  throw Error((label_.empty() ? "" : label_ + ": ") + "<" + open_.back() + "> " +
              std::string(name) + ": " + message);
}
void XmlWriter::number(std::string_view name, double value) { numbers(name, {value}); }
void XmlWriter::numbers(std::string_view name, const std::vector<double>& values) {
  std::string list;
  for (const double value : values) {
    if (!std::isfinite(value)) fail(name, format_number(value) + " is not finite");
    if (!list.empty()) list += ' ';
    list += format_number(value);
  }
  attribute(name, list);
}

}  // namespace torsor
