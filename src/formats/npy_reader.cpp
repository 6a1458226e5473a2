#include "torsor/formats/npy_reader.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

#include "torsor/formats/text.hpp"

namespace torsor {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are read as they stand");

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t longest_header = std::size_t{1} << 16;  // bytes
constexpr std::int64_t most_numbers = std::int64_t{1} << 59;

/// The dictionary of the header, {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }: the
/// part of Python's grammar that NumPy writes.
class HeaderText {
 public:
  HeaderText(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  struct Entries {
    std::optional<std::string> descr;
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::int64_t>> shape;
  };
  Entries read() {
    Entries all;
    expect('{');
    while (!take('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr" && !all.descr)
        all.descr = type();
      else if (key == "fortran_order" && !all.fortran_order)
        all.fortran_order = boolean();
      else if (key == "shape" && !all.shape)
        all.shape = tuple();
      else
        fail("has the key " + in_quotes(key) + ", once too often or unknown");
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (!rest_.empty()) fail("goes on after its end");
    return all;
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(file_ + ": the header of the .npy file " + why);
  }

 private:
  void skip_blanks() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
  }
  bool take(char c) {
    skip_blanks();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!take(c))
      fail("has " + (rest_.empty() ? "its end" : in_quotes(rest_.substr(0, 20))) + " where a '" +
           c + "' belongs");
  }
  std::string quoted() {
    skip_blanks();
    const char quote = rest_.empty() ? '\0' : rest_[0];
    if (quote != '\'' && quote != '"') fail("has something else where a text belongs");
    const std::size_t end = rest_.find(quote, 1);
    if (end == rest_.npos) fail("has a quote that is not closed");
    const std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }
  /// Records have a list there.
  std::string type() {
    skip_blanks();
    if (!rest_.empty() && rest_[0] == '[')
      throw Error(file_ + ": holds records; one array of numbers is read from a file");
    return quoted();
  }
  bool boolean() {
    skip_blanks();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return value;
    }
    fail("says neither True nor False of fortran_order");
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> list;
    expect('(');
    while (!take(')')) {
      skip_blanks();
      std::int64_t length = 0;
      const char* const end = rest_.data() + rest_.size();
      const auto [stop, code] = std::from_chars(rest_.data(), end, length);
      if (code != std::errc() || length < 0) fail("has a shape that is no list of lengths");
      rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
      list.push_back(length);
      if (list.size() > 32) fail("has more than 32 axes");
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return list;
  }

  std::string_view rest_;
  const std::string& file_;
};

void check_type(const std::string& descr, const std::string& file) {
  if (descr == "<f8" || descr == "<f4") return;
  const bool big = descr == ">f8" || descr == ">f4";
  throw Error(file + ": holds numbers of type " + in_quotes(descr) + (big ? " (big-endian)" : "") +
              "; float64 and float32 are read: numpy.save(file, x.astype(\"<f8\"))");
}

/// The product of lengths that overflow is no shape of a file.
void check_shape(const std::vector<std::int64_t>& shape, const HeaderText& header) {
  std::int64_t numbers = 1;
  for (const std::int64_t length : shape) {
    if (length > 0 && numbers > most_numbers / length)
      header.fail("has the shape " + shape_text(shape) + ", which no file can hold");
    numbers *= std::max<std::int64_t>(length, 1);
  }
}

}  // namespace

std::int64_t internal::NpyHeader::size() const {
  std::int64_t numbers = 1;
  for (const std::int64_t length : shape) numbers *= length;
  return numbers;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string out = "(";
  for (std::size_t k = 0; k < shape.size(); ++k)
    (out += k == 0 ? "" : ", ") += std::to_string(shape[k]);
  return out + (shape.size() == 1 ? ",)" : ")");
}

internal::NpyHeader internal::parse_npy_header(std::string_view bytes,
                                               const std::string& file_name) {
  const std::string file = one_line(file_name);
  if (bytes.empty()) throw Error(file + ": is empty, no .npy file");
  if (!bytes.starts_with(magic)) throw Error(file + ": is no .npy file of NumPy");
  const auto byte = [&](std::size_t k) {
    if (k >= bytes.size()) throw Error(file + ": the .npy file is cut short in its header");
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[k]));
  };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    throw Error(file + ": is of version " + std::to_string(version) +
                " of the .npy format; 1 to 3 are read");
  const std::size_t begin = version == 1 ? 10 : 12;
  std::size_t length = byte(8) | byte(9) << 8;
  if (version > 1) length |= byte(10) << 16 | byte(11) << 24;
  if (length > longest_header)
    throw Error(file + ": the header of the .npy file says that it has " + std::to_string(length) +
                " bytes");
  if (length > bytes.size() - begin)
    throw Error(file + ": the .npy file is cut short in its header");

  HeaderText text(bytes.substr(begin, length), file);
  const HeaderText::Entries entries = text.read();
  if (!entries.descr) text.fail("has no \"descr\"");
  if (!entries.fortran_order) text.fail("has no \"fortran_order\"");
  if (!entries.shape) text.fail("has no \"shape\"");
  check_type(*entries.descr, file);
  check_shape(*entries.shape, text);
  if (*entries.fortran_order && entries.shape->size() > 1)
    throw Error(file + ": is in Fortran order; write it with numpy.ascontiguousarray(x)");
  return {*entries.descr == "<f4", *entries.shape, static_cast<std::int64_t>(begin + length)};
}

NpyReader::NpyReader(const std::string& path) : path_(path) {
  namespace fs = std::filesystem;
  const std::string name = one_line(path);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) throw Error(name + ": no such file");
  if (status.type() == fs::file_type::directory) throw Error(name + ": is a folder, not a file");
  file_.reset(std::fopen(path.c_str(), "rb"));
  if (!file_) throw Error(name + ": cannot read: " + std::strerror(errno));
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // blocks are read into the caller's

  std::string head(longest_header + 12, '\0');
  head.resize(std::fread(head.data(), 1, head.size(), file_.get()));
  header_ = internal::parse_npy_header(head, path);
  const std::uintmax_t bytes = fs::file_size(path, error);
  if (error) throw Error(name + ": cannot read: " + error.message());
  const std::int64_t there = static_cast<std::int64_t>(bytes) - header_.begin;
  if (there != header_.bytes())
    throw Error(name + ": has " + std::to_string(there) + " bytes of numbers, the shape " +
                shape_text(header_.shape) + " of " + (header_.single ? "float32" : "float64") +
                " has " + std::to_string(header_.bytes()));
  seek(0);
}

void NpyReader::seek(std::int64_t first) {
  const std::int64_t place = header_.begin + first * (header_.single ? 4 : 8);
  if (std::fseek(file_.get(), static_cast<long>(place), SEEK_SET) != 0)
    throw Error(one_line(path_) + ": cannot read: " + std::strerror(errno));
}

void NpyReader::read(View<double> numbers) {
  const auto count = static_cast<std::size_t>(numbers.size);
  const auto take = [&](auto* to) {
    if (std::fread(to, sizeof *to, count, file_.get()) != count)
      throw Error(one_line(path_) + ": has become shorter while it was read");
  };
  if (!header_.single) {
    take(numbers.data);
    return;
  }
  singles_.resize(count);
  take(singles_.data());
  std::copy(singles_.begin(), singles_.end(), numbers.data);
}

}  // namespace torsor
