// Error: one clean line, whatever the names in it hold.
#include "torsor/math/error.hpp"

#include <gtest/gtest.h>

namespace torsor {
namespace {

TEST(Error, control_characters_of_names_are_escaped) {
  EXPECT_STREQ(Error("joint \"a\nb\t\x1b[31m\x7f\"").what(), "joint \"a\\nb\\t\\x1b[31m\\x7f\"");
  EXPECT_STREQ(Error("\xc2\x9b"
                     "2J")
                   .what(),
               "\\x9b2J");  // U+009B begins terminal commands, too
  EXPECT_STREQ(Error("\xc3\xa9l\xc3\xa9ment \xe2\x86\x92 \xc2\xb0").what(),
               "\xc3\xa9l\xc3\xa9ment \xe2\x86\x92 \xc2\xb0");
  EXPECT_STREQ(Error("arm \xe2\x80\xae"
                     "mra\xe2\x81\xa6 \xe2\x80\xaf")
                   .what(),
               "arm \\u202emra\\u2066 \xe2\x80\xaf");
}

}  // namespace
}  // namespace torsor
