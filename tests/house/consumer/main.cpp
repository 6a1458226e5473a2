// What a user of the installed package writes: only installed headers, only torsor::torsor.
#include <cstdio>

#include "torsor/formats/builtin_files.hpp"
#include "torsor/math/spatial.hpp"

int main() {
  using namespace torsor;

  // Power does not depend on the frame it is computed in.
  const SE3<double> T_ab = exp(Twist<double>{{0.1, -0.2, 0.3}, {1, 2, 3}});
  const Twist<double> V_b{{1, 0, 2}, {0, 3, 0}};
  const Wrench<double> F_a{{0, 1, 0}, {5, 0, -1}};
  const double power_in_a = dot(Ad(T_ab, V_b), F_a);
  const double power_in_b = dot(V_b, Ad_dual(T_ab, F_a));
  std::printf("power %.12f W, built-in files %zu\n", power_in_a, builtin::files().size());
  return power_in_a - power_in_b < 1e-12 && power_in_b - power_in_a < 1e-12 ? 0 : 1;
}
