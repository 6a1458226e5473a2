#include "torsor/experiments/recording_file.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "recorded_figures.hpp"
#include "recording_check.hpp"
#include "scenario/fingerprint.hpp"
#include "torsor/formats/text.hpp"

namespace torsor {

namespace {

using internal::check_recording;

constexpr std::string_view magic = "TORSOR REC 5\n";
/// At the end: sixteen digits of everything before them.
constexpr std::size_t checksum_size = 16;
static_assert(std::endian::native == std::endian::little, "the binary format is little-endian");

/// Everything a recording holds, in one order for writing and reading.
template <class Archive>
void visit_all(Archive& archive, Recording& r, bool of_curve = false) {
  archive(r.robot);
  archive(r.controller);
  archive(r.t);
  for (Series* s : r.series()) {
    archive(s->name);
    archive.list(s->columns);
    archive(s->data);
  }
  archive(r.rate_is_bound);
  archive.list(r.conditions);
  archive.list(r.predictions);
  archive(r.period);
  archive(r.stop);
  archive(r.message);
  for (long* count : {&r.evaluations, &r.steps, &r.events}) archive(*count);
  internal::visit_figures(archive, r.figures);
  bool has_curve = !r.curve.empty();
  archive(has_curve);
  if (!has_curve) return;
  if (of_curve) archive.fail("holds a curve of a curve");
  r.curve.resize(1);
  visit_all(archive, r.curve.front(), true);
}

class Writer {
 public:
  void operator()(const std::string& text) {
    number(text.size());
    bytes += text;
  }
  void operator()(const std::vector<double>& x) {
    number(x.size());
    raw(x.data(), x.size() * sizeof(double));
  }
  void operator()(double x) { raw(&x, sizeof x); }
  void operator()(long x) { number(static_cast<std::uint64_t>(x)); }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void operator()(Enum x) { number(static_cast<std::uint64_t>(x)); }
  void operator()(bool x) { number(x); }
  void operator()(int x) { number(static_cast<std::uint64_t>(static_cast<std::int64_t>(x))); }
  void operator()(Condition& c) { fields(*this, c); }
  void operator()(Prediction& p) { fields(*this, p); }
  template <class Element>
  void list(std::vector<Element>& x) {
    number(x.size());
    for (Element& e : x) (*this)(e);
  }
  template <class Archive>
  static void fields(Archive& a, Condition& c) {
    a(c.name), a(c.quantity), a(c.value), a(c.bound), a(c.relation), a(c.verdict), a(c.note);
  }
  template <class Archive>
  static void fields(Archive& a, Prediction& p) {
    a(p.name), a(p.quantity), a(p.dof), a(p.value), a(p.coefficients), a(p.tolerance);
  }
  [[noreturn]] static void fail(const std::string& why) { throw Error("the recording " + why); }
  std::string bytes{magic};

 private:
  void number(std::uint64_t n) { raw(&n, sizeof n); }
  void raw(const void* from, std::size_t n) { bytes.append(static_cast<const char*>(from), n); }
};

class Reader {
 public:
  Reader(std::string_view bytes, std::string file) : bytes_(bytes), file_(std::move(file)) {
    if (bytes_.substr(0, magic.size()) != magic) fail("is no recording of this version");
    at_ = bytes_.size();
    if (bytes_.size() < magic.size() + checksum_size) fail("is cut short");
    const std::string_view written = bytes_.substr(bytes_.size() - checksum_size);
    bytes_.remove_suffix(checksum_size);
    if (internal::fingerprint(bytes_) != written)
      fail("is not as it was written: its checksum is another (it may be cut short)");
    at_ = magic.size();
  }
  void operator()(std::string& text) { text.assign(take(length(1))); }
  void operator()(std::vector<double>& x) {
    x.resize(length(sizeof(double)));
    const std::string_view from = take(x.size() * sizeof(double));
    if (!x.empty()) std::memcpy(x.data(), from.data(), from.size());
  }
  void operator()(double& x) { std::memcpy(&x, take(sizeof x).data(), sizeof x); }
  void operator()(long& x) { x = static_cast<long>(number()); }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void operator()(Enum& x) {
    const std::uint64_t n = number();
    if (n > 15) fail("holds a word of another version");
    x = static_cast<Enum>(n);
  }
  void operator()(bool& x) { x = number() != 0; }
  void operator()(int& x) { x = static_cast<int>(static_cast<std::int64_t>(number())); }
  void operator()(Condition& c) { Writer::fields(*this, c); }
  void operator()(Prediction& p) { Writer::fields(*this, p); }
  template <class Element>
  void list(std::vector<Element>& x) {
    // A count is not believed: every element has eight bytes at least, and memory grows with those
    // that are there.
    for (std::size_t n = length(sizeof(std::uint64_t)); n > 0; --n) (*this)(x.emplace_back());
  }
  void end() const {
    if (at_ != bytes_.size()) fail("goes on after its end");
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(one_line(file_) + ": byte " + std::to_string(at_) + ": the file " + why);
  }

