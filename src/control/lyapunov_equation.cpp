#include "torsor/control/lyapunov_equation.hpp"

#include "torsor/control/riccati.hpp"

namespace torsor {

LyapunovSolution solve_lyapunov(int n, std::vector<double> A, std::vector<double> Q) {
  const auto size = static_cast<std::size_t>(n);
  const RiccatiProblem problem = riccati_problem(n, std::move(A), std::vector<double>(size),
                                                 std::move(Q), Gain::uniform(1, 1));
  const RiccatiSolution solution = solve_riccati(problem);
  return {solution.K, solution.residual, solution.converged};
}

std::vector<double> error_system(const Gain& Kp, const Gain& Kd) {
  const int n = Kp.size();
  std::vector<double> A(static_cast<std::size_t>(4 * n * n));
  const auto at = [&](int r, int c) -> double& {
    return A[static_cast<std::size_t>(r * 2 * n + c)];
  };
  for (int r = 0; r < n; ++r) {
    at(r, n + r) = 1;
    for (int c = 0; c < n; ++c) at(n + r, c) = -Kp(r, c), at(n + r, n + c) = -Kd(r, c);
  }
  return A;
}

}  // namespace torsor
