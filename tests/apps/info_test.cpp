// torsor info: numbers of robots that can be computed by hand, and files a new user would write.
#include <cmath>

#include "apps/command.hpp"

using namespace torsor::testing;

namespace {

// Two rods of 1 m; the second has 2 kg, the first 1 kg; a base of 4 kg; a tool frame at the tip.
constexpr const char* two_rods = R"(robot: two_rods
root: base
bodies:
  - {name: base, mass: 4}
  - {name: upper, mass: 1, com: [0.5, 0, 0], inertia: [0.001, 0.0834, 0.0834]}
  - {name: lower, mass: 2, com: [0.5, 0, 0], inertia: [0.002, 0.1668, 0.1668]}
joints:
  - {name: shoulder, type: revolute, parent: base, child: upper, axis: [0, 0, 1], limits: {lower: -2, upper: 2}}
  - {name: elbow, type: revolute, parent: upper, child: lower, axis: [0, 0, 1], placement: {xyz: [1, 0, 0]}}
frames:
  - {name: tip, link: lower, placement: {xyz: [1, 0, 0]}}
)";

class Info : public ::testing::Test {
 protected:
  ScratchFolder folder;
  std::string file = (folder / "two_rods.yaml").string();
  void SetUp() override { write_text(file, two_rods); }
};

nlohmann::json pose_of(const nlohmann::json& info, const std::string& frame) {
  for (const auto& f : info["frames"])
    if (f["name"] == frame) return f["T_world"];
  return nullptr;
}

TEST_F(Info, motors_of_several_joints_and_uneven_friction_are_shown) {
  std::string text = two_rods;
  const std::string limits = "limits: {lower: -2, upper: 2}";
  text.replace(text.find(limits), limits.size(),
               "friction: {viscous: 2, coulomb: 1, offset: 0.75, coulomb_asymmetry: -0.25}");
  write_text(file,
             text +
                 "motors:\n  - {name: wrist, ratios: {shoulder: 50, elbow: -1}, rotor_inertia: "
                 "0.0003, friction: {viscous: 0.125, offset: 0.0625}}\n");
  const CommandResult shown = torsor_command({"info", file});
  EXPECT_TRUE(shown.says("wrist turns by 50 shoulder - elbow, rotor 0.0003 kg m^2")) << shown.out;
  EXPECT_TRUE(shown.says("viscous 0.125, offset 0.0625")) << shown.out;
  EXPECT_TRUE(shown.says("0.75") && shown.says("-0.25")) << shown.out;
  const auto json = torsor_command({"info", file, "--json"}).json();
  EXPECT_EQ(json["motors"][0]["ratios"][1]["ratio"], -1);
  EXPECT_EQ(json["motors"][0]["offset"], 0.0625);
  EXPECT_EQ(json["joints"][0]["drive"][0]["coulomb_asymmetry"], -0.25);
  const CommandResult converted =
      torsor_command({"convert", file, (folder / "two_rods.urdf").string()});
  EXPECT_EQ(converted.code, 0) << converted.err;
  EXPECT_TRUE(converted.says("motors") && converted.says("friction beyond")) << converted.out;
}

