// A kind of joint is one type in one file: nothing but the list of kinds goes through all of them.
#include <gtest/gtest.h>

#include "house/source_tree.hpp"

using namespace torsor::testing;

namespace {

TEST(JointKinds, only_the_list_switches_over_kinds) {
  int seen = 0;
  for (const SourceFile& file : source_files({"include", "src", "apps"})) {
    const bool list = file.path == "include/torsor/model/joints/list.hpp";
    const bool switches = file.text.find("case JointKind::") != std::string::npos ||
                          file.text.find("static_cast<JointKind>") != std::string::npos;
    EXPECT_EQ(switches, list) << file.path;
    seen += list;
  }
  EXPECT_EQ(seen, 1);
}

}  // namespace
