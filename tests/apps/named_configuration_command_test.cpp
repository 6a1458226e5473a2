// Configurations that a robot's file names, where the command takes and shows configurations.
#include "apps/command.hpp"
#include "torsor/experiments/scenario_file.hpp"

using namespace torsor::testing;
using Json = nlohmann::json;

namespace {

class NamedConfigurations : public ::testing::Test {
 protected:
  ScratchFolder folder;
  std::string robot = (folder / "arm.yaml").string();
  NamedConfigurations() {
    write_text(
        robot,
        "robot: arm\nbodies: [{name: base}, {name: a, mass: 1, com: [1, 0, 0], inertia: {xx: "
        "1, yy: 1, zz: 1}}, {name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}]\njoints:\n"
        "  - {name: j, type: revolute, parent: base, child: a, axis: [0, 1, 0]}\n"
        "  - {name: k, type: prismatic, parent: a, child: b}\n"
        "configurations:\n  - {name: home, q: {j: 0.25, k: -0.5}}\n");
  }
};

TEST_F(NamedConfigurations, are_in_the_json_of_info) {
  const CommandResult r = torsor_command({"info", robot, "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json expected = {{{"name", "home"}, {"q", {0.25, -0.5}}}};
  EXPECT_EQ(Json::parse(r.out)["configurations"], expected);
}

TEST_F(NamedConfigurations, are_states_of_eval) {
  const std::string file = (folder / "s.json").string();
  write_text(file, R"({"states": [{"q": "home"}, {"q": [0.25, -0.5]}]})");
  const CommandResult r = torsor_command({"eval", robot, file, "--only", "tau,M"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json results = Json::parse(r.out)["results"];
  EXPECT_EQ(results[0]["tau"], results[1]["tau"]);
  EXPECT_EQ(results[0]["M"], results[1]["M"]);
  write_text(file, R"({"states": [{"q": "hoem"}]})");
  const CommandResult bad = torsor_command({"eval", robot, file});
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("states[0]: q: "), std::string::npos) << bad.err;
  EXPECT_NE(bad.err.find("\"hoem\"; it has home"), std::string::npos) << bad.err;
}

TEST_F(NamedConfigurations, are_where_scenarios_start) {
  const auto scenario = [&](const std::string& start) {
    return torsor::read_scenario(
        "robot: arm.yaml\ncontroller: {law: computed_torque, gains: {Kp: "
        "1, Kd: 1}}\nreference: {hold: [0, 0]}\nstart: " +
            start + "\n",
        (folder / "run.yaml").string());
  };
  for (const char* start : {"home", "{q: home}", "{q: [0.25, -0.5]}"}) {
    SCOPED_TRACE(start);
    const auto& q = scenario(start).options.q0;
    ASSERT_EQ(q.size(), 2u);
    EXPECT_EQ(q[0], 0.25);
    EXPECT_EQ(q[1], -0.5);
  }
  EXPECT_EQ(scenario("{q: home, qd: [1, 2]}").options.v0[1], 2);
  for (const char* start : {"hoem", "{q: hoem}"}) {
    SCOPED_TRACE(start);
    try {
      (void)scenario(start);
      ADD_FAILURE();
    } catch (const torsor::Error& error) {
      EXPECT_NE(std::string(error.what()).find("run.yaml:4: "), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("\"hoem\""), std::string::npos) << error.what();
    }
  }
}

}  // namespace