TEST_F(Info, json_has_its_stable_keys) {
  const auto info = torsor_command({"info", file, "--json"}).json();
  for (const char* key : {"robot", "n_q", "n_v", "bodies", "joints", "links", "frames", "mass",
                          "com", "gravity", "loops", "couplings", "parameters"})
    EXPECT_TRUE(info.contains(key)) << key;
  for (const char* key :
       {"name", "kind", "parent", "child", "q_index", "v_index", "axis", "limits"})
    EXPECT_TRUE(info["joints"][0].contains(key)) << key;
  EXPECT_EQ(info["robot"], "two_rods");
  EXPECT_EQ(info["n_q"], 2);
  EXPECT_EQ(info["joints"][1]["name"], "elbow");
  EXPECT_EQ(info["joints"][1]["q_index"], 1);
  EXPECT_EQ(info["joints"][0]["limits"][0]["lower"], -2);
  EXPECT_TRUE(info["joints"][1]["limits"][0]["lower"].is_null());  // no limit
  EXPECT_EQ(info["parameters"][10], "lower.m");
  EXPECT_EQ(info["parameter_values"][11], 1.0);  // 2 kg at 0.5 m
}
TEST_F(Info, moving_and_fixed_mass_are_told_apart) {
  const auto mass = torsor_command({"info", file, "--json"}).json()["mass"];
  EXPECT_EQ(mass["moving"], 3);
  EXPECT_EQ(mass["fixed"], 4);
  EXPECT_EQ(mass["total"], 7);
}
TEST_F(Info, centre_of_mass_and_frames_follow_the_configuration) {
  const auto stretched = torsor_command({"info", file, "--json"}).json();
  EXPECT_NEAR(stretched["com"][0].get<double>(), (1 * 0.5 + 2 * 1.5) / 3, 1e-15);
  // Shoulder 30 deg, elbow 60 deg: upper points to 30 deg, lower along y.
  const double c = std::sqrt(3.0) / 2, s = 0.5;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"info", file, "--json", "--deg", "--q", "30,60"},
        {"info", file, "--json", "--deg", "--q", "30, 60"},
        {"info", file, "--json", "--q", "0.52359877559829887,1.0471975511965976"}}) {
    const auto bent = torsor_command(words).json();
    EXPECT_NEAR(bent["com"][0].get<double>(), (0.5 * c + 2 * c) / 3, 1e-14);
    EXPECT_NEAR(bent["com"][1].get<double>(), (0.5 * s + 2 * (s + 0.5)) / 3, 1e-14);
    const auto T = pose_of(bent, "tip");
    EXPECT_NEAR(T[0][3].get<double>(), c, 1e-14);
    EXPECT_NEAR(T[1][3].get<double>(), s + 1, 1e-14);
    EXPECT_NEAR(T[1][0].get<double>(), 1, 1e-14);
  }
}
TEST_F(Info, text_shows_tree_joints_masses_and_frames) {
  const CommandResult result = torsor_command({"info", file});
  EXPECT_EQ(result.code, 0);
  for (const char* words :
       {"two_rods: 2 moving joints, 3 links, n_q 2, n_v 2", "shoulder (revolute) → upper",
        "moving 3 kg", "fixed to the world 4 kg", "1.16667  0  0 m", "tip on lower"})
    EXPECT_TRUE(result.says(words)) << words << "\n" << result.out;
  EXPECT_EQ(result.out.find("nan"), std::string::npos);
  EXPECT_EQ(result.out.find('\x1b'), std::string::npos);  // no colour but on a terminal
}
TEST_F(Info, a_moment_without_mass_is_shown) {
  const CommandResult result = torsor_command({"info", "puma560"});  // link 1 has nothing else
  EXPECT_TRUE(result.says("0  0  0.35\n")) << result.out;
}
TEST_F(Info, floating_puts_a_free_joint_under_the_root) {
  const auto info = torsor_command({"info", file, "--json", "--floating"}).json();
  EXPECT_EQ(info["n_q"], 9);
  EXPECT_EQ(info["n_v"], 8);
  EXPECT_EQ(info["joints"][0]["name"], "root_joint");
  EXPECT_EQ(info["joints"][0]["kind"], "free");
  EXPECT_EQ(info["mass"]["moving"], 7);
  EXPECT_EQ(info["mass"]["fixed"], 0);
}
TEST_F(Info, names_that_are_not_utf8_leave_valid_json) {
  const std::string urdf = (folder / "latin\xe9.urdf").string();
  write_text(urdf,
             "<robot name=\"r\xe9\"><link name=\"a\xff\"/><link name=\"b\xc3\"/>"
             "<joint name=\"j\xe9\" type=\"continuous\"><parent link=\"a\xff\"/>"
             "<child link=\"b\xc3\"/></joint></robot>");
  const std::string mark = "\xef\xbf\xbd";  // U+FFFD, for each byte that is no text
  const CommandResult info = torsor_command({"info", urdf, "--json"});
  ASSERT_EQ(info.code, 0) << info.err;
  EXPECT_EQ(info.json()["robot"], "r" + mark);
  EXPECT_EQ(info.json()["joints"][0]["child"], "b" + mark);
  const CommandResult check = torsor_command({"check", urdf, "--json"});
  EXPECT_NE(check.out, "") << check.err;
  EXPECT_TRUE(nlohmann::json::accept(check.out)) << check.out;
  const CommandResult convert =
      torsor_command({"convert", urdf, (folder / "out.urdf").string(), "--json"});
  EXPECT_TRUE(nlohmann::json::accept(convert.out) || convert.code == 2) << convert.err;
}
TEST_F(Info, configurations_that_do_not_fit_are_refused) {
  expect_refusal(torsor_command({"info", file, "--q", "1"}), "has 1 numbers");
  expect_refusal(torsor_command({"info", file, "--q", "1,2,3"}), "has 3 numbers");
  expect_refusal(torsor_command({"info", file, "--q", "1,x"}), "number 2: \"x\" is not a number");
  expect_refusal(torsor_command({"info", file, "--q", "1,nan"}), "number 2");
  expect_refusal(torsor_command({"info", file, "--q", "1,,2"}), "number 2");
  expect_refusal(torsor_command({"info", file, "--floating", "--q", "0,0,0,0,0,0,2,0,0"}),
                 "quaternion");
}
TEST_F(Info, negative_numbers_may_come_first) {
  EXPECT_EQ(torsor_command({"info", file, "--q", "-1,2"}).code, 0);
  EXPECT_EQ(torsor_command({"info", file, "--q=-1,-.5"}).code, 0);
}
TEST(InfoOfBuiltIns, branches_are_drawn) {
  const CommandResult result = torsor_command({"info", "panda_hand"});
  EXPECT_TRUE(result.says("├─ ") && result.says("└─ ")) << result.out;
  EXPECT_TRUE(result.says("coupling")) << result.out;
}
TEST(InfoOfBuiltIns, ten_thousand_joints_are_no_problem) {
  const CommandResult result = torsor_command({"info", "chain:10000"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.says("n_v 10000"));
}
TEST_F(Info, a_robot_without_joints_or_mass_has_no_nan) {
  write_text(file, "robot: stone\nroot: base\nbodies:\n  - {name: base}\n");
  const CommandResult text = torsor_command({"info", file}),
                      data = torsor_command({"info", file, "--json"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.out.find("nan"), std::string::npos);
  EXPECT_TRUE(data.json()["com"].is_null());
}

}  // namespace
