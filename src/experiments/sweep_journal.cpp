#include "torsor/experiments/sweep_journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "scenario/fingerprint.hpp"
#include "torsor/formats/text.hpp"

namespace torsor {

namespace {

constexpr std::string_view title = "# torsor sweep ";
constexpr std::string_view impossible = "impossible";
constexpr std::uintmax_t size_limit = std::uintmax_t{4} << 30;  // bytes: ten million runs

/// A figure may be infinite or not there.
std::optional<double> figure_of(std::string_view cell) {
  if (cell == "inf") return std::numeric_limits<double>::infinity();
  if (cell == "nan") return std::numeric_limits<double>::quiet_NaN();
  return parse_number(cell);
}
std::string cell_of(double x) { return std::isnan(x) ? "nan" : format_number(x); }

template <class Number>
bool read_whole(std::string_view cell, Number& x) {
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), x);
  return code == std::errc() && end == cell.data() + cell.size();
}

/// By its name; the names of reasons end with an empty one.
bool read_stop(std::string_view cell, StopReason& stop) {
  for (int k = 0; *name_of(static_cast<StopReason>(k)) != '\0'; ++k)
    if (cell == name_of(static_cast<StopReason>(k))) {
      stop = static_cast<StopReason>(k);
      return true;
    }
  return false;
}

/// The cells of a line; a comma between double quotes is part of its cell.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t k = 0; k < line.size(); ++k) {
    const bool doubled = quoted && line.substr(k, 2) == "\"\"";
    if (line[k] == '"' && !doubled)
      quoted = !quoted;
    else if (line[k] == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += line[k];
    k += doubled ? 1 : 0;
  }
  return cells;
}

/// The line without its checksum, which is that of all characters before it.
std::string cells_text(const SweepRow& row) {
  const SweepSample& s = row.sample;
  const bool ran = s.impossible.empty();
  std::string out = std::to_string(s.index) + "," + std::to_string(s.seed) + "," +
                    (ran ? name_of(row.summary.stop) : std::string(impossible)) + "," +
                    cell_of(ran ? row.summary.stopped_at : 0);
  for (const double x : s.values) out += "," + cell_of(x);
  for (const RunFigure& f : run_figures())
    out += "," + (ran ? cell_of(row.summary.*f.value) : "nan");
  return out + "," + csv_cell(one_line(s.impossible)) + ",";
}
std::string line_of(const SweepRow& row) {
  const std::string cells = cells_text(row);
  return cells + internal::fingerprint(cells) + "\n";
}

}  // namespace

void SweepJournal::fail(const std::string& what) const {
  throw Error(one_line(path_) + ": " + what);
}
void SweepJournal::cannot_write(int code) const {
  throw WriteError(one_line(path_) + ": cannot write: " + std::strerror(code));
}

