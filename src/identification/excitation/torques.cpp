#include "excitation/torques.hpp"

namespace torsor::internal {
namespace {

View<const double> row(const Matrix& x, int k) { return {x.data() + k * x.cols(), x.cols()}; }

}  // namespace

MotionTorques::MotionTorques(const Model<double>& model)
    : model_(&model),
      values_(model, Effects::tree()),
      slopes_(model),
      tau_(model.n_v()),
      dtau_(3 * model.n_v() * model.n_v()) {
  for (int k = 0; k < model.n_v(); ++k) state_.push_back(Parameter::coordinate(model, k));
  for (int k = 0; k < model.n_v(); ++k) state_.push_back(Parameter::velocity(model, k));
  for (int k = 0; k < model.n_v(); ++k) state_.push_back(Parameter::acceleration(model, k));
}

void MotionTorques::fill(const MotionSamples& motion, Matrix& tau) {
  const int n = model_->n_v(), samples = motion.q.rows();
  if (tau.rows() != samples) tau = Matrix(samples, n);
  for (int k = 0; k < samples; ++k)
    tree_inverse_dynamics(*model_, values_, row(motion.q, k), row(motion.qd, k), row(motion.qdd, k),
                          {}, View<double>(tau.data() + k * n, n), Effects::tree());
}

void MotionTorques::add_gradient(const MotionSamples& motion, const Matrix& b, MotionSamples& bar) {
  const int n = model_->n_v();
  for (int k = 0; k < motion.q.rows(); ++k) {
    tree_inverse_dynamics_derivatives(*model_, slopes_, state_, row(motion.q, k), row(motion.qd, k),
                                      row(motion.qdd, k), {}, tau_,
                                      column_major(dtau_.data(), n, 3 * n));
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        bar.q(k, i) += b(k, j) * dtau_[i * n + j];
        bar.qd(k, i) += b(k, j) * dtau_[(n + i) * n + j];
        bar.qdd(k, i) += b(k, j) * dtau_[(2 * n + i) * n + j];
      }
  }
}

}  // namespace torsor::internal
