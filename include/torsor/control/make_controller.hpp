#pragma once
/// Control laws by name, with parameters that come from a file or a user.
///
///   LawParameters p;
///   p.set("Kp", {100, 60});
///   p.set("Kd", {30, 15});
///   AnyController c = make_controller("independent_pd", model, p);
///
/// A law takes the parameters it knows; whatever is left over is an error with the nearest name.
#include <initializer_list>
#include <string>
#include <vector>

#include "torsor/control/any_controller.hpp"
#include "torsor/control/gain.hpp"

namespace torsor {

class LawParameters {
 public:
  void set(const std::string& name, std::vector<double> numbers);
  void set(const std::string& name, std::initializer_list<double> numbers) {
    set(name, std::vector<double>(numbers));
  }
  void set(const std::string& name, std::string word) {
    set(name, std::vector<std::string>{std::move(word)});
  }
  void set(const std::string& name, std::vector<std::string> words);
  bool has(const std::string& name) const { return find(name) != nullptr; }
  /// Multiplies the numbers of a parameter; throws Error where there is none or it is words.
  void scale(const std::string& name, double factor);

  // Each marks the parameter as taken. Without a fallback it must be there: Error.
  double number(const std::string& name);
  double number(const std::string& name, double fallback);
  /// `count` numbers; a single one stands for all of them.
  std::vector<double> numbers(const std::string& name, int count);
  std::vector<double> numbers(const std::string& name, int count, std::vector<double> fallback);
  /// One number: k I; n: a diagonal; n^2: rows.
  Gain gain(const std::string& name, int n);
  Gain gain(const std::string& name, int n, Gain fallback);
  std::string word(const std::string& name);
  std::string word(const std::string& name, const std::string& fallback);
  /// A list of words; a single one is a list, too.
  std::vector<std::string> words(const std::string& name);
  std::vector<std::string> words(const std::string& name, std::vector<std::string> fallback);

  /// Error for a parameter that was not taken.
  void check_all_taken(const std::string& law) const;

 private:
  struct Entry {
    std::string name;
    std::vector<double> numbers;
    std::vector<std::string> words;
    bool is_words = false;
  };
  const Entry* find(const std::string& name) const;
  const Entry& take(const std::string& name, bool words);

  std::vector<Entry> entries_;
  std::vector<std::string> asked_;  // names that the law knows
};

/// Throws Error for an unknown law (with the nearest name) or parameters that do not fit. The model
/// outlives the controller.
AnyController make_controller(const std::string& law, const Model<double>& model,
                              LawParameters parameters);
/// What make_controller knows, in alphabetical order.
std::vector<std::string> controller_names();

}  // namespace torsor
