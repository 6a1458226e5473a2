// Pinocchio 3 as a peer (peer.hpp). Not part of Torsor: built only where Pinocchio is found.
#include "peer.hpp"

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <vector>

namespace torsor {
namespace {

using pinocchio::Convention;
using Vector3 = Eigen::Vector3d;

pinocchio::JointModel joint_of(const PeerBody& b) {
  const Vector3 axis(b.axis[0], b.axis[1], b.axis[2]);
  switch (b.kind) {
    case PeerBody::revolute:
      if (b.axis_code == 1) return pinocchio::JointModelRX();
      if (b.axis_code == 2) return pinocchio::JointModelRY();
      if (b.axis_code == 3) return pinocchio::JointModelRZ();
      return pinocchio::JointModelRevoluteUnaligned(axis);
    case PeerBody::prismatic:
      if (b.axis_code == 1) return pinocchio::JointModelPX();
      if (b.axis_code == 2) return pinocchio::JointModelPY();
      if (b.axis_code == 3) return pinocchio::JointModelPZ();
      return pinocchio::JointModelPrismaticUnaligned(axis);
    case PeerBody::spherical:
      return pinocchio::JointModelSpherical();
    case PeerBody::free:
      return pinocchio::JointModelFreeFlyer();
  }
  return {};
}

class Pinocchio final : public Peer {
 public:
  Pinocchio(const PeerBody* bodies, int n, const double* gravity) {
    for (int i = 1; i < n; ++i) {
      const PeerBody& b = bodies[i];
      const pinocchio::SE3 placement(Eigen::Map<const Eigen::Matrix3d>(b.R),
                                     Vector3(b.p[0], b.p[1], b.p[2]));
      const auto joint = model_.addJoint(static_cast<std::size_t>(b.parent), joint_of(b), placement,
                                         "joint" + std::to_string(i));
      const Vector3 com = b.m == 0 ? Vector3(0, 0, 0) : Vector3(b.h[0], b.h[1], b.h[2]) / b.m;
      Eigen::Matrix3d J;
      J << b.J[0], b.J[1], b.J[3], b.J[1], b.J[2], b.J[4], b.J[3], b.J[4], b.J[5];
      const Eigen::Matrix3d about_com = J + b.m * pinocchio::skew(com) * pinocchio::skew(com);
      model_.appendBodyToJoint(joint, pinocchio::Inertia(b.m, com, about_com));
      for (int k = 0; k < model_.joints[joint].nv(); ++k) {  // free joints: linear part first here
        const int turned = b.kind == PeerBody::free ? (k + 3) % 6 : k;
        place_.push_back(model_.joints[joint].idx_v() + turned);
      }
    }
    model_.gravity.linear(Vector3(gravity[0], gravity[1], gravity[2]));
    data_ = pinocchio::Data(model_);
    jacobian_.setZero(6, model_.nv);
  }
  const char* name() const override { return "Pinocchio " PINOCCHIO_VERSION; }

