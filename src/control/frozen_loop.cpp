#include "frozen_loop.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/kinematics/constraint_rows.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/linear/eigenvalues.hpp"
#include "torsor/linear/lu.hpp"
#include "torsor/linear/orthogonal_decomposition.hpp"

namespace torsor::control_detail {

namespace {

constexpr double h_law = 1e-6, h_plant = 1e-5;
/// 1/s: poles as slow as this stand still, as self-motions and what differences leave of them do.
constexpr double slow = 0.1;
/// Larger matrices (long delays) are not looked at.
constexpr int largest_loop = 160;

Matrix transposed(const Matrix& a) {
  Matrix b(a.cols(), a.rows());
  for (int r = 0; r < a.rows(); ++r)
    for (int c = 0; c < a.cols(); ++c) b(c, r) = a(r, c);
  return b;
}
/// to(row + r, col + c) += factor a(r, c).
void add_block(Matrix& to, int row, int col, const Matrix& a, double factor = 1) {
  for (int r = 0; r < a.rows(); ++r)
    for (int c = 0; c < a.cols(); ++c) to(row + r, col + c) += factor * a(r, c);
}
Matrix block(const Matrix& a, int row, int col, int rows, int cols) {
  Matrix b(rows, cols);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) b(r, c) = a(row + r, col + c);
  return b;
}

}  // namespace

FrozenLoop::FrozenLoop(ControlLaw& law, const Run& run, const Hypotheses& theorem,
                       const RunInstant& instant, bool keeps_contact)
    : law_(law),
      run_(run),
      plant_(*run.plant),
      n_(plant_.n_v()),
      held_(theorem.held_states),
      n_c_(law.n_states() - held_),
      t_(instant.t),
      q_(instant.q),
      v_(instant.qd),
      qdd_(instant.qdd),
      x_c_(instant.x_c),
      effects_(Effects::tree()),
      ws_(plant_, effects_) {
  effects_.friction = run.friction;
  if (run.reference) run.reference(t_, point_);
  leave_rest();
  find_touches(keeps_contact);
  find_motions();
  linearise_plant();
  linearise_law();
}

double FrozenLoop::spectral_radius() const {
  const double T = run_.period;
  if (!(run_.delay / T < largest_loop)) return infinity;
  const int whole = static_cast<int>(run_.delay / T + 1e-9);
  const double part = std::fmax(0, run_.delay - whole * T);
  const bool split = part > 1e-9 * T;
  // The torque that acts until a sample, under which forces are measured there, in samples back.
  const int acting = split || whole == 0 ? whole + 1 : whole;
  const int lags = std::max(split ? whole + 1 : whole, touches_.empty() ? 0 : acting);
  const int m = Z_.cols(), size = 2 * m + n_c_ + lags * n_;
  if (size > largest_loop) return infinity;
  const auto lag = [&](int k) { return 2 * m + n_c_ + (k - 1) * n_; };  // u(t - k T)

  // f = F_x x + F_u u(acting);   rates of (u, x_c) with f inside.
  Matrix now(n_ + n_c_, size);  // u_k and x_c' of the state
  add_block(now, 0, 0, law_x_);
  add_block(now, 0, 2 * m, law_c_);
  if (!touches_.empty()) {
    add_block(now, 0, 0, product(law_f_, F_x_));
    add_block(now, 0, lag(acting), product(law_f_, F_u_));
  }
  Matrix next(size, size);
  // x: over the part of the period before the new torque acts, then after.
  const double rest = T - part;
  const Matrix after = transition(rest), before = split ? transition(part) : Matrix();
  const Matrix Phi_after = block(after, 0, 0, 2 * m, 2 * m);
  add_block(next, 0, 0, split ? product(Phi_after, block(before, 0, 0, 2 * m, 2 * m)) : Phi_after);
  const auto act = [&](const Matrix& gamma, int back) {
    if (back == 0)
      add_block(next, 0, 0, product(gamma, block(now, 0, 0, n_, size)));
    else
      add_block(next, 0, lag(back), gamma);
  };
  act(block(after, 0, 2 * m, 2 * m, n_), whole);
  if (split) act(product(Phi_after, block(before, 0, 2 * m, 2 * m, n_)), whole + 1);
  // x_c by Euler's step.
  for (int k = 0; k < n_c_; ++k) next(2 * m + k, 2 * m + k) += 1;
  add_block(next, 2 * m, 0, block(now, n_, 0, n_c_, size), T);
  // The lags move on.
  if (lags > 0) add_block(next, lag(1), 0, block(now, 0, 0, n_, size));
  for (int k = 2; k <= lags; ++k)
    for (int j = 0; j < n_; ++j) next(lag(k) + j, lag(k - 1) + j) = 1;

  for (const double x : next.entries())
    if (!std::isfinite(x)) return NAN;
  Eigenvalues values(size);
  if (!values.compute(next)) return NAN;
  double radius = 0;
  for (int k = 0; k < size; ++k) {
    const double length = std::hypot(values.real(k), values.imaginary(k));
    if (std::hypot(values.real(k) - 1, values.imaginary(k)) > slow * T)
      radius = std::fmax(radius, length);
  }
  return radius;
}

