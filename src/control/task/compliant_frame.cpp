#include "torsor/control/task/compliant_frame.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/math/dual.hpp"
#include "torsor/model/error.hpp"

namespace torsor {

namespace {

using D = Dual<double, 1>;  // a number and its derivative along X'
constexpr int most = TaskCoordinates::max_size;

[[noreturn]] void refuse(const std::string& what) { throw Error("compliant frame: " + what); }

/// Rows that become orthonormal in their order.
struct OrthonormalRows {
  int n = 0, count = 0;
  D row[most][most]{};
  bool regular = true;

  /// Adds what of `a` is orthogonal to the rows so far, with length one.
  void add(const D* a) {
    D* const r = row[count++];
    D before(0), after(0);
    for (int k = 0; k < n; ++k) r[k] = a[k], before = before + a[k] * a[k];
    for (int turn = 0; turn < 2; ++turn)  // twice is enough
      for (int i = 0; i + 1 < count; ++i) {
        D along(0);
        for (int k = 0; k < n; ++k) along = along + row[i][k] * r[k];
        for (int k = 0; k < n; ++k) r[k] = r[k] - row[i][k] * along;
      }
    for (int k = 0; k < n; ++k) after = after + r[k] * r[k];
    if (!(after.value > 1e-12 * before.value)) {
      regular = false;
      return;
    }
    const D inverse = D(1) / sqrt(after);
    for (int k = 0; k < n; ++k) r[k] = r[k] * inverse;
  }
};

Vec3<D> lifted(const Vec3<double>& x) { return {D(x.x), D(x.y), D(x.z)}; }

/// Any unit vector normal to w; the coordinate axis that is farthest from it decides.
Vec3<double> some_normal(const Vec3<double>& w) {
  const double x = std::abs(w.x), y = std::abs(w.y), z = std::abs(w.z);
  const Vec3<double> axis = x <= y && x <= z   ? Vec3<double>{1, 0, 0}
                            : y <= x && y <= z ? Vec3<double>{0, 1, 0}
                                               : Vec3<double>{0, 0, 1};
  return normalised(axis - w * dot(w, axis));
}

}  // namespace

CompliantFrame::CompliantFrame(const TaskCoordinates& coordinates, Constraint constraint)
    : constraint_(std::move(constraint)),
      n_(coordinates.size()),
      positions_(coordinates.n_positions()),
      angles_(coordinates.options().angles),
      sequence_(coordinates.options().sequence) {
  Constraint& c = constraint_;
  if (!(c.angle_length > 0) || !std::isfinite(c.angle_length))
    refuse("angle_length is " + std::to_string(c.angle_length) + "; it must be positive");
  for (int k = 0; k < n_; ++k) scale_[k] = k < positions_ ? 1 : c.angle_length;
  if (c.kind == ConstraintKind::rows) {
    if (!c.function) c.count = c.gradient.size() / n_;
    m_ = c.count;
    if (m_ < 1 || m_ > n_ || (!c.function && c.gradient.size() != m_ * n_))
      refuse("the gradient has " + std::to_string(c.gradient.size()) + " numbers; rows of " +
             std::to_string(n_) + " are needed");
    if (c.seeds.size() != (n_ - m_) * n_)
      refuse("there are " + std::to_string(c.seeds.size()) + " numbers of seeds; " +
             std::to_string((n_ - m_) * n_) + " are needed");
    return;
  }
  const bool round = c.kind == ConstraintKind::circle || c.kind == ConstraintKind::sphere;
  const int needed = c.kind == ConstraintKind::sphere                                    ? 3
                     : c.kind == ConstraintKind::plane || c.kind == ConstraintKind::face ? 1
                                                                                         : 2;
  if (positions_ < needed)
    refuse("this constraint needs " + std::to_string(needed) + " positions; the task has " +
           std::to_string(positions_));
  if (round && !(c.radius > 0)) refuse("the radius must be positive");
  const auto chosen = [&](const Vec3<double>& x) {
    Vec3<double> y{};
    for (int k = 0; k < positions_; ++k) y[k] = x[coordinates.axis(k)];
    return y;
  };
  const bool flat = positions_ == 2;
  w_ = flat && round ? Vec3<double>{0, 0, 1} : chosen(c.normal);
  if (!(norm(w_) > 0)) refuse("the normal has no part in the task's positions");
  origin_ = chosen(c.origin);
  w_ = normalised(w_);
  u_ = chosen(c.tangent);
  u_ = norm(u_) > 0 ? u_ - w_ * dot(w_, u_) : some_normal(w_);
  if (flat && !round) u_ = {-w_.y, w_.x, 0};
  if (!(norm(u_) > 1e-9)) refuse("the tangent lies along the normal");
  u_ = normalised(u_);
  v_ = cross(w_, u_);
  m_positions_ =
      positions_ == 3 && (c.kind == ConstraintKind::line || c.kind == ConstraintKind::circle) ? 2
                                                                                              : 1;
  m_ = m_positions_;
  if (c.kind == ConstraintKind::face) {
    if (angles_ == TaskAngles::none) refuse("a face needs angles in the task");
    if (angles_ != TaskAngles::planar && positions_ < 3) refuse("a face needs all positions");
    m_ += angles_ == TaskAngles::planar ? 1 : 2;
  }
}

void CompliantFrame::fill_rows(In<double> X, In<double> Xdot) {
  D A[most][most]{}, phi[most]{}, x[most];
  for (int k = 0; k < n_; ++k) x[k].value = X[k], x[k].d[0] = Xdot[k];
  Vec3<D> d{};
  for (int k = 0; k < positions_; ++k) d[k] = x[k] - origin_[k];
  const auto set = [&](int r, const Vec3<D>& a, int first, int count) {
    for (int k = 0; k < count; ++k) A[r][first + k] = a[k];
  };
  const auto flat = [&](int r, const Vec3<double>& a) {
    set(r, lifted(a), 0, positions_);
    phi[r] = dot(lifted(a), d);
  };
  const D side(constraint_.inward ? -1.0 : 1.0);
  switch (constraint_.kind) {
    case ConstraintKind::plane:
    case ConstraintKind::face:
      flat(0, w_);
      break;
    case ConstraintKind::line:
      if (positions_ == 3)
        flat(0, u_), flat(1, v_);
      else
        flat(0, {w_.y, -w_.x, 0});
      break;
    case ConstraintKind::circle:
      if (positions_ == 3) {
        flat(0, w_);
        d = d - lifted(w_) * phi[0];
      }
      [[fallthrough]];
    case ConstraintKind::sphere: {
      const D r = sqrt(dot(d, d));
      set(m_positions_ - 1, d * (side / r), 0, positions_);
      phi[m_positions_ - 1] = side * (r - constraint_.radius);
      break;
    }
    case ConstraintKind::rows:
      break;
  }
  if (constraint_.kind == ConstraintKind::face) {
    const int first = positions_;
    if (angles_ == TaskAngles::planar) {
      A[1][first] = D(1);
    } else if (angles_ == TaskAngles::rotation) {
      set(1, lifted(u_), first, 3);
      set(2, lifted(v_), first, 3);
      const Vec3<D> r{x[first], x[first + 1], x[first + 2]};
      phi[1] = dot(lifted(u_), r), phi[2] = dot(lifted(v_), r);
    } else {
      const Mat3<D> E =
          euler_rate_matrix(sequence_, EulerAngles<D>{x[first], x[first + 1], x[first + 2]});
      for (int k = 0; k < 3; ++k) {
        A[1][first + k] = dot(lifted(u_), E[k]);
        A[2][first + k] = dot(lifted(v_), E[k]);
      }
    }
  }
  for (int r = 0; r < m_; ++r) {
    rows_.phi[r] = phi[r].value;
    for (int k = 0; k < n_; ++k)
      rows_.gradient[r][k] = A[r][k].value, rows_.gradient_dot[r][k] = A[r][k].d[0];
  }
}

void CompliantFrame::evaluate(In<double> X, In<double> Xdot) {
  std::copy(X.begin(), X.end(), X_.begin());
  if (constraint_.function) {
    constraint_.function(X, Xdot, rows_);
  } else if (constraint_.kind == ConstraintKind::rows) {
    for (int r = 0; r < m_; ++r) {
      rows_.phi[r] = 0;
      for (int k = 0; k < n_; ++k) {
        rows_.gradient[r][k] = constraint_.gradient[r * n_ + k];
        rows_.phi[r] += rows_.gradient[r][k] * X[k];
      }
    }
  } else {
    fill_rows(X, Xdot);
  }

  OrthonormalRows f;
  f.n = n_;
  D a[most];
  for (int r = 0; r < m_; ++r) {
    for (int k = 0; k < n_; ++k) {
      a[k].value = rows_.gradient[r][k] / scale_[k];
      a[k].d[0] = rows_.gradient_dot[r][k] / scale_[k];
    }
    f.add(a);
  }
  const auto add = [&](const Vec3<D>& x, int first, int count) {
    for (int k = 0; k < n_; ++k) a[k] = k >= first && k < first + count ? x[k - first] : D(0);
    f.add(a);
  };
  const auto row = [&](int r, int first) {
    return Vec3<D>{f.row[r][first], f.row[r][first + 1], f.row[r][first + 2]};
  };
  if (!is_blockwise()) {
    for (int r = 0; r < n_ - m_; ++r) {
      for (int k = 0; k < n_; ++k) a[k] = D(constraint_.seeds[r * n_ + k] * scale_[k]);
      f.add(a);
    }
  } else {
    if (positions_ == 2) {
      add({-f.row[0][1], f.row[0][0], D(0)}, 0, 2);
    } else if (positions_ == 3 && m_positions_ == 2) {
      add(cross(row(0, 0), row(1, 0)), 0, 3);
    } else if (positions_ == 3) {  // the least rotation from the pole w to the normal
      const Vec3<D> normal = row(0, 0), k = cross(lifted(w_), normal);
      const D c = D(1) + dot(lifted(w_), normal);
      f.regular = f.regular && c.value > 1e-6;
      for (const Vec3<double>& tangent : {u_, v_}) {
        const Vec3<D> t = lifted(tangent), kt = cross(k, t);
        add(t + kt + cross(k, kt) * (D(1) / c), 0, 3);
      }
    }
    const int free = n_ - positions_ - (m_ - m_positions_);  // angles
    if (free == n_ - positions_)
      for (int k = 0; k < free; ++k) {
        Vec3<D> unit{};
        unit[k] = D(1);
        add(unit, positions_, free);
      }
    else if (free == 1)
      add(cross(row(1, positions_), row(2, positions_)), positions_, 3);
  }
  regular_ = f.regular;
  for (int r = 0; r < n_; ++r) {  // E_p first
    const int from = r < n_ - m_ ? m_ + r : r - (n_ - m_);
    for (int k = 0; k < n_; ++k) {
      E_[r][k] = f.row[from][k].value;
      Edot_[r][k] = f.row[from][k].d[0];
    }
  }
}

}  // namespace torsor
