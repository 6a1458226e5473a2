#pragma once
/// JSON for pages, written as it comes: a fifth of the compile time of a document built first. What
/// HTML or XML could take for markup is escaped, so that it may stand inside a <script>. Private to
/// this room.
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/math/se3.hpp"

namespace torsor::internal {

///   JsonText j;
///   j.open('{').key("name").value("arm").key("size").list({1, 2}).close('}');
///   j.text  ->  {"name":"arm","size":[1,2]}
class JsonText {
 public:
  std::string text;

  JsonText& open(char bracket);
  JsonText& close(char bracket);
  JsonText& key(std::string_view name);
  JsonText& value(std::string_view of);
  JsonText& value(const char* of) { return value(std::string_view(of)); }
  JsonText& value(const std::string& of) { return value(std::string_view(of)); }
  /// Seventeen digits where they are needed; null for what is not finite.
  JsonText& value(double of);
  JsonText& value(int of) { return raw(std::to_string(of)); }
  JsonText& value(bool of) { return raw(of ? "true" : "false"); }
  JsonText& list(std::initializer_list<double> numbers);
  JsonText& list(const std::vector<double>& numbers);
  JsonText& list(const Vec3<double>& v) { return list({v.x, v.y, v.z}); }
  /// x y z qx qy qz qw.
  JsonText& pose(const SE3<double>& T);
  /// JSON, or a text in quotes that needs no escapes.
  JsonText& raw(std::string_view json);

  template <class Value>
  JsonText& pair(std::string_view name, const Value& of) {
    return key(name).value(of);
  }

 private:
  void comma();
};

}  // namespace torsor::internal
