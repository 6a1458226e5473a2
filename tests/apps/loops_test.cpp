// The command on robots with loops.
#include "apps/command.hpp"

using namespace torsor::testing;
using Json = nlohmann::json;

namespace {

Json answer(const std::vector<std::string>& words) {
  const CommandResult result = torsor_command(words);
  EXPECT_EQ(result.code, 0) << result.err;
  return Json::parse(result.out);
}

TEST(Loops, info_shows_mobility_and_which_loop_is_redundant) {
  const CommandResult text = torsor_command({"info", "palletiser"});
  EXPECT_TRUE(text.says("3 degrees of freedom: n_v 9, 15 rows of rank 6")) << text.out;
  EXPECT_TRUE(text.says("\"tie_pin\" (revolute): 3 of its 5 rows repeat")) << text.out;
  EXPECT_TRUE(text.says("3 motors")) << text.out;
  const Json json = answer({"info", "stewart", "--json"})["mobility"];
  EXPECT_EQ(json["degrees_of_freedom"], 6);
  EXPECT_EQ(json["rank"], 18);
  EXPECT_EQ(json["constraints"].size(), 6u);
  EXPECT_EQ(json["closes"], true);
  EXPECT_EQ(answer({"info", "planar2r", "--json"})["mobility"], nullptr);
}

TEST(Loops, torques_of_id_give_the_motion_back_in_fd) {
  const Json id = answer({"id", "five_bar", "--qd", "1,0,0,-0.5,0", "--qdd", "2,0,0,3,0", "--close",
                          "--json"})["results"][0];
  EXPECT_EQ(id["lambda"].size(), 6u);
  std::string lists[4];
  const char* keys[] = {"q", "qd", "tau"};
  for (int k = 0; k < 3; ++k)
    for (const Json& x : id[keys[k]]) lists[k] += (lists[k].empty() ? "" : ",") + x.dump();
  for (const std::size_t passive : {1u, 2u, 4u}) EXPECT_EQ(id["tau"][passive], 0.0);
  const Json fd = answer({"fd", "five_bar", "--q", lists[0], "--qd", lists[1], "--tau", lists[2],
                          "--json"})["results"][0];
  for (std::size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(fd["qdd"][k].get<double>(), id["qdd"][k].get<double>(), 1e-9);
}

TEST(Loops, what_does_not_close_is_named) {
  expect_refusal(torsor_command({"fd", "four_bar", "--q", "0.5,0,0,0"}),
                 "four_bar: loop \"pin\" is open by ");
  expect_refusal(torsor_command({"fd", "four_bar", "--qd", "1,0,0,0"}),
                 "qd opens loop \"pin\" by ");
  expect_refusal(torsor_command({"id", "four_bar", "--qdd", "1,0,0,0"}),
                 "qdd opens loop \"pin\" by ");
  EXPECT_EQ(torsor_command({"fd", "four_bar", "--q", "0.5,0,0,0", "--close"}).code, 0);
  EXPECT_EQ(torsor_command({"fd", "four_bar", "--q", "0.5,0,0,0", "--tree"}).code, 0);
}

TEST(Loops, eval_derivatives_agree_with_differences) {
  const ScratchFolder folder;
  const std::string states = (folder / "states.json").string();
  const auto eval = [&](const Json& list) {
    write_text(states, Json{{"states", list}}.dump());
    return answer({"eval", "slider_crank", states, "--only",
                   "qdd_fd,dqdd_dqd,dqdd_dtau,A,lambda"})["results"];
  };
  const Json q = {0.0, 0.0, 0.0}, qd = {1.0, -1.25, 0.0}, tau = {0.3, 0.0, -1.0};
  Json list = {{{"q", q}, {"qd", qd}, {"tau", tau}}};
  const double h = 1e-7;  // velocities that open the loop by no more than is allowed
  for (const double sign : {1.0, -1.0}) {
    Json v = qd, t = tau;
    v[0] = 1.0 + sign * h, t[2] = -1.0 + sign * h;
    list.push_back({{"q", q}, {"qd", v}, {"tau", tau}});
    list.push_back({{"q", q}, {"qd", qd}, {"tau", t}});
  }
  const Json r = eval(list);
  EXPECT_EQ(r[0]["A"].size(), 5u);
  EXPECT_EQ(r[0]["lambda"].size(), 5u);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto slope = [&](std::size_t at) {
      return (r[at]["qdd_fd"][k].get<double>() - r[at + 2]["qdd_fd"][k].get<double>()) / (2 * h);
    };
    EXPECT_NEAR(r[0]["dqdd_dqd"][k][0].get<double>(), slope(1), 1e-5);
    EXPECT_NEAR(r[0]["dqdd_dtau"][k][2].get<double>(), slope(2), 1e-5);
  }
}

/// Crank and rocker of 0.5 m, coupler and ground of 1 m: flat at q = 0, where it may go on as a
/// parallelogram or crossed.
class FlatParallelogram : public ::testing::Test {
 protected:
  void SetUp() override {
    write_text(robot, R"(robot: parallelogram
gravity: [0, 0, 0]
bodies:
  - name: base
  - {name: crank, mass: 1, com: [0.25, 0, 0], inertia: [0.01, 0.03, 0.03]}
  - {name: coupler, mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}
  - {name: rocker, mass: 1, com: [-0.25, 0, 0], inertia: [0.01, 0.03, 0.03]}
joints:
  - {name: j1, type: revolute, parent: base, child: crank}
  - {name: j2, type: revolute, parent: crank, child: coupler, placement: {xyz: [0.5, 0, 0]}}
  - {name: j3, type: revolute, parent: coupler, child: rocker, placement: {xyz: [1, 0, 0]}}
loops:
  - {name: pin, type: revolute, link_a: rocker, link_b: base, placement_a: {xyz: [-0.5, 0, 0]},
     placement_b: {xyz: [1, 0, 0]}}
)");
  }
  /// Of a command, in the folder of the robot.
  CommandResult run(const std::vector<std::string>& words) {
    return torsor_command(words, folder.path());
  }
  /// One line on standard error, about q = 0 and not about q beside it.
  void expect_note(std::vector<std::string> words, const std::string& what) {
    words.insert(words.end(), {"--q", "0,0,0", "--json"});
    const CommandResult flat = run(words);
    EXPECT_EQ(flat.code, 0) << flat.err;
    EXPECT_EQ(flat.err, singular + what + "\n");
    words.end()[-2] = "0.3,-0.3,0.3";
    EXPECT_EQ(run(words).err, "");
  }

