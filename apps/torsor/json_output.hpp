#pragma once
/// Text for programs: JSON with numbers that read back as the same doubles.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <variant>
#include <vector>

#include "torsor/math/se3.hpp"

namespace torsor::command {

/// A value to write. Keys stay in the order they are written; numbers that are not finite become
/// null: JSON has no infinity.
///
///   Json j = {{"robot", name}, {"n_v", 6}, {"q", q}};     pairs that begin with a text: an object
///   j["list"].push_back(3.5);                             what is null becomes what it is used as
class Json {
 public:
  Json(std::nullptr_t = nullptr) {}
  Json(double number) : value_(number) {}
  template <std::integral Integer>
  Json(Integer number) : value_(stored(number)) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  Json(const std::vector<double>& numbers);
  Json(const std::vector<std::string>& texts);
  /// An object of its members, each {key, value}; otherwise a list.
  Json(std::initializer_list<Json> members);

  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(Json) noexcept;
  ~Json();

  static Json array(std::initializer_list<Json> items = {});
  static Json object();

  Json& operator[](const std::string& key);
  void push_back(Json item);
  Json& back();
  /// The first key of an object whose value holds a number that is none; empty: there is no such.
  std::string key_not_finite() const;
  /// Adds the members of another object.
  void update(const Json& other);

 private:
  using List = std::vector<Json>;
  struct Object {
    std::vector<std::string> keys;
    List values;
  };

  template <class Integer>
  static auto stored(Integer number) {
    if constexpr (std::same_as<Integer, bool>)
      return number;
    else if constexpr (std::signed_integral<Integer>)
      return static_cast<std::int64_t>(number);
    else
      return static_cast<std::uint64_t>(number);
  }
  bool is_structured() const;
  bool is_finite() const;
  void append(std::size_t indent, std::string& out) const;
  friend std::string json_text(const Json& value);
  friend class JsonList;
  friend class JsonMembers;

  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, List, Object>
      value_;
};

/// Indented; lists of plain values stay on one line. Ends with a newline.
std::string json_text(const Json& value);

/// The text of an object whose last member is a long list: items become text when they are added, and
/// the text may be passed on in between.
class JsonList {
 public:
  JsonList(const Json& object, const std::string& key);
  void add(const Json& item, std::string& out);
  void end(std::string& out);

 private:
  std::string head_;  // until the first item
  bool empty_ = true;
};

/// The text of an object, member by member: its long lists are never held as a whole.
class JsonMembers {
 public:
  /// `pass_on` is called between items: what has been appended may be taken from `out`. It says false
  /// where nobody reads on: then nothing more is written.
  JsonMembers(std::string& out, std::function<bool()> pass_on)
      : out_(out), pass_on_(std::move(pass_on)) {}
  void member(const std::string& key, const Json& value);
  /// A list of `count` items, all of them plain or none.
  void list(const std::string& key, int count, const std::function<Json(int)>& item);
  void end();

 private:
  void begin(const std::string& key);

  std::string& out_;
  std::function<bool()> pass_on_;
  bool empty_ = true, read_on_ = true;
};

Json json_vector(const Vec3<double>& v);
/// 4x4, by rows.
Json json_pose(const SE3<double>& T);

}  // namespace torsor::command
