// What a conversion loses is shown, counted and, where it is asked for, refused.
#include <gtest/gtest.h>

#include "apps/command.hpp"
#include "house/process.hpp"

namespace torsor::testing {
namespace {

const char* const scene =
    "<mujoco model=\"scene\"><worldbody><light/><camera name=\"c\"/><body name=\"b\" "
    "gravcomp=\"1\">"
    "<joint name=\"j\" armature=\"0.1\"/><geom type=\"box\" size=\"0.1 0.1 "
    "0.1\"/></body></worldbody></mujoco>";
const char* const clean =
    "<mujoco model=\"clean\"><worldbody><body name=\"b\"><joint name=\"j\" armature=\"0.1\"/>"
    "<inertial pos=\"0 0 0.1\" mass=\"1\" diaginertia=\"0.005 0.005 "
    "0.005\"/></body></worldbody></mujoco>";

TEST(Losses, are_lines_of_info_check_and_convert) {
  const ScratchFolder folder;
  const std::string file = (folder / "scene.xml").string();
  write_text(file, scene);
  for (const char* verb : {"info", "check"}) {
    const CommandResult result = torsor_command({verb, file});
    EXPECT_TRUE(result.says("dropped  1 gravcomp")) << result.out;
    EXPECT_TRUE(result.says("1 <camera>")) << result.out;
    const CommandResult json = torsor_command({verb, file, "--json"});
    EXPECT_EQ(json.json()["losses"]["changes_dynamics"][0]["what"], "gravcomp") << json.out;
  }
  const CommandResult result =
      torsor_command({"convert", file, (folder / "out.sdf").string(), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.json()["losses"]["export"]["changes_dynamics"][0]["what"], "rotors");
  EXPECT_EQ(result.json()["losses"]["import"]["kept"][0]["what"], "shapes");
}

TEST(Losses, are_refused_where_that_is_asked_for) {
  const ScratchFolder folder;
  const std::string dirty = (folder / "scene.xml").string(), file = (folder / "clean.xml").string();
  write_text(dirty, scene);
  write_text(file, clean);
  const auto strictly = [&](const std::string& from, const char* to) {
    return torsor_command({"convert", from, (folder / to).string(), "--strict"});
  };
  EXPECT_EQ(strictly(dirty, "a.yaml").code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "a.yaml"));
  EXPECT_EQ(strictly(file, "a.yaml").code, 0) << strictly(file, "a.yaml").err;
  EXPECT_EQ(strictly(file, "a.mjcf").code, 0);
  const CommandResult lost = strictly(file, "a.sdf");  // no word for the rotor
  EXPECT_EQ(lost.code, 2);
  EXPECT_NE(lost.err.find("rotors"), std::string::npos) << lost.err;
  EXPECT_EQ(torsor_command({"info", dirty, "--strict"}).code, 2);
  EXPECT_EQ(torsor_command({"info", file, "--strict"}).code, 0);
}

}  // namespace
}  // namespace torsor::testing
