#include "torsor/formats/builtin_files.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

#include "house/process.hpp"

namespace {

TEST(BuiltinFiles, are_the_files_of_the_models_folder_byte_for_byte) {
  std::map<std::string, std::string> expected;
  const std::filesystem::path folder = TORSOR_SOURCE_DIR "/models";
  if (exists(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension == ".yaml" || extension == ".urdf") {
        expected[entry.path().filename().string()] = torsor::testing::read_text(entry.path());
      }
    }
  }
  ASSERT_EQ(torsor::builtin::files().size(), expected.size());
  auto next = expected.begin();  // a map is sorted by name, and so must they be
  for (const torsor::builtin::File& file : torsor::builtin::files()) {
    EXPECT_EQ(file.name, next->first);
    EXPECT_TRUE(file.text == next->second) << file.name;
    ++next;
  }
}

}  // namespace
