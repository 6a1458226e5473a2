// SDF: frames, joints, nested and included models, against the same robot in other words.
#include <gtest/gtest.h>

#include <numbers>

#include "formats/same_motion.hpp"
#include "house/process.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/loss_report.hpp"
#include "torsor/formats/robot_file.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

constexpr double pi = std::numbers::pi;

RobotDescription read(const std::string& text, Findings* findings = nullptr) {
  return read_as("sdf", text, findings, "r.sdf");
}
std::string sdf(const std::string& inside, const char* version = "1.9") {
  return "<sdf version=\"" + std::string(version) + "\"><model name=\"m\">" + inside +
         "</model></sdf>";
}
std::string link(const std::string& name, const std::string& pose = "",
                 const std::string& more = "") {
  return "<link name=\"" + name + "\">" + pose +
         "<inertial><pose>0.1 0.2 0.3 0 0 0</pose><mass>2</mass><inertia><ixx>0.1</ixx>"
         "<iyy>0.2</iyy><izz>0.25</izz><ixy>0.01</ixy><ixz>0.02</ixz><iyz>0.03</iyz></inertia>"
         "</inertial>" +
         more + "</link>";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& more = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent>" + parent +
         "</parent><child>" + child + "</child>" + more + "</joint>";
}
const std::string about_y = "<axis><xyz>0 1 0</xyz></axis>";

// gazebo_models has several of these; sdformat calls such a joint arm_joint.
TEST(Sdf, before_1_7_a_joint_may_have_the_name_of_a_link) {
  const std::string body = link("base") + joint("hold", "fixed", "world", "base") +
                           joint("arm", "revolute", "base", "arm",
                                 "<pose>0 0.1 0.2 0 0 0</pose><axis><xyz>0 1 0</xyz></axis>") +
                           link("arm", "<pose>0.5 0 0 0 0 0</pose>");
  std::string renamed = body;
  renamed.replace(renamed.find("joint name=\"arm\""), 16, "joint name=\"elbow\"");
  const RobotDescription old = read(sdf(body, "1.6")), now = read(sdf(renamed, "1.6"));
  EXPECT_NE(old.find_joint("arm"), nullptr);
  expect_same_motion(now, old, 1e-15);
  EXPECT_THROW((void)read(sdf(body, "1.7")), Error);
  EXPECT_THROW((void)read(sdf(body + joint("arm", "revolute", "base", "arm", about_y), "1.6")),
               Error);
}

TEST(Sdf, is_the_robot_that_is_written_in_yaml_by_hand) {
  const RobotDescription r = read(sdf(
      "<pose>0 0 1 0 0 0</pose>" + link("base") + joint("hold", "fixed", "world", "base") +
      link("arm", "<pose>0.5 0 0 0 0 0.3</pose>") +
      joint("turn", "revolute", "base", "arm",
            "<pose>0 0.1 0.2 0 0 0</pose><axis><xyz>0 1 0</xyz><limit><lower>-1</lower>"
            "<upper>2</upper><effort>30</effort><velocity>4</velocity></limit><dynamics>"
            "<damping>0.5</damping><friction>0.2</friction><spring_stiffness>7</spring_stiffness>"
            "<spring_reference>0.4</spring_reference></dynamics></axis>") +
      "<frame name=\"tool\" attached_to=\"arm\"><pose>0 0 0.4 0 0 0</pose></frame>"));
  const RobotDescription yaml = read_robot_file(R"(robot: m
gravity: [0, 0, -9.81]
root: world
bodies:
  - name: world
  - &body {name: base, mass: 2, com: [0.1, 0.2, 0.3], inertia: {xx: 0.1, yy: 0.2, zz: 0.25, xy: 0.01, xz: 0.02, yz: 0.03}}
  - name: hinge
  - {name: arm, mass: 2, com: [0.1, 0.2, 0.3], inertia: {xx: 0.1, yy: 0.2, zz: 0.25, xy: 0.01, xz: 0.02, yz: 0.03}}
joints:
  - {name: hold, type: fixed, parent: world, child: base, placement: {xyz: [0, 0, 1]}}
  - name: turn
    type: revolute
    parent: base
    child: hinge
    placement: {xyz: [0.4704479793338660, 0.0955336489125606, 0.2], rpy: [0, 0, 0.3]}
    axis: [0, 1, 0]
    limits: {lower: -1, upper: 2, effort: 30, velocity: 4}
    friction: {damping: 0.5, coulomb: 0.2}
    spring: {stiffness: 7, rest: 0.4}
  - {name: back, type: fixed, parent: hinge, child: arm, placement: {xyz: [0, -0.1, -0.2]}}
frames:
  - {name: tool, link: arm, placement: {xyz: [0, 0, 0.4]}}
)",
                                                "m.yaml");
  expect_same_motion(r, yaml);
  const Limits& l = r.find_joint("turn")->limits.at(0);
  EXPECT_EQ(l.upper, 2);
  EXPECT_EQ(l.effort, 30);
}

