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
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>

namespace torsor::internal {

/// Writes all bytes at a place of an open file. False: errno says why.
bool write_all_at(int file, std::int64_t place, std::string_view bytes);

class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  /// At a place of the file, from any thread; what was written before has to be passed on (flush).
  void write_at(std::int64_t place, std::string_view bytes) const;
  void flush();
  /// Where it is written until it takes its name.
  const std::filesystem::path& part() const { return written_; }
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