SweepJournal::SweepJournal(const std::string& path, const std::string& fingerprint,
                           const Scenario& scenario, bool restart)
    : path_(path), scenario_(&scenario), names_(sweep_value_names(scenario)) {
  const std::string first = std::string(title) + "2, scenario " + fingerprint + ", seed " +
                            std::to_string(scenario.sweep.seed) + "\n";
  std::string header = "sample,seed,stop,stopped_at";
  for (const std::string& name : names_) header += "," + csv_cell(name);
  for (const RunFigure& f : run_figures()) header += std::string(",") + f.name;
  header += ",reason,checksum\n";

  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) fail(std::string("cannot write: ") + std::strerror(errno));
  try {
    struct stat what {};
    if (::fstat(file_, &what) != 0 || !S_ISREG(what.st_mode))
      fail("is no file that could keep a journal");
    if (static_cast<std::uintmax_t>(what.st_size) > size_limit)
      fail("has more than " + std::to_string(size_limit >> 30) + " GiB, the limit of a journal");
    // Some file systems of clusters have no locks: there the same sweep must not be started twice.
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
      fail("another sweep writes this file");
    std::string text;
    char buffer[1 << 16];
    ssize_t n = 0;
    while ((n = ::read(file_, buffer, sizeof buffer)) > 0)
      text.append(buffer, static_cast<std::size_t>(n));
    if (n < 0) fail(std::string("cannot read: ") + std::strerror(errno));
    if (text.substr(0, title.size()) != title.substr(0, text.size()))
      fail("is no journal of a sweep; it is left alone");
    // Whole lines count; what a kill left behind the last of them goes.
    const std::size_t whole = restart ? 0 : text.rfind('\n') + 1;  // npos + 1 = 0
    if (!restart && whole == 0 && !first.starts_with(text))
      fail("is a journal of another sweep; it is left alone");
    const bool unfinished = whole < text.size();
    text.resize(whole);
    const bool begins = text.empty() || text == first;
    if (!begins) read(text, first, header);  // refuses before anything is changed
    if (unfinished && ::ftruncate(file_, static_cast<off_t>(whole)) != 0) cannot_write(errno);
    if (begins) write(text.empty() ? first + header : header);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

SweepJournal::~SweepJournal() {
  if (appended_) (void)::fdatasync(file_);
  ::close(file_);
}

void SweepJournal::read(const std::string& text, const std::string& first,
                        const std::string& header) {
  if (!text.starts_with(first))
    fail(
        "holds runs of another scenario or seed; --restart begins anew, --journal takes another "
        "file");
  if (text.compare(first.size(), header.size(), header) != 0)
    fail("holds other columns than this version writes; --restart begins anew");
  int number = 2;
  for (std::size_t at = first.size() + header.size(); at < text.size();) {
    const std::size_t end = text.find('\n', at);
    rows_.push_back(parsed(text.substr(at, end - at), ++number));
    at = end + 1;
  }
  std::stable_sort(rows_.begin(), rows_.end(), [](const SweepRow& a, const SweepRow& b) {
    return a.sample.index < b.sample.index;
  });
  rows_.erase(std::unique(rows_.begin(), rows_.end(),
                          [](const SweepRow& a, const SweepRow& b) {
                            return a.sample.index == b.sample.index;
                          }),
              rows_.end());
}

SweepRow SweepJournal::parsed(const std::string& line, int number) const {
  const auto bad = [&](const std::string& what) {
    throw Error(one_line(path_) + ":" + std::to_string(number) + ": " + what +
                "; without this line its run is made again, --restart begins anew");
  };
  const std::vector<std::string> cells = cells_of(line);
  const std::vector<RunFigure>& figures = run_figures();
  const std::size_t values = names_.size(), wanted = 4 + values + figures.size() + 2;
  if (cells.size() != wanted)
    bad("has " + std::to_string(cells.size()) + " cells, not " + std::to_string(wanted));
  if (cells.back() != internal::fingerprint(line.substr(0, line.size() - cells.back().size())))
    bad("is not as it was written: its checksum is another");
  SweepRow row;
  if (!read_whole(cells[0], row.sample.index) || row.sample.index < 0 ||
      !read_whole(cells[1], row.sample.seed))
    bad("begins with no sample and seed");
  const auto number_at = [&](std::size_t k) {
    const std::optional<double> x = figure_of(cells[k]);
    if (!x) bad(in_quotes(cells[k]) + " is not a number");
    return x.value_or(0);
  };
  for (std::size_t k = 0; k < values; ++k) row.sample.values.push_back(number_at(4 + k));
  row.sample.impossible = cells[wanted - 2];
  if (row.sample.impossible.empty() == (cells[2] == impossible))
    bad("does not say how the run ended");
  if (cells[2] != impossible && !read_stop(cells[2], row.summary.stop))
    bad("does not say how the run ended");
  row.summary.stopped_at = number_at(3);
  for (std::size_t k = 0; k < figures.size(); ++k)
    row.summary.*figures[k].value = number_at(4 + values + k);
  const SweepSample drawn = draw_sample(*scenario_, row.sample.index);
  if (drawn.seed != row.sample.seed) bad("has another seed than sample " + cells[0]);
  for (std::size_t k = 0; k < values; ++k)
    if (drawn.values[k] != row.sample.values[k])
      bad(names_[k] + " is " + cells[4 + k] + "; sample " + cells[0] + " draws " +
          format_number(drawn.values[k]));
  return row;
}

void SweepJournal::write(const std::string& text) {
  // One call for a line: a kill leaves all of it or, at worst, a cut last line.
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(file_, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) cannot_write(n < 0 ? errno : ENOSPC);
    done += static_cast<std::size_t>(n);
  }
}

void SweepJournal::append(const SweepRow& row) {
  write(line_of(row));
  appended_ = true;
  // Once a second: asking the disk after each of a thousand runs a second would be all that is done.
  const auto now = std::chrono::steady_clock::now();
  if (now - synced_ < std::chrono::seconds(1)) return;
  // A file system of the network may say only here that its disk is full.
  if (::fdatasync(file_) != 0 && errno != EINVAL && errno != EROFS && errno != EINTR)
    cannot_write(errno);
  synced_ = now;
}

}  // namespace torsor