TEST(Sdf, poses_may_be_relative_to_any_frame) {
  const std::string hold = joint("hold", "fixed", "world", "a");
  const RobotDescription plain =
      read(sdf(link("a") + hold + link("b", "<pose>0 1 1 0 0 1.5707963267948966</pose>") +
               joint("j", "revolute", "a", "b", "<pose>0.2 0 0 0 0 0</pose>" + about_y)));
  const RobotDescription by_frames = read(
      sdf("<frame name=\"f\" attached_to=\"a\"><pose relative_to=\"g\">0 1 0 0 0 0</pose></frame>"
          "<frame name=\"g\"><pose degrees=\"true\">0 0 1 0 0 0</pose></frame>" +
          link("a") + hold +
          link("b",
               "<pose relative_to=\"f\" rotation_format=\"quat_xyzw\">0 0 0 0 0 "
               "0.7071067811865476 0.7071067811865476</pose>") +
          "<joint name=\"j\" type=\"revolute\"><pose relative_to=\"f\">0 0.2 0 0 0 0</pose>"
          "<parent>f</parent><child>b</child><axis><xyz expressed_in=\"b\">0 1 "
          "0</xyz></axis></joint>"));
  expect_same_motion(plain, by_frames);
}

TEST(Sdf, axes_of_old_files_are_in_the_axes_of_the_model) {
  const std::string turned = "<pose>0 0 1 0 0 1.5707963267948966</pose>";
  const std::string hold = joint("hold", "fixed", "world", "a");
  const auto with = [&](const char* version, const std::string& axis, const char* more = "") {
    return read(sdf(
        link("a") + hold + link("b", turned) +
            joint("j", "revolute", "a", "b", "<axis><xyz>" + axis + "</xyz>" + more + "</axis>"),
        version));
  };
  const RobotDescription newest = with("1.9", "1 0 0");
  expect_same_motion(newest, with("1.4", "0 1 0"));
  expect_same_motion(newest, with("1.5", "1 0 0"));
  expect_same_motion(newest,
                     with("1.6", "0 1 0", "<use_parent_model_frame>1</use_parent_model_frame>"));
  expect_same_motion(newest,
                     with("1.7", "0 1 0", "<use_parent_model_frame>true</use_parent_model_frame>"));
}

TEST(Sdf, nested_included_and_merged_models_are_the_flat_one) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path() / "part");
  const std::string inner = link("c", "<pose>0.1 0 0 0 0 0</pose>") +
                            link("d", "<pose>0.3 0 0.2 0 0 0</pose>") +
                            joint("k", "prismatic", "c", "d", about_y);
  write_text((folder / "part" / "model.config").string(),
             "<model><name>part</name><sdf version=\"1.9\">part.sdf</sdf></model>");
  write_text((folder / "part" / "part.sdf").string(),
             "<sdf version=\"1.9\"><model name=\"part\">" + inner + "</model></sdf>");
  const std::string base = link("a") + joint("hold", "fixed", "world", "a");
  const std::string where = "<pose>0 1 0 0 0 0.5</pose>";
  const auto load = [&](const std::string& text) {
    return robot_format("sdf").read(sdf(text), (folder / "r.sdf").string(), nullptr);
  };
  const RobotDescription nested = load(base + "<model name=\"part\">" + where + inner + "</model>" +
                                       joint("j", "revolute", "a", "part::c", about_y));
  const RobotDescription included =
      load(base + "<include><uri>model://part</uri>" + where + "</include>" +
           joint("j", "revolute", "a", "part::c", about_y));
  const RobotDescription merged = load(base + "<include merge=\"true\"><uri>part</uri>" + where +
                                       "</include>" + joint("j", "revolute", "a", "c", about_y));
  EXPECT_NE(nested.find_link("part::d"), nullptr);
  EXPECT_NE(merged.find_link("d"), nullptr);
  expect_same_motion(nested, included);
  expect_same_motion(nested, merged);
  // The frame of link d is put where the model's own would be.
  const RobotDescription placed =
      load(base + "<model name=\"part\" placement_frame=\"d\">" + where + inner + "</model>" +
           joint("j", "revolute", "a", "part::c", about_y));
  Robot moved{Model<double>(placed)};
  const Eigen::Vector3d p =
      moved.frame_pose("part::d", Eigen::VectorXd::Zero(moved.model().n_q())).translation();
  EXPECT_LT((p - Eigen::Vector3d(0, 1, 0)).norm(), 1e-12);
}

