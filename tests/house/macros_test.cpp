// Macros of the headers: none reaches the user's own code but the few of the list, those that
// instantiate templates have one shape, and the mark of host and device stands only where a device
// runs.
#include <gtest/gtest.h>

#include <regex>

#include "house/source_tree.hpp"

using namespace torsor::testing;

namespace {

using Words = std::set<std::string>;

struct Macro {
  std::string name, rest;  // rest: parameters and replacement
  std::size_t end = 0;
};

std::vector<Macro> macros_of(const std::string& text) {
  static const std::regex definition(R"(#define (\w+)((?:[^\\\n]|\\\n|\\.)*))");
  std::vector<Macro> macros;
  for (std::sregex_iterator i(text.begin(), text.end(), definition), none; i != none; ++i)
    macros.push_back({(*i)[1], (*i)[2], static_cast<std::size_t>(i->position() + i->length())});
  return macros;
}

TEST(Macros, end_in_the_header_that_defines_them) {
  const Words kept = {
      "TORSOR_HD",
      "TORSOR_INLINE",
      "TORSOR_UNROLL",
      "TORSOR_FLATTEN",
      "TORSOR_COLD",  // math/internal/register.hpp: how to compile
      "TORSOR_INLINE_LAMBDA",
      "TORSOR_INERTIAL_KEYS",
      "TORSOR_DOF_KEYS",  // words for lists in braces, of sources alone
  };
  for (const SourceFile& file : source_files({"include"}))
    for (const Macro& macro : macros_of(file.text)) {
      const bool ends =
          file.text.find("#undef " + macro.name + "\n", macro.end) != std::string::npos;
      EXPECT_TRUE(ends || kept.contains(macro.name))
          << file.path << ": " << macro.name << " needs its #undef";
    }
}

TEST(Macros, that_instantiate_templates_have_one_shape) {
  for (const SourceFile& file : source_files({"include"}))
    for (const Macro& macro : macros_of(file.text)) {
      if (macro.rest.find(" template ") == std::string::npos) continue;
      const std::string where = file.path + ": " + macro.name;
      EXPECT_TRUE(macro.rest.starts_with("(Extern, Param, Real)")) << where;
      EXPECT_NE(file.text.find("\n" + macro.name + "(extern, "), std::string::npos) << where;
      EXPECT_NE(file.text.find("#ifndef TORSOR_INSTANTIATE\n#undef " + macro.name + "\n#endif\n"),
                std::string::npos)
          << where << " is left to the library's own sources";
    }
}

TEST(Macros, the_mark_of_host_and_device_stands_only_where_a_device_runs) {
  const std::vector<std::string> device = {
      "math/",
      "linear/internal/ldlt.hpp",  // of the inertia that a joint sees
      "model/internal/assert_state.hpp",
      "model/friction.hpp",
      "model/joint",  // joint.hpp, joint_kind.hpp, joints/
      "model/internal/sweep",
      "dynamics/rnea.hpp",
      "dynamics/aba.hpp",
      "dynamics/crba.hpp",
      "dynamics/hybrid.hpp",
      "dynamics/internal/aba_sweeps.hpp",
      "dynamics/internal/articulated.hpp",
      "dynamics/internal/body_motion.hpp",
      "dynamics/internal/composite_columns.hpp",
      "dynamics/internal/composite_wrenches.hpp",
      "dynamics/internal/rnea_sweeps.hpp",
      "dynamics/internal/world_sweep.hpp",
  };
  for (const SourceFile& file : source_files({"include", "src"})) {
    if (file.text.find("TORSOR_HD ") == std::string::npos) continue;
    const bool allowed = std::any_of(device.begin(), device.end(), [&](const std::string& path) {
      return file.path.starts_with("include/torsor/" + path) ||
             file.path.starts_with("src/batch/cuda/");
    });
    EXPECT_TRUE(allowed) << file.path;
  }
}

}  // namespace
