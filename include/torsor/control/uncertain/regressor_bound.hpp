#pragma once
/// How much torque a stated uncertainty of the parameters can ask for.
///
///   Y(q, qd, v, w) p = H w + C(q, qd) v + G,   |p_j| <= a_j   =>   |Y p|_i <= sum_j Ybar_ij a_j
///
/// Ybar     |Y| at the measured q by default: the tightest. Or a function that is an upper bound of
///          it for every q, cheaper to evaluate (Huo 2005, example 3-5: every sine and cosine is
///          1).
/// Names    Those of parameter_set.hpp; an empty list stands for all ten of every body. What the
///          set does not name is known: known_torque.
/// Cost     One regressor, O(n k), and its product; no allocation in a call.
/// Source   Huo 2005, sec. 3.10, before (3-106).
#include <functional>
#include <optional>

#include "torsor/control/uncertain/parameter_set.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

struct Condition;
struct Run;

/// Fills Ybar, n_v x columns.
using BoundFunction = std::function<void(In<double> q, In<double> qd, In<double> v, In<double> w,
                                         OutMatrix<double> Y_bar)>;

class RegressorBound {
 public:
  /// |Y| of the named parameters. `model` outlives the bound.
  RegressorBound(const Model<double>& model, const std::vector<std::string>& names);
  /// The caller's Ybar; all of the torque is in it.
  RegressorBound(const Model<double>& model, int columns, BoundFunction bound);

  // In the source file: laws that hold a bound compile faster.
  RegressorBound(const RegressorBound&);
  RegressorBound(RegressorBound&&) noexcept;
  RegressorBound& operator=(const RegressorBound&);
  RegressorBound& operator=(RegressorBound&&) noexcept;
  ~RegressorBound();

  int columns() const { return columns_; }
  /// Where |Y| is computed: what it is computed from; null for the caller's function.
  ParameterSet* parameters() { return set_ ? &*set_ : nullptr; }

  /// Whether the rows of errors_within and sizes_within compare friction, too: of a set.
  bool says_friction() const { return set_.has_value(); }

  /// k = Ybar(q, qd, v, w) a.
  void times(In<double> q, In<double> qd, In<double> v, In<double> w, In<double> a, Out<double> k);
  /// Torque that is not in Y: of joints and of what the set does not name.
  void known_torque(In<double> q, In<double> qd, In<double> v, In<double> w, Out<double> tau);

  /// Whether the plant of a run is a robot with |p - p_believed| <= a, or |p| <= a: two rows. None
  /// for the caller's function.
  std::vector<Condition> errors_within(In<double> a, const Run& run) const;
  std::vector<Condition> sizes_within(In<double> a, const Run& run) const;

  /// The door of a law: throws Error for a count of half widths other than columns, or one that is
  /// negative or not finite.
  void check(const char* law, const char* what, In<double> a) const;

 private:
  std::vector<Condition> within(In<double> a, const Run& run, bool sizes) const;

  int n_v_, columns_;
  std::optional<ParameterSet> set_;
  BoundFunction bound_;
  Array<double> Y_, zero_;
};

}  // namespace torsor
