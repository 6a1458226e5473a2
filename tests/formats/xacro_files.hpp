#pragma once
/// Small xacro files in a folder of their own, and what becomes of them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "torsor/formats/text.hpp"
#include "torsor/formats/xacro.hpp"

namespace torsor::testing {

class XacroFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder = std::filesystem::temp_directory_path() /
             ("torsor_xacro_" + std::to_string(::getpid()) + "_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string path(const std::string& name) const { return (folder / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder / name).parent_path());
    write_text_file_atomically(path(name), text);
    return path(name);
  }
  /// <a> around the body, whose first line is line 2.
  static std::string document(const std::string& body) {
    return "<a xmlns:xacro=\"http://www.ros.org/wiki/xacro\">\n" + body + "\n</a>\n";
  }
  /// What stands inside <a> after expansion, on one line; or the message without the folder.
  std::string expanded(const std::string& body, const LoadOptions& options = {}) {
    write("main.xacro", document(body));
    findings.clear();
    try {
      return inside(expand_xacro(path("main.xacro"), options, &findings));
    } catch (const Error& refused) {
      return without_folder(refused.what());
    }
  }
  std::string without_folder(std::string text) const {
    const std::string start = folder.string() + "/";
    for (std::size_t at; (at = text.find(start)) != text.npos;) text.erase(at, start.size());
    return text;
  }
  static std::string inside(const std::string& text) {
    std::string line;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] != '\n') {
        line += text[at];
        continue;
      }
      while (at + 1 < text.size() && text[at + 1] == ' ') ++at;
    }
    if (line == "<a/>") return "";
    EXPECT_TRUE(line.starts_with("<a>") && line.ends_with("</a>")) << line;
    return line.size() < 7 ? line : line.substr(3, line.size() - 7);
  }
  /// The value of one expression as the text of an attribute; or what is wrong with it.
  std::string value(const std::string& expression) {
    const std::string out = expanded("<v x=\"${" + expression + "}\"/>");
    return out.starts_with("<v x=\"") ? out.substr(6, out.size() - 9) : out;
  }

  std::filesystem::path folder;
  Findings findings;
};

}  // namespace torsor::testing