 private:
  std::string_view take(std::size_t n) {
    if (n > bytes_.size() - at_) fail("is cut short");
    at_ += n;
    return bytes_.substr(at_ - n, n);
  }
  std::uint64_t number() {
    std::uint64_t n = 0;
    std::memcpy(&n, take(sizeof n).data(), sizeof n);
    return n;
  }
  /// A count of elements that the rest of the file could hold.
  std::size_t length(std::size_t element) {
    const std::uint64_t n = number();
    if (n > (bytes_.size() - at_) / element) fail("is cut short");
    return static_cast<std::size_t>(n);
  }
  std::string_view bytes_;
  std::string file_;
  std::size_t at_ = 0;
};

/// The series of a column: the word before the first point, but for those of certificate and
/// energy.
Series* series_of(Recording& r, const std::string& column) {
  const std::string word = column.substr(0, column.find('.'));
  if (word == "V") return &r.lyapunov;
  if (word == "energy" || word == "work") return &r.energy;
  for (Series* s : r.series())
    if (s->name == word) return s;
  return nullptr;
}

bool ends_with(const std::string& path, std::string_view ending) {
  return path.size() > ending.size() &&
         std::string_view(path).substr(path.size() - ending.size()) == ending;
}

}  // namespace

std::string recording_bytes(const Recording& recording) {
  Writer writer;
  Recording copy = recording;
  visit_all(writer, copy);
  return writer.bytes + internal::fingerprint(writer.bytes);
}

Recording recording_from_bytes(std::string_view bytes, const std::string& file_name) {
  Recording r;
  Reader reader(bytes, file_name);
  visit_all(reader, r);
  reader.end();
  check_recording(r, file_name);
  for (const Recording& curve : r.curve) check_recording(curve, file_name);
  internal::check_figures(r, file_name);
  return r;
}

CsvTable recording_table(const Recording& recording) {
  CsvTable table;
  table.columns = {"t"};
  for (const Series* s : recording.series())
    table.columns.insert(table.columns.end(), s->columns.begin(), s->columns.end());
  for (int k = 0; k < recording.size(); ++k) {
    std::vector<double> row{View<const double>(recording.t)[k]};
    for (const Series* s : recording.series())
      row.insert(row.end(), s->row(k).begin(), s->row(k).end());
    table.rows.push_back(std::move(row));
  }
  return table;
}

Recording recording_of(const CsvTable& table, const std::string& file_name) {
  Recording r;
  if (table.columns.empty() || table.columns[0] != "t")
    throw Error(one_line(file_name) + ":1: the first column of a recording is t");
  std::vector<Series*> owner(table.columns.size());
  for (std::size_t c = 1; c < table.columns.size(); ++c) {
    owner[c] = series_of(r, table.columns[c]);
    if (!owner[c])
      throw Error(one_line(file_name) + ":1: column " + in_quotes(table.columns[c]) +
                  " is of no series of a recording");
    owner[c]->columns.push_back(table.columns[c]);
  }
  for (const std::vector<double>& row : table.rows) {
    r.t.push_back(row[0]);
    for (std::size_t c = 1; c < row.size(); ++c) owner[c]->data.push_back(row[c]);
  }
  check_recording(r, file_name);
  return r;
}

void save_recording(const Recording& recording, const std::string& path) {
  if (ends_with(path, ".csv"))
    write_text_file_atomically(path, csv_text(recording_table(recording)));
  else if (ends_with(path, ".trec"))
    write_text_file_atomically(path, recording_bytes(recording));
  else
    throw Error(one_line(path) + ": a recording is written as .csv or .trec");
}

Recording load_recording(const std::string& path) {
  if (ends_with(path, ".csv")) return recording_of(read_csv(path), path);
  const std::string name = one_line(path);
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (status.type() == std::filesystem::file_type::not_found) throw Error(name + ": no such file");
  if (is_directory(status)) throw Error(name + ": is a folder, not a file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(name + ": cannot be read");
  std::string bytes, buffer(std::size_t{1} << 16, '\0');
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) ||
         file.gcount() > 0) {
    bytes.append(buffer, 0, static_cast<std::size_t>(file.gcount()));
    if (!bytes.starts_with(magic)) break;  // the reader says what it is not
    if (bytes.size() > recording_file_limit)
      throw Error(name + ": has more than " + std::to_string(recording_file_limit >> 20) +
                  " MiB, the limit of a recording");
  }
  return recording_from_bytes(bytes, path);
}

StateTable recorded_states(const Recording& recording) {
  StateTable table;
  table.t = recording.t;
  const auto rows = [&](const Series& s) {
    std::vector<std::vector<double>> list;
    for (int k = 0; k < s.rows(); ++k) list.emplace_back(s.row(k).begin(), s.row(k).end());
    return list;
  };
  table.q = rows(recording.q), table.qd = rows(recording.qd);
  table.qdd = rows(recording.qdd), table.tau = rows(recording.tau);
  return table;
}

}  // namespace torsor
