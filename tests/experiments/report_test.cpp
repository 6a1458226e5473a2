/// Report pages: well-formed, self-contained, small, and they show what the recording holds.
#include "torsor/experiments/report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>

#include "house/process.hpp"
#include "torsor/control/law_registry.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/xml.hpp"

namespace torsor {
namespace {

using testing::ScratchFolder;

bool has(const std::string& page, const std::string& text) {
  return page.find(text) != std::string::npos;
}
/// The page without its first line, as XML.
XmlDocument parsed(const std::string& page) {
  EXPECT_TRUE(page.starts_with("<!doctype html>\n"));
  return {page.substr(page.find('\n') + 1), "page.html"};
}
int count(const std::string& page, const std::string& text) {
  int n = 0;
  for (std::size_t at = 0; (at = page.find(text, at)) != std::string::npos; at += text.size()) ++n;
  return n;
}

Recording golden(const std::string& name) {
  return run_scenario(load_scenario(TORSOR_SOURCE_DIR "/examples/scenarios/" + name + ".yaml"));
}
Report one_run(const Recording& r, const std::string& name = "run") {
  Report page;
  page.title = "A run";
  page.sections = {{"", "", {{name, &r}}}};
  page.still = true;
  return page;
}

/// `joints` torques that jump every row, and errors that are small and smooth.
Recording chattering(int joints, int rows) {
  Recording r;
  r.robot = "robot", r.controller = "law";
  for (int j = 0; j < joints; ++j)
    for (Series* s : {&r.q, &r.qd, &r.tau, &r.e, &r.s})
      s->columns.push_back(s->name + ".j" + std::to_string(j));
  for (int k = 0; k < rows; ++k) {
    r.t.push_back(1e-3 * k);
    for (int j = 0; j < joints; ++j) {
      const double wave = std::sin(1e-4 * k + j), sign = k % 2 == 0 ? 1 : -1;
      for (Series* s : {&r.q, &r.qd, &r.e}) s->data.push_back(wave);
      for (Series* s : {&r.tau, &r.s})
        s->data.push_back(sign * (8 + std::sin(12.9898 * k + j)));  // no two rows alike
    }
  }
  return r;
}

TEST(Report, says_first_which_runs_stopped_and_why) {
  Recording r = chattering(1, 3);
  EXPECT_FALSE(has(report_page(one_run(r)), "<ul class=\"stopped\">"));
  r.stop = StopReason::blow_up;
  r.message = "stopped at t = 0.01 s: velocity of <j> is 1e17";
  const std::string page = report_page(one_run(r, "a & b"));
  parsed(page);
  const std::size_t at = page.find(
      "<ul class=\"stopped\"><li><b>a &amp; b</b> stopped at t = 0.01 s: "
      "velocity of &lt;j&gt; is 1e17</li>");
  ASSERT_NE(at, page.npos);
  EXPECT_LT(at, page.find("<h2>"));
}

TEST(Report, tells_the_theory_of_every_law_with_its_formulas) {
  Recording r = chattering(1, 3);
  ASSERT_GE(laws().size(), 28u);
  for (const LawEntry& law : laws()) {
    r.controller = law.name;
    const std::string page = report_page(one_run(r));
    parsed(page);
    const std::size_t begin = page.find("<details class=\"theory\">");
    ASSERT_NE(begin, page.npos) << law.name;
    const std::string theory = page.substr(begin);
    EXPECT_TRUE(has(theory, "<div id=\"theory-" + std::string(law.name) + "\">"));
    EXPECT_TRUE(has(theory, "<math display=\"block\">")) << law.name;
    for (const char* part : {"Assumptions", "Statement", "Proof", "Evaluated", "Source"})
      EXPECT_TRUE(has(theory, "<b>" + std::string(part) + ".</b> ")) << law.name;
    for (const char* left : {"$", "**", "](", "\\", "`"})
      EXPECT_FALSE(has(theory, left)) << law.name << ": " << left;
    EXPECT_EQ(count(theory, "<math"), count(theory, "</math>"));
    EXPECT_GT(count(theory, "<math"), 40) << law.name;  // with the table of letters
  }
  r.controller = "law";  // of the caller: nothing is known about it
  EXPECT_FALSE(has(report_page(one_run(r)), "<h2>Theory</h2>"));
}

/// Largest and smallest height of the curves of one panel, in its own pixels.
struct Extent {
  double least = HUGE_VAL, most = -HUGE_VAL;
  int dots = 0;
};
Extent curve_extent(const XmlElement& svg) {
  Extent extent;
  for (const XmlElement& group : svg.children("g"))
    for (const XmlElement& path : group.children("path")) {
      const std::string d = path.required("d");
      const char* at = d.c_str();
      double y = 0;
      while (*at != 0) {
        const bool jump = *at == 'M';
        if (*at == 'M' || *at == 'l' || *at == ' ') ++at;
        char* end = nullptr;
        (void)std::strtod(at, &end);
        const double dy = std::strtod(end, &end);
        at = end;
        y = jump ? dy : y + dy;
        extent.least = std::min(extent.least, y / 10), extent.most = std::max(extent.most, y / 10);
        ++extent.dots;
      }
    }
  return extent;
}
/// Panels by their titles.
void for_each_panel(const XmlElement& element, const std::function<void(const XmlElement&)>& f) {
  if (element.name() == "svg") f(element);
  for (const XmlElement& child : element.children()) for_each_panel(child, f);
}
int panels(const XmlElement& root, const std::string& title) {
  int n = 0;
  for_each_panel(root, [&](const XmlElement& svg) { n += svg.child("title").text() == title; });
  return n;
}

TEST(Report, is_one_well_formed_page_that_needs_nothing_else) {
  const Recording r = golden("planar_arm_tracking_passivity");
  const std::string page = report_page(one_run(r));
  const XmlDocument document = parsed(page);
  EXPECT_EQ(document.root().name(), "html");
  for (const char* outside : {"http:", "https:", "<script", "<link", "src=", "url(", "@import"})
    EXPECT_FALSE(has(page, outside)) << outside;
  EXPECT_TRUE(has(page, "prefers-color-scheme:dark"));
  EXPECT_TRUE(has(page, "<meta charset=\"utf-8\"/>"));
}

/// The page with the viewer's script, and its data; nothing where the library has no viewer.
std::string live_page(Report page, const Model<double>& robot) {
  page.still = false;
  for (ReportSection& section : page.sections) section.robot = &robot;
  const std::string text = report_page(page);
  return has(text, "id=\"torsor-data\"") ? text : "";
}
nlohmann::json data_of(const std::string& page) {
  const std::string begin = "id=\"torsor-data\">";
  const std::size_t at = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

TEST(Report, a_live_page_holds_the_still_one_and_is_well_formed) {
  const Recording r = golden("planar_arm_tracking_passivity");
  const Model<double> robot = load_robot("planar2r");
  const std::string page = live_page(one_run(r), robot);
  if (page.empty()) GTEST_SKIP() << "built without the viewer";
  const XmlDocument document = parsed(page);
  EXPECT_EQ(panels(document.root(), "joint_1"), 4);
  const nlohmann::json data = data_of(page);
  EXPECT_EQ(data["robots"][0]["bodies"].size(), static_cast<std::size_t>(robot.n_bodies()));
  EXPECT_EQ(data["sections"][0]["motions"].size(), 1u);
  EXPECT_LT(page.size(), 3'000'000u);
}

TEST(Report, names_cannot_leave_the_data_of_a_live_page) {
  Recording r = chattering(2, 10);
  r.tau.columns[0] = "tau.</script><script>alert(1)</script>]]>";
  Report report = one_run(r, "<i>run</i>");
  report.title = "</title><script>";
  const std::string page = live_page(report, load_robot("planar2r"));
  if (page.empty()) GTEST_SKIP() << "built without the viewer";
  (void)parsed(page);
  EXPECT_EQ(count(page, "<script"), 2);  // the data and the viewer
  EXPECT_EQ(count(page, "</script"), 2);
  EXPECT_FALSE(has(page, "<i>run"));
  EXPECT_TRUE(has(data_of(page).dump(), "</script><script>alert(1)</script>"));
}

TEST(Report, a_live_page_of_long_chattering_runs_stays_below_three_megabytes) {
  const Recording r = chattering(2, 60'001);
  Report report = one_run(r, "a");
  for (const char* name : {"b", "c", "d", "e", "f"}) report.sections[0].runs.push_back({name, &r});
  report.sections.push_back(report.sections[0]);
  const std::string page = live_page(report, load_robot("planar2r"));
  if (page.empty()) GTEST_SKIP() << "built without the viewer";
  EXPECT_LT(page.size(), 3'000'000u);
}

TEST(Report, has_panels_for_everything_recorded) {
  const Recording r = golden("planar_arm_tracking_passivity");
  const XmlDocument document = parsed(report_page(one_run(r)));
  // e, s, tau and q of each joint
  EXPECT_EQ(panels(document.root(), "joint_1"), 4);
  EXPECT_EQ(panels(document.root(), "joint_2"), 4);
  EXPECT_EQ(panels(document.root(), "V"), 1);
  EXPECT_EQ(panels(document.root(), "kinetic energy"), 1);
  EXPECT_EQ(panels(document.root(), "balance"), 2);
}

TEST(Report, shows_conditions_with_numbers_and_verdicts) {
  const Recording r = golden("planar_arm_pd_under_gravity");
  const std::string page = report_page(one_run(r));
  EXPECT_TRUE(has(page, "smallest eigenvalue of Kp"));
  EXPECT_TRUE(has(page, "✗ violated"));
  EXPECT_TRUE(has(page, "9.81"));
  EXPECT_TRUE(has(page, "4 of 5"));
  EXPECT_EQ(count(page, "✓ holds"), 4);
  EXPECT_EQ(count(page, "? not covered"), 0);
  const Recording moving = golden("direct_drive_tracking_feedforward");
  EXPECT_EQ(count(report_page(one_run(moving)), "? not covered"), 1);
}

TEST(Report, shows_predictions_beside_observations) {
  const Recording r = golden("planar_arm_tracking_passivity");
  ASSERT_FALSE(r.predictions.empty());
  const std::string page = report_page(one_run(r));
  EXPECT_TRUE(has(page, ">predicted</th>"));
  EXPECT_TRUE(has(page, "✓ kept"));
}

TEST(Report, overlays_runs_with_a_legend) {
  const Recording a = golden("planar_arm_computed_torque"), b = golden("planar_arm_unknown_load");
  Report page = one_run(a, "exact");
  page.sections[0].runs.push_back({"with load", &b});
  const std::string text = report_page(page);
  const XmlDocument document = parsed(text);
  EXPECT_TRUE(has(text, "<div class=\"legend\">"));
  EXPECT_FALSE(has(report_page(one_run(a)), "<div class=\"legend\">"));
  int drawn = 0;
  for_each_panel(document.root(), [&](const XmlElement& svg) {
    if (svg.child("title").text() == "V")
      drawn = static_cast<int>(svg.child("g").children().size());
  });
  EXPECT_EQ(drawn, 2);
  EXPECT_TRUE(has(text, "class=\"c k0 r0\""));
  EXPECT_TRUE(has(text, "class=\"c k1 r1\""));
}

TEST(Report, text_of_others_stays_text) {
  Recording r = chattering(1, 10);
  r.tau.columns[0] = "tau.<b>&\"j\x01\xff";
  r.conditions = {condition("<script>alert(1)</script>", "a < b & c", 1, Relation::greater, 0)};
  Report page = one_run(r, "<i>run</i>");
  page.title = "</title><script>";
  page.sections[0].text = "x & y";
  const std::string text = report_page(page);
  (void)parsed(text);
  EXPECT_FALSE(has(text, "<script"));
  EXPECT_FALSE(has(text, "<i>run"));
  EXPECT_TRUE(has(text, "&lt;script&gt;alert(1)"));
  EXPECT_TRUE(has(text, "&lt;b&gt;&amp;&quot;j\xef\xbf\xbd\xef\xbf\xbd"));
}

TEST(Report, long_chattering_runs_stay_small_and_chatter_stays_visible) {
  const Recording r = chattering(6, 60'001);
  Report page = one_run(r, "a");
  page.sections[0].runs.push_back({"b", &r});
  page.sections.push_back(page.sections[0]);
  const std::string text = report_page(page);
  EXPECT_LT(text.size(), 2'000'000u);
  const XmlDocument document = parsed(text);
  int seen = 0;
  for_each_panel(document.root(), [&](const XmlElement& svg) {
    const Extent extent = curve_extent(svg);
    if (extent.dots < 100) return;  // the smooth ones need few
    ++seen;
    // Both signs fill the panel (146 pixels between its axes, 6 % of margin at each end).
    EXPECT_NEAR(extent.most - extent.least, 146 / 1.12, 0.5);
  });
  EXPECT_EQ(seen, 2 * 2 * 6);
}

TEST(Report, a_single_row_of_a_long_run_is_seen) {
  Recording r = chattering(1, 60'001);
  for (double& x : r.tau.data) x = 0;
  r.tau.data[12'345] = 1;
  r.tau.data[45'678] = -1;
  const XmlDocument document = parsed(report_page(one_run(r)));
  int seen = 0;
  for_each_panel(document.root(), [&](const XmlElement& svg) {
    const Extent extent = curve_extent(svg);
    if (extent.dots > 9) return;  // flat, up and down, flat, down and up, flat
    ++seen;
    EXPECT_NEAR(extent.most - extent.least, 146 / 1.12, 0.2);
  });
  EXPECT_EQ(seen, 1);
}

TEST(Report, many_joints_and_runs_stay_small) {
  const Recording r = chattering(60, 3000);
  Report page = one_run(r, "0");
  for (int k = 1; k < 12; ++k) page.sections[0].runs.push_back({std::to_string(k), &r});
  const std::string text = report_page(page);
  EXPECT_LT(text.size(), 2'000'000u);
  EXPECT_TRUE(has(text, "the 24 largest of 60"));
  (void)parsed(text);
}

TEST(Report, what_is_not_finite_leaves_a_gap) {
  Recording r = chattering(1, 50);
  r.tau.data[20] = NAN;
  r.tau.data[30] = INFINITY;
  r.message = "stopped at t = 1 s: torque of j0 is nan";
  r.stop = StopReason::not_finite;
  const std::string text = report_page(one_run(r));
  (void)parsed(text);
  EXPECT_FALSE(has(text, "nan "));
  EXPECT_FALSE(has(text, "-2147483648"));
  EXPECT_TRUE(has(text, "torque of j0 is nan</td>"));
}

TEST(Report, constant_and_single_rows_have_an_axis) {
  Recording r = chattering(1, 1);
  r.tau.data[0] = 0;
  (void)parsed(report_page(one_run(r)));
  Recording flat = chattering(1, 30);
  for (double& x : flat.tau.data) x = 1e-30;
  (void)parsed(report_page(one_run(flat)));
}

TEST(Report, labels_of_the_time_axis_end_inside_their_panels) {
  Recording r = chattering(1, 11);
  for (const double end : {0.01, 2.0, 12.5, 1000.0}) {
    for (int k = 0; k < r.size(); ++k) r.t[static_cast<std::size_t>(k)] = end * k / 10;
    const XmlDocument document(report_figure(one_run(r)), "figure.svg");
    int seconds = 0;
    for_each_panel(document.root(), [&](const XmlElement& svg) {
      for (const XmlElement& text : svg.children("text")) {
        if (!text.text().ends_with(" s")) continue;
        ++seconds;
        // 11 pixels high, so a digit is 6 to 7 wide.
        const double half = text.required("class") == "m" ? 3.5 : 0;
        EXPECT_LE(std::stod(text.required("x")) + half * static_cast<double>(text.text().size()),
                  340)
            << text.text();
      }
    });
    EXPECT_GE(seconds, 1) << end;
  }
}

TEST(Report, panels_have_units_and_the_names_of_tasks_and_states) {
  const Recording circle = golden("planar_arm_draws_a_circle");
  EXPECT_EQ(circle.task_e.columns, (std::vector<std::string>{"task_e.x", "task_e.y"}));
  const std::string page = report_page(one_run(circle));
  EXPECT_TRUE(has(page, ">m</text>"));    // errors of the task
  EXPECT_TRUE(has(page, ">rad</text>"));  // motion
  const Recording learns = golden("planar_arm_learns_a_payload");
  const std::string states = report_page(one_run(learns));
  EXPECT_TRUE(has(states, "<title>link_2"));
  EXPECT_TRUE(
      has(states, "<i class=\"k0\"></i>link_1.zz</span>"));  // in words, not on a mouse alone
  const Recording observed = golden("momentum_observer");
  EXPECT_EQ(
      observed.estimate.columns,
      (std::vector<std::string>{"estimate.r.joint_1", "estimate.r.joint_2", "estimate.collision"}));
  const Recording free = golden("two_arms_object_impedance_at_a_wall");
  EXPECT_EQ(free.task_e.columns.front(), "task_e.x");
  // Along and against a constraint, and direction by direction.
  const Recording ring = golden("ring_position_and_force");
  EXPECT_EQ(ring.task_e.columns, (std::vector<std::string>{"task_e.along_1", "task_e.normal_1"}));
  const std::string held = report_page(one_run(ring));
  EXPECT_TRUE(has(held, ">along_1</text>") && has(held, ">normal_1</text>"));
  EXPECT_FALSE(has(held, "m or rad</text>") || has(held, "N or N m</text>"));
  const Recording board = golden("writing_on_a_board");
  EXPECT_EQ(board.task_e.columns,
            (std::vector<std::string>{"task_e.x", "task_e.y", "task_e.rx", "task_e.ry", "task_e.rz",
                                      "task_e.f_z"}));
}

TEST(Report,
     every_state_of_a_law_is_on_a_live_page_by_its_name_and_pictures_say_what_they_leave_out) {
  Recording r = chattering(1, 20);
  for (int k = 0; k < 45; ++k) r.x_c.columns.push_back("x_c.state_" + std::to_string(k));
  for (int row = 0; row < r.size(); ++row)
    for (int k = 0; k < 45; ++k) r.x_c.data.push_back(0.1 * row * k);
  Report page = one_run(r, "learner");
  EXPECT_TRUE(has(report_page(page), "of 45 every 2nd"));
  const std::string live = live_page(page, load_robot("pendulum"));
  if (live.empty()) GTEST_SKIP() << "built without the viewer";
  const nlohmann::json data = data_of(live);
  int states = 0;
  for (const auto& group : data.at("sections").at(0).at("groups"))
    if (group.at("title") == "States of the laws")
      for (const auto& panel : group.at("panels")) {
        EXPECT_LE(panel.at("curves").size(), 8u);
        for (const auto& curve : panel.at("curves")) {
          EXPECT_EQ(curve.at("label"), "state_" + std::to_string(states++));
          EXPECT_EQ(curve.at("run"), 0);  // hidden with its run
        }
      }
  EXPECT_EQ(states, 45);
}

/// Axes of torques and errors reach 1e-9 of the largest of them, or of 1 N m and 1 rad, at least.
TEST(Report, torques_and_errors_of_rounding_are_a_line_at_zero) {
  Recording r = chattering(2, 50);
  for (std::size_t k = 0; k < r.tau.data.size(); k += 2) r.tau.data[k] *= 1e-12;
  const std::string page = report_page(one_run(r));
  Recording exact = chattering(1, 50);
  exact.s = {}, exact.tau = {}, exact.q = {}, exact.qd = {};
  for (std::size_t k = 0; k < exact.e.data.size(); ++k)
    exact.e.data[k] = 1e-13 * std::sin(12.9898 * static_cast<double>(k));
  for_each_panel(parsed(report_page(one_run(exact))).root(), [](const XmlElement& svg) {
    const Extent extent = curve_extent(svg);
    EXPECT_LT(extent.most - extent.least, 3);
  });
  double height[2] = {};
  int torques = 0;
  for_each_panel(parsed(page).root(), [&](const XmlElement& svg) {
    bool of_torque = false;
    for (const XmlElement& label : svg.children("text"))
      of_torque = of_torque || label.text().find("N m") != std::string::npos;
    if (!of_torque) return;
    const Extent extent = curve_extent(svg);
    height[torques++] = extent.most - extent.least;
  });
  ASSERT_EQ(torques, 2);
  EXPECT_LT(height[0], 3);
  EXPECT_GT(height[1], 100);
}

TEST(Report, ends_with_what_was_run) {
  const Recording r = chattering(1, 3);
  Report page = one_run(r);
  page.facts = scenario_facts(
      "robot: planar2r\ncontroller: {law: none}\nrun: {period: 0.01}\nsensors: {seed: 7}\n",
      "a<b.yaml");
  const std::string text = report_page(page);
  (void)parsed(text);
  for (const char* part : {"What was run", "a&lt;b.yaml", "law: none", "period: 0.01", "seed: 7",
                           "integrator dormand_prince8, start neutral, at rest"})
    EXPECT_TRUE(has(text, part)) << part;
}

TEST(Report, figure_is_one_picture_of_the_errors) {
  const Recording a = golden("planar_arm_computed_torque"), b = golden("planar_arm_unknown_load");
  Report page = one_run(a, "exact");
  page.sections[0].runs.push_back({"with load", &b});
  const std::string picture = report_figure(page);
  const XmlDocument document(picture, "figure.svg");
  EXPECT_EQ(document.root().name(), "svg");
  EXPECT_EQ(document.root().required("xmlns"), "http://www.w3.org/2000/svg");
  const std::vector<XmlElement> parts = document.root().children("svg");
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[1].child("title").text(), "joint_2");
  EXPECT_EQ(parts[1].child("g").children("path").size(), 2u);
  EXPECT_TRUE(has(picture, ">with load</text>"));
  EXPECT_THROW((void)report_figure(page, 1), Error);
}

TEST(Report, refuses_what_cannot_be_drawn) {
  const Recording two = chattering(2, 10), three = chattering(3, 10), none = chattering(2, 0);
  EXPECT_THROW((void)report_page({}), Error);
  EXPECT_THROW((void)report_page(one_run(none)), Error);
  Report page = one_run(two, "two");
  page.sections[0].runs.push_back({"three", &three});
  try {
    (void)report_page(page);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "report: run \"three\" has other joints than run \"two\"");
  }
}

TEST(Report, is_written_in_one_step) {
  const ScratchFolder folder;
  const Recording r = chattering(1, 10);
  const std::string path = (folder / "page.html").string();
  save_report(one_run(r), path);
  save_report(one_run(r), path);
  EXPECT_EQ(testing::read_text(path), report_page(one_run(r)));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  EXPECT_THROW(save_report(one_run(r), (folder / "no/page.html").string()), Error);
}

TEST(Report, knows_which_joints_are_lengths) {
  EXPECT_EQ(linear_dofs(load_robot("puma560")), std::vector<bool>(6, false));
  EXPECT_EQ(linear_dofs(load_robot("scara")), (std::vector<bool>{false, false, true, false}));
}

}  // namespace
}  // namespace torsor
