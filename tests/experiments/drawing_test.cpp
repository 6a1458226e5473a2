// Pictures of robots: what is in them, where it is, and what is refused.
#include "torsor/experiments/drawing.hpp"

#include <gtest/gtest.h>
#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <regex>

#include "support/refusal.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/xml.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::testing {
namespace {

Array<double> neutral_of(const Model<double>& model) {
  Array<double> q(model.n_q());
  neutral(model, q);
  return q;
}
std::string drawn(const std::string& robot, const DrawOptions& options = {}) {
  const Model<double> model = load_robot(robot);
  return draw_robot(model, neutral_of(model), options);
}
int count(const std::string& text, const std::string& what) {
  int n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}
/// Of the ends of all strokes of one colour, in their order.
std::vector<std::pair<double, double>> strokes(const std::string& svg, const std::string& colour) {
  std::vector<std::pair<double, double>> deltas;
  const std::regex line("d=\"M([-0-9.]+) ([-0-9.]+)L([-0-9.]+) ([-0-9.]+)\" [^>]*stroke=\"" +
                        colour);
  for (std::sregex_iterator it(svg.begin(), svg.end(), line), end; it != end; ++it)
    deltas.emplace_back(std::stod((*it)[3]) - std::stod((*it)[1]),
                        std::stod((*it)[4]) - std::stod((*it)[2]));
  return deltas;
}

/// A box of red on a hinge about z; `name` is the robot's.
RobotDescription turning_box(const std::string& name) {
  RobotDescription robot;
  robot.name = name;
  robot.root = "base";
  robot.links.resize(2);
  robot.links[0].name = "base";
  robot.links[1].name = "arm";
  robot.links[1].inertial = {1, {}, Sym3<double>::diagonal(1, 1, 1)};
  robot.links[1].has_inertial = true;
  Geometry box;
  box.size = {0.4, 0.2, 0.1};
  box.rgba = {1, 0, 0, 1};
  box.placement.p = {0.5, 0, 0};
  robot.links[1].geometry = {box};
  Joint hinge;
  hinge.name = "hinge";
  hinge.parent = "base";
  hinge.child = "arm";
  robot.joints = {hinge};
  return robot;
}

TEST(Drawing, every_built_in_robot_is_a_well_formed_picture_with_faces) {
  for (const BuiltinRobot& robot : builtin_robots()) {
    if (robot.name == "chain:N") continue;
    const std::string svg = drawn(robot.name);
    const XmlDocument document(svg, "picture.svg");
    EXPECT_GT(count(svg, "<path "), 3) << robot.name;
    EXPECT_EQ(svg.find("nan"), std::string::npos) << robot.name;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << robot.name;
  }
}

TEST(Drawing, shapes_of_the_file_are_drawn_and_nothing_is_made_up_beside_them) {
  const Model<double> model(turning_box("box"));
  // Seen from the front right and above: three of six faces, and one shadow.
  const std::string svg = draw_robot(model, Array<double>(1, 0.0));
  EXPECT_EQ(count(svg, "<path "), 4);
  EXPECT_EQ(count(draw_robot(model, Array<double>(1, 0.0), {.shadow = false}), "<path "), 3);
}

TEST(Drawing, collision_shapes_are_not_drawn) {
  RobotDescription robot = turning_box("box");
  Geometry bumper = robot.links[1].geometry[0];
  bumper.collision = true;
  robot.links[1].geometry.push_back(bumper);
  const Model<double> model(robot);
  EXPECT_EQ(count(draw_robot(model, Array<double>(1, 0.0)), "<path "), 4);
}

TEST(Ellipsoids, of_inertia_has_the_mass_and_moments_of_the_body) {
  // Of a homogeneous ellipsoid: J_x = m/5 (b^2 + c^2).
  const double a = 0.3, b = 0.2, c = 0.1, m = 2;
  const Sym3<double> about = Sym3<double>::diagonal(
      m / 5 * (b * b + c * c), m / 5 * (a * a + c * c), m / 5 * (a * a + b * b));
  const Ellipsoid e = inertia_ellipsoid(Inertia<double>::at_com(m, {0.4, -0.1, 0.2}, about));
  for (const auto& [radius, axis] : {std::pair{a, 0}, {b, 1}, {c, 2}}) {
    int found = 0;
    for (int k = 0; k < 3; ++k)
      if (std::abs(e.radii[k] - radius) < 1e-12 && std::abs(std::abs(e.axes[k][axis]) - 1) < 1e-12)
        ++found;
    EXPECT_EQ(found, 1) << radius;
  }
  EXPECT_EQ(inertia_ellipsoid({}).radii.x, 0);
}

TEST(Ellipsoids, a_force_on_its_surface_takes_torques_of_unit_length) {
  const Model<double> model = load_robot("puma560");
  SingularityWorkspace ws(model);
  const Array<double> q{0.1, -0.4, 0.3, 0.5, 0.6, -0.7};
  const Frame& tool = model.frame("tool");
  const Ellipsoid e = force_ellipsoid(manipulability(model, ws, q, tool).linear);
  KinematicsWorkspace<double> kinematics(model);
  Eigen::MatrixXd J(6, model.n_v());
  jacobian<double, double>(model, kinematics, q, tool, Reference::world_aligned, J);
  for (int k = 0; k < 3; ++k) {
    const Vec3<double> f = e.axes[k] * e.radii[k];
    double square = 0;
    for (int j = 0; j < model.n_v(); ++j) {
      double tau = 0;
      for (int r = 0; r < 3; ++r) tau += J(3 + r, j) * f[r];
      square += tau * tau;
    }
    EXPECT_NEAR(square, 1, 1e-10);
  }
  EXPECT_EQ(force_ellipsoid({Mat3<double>::identity(), {1, 2, 0}}).radii.z, infinity);
}

TEST(Drawing, the_eye_sees_the_axes_of_a_frame_where_its_angles_say) {
  const Model<double> model(turning_box("box"));
  const Array<double> q(1, 0.0);
  DrawOptions front{.azimuth = 0, .elevation = 0, .frames = {"arm"}};
  // From the front, x looks at the eye, y goes to the right, z up (down is positive on a page).
  const std::string svg = draw_robot(model, q, front);
  const auto [x, y, z] = std::tuple{strokes(svg, "#d03b3b").at(0), strokes(svg, "#2f9e44").at(0),
                                    strokes(svg, "#2f6fd0").at(0)};
  EXPECT_NEAR(x.first, 0, 0.11);
  EXPECT_NEAR(x.second, 0, 0.11);
  EXPECT_GT(y.first, 10);
  EXPECT_NEAR(y.second, 0, 0.11);
  EXPECT_NEAR(z.first, 0, 0.11);
  EXPECT_LT(z.second, -10);
  // A quarter turn of the joint and one of the eye give the same picture of the frame.
  const Array<double> turned(1, std::numbers::pi / 2);
  front.azimuth = std::numbers::pi / 2;
  const auto same = strokes(draw_robot(model, turned, front), "#2f9e44").at(0);
  EXPECT_NEAR(same.first, y.first, 0.11);
  EXPECT_NEAR(same.second, y.second, 0.11);
}

TEST(Drawing, near_parts_are_larger_in_perspective_alone) {
  RobotDescription robot = turning_box("two boxes");
  Geometry other = robot.links[1].geometry[0];
  other.rgba = {0, 0, 1, 1};
  other.placement.p = {-0.5, 0.4, 0};  // beside the first: what is hidden is not drawn
  robot.links[1].geometry.push_back(other);
  const Model<double> model(robot);
  const auto width_of = [&](double distance, char channel) {
    const std::string svg =
        draw_robot(model, Array<double>(1, 0.0),
                   {.azimuth = 0, .elevation = 0, .distance = distance, .shadow = false});
    const std::regex face("d=\"([^\"]+)\" fill=\"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})\"");
    double width = 0;
    for (std::sregex_iterator it(svg.begin(), svg.end(), face), end; it != end; ++it) {
      const bool red = (*it)[2] != "00";
      if (red != (channel == 'r')) continue;
      const std::string d = (*it)[1];
      double low = 1e9, high = -1e9;
      const std::regex corner("[ML]([-0-9.]+) ");
      for (std::sregex_iterator c(d.begin(), d.end(), corner); c != end; ++c)
        low = std::min(low, std::stod((*c)[1])), high = std::max(high, std::stod((*c)[1]));
      width = std::max(width, high - low);
    }
    return width;
  };
  EXPECT_GT(width_of(0, 'b'), 10);
  EXPECT_NEAR(width_of(0, 'r'), width_of(0, 'b'), 0.11);
  // The nearest faces are 0.7 m before and 0.3 m behind the middle; the eye is two sizes away.
  const double eye = 2 * std::sqrt(1.4 * 1.4 + 0.6 * 0.6 + 0.1 * 0.1);
  EXPECT_NEAR(width_of(2, 'r') / width_of(2, 'b'), (eye + 0.3) / (eye - 0.7), 0.005);
}

/// Whether the last face over a point of the picture is blue.
bool is_blue(const std::string& svg, double x, double y) {
  const std::regex face("d=\"([^\"]+)Z\" fill=\"#([0-9a-f]{2})[0-9a-f]{2}([0-9a-f]{2})\"");
  const std::regex corner("[ML]([-0-9.]+) ([-0-9.]+)");
  bool blue = false;
  for (std::sregex_iterator it(svg.begin(), svg.end(), face), end; it != end; ++it) {
    const std::string d = (*it)[1];
    std::vector<std::pair<double, double>> corners;
    for (std::sregex_iterator c(d.begin(), d.end(), corner); c != end; ++c)
      corners.emplace_back(std::stod((*c)[1]), std::stod((*c)[2]));
    bool inside = false;
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const auto [ax, ay] = corners[k];
      const auto [bx, by] = corners[(k + 1) % corners.size()];
      if ((ay <= y) != (by <= y) && x < ax + (y - ay) / (by - ay) * (bx - ax)) inside = !inside;
    }
    if (inside) blue = (*it)[2] == "00";
  }
  return blue;
}

