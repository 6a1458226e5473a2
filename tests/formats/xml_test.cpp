#include "torsor/formats/xml.hpp"

#include <gtest/gtest.h>

#include <limits>

using namespace torsor;

namespace {

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}
std::string refusal(const std::string& text) {
  return message_of([&] { XmlDocument(text, "a.xml"); });
}

TEST(XmlDocument, knows_lines_names_attributes_and_children) {
  const XmlDocument document(
      "<robot name=\"r\">\n  <link name=\"a\"/>\n\n  <link name=\"b\">\n"
      "    <mass value=\" 2.5 \"/>\n  </link>\n</robot>\n",
      "a.xml");
  const XmlElement root = document.root();
  EXPECT_EQ(root.name(), "robot");
  EXPECT_EQ(root.required("name"), "r");
  ASSERT_EQ(root.children("link").size(), 2u);
  const XmlElement b = root.children()[1], mass = b.child("mass");
  EXPECT_EQ(b.origin().line, 4);
  EXPECT_EQ(mass.origin().prefix(), "a.xml:5: ");
  EXPECT_EQ(mass.number("value"), 2.5);
  EXPECT_EQ(mass.number("other", 7), 7);
  EXPECT_EQ(mass.label(), "link \"b\"");
  EXPECT_FALSE(root.child("joint"));
  EXPECT_EQ(message_of([&] { root.child("link"); }),
            "a.xml:4: link \"b\": second <link> in <robot>, the first is in line 2");
  EXPECT_EQ(message_of([&] { b.required_child("inertia"); }),
            "a.xml:4: link \"b\": <link> has no <inertia>");
  EXPECT_EQ(message_of([&] { mass.required("unit"); }),
            "a.xml:5: link \"b\": <mass> has no attribute unit");
}

TEST(XmlElement, takes_exactly_the_numbers_it_is_asked_for) {
  const auto read = [](const std::string& value) {
    const XmlDocument document("<robot><axis xyz=\"" + value + "\"/></robot>", "a.xml");
    return document.root().child("axis").vec3("xyz");
  };
  const auto why = [&](const std::string& value) { return message_of([&] { read(value); }); };
  const Vec3<double> v = read(" 1 \t -2  .5 ");
  EXPECT_EQ(v.x, 1.0);
  EXPECT_EQ(v.y, -2.0);
  EXPECT_EQ(v.z, 0.5);
  EXPECT_EQ(why("1 2"), "a.xml:1: <axis>: <axis> xyz has 2 numbers, not 3: \"1 2\"");
  EXPECT_EQ(why("1 2 3 4"), "a.xml:1: <axis>: <axis> xyz has more than 3 numbers: \"1 2 3 4\"");
  EXPECT_EQ(why("1,5 2 3"), "a.xml:1: <axis>: <axis> xyz: \"1,5\" has a comma; write 1.5");
  EXPECT_EQ(why("1 nan 3"), "a.xml:1: <axis>: <axis> xyz: \"nan\" is not finite");
  EXPECT_EQ(why("${pi} 2 3"),
            "a.xml:1: <axis>: <axis> xyz: \"${pi}\" is not a number; this is a xacro file: end its "
            "name in .xacro, and it is expanded");
}

TEST(XmlDocument, refuses_what_is_not_well_formed_with_a_line) {
  for (const char* bad : {"x",
                          "<",
                          "<a",
                          "<a>",
                          "<a><b></a>",
                          "<a></b>",
                          "</a>",
                          "<a b></a>",
                          "<a b=c/>",
                          "<a b=\"/>",
                          "<a b=\"1\" b=\"2\"/>",
                          "<a><!-- </a>",
                          "<a><![CDATA[ </a>",
                          "<?xml",
                          "<!-- only -->",
                          "<?xml version=\"1.0\"?>",
                          "<a>\n<b>\n",
                          "\xef\xbb\xbf",
                          "<a/><b/>",
                          "<a>text"}) {
    const std::string message = refusal(bad);
    EXPECT_TRUE(message.starts_with("a.xml:")) << bad << ": " << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << bad;
  }
  EXPECT_EQ(
      refusal("<a>\n<b>\n</c></a>"),
      "a.xml:2: the end tag of an element is missing or does not match; is the file cut off?");
  EXPECT_EQ(refusal("<a/>\n<b/>"), "a.xml:2: <b>: second root element, the first is <a> in line 1");
}

TEST(XmlDocument, refuses_entities_and_document_types) {
  std::string bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [\n<!ENTITY a \"ha\">\n";
  for (char c = 'b'; c <= 'z'; ++c)
    bomb += std::string("<!ENTITY ") + c + " \"&" + char(c - 1) + ";&" + char(c - 1) + ";\">\n";
  bomb += "]>\n<robot name=\"&z;\"/>\n";
  EXPECT_EQ(refusal(bomb),
            "a.xml:2: document types and entities (<!DOCTYPE ...>) are not accepted; remove them");
  EXPECT_EQ(refusal("<!-- <!DOCTYPE x> --><a b=\"&lt;!DOCTYPE\"/>"), "no error");
}

TEST(XmlDocument, refuses_deep_nesting_and_crowded_elements_without_recursion) {
  std::string deep;
  for (int k = 0; k < 200'000; ++k) deep += "<a>\n";
  EXPECT_EQ(refusal(deep), "a.xml:65: elements are nested more than 64 deep");
  for (int k = 0; k < 200'000; ++k) deep += "</a>";
  EXPECT_EQ(refusal(deep), "a.xml:65: elements are nested more than 64 deep");

  std::string crowded = "<a ";
  for (int k = 0; k < 100'000; ++k) crowded.append("b").append(std::to_string(k)).append("='' ");
  EXPECT_EQ(refusal(crowded + "/>"), "a.xml:1: an element has more than 256 attributes");

  std::string wide = "<a>";
  for (int k = 0; k < 1000; ++k) wide += "<b/><c></c>";
  EXPECT_EQ(refusal(wide + "</a>"), "no error");
}

TEST(XmlWriter, writes_what_the_reader_reads) {
  const std::string odd = "a<b>&\"c'\n\t \xc3\xa9";
  XmlWriter writer;
  writer.open("robot");
  writer.attribute("name", odd);
  writer.open("axis");
  writer.vec3("xyz", {0.1, -2, 1e-9});
  writer.close();
  writer.close();
  EXPECT_EQ(writer.text(),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<robot name=\"a&lt;b&gt;&amp;&quot;c'&#10;&#9; \xc3\xa9\">\n"
            "  <axis xyz=\"0.1 -2 1e-09\"/>\n</robot>\n");
  const XmlDocument document(writer.text(), "a.xml");
  EXPECT_EQ(document.root().required("name"), odd);
}

TEST(XmlWriter, refuses_control_characters_and_numbers_that_are_not_finite) {
  XmlWriter writer;
  writer.open("robot");
  writer.attribute("name", "r");
  EXPECT_EQ(
      message_of([&] { writer.attribute("source", "a\x01"); }),
      "robot \"r\": <robot> source: \"a\\x01\" has a control character, which XML cannot hold");
  EXPECT_EQ(message_of([&] { writer.number("x", std::numeric_limits<double>::quiet_NaN()); }),
            "robot \"r\": <robot> x: nan is not finite");
}

}  // namespace
