#include "torsor/formats/npy_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <functional>
#include <numeric>

#include "torsor/formats/npy_reader.hpp"
#include "torsor/formats/text.hpp"

namespace torsor {

static_assert(std::endian::native == std::endian::little, "numbers are written as they stand");

namespace {

constexpr std::int64_t number_size = sizeof(double);

std::string_view bytes_of(View<const double> numbers) {
  return {reinterpret_cast<const char*>(numbers.data),
          static_cast<std::size_t>(numbers.size) * sizeof(double)};
}

}  // namespace

std::string internal::npy_header(const std::vector<std::int64_t>& shape) {
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
      begin_(static_cast<std::int64_t>(internal::npy_header(shape).size())),
      left_(std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>())),
      file_(path) {
  file_.write(internal::npy_header(shape));
  file_.flush();
}

void NpyWriter::write(View<const double> numbers) {
  left_ -= numbers.size;
  file_.write(bytes_of(numbers));
}

void NpyWriter::write_at(std::int64_t first, View<const double> numbers) const {
  file_.write_at(begin_ + first * number_size, bytes_of(numbers));
}

void NpyWriter::commit() {
  if (left_ != 0)
    throw Error(one_line(path_) + ": " + std::to_string(left_) +
                " numbers are missing of the shape " + shape_text(shape_));
  file_.commit(internal::OutputFile::Wait::for_nothing);
}

namespace internal {

NpyPart::NpyPart(const std::string& part, const std::vector<std::int64_t>& shape)
    : path_(one_line(part)),
      begin_(static_cast<std::int64_t>(internal::npy_header(shape).size())),
      file_(::open(part.c_str(), O_WRONLY | O_CLOEXEC)) {
  if (file_ < 0) throw Error(path_ + ": cannot write: " + std::strerror(errno));
}
NpyPart::~NpyPart() { ::close(file_); }

void NpyPart::write_at(std::int64_t first, View<const double> numbers) const {
  if (!write_all_at(file_, begin_ + first * number_size, bytes_of(numbers)))
    throw WriteError(path_ + ": cannot write: " + std::strerror(errno));
}

}  // namespace internal

}  // namespace torsor
