// Bad SDF: one line that names file, line and element, whatever the file holds.
#include <gtest/gtest.h>

#include <ctime>
#include <random>

#include "support/refusal.hpp"
#include "torsor/formats/robot_format.hpp"

using namespace torsor;
using torsor::testing::facts;

namespace {

std::string refusal(const std::string& text) {
  std::string message = "no error";
  try {
    (void)robot_format("sdf").read(text, "r.sdf", nullptr);
  } catch (const Error& error) {
    message = error.what();
    EXPECT_TRUE(message.starts_with("r.sdf:")) << message;
  }
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  EXPECT_LT(message.size(), 500u) << message;
  Findings found;
  try {
    (void)robot_format("sdf").examine(text, "r.sdf", found);
    EXPECT_EQ(message != "no error",
              std::any_of(found.begin(), found.end(),
                          [](const Finding& f) { return f.severity == Finding::Severity::error; }))
        << message << "\n"
        << text;
  } catch (const Error&) {
    EXPECT_NE(message, "no error");
  }
  return message;
}
/// What is inside of the model is in line 2.
std::string model(const std::string& inside, const char* version = "1.9") {
  return "<sdf version=\"" + std::string(version) + "\"><model name=\"m\">\n" + inside +
         "\n</model></sdf>";
}
const std::string two = "<link name=\"a\"/><link name=\"b\"/>";
std::string joint(const std::string& inside, const std::string& type = "revolute") {
  return model(two + "<joint name=\"j\" type=\"" + type + "\"><parent>a</parent><child>b</child>" +
               inside + "</joint>");
}

TEST(BadSdf, empty_truncated_and_of_other_formats) {
  EXPECT_EQ(refusal(""), "r.sdf:1: file is empty");
  EXPECT_EQ(facts(refusal("<robot/>")), "r.sdf:1: <robot> <sdf>");
  EXPECT_NE(refusal("<sdf version=\"1.9\"/>").find("<model>"), std::string::npos);
  const std::string whole = joint("<axis><xyz>0 0 1</xyz></axis>");
  ASSERT_EQ(refusal(whole), "no error");
  for (std::size_t size = 0; size + 1 < whole.size(); ++size)
    EXPECT_NE(refusal(whole.substr(0, size)), "no error") << size;
}

TEST(BadSdf, versions) {
  for (const char* version : {"", "1.1", "2.0", "1.99", "x"})
    EXPECT_NE(refusal(model(two, version)).find("1.2 to 1.11"), std::string::npos) << version;
}

TEST(BadSdf, values) {
  const std::pair<std::string, std::string> cases[] = {
      {joint("<axis><xyz>0 0 0</xyz></axis>"), "zero"},
      {joint("<axis><xyz>0 0 x</xyz></axis>"), "\"x\""},
      {joint("<axis><xyz>0 0</xyz></axis>"), "numbers"},
      {joint("<axis/>", "hinge"), "\"hinge\""},
      {joint("<axis><dynamics><damping>-1</damping></dynamics></axis>"), "-1"},
      {joint("<axis><dynamics><spring_stiffness>-1</spring_stiffness></dynamics></axis>"), "-1"},
      {joint("<axis><dynamics><friction>inf</friction></dynamics></axis>"), "inf"},
      {joint("<axis><xyz expressed_in=\"q\">0 0 1</xyz></axis>"), "\"q\""},
      {joint("<pose relative_to=\"none\"/><axis/>"), "\"none\""},
      {joint("<thread_pitch>0</thread_pitch><axis/>", "screw"), "pitch"},
      {model("<link name=\"a\"/><link name=\"a\"/>"), "\"a\""},
      {model("<link name=\"\"/>"), "empty"},
      {model("<link/>"), "name"},
      {model("<link name=\"world\"/>"), "world"},
      {model("<link name=\"a\"><pose>0 0 0</pose></link>"), "numbers"},
      {model("<link name=\"a\"><pose rotation_format=\"deg\">0 0 0 0 0 0</pose></link>"),
       "\"deg\""},
      {model("<link name=\"a\"><inertial><mass>-1</mass></inertial></link>"), "-1"},
      {model("<link name=\"a\"><inertial><mass>1,5</mass></inertial></link>"), "1.5"},
      {model("<link name=\"a\"><inertial auto=\"true\"/></link>"), "collision"},
      {model("<link name=\"a\"><inertial><pose relative_to=\"b\">0 0 0 0 0 "
             "0</pose></inertial></link>"),
       "relative_to"},
      {model(two + "<joint name=\"j\" type=\"fixed\"><parent>a</parent></joint>"), "<child>"},
      {model(two + "<joint name=\"j\" type=\"fixed\"><parent>a</parent><child>c</child></joint>"),
       "\"c\""},
      {model(two + "<joint name=\"j\" type=\"fixed\"><parent>a</parent><child>a</child></joint>"),
       "\"a\""},
      {model(two +
             "<joint name=\"j\" type=\"fixed\"><parent>a</parent><child>world</child></joint>"),
       "world"},
      {model("<link name=\"a\"><pose relative_to=\"f\"/></link><frame name=\"f\">"
             "<pose relative_to=\"a\"/></frame>"),
       "itself"},
      {model("<frame name=\"f\" attached_to=\"g\"/><frame name=\"g\" attached_to=\"f\"/>"
             "<link name=\"a\"/>"),
       "itself"},
      {model("<include><uri>model://no_such_model</uri></include><link name=\"a\"/>"),
       "no_such_model"},
      {model("<include><uri>https://fuel/x</uri></include><link name=\"a\"/>"), "local"},
      {model("<static>maybe</static><link name=\"a\"/>"), "\"maybe\""},
  };
  for (const auto& [text, word] : cases)
    EXPECT_NE(refusal(text).find(word), std::string::npos) << text << "\n" << refusal(text);
}

TEST(BadSdf, changed_bytes) {
  std::mt19937_64 random(5);
  const std::string whole = model(
      two +
      "<link name=\"c\"><pose relative_to=\"b\" degrees=\"true\">0 1 2 3 4 5</pose><inertial>"
      "<pose>0 0 1 0 0 0</pose><mass>1</mass></inertial><visual name=\"v\"><geometry><box><size>1 "
      "1 1"
      "</size></box></geometry></visual></link><frame name=\"f\" attached_to=\"c\"/>"
      "<joint name=\"j\" type=\"revolute\"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz>"
      "<limit><lower>-1</lower></limit></axis></joint><joint name=\"k\" "
      "type=\"universal\"><parent>b"
      "</parent><child>c</child><axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 "
      "0</xyz></axis2></joint>");
  ASSERT_EQ(refusal(whole), "no error");
  for (int round = 0; round < 400; ++round) {
    std::string text = whole;
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

TEST(BadSdf, a_large_file_takes_time_in_proportion) {
  const auto seconds = [](int links) {
    std::string text;
    for (int k = 0; k < links; ++k) {
      const std::string n = std::to_string(k),
                        before = k == 0 ? "world" : "l" + std::to_string(k - 1);
      text += "<link name=\"l" + n +
              "\"><inertial><mass>1</mass></inertial></link><joint name=\"j" + n +
              "\" type=\"revolute\"><parent>" + (k % 1000 == 0 ? "world" : before) +
              "</parent><child>l" + n + "</child><axis><xyz>0 0 1</xyz></axis></joint>\n";
    }
    const std::clock_t start = std::clock();  // of this process alone
    (void)robot_format("sdf").read(model(text), "r.sdf", nullptr);
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  const double small = seconds(10000), large = seconds(80000);
  EXPECT_LT(large, 24 * small) << small << " s and " << large << " s";
}

}  // namespace
