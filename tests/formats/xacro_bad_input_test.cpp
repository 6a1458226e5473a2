// Mistaken and hostile xacro files: one line each, with file, line and the way there, in little time.
#include <sys/stat.h>

#include <chrono>

#include "formats/xacro_files.hpp"

using namespace torsor;
using BadXacro = torsor::testing::XacroFiles;

namespace {

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int k = 0; k < times; ++k) out += text;
  return out;
}

}  // namespace

TEST_F(BadXacro, macros) {
  const std::string macro = "<xacro:macro name='arm' params='side *block len:=1'/>";
  EXPECT_EQ(expanded("<xacro:amr/>" + macro), "main.xacro:2: unknown macro \"xacro:amr\"");
  EXPECT_EQ(expanded(macro + "<xacro:arn/>"),
            "main.xacro:2: unknown macro \"xacro:arn\"; did you mean \"arm\"?");
  EXPECT_EQ(expanded(macro + "<xacro:arm><b/></xacro:arm>"),
            "main.xacro:2: macro \"arm\" needs side");
  EXPECT_EQ(expanded(macro + "<xacro:arm side='l'/>"),
            "main.xacro:2: macro \"arm\" needs a block for \"*block\", and has 0");
  EXPECT_EQ(expanded(macro + "<xacro:arm side='l'><b/><c/></xacro:arm>"),
            "main.xacro:2: macro \"arm\": block <c> is not used");
  EXPECT_EQ(expanded(macro + "<xacro:arm sid='l'><b/></xacro:arm>"),
            "main.xacro:2: macro \"arm\" has no parameter \"sid\"; did you mean \"side\"?");
  EXPECT_EQ(expanded("<xacro:macro name='a.b'/>"),
            "main.xacro:2: macro \"a.b\": a dot separates namespaces, no name has one");
  EXPECT_EQ(expanded("<xacro:macro name='a' params='b b'/>"),
            "main.xacro:2: params: \"b\" is there twice");
  EXPECT_EQ(expanded("<xacro:s.m/>"), "main.xacro:2: <xacro:s.m>: there is no namespace \"s\"");
  EXPECT_EQ(expanded("<xacro:insert_block name='b'/>"), "main.xacro:2: unknown block \"b\"");
  EXPECT_EQ(expanded("<xacro:macro params='a'/>"),
            "main.xacro:2: <xacro:macro> has no attribute name");
}
TEST_F(BadXacro, properties_and_arguments) {
  EXPECT_EQ(expanded("<xacro:property name='a b' value='1'/>"),
            "main.xacro:2: property \"a b\": the name is no identifier");
  EXPECT_EQ(expanded("<xacro:property name='lambda' value='1'/>"),
            "main.xacro:2: property \"lambda\": the name is no identifier");
  EXPECT_EQ(expanded("<xacro:property name='a' value='1' default='2'/>"),
            "main.xacro:2: property \"a\": value, default and remove exclude each other");
  EXPECT_EQ(
      without_folder(expanded("<xacro:property name='a' value='${b}'/>\n"
                              "<xacro:property name='b' value='${a}'/>\n<x v='${a}'/>")),
      "main.xacro:4: ${a}: property \"a\" (main.xacro:2): ${b}: property \"b\" (main.xacro:3): "
      "${a}: property \"a\" is defined by itself");
  EXPECT_EQ(expanded("<xacro:arg name='a'/>"),
            "main.xacro:2: <xacro:arg> has no attribute default");
  EXPECT_EQ(expanded("<x v='$(fnid a)'/>"),
            "main.xacro:2: unknown substitution $(fnid a); did you mean \"find\"?");
  EXPECT_EQ(expanded("<x v='${1'/>"), "main.xacro:2: \"${1\" has no closing }");
  EXPECT_EQ(expanded("<x v='a$$b'/>"),
            "main.xacro:2: \"$$b\": several $ before what is no bracket");
  EXPECT_EQ(expanded("<xacro:element xacro:name='a b'/>"),
            "main.xacro:2: \"a b\" is no name of an element");
  EXPECT_THROW((void)expand_xacro(path("main.xacro"), {.arguments = {"nonsense"}}), Error);
}
TEST_F(BadXacro, pipes_and_devices_are_not_waited_for) {
  ASSERT_EQ(::mkfifo(path("pipe.xacro").c_str(), 0600), 0);
  const std::string what = "pipe.xacro: is a pipe or a device, not a file";
  EXPECT_NE(expanded("<xacro:include filename='pipe.xacro'/>").find(what), std::string::npos);
  EXPECT_NE(expanded("<x v=\"${xacro.load_yaml('pipe.xacro')}\"/>").find(what), std::string::npos);
  EXPECT_NE(expanded("<xacro:include filename='/dev/zero'/>").find("is a pipe or a device"),
            std::string::npos);
  EXPECT_THROW((void)expand_xacro(path("pipe.xacro")), Error);
}
TEST_F(BadXacro, the_way_through_includes_and_macros_is_named) {
  write("inner.xacro",
        document("<xacro:macro name='in' params='v'>\n<x v='${1 / v}'/>\n</xacro:macro>"));
  write("outer.xacro",
        document("<xacro:include filename='inner.xacro'/>\n"
                 "<xacro:macro name='out' params='v'>\n<xacro:in v='${v}'/></xacro:macro>"));
  EXPECT_EQ(expanded("<xacro:include filename='outer.xacro'/>\n\n<xacro:out v='0'/>"),
            "inner.xacro:3: ${1 / v}: division by zero; in macro \"in\" called at outer.xacro:4, "
            "in macro \"out\" called at main.xacro:4");
  write("broken.xacro", "<a>\n<b>\n</a>");
  const std::string said = expanded("<xacro:include filename='broken.xacro'/>");
  EXPECT_EQ(said.find("broken.xacro:"), 0u) << said;
  EXPECT_TRUE(said.ends_with("; included at main.xacro:2")) << said;
}
TEST_F(BadXacro, hostile_files_get_one_line_soon) {
  const auto start = std::chrono::steady_clock::now();
  const auto refused = [&](const std::string& body, const std::string& what) {
    const std::string said = expanded(body);
    EXPECT_NE(said.find(what), std::string::npos) << said.substr(0, 400);
    EXPECT_LT(said.size(), 4000u);
  };
  refused("<x v=\"${'a' * 10**9}\"/>", "text of more than");
  refused("<x v='${[0] * 10**9}'/>", "list of more than");
  refused("<x v='${10**10**10}'/>", "64 bits");
  refused("<x v='${2.0**10000}'/>", "too large");
  refused("<x v='${1 &lt;&lt; 10**6}'/>", "64 bits");
  refused("<x v='${range(10**12)}'/>", "list of more than");
  refused("<x v=\"${'%1000000d' % 1}\"/>", "more than 1000");
  refused(
      "<x v='${[a+b+c+d for a in range(99999) for b in range(99999) for c in range(99999) for d "
      "in range(99999)]}'/>",
      "list of more than");
  refused("<x v='${len([1 for a in range(9999) for b in range(99999) if a &lt; 0])}'/>", "512 MiB");
  refused("<x v='${len([[0] * 99999 for a in range(9999)])}'/>", "512 MiB");
  refused("<x v=\"${len(['a' * 999999 for a in range(9999)])}\"/>", "512 MiB");
  refused("<x v='" + repeated("${1}", 1'100'000) + "'/>", "more than");
  refused("<x v='${" + repeated("(", 5000) + "1" + repeated(")", 5000) + "}'/>",
          "inside each other");
  refused("<x v='${" + repeated("-", 5000) + "1}'/>", "inside each other");
  refused("<x v='${1" + repeated("+1", 5000) + "}'/>", "in a row");
  refused("<x v='${" + repeated("not ", 5000) + "1}'/>", "inside each other");
  refused("<x v='${a" + repeated(".a", 5000) + "}'/>", "in a row");
  refused("<xacro:macro name='m'><xacro:m/></xacro:macro><xacro:m/>", "inside each other");
  refused("<xacro:macro name='m'><xacro:m/><xacro:m/></xacro:macro><xacro:m/>",
          "inside each other");
  refused(
      "<xacro:macro name='m' params='n'><xacro:if value='${n}'><xacro:m n='${n-1}'/>"
      "<xacro:m n='${n-1}'/></xacro:if><xacro:unless value='${n}'><x/></xacro:unless></xacro:macro>"
      "<xacro:m n='40'/>",
      "steps");
  refused("<xacro:include filename='main.xacro'/>", "include each other");
  refused(
      "<xacro:property name='b'><x><xacro:insert_block name='b'/></x></xacro:property>"
      "<xacro:insert_block name='b'/>",
      "inside each other");
  std::string laughs = "<xacro:property name='p0' value='lol'/>", chain = laughs, nested;
  nested = "<xacro:property name='p0' value='${[1]}' lazy_eval='false'/>";
  for (int k = 1; k < 60; ++k) {
    const std::string name = "p" + std::to_string(k), before = "p" + std::to_string(k - 1);
    laughs +=
        "<xacro:property name='" + name + "' value='" + repeated("${" + before + "}", 10) + "'/>";
    nested += "<xacro:property name='" + name + "' value='${[" + before + "," + before +
              "]}' lazy_eval='false'/>";
  }
  for (int k = 1; k < 5000; ++k)
    chain += "<xacro:property name='p" + std::to_string(k) + "' value='${p" +
             std::to_string(k - 1) + "}'/>";
  refused(laughs + "<x v='${p59}'/>", "text of more than");
  refused(nested + "<x v='${p59}'/>", "inside each other");
  refused(chain + "<x v='${p4999}'/>", "inside each other");
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_LT(std::chrono::duration<double>(took).count(), 120);
}
TEST_F(BadXacro, what_is_no_xml_is_refused_like_any_file) {
  for (const char* text : {"", "<a>", "robot: x\n", "<!DOCTYPE a [<!ENTITY l \"l\">]><a>&l;</a>"}) {
    write("main.xacro", text);
    EXPECT_THROW((void)expand_xacro(path("main.xacro")), Error) << text;
  }
}
TEST_F(BadXacro, time_grows_with_the_size_of_the_expansion) {
  const auto seconds = [&](int elements) {
    const auto start = std::chrono::steady_clock::now();
    const std::string out = expanded(
        "<xacro:macro name='m' params='n'><link name='l${n}' v='${n * 0.5}'/></xacro:macro>"
        "<xacro:macro name='ten' params='n'>" +
        repeated("<xacro:m n='${n}'/>", 10) + "</xacro:macro>" +
        repeated("<xacro:ten n='7'/>", elements / 10));
    EXPECT_GT(out.size(), static_cast<std::size_t>(elements) * 20);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  const double small = seconds(20'000), large = seconds(160'000);
  EXPECT_LT(large, 8 * 4 * small + 1);
}
