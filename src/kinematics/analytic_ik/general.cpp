// Any six joints: elimination of five unknowns, an eigenproblem for the sixth.
//
// The loop  J1 L1 J2 L2 J3 L3 J4 L4 J5 L5 J6 L6 = 1  (L6 holds the target) is cut at joint 6 and
// read on its axis, a line with direction l through the point p, which joint 6 does not move:
//   J3 L3 J4 L4 J5 L5 (p, l) = L2^-1 J2^-1 L1^-1 J1^-1 L6^-1 (p, l)
// The 15 numbers  1, l, p, m = p x l, k = (p.p) l - 2 (p.l) p, p.l, p.p  transform linearly under a
// rigid motion, so both sides are linear in the products (1, c4, s4) x (1, c5, s5) and
// (1, c1, s1) x (1, c2, s2); a slide has 1, d, d^2 in place of 1, c, s. That is 14 equations. J3
// leaves six of them alone (z components, p.l, p.p) and turns the x + i y of the others by
// exp(i th3). Of the six combinations w that annihilate the eight unknowns of joints 1 and 2,
//   four are real parts of complex rows  alpha + exp(-i th3) beta: times 1 + i x they have degree 1
//        in x = tan((th3 - phi)/2)
//   two are left, of degree 2.
// (Axes that meet or are parallel may make it one of degree 0, two of 1 and three of 2, and so on.)
// Times 1 and x4 they are 12 equations in 12 products of half tangents, of total degree 16 in x and
// not more: no spurious roots are left. With mu = 1/x and s for the rows of degree 2,
//   mu v = S0^-1 (-S1 v + [0 s]),  mu s = -C2 v            16 x 16, real
// phi is chosen so that S0 is well conditioned. Each real mu gives v, hence th4 and th5; the 14
// equations give th1, th2; then th6; Newton's method refines.
// Source: Raghavan & Roth 1993; Manocha & Canny 1994 (24 x 24 with eight spurious roots).
#include <cmath>

#include "analytic_ik/parts.hpp"
#include "torsor/linear/eigenvalues.hpp"
#include "torsor/linear/internal/small_matrix.hpp"

