// xacro: one small file for every construct, its expansion by hand from the documented semantics.
#include "formats/xacro_files.hpp"
#include "torsor/formats/load_robot.hpp"

using namespace torsor;
using Xacro = torsor::testing::XacroFiles;

TEST_F(Xacro, properties_are_lazy_and_keep_their_type) {
  EXPECT_EQ(expanded("<xacro:property name='a' value='${2 * b}'/>"
                     "<xacro:property name='b' value='1.50'/><x a='${a}' b='${b}' c='${b}m'/>"),
            "<x a=\"3.0\" b=\"1.5\" c=\"1.5m\"/>");
  EXPECT_EQ(expanded("<xacro:property name='a' value='1'/>"
                     "<xacro:property name='b' value='${a}' lazy_eval='false'/>"
                     "<xacro:property name='c' value='${a}'/>"
                     "<xacro:property name='a' value='2'/><x b='${b}' c='${c}'/>"),
            "<x b=\"1\" c=\"2\"/>");
  EXPECT_EQ(
      expanded("<xacro:property name='i' value='007'/><xacro:property name='s' value=\"'007'\"/>"
               "<xacro:property name='t' value='true'/><xacro:property name='u' value='1_0'/>"
               "<xacro:property name='q' value=\"'${1 + 1}'\"/>"
               "<x i='${i}' s='${s}' t='${t}' u='${u}' q='${q}'/>"),
      "<x i=\"7\" s=\"7\" t=\"True\" u=\"1_0\" q=\"2\"/>");
}
TEST_F(Xacro, a_property_can_have_a_default_a_scope_and_an_end) {
  EXPECT_EQ(expanded("<xacro:property name='a' default='1'/><xacro:property name='a' default='2'/>"
                     "<x a='${a}'/>"),
            "<x a=\"1\"/>");
  EXPECT_EQ(expanded("<xacro:property name='a' value='1'/><xacro:macro name='m'>"
                     "<xacro:property name='a' value='2'/><in a='${a}'/></xacro:macro>"
                     "<xacro:m/><out a='${a}'/>"),
            "<in a=\"2\"/><out a=\"1\"/>");
  EXPECT_EQ(expanded("<xacro:macro name='n'><xacro:property name='a' value='p' scope='parent'/>"
                     "<xacro:property name='b' value='g' scope='global'/></xacro:macro>"
                     "<xacro:macro name='m'><xacro:n/><in a='${a}' b='${b}'/></xacro:macro>"
                     "<xacro:m/><out b='${b}'/>"),
            "<in a=\"p\" b=\"g\"/><out b=\"g\"/>");
  EXPECT_NE(expanded("<xacro:property name='a' value='1'/><xacro:property name='a' remove='true'/>"
                     "<x a='${a}'/>")
                .find("unknown name \"a\""),
            std::string::npos);
}
TEST_F(Xacro, macros_have_parameters_with_defaults_and_forwarded_properties) {
  const std::string macro =
      "<xacro:macro name='m' params='a b:=2 c=${b_out} d:=^ h:=^|five f:=\"two words\"'>"
      "<x a='${a}' b='${b}' c='${c}' d='${d}' h='${h}' f='${f}'/></xacro:macro>"
      "<xacro:property name='b_out' value='3'/><xacro:property name='d' value='4'/>";
  EXPECT_EQ(expanded(macro + "<xacro:m a='1'/>"),
            "<x a=\"1\" b=\"2\" c=\"3\" d=\"4\" h=\"five\" f=\"&quot;two words&quot;\"/>");
  EXPECT_EQ(
      expanded(macro + "<xacro:property name='h' value='5'/><xacro:m a='${b_out * 2}' b='x'/>"),
      "<x a=\"6\" b=\"x\" c=\"3\" d=\"4\" h=\"5\" f=\"&quot;two words&quot;\"/>");
}
TEST_F(Xacro, blocks_are_inserted_whole_or_by_their_content) {
  EXPECT_EQ(
      expanded(
          "<xacro:macro name='m' params='*one **many n'><x n='${n}'>"
          "<xacro:insert_block name='one'/><c><xacro:insert_block name='many'/></c></x>"
          "</xacro:macro><xacro:m n='1'><origin xyz='${1 + 1}'/><all><p/><q/></all></xacro:m>"),
      "<x n=\"1\"><origin xyz=\"2\"/><c><p/><q/></c></x>");
  EXPECT_EQ(expanded("<xacro:property name='b'><p v='${w}'/><q/></xacro:property>"
                     "<xacro:property name='w' value='8'/><x><xacro:insert_block name='b'/></x>"),
            "<x><p v=\"8\"/><q/></x>");
}
TEST_F(Xacro, macros_nest_recur_and_are_called_by_name) {
  EXPECT_EQ(expanded("<xacro:macro name='m' params='n'><xacro:if value='${n > 0}'><i n='${n}'/>"
                     "<xacro:m n='${n - 1}'/></xacro:if></xacro:macro><xacro:m n='3'/>"),
            "<i n=\"3\"/><i n=\"2\"/><i n=\"1\"/>");
  EXPECT_EQ(expanded("<xacro:macro name='m'><xacro:macro name='k'><y/></xacro:macro><xacro:k/>"
                     "</xacro:macro><xacro:m/>"),
            "<y/>");
  EXPECT_EQ(
      expanded("<xacro:macro name='left' params='v'><l v='${v}'/></xacro:macro>"
               "<xacro:property name='side' value='left'/><xacro:call macro='${side}' v='2'/>"),
      "<l v=\"2\"/>");
}
TEST_F(Xacro, conditions_take_numbers_words_and_expressions) {
  EXPECT_EQ(
      expanded("<xacro:if value='1'><a1/></xacro:if><xacro:if value='0'><a2/></xacro:if>"
               "<xacro:unless value='false'><a3/></xacro:unless>"
               "<xacro:if value=\"${'a' == 'a'}\"><a4/></xacro:if>"
               "<xacro:if value='${[]}'><a5/></xacro:if><xacro:if value='True'><a6/></xacro:if>"),
      "<a1/><a3/><a4/><a6/>");
  EXPECT_EQ(expanded("<xacro:if value='maybe'/>"),
            "main.xacro:2: \"maybe\" is neither true nor false");
}
TEST_F(Xacro, arguments_have_defaults_and_come_from_outside) {
  const std::string body =
      "<xacro:arg name='n' default='1'/><xacro:property name='m' value='$(arg n)'/>"
      "<x n='$(arg n)' m='${m + 1}' k='${$(arg n) * 2}' f=\"${xacro.arg('n')}\"/>";
  EXPECT_EQ(expanded(body), "<x n=\"1\" m=\"2\" k=\"2\" f=\"1\"/>");
  EXPECT_EQ(expanded(body, {.arguments = {"n:=5"}}), "<x n=\"5\" m=\"6\" k=\"10\" f=\"5\"/>");
  EXPECT_EQ(
      expanded("<x n='$(arg nope)'/>"),
      "main.xacro:2: $(arg nope): the argument is not given; write nope:=value behind the robot");
}
TEST_F(Xacro, eval_is_an_expression_of_arguments) {
  const std::string arguments =
      "<xacro:arg name='ee' default='none'/><xacro:arg name='n' default='3'/>"
      "<xacro:arg name='m' default='0.50'/><xacro:arg name='on' default='True'/>"
      "<xacro:property name='n' value='7'/>";
  EXPECT_EQ(expanded(arguments + "<xacro:if value=\"$(eval ee == 'none')\"><yes/></xacro:if>"
                                 "<xacro:unless value=\"$(eval on and n > 3)\"><no/></xacro:unless>"
                                 "<x a='$(eval n + 1)' b='$(eval m * 2)' c='$(eval 2 * pi)' "
                                 "d='$(eval not on)' e='p_$(eval ee)' f='$(eval true)'/>"),
            "<yes/><no/><x a=\"4\" b=\"1.0\" c=\"6.283185307179586\" d=\"False\" e=\"p_none\" "
            "f=\"True\"/>");
  EXPECT_EQ(expanded(arguments + "<x a='$(eval ee + 1)'/>", {.arguments = {"ee:=4"}}),
            "<x a=\"5\"/>");
  EXPECT_EQ(expanded("<xacro:arg name='hand' default='1'/><x a='$(eval han)'/>"),
            "main.xacro:2: $(eval han): no argument is called \"han\"; did you mean \"hand\"?");
  EXPECT_EQ(expanded("<x a='$(eval 1 + arg(2))'/>"),
            "main.xacro:2: $(eval 1 + arg(2): the expression ends too early instead of \")\"; "
            "$(eval ...) ends at its first \")\", write ${...} where brackets are needed");
  EXPECT_NE(expanded("<x a='$(eval n.__class__)'/>").find("two underscores"), std::string::npos);
}
TEST_F(Xacro, substitutions_of_environment_and_folders) {
  ::setenv("TORSOR_XACRO_TEST", "seen", 1);
  EXPECT_EQ(expanded("<x a='$(env TORSOR_XACRO_TEST)' b='$(optenv TORSOR_XACRO_NONE two words)'/>"),
            "<x a=\"seen\" b=\"two words\"/>");
  EXPECT_EQ(without_folder(expanded("<x a='$(dirname)/f'/>")), "<x a=\"f\"/>");
  EXPECT_NE(expanded("<x a='$(env TORSOR_XACRO_NONE)'/>").find("no such variable"),
            std::string::npos);
}
TEST_F(Xacro, dollars_are_escaped_by_dollars) {
  EXPECT_EQ(expanded("<x a='$${b}' c='$$$(d)' e='1 $ f' g='$'/>"),
            "<x a=\"${b}\" c=\"$$(d)\" e=\"1 $ f\" g=\"$\"/>");
}
TEST_F(Xacro, files_are_included_with_and_without_a_namespace) {
  write("sub/part.xacro",
        document("<xacro:property name='p' value='from part'/>"
                 "<xacro:macro name='m' params='v'><y v='${v}' p='${p}'/></xacro:macro>"
                 "<part file='${p}'/>"));
  EXPECT_EQ(expanded("<xacro:include filename='sub/part.xacro'/><xacro:m v='1'/><x p='${p}'/>"),
            "<part file=\"from part\"/><y v=\"1\" p=\"from part\"/><x p=\"from part\"/>");
  EXPECT_EQ(
      expanded("<xacro:property name='p' value='mine'/>"
               "<xacro:include filename='sub/part.xacro' ns='s'/>"
               "<xacro:s.m v='2'/><x own='${p}' its='${s.p}'/>"),
      "<part file=\"from part\"/><y v=\"2\" p=\"from part\"/><x own=\"mine\" its=\"from part\"/>");
  EXPECT_EQ(expanded("<xacro:include filename='none.xacro' optional='true'/><x/>"), "<x/>");
  EXPECT_EQ(expanded("<xacro:include filename='none.xacro'/>"),
            "main.xacro:2: <xacro:include>: there is no file none.xacro");
  write("sub/a1.xml", document("<one/>"));
  write("sub/a2.xml", document("<two/>"));
  EXPECT_EQ(expanded("<xacro:include filename='sub/a*.xml'/>"), "<one/><two/>");
}
TEST_F(Xacro, elements_and_attributes_get_computed_names) {
  EXPECT_EQ(
      expanded("<xacro:property name='n' value='box'/>"
               "<xacro:element xacro:name='${n}' size='1'><xacro:attribute name='a${n}' value='2'/>"
               "</xacro:element>"),
      "<box size=\"1\" abox=\"2\"/>");
  EXPECT_EQ(expanded("<x><xacro:if value='1'><xacro:attribute name='k' value='3'/></xacro:if></x>"),
            "<x k=\"3\"/>");
}
TEST_F(Xacro, yaml_is_read_with_types_units_dots_and_merges) {
  write("c.yaml",
        "n: 42\nx: 1.5\ns: 'on'\nb: on\nl: [1, two, {z: 3}]\n"
        "base: &b {a: 1, b: 2}\nd: {<<: *b, b: 3}\nangle: !degrees 2*90\nlong: !millimeters 250\n");
  EXPECT_EQ(
      expanded(
          "<xacro:property name='c' value=\"${xacro.load_yaml('c.yaml')}\"/>"
          "<x n='${c.n + 1}' x='${c[\"x\"]}' s='${c.s}' b='${c.b}' l='${c.l[1]}' z='${c.l[2].z}'"
          " d='${c.d.a + c.d.b}' angle='${c.angle}' long='${c.long}' k='${c.keys()[0]}'/>"),
      "<x n=\"43\" x=\"1.5\" s=\"on\" b=\"True\" l=\"two\" z=\"3\" d=\"4\" "
      "angle=\"3.141592653589793\" long=\"0.25\" k=\"n\"/>");
  write("twice.yaml", "a: 1\na: 2\n");
  EXPECT_EQ(expanded("<x a=\"${xacro.load_yaml('twice.yaml').a}\"/>"), "<x a=\"2\"/>");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].message.find("twice.yaml:2"), std::string::npos);
}
// Of ros/xacro: comments right above a word of the language go with it, what another word has made stays.
TEST_F(Xacro, comments_that_a_condition_has_made_are_no_comments_on_the_next_word) {
  EXPECT_EQ(expanded("<!-- A -->\n\n<!-- goes -->\n<xacro:if value='1'><!-- B --></xacro:if>\n"
                     "<!-- goes -->\n<xacro:property name='p' value='1'/>"),
            "<!-- A --><!-- B -->");
}

