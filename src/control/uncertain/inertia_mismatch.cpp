#include "torsor/control/uncertain/inertia_mismatch.hpp"

#include <functional>

#include "configuration_search.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/linear/cholesky.hpp"
#include "torsor/linear/matrix.hpp"

namespace torsor {

namespace {

using Square = Array<double>;  // n x n by rows
using Coordinates = Array<double>;

/// What the true robot may be. A door may call virtually.
class Robots {
 public:
  virtual ~Robots() = default;
  virtual int size() const = 0;
  /// Everything at q: before `inertia`.
  virtual void visit(const Coordinates& q) = 0;
  /// H of robot k at the visited q, and of one robot alone at any q.
  virtual void inertia(int k, Square& H) = 0;
  virtual void inertia_at(const Coordinates& q, int k, Square& H) = 0;
};

/// The robots of a list.
class Listed final : public Robots {
 public:
  explicit Listed(const std::vector<Model<double>>& robots) : robots_(robots) {
    for (const Model<double>& robot : robots_) ws_.emplace_back(robot);
  }
  int size() const override { return robots_.size; }
  void visit(const Coordinates& q) override { q_ = &q; }
  void inertia(int k, Square& H) override { inertia_at(*q_, k, H); }
  void inertia_at(const Coordinates& q, int k, Square& H) override {
    const Model<double>& robot = robots_[k];
    mass_matrix(robot, ws_[k], q, column_major(H.data(), robot.n_v(), robot.n_v()));
  }

 private:
  View<const Model<double>> robots_;
  Array<CrbaWorkspace<double>> ws_;
  const Coordinates* q_ = nullptr;
};

/// The corners of a box of parameters: H is linear in them.
class Corners final : public Robots {
 public:
  Corners(ParameterSet& set, In<double> half_width)
      : set_(set), p_(set.values().begin(), set.values().end()), centre_(p_) {
    const int n = set.model().n_v();
    H_.resize(n * n);
    // Parameters of gravity and friction alone leave H as it is.
    for (int j = 0; j < set.size(); ++j) {
      Coordinates q(set.model().n_q());
      bool moves = false;
      for (int draw = 0; draw < 3 && half_width[j] > 0 && !moves; ++draw) {
        random_configuration(set.model(), static_cast<std::uint64_t>(draw + 1), Out<double>(q));
        const Square before = inertia_with(q, j, 0), after = inertia_with(q, j, half_width[j]);
        moves = before != after;
      }
      if (moves) column_.push_back({j, half_width[j], Square(H_.size())});
    }
    const int k = column_.size();
    size_ = k <= 10 ? 1 << k : 1024;
    std::uint64_t word = 7;
    const auto drawn = [&] {
      return static_cast<int>((word = word * 6364136223846793005u + 1) >> 63);
    };
    for (int c = 0; c < size_; ++c)
      for (int j = 0; j < k; ++j) sign_.push_back((k <= 10 ? (c >> j) & 1 : drawn()) ? 1.0 : -1.0);
  }
  int size() const override { return size_; }
  void visit(const Coordinates& q) override {
    H_ = inertia_with(q, 0, 0);
    for (Column& c : column_) {
      c.H = inertia_with(q, c.parameter, c.half_width);
      for (int e = 0; e < H_.size(); ++e) c.H[e] -= H_[e];
    }
  }
  void inertia(int k, Square& H) override {
    H = H_;
    const double* sign = sign_.data() + k * column_.size();
    for (int j = 0; j < column_.size(); ++j)
      for (int e = 0; e < H.size(); ++e) H[e] += sign[j] * column_[j].H[e];
  }
  void inertia_at(const Coordinates& q, int k, Square& H) override {
    p_ = centre_;
    for (int j = 0; j < column_.size(); ++j)
      p_[column_[j].parameter] += sign_[k * column_.size() + j] * column_[j].half_width;
    set_.inertia_matrix(q, p_, square(H));
  }

 private:
  struct Column {
    int parameter;
    double half_width;
    Square H;
  };
  OutMatrix<double> square(Square& H) const {
    return column_major(H.data(), set_.model().n_v(), set_.model().n_v());
  }
  Square inertia_with(const Coordinates& q, int parameter, double change) {
    Square H(H_.size());
    p_ = centre_;
    if (!p_.empty()) p_[parameter] += change;
    set_.inertia_matrix(q, p_, square(H));
    return H;
  }

  ParameterSet& set_;
  Coordinates p_, centre_;
  Array<Column> column_;
  Array<double> sign_;
  Square H_;
  int size_ = 1;
};

/// A number to maximise, with where it was met.
struct Worst {
  double value = 0;
  int robot = 0;
  Coordinates q;

  void meet(double x, int k, const Coordinates& where) {
    if (!(x > value)) return;
    value = x, robot = k, q = where;
  }
};

class Search {
 public:
  Search(const Model<double>& believed, Robots& robots, const MismatchOptions& options)
      : model_(believed),
        robots_(robots),
        options_(options),
        ws_(believed),
        n_(believed.n_v()),
        hat_(n_ * n_),
        inverse_(hat_.size()),
        miss_(hat_.size()),
        factors_(n_),
        x_(n_),
        y_(x_.size()) {}

