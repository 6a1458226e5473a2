// Calibration: geometry from poses of robots that differ from their files.
#include "torsor/identification/calibrate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "support/random_model.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/model/dh_conversion.hpp"

namespace torsor::testing {
namespace {

constexpr double deg = 0.017453292519943295;

/// a, alpha, d, theta of every row changed.
struct Changes {
  std::vector<std::array<double, 4>> rows;
};
Changes drawn(int rows, unsigned seed, double length = 1e-3, double angle = 0.2 * deg) {
  Draw<double> draw(seed);
  Changes c;
  for (int k = 0; k < rows; ++k)
    c.rows.push_back(
        {draw(-length, length), draw(-angle, angle), draw(-length, length), draw(-angle, angle)});
  return c;
}
/// A table with the rows of a built-in robot that is one, standard.
DhTable table_of(const std::string& name, const Changes& by = {}) {
  const RobotDescription robot = load_description(name);
  DhTable table;
  table.name = name;
  SE3<double> before;
  for (std::size_t k = 0; k < robot.joints.size(); ++k) {
    SE3<double> frame;
    for (const FrameOnLink& f : robot.frames)
      if (f.name == "frame_" + std::to_string(k + 1)) frame = f.placement;
    const DhParameters row = dh_parameters_from_frames(before, robot.joints[k].placement * frame);
    EXPECT_TRUE(row.ok());
    DhRow r;
    r.a = row.a, r.alpha = row.alpha, r.d = row.d, r.theta = row.theta;
    r.name = robot.joints[k].name;
    if (k < by.rows.size())
      r.a += by.rows[k][0], r.alpha += by.rows[k][1], r.d += by.rows[k][2],
          r.theta += by.rows[k][3];
    table.rows.push_back(r);
    before = frame;
  }
  return table;
}

struct Campaign {
  int poses = 60;
  bool rotations = true;
  double sigma_p = 0, sigma_r = 0;
  SE3<double> base{}, tool{};
  unsigned seed = 1;
  std::string frame = "tool";
};
std::vector<PoseMeasurement> measure(const Model<double>& truth, const Campaign& c) {
  std::mt19937_64 random(c.seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> angle(-2.5, 2.5);
  KinematicsWorkspace<double> ws(truth);
  std::vector<PoseMeasurement> all;
  const auto noise = [&](double sigma) {
    return Vec3<double>{sigma * normal(random), sigma * normal(random), sigma * normal(random)};
  };
  for (int i = 0; i < c.poses; ++i) {
    PoseMeasurement m;
    for (int k = 0; k < truth.n_q(); ++k) m.q.push_back(angle(random));
    forward_kinematics<double, double>(truth, ws, m.q);
    const SE3<double> T = c.base * frame_pose(ws, truth.frame(c.frame)) * c.tool;
    m.position = T.p + noise(c.sigma_p);
    m.has_rotation = c.rotations;
    if (c.rotations) m.rotation = T.R * exp(noise(c.sigma_r));
    m.line = i + 2;
    all.push_back(m);
  }
  return all;
}
const CalibratedParameter& find(const Calibration& c, const std::string& name) {
  for (const CalibratedParameter& p : c.parameters)
    if (p.name == name) return p;
  throw std::runtime_error(name);
}
/// What the estimate of each parameter should be: its own change and those of held ones that it does the
/// work of.
std::map<std::string, double> effective(const Calibration& found, const Changes& by) {
  const char* const words[] = {"a", "alpha", "d", "theta"};
  std::map<std::string, double> truth;
  for (std::size_t k = 0; k < by.rows.size(); ++k)
    for (std::size_t e = 0; e < 4; ++e)
      truth["dh." + std::to_string(k + 1) + "." + words[e]] = by.rows[k][e];
  std::map<std::string, double> sum = truth;
  for (const CalibratedParameter& p : found.parameters)
    if (p.held)
      for (const CalibratedParameter::Share& s : p.same_as) sum[s.name] += s.factor * truth[p.name];
  return sum;
}
/// The largest distance and angle between two robots' tools over random configurations.
std::pair<double, double> distance(const RobotDescription& a, const RobotDescription& b) {
  const Model<double> A(a), B(b);
  KinematicsWorkspace<double> wa(A), wb(B);
  double p = 0, r = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Array<double> q(A.n_q());
    random_configuration(A, seed, q);
    forward_kinematics<double, double>(A, wa, q);
    forward_kinematics<double, double>(B, wb, q);
    const SE3<double> T =
        inverse_times(frame_pose(wa, A.frame("tool")), frame_pose(wb, B.frame("tool")));
    p = std::max(p, norm(T.p)), r = std::max(r, norm(log(T.R)));
  }
  return {p, r};
}

TEST(Calibrate, exact_poses_give_the_robot_back_to_1e_10) {
  for (const std::string name : {"puma560", "ur5"}) {
    Changes by = drawn(6, 3);
    const Model<double> nominal(from_dh(table_of(name)));
    for (std::size_t k = 0; k < 6; ++k)  // parallel axes stay so: their d are one number
      if (std::abs(std::sin(table_of(name).rows[k].alpha)) < 1e-9) by.rows[k][1] = 0;
    const Model<double> truth(from_dh(table_of(name, by)));
    const Calibration found = calibrate(nominal, measure(truth, {}));
    ASSERT_TRUE(found.ok()) << found.message;
    EXPECT_LT(found.after.position_max, 1e-10) << name;
    EXPECT_LT(found.after.rotation_max, 1e-10) << name;
    EXPECT_GT(found.before.position_max, 1e-4);
    const auto [p, r] = distance(found.robot, truth.description());
    EXPECT_LT(p, 1e-10) << name;
    EXPECT_LT(r, 1e-10) << name;
    EXPECT_TRUE(found.rejected.empty());
    const auto wanted = effective(found, by);
    for (const CalibratedParameter& c : found.parameters)
      if (!c.held) {
        EXPECT_NEAR(c.change, wanted.at(c.name), 1e-7) << name << " " << c.name;
      }
  }
}
TEST(Calibrate, stopped_it_says_so_and_later_keeps_what_it_has) {
  const Model<double> nominal(from_dh(table_of("puma560")));
  const auto poses = measure(Model<double>(from_dh(table_of("puma560", drawn(6, 3)))), {});
  CalibrationOptions options;
  const Calibration whole = calibrate(nominal, poses, options);
  options.bootstrap = 1'000'000;
  for (const double end : {0.0, 0.01, 0.05}) {
    const Calibration none =
        calibrate(nominal, poses, options, [&](double share) { return share < end; });
    EXPECT_TRUE(none.stopped);
    EXPECT_EQ(none.message, "calibrate: stopped before the parameters were found");
  }
  std::vector<double> told;
  const Calibration found = calibrate(nominal, poses, options, [&](double share) {
    told.push_back(share);
    return share < 0.5004;  // in the bootstrap, which is the half after 0.5 but for a tenth
  });
  ASSERT_TRUE(found.ok()) << found.message;
  EXPECT_TRUE(found.stopped);
  EXPECT_GT(found.resamples, 900);
  EXPECT_LT(found.resamples, 1100);
  EXPECT_EQ(found.held_out.poses, 0);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  ASSERT_EQ(found.parameters.size(), whole.parameters.size());
  for (std::size_t k = 0; k < found.parameters.size(); ++k)
    EXPECT_EQ(found.parameters[k].change, whole.parameters[k].change);
}
TEST(Calibrate, parameters_that_no_pose_tells_apart_are_named_and_held) {
  const Model<double> nominal(from_dh(table_of("puma560")));
  const Model<double> truth(from_dh(table_of("puma560", drawn(6, 5, 1e-3, 0))));
  const Calibration found = calibrate(nominal, measure(truth, {}));
  // Axes 2 and 3 are parallel: d2 and d3 add up.
  const CalibratedParameter& d3 = find(found, "dh.3.d");
  EXPECT_FALSE(find(found, "dh.2.d").held);
  ASSERT_TRUE(d3.held);
  ASSERT_EQ(d3.same_as.size(), 1U);
  EXPECT_EQ(d3.same_as[0].name, "dh.2.d");
  EXPECT_NEAR(d3.same_as[0].factor, 1, 1e-9);
  int held = 0;
  for (const CalibratedParameter& p : found.parameters) held += p.held ? 1 : 0;
  EXPECT_EQ(held, 1);
}
TEST(Calibrate, placements_of_joints_with_any_axes_are_found_exactly) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    RobotDescription robot =
        random_tree(seed, 5, {.kinds = one_dof_kinds(), .chain = true, .base = true});
    robot.frames.push_back({"tool", robot.links.back().name, {}, {}});
    RobotDescription moved = robot;
    Draw<double> draw(seed);
    for (Joint& joint : moved.joints)
      joint.placement = joint.placement * SE3<double>{exp(draw.vec(1e-3)), draw.vec(1e-3)};
    const Model<double> nominal(robot), truth(moved);
    CalibrationOptions options;
    options.parameters = {"placement"};
    const Calibration found = calibrate(nominal, measure(truth, {.poses = 40}), options);
    EXPECT_LT(found.after.position_max, 1e-9) << seed;
    EXPECT_LT(found.after.rotation_max, 1e-9) << seed;
    EXPECT_LT(found.steps, 40) << seed;
    const auto [p, r] = distance(found.robot, moved);
    EXPECT_LT(p, 1e-8);
  }
}
TEST(Calibrate, rows_of_a_table_that_the_file_does_not_have_are_found_exactly) {
  for (const auto convention : {DhTable::Convention::standard, DhTable::Convention::modified})
    for (unsigned seed = 1; seed <= 4; ++seed) {
      RobotDescription robot = random_tree(
          seed, 5,
          {.kinds = {JointKind::revolute, JointKind::prismatic}, .chain = true, .base = false});
      robot.frames.push_back({"tool", robot.links.back().name, {}, {}});
      robot.root = robot.links.front().name;
      const DhConversion dh = to_dh(robot, convention, "tool");
      ASSERT_TRUE(dh.ok()) << dh.message;
      DhTable table = dh.table;
      const Changes by = drawn(5, seed, 1e-3, 1e-3);
      for (std::size_t k = 0; k < table.rows.size(); ++k) {
        DhRow& row = table.rows[k];
        row.a += by.rows[k][0], row.alpha += by.rows[k][1], row.d += by.rows[k][2];
        row.theta += by.rows[k][3];
      }
      CalibrationOptions options;
      options.parameters = {convention == DhTable::Convention::standard ? "dh" : "mdh"};
      if (convention == DhTable::Convention::standard)  // "dh" alone is the file's own table
        for (int k = 1; k <= 5; ++k)
          for (const char* word : {".a", ".alpha", ".d", ".theta"}) {
            if (k == 1 && std::string(word) == ".a") options.parameters.clear();
            options.parameters.push_back("dh." + std::to_string(k) + word);
          }
      const Calibration found = calibrate(
          Model<double>(robot), measure(Model<double>(from_dh(table)), {.poses = 40}), options);
      EXPECT_LT(found.after.position_max, 1e-9) << seed;
      EXPECT_LT(found.after.rotation_max, 1e-9) << seed;
      EXPECT_GT(found.before.position_max, 1e-4) << seed;
    }
}
TEST(Calibrate, noise_is_met_with_intervals_that_cover_the_truth) {
  int covered = 0, all = 0, within_3 = 0;
  double scatter = 0;
  for (unsigned seed = 1; seed <= 25; ++seed) {
    const Changes by = drawn(6, 100 + seed);
    const Model<double> nominal(from_dh(table_of("puma560")));
    const Model<double> truth(from_dh(table_of("puma560", by)));
    CalibrationOptions options;
    options.separation = 1e-2;  // 0.2 deg off parallel is no measure of d2 - d3
    options.folds = 0;
    const Calibration found = calibrate(
        nominal, measure(truth, {.poses = 50, .sigma_p = 1e-4, .sigma_r = 2e-4, .seed = seed}),
        options);
    ASSERT_TRUE(found.ok());
    EXPECT_NEAR(found.sigma_position, 1e-4, 2.5e-5);
    EXPECT_NEAR(found.sigma_rotation, 2e-4, 5e-5);
    const auto wanted = effective(found, by);
    for (const CalibratedParameter& p : found.parameters) {
      if (p.held) continue;
      ++all;
      covered += p.lower <= wanted.at(p.name) && wanted.at(p.name) <= p.upper ? 1 : 0;
      within_3 += std::abs(p.change - wanted.at(p.name)) < 3 * p.sigma ? 1 : 0;
    }
    const auto [p, r] = distance(found.robot, truth.description());
    scatter = std::max(scatter, p);
  }
  EXPECT_GT(all, 550);
  EXPECT_NEAR(static_cast<double>(covered) / all, 0.95, 0.03);
  EXPECT_GT(static_cast<double>(within_3) / all, 0.985);
  EXPECT_LT(scatter, 3e-4);  // where 1 mm and 0.2 deg were off in every row
}
TEST(Calibrate, bootstrap_over_poses_agrees_with_the_classical_deviation_of_white_noise) {
  const Model<double> nominal(from_dh(table_of("ur5")));
  const Model<double> truth(from_dh(table_of("ur5", drawn(6, 9))));
  CalibrationOptions options;
  options.bootstrap = 300;
  options.separation = 1e-2;
  const Calibration found = calibrate(
      nominal, measure(truth, {.poses = 120, .sigma_p = 1e-4, .sigma_r = 1e-4, .seed = 4}),
      options);
  for (const CalibratedParameter& p : found.parameters)
    if (!p.held) {
      EXPECT_GT(p.bootstrap_sigma, 0.6 * p.sigma) << p.name;
      EXPECT_LT(p.bootstrap_sigma, 1.6 * p.sigma) << p.name;
    }
  EXPECT_EQ(found.held_out.poses, 120);
  EXPECT_GT(found.held_out.position_rms, found.after.position_rms);
  EXPECT_LT(found.held_out.position_rms, 1.3 * found.after.position_rms);
}
TEST(Calibrate, outliers_are_rejected_by_number_and_do_no_harm) {
  const Model<double> nominal(from_dh(table_of("puma560")));
  const Model<double> truth(from_dh(table_of("puma560", drawn(6, 11))));
  std::vector<PoseMeasurement> poses =
      measure(truth, {.poses = 60, .sigma_p = 1e-4, .sigma_r = 1e-4, .seed = 2});
  poses[7].position.x += 0.02;
  poses[31].position = poses[30].position;
  poses[44].rotation = poses[44].rotation * rotation_x(0.05);
  CalibrationOptions options;
  options.separation = 1e-2;
  const Calibration found = calibrate(nominal, poses, options);
  EXPECT_EQ(found.rejected, (Array<int>{7, 31, 44}));
  const auto [p, r] = distance(found.robot, truth.description());
  EXPECT_LT(p, 3e-4);
  EXPECT_EQ(found.after.poses, 57);
}
TEST(Calibrate, unknown_base_and_tool_are_found_wherever_they_are) {
  Draw<double> draw(6);
  for (const bool rotations : {true, false}) {
    Campaign c{.poses = 80, .rotations = rotations};
    c.base = {draw.rotation(), draw.vec(3)};
    c.tool = {rotations ? draw.rotation() : SO3<double>::identity(), {0.05, -0.1, 0.2}};
    const Changes by = drawn(6, 21, 1e-3, 0);
    const Model<double> nominal(from_dh(table_of("puma560")));
    const Model<double> truth(from_dh(table_of("puma560", by)));
    CalibrationOptions options;
    options.base_unknown = options.tool_unknown = true;
    const Calibration found = calibrate(nominal, measure(truth, c), options);
    ASSERT_TRUE(found.ok());
    EXPECT_LT(found.after.position_max, 1e-9) << rotations;
    // The first joint and the last cannot be told from base and tool.
    for (const char* name : {"dh.1.d", "dh.1.theta", "dh.6.d"}) EXPECT_TRUE(find(found, name).held);
    ASSERT_EQ(found.tools.size(), 1U);
    // B T C is what was measured, at a pose that was not.
    const Model<double> made(found.robot);
    KinematicsWorkspace<double> ws(made), wt(truth);
    const Array<double> q{0.3, -0.4, 0.5, 0.6, -0.7, 0.8};
    forward_kinematics<double, double>(made, ws, q);
    forward_kinematics<double, double>(truth, wt, q);
    const SE3<double> T = found.T_measuring_world * frame_pose(ws, made.frame("tool"));
    EXPECT_LT(norm(T.p - (c.base * frame_pose(wt, truth.frame("tool")) * c.tool).p), 1e-8);
  }
}
TEST(Calibrate, points_alone_and_offsets_of_joints_suffice) {
  RobotDescription moved = load_description("panda");
  const Model<double> nominal(moved);
  const double offset[] = {0.01, -0.02, 0.005, 0.03, -0.01, 0.02, 0.015};
  for (std::size_t k = 0; k < 7; ++k)
    moved.joints[k].placement = moved.joints[k].placement * SE3<double>{rotation_z(offset[k]), {}};
  const Model<double> truth(moved);
  CalibrationOptions options;
  options.parameters = {"offsets"};
  // A point off the last axis, so that the last joint moves it.
  for (FrameOnLink& f : moved.frames)
    if (f.name == "tool")
      f.placement = f.placement * SE3<double>{SO3<double>::identity(), {0.1, 0, 0}};
  RobotDescription file = nominal.description();
  for (FrameOnLink& f : file.frames)
    if (f.name == "tool")
      f.placement = f.placement * SE3<double>{SO3<double>::identity(), {0.1, 0, 0}};
  const Calibration found =
      calibrate(Model<double>(file), measure(Model<double>(moved), {.rotations = false}), options);
  for (std::size_t k = 0; k < 7; ++k)
    EXPECT_NEAR(find(found, "offset." + moved.joints[k].name).change, offset[k], 1e-10);
  // q_true = q + offset: the calibrated robot at q is the file's at q + offset.
  EXPECT_LT(found.after.position_max, 1e-10);
}
TEST(Calibrate, distances_from_known_points_suffice) {
  const Changes by = drawn(6, 33, 1e-3, 0);
  const Model<double> nominal(from_dh(table_of("puma560")));
  const Model<double> truth(from_dh(table_of("puma560", by)));
  std::vector<PoseMeasurement> poses = measure(truth, {.poses = 150, .rotations = false});
  const Vec3<double> anchors[] = {{1, 0, 0.2}, {-0.4, 0.9, 0.5}, {0.1, -0.8, -0.7}};
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Vec3<double> anchor = anchors[i % 3];
    poses[i].is_distance = true;
    poses[i].distance = norm(poses[i].position - anchor);
    poses[i].position = anchor;
  }
  poses[40].distance += 0.01;
  CalibrationOptions options;
  options.parameters = {"dh.1.d", "dh.2.a", "dh.2.d", "dh.3.a", "dh.4.d", "offset.elbow"};
  const Calibration all = calibrate(nominal, poses, {});
  EXPECT_LT(all.after.position_max, 1e-9);
  EXPECT_EQ(all.rejected, (Array<int>{40}));
  const Calibration found = calibrate(nominal, poses, options);
  EXPECT_GT(found.after.position_rms, 1e-5);  // some of what is off was not named
  EXPECT_LT(found.after.position_rms, found.before.position_rms);
}
TEST(Calibrate, several_frames_are_used_together) {
  const RobotDescription file = load_description("panda");
  RobotDescription moved = file;
  moved.joints[2].placement =
      moved.joints[2].placement * SE3<double>{SO3<double>::identity(), {0, 0, 0.002}};
  const Model<double> nominal(file), truth(moved);
  std::vector<PoseMeasurement> poses = measure(truth, {.poses = 10, .rotations = false});
  const std::string elbow = file.links[5].name;
  for (PoseMeasurement m :
       measure(truth, {.poses = 10, .rotations = false, .seed = 3, .frame = elbow})) {
    m.frame = elbow;
    poses.push_back(m);
  }
  CalibrationOptions options;
  options.parameters = {"mdh.3.d", "mdh.3.theta"};
  const Calibration found = calibrate(nominal, poses, options);
  EXPECT_NEAR(find(found, "mdh.3.d").change, 0.002, 1e-10);
  EXPECT_EQ(found.tools.size(), 2U);
}
TEST(Calibrate, what_cannot_be_calibrated_is_refused) {
  const Model<double> model = load_robot("puma560");
  const std::vector<PoseMeasurement> poses = measure(model, {.poses = 10});
  const auto with = [&](const std::vector<std::string>& names) {
    CalibrationOptions options;
    options.parameters = names;
    return calibrate(model, poses, options);
  };
  EXPECT_THROW((void)with({"dh.9.a"}), Error);
  EXPECT_THROW((void)with({"elbow.viscous"}), Error);
  EXPECT_THROW((void)with({"offset.elbo"}), Error);
  EXPECT_THROW((void)with({}), Error);
  EXPECT_THROW((void)calibrate(model, {poses[0]}), Error);
  std::vector<PoseMeasurement> bad = poses;
  bad[3].q.pop_back();
  EXPECT_THROW((void)calibrate(model, bad), Error);
  bad = poses;
  bad[3].frame = "tol";
  EXPECT_THROW((void)calibrate(model, bad), Error);
}

}  // namespace
}  // namespace torsor::testing