  const ScratchFolder folder;
  const std::string robot = (folder / "parallelogram.yaml").string();
  const std::string singular =
      "torsor: parallelogram: the loops are singular at this q (their rank is 1 less than beside "
      "it): ";
};

TEST_F(FlatParallelogram, fd_hd_and_derivatives_say_that_the_closure_is_singular) {
  const std::string file = "parallelogram.yaml";
  expect_note({"fd", file, "--tau", "1,0,0"}, "qdd is one of infinitely many accelerations");
  expect_note({"hd", file, "--prescribe", "j1", "--qdd", "1,0,0"},
              "qdd and tau are one of infinitely many answers");
  expect_note({"derivatives", file, "--of", "fd", "-w", "tau"},
              "derivatives are those of one of infinitely many accelerations");
  const Json fd = run({"fd", file, "--tau", "1,0,0", "--json"}).json()["results"][0];
  EXPECT_EQ(fd["lost_rank"], 1);
}

TEST_F(FlatParallelogram, eval_says_so_of_each_state) {
  write_text((folder / "states.json").string(),
             R"({"states": [{"q": [0.3, -0.3, 0.3]}, {"q": [0, 0, 0], "tau": [1, 0, 0]}]})");
  const CommandResult some =
      run({"eval", "parallelogram.yaml", "states.json", "--only", "qdd_fd,lambda"});
  EXPECT_EQ(some.err, singular + "qdd_fd of states[1] is one of infinitely many accelerations\n");
  EXPECT_FALSE(some.json()["results"][1].contains("lost_rank"));
  const Json all = run({"eval", "parallelogram.yaml", "states.json"}).json()["results"];
  EXPECT_EQ(all[0]["lost_rank"], 0);
  EXPECT_EQ(all[1]["lost_rank"], 1);
  write_text((folder / "tree.json").string(), R"({"states": [{"q": [0, 0]}]})");
  expect_refusal(run({"eval", "planar2r", "tree.json", "--only", "lost_rank"}),
                 "has no loops or couplings");
}

TEST_F(FlatParallelogram, simulate_does_not_cover_a_start_there) {
  const std::string rest =
      "robot: parallelogram.yaml\ncontroller: {law: none}\n"
      "run: {duration: 0.1}\nstart: {q: ";
  write_text((folder / "flat.yaml").string(), rest + "[0, 0, 0], qd: [1, -1, 1]}\n");
  write_text((folder / "beside.yaml").string(), rest + "[0.3, -0.3, 0.3], qd: [1, -1, 1]}\n");
  const std::string row = "not covered  the loops are regular at the start";
  const CommandResult flat = run({"simulate", "flat.yaml"});
  EXPECT_TRUE(flat.says(row)) << flat.out << flat.err;
  EXPECT_TRUE(flat.says("one of infinitely many")) << flat.out;
  EXPECT_FALSE(run({"simulate", "beside.yaml"}).says("loops are regular"));
}

}  // namespace