TEST_F(Xacro, texts_comments_and_data_are_kept) {
  EXPECT_EQ(expanded("<x>n = ${1 + 1} <![CDATA[${raw} < 1]]></x><!-- kept -->\n\n<y/>\n"
                     "<!-- of the property --><xacro:property name='a' value='1'/>"),
            "<x>n = 2 <![CDATA[${raw} < 1]]></x><!-- kept --><y/>");
}
TEST_F(Xacro, messages_are_findings_and_fatal_ends_it) {
  EXPECT_EQ(expanded("${xacro.warning('look', 1)}<x/>${xacro.message('hi')}"), "<x/>");
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].severity, Finding::Severity::warning);
  EXPECT_EQ(findings[0].message, "look 1");
  EXPECT_EQ(findings[1].severity, Finding::Severity::note);
  EXPECT_EQ(expanded("<x/>\n${xacro.fatal('no ', 2)}"),
            "main.xacro:3: ${xacro.fatal('no ', 2)}: no  2");
}
TEST_F(Xacro, names_without_the_prefix_are_said) {
  EXPECT_EQ(expanded("<property name='a' value='1'/>"), "<property name=\"a\" value=\"1\"/>");
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_NE(findings[0].message.find("write <xacro:property>"), std::string::npos);
}
TEST_F(Xacro, packages_are_found_by_option_environment_and_above_the_file) {
  const auto package = [&](const std::string& place, const std::string& name) {
    write(place + "/package.xml", "<package><name>" + name + "</name></package>\n");
    write(place + "/p.xacro", document("<of name='" + name + "'/>"));
  };
  package("ws/src/repo/other_folder", "sibling_pkg");
  package("far/away/deep_pkg", "deep_pkg");
  write("ws/src/repo/own/package.xml", "<package><name>own</name></package>\n");
  const auto ask = [&](const std::string& name, const LoadOptions& options = {}) {
    const std::string file =
        write("ws/src/repo/own/urdf/m.xacro",
              document("<xacro:include filename='$(find " + name + ")/p.xacro'/>"));
    try {
      return inside(expand_xacro(file, options));
    } catch (const Error& refused) {
      return without_folder(refused.what());
    }
  };
  EXPECT_EQ(ask("sibling_pkg"), "<of name=\"sibling_pkg\"/>");
  EXPECT_EQ(ask("deep_pkg", {.package_folders = {path("far")}}), "<of name=\"deep_pkg\"/>");
  ::setenv("TORSOR_PACKAGE_PATH", path("far").c_str(), 1);
  EXPECT_EQ(ask("deep_pkg"), "<of name=\"deep_pkg\"/>");
  ::unsetenv("TORSOR_PACKAGE_PATH");
  EXPECT_EQ(ask("deep_pkg").find("ws/src/repo/own/urdf/m.xacro:2: $(find deep_pkg): "), 0u);
}

