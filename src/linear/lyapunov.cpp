#include "torsor/linear/lyapunov.hpp"

#include "torsor/linear/riccati.hpp"

namespace torsor {

LyapunovSolution solve_lyapunov(InMatrix<double> A, InMatrix<double> Q) {
  RiccatiSolution s = solve_riccati(riccati_problem(A, Matrix(A.rows, 1), Q, Matrix::identity(1)));
  return {std::move(s.K), s.residual, s.converged};
}

}  // namespace torsor
