// torsor eval --columns: NumPy's files in and out, the same numbers as through JSON.
#include <cmath>
#include <csignal>
#include <limits>
#include <thread>

#include "apps/command.hpp"
#include "apps/planar_arm.hpp"
#include "torsor/formats/npy_reader.hpp"
#include "torsor/formats/npy_writer.hpp"

using namespace torsor::testing;
using Json = nlohmann::json;
using Shape = std::vector<std::int64_t>;

namespace {

class EvalColumns : public ::testing::Test {
 protected:
  ScratchFolder folder;
  std::filesystem::path in = folder / "states", out = folder / "answers";
  std::string robot = (folder / "planar.urdf").string();

  EvalColumns() {
    write_text(robot, PlanarArm::urdf());
    std::filesystem::create_directory(in);
  }

  void save(const std::string& name, const Shape& shape, const std::vector<double>& numbers) {
    torsor::NpyWriter file((in / (name + ".npy")).string(), shape);
    file.write(numbers);
    file.commit();
  }
  /// n states of two joints; the third of q is the number `special`.
  void save_states(int n, double special = 0.3) {
    for (const std::string name : {"q", "qd", "qdd", "tau"}) {
      std::vector<double> numbers;
      for (int k = 0; k < 2 * n; ++k) numbers.push_back(std::sin(k + 0.1 * double(name.size())));
      if (name == "q") numbers[2] = special;
      save(name, {n, 2}, numbers);
    }
  }
  CommandResult run(const std::vector<std::string>& options, bool output = true) {
    std::vector<std::string> words{"eval", robot, "--columns", in.string()};
    if (output) words.insert(words.end(), {"-o", out.string()});
    words.insert(words.end(), options.begin(), options.end());
    return torsor_command(words);
  }
  struct Loaded {
    Shape shape;
    std::vector<double> numbers;
  };
  static Loaded load(const std::filesystem::path& file) {
    torsor::NpyReader reader(file.string());
    std::int64_t size = 1;
    for (const std::int64_t n : reader.shape()) size *= n;
    Loaded all{reader.shape(), std::vector<double>(static_cast<std::size_t>(size))};
    reader.read(all.numbers);
    return all;
  }
  std::size_t answers() const {
    if (!std::filesystem::exists(out)) return 0;
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(out), {}));
  }
};

/// Numbers of a JSON value one after the other; null is nan.
void flatten(const Json& value, std::vector<double>& all) {
  if (value.is_array())
    for (const Json& item : value) flatten(item, all);
  else
    all.push_back(value.is_null() ? std::nan("") : value.get<double>());
}

TEST_F(EvalColumns, every_key_has_the_numbers_that_json_has) {
  constexpr int n = 700;  // several blocks, the last one not full
  save_states(n);
  const auto rows = [&](const char* name) {
    return load(in / (std::string(name) + ".npy")).numbers;
  };
  const std::vector<double> q = rows("q"), qd = rows("qd"), qdd = rows("qdd"), tau = rows("tau");
  Json states = Json::array();
  for (std::size_t k = 0; k < 2 * n; k += 2)
    states.push_back({{"q", {q[k], q[k + 1]}},
                      {"qd", {qd[k], qd[k + 1]}},
                      {"qdd", {qdd[k], qdd[k + 1]}},
                      {"tau", {tau[k], tau[k + 1]}}});
  write_text(folder / "states.json", Json{{"frame", "tip"}, {"states", states}}.dump());
  const Json results =
      torsor_command({"eval", robot, (folder / "states.json").string()}).json()["results"];
  const CommandResult result = run({"--frame", "tip"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(result.says("planar: 700 states")) << result.out;
  EXPECT_TRUE(result.says("M.npy")) << result.out;
  EXPECT_EQ(answers(), results[0].size());
  for (const auto& [key, value] : results[0].items()) {
    const Loaded found = load(out / (key + ".npy"));
    Shape shape{n};
    for (const Json* x = &value; x->is_array(); x = &(*x)[0])
      shape.push_back(static_cast<std::int64_t>(x->size()));
    EXPECT_EQ(found.shape, shape) << key;
    std::vector<double> expected;
    for (const Json& one : results) flatten(one[key], expected);
    EXPECT_TRUE(found.numbers == expected) << key;
  }
}

TEST_F(EvalColumns, answers_are_those_of_the_closed_form_and_of_the_wanted_keys_alone) {
  save("q", {2, 2}, {0.4, -1.1, 0.2, 0.3});
  const CommandResult result = run({"--only", "gravity,M"}, false);
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "") << "nothing that is used is missing";
  const Loaded gravity = load(in / "results" / "gravity.npy"), M = load(in / "results" / "M.npy");
  EXPECT_EQ(M.shape, (Shape{2, 2, 2}));
  const PlanarArm::Vector expected = PlanarArm::gravity({0.2, 0.3});
  EXPECT_NEAR(gravity.numbers[2], expected[0], 1e-13);
  EXPECT_NEAR(gravity.numbers[3], expected[1], 1e-13);
  EXPECT_NEAR(M.numbers[1], PlanarArm::M({0.4, -1.1})[0][1], 1e-13);
  EXPECT_FALSE(std::filesystem::exists(in / "results" / "tau.npy"));
}

TEST_F(EvalColumns, what_is_missing_or_not_read_is_said) {
  save("q", {2, 2}, {0, 0, 0, 0});
  save("t", {2}, {0, 0.1});
  const CommandResult result = run({"--only", "tau"});
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.err.find("has no qd.npy, qdd.npy: taken as zero\n"), std::string::npos);
  EXPECT_NE(result.err.find("ignored: t.npy\n"), std::string::npos) << result.err;
}