TEST(Drawing, solids_that_pass_through_each_other_are_seen_where_they_are_in_front) {
  // Seen from above: a red bar along x, and a blue one along y that rises through it by 0.3 rad.
  RobotDescription robot = turning_box("cross");
  Geometry& red = robot.links[1].geometry[0];
  red.size = {1, 0.2, 0.2};
  red.placement = {};
  Geometry blue = red;
  blue.size = {0.2, 1, 0.2};
  blue.rgba = {0, 0, 1, 1};
  blue.placement.R = exp(Vec3<double>{0.3, 0, 0});
  robot.links[1].geometry.push_back(blue);
  const Model<double> model(robot);
  const std::string svg = draw_robot(model, Array<double>(1, 0.0),
                                     {.azimuth = 0,
                                      .elevation = 0.5 * std::numbers::pi,
                                      .width = 480,
                                      .height = 480,
                                      .shadow = false});
  // y goes to the right, x downwards; the picture is as wide as the blue bar, with margins.
  const double scale = 480 * 0.88 / (std::cos(0.3) + 0.2 * std::sin(0.3));
  const auto blue_at = [&](double x, double y) {
    return is_blue(svg, 240 + scale * y, 240 + scale * x);
  };
  // Its upper face is at 0.1 / cos 0.3 + y tan 0.3, that of the red one at 0.1.
  const double border = (0.1 - 0.1 / std::cos(0.3)) / std::tan(0.3);
  for (const double x : {-0.08, 0.02, 0.08}) {
    EXPECT_TRUE(blue_at(x, 0.3)) << x;
    EXPECT_TRUE(blue_at(x, border + 0.01)) << x;
    EXPECT_FALSE(blue_at(x, border - 0.01)) << x;
    EXPECT_FALSE(blue_at(x, -0.09)) << x;
    EXPECT_TRUE(blue_at(x, -0.3)) << x;
  }
  EXPECT_FALSE(blue_at(0.3, 0));
}

