#pragma once
/// The convex problem of consistency.hpp in numbers, and its Newton steps.
#include <array>

#include "torsor/identification/consistency.hpp"
#include "torsor/linear/cholesky.hpp"

namespace torsor::internal {

using Matrix4 = std::array<std::array<double, 4>, 4>;

Matrix4 pseudo_inertia_matrix(const double* p);
/// Lower triangular factor; false where P is not positive definite.
bool cholesky4(const Matrix4& P, Matrix4& L);
Matrix4 inverse_from_cholesky4(const Matrix4& L);
/// L^-1 A L^-T.
Matrix4 congruent(const Matrix4& L, const Matrix4& A);
std::array<double, 4> eigenvalues4(const Matrix4& A);
/// u of Lambda^-1/2 S Lambda^-1/2, ascending: the border is at 1 + t u = 0.
std::array<double, 4> border_eigenvalues(const std::array<double, 4>& lambda, const Matrix4& S);

struct ConsistentBody {
  std::string name;
  std::array<int, 10> columns{};
  std::array<double, 10> prior{};
  Matrix4 prior_inverse{};
  double least_mass = 0, largest_mass = 0;  // 0 and infinity: none
  bool has_ellipsoid = false;
  std::array<double, 10> ellipsoid{};  // tr(P Q) = ellipsoid . p
};

struct ConsistencyProblem {
  Matrix R{};  // N + 1 columns
  int N = 0;
  Array<ConsistentBody> bodies{};
  Array<int> positive{};      // columns that cannot be negative
  Array<int> free_columns{};  // held by a square
  Array<double> x0{};         // inside all conditions: prior, moved where it had to be
  Array<double> width{};      // the value of each unknown that would explain all torque
  bool mass_is_exact = false;
  int n_bounds = 0;  // logarithms, four for each body
};

/// Friction, rotors and stiffness, by their names.
bool never_negative(const std::string& name);

/// The prior is moved inside of all conditions; `notes` says where.
ConsistencyProblem consistency_problem(const RowFactor& factor,
                                       const std::vector<std::string>& names, In<double> prior,
                                       const ConsistencyOptions& options,
                                       std::vector<std::string>& notes);

/// Newton's method on the optimum of gamma and its dual Z = gamma P^-1 together, in coordinates in
/// which both look alike (Nesterov and Todd):
///
///   P = F F^T,  F^T Z F = Q D Q^T,  G = F Q D^-1/4:    G^-1 P G^-T = G^T Z G = D^1/2 = Lambda
///   dP = G S G^T,  dZ = G^-T S_z G^-1,                  S + S_z = C - Lambda
///   Lambda o C = gamma - S' o S_z',                     A o B = (A B + B A) / 2
///   (2 T^T R^T R T + 1) S = -(T^T 2 R^T (R x - r) + gamma G^T P0^-1 G - C)
///
/// T S are the parameters of G S G^T. S' and S_z' are a first step towards gamma = 0, which also
/// says how far gamma may fall at once (Mehrotra). For what is positive the same with numbers;
/// bounds have slack s = v . x + c and dual z.
class ConsistencyNewton {
 public:
  explicit ConsistencyNewton(const ConsistencyProblem& problem);

  /// To the optimum of gamma, from that of a larger one or from the prior.
  void solve(double gamma);

  Array<double> x{};
  int steps = 0;
  double decrement = 0;  // Newton's, squared, over gamma
  bool converged() const { return decrement < 1e-6 && relative_complementarity_ < 1e-2; }
  /// |gradient of the sum| over that of its parts, in the coordinates of the steps.
  double relative_gradient(double gamma);

 private:
  using Block = std::array<std::array<double, 10>, 10>;
  struct Body {
    Matrix4 F{}, dual{};  // P = F F^T, F^T Z F
    Matrix4 G{};
    std::array<double, 4> lambda{};
    Block T{};                      // ten parameters by ten entries of S
    std::array<double, 10> pull{};  // G^T P0^-1 G
    Matrix4 S{}, S_z{}, C{};        // the step
  };
  struct Number {  // a value that stays positive, and its dual
    double value = 0, dual = 0, d_value = 0, d_dual = 0, c = 0;
  };
  struct Bound {
    Array<int> columns{};
    Array<double> row{};
    double constant = 0;
    Array<double> in_steps{};  // T^T row
    Number slack{};
    double at(In<double> values) const {
      double sum = 0;
      for (int k = 0; k < columns.size(); ++k) sum += row[k] * values[columns[k]];
      return sum;
    }
  };
  void start();                 // at the prior
  void recentre(double gamma);  // Z = gamma P^-1
  void scale();                 // G, Lambda, T from P and Z
  void derivatives();           // at x; factorises the Hessian
  /// C of gamma; `corrected` by the last step.
  void aim(double gamma, bool corrected);
  void direction(double gamma);
  void newton(double gamma, bool corrected);
  std::array<double, 2> steps_to_border() const;
  double line_search(double gamma) const;
  void follow_with_dual(double gamma, bool bold);
  void follow_alone(double gamma);
  void move(double t, double t_z);
  double complementarity() const;                        // <P, Z> over the number of logarithms
  void to_unknowns(In<double> y, Out<double> dx) const;  // dx = T y
  void to_steps(In<double> g, Out<double> y) const;      // y = T^T g

  const ConsistencyProblem& problem_;
  Array<int> order_;        // unknown at position k: bodies, positive, free
  Matrix gram_, half_, H_;  // 2 R^T R, times T, the Hessian; by position
  Cholesky factor_;
  Array<double> g_, data_, y_, dx_, mass_, mass_in_steps_, mass_step_, Rx_, unknown_;
  Array<Body> bodies_;
  Array<Number> positive_;
  Array<Bound> bounds_;
  Array<double> scale_;  // T of what is not of a body
  double relative_complementarity_ = 0;
  double gamma_ = 0;  // of the squares that hold the free ones
};

}  // namespace torsor::internal
