// Every kind of the list obeys the laws of a joint.
#include "support/joint_laws.hpp"
#include "torsor/model/joint_kind.hpp"

namespace torsor::testing {
namespace {

TEST(JointLaws, every_kind_of_the_list_describes_one_motion) {
  for (const JointKind kind : joint_kinds)
    internal::with_kind(kind, [&](auto type) {
      for (unsigned seed = 0; seed < 6; ++seed) {
        const auto order = static_cast<EulerOrder>(seed % 3);
        JointLaws<decltype(type)>(name_of(kind), order, seed).expect_all();
      }
    });
}

TEST(JointLaws, every_kind_has_a_name_of_its_own_and_a_word_in_urdf) {
  std::set<std::string> names, words;
  for (const JointKind kind : joint_kinds) {
    EXPECT_TRUE(names.insert(name_of(kind)).second) << name_of(kind);
    const bool in_urdf = internal::with_kind(kind, [](auto type) { return type.in_urdf; });
    const std::string word = internal::with_kind(kind, [](auto type) { return type.urdf_type; });
    if (in_urdf) {
      EXPECT_TRUE(words.insert(word).second) << word;
    } else {
      EXPECT_TRUE(word == "fixed" || word == "floating") << word;
    }
  }
  EXPECT_EQ(words, (std::set<std::string>{"fixed", "revolute", "continuous", "prismatic", "planar",
                                          "floating"}));
}

}  // namespace
}  // namespace torsor::testing
