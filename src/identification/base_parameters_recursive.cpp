#include <algorithm>
#include <cmath>
#include <random>

#include "base_parameter_ways.hpp"
#include "torsor/linear/svd.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/joint_units.hpp"

namespace torsor::internal {
namespace {

constexpr int ten = parameters_per_body;

using Row = std::array<double, ten>;
using Transport = std::array<Row, ten>;  // p_parent = A p_child, by rows

/// <I(p) V1, V2> / 2 as a row of the ten parameters.
Row energy_row(const Twist<double>& V1, const Twist<double>& V2) {
  Row y;
  Row p{};
  for (int k = 0; k < ten; ++k) {
    p[static_cast<std::size_t>(k)] = 1;
    y[static_cast<std::size_t>(k)] = 0.5 * dot(V2, inertia_of(p.data()) * V1);
    p[static_cast<std::size_t>(k)] = 0;
  }
  return y;
}

Transport transport(const SE3<double>& T) {
  Transport A;
  Row p{};
  for (std::size_t k = 0; k < ten; ++k) {
    p[k] = 1;
    const Row column = parameters_of(transported(T, inertia_of(p.data())));
    for (std::size_t r = 0; r < ten; ++r) A[r][k] = column[r];
    p[k] = 0;
  }
  return A;
}
Row times(const Row& y, const Transport& A) {
  Row out{};
  for (std::size_t r = 0; r < ten; ++r)
    for (std::size_t c = 0; c < ten; ++c) out[c] += y[r] * A[r][c];
  return out;
}
Row operator-(const Row& a, const Row& b) {
  Row out;
  for (std::size_t k = 0; k < ten; ++k) out[k] = a[k] - b[k];
  return out;
}

/// Rows of n numbers, reduced to an orthonormal basis of their span.
class Span {
 public:
  Span(int n, double tolerance) : n_(n), tolerance_(tolerance) {}

  template <class Numbers>
  void add(const Numbers& row) {
    for (int k = 0; k < n_; ++k) rows_.push_back(row[static_cast<std::size_t>(k)]);
  }
  int count() const { return rows_.size() / n_; }
  const double* row(int k) const { return rows_.data() + k * n_; }

  /// What is not seen against the largest row is dropped.
  void reduce() {
    const int count_now = count();
    if (count_now == 0) return;
    Svd svd(count_now, n_);
    svd.factorise({rows_.data(), count_now, n_, n_, 1});
    Array<double> basis;
    for (int k = 0; k < svd.size() && svd.sigma(k) > tolerance_ * svd.largest(); ++k)
      for (int c = 0; c < n_; ++c) basis.push_back(svd.right(c, k));
    if (svd.largest() < tolerance_) basis.clear();
    rows_ = std::move(basis);
  }

 private:
  int n_;
  double tolerance_;
  Array<double> rows_;
};

/// What a body can see: its twists, kinetic energies and potentials, in its link frame.
struct Seen {
  Span twists, kinetic, potential;

