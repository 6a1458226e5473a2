#pragma once
/// The hypotheses of a law's theorem beside the numbers of a run, row by row (scope.hpp).
#include <cmath>
#include <string>

#include "torsor/control/scope.hpp"

namespace torsor::control_detail {

/// The largest value seen, with where it was.
struct Worst {
  double value = 0;
  int dof = -1;
  double t = 0;
  void see(double x, int k, double time) {
    if (x > value || std::isnan(x)) value = x, dof = k, t = time;
  }
};

/// The largest difference of two torques that is more than rounding of them, joint by joint.
class Difference {
 public:
  explicit Difference(int n) : off_(n), size_(n) {}
  void see(int k, double a, double b, double t) {
    off_[k].see(std::abs(a - b), k, t);
    size_[k] = std::fmax(size_[k], std::fmax(std::abs(a), std::abs(b)));
  }
  /// 0: there is none.
  Worst worst() const;

 private:
  Array<Worst> off_;
  Array<double> size_;
};

class Scope {
 public:
  /// `seen`: "sampled, 25 postures" and the like, of the range.
  Scope(ControlLaw& law, const Run& run, const RunRange& range, std::string seen = {});

  /// All of them.
  std::vector<Condition> rows();
  /// Those that depend on the states of the range alone.
  std::vector<Condition> rows_of_states();

 private:
  using H = Hypotheses;

  void add(std::string name, std::string quantity, double value, Relation relation, double bound,
           std::string note = {}) {
    rows_.push_back(
        hypothesis(std::move(name), std::move(quantity), value, relation, bound, std::move(note)));
  }
  /// The same of what has to vanish: any value above zero is too much.
  void add_none(std::string name, std::string quantity, double value, std::string note);
  std::string at(const Worst& w) const;

  void reference();
  void knowledge();
  void springs();
  void friction();
  Array<double> largest_load() const;
  void limits();
  bool torque_at_start(Out<double> tau);
  void stops();
  void outside();
  void surfaces();
  void loops();
  void rotations();

  ControlLaw& law_;
  const Run& run_;
  Hypotheses theorem_;
  const RunRange& range_;
  std::string seen_;
  std::vector<Condition> rows_;
};

}  // namespace torsor::control_detail
