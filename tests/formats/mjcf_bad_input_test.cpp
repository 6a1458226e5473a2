// Bad MJCF: one line that names file, line and element, whatever the file holds.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <random>

#include "formats/mjcf_files.hpp"
#include "house/process.hpp"
#include "support/refusal.hpp"
#include "torsor/formats/check_file.hpp"
#include "torsor/formats/load_robot.hpp"
#include "torsor/formats/robot_format.hpp"

using namespace torsor;
using torsor::testing::facts;

namespace {

std::string refusal(const std::string& text, const std::string& file = "r.xml") {
  std::string message = "no error";
  try {
    (void)robot_format("mjcf").read(text, file, nullptr);
  } catch (const Error& error) {
    message = error.what();
    EXPECT_TRUE(message.starts_with(file + ":")) << message;
    EXPECT_TRUE(std::isdigit(static_cast<unsigned char>(message[file.size() + 1]))) << message;
  }
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_LT(message.size(), 500u) << message;
  // The examiner says the same and goes on.
  Findings found;
  try {
    (void)robot_format("mjcf").examine(text, file, found);
    for (const Finding& f : found) EXPECT_EQ(f.line().find('\n'), std::string::npos);
    EXPECT_EQ(message != "no error",
              std::any_of(found.begin(), found.end(),
                          [](const Finding& f) { return f.severity == Finding::Severity::error; }))
        << message;
  } catch (const Error&) {
    EXPECT_NE(message, "no error");
  }
  return message;
}
/// The body is in line 3, what is in it in line 4.
std::string body(const std::string& inside, const std::string& rest = "") {
  return "<mujoco>" + rest + "\n<worldbody>\n<body name=\"b\">\n" + inside +
         "\n</body></worldbody></mujoco>";
}

TEST(BadMjcf, empty_truncated_and_binary_text) {
  EXPECT_EQ(refusal(""), "r.xml:1: file is empty");
  EXPECT_EQ(refusal(std::string("\0\1", 2)), "r.xml:1: not a text file (it holds the byte 0)");
  EXPECT_EQ(facts(refusal("<robot/>")), "r.xml:1: <robot> <mujoco>");
  EXPECT_EQ(facts(refusal("<mujoco/>")), "r.xml:1: <mujoco> <mujoco> <worldbody>");
  const std::string whole = body("<joint/><geom size=\"1\"/>");
  ASSERT_EQ(refusal(whole), "no error");
  for (std::size_t size = 0; size + 1 < whole.size(); ++size)
    EXPECT_NE(refusal(whole.substr(0, size)), "no error") << size;
}

TEST(BadMjcf, values) {
  const std::pair<std::string, std::string> cases[] = {
      {"<joint axis=\"0 0 0\"/>", "axis is zero"},
      {"<joint axis=\"0 0\"/>", "numbers"},
      {"<joint axis=\"0 0 x\"/>", "\"x\""},
      {"<joint axis=\"0 0 nan\"/>", "nan"},
      {"<joint type=\"hing\"/>", "\"hinge\""},
      {"<joint class=\"none\"/>", "\"none\""},
      {"<joint damping=\"-1\"/>", "-1"},
      {"<joint armature=\"-1\"/>", "-1"},
      {"<joint name=\"j\"/><joint name=\"j\"/>", "\"j\""},
      {"<joint type=\"ball\"/><joint type=\"ball\"/><joint/>", "6 degrees"},
      {"<freejoint/><joint/>", "6 degrees"},
      {"<geom/>", "size"},
      {"<geom size=\"-1\"/>", "-1"},
      {"<geom type=\"ball\" size=\"1\"/>", "\"ball\""},
      {"<geom type=\"mesh\" mesh=\"m\"/>", "\"m\""},
      {"<geom type=\"box\" size=\"1\"/>", "box"},
      {"<geom size=\"1\" mass=\"-2\"/>", "-2"},
      {"<geom type=\"capsule\" size=\"1\" fromto=\"0 0 0 0 0 0\"/>", "fromto"},
      {"<geom size=\"1\" quat=\"0 0 0 0\"/>", "quat"},
      {"<inertial mass=\"1\"/>", "pos"},
      {"<inertial pos=\"0 0 0\" mass=\"-1\"/>", "-1"},
      {"<inertial pos=\"0 0 0\" mass=\"1\" fullinertia=\"1 1 1 0 0 0\" diaginertia=\"1 1 1\"/>",
       "fullinertia"},
      {"<inertial pos=\"0 0 0\" mass=\"1\"/><inertial pos=\"0 0 0\" mass=\"1\"/>", "second"},
      {"<body name=\"b\"/>", "\"b\""},
      {"<body name=\"world\"/>", "world"},
      {"<body><freejoint/></body>", "free"},
      {"<replicate count=\"1e9\"><geom size=\"1\"/></replicate>", "count"},
      {"<replicate count=\"1.5\"><geom size=\"1\"/></replicate>", "count"},
      {"<attach model=\"m\" prefix=\"p\"/>", "unknown model"},
  };
  for (const auto& [inside, word] : cases) {
    const std::string message = refusal(body(inside));
    EXPECT_NE(message.find(word), std::string::npos) << inside << "\n" << message;
    EXPECT_TRUE(message.starts_with("r.xml:4:") || message.starts_with("r.xml:3:")) << message;
  }
}

TEST(BadMjcf, names_that_do_not_resolve) {
  const std::string good = "<joint name=\"elbow\"/><geom size=\"1\"/><site name=\"s\"/>";
  const auto with = [&](const std::string& section) {
    std::string text = body(good);
    return refusal(text.replace(text.find("</mujoco>"), 9, "\n" + section + "</mujoco>"));
  };
  EXPECT_NE(with("<equality><connect body1=\"c\" anchor=\"0 0 0\"/></equality>").find("\"c\""),
            std::string::npos);
  EXPECT_NE(with("<equality><weld site1=\"x\" site2=\"s\"/></equality>").find("\"x\""),
            std::string::npos);
  EXPECT_NE(with("<equality><weld site1=\"s\"/></equality>").find("site2"), std::string::npos);
  EXPECT_NE(with("<equality><connect/></equality>").find("body1"), std::string::npos);
  EXPECT_NE(with("<equality><joint joint1=\"elbo\"/></equality>").find("\"elbow\""),
            std::string::npos);
  EXPECT_NE(with("<actuator><motor joint=\"x\"/></actuator>").find("\"x\""), std::string::npos);
  EXPECT_NE(with("<tendon><fixed><joint joint=\"x\" coef=\"1\"/></fixed></tendon>").find("\"x\""),
            std::string::npos);
}

TEST(BadMjcf, options_of_the_compiler) {
  const auto with = [](const std::string& compiler) {
    return refusal(body("<geom size=\"1\"/>", "<compiler " + compiler + "/>"));
  };
  EXPECT_NE(with("angle=\"grad\"").find("\"grad\""), std::string::npos);
  EXPECT_NE(with("eulerseq=\"xyw\"").find("\"xyw\""), std::string::npos);
  EXPECT_NE(with("coordinate=\"global\"").find("global"), std::string::npos);
  EXPECT_NE(with("boundmass=\"x\"").find("\"x\""), std::string::npos);
}

TEST(BadMjcf, includes_exist_and_end) {
  const torsor::testing::ScratchFolder folder;
  const std::string file = (folder / "r.xml").string();
  const auto of = [&](const std::string& included) {
    return refusal("<mujoco>\n<include file=\"" + included + "\"/><worldbody/></mujoco>", file);
  };
  torsor::testing::write_text((folder / "self.xml").string(),
                              "<x><include file=\"self.xml\"/></x>");
  torsor::testing::write_text((folder / "up.xml").string(), "<x><include file=\"r.xml\"/></x>");
  EXPECT_NE(of("none.xml").find("none.xml"), std::string::npos);
  EXPECT_NE(of("../none.xml").find("no such file"), std::string::npos);
  EXPECT_NE(of(".").find("folder"), std::string::npos);
  ASSERT_EQ(::mkfifo((folder / "pipe.xml").c_str(), 0600), 0);
  EXPECT_NE(of("pipe.xml").find("is a pipe"), std::string::npos);
  std::string message = "no error";
  try {
    (void)robot_format("mjcf").read("<mujoco><include file=\"self.xml\"/><worldbody/></mujoco>",
                                    file, nullptr);
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_NE(message.find("already"), std::string::npos) << message;
}

TEST(BadMjcf, replicas_of_replicas_are_bounded) {
  std::string text;
  for (int k = 0; k < 8; ++k) text += "<replicate count=\"1000\">";
  text += "<geom size=\"1\"/>";
  for (int k = 0; k < 8; ++k) text += "</replicate>";
  EXPECT_NE(refusal(body(text)).find("1000000"), std::string::npos);
}

/// Bytes of good files that are changed, cut and repeated: an error of one line, or a robot.
TEST(BadMjcf, changed_bytes) {
  std::mt19937_64 random(7);
  for (const torsor::testing::MjcfFile& file : torsor::testing::mjcf_files())
    for (int round = 0; round < 60; ++round) {
      std::string text = file.text;
      for (int k = 0; k < 3; ++k) {
        const std::size_t at = random() % text.size();
        if (round % 3 == 0)
          text[at] = "<>\"'=/ 09.-e"[random() % 12];
        else if (round % 3 == 1)
          text.erase(at, random() % 20);
        else
          text.insert(at, text.substr(random() % text.size(), random() % 30));
      }
      (void)refusal(text);
    }
}

TEST(BadMjcf, a_file_of_fifty_megabytes_takes_time_in_proportion) {
  const auto seconds = [](int bodies) {
    std::string text = "<mujoco><default><joint damping=\"1\"/></default><worldbody>";
    for (int k = 0; k < bodies; ++k) {
      const std::string n = std::to_string(k);
      text +=
          "<body name=\"body_" + n + "\" pos=\"0.1 0.2 0.3\" euler=\"1 2 3\"><joint name=\"j" + n +
          "\" axis=\"0 1 0\" range=\"-90 90\"/><geom type=\"capsule\" size=\"0.1 0.2\"/></body>\n";
    }
    text += "</worldbody></mujoco>";
    const auto start = std::chrono::steady_clock::now();
    Findings found;
    (void)robot_format("mjcf").read(text, "r.xml", &found);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const double small = seconds(10000), large = seconds(80000);  // 1.4 and 12 MB
  EXPECT_LT(large, 24 * small) << small << " s and " << large << " s";
}

}  // namespace
