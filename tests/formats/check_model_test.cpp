// check_model, one crafted robot per finding: a sound arm with one thing wrong.
#include "torsor/formats/check_model.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "formats/sound_arm.hpp"

using namespace torsor;
using namespace torsor::testing;

namespace {

/// Applies one mistake to the sound arm and expects one finding that says `what` of `element`.
void expect_finding(Finding::Severity severity, const std::string& element, const std::string& what,
                    const std::function<void(RobotDescription&)>& mistake) {
  RobotDescription robot = sound_arm();
  mistake(robot);
  const Findings findings = findings_of(robot);
  for (const Finding& f : findings) {
    if (f.severity != severity || f.element != element) continue;
    if (f.message.find(what) == std::string::npos) continue;
    EXPECT_FALSE(f.why.empty()) << f.line();
    EXPECT_FALSE(f.fix.empty()) << f.line();
    return;
  }
  ADD_FAILURE() << "no " << name_of(severity) << " that says \"" << what << "\" of " << element
                << " in:\n"
                << all(findings);
}

constexpr auto error = Finding::Severity::error, warning = Finding::Severity::warning,
               note = Finding::Severity::note;

TEST(CheckModel, a_sound_robot_has_no_findings) { EXPECT_EQ(all(findings_of(sound_arm())), ""); }

TEST(CheckModel, findings_carry_file_and_line_and_come_most_severe_first) {
  RobotDescription robot = sound_arm();
  robot.gravity = {};
  robot.joints[1].limits[0].effort = 0;
  robot.links[2].inertial.about_com.xx = -1;
  const Findings findings = findings_of(robot);
  ASSERT_EQ(findings.size(), 3u) << all(findings);
  EXPECT_EQ(findings[0].severity, error);
  EXPECT_EQ(findings[0].origin.prefix(), "arm.urdf:9: ");
  EXPECT_EQ(findings[1].severity, warning);
  EXPECT_EQ(findings[1].origin.prefix(), "arm.urdf:20: ");
  EXPECT_EQ(findings[2].severity, note);
}

TEST(CheckModel, inertias_must_be_positive_definite) {
  expect_finding(error, "link \"lower\"", "not positive definite", [](RobotDescription& r) {
    r.links[2].inertial.about_com = Sym3<double>::diagonal(-0.01, 0.1, 0.1);
  });
}
TEST(CheckModel, an_off_diagonal_entry_can_make_an_inertia_indefinite) {
  expect_finding(error, "link \"upper\"", "not positive definite", [](RobotDescription& r) {
    r.links[1].inertial.about_com = {1, 2, 1, 0, 0, 1};  // moments -1, 1, 3
  });
}
TEST(CheckModel, principal_moments_obey_the_triangle_inequality) {
  expect_finding(warning, "link \"lower\"", "the largest exceeds the sum", [](RobotDescription& r) {
    r.links[2].inertial.about_com = Sym3<double>::diagonal(0.01, 0.01, 0.03);
  });
}
TEST(CheckModel, a_triangle_broken_by_rounding_is_a_note) {
  expect_finding(note, "link \"lower\"", "less than 1 %", [](RobotDescription& r) {
    r.links[2].inertial.about_com = Sym3<double>::diagonal(0.01, 0.01, 0.02001);
  });
}
TEST(CheckModel, a_thin_rod_and_a_flat_plate_are_bodies) {
  RobotDescription robot = sound_arm();
  robot.links[1].inertial.about_com = Sym3<double>::diagonal(0, 0.0267, 0.0267);
  robot.links[2].inertial.about_com = Sym3<double>::diagonal(0.01, 0.02, 0.03);
  EXPECT_EQ(all(findings_of(robot)), "");
}
TEST(CheckModel, a_point_mass_is_a_note) {
  expect_finding(note, "link \"upper\"", "point mass",
                 [](RobotDescription& r) { r.links[1].inertial.about_com = {}; });
}

TEST(CheckModel, negative_mass_is_an_error) {
  expect_finding(error, "link \"upper\"", "mass is -2 kg",
                 [](RobotDescription& r) { r.links[1].inertial.mass = -2; });
}
TEST(CheckModel, numbers_that_are_not_finite_are_errors) {
  expect_finding(error, "link \"upper\"", "mass is nan",
                 [](RobotDescription& r) { r.links[1].inertial.mass = std::nan(""); });
  expect_finding(error, "link \"upper\"", "not finite",
                 [](RobotDescription& r) { r.links[1].inertial.com.y = infinity; });
  expect_finding(error, "gravity", "not finite",
                 [](RobotDescription& r) { r.gravity.x = infinity; });
  expect_finding(error, "joint \"elbow\"", "placement is not finite",
                 [](RobotDescription& r) { r.joints[1].placement.p.z = infinity; });
}
TEST(CheckModel, a_mass_far_above_the_others_looks_like_grams) {
  expect_finding(warning, "link \"lower\"", "times the median",
                 [](RobotDescription& r) { r.links[2].inertial.mass = 5000; });
}
TEST(CheckModel, a_heavy_pedestal_under_light_fingers_is_no_gram) {
  RobotDescription robot = sound_arm();
  robot.links[0].inertial = {60, {}, Sym3<double>::diagonal(3, 3, 2)};  // 40 cm wide, of aluminium
  for (int k = 0; k < 8; ++k) {
    const std::string name = "finger" + std::to_string(k);
    robot.links.push_back(
        {name, {0.015, {}, Sym3<double>::diagonal(2e-6, 2e-6, 1e-6)}, true, {}, {}});
    Joint weld = hinge("j" + name, "lower", name, 0.1);
    weld.kind = JointKind::fixed;
    weld.limits.clear();
    robot.joints.push_back(weld);
  }
  EXPECT_EQ(all(findings_of(robot)), "");
}
/// Zeros that went through a rotation: nothing beside mass times size squared.
TEST(CheckModel, the_rounding_of_a_zero_inertia_is_a_point_mass) {
  for (const double noise : {2.4e-35, 1.3e-20}) {
    RobotDescription robot = sound_arm();
    robot.links[1].inertial.about_com = Sym3<double>::diagonal(-noise, 0, noise);
    const Findings findings = findings_of(robot);
    ASSERT_EQ(findings.size(), 1u) << all(findings);
    EXPECT_EQ(findings[0].kind, Finding::Kind::point_mass);
    EXPECT_EQ(findings[0].severity, note);
    EXPECT_TRUE(repair_model(robot).changes.empty());
  }
}
TEST(CheckModel, an_absurd_mass_is_a_warning) {
  expect_finding(warning, "link \"base\"", "mass is 1e+06 kg",
                 [](RobotDescription& r) { r.links[0].inertial.mass = 1e6; });
}
TEST(CheckModel, a_placeholder_mass_is_a_note) {
  expect_finding(note, "link \"lower\"", "a millionth", [](RobotDescription& r) {
    r.links[2].inertial = {1e-9, {}, {}};
  });
}
TEST(CheckModel, inertia_without_mass_is_a_warning) {
  expect_finding(warning, "link \"upper\"", "but no mass",
                 [](RobotDescription& r) { r.links[1].inertial.mass = 0; });
}
TEST(CheckModel, a_joint_that_carries_no_mass_makes_the_mass_matrix_singular) {
  expect_finding(warning, "link \"lower\"", "joint \"elbow\" carries no mass",
                 [](RobotDescription& r) { r.links[2].inertial = {}; });
}
TEST(CheckModel, a_moment_without_mass_keeps_a_hinge_regular_but_not_a_slider) {
  RobotDescription robot = sound_arm();
  robot.links[2].inertial.mass = 0;
  EXPECT_EQ(all(findings_of(robot)).find("singular"), std::string::npos);
  EXPECT_EQ(all(findings_of(robot)).find("carries no mass"), std::string::npos);
  expect_finding(warning, "link \"lower\"", "joint \"elbow\" carries no mass",
                 [](RobotDescription& r) {
                   r.links[2].inertial.mass = 0;
                   r.joints[1].kind = JointKind::prismatic;
                 });
}
TEST(CheckModel, a_massless_link_between_joints_is_a_note) {
  expect_finding(note, "link \"upper\"", "is massless",
                 [](RobotDescription& r) { r.links[1].inertial = {}; });
}
TEST(CheckModel, mass_behind_a_fixed_joint_counts_for_the_body_that_carries_it) {
  RobotDescription robot = sound_arm();
  robot.links[2].inertial = {};
  robot.links.push_back({"hand", rod(), true, {}, {}});
  Joint weld = hinge("weld", "lower", "hand", 0.1);
  weld.kind = JointKind::fixed;
  weld.limits.clear();
  robot.joints.push_back(weld);
  EXPECT_EQ(all(findings_of(robot)), "");
}
TEST(CheckModel, a_last_mass_on_its_own_axis_makes_the_mass_matrix_singular) {
  expect_finding(warning, "link \"lower\"", "turns no inertia", [](RobotDescription& r) {
    r.links[2].inertial = {2, {0, 0, 0.3}, {}};  // the axis is z
  });
}
TEST(CheckModel, a_rotor_keeps_the_mass_matrix_regular) {
  RobotDescription robot = sound_arm();
  robot.links[2].inertial = {2, {0, 0, 0.3}, {}};
  robot.joints[1].actuator = {{1e-4, 100, 0, 0, 0}};
  for (const Finding& f : findings_of(robot)) EXPECT_EQ(f.severity, note) << f.line();
}
TEST(CheckModel, an_inertia_about_the_wrong_point_is_noticed) {
  const auto about_origin = [](RobotDescription& r) {
    Inertial& in = r.links[2].inertial;
    in.about_com = Inertia<double>::at_com(in.mass, in.com, in.about_com).J;
  };
  expect_finding(note, "link \"lower\"", "about the frame's origin", about_origin);
  expect_finding(warning, "link \"lower\"", "about the frame's origin", [&](RobotDescription& r) {
    about_origin(r);
    Geometry box;  // proves that no point of the link is that far from its centre of mass
    box.size = {0.4, 0.06, 0.06};
    box.placement.p = {0.2, 0, 0};
    r.links[2].geometry.push_back(box);
  });
}
TEST(CheckModel, a_centre_of_mass_outside_of_the_shapes_is_a_warning) {
  expect_finding(warning, "link \"lower\"", "outside of the link's shapes",
                 [](RobotDescription& r) {
                   Geometry ball;
                   ball.shape = Geometry::Shape::sphere;
                   ball.size = {0.05, 0, 0};
                   r.links[2].geometry.push_back(ball);
                 });
}

TEST(CheckModel, axes_have_unit_length) {
  expect_finding(error, "joint \"elbow\"", "axis is zero",
                 [](RobotDescription& r) { r.joints[1].axis = {}; });
  expect_finding(warning, "joint \"elbow\"", "has length 2", [](RobotDescription& r) {
    r.joints[1].axis = {0, 0, 2};
  });
  expect_finding(note, "joint \"elbow\"", "off unit length", [](RobotDescription& r) {
    r.joints[1].axis = {0, 0.6, 0.80001};
  });
}
TEST(CheckModel, placements_are_rotations) {
  expect_finding(error, "joint \"elbow\"", "not a rotation", [](RobotDescription& r) {
    r.joints[1].placement.R = Mat3<double>::identity() * 1.1;
  });
  expect_finding(error, "joint \"elbow\"", "not a rotation",
                 [](RobotDescription& r) { r.joints[1].placement.R = -Mat3<double>::identity(); });
}
TEST(CheckModel, limits_are_in_order_and_leave_a_range) {
  expect_finding(error, "joint \"elbow\"", "lower limit is above", [](RobotDescription& r) {
    std::swap(r.joints[1].limits[0].lower, r.joints[1].limits[0].upper);
  });
  expect_finding(warning, "joint \"elbow\"", "leave no range", [](RobotDescription& r) {
    r.joints[1].limits[0].lower = r.joints[1].limits[0].upper = 0;
  });
  expect_finding(note, "joint \"elbow\"", "neutral position 0 is outside",
                 [](RobotDescription& r) { r.joints[1].limits[0].lower = 0.1; });
}
TEST(CheckModel, limits_of_zero_effort_or_velocity_are_warnings) {
  expect_finding(warning, "joint \"elbow\"", "effort limit is 0",
                 [](RobotDescription& r) { r.joints[1].limits[0].effort = 0; });
  expect_finding(warning, "joint \"elbow\"", "velocity limit is 0",
                 [](RobotDescription& r) { r.joints[1].limits[0].velocity = 0; });
  expect_finding(error, "joint \"elbow\"", "velocity limit is -1",
                 [](RobotDescription& r) { r.joints[1].limits[0].velocity = -1; });
}
TEST(CheckModel, angles_that_look_like_degrees_are_warnings) {
  expect_finding(warning, "joint \"elbow\"", "more than two turns",
                 [](RobotDescription& r) { r.joints[1].limits[0].upper = 170; });
  expect_finding(note, "joint \"elbow\"", "stands for no limit",
                 [](RobotDescription& r) { r.joints[1].limits[0].upper = 1e16; });
  expect_finding(note, "joint \"elbow\"", "turns per minute",
                 [](RobotDescription& r) { r.joints[1].limits[0].velocity = 110; });
}
TEST(CheckModel, lengths_that_look_like_millimetres_are_warnings) {
  expect_finding(warning, "joint \"elbow\"", "is placed 400 m",
                 [](RobotDescription& r) { r.joints[1].placement.p.x = 400; });
  expect_finding(warning, "link \"lower\"", "centre of mass is 200 m",
                 [](RobotDescription& r) { r.links[2].inertial.com.x = 200; });
  expect_finding(warning, "joint \"elbow\"", "limit 500 m", [](RobotDescription& r) {
    r.joints[1].kind = JointKind::prismatic;
    r.joints[1].limits[0].upper = 500;
  });
  expect_finding(warning, "link \"lower\"", "shapes measure", [](RobotDescription& r) {
    Geometry box;
    box.size = {400, 60, 60};
    r.links[2].geometry.push_back(box);
  });
}
TEST(CheckModel, a_heavy_crane_may_be_long) {
  RobotDescription robot = sound_arm();
  robot.joints[1].placement.p.x = 40;
  for (Link& link : robot.links)
    link.inertial.mass *= 2000, link.inertial.about_com = link.inertial.about_com * 2000;
  EXPECT_EQ(all(findings_of(robot)), "");
}
TEST(CheckModel, inertias_larger_than_mass_and_size_allow_are_warnings) {
  expect_finding(warning, "link \"lower\"", "times what 2 kg", [](RobotDescription& r) {
    r.links[2].inertial.about_com = r.links[2].inertial.about_com * 1e6;  // kg mm^2
  });
}
TEST(CheckModel, gravity_of_another_unit_or_planet_is_noticed) {
  expect_finding(warning, "gravity", "is 9810 m/s^2", [](RobotDescription& r) {
    r.gravity = {0, 0, -9810};
  });
  expect_finding(note, "gravity", "is zero", [](RobotDescription& r) { r.gravity = {}; });
  expect_finding(note, "gravity", "is 1.62", [](RobotDescription& r) {
    r.gravity = {0, 0, -1.62};
  });
}
TEST(CheckModel, friction_and_motors_are_examined) {
  expect_finding(error, "joint \"elbow\"", "friction parameter is -1",
                 [](RobotDescription& r) { r.joints[1].friction = {{.viscous = -1}}; });
  expect_finding(warning, "joint \"elbow\"", "below Coulomb friction", [](RobotDescription& r) {
    r.joints[1].friction = {{0, 0, 2, 1, 0, 0}};
  });
  expect_finding(note, "joint \"elbow\"", "with gear ratio 1", [](RobotDescription& r) {
    r.joints[1].actuator = {{1e-4, 1, 0, 0, 0}};
  });
  expect_finding(error, "joint \"elbow\"", "gear ratio is 0", [](RobotDescription& r) {
    r.joints[1].actuator = {{1e-4, 0, 0, 0, 0}};
  });
  expect_finding(error, "joint \"elbow\"", "rotor inertia is -1", [](RobotDescription& r) {
    r.joints[1].actuator = {{-1, 50, 0, 0, 0}};
  });
}

TEST(CheckModel, friction_that_drives_and_motors_of_several_joints_are_examined) {
  expect_finding(error, "joint \"elbow\"", "viscous_asymmetry is 2", [](RobotDescription& r) {
    r.joints[1].friction = {{.viscous = 1, .viscous_asymmetry = 2}};
  });
  expect_finding(error, "joint \"elbow\"", "coulomb_asymmetry is -2", [](RobotDescription& r) {
    r.joints[1].friction = {{.coulomb = 1, .coulomb_asymmetry = -2}};
  });
  expect_finding(error, "motor \"m\"", "joint \"elbo\" does not exist", [](RobotDescription& r) {
    r.motors = {{"m", {{"elbo", 1}, {"shoulder", 1}}, 0, {}, {}}};
  });
  expect_finding(error, "motor \"m\"", "friction parameter is -1", [](RobotDescription& r) {
    r.motors = {{"m", {{"elbow", 1}, {"shoulder", 1}}, 0, {.coulomb = -1}, {}}};
  });
  expect_finding(error, "motor \"m\"", "rotor inertia is -1", [](RobotDescription& r) {
    r.motors = {{"m", {{"elbow", 1}, {"shoulder", 1}}, -1, {}, {}}};
  });
  expect_finding(note, "motor \"m\"", "one joint alone", [](RobotDescription& r) {
    r.motors = {{"m", {{"elbow", 1}}, 0, {}, {}}};
  });
}

TEST(CheckModel, names_are_unique_and_plain) {
  expect_finding(error, "link \"upper\"", "the name is taken in line 3",
                 [](RobotDescription& r) { r.links[2].name = "upper"; });
  expect_finding(error, "joint \"shoulder\"", "the name is taken",
                 [](RobotDescription& r) { r.joints[1].name = "shoulder"; });
  expect_finding(warning, "joint \"my elbow\"", "holds a blank",
                 [](RobotDescription& r) { r.joints[1].name = "my elbow"; });
  expect_finding(error, "frame \"upper\"", "a link has this name", [](RobotDescription& r) {
    r.frames.push_back({"upper", "lower", {}, {}});
  });
  expect_finding(note, "joint \"upper\"", "another link has this name",
                 [](RobotDescription& r) { r.joints[1].name = "upper"; });
}
TEST(CheckModel, every_name_must_resolve) {
  expect_finding(error, "joint \"elbow\"", "parent link \"uper\" does not exist",
                 [](RobotDescription& r) { r.joints[1].parent = "uper"; });
  expect_finding(error, "frame \"tip\"", "link \"hand\" does not exist", [](RobotDescription& r) {
    r.frames.push_back({"tip", "hand", {}, {}});
  });
  expect_finding(error, "spring \"s\"", "link \"hand\" does not exist", [](RobotDescription& r) {
    r.springs.push_back({"s", "base", "hand", {}, {}, 1, 0, 0, {}});
  });
}
TEST(CheckModel, the_nearest_name_is_suggested) {
  RobotDescription robot = sound_arm();
  robot.joints[1].parent = "uper";
  for (const Finding& f : findings_of(robot))
    if (f.element == "joint \"elbow\"") {
      EXPECT_EQ(f.fix, "did you mean \"upper\"?");
      return;
    }
  ADD_FAILURE();
}
/// Nobody means the link that the joint hangs on, nor one that another joint carries.
TEST(CheckModel, a_link_that_could_not_be_the_child_is_not_suggested) {
  RobotDescription robot = sound_arm();
  robot.joints[1].child = "bas";
  robot.links.pop_back();
  for (const Finding& f : findings_of(robot))
    if (f.element == "joint \"elbow\"") {
      EXPECT_EQ(f.fix, "correct the name, or add what it names") << f.line();
    }
}
TEST(CheckModel, a_robot_is_one_tree) {
  expect_finding(error, "link \"spare\"", "no joint has it as child", [](RobotDescription& r) {
    r.links.push_back({"spare", {}, false, {}, {}});
  });
  expect_finding(  // a second parent closes a loop
      note, "loop \"elbow\"", "is open by 0.4 m",
      [](RobotDescription& r) { r.joints.push_back(hinge("second", "base", "lower", 0)); });
  expect_finding(error, "link \"a\"", "hangs on a cycle", [](RobotDescription& r) {
    r.links.push_back({"a", rod(), true, {}, {}});
    r.links.push_back({"b", rod(), true, {}, {}});
    r.joints.push_back(hinge("ab", "a", "b", 0));
    r.joints.push_back(hinge("ba", "b", "a", 0));
  });
  expect_finding(error, "frame \"tip\"", "out of reach", [](RobotDescription& r) {
    r.links.push_back({"spare", {}, false, {}, {}});
    r.frames.push_back({"tip", "spare", {}, {}});
  });
  expect_finding(error, "robot \"arm\"", "has no links", [](RobotDescription& r) {
    r.links.clear();
    r.joints.clear();
  });
}
TEST(CheckModel, a_robot_of_nothing_but_a_cycle_is_an_error) {
  RobotDescription robot = sound_arm();
  robot.links.erase(robot.links.begin());
  robot.root.clear();
  robot.joints = {hinge("ab", "upper", "lower", 0), hinge("ba", "lower", "upper", 0)};
  EXPECT_EQ(findings_of(robot)[0].severity, error);
}
TEST(CheckModel, mimic_joints_form_no_cycle) {
  expect_finding(error, "coupling \"back\"", "follows itself through other",
                 [](RobotDescription& r) {
                   r.couplings = {{"there", {{"shoulder", 1}, {"elbow", -2}}, 0, {}},
                                  {"back", {{"elbow", 1}, {"shoulder", -2}}, 0, {}}};
                 });
  expect_finding(error, "coupling \"self\"", "follows itself", [](RobotDescription& r) {
    r.couplings = {{"self", {{"elbow", 1}, {"elbow", -1}}, 0, {}}};
  });
  expect_finding(error, "coupling \"c\"", "joint \"knee\" does not exist", [](RobotDescription& r) {
    r.couplings = {{"c", {{"elbow", 1}, {"knee", -1}}, 0, {}}};
  });
  expect_finding(warning, "coupling \"c\"", "the factor 0", [](RobotDescription& r) {
    r.couplings = {{"c", {{"elbow", 1}, {"shoulder", 0}}, 0, {}}};
  });
}
TEST(CheckModel, loops_close_between_two_bodies) {
  const auto loop = [](const std::string& a, const std::string& b) {
    LoopJoint l;
    l.name = "loop", l.link_a = a, l.link_b = b, l.kind = LoopJoint::Kind::spherical;
    return l;
  };
  expect_finding(error, "loop \"loop\"", "link \"hand\" does not exist",
                 [&](RobotDescription& r) { r.loops = {loop("hand", "base")}; });
  expect_finding(error, "loop \"loop\"", "on one rigid body",
                 [&](RobotDescription& r) { r.loops = {loop("lower", "lower")}; });
  expect_finding(note, "loop \"loop\"", "is open by 0.4 m",
                 [&](RobotDescription& r) { r.loops = {loop("lower", "base")}; });
}

TEST(CheckModel, meshes_that_do_not_exist_are_noticed) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "torsor_check_model_test";
  std::filesystem::create_directories(folder / "arm_description" / "meshes");
  std::ofstream(folder / "arm_description" / "meshes" / "a.obj")
      << "v 0 -0.026 -0.026\nv 0.4 -0.026 -0.026\nv 0.4 0.026 -0.026\nv 0 0.026 -0.026\n"  // its rod
         "v 0 -0.026 0.026\nv 0.4 -0.026 0.026\nv 0.4 0.026 0.026\nv 0 0.026 0.026\n"
         "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
  RobotDescription robot = sound_arm();
  for (Link& link : robot.links) link.origin.file = (folder / "arm.urdf").string();
  const auto mesh = [](const std::string& name) {
    Geometry g;
    g.shape = Geometry::Shape::mesh;
    g.mesh_file = name;
    return g;
  };
  robot.links[1].geometry = {mesh("package://arm_description/meshes/a.obj"),
                             mesh("arm_description/meshes/a.obj")};
  EXPECT_EQ(all(findings_of(robot)), "");
  robot.links[1].geometry = {mesh("package://arm_description/meshes/b.stl"), mesh("b.stl"),
                             mesh("package://arm_description/meshes/c.stl")};
  const Findings findings = findings_of(robot);
  ASSERT_EQ(findings.size(), 2u) << all(findings);
  int meshes = 0;
  for (const Finding& f : findings) {  // nothing is computed from meshes
    EXPECT_EQ(f.severity, note);
    EXPECT_EQ(f.kind, Finding::Kind::not_used);
    EXPECT_EQ(f.subject, "meshes not found");
    meshes += f.count;
  }
  EXPECT_EQ(meshes, 3);
  EXPECT_NE(all(findings).find("\"b.stl\" does not exist"), std::string::npos);
  EXPECT_NE(all(findings).find("2 meshes are not found"), std::string::npos);
  std::filesystem::remove_all(folder);
}

}  // namespace