  explicit Seen(double tolerance)
      : twists(6, tolerance), kinetic(ten, tolerance), potential(ten, tolerance) {}
  void reduce() {
    twists.reduce();
    kinetic.reduce();
    potential.reduce();
  }
};
Row row_of(const double* x) {
  Row y;
  std::copy_n(x, ten, y.begin());
  return y;
}
Twist<double> twist_of(const double* x) { return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }
std::array<double, 6> numbers_of(const Twist<double>& V) {
  return {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
}

/// A joint at some q: pose of the body's link frame in that of its parent, columns in the former.
struct JointAt {
  SE3<double> T{};
  Array<Twist<double>> S{};
};
/// Lengths in units of `size`, rates in `rate_units`.
JointAt joint_at(const Model<double>& model, int i, const Array<double>& q, double size,
                 const Array<double>& rate_units) {
  JointAt at{joint_pose(model, i, q), {}};
  at.T.p = at.T.p * (1 / size);
  const auto S = joint_subspace(model, i, q);
  for (int c = 0; c < model.body(i).v.count; ++c) {
    const double rate = rate_units[model.body(i).v.first + c];
    at.S.push_back({S[c].w * rate, S[c].v * (rate / size)});
  }
  return at;
}

/// Columns of B that are kept, and how the others follow from them: B_k = sum_j B_kept[j] x[j][k].
struct Elimination {
  Array<int> kept{};
  Matrix x{};  // kept x columns

  bool keeps(int k) const { return std::find(kept.begin(), kept.end(), k) != kept.end(); }
};
Elimination eliminate(Matrix B, const Array<int>& order) {
  const int rows = B.rows(), cols = B.cols();
  Elimination out;
  Array<bool> is_kept(cols, false);
  // Columns with a clear part of their own first; ever smaller parts only where rows are left over.
  for (double least = 1e-3; out.kept.size() < rows && least > 1e-12; least *= 1e-3) {
    for (const int k : order) {
      const int done = out.kept.size();
      if (done == rows) break;
      if (is_kept[k]) continue;
      int pivot = done;
      for (int r = done; r < rows; ++r)
        if (std::abs(B(r, k)) > std::abs(B(pivot, k))) pivot = r;
      if (std::abs(B(pivot, k)) <= least) continue;
      for (int c = 0; c < cols; ++c) std::swap(B(pivot, c), B(done, c));
      const double inverse = 1 / B(done, k);
      for (int c = 0; c < cols; ++c) B(done, c) *= inverse;
      for (int r = 0; r < rows; ++r) {
        const double factor = r == done ? 0 : B(r, k);
        for (int c = 0; factor != 0 && c < cols; ++c) B(r, c) -= factor * B(done, c);
      }
      is_kept[k] = true;
      out.kept.push_back(k);
    }
  }
  out.x = std::move(B);
  return out;
}

/// Joint states at which bodies look; at the first one all joints are neutral.
Array<Array<double>> postures(const Model<double>& model, double size) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> part(-1, 1);
  Array<double> q0(model.n_q()), step(model.n_v());
  neutral(model, q0);
  const std::vector<Measure> measures = velocity_measures(model);
  int most = 1;
  for (int i = 1; i < model.n_bodies(); ++i) most = std::max(most, model.body(i).v.count);
  Array<Array<double>> all;
  all.push_back(q0);
  for (int sample = 1; sample < 16 * most; ++sample) {
    for (int k = 0; k < model.n_v(); ++k)
      step[k] =
          part(random) * (measures[static_cast<std::size_t>(k)] == Measure::length ? size : 3.0);
    Array<double> q(model.n_q());
    integrate(model, q0, step, q);
    all.push_back(std::move(q));
  }
  return all;
}

class Regrouping {
 public:
  Regrouping(const Model<double>& model, const BaseParameterOptions& options)
      : model_(model),
        options_(options),
        size_(size_of(model)),
        units_(parameter_units(model, options, size_)),
        base_(all_named(model, options)),
        postures_(postures(model, size_)),
        rotors_(model.n_bodies()),
        rotor_column_(model.n_v(), -1),
        told_(model.n_bodies()) {
    for (const Measure measure : velocity_measures(model))
      rates_.push_back(measure == Measure::length ? size_ : 1);
    for (int next = ten * (model.n_bodies() - 1); const int k : rotor_velocities(model, options)) {
      int i = 1;
      while (k >= model.body(i).v.first + model.body(i).v.count) ++i;
      rotors_[i].push_back(k);
      rotor_column_[k] = next++;
    }
  }

  BaseParameters run() {
    look_outwards();
    move_inwards();
    finish(base_);
    return std::move(base_);
  }

 private:
  int count() const { return static_cast<int>(base_.names.size()); }
  double unit(int k) const { return units_[k]; }

  /// From the base outwards: what each body can see, and by which rows its joint tells columns apart.
  void look_outwards() {
    std::vector<Seen> seen(static_cast<std::size_t>(model_.n_bodies()), Seen(options_.tolerance));
    const auto at = [&](int i) -> Seen& { return seen[static_cast<std::size_t>(i)]; };
    if (const Vec3<double> g = model_.gravity(); norm(g) > 0) {
      const Vec3<double> up = g * (-1 / norm(g));
      at(0).potential.add(Row{0, up.x, up.y, up.z, 0, 0, 0, 0, 0, 0});
    }
    for (int i = 1; i < model_.n_bodies(); ++i) {
      told_[i] = look(i, at(model_.body(i).parent), at(i));
      at(i).reduce();
    }
  }

  /// Rows over the ten columns of body i and its joint's rotors, orthonormal.
  Matrix look(int i, const Seen& parent, Seen& own) const {
    const Body<double>& b = model_.body(i);
    const Array<int>& rotor = rotors_[i];
    Span tells(ten + rotor.size(), options_.tolerance);
    const auto tell = [&](const Row& y, int velocity = -1) {
      Array<double> row(ten + rotor.size(), 0.0);
      std::copy(y.begin(), y.end(), row.begin());
      for (int k = 0; k < rotor.size(); ++k)
        if (rotor[k] == velocity) row[ten + k] = 0.5;
      tells.add(row);
    };
    const Transport A0 = transport(joint_at(model_, i, postures_[0], size_, rates_).T);
    for (int sample = 0; sample < 16 * std::max(1, b.v.count); ++sample) {
      const JointAt joint = joint_at(model_, i, postures_[sample], size_, rates_);
      const Transport A = transport(joint.T);
      const auto carry = [&](const Span& from, Span& to) {
        for (int k = 0; k < from.count(); ++k) {
          const Row y = row_of(from.row(k)), here = times(y, A);
          to.add(here);
          tell(here - times(y, A0));
        }
      };
      carry(parent.kinetic, own.kinetic);
      carry(parent.potential, own.potential);
      const auto energy = [&](const Twist<double>& V, const Twist<double>& S, int velocity = -1) {
        const Row y = energy_row(S, V);
        own.kinetic.add(y);
        tell(y, velocity);
      };
      for (int k = 0; k < parent.twists.count(); ++k) {
        const Twist<double> V = Ad_inv(joint.T, twist_of(parent.twists.row(k)));
        own.twists.add(numbers_of(V));
        for (const Twist<double>& S : joint.S) energy(V, S);
      }
      for (int a = 0; a < joint.S.size(); ++a) {
        own.twists.add(numbers_of(joint.S[a]));
        for (int c = 0; c < a; ++c) energy(joint.S[a], joint.S[c]);
        energy(joint.S[a], joint.S[a], b.v.first + a);
      }
    }
    tells.reduce();
    Matrix rows(tells.count(), ten + rotor.size());
    for (int r = 0; r < rows.rows(); ++r)
      for (int c = 0; c < rows.cols(); ++c) rows(r, c) = tells.row(r)[c];
    return rows;
  }

