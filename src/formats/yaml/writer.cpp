#include "torsor/formats/internal/yaml_writer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "rpy.hpp"
#include "torsor/formats/internal/yaml_tree.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/model/error.hpp"

namespace torsor::internal {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A letter, then letters, digits and _ - . /; and no word that YAML takes for a value.
bool is_plain(std::string_view text) {
  if (text.empty() || !is_letter(text[0])) return false;
  const bool simple = std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' || c == '/';
  });
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  for (const char* word :
       {"null", "true", "false", "yes", "no", "on", "off", "y", "n", "inf", "nan"})
    if (lower == word) return false;
  return simple;
}

bool same_rotation(const SO3<double>& a, const SO3<double>& b) {
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      if (a(r, c) != b(r, c)) return false;
  return true;
}

}  // namespace

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
bool same_bits(const Vec3<double>& a, const Vec3<double>& b) {
  return same_bits(a.x, b.x) && same_bits(a.y, b.y) && same_bits(a.z, b.z);
}

std::string yaml_scalar(const std::string& text, const std::string& element) {
  if (first_not_utf8(text) != text.size())
    throw Error(element + ": " + in_quotes(text) + " is not UTF-8 text");
  if (is_plain(text)) return text;
  std::string out(1, '"');
  for (const char c : text) {
    constexpr char digits[] = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      ((out += "\\x") += digits[byte >> 4]) += digits[byte & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

YamlFields& YamlFields::raw(const char* key, const std::string& value) {
  fields_.push_back(std::string(key) + (value.starts_with('\n') ? ":" : ": ") + value);
  return *this;
}
YamlFields& YamlFields::text(const char* key, const std::string& value) {
  return value.empty() ? *this : raw(key, yaml_scalar(value, element_));
}
YamlFields& YamlFields::required(const char* key, double value) {
  return raw(key, finite(value, key));
}
YamlFields& YamlFields::number(const char* key, double value, double otherwise) {
  const bool unread = leaves_unread_ && std::isnan(value);
  return unread || same_bits(value, otherwise) ? *this : required(key, value);
}
YamlFields& YamlFields::required(const char* key, const Vec3<double>& value) {
  return raw(key, list({value.x, value.y, value.z}, key));
}
YamlFields& YamlFields::vector(const char* key, const Vec3<double>& value,
                               const Vec3<double>& otherwise) {
  return same_bits(value, otherwise) ? *this : required(key, value);
}

YamlFields& YamlFields::pose(const char* key, const SE3<double>& T) {
  YamlFields map(element_);
  Vec3<double> rpy;
  if (same_rotation(T.R, SO3<double>::identity())) {
    map.vector("xyz", T.p);
  } else if (exact_rpy(T.R, rotation_xyz, rpy)) {
    map.vector("xyz", T.p).vector("rpy", rpy);
  } else {
    std::string rows(1, '[');
    for (int r = 0; r < 3; ++r) rows += list({T.R(r, 0), T.R(r, 1), T.R(r, 2), T.p[r]}, key) + ", ";
    map.raw("matrix", rows + "[0, 0, 0, 1]]");
  }
  return map.empty() ? *this : raw(key, map.flow());
}

std::string YamlFields::flow() const {
  std::string out(1, '{');
  for (const std::string& field : fields_) (out += out.size() > 1 ? ", " : "") += field;
  return out + '}';
}
std::string YamlFields::block(int indent, const std::string& first) const {
  std::string out;
  for (const std::string& field : fields_) {
    out.append(static_cast<std::size_t>(indent), ' ');
    out += out.size() == static_cast<std::size_t>(indent) ? first : std::string(first.size(), ' ');
    (out += field) += '\n';
  }
  return out;
}

std::string YamlFields::finite(double value, const char* what) const {
  if (!std::isfinite(value))
    throw Error(element_ + ": " + what + " is " + format_number(value) +
                ", which a robot file cannot hold");
  return format_number(value);
}
std::string YamlFields::list(const std::vector<double>& values, const char* what) const {
  std::string out(1, '[');
  for (const double value : values) (out += out.size() > 1 ? ", " : "") += finite(value, what);
  return out + ']';
}

}  // namespace torsor::internal
