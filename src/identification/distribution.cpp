#include "distribution.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/linear/cholesky.hpp"
#include "torsor/linear/orthogonal_decomposition.hpp"
#include "torsor/linear/symmetric_eigen.hpp"

namespace torsor::internal {
namespace {

constexpr int ten = parameters_per_body;
constexpr double rounding = 1e-9;  // of a number's unit: an estimate of zero may come out below it

PseudoInertia product(const PseudoInertia& A, const PseudoInertia& B) {
  PseudoInertia C{};
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t c = 0; c < 4; ++c) C[4 * r + c] += A[4 * r + k] * B[4 * k + c];
  return C;
}
double trace_of_product(const PseudoInertia& A, const PseudoInertia& B) {  // both symmetric
  double sum = 0;
  for (std::size_t k = 0; k < A.size(); ++k) sum += A[k] * B[k];
  return sum;
}
SymmetricEigen decomposed(const PseudoInertia& P) {
  SymmetricEigen eigen(4);
  eigen.factorise(row_major(P.data(), 4, 4));
  return eigen;
}
/// sum_k f(value k) v_k v_k^T.
template <class Function>
PseudoInertia rebuilt(const SymmetricEigen& eigen, Function f) {
  PseudoInertia P{};
  for (int k = 0; k < 4; ++k)
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 4; ++c)
        P[static_cast<std::size_t>(4 * r + c)] +=
            f(eigen.value(k)) * eigen.vector(r, k) * eigen.vector(c, k);
  return P;
}

/// One term of the objective: tr(W B) - log det(B), B = sum_k E_k p_k + t S above zero.
struct Block {
  int first = 0, count = 0;          // of p
  Array<PseudoInertia> basis;        // E_k; of a number, its inverse unit at (0, 0), 1 after it
  PseudoInertia pull{}, constant{};  // W; of a number the other three diagonal entries are 1
  double shift = 1;                  // S = shift 1
  double slack = 0;                  // of a number: what rounding may leave below zero, as B has it

  PseudoInertia at(const Array<double>& p, double t) const {
    PseudoInertia B = constant;
    B[0] += slack;
    for (int k = 0; k < count; ++k)
      for (std::size_t e = 0; e < B.size(); ++e) B[e] += basis[k][e] * p[first + k];
    for (std::size_t e = 0; e < B.size(); e += 5)
      if (constant[e] == 0) B[e] += t * shift;
    return B;
  }
  PseudoInertia slope_of_t() const {
    PseudoInertia S{};
    for (std::size_t e = 0; e < S.size(); e += 5)
      if (constant[e] == 0) S[e] = shift;
    return S;
  }
};

PseudoInertia unit_entries(int k, double length) {
  std::array<double, ten> one{};
  one[static_cast<std::size_t>(k)] = 1;
  return pseudo_inertia(one.data(), length);
}

class Solver {
 public:
  explicit Solver(const DistributionProblem& problem) : problem_(problem) {
    make_blocks();
    make_plane();
  }

  Distribution run() {
    Distribution out;
    double t = least_shift(start_);
    if (t >= 0) t = press(t);
    Array<double> z = z_;
    if (t < 0) {
      out.found = true;
      approach();
      z = z_;
    } else {
      z.assign(z.size(), 0.0);
    }
    out.p = exact(at(z));
    for (const int k : problem_.positive)
      if (out.p[k] < 0 && out.p[k] > -rounding * problem_.unit[k]) out.p[k] = 0;
    if (out.found) out.divergence = divergence(out.p);
    return out;
  }

 private:
  int n() const { return problem_.prior.size(); }

