// What the page of `torsor view` is told is what the library computes.
#include "server/session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "house/process.hpp"
#include "support/refusal.hpp"
#include "torsor/experiments/drawing.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/kinematics/forward.hpp"

namespace torsor::testing {
namespace {

using view::Json;
using view::Session;
using Vector = Robot::Vector;

Vector vector_of(const Json& list) {
  Vector out(static_cast<Eigen::Index>(list.size()));
  for (std::size_t k = 0; k < list.size(); ++k) out[static_cast<Eigen::Index>(k)] = list[k];
  return out;
}
Json list_of(const Vector& v) { return std::vector<double>(v.data(), v.data() + v.size()); }
double distance(const Json& rows, const Robot::Matrix& truth) {
  double worst = 0;
  for (Eigen::Index r = 0; r < truth.rows(); ++r)
    for (Eigen::Index c = 0; c < truth.cols(); ++c)
      worst = std::max(
          worst,
          std::abs(
              rows.at(static_cast<std::size_t>(r)).at(static_cast<std::size_t>(c)).get<double>() -
              truth(r, c)));
  return worst;
}
Eigen::Isometry3d pose_of(const Json& sixteen) {
  Eigen::Isometry3d T;
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) T.matrix()(r, c) = sixteen.at(static_cast<std::size_t>(4 * r + c));
  return T;
}
Json matrix_of(const Eigen::Isometry3d& T) {
  Json out = Json::array();
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 4; ++c) out.push_back(T.matrix()(r, c));
  return out;
}
Session session_of(const std::string& name) { return Session(Robot(name), {.robot = name}); }

TEST(Session, the_state_is_what_the_library_computes) {
  for (const char* name : {"puma560", "panda", "stanford", "humanoid38"}) {
    Robot robot(name);
    Session session(robot, {.robot = name});
    const Vector q = robot.random_configuration(3);
    Vector qd(robot.n_v()), qdd(robot.n_v());
    for (int k = 0; k < robot.n_v(); ++k) qd[k] = 0.1 * k - 0.2, qdd[k] = 0.3 - 0.05 * k;
    session.answer("move", {{"q", list_of(q)}});
    const Json state = session.answer("look", {{"qd", list_of(qd)}, {"qdd", list_of(qdd)}});
    EXPECT_LT((vector_of(state.at("q")) - q).norm(), 1e-12);
    const Json& m = state.at("matrices");
    EXPECT_LT(distance(m.at("M"), robot.mass_matrix(q)), 1e-9);
    EXPECT_LT(distance(m.at("C"), robot.coriolis_matrix(q, qd)), 1e-9);
    EXPECT_LT((vector_of(m.at("g")) - robot.gravity_torque(q)).norm(), 1e-9);
    EXPECT_LT((vector_of(m.at("tau")) - robot.inverse_dynamics(q, qd, qdd)).norm(), 1e-9);
    const std::string frame = state.at("tool").at("frame");
    EXPECT_LT(distance(m.at("J"), robot.jacobian(frame, q, Reference::world_aligned)), 1e-9);
    EXPECT_LT(
        (pose_of(state.at("tool").at("T")).matrix() - robot.frame_pose(frame, q).matrix()).norm(),
        1e-12);
    EXPECT_LT((vector_of(state.at("com")) - robot.centre_of_mass(q)).norm(), 1e-12);
    // Poses of the bodies, seven numbers each.
    const std::vector<Eigen::Isometry3d> bodies = robot.forward_kinematics(q);
    const Vector seven = vector_of(state.at("poses"));
    ASSERT_EQ(seven.size(), 7 * static_cast<Eigen::Index>(bodies.size() - 1));
    for (std::size_t i = 1; i < bodies.size(); ++i) {
      const Vector p = seven.segment(7 * static_cast<Eigen::Index>(i - 1), 7);
      EXPECT_LT((p.head<3>() - bodies[i].translation()).norm(), 1e-9);
      const Eigen::Quaterniond turn(p[6], p[3], p[4], p[5]);
      EXPECT_LT((turn.toRotationMatrix() - bodies[i].linear()).norm(), 1e-9);
    }
  }
}

