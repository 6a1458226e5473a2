#pragma once
/// Functions common to the makers of parameters.
#include <algorithm>

#include "torsor/math/spatial.hpp"
#include "torsor/model/parameter.hpp"

namespace torsor::parameter_parts {

using Of = Change::Of;

[[noreturn]] inline void fail(const Model<double>& model, const std::string& what) {
  throw Error("robot \"" + model.name() + "\": " + what);
}

inline void need(const Model<double>& model, int k, int count, const char* what) {
  if (k < 0 || k >= count)
    fail(model, std::string("no ") + what + " " + std::to_string(k) + "; there are " +
                    std::to_string(count));
}
template <class Words>
const char* word(const Model<double>& model, const Words& list, int k) {
  const View<const char* const> words = list;
  need(model, k, words.size, "component");
  return words[k];
}

inline Change change(Of what, int index, double by = 1) {
  Change c{what, index, {}};
  c.by[0] = by;
  return c;
}
inline Change change(Of what, int index, const Vec3<double>& a, const Vec3<double>& b = {}) {
  return {what, index, {a.x, a.y, a.z, b.x, b.y, b.z}};
}
inline Change change(Of what, int index, const Twist<double>& x) {
  return change(what, index, x.w, x.v);
}
inline Change change(int body, const Inertia<double>& dI) {
  Change c{Of::inertia, body, {}};
  std::copy_n(parameters_of(dI).begin(), parameters_per_body, c.by.begin());
  return c;
}
/// Changes of body 0's inertia do nothing.
inline void push(std::vector<Change>& changes, int body, const Inertia<double>& dI) {
  if (body > 0) changes.push_back(change(body, dI));
}

inline Vec3<double> unit(int k) {
  return {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0};
}
/// Direction k of a placement: turns first.
inline Twist<double> unit_twist(int k) { return {unit(k), unit(k - 3)}; }

}  // namespace torsor::parameter_parts