TEST_F(Xacro, a_robot_is_loaded_with_its_arguments_and_knows_the_lines_of_its_files) {
  write("link.xacro",
        document("<xacro:macro name='link' params='name mass'>\n<link name='${name}'>"
                 "<inertial>\n<mass value='${mass}'/>"
                 "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>"
                 "</xacro:macro>"));
  const std::string file =
      write("arm.urdf.xacro",
            "<robot name='arm' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n"
            "<xacro:arg name='m' default='2'/><xacro:include filename='link.xacro'/>\n"
            "<xacro:link name='base' mass='1'/>\n<xacro:link name='tip' mass='$(arg m)'/>\n"
            "<joint name='j' type='continuous'><parent link='base'/><child "
            "link='tip'/></joint>\n</robot>\n");
  EXPECT_EQ(load_robot(file).description().links[1].inertial.mass, 2.0);
  const RobotDescription robot =
      load_description(file, nullptr, {.meshes = false}, robot_formats(), {.arguments = {"m:=3"}});
  EXPECT_EQ(robot.links[1].inertial.mass, 3.0);
  EXPECT_EQ(load_robot(file + " m:=4").description().links[1].inertial.mass, 4.0);
  EXPECT_EQ(without_folder(robot.links[1].origin.file), "link.xacro");
  EXPECT_EQ(robot.links[1].origin.line, 3);
  try {
    (void)load_robot(file, nullptr, {.arguments = {"m:=heavy"}});
    FAIL();
  } catch (const Error& refused) {
    EXPECT_EQ(
        without_folder(refused.what()),
        "link.xacro:4: link \"tip\": <mass> value: \"heavy\" is not a number; in macro \"link\" "
        "called at arm.urdf.xacro:4");
  }
  EXPECT_THROW((void)load_robot("puma560", nullptr, {.arguments = {"m:=3"}}), Error);
}