namespace torsor::ik {
namespace {

using namespace internal;

/// The 15 numbers of a line, or coefficients of them.
struct Line {
  double one = 0, pl = 0, pp = 0;
  Vector l{}, p{}, m{}, k{};
};
Line moved(const Pose& T, const Line& x) {
  const Vector l = T.R * x.l, p = T.R * x.p, m = T.R * x.m, k = T.R * x.k;
  const Vector& t = T.p;
  const double tl = dot(t, l), tt = dot(t, t);
  Line y;
  y.one = x.one;
  y.l = l;
  y.p = p + t * x.one;
  y.m = m + cross(t, l);
  y.pl = x.pl + tl;
  y.pp = x.pp + 2 * dot(t, p) + tt * x.one;
  y.k = k - cross(t, m) * 2.0 - t * (2 * (x.pl + tl)) + l * tt;
  return y;
}
/// Coefficients of 1, c, s (or 1, d, d^2) of the line moved by the joint; `back`: by its inverse.
void by_joint(bool slides, bool back, const Line& x, Line* out) {
  const double sign = back ? -1 : 1;
  if (slides) {
    const Vector z = Vector::unit_z();
    out[0] = x;
    out[1] = {};
    out[1].p = z * (sign * x.one);
    out[1].m = cross(z, x.l) * sign;
    out[1].pl = sign * x.l.z;
    out[1].pp = sign * 2 * x.p.z;
    out[1].k = (cross(z, x.m) + z * x.pl) * (-2 * sign);
    out[2] = {};
    out[2].pp = x.one;
    out[2].k = x.l - z * (2 * x.l.z);
    return;
  }
  const auto flat = [](const Vector& v) { return Vector{v.x, v.y, 0}; };
  const auto quarter = [&](const Vector& v) { return Vector{-sign * v.y, sign * v.x, 0}; };
  out[0] = {x.one, x.pl, x.pp, {0, 0, x.l.z}, {0, 0, x.p.z}, {0, 0, x.m.z}, {0, 0, x.k.z}};
  out[1] = {0, 0, 0, flat(x.l), flat(x.p), flat(x.m), flat(x.k)};
  out[2] = {0, 0, 0, quarter(x.l), quarter(x.p), quarter(x.m), quarter(x.k)};
}

/// Rows 0..5: what J3 leaves alone; 6..9: x of l, p, m, k; 10..13: y of them.
using Side = SmallMatrix<14, 9>;
void put(Side& side, int column, const Line& x) {
  const double rows[14] = {x.l.z, x.p.z, x.m.z, x.k.z, x.pl,  x.pp,  x.l.x,
                           x.p.x, x.m.x, x.k.x, x.l.y, x.p.y, x.m.y, x.k.y};
  for (int r = 0; r < 14; ++r) side[r][column] = rows[r];
}
/// outer * J_a * middle * J_b * inner on the axis; column 3 a + b.
Side side_of(const Pose& outer, bool slides_a, const Pose& middle, bool slides_b, const Pose& inner,
             bool back) {
  Line axis;
  axis.one = 1;
  axis.l = Vector::unit_z();
  Line b[3], a[3];
  by_joint(slides_b, back, moved(inner, axis), b);
  Side side;
  for (int j = 0; j < 3; ++j) {
    by_joint(slides_a, back, moved(middle, b[j]), a);
    for (int i = 0; i < 3; ++i) put(side, 3 * i + j, moved(outer, a[i]));
  }
  return side;
}

/// Powers of the half tangent in 1, c, s times (1 + x^2); lengths are their own variable.
void to_powers(bool slides, double f0, double f1, double f2, double* power) {
  power[0] = slides ? f0 : f0 + f1;
  power[1] = slides ? f1 : 2 * f2;
  power[2] = slides ? f2 : f0 - f1;
}

struct Row {
  double at[9] = {};
};
Row combined(const Row& a, double fa, const Row& b, double fb) {
  Row out;
  for (int j = 0; j < 9; ++j) out.at[j] = a.at[j] * fa + b.at[j] * fb;
  return out;
}
double squared_size(const Row& a) {
  double sum = 0;
  for (const double x : a.at) sum += x * x;
  return sum;
}
/// A row over the products (3 a + b) as coefficients of x4^i x5^j at 3 i + j.
Row in_half_tangents(const Row& row, bool slides_a, bool slides_b) {
  Row half, out;
  for (int i = 0; i < 3; ++i)
    to_powers(slides_b, row.at[3 * i], row.at[3 * i + 1], row.at[3 * i + 2], half.at + 3 * i);
  for (int j = 0; j < 3; ++j) {
    double power[3];
    to_powers(slides_a, half.at[j], half.at[3 + j], half.at[6 + j], power);
    for (int i = 0; i < 3; ++i) out.at[3 * i + j] = power[i];
  }
  return out;
}

/// Rows 0 .. 6 - n2 - 1 and their twins behind them are of degree 1, the last 2 n2 of degree 2.
struct Pencil {
  int n2 = 0;
  SmallMatrix<12, 12> S0, S1, C2;  // of C2, the last 2 n2 rows
};

/// What does not depend on phi, in half tangents of 4 and 5.
struct Rows {
  int n2 = 0;  // the first n2 are A0 + c A1 + s A2, of degree 2
  Row A0[6], A1[6], A2[6];
  Row alpha[6][2], beta[6][2];  // the others: real and imaginary part of alpha + exp(-i th) beta
};

/// `right_qr` factors the last eight columns of the right side.
Rows annihilating_rows(const Side& left, const Side& right, const SmallQr<14, 8>& right_qr,
                       bool slides4, bool slides5) {
  // Qz, Qx, Qy: the rows of the right side. A combination w = (yz, bx, by) annihilates; it belongs
  // to a complex one when (by Qx - bx Qy) = -yi Qz for some yi, two conditions where Qz has rank 6.
  SmallMatrix<8, 6> Qz;
  for (int r = 0; r < 6; ++r)
    for (int j = 0; j < 8; ++j) Qz[j][r] = right[r][j + 1];
  const SmallQr<8, 6> z_qr(Qz);
  double turned[6][8];  // by Qx - bx Qy of each null vector
  SmallMatrix<6, 8> conditions;
  for (int k = 0; k < 6; ++k) {
    for (int j = 0; j < 8; ++j) {
      double sum = 0;
      for (int i = 0; i < 4; ++i)
        sum += right_qr.Q[10 + i][8 + k] * right[6 + i][j + 1] -
               right_qr.Q[6 + i][8 + k] * right[10 + i][j + 1];
      turned[k][j] = sum;
    }
    for (int c = z_qr.rank; c < 8; ++c)
      for (int j = 0; j < 8; ++j) conditions[k][c - z_qr.rank] += turned[k][j] * z_qr.Q[j][c];
  }
  const SmallQr<6, 8> split(conditions);

  Rows rows;
  rows.n2 = split.rank;
  for (int n = 0; n < 6; ++n) {
    double w[14] = {}, g[8] = {};
    for (int k = 0; k < 6; ++k) {
      for (int i = 0; i < 14; ++i) w[i] += right_qr.Q[i][8 + k] * split.Q[k][n];
      for (int j = 0; j < 8; ++j) g[j] -= turned[k][j] * split.Q[k][n];
    }
    Row fixed, cosine, sine, other;
    for (int j = 0; j < 9; ++j) {
      for (int i = 0; i < 6; ++i) fixed.at[j] += w[i] * left[i][j];
      for (int i = 0; i < 4; ++i) {
        const double x = left[6 + i][j], y = left[10 + i][j], bx = w[6 + i], by = w[10 + i];
        cosine.at[j] += bx * x + by * y;
        sine.at[j] += by * x - bx * y;
      }
    }
    for (int i = 0; i < 14; ++i) fixed.at[0] -= w[i] * right[i][0];
    const auto half = [&](const Row& f) { return in_half_tangents(f, slides4, slides5); };
    if (n < rows.n2) {
      rows.A0[n] = half(fixed), rows.A1[n] = half(cosine), rows.A2[n] = half(sine);
      continue;
    }
    // yi Qz = g, and the imaginary part of the row: (bx + i by)(Vx - i Vy) = cosine + i sine.
    double yi[6];
    z_qr.solve(g, yi);
    for (int j = 0; j < 9; ++j)
      for (int i = 0; i < 6; ++i) other.at[j] += yi[i] * left[i][j];
    for (int i = 0; i < 6; ++i) other.at[0] -= yi[i] * right[i][0];
    for (int i = 0; i < 4; ++i)
      other.at[0] -= w[10 + i] * right[6 + i][0] - w[6 + i] * right[10 + i][0];
    rows.alpha[n][0] = half(fixed), rows.alpha[n][1] = half(other);
    rows.beta[n][0] = half(cosine), rows.beta[n][1] = half(sine);
  }
  return rows;
}

void put_row(SmallMatrix<12, 12>& S, int row, int twin, const Row& f, double size) {
  for (int j = 0; j < 9; ++j) S[row][j] = S[twin][j + 3] = f.at[j] * size;  // twin: times x4
}

Pencil pencil_at(const Rows& rows, double phi) {
  Pencil pencil;
  const auto [s, c] = sincos(phi);
  const int n2 = pencil.n2 = rows.n2, n1 = 6 - n2;
  for (int r = 0; r < n1; ++r) {
    // beta' = exp(-i phi) beta;  Re(alpha + beta') - x Im(alpha - beta')
    const auto& alpha = rows.alpha[n2 + r];
    const auto& beta = rows.beta[n2 + r];
    const Row re = combined(beta[0], c, beta[1], s), im = combined(beta[1], c, beta[0], -s);
    const Row f0 = combined(alpha[0], 1, re, 1), f1 = combined(im, 1, alpha[1], -1);
    const double size = 1 / std::sqrt(squared_size(f0) + squared_size(f1));
    put_row(pencil.S0, r, n1 + r, f0, size);
    put_row(pencil.S1, r, n1 + r, f1, size);
  }
  for (int r = 0; r < n2; ++r) {
    const int row = 2 * n1 + r;
    const Row A1 = combined(rows.A1[r], c, rows.A2[r], s);
    const Row A2 = combined(rows.A2[r], c, rows.A1[r], -s);
    const Row f0 = combined(rows.A0[r], 1, A1, 1), f2 = combined(rows.A0[r], 1, A1, -1);
    const double size = 1 / std::sqrt(squared_size(f0) + squared_size(f2) + 4 * squared_size(A2));
    put_row(pencil.S0, row, row + n2, f0, size);
    put_row(pencil.S1, row, row + n2, A2, 2 * size);
    put_row(pencil.C2, row, row + n2, f2, size);
  }
  return pencil;
}

/// x4 and x5 as y/x from the product vector.
struct HalfTangents {
  double y4, x4, y5, x5;
};
HalfTangents factors_of(const double* v) {
  int best4 = 0, best5 = 0;
  double size4 = -1, size5 = -1;
  for (int i = 0; i < 4; ++i) {
    const double *row = v + 3 * i, n = row[0] * row[0] + row[1] * row[1] + row[2] * row[2];
    if (n > size4) size4 = n, best4 = i;
  }
  for (int j = 0; j < 3; ++j) {
    const double n = v[j] * v[j] + v[3 + j] * v[3 + j] + v[6 + j] * v[6 + j] + v[9 + j] * v[9 + j];
    if (n > size5) size5 = n, best5 = j;
  }
  const double* row = v + 3 * best4;
  const double c[4] = {v[best5], v[3 + best5], v[6 + best5], v[9 + best5]};
  const bool high4 = std::abs(c[3]) > std::abs(c[0]), high5 = std::abs(row[2]) > std::abs(row[0]);
  return {high4 ? c[3] : c[1], high4 ? c[2] : c[0], high5 ? row[2] : row[1],
          high5 ? row[1] : row[0]};
}

/// Everything about one target and one numbering of the joints.
class Elimination {
 public:
  Elimination(const Chain& chain, int shift, const Pose& target, Sink& sink)
      : shift_(shift), sink_(sink), scale_(sink.plan.dh.scale) {
    for (int i = 0; i < 6; ++i) {
      const int j = (i + shift) % 6;
      slides_[i] = chain.slides[j];
      L_[i] = j < 5 ? chain.link[j + 1] : chain.link[6] * inverse(target) * chain.link[0];
      L_[i].p = L_[i].p * (1 / scale_);
    }
    left_ = side_of(L_[2], slides_[3], L_[3], slides_[4], L_[4], false);
    right_ = side_of(inverse(L_[1]), slides_[1], inverse(L_[0]), slides_[0], inverse(L_[5]), true);
  }

