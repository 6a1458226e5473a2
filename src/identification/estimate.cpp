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

namespace {

/// As they stand, but the ten of a link as base parameters keep them.
Array<int> usual_order(const std::vector<std::string>& names) {
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

}  // namespace

BaseParameters internal::determined_columns(const Matrix& R, const std::vector<std::string>& names,
                                            In<int> given, double tolerance) {
  const int N = static_cast<int>(names.size());
  if (R.cols() < N)
    throw Error("determined_columns: " + std::to_string(N) + " names for a factor of " +
                std::to_string(R.cols()) + " columns");
  const Array<int> order =
      given.empty() ? usual_order(names) : Array<int>(given.begin(), given.end());
  if (order.size() != N)
    throw Error("determined_columns: an order of " + std::to_string(order.size()) + " for " +
                std::to_string(N) + " columns");
  BaseParameters base;
  base.names = names;
  Array<Array<double>> basis;         // orthonormal, of the kept columns
  Array<Array<double>> coefficients;  // of the kept columns in the basis
  Array<Array<double>> columns(N);    // regrouping over the kept ones, in columns of length one
  Array<double> lengths(N, 0.0);
  double longest = 0;
  for (int c = 0; c < N; ++c)
    longest = std::max(longest, lengths[c] = internal::column_length(R, c));
  for (const int c : order) {
    if (!(lengths[c] > 1e-14 * longest)) continue;
    Array<double> rest(N), along(basis.size(), 0.0);
    for (int r = 0; r < N; ++r) rest[r] = r <= c ? R(r, c) / lengths[c] : 0;
    for (int pass = 0; pass < 2; ++pass)
      for (int k = 0; k < basis.size(); ++k) {
        const double* const b = basis[k].data();
        double part = 0;
        for (int r = 0; r < N; ++r) part += b[r] * rest[r];
        for (int r = 0; r < N; ++r) rest[r] -= part * b[r];
        along[k] += part;
      }
    double left = 0;
    for (const double x : rest) left += x * x;
    left = std::sqrt(left);
    if (left > tolerance) {
      for (double& x : rest) x /= left;
      along.push_back(left);
      base.kept.push_back(c);
      basis.push_back(std::move(rest));
      coefficients.push_back(std::move(along));
      continue;
    }
    for (int k = along.size() - 1; k >= 0; --k) {
      along[k] /= coefficients[k][k];
      for (int j = 0; j < k; ++j) along[j] -= coefficients[k][j] * along[k];
    }
    columns[c] = std::move(along);
  }
  base.regrouping = Matrix(base.size(), N);
  for (int c = 0; c < N; ++c)
    for (int k = 0; k < columns[c].size(); ++k)
      if (std::abs(columns[c][k]) > 1e-7)
        base.regrouping(k, c) = columns[c][k] * lengths[c] / lengths[base.kept[k]];
  for (int k = 0; k < base.size(); ++k) base.regrouping(k, base.kept[k]) = 1;
  internal::finish(base);
  return base;
}

}  // namespace torsor
