/// Loops and rigid surfaces in one plant: several arms that hold one object on a surface.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <utility>

#include "support/cooperating_arms.hpp"
#include "support/nothing.hpp"
#include "torsor/dynamics/crba.hpp"
#include "torsor/dynamics/gravity.hpp"
#include "torsor/experiments/recording_file.hpp"
#include "torsor/kinematics/jacobian.hpp"

namespace torsor {
namespace {

using testing::contact_point;
using testing::origin_on_surface;
using testing::planar_arms;
using testing::planar_arms_at;

/// Constant torques.
struct Push final : testing::LawOfTests {
  std::vector<double> value;
  explicit Push(std::vector<double> torques) : LawOfTests("push"), value(std::move(torques)) {}
  void torque(const ControlInput&, Out<double> tau) override {
    std::copy(value.begin(), value.end(), tau.begin());
  }
};
using testing::nothing;

Surface table() {
  return {.name = "table",
          .frame = "object",
          .point = contact_point(),
          .origin = {0, 0.5, 0},
          .normal = {0, 1, 0},
          .bilateral = true};
}

/// qdd, the wrench (m_z, f_x, f_y) of hand 2 on the object in world axes about the object's origin,
/// and the normal force, from the dense equations
///   M qdd + b = tau + (J_1 - J_2)^T F + J_n^T f,   (J_1 - J_2) qdd = ...,   J_n qdd = ...
struct Dense {
  Eigen::VectorXd qdd;
  Eigen::Vector3d F;
  double normal_force;
};
Dense dense_closed_chain(const Model<double>& robot, View<const double> q, View<const double> qd,
                         View<const double> tau) {
  const HeldObject object(robot, "object");
  const int n = robot.n_v(), rows[3] = {2, 3, 4};
  CrbaWorkspace<double> crba(robot);
  RneaWorkspace<double> rnea(robot);
  VelocityWorkspace<double> motion(robot);
  KinematicsWorkspace<double> kinematics(robot);
  Eigen::MatrixXd M(n, n), J1(6, n), J2(6, n);
  Eigen::VectorXd b(n);
  mass_matrix(robot, crba, q, M);
  bias_torque(robot, rnea, q, qd, b);
  Frame point = object.frame_of_arm(0);
  jacobian(robot, kinematics, q, point, Reference::world_aligned, J1);
  jacobian(robot, kinematics, q, object.frame_of_arm(1), Reference::world_aligned, J2);
  const Twist<double> a1 = jacobian_dot_times_velocity(robot, motion, q, qd, point,
                                                       Reference::world_aligned),
                      a2 = jacobian_dot_times_velocity(robot, motion, q, qd, object.frame_of_arm(1),
                                                       Reference::world_aligned);
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + 4, n + 4), Jn(6, n);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(n + 4);
  K.topLeftCorner(n, n) = M;
  for (int k = 0; k < n; ++k) right[k] = tau[k] - b[k];
  for (int r = 0; r < 3; ++r) {
    K.row(n + r).head(n) = J1.row(rows[r]) - J2.row(rows[r]);
    right[n + r] = rows[r] == 2 ? a2.w.z - a1.w.z : a2.v[rows[r] - 3] - a1.v[rows[r] - 3];
  }
  point.placement = point.placement * SE3<double>{.p = contact_point()};
  jacobian(robot, kinematics, q, point, Reference::world_aligned, Jn);
  K.row(n + 3).head(n) = Jn.row(4);
  right[n + 3] =
      -jacobian_dot_times_velocity(robot, motion, q, qd, point, Reference::world_aligned).v.y;
  K.topRightCorner(n, 4) = -K.bottomLeftCorner(4, n).transpose();
  const Eigen::VectorXd x = K.partialPivLu().solve(right);
  return {x.head(n), x.segment(n, 3), x[n + 3]};
}

TEST(ClosedChain, two_arms_and_an_object_on_a_surface_accelerate_as_the_dense_equations_say) {
  const auto grasps = testing::two_planar_grasps();
  const Model<double> robot = planar_arms(grasps);
  const HeldObject object(robot, "object");
  Plant plant(robot);
  plant.surfaces = {table()};
  PlantDynamics dynamics(plant);
  for (int sample = 0; sample < 20; ++sample) {
    const double u = sample * 0.1, angle = 0.2 * std::sin(u);
    const std::vector<double> q =
        planar_arms_at(grasps, 0.1 * std::cos(3 * u), origin_on_surface(angle), angle);
    // A velocity that keeps grasps and contact, from differences of the closed configurations.
    const double h = 1e-6, omega = 0.4 * std::cos(7 * u);
    const std::vector<double> ahead = planar_arms_at(grasps, 0.1 * std::cos(3 * u) + 0.3 * h,
                                                     origin_on_surface(angle + omega * h),
                                                     angle + omega * h),
                              behind = planar_arms_at(grasps, 0.1 * std::cos(3 * u) - 0.3 * h,
                                                      origin_on_surface(angle - omega * h),
                                                      angle - omega * h);
    std::vector<double> qd(q.size()), qdd(q.size()), tau(q.size());
    for (std::size_t k = 0; k < q.size(); ++k) {
      qd[k] = (ahead[k] - behind[k]) / (2 * h);
      tau[k] = 10 * std::sin(u + static_cast<double>(k));
    }
    const ConstraintSet set(robot);
    AssemblyWorkspace assembly(robot, set);
    EXPECT_LT(project_velocity(robot, set, assembly, q, qd), 1e-12);
    const Dense truth = dense_closed_chain(robot, q, qd, tau);
    dynamics.start(0, q, qd, tau, qdd);
    // The speed off the surface that differences leave (about 1e-10) is damped by 40 1/s.
    for (int k = 0; k < robot.n_v(); ++k)
      EXPECT_NEAR(qdd[static_cast<std::size_t>(k)], truth.qdd[k], 1e-6 * truth.qdd.norm())
          << sample;
    EXPECT_NEAR(dynamics.contact_forces()[0], truth.normal_force, 1e-6 * 100) << sample;
    // The weld's multipliers: the wrench on the object in the grasp's frame.
    const View<const double> lambda = dynamics.loop_forces();
    ASSERT_EQ(lambda.size, 6);
    const double grasp_angle = angle + grasps[1].grasp_angle;
    const Vec3<double> f_grasp{lambda[3], lambda[4], lambda[5]};
    const Vec3<double> f = testing::planar_pose(0, 0, grasp_angle).R * f_grasp;
    const Vec3<double> arm =
        testing::planar_pose(0, 0, angle).R * Vec3<double>{grasps[1].grasp_x, grasps[1].grasp_y, 0};
    EXPECT_NEAR(f.x, truth.F[1], 1e-5);
    EXPECT_NEAR(f.y, truth.F[2], 1e-5);
    EXPECT_NEAR(lambda[2] + arm.x * f.y - arm.y * f.x, truth.F[0], 1e-5);
    for (const int r : {0, 1, 5}) EXPECT_NEAR(lambda[r], 0, 1e-8);  // across the plane: nothing
  }
}

TEST(ClosedChain, grasps_and_contact_stay_closed_and_the_energy_balance_holds) {
  for (const auto& grasps : {testing::two_planar_grasps(), testing::three_planar_grasps()}) {
    const Model<double> robot = planar_arms(grasps);
    const ConstraintSet set(robot);
    AssemblyWorkspace assembly(robot, set);
    Plant plant(robot);
    plant.surfaces = {table()};
    Push law{std::vector<double>(static_cast<std::size_t>(robot.n_v()))};
    for (std::size_t arm = 0; arm < grasps.size(); ++arm)
      law.value[3 * arm] = grasps[arm].elbow * 14;
    SimulateOptions o;
    o.q0 = planar_arms_at(grasps, 0.02, origin_on_surface(0.1), 0.1);
    o.duration = 0.5;
    const Recording r = simulate(plant, law, nothing, o);
    ASSERT_EQ(r.stop, StopReason::finished) << r.message;
    double fastest = 0;
    for (int k = 0; k < r.size(); ++k) fastest = std::max(fastest, r.energy(k, 0));
    EXPECT_GT(fastest, 0.05);
    EXPECT_LT(r.energy_balance(), 1e-8);
    ASSERT_EQ(r.loop.width(), 6 * (static_cast<int>(grasps.size()) - 1));
    EXPECT_EQ(r.loop.columns[3], "loop.object_grasp_2.3");
    for (int k = 0; k < r.size(); ++k) {
      const ConstraintErrors e = constraint_errors(robot, set, assembly, r.q.row(k), r.qd.row(k));
      EXPECT_LT(e.position, 1e-9);
      EXPECT_LT(e.velocity, 1e-8);
      const Dense truth = dense_closed_chain(robot, r.q.row(k), r.qd.row(k), r.tau.row(k));
      if (grasps.size() == 2) {
        EXPECT_NEAR(r.contact(k, 0), truth.normal_force, 1e-6 * (1 + std::abs(truth.normal_force)));
      }
    }
  }
}

TEST(ClosedChain, recorded_loop_forces_read_back_from_both_files) {
  const auto grasps = testing::two_planar_grasps();
  const Model<double> robot = planar_arms(grasps);
  Push law{std::vector<double>(6)};
  SimulateOptions o;
  o.q0 = planar_arms_at(grasps, 0, 0.6, 0);
  o.duration = 0.1;
  o.record_every = 0.02;
  const Recording r = simulate(Plant(robot), law, nothing, o);
  ASSERT_EQ(r.loop.rows(), r.size());
  const Recording binary = recording_from_bytes(recording_bytes(r), "run.trec");
  const Recording csv = recording_of(recording_table(r), "run.csv");
  for (const Recording* back : {&binary, &csv}) {
    EXPECT_EQ(back->loop.columns, r.loop.columns);
    EXPECT_EQ(back->loop.data, r.loop.data);
  }
}

}  // namespace
}  // namespace torsor