TEST(Session, ellipsoids_are_those_of_the_jacobian) {
  Session session = session_of("puma560");
  Robot robot("puma560");
  const Vector q = robot.random_configuration(5);
  const Json tool = session.answer("move", {{"q", list_of(q)}}).at("tool");
  const Manipulability m = robot.manipulability("tool", q);
  for (int k = 0; k < 3; ++k) {
    const auto at = static_cast<std::size_t>(k);
    EXPECT_NEAR(tool.at("velocity_ellipsoid").at("radii").at(at), m.linear.radii[k], 1e-12);
    EXPECT_NEAR(tool.at("force_ellipsoid").at("radii").at(at), 1 / m.linear.radii[k], 1e-9);
  }
  EXPECT_NEAR(tool.at("manipulability"), m.measure, 1e-12);
}

TEST(Session, warns_of_limits_and_singularities) {
  Session session = session_of("puma560");
  const auto warnings = [&](const Json& q) {
    return session.answer("move", {{"q", q}}).at("warnings").dump();
  };
  EXPECT_EQ(warnings({0.3, -0.4, 0.2, 0.5, 0.6, 0.1}), "[]");
  EXPECT_NE(warnings({0.3, -0.4, 0.2, 0.5, 0, 0.1}).find("singular"), std::string::npos);
  EXPECT_NE(warnings({3.1, -0.4, 0.2, 0.5, 0.6, 0.1}).find("waist = 3.1 rad is beyond its limits"),
            std::string::npos);
  Session slides = session_of("scara");
  EXPECT_NE(slides.answer("move", {{"q", {0.2, 0.4, 0.0, 0.1}}})
                .at("warnings")
                .dump()
                .find("quill = 0 m is near its limit 0 m"),
            std::string::npos);
}

TEST(Session, every_warning_is_one_plain_line) {
  for (const char* name : {"puma560", "panda", "scara", "stanford", "stewart"}) {
    Session session = session_of(name);
    for (const Json& line : session.answer("state", Json::object()).at("warnings")) {
      const std::string text = line;
      EXPECT_EQ(text.find_first_of("\n\\"), std::string::npos) << name << ": " << text;
      EXPECT_LT(text.size(), 140u) << name << ": " << text;
    }
  }
  Session session = session_of("puma560");
  const Json bent = session.answer("move", {{"q", {0.3, -0.4, 0.2, 0.5, 0, 0.1}}});
  EXPECT_EQ(bent.at("warnings"),
            Json({"singular: tool has lost 1 of 6 directions: the wrist's axes lie in a plane"}));
}

TEST(Session, an_arm_with_more_joints_than_directions_and_coupled_fingers_is_not_singular) {
  Session session = session_of("panda_hand");  // seven joints, one motion of the fingers
  const Json state =
      session.answer("move", {{"q", {0.2, -0.4, 0.1, -2.1, 0.3, 1.9, 0.6, 0.02, 0.02}}});
  EXPECT_EQ(state.at("warnings"), Json::array());
  // Stretched out in a plane: joints 1, 3, 5 and 7 turn about one line.
  const Json straight = session.answer("move", {{"q", {0, 0, 0, -0.0698, 0, 1.8, 0, 0.02, 0.02}}});
  for (const Json& line : straight.at("warnings"))
    EXPECT_EQ(line.get<std::string>().find("type I"), std::string::npos) << line;
}

TEST(Session, a_mechanism_whose_tool_has_lost_a_direction_is_said_to_be_singular) {
  // The piston of a crank at its dead centre, and beside it.
  Session session = session_of("slider_crank");
  const auto warnings = [&](double crank) {
    session.answer("look", {{"frame", "slider_block"}});
    return session.answer("slide", {{"coordinate", 0}, {"value", crank}}).at("warnings");
  };
  EXPECT_EQ(warnings(0.5), Json::array());
  EXPECT_EQ(warnings(0), Json({"singular: slider_block has lost 1 of 1 directions"}));
}

TEST(Session, a_robot_begins_within_its_limits) {
  for (const char* name : {"panda", "panda_hand", "puma560", "iiwa14", "ur5"}) {
    Session session = session_of(name);
    for (const Json& line : session.answer("state", Json::object()).at("warnings"))
      EXPECT_EQ(line.get<std::string>().find("beyond"), std::string::npos) << name << line;
  }
}

