/// Figures and curves of runs in files of recordings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "torsor/experiments/recording_file.hpp"
#include "torsor/experiments/report.hpp"
#include "torsor/experiments/scenario_file.hpp"
#include "torsor/sim/outcome.hpp"
#include "torsor/sim/run_summary.hpp"
#include "torsor/sim/scenario.hpp"

namespace torsor {
namespace {

Recording example(int curve_points) {
  Scenario s = load_scenario(TORSOR_SOURCE_DIR
                             "/examples/scenarios/direct_drive_tracking_computed_torque.yaml");
  s.options.curve_points = curve_points;
  return run_scenario(s);
}

void expect_equal(double a, double b, const char* what) {
  EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b))) << what << " " << a << " " << b;
}

TEST(RecordedFigures, read_back_from_binary_files_and_are_estimated_from_csv) {
  const Recording r = example(0), back = recording_from_bytes(recording_bytes(r), "run.trec");
  ASSERT_TRUE(back.figures.given());
  for (int k = 0; k < 3; ++k) {
    EXPECT_FALSE(metrics(back, k).from_rows);
    for (const MetricFigure& f : metric_figures())
      expect_equal(metrics(r, k).*f.value, metrics(back, k).*f.value, f.name);
  }
  const RunSummary a = summarise(r), b = summarise(back);
  for (const RunFigure& f : run_figures()) expect_equal(a.*f.value, b.*f.value, f.name);
  const std::vector<OutcomeRow> x = outcome(r), y = outcome(back);
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t k = 0; k < x.size(); ++k) EXPECT_EQ(x[k].text, y[k].text);

  const Recording rows = recording_of(recording_table(r), "run.csv");
  EXPECT_FALSE(rows.figures.given());
  EXPECT_TRUE(metrics(rows, 1).from_rows);
  EXPECT_LT(metrics(rows, 1).overshoot, 0.95 * metrics(r, 1).overshoot);  // 13 rows miss the peak
  EXPECT_TRUE(outcome(rows).empty());
}

TEST(RecordedFigures, of_another_recording_are_refused) {
  Recording r = example(0);
  r.figures.joints.pop_back();
  EXPECT_THROW((void)recording_from_bytes(recording_bytes(r), "run.trec"), Error);
  r = example(0);
  r.figures.position.beyond = r.figures.position.limited = 1;
  r.figures.position.dof = 7;
  EXPECT_THROW((void)recording_from_bytes(recording_bytes(r), "run.trec"), Error);
  r = example(40);
  r.curve.front().q.data.pop_back();
  EXPECT_THROW((void)recording_from_bytes(recording_bytes(r), "run.trec"), Error);
}

/// The curve has its own instants; rows, steps and figures are those of a run without it.
TEST(RecordedCurves, follow_the_closed_form_between_the_rows) {
  const Recording bare = example(0), r = example(300);
  EXPECT_TRUE(bare.curve.empty());
  EXPECT_EQ(&drawn(bare), &bare);
  ASSERT_EQ(r.curve.size(), 1u);
  const Recording& curve = drawn(r);
  EXPECT_EQ(r.size(), 13);
  ASSERT_EQ(curve.size(), 301);
  EXPECT_EQ(r.steps, bare.steps);
  EXPECT_EQ(r.e.data, bare.e.data);
  for (int k = 0; k < 301; ++k) {
    const double t = 0.01 * k;
    EXPECT_NEAR(curve.t[static_cast<std::size_t>(k)], t, 1e-12);
    EXPECT_NEAR(curve.e(k, 1), -1.5 * std::exp(-5 * t) * (std::cos(5 * t) + std::sin(5 * t)), 1e-9);
  }
  for (const Series* s : curve.series())
    EXPECT_EQ(s->data.size(), s->columns.size() * 301u) << s->name;
  const Recording back = recording_from_bytes(recording_bytes(r), "run.trec");
  ASSERT_EQ(back.curve.size(), 1u);
  EXPECT_EQ(back.curve.front().tau.data, curve.tau.data);
  EXPECT_TRUE(example(5).curve.empty());  // rows are finer
}

/// The page of a run with few rows draws smooth curves: some path has more pieces than there are
/// rows.
TEST(RecordedCurves, are_what_pages_draw) {
  const auto pieces = [](const Recording& r) {
    Report page;
    page.title = "run";
    page.sections = {{"", "", {{r.controller, &r}}}};
    std::ptrdiff_t most = 0;
    std::istringstream text(report_page(page));
    for (std::string path; std::getline(text, path, '"');)
      if (path.starts_with("M"))
        most = std::max(most, std::count(path.begin(), path.end(), ' ') / 2);
    return most;
  };
  EXPECT_LE(pieces(example(0)), 13);
  EXPECT_GT(pieces(example(300)), 24);
}

}  // namespace
}  // namespace torsor