TEST(Sdf, joints_of_every_kind) {
  const std::string two = "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>";
  const RobotDescription r =
      read(sdf(link("a") + joint("hold", "fixed", "world", "a") + link("b") + link("c") +
                   link("d") + link("e") + link("f") + link("g") + joint("ball", "ball", "a", "b") +
                   joint("screw", "screw", "b", "c",
                         "<screw_thread_pitch>0.5</screw_thread_pitch>" + about_y) +
                   joint("universal", "universal", "c", "d",
                         "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz></axis2>") +
                   joint("both", "revolute2", "d", "e", two) +
                   joint("wheel", "continuous", "e", "f", about_y) +
                   joint("follower", "revolute", "f", "g",
                         "<axis><xyz>0 1 0</xyz><mimic joint=\"wheel\" "
                         "axis=\"axis\"><multiplier>2</multiplier>"
                         "<offset>0.3</offset><reference>0.1</reference></mimic></axis>"),
               "1.11"));
  EXPECT_EQ(r.find_joint("ball")->kind, JointKind::spherical);
  EXPECT_NEAR(r.find_joint("screw")->pitch, 0.5 / (2 * pi), 1e-15);
  EXPECT_EQ(r.find_joint("universal")->kind, JointKind::universal);
  EXPECT_EQ(r.find_joint("both")->kind, JointKind::composite);
  EXPECT_EQ(r.find_joint("both")->parts.size(), 2u);
  EXPECT_EQ(r.find_joint("wheel")->kind, JointKind::continuous);
  ASSERT_EQ(r.couplings.size(), 1u);  // q = 2 (leader - 0.1) + 0.3
  EXPECT_EQ(r.couplings[0].terms.at(1).factor, -2);
  EXPECT_NEAR(r.couplings[0].offset, 0.1, 1e-15);
  const Model<double> model(r);
  EXPECT_EQ(model.n_v(), 3 + 1 + 2 + 2 + 1 + 1);
}

// Gazebo takes the axes that DART has by default; sdformat does not ask for one.
TEST(Sdf, a_joint_without_an_axis_has_that_of_gazebo_and_a_warning) {
  const auto with = [](const std::string& type, const std::string& axes) {
    return sdf(link("a") + joint("hold", "fixed", "world", "a") +
               link("b", "<pose>0.5 0 0 0.2 0 0</pose>") +
               joint("j", type, "a", "b", "<pose>0 0 0 0.3 0.4 0.5</pose>" + axes));
  };
  const std::string x = "<axis><xyz>1 0 0</xyz></axis>", z = "<axis><xyz>0 0 1</xyz></axis>",
                    y2 = "<axis2><xyz>0 1 0</xyz></axis2>";
  Findings found;
  expect_same_motion(read(with("revolute", ""), &found), read(with("revolute", z)), 1e-15);
  ASSERT_TRUE(std::any_of(found.begin(), found.end(), [](const Finding& f) {
    return f.severity == Finding::Severity::warning && f.message == "has no <axis>; it is z";
  }));
  expect_same_motion(read(with("prismatic", "")), read(with("prismatic", z)), 1e-15);
  expect_same_motion(read(with("universal", "")), read(with("universal", x + y2)), 1e-15);
  expect_same_motion(read(with("revolute2", z)), read(with("revolute2", z + y2)), 1e-15);
}

TEST(Sdf, what_nothing_holds_moves_freely_unless_it_is_static) {
  EXPECT_EQ(read(sdf(link("a"))).find_joint("root_joint")->kind, JointKind::free);
  EXPECT_EQ(read(sdf("<static>true</static>" + link("a"))).joints.at(0).kind, JointKind::fixed);
  const RobotDescription world =
      read("<sdf version=\"1.9\"><world name=\"w\"><gravity>0 0 -1.6</gravity><model name=\"x\">" +
           link("a") + "</model><model name=\"y\"><static>1</static>" + link("a") +
           "</model></world></sdf>");
  EXPECT_EQ(world.gravity.z, -1.6);
  EXPECT_NE(world.find_link("y::a"), nullptr);
}