TEST(Session, the_tool_is_one_of_the_frames_that_it_offers) {
  for (const BuiltinRobot& builtin : builtin_robots()) {
    const std::string name = builtin.name == "chain:N" ? "chain:4" : builtin.name;
    Session session = session_of(name);
    const Json frames = session.answer("robot", Json::object()).at("frames");
    const Json tool = session.answer("state", Json::object()).at("tool").at("frame");
    EXPECT_NE(std::find(frames.begin(), frames.end(), tool), frames.end()) << name << " " << tool;
  }
}

TEST(Session, reaching_gives_every_branch_and_takes_the_nearest) {
  Session session = session_of("puma560");
  Robot robot("puma560");
  const Vector q{{0.2, -0.5, 0.3, 0.4, 0.7, -0.2}};
  session.answer("move", {{"q", list_of(q)}});
  Eigen::Isometry3d T = robot.frame_pose("tool", q);
  T.translation() += Eigen::Vector3d(0.01, -0.02, 0.015);
  const Json answer = session.answer("reach", {{"frame", "tool"}, {"T", matrix_of(T)}});
  EXPECT_TRUE(answer.at("reached"));
  const Robot::AnalyticIk truth = robot.analytic_ik("tool", T);
  ASSERT_EQ(answer.at("branches").size(), truth.solutions.size());
  EXPECT_EQ(truth.solutions.size(), 8u);
  for (const Json& branch : answer.at("branches"))
    EXPECT_LT((robot.frame_pose("tool", vector_of(branch.at("q"))).matrix() - T.matrix()).norm(),
              1e-9);
  const Vector now = vector_of(answer.at("state").at("q"));
  EXPECT_LT((now - q).norm(), 0.2);
  EXPECT_LT((pose_of(answer.at("state").at("tool").at("T")).matrix() - T.matrix()).norm(), 1e-9);
  // Another branch is a configuration like any other, and asking for branches may leave it there.
  for (const Json& branch : answer.at("branches")) {
    const Json other = session.answer("move", {{"q", branch.at("q")}});
    EXPECT_LT((pose_of(other.at("tool").at("T")).matrix() - T.matrix()).norm(), 1e-9);
    const Json stays = session.answer("reach", {{"T", matrix_of(T)}, {"stay", true}});
    EXPECT_EQ(stays.at("branches").size(), 8u);
    EXPECT_EQ(stays.at("state").at("q"), other.at("q"));
  }
}

TEST(Session, reaching_is_numeric_where_there_is_no_closed_form) {
  Session session = session_of("panda");
  Robot robot("panda");
  const Vector q{{0.1, -0.5, 0.2, -2.0, 0.1, 1.6, 0.5}};
  session.answer("move", {{"q", list_of(q)}});
  Eigen::Isometry3d T = robot.frame_pose("tool", q);
  T.translation() += Eigen::Vector3d(0.02, 0.01, -0.02);
  const Json answer =
      session.answer("reach", {{"frame", "tool"}, {"T", matrix_of(T)}, {"drag", true}});
  EXPECT_TRUE(answer.at("reached"));
  EXPECT_EQ(answer.at("method"), "numeric");
  EXPECT_LT((pose_of(answer.at("state").at("tool").at("T")).matrix() - T.matrix()).norm(), 1e-7);
}

TEST(Session, what_cannot_be_reached_is_said_and_typed_poses_leave_the_robot_alone) {
  Session session = session_of("puma560");
  Json request = {{"position", {5, 5, 5}}, {"rpy", {0, 0, 0}}};
  const Json before = session.answer("state", Json::object());
  Json answer = session.answer("reach", request);
  EXPECT_FALSE(answer.at("reached"));
  EXPECT_EQ(answer.at("state").at("q"), before.at("q"));
  request["drag"] = true;  // who drags sees the arm stretch towards the pointer
  answer = session.answer("reach", request);
  EXPECT_FALSE(answer.at("reached"));
  EXPECT_NE(answer.at("state").at("q"), before.at("q"));
}

TEST(Session, a_point_is_enough_for_arms_of_two_joints) {
  Session session = session_of("planar2r");
  Robot robot("planar2r");
  const Vector q{{0.4, 0.8}};
  session.answer("move", {{"q", {0.5, 0.6}}});
  const std::string frame = session.answer("state", Json::object()).at("tool").at("frame");
  const Eigen::Vector3d p = robot.frame_pose(frame, q).translation();
  const Json answer =
      session.answer("reach", {{"position", {p.x(), p.y(), p.z()}}, {"drag", true}});
  EXPECT_TRUE(answer.at("reached"));
  EXPECT_EQ(answer.at("branches").size(), 2u);
  EXPECT_LT((vector_of(answer.at("state").at("q")) - q).norm(), 1e-8);
}

