// torsor identify: text, JSON, the files it writes, what it says of damaged logs, refusals.
#include <cmath>
#include <functional>
#include <sstream>

#include "apps/command.hpp"
#include "apps/planar_arm.hpp"
#include "identification/moved_robot.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/identification/identify.hpp"
#include "torsor/sim/reference_run.hpp"

namespace torsor::testing {
namespace {

using Json = nlohmann::json;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at))
    text.replace(at, what.size(), by), at += by.size();
  return text;
}

/// A folder with arm.urdf, which has other masses than the robot that moved, and log.csv.
class IdentifyCommand : public ::testing::Test {
 protected:
  IdentifyCommand() {
    std::string text = PlanarArm::urdf();
    text = replaced(text, "<mass value=\"1.000000\"/>", "<mass value=\"1.250000\"/>");
    text = replaced(text, "damping=\"0.5\"", "damping=\"0.3\"");
    write_text(folder_ / "arm.urdf", "<!-- Kept as it is. -->\n" + text);
    write("log.csv", rows({.seed = 1, .noise = 0.02}));
    write("other.csv", rows({.seed = 2, .noise = 0.02}));
  }

  /// t, q1, q2, tau1, tau2 of every row.
  std::vector<std::vector<double>> rows(const Motion& motion) const {
    const MotionLog log = moved(truth_, motion);
    std::vector<std::vector<double>> out;
    for (int i = 0; i < log.size(); ++i)
      out.push_back({log.t[i], log.q(i, 0), log.q(i, 1), log.tau(i, 0), log.tau(i, 1)});
    return out;
  }
  void write(const std::string& name, const std::vector<std::vector<double>>& list,
             const std::string& header = "t,q.j1,q.j2,tau.j1,tau.j2") {
    std::ostringstream text;
    text.precision(12);
    text << header << "\n";
    for (const auto& row : list)
      for (std::size_t k = 0; k < row.size(); ++k)
        text << row[k] << (k + 1 < row.size() ? "," : "\n");
    write_text(folder_ / name, text.str());
  }
  CommandResult run(std::vector<std::string> words) const {
    words.insert(words.begin(), "identify");
    return torsor_command(words, folder_.path());
  }
  /// Nothing but what was there before.
  void expect_no_new_file() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      if (entry.path().string().find("out") != std::string::npos)
        names.push_back(entry.path().string());
    EXPECT_TRUE(names.empty()) << names[0];
  }

  /// With the smooth sign that identify takes.
  Model<double> true_robot() const {
    write_text(folder_ / "truth.urdf", PlanarArm::urdf());
    return identified_shape(load_robot((folder_ / "truth.urdf").string()), {});
  }

  ScratchFolder folder_;
  Model<double> truth_ = true_robot();
};

/// No null where a number belongs.
void expect_numbers(const Json& j, const std::string& at = "") {
  EXPECT_FALSE(j.is_null()) << at;
  if (j.is_structured())
    for (const auto& [key, value] : j.items()) expect_numbers(value, at + "/" + key);
}

