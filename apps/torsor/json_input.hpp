#pragma once
/// JSON from other programs, read in one pass: the time grows with the text, and the memory with what
/// is kept.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace torsor::command {

struct JsonValue {
  enum class Kind : unsigned char { null, boolean, number, text, list, object };

  Kind kind = Kind::null;
  double number = 0;              ///< 0 or 1 of a boolean
  std::string text;               ///< of a text
  std::vector<double> numbers;    ///< of a list of numbers alone
  std::vector<std::string> keys;  ///< of an object, beside `items`
  std::vector<JsonValue> items;   ///< of an object, or of a list that holds other things

  bool is(Kind k) const { return kind == k; }
  /// The value of a key; nullptr where there is none.
  const JsonValue* find(std::string_view key) const;
};

/// Deeper nesting than any request has is refused.
inline constexpr int json_depth_limit = 16;

/// Handed every list and object as it ends, with the keys and places above it. True takes it: a list
/// is then without it, and an object has a null there.
using TakeJson = std::function<bool(const std::vector<std::string>& path, JsonValue& value)>;

/// Throws Error for what is not JSON, for a key that stands twice in one object, for numbers that are
/// not finite and for deep nesting.
JsonValue read_json(const std::string& text, const std::string& file, const TakeJson& take = {});

/// For messages: what a value is, cut where it is long.
std::string shown(const JsonValue& value);

}  // namespace torsor::command