TEST(Session, loops_stay_closed_while_a_joint_or_the_tool_is_dragged) {
  for (const char* name : {"four_bar", "five_bar", "stewart", "delta", "slider_crank"}) {
    Robot robot(name);
    Session session(robot, {.robot = name});
    const auto open = [&](const Json& state) {
      return robot.constraint_errors(vector_of(state.at("q"))).position;
    };
    const Json first = session.answer("state", Json::object());
    EXPECT_LT(open(first), 1e-10) << name;
    // One coordinate by a little: it is where it was put, the others follow.
    const double wanted = first.at("q").at(0).get<double>() + 0.02;
    const Json slid = session.answer("slide", {{"coordinate", 0}, {"value", wanted}});
    EXPECT_LT(open(slid), 1e-10) << name;
    EXPECT_NEAR(slid.at("q").at(0), wanted, 1e-12) << name;
    // The tool by a little.
    Eigen::Isometry3d T = pose_of(slid.at("tool").at("T"));
    T.translation() += Eigen::Vector3d(0.004, 0.003, 0.002);
    const Json dragged = session.answer("reach", {{"T", matrix_of(T)}, {"drag", true}}).at("state");
    EXPECT_LT(open(dragged), 1e-10) << name;
    EXPECT_NE(dragged.at("q"), slid.at("q")) << name;
  }
}

TEST(Session, a_dragged_platform_follows_the_pointer) {
  Robot robot("stewart");
  Session session(robot, {.robot = "stewart"});
  const Json first = session.answer("state", Json::object());
  EXPECT_EQ(first.at("tool").at("frame"), "platform");
  Eigen::Isometry3d T = pose_of(first.at("tool").at("T"));
  T.translation() += Eigen::Vector3d(0.01, -0.01, 0.02);
  const Json answer = session.answer("reach", {{"T", matrix_of(T)}, {"drag", true}});
  EXPECT_TRUE(answer.at("reached")) << answer.at("message");
  EXPECT_LT((pose_of(answer.at("state").at("tool").at("T")).matrix() - T.matrix()).norm(), 1e-9);
}

TEST(Session, joints_without_plain_angles_are_nudged) {
  Robot robot("humanoid38");
  Session session(robot, {.robot = "humanoid38"});
  const Json state = session.answer("nudge", {{"dof", 1}, {"by", 0.1}});
  Vector step = Vector::Zero(robot.n_v());
  step[1] = 0.1;
  EXPECT_LT((vector_of(state.at("q")) - robot.integrate(robot.neutral(), step)).norm(), 1e-12);
}

TEST(Session, a_recorded_motion_runs_under_a_law_with_its_conditions) {
  Session session = session_of("puma560");
  Json points = Json::array();
  for (int k = 0; k <= 60; ++k) {
    const double t = k / 60.0, s = t * t * (3 - 2 * t);
    points.push_back({{"t", 10 + t}, {"q", {0.3 * s, -0.5 + 0.2 * s, 0.1 * s, 0, 0.4, 0}}});
  }
  const Json run = session.answer("run", {{"law", "computed_torque"}, {"points", points}});
  EXPECT_EQ(run.at("stop"), "finished") << run.at("message");
  EXPECT_FALSE(run.at("conditions").empty());
  ASSERT_GT(run.at("t").size(), 100u);
  EXPECT_EQ(run.at("poses").size(), run.at("t").size());
  double worst = 0;
  for (const Json& column : run.at("e").at("values"))
    for (const Json& e : column) worst = std::max(worst, std::abs(e.get<double>()));
  EXPECT_LT(worst, 1e-3);  // starts on the reference, with the true model
  EXPECT_FALSE(run.at("lyapunov").at("values").empty());
  // Gains are those of the scenario times the factor.
  const Json gains = session.answer("law", {{"name", "computed_torque"}}).at("gains");
  const Json twice = session.answer(
      "run", {{"law", "computed_torque"}, {"points", points}, {"factors", {{"Kp", 2}}}});
  EXPECT_NEAR(twice.at("gains").at(0).at("values").at(0).get<double>(),
              2 * gains.at(0).at("values").at(0).get<double>(), 1e-12);
}