double FrozenLoop::growth() const {
  if (!touches_.empty() || !regular_) return -infinity;
  const int m = Z_.cols(), size = 2 * m + n_c_;
  Matrix loop(size, size);
  add_block(loop, 0, 0, A_);
  add_block(loop, 0, 0, product(B_, block(law_x_, 0, 0, n_, 2 * m)));
  add_block(loop, 0, 2 * m, product(B_, block(law_c_, 0, 0, n_, n_c_)));
  add_block(loop, 2 * m, 0, block(law_x_, n_, 0, n_c_, 2 * m));
  add_block(loop, 2 * m, 2 * m, block(law_c_, n_, 0, n_c_, n_c_));
  Eigenvalues values(size);
  if (!values.compute(loop)) return -infinity;
  double most = -infinity;
  for (int k = 0; k < size; ++k) most = std::fmax(most, values.real(k));
  return most;
}

/// Dry friction has no slope at rest: joints that have some move, with their reference.
void FrozenLoop::leave_rest() {
  for (int k = 0; k < n_; ++k) {
    const bool dry = (run_.friction && is_dry(plant_.dof(k))) || is_dry(law_.model().dof(k));
    if (!dry || std::abs(v_[k]) > 0.1) continue;
    const double faster = (v_[k] < 0 ? -0.1 : 0.1) - v_[k];
    v_[k] += faster;
    if (!point_.qd.empty()) point_.qd[k] += faster;
  }
}

void FrozenLoop::find_touches(bool keeps_contact) {
  KinematicsWorkspace<double> kinematics(plant_);
  for (const RunSurface& s : run_.surfaces) {
    const Frame& frame = plant_.frame(s.frame);
    Matrix J(3, n_);
    point_jacobian<double, double>(plant_, kinematics, q_, frame, s.point, J);
    const Vec3<double> x = frame_pose(kinematics, frame) * s.point;
    if (!keeps_contact && s.distance(x) > at_surface) continue;
    const Vec3<double> normal = s.way_out(x);
    const SE3<double>& T = kinematics.T_world_body[frame.body];
    const Vec3<double> f = transpose_times(T.R, normal), arm = frame.placement * s.point;
    Touch touch{&s, frame.body, {cross(arm, f), f}, Array<double>(n_)};
    for (int k = 0; k < n_; ++k)
      touch.J[k] = normal[0] * J(0, k) + normal[1] * J(1, k) + normal[2] * J(2, k);
    touches_.push_back(std::move(touch));
  }
}