  InertiaMismatch run() {
    InertiaMismatch m;
    m.n = n_, m.configurations = options_.samples, m.robots = robots_.size();
    Array<Worst> A(hat_.size()), W(hat_.size());
    Worst alpha, alpha_2;
    Coordinates q(model_.n_q());
    for (int s = 0; s < options_.samples; ++s) {
      control_detail::draw_configuration(model_, static_cast<std::uint64_t>(s + 1),
                                         options_.within_limits, Out<double>(q));
      believe(q);
      robots_.visit(q);
      for (int k = 0; k < robots_.size(); ++k) {
        robots_.inertia(k, inverse_);
        if (!compare()) return all_infinite(m);
        for (int e = 0; e < hat_.size(); ++e) {
          A[e].meet(std::abs(miss_[e]), k, q);
          W[e].meet(std::abs(inverse_[e]), k, q);
        }
        alpha.meet(norm_from_below(miss_), k, q);
        alpha_2.meet(norm_from_below(inverse_), k, q);
      }
    }
    for (int e = 0; e < hat_.size(); ++e) {
      m.A.push_back(climb(A[e], [&] { return std::abs(miss_[e]); }));
      m.W.push_back(climb(W[e], [&] { return std::abs(inverse_[e]); }));
    }
    m.alpha = climb(alpha, [&] {
      return internal::spectral_norm(row_major<const double>(miss_.data(), n_, n_));
    });
    m.alpha_2 = climb(alpha_2, [&] {
      return internal::spectral_norm(row_major<const double>(inverse_.data(), n_, n_));
    });
    return indefinite_ ? all_infinite(m) : m;
  }

 private:
  void believe(const Coordinates& q) {
    if (options_.constant_inertia > 0)
      for (int i = 0; i < n_; ++i) hat_[i * (n_ + 1)] = options_.constant_inertia;
    else
      mass_matrix(model_, ws_, q, column_major(hat_.data(), n_, n_));
  }
  /// From H in inverse_: H^-1, and H^-1 Hhat - I in miss_.
  bool compare() {
    if (!factors_.factorise(row_major<const double>(inverse_.data(), n_, n_))) {
      indefinite_ = true;
      return false;
    }
    factors_.inverse(row_major(inverse_.data(), n_, n_));
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) {
        double sum = i == j ? -1 : 0;
        for (int k = 0; k < n_; ++k) sum += inverse_[i * n_ + k] * hat_[k * n_ + j];
        miss_[i * n_ + j] = sum;
      }
    return true;
  }
  /// Some steps of the power method for the largest singular value: enough to find the worst.
  double norm_from_below(const Square& a) {
    for (double& x : x_) x = 1;
    double size = 0;
    for (int step = 0; step < 6; ++step) {
      double squares = 0;
      for (int i = 0; i < n_; ++i) {
        double& y = y_[i] = 0;
        for (int j = 0; j < n_; ++j) y += a[i * n_ + j] * x_[j];
      }
      for (int j = 0; j < n_; ++j) {
        double& x = x_[j] = 0;
        for (int i = 0; i < n_; ++i) x += a[i * n_ + j] * y_[i];
        squares += x * x;
      }
      size = std::sqrt(squares);  // |a^T a x| of |x| = 1
      if (!(size > 0)) return 0;
      for (double& x : x_) x /= size;
    }
    return std::sqrt(size);
  }
  double climb(const Worst& from, const std::function<double()>& value) {
    if (from.q.empty()) return from.value;
    std::function<double(const Coordinates&)> f = [&](const Coordinates& q) {
      believe(q);
      robots_.inertia_at(q, from.robot, inverse_);
      return compare() ? value() : 0.0;
    };
    return std::max(from.value, control_detail::climb(model_, f, from.q, options_.within_limits,
                                                      2 * hat_.size() + 2));
  }
  InertiaMismatch all_infinite(InertiaMismatch m) const {
    m.indefinite = true;
    m.A.assign(hat_.size(), infinity);
    m.W.assign(hat_.size(), infinity);
    m.alpha = m.alpha_2 = infinity;
    return m;
  }

  const Model<double>& model_;
  Robots& robots_;
  const MismatchOptions& options_;
  CrbaWorkspace<double> ws_;
  int n_;
  Square hat_, inverse_, miss_;
  Cholesky factors_;
  Array<double> x_, y_;
  bool indefinite_ = false;
};

}  // namespace

double InertiaMismatch::spectral_radius() const {
  if (indefinite) return infinity;
  return torsor::internal::spectral_radius(row_major<const double>(A.data(), n, n));
}
std::string InertiaMismatch::note() const {
  return std::to_string(configurations) + " configurations and " + std::to_string(robots) +
         " robots sampled" + (indefinite ? ", one with an indefinite inertia matrix" : "");
}

InertiaMismatch inertia_mismatch(const Model<double>& believed,
                                 const std::vector<Model<double>>& robots,
                                 const MismatchOptions& options) {
  for (const Model<double>& robot : robots)
    if (robot.n_v() != believed.n_v() || robot.n_q() != believed.n_q())
      throw Error("inertia_mismatch: robot \"" + robot.name() + "\" has other joints than \"" +
                  believed.name() + "\"");
  Listed listed(robots);
  return Search(believed, listed, options).run();
}
InertiaMismatch inertia_mismatch(ParameterSet& set, In<double> half_width,
                                 const MismatchOptions& options) {
  if (half_width.size != set.size())
    throw Error("inertia_mismatch: " + std::to_string(half_width.size) + " half widths for " +
                std::to_string(set.size()) + " parameters");
  Corners corners(set, half_width);
  return Search(set.model(), corners, options).run();
}

ConstantInertia constant_inertia(const InertiaBounds& bounds) {
  const double alpha_1 = 1 / bounds.largest, alpha_2 = 1 / bounds.smallest;
  return {2 / (alpha_1 + alpha_2), (alpha_2 - alpha_1) / (alpha_2 + alpha_1)};
}

}  // namespace torsor