TEST(Sdf, inertia_of_shapes_is_that_of_their_solids) {
  const RobotDescription r = read(sdf(
      "<link name=\"a\"><inertial auto=\"true\"><density>500</density></inertial>"
      "<collision name=\"c\"><pose>1 0 0 0 0 0</pose><geometry><box><size>0.2 0.4 0.6</size></box>"
      "</geometry></collision></link>",
      "1.11"));
  const Inertial& i = r.find_link("a")->inertial;
  EXPECT_NEAR(i.mass, 500 * 0.2 * 0.4 * 0.6, 1e-12);
  EXPECT_NEAR(i.com.x, 1, 1e-15);
  EXPECT_NEAR(i.about_com.xx, i.mass * (0.16 + 0.36) / 12, 1e-12);
}

TEST(Sdf, inertia_of_a_cone_and_of_a_mesh) {
  const ScratchFolder folder;
  write_text(
      (folder / "box.obj").string(),  // edges 1, 2, 3 from the origin; each face from outside
      "v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nv 0 0 3\nv 1 0 3\nv 1 2 3\nv 0 2 3\n"
      "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  const auto shaped = [&](const std::string& shape) {
    return robot_format("sdf")
        .read(sdf("<link name=\"a\"><inertial auto=\"true\"><density>200</density></inertial>"
                  "<collision name=\"c\"><pose>0 0 5 0 0 0</pose><geometry>" +
                      shape + "</geometry></collision></link>",
                  "1.11"),
              (folder / "r.sdf").string(), nullptr)
        .find_link("a")
        ->inertial;
  };
  const Inertial cone = shaped("<cone><radius>0.5</radius><length>2</length></cone>");
  EXPECT_NEAR(cone.mass, 200 * pi * 0.25 * 2 / 3, 1e-9);
  EXPECT_NEAR(cone.com.z, 4.5, 1e-12);  // a quarter of the way up from the base at 4
  EXPECT_NEAR(cone.about_com.zz, cone.mass * 0.3 * 0.25, 1e-9);
  EXPECT_NEAR(cone.about_com.xx, cone.mass * (0.15 * 0.25 + 0.0375 * 4), 1e-9);
  const Inertial box = shaped("<mesh><uri>box.obj</uri><scale>0.1 0.1 0.1</scale></mesh>");
  EXPECT_NEAR(box.mass, 200 * 0.006, 1e-12);
  EXPECT_NEAR(box.com.z, 5.15, 1e-12);
  EXPECT_NEAR(box.about_com.xx, box.mass * (0.04 + 0.09) / 12, 1e-12);
  EXPECT_THROW((void)shaped("<mesh><uri>none.obj</uri></mesh>"), Error);
}

TEST(Sdf, a_world_has_frames_and_joints_between_its_models) {
  const auto world = [&](const std::string& inside) {
    return read("<sdf version=\"1.10\"><world name=\"w\">" + inside + "</world></sdf>");
  };
  const auto model = [&](const std::string& name, const std::string& pose) {
    return "<model name=\"" + name + "\">" + pose + link("l", "<pose>0.1 0 0 0 0 0.3</pose>") +
           "</model>";
  };
  const RobotDescription named = world(
      "<frame name=\"f\"><pose>0 0 2 0 0 0.5</pose></frame>" +
      model("m1", "<pose relative_to=\"f\">1 0 0 0 0 0</pose>") +
      model("m2", "<pose relative_to=\"m1\">0 1 0 0.2 0 0</pose>") +
      joint("hold", "fixed", "world", "m1::l") + joint("j", "revolute", "m1::l", "m2::l", about_y));
  const RobotDescription flat = world(
      "<model name=\"m\"><frame name=\"f\"><pose>0 0 2 0 0 0.5</pose></frame>"
      "<frame name=\"p1\"><pose relative_to=\"f\">1 0 0 0 0 0</pose></frame>"
      "<frame name=\"p2\"><pose relative_to=\"p1\">0 1 0 0.2 0 0</pose></frame>" +
      link("l1", "<pose relative_to=\"p1\">0.1 0 0 0 0 0.3</pose>") +
      link("l2", "<pose relative_to=\"p2\">0.1 0 0 0 0 0.3</pose>") +
      joint("hold", "fixed", "world", "l1") + joint("j", "revolute", "l1", "l2", about_y) +
      "</model>");
  expect_same_motion(named, flat, 1e-12);
  EXPECT_NE(named.find_link("m2::l"), nullptr);
  ASSERT_FALSE(named.frames.empty());
  EXPECT_EQ(named.frames[0].link, "world");
  EXPECT_THROW((void)world(model("m", "<pose relative_to=\"none\"/>")), Error);
  EXPECT_THROW((void)world(model("m", "") + model("m", "")), Error);
}

