// Four times the file is about four times the work, for every reader, checker, editor and writer.
//
// Work is counted in instructions where the kernel lets one count them, else in processor time of this
// thread: not in time on the clock, which other programs share.
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <functional>

#include "house/process.hpp"
#include "torsor/formats/check_model.hpp"
#include "torsor/formats/robot_format.hpp"
#include "torsor/formats/xacro.hpp"
#include "torsor/model/model.hpp"

namespace torsor {
namespace {

class Counter {
 public:
  Counter() {
    perf_event_attr a{};
    a.size = sizeof a;
    a.type = PERF_TYPE_HARDWARE;
    a.config = PERF_COUNT_HW_INSTRUCTIONS;
    a.exclude_kernel = 1;
    file_ = static_cast<int>(syscall(SYS_perf_event_open, &a, 0, -1, -1, 0));
  }
  ~Counter() {
    if (file_ >= 0) close(file_);
  }
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  bool exact() const { return file_ >= 0; }
  double now() const {
    std::uint64_t count = 0;
    if (exact() && read(file_, &count, sizeof count) == sizeof count)
      return static_cast<double>(count);
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
  }

 private:
  int file_ = -1;
};

/// The least of some runs: a cache that others use only adds.
double work(const std::function<void()>& job) {
  const Counter counter;
  double least = 1e300;
  for (int k = 0; k < (counter.exact() ? 1 : 4); ++k) {
    const double start = counter.now();
    job();
    least = std::min(least, counter.now() - start);
  }
  return least;
}

/// `make(n)` is a text with n of everything. The square would be 16; n log n is less than 5.
void expect_linear(const char* what, const std::function<std::string(int)>& make,
                   const std::function<void(const std::string&)>& job) {
  constexpr int n = 250;
  const std::string small = make(n), large = make(4 * n);
  job(small);  // what is made once
  const double a = work([&] { job(small); }), b = work([&] { job(large); });
  const double growth = static_cast<double>(large.size()) / static_cast<double>(small.size());
  EXPECT_LT(b / a, (Counter().exact() ? 1.4 : 2.2) * growth) << what;
}

std::string id(int k) { return std::to_string(k); }

std::string mjcf(int n) {
  std::string t = "<mujoco><worldbody>";
  for (int k = 0; k < n; ++k) {  // nameless bodies, shapes and tendons get names
    t += "<body pos=\"0 0 0.1\"><joint name=\"j" + id(k) + "\" range=\"30 -30\"/>";
    t += "<geom size=\"0.1\"/><site name=\"s" + id(k) + "\"/><camera/></body>\n";
  }
  t += "</worldbody><actuator>";
  for (int k = 0; k < n; ++k) t += "<motor joint=\"j" + id(k) + "\"/>\n";
  t += "</actuator><equality>";
  for (int k = 0; k + 1 < n; k += 2)
    t += "<joint joint1=\"j" + id(k) + "\" joint2=\"j" + id(k + 1) + "\"/>\n";
  t += "</equality><tendon>";
  for (int k = 0; k + 1 < n; k += 2)
    t += "<spatial stiffness=\"1\"><site site=\"s" + id(k) + "\"/><site site=\"s" + id(k + 1) +
         "\"/></spatial>\n";
  return t + "</tendon></mujoco>";
}

std::string sdf(int n) {
  std::string t = "<sdf version=\"1.9\"><model name=\"m\"><link name=\"base\"/>";
  for (int k = 0; k < n; ++k) {
    const std::string parent = k % 100 ? "l" + id(k - 1) : "base";
    t += "<link name=\"l" + id(k) + "\"><pose relative_to=\"" + parent +
         "\">0 0.1 0.1 0 0 0</pose><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy>"
         "<izz>5</izz></inertia></inertial></link>\n<joint name=\"j" +
         id(k) + "\" type=\"revolute\"><parent>" + parent + "</parent><child>l" + id(k) +
         "</child><pose>0 0.1 0 0 0 0</pose><axis><xyz>0 0 1</xyz><limit><lower>1</lower>"
         "<upper>-1</upper></limit></axis></joint><frame name=\"f" +
         id(k) + "\" attached_to=\"l" + id(k) + "\"/>\n";
  }
  return t + "</model></sdf>";
}

std::string urdf(int n) {
  std::string t = "<robot name=\"r\"><link name=\"base\"/>";
  for (int k = 0; k < n; ++k)
    t += "<link name=\"l" + id(k) +
         "\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"5\" ixy=\"0\" "
         "ixz=\"0\" iyz=\"0\"/></inertial></link>\n<joint name=\"j" +
         id(k) + "\" type=\"revolute\"><parent link=\"" + (k % 100 ? "l" + id(k - 1) : "base") +
         "\"/><child link=\"l" + id(k) +
         "\"/><axis xyz=\"0 0 2\"/><limit lower=\"-1\" upper=\"1\" effort=\"0\" "
         "velocity=\"1\"/></joint>\n";
  return t + "</robot>";
}

std::string robot_file(int n) {
  std::string t = "robot: r\nbodies:\n  - {name: base}\n";
  for (int k = 0; k < n; ++k)
    t += "  - {name: l" + id(k) + ", mass: 1, inertia: {xx: 1, yy: 1, zz: 5}}\n";
  t += "joints:\n";
  for (int k = 0; k < n; ++k)
    t += "  - {name: j" + id(k) +
         ", type: revolute, parent: " + (k % 100 ? "l" + id(k - 1) : "base") + ", child: l" +
         id(k) + ", limits: {lower: 1, upper: -1}}\n";
  return t;
}

std::string xacro(int n) {
  std::string t =
      "<robot name=\"r\" xmlns:xacro=\"http://ros.org/wiki/xacro\"><link name=\"base\"/>"
      "<xacro:property name=\"m\" value=\"${2 * 3}\"/><xacro:macro name=\"arm\" params=\"k *b\">"
      "<link name=\"l${k}\"><inertial><mass value=\"${m / 2}\"/></inertial></link>"
      "<joint name=\"j${k}\" type=\"fixed\"><parent link=\"base\"/><child link=\"l${k}\"/>"
      "<xacro:insert_block name=\"b\"/></joint></xacro:macro>\n";
  for (int k = 0; k < n; ++k)
    t += "<xacro:arm k=\"" + id(k) + "\"><origin xyz=\"0 0 ${sin(pi / 2)}\"/></xacro:arm>\n";
  return t + "</robot>";
}

struct Texts {
  const char* format;
  std::string (*make)(int);
};
class LinearTime : public ::testing::TestWithParam<Texts> {};

TEST_P(LinearTime, of_readers_checkers_editors_and_writers) {
  const RobotFormat& format = robot_format(GetParam().format);
  const std::string file = std::string("r") + std::string(format.extensions.front());
  const auto examined = [&](const std::string& text) {
    Findings findings;
    return format.examine(text, file, findings);
  };
  expect_linear("examine", GetParam().make, [&](const std::string& t) { (void)examined(t); });
  expect_linear("check and edit", GetParam().make, [&](const std::string& t) {
    const RobotDescription robot = examined(t);
    (void)check_model(robot, {.meshes = false});
    const Repair repair = repair_model(robot);
    (void)format.edit(t, robot, repair.robot);
  });
  // The sound robot, as it is written.
  const auto sound = [&](int n) {
    const Conversion c = format.write(repair_model(examined(GetParam().make(n))).robot, "");
    EXPECT_TRUE(c.ok()) << c.message;
    return c.text;
  };
  expect_linear("read, compile and write", sound, [&](const std::string& t) {
    const Model<double> model(format.read(t, file, nullptr));
    EXPECT_TRUE(format.write(model.description(), "").ok());
  });
}

INSTANTIATE_TEST_SUITE_P(, LinearTime,
                         ::testing::Values(Texts{"mjcf", mjcf}, Texts{"sdf", sdf},
                                           Texts{"urdf", urdf}, Texts{"robot", robot_file}),
                         [](const auto& format) { return std::string(format.param.format); });

TEST(LinearTimeOfXacro, expansion) {
  const testing::ScratchFolder folder;
  const std::string file = (folder / "r.xacro").string();
  expect_linear("expand", xacro, [&](const std::string& text) {
    testing::write_text(file, text);
    (void)expand_xacro(file);
  });
}

}  // namespace
}  // namespace torsor
