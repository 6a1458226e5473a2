#pragma once
/// Files that a test edits, in a folder that goes with it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "torsor/formats/text.hpp"

namespace torsor::testing {

class EditedFile : public ::testing::Test {
 protected:
  void SetUp() override {
    folder =
        std::filesystem::temp_directory_path() / ("torsor_edited_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string file(const std::string& name, const std::string& text) const {
    write_text_file_atomically((folder / name).string(), text);
    return (folder / name).string();
  }
  std::filesystem::path folder;
};

}  // namespace torsor::testing