  double run() {
    SmallMatrix<14, 8> unknown;
    for (int i = 0; i < 14; ++i)
      for (int j = 0; j < 8; ++j) unknown[i][j] = right_[i][j + 1];
    const SmallQr<14, 8> right_qr(unknown);
    const Rows rows = annihilating_rows(left_, right_, right_qr, slides_[3], slides_[4]);
    double best = -1;
    for (const double phi : {0.37, 1.93, 3.49, 5.05}) {
      SmallMatrix<12, 12> S0 = pencil_at(rows, phi).S0;
      int exchange[12];
      const double gap = eliminate(S0, 12, exchange).ratio();
      if (gap > best) best = gap, phi_ = phi;
    }
    if (!(best > 1e-14)) return 0;
    const Pencil pencil = pencil_at(rows, phi_);
    // v, then the s of the 2 n2 rows of degree 2: at most 24, 16 in general
    const int n2 = pencil.n2, first = 12 - 2 * n2, size = 12 + 2 * n2;
    SmallMatrix<12, 12> S0 = pencil.S0;
    SmallMatrix<12, 24> solved;
    for (int i = 0; i < 12; ++i)
      for (int j = 0; j < 12; ++j) solved[i][j] = -pencil.S1[i][j];
    for (int i = first; i < 12; ++i) solved[i][12 + i - first] = 1;
    solve_in_place(S0, solved);
    SmallMatrix<24, 24> M;
    for (int i = 0; i < 12; ++i)
      for (int j = 0; j < size; ++j) M[i][j] = solved[i][j];
    for (int i = first; i < 12; ++i)
      for (int j = 0; j < 12; ++j) M[12 + i - first][j] = -pencil.C2[i][j];
    double re[24], im[24];
    // Roots that should be double come apart, as the square root of what is off.
    const double nearly_real = sink_.plan.disturbed ? 0.1 : 1e-4;
    if (!internal::eigenvalues(M[0], 24, size, re, im)) return 0;
    for (int i = 0; i < size; ++i) {
      const double off = std::abs(im[i]) / (1 + re[i] * re[i] + im[i] * im[i]);  // rad / 2
      if (im[i] >= 0 && off < nearly_real) root(pencil, right_qr, re[i]);
    }
    return best;
  }

