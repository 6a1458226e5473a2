// Self-motions: what of a solution may move while the frame stays, and in how many directions.
//
// With z = q (lengths by the size of the arm), the null space of J at a solution holds every velocity
// that leaves the frame at rest; but an arm stretched out has such a velocity and no motion. So a
// step is taken along it and the frame is brought back: what is left of the step is motion.
//
// Where q + t n keeps the pose for every t and every n of that null space, the family is linear: axes
// that lie in one line. If it moves one joint more than it has dimensions, one sum of joints stays.
#include <algorithm>
#include <cmath>

#include "analytic_ik/parts.hpp"
#include "torsor/linear/internal/small_matrix.hpp"
#include "torsor/math/internal/symmetric_eigen.hpp"

namespace torsor::ik {

using internal::SmallMatrix;

namespace {

constexpr double zero_square = 1e-13;  // of a singular value of J by the largest
constexpr double step = 0.1, far = 0.7;
constexpr double same_pose = 1e-9;
constexpr double moves_at_all = 1e-6;

using Matrix = FixedArray<Joints, max_ik_joints>;
/// Of a symmetric matrix of which the upper triangle is read: values ascending.
struct EigenPairs {
  Joints values{};
  Matrix vectors{};  ///< vectors[k] belongs to values[k]
};
EigenPairs eigen_pairs(Matrix a) {
  EigenPairs pairs;
  internal::diagonalise(a[0].data(), pairs.vectors[0].data(), max_ik_joints);
  for (int k = 0; k < max_ik_joints; ++k) pairs.values[k] = a[k][k];
  return pairs;
}

/// Orthonormal vectors z with J z = 0.
struct NullSpace {
  int n = 0;
  Matrix vector{};
};
NullSpace null_space(const Dh& dh, const Joints& q) {
  Vector w[max_ik_joints], v[max_ik_joints];
  forward(dh, q.data(), w, v);
  Matrix H{};  // J^T J
  for (int i = 0; i < max_ik_joints; ++i)
    for (int j = i; j < max_ik_joints; ++j) {
      if (j >= dh.n) {  // a joint that is not there has no part in it
        H[i][j] = i == j ? 1 : 0;
        continue;
      }
      const double ci = dh.slides[i] ? 1 : 1 / dh.scale;
      const double cj = dh.slides[j] ? 1 : 1 / dh.scale;
      H[i][j] = dot(w[i], w[j]) + dot(v[i], v[j]) * (ci * cj);
    }
  const EigenPairs pairs = eigen_pairs(H);
  NullSpace null;
  const double most = pairs.values[max_ik_joints - 1];
  while (null.n < dh.n && pairs.values[null.n] < zero_square * most) {
    null.vector[null.n] = pairs.vectors[null.n];
    ++null.n;
  }
  return null;
}

Joints moved(const Dh& dh, const Joints& q, const Joints& z, double by) {
  Joints out = q;
  for (int i = 0; i < dh.n; ++i) out[i] += by * z[i] * (dh.slides[i] ? dh.scale : 1);
  return out;
}

bool is_linear(const Dh& dh, const Pose& target, const Joints& q, const NullSpace& null) {
  for (int k = 0; k < null.n; ++k)
    for (const double by : {far, -far}) {
      const PoseError e = pose_error(forward(dh, moved(dh, q, null.vector[k], by).data()), target);
      if (e.position > same_pose || e.rotation > same_pose) return false;
    }
  return true;
}

/// Of a null space, the directions in which the arm really moves. With n_k its vectors and d_k where a
/// step along n_k ends once the frame is back at its place, n_j . d_k is the projection on them.
NullSpace true_motions(const Dh& dh, const Pose& target, const Joints& q, const NullSpace& null) {
  Matrix P{};
  for (int k = 0; k < null.n; ++k) {
    Joints x = moved(dh, q, null.vector[k], step);
    const PoseError e = approach(dh, target, nullptr, x.data(), 60);
    if (e.position > same_pose || e.rotation > same_pose) continue;
    for (int j = 0; j < null.n; ++j) {
      double along = 0;
      for (int i = 0; i < dh.n; ++i)
        along += null.vector[j][i] * (x[i] - q[i]) / (dh.slides[i] ? dh.scale : 1);
      P[std::min(j, k)][std::max(j, k)] += along / step * (j == k ? 1 : 0.5);
    }
  }
  const EigenPairs pairs = eigen_pairs(P);
  NullSpace out;
  for (int m = 0; m < max_ik_joints; ++m) {
    if (pairs.values[m] < 0.4) continue;
    Joints& z = out.vector[out.n++];
    for (int k = 0; k < null.n; ++k)
      for (int i = 0; i < dh.n; ++i) z[i] += pairs.vectors[m][k] * null.vector[k][i];
  }
  return out;
}

/// How much of row i of the null space is left across the rows of the joints chosen so far.
double independent_part(const NullSpace& null, int i, const SelfMotion& motion, int chosen) {
  FixedArray<Joints, max_ik_joints> basis{};
  const auto row = [&](int joint) {
    Joints r{};
    for (int k = 0; k < null.n; ++k) r[k] = null.vector[k][joint];
    return r;
  };
  Joints r{};
  for (int c = 0; c <= chosen; ++c) {
    r = row(c < chosen ? motion.free_joints[c] : i);
    for (int b = 0; b < c; ++b) {
      double along = 0;
      for (int k = 0; k < null.n; ++k) along += r[k] * basis[b][k];
      for (int k = 0; k < null.n; ++k) r[k] -= along * basis[b][k];
    }
    double size = 0;
    for (int k = 0; k < null.n; ++k) size += r[k] * r[k];
    size = std::sqrt(size);
    if (c == chosen) return size;
    for (int k = 0; k < null.n; ++k) basis[c][k] = r[k] / size;
  }
  return 0;
}

/// The joints that may be chosen: `first` before the others, where it can be one.
void choose_free(const Dh& dh, const NullSpace& null, int first, SelfMotion& motion) {
  int chosen = 0;
  for (int k = -1; k < dh.n && chosen < null.n; ++k) {
    const int i = k < 0 ? first : k;
    if (i < 0 || (k >= 0 && k == first)) continue;
    if (independent_part(null, i, motion, chosen) > 0.02) motion.free_joints[chosen++] = i;
  }
}

/// The sum that stays, where all other joints are still and the moving ones are one too many.
void find_combination(const Dh& dh, const NullSpace& null, SelfMotion& motion) {
  int moving = 0, best = -1;
  double most = 0;
  const auto across = [&](int i, int k) {  // entry i of e_k less its part in the null space
    double sum = i == k ? 1 : 0;
    for (int n = 0; n < null.n; ++n) sum -= null.vector[n][i] * null.vector[n][k];
    return sum;
  };
  for (int i = 0; i < dh.n; ++i) {
    double size = 0;
    for (int n = 0; n < null.n; ++n) size += std::abs(null.vector[n][i]);
    if (size < moves_at_all) continue;
    ++moving;
    if (across(i, i) > most) most = across(i, i), best = i;
  }
  if (moving != null.n + 1) return;
  double unit = 0;
  for (int i = 0; i < dh.n; ++i) {
    double size = 0;
    for (int n = 0; n < null.n; ++n) size += std::abs(null.vector[n][i]);
    if (size < moves_at_all) continue;
    const double c = across(i, best);
    if (unit == 0) unit = c;
    const double whole = std::round(c / unit);
    motion.combination[i] = std::abs(c / unit - whole) < moves_at_all ? whole : c / unit;
  }
}

}  // namespace

bool may_be_singular(const Dh& dh, const Joints& q) {
  Vector w[max_ik_joints], v[max_ik_joints];
  forward(dh, q.data(), w, v);
  SmallMatrix<6, 6> J;
  for (int i = 0; i < dh.n; ++i)
    for (int r = 0; r < 3; ++r)
      J[r][i] = w[i][r], J[3 + r][i] = v[i][r] / (dh.slides[i] ? 1 : dh.scale);
  int exchange[6];
  return internal::eliminate(J, 6, exchange).ratio() < 1e-5;
}

int generic_freedom(const Dh& dh) {
  int least = dh.n;
  for (int trial = 1; trial <= 6; ++trial) {
    Joints q{};
    for (int i = 0; i < dh.n; ++i) {
      const double turn = std::fmod(trial * 0.6180339887 * (1 + 0.37 * i), 1.0) * 2 - 1;
      q[i] = dh.slides[i] ? turn * dh.scale : 3.1 * turn;
    }
    const int n = null_space(dh, q).n;
    least = n < least ? n : least;
  }
  return least;
}

SelfMotion self_motion(const Dh& dh, const Joints& q, int first_free) {
  SelfMotion motion;
  const Pose target = forward(dh, q.data());
  NullSpace null = null_space(dh, q);
  if (null.n == 0) return motion;
  const bool linear = is_linear(dh, target, q, null);
  if (!linear) null = true_motions(dh, target, q, null);
  motion.dimension = null.n;
  if (null.n == 0) return motion;
  choose_free(dh, null, first_free, motion);
  if (linear || is_linear(dh, target, q, null)) find_combination(dh, null, motion);
  return motion;
}

}  // namespace torsor::ik
