#pragma once
/// What the functions of the language have in common. Private to xacro.
#include <cmath>
#include <map>

#include "torsor/formats/text.hpp"
#include "xacro/expression.hpp"
#include "xacro/scope.hpp"

namespace torsor::internal::xacro {

using Functions = std::map<std::string, Value>;

inline Value function(const std::string& name, std::function<Value(Arguments&)> call) {
  return Value(std::make_shared<const Callable>(Callable{name, std::move(call)}));
}
/// Refuses other numbers of arguments and names of arguments.
inline void expect(const Arguments& a, const std::string& name, std::size_t least,
                   std::size_t most) {
  if (!a.named.empty())
    throw Refusal(name + "() takes no argument named " + in_quotes(a.named[0].first));
  if (a.values.size() < least || a.values.size() > most)
    throw Refusal(name + "() takes " + std::to_string(least) +
                  (most == least ? "" : " to " + std::to_string(most)) + " arguments, not " +
                  std::to_string(a.values.size()));
}
inline double number_of(const Value& v, const std::string& name) {
  if (!v.is_number()) throw Refusal(name + "() of a " + v.type_name());
  return v.number();
}
inline std::int64_t whole(double x) {
  if (!(std::abs(x) < 9.2e18)) throw Refusal("an integer needs more than 64 bits");
  return static_cast<std::int64_t>(x);
}

}  // namespace torsor::internal::xacro