 private:
  void root(const Pencil& pencil, const SmallQr<14, 8>& right_qr, double mu) {
    SmallMatrix<12, 12> S;
    const double size = 1 / (1 + std::abs(mu));
    for (int i = 0; i < 12; ++i)
      for (int j = 0; j < 12; ++j) S[i][j] = (pencil.S0[i][j] * mu + pencil.S1[i][j]) * size;
    for (int i = 12 - 2 * pencil.n2; i < 12; ++i)
      for (int j = 0; j < 12; ++j) S[i][j] = (S[i][j] * mu + pencil.C2[i][j] * size) * size;
    SmallLu<12> factors;
    (void)factors.factorise(S, 12, 1e-7, 8);
    SmallMatrix<12, 4> null;
    const int nullity = factors.null_space(null);
    const double theta3 = phi_ + 2 * atan2(1.0, mu);
    if (nullity > 1) return split(right_qr, theta3, null, nullity);
    double v[12];
    for (int i = 0; i < 12; ++i) v[i] = null[i][0];
    finish(right_qr, theta3, factors_of(v));
  }

  /// Several solutions share th3: x4 is an eigenvalue of the shift on the null space.
  void split(const SmallQr<14, 8>& right_qr, double theta3, const SmallMatrix<12, 4>& null, int n) {
    const double c = 0.7648421872844885, s = 0.644217687237691;  // a turn, so that infinity is none
    SmallMatrix<4, 4> gram, shifted;
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b)
        for (int i = 0; i < 9; ++i) {
          const double base_a = null[i + 3][a] * s + null[i][a] * c;
          gram[a][b] += base_a * (null[i + 3][b] * s + null[i][b] * c);
          shifted[a][b] += base_a * (null[i + 3][b] * c - null[i][b] * s);
        }
    for (int a = n; a < 4; ++a) gram[a][a] = 1;
    if (solve_in_place(gram, shifted) < 1e-14) return;
    SmallMatrix<4, 4> copy = shifted;
    double re[4], im[4];
    if (!internal::eigenvalues(copy[0], 4, n, re, im)) return;
    for (int k = 0; k < n; ++k) {
      if (im[k] < 0 || im[k] > 1e-4) continue;
      SmallMatrix<4, 4> rest = shifted;
      for (int a = 0; a < n; ++a) rest[a][a] -= re[k];
      SmallLu<4> factors;
      (void)factors.factorise(rest, n, 0);
      SmallMatrix<4, 1> vector;
      (void)factors.null_space(vector);
      double v[12] = {};
      for (int i = 0; i < 12; ++i)
        for (int a = 0; a < n; ++a) v[i] += null[i][a] * vector[a][0];
      finish(right_qr, theta3, factors_of(v));
    }
  }