/// Z: motions that loops and rigid surfaces allow. C_: their rows, those of surfaces last.
void FrozenLoop::find_motions() {
  const ConstraintSet set(plant_);
  int rigid_touches = 0;
  for (const Touch& touch : touches_) rigid_touches += touch.rigid() ? 1 : 0;
  C_ = Matrix(set.n_rows() + rigid_touches, n_);
  if (set.n_rows() > 0) {
    ConstraintWorkspace<double> rows(plant_);
    constraint_jacobian<double, double>(plant_, set, rows, q_,
                                        row_major<double>(C_.data(), set.n_rows(), n_));
  }
  int row = set.n_rows();
  for (const Touch& touch : touches_)
    if (touch.rigid()) {
      for (int k = 0; k < n_; ++k) C_(row, k) = touch.J[k];
      ++row;
    }
  if (C_.rows() == 0) {
    Z_ = Matrix::identity(n_);
    return;
  }
  OrthogonalDecomposition decomposition(C_.rows(), n_);
  decomposition.factorise(C_, 1e-8);
  Z_ = Matrix(n_, n_ - decomposition.rank());
  Array<double> z(n_);
  for (int c = 0; c < Z_.cols(); ++c) {
    decomposition.null_vector(c, z);
    for (int r = 0; r < n_; ++r) Z_(r, c) = z[r];
  }
}
Array<double> FrozenLoop::motion(int column, double size) const {
  Array<double> step(n_);
  for (int k = 0; k < n_; ++k) step[k] = size * Z_(k, column);
  return step;
}
Array<double> FrozenLoop::q_at(In<double> step) const {
  Array<double> q(q_.size());
  integrate(plant_, q_, step, Out<double>(q));
  return q;
}
Array<double> FrozenLoop::v_at(In<double> step) const {
  Array<double> v = v_;
  for (int k = 0; k < n_; ++k) v[k] += step[k];
  return v;
}

/// A_, B_ of x' = A x + B u, and the forces of surfaces.
void FrozenLoop::linearise_plant() {
  const int m = Z_.cols();
  const auto torque = [&](In<double> q, In<double> v, In<double> a) {
    Array<double> tau(n_);
    tree_inverse_dynamics<double, double>(plant_, ws_, q, v, a, {}, tau, effects_);
    return tau;
  };
  Matrix M(n_, n_), D(n_, 2 * m);  // D: d h / d (xi, eta), with the forces of soft surfaces
  const Array<double> bare = torque(q_, v_, qdd_);
  for (int c = 0; c < n_; ++c) {
    Array<double> a = qdd_;
    a[c] += 1;
    const Array<double> tau = torque(q_, v_, a);
    for (int r = 0; r < n_; ++r) M(r, c) = tau[r] - bare[r];
  }
  const auto differ = [&](int column, const Array<double>& plus, const Array<double>& minus) {
    for (int r = 0; r < n_; ++r) D(r, column) = (plus[r] - minus[r]) / (2 * h_plant);
  };
  for (int c = 0; c < m; ++c) {
    const Array<double> up = motion(c, h_plant), down = motion(c, -h_plant);
    differ(c, torque(q_at(up), v_, qdd_), torque(q_at(down), v_, qdd_));
    differ(m + c, torque(q_, v_at(up), qdd_), torque(q_, v_at(down), qdd_));
  }
  const int count = touches_.size();
  F_x_ = Matrix(count, 2 * m);
  F_u_ = Matrix(count, n_);
  for (int s = 0; s < count; ++s) {
    const Touch& touch = touches_[s];
    if (touch.rigid()) continue;
    for (int c = 0; c < m; ++c) {
      double rate = 0;  // of the distance
      for (int k = 0; k < n_; ++k) rate += touch.J[k] * Z_(k, c);
      F_x_(s, c) = -touch.surface->stiffness * rate;
      F_x_(s, m + c) = -touch.surface->damping * rate;
    }
    for (int r = 0; r < n_; ++r)
      for (int c = 0; c < 2 * m; ++c) D(r, c) -= touch.J[r] * F_x_(s, c);
  }
  // Mz xi'' = Z^T (u - D x)
  const Matrix Zt = transposed(Z_), right = product(Zt, D);
  Lu factors(m);
  regular_ = factors.factorise(product(Zt, product(M, Z_)));
  A_ = Matrix(2 * m, 2 * m);
  B_ = Matrix(2 * m, n_);
  if (!regular_) return;
  Matrix of_x = right, of_u = Zt;
  factors.solve(of_x);
  factors.solve(of_u);
  for (int k = 0; k < m; ++k) A_(k, m + k) = 1;
  add_block(A_, m, 0, of_x, -1);
  add_block(B_, m, 0, of_u);
  find_rigid_forces(M, D);
}
/// mu = -(C M^-1 C^T)^+ C M^-1 (u - D x): of rigid surfaces, how torque and motion change it.
void FrozenLoop::find_rigid_forces(const Matrix& M, const Matrix& D) {
  int rigid_touches = 0;
  for (const Touch& touch : touches_) rigid_touches += touch.rigid() ? 1 : 0;
  if (rigid_touches == 0) return;
  Lu factors(n_);
  regular_ = factors.factorise(M);
  if (!regular_) return;
  Matrix Minv = Matrix::identity(n_);
  factors.solve(Minv);
  const Matrix CMinv = product(C_, Minv), omega = product(CMinv, transposed(C_));
  OrthogonalDecomposition solver(omega.rows(), omega.cols());
  solver.factorise(omega, 1e-10);
  const auto forces_of = [&](const Matrix& torque, double sign, Matrix& out) {
    const Matrix a = product(CMinv, torque);
    Array<double> b(a.rows()), mu(a.rows());
    for (int c = 0; c < a.cols(); ++c) {
      for (int r = 0; r < a.rows(); ++r) b[r] = -sign * a(r, c);
      (void)solver.solve(b, mu);
      int row = C_.rows() - rigid_touches;
      for (int s = 0; s < touches_.size(); ++s)
        if (touches_[s].rigid()) out(s, c) = mu[row++];
    }
  };
  forces_of(Matrix::identity(n_), 1, F_u_);
  forces_of(D, -1, F_x_);
}

