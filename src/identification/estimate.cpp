#include "torsor/identification/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base_parameter_ways.hpp"
#include "factor_algebra.hpp"
#include "torsor/math/error.hpp"

namespace torsor {

double Estimate::relative_sigma(int k) const {
  return determined(k) && x[k] != 0 ? 100 * sigma[k] / std::abs(x[k])
                                    : std::numeric_limits<double>::infinity();
}

std::vector<std::string> Estimate::undetermined() const {
  std::vector<std::string> names;
  for (int k = 0; k < x.size(); ++k)
    if (!determined(k)) names.push_back(base.names[static_cast<std::size_t>(k)]);
  return names;
}

Residual residual(const CompressedLog& log, In<double> x, In<int> times) {
  if (x.size != log.n_unknowns())
    throw Error("residual: the log has " + std::to_string(log.n_unknowns()) + " unknowns, " +
                std::to_string(x.size) + " values were given");
  Residual result;
  double all = 0, all_tau = 0;
  for (int j = 0; j < log.n_joints(); ++j) {
    double square = 0, tau = 0;
    for (int b = 0; b < log.n_blocks(); ++b) {
      const double count = times.empty() ? 1 : times[b];
      if (count == 0) continue;
      const Matrix& R = log.factor(b, j).R();
      const double length = internal::column_length(R, x.size);
      square += count * internal::squared_residual(R, x);
      tau += count * length * length;
    }
    result.joints.push_back(tau > 0 ? 100 * std::sqrt(square / tau) : 0);
    all += square, all_tau += tau;
  }
  result.all = all_tau > 0 ? 100 * std::sqrt(all / all_tau) : 0;
  return result;
}

Array<int> internal::usual_order(const std::vector<std::string>& names) {
  const int N = static_cast<int>(names.size());
  std::map<std::string, int> rank;
  for (int k = 0; k < parameters_per_body; ++k)
    rank[internal::parameter_words[static_cast<std::size_t>(internal::kept_first[k])]] = k;
  Array<int> order;
  const auto link_and_word = [&](int k) {
    const std::string& name = names[static_cast<std::size_t>(k)];
    const std::size_t dot = name.rfind('.');
    const auto found = dot == name.npos ? rank.end() : rank.find(name.substr(dot + 1));
    return found == rank.end() ? std::pair(std::string(), -1)
                               : std::pair(name.substr(0, dot), found->second);
  };
  for (int k = 0; k < N;) {
    const auto [link, word] = link_and_word(k);
    int end = k + 1;
    while (word >= 0 && end < N && link_and_word(end).second >= 0 &&
           link_and_word(end).first == link)
      ++end;
    Array<int> run;
    for (; k < end; ++k) run.push_back(k);
    if (word >= 0)
      std::stable_sort(run.begin(), run.end(), [&](int a, int b) {
        return link_and_word(a).second < link_and_word(b).second;
      });
    order.insert(order.end(), run.begin(), run.end());
  }
  return order;
}

BaseParameters internal::determined_columns(const Matrix& R, const std::vector<std::string>& names,
                                            In<int> order, double tolerance) {
  if (!order.empty()) return base_parameters_of(R, names, order, tolerance);
  return base_parameters_of(R, names, usual_order(names), tolerance);
}

}  // namespace torsor