  void make_blocks() {
    double mean = 0;
    for (const int first : problem_.bodies)
      mean += eigenvalues(pseudo_inertia(problem_.prior.data() + first, problem_.length))[3] /
              problem_.bodies.size();
    if (!(mean > 0)) mean = 1;
    in_block_.assign(n(), false);
    for (const int first : problem_.bodies) {
      Block block{first, ten, {}, {}, {}, 1};
      for (int k = 0; k < ten; ++k) {
        block.basis.push_back(unit_entries(k, problem_.length));
        in_block_[first + k] = true;
      }
      const auto eigen = decomposed(pseudo_inertia(problem_.prior.data() + first, problem_.length));
      const double largest = std::max(eigen.largest(), 1e-2 * mean);
      block.pull =
          rebuilt(eigen, [&](double value) { return 1 / std::max(value, 1e-5 * largest); });
      block.shift = largest;
      blocks_.push_back(std::move(block));
    }
    for (const int at : problem_.positive) {
      Block block{at, 1, {}, {}, {}, 1};
      const double size = std::max(problem_.prior[at], 1e-5 * problem_.unit[at]);
      block.basis.assign(1, PseudoInertia{1 / size});
      block.slack = rounding * problem_.unit[at] / size;
      block.pull[0] = 1;
      for (std::size_t e = 5; e < 16; e += 5) block.constant[e] = 1;
      in_block_[at] = true;
      blocks_.push_back(std::move(block));
    }
  }

  /// p = start + null z holds every row; the start is the nearest to the prior in scaled numbers.
  void make_plane() {
    const Matrix& A = problem_.A;
    scaled_ = Matrix(A.rows(), n());
    for (int r = 0; r < A.rows(); ++r)
      for (int c = 0; c < n(); ++c) scaled_(r, c) = A(r, c) * problem_.unit[c];
    rows_ = OrthogonalDecomposition(std::max(1, A.rows()), std::max(1, n()));
    rows_.factorise(scaled_, 1e-12);
    start_ = exact(problem_.prior);
    null_ = Matrix(n(), n() - rows_.rank());
    Array<double> column(n());
    for (int k = 0; k < null_.cols(); ++k) {
      rows_.null_vector(k, column);
      for (int r = 0; r < n(); ++r) null_(r, k) = column[r] * problem_.unit[r];
    }
    z_.assign(null_.cols(), 0.0);
  }
  Array<double> exact(Array<double> p) {
    const Matrix& A = problem_.A;
    if (A.rows() == 0) return p;
    Array<double> miss(A.rows()), change(n());
    for (int round = 0; round < 2; ++round) {
      for (int r = 0; r < A.rows(); ++r) {
        miss[r] = problem_.b[r];
        for (int c = 0; c < n(); ++c) miss[r] -= A(r, c) * p[c];
      }
      rows_.solve(miss, change);
      for (int c = 0; c < n(); ++c) p[c] += change[c] * problem_.unit[c];
    }
    return p;
  }
  Array<double> at(const Array<double>& z) const {
    Array<double> p = start_;
    for (int r = 0; r < n(); ++r)
      for (int k = 0; k < z.size(); ++k) p[r] += null_(r, k) * z[k];
    return p;
  }

  /// The least t, with a margin, for which every block is above zero; negative where they all are.
  double least_shift(const Array<double>& p) const {
    double t = -1;
    for (const Block& block : blocks_) {
      const PseudoInertia B = block.at(p, 0);
      const double least = block.count == 1 ? B[0] : eigenvalues(B)[0];
      if (!(least > 1e-12 * block.shift)) t = std::max(t, 1 - 2 * least / block.shift);
    }
    return t;
  }
  double divergence(const Array<double>& p) const {
    double sum = 0;
    for (const Block& block : blocks_) {
      const PseudoInertia B = block.at(p, 0), ratio = product(block.pull, B);
      for (std::size_t e = 0; e < 16; e += 5)
        if (block.constant[e] == 0) sum += ratio[e] - 1;
      if (block.count == 1) {
        sum -= std::log(B[0]);
        continue;
      }
      const auto of_B = decomposed(B), of_pull = decomposed(block.pull);
      for (int k = 0; k < 4; ++k) sum -= std::log(of_B.value(k)) + std::log(of_pull.value(k));
    }
    return sum;
  }