/// Derivatives of (u, x_c') by (xi, eta), by x_c and by the forces of surfaces.
void FrozenLoop::linearise_law() {
  const int m = Z_.cols(), rows = n_ + n_c_;
  law_x_ = Matrix(rows, 2 * m);
  law_c_ = Matrix(rows, n_c_);
  law_f_ = Matrix(rows, touches_.size());
  const auto differ = [&](Matrix& to, int column, double h, const Array<double>& plus,
                          const Array<double>& minus) {
    for (int r = 0; r < rows; ++r) to(r, column) = (plus[r] - minus[r]) / (2 * h);
  };
  for (int c = 0; c < m; ++c) {
    const Array<double> up = motion(c, h_law), down = motion(c, -h_law);
    differ(law_x_, c, h_law, answer(q_at(up), v_, x_c_), answer(q_at(down), v_, x_c_));
    differ(law_x_, m + c, h_law, answer(q_, v_at(up), x_c_), answer(q_, v_at(down), x_c_));
  }
  for (int c = 0; c < n_c_; ++c) {
    Array<double> up = x_c_, down = x_c_;
    up[held_ + c] += h_law;
    down[held_ + c] -= h_law;
    differ(law_c_, c, h_law, answer(q_, v_, up), answer(q_, v_, down));
  }
  for (int s = 0; s < touches_.size(); ++s)
    differ(law_f_, s, h_law, answer(q_, v_, x_c_, s, h_law), answer(q_, v_, x_c_, s, -h_law));
}
/// Torque and rates of the states that are not held, under a force (N) of a surface.
Array<double> FrozenLoop::answer(In<double> q, In<double> v, In<double> x_c, int surface,
                                 double force) {
  Array<Wrench<double>> F(run_.surfaces.empty() ? 0 : plant_.n_bodies());
  if (surface >= 0) F[touches_[surface].body] = touches_[surface].unit * force;
  ControlInput input{t_, {.q = q, .qd = v, .F_contact = F}, x_c, point_.view()};
  if (run_.measures_acceleration) input.state.qdd = qdd_;
  Array<double> out(n_ + n_c_), rates(x_c.size);
  law_.torque(input, Out<double>(out.data(), n_));
  if (n_c_ > 0) law_.state_derivative(input, rates);
  for (int k = 0; k < n_c_; ++k) out[n_ + k] = rates[held_ + k];
  return out;
}

/// [exp(A t), int_0^t exp(A s) ds B].
Matrix FrozenLoop::transition(double t) const {
  const int m = A_.rows();
  Matrix whole(m + n_, m + n_);
  add_block(whole, 0, 0, A_, t);
  add_block(whole, 0, m, B_, regular_ ? t : NAN);
  return block(matrix_exponential(whole), 0, 0, m, m + n_);
}

}  // namespace torsor::control_detail
