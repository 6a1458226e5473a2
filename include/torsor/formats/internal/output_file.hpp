#pragma once
/// A file that is written in pieces beside its name and takes the name at the end. Private to the
/// formats and the command.
///
///   OutputFile file("run.csv");
///   while (...) file.write(piece);
///   file.commit();
///
/// A reader sees the old file or the new one, never half of it. What is not committed is removed; a
/// killed process leaves `path`.<process>.part behind. A device or a pipe is written in place. Every
/// failure is a WriteError that names the file, but for a folder, which is an Error.
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace torsor::internal {

class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  enum class Wait : unsigned char { for_disk, for_nothing };
  /// Takes the name. Waiting for the disk: after a power cut, too, the file is whole.
  void commit(Wait wait = Wait::for_disk);

 private:
  [[noreturn]] void refuse(const std::string& why) const;

  std::string name_;  // for messages
  std::filesystem::path target_, written_;
  std::filesystem::perms permissions_{};  // of a file that is replaced
  bool in_place_ = false, replaces_ = false;
  std::FILE* file_ = nullptr;
};

}  // namespace torsor::internal
