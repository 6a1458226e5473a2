// torsor fk, ik, jacobian: states, poses, tables and options that are refused, each with one line.
#include "apps/command.hpp"
#include "apps/planar_arm.hpp"

using namespace torsor::testing;

namespace {

class KinematicsBadInput : public ::testing::Test {
 protected:
  ScratchFolder folder;
  std::string robot = (folder / "planar.urdf").string();

  KinematicsBadInput() { write_text(robot, PlanarArm::urdf()); }

  CommandResult run(const std::string& verb, std::vector<std::string> options) {
    options.insert(options.begin(), {verb, robot});
    return torsor_command(options);
  }
  std::string file(const std::string& name, const std::string& text) {
    write_text(folder / name, text);
    return (folder / name).string();
  }
};

TEST_F(KinematicsBadInput, bad_states_and_options_are_one_line) {
  for (const std::string verb : {"fk", "jacobian"}) {
    SCOPED_TRACE(verb);
    const auto refused = [&](std::vector<std::string> options, const std::string& what) {
      options.insert(options.end(), {"--frame", "tip"});
      expect_refusal(run(verb, std::move(options)), what);
    };
    refused({"--q", "0"}, "--q: has 1 numbers");
    refused({"--q", "0,nan"}, "--q: number 2: \"nan\" is not finite");
    refused({"--q", "0,,1"}, "--q: number 2");
    refused({"--qd", "1,2,3"}, "--qd: has 3 numbers");
    refused({"--csv", (folder / "none.csv").string()}, "none.csv");
    refused({"--csv", file("bad.csv", "q.j1,q.j2\n0,inf\n")}, "bad.csv:2: ");
    refused({"--csv", file("bad.csv", "q.j1,q.j2\n")}, "has no states");
    refused({"--csv", file("bad.csv", "q.j1,q.j2\n0,0\n"), "--deg"}, "--csv");
    refused({"--reference", "wrld", "--qd", "0,0"}, "did you mean \"world\"?");
    expect_refusal(run(verb, {"--frame", "tp"}), "did you mean \"tip\"?");
    expect_refusal(run(verb, {"--no-friction"}), "unknown option --no-friction");
    expect_refusal(torsor_command({verb, "no_such_robot"}), "unknown robot");
  }
  expect_refusal(run("fk", {"--reference", "body"}), "give --qd");
  expect_refusal(run("jacobian", {}), "--frame is missing; \"planar\" has base, l1, l2, tip");
  expect_refusal(run("jacobian", {"--frame", "tip", "--dot"}), "--dot needs velocities");
  expect_refusal(run("jacobian", {"--frame", "tip", "--euler", "zzy"}), "\"zzy\"");
  expect_refusal(run("jacobian", {"--frame", "tip", "--euler", "zyx", "--reference", "body"}),
                 "--euler goes with");
  expect_refusal(run("jacobian", {"--frame", "tip", "--point", "1,2"}), "--point: has 2 numbers");
  expect_refusal(run("jacobian", {"--frame", "tip", "--point", "1,2,3", "--reference", "world"}),
                 "--point makes no difference");
  expect_refusal(run("jacobian", {"--frame", "base"}), "no joint moves frame \"base\"");
}

TEST_F(KinematicsBadInput, bad_poses_are_one_line) {
  const auto refused = [](std::vector<std::string> options, const std::string& what) {
    SCOPED_TRACE(what);
    options.insert(options.begin(), {"ik", "puma560", "--frame", "tool"});
    expect_refusal(torsor_command(options), what);
  };
  refused({}, "target pose is missing");
  refused({"--xyz", "0.4,0.2,0.1"}, "the orientation is missing");
  refused({"--rpy", "0,0,0"}, "--rpy requires --xyz");
  refused({"--xyz", "0.4,0.2", "--rpy", "0,0,0"}, "--xyz: has 2 numbers, not 3");
  refused({"--xyz", "0.4,nan,0", "--rpy", "0,0,0"}, "--xyz: number 2: \"nan\" is not finite");
  refused({"--xyz", "0,0,0", "--quaternion", "0,0,0,2"}, "norm is 2, not 1");
  refused({"--xyz", "0,0,0", "--quaternion", "0,0,0,1", "--rpy", "0,0,0"}, "excludes");
  refused({"--xyz", "0,0,0", "--rpy", "0,0,0", "--position-only"}, "--position-only excludes");
  refused({"--xyz", "0,0,0", "--axis", "0,0,0"}, "has no direction");
  refused({"--xyz", "0,0,0", "--axis", "w=0,0,1"}, "is not x=, y= or z=");
  refused({"--axis", "0,0,1"}, "--axis requires --xyz");
  refused({"--xyz", "0.2", "0.1", "0.3"},
          "unexpected argument \"0.1\"; the numbers of a list stand in one word, with commas");
  refused({"--xyz", "0,0,0", "--xyz", "1,0,0"}, "--xyz is given twice");
  refused({"--pose", "1,0,0,0"}, "--pose: has 4 numbers, not 16");
  refused({"--pose", "1,0,0,0,0,1,0,0,0,0,-1,0,0,0,0,1"}, "left-handed");
  refused({"--pose", "1,0,0,0,0,1,0.1,0,0,0,1,0,0,0,0,1"}, "not rigid");
  refused({"--pose", "2,0,0,0,0,2,0,0,0,0,2,0,0,0,0,1"}, "determinant 8");
  refused({"--pose", "1,0,0,0,0,1,0,0,0,0,1,0,0.4,0,0,1"}, "row by row");
  refused({"--pose", "1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,2"}, "the last row is not 0, 0, 0, 1");
  const std::vector<std::string> there{"--xyz", "0.4,0.2,0.1", "--rpy", "3,0,0"};
  const auto refused_there = [&](std::vector<std::string> options, const std::string& what) {
    options.insert(options.begin(), there.begin(), there.end());
    refused(std::move(options), what);
  };
  refused_there({"--near", "1,2"}, "--near: has 2 numbers");
  refused_there({"--follow"}, "--follow requires --csv");
  refused_there({"--restarts", "3"}, "--restarts requires --numeric");
  refused_there({"--start", "0,0,0,0,0,0"}, "--start requires --numeric");
  refused_there({"--prefer", "limits"}, "--prefer requires --numeric");
  refused_there({"--numeric", "--prefer", "limit"}, "did you mean \"limits\"?");
  refused_there({"--numeric", "--restarts", "-2"}, "--restarts: -2 is negative");
  refused_there({"--numeric", "--start", "1,2"}, "--start: has 2 numbers");
  refused_there({"--lock", "elbow"}, "is not JOINT=VALUE");
  refused_there({"--lock", "elbw=1"}, "did you mean \"elbow\"?");
  refused_there({"--lock", "elbow=x"}, "--lock \"elbow\": ");
  refused_there({"--lock", "elbow=9"}, "beyond the joint's limits");
  refused_there({"--lock", "elbow=-1", "--lock", "elbow=0"}, "is given twice");
  refused_there({"--root", "link_9"}, "link_9");
  refused_there({"--frame", "tool"}, "is given twice");
  const auto of = [&](const std::string& name, const std::string& frame) {
    std::vector<std::string> words{"ik", name};
    if (!frame.empty()) words.insert(words.end(), {"--frame", frame});
    words.insert(words.end(), there.begin(), there.end());
    return torsor_command(words);
  };
  expect_refusal(of("puma560", ""), "--frame is missing");
  expect_refusal(of("puma560", "tol"), "did you mean \"tool\"?");
  expect_refusal(of("puma560", "base"), "no joint moves frame \"base\"");
  expect_refusal(of("panda", "tool"), "moved by 7 joints, more than six");
  expect_refusal(of("panda", "tool"), "--numeric solves it by iteration, --lock JOINT=VALUE");
  expect_refusal(of("humanoid38", "left_sole"), "\"root_joint\" is neither revolute nor prismatic");
}

TEST_F(KinematicsBadInput, bad_tables_of_poses_are_one_line) {
  const auto refused = [&](const std::string& text, const std::string& what,
                           const std::vector<std::string>& options = {}) {
    SCOPED_TRACE(what);
    std::vector<std::string> words{"ik",   "puma560", "--frame",
                                   "tool", "--csv",   file("poses.csv", text)};
    words.insert(words.end(), options.begin(), options.end());
    expect_refusal(torsor_command(words), what);
  };
  refused("x,y,z,roll,pitch,yaw\n", "poses.csv: has no poses");
  refused("x,y,z,roll,pitch,yaw\n0,0,nan,0,0,0\n", "poses.csv:2: column \"z\"");
  refused("x,y,roll,pitch,yaw\n0,0,0,0,0\n", "column \"z\" is missing, though \"x\" is there");
  refused("roll,pitch,yaw\n0,0,0\n", "no columns x, y, z");
  refused("x,y,z\n0,0,0\n", "the orientation is missing");
  refused("x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,1\n0,0,0,0,0,1,1\n", "poses.csv:3: the quaternion");
  refused("x,y,z,roll,pitch,yaw,qx,qy,qz,qw\n0,0,0,1,0,0,0,0,0,1\n", "different orientations");
  refused("x,y,z,rol,pitch,yaw\n0,0,0,1,0,0\n", "\"roll\"");
  refused("x,y,z,roll,pitch,yaw,tme\n0,0,0,1,0,0,0\n", "unknown column \"tme\"");
  refused("x,tool.x,y,z,tool.y,tool.z,roll,pitch,yaw\n0,0,0,0,0,0,0,0,0\n", "is there twice");
  refused("x,y,z,roll,pitch,yaw\n0.4,0.2,0.1,3,0,0\n", "--csv", {"--xyz", "0,0,0"});
  refused("x,y,z,roll,pitch,yaw\n0.4,0.2,0.1,3,0,0\n", "--csv", {"--deg"});
  std::string matrix = "T.1.1,T.1.2,T.1.3,T.1.4,T.2.1,T.2.2,T.2.3,T.2.4,T.3.1,T.3.2,T.3.3,T.3.4,";
  matrix += "T.4.1,T.4.2,T.4.3,T.4.4\n";
  refused(matrix + "1,0,0,0,0,1,0,0,0,0,-1,0,0,0,0,1\n", "poses.csv:2: not rigid");
  const std::string good = file("good.csv", matrix + "1,0,0,0.4,0,-1,0,0.2,0,0,-1,0.1,0,0,0,1\n");
  const CommandResult solved =
      torsor_command({"ik", "puma560", "--frame", "tool", "--csv", good, "--ignore-limits"});
  EXPECT_EQ(solved.code, 0) << solved.err;
  EXPECT_TRUE(solved.says("\n1,8,")) << solved.out;
}

TEST_F(KinematicsBadInput, a_robot_without_joints_has_poses_and_nothing_to_solve) {
  const std::string rock = file("rock.urdf", "<robot name=\"rock\"><link name=\"stone\"/></robot>");
  const CommandResult fk = torsor_command({"fk", rock});
  EXPECT_EQ(fk.code, 0) << fk.err;
  EXPECT_TRUE(fk.says("stone")) << fk.out;
  for (const char* method : {"--json", "--numeric"})
    expect_refusal(torsor_command({"ik", rock, "--frame", "stone", "--xyz", "0,0,0", "--rpy",
                                   "0,0,0", method}),
                   "no joint moves frame \"stone\"");
  expect_refusal(torsor_command({"jacobian", rock, "--frame", "stone"}), "no joint moves frame");
}

TEST_F(KinematicsBadInput, an_output_is_not_replaced_by_accident) {
  const std::string mine = file("mine.csv", "x,y,z\n1,0,0.5\n");
  const std::vector<std::string> solve{"--frame", "tip", "--csv", mine, "--numeric", "-o"};
  for (const bool force : {false, true}) {
    std::vector<std::string> words = solve;
    words.push_back(mine);
    if (force) words.emplace_back("--force");
    expect_refusal(run("ik", words), force ? "is read; write elsewhere" : "exists already");
  }
  EXPECT_EQ(read_text(mine), "x,y,z\n1,0,0.5\n");
  expect_refusal(run("fk", {"-o", mine}), "exists already");
}

}  // namespace
