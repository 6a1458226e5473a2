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

}  // namespace
