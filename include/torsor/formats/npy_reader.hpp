#pragma once
/// Arrays of numbers from NumPy's .npy files, block by block.
///
///   NpyReader q("q.npy");                     numpy.save("q.npy", q)
///   q.read(block);                            the next block.size numbers, as doubles
///
/// Little-endian float64 or float32 in C order: the last index runs fastest. Everything else is
/// refused with what to do about it. The file is read block by block and never held: memory is that of
/// the caller's blocks, and a file that is cut while it is read is an Error (a mapped one would end
/// the process).
/// Source   Kern 2007 (versions 1.0 to 3.0).
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/math/view.hpp"

namespace torsor {

namespace internal {

struct NpyHeader {
  bool single = false;              ///< float32; otherwise float64
  std::vector<std::int64_t> shape;  ///< empty of a single number
  std::int64_t begin = 0;           ///< of the numbers, in bytes from the beginning of the file

  /// Numbers in all; their bytes are known to be fewer than 2^62.
  std::int64_t size() const;
  std::int64_t bytes() const { return size() * (single ? 4 : 8); }
};

/// Of the first bytes of a file. Throws Error that begins with the file's name.
NpyHeader parse_npy_header(std::string_view bytes, const std::string& file_name);

}  // namespace internal

/// "(100, 7)", as Python writes it.
std::string shape_text(const std::vector<std::int64_t>& shape);

class NpyReader {
 public:
  /// Throws Error for a missing file, a bad header, and where the file has fewer or more numbers than
  /// its shape.
  explicit NpyReader(const std::string& path);

  const std::vector<std::int64_t>& shape() const { return header_.shape; }
  const std::string& path() const { return path_; }
  /// Number `first` is the next one.
  void seek(std::int64_t first);
  /// The next numbers. Throws Error where the file has become shorter than it was.
  void read(View<double> numbers);

 private:
  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, std::fclose};
  internal::NpyHeader header_;
  std::vector<float> singles_;  // on their way to doubles
};

}  // namespace torsor
