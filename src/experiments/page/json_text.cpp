#include "page/json_text.hpp"

#include <cmath>
#include <cstdio>

#include "torsor/formats/internal/yaml_tree.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::internal {

void JsonText::comma() {
  if (text.empty()) return;
  const char last = text.back();
  if (last != '{' && last != '[' && last != ':' && last != ',') text += ',';
}

JsonText& JsonText::open(char bracket) {
  comma();
  text += bracket;
  return *this;
}
JsonText& JsonText::close(char bracket) {
  text += bracket;
  return *this;
}
JsonText& JsonText::raw(std::string_view json) {
  comma();
  text += json;
  return *this;
}
JsonText& JsonText::key(std::string_view name) {
  value(name);
  text += ':';
  return *this;
}

JsonText& JsonText::value(std::string_view of) {
  comma();
  text += '"';
  while (!of.empty()) {
    const std::size_t good = first_not_utf8(of);
    for (const char c : of.substr(0, good)) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        (text += '\\') += c;
      } else if (byte < 0x20 || c == '<' || c == '>' || c == '&' || c == '\x7f') {
        char code[8];
        std::snprintf(code, sizeof code, "\\u%04x", byte);
        text += code;
      } else {
        text += c;
      }
    }
    of.remove_prefix(good);
    if (of.empty()) break;
    text += "\xef\xbf\xbd";  // U+FFFD
    of.remove_prefix(1);
  }
  text += '"';
  return *this;
}

JsonText& JsonText::value(double of) {
  return raw(std::isfinite(of) ? format_number(of) : std::string("null"));
}

JsonText& JsonText::list(std::initializer_list<double> numbers) {
  open('[');
  for (const double x : numbers) value(x);
  return close(']');
}
JsonText& JsonText::list(const std::vector<double>& numbers) {
  open('[');
  for (const double x : numbers) value(x);
  return close(']');
}
JsonText& JsonText::pose(const SE3<double>& T) {
  const Quaternion<double> q = quaternion(T.R);
  return list({T.p.x, T.p.y, T.p.z, q.x, q.y, q.z, q.w});
}

}  // namespace torsor::internal
