// torsor trajectory: motions as CSV that the other verbs read.
#include <sstream>

#include "apps/command.hpp"

namespace torsor::testing {
namespace {

using nlohmann::json;

json rows_of(std::vector<std::string> words) {
  words.insert(words.begin(), "trajectory");
  words.emplace_back("--json");
  const CommandResult result = torsor_command(words);
  EXPECT_EQ(result.code, 0) << result.err;
  return result.json();
}
double last_time(const json& motion) { return motion["results"].back()["t"]; }

TEST(Trajectory, a_quintic_is_the_closed_form) {
  const json motion =
      rows_of({"planar2r", "--from", "0,1", "--to", "1,-1", "--duration", "2", "--step", "0.5"});
  ASSERT_EQ(motion["results"].size(), 5u);
  EXPECT_EQ(motion["duration"], 2.0);
  for (const json& row : motion["results"]) {
    const double x = row["t"].get<double>() / 2;  // s = 10 x^3 - 15 x^4 + 6 x^5
    const double s = x * x * x * (10 - 15 * x + 6 * x * x), sd = 30 * x * x * (1 - x) * (1 - x) / 2,
                 sdd = 60 * x * (1 - x) * (1 - 2 * x) / 4;
    const double step[2] = {1, -2}, start[2] = {0, 1};
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(row["q"][k].get<double>(), start[k] + s * step[k], 1e-14);
      EXPECT_NEAR(row["qd"][k].get<double>(), sd * step[k], 1e-14);
      EXPECT_NEAR(row["qdd"][k].get<double>(), sdd * step[k], 1e-13);
    }
  }
}

TEST(Trajectory, least_times_are_those_of_the_limits) {
  const std::vector<std::string> way{"planar2r", "--to",           "2,0", "--velocity",
                                     "0.5",      "--acceleration", "1"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> words = way;
    words.insert(words.end(), more.begin(), more.end());
    return rows_of(words);
  };
  EXPECT_NEAR(last_time(with({"--profile", "trapezoid"})), 4.5, 1e-12);                 // h/V + V/A
  EXPECT_NEAR(last_time(with({"--profile", "double_s", "--jerk", "4"})), 4.75, 1e-12);  // + A/J
  EXPECT_NEAR(last_time(with({"--profile", "quintic"})), 15.0 / 8 * 2 / 0.5, 1e-12);
  // The same in degrees: angles of lists, limits included.
  EXPECT_NEAR(last_time(rows_of(
                  {"planar2r", "--to", "90,0", "--deg", "--velocity", "45", "--profile", "cubic"})),
              1.5 * 90 / 45, 1e-12);
}

TEST(Trajectory, a_spline_meets_its_points_at_their_times) {
  const json motion = rows_of({"planar2r", "--via", "1,0", "--via", "1,1", "--to", "0,1", "--times",
                               "0,1,2,3", "--profile", "cubic", "--step", "1"});
  const double points[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t k = 0; k < 2; ++k)
      EXPECT_NEAR(motion["results"][r]["q"][k].get<double>(), points[r][k], 1e-14);
  EXPECT_NEAR(motion["results"][0]["qd"][0].get<double>(), 0, 1e-14);  // clamped
  // A duration alone: the points in proportion to their distances.
  const json even = rows_of({"planar2r", "--via", "1,0", "--to", "3,0", "--duration", "6",
                             "--profile", "cubic", "--step", "2"});
  EXPECT_NEAR(even["results"][1]["q"][0].get<double>(), 1, 1e-12);
  EXPECT_NEAR(even["results"][3]["q"][0].get<double>(), 3, 1e-12);
}

TEST(Trajectory, a_fourier_series_is_the_sum_of_its_harmonics) {
  const json motion =
      rows_of({"planar2r", "--from", "0.1,0.2", "--profile", "fourier", "--sine", "3,0", "--sine",
               "0,1", "--cosine", "4,0", "--frequency", "2", "--step", "0.3"});
  for (const json& row : motion["results"]) {
    const double t = row["t"];
    EXPECT_NEAR(row["q"][0].get<double>(), 0.1 + 1.5 * std::sin(2 * t) - 2 * std::cos(2 * t),
                1e-13);
    EXPECT_NEAR(row["qd"][1].get<double>(), std::cos(4 * t), 1e-13);
  }
  EXPECT_NEAR(last_time(motion), std::acos(-1.0), 1e-14);
}

TEST(Trajectory, a_frame_on_a_line_stays_on_it_and_keeps_its_orientation) {
  const ScratchFolder folder;
  const std::string start = "0.4,0.6,-1.5,0.3,0.5,0.2";
  const CommandResult made =
      torsor_command({"trajectory", "puma560", "--from", start, "--frame", "tool", "--path", "line",
                      "--xyz", "0.45,0.1,0.5", "--duration", "2", "--step", "0.1", "-o", "m.csv"},
                     folder.path());
  ASSERT_EQ(made.code, 0) << made.err;
  const json poses =
      torsor_command({"fk", "puma560", "--frame", "tool", "--csv", "m.csv", "--json"},
                     folder.path())
          .json()["results"];
  const auto at = [&](std::size_t k, const char* what, std::size_t c) {
    return poses[k]["frames"]["tool"][what][c].get<double>();
  };
  ASSERT_EQ(poses.size(), 21u);
  const std::size_t end = poses.size() - 1;
  const double goal[3] = {0.45, 0.1, 0.5};
  double way = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(at(end, "position", c), goal[c], 1e-7);
    way = std::max(way, std::abs(goal[c] - at(0, "position", c)));
  }
  ASSERT_GT(way, 0.05);
  for (std::size_t k = 0; k < poses.size(); ++k) {
    const double x = 0.1 * static_cast<double>(k) / 2, s = x * x * x * (10 - 15 * x + 6 * x * x);
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_NEAR(at(k, "position", c), at(0, "position", c) + s * (goal[c] - at(0, "position", c)),
                  1e-6);
    for (std::size_t c = 0; c < 4; ++c)
      EXPECT_NEAR(at(k, "quaternion", c), at(0, "quaternion", c), 1e-6);
  }
}

