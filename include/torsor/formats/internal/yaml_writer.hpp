#pragma once
/// Writes YAML that yaml_tree.hpp reads back bit by bit. Private to the writers of this room.
#include <string>
#include <vector>

#include "torsor/math/se3.hpp"

namespace torsor::internal {

/// Equal in every bit: 0 and -0 differ.
bool same_bits(double a, double b);
bool same_bits(const Vec3<double>& a, const Vec3<double>& b);

/// A scalar, quoted where plain text would mean something else. Throws Error for text that is not
/// UTF-8.
std::string yaml_scalar(const std::string& text, const std::string& element);

/// The keys and values of one map. Values that equal their default bit by bit are left out.
class YamlFields {
 public:
  /// `element` names the map in messages.
  explicit YamlFields(std::string element) : element_(std::move(element)) {}
  /// None yet, of the same element.
  YamlFields sibling() const {
    YamlFields fields(element_);
    fields.leaves_unread_ = leaves_unread_;
    return fields;
  }
  /// Numbers that are NaN, as those are that could not be read, are left out from here on.
  YamlFields& leave_unread() {
    leaves_unread_ = true;
    return *this;
  }

  YamlFields& raw(const char* key, const std::string& value);
  YamlFields& text(const char* key, const std::string& value);
  YamlFields& required(const char* key, double value);
  YamlFields& number(const char* key, double value, double otherwise = 0);
  YamlFields& required(const char* key, const Vec3<double>& value);
  YamlFields& vector(const char* key, const Vec3<double>& value,
                     const Vec3<double>& otherwise = {});
  /// Left out for the identity. The sign of zeros in the rotation is not kept.
  YamlFields& pose(const char* key, const SE3<double>& T);

  bool empty() const { return fields_.empty(); }
  const std::string& element() const { return element_; }
  /// "key: value" each.
  const std::vector<std::string>& fields() const { return fields_; }
  /// {a: 1, b: 2}
  std::string flow() const;
  /// One line each, indented; `first` begins the first line ("- " for the member of a list).
  std::string block(int indent, const std::string& first = "") const;
  /// [1, 2, 3] for use inside a raw value; throws Error if one is not finite.
  std::string list(const std::vector<double>& values, const char* what) const;

 private:
  std::string finite(double value, const char* what) const;

  std::string element_;
  std::vector<std::string> fields_;
  bool leaves_unread_ = false;
};

}  // namespace torsor::internal