TEST(Session, every_law_it_offers_runs) {
  Session session = session_of("planar2r");
  const Json points = {{{"t", 0}, {"q", {0.1, 0.4}}},
                       {{"t", 0.5}, {"q", {0.2, 0.5}}},
                       {{"t", 1}, {"q", {0.3, 0.4}}}};
  int laws = 0;
  const Json robot = session.answer("robot", Json::object());
  for (const Json& law : robot.at("laws")) {
    const Json run =
        session.answer("run", {{"law", law.at("name")}, {"points", points}, {"duration", 1}});
    EXPECT_GT(run.at("t").size(), 1u) << law;
    ++laws;
  }
  EXPECT_GE(laws, 10);
}

TEST(Session, runs_are_bounded_and_refused_in_one_line) {
  Session session(Robot("puma560"), {.robot = "puma560", .run_seconds = 0.05});
  const Vector q = Vector::Zero(6);
  const auto refused = [&](const Json& request) {
    return refusal([&] { return session.answer("run", request); });
  };
  const Json start = {{"t", 0}, {"q", list_of(q)}};
  EXPECT_NE(
      refused({{"law", "computed_torqe"}, {"points", {start, start}}}).find("computed_torque"),
      std::string::npos);
  EXPECT_NE(refused({{"law", "computed_torque"}, {"points", {start}}}).find("points"),
            std::string::npos);
  EXPECT_NE(refused({{"law", "computed_torque"}, {"points", {start, start}}}).find("shorter"),
            std::string::npos);
  const Json end = {{"t", 100}, {"q", {1, 0, 0, 0, 0, 0}}}, late = {{"t", 1e9}, {"q", list_of(q)}};
  EXPECT_NE(refused({{"law", "computed_torque"}, {"points", {start, late}}}).find("longer"),
            std::string::npos);
  EXPECT_NE(refused({{"law", "computed_torque"}, {"points", {end, start}}}).find("back"),
            std::string::npos);
  EXPECT_NE(
      refused({{"law", "computed_torque"}, {"points", {start, end}}, {"factors", {{"Kq", 2}}}})
          .find("Kq"),
      std::string::npos);
  // Chatter at large gains, stopped by the clock.
  const auto begin = std::chrono::steady_clock::now();
  const Json run =
      session.answer("run", {{"law", "sliding_computed_torque"}, {"points", {start, end}}});
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), 20);
  EXPECT_NE(run.at("stop"), "");
}

TEST(Session, refuses_what_does_not_fit_and_stays_where_it_is) {
  Session session = session_of("puma560");
  const auto refused = [&](const char* verb, const Json& request) {
    return refusal([&] { return session.answer(verb, request); });
  };
  EXPECT_NE(refused("look", {{"frame", "tol"}}).find("\"tool\""), std::string::npos);
  EXPECT_NE(refused("look", {{"reference", "world_aligned"}}).find("world-aligned"),
            std::string::npos);
  EXPECT_NE(refused("slide", {{"coordinate", 6}, {"value", 0}}).find("below 6"), std::string::npos);
  EXPECT_NE(refused("slide", {{"coordinate", 0.5}, {"value", 0}}), "accepted");
  EXPECT_NE(refused("reach", {{"T", std::vector<double>(16, 1.0)}}).find("rigid"),
            std::string::npos);
  EXPECT_NE(refused("reach", {{"position", {0, 0, 0}}, {"quaternion", {0, 0, 0, 2}}}).find("unit"),
            std::string::npos);
  EXPECT_NE(refused("reach", {{"frame", "base"}, {"position", {0, 0, 0}}}), "accepted");
  EXPECT_NE(refused("move", {{"q", {1e300, 0, 0, 0, 0, 0}}}), "accepted");
  EXPECT_EQ(session.q().norm(), 0);
  EXPECT_EQ(session.version(), 1u);
}