TEST(Trajectory, a_frame_on_a_screw_moves_on_a_circle_about_the_axis) {
  // A quarter turn of a planar arm's tip about its first axis is a screw of that axis.
  const ScratchFolder folder;
  ASSERT_EQ(torsor_command({"trajectory", "planar2r", "--from", "0,0.5", "--to", "1,0.5",
                            "--duration", "1", "--step", "0.25", "-o", "m.csv"},
                           folder.path())
                .code,
            0);
  const json poses =
      torsor_command({"fk", "planar2r", "--frame", "tip", "--csv", "m.csv", "--json"},
                     folder.path())
          .json()["results"];
  const auto radius = [&](const json& pose) {
    const json& p = pose["frames"]["tip"]["position"];
    return std::hypot(p[0].get<double>(), p[1].get<double>());
  };
  for (const json& pose : poses) EXPECT_NEAR(radius(pose), radius(poses[0]), 1e-14);
}

TEST(Trajectory, its_csv_is_read_by_the_other_verbs) {
  const ScratchFolder folder;
  ASSERT_EQ(torsor_command({"trajectory", "planar2r", "--to", "1,2", "--duration", "1", "--step",
                            "0.5", "-o", "m.csv"},
                           folder.path())
                .code,
            0);
  EXPECT_TRUE(read_text(folder / "m.csv")
                  .starts_with("t,q.joint_1,q.joint_2,qd.joint_1,qd.joint_2,qdd.joint_1,"
                               "qdd.joint_2\n0,0,0,0,0,0,0\n0.5,0.5,1,"));
  for (const char* verb : {"id", "fk", "mass", "coriolis", "energy", "jacobian"}) {
    std::vector<std::string> words{verb, "planar2r", "--csv", "m.csv", "--json"};
    if (verb == std::string("jacobian")) words.insert(words.end(), {"--frame", "tip"});
    const CommandResult result = torsor_command(words, folder.path());
    EXPECT_EQ(result.code, 0) << verb << result.err;
    EXPECT_EQ(result.json()["results"].size(), 3u) << verb;
  }
}

TEST(Trajectory, quaternion_joints_move_along_their_group) {
  const json motion = rows_of({"planar2r", "--floating", "--from", "0,0,0,0,0,0,1,0,0", "--to",
                               "1,0,0,0,0,0.7071067811865476,0.7071067811865476,1,1", "--duration",
                               "1", "--step", "0.5"});
  ASSERT_EQ(motion["results"].size(), 3u);
  const json& middle = motion["results"][1];  // half of the turn about z
  EXPECT_NEAR(middle["q"][5].get<double>(), std::sin(std::acos(-1.0) / 8), 1e-12);
  EXPECT_NEAR(middle["q"][7].get<double>(), 0.5, 1e-14);
  EXPECT_NEAR(middle["qd"][2].get<double>(), 15.0 / 8 * std::acos(0.0), 1e-12);
}

TEST(Trajectory, what_cannot_be_planned_is_one_line) {
  const auto refused = [](std::vector<std::string> words, const char* text) {
    words.insert(words.begin(), {"trajectory", "planar2r"});
    expect_refusal(torsor_command(words), text);
  };
  refused({}, "where to?");
  refused({"--to", "1"}, "--to: has 1 numbers");
  refused({"--to", "1,2"}, "nothing that moves has a finite limit (--duration sets the time");
  refused({"--to", "1,2", "--duration", "-1"}, "--duration: is -1, not positive");
  refused({"--to", "1,2", "--duration", "1", "--step", "0"}, "--step");
  refused({"--to", "1,2", "--duration", "1", "--step", "1e-9"}, "a million rows");
  refused({"--to", "1,2", "--profile", "quintc"}, "did you mean \"quintic\"?");
  refused({"--to", "1,2", "--xyz", "1,0,0"}, "belong to --frame");
  refused({"--profile", "fourier"}, "--sine or --cosine");
  refused({"--to", "1,2", "--duration", "1", "--velocity", "1"}, "beside --duration");
  refused({"--to", "1,2", "--velocity", "1,2,3"}, "--velocity: has 3 numbers");
  refused({"--via", "1,0", "--to", "1,2", "--times", "0,1"}, "--times: has 2 numbers, not 3");
  const CommandResult far = torsor_command(
      {"trajectory", "puma560", "--frame", "tool", "--xyz", "3,0,0", "--duration", "1"});
  EXPECT_EQ(far.code, 1);
  EXPECT_NE(far.err.find("follows the path only to"), std::string::npos) << far.err;
}

}  // namespace
}  // namespace torsor::testing
