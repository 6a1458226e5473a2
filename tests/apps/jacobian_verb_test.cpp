// torsor jacobian and fk: figures belong to the J that is printed, singularities have no noise, poses
// are matrices where that is asked for.
#include <Eigen/Dense>
#include <cmath>

#include "apps/command.hpp"

using namespace torsor::testing;
using Json = nlohmann::json;

namespace {

using Words = std::vector<std::string>;

Json answer(Words words) {
  words.emplace_back("--json");
  const CommandResult result = torsor_command(words);
  EXPECT_EQ(result.code, 0) << result.err;
  return result.json()["results"][0];
}
Eigen::MatrixXd matrix(const Json& rows) {
  Eigen::MatrixXd M(rows.size(), rows[0].size());
  for (Eigen::Index r = 0; r < M.rows(); ++r)
    for (Eigen::Index c = 0; c < M.cols(); ++c)
      M(r, c) = rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)].get<double>();
  return M;
}

TEST(JacobianVerb, determinant_singular_values_and_rank_are_those_of_the_J_that_is_printed) {
  const Words plain{"jacobian", "puma560", "--frame", "tool", "--q", "0.3,-1,0.5,0.4,0.7,0.2"};
  for (const Words& options :
       {Words{}, Words{"--reference", "body"}, Words{"--reference", "world"}, Words{"--textbook"},
        Words{"--euler", "zyz"}, Words{"--euler", "zyx", "--textbook"},
        Words{"--point", "0.1,0.2,0.3", "--reference", "body"}}) {
    Words words = plain;
    words.insert(words.end(), options.begin(), options.end());
    const Json found = answer(words);
    const Eigen::MatrixXd J = matrix(found["J"]);
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(J);
    EXPECT_NEAR(found["determinant"].get<double>(), J.determinant(), 1e-13);
    EXPECT_NEAR(found["manipulability"].get<double>(), std::abs(J.determinant()), 1e-13);
    for (Eigen::Index k = 0; k < 6; ++k)
      EXPECT_NEAR(found["sigma"][static_cast<std::size_t>(k)].get<double>(),
                  svd.singularValues()[k], 1e-13);
    EXPECT_EQ(found["rank"], 6);
    const bool textbook = !options.empty() && options.back() == "--textbook";
    EXPECT_EQ(found["order"], textbook ? "linear first" : "angular first");
  }
  EXPECT_EQ(answer(plain)["reference"], "world-aligned");
  // The factors are of linear rows first.
  const Json first = answer(plain);
  EXPECT_NEAR(first["determinant_arm"].get<double>() * first["determinant_wrist"].get<double>(),
              -first["determinant"].get<double>(), 1e-15);
}

/// Stretched it still turns, but its tip moves across alone: a b sin(q_2) of the linear rows.
TEST(JacobianVerb, of_a_planar_arm_tells_position_from_pose) {
  const Words arm{"jacobian", "planar2r", "--frame", "tip", "--q"};
  const auto at = [&](const char* q) {
    Words words = arm;
    words.emplace_back(q);
    return words;
  };
  const Json bent = answer(at("0.3,0.5"));
  EXPECT_NEAR(bent["position"]["determinant"].get<double>(), std::sin(0.5), 1e-15);
  EXPECT_EQ(bent["position"]["rows"], Json({"vx", "vy"}));
  EXPECT_FALSE(bent["position"]["singular"]);
  const Json stretched = answer(at("0.3,0"));
  EXPECT_EQ(stretched["rank"], 2);
  EXPECT_EQ(stretched["position"]["rank"], 1);
  EXPECT_EQ(stretched["position"]["determinant"], 0);
  EXPECT_TRUE(stretched["position"]["singular"]);
  EXPECT_TRUE(
      torsor_command(at("0.3,0")).says("rows vx, vy alone: singular, rank 1 of 2, determinant 0"));
  EXPECT_FALSE(answer({"jacobian", "puma560", "--frame", "tool"}).contains("position"));
}

TEST(JacobianVerb, a_wrist_that_is_singular_for_every_roll_is_said_to_be_so) {
  for (const char* q : {"10,45,-90,20,0,0", "17,-57,29,23,0,11", "-40,33,-20,-75,0,80"}) {
    const CommandResult result =
        torsor_command({"jacobian", "puma560", "--frame", "tool", "--q", q, "--deg"});
    EXPECT_TRUE(result.says("wrist singular for every wrist_roll\n")) << result.out;
    EXPECT_TRUE(result.says("wrist singular where wrist_bend = 0 or 180 deg\n")) << result.out;
    EXPECT_FALSE(result.says("wrist singular where wrist_roll")) << result.out;
    EXPECT_FALSE(result.says("e-1")) << result.out;  // no rounding is shown
  }
  const CommandResult boom =
      torsor_command({"jacobian", "stanford", "--frame", "tool", "--q", "0.3,0,0.5,0.4,1,0.2"});
  EXPECT_TRUE(boom.says("arm singular where joint_2 = 0 or 3.14159 rad")) << boom.out;
  EXPECT_TRUE(boom.says("arm singular for every boom")) << boom.out;
}

TEST(FkVerb, a_matrix_is_printed_and_read_back_by_ik) {
  const ScratchFolder folder;
  const Words words{"fk", "stanford", "--frame", "tool", "--q", "0.3,0.5,0.7,0.4,0.6,0.2"};
  Words text = words;
  text.emplace_back("--matrix");
  const CommandResult shown = torsor_command(text);
  EXPECT_EQ(shown.code, 0) << shown.err;
  EXPECT_TRUE(shown.says("0          0         0         1\n") || shown.says("  1\n")) << shown.out;
  const Eigen::MatrixXd T = matrix(answer(words)["frames"]["tool"]["T"]);
  std::istringstream numbers(shown.out.substr(shown.out.find("tool") + 4));
  for (Eigen::Index r = 0; r < 4; ++r)
    for (Eigen::Index c = 0; c < 4; ++c) {
      double x = -1;
      numbers >> x;
      EXPECT_NEAR(x, T(r, c), 1e-5);
    }
  Words csv = text;
  csv.insert(csv.end(), {"-o", (folder / "T.csv").string()});
  EXPECT_EQ(torsor_command(csv).code, 0);
  const CommandResult back = torsor_command({"ik", "stanford", "--frame", "tool", "--csv",
                                             (folder / "T.csv").string(), "--ignore-limits"});
  EXPECT_EQ(back.code, 0) << back.err;
  EXPECT_TRUE(back.says("\n1,4,")) << back.out;
}

TEST(FkVerb, what_is_smaller_than_the_digits_of_an_angle_is_not_shown) {
  // A quarter turn with ten digits leaves 5e-12 of every zero.
  const CommandResult text =
      torsor_command({"fk", "planar2r", "--frame", "tip", "--q", "1.5707963268,0"});
  EXPECT_FALSE(text.says("e-1")) << text.out;
  const Json full = answer({"fk", "planar2r", "--frame", "tip", "--q", "1.5707963268,0"});
  EXPECT_NE(full["frames"]["tip"]["position"][0], 0);
}

TEST(FkVerb, the_two_frames_of_a_dh_row_are_explained) {
  EXPECT_TRUE(torsor_command({"fk", "puma560"}).says("frame_i is the DH"));
  EXPECT_FALSE(torsor_command({"fk", "puma560", "--frame", "tool"}).says("frame_i"));
  EXPECT_TRUE(torsor_command({"fk", "--help"}).says("two frames for each row"));
}

}  // namespace
