// ${...}: values and texts as Python's, by hand from its language reference.
#include "formats/xacro_files.hpp"

using namespace torsor;
using XacroExpression = torsor::testing::XacroFiles;

TEST_F(XacroExpression, arithmetic_is_that_of_python) {
  EXPECT_EQ(value("1 + 2 * 3"), "7");
  EXPECT_EQ(value("(1 + 2) * 3"), "9");
  EXPECT_EQ(value("6 / 3"), "2.0");
  EXPECT_EQ(value("7 // 2"), "3");
  EXPECT_EQ(value("-7 // 2"), "-4");
  EXPECT_EQ(value("-7 % 3"), "2");
  EXPECT_EQ(value("7 % -3"), "-2");
  EXPECT_EQ(value("-7.5 % 2"), "0.5");
  EXPECT_EQ(value("-7.5 // 2"), "-4.0");
  EXPECT_EQ(value("2 ** 3 ** 2"), "512");
  EXPECT_EQ(value("-2 ** 2"), "-4");
  EXPECT_EQ(value("2 ** -1"), "0.5");
  EXPECT_EQ(value("1 - 2 - 3"), "-4");
  EXPECT_EQ(value("0x1f + 0b11 + 1_000"), "1034");
  EXPECT_EQ(value("6 &amp; 3 | 8 ^ 1"), "11");
  EXPECT_EQ(value("1 &lt;&lt; 4 >> 1"), "8");
  EXPECT_EQ(value("~5"), "-6");
  EXPECT_EQ(value("True + True"), "2");
}
TEST_F(XacroExpression, numbers_are_written_as_python_writes_them) {
  EXPECT_EQ(value("0.1 + 0.2"), "0.30000000000000004");
  EXPECT_EQ(value("1e16"), "1e+16");
  EXPECT_EQ(value("1e15"), "1000000000000000.0");
  EXPECT_EQ(value("123456789.125"), "123456789.125");
  EXPECT_EQ(value("0.0001"), "0.0001");
  EXPECT_EQ(value("0.00001"), "1e-05");
  EXPECT_EQ(value("1.0"), "1.0");
  EXPECT_EQ(value("-0.0"), "-0.0");
  EXPECT_EQ(value("pi"), "3.141592653589793");
  EXPECT_EQ(value("radians(180) - pi"), "0.0");
}
TEST_F(XacroExpression, comparisons_chain_and_logic_returns_operands) {
  EXPECT_EQ(value("1 &lt; 2 &lt; 3"), "True");
  EXPECT_EQ(value("1 &lt; 3 &lt; 2"), "False");
  EXPECT_EQ(value("1 == 1.0 != 2"), "True");
  EXPECT_EQ(value("'a' in 'cat'"), "True");
  EXPECT_EQ(value("4 not in [1, 2]"), "True");
  EXPECT_EQ(value("None is None"), "True");
  EXPECT_EQ(value("1 is not None"), "True");
  EXPECT_EQ(value("'' or 'x'"), "x");
  EXPECT_EQ(value("0 and 1"), "0");
  EXPECT_EQ(value("not 1 == 2"), "True");
  EXPECT_EQ(value("'yes' if 2 > 1 else 'no'"), "yes");
  EXPECT_EQ(value("[1, 2] &lt; [1, 3]"), "True");
}
TEST_F(XacroExpression, texts_lists_and_dictionaries) {
  EXPECT_EQ(value("'ab' + 'c' * 3"), "abccc");
  EXPECT_EQ(value("'a' 'b'"), "ab");
  EXPECT_EQ(value("'hello'[1]"), "e");
  EXPECT_EQ(value("'hello'[-3:]"), "llo");
  EXPECT_EQ(value("'hello'[::-1]"), "olleh");
  EXPECT_EQ(value("'hello'[1:4:2]"), "el");
  EXPECT_EQ(value("[1, 2.5, 'x', True, None]"), "[1, 2.5, 'x', True, None]");
  EXPECT_EQ(value("(1,)"), "(1,)");
  EXPECT_EQ(value("1, 2"), "(1, 2)");
  EXPECT_EQ(value("[1] + [2] * 2"), "[1, 2, 2]");
  EXPECT_EQ(value("dict(a=1, b='c')"), "{'a': 1, 'b': 'c'}");
  EXPECT_EQ(value("dict(a=1)['a']"), "1");
  EXPECT_EQ(value("dict([('a', 1)]).get('b', 7)"), "7");
  EXPECT_EQ(value("xacro.dotify(dict(a=dict(b=3))).a.b"), "3");
  EXPECT_EQ(value("'a,b;c'.replace(';', ',').split(',')"), "['a', 'b', 'c']");
  EXPECT_EQ(value("'-'.join(['a', 'b'])"), "a-b");
  EXPECT_EQ(value("xacro.tokenize('a, b;c')"), "['a', 'b', 'c']");
  EXPECT_EQ(value("' x '.strip().upper()"), "X");
  EXPECT_EQ(value("'link_7'.startswith('link')"), "True");
  EXPECT_EQ(value("len('\xc3\xa4\xc3\xb6')"), "2");
}
TEST_F(XacroExpression, functions_of_python_and_of_its_module_math) {
  EXPECT_EQ(value("sqrt(16) + math.floor(2.7)"), "6.0");
  EXPECT_EQ(value("atan2(1, 1) * 4 == math.pi"), "True");
  EXPECT_EQ(value("degrees(pi)"), "180.0");
  EXPECT_EQ(value("round(2.5)"), "2");
  EXPECT_EQ(value("round(3.5)"), "4");
  EXPECT_EQ(value("round(2.675, 2)"), "2.67");
  EXPECT_EQ(value("max(1, 2.5, 2)"), "2.5");
  EXPECT_EQ(value("min([3, 1, 2])"), "1");
  EXPECT_EQ(value("int('12') + int(3.9) + float('1e-1')"), "15.1");
  EXPECT_EQ(value("str(1.0) + 'm'"), "1.0m");
  EXPECT_EQ(value("list(range(1, 10, 3))"), "[1, 4, 7]");
  EXPECT_EQ(value("python.sum(python.range(5))"), "10");
  EXPECT_EQ(value("python.abs(-3)"), "3");
  EXPECT_EQ(value("python.sorted([3, 1, 2], reverse=True)"), "[3, 2, 1]");
  EXPECT_EQ(value("list(map(lambda x: x * x, [1, 2, 3]))"), "[1, 4, 9]");
  EXPECT_EQ(value("[x * y for x in [1, 2] for y in [10, 20] if x * y > 10]"), "[20, 20, 40]");
  EXPECT_EQ(value("[k + str(v) for k, v in dict(a=1, b=2).items()]"), "['a1', 'b2']");
  EXPECT_EQ(value("python.zip('ab', [1, 2])"), "[('a', 1), ('b', 2)]");
}
TEST_F(XacroExpression, formats) {
  EXPECT_EQ(value("'%d-%s' % (3, 'x')"), "3-x");
  EXPECT_EQ(value("'%.3f' % pi"), "3.142");
  EXPECT_EQ(value("'%05.1f|%-4d|%+d' % (2.25, 7, 1)"), "002.2|7   |+1");
  EXPECT_EQ(value("'%x %e %g %%' % (255, 12345.678, 0.0001)"), "ff 1.234568e+04 0.0001 %");
}
TEST_F(XacroExpression, what_is_wrong_is_said_with_the_expression) {
  EXPECT_EQ(value("1 +"), "main.xacro:2: ${1 +}: the expression ends too early");
  EXPECT_EQ(value("1 / 0"), "main.xacro:2: ${1 / 0}: division by zero");
  EXPECT_EQ(value("sqtr(2)"),
            "main.xacro:2: ${sqtr(2)}: unknown name \"sqtr\"; did you mean \"sqrt\"?");
  EXPECT_EQ(value("abs(1)"), "main.xacro:2: ${abs(1)}: unknown name \"abs\"; write python.abs");
  EXPECT_EQ(value("sqrt(-1)"), "main.xacro:2: ${sqrt(-1)}: sqrt() of -1.0 has no value");
  EXPECT_EQ(value("1 + 'a'"), "main.xacro:2: ${1 + 'a'}: int + str has no meaning");
  EXPECT_EQ(value("[1][3]"), "main.xacro:2: ${[1][3]}: index 3 of 1 items");
  EXPECT_EQ(value("'a"), "main.xacro:2: ${'a}: a text has no closing '");
  EXPECT_EQ(value(""), "main.xacro:2: ${}: the expression is empty");
  EXPECT_EQ(value("().__class__"),
            "main.xacro:2: ${().__class__}: names with two underscores are not accepted");
  EXPECT_NE(value("__import__('os')").find("two underscores"), std::string::npos);
  EXPECT_NE(value("open('/etc/passwd')").find("unknown name \"open\""), std::string::npos);
}
TEST_F(XacroExpression, sets_are_pythons) {
  EXPECT_EQ(value("python.set('a b a'.split())"), "{'a', 'b'}");
  EXPECT_EQ(value("python.set()"), "set()");
  EXPECT_EQ(value("python.set('abc') - python.set(['b'])"), "{'a', 'c'}");
  EXPECT_EQ(value("python.set('ab') | python.set('bc')"), "{'a', 'b', 'c'}");
  EXPECT_EQ(value("python.set('ab') &amp; python.set('bc')"), "{'b'}");
  EXPECT_EQ(value("python.set('ab') ^ python.set('bc')"), "{'a', 'c'}");
  EXPECT_EQ(value("python.set('ab') == python.set('ba')"), "True");
  EXPECT_EQ(value("python.set('a') &lt;= python.set('ba')"), "True");
  EXPECT_EQ(value("python.set('ac') &lt;= python.set('ba')"), "False");
  EXPECT_EQ(value("'a' in python.set('ab')"), "True");
  EXPECT_EQ(value("len(python.set([1, 1.0, True]))"), "1");
  EXPECT_EQ(value("', '.join(python.set(['x']))"), "x");
  EXPECT_EQ(value("1 if python.set() else 2"), "2");
  EXPECT_EQ(value("python.set('a')[0]"),
            "main.xacro:2: ${python.set('a')[0]}: a set has no order, and no index");
  EXPECT_EQ(value("python.set('a') + python.set('b')"),
            "main.xacro:2: ${python.set('a') + python.set('b')}: set + set has no meaning");
  EXPECT_NE(value("python.set([[1]])").find("in a set"), std::string::npos);
  EXPECT_NE(value("python.set('a').items()").find("a set has no \"items\""), std::string::npos);
}
