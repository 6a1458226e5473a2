#include "torsor/formats/internal/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "torsor/formats/text.hpp"

namespace torsor {
namespace internal {
namespace {

namespace fs = std::filesystem;

/// Data on the disk, not in its queue; what cannot be asked (a pipe) is as it is.
bool on_disk(std::FILE* file) {
  return ::fsync(::fileno(file)) == 0 || errno == EINVAL || errno == ENOTSUP;
}

/// The name in its folder, too; some file systems do not allow it.
void flush_folder(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  (void)::fsync(opened);
  ::close(opened);
}

}  // namespace

void OutputFile::refuse(const std::string& why) const {
  throw WriteError(name_ + ": cannot write: " + why);
}

OutputFile::OutputFile(const std::string& path) : name_(one_line(path)), target_(path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::directory)
    throw Error(name_ + ": cannot write: is a folder, not a file");
  replaces_ = status.type() == fs::file_type::regular;
  in_place_ = !replaces_ && fs::exists(status);  // a device or a pipe has nothing to rename
  if (replaces_) {
    permissions_ = status.permissions();
    const fs::path resolved = fs::canonical(path, error);  // a symbolic link stays one
    if (!error) target_ = resolved;
  }
  written_ = target_;
  if (in_place_) {
    file_ = std::fopen(written_.c_str(), "wb");
  } else {
    const std::string process = std::to_string(::getpid());
    for (int k = 0; k < 100 && file_ == nullptr; ++k) {
      written_ = target_;
      written_ += "." + process + (k == 0 ? "" : "-" + std::to_string(k)) + ".part";
      file_ = std::fopen(written_.c_str(), "wbx");  // x: never another writer's file
      if (file_ == nullptr && errno != EEXIST) break;
    }
    if (file_ == nullptr && errno == EEXIST)
      refuse(one_line(written_.string()) + " and its like are left from killed runs; remove them");
  }
  if (file_ == nullptr) refuse(std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::error_code ignored;
  if (!in_place_) fs::remove(written_, ignored);
}

void OutputFile::write(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size())
    refuse(std::strerror(errno));
}

bool write_all_at(int file, std::int64_t place, std::string_view bytes) {
  while (!bytes.empty()) {
    const ::ssize_t count = ::pwrite(file, bytes.data(), bytes.size(), place);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) errno = ENOSPC;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
    place += count;
  }
  return true;
}

void OutputFile::write_at(std::int64_t place, std::string_view bytes) const {
  if (!write_all_at(::fileno(file_), place, bytes)) refuse(std::strerror(errno));
}

void OutputFile::flush() {
  if (std::fflush(file_) != 0) refuse(std::strerror(errno));
}

void OutputFile::commit(Wait wait) {
  const bool durable = wait == Wait::for_disk;
  if (std::fflush(file_) != 0 || (durable && !on_disk(file_))) refuse(std::strerror(errno));
  const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
  const int failure = errno;
  if (in_place_) {
    if (!closed) refuse(std::strerror(failure));
    return;
  }
  std::error_code error, ignored;
  if (replaces_) fs::permissions(written_, permissions_, ignored);
  if (closed) fs::rename(written_, target_, error);
  if (!closed || error) {
    fs::remove(written_, ignored);
    refuse(closed ? error.message() : std::strerror(failure));
  }
  if (durable) flush_folder(target_);
}

}  // namespace internal

void write_text_file_atomically(const std::string& path, std::string_view text) {
  internal::OutputFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace torsor