TEST(Sdf, the_sun_and_the_ground_of_gazebo_may_be_missing) {
  const auto with = [&](const std::string& uri) {
    return "<sdf version=\"1.6\"><world name=\"w\"><include><uri>" + uri +
           "</uri></include><model name=\"m\">" + link("l") + "</model></world></sdf>";
  };
  Findings found;
  EXPECT_NE(read(with("model://sun"), &found).find_link("l"), nullptr);
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const Finding& f) {
    return f.subject.find("model://sun") != std::string::npos;
  }));
  EXPECT_NE(read(with("model://ground_plane")).find_link("l"), nullptr);
  EXPECT_THROW((void)read(with("model://no_such_robot")), Error);
}

TEST(Sdf, lights_and_actors_that_a_world_includes_are_named_and_left_out) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.path() / "lamp");
  write_text((folder / "lamp" / "model.sdf").string(),
             "<sdf version=\"1.9\"><light name=\"lamp\" type=\"point\"/></sdf>");
  Findings found;
  const RobotDescription r = robot_format("sdf").read(
      "<sdf version=\"1.9\"><world name=\"w\"><include><uri>lamp</uri></include>"
      "<model name=\"m\">" +
          link("l") + "</model></world></sdf>",
      (folder / "w.sdf").string(), &found);
  EXPECT_EQ(r.links.size(), 2u);
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const Finding& f) {
    return f.kind == Finding::Kind::not_used && f.subject == "<include> of lamp";
  }));
}

// Models that an older sdformat has flattened.
TEST(Sdf, before_1_8_names_may_have_two_colons) {
  const std::string body = link("arm::base") + joint("hold", "fixed", "world", "arm::base") +
                           link("arm::tip", "<pose>0.5 0 0 0 0 0</pose>") +
                           joint("arm::j", "revolute", "arm::base", "arm::tip", about_y);
  std::string plain = body;
  for (std::size_t at; (at = plain.find("::")) != std::string::npos;) plain.replace(at, 2, "_");
  expect_same_motion(read(sdf(body, "1.7")), read(sdf(plain, "1.7")), 1e-15);
  EXPECT_THROW((void)read(sdf(body, "1.8")), Error);
}

TEST(Sdf, files_that_include_each_other_ever_more_are_bounded) {
  const ScratchFolder folder;
  for (int k = 0; k < 8; ++k) {
    std::string inside = "<link name=\"l\"/>";
    for (int j = 0; k < 7 && j < 10; ++j)
      inside += "<include><uri>m" + std::to_string(k + 1) + ".sdf</uri><name>n" +
                std::to_string(j) + "</name></include>";
    write_text((folder / ("m" + std::to_string(k) + ".sdf")).string(), sdf(inside));
  }
  try {
    (void)load_description((folder / "m0.sdf").string());
    ADD_FAILURE() << "ten million models";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("more than 10000 files"), std::string::npos)
        << error.what();
  }
}

TEST(Sdf, a_link_without_inertial_has_what_sdf_gives_it) {
  Findings found;
  const RobotDescription r = read(sdf("<link name=\"a\"/>"), &found);
  EXPECT_EQ(r.find_link("a")->inertial.mass, 1);
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const Finding& f) {
    return f.severity == Finding::Severity::warning && f.topic == Finding::Topic::dynamics;
  }));
}

// A joint would hold what floats: the other end becomes its child, where there is one that may.
TEST(Sdf, a_weld_of_a_floating_link_leaves_it_floating) {
  const std::string text =
      "<mujoco><worldbody><body name=\"a\"><joint name=\"j\" axis=\"0 1 0\"/><geom size=\"0.1\"/>"
      "</body><body name=\"b\" pos=\"0 0 1\"><freejoint name=\"root_joint\"/><geom size=\"0.1\"/>"
      "</body></worldbody><equality><weld body1=\"";
  const RobotDescription held = read_as("mjcf", text + "a\" body2=\"b\"/></equality></mujoco>");
  const Conversion written = robot_format("sdf").write(held, "");
  ASSERT_TRUE(written.ok()) << written.message;
  const RobotDescription back = read(written.text);
  EXPECT_EQ(back.loops.size(), 1u);
  EXPECT_EQ(Model<double>(back).n_v(), 7);
  const Conversion refused =
      robot_format("sdf").write(read_as("mjcf", text + "b\"/></equality></mujoco>"), "");
  EXPECT_NE(refused.message.find("\"b\", which floats"), std::string::npos) << refused.message;
}