TEST_F(IdentifyCommand, json_has_the_keys_that_programs_rely_on) {
  const CommandResult result =
      run({"arm.urdf", "log.csv", "--validate", "other.csv", "--bootstrap", "40", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const Json j = result.json();
  expect_numbers(j);
  const int n = j["base"]["n"].get<int>();
  EXPECT_EQ(j["base"]["names"].size(), static_cast<std::size_t>(n));
  EXPECT_EQ(j["base"]["formulas"].size(), static_cast<std::size_t>(n));
  ASSERT_EQ(j["parameters"].size(), static_cast<std::size_t>(n));
  for (const Json& p : j["parameters"]) {
    for (const char* key : {"value", "sigma", "low", "high"}) EXPECT_TRUE(p[key].is_number()) << p;
    EXPECT_TRUE(p["name"].is_string());
    EXPECT_TRUE(p["determined"].is_boolean());
    EXPECT_LE(p["low"].get<double>(), p["high"].get<double>());
  }
  for (const char* part : {"train", "validate"}) {
    const Json& r = j["residual"][part];
    EXPECT_GT(r["all"].get<double>(), 0);
    EXPECT_LT(r["all"].get<double>(), 2) << part;
    EXPECT_EQ(r["joints"].size(), 2U);
  }
  EXPECT_GT(j["mass"].get<double>(), 0.5);
  EXPECT_GE(j["condition"].get<double>(), 1);
  EXPECT_EQ(j["estimator"], "consistent");
  EXPECT_NE(j["filter"].get<std::string>().find("Hz"), std::string::npos);
  EXPECT_TRUE(j["repaired"].is_array());
  EXPECT_TRUE(j["repaired"].empty()) << j["repaired"];
}

TEST_F(IdentifyCommand, friction_is_what_the_robot_has) {
  const Json j = run({"arm.urdf", "log.csv", "--estimator", "weighted", "--json"}).json();
  const std::pair<const char*, double> wanted[] = {
      {"j1.viscous", 0.5}, {"j1.coulomb", 0.2}, {"j2.viscous", 0.3}, {"j2.coulomb", 0.1}};
  for (const auto& [name, value] : wanted) {
    bool seen = false;
    for (const Json& p : j["parameters"])
      if (p["name"] == name) {
        seen = true;
        EXPECT_NEAR(p["value"].get<double>(), value, 4 * p["sigma"].get<double>() + 2e-3) << name;
        EXPECT_TRUE(p["determined"].get<bool>());
      }
    EXPECT_TRUE(seen) << name;
  }
}

TEST_F(IdentifyCommand, an_ellipsoid_keeps_the_mass_of_a_link_inside) {
  const auto centre = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"arm.urdf",   "log.csv",     "--estimator",
                                      "consistent", "--bootstrap", "0",
                                      "--gamma",    "1e-3",        "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const CommandResult result = run(words);
    EXPECT_EQ(result.code, 0) << result.err;
    double m = 0, mx = 0, yy = 0;
    const Json j = result.json();
    for (const Json& p : j["links"]) {
      if (p["name"] == "l2.m") m = p["value"].get<double>();
      if (p["name"] == "l2.mx") mx = p["value"].get<double>();
      if (p["name"] == "l2.yy") yy = p["value"].get<double>();
    }
    EXPECT_GT(m, 0);
    return std::array<double, 2>{mx / m, yy / m};
  };
  const auto free = centre({}), held = centre({"--link-ellipsoid", "l2=0.1,0,0:0.05,0.05,0.05",
                                               "--link-mass", "l2=0.01:100"});
  EXPECT_GT(std::abs(free[0] - 0.1), 0.05);
  EXPECT_LT(std::abs(held[0] - 0.1), 0.05);
  EXPECT_LT(held[1], 0.15 * 0.15 + 0.05 * 0.05);
}

/// The arm driven along what it was asked for by a loop of gains that the map says; noisy velocities.
TEST_F(IdentifyCommand, instruments_come_from_the_references_of_the_log) {
  MotionLog log = moved(truth_, {.seed = 4, .frequency = 0.2});
  log.q_ref = log.q;
  Matrix qdd;
  const LoopGains gains{{4000, 800}, {200, 40}, {}};
  ASSERT_TRUE(reference_simulator({.gains = gains})(truth_, log, log.q, log.qd, qdd));
  DynamicsWorkspace<double> ws(truth_);
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> list;
  for (int i = 0; i < log.size(); ++i) {
    const Array<double> q{log.q(i, 0), log.q(i, 1)}, qd{log.qd(i, 0), log.qd(i, 1)},
        a{qdd(i, 0), qdd(i, 1)};
    Array<double> tau(2);
    tree_inverse_dynamics<double, double>(truth_, ws, q, qd, a, {}, tau);
    list.push_back({log.t[i], q[0], q[1], qd[0] + 0.1 * normal(random),
                    qd[1] + 0.1 * normal(random), tau[0], tau[1], log.q_ref(i, 0),
                    log.q_ref(i, 1)});
  }
  write("driven.csv", list, "t,q.j1,q.j2,qd.j1,qd.j2,tau.j1,tau.j2,cmd1,cmd2");
  write_text(folder_ / "map.yaml",
             "q: [q.j1, q.j2]\nreference: cmd*\ncontroller: {kp: [4000, 800], kd: [200, 40]}\n");
  const auto found = [&](const char* estimator) {
    const CommandResult result =
        run({"arm.urdf", "driven.csv", "--columns", "map.yaml", "--estimator", estimator,
             "--cutoff", "20", "--bootstrap", "40", "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    return result.json();
  };
  const Json ls = found("weighted"), iv = found("instrumental"), didim = found("didim");
  expect_numbers(iv["bias"]);
  EXPECT_FALSE(iv["bias"]["agree"].get<bool>());
  EXPECT_FALSE(ls.contains("bias"));
  const ParameterColumns columns(truth_);
  const Array<double> x = columns.values(truth_);
  const auto error = [&](const Json& j, const std::string& name) {
    const double wanted = x[columns.find(name)];
    for (const Json& p : j["parameters"])
      if (p["name"] == name && p["formula"] == name)
        return std::abs(p["value"].get<double>() - wanted) / wanted;
    ADD_FAILURE() << name << j["parameters"];
    return 0.0;
  };
  EXPECT_GT(error(ls, "l2.zz"), 0.15);
  EXPECT_LT(error(iv, "l2.zz"), 0.05);
  EXPECT_LT(error(didim, "l2.zz"), 0.05);
  const CommandResult text = run({"arm.urdf", "driven.csv", "--columns", "map.yaml", "--estimator",
                                  "instrumental", "--cutoff", "20", "--bootstrap", "0"});
  EXPECT_TRUE(text.says("Durbin-Wu-Hausman")) << text.out << text.err;
}

TEST_F(IdentifyCommand, text_says_how_well_it_fits_and_what_was_found) {
  const CommandResult result =
      run({"arm.urdf", "log.csv", "--validate", "other.csv", "--bootstrap", "20"});
  EXPECT_EQ(result.code, 0) << result.err;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_TRUE(result.says("combinations")) << result.out;
  EXPECT_TRUE(result.says("%: j1 ")) << result.out;
  EXPECT_TRUE(result.says("bootstrap"));
  const CommandResult classical = run({"arm.urdf", "log.csv", "--bootstrap", "0"});
  EXPECT_FALSE(classical.says("bootstrap")) << classical.out;
  EXPECT_TRUE(classical.says("classical intervals"));
  for (const char* words : {"planar: ", "residual", "fitted", "validated", "j1.viscous", "before",
                            "condition number", "kg"})
    EXPECT_TRUE(result.says(words)) << words << "\n" << result.out;
  EXPECT_FALSE(result.says("nan"));
  EXPECT_FALSE(result.says("inf"));
}

TEST_F(IdentifyCommand, the_file_that_it_writes_has_the_torques_of_the_log_and_its_own_comments) {
  const CommandResult result = run({"arm.urdf", "log.csv", "--bootstrap", "0", "-o", "out.urdf"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_TRUE(result.says("out.urdf"));
  EXPECT_TRUE(read_text(folder_ / "out.urdf").starts_with("<!-- Kept as it is. -->\n"));
  const Model<double> made = load_robot((folder_ / "out.urdf").string());
  DynamicsWorkspace<double> a(made), b(truth_);
  const Model<double> before = load_robot((folder_ / "arm.urdf").string());
  DynamicsWorkspace<double> d(before);
  Draw<double> draw(1);
  double off = 0, off_before = 0, size = 0;
  for (int k = 0; k < 200; ++k) {
    const Array<double> q{draw(-1, 1), draw(-1, 1)}, qd{draw(-1, 1), draw(-1, 1)},
        qdd{draw(-1, 1), draw(-1, 1)};
    Array<double> x(2), y(2), z(2);
    tree_inverse_dynamics<double, double>(made, a, q, qd, qdd, {}, x);
    tree_inverse_dynamics<double, double>(truth_, b, q, qd, qdd, {}, y);
    tree_inverse_dynamics<double, double>(before, d, q, qd, qdd, {}, z);
    for (int j = 0; j < 2; ++j) {
      off += (x[j] - y[j]) * (x[j] - y[j]);
      off_before += (z[j] - y[j]) * (z[j] - y[j]);
      size += y[j] * y[j];
    }
  }
  EXPECT_LT(100 * std::sqrt(off / size), 1);
  EXPECT_GT(100 * std::sqrt(off_before / size), 5);
  // What was fitted needs no further change, and files are not overwritten.
  const Json again = run({"out.urdf", "log.csv", "--bootstrap", "0", "--json"}).json();
  EXPECT_LT(again["residual"]["train"]["all"].get<double>(), 1);
  expect_refusal(run({"arm.urdf", "log.csv", "-o", "out.urdf"}), "out.urdf");
}

TEST_F(IdentifyCommand, what_plain_readers_of_the_written_file_will_not_see_is_named) {
  const std::vector<std::string> words = {"arm.urdf",    "log.csv", "--bootstrap", "0",
                                          "--asymmetry", "-o",      "out.urdf",    "--force"};
  const CommandResult text = run(words);
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(text.says("other URDF readers do not see")) << text.out;
  std::vector<std::string> as_json = words;
  as_json.push_back("--json");
  const Json written = run(as_json).json()["written"];
  EXPECT_EQ(written["file"], "out.urdf");
  EXPECT_NE(written["notes"].dump().find("other URDF readers do not see"), std::string::npos)
      << written;
}

TEST_F(IdentifyCommand, the_page_stands_alone) {
  ASSERT_EQ(run({"arm.urdf", "log.csv", "--validate", "other.csv", "--bootstrap", "20", "--report",
                 "out.html"})
                .code,
            0);
  const std::string page = read_text(folder_ / "out.html");
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>") || page.starts_with("<!doctype html>"));
  for (const char* word : {"src=\"http", "href=\"http", "<link", "@import", "<script src"})
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  EXPECT_EQ(page.substr(0, page.find("<script")).find("nan"), std::string::npos);
  for (const char* tag : {"html", "body", "svg", "table", "tr", "td", "g", "figure", "section"}) {
    const auto count = [&](const std::string& what) {
      int n = 0;
      for (std::size_t at = page.find(what); at != std::string::npos; at = page.find(what, at + 1))
        ++n;
      return n;
    };
    const std::string t = tag;
    EXPECT_EQ(count("<" + t + ">") + count("<" + t + " "), count("</" + t + ">")) << tag;
  }
  EXPECT_NE(page.find("j2.coulomb"), std::string::npos);
  EXPECT_NE(page.find("other.csv"), std::string::npos);
}

TEST_F(IdentifyCommand, degrees_milliseconds_and_motors_are_mapped) {
  std::vector<std::vector<double>> list = rows({.seed = 1, .noise = 0.02});
  constexpr double deg = std::numbers::pi / 180;
  for (auto& row : list)  // motors of ratio 50 and -20; torques of motors
    row = {1e3 * row[0], 50 * row[1] / deg, -20 * row[2] / deg, row[3] / 50, row[4] / -20};
  write("motors.csv", list, "stamp_ms,a,b,ma,mb");
  write_text(folder_ / "map.yaml",
             "t: stamp_ms\nq: [a, b]\ntau: [ma, mb]\nunits: {t: ms, q: deg}\n"
             "motor: {N: [50, -20]}\n");
  const std::vector<std::string> how = {"--estimator", "weighted", "--bootstrap", "0",
                                        "--cutoff",    "5",        "--json"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), how.begin(), how.end());
    return run(words).json();
  };
  const Json plain = with({"arm.urdf", "log.csv"}),
             mapped = with({"arm.urdf", "motors.csv", "--columns", "map.yaml"});
  ASSERT_EQ(plain["parameters"].size(), mapped["parameters"].size());
  for (std::size_t k = 0; k < plain["parameters"].size(); ++k)
    EXPECT_NEAR(plain["parameters"][k]["value"].get<double>(),
                mapped["parameters"][k]["value"].get<double>(), 1e-5)
        << plain["parameters"][k]["name"];
}

TEST_F(IdentifyCommand, every_kind_of_damage_is_told_with_its_rows) {
  struct Damage {
    const char* kind;
    std::function<void(std::vector<std::vector<double>>&)> make;
    const char* word;
    int first, last;  // rows that must be among those told
  };
  const Damage list[] = {
      {"a repeated row", [](auto& r) { r.insert(r.begin() + 500, r[499]); }, "repeat", 501, 501},
      {"a gap", [](auto& r) { r.erase(r.begin() + 600, r.begin() + 700); }, "gap", 600, 601},
      {"no number", [](auto& r) { r[700][3] = std::nan(""); }, "number", 701, 701},
      {"a spike", [](auto& r) { r[800][4] += 300; }, "spike", 801, 801},
      {"a spike of positions", [](auto& r) { r[900][1] += 2; }, "spike", 901, 901},
      {"jitter",
       [](auto& r) {
         Draw<double> draw(3);
         for (auto& row : r) row[0] += draw(-0.001, 0.001);
       },
       "jitter", 1, 1},
  };
  const std::vector<std::vector<double>> whole = rows({.seed = 1, .noise = 0.02});
  for (const Damage& damage : list) {
    std::vector<std::vector<double>> damaged = whole;
    damage.make(damaged);
    write("damaged.csv", damaged);
    const CommandResult result = run({"arm.urdf", "damaged.csv", "--bootstrap", "0", "--json"});
    ASSERT_EQ(result.code, 0) << damage.kind << result.err;
    const Json j = result.json();
    bool told = false;
    for (const Json& r : j["repaired"])
      told |= r["what"].get<std::string>().find(damage.word) != std::string::npos &&
              r["rows"][0].get<int>() <= damage.last && r["rows"][1].get<int>() >= damage.first;
    EXPECT_TRUE(told) << damage.kind << ": " << j["repaired"];
    EXPECT_LT(j["residual"]["train"]["all"].get<double>(), 2) << damage.kind;
  }
  // What comes again and again is one line for people, and stays row by row for programs.
  std::vector<std::vector<double>> often = whole;
  for (int k = 30; k > 0; --k) {
    const auto row = static_cast<std::size_t>(100 * k);
    often.insert(often.begin() + 100 * k, often[row - 1]);
  }
  write("damaged.csv", often);
  const CommandResult text_of_many = run({"arm.urdf", "damaged.csv", "--bootstrap", "0"});
  EXPECT_TRUE(text_of_many.says("rows 101, 202, 303, 404, 505, 606 and 24 more: repeats the row"));
  EXPECT_EQ(
      run({"arm.urdf", "damaged.csv", "--bootstrap", "0", "--json"}).json()["repaired"].size(),
      30U);
  // A line that is none.
  std::string text = read_text(folder_ / "log.csv");
  std::size_t at = 0;
  for (int k = 0; k < 1000; ++k) at = text.find('\n', at) + 1;
  text.insert(at, "1.0,garb\n");
  write_text(folder_ / "damaged.csv", text);
  const Json j = run({"arm.urdf", "damaged.csv", "--bootstrap", "0", "--json"}).json();
  ASSERT_EQ(j["repaired"].size(), 1U) << j["repaired"];
  EXPECT_EQ(j["repaired"][0]["rows"], Json::parse("[1000, 1000]"));
}

TEST_F(IdentifyCommand, bad_input_is_one_line_and_nothing_is_written) {
  const auto refused = [&](std::vector<std::string> words, const std::string& text) {
    words.insert(words.end(), {"-o", "out.urdf", "--report", "out.html"});
    expect_refusal(run(words), text);
    expect_no_new_file();
  };
  refused({"arm.urdf", "none.csv"}, "none.csv");
  refused({"none.urdf", "log.csv"}, "none.urdf");
  refused({"arm.urdf", "log.csv", "--validate", "none.csv"}, "none.csv");
  refused({"arm.urdf", "log.csv", "--columns", "none.yaml"}, "none.yaml");
  refused({"puma560", "log.csv"}, "log.csv");
  refused({"arm.urdf", "log.csv", "--split", "2"}, "--split");
  refused({"arm.urdf", "log.csv", "--bootstrap", "1"}, "--bootstrap");
  refused({"arm.urdf", "log.csv", "--split", "0"}, "--split");
  refused({"arm.urdf", "log.csv", "--cutoff", "-1"}, "--cutoff");
  refused({"arm.urdf", "log.csv", "--cutoff", "1e9"}, "cut-off");
  refused({"arm.urdf", "log.csv", "--estimator", "wieghted"}, "weighted");
  refused({"arm.urdf", "log.csv", "--unknowns", "j1.viscos"}, "j1.viscous");
  refused({"arm.urdf", "log.csv", "--payload", "tpi"}, "did you mean \"tip\"");
  refused({"arm.urdf", "log.csv", "--payload", "tip=-1"}, "mass");
  refused({"arm.urdf", "log.csv", "--payload", "tip=1:else.csv"}, "else.csv");
  refused({"arm.urdf", "log.csv", "--payload-only"}, "unknown");
  refused({"arm.urdf", "log.csv", "--mass", "-3"}, "--mass");
  refused({"arm.urdf", "log.csv", "--gamma", "abc"}, "--gamma");
  const std::pair<const char*, const char*> beyond[] = {
      {"--decimate", "1e99"},  {"--decimate", "0"},      {"--decimate", "2.5"},
      {"--block", "1e9"},      {"--block", "0"},         {"--seed", "-1"},
      {"--seed", "1e99"},      {"--seed", "1.5"},        {"--gamma", "0"},
      {"--gamma", "1e99"},     {"--mass", "1e99"},       {"--mass", "3+--1"},
      {"--width", "-1"},       {"--width", "1e99"},      {"--cutoff", "nan"},
      {"--cutoff", "1e99"},    {"--period", "0"},        {"--period", "inf"},
      {"--split", "nan"},      {"--bootstrap", "-1"},    {"--bootstrap", "1e9"},
      {"--least-speed", "-1"}, {"--least-speed", "1e99"}};
  for (const auto& [option, value] : beyond)
    refused({"arm.urdf", "log.csv", option, value}, option);
  refused({"arm.urdf", "log.csv", "--payload", "tip=1e99"}, "--payload");
  for (const char* bounds : {"l1", "l1=3", "l1=3:2", "=1:2", "l1=1:1e99", "l1=a:b"})
    refused({"arm.urdf", "log.csv", "--link-mass", bounds}, "--link-mass");
  for (const char* bounds :
       {"l1", "l1=0,0,0", "l1=0,0:1,1,1", "l1=0,0,0:1,0,1", "l1=0,0,0:1,1,nan", "l1=1e9,0,0:1,1,1"})
    refused({"arm.urdf", "log.csv", "--link-ellipsoid", bounds}, "--link-ellipsoid");
  refused({"arm.urdf", "log.csv", "--link-ellipsoid", "none=0,0,0:1,1,1"}, "none");
  for (const char* estimator : {"instrumental", "didim"})
    refused({"arm.urdf", "log.csv", "--estimator", estimator}, "q_ref.<joint>");
  refused({"arm.urdf", "log.csv", "--estimator", "output_error"}, "Stribeck");
  write_text(folder_ / "empty.csv", "");
  refused({"arm.urdf", "empty.csv"}, "empty.csv");
  write_text(folder_ / "map.yaml", "t: t\nqq: [q.j1, q.j2]\n");
  refused({"arm.urdf", "log.csv", "--columns", "map.yaml"}, "map.yaml:2");
  write_text(folder_ / "map.yaml", "q: [q.j1]\ntau: [tau.j1, tau.j2]\n");
  refused({"arm.urdf", "log.csv", "--columns", "map.yaml"}, "");
  write_text(folder_ / "map.yaml", "motor: {N: [1, 2, 3]}\n");
  refused({"arm.urdf", "log.csv", "--columns", "map.yaml"}, "");
  write_text(folder_ / "map.yaml", "motor: {N: [[1, 1], [1, 1]]}\n");
  refused({"arm.urdf", "log.csv", "--columns", "map.yaml"}, "");
}

}  // namespace
}  // namespace torsor::testing
