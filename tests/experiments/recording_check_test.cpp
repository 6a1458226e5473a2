/// Recordings that some editor has touched: what cannot be is refused in one line.
#include <gtest/gtest.h>

#include <cmath>

#include "house/process.hpp"
#include "support/recording_seal.hpp"
#include "torsor/experiments/recording_file.hpp"
#include "torsor/experiments/report.hpp"

namespace torsor {
namespace {

/// Two joints, three times.
Recording recording() {
  Recording r;
  r.t = {0, 0.5, 1};
  for (Series* s : {&r.q, &r.qd, &r.tau, &r.e, &r.edot, &r.s}) {
    s->columns = {s->name + ".a", s->name + ".b"};
    s->data = {1, 2, 3, 4, 5, 6};
  }
  r.lyapunov.columns = {"V", "V.rate", "V.balance"};
  r.lyapunov.data = {3, -1, 0, 2, -1, 0, 1, -1, 0};
  return r;
}

template <class Read>
std::string refusal(Read read) {
  try {
    (void)read();
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  return "not refused";
}
std::string refusal_of(const Recording& r) {
  return refusal([&] { return recording_from_bytes(recording_bytes(r), "run.trec"); });
}
std::string refusal_of_csv(const std::string& text) {
  return refusal([&] { return recording_of(parse_csv(text, "run.csv"), "run.csv"); });
}

TEST(RecordingCheck, a_recording_with_columns_taken_out_is_refused_or_drawn) {
  EXPECT_EQ(refusal_of(recording()), "not refused");
  EXPECT_EQ(refusal_of_csv("t,q.a,e.a,tau.a\n0,0,1,2\n1,0,1,2\n"),
            "run.csv: has torques (tau) and no velocities (qd), which the energy needs");
  EXPECT_EQ(refusal_of_csv("t,q.a,q.b,e.a,qd.a,tau.a,tau.b\n0,1,2,3,4,5,6\n"),
            "run.csv: series \"tau\" (tau.a, tau.b) has other joints than series \"qd\" (qd.a)");
  EXPECT_EQ(refusal_of_csv("t,V\n0,1\n1,1\n"),
            "run.csv: has V; V, V.rate, V.balance are needed, in this order");
  EXPECT_NE(refusal_of_csv("t,tau\n0,1\n").find("column \"tau\" is not of series"),
            std::string::npos);
  EXPECT_EQ(refusal_of_csv("t,e.a\n0,1\n1,2\n"), "not refused");
}

TEST(RecordingCheck, times_that_go_back_or_nowhere_are_refused) {
  EXPECT_EQ(refusal_of_csv("t,e.a\n0,1\n1,2\n0.5,2\n"),
            "run.csv: row 3: t = 0.5 is before t = 1 of the row above");
  Recording r = recording();
  r.t[2] = INFINITY;
  EXPECT_EQ(refusal_of(r), "run.trec: row 3: t = inf is not finite");
  r.t = {0, NAN, 1};
  EXPECT_EQ(refusal_of(r), "run.trec: row 2: t = nan is not finite");
}

TEST(RecordingCheck, predictions_name_joints_and_coefficients_that_are_there) {
  using Q = PredictedQuantity;
  const auto with = [](Q quantity, int dof, std::vector<double> coefficients) {
    Recording r = recording();
    r.predictions = {{"p", quantity, dof, 1, std::move(coefficients), 0}};
    return refusal_of(r);
  };
  EXPECT_EQ(with(Q::error_bound, 1, {}), "not refused");
  EXPECT_EQ(with(Q::error_bound, 2, {}),
            "run.trec: prediction \"p\" is of number 2 of the 2 in series \"e\"");
  EXPECT_NE(with(Q::final_error, -1, {}), "not refused");
  EXPECT_NE(with(Q::reaching_speed, 1 << 20, {}), "not refused");
  EXPECT_NE(with(Q::linear_task_error, -7, {1, 2}), "not refused");
  EXPECT_EQ(with(Q::linear_error, 0, {100, 20}), "not refused");
  EXPECT_EQ(with(Q::linear_error, 0, {100}),
            "run.trec: prediction \"p\" has 1 coefficients; 2 are needed");
  EXPECT_NE(with(Q::filtered_square, -1, {}), "not refused");
  EXPECT_NE(with(Q::reach, -1, {}), "not refused");
  EXPECT_NE(with(Q::linear_error, 0, {100, NAN}), "not refused");
  EXPECT_NE(with(static_cast<Q>(11), 0, {}), "not refused");
}

TEST(RecordingCheck, words_and_counts_of_another_version_are_refused) {
  Recording r = recording();
  r.conditions.push_back(condition("c", "x", 1, static_cast<Relation>(9), 0));
  EXPECT_EQ(refusal_of(r), "run.trec: condition \"c\" has no relation");
  r.conditions[0] = condition("c", "x", 1, Relation::greater, 0);
  EXPECT_EQ(refusal_of(r), "not refused");
  r.conditions[0].verdict = static_cast<Verdict>(7);
  EXPECT_EQ(refusal_of(r), "run.trec: condition \"c\" has no verdict");
  r = recording();
  r.stop = static_cast<StopReason>(15);
  EXPECT_EQ(refusal_of(r), "run.trec: does not say why the run ended");
  r = recording();
  r.steps = -1;
  EXPECT_NE(refusal_of(r), "not refused");
  r = recording();
  r.period = -1;
  EXPECT_NE(refusal_of(r), "not refused");
  r = recording();
  r.lyapunov.columns.pop_back();
  r.lyapunov.data.resize(6);
  EXPECT_NE(refusal_of(r), "not refused");
}

TEST(RecordingCheck, huge_steps_of_a_prediction_have_a_deviation) {
  Recording r = recording();
  r.t = {0, 1e300, 1.5e300};
  r.predictions = {linear_error("a", 0, {1e300, 1})};
  ASSERT_EQ(refusal_of(r), "not refused");
  EXPECT_FALSE(compare_predictions(r)[0].kept);
}

TEST(RecordingCheck, a_count_is_not_believed) {
  // Ten million conditions in a file that could hold a million: read until the bytes end.
  Recording r = recording();
  r.conditions.push_back(condition("c", "x", 1, Relation::greater, 0));
  std::string bytes = recording_bytes(r);
  const std::size_t name = bytes.find("\x01\0\0\0\0\0\0\0c", 0, 9);
  ASSERT_NE(name, std::string::npos);
  bytes[name - 8 + 2] = '\x0f';  // 0x0f0001 conditions
  bytes.append(std::size_t{8} << 20, '\0');
  bytes = testing::sealed_again(bytes);
  EXPECT_NE(refusal([&] { return recording_from_bytes(bytes, "run.trec"); }).find("cut short"),
            std::string::npos);
}

TEST(RecordingCheck, what_is_no_file_is_refused_before_it_is_read_to_its_end) {
  const testing::ScratchFolder folder;
  std::filesystem::create_directory(folder / "run.trec");
  std::filesystem::create_symlink("/dev/zero", folder / "zero.trec");
  const auto load = [&](const std::string& name) {
    return refusal([&] { return load_recording((folder / name).string()); });
  };
  EXPECT_NE(load("run.trec").find("is a folder, not a file"), std::string::npos);
  EXPECT_NE(load("zero.trec").find("is no recording"), std::string::npos);
}

TEST(RecordingCheck, a_picture_of_times_alone_is_refused) {
  const Recording r = recording_of(parse_csv("t\n0\n1\n", "run.csv"), "run.csv");
  Report page;
  page.sections.push_back({"", "", {{"run", &r}}});
  EXPECT_NE(report_page(page).find("</html>"), std::string::npos);
  EXPECT_EQ(refusal([&] { return report_figure(page); }),
            "report: the runs hold times and nothing to draw");
}

}  // namespace
}  // namespace torsor
