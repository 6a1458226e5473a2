/// Recordings written and read back.
#include "torsor/experiments/recording_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "house/process.hpp"
#include "support/recording_seal.hpp"
#include "torsor/control/joint/independent_pd.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/sim/simulate.hpp"

namespace torsor {
namespace {

Recording run() {
  const Model<double> arm = load_robot("planar2r");
  Plant plant(arm);
  plant.surfaces = {{.name = "wall", .frame = "tip", .origin = {3, 0, 0}, .normal = {-1, 0, 0}}};
  IndependentPd law(arm, {Gain({100, 60}), Gain({30, 15})});
  SimulateOptions o;
  o.duration = 0.5;
  o.record_every = 0.05;
  Recording r = simulate(plant, law, hold({1, -0.5}, 2), o);
  r.predictions = {{"steady error", PredictedQuantity::error_bound, 1, 0.25, {100, 20}, 0.5}};
  r.figures.observed = {0.125};
  r.period = 1e-3;
  return r;
}

void expect_same_series(const Recording& a, const Recording& b) {
  EXPECT_EQ(a.t, b.t);
  const auto x = a.series(), y = b.series();
  for (std::size_t k = 0; k < x.size(); ++k) {
    EXPECT_EQ(x[k]->name, y[k]->name);
    EXPECT_EQ(x[k]->columns, y[k]->columns) << x[k]->name;
    EXPECT_EQ(x[k]->data, y[k]->data) << x[k]->name;
  }
}

TEST(RecordingFile, binary_reads_back_everything) {
  const Recording r = run(), back = recording_from_bytes(recording_bytes(r), "run.trec");
  expect_same_series(r, back);
  EXPECT_EQ(back.robot, "planar2r");
  EXPECT_EQ(back.controller, "independent_pd");
  ASSERT_EQ(back.conditions.size(), r.conditions.size());
  for (std::size_t k = 0; k < r.conditions.size(); ++k) {
    EXPECT_EQ(back.conditions[k].text(), r.conditions[k].text());
    EXPECT_EQ(back.conditions[k].name, r.conditions[k].name);
  }
  ASSERT_EQ(back.predictions.size(), 1u);
  EXPECT_EQ(back.predictions[0].quantity, PredictedQuantity::error_bound);
  EXPECT_EQ(back.predictions[0].dof, 1);
  EXPECT_EQ(back.predictions[0].value, 0.25);
  EXPECT_EQ(back.predictions[0].coefficients, (std::vector<double>{100, 20}));
  EXPECT_EQ(back.predictions[0].tolerance, 0.5);
  EXPECT_EQ(back.period, 1e-3);
  EXPECT_EQ(back.stop, r.stop);
  EXPECT_EQ(back.steps, r.steps);
  EXPECT_EQ(back.evaluations, r.evaluations);
}

TEST(RecordingFile, csv_reads_back_the_series_to_the_last_digit) {
  const testing::ScratchFolder folder;
  const std::string path = (folder / "run.csv").string();
  const Recording r = run();
  save_recording(r, path);
  const Recording back = load_recording(path);
  expect_same_series(r, back);
  EXPECT_EQ(back.contact.columns, (std::vector<std::string>{"contact.wall"}));
}

TEST(RecordingFile, errors_of_the_task_read_back) {
  Recording r = run();
  r.figures = {};  // of another recording than the one that it becomes
  r.task_e.columns = {"task_e.0", "task_e.1"};
  for (int k = 0; k < 2 * r.size(); ++k) r.task_e.data.push_back(0.1 * k);
  expect_same_series(r, recording_from_bytes(recording_bytes(r), "run.trec"));
  EXPECT_EQ(recording_from_bytes(recording_bytes(r), "run.trec").task_e.data, r.task_e.data);
  const Recording back = recording_of(recording_table(r), "run.csv");
  expect_same_series(r, back);
  EXPECT_EQ(back.task_e.data, r.task_e.data);
}

TEST(RecordingFile, its_states_are_a_table_that_other_verbs_read) {
  const Model<double> arm = load_robot("planar2r");
  const StateTable states = recorded_states(run());
  const StateTable back =
      states_of(parse_csv(csv_text(table_of(states, arm)), "run.csv"), arm, "run.csv");
  EXPECT_EQ(back.q, states.q);
  EXPECT_EQ(back.tau, states.tau);
}

TEST(RecordingFile, every_changed_bit_is_seen) {
  const std::string good = recording_bytes(run());
  EXPECT_EQ(testing::sealed_again(good), good);
  for (std::size_t k = 0; k < good.size(); k += 97) {
    std::string bad = good;
    bad[k] = static_cast<char>(bad[k] ^ (1 << k % 8));
    EXPECT_THROW((void)recording_from_bytes(bad, "run.trec"), Error) << k;
  }
}

TEST(RecordingFile, what_is_no_recording_is_refused_with_its_place) {
  const auto refusal = [](const std::string& bytes) -> std::string {
    try {
      (void)recording_from_bytes(bytes, "run.trec");
    } catch (const Error& error) {
      return error.what();
    }
    return "not refused";
  };
  const std::string good = recording_bytes(run());
  EXPECT_EQ(refusal("hello"), "run.trec: byte 0: the file is no recording of this version");
  for (std::size_t n = 13; n < good.size(); n += 7)
    EXPECT_NE(refusal(good.substr(0, n)).find("cut short"), std::string::npos) << n;
  EXPECT_NE(refusal(good + "x").find("its checksum is another"), std::string::npos);
  const std::string longer =
      testing::sealed_again(good.substr(0, good.size() - 16) + "x0123456789abcdef");
  EXPECT_NE(refusal(longer).find("goes on after its end"), std::string::npos);
  std::string huge = good;
  for (std::size_t k = 13; k < 21; ++k) huge[k] = '\x7f';  // the length of the first string
  EXPECT_NE(refusal(testing::sealed_again(huge)).find("is cut short"), std::string::npos);
  EXPECT_THROW(save_recording(run(), "run.txt"), Error);
  EXPECT_THROW(load_recording("no_such.trec"), Error);
  EXPECT_THROW(recording_of(parse_csv("t, speed.joint\n0, 1\n", "a.csv"), "a.csv"), Error);
}

}  // namespace
}  // namespace torsor