  void add_state(const double* q, const double* qd, const double* x) override {
    q_.emplace_back(Eigen::Map<const Eigen::VectorXd>(q, model_.nq));
    for (auto [from, pool] : {std::pair{qd, &qd_}, std::pair{x, &x_}}) {
      Eigen::VectorXd v(model_.nv);
      for (int k = 0; k < model_.nv; ++k) v[at(k)] = from[k];
      pool->push_back(v);
    }
  }
  int ways(PeerVerb verb) const override {
    return verb == PeerVerb::forward_dynamics || verb == PeerVerb::mass_matrix ? 2 : 1;
  }
  void call(PeerVerb verb, int way, int state) override {
    const auto k = static_cast<std::size_t>(state);
    const auto &q = q_[k], &qd = qd_[k], &x = x_[k];
    const Convention frame = way == 0 ? Convention::LOCAL : Convention::WORLD;
    switch (verb) {
      case PeerVerb::forward_kinematics:
        return pinocchio::forwardKinematics(model_, data_, q);
      case PeerVerb::jacobian:
        return pinocchio::computeJointJacobian(
            model_, data_, q, static_cast<pinocchio::JointIndex>(model_.njoints - 1), jacobian_);
      case PeerVerb::inverse_dynamics:
        pinocchio::rnea(model_, data_, q, qd, x);
        return;
      case PeerVerb::forward_dynamics:
        pinocchio::aba(model_, data_, q, qd, x, frame);
        return;
      case PeerVerb::mass_matrix:
        pinocchio::crba(model_, data_, q, frame);
        return;
      case PeerVerb::mass_matrix_inverse:
        pinocchio::computeMinverse(model_, data_, q);
        return;
      case PeerVerb::coriolis_matrix:
        pinocchio::computeCoriolisMatrix(model_, data_, q, qd);
        return;
      case PeerVerb::torque_regressor:
        pinocchio::computeJointTorqueRegressor(model_, data_, q, qd, x);
        return;
      case PeerVerb::inverse_dynamics_derivatives:
        pinocchio::computeRNEADerivatives(model_, data_, q, qd, x);
        return;
      case PeerVerb::forward_dynamics_derivatives:
        pinocchio::computeABADerivatives(model_, data_, q, qd, x);
        return;
    }
  }
  void read(PeerVerb verb, double* out) const override {
    switch (verb) {
      case PeerVerb::forward_kinematics:
        for (std::size_t i = 1; i < data_.oMi.size(); ++i, out += 12) {
          Eigen::Map<Eigen::Matrix3d>(out, 3, 3) = data_.oMi[i].rotation();
          Eigen::Map<Vector3>(out + 9, 3) = data_.oMi[i].translation();
        }
        return;
      case PeerVerb::jacobian:
        for (int c = 0; c < model_.nv; ++c)
          for (int r = 0; r < 6; ++r) *out++ = jacobian_((r + 3) % 6, at(c));
        return;
      case PeerVerb::inverse_dynamics:
        for (int k = 0; k < model_.nv; ++k) *out++ = data_.tau[at(k)];
        return;
      case PeerVerb::forward_dynamics:
        for (int k = 0; k < model_.nv; ++k) *out++ = data_.ddq[at(k)];
        return;
      case PeerVerb::mass_matrix:
        return write(Eigen::MatrixXd(data_.M.selfadjointView<Eigen::Upper>()), out);
      case PeerVerb::mass_matrix_inverse:
        return write(Eigen::MatrixXd(data_.Minv.selfadjointView<Eigen::Upper>()), out);
      case PeerVerb::coriolis_matrix:
        return write(data_.C, out);
      case PeerVerb::torque_regressor:
        for (Eigen::Index c = 0; c < data_.jointTorqueRegressor.cols(); ++c)
          for (int r = 0; r < model_.nv; ++r) *out++ = data_.jointTorqueRegressor(at(r), c);
        return;
      case PeerVerb::inverse_dynamics_derivatives:
        write(data_.dtau_dq, out);
        return write(data_.dtau_dv, out + model_.nv * model_.nv);
      case PeerVerb::forward_dynamics_derivatives:
        write(data_.ddq_dq, out);
        return write(data_.ddq_dv, out + model_.nv * model_.nv);
    }
  }

 private:
  /// Where the peer keeps Torsor's velocity k.
  int at(int k) const { return place_[static_cast<std::size_t>(k)]; }
  template <class Matrix>
  void write(const Matrix& m, double* out) const {
    for (int c = 0; c < model_.nv; ++c)
      for (int r = 0; r < model_.nv; ++r) *out++ = m(at(r), at(c));
  }

  pinocchio::Model model_;
  pinocchio::Data data_;
  std::vector<Eigen::VectorXd> q_, qd_, x_;
  Eigen::Matrix<double, 6, Eigen::Dynamic> jacobian_;
  std::vector<int> place_;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) Peer* make_pinocchio(const PeerBody* bodies,
                                                                       int n_bodies,
                                                                       const double* gravity) {
  return new Pinocchio(bodies, n_bodies, gravity);
}

}  // namespace torsor
