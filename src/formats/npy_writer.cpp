#include "torsor/formats/npy_writer.hpp"

#include <bit>
#include <functional>
#include <numeric>

#include "torsor/formats/npy_reader.hpp"
#include "torsor/formats/text.hpp"

namespace torsor {

static_assert(std::endian::native == std::endian::little, "numbers are written as they stand");

std::string npy_header(const std::vector<std::int64_t>& shape) {
  constexpr std::size_t fixed = 10, unit = 64;
  std::string text =
      "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  text.append(unit - 1 - (fixed + text.size()) % unit, ' ');
  text += '\n';
  std::string out = "\x93NUMPY";
  out += '\x01';
  out += '\0';
  out += static_cast<char>(text.size() & 0xff);
  out += static_cast<char>(text.size() >> 8);
  return out + text;
}

NpyWriter::NpyWriter(const std::string& path, const std::vector<std::int64_t>& shape)
    : path_(path),
      shape_(shape),
      left_(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>())),
      file_(path) {
  file_.write(npy_header(shape));
}

void NpyWriter::write(View<const double> numbers) {
  left_ -= numbers.size;
  file_.write({reinterpret_cast<const char*>(numbers.data),
               static_cast<std::size_t>(numbers.size) * sizeof(double)});
}

void NpyWriter::commit() {
  if (left_ != 0)
    throw Error(one_line(path_) + ": " + std::to_string(left_) +
                " numbers are missing of the shape " + shape_text(shape_));
  file_.commit(internal::OutputFile::Wait::for_nothing);
}

}  // namespace torsor