  /// From the tips inwards: columns that are told apart are kept, the rest moves to the parent.
  void move_inwards() {
    const int n = model_.n_bodies(), N = count();
    own_.assign(n, Matrix(ten, N));
    for (int i = 1; i < n; ++i)
      for (int k = 0; k < ten; ++k) own_[i](k, ten * (i - 1) + k) = 1;
    Array<Array<double>> rows;
    for (int i = n - 1; i > 0; --i) {
      Array<int> order(std::begin(kept_order(model_)), std::end(kept_order(model_)));
      for (int k = ten; k < told_[i].cols(); ++k) order.push_back(k);
      const Elimination columns = eliminate(told_[i], order);
      for (int j = 0; j < columns.kept.size(); ++j) rows.push_back(keep(i, columns, j));
      if (model_.body(i).parent != 0) move_to_parent(i, columns);
    }
    // What rounding left of sums that cancel is no coefficient.
    base_.regrouping = Matrix(rows.size(), N);
    for (int r = 0; r < rows.size(); ++r)
      for (int c = 0; c < N; ++c)
        if (std::abs(rows[r][c]) * unit(c) > options_.tolerance * unit(base_.kept[r]))
          base_.regrouping(r, c) = rows[r][c];
  }

  /// Column k of body i among all parameters, and what stands in that column by now, as a row of all.
  int column(int i, int k) const {
    return k < ten ? ten * (i - 1) + k : rotor_column_[rotors_[i][k - ten]];
  }
  double stands(int i, int k, int c) const {
    return k < ten ? own_[i](k, c) : c == column(i, k) ? 1 : 0;
  }
  /// x of column k in kept column j, in the units of the parameters; zero where it is noise.
  double factor(int i, const Elimination& columns, int j, int k) const {
    const double x = columns.x(j, k);
    return std::abs(x) < options_.tolerance
               ? 0
               : x * unit(column(i, columns.kept[j])) / unit(column(i, k));
  }

  Array<double> keep(int i, const Elimination& columns, int j) {
    base_.kept.push_back(column(i, columns.kept[j]));
    Array<double> row(count(), 0.0);
    for (int k = 0; k < columns.x.cols(); ++k) {
      const double x = k == columns.kept[j] ? 1 : columns.keeps(k) ? 0 : factor(i, columns, j, k);
      for (int c = 0; x != 0 && c < row.size(); ++c) row[c] += x * stands(i, k, c);
    }
    return row;
  }

  void move_to_parent(int i, const Elimination& columns) {
    const Transport A = transport(joint_at(model_, i, postures_[0], 1, rates_).T);
    Matrix& parent = own_[model_.body(i).parent];
    for (int k = 0; k < columns.x.cols(); ++k) {
      if (columns.keeps(k)) continue;
      Row moved{};  // a unit of column k less what is kept of it
      if (k < ten) moved[static_cast<std::size_t>(k)] = 1;
      for (int j = 0; j < columns.kept.size(); ++j)
        if (columns.kept[j] < ten)
          moved[static_cast<std::size_t>(columns.kept[j])] -= factor(i, columns, j, k);
      for (int r = 0; r < ten; ++r) {
        double weight = 0;
        for (std::size_t c = 0; c < ten; ++c)
          weight += A[static_cast<std::size_t>(r)][c] * moved[c];
        if (std::abs(weight) * unit(column(i, k)) < options_.tolerance * unit(r)) continue;
        for (int c = 0; c < count(); ++c) parent(r, c) += weight * stands(i, k, c);
      }
    }
  }

  const Model<double>& model_;
  const BaseParameterOptions& options_;
  double size_;
  Array<double> units_;    // of parameters
  Array<double> rates_{};  // units of velocities: a slide's is as fast as the robot is large
  BaseParameters base_;
  Array<Array<double>> postures_;
  Array<Array<int>> rotors_;  // of a body's joint: velocities that have one
  Array<int> rotor_column_;   // by velocity, among all parameters
  Array<Matrix> told_;        // by body: rows by which its joint tells columns apart
  Array<Matrix> own_;         // by body: its ten with what came to it, as rows of all parameters
};

}  // namespace

BaseParameters recursive_base_parameters(const Model<double>& model,
                                         const BaseParameterOptions& options) {
  return Regrouping(model, options).run();
}

}  // namespace torsor::internal
