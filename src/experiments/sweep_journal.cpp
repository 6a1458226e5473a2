#include "torsor/experiments/sweep_journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "torsor/formats/text.hpp"

namespace torsor {

namespace {

constexpr std::string_view title = "# torsor sweep ";

/// A figure may be infinite or not there.
std::optional<double> figure_of(std::string_view cell) {
  if (cell == "inf") return std::numeric_limits<double>::infinity();
  if (cell == "nan") return std::numeric_limits<double>::quiet_NaN();
  return parse_number(cell);
}

template <class Number>
bool read_whole(std::string_view cell, Number& x) {
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), x);
  return code == std::errc() && end == cell.data() + cell.size();
}

bool read_stop(std::string_view cell, StopReason& stop) {
  for (int k = 0; k <= static_cast<int>(StopReason::singular); ++k)
    if (cell == name_of(static_cast<StopReason>(k))) {
      stop = static_cast<StopReason>(k);
      return true;
    }
  return false;
}

std::string line_of(const SweepRow& row) {
  std::string out = std::to_string(row.sample.index) + "," + std::to_string(row.sample.seed) + "," +
                    name_of(row.summary.stop) + "," + format_number(row.summary.stopped_at);
  for (const double x : row.sample.values) out += "," + format_number(x);
  for (const RunFigure& f : run_figures()) {
    const double x = row.summary.*f.value;
    out += "," + (std::isnan(x) ? std::string("nan") : format_number(x));
  }
  return out + "\n";
}

}  // namespace

void SweepJournal::fail(const std::string& what) const {
  throw Error(one_line(path_) + ": " + what);
}

SweepJournal::SweepJournal(const std::string& path, const std::string& fingerprint,
                           const Scenario& scenario, bool restart)
    : path_(path) {
  const std::string first = std::string(title) + "1, scenario " + fingerprint + ", seed " +
                            std::to_string(scenario.sweep.seed) + "\n";
  std::string header = "sample,seed,stop,stopped_at";
  const std::vector<std::string> names = sweep_value_names(scenario);
  n_values_ = names.size();
  for (const std::string& name : names) header += "," + csv_cell(name);
  for (const RunFigure& f : run_figures()) header += std::string(",") + f.name;
  header += "\n";

  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) fail(std::string("cannot write: ") + std::strerror(errno));
  try {
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) fail("another sweep writes this file");
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
    if (whole < text.size() && ::ftruncate(file_, static_cast<off_t>(whole)) != 0)
      fail(std::string("cannot write: ") + std::strerror(errno));
    text.resize(whole);
    if (text.empty() || text == first)
      write(text.empty() ? first + header : header);
    else
      read(text, first, header);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

SweepJournal::~SweepJournal() { ::close(file_); }

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
                "; --restart begins anew");
  };
  const std::vector<std::string> cells = split(line);
  const std::vector<RunFigure>& figures = run_figures();
  if (cells.size() != 4 + n_values_ + figures.size())
    bad("has " + std::to_string(cells.size()) + " cells, not " +
        std::to_string(4 + n_values_ + figures.size()));
  SweepRow row;
  if (!read_whole(cells[0], row.sample.index) || row.sample.index < 0 ||
      !read_whole(cells[1], row.sample.seed))
    bad("begins with no sample and seed");
  if (!read_stop(cells[2], row.summary.stop)) bad("does not say how the run ended");
  const auto number_at = [&](std::size_t k) {
    const std::optional<double> x = figure_of(cells[k]);
    if (!x) bad(in_quotes(cells[k]) + " is not a number");
    return x.value_or(0);
  };
  row.summary.stopped_at = number_at(3);
  for (std::size_t k = 0; k < n_values_; ++k) row.sample.values.push_back(number_at(4 + k));
  for (std::size_t k = 0; k < figures.size(); ++k)
    row.summary.*figures[k].value = number_at(4 + n_values_ + k);
  return row;
}

void SweepJournal::write(const std::string& text) {
  // One call for a line: a kill leaves all of it or, at worst, a cut last line.
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(file_, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail(std::string("cannot write: ") + std::strerror(errno));
    done += static_cast<std::size_t>(n);
  }
}

void SweepJournal::append(const SweepRow& row) { write(line_of(row)); }

}  // namespace torsor
