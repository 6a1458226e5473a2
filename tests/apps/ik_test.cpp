// torsor ik: partial targets, locked joints, chains, mimic joints, several frames, names and families.
#include <cmath>
#include <set>
#include <sstream>

#include "apps/command.hpp"
#include "apps/planar_arm.hpp"

using namespace torsor::testing;
using Json = nlohmann::json;

namespace {

using Numbers = std::vector<double>;
using Words = std::vector<std::string>;

std::string list(const Json& numbers) {
  std::string out;
  for (const Json& x : numbers) (out += out.empty() ? "" : ",") += x.dump();
  return out;
}
Json answer(Words words, int code = 0) {
  words.emplace_back("--json");
  const CommandResult result = torsor_command(words);
  EXPECT_EQ(result.code, code) << result.err;
  return result.json();
}
Json ik(Words words, int code = 0) {
  words.insert(words.begin(), "ik");
  return answer(std::move(words), code)["results"][0];
}
Json frame_at(const std::string& robot, const std::string& frame, const Json& q) {
  return answer({"fk", robot, "--frame", frame, "--q", list(q)})["results"][0]["frames"][frame];
}
double off(const Json& a, const Json& b) {
  double most = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    most = std::max(most, a[k].is_array() ? off(a[k], b[k])
                                          : std::abs(a[k].get<double>() - b[k].get<double>()));
  return most;
}

TEST(Ik, the_pose_of_a_planar_arms_second_joint_is_found_again) {
  const Json found = ik({"pointmass2r", "--frame", "joint_2", "--xyz",
                         "0.999968000170666,-0.00799991466693973,0", "--rpy", "0,0,0.398"});
  EXPECT_EQ(found["status"], "solved");
  ASSERT_EQ(found["solutions"].size(), 1u);
  EXPECT_NEAR(found["solutions"][0]["q"][0].get<double>(), -0.008, 1e-12);
  EXPECT_NEAR(found["solutions"][0]["q"][1].get<double>(), 0.406, 1e-12);
}

TEST(Ik, a_puma_folded_over_its_shoulder_finds_its_own_pose) {
  for (const char* d : {"0", "1e-12", "1e-10", "1e-9", "1e-8", "1e-7", "1e-6"}) {
    const Numbers q{1e-12, -1e-9, 1.5707963267948966 + std::stod(d), 1e-6, 1.57079, 1e-6};
    const Json pose = frame_at("puma560", "tool", q);
    const Json found = ik({"puma560", "--frame", "tool", "--xyz", list(pose["position"]),
                           "--quaternion", list(pose["quaternion"]), "--ignore-limits"});
    EXPECT_EQ(found["status"], "solved") << d;
    for (const Json& s : found["solutions"])
      EXPECT_LT(off(frame_at("puma560", "tool", s["q"])["T"], pose["T"]), 2e-9) << d;
  }
}

TEST(Ik, two_joints_are_found_from_a_position_alone) {
  const Json found = ik({"planar2r", "--frame", "tip", "--xyz", "1.2,0.7,0"});
  EXPECT_EQ(found["status"], "solved");
  EXPECT_FALSE(found["target"].contains("rpy"));
  ASSERT_EQ(found["solutions"].size(), 2u);
  const double c2 = (1.2 * 1.2 + 0.7 * 0.7 - 2) / 2;  // both links are 1 m long
  for (const Json& s : found["solutions"]) {
    EXPECT_NEAR(std::cos(s["q"][1].get<double>()), c2, 1e-12);
    EXPECT_LT(off(frame_at("planar2r", "tip", s["q"])["position"], Numbers{1.2, 0.7, 0}), 1e-12);
  }
  const Json far = ik({"planar2r", "--frame", "tip", "--xyz", "3,0,0"}, 1);
  EXPECT_EQ(far["status"], "unreachable");
  EXPECT_NEAR(far["distance"].get<double>(), 1, 1e-12);
}

TEST(Ik, three_joints_in_space_are_found_from_a_position_alone) {
  // The first three joints of a PUMA carry the wrist centre: four postures.
  const Numbers q{0.4, 0.7, -0.8, 0.1, 0.2, 0.3};
  const Json p = frame_at("puma560", "link_4", q)["position"];
  const Json found = ik({"puma560", "--frame", "link_4", "--xyz", list(p), "--position-only",
                         "--lock", "wrist_roll=0.1", "--ignore-limits"});
  EXPECT_EQ(found["solutions"].size(), 4u);
  for (const Json& s : found["solutions"]) {
    EXPECT_LT(off(frame_at("puma560", "link_4", s["q"])["position"], p), 1e-9);
    EXPECT_NEAR(s["q"][3].get<double>(), 0.1, 1e-15);
  }
}

TEST(Ik, position_only_leaves_the_orientation_of_six_joints_free) {
  const Json found = ik({"ur5", "--frame", "tool", "--xyz", "0.4,0.2,0.3", "--position-only"});
  EXPECT_EQ(found["status"], "reached");
  EXPECT_LT(
      off(frame_at("ur5", "tool", found["solutions"][0]["q"])["position"], Numbers{0.4, 0.2, 0.3}),
      2e-8);
}

TEST(Ik, an_axis_points_where_it_should_whatever_the_turn_about_it) {
  const std::size_t column[] = {0, 1, 2};
  for (const std::string name : {"x", "y", "z"}) {
    const std::string axis = (name == "z" ? "" : name + "=") + std::string("0,3,-4");
    const Json found = ik({"ur5", "--frame", "tool", "--xyz", "0.4,0.2,0.3", "--axis", axis});
    ASSERT_EQ(found["solutions"].size(), 1u) << found;
    const Json T = frame_at("ur5", "tool", found["solutions"][0]["q"])["T"];
    const std::size_t c = column[name[0] - 'x'];
    const double want[] = {0, 0.6, -0.8};
    for (std::size_t r = 0; r < 3; ++r) EXPECT_NEAR(T[r][c].get<double>(), want[r], 1e-7) << name;
    EXPECT_EQ(found["target"]["axis"]["of_frame"], name);
  }
}

TEST(Ik, a_locked_joint_leaves_the_closed_form_of_the_other_six) {
  const Numbers q{0.3, 0.4, -0.2, -1.8, 0.1, 2, 0.5};
  const Json pose = frame_at("panda", "tool", q);
  const Words words{"panda",
                    "--frame",
                    "tool",
                    "--xyz",
                    list(pose["position"]),
                    "--quaternion",
                    list(pose["quaternion"]),
                    "--lock",
                    "joint_3=-0.2"};
  const Json found = ik(words);
  EXPECT_EQ(found["status"], "solved");
  double nearest = 10;
  for (const Json& s : found["solutions"]) {
    ASSERT_EQ(s["q"].size(), 7u);
    EXPECT_EQ(s["q"][2], -0.2);
    EXPECT_LT(off(frame_at("panda", "tool", s["q"])["T"], pose["T"]), 2e-9);
    nearest = std::min(nearest, off(s["q"], q));
  }
  EXPECT_LT(nearest, 1e-7);
  // In degrees, and among solutions sorted by their distance.
  Words near = words;
  near.back() = "joint_3=-11.459155902616464";
  near.insert(near.end(), {"--deg", "--near", "10,20,0,-100,0,110,30"});
  EXPECT_NEAR(ik(near)["solutions"][0]["q"][2].get<double>(), -0.2, 1e-12);
}

TEST(Ik, a_chain_from_a_root_keeps_what_is_before_it_and_takes_poses_relative_to_it) {
  // Left leg of the humanoid, from its pelvis: six joints, behind a floating base.
  const Json whole = answer({"fk", "humanoid38"})["results"][0];
  const Json info = answer({"info", "humanoid38"});
  ASSERT_TRUE(whole["frames"].contains("left_sole"));
  const Words words{"humanoid38", "--root",         "pelvis", "--tip",   "left_sole",
                    "--xyz",      "0.05,0.1,-0.75", "--rpy",  "0,0,0.1", "--ignore-limits"};
  if (!whole["frames"].contains("pelvis")) GTEST_FAIL() << whole["frames"];
  const Json found = ik(words);
  ASSERT_FALSE(found["solutions"].empty());
  for (const Json& s : found["solutions"]) {
    const Json hip = frame_at("humanoid38", "pelvis", s["q"])["T"];
    const Json sole = frame_at("humanoid38", "left_sole", s["q"])["T"];
    EXPECT_LT(off(hip, whole["frames"]["pelvis"]["T"]), 1e-15);
    const double want[] = {0.05, 0.1, -0.75};
    for (std::size_t k = 0; k < 3; ++k) {  // R_pelvis^T (p_sole - p_pelvis)
      double along = 0;
      for (std::size_t r = 0; r < 3; ++r)
        along += hip[r][k].get<double>() * (sole[r][3].get<double>() - hip[r][3].get<double>());
      EXPECT_NEAR(along, want[k], 1e-8);
    }
  }
  expect_refusal(torsor_command({"ik", "humanoid38", "--root", "left_sole", "--tip", "pelvis",
                                 "--xyz", "0,0,0", "--position-only"}),
                 "does not carry frame");
}

TEST(Ik, a_finger_is_placed_with_the_finger_that_follows_it) {
  const Json robot = answer({"info", "panda_hand"});
  const Json home = answer({"fk", "panda_hand"})["results"][0]["frames"];
  std::string finger;
  for (const auto& [name, pose] : home.items())
    if (name.find("right") != std::string::npos && name.find("finger") != std::string::npos)
      finger = name;
  ASSERT_FALSE(finger.empty()) << home;
  const Numbers q{0.3, 0.4, -0.2, -1.8, 0.1, 2, 0.5, 0.03, 0.03};
  const Json pose = frame_at("panda_hand", finger, q);
  const Json found = ik({"panda_hand", "--frame", finger, "--xyz", list(pose["position"]),
                         "--quaternion", list(pose["quaternion"]), "--numeric"});
  ASSERT_EQ(found["solutions"].size(), 1u) << found;
  const Json back = found["solutions"][0]["q"];
  EXPECT_LT(off(frame_at("panda_hand", finger, back)["T"], pose["T"]), 5e-8);
  EXPECT_EQ(back[7], back[8]);
  EXPECT_GE(back[7].get<double>(), 0);
}

TEST(Ik, several_frames_each_have_their_own_pose) {
  const Json home = answer({"fk", "humanoid38"})["results"][0]["frames"];
  std::vector<std::string> hands;
  for (const auto& [name, pose] : home.items())
    if (name.find("hand") != std::string::npos) hands.push_back(name);
  ASSERT_GE(hands.size(), 2u) << home;
  const std::string left = hands[0], right = hands[1];
  Numbers a = home[left]["position"], b = home[right]["position"];
  a[0] += 0.1, a[2] += 0.1, b[0] += 0.12;
  const Json found = ik({"humanoid38", "--frame", left, "--xyz", list(Json(a)), "--frame", right,
                         "--xyz", list(Json(b)), "--quaternion", list(home[right]["quaternion"])});
  ASSERT_EQ(found["solutions"].size(), 1u) << found;
  const Json q = found["solutions"][0]["q"];
  EXPECT_LT(off(frame_at("humanoid38", left, q)["position"], a), 2e-8);
  EXPECT_LT(off(frame_at("humanoid38", right, q)["position"], b), 2e-8);
  EXPECT_EQ(found["targets"].size(), 2u);
  EXPECT_FALSE(found["targets"][0].contains("quaternion"));
  EXPECT_TRUE(found["targets"][1].contains("quaternion"));
}

TEST(Ik, every_solution_has_a_name_of_its_own) {
  const Words upright{"puma560", "--frame", "tool", "--xyz", "0,0.15005,0.8636", "--rpy", "0,0,0"};
  const Json found = ik(upright);
  std::set<std::string> names;
  for (const Json& s : found["solutions"]) names.insert(s["branch"].get<std::string>());
  EXPECT_EQ(names.size(), found["solutions"].size());
  EXPECT_TRUE(names.count("elbow front, wrist flip") == 1) << found;
  EXPECT_TRUE(names.count("elbow back, wrist flip") == 1) << found;
}

TEST(Ik, lines_of_text_fit_a_terminal_of_eighty_columns) {
  for (const Words& words :
       {Words{"ik", "ur5", "--frame", "tool", "--xyz", "0.4,0.2,0.3", "--rpy", "3,0.1,0.2"},
        Words{"ik", "puma560", "--frame", "tool", "--xyz", "0.4,0.2,0.1", "--rpy", "3,0.1,0.2"},
        Words{"ik", "puma560", "--frame", "tool", "--xyz", "0.40001,0.20001,0.10001", "--rpy",
              "180,0,90", "--deg", "--near", "0,0,0,0,0,0"},
        Words{"fk", "puma560", "--q", "0.1,0.2,0.3,0.4,0.5,0.6"}}) {
    const CommandResult result = torsor_command(words);
    EXPECT_EQ(result.code, 0) << result.err;
    std::istringstream lines(result.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
  }
}

}  // namespace
