#pragma once
/// A model in MuJoCo 2.2 (Debian's libmujoco-dev) beside ours, state by state.
#include <mujoco/mujoco.h>

#include <memory>
#include <utility>

#include "house/process.hpp"
#include "peers/peer_robots.hpp"

namespace torsor::testing {

/// MuJoCo's model with its coordinates: quaternions w first; a free joint has its pose in the world
/// and moves by the velocity of its origin in world axes, then its angular velocity in its own.
class MujocoPeer {
 public:
  MujocoPeer(const Model<double>& model, const std::string& text) : ours_(model) {
    const ScratchFolder folder;
    const std::string file = (folder / "robot.xml").string();
    write_text(file, text);
    char error[1000] = "";
    m_.reset(mj_loadXML(file.c_str(), nullptr, error, sizeof error));
    if (!m_) throw Error("MuJoCo: " + std::string(error));
    d_.reset(mj_makeData(m_.get()));
  }

  /// v_mujoco = P v, and P' v.
  void set(const Vector& q, const Vector& v) {
    const int n = ours_.n_v();
    P_ = Matrix::Identity(n, n);
    Pdot_v_ = Vector::Zero(n);
    for (int k = 0; k < ours_.n_q(); ++k) d_->qpos[k] = q[k];
    for (int i = 1; i < ours_.n_bodies(); ++i) {
      const auto [at, first] = std::pair(ours_.body(i).q.first, ours_.body(i).v.first);
      const int turn = ours_.body(i).kind == JointKind::free ? at + 3 : at;
      if (ours_.body(i).kind == JointKind::free || ours_.body(i).kind == JointKind::spherical) {
        d_->qpos[turn] = q[turn + 3];
        for (int k = 0; k < 3; ++k) d_->qpos[turn + 1 + k] = q[turn + k];
      }
      if (ours_.body(i).kind != JointKind::free) continue;
      const SE3<double> T = joint_pose(ours_, i, q);  // from the world, which carries it
      const Quaternion<double> r = quaternion(T.R);
      const double pose[] = {T.p.x, T.p.y, T.p.z, r.w, r.x, r.y, r.z};
      std::copy(std::begin(pose), std::end(pose), d_->qpos + at);
      Eigen::Matrix3d R;
      for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column) R(row, column) = T.R(row, column);
      P_.block<6, 6>(first, first).setZero();
      P_.block<3, 3>(first, first + 3) = R;
      P_.block<3, 3>(first + 3, first).setIdentity();
      Pdot_v_.segment<3>(first) = R * v.segment<3>(first).cross(v.segment<3>(first + 3)).eval();
    }
    const Vector theirs = P_ * v;
    for (int k = 0; k < n; ++k) d_->qvel[k] = theirs[k];
  }
  Vector inverse(const Vector& qdd) {
    const Vector theirs = P_ * qdd + Pdot_v_;
    for (int k = 0; k < theirs.size(); ++k) d_->qacc[k] = theirs[k];
    mj_inverse(m_.get(), d_.get());
    return P_.transpose() * Eigen::Map<const Vector>(d_->qfrc_inverse, theirs.size());
  }
  Vector forward(const Vector& tau) {
    const Vector theirs = P_ * tau;  // P is orthogonal
    for (int k = 0; k < theirs.size(); ++k) d_->qfrc_applied[k] = theirs[k];
    mj_forward(m_.get(), d_.get());
    return P_.transpose() * (Eigen::Map<const Vector>(d_->qacc, theirs.size()) - Pdot_v_);
  }
  /// After forward.
  Matrix mass() {
    const int n = ours_.n_v();
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> M(n, n);
    mj_fullM(m_.get(), M.data(), d_->qM);
    return P_.transpose() * M * P_;
  }
  Vector bias() {
    const Vector b = Eigen::Map<const Vector>(d_->qfrc_bias, ours_.n_v());
    return P_.transpose() * b + mass() * (P_.transpose() * Pdot_v_);
  }
  /// One step of its fourth order Runge-Kutta method; returns q of joints with one coordinate.
  Vector step(double h) {
    m_->opt.timestep = h;
    m_->opt.integrator = mjINT_RK4;
    m_->opt.iterations = 200;
    m_->opt.tolerance = 1e-14;
    mj_step(m_.get(), d_.get());
    return Eigen::Map<const Vector>(d_->qpos, ours_.n_q());
  }

  const mjModel& model() const { return *m_; }
  mjData& data() { return *d_; }
  /// Without limits and other constraints, which mj_inverse would count.
  void open_constraints() { m_->opt.disableflags |= mjDSBL_CONSTRAINT; }
  /// Of the equalities, at the state that was set, in our velocities; and their errors.
  std::pair<Matrix, Vector> constraints() {
    m_->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS;
    mj_fwdPosition(m_.get(), d_.get());
    const int rows = d_->nefc, n = ours_.n_v();
    Matrix J(rows, n);
    Vector v(n), image(rows), errors(rows);
    for (int k = 0; k < n; ++k) {
      v.setZero();
      v[k] = 1;
      mj_mulJacVec(m_.get(), d_.get(), image.data(), v.data());
      J.col(k) = image;
    }
    for (int r = 0; r < rows; ++r) errors[r] = d_->efc_pos[r];
    return {J * P_, errors};
  }
  SE3<double> site(const std::string& name) const {
    const int id = mj_name2id(m_.get(), mjOBJ_SITE, name.c_str());
    if (id < 0) throw Error("MuJoCo: no site " + name);
    const double *p = d_->site_xpos + 3 * id, *R = d_->site_xmat + 9 * id;
    return {SO3<double>::rows({R[0], R[1], R[2]}, {R[3], R[4], R[5]}, {R[6], R[7], R[8]}),
            {p[0], p[1], p[2]}};
  }

 private:
  struct Delete {
    void operator()(mjModel* m) const { mj_deleteModel(m); }
    void operator()(mjData* d) const { mj_deleteData(d); }
  };
  const Model<double>& ours_;
  std::unique_ptr<mjModel, Delete> m_;
  std::unique_ptr<mjData, Delete> d_;
  Matrix P_;
  Vector Pdot_v_;
};

}  // namespace torsor::testing
