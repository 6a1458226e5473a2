// The module math of the language.
#include <limits>
#include <numbers>
#include <numeric>

#include "xacro/functions.hpp"

namespace torsor::internal::xacro {
namespace {

/// A function of real numbers; no number or no finite one where the arguments are: refused.
template <std::size_t count, class Real>
Value real(const std::string& name, Real f) {
  return function(name, [name, f](Arguments& a) {
    expect(a, name, count, count);
    double x[3] = {0, 0, 0};
    bool finite = true, any_nan = false;
    for (std::size_t k = 0; k < count; ++k) {
      x[k] = number_of(a.values[k], name);
      finite = finite && std::isfinite(x[k]);
      any_nan = any_nan || std::isnan(x[k]);
    }
    const double y = f(x);
    if ((std::isnan(y) && !any_nan) || (std::isinf(y) && finite))
      throw Refusal(name + "() of " + float_text(x[0]) + " has no value");
    return Value(y);
  });
}
#define TORSOR_REAL(name) \
  all[#name] = real<1>(#name, [](const double* x) { return std::name(x[0]); })

Functions made_math() {
  Functions all;
  TORSOR_REAL(sin), TORSOR_REAL(cos), TORSOR_REAL(tan), TORSOR_REAL(asin), TORSOR_REAL(acos);
  TORSOR_REAL(atan), TORSOR_REAL(sinh), TORSOR_REAL(cosh), TORSOR_REAL(tanh), TORSOR_REAL(asinh);
  TORSOR_REAL(acosh), TORSOR_REAL(atanh), TORSOR_REAL(sqrt), TORSOR_REAL(exp), TORSOR_REAL(expm1);
  TORSOR_REAL(log2), TORSOR_REAL(log10), TORSOR_REAL(log1p), TORSOR_REAL(fabs), TORSOR_REAL(erf);
  all["atan2"] = real<2>("atan2", [](const double* x) { return std::atan2(x[0], x[1]); });
  all["pow"] = real<2>("pow", [](const double* x) { return std::pow(x[0], x[1]); });
  all["fmod"] = real<2>("fmod", [](const double* x) { return std::fmod(x[0], x[1]); });
  all["copysign"] = real<2>("copysign", [](const double* x) { return std::copysign(x[0], x[1]); });
  all["degrees"] =
      real<1>("degrees", [](const double* x) { return x[0] * (180 / std::numbers::pi); });
  all["radians"] =
      real<1>("radians", [](const double* x) { return x[0] * (std::numbers::pi / 180); });
  all["hypot"] = function("hypot", [](Arguments& a) {
    expect(a, "hypot", 0, 16);
    double y = 0;
    for (const Value& v : a.values) y = std::hypot(y, number_of(v, "hypot"));
    return Value(y);
  });
  all["log"] = function("log", [](Arguments& a) {
    expect(a, "log", 1, 2);
    const double x = number_of(a.values[0], "log");
    const double base = a.values.size() == 2 ? number_of(a.values[1], "log") : 2;
    if (!(x > 0) || !(base > 0) || base == 1)
      throw Refusal("log() of " + float_text(x) + " has no value");
    return Value(a.values.size() == 2 ? std::log(x) / std::log(base) : std::log(x));
  });
  for (const char* name : {"floor", "ceil", "trunc"})
    all[name] = function(name, [name](Arguments& a) {
      expect(a, name, 1, 1);
      if (a.values[0].is_int()) return Value(a.values[0].integer());
      const double x = number_of(a.values[0], name);
      return Value(whole(name[0] == 'f'   ? std::floor(x)
                         : name[0] == 'c' ? std::ceil(x)
                                          : std::trunc(x)));
    });
  for (const char* name : {"isnan", "isinf", "isfinite"})
    all[name] = function(name, [name](Arguments& a) {
      expect(a, name, 1, 1);
      const double x = number_of(a.values[0], name);
      return Value(name[2] == 'n'   ? std::isnan(x)
                   : name[3] == 'n' ? std::isinf(x)
                                    : std::isfinite(x));
    });
  all["gcd"] = function("gcd", [](Arguments& a) {
    expect(a, "gcd", 2, 2);
    if (!a.values[0].is_int() || !a.values[1].is_int()) throw Refusal("gcd() of what is no int");
    return Value(std::gcd(a.values[0].integer(), a.values[1].integer()));
  });
  all["pi"] = Value(std::numbers::pi);
  all["e"] = Value(std::numbers::e);
  all["tau"] = Value(2 * std::numbers::pi);
  all["inf"] = Value(std::numeric_limits<double>::infinity());
  all["nan"] = Value(std::numeric_limits<double>::quiet_NaN());
  return all;
}
#undef TORSOR_REAL

}  // namespace

const std::map<std::string, Value>& math_functions() {
  static const Functions all = made_math();
  return all;
}

}  // namespace torsor::internal::xacro