TEST_F(EvalColumns, quaternions_are_normalised_or_refused) {
  const auto floating = [&](double w) {
    save("q", {2, 9}, {0, 0, 0, 0, 0, 0, 1, 0.1, 0.2, 0, 0, 0, 0, 0, 0, w, 0.1, 0.2});
    return run({"--floating", "--only", "gravity", "--force"});
  };
  EXPECT_EQ(floating(1 + 1e-7).code, 0);
  const Loaded found = load(out / "gravity.npy");
  for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(found.numbers[k], found.numbers[8 + k]);
  expect_refusal(floating(1.1), "q.npy[1]: ");
}

TEST_F(EvalColumns, states_without_an_answer_have_nan_and_are_counted) {
  save_states(3);
  write_text(robot, R"(<robot name="light"><link name="base"/>
<link name="a"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="b"/>
<joint name="j1" type="continuous"><parent link="base"/><child link="a"/></joint>
<joint name="j2" type="continuous"><parent link="a"/><child link="b"/></joint></robot>)");
  const CommandResult result = run({"--only", "qdd_fd,M"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("qdd_fd.npy: 3 states have no answer (nan)\n"), std::string::npos)
      << result.err;
  for (const double x : load(out / "qdd_fd.npy").numbers) EXPECT_TRUE(std::isnan(x));
  for (const double x : load(out / "M.npy").numbers) EXPECT_TRUE(std::isfinite(x));
}

TEST_F(EvalColumns, no_states_give_files_without_rows) {
  save("q", {0, 2}, {});
  EXPECT_EQ(run({"--only", "tau,M"}).code, 0);
  EXPECT_EQ(load(out / "M.npy").shape, (Shape{0, 2, 2}));
}

TEST_F(EvalColumns, bad_input_is_refused_with_its_file_and_leaves_nothing) {
  expect_refusal(run({}), "q.npy: no such file");
  save("q", {2, 3}, {0, 0, 0, 0, 0, 0});
  expect_refusal(run({}), "q.npy: has the shape (2, 3); q of \"planar\" has (N, 2)");
  save("q", {4}, {0, 0, 0, 0});
  expect_refusal(run({}), "q.npy: has the shape (4,)");
  save("q", {2, 2}, {0, 0, 0, 0});
  save("qd", {3, 2}, {0, 0, 0, 0, 0, 0});
  expect_refusal(run({}), "qd.npy: has 3 states, q.npy has 2");
  save("qd", {2, 2}, {0, 0, 0, std::nan("")});
  expect_refusal(run({}), "qd.npy[1]: robot \"planar\": qd of \"j2\" is not finite (nan)");
  save("qd", {2, 2}, {0, 0, 0, 0});
  save("q", {2, 2}, {0, 0, std::numeric_limits<double>::infinity(), 0});
  expect_refusal(run({}), "q.npy[1]: ");
  save("q", {2, 2}, {0, 0, 0, 1e200});
  expect_refusal(run({}), "q.npy[1]: ");
  write_text(in / "q.npy", "t,q\n0,1\n");
  expect_refusal(run({}), "q.npy: is no .npy file of NumPy");
  save("q", {2, 2}, {0, 0, 0, 0});
  expect_refusal(run({"--only", "T_frame"}), "--only T_frame: needs --frame NAME");
  expect_refusal(run({"--only", "lambda"}), "has no loops or couplings");
  expect_refusal(run({"--frame", "tipp"}), "tip");
  expect_refusal(torsor_command({"eval", robot, "--columns", (folder / "none").string()}),
                 "is no folder with q.npy");
  expect_refusal(torsor_command({"eval", robot, "x.json", "--columns", in.string()}), "not both");
  EXPECT_EQ(answers(), 0u);
  EXPECT_FALSE(std::filesystem::exists(out)) << "a folder that was made for nothing";
}

TEST_F(EvalColumns, answers_that_are_too_large_for_a_number_are_refused_as_in_json) {
  save_states(3);
  save("qd", {3, 2}, {0, 0, 0, 1e200, 0, 0});
  const CommandResult r = run({});
  EXPECT_EQ(r.code, 1);
  EXPECT_NE(r.err.find("q.npy[1]: "), std::string::npos) << r.err;
  EXPECT_NE(r.err.find(" is too large for a number here"), std::string::npos) << r.err;
  EXPECT_FALSE(std::filesystem::exists(out / "tau.npy"));
  EXPECT_EQ(run({"--only", "M"}).code, 0);  // that of q alone
}

TEST_F(EvalColumns, answers_and_inputs_are_not_written_over) {
  save_states(3);
  EXPECT_EQ(run({"--only", "M"}).code, 0);
  expect_refusal(run({"--only", "gravity,M"}), "M.npy: exists already; --force replaces it");
  EXPECT_EQ(answers(), 1u);
  EXPECT_EQ(run({"--only", "gravity,M", "--force"}).code, 0);
  out = in;
  expect_refusal(run({"--only", "tau", "--force"}), "tau.npy: is read; write elsewhere");
}

TEST_F(EvalColumns, an_error_far_behind_a_full_disk_and_an_interrupt_leave_no_file) {
  save_states(30'000);
  std::vector<double> qd(60'000);
  qd[59'000] = std::nan("");
  save("qd", {30'000, 2}, qd);
  expect_refusal(run({"--only", "tau,M"}), "qd.npy[29500]: ");
  EXPECT_FALSE(std::filesystem::exists(out));
  save_states(30'000);
  const std::string words = " eval " + robot + " --columns " + in.string() + " -o " + out.string();
  const ProcessResult full =
      torsor::testing::run({"sh", "-c", "ulimit -f 100; " TORSOR_COMMAND + words + " --only M"});
  EXPECT_EQ(full.exit_code, 1) << full.output;
  EXPECT_NE(full.output.find("M.npy: cannot write: File too large"), std::string::npos)
      << full.output;
  EXPECT_FALSE(std::filesystem::exists(out));
  const ProcessResult stopped = torsor::testing::run(
      {"sh", "-c", TORSOR_COMMAND + words + " & sleep 0.15; kill -TERM $!; wait $!"});
  if (stopped.exit_code != 0) {  // it was not done yet
    EXPECT_EQ(stopped.exit_code, 1) << stopped.output;
    EXPECT_NE(stopped.output.find("interrupted after "), std::string::npos) << stopped.output;
    EXPECT_FALSE(std::filesystem::exists(out));
  }
}

TEST_F(EvalColumns, threads_change_no_bit_and_the_first_bad_state_is_the_one_that_is_named) {
  save_states(30000);
  std::vector<std::string> first;
  for (const char* threads : {"1", "2", "5"}) {
    const CommandResult answered = run({"--threads", threads, "--only", "tau,M,qdd_fd"});
    ASSERT_EQ(answered.code, 0) << answered.err;
    std::vector<std::string> bytes;
    for (const char* name : {"tau.npy", "M.npy", "qdd_fd.npy"})
      bytes.push_back(read_text((out / name).string()));
    if (first.empty()) first = bytes;
    EXPECT_TRUE(bytes == first) << threads;
    std::filesystem::remove_all(out);
  }
  std::vector<double> qd(60000, 0.1);
  for (const std::size_t state : {29000u, 15000u, 15001u, 22000u}) qd[2 * state] = std::nan("");
  save("qd", {30000, 2}, qd);
  for (const char* threads : {"1", "2", "5"}) {
    const CommandResult refused = run({"--threads", threads});
    EXPECT_EQ(refused.code, 2);
    EXPECT_NE(refused.err.find("qd.npy[15000]"), std::string::npos) << refused.err;
    EXPECT_EQ(answers(), 0u);
  }
}

TEST_F(EvalColumns, memory_does_not_grow_with_the_number_of_states) {
  std::vector<double> numbers(1'000'000);
  const std::vector<std::string> names{"q", "qd", "qdd"};
  for (const std::string& name : names) save(name, {500'000, 2}, numbers);
  const ProcessResult r =
      torsor::testing::run({"sh", "-c",
                            "ulimit -v 60000; " TORSOR_COMMAND " eval " + robot + " --columns " +
                                in.string() + " -o " + out.string() + " --only tau,M"});
  EXPECT_EQ(r.exit_code, 0) << r.output;
  EXPECT_EQ(load(out / "tau.npy").shape, (Shape{500'000, 2}));
}

}  // namespace