TEST(Sdf, loops_are_closed_by_further_joints) {
  const RobotDescription r =
      read(sdf(link("a") + joint("hold", "fixed", "world", "a") + link("b") + link("c") +
               joint("j1", "revolute", "a", "b", about_y) +
               joint("j2", "revolute", "b", "c", about_y) + joint("close", "fixed", "a", "c")));
  ASSERT_EQ(r.loops.size(), 1u);
  EXPECT_EQ(r.loops[0].kind, LoopJoint::Kind::weld);
  EXPECT_EQ(Model<double>(r).n_v(), 2);
  const RobotDescription split = read(
      sdf(link("a") + joint("hold", "fixed", "world", "a") + link("b") + link("c") +
          joint("j1", "revolute", "a", "b", about_y) + joint("j2", "revolute", "b", "c", about_y) +
          joint("j3", "revolute", "a", "c", about_y)));
  EXPECT_EQ(Model<double>(split).n_v(), 3);
  EXPECT_EQ(split.loops.size(), 1u);
}

TEST(Sdf, what_is_dropped_is_named) {
  Findings found;
  const RobotDescription r =
      read(sdf(link("a", "", "<gravity>false</gravity><sensor name=\"s\" type=\"imu\"/>") +
               "<plugin name=\"p\" filename=\"f\"/><linkk name=\"x\"/>"),
           &found);
  const LossReport report = loss_report(r, found);
  EXPECT_NE(find_subject(found, "<sensor>"), nullptr);
  EXPECT_NE(find_subject(found, "<plugin>"), nullptr);
  EXPECT_EQ(report.changed.size(), 2u);  // gravity, and the unknown element
}

// libsdformat turns models of 1.2 and 1.3 into those of 1.4 without a change.
TEST(Sdf, models_of_1_2_and_1_3_say_what_those_of_1_4_say) {
  const std::string body =
      link("base") + link("arm", "<pose>0.5 0 0 0.3 0 0</pose>") +
      joint("hold", "fixed", "world", "base") +
      joint("turn", "revolute", "base", "arm", "<pose>0 0.1 0.2 0 0.4 0</pose>" + about_y);
  const RobotDescription now = read(sdf(body, "1.4"));
  for (const char* version : {"1.2", "1.3"})
    expect_same_motion(now, read(sdf(body, version)), 1e-15);
}

// Poses in the axes of the model become poses in those of the parent, by products that round.
TEST(Sdf, numbers_of_poses_and_axes_come_out_as_they_were_written) {
  const RobotDescription r = read(
      sdf(link("a", "<pose>0.1 0.2 0.3 0.1 0 0.4</pose>") +
          link("b", "<pose relative_to=\"a\">0.1 0.2 0.5 0 1.5707963267948966 0</pose>") +
          link("c", "<pose relative_to=\"b\">0.7 0 -0.4 0.3 -0.2 1.1</pose>") +
          joint("hold", "fixed", "world", "a") + joint("j", "revolute", "a", "b", about_y) +
          joint("k", "revolute", "b", "c", "<axis><xyz expressed_in=\"b\">0 0.6 0.8</xyz></axis>") +
          "<frame name=\"f\" attached_to=\"c\"><pose>0.1 0 0.2 0 0 0.5</pose></frame>"));
  const std::string text = write_robot_file(r);
  for (const char* line :
       {"{xyz: [0.1, 0.2, 0.3], rpy: [0.1, 0, 0.4]}",
        "{xyz: [0.1, 0.2, 0.5], rpy: [0, 1.5707963267948966, 0]}",
        "{xyz: [0.7, 0, -0.4], rpy: [0.3, -0.2, 1.1]}", "{xyz: [0.1, 0, 0.2], rpy: [0, 0, 0.5]}"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  EXPECT_EQ(text.find("matrix"), std::string::npos) << text;
  EXPECT_EQ(text.find("e-1"), std::string::npos) << text;
  const Vec3<double>& y = r.find_joint("j")->axis;
  EXPECT_EQ(y.x, 0);
  EXPECT_EQ(y.y, 1);
  EXPECT_EQ(y.z, 0);
}

}  // namespace
