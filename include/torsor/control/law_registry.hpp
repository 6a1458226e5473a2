#pragma once
/// Every control law by name: what it claims, the gains it takes, and how one is made from them.
///
///   LawParameters p;
///   p.set("Kp", {100, 60});
///   p.set("Kd", {30, 15});
///   std::unique_ptr<ControlLaw> law = make_law("independent_pd", model, p);
///
/// Scenario files, `torsor laws` and docs/control.md speak from these entries. Each stands at the
/// end of its law's source file; a new law adds its name to the list in
/// src/control/law_registry.cpp.
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "torsor/control/control_law.hpp"
#include "torsor/control/gain.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

enum class GainKind : unsigned char {
  number,
  vector,  ///< one number, or one for each of what the meaning says
  gain,    ///< one number (k I), n (a diagonal) or n^2 (rows)
  word,
  words
};
/// "number", "vector", ...
const char* name_of(GainKind kind);

/// One thing that a scenario may set for a law.
struct GainEntry {
  const char* name;
  GainKind kind;
  bool required;
  const char* value;  ///< an example where it is required, the default elsewhere ("": none)
  const char* unit;   ///< for revolute joints; "" where it has none
  const char* meaning;
};

namespace internal {

constexpr GainEntry required_gain(const char* name, GainKind kind, const char* example,
                                  const char* unit, const char* meaning) {
  return {name, kind, true, example, unit, meaning};
}
constexpr GainEntry optional_gain(const char* name, GainKind kind, const char* fallback,
                                  const char* unit, const char* meaning) {
  return {name, kind, false, fallback, unit, meaning};
}
using GainList = std::vector<GainEntry>;

}  // namespace internal

internal::GainList operator+(internal::GainList a, const internal::GainList& b);

class LawParameters;

struct LawEntry {
  const char* name;
  const char* header;  ///< below torsor/control: "joint/computed_torque.hpp"
  const char* claim;   ///< one line
  internal::GainList gains;
  const char* reference;  ///< what it follows
  const char* source;
  std::unique_ptr<ControlLaw> (*make)(const Model<double>& model, LawParameters& parameters);

  /// The chapter of docs/control.md: "Joint space, known model".
  std::string chapter() const;
};

/// All laws, in alphabetical order.
const std::vector<LawEntry>& laws();
std::vector<std::string> law_names();
/// The section of a scenario with the gains that it must have.
std::string example_of(const LawEntry& law);
/// Throws Error for an unknown law, with the nearest name.
const LawEntry& find_law(const std::string& name);

/// Throws Error for an unknown law (with the nearest name) and parameters that do not fit: one that
/// the law does not have (with the nearest name), one that is missing, one of another size. The
/// model outlives the law.
std::unique_ptr<ControlLaw> make_law(const std::string& name, const Model<double>& model,
                                     LawParameters parameters);

namespace internal {

/// The law whose name is the value of `gain`, with its gains among the parameters of the law around
/// it.
std::unique_ptr<ControlLaw> make_law_inside(const char* gain, const Model<double>& model,
                                            LawParameters& parameters);

}  // namespace internal

/// Gains by name as a file or a user gives them.
class LawParameters {
 public:
  void set(const std::string& name, std::vector<double> numbers) {
    given_.push_back({name, std::move(numbers), {}, false});
  }
  void set(const std::string& name, std::initializer_list<double> numbers) {
    set(name, std::vector<double>(numbers));
  }
  void set(const std::string& name, std::string word) {
    set(name, std::vector<std::string>{std::move(word)});
  }
  void set(const std::string& name, std::vector<std::string> words) {
    given_.push_back({name, {}, std::move(words), true});
  }
  /// Whether the user gives it.
  bool has(const std::string& name) const;
  /// Multiplies the numbers of a parameter; throws Error where there is none or it is words.
  void scale(const std::string& name, double factor);

  // What is given, else the default of the law's entry; empty where that has none. Error where the
  // entry requires it, and for another size or kind.
  double number(const std::string& name);
  /// `count` numbers; a single one stands for all of them.
  Array<double> numbers(const std::string& name, int count);
  /// One number: k I; n: a diagonal; n^2: rows.
  Gain gain(const std::string& name, int n);
  std::string word(const std::string& name);
  /// The place of the word in a list; Error with the nearest one.
  int choice(const std::string& name, const std::vector<std::string>& known);
  /// A single word is a list, too.
  std::vector<std::string> words(const std::string& name);
  /// Error where it is not given: for what other gains make necessary.
  void require(const std::string& name) const;

  /// The gains of a law that is being made.
  void expect(const internal::GainList& gains) { known_ = known_ + gains; }
  /// Error for a parameter that no law expects.
  void check_all_expected(const std::string& law) const;

 private:
  struct Value {
    std::string name;
    std::vector<double> numbers;
    std::vector<std::string> words;
    bool is_words = false;
  };
  const Value* find(const std::string& name) const;
  Value value(const std::string& name, bool words) const;

  std::vector<Value> given_;
  internal::GainList known_;
};

}  // namespace torsor
