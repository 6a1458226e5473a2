#include "excitation/torques.hpp"

#include <algorithm>

namespace torsor::internal {

MotionTorques::MotionTorques(const Model<double>& model)
    : model_(&model),
      values_(model, Effects::tree()),
      duals_(model, Effects::tree()),
      tau_(model.n_v()),
      q_(model.n_q()),
      qd_(model.n_v()),
      qdd_(model.n_v()),
      q_dual_(model.n_q()),
      qd_dual_(model.n_v()),
      qdd_dual_(model.n_v()),
      tau_dual_(model.n_v()) {}

void MotionTorques::fill(const MotionSamples& motion, Matrix& tau) {
  const int n = model_->n_v(), samples = motion.q.rows();
  if (tau.rows() != samples) tau = Matrix(samples, n);
  const auto row = [&](const Matrix& x, int k) { return View<const double>(x.data() + k * n, n); };
  for (int k = 0; k < samples; ++k)
    tree_inverse_dynamics(*model_, values_, row(motion.q, k), row(motion.qd, k), row(motion.qdd, k),
                          {}, View<double>(tau.data() + k * n, n), Effects::tree());
}

void MotionTorques::add_gradient(const MotionSamples& motion, const Matrix& b, MotionSamples& bar) {
  const int n = model_->n_v(), samples = motion.q.rows();
  constexpr int lanes = native_lanes<double>;
  for (int first = 0; first < samples; first += lanes) {
    const int here = std::min(lanes, samples - first);
    load_lanes(motion.q, first, q_);
    load_lanes(motion.qd, first, qd_);
    load_lanes(motion.qdd, first, qdd_);
    for (int begin = 0; begin < 3 * n; begin += directions) {
      for (int i = 0; i < n; ++i) q_dual_[i] = q_[i], qd_dual_[i] = qd_[i], qdd_dual_[i] = qdd_[i];
      for (int d = 0; d < directions && begin + d < 3 * n; ++d) {
        const int at = begin + d;
        Array<DualLanes>& x = at < n ? q_dual_ : at < 2 * n ? qd_dual_ : qdd_dual_;
        x[at % n].d[d] = Lanes(1);
      }
      tree_inverse_dynamics(*model_, duals_, q_dual_, qd_dual_, qdd_dual_, {}, tau_dual_,
                            Effects::tree());
      for (int d = 0; d < directions && begin + d < 3 * n; ++d) {
        const int at = begin + d;
        Matrix& to = at < n ? bar.q : at < 2 * n ? bar.qd : bar.qdd;
        for (int l = 0; l < here; ++l)
          for (int j = 0; j < n; ++j)
            to(first + l, at % n) += b(first + l, j) * tau_dual_[j].d[d][l];
      }
    }
  }
}

}  // namespace torsor::internal
