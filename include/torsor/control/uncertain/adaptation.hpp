#pragma once
/// How estimates p_hat of a ParameterSet follow a gradient y, and what their errors hold.
///
///   Euclidean   p_hat' = A y,  A = Gamma^-1              W = 1/2 p~^T Gamma p~,  p~ = p - p_hat
///   natural     P_hat' = g P_hat B P_hat                 W = (1/g) (log det P_hat / det P
///               of all ten of a link                          + tr P_hat^-1 P - 4)
///   both        W' = -p~^T y
///
///   P = [Sigma h; h^T m], Sigma = tr(J)/2 - J, is the pseudo-inertia of a link: the link is
///   possible
///   where P is positive definite. B is y written so that tr(P B) = p^T y. Along the natural rate
///   P_hat cannot become singular: its estimates stay masses that could be built, without bounds
///   and without a change of the proof.
///
/// Bounds   lower <= p_hat <= upper, of parameters with a Euclidean rate: what leads outwards is
///          slowed down over the last `margin` and ends at the bound. Then W' <= -p~^T y for every
///          p that is inside by the margin; for other p nothing is claimed.
/// Estimates  p_hat -> p is claimed by no law here: it takes a motion that excites every parameter
///          persistently, int Y^T Y dt over some time T growing without end.
/// Cost  O(k), 4 x 4 products for natural links; no allocation but that of the first energy with a
///          plant, which looks for its p.
/// Source  Huo 2005, (3-81), (3-85); Lee, Kwon & Park 2018 (natural adaptation); Pomet & Praly 1992
///          (smooth projection).
#include <array>
#include <string>
#include <vector>

#include "torsor/control/certificate.hpp"
#include "torsor/control/gain.hpp"
#include "torsor/control/uncertain/parameter_set.hpp"
#include "torsor/math/array.hpp"

namespace torsor {

class LawParameters;  // law_registry.hpp
struct Run;           // control/run.hpp

struct AdaptationOptions {
  std::vector<std::string> parameters;  ///< names of a ParameterSet; empty: all
  Array<double> p0;                     ///< estimates at the start; empty: the model's
  Gain rate;                            ///< A = Gamma^-1, size k; zeros: not adapted
  double natural = 0;                   ///< g > 0: links with all their ten adapt naturally
  Array<double> lower, upper;           ///< empty: none
  Array<double> margin;                 ///< empty: a twentieth of upper - lower
};

namespace internal {

/// From `parameters`, `p0`, `adaptation` (A), `natural_adaptation` (g), `lower`, `upper`, `margin`.
AdaptationOptions adaptation_options(const Model<double>& model, LawParameters& parameters);

}  // namespace internal

class Adaptation {
 public:
  /// `model` outlives it. Throws Error, with the law's name, for sizes that do not fit, numbers
  /// that
  /// are not finite, bounds around nothing, and natural links that start as impossible ones.
  Adaptation(const char* law, const Model<double>& model, AdaptationOptions options);

  int size() const { return set_.size(); }
  const std::string& name(int k) const { return set_.names()[k]; }
  ParameterSet& set() { return set_; }
  /// p_hat at the start.
  In<double> start() const { return options_.p0; }
  void reset(Out<double> p_hat) const;

  void rate(In<double> p_hat, In<double> y, Out<double> p_hat_rate) const;
  /// W. Where the plant's link is no possible one (a point mass), up to a constant.
  double energy(In<double> p_hat, const Model<double>& plant);
  /// p of the plant, as ParameterSet::values_of, found once.
  In<double> values(const Model<double>& plant);
  /// W' <= -p~^T y is claimed, not equality.
  bool is_bounded() const { return !options_.lower.empty(); }
  In<double> lower() const { return options_.lower; }
  In<double> upper() const { return options_.upper; }

  std::vector<Condition> conditions() const;
  /// The same, and about the plant of a run: the parameters can say it and, with bounds, lie inside
  /// them by the margin.
  std::vector<Condition> conditions(const Run& run) const;

 private:
  bool is_natural(int column) const { return natural_[column] != 0; }
  bool knows(const Model<double>& plant) const;

  AdaptationOptions options_;
  ParameterSet set_;
  Gain gamma_;           // A^-1; 0 where A is
  Array<char> natural_;  // per column
  Array<int> links_;     // first columns of natural links
  Array<double> plant_inertial_, values_, error_;
  Array<DofConstants<double>> plant_dofs_;
  Array<CoupledMotor<double>> plant_motors_;
};

}  // namespace torsor
