#include "torsor/trajectory/internal/check_input.hpp"

#include <cmath>
#include <cstdio>

namespace torsor::internal::check {
namespace {

[[noreturn]] void refuse(const char* planner, const std::string& line) {
  throw Error(std::string(planner) + ": " + line);
}
std::string element(const std::string& what, int k) { return what + "[" + std::to_string(k) + "]"; }

}  // namespace

void finite(const char* planner, const std::string& what, double x) {
  if (!std::isfinite(x)) refuse(planner, what + " is not finite (" + number(x) + ")");
}

void positive(const char* planner, const std::string& what, double x) {
  finite(planner, what, x);
  if (!(x > 0)) refuse(planner, what + " is " + number(x) + "; it must be greater than zero");
}

void times(const char* planner, View<const double> t) {
  if (t.size < 2)
    refuse(planner, "times has " + std::to_string(t.size) + " numbers; at least 2 are needed");
  numbers(planner, "times", t, t.size);
  if (t[0] != 0) refuse(planner, "times[0] is " + number(t[0]) + "; trajectories start at 0");
  for (int k = 1; k < t.size; ++k)
    if (!(t[k] > t[k - 1]))
      refuse(planner, element("times", k) + " is " + number(t[k]) + " after " + number(t[k - 1]) +
                          "; times must increase");
}

void size(const char* planner, const std::string& what, int got, int needed) {
  if (got != needed)
    refuse(planner, what + " has " + std::to_string(got) + " numbers; " + std::to_string(needed) +
                        " are needed");
}

void numbers(const char* planner, const std::string& what, View<const double> x, int needed) {
  size(planner, what, x.data == nullptr ? 0 : x.size, needed);
  for (int k = 0; k < x.size; ++k) finite(planner, element(what, k), x[k]);
}

void limits(const char* planner, View<const Limits> limits, int needed) {
  size(planner, "limits", limits.data == nullptr ? 0 : limits.size, needed);
  for (int k = 0; k < limits.size; ++k) {
    const auto check = [&](const char* name, double x) {
      if (!(x > 0))
        refuse(planner, element("limits", k) + "." + name + " is " + number(x) +
                            "; it must be greater than zero");
    };
    check("velocity", limits[k].velocity);
    check("acceleration", limits[k].acceleration);
    check("jerk", limits[k].jerk);
    if (!(limits[k].lower <= limits[k].upper))
      refuse(planner, element("limits", k) + " is empty: lower " + number(limits[k].lower) +
                          ", upper " + number(limits[k].upper));
  }
}

}  // namespace torsor::internal::check
