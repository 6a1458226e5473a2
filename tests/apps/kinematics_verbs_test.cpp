// torsor fk, ik, jacobian: one state or pose, many of them, every form of output.
#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "apps/command.hpp"
#include "apps/planar_arm.hpp"

using namespace torsor::testing;
using Json = nlohmann::json;

namespace {

using Numbers = std::vector<double>;
constexpr double pi = 3.14159265358979323846;
constexpr double l1 = PlanarArm::l1, l2 = PlanarArm::l2;

/// The arm moves in the plane y = 0; its axes are -y. Closed forms for q, qd, qdd.
struct Plane {
  double q1 = 0.4, q2 = -1.1, v1 = 0.7, v2 = -0.3, a1 = 1.5, a2 = 2.5;
  double c1 = std::cos(q1), s1 = std::sin(q1), c12 = std::cos(q1 + q2), s12 = std::sin(q1 + q2);
  double w = v1 + v2, a = a1 + a2;

  Numbers position() const { return {l1 * c1 + l2 * c12, 0, l1 * s1 + l2 * s12}; }
  Numbers velocity() const {
    return {0, -w, 0, -l1 * s1 * v1 - l2 * s12 * w, 0, l1 * c1 * v1 + l2 * c12 * w};
  }
  Numbers acceleration() const {
    return {0, -a,
            0, -l1 * (c1 * v1 * v1 + s1 * a1) - l2 * (c12 * w * w + s12 * a),
            0, l1 * (c1 * a1 - s1 * v1 * v1) + l2 * (c12 * a - s12 * w * w)};
  }
};

void expect_near(const Json& got, const Numbers& want, double tolerance = 1e-14) {
  ASSERT_EQ(got.size(), want.size()) << got;
  for (std::size_t k = 0; k < want.size(); ++k)
    EXPECT_NEAR(got[k].get<double>(), want[k], tolerance) << "entry " << k << " of " << got;
}
/// As a list for an option, with every digit.
std::string list(const Json& numbers) {
  std::string out;
  for (const Json& x : numbers) (out += out.empty() ? "" : ",") += x.dump();
  return out;
}
std::string pose_list(const Json& T) {
  std::string out;
  for (const Json& row : T) (out += out.empty() ? "" : ",") += list(row);
  return out;
}

class KinematicsVerbs : public ::testing::Test {
 protected:
  ScratchFolder folder;
  std::string robot = (folder / "planar.urdf").string();
  const Plane plane;

  KinematicsVerbs() { write_text(robot, PlanarArm::urdf()); }

