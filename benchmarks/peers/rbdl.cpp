// RBDL as a peer (peer.hpp), for inverse and forward dynamics. Not part of Torsor: built only where
// RBDL is found.
#include <rbdl/rbdl.h>

#include <string>
#include <vector>

#include "peer.hpp"

namespace torsor {
namespace {

using namespace RigidBodyDynamics;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Math::VectorNd;

Math::Vector3d vector(const double* x) { return {x[0], x[1], x[2]}; }

Joint joint_of(const PeerBody& b) {
  const Math::Vector3d axis = vector(b.axis);
  if (b.kind == PeerBody::free) return Joint(JointTypeFloatingBase);
  if (b.kind == PeerBody::spherical) return Joint(JointTypeSpherical);
  if (b.kind == PeerBody::prismatic) return Joint(JointTypePrismatic, axis);
  if (b.axis_code == 1) return Joint(JointTypeRevoluteX);
  if (b.axis_code == 2) return Joint(JointTypeRevoluteY);
  if (b.axis_code == 3) return Joint(JointTypeRevoluteZ);
  return Joint(JointTypeRevolute, axis);
}

/// A free joint has its linear velocity in the parent's axes and before the angular one, and keeps
/// the last number of its quaternion at the end of q.
class Rbdl final : public Peer {
 public:
  Rbdl(const PeerBody* bodies, int n, const double* gravity) {
    std::vector<unsigned> id(1);
    for (int i = 1; i < n; ++i) {
      const PeerBody& b = bodies[i];
      const Math::SpatialTransform placement(
          Math::Matrix3d(b.R[0], b.R[1], b.R[2], b.R[3], b.R[4], b.R[5], b.R[6], b.R[7], b.R[8]),
          vector(b.p));  // takes the transpose of R
      const double k = b.m == 0 ? 0 : 1 / b.m, x = b.h[0] * k, y = b.h[1] * k, z = b.h[2] * k;
      const double xx = b.J[0] - b.m * (y * y + z * z), xy = b.J[1] + b.m * x * y;
      const double yy = b.J[2] - b.m * (x * x + z * z), xz = b.J[3] + b.m * x * z;
      const double zz = b.J[5] - b.m * (x * x + y * y), yz = b.J[4] + b.m * y * z;
      const Body body(b.m, Math::Vector3d(x, y, z),
                      Math::Matrix3d(xx, xy, xz, xy, yy, yz, xz, yz, zz));
      id.push_back(
          model_.AddBody(id[static_cast<std::size_t>(b.parent)], placement, joint_of(b), body));
      kinds_.push_back(b.kind);
    }
    bodies_.assign(id.begin() + 1, id.end());
    model_.gravity = vector(gravity);
    tau_ = qdd_ = VectorNd::Zero(model_.qdot_size);
  }
  const char* name() const override { return "RBDL 3.3"; }

  void add_state(const double* q, const double* qd, const double* x) override {
    State s{VectorNd::Zero(model_.q_size),
            VectorNd::Zero(model_.qdot_size),
            VectorNd::Zero(model_.qdot_size),
            VectorNd::Zero(model_.qdot_size),
            {},
            {},
            {}};
    int i = 0, k = 0;
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const bool is_free = kinds_[b] == PeerBody::free;
      if (is_free || kinds_[b] == PeerBody::spherical) {
        if (is_free)
          for (int c = 0; c < 3; ++c) s.q[k + c] = q[i++];
        const Math::Quaternion turn(q[i], q[i + 1], q[i + 2], q[i + 3]);
        model_.SetQuaternion(bodies_[b], turn, s.q);
        i += 4;
        const Eigen::Map<const Vector3d> w(qd + k, 3), dw(x + k, 3);
        const int angular = is_free ? k + 3 : k;
        s.qd.segment<3>(angular) = w;
        s.qdd.segment<3>(angular) = s.tau.segment<3>(angular) = dw;
        if (is_free) {
          const Eigen::Map<const Vector3d> v(qd + k + 3, 3), dv(x + k + 3, 3);
          s.R = Eigen::Quaterniond(q[i - 1], q[i - 4], q[i - 3], q[i - 2]).toRotationMatrix();
          s.w = w, s.v = v;
          s.qd.segment<3>(k) = s.R * v;
          s.qdd.segment<3>(k) = s.R * (dv + w.cross(v));
          s.tau.segment<3>(k) = s.R * dv;
        }
        k += is_free ? 6 : 3;
      } else {
        s.q[k] = q[i++], s.qd[k] = qd[k], s.qdd[k] = s.tau[k] = x[k], ++k;
      }
    }
    states_.push_back(s);
  }
  int ways(PeerVerb verb) const override {
    return verb == PeerVerb::inverse_dynamics || verb == PeerVerb::forward_dynamics ? 1 : 0;
  }
  void call(PeerVerb verb, int, int state) override {
    last_ = static_cast<std::size_t>(state);
    const State& s = states_[last_];
    if (verb == PeerVerb::inverse_dynamics) {
      InverseDynamics(model_, s.q, s.qd, s.qdd, tau_);
    } else {
      ForwardDynamics(model_, s.q, s.qd, s.tau, qdd_);
    }
  }
  void read(PeerVerb verb, double* out) const override {
    const bool inverse = verb == PeerVerb::inverse_dynamics;
    const VectorNd& y = inverse ? tau_ : qdd_;
    for (int k = 0; k < y.size(); ++k) out[k] = y[k];
    for (std::size_t b = 0, k = 0; b < bodies_.size(); ++b) {
      if (kinds_[b] == PeerBody::free) {
        const State& s = states_[last_];
        const Vector3d angular = y.segment<3>(static_cast<int>(k) + 3);
        Vector3d linear = s.R.transpose() * y.segment<3>(static_cast<int>(k));
        if (!inverse) linear -= s.w.cross(s.v);
        for (int c = 0; c < 3; ++c) out[k + c] = angular[c], out[k + 3 + c] = linear[c];
      }
      k += kinds_[b] == PeerBody::free ? 6 : kinds_[b] == PeerBody::spherical ? 3 : 1;
    }
  }

 private:
  struct State {
    VectorNd q, qd, qdd, tau;
    Matrix3d R;  // of the free joint
    Vector3d w, v;
  };
  Model model_;
  std::vector<unsigned> bodies_;
  std::vector<PeerBody::Kind> kinds_;
  std::vector<State> states_;
  VectorNd tau_, qdd_;
  std::size_t last_ = 0;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) Peer* make_rbdl(const PeerBody* bodies,
                                                                  int n_bodies,
                                                                  const double* gravity) {
  return new Rbdl(bodies, n_bodies, gravity);
}

}  // namespace torsor
