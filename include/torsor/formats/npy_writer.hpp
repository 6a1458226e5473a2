#pragma once
/// Arrays of numbers to NumPy's .npy files, block by block.
///
///   NpyWriter M("M.npy", {n, 7, 7});          numpy.load("M.npy")
///   M.write(block);                           in the order of the file, the last index fastest
///   M.commit();
///
/// or in any order, by several threads and processes, then all_written() and commit():
///
///   M.write_at(k * 49, matrix);               numbers k * 49 and on
///
/// Little-endian float64 in C order, version 1.0. The file is written beside its name and takes it
/// with commit(), without waiting for the disk; what is not committed is removed. Numbers begin at a
/// multiple of 64 bytes, so that a reader may map them.
/// Source   Kern 2007.
#include <cstdint>
#include <string>
#include <vector>

#include "torsor/formats/internal/output_file.hpp"
#include "torsor/math/view.hpp"

namespace torsor {

namespace internal {

/// Everything of a .npy file of float64 before its numbers.
std::string npy_header(const std::vector<std::int64_t>& shape);

}  // namespace internal

class NpyWriter {
 public:
  /// Throws WriteError where the file cannot be made.
  NpyWriter(const std::string& path, const std::vector<std::int64_t>& shape);

  const std::vector<std::int64_t>& shape() const { return shape_; }
  const std::string& path() const { return path_; }
  /// The next numbers. Throws WriteError where the disk takes no more.
  void write(View<const double> numbers);
  /// Numbers from `first` on. Thread-safe beside others of its kind, not beside write.
  void write_at(std::int64_t first, View<const double> numbers) const;
  /// The file as it is called until commit, for internal::NpyPart in other processes.
  std::string part() const { return file_.part().string(); }
  /// After write_at of every number, here and elsewhere.
  void all_written() { left_ = 0; }
  /// Throws Error where there are fewer or more numbers than the shape has.
  void commit();

 private:
  std::string path_;
  std::vector<std::int64_t> shape_;
  std::int64_t begin_;  // of the numbers, in bytes
  std::int64_t left_;   // numbers to come
  internal::OutputFile file_;
};

namespace internal {

/// The file of an NpyWriter in another process: numbers at their places.
class NpyPart {
 public:
  /// Throws Error where there is no such file.
  NpyPart(const std::string& part, const std::vector<std::int64_t>& shape);
  ~NpyPart();
  NpyPart(const NpyPart&) = delete;
  NpyPart& operator=(const NpyPart&) = delete;

  void write_at(std::int64_t first, View<const double> numbers) const;

 private:
  std::string path_;
  std::int64_t begin_;
  int file_;
};

}  // namespace internal
}  // namespace torsor