  static double value(bool slides, double y, double x) {
    return slides ? (std::abs(x) > 1e-12 * std::abs(y) ? y / x : 0) : 2 * atan2(y, x);
  }

  void finish(const SmallQr<14, 8>& right_qr, double theta3, const HalfTangents& x) {
    double q[6] = {0, 0, theta3, value(slides_[3], x.y4, x.x4), value(slides_[4], x.y5, x.x5), 0};
    double f[2][3];
    for (int j = 0; j < 2; ++j) {
      const auto [s, c] = sincos(q[3 + j]);
      f[j][0] = 1;
      f[j][1] = slides_[3 + j] ? q[3 + j] : c;
      f[j][2] = slides_[3 + j] ? q[3 + j] * q[3 + j] : s;
    }
    double b[14] = {};
    for (int r = 0; r < 14; ++r)
      for (int j = 0; j < 9; ++j) b[r] += left_[r][j] * f[0][j / 3] * f[1][j % 3];
    const auto [s3, c3] = sincos(theta3);
    for (int i = 0; i < 4; ++i) {
      const double bx = b[6 + i], by = b[10 + i];
      b[6 + i] = bx * c3 - by * s3;
      b[10 + i] = bx * s3 + by * c3;
    }
    for (int r = 0; r < 14; ++r) b[r] -= right_[r][0];
    double m[8];
    right_qr.solve(b, m);  // products 1..8 of joints 2 (slow index) and 1
    q[0] = slides_[0] ? m[0] : atan2(m[1], m[0]);
    q[1] = slides_[1] ? m[2] : atan2(m[5], m[2]);
    Pose P{};
    for (int i = 0; i < 5; ++i) {
      const bool slides = slides_[i];
      const auto [s, c] = sincos(slides ? 0.0 : q[i]);
      P = P * Pose{{{c, s, 0}, {-s, c, 0}, {0, 0, 1}}, {0, 0, slides ? q[i] : 0}} * L_[i];
    }
    const SO3<double> R6 = transpose(L_[5].R * P.R);
    q[5] = atan2(R6.c0.y - R6.c1.x, R6.c0.x + R6.c1.y);
    Proposal proposal;
    for (int i = 0; i < 6; ++i) proposal.q[(i + shift_) % 6] = slides_[i] ? q[i] * scale_ : q[i];
    proposal.branch.number = sink_.result.n_solutions + 1;
    sink_.propose(proposal);
  }

  int shift_;
  Sink& sink_;
  double scale_ = 1, phi_ = 0;
  FixedArray<bool, 6> slides_{};
  FixedArray<Pose, 6> L_{};
  Side left_, right_;
};

}  // namespace

bool can_eliminate(const Chain& chain, int shift) {
  return chain.n == 6 && !chain.slides[(2 + shift) % 6] && !chain.slides[(5 + shift) % 6];
}

double solve_by_elimination(const Chain& chain, int shift, const Pose& target, Sink& sink) {
  return Elimination(chain, shift, target, sink).run();
}

}  // namespace torsor::ik
