#include "state_answers.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "text_output.hpp"
#include "torsor/formats/csv.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::command {
namespace {

std::vector<Quantity> finite(const Reporter& reporter, const State& state) {
  std::vector<Quantity> all = reporter.quantities(state);
  require_finite(all);
  return all;
}

Json head_of(const Model<double>& model) {
  Json joints = Json::array();
  for (int i = 1; i < model.n_bodies(); ++i) joints.push_back(model.joint_name(i));
  return {{"robot", model.name()}, {"joints", joints}, {"n_q", model.n_q()}, {"n_v", model.n_v()}};
}

constexpr std::size_t longest = 32;  // letters of a number

}  // namespace

void CsvAnswers::begin(const std::vector<Quantity>& all, std::string& out) {
  std::vector<std::string> names;
  if (table_ != nullptr && table_->has_t()) names.emplace_back("t");
  for (const Quantity& x : all)
    for (std::string& name : column_names(x)) names.push_back(std::move(name));
  append_csv_header(names, out);
  sources_.assign(names.size(), -1);
  if (table_ != nullptr) {
    const std::vector<std::string>& given = table_->column_names();
    std::unordered_map<std::string, int> places;
    for (std::size_t c = 0; c < given.size(); ++c) places.emplace(given[c], static_cast<int>(c));
    for (std::size_t c = 0; c < names.size(); ++c)
      if (const auto at = places.find(names[c]); at != places.end()) sources_[c] = at->second;
  }
  begun_ = true;
}

/// The numbers of the row.
void CsvAnswers::compute(const State& state, std::string& out) {
  row_.clear();
  if (table_ != nullptr && table_->has_t()) row_.push_back(table_->t());
  if (begun_ && report_.row) {
    report_.row(state, row_);
    if (std::all_of(row_.begin(), row_.end(), [](double x) { return std::isfinite(x); })) return;
    row_.resize(table_ != nullptr && table_->has_t() ? 1 : 0);
  }
  const std::vector<Quantity> all = finite(report_, state);
  if (!begun_) begin(all, out);
  for (const Quantity& x : all) row_.insert(row_.end(), x.values.begin(), x.values.end());
}

void CsvAnswers::add(const State& state, std::string& out) {
  compute(state, out);
  static const std::vector<std::string_view> none;
  const std::vector<std::string_view>& cells = table_ != nullptr ? table_->rows().cells() : none;
  const std::size_t begin = out.size();
  out.resize(begin + row_.size() * (longest + 1) + 1);
  char* at = out.data() + begin;
  for (std::size_t c = 0; c < row_.size(); ++c) {
    if (c > 0) *at++ = ',';
    if (const std::string_view cell = copied(c, cells); !cell.empty())
      at = std::copy(cell.begin(), cell.end(), at);
    else
      at = std::to_chars(at, at + longest, row_[c]).ptr;
  }
  *at++ = '\n';
  out.resize(static_cast<std::size_t>(at - out.data()));
}

/// The cell of the table that says the same as number c of the row, without noughts at its end; empty
/// where there is none.
std::string_view CsvAnswers::copied(std::size_t c,
                                    const std::vector<std::string_view>& cells) const {
  const int from = sources_[c];
  if (from < 0 || cells.empty()) return {};
  const std::string_view cell = View<const std::string_view>(cells)[from];
  const bool same = std::bit_cast<std::uint64_t>(row_[c]) ==
                    std::bit_cast<std::uint64_t>(table_->rows().numbers()[from]);
  const bool tidy = cell.back() >= '1' && cell.back() <= '9' && cell.size() <= longest;
  return same && tidy ? cell : std::string_view{};
}

JsonAnswers::JsonAnswers(const Model<double>& model, const Reporter& reporter,
                         const StateReader* table)
    : report_(reporter), table_(table), list_(head_of(model), "results") {}

void JsonAnswers::add(const State& state, std::string& out) {
  Json entry = Json::object();
  if (table_ != nullptr && table_->has_t()) entry["t"] = table_->t();
  const std::vector<Quantity> all = finite(report_, state);
  if (report_.json)
    entry.update(report_.json(state));
  else
    for (const Quantity& x : all) entry[x.name] = json_of(x);
  list_.add(entry, out);
}

std::string text_answer(const Model<double>& model, const State& state, const Reporter& reporter,
                        bool degrees) {
  const std::vector<Quantity> all = finite(reporter, state);
  return bold(model.name()) + "\n" + (reporter.text ? reporter.text(state) : text_of(all, degrees));
}

}  // namespace torsor::command