TEST(Session, meshes_that_may_be_seen_are_in_the_scene) {
  const ScratchFolder folder;
  write_text(folder / "arm.obj",
             "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  write_text(folder / "broken.obj", "f 1 2 9\n");
  write_text(folder / "arm.urdf",
             "<robot name=\"arm\"><link name=\"base\"/><link name=\"arm\"><inertial><mass "
             "value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" "
             "iyz=\"0\"/></inertial><visual><geometry><mesh filename=\"arm.obj\"/></geometry>"
             "</visual><visual><geometry><mesh filename=\"broken.obj\"/></geometry></visual>"
             "</link><joint name=\"j\" type=\"continuous\"><parent link=\"base\"/><child "
             "link=\"arm\"/><axis xyz=\"0 0 1\"/></joint></robot>");
  const std::string file = (folder / "arm.urdf").string();
  Session session(Robot(file), {.robot = file});
  const Json scene = session.answer("scene", Json::object());
  ASSERT_EQ(scene.at("meshes").size(), 1u);
  // Four points of three float32, four triangles of three uint32: 48 bytes each, 64 letters.
  EXPECT_EQ(scene.at("meshes")[0].at("vertices").get<std::string>().size(), 64u);
  EXPECT_EQ(scene.at("meshes")[0].at("triangles").get<std::string>().size(), 64u);
}

TEST(Session, meshes_are_served_from_the_folders_of_the_robot_alone) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "robot/meshes");
  write_text(folder / "secret.stl", "solid secret");
  write_text(folder / "robot/meshes/arm.stl", "solid arm");
  write_text(folder / "robot/meshes/arm.txt", "no mesh");
  std::filesystem::create_symlink(folder / "secret.stl", folder / "robot/meshes/link.stl");
  std::string visuals;
  for (const std::string& name :
       {std::string("meshes/arm.stl"), std::string("../secret.stl"), std::string("meshes/link.stl"),
        std::string("file:///etc/passwd"), std::string("meshes/none.stl"),
        std::string("meshes/arm.txt"), (folder / "secret.stl").string(),
        std::string("package://../secret.stl")})
    visuals += "<visual><geometry><mesh filename=\"" + name + "\"/></geometry></visual>";
  write_text(folder / "robot/arm.urdf",
             "<robot name=\"arm\"><link name=\"base\"/><link name=\"arm\"><inertial><mass "
             "value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" "
             "iyz=\"0\"/></inertial>" +
                 visuals +
                 "</link><joint name=\"j\" type=\"continuous\"><parent link=\"base\"/><child "
                 "link=\"arm\"/><axis xyz=\"0 0 1\"/></joint></robot>");
  const std::string file = (folder / "robot/arm.urdf").string();
  Session session(Robot(file), {.robot = file});
  ASSERT_EQ(session.meshes().list().size(), 8u);
  EXPECT_EQ(session.meshes().read(0), "solid arm");
  for (int k = 1; k < 8; ++k)
    EXPECT_NE(refusal([&] { return session.meshes().read(k); }), "accepted") << k;
  EXPECT_EQ(session.answer("robot", Json::object()).at("missing").size(), 7u);
  // The scene names them all with the reason, those that are no meshes inside, too.
  const Json missing = session.answer("scene", Json::object()).at("missing");
  ASSERT_EQ(missing.size(), 8u);
  const auto says = [&](const std::string& part) {
    for (const auto& line : missing)
      if (line.get<std::string>().find(part) != std::string::npos) return true;
    return false;
  };
  EXPECT_TRUE(says("meshes/none.stl: is not found")) << missing;
  EXPECT_TRUE(says("../secret.stl: lies outside of the robot's folders")) << missing;
  EXPECT_TRUE(says("meshes/arm.txt: is of no known kind")) << missing;
  EXPECT_TRUE(says("meshes/arm.stl: ")) << missing;
  // With the folder named, what lies there may be seen.
  const Session allowed(Robot(file), {.robot = file, .package_folders = {folder.path().string()}});
  EXPECT_EQ(allowed.meshes().read(1), "solid secret");
  // A link that is put there later leads nowhere.
  std::filesystem::remove(folder / "robot/meshes/arm.stl");
  std::filesystem::create_symlink(folder / "secret.stl", folder / "robot/meshes/arm.stl");
  EXPECT_NE(refusal([&] { return session.meshes().read(0); }), "accepted");
}

TEST(Session, names_of_the_file_stay_text) {
  RobotDescription robot = load_description("planar2r");
  robot.name = "<script>alert(1)</script>";
  Session session{Robot{Model<double>(robot)}};
  EXPECT_EQ(session.answer("robot", Json::object()).at("name"), robot.name);
  EXPECT_FALSE(session.answer("robot", Json::object()).at("can_run"));
}

}  // namespace
}  // namespace torsor::testing