  /// One damped Newton step of t / mu + sum over blocks; returns the decrement before it.
  double step(double* t, double mu) {
    const int nz = z_.size(), m = nz + (t != nullptr ? 1 : 0);
    const Array<double> p = at(z_);
    Matrix H(m, m);
    Array<double> g(m, 0.0);
    if (t != nullptr) g[nz] = 1 / mu;
    for (const Block& block : blocks_) add(block, p, t, H, g);
    for (int c = 0; c < n(); ++c) {  // numbers without a sign: stay near the prior
      if (in_block_[c]) continue;
      const double w = 1 / (problem_.unit[c] * problem_.unit[c]);
      for (int k = 0; k < nz; ++k) {
        g[k] += w * (p[c] - problem_.prior[c]) * null_(c, k);
        for (int l = 0; l < nz; ++l) H(k, l) += w * null_(c, k) * null_(c, l);
      }
    }
    Cholesky factors(std::max(1, m));
    double most = 0;
    for (int k = 0; k < m; ++k) most = std::max(most, H(k, k));
    for (double more = 1e-15; !factors.factorise(H) && more < 1; more *= 100)
      for (int k = 0; k < m; ++k) H(k, k) += more * most;
    Array<double> direction = g;
    factors.solve(direction);
    double square = 0;
    for (int k = 0; k < m; ++k) square += g[k] * direction[k];
    const double decrement = std::sqrt(std::max(0.0, square));
    const double length = decrement > 0.25 ? 1 / (1 + decrement) : 1;
    for (int k = 0; k < nz; ++k) z_[k] -= length * direction[k];
    if (t != nullptr) *t -= length * direction[nz];
    return decrement;
  }
  void add(const Block& block, const Array<double>& p, const double* t, Matrix& H,
           Array<double>& g) const {
    const int nz = z_.size();
    const PseudoInertia inverse = rebuilt(decomposed(block.at(p, t != nullptr ? *t : 0)),
                                          [](double value) { return 1 / value; });
    // Slopes along every unknown, then B^-1 slope B^-1.
    const auto put = [&](const Array<PseudoInertia>& slopes, const Array<int>& rows) {
      for (int a = 0; a < slopes.size(); ++a) {
        const PseudoInertia turned = product(product(inverse, slopes[a]), inverse);
        g[rows[a]] +=
            trace_of_product(block.pull, slopes[a]) - trace_of_product(inverse, slopes[a]);
        for (int b = 0; b < slopes.size(); ++b)
          H(rows[a], rows[b]) += trace_of_product(turned, slopes[b]);
      }
    };
    Array<PseudoInertia> slopes;
    Array<int> rows;
    for (int k = 0; k < nz; ++k) {
      PseudoInertia slope{};
      bool any = false;
      for (int j = 0; j < block.count; ++j) {
        const double factor = null_(block.first + j, k);
        if (factor == 0) continue;
        any = true;
        for (std::size_t e = 0; e < 16; ++e) slope[e] += factor * block.basis[j][e];
      }
      if (any) slopes.push_back(slope), rows.push_back(k);
    }
    if (t != nullptr) slopes.push_back(block.slope_of_t()), rows.push_back(nz);
    put(slopes, rows);
  }

  /// Presses t below zero; returns the last t.
  double press(double t) {
    for (double mu = 1; mu > 1e-11; mu *= 0.2)
      for (int k = 0; k < 30; ++k) {
        const double decrement = step(&t, mu);
        if (t < 0 && least_shift(at(z_)) < 0) return t;
        if (decrement < 0.3) break;
      }
    return std::max(t, 0.0);
  }
  void approach() {
    for (int k = 0; k < 200; ++k)
      if (step(nullptr, 1) < 1e-9) break;
  }

  const DistributionProblem& problem_;
  Array<Block> blocks_;
  Array<bool> in_block_;
  Matrix scaled_, null_;
  OrthogonalDecomposition rows_;
  Array<double> start_, z_;
};

}  // namespace

PseudoInertia pseudo_inertia(const double* p, double length) {
  const Inertia<double> I = inertia_of(p);
  const MassMoments<double> moments = mass_moments(I);
  const double a = 1 / (length * length), h = 1 / length;
  const Sym3<double>& S = moments.S;
  return {S.xx * a, S.xy * a, S.xz * a, I.h.x * h, S.xy * a,  S.yy * a,  S.yz * a,  I.h.y * h,
          S.xz * a, S.yz * a, S.zz * a, I.h.z * h, I.h.x * h, I.h.y * h, I.h.z * h, I.m};
}

std::array<double, 4> eigenvalues(const PseudoInertia& P) {
  const auto eigen = decomposed(P);
  return {eigen.value(0), eigen.value(1), eigen.value(2), eigen.value(3)};
}

Distribution distribute(const DistributionProblem& problem) { return Solver(problem).run(); }

}  // namespace torsor::internal
