// torsor check beside meshes: what a uniform solid of the link's shape would have.
#include "formats/xacro_files.hpp"
#include "torsor/formats/check_file.hpp"

using namespace torsor;

namespace {

class CheckMeshes : public torsor::testing::XacroFiles {
 protected:
  /// A cube of 0.2 m about (0.1, 0.1, 0.1); `faces` 12 or fewer of its triangles.
  void write_cube(std::size_t faces = 12) {
    std::string obj;
    for (int k = 0; k < 8; ++k)
      obj += "v " + std::to_string(k & 1) + " " + std::to_string(k >> 1 & 1) + " " +
             std::to_string(k >> 2) + "\n";
    const char* all[] = {"1 3 2", "2 3 4", "5 6 7", "6 8 7", "1 2 5", "2 6 5",
                         "3 7 4", "4 7 8", "1 5 3", "3 5 7", "2 4 6", "4 8 6"};
    for (std::size_t k = 0; k < faces; ++k) obj += std::string("f ") + all[k] + "\n";
    write("pkg/meshes/cube.obj", obj);
    write("pkg/package.xml", "<package><name>cubes</name></package>\n");
  }
  std::vector<std::string> notes(const std::string& inertial) {
    const std::string file =
        write("pkg/urdf/r.urdf",
              "<robot name=\"r\"><link name=\"a\"/><link name=\"b\">" + inertial +
                  "<collision><geometry><mesh filename=\"package://cubes/meshes/cube.obj\" "
                  "scale=\"0.2 0.2 0.2\"/>"
                  "</geometry></collision></link><joint name=\"j\" type=\"continuous\"><parent "
                  "link=\"a\"/>"
                  "<child link=\"b\"/></joint></robot>\n");
    std::vector<std::string> said;
    for (const Finding& f : check_file(file).findings)
      if (f.message.find("mesh") != std::string::npos) said.push_back(f.message + " | " + f.fix);
    return said;
  }
  static std::string inertial(double mass, double j, const std::string& xyz) {
    const std::string i = format_number(j);
    return "<inertial><origin xyz=\"" + xyz + "\"/><mass value=\"" + format_number(mass) +
           "\"/><inertia ixx=\"" + i + "\" iyy=\"" + i + "\" izz=\"" + i +
           "\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";
  }
};

}  // namespace

TEST_F(CheckMeshes, figures_of_the_solid_itself_are_no_news) {
  write_cube();
  EXPECT_TRUE(notes(inertial(8, 8 * 0.04 / 6, "0.1 0.1 0.1")).empty());
}
TEST_F(CheckMeshes, far_figures_get_a_proposal) {
  write_cube();
  const auto said = notes(inertial(8, 1, "0.1 0.1 0.1"));  // a cube of 8 kg has 0.0533
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("ixx 0.053333"), std::string::npos) << said[0];
  ASSERT_EQ(notes(inertial(8, 8 * 0.04 / 6, "0.4 0.1 0.1")).size(), 1u);
}
TEST_F(CheckMeshes, an_impossible_density_is_said) {
  write_cube();
  const auto said = notes(inertial(8000, 8000 * 0.04 / 6, "0.1 0.1 0.1"));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("density of 1e+06"), std::string::npos) << said[0];
}
TEST_F(CheckMeshes, a_link_without_mass_gets_one_of_water) {
  write_cube();
  const auto said = notes("");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("mass 8 kg, com (0.1 0.1 0.1) m"), std::string::npos) << said[0];
}
TEST_F(CheckMeshes, an_open_mesh_is_said_to_be_open) {
  write_cube(11);
  const auto said = notes(inertial(8, 1, "0.1 0.1 0.1"));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("is open: 3 edges"), std::string::npos) << said[0];
}
TEST_F(CheckMeshes, a_mesh_that_cannot_be_read_is_said_with_its_line) {
  write_cube();
  write("pkg/meshes/cube.obj", "v 0 0 0\nv 1 0 0\nf 1 2 9\n");
  const auto said = notes(inertial(8, 1, "0 0 0"));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("cube.obj:3: "), std::string::npos) << said[0];
}
TEST_F(CheckMeshes, a_missing_mesh_is_one_note_as_before) {
  const auto said = notes(inertial(8, 1, "0.1 0.1 0.1"));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("not found"), std::string::npos) << said[0];
}
