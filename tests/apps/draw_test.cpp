// torsor draw: pictures from the command line, and simulate --figure.
#include "apps/command.hpp"
#include "torsor/experiments/drawing.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/xml.hpp"

namespace torsor::testing {
namespace {

TEST(Draw, prints_what_the_library_draws) {
  const Array<double> q{0.1, -0.2, 0.3, 0.4, 0.5, 0.6};
  const CommandResult r = torsor_command({"draw", "puma560", "--q", "0.1,-0.2,0.3,0.4,0.5,0.6"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, draw_robot(load_robot("puma560"), q));
  const CommandResult top = torsor_command({"draw", "puma560", "--q", "0.1,-0.2,0.3,0.4,0.5,0.6",
                                            "--view", "top", "--no-shadow", "--width", "200"});
  EXPECT_EQ(top.out, draw_robot(load_robot("puma560"), q,
                                {.azimuth = 0,
                                 .elevation = 90 * (3.14159265358979323846 / 180),
                                 .width = 200,
                                 .shadow = false}));
  EXPECT_NE(top.out, r.out);
}

TEST(Draw, writes_a_file_once) {
  const ScratchFolder folder;
  const std::vector<std::string> words = {"draw",          "panda",   "-o",  "p.svg",
                                          "--perspective", "--frame", "tool"};
  ASSERT_EQ(torsor_command(words, folder.path()).code, 0);
  const XmlDocument document(read_text(folder / "p.svg"), "p.svg");
  expect_refusal(torsor_command(words, folder.path()), "--force");
}

TEST(Draw, closes_open_loops_and_says_so) {
  const CommandResult r = torsor_command({"draw", "four_bar", "--q", "0.5,0.1,0.1,0"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.err.find("closed from there"), std::string::npos) << r.err;
}

TEST(Draw, refuses_in_one_line) {
  expect_refusal(torsor_command({"draw", "puma560", "--q", "1,2"}), "6 coordinates");
  expect_refusal(torsor_command({"draw", "puma560", "--view", "bak"}), "front, side, top");
  expect_refusal(torsor_command({"draw", "puma560", "--view", "10,95"}), "95 deg");
  expect_refusal(torsor_command({"draw", "puma560", "--view", "10"}), "1 numbers");
  expect_refusal(torsor_command({"draw", "puma560", "--frame", "toll"}), "\"tool\"");
  expect_refusal(torsor_command({"draw", "puma560", "-o", "/nowhere/at/all.svg"}), "no folder");
}

TEST(Simulate, draws_the_errors_of_a_run_as_a_figure) {
  const ScratchFolder folder;
  const CommandResult r = torsor_command(
      {"simulate", TORSOR_SOURCE_DIR "/examples/scenarios/planar_arm_pd_without_gravity.yaml",
       "--figure", "errors.svg"},
      folder.path());
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(r.says("wrote errors.svg"));
  const std::string svg = read_text(folder / "errors.svg");
  const XmlDocument document(svg, "errors.svg");
  EXPECT_NE(svg.find("<path"), std::string::npos);
}

}  // namespace
}  // namespace torsor::testing
