/// Journals: what was appended is read back, whatever a kill left behind it.
#include "torsor/experiments/sweep_journal.hpp"

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>

#include "house/process.hpp"
#include "torsor/experiments/scenario_file.hpp"

// File systems of clusters: one without locks, one whose disk turns out to be full when it is asked.
namespace {
int error_of_flock = 0, error_of_fdatasync = 0;
int answer(int error, long call, int file, int how) {
  if (error == 0) return static_cast<int>(::syscall(call, file, how));
  errno = error;
  return -1;
}
}  // namespace
extern "C" int flock(int file, int how) noexcept {
  return answer(error_of_flock, SYS_flock, file, how);
}
extern "C" int fdatasync(int file) { return answer(error_of_fdatasync, SYS_fdatasync, file, 0); }

namespace torsor {
namespace {

using testing::read_text;
using testing::ScratchFolder;
using testing::write_text;

const std::string text = R"(
robot: planar2r
controller: {law: independent_pd, gains: {Kp: 50, Kd: 10}}
reference: {hold: [0, 1]}
sweep:
  samples: 10
  uncertainties:
    parameter_factor: [0.8, 1.2]
    start_q: {normal: [0, 0.1]}
)";

SweepRow row_of(const Scenario& s, long index) {
  SweepRow row{draw_sample(s, index), {}};
  double x = 0.1;
  for (const RunFigure& f : run_figures()) row.summary.*f.value = x *= 3.7;
  row.summary.settling_time = INFINITY;
  row.summary.task_rms = NAN;
  row.summary.stop = index % 2 == 0 ? StopReason::finished : StopReason::blow_up;
  row.summary.stopped_at = 1.25;
  return row;
}
void expect_same(const SweepRow& a, const SweepRow& b) {
  EXPECT_EQ(a.sample.index, b.sample.index);
  EXPECT_EQ(a.sample.seed, b.sample.seed);
  EXPECT_EQ(a.sample.values, b.sample.values);
  EXPECT_EQ(a.summary.stop, b.summary.stop);
  EXPECT_EQ(a.summary.stopped_at, b.summary.stopped_at);
  for (const RunFigure& f : run_figures()) {
    const double x = a.summary.*f.value, y = b.summary.*f.value;
    EXPECT_TRUE(x == y || (std::isnan(x) && std::isnan(y))) << f.name;
  }
}
std::string refusal(const std::string& path, const std::string& fingerprint, const Scenario& s) {
  try {
    const SweepJournal journal(path, fingerprint, s);
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

class Journal : public ::testing::Test {
 protected:
  ScratchFolder folder_;
  std::string path_ = (folder_ / "a.sweep.csv").string();
  Scenario s_ = read_scenario(text, "test.yaml");
};

TEST_F(Journal, reads_back_what_was_appended_in_every_bit) {
  {
    SweepJournal journal(path_, "abc", s_);
    EXPECT_TRUE(journal.rows().empty());
    for (const long k : {4L, 1L, 2L}) journal.append(row_of(s_, k));
  }
  const SweepJournal journal(path_, "abc", s_);
  ASSERT_EQ(journal.rows().size(), 3u);
  expect_same(journal.rows()[0], row_of(s_, 1));
  expect_same(journal.rows()[1], row_of(s_, 2));
  expect_same(journal.rows()[2], row_of(s_, 4));
  const std::string file = read_text(path_);
  EXPECT_TRUE(
      file.starts_with("# torsor sweep 2, scenario abc, seed 1\n"
                       "sample,seed,stop,stopped_at,parameter_factor,start.q.joint_1,"));
}

TEST_F(Journal, of_another_sweep_stays_as_it_is_with_its_unfinished_line) {
  {
    SweepJournal journal(path_, "abc", s_);
    journal.append(row_of(s_, 0));
  }
  const std::string whole = read_text(path_) + "1,7,fini";
  for (const std::string& content :
       {whole, std::string("# torsor sweep 2, scenario abd, seed 1")}) {
    write_text(path_, content);
    EXPECT_NE(refusal(path_, "abx", s_).find("another s"), std::string::npos);
    EXPECT_EQ(read_text(path_), content);
  }
}

TEST_F(Journal, goes_on_behind_a_cut_line_wherever_it_was_cut) {
  {
    SweepJournal journal(path_, "abc", s_);
    journal.append(row_of(s_, 0));
    journal.append(row_of(s_, 1));
  }
  const std::string whole = read_text(path_);
  for (std::size_t length = 0; length < whole.size(); length += 5) {
    write_text(path_, whole.substr(0, length));
    std::size_t there = 0;
    {
      SweepJournal journal(path_, "abc", s_);
      there = journal.rows().size();
      EXPECT_LT(there, 2u);
      for (long k = static_cast<long>(there); k < 2; ++k) journal.append(row_of(s_, k));
    }
    ASSERT_EQ(read_text(path_), whole) << length;
  }
}

TEST_F(Journal, of_another_scenario_or_seed_is_refused_until_restarted) {
  {
    SweepJournal journal(path_, "abc", s_);
    journal.append(row_of(s_, 0));
  }
  EXPECT_NE(refusal(path_, "abd", s_).find("another scenario or seed; --restart"),
            std::string::npos);
  Scenario other = s_;
  other.sweep.seed = 2;
  EXPECT_NE(refusal(path_, "abc", other).find("another scenario or seed"), std::string::npos);
  {
    const SweepJournal journal(path_, "abc", s_);
    EXPECT_EQ(journal.rows().size(), 1u);  // refusals left it alone
  }
  const SweepJournal journal(path_, "abd", s_, true);
  EXPECT_TRUE(journal.rows().empty());
}

TEST_F(Journal, files_that_are_none_are_left_alone) {
  write_text(path_, "precious\n");
  EXPECT_NE(refusal(path_, "abc", s_).find("is no journal of a sweep"), std::string::npos);
  EXPECT_THROW(SweepJournal(path_, "abc", s_, true), Error);
  EXPECT_EQ(read_text(path_), "precious\n");
  EXPECT_THROW(SweepJournal(folder_.path().string(), "abc", s_), Error);
  EXPECT_THROW(SweepJournal((folder_ / "no/x.csv").string(), "abc", s_), Error);
}

TEST_F(Journal, one_process_writes_at_a_time) {
  const SweepJournal journal(path_, "abc", s_);
  EXPECT_NE(refusal(path_, "abc", s_).find("another sweep writes this file"), std::string::npos);
}

TEST_F(Journal, is_kept_where_the_file_system_has_no_locks) {
  for (const int error : {ENOSYS, EOPNOTSUPP, ENOLCK}) {
    error_of_flock = error;
    { SweepJournal(path_, "abc", s_).append(row_of(s_, 3)); }
    EXPECT_EQ(SweepJournal(path_, "abc", s_).rows().size(), 1u) << std::strerror(error);
    error_of_flock = 0;
  }
}

TEST_F(Journal, rows_that_the_disk_did_not_take_are_told) {
  SweepJournal journal(path_, "abc", s_);
  for (const int error : {ENOSPC, EDQUOT, EIO}) {
    error_of_fdatasync = error;
    try {
      for (int k = 0; k < 2; ++k) {  // it is asked once a second
        journal.append(row_of(s_, k));
        std::this_thread::sleep_for(std::chrono::milliseconds(1020));
      }
      ADD_FAILURE() << "not told";
    } catch (const std::exception& told) {
      EXPECT_NE(std::string(told.what()).find(std::strerror(error)), std::string::npos)
          << told.what();
    }
    error_of_fdatasync = 0;
  }
}

TEST_F(Journal, spoiled_rows_are_named_with_their_line) {
  {
    SweepJournal journal(path_, "abc", s_);
    journal.append(row_of(s_, 0));
  }
  const std::string whole = read_text(path_);
  const auto spoiled = [&](const std::string& from, const std::string& to) {
    std::string changed = whole;
    changed.replace(changed.rfind(from), from.size(), to);
    write_text(path_, changed);
    return refusal(path_, "abc", s_);
  };
  EXPECT_NE(spoiled(",finished,", ",finishes,").find(":3: is not as it was written"),
            std::string::npos);
  const std::size_t cells = 4 + sweep_value_names(s_).size() + run_figures().size() + 2;
  EXPECT_NE(
      spoiled(",finished,", ",finished,1,")
          .find(":3: has " + std::to_string(cells + 1) + " cells, not " + std::to_string(cells)),
      std::string::npos);
  EXPECT_NE(spoiled("\n0,", "\n1,").find(":3: is not as it was written"), std::string::npos);
}

TEST_F(Journal, no_flip_of_a_bit_changes_a_row_without_a_word) {
  {
    SweepJournal journal(path_, "abc", s_);
    journal.append(row_of(s_, 0));
    journal.append(row_of(s_, 1));
  }
  const std::string whole = read_text(path_);
  int refused = 0;
  for (std::size_t k = 0; k < whole.size(); ++k) {
    std::string changed = whole;
    changed[k] = static_cast<char>(changed[k] ^ (1 << (k % 8)));
    write_text(path_, changed);
    try {
      const SweepJournal journal(path_, "abc", s_);
      // A last line that lost its end is run again; whatever is believed is what was written.
      for (const SweepRow& row : journal.rows()) expect_same(row, row_of(s_, row.sample.index));
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, static_cast<int>(whole.size()) - 3);
}

TEST_F(Journal, rows_are_those_that_their_numbers_draw) {
  const auto refused = [&](SweepRow row) {
    std::filesystem::remove(path_);
    {
      SweepJournal journal(path_, "abc", s_);
      journal.append(row);
    }
    return refusal(path_, "abc", s_);
  };
  SweepRow other = row_of(s_, 3);
  EXPECT_EQ(refused(other), "not refused");
  other.sample.values[1] += 1e-9;
  EXPECT_NE(refused(other).find(":3: start.q.joint_1 is "), std::string::npos);
  other = row_of(s_, 3);
  other.sample.index = 4;
  EXPECT_NE(refused(other).find(":3: has another seed than sample 4"), std::string::npos);
}

TEST_F(Journal, impossible_draws_are_rows_of_their_own) {
  s_.sweep.friction_factor = Distribution::normal(0, 1);
  SweepRow row;
  long k = 0;
  while (row.sample.impossible.empty()) row.sample = draw_sample(s_, k++);
  row.sample.impossible += ", \"really\"";
  {
    SweepJournal journal(path_, "abc", s_);
    journal.append(row);
  }
  const SweepJournal journal(path_, "abc", s_);
  ASSERT_EQ(journal.rows().size(), 1u);
  EXPECT_EQ(journal.rows()[0].sample.impossible, row.sample.impossible);
  EXPECT_EQ(journal.rows()[0].sample.values, row.sample.values);
  EXPECT_FALSE(journal.rows()[0].finished());
  EXPECT_NE(read_text(path_).find(",impossible,0,"), std::string::npos);
}

TEST_F(Journal, devices_and_pipes_keep_nothing_and_are_refused) {
  EXPECT_NE(refusal("/dev/null", "abc", s_).find("is no file that could keep a journal"),
            std::string::npos);
  EXPECT_NE(refusal("/dev/zero", "abc", s_).find("is no file"), std::string::npos);
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(refusal(pipe, "abc", s_).find("is no file"), std::string::npos);
}

TEST(ScenarioSweep, every_key_arrives) {
  const Scenario s = read_scenario(R"(
robot: planar2r
controller: {law: independent_pd, gains: {Kp: 50, Kd: 10}}
reference: {hold: [0, 1]}
sweep:
  samples: 33
  seed: 12
  uncertainties:
    parameter_factor: [0.8, 1.2]
    link_factor: {uniform: [0.9, 1.1]}
    inertial_factor: {normal: [1, 0.05]}
    friction_factor: [0, 2]
    payload: {link: link_2, mass: [0, 0.5], com: [1, 0, 0], radius: 0.1}
    start_q: [-0.1, 0.1]
    start_qd: {normal: [0, 0.01]}
    noise: true
    gains: {Kp: [0.5, 2]}
)",
                                   "all.yaml");
  const SweepPlan& p = s.sweep;
  EXPECT_EQ(p.samples, 33);
  EXPECT_EQ(p.seed, 12u);
  EXPECT_EQ(p.parameter_factor->a, 0.8);
  EXPECT_EQ(p.link_factor->b, 1.1);
  EXPECT_EQ(p.inertial_factor->kind, Distribution::Kind::normal);
  EXPECT_EQ(p.inertial_factor->b, 0.05);
  EXPECT_EQ(p.friction_factor->a, 0);
  ASSERT_EQ(p.payloads.size(), 1u);
  EXPECT_EQ(p.payloads[0].link, "link_2");
  EXPECT_EQ(p.payloads[0].mass.b, 0.5);
  EXPECT_EQ(p.payloads[0].com.x, 1);
  EXPECT_EQ(p.payloads[0].radius, 0.1);
  EXPECT_EQ(p.start_q->a, -0.1);
  EXPECT_EQ(p.start_qd->b, 0.01);
  EXPECT_TRUE(p.noise);
  ASSERT_EQ(p.gains.size(), 1u);
  EXPECT_EQ(p.gains[0].name, "Kp");
  EXPECT_EQ(p.gains[0].factor.b, 2);
}

TEST(ScenarioSweep, mistakes_are_refused_with_their_line) {
  const auto expect = [](const std::string& from, const std::string& to, const std::string& part) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    try {
      (void)read_scenario(changed, "all.yaml");
      ADD_FAILURE() << to;
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find(part), std::string::npos) << message;
      EXPECT_TRUE(message.starts_with("all.yaml:")) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
  };
  expect("samples: 10", "samples: 0", "all.yaml:6");
  expect("samples: 10", "samples: 1.5", "whole number");
  expect("samples: 10", "seed: -1", "whole number");
  expect("parameter_factor:", "parameter_factr:", "did you mean \"parameter_factor\"?");
  expect("[0.8, 1.2]", "[1.2, 0.8]", "exceeds");
  expect("[0.8, 1.2]", "[0, 1.2]", "not positive");
  expect("[0.8, 1.2]", "[0.8]", "all.yaml:8");
  expect("[0.8, 1.2]", "0.8", "takes [least, largest]");
  expect("normal: [0, 0.1]", "norml: [0, 0.1]", "did you mean \"normal\"?");
  expect("normal: [0, 0.1]", "normal: [0, -0.1]", "cannot be negative");
  expect("start_q: {normal: [0, 0.1]}", "gains: {Kq: [1, 2]}", "no gain \"Kq\"; did you mean");
  expect("start_q: {normal: [0, 0.1]}", "payload: {link: link_9, mass: [0, 1]}", "link_9");
  expect("start_q: {normal: [0, 0.1]}", "payload: {link: link_2, mass: [-1, 1]}", "negative");
  expect("parameter_factor: [0.8, 1.2]\n    start_q: {normal: [0, 0.1]}", "noise: false",
         "nothing that varies");
}

TEST(ScenarioFingerprint, changes_with_what_runs_depend_on_alone) {
  const std::string print = scenario_fingerprint(text, "a.yaml");
  EXPECT_EQ(print.size(), 16u);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string other = text;
    other.replace(other.find(from), from.size(), to);
    return scenario_fingerprint(other, "b.yaml");
  };
  EXPECT_EQ(changed("samples: 10", "samples: 20"), print);
  EXPECT_EQ(changed("robot:", "# a remark\ntitle: x\nscenario: y\noutput: [z.csv]\nrobot:"), print);
  EXPECT_EQ(changed("Kp: 50, Kd: 10", "Kd: 10.0, Kp: 5e1"), print);
  EXPECT_NE(changed("Kp: 50", "Kp: 51"), print);
  EXPECT_NE(changed("planar2r", "pointmass2r"), print);
  EXPECT_NE(changed("[0.8, 1.2]", "[0.8, 1.3]"), print);
  const ScratchFolder folder;
  const auto robot = [&](const std::string& mass) {
    write_text(folder / "arm.yaml",
               "robot: arm\nbodies:\n  - name: base\n  - {name: rod, mass: " + mass +
                   ", com: [0, 0, 1]}\njoints:\n  - {name: j, type: revolute, parent: base, "
                   "child: rod, axis: [1, 0, 0]}\n");
    return scenario_fingerprint("robot: arm.yaml\n", (folder / "s.yaml").string());
  };
  EXPECT_EQ(robot("1"), robot("1.0"));
  EXPECT_NE(robot("1"), robot("1.1"));
}

}  // namespace
}  // namespace torsor
