// Packages and models as ROS workspaces, their installations and Gazebo have them laid out.
#include "torsor/formats/packages.hpp"

#include <filesystem>

#include "formats/xacro_files.hpp"
#include "torsor/formats/check_file.hpp"
#include "torsor/formats/load_robot.hpp"

using namespace torsor;

namespace {

class Packages : public torsor::testing::XacroFiles {
 protected:
  std::string package(const std::string& place, const std::string& name) {
    write(place + "/package.xml", "<package><name>" + name + "</name></package>\n");
    return path(place);
  }
  std::string box(const std::string& place) {
    write(place + "/model.config",
          "<model><name>Box</name><sdf version=\"1.6\">model.sdf</sdf></model>");
    write(place + "/model.sdf",
          "<sdf version=\"1.6\"><model name=\"box\"><link name=\"l\"/></model></sdf>");
    return path(place);
  }
  std::string world(const std::string& uri) {
    return write("worlds/w.sdf", "<sdf version=\"1.6\"><world name=\"w\"><include><uri>" + uri +
                                     "</uri></include></world></sdf>");
  }
};

}  // namespace

TEST_F(Packages, in_an_installation_each_may_have_a_folder_of_its_own) {
  const std::string arm = package("install/arm/share/arm", "arm");
  const std::string hand = package("install/hand/share/hand", "hand");
  const std::string file = write("robots/r.urdf", "");
  EXPECT_EQ(find_package("arm", file, {path("install/arm")}), arm);
  EXPECT_EQ(find_package("hand", file, {path("install/arm"), path("install/hand")}), hand);
  EXPECT_EQ(find_package("hand", file, {path("install")}), hand);
  EXPECT_EQ(find_package("hand", write("install/arm/share/arm/urdf/r.urdf", "")), hand);
}

TEST_F(Packages, a_folder_may_be_given_from_where_one_is) {
  const std::string arm = package("ws/arm", "arm");
  write("ws/arm/meshes/a.stl", "");
  const std::string file = write("robots/r.urdf",
                                 "<robot name=\"r\"><link name=\"a\"><visual><geometry><mesh "
                                 "filename=\"package://arm/meshes/a.stl\"/></geometry></visual>"
                                 "</link></robot>\n");
  const std::string from_here = std::filesystem::relative(path("ws")).string();
  EXPECT_EQ(find_package("arm", file, {from_here}), arm);
  EXPECT_EQ(find_package("arm", file, {from_here + "/arm/"}), arm);
  CheckOptions options;
  options.package_folders = {from_here};
  for (const Finding& f : check_file(file, options).findings)
    EXPECT_EQ(f.message.find("not found"), std::string::npos) << f.line();
}

TEST_F(Packages, models_that_a_world_includes_are_found_in_the_given_folders) {
  box("gz/models/my_box");
  package("ws/boxes", "boxes");
  box("ws/boxes/models/other_box");
  const auto has_link = [&](const std::string& file, const std::string& place) {
    const RobotDescription robot = load_description(
        file, nullptr, {.meshes = false}, robot_formats(), {.package_folders = {path(place)}});
    return robot.find_link("l") != nullptr;
  };
  const std::string file = world("model://my_box");
  EXPECT_THROW((void)load_robot(file), Error);
  EXPECT_TRUE(has_link(file, "gz/models"));
  EXPECT_TRUE(has_link(file, "gz/models/my_box"));
  EXPECT_THROW((void)load_robot(file), Error);  // the folders were for one robot
  EXPECT_TRUE(has_link(world("package://boxes/models/other_box"), "ws"));
  CheckOptions options;
  options.package_folders = {path("ws")};
  for (const Finding& f : check_file(path("worlds/w.sdf"), options).findings)
    EXPECT_NE(f.severity, Finding::Severity::error) << f.line();
}

TEST_F(Packages, worlds_of_gazebo_have_their_models_in_a_folder_called_models) {
  box("gz/models/my_box");
  write("gz/models/my_box/meshes/b.stl", "");
  const std::string apart = world("model://my_box"), beside = path("gz/worlds/w.sdf");
  EXPECT_THROW((void)load_robot(apart), Error);
  const RobotDescription robot = load_description(
      apart, nullptr, {.meshes = false}, robot_formats(), {.package_folders = {path("gz")}});
  EXPECT_NE(robot.find_link("l"), nullptr);
  write("gz/worlds/w.sdf", read_text_file(apart));
  EXPECT_NE(load_description(beside).find_link("l"), nullptr);
  EXPECT_EQ(find_mesh("model://my_box/meshes/b.stl", beside),
            path("gz/models/my_box/meshes/b.stl"));
}

// ros2_control_demos installs description/urdf as urdf, and its files name what is installed.
TEST_F(Packages, sources_may_hold_deeper_what_is_installed_at_the_top) {
  package("ws/demo", "demo");
  const auto part = [](const std::string& link) {
    return "<robot xmlns:xacro=\"http://www.ros.org/wiki/xacro\"><link name=\"" + link +
           "\"/></robot>\n";
  };
  const std::string file =
      write("ws/demo/description/urdf/r.urdf.xacro",
            "<robot name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\"><xacro:include "
            "filename=\"$(find demo)/parts/l.xacro\"/></robot>\n");
  EXPECT_THROW((void)load_description(file), Error);
  write("ws/demo/description/parts/l.xacro", part("deep"));
  write("ws/demo/description/meshes/m.stl", "");
  EXPECT_NE(load_description(file).find_link("deep"), nullptr);
  EXPECT_EQ(find_mesh("package://demo/meshes/m.stl", file),
            path("ws/demo/description/meshes/m.stl"));
  write("ws/demo/other/parts/l.xacro", part("other"));  // which of the two?
  EXPECT_THROW((void)load_description(file), Error);
  write("ws/demo/parts/l.xacro", part("top"));
  EXPECT_NE(load_description(file).find_link("top"), nullptr);
}