  CommandResult run(const std::string& verb, std::vector<std::string> options) {
    options.insert(options.begin(), {verb, robot});
    return torsor_command(options);
  }
  static Json json(std::vector<std::string> words, int code = 0) {
    words.emplace_back("--json");
    const CommandResult result = torsor_command(words);
    EXPECT_EQ(result.code, code) << result.err;
    return result.json();
  }
  Json one(const std::string& verb, std::vector<std::string> options) {
    options.insert(options.begin(), {verb, robot, "--q", "0.4,-1.1"});
    return json(std::move(options))["results"][0];
  }
  std::string file(const std::string& name, const std::string& text) {
    write_text(folder / name, text);
    return (folder / name).string();
  }
  static Json pose_of(const std::string& name, const std::string& q) {
    return json({"fk", name, "--frame", "tool", "--q", q})["results"][0]["frames"]["tool"]["T"];
  }
  static Json ik_of_pose(const std::string& name, const Json& T,
                         std::vector<std::string> options = {}, int code = 0) {
    options.insert(options.begin(), {"ik", name, "--frame", "tool", "--pose", pose_list(T)});
    return json(std::move(options), code)["results"][0];
  }
};

TEST_F(KinematicsVerbs, fk_of_the_planar_arm_is_the_closed_form) {
  const Json frames = one("fk", {})["frames"];
  const Json tip = frames["tip"];
  expect_near(tip["position"], plane.position());
  // Rx(90 deg) Rz(q1 + q2) = Ry(-(q1 + q2)) Rx(90 deg)
  expect_near(tip["rpy"], {pi / 2, -(plane.q1 + plane.q2), 0});
  const double h = (plane.q1 + plane.q2) / 2, r = std::sqrt(0.5);
  expect_near(tip["quaternion"],
              {r * std::cos(h), -r * std::sin(h), r * std::sin(h), r * std::cos(h)});
  const Numbers p = plane.position();
  expect_near(tip["T"][0], {plane.c12, -plane.s12, 0, p[0]});
  expect_near(tip["T"][1], {0, 0, -1, p[1]});
  expect_near(tip["T"][2], {plane.s12, plane.c12, 0, p[2]});
  expect_near(tip["T"][3], {0, 0, 0, 1});
  expect_near(frames["l2"]["position"], {l1 * plane.c1, 0, l1 * plane.s1});
  expect_near(frames["base"]["position"], {0, 0, 0});
  EXPECT_FALSE(tip.contains("velocity"));
}

TEST_F(KinematicsVerbs, fk_gives_velocities_and_accelerations_where_they_are_given) {
  const std::vector<std::string> motion{"--frame", "tip", "--qd", "0.7,-0.3", "--qdd", "1.5,2.5"};
  const Json tip = one("fk", motion)["frames"]["tip"];
  expect_near(tip["velocity"], plane.velocity());
  expect_near(tip["acceleration"], plane.acceleration());
  // In the body: the same angular velocity about its own z, and the speed is the same.
  std::vector<std::string> in_body = motion;
  in_body.insert(in_body.end(), {"--reference", "body"});
  const Json V = one("fk", in_body)["frames"]["tip"]["velocity"];
  EXPECT_NEAR(V[2].get<double>(), plane.w, 1e-15);
  EXPECT_NEAR(std::hypot(V[3].get<double>(), V[4].get<double>()),
              std::hypot(plane.velocity()[3], plane.velocity()[5]), 1e-14);
  const Json moving = one("fk", {"--qd", "0.7,-0.3"})["frames"];
  EXPECT_TRUE(moving["l1"].contains("velocity"));
  EXPECT_FALSE(moving["l1"].contains("acceleration"));
}

TEST_F(KinematicsVerbs, fk_takes_degrees_and_starts_at_the_neutral_configuration) {
  expect_near(
      json({"fk", robot, "--q", "90,0", "--deg"})["results"][0]["frames"]["tip"]["position"],
      {0, 0, l1 + l2}, 1e-15);
  const CommandResult text = run("fk", {});
  EXPECT_TRUE(text.says("neutral configuration")) << text.out;
  EXPECT_TRUE(text.says("base")) << text.out;
  EXPECT_TRUE(run("fk", {"--q", "90,0", "--deg"}).says("-90")) << "pitch in degrees";
}

TEST_F(KinematicsVerbs, fk_puts_every_link_and_frame_on_a_row_of_one_table) {
  const CommandResult all = run("fk", {"--q", "0.4,-1.1", "--qd", "1,0"});
  for (const char* word : {"base", "l1", "l2", "tip", "roll", "qw", "velocities", "wx"})
    EXPECT_TRUE(all.says(word)) << word << all.out;
  EXPECT_FALSE(all.says("accelerations"));
  const CommandResult alone = run("fk", {"--frame", "tip"});
  EXPECT_FALSE(alone.says("l1")) << alone.out;
}

TEST_F(KinematicsVerbs, many_states_become_poses_and_come_back_by_ik) {
  // The first joint turns further than half a turn: only the pose before tells which turn it is in.
  std::string text = "t,q.shoulder_pan,q.shoulder_lift,q.elbow,q.wrist_1,q.wrist_2,q.wrist_3\n";
  std::vector<Numbers> rows;
  for (int k = 0; k < 20; ++k) {
    const double s = 0.05 * k;
    rows.push_back({s, 0.2 + 6 * s, -1 + 0.5 * s, 1.2 - s, 0.3 + s, 1 - 0.4 * s, 0.2 - 2 * s});
    text += list(Json(rows.back())) + "\n";
  }
  const std::string states = file("states.csv", text), poses = (folder / "poses.csv").string(),
                    back = (folder / "back.csv").string();
  EXPECT_EQ(torsor_command({"fk", "ur5", "--frame", "tool", "--csv", states, "-o", poses}).code, 0);
  EXPECT_TRUE(
      read_text(poses).starts_with("t,tool.x,tool.y,tool.z,tool.roll,tool.pitch,tool.yaw,"
                                   "tool.qx,tool.qy,tool.qz,tool.qw\n0,"))
      << read_text(poses);
  const CommandResult solved =
      torsor_command({"ik", "ur5", "--frame", "tool", "--csv", poses, "--near",
                      "0.2,-1,1.2,0.3,1,0.2", "--follow", "-o", back});
  EXPECT_EQ(solved.code, 0) << solved.err;
  EXPECT_TRUE(read_text(back).starts_with("pose," + text.substr(0, text.find('\n')) +
                                          ",reached,inside_limits,position_error,rotation_error\n"))
      << read_text(back);
  // What ik wrote is a table of states again: fk reads it.
  const Json again = json({"fk", "ur5", "--frame", "tool", "--csv", back})["results"];
  ASSERT_EQ(again.size(), rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    EXPECT_EQ(again[r]["t"], rows[r][0]);
    expect_near(again[r]["q"], {rows[r].begin() + 1, rows[r].end()}, 1e-9);
  }
}

TEST_F(KinematicsVerbs, ik_lists_all_eight_branches_of_the_puma_and_each_gives_the_pose) {
  const Json T = pose_of("puma560", "0.5,0.6,-0.9,0.3,0.8,-1");
  const Json result = ik_of_pose("puma560", T);
  EXPECT_EQ(result["status"], "solved");
  ASSERT_EQ(result["solutions"].size(), 8u);
  std::set<std::string> names;
  bool found = false;
  for (const Json& s : result["solutions"]) {
    names.insert(s["branch"].get<std::string>());
    const Json back = pose_of("puma560", list(s["q"]));
    for (std::size_t r = 0; r < 3; ++r) expect_near(back[r], T[r].get<Numbers>(), 1e-9);
    const Numbers q = s["q"], from{0.5, 0.6, -0.9, 0.3, 0.8, -1};
    double off = 0;
    for (std::size_t k = 0; k < 6; ++k) off = std::max(off, std::abs(q[k] - from[k]));
    found |= off < 1e-9;
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(names.size(), 8u);
  EXPECT_TRUE(names.contains("right shoulder, elbow up, wrist no flip")) << Json(names);
  const CommandResult text =
      torsor_command({"ik", "puma560", "--frame", "tool", "--pose", pose_list(T), "--deg"});
  EXPECT_TRUE(text.says("8 solutions by spherical wrist")) << text.out;
  EXPECT_TRUE(text.says("left shoulder, elbow down, wrist flip")) << text.out;
  EXPECT_TRUE(text.says("! beyond the joint's limits")) << text.out;
}

TEST_F(KinematicsVerbs, position_with_rpy_or_quaternion_is_the_same_target_as_the_matrix) {
  const Json fk = json({"fk", "ur5", "--frame", "tool", "--q", "0.1,-1,1.2,0.3,1,0.2"});
  const Json tool = fk["results"][0]["frames"]["tool"];
  const Json by_matrix = ik_of_pose("ur5", tool["T"])["solutions"];
  ASSERT_EQ(by_matrix.size(), 8u);
  const Json by_rpy = json({"ik", "ur5", "--frame", "tool", "--xyz", list(tool["position"]),
                            "--rpy", list(tool["rpy"])})["results"][0]["solutions"];
  const Json by_quaternion =
      json({"ik", "ur5", "--frame", "tool", "--xyz", list(tool["position"]), "--quaternion",
            list(tool["quaternion"])})["results"][0]["solutions"];
  for (const Json* other : {&by_rpy, &by_quaternion}) {
    ASSERT_EQ(other->size(), 8u);
    for (std::size_t k = 0; k < 8; ++k) {
      EXPECT_EQ((*other)[k]["branch"], by_matrix[k]["branch"]);
      expect_near((*other)[k]["q"], by_matrix[k]["q"].get<Numbers>(), 1e-9);
    }
  }
}

TEST_F(KinematicsVerbs, near_sorts_the_branches_by_their_distance) {
  const std::string q = "0.5,0.6,-0.9,0.3,0.8,-1";
  const Json result = ik_of_pose("puma560", pose_of("puma560", q), {"--near", q});
  double last = -1;
  for (const Json& s : result["solutions"]) {
    EXPECT_GE(s["distance"].get<double>(), last);
    last = s["distance"];
  }
  ASSERT_EQ(result["solutions"].size(), 8u);
  EXPECT_LT(result["solutions"][0]["distance"].get<double>(), 1e-9);
  expect_near(result["solutions"][0]["q"], {0.5, 0.6, -0.9, 0.3, 0.8, -1}, 1e-9);
  // A joint with more than a turn of range takes the turn that is nearer.
  const std::string far = "5.5,-1,1.2,0.3,1,0.2";
  const Json ur5 = ik_of_pose("ur5", pose_of("ur5", far), {"--near", far})["solutions"][0];
  expect_near(ur5["q"], {5.5, -1, 1.2, 0.3, 1, 0.2}, 1e-9);
}

TEST_F(KinematicsVerbs, a_singular_wrist_is_a_family_with_its_free_joint) {
  const Json T = pose_of("puma560", "0.5,0.6,-0.9,0.3,0,0.4");
  const Json result = ik_of_pose("puma560", T);
  bool found = false;
  for (const Json& s : result["solutions"]) {
    if (!s.contains("family")) continue;
    const Json& family = s["family"];
    if (!family.contains("combination") || std::abs(s["q"][4].get<double>()) > 1e-9) continue;
    found = true;
    EXPECT_EQ(family["dimension"], 1);
    EXPECT_EQ(family["free_joints"], Json({"wrist_roll"}));
    EXPECT_EQ(family["combination"], Json({{"wrist_roll", 1.0}, {"flange_roll", 1.0}}));
    // Any choice of the free joint gives the pose.
    Numbers q = s["q"];
    q[3] += 0.7, q[5] -= 0.7;
    const Json back = pose_of("puma560", list(Json(q)));
    for (std::size_t r = 0; r < 3; ++r) expect_near(back[r], T[r].get<Numbers>(), 1e-9);
  }
  EXPECT_TRUE(found) << result;
  const CommandResult text =
      torsor_command({"ik", "puma560", "--frame", "tool", "--pose", pose_list(T)});
  EXPECT_TRUE(text.says("wrist_roll is free, while wrist_roll + flange_roll = 0.7")) << text.out;
}

TEST_F(KinematicsVerbs, an_unreachable_pose_says_how_far_it_is) {
  // At the height of the shoulder the wrist centre gets as far as the stretched arm, off by d3.
  const double stretched = 0.4318 + std::hypot(0.0203, 0.4318);
  const double expected = 2 - std::hypot(stretched, 0.15005);
  const std::vector<std::string> words{"ik",    "puma560", "--frame", "tool",
                                       "--xyz", "2,0,0",   "--rpy",   "0,0,0"};
  const Json result = json(words, 1)["results"][0];
  EXPECT_EQ(result["status"], "unreachable");
  EXPECT_EQ(result["solutions"].size(), 0u);
  EXPECT_TRUE(result["distance_of_wrist_centre"].get<bool>());
  EXPECT_NEAR(result["distance"].get<double>(), expected, 1e-9);
  const CommandResult text = torsor_command(words);
  EXPECT_EQ(text.code, 1);
  EXPECT_EQ(text.out, "");
  EXPECT_NE(text.err.find("torsor: unreachable: the wrist centre would be 1.1"), std::string::npos)
      << text.err;
}

TEST_F(KinematicsVerbs, fewer_joints_meet_a_pose_in_part_and_say_how_much_is_missing) {
  const Json result =
      json({"ik", robot, "--frame", "tip", "--xyz", "1.2,0.1,0.5", "--rpy", "0,0,0"})["results"][0];
  EXPECT_EQ(result["status"], "reduced");
  ASSERT_EQ(result["solutions"].size(), 2u);  // elbow up and down reach (1.2, 0.5) of the plane
  const double c2 = (1.2 * 1.2 + 0.5 * 0.5 - l1 * l1 - l2 * l2) / (2 * l1 * l2);
  for (const Json& s : result["solutions"]) {
    EXPECT_NEAR(std::cos(s["q"][1].get<double>()), c2, 1e-9);
    EXPECT_NEAR(s["position_error"].get<double>(), 0.1, 1e-9);
  }
  EXPECT_NEAR(result["solutions"][0]["q"][1].get<double>(),
              -result["solutions"][1]["q"][1].get<double>(), 1e-9);
  const CommandResult text =
      run("ik", {"--frame", "tip", "--xyz", "1.2,0.1,0.5", "--rpy", "0,0,0"});
  std::string words = text.out;  // lines are broken
  std::replace(words.begin(), words.end(), '\n', ' ');
  words.erase(
      std::unique(words.begin(), words.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
      words.end());
  EXPECT_NE(words.find("2 joints meet the pose in part only"), std::string::npos) << text.out;
  EXPECT_TRUE(text.says("off by m")) << text.out;
}

TEST_F(KinematicsVerbs, all_branches_of_many_poses_have_a_row_each) {
  const std::string poses =
      file("poses.csv", "x,y,z,roll,pitch,yaw\n0.4,0.2,0.1,3,0,1\n2,0,0,0,0,0\n0.3,0.3,0,2,0,0\n");
  const CommandResult result = torsor_command({"ik", "puma560", "--frame", "tool", "--csv", poses});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("1 of 3 poses is unreachable: line 3"), std::string::npos)
      << result.err;
  EXPECT_TRUE(result.out.starts_with("pose,solution,q.waist,")) << result.out;
  EXPECT_TRUE(result.says("\n1,8,")) << result.out;
  EXPECT_FALSE(result.says("\n2,1,")) << result.out;
  EXPECT_TRUE(result.says("\n2,0,,,,,,,0,0,1.")) << result.out;  // no q, and how far off it is
  EXPECT_TRUE(result.says("\n3,8,")) << result.out;
}

TEST_F(KinematicsVerbs, numeric_ik_reaches_the_pose_inside_the_limits) {
  const Json T = pose_of("panda", "0.3,0.4,-0.2,-1.8,0.1,2,0.5");
  const Json result = ik_of_pose("panda", T, {"--numeric"});
  EXPECT_EQ(result["status"], "reached");
  ASSERT_EQ(result["solutions"].size(), 1u);
  EXPECT_TRUE(result["solutions"][0]["inside_limits"].get<bool>());
  const Json back = pose_of("panda", list(result["solutions"][0]["q"]));
  for (std::size_t r = 0; r < 3; ++r) expect_near(back[r], T[r].get<Numbers>(), 2e-8);
  // From the configuration itself there is nothing to do, and nothing is nearer.
  const Json near = ik_of_pose("panda", T, {"--numeric", "--near", "0.3,0.4,-0.2,-1.8,0.1,2,0.5"});
  expect_near(near["solutions"][0]["q"], {0.3, 0.4, -0.2, -1.8, 0.1, 2, 0.5}, 1e-6);
  for (const char* objective : {"nearest", "limits", "manipulability"}) {
    const Json preferred =
        ik_of_pose("panda", T, {"--numeric", "--prefer", objective, "--start", "0,0,0,-1,0,1,0"});
    EXPECT_EQ(preferred["status"], "reached") << objective;
    EXPECT_TRUE(preferred.contains("objective")) << objective;
  }
  const CommandResult text =
      torsor_command({"ik", "panda", "--frame", "tool", "--pose", pose_list(T), "--numeric"});
  EXPECT_TRUE(text.says("reached in")) << text.out;
  EXPECT_TRUE(text.says("joint_7")) << text.out;
  EXPECT_TRUE(text.says("2.8973")) << text.out;
}

TEST_F(KinematicsVerbs, numeric_ik_without_an_orientation_meets_the_position_alone) {
  const Json result =
      json({"ik", robot, "--frame", "tip", "--xyz", "1.2,0,0.5", "--numeric"}).at("results").at(0);
  ASSERT_EQ(result["solutions"].size(), 1u) << result;
  const Json s = result["solutions"][0];
  EXPECT_NEAR(std::abs(s["q"][1].get<double>()),
              std::acos((1.2 * 1.2 + 0.5 * 0.5 - l1 * l1 - l2 * l2) / (2 * l1 * l2)), 1e-7);
  // A position that the arm can only point at: as near as the stretched arm gets.
  const std::vector<std::string> far{"ik", robot, "--frame", "tip", "--xyz", "3,0,0", "--numeric"};
  const Json failed = json(far, 1)["results"][0];
  EXPECT_EQ(failed["status"], "unreachable");
  EXPECT_NEAR(failed["position_residual"].get<double>(), 3 - l1 - l2, 1e-6);
  EXPECT_EQ(failed["solutions"].size(), 0u);
  EXPECT_EQ(failed["closest"].size(), 2u);
  const CommandResult text = torsor_command(far);
  EXPECT_EQ(text.code, 1);
  EXPECT_EQ(text.out, "");
  EXPECT_NE(text.err.find("torsor: unreachable: the closest pose is 1.2 m"), std::string::npos)
      << text.err;
}

TEST_F(KinematicsVerbs, numeric_ik_of_many_poses_writes_states_and_names_the_lines_that_failed) {
  const std::string poses = file("poses.csv", "t,x,y,z\n0,1.2,0,0.5\n1,3,0,0\n2,1,0,0.7\n");
  const CommandResult result =
      run("ik", {"--frame", "tip", "--csv", poses, "--numeric", "--follow"});
  EXPECT_EQ(result.code, 1);
  EXPECT_TRUE(result.out.starts_with(
      "pose,t,q.j1,q.j2,reached,inside_limits,position_error,rotation_error\n1,0,"))
      << result.out;
  EXPECT_TRUE(result.says("\n2,1,,,0,0,1.2")) << result.out;  // 3 m away, the arm has 1.8
  EXPECT_TRUE(result.says("\n3,2,")) << result.out;
  EXPECT_NE(result.err.find("1 of 3 poses is unreachable: line 3"), std::string::npos)
      << result.err;
}

TEST_F(KinematicsVerbs, jacobian_of_the_planar_arm_is_the_closed_form) {
  const Plane& p = plane;
  const double x1 = l1 * p.s1, z1 = l1 * p.c1, x2 = l2 * p.s12, z2 = l2 * p.c12;
  const Json r = one("jacobian", {"--frame", "tip", "--qd", "0.7,-0.3", "--dot"});
  EXPECT_EQ(r["rows"], Json({"wx", "wy", "wz", "vx", "vy", "vz"}));
  const std::vector<Numbers> J{{0, 0}, {-1, -1}, {0, 0}, {-x1 - x2, -x2}, {0, 0}, {z1 + z2, z2}};
  const std::vector<Numbers> Jdot{{0, 0}, {0, 0},
                                  {0, 0}, {-z1 * p.v1 - z2 * p.w, -z2 * p.w},
                                  {0, 0}, {-x1 * p.v1 - x2 * p.w, -x2 * p.w}};
  for (std::size_t k = 0; k < 6; ++k) {
    expect_near(r["J"][k], J[k]);
    expect_near(r["Jdot"][k], Jdot[k]);
    EXPECT_NEAR(r["Jdot_qd"][k].get<double>(), Jdot[k][0] * p.v1 + Jdot[k][1] * p.v2, 1e-14);
  }
  // sqrt(det J^T J), by Binet and Cauchy the minors of the three rows that are not zero.
  const auto minor = [&](std::size_t a, std::size_t b) {
    return J[a][0] * J[b][1] - J[a][1] * J[b][0];
  };
  EXPECT_NEAR(
      r["manipulability"].get<double>(),
      std::sqrt(minor(1, 3) * minor(1, 3) + minor(1, 5) * minor(1, 5) + minor(3, 5) * minor(3, 5)),
      1e-14);
  EXPECT_NEAR(r["sigma"][0].get<double>() * r["sigma"][1].get<double>(),
              r["manipulability"].get<double>(), 1e-14);
  EXPECT_EQ(r["sigma"].size(), 2u);
  EXPECT_FALSE(r["singular"].get<bool>());
}

TEST_F(KinematicsVerbs, jacobian_has_every_reference_and_order) {
  const Json aligned = one("jacobian", {"--frame", "tip"})["J"];
  const Json textbook = one("jacobian", {"--frame", "tip", "--textbook"});
  EXPECT_EQ(textbook["rows"], Json({"vx", "vy", "vz", "wx", "wy", "wz"}));
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(textbook["J"][k], aligned[(k + 3) % 6]);
  // The world's: the velocity of the point of the last link that is at the world's origin.
  const Json world = one("jacobian", {"--frame", "tip", "--reference", "world"})["J"];
  expect_near(world[3], {0, l1 * plane.s1});
  expect_near(world[5], {0, -l1 * plane.c1});
  // In the body the second column is l2 along its y.
  const Json body = one("jacobian", {"--frame", "tip", "--reference", "body"})["J"];
  EXPECT_NEAR(body[4][1].get<double>(), l2, 1e-15);
  EXPECT_NEAR(body[2][0].get<double>(), 1, 1e-15);
  // A point of l2 at its end is the tip.
  const Json point = one("jacobian", {"--frame", "l2", "--point", "0.8,0,0"})["J"];
  const Json in_body =
      one("jacobian", {"--frame", "l2", "--point", "0.8,0,0", "--reference", "body"})["J"];
  for (std::size_t k = 0; k < 6; ++k) {
    expect_near(point[k], aligned[k].get<Numbers>(), 1e-15);
    expect_near(in_body[k], body[k].get<Numbers>(), 1e-15);
  }
  // Ry(-(q1 + q2)) Rx(90 deg): theta falls as the joints turn.
  const Json analytic =
      one("jacobian", {"--frame", "tip", "--euler", "zyx", "--qd", "0.7,-0.3", "--dot"});
  EXPECT_EQ(analytic["rows"], Json({"phi", "theta", "psi", "x", "y", "z"}));
  expect_near(analytic["J"][1], {-1, -1});
  expect_near(analytic["J"][3], aligned[3].get<Numbers>());
  expect_near(analytic["angles"], {0, -(plane.q1 + plane.q2), pi / 2});
  expect_near(analytic["Jdot"][1], {0, 0});
  const Json dot = one("jacobian", {"--frame", "tip", "--qd", "0.7,-0.3", "--dot"})["Jdot"];
  expect_near(analytic["Jdot"][5], dot[5].get<Numbers>());
}

TEST_F(KinematicsVerbs, jacobian_says_where_the_arm_is_singular) {
  const CommandResult stretched =
      torsor_command({"jacobian", "puma560", "--frame", "tool", "--q", "0,45,-90,0,0,0", "--deg"});
  EXPECT_TRUE(stretched.says("singular: rank 5 of 6")) << stretched.out;
  EXPECT_TRUE(stretched.says("wrist singular where wrist_bend = ")) << stretched.out;
  EXPECT_TRUE(stretched.says("infinite")) << stretched.out;
  const CommandResult regular =
      torsor_command({"jacobian", "puma560", "--frame", "tool", "--q", "0,45,-90,0,30,0", "--deg"});
  EXPECT_TRUE(regular.says("regular: rank 6 of 6")) << regular.out;
  EXPECT_TRUE(regular.says("singular values")) << regular.out;
  const CommandResult euler = run("jacobian", {"--frame", "base", "--euler", "zyx"});
  expect_refusal(euler, "no joint moves frame \"base\"");
  const CommandResult degenerate =
      run("jacobian", {"--frame", "tip", "--euler", "zyx", "--q", "90,0", "--deg"});
  EXPECT_EQ(degenerate.code, 1);
  EXPECT_NE(degenerate.err.find("Euler angles"), std::string::npos) << degenerate.err;
}

TEST_F(KinematicsVerbs, jacobians_of_many_states_are_rows_of_csv) {
  const std::string in = file("in.csv", "t,q.j1,q.j2\n0,0.4,-1.1\n1,0,0\n");
  const CommandResult result = run("jacobian", {"--frame", "tip", "--csv", in});
  EXPECT_TRUE(result.out.starts_with("t,J.wx.j1,J.wx.j2,J.wy.j1,")) << result.out;
  EXPECT_TRUE(result.says("J.vz.j2,sigma.1,sigma.2,manipulability,inverse_condition\n"))
      << result.out;
}

}  // namespace