TEST(Drawing, what_nearer_faces_hide_is_left_out) {
  RobotDescription robot = turning_box("one behind the other");
  Geometry other = robot.links[1].geometry[0];
  other.placement.p = {-0.5, 0, 0};
  robot.links[1].geometry.push_back(other);
  const DrawOptions front{.azimuth = 0, .elevation = 0, .shadow = false};
  EXPECT_EQ(count(draw_robot(Model<double>(robot), Array<double>(1, 0.0), front), "<path "), 1);
}

TEST(Drawing, a_robot_on_a_pedestal_stands_on_the_floor) {
  const Model<double> puma = load_robot("puma560");
  const Array<double> q(6, 0.0);
  const std::string svg = draw_robot(puma, q, {.shadow = false});
  EXPECT_NE(svg.find("fill=\"#"), std::string::npos);
  // The lowest thing in the picture is the foot, in its own grey.
  double lowest = 0;
  std::string colour;
  const std::regex face("d=\"([^\"]+)Z\" fill=\"(#[0-9a-f]{6})\""), corner(" ([-0-9.]+)[LZ]");
  for (std::sregex_iterator it(svg.begin(), svg.end(), face), end; it != end; ++it) {
    const std::string d = std::string((*it)[1]) + "Z";
    for (std::sregex_iterator c(d.begin(), d.end(), corner); c != end; ++c)
      if (const double y = std::stod((*c)[1]); y > lowest) lowest = y, colour = (*it)[2];
  }
  const auto channel = [&](std::size_t at) { return std::stoi(colour.substr(at, 2), nullptr, 16); };
  EXPECT_NEAR(1.0 * channel(1) / channel(5), 0.34 / 0.45, 0.03) << colour;
  EXPECT_NEAR(lowest, 480 * 0.94, 1) << colour;  // with the margin
}

TEST(Drawing, a_hostile_name_stays_text) {
  const Model<double> model(turning_box("<script>alert(\"1\")</script>"));
  const std::string svg = draw_robot(model, Array<double>(1, 0.0));
  EXPECT_EQ(svg.find("<script"), std::string::npos);
  const XmlDocument document(svg, "picture.svg");
}

TEST(Drawing, refuses_what_cannot_be_drawn) {
  const Model<double> model = load_robot("planar2r");
  const auto refused = [&](const Array<double>& q, const DrawOptions& o) {
    return refusal([&] { return draw_robot(model, q, o); });
  };
  const Array<double> q(2, 0.0);
  EXPECT_NE(refused(Array<double>(3, 0.0), {}).find("3 numbers"), std::string::npos);
  EXPECT_NE(refused(Array<double>(2, NAN), {}), "");
  EXPECT_NE(refused(q, {.width = 1}).find("1 is not 16 to 10000"), std::string::npos);
  EXPECT_NE(refused(q, {.elevation = 2}).find("elevation 2"), std::string::npos);
  EXPECT_NE(refused(q, {.azimuth = NAN}).find("azimuth"), std::string::npos);
  EXPECT_NE(refused(q, {.distance = 0.5}).find("distance 0.5"), std::string::npos);
  EXPECT_NE(refused(q, {.frames = {"link_9"}}).find("link_9"), std::string::npos);
}

}  // namespace
}  // namespace torsor::testing
