#include "eval_states.hpp"

#include <algorithm>

#include "print.hpp"
#include "torsor/formats/text.hpp"

namespace torsor::command {

StateBlock RequestedStates::next(int count) {
  begin_ = end_;
  end_ += std::min(count, request_.count - begin_);
  const auto part = [&](const std::vector<double>& all, int n) {
    return all.empty() ? View<const double>{}
                       : View<const double>(all.data() + begin_ * n, (end_ - begin_) * n);
  };
  F_ext_.clear();
  if (!request_.F_ext.empty() || !request_.own_F_ext.empty())
    for (int k = begin_; k < end_; ++k) {
      const auto own = request_.own_F_ext.find(k);
      F_ext_.emplace_back(own == request_.own_F_ext.end() ? request_.F_ext : own->second);
    }
  const int n = model_.n_v();
  return {end_ - begin_,         part(request_.q, model_.n_q()), part(request_.qd, n),
          part(request_.qdd, n), part(request_.tau, n),          F_ext_};
}

std::string RequestedStates::place(int k) const {
  return "states[" + std::to_string(begin_ + k) + "]";
}

TableStates::TableStates(const std::string& path, const Model<double>& model)
    : file_(one_line(path)), rows_(path, model) {
  const std::string name = "torsor: " + file_;
  if (!rows_.ignored().empty()) remark(name + ": ignored: " + one_line(listed(rows_.ignored())));
  std::vector<std::string> missing;
  if (!rows_.has_qd()) missing.emplace_back("qd");
  if (!rows_.has_qdd()) missing.emplace_back("qdd");
  if (!rows_.has_tau()) missing.emplace_back("tau");
  if (!missing.empty()) remark(name + ": has no " + listed(missing) + ": taken as zero");
}

StateBlock TableStates::next(int count) {
  for (std::vector<double>* const numbers : {&q_, &qd_, &qdd_, &tau_}) numbers->clear();
  lines_.clear();
  const auto add = [](const std::vector<double>& row, std::vector<double>& all) {
    all.insert(all.end(), row.begin(), row.end());
  };
  while (static_cast<int>(lines_.size()) < count && rows_.next()) {
    add(rows_.q(), q_);
    if (rows_.has_qd()) add(rows_.qd(), qd_);
    if (rows_.has_qdd()) add(rows_.qdd(), qdd_);
    if (rows_.has_tau()) add(rows_.tau(), tau_);
    lines_.push_back(rows_.rows().line());
  }
  return {static_cast<int>(lines_.size()), q_, qd_, qdd_, tau_, {}};
}

std::string TableStates::place(int k) const {
  return file_ + ":" + std::to_string(lines_[static_cast<std::size_t>(k)]);
}

}  // namespace torsor::command
