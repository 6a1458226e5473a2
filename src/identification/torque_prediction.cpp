// Motion left out, the width of a prior, and torques with intervals.
#include <algorithm>
#include <cmath>

#include "distributions.hpp"
#include "torsor/identification/uncertainty.hpp"
#include "torsor/linear/cholesky.hpp"
#include "torsor/math/error.hpp"
#include "torsor/model/inertial_parameters.hpp"
#include "white_blocks.hpp"

namespace torsor {

using namespace internal;

namespace {

constexpr int most_groups = 48;

/// Neighbouring blocks together.
CompressedLog grouped(const CompressedLog& log) {
  CompressedLog groups;
  groups.names = log.names, groups.joints = log.joints;
  const int count = std::min(most_groups, log.n_blocks());
  for (int b = 0, g = -1; b < log.n_blocks(); ++b) {
    const int own = static_cast<int>(static_cast<long long>(b) * count / log.n_blocks());
    if (own != g) groups.add_block(log.log_of_block[b]), g = own;
    for (int j = 0; j < log.n_joints(); ++j) groups.factor(g, j).add(log.factor(b, j));
  }
  return groups;
}

/// Cosine of every pair of W^T W, columns of length one over the whole log.
Matrix similarities(const WhiteBlocks& white) {
  const int K = white.G.size(), n = K > 0 ? white.G[0].rows() : 0;
  // W^T W = R^T G R, scaled by the lengths of R's columns.
  Matrix scaled(n, n);
  for (int c = 0; c < n; ++c) {
    const double length = column_length(white.R, c);
    for (int r = 0; r <= c; ++r) scaled(r, c) = white.R(r, c) / length;
  }
  Array<Matrix> grams;
  for (const Matrix& G : white.G) {
    Matrix full = G;
    for (int r = 0; r < n; ++r)
      for (int c = r + 1; c < n; ++c) full(r, c) = G(c, r);
    const Matrix half = product(full, scaled);
    Matrix gram(n, n);
    for (int r = 0; r < n; ++r)
      for (int k = 0; k <= r; ++k)
        for (int c = 0; c < n; ++c) gram(r, c) += scaled(k, r) * half(k, c);
    double square = 0;
    for (const double v : gram.entries()) square += v * v;
    for (int k = 0; k < n * n; ++k) gram.data()[k] /= std::sqrt(std::max(square, 1e-300));
    grams.push_back(std::move(gram));
  }
  Matrix cosine(K, K);
  for (int a = 0; a < K; ++a)
    for (int b = 0; b <= a; ++b) {
      double sum = 0;
      for (int k = 0; k < n * n; ++k) sum += grams[a].data()[k] * grams[b].data()[k];
      cosine(a, b) = cosine(b, a) = sum;
    }
  return cosine;
}

}  // namespace

LeftOutMotion leave_motion_out(const CompressedLog& log, const Estimate& e, double similarity) {
  if (log.n_blocks() < 8)
    throw Error("leave_motion_out: " + std::to_string(log.n_blocks()) +
                " blocks are too few, 8 are needed");
  if (e.x.size() != log.n_unknowns() || e.noise.size() != log.n_joints())
    throw Error("leave_motion_out: the estimate has " + std::to_string(e.x.size()) +
                " unknowns, the log has " + std::to_string(log.n_unknowns()));
  const CompressedLog groups = grouped(log);
  const int K = groups.n_blocks(), n = e.base.size(), n_joints = log.n_joints();
  const WhiteBlocks white = whiten(groups, e);
  const Matrix cosine = similarities(white);
  LeftOutMotion result;
  result.noise.assign(n_joints, 0.0);
  Array<double> rows(n_joints, 0.0), y(n), x = e.x;
  double more = 0, variance = 0;
  Cholesky factor(n);
  for (int b = 0; b < K; ++b) {
    bool solved = false;
    for (double least = similarity; !solved && least < 1.05; least += 0.1) {
      Matrix rest = Matrix::identity(n);
      std::fill(y.begin(), y.end(), 0.0);
      int out = 0;
      for (int k = 0; k < K; ++k) {
        if (k != b && cosine(b, k) < least) continue;
        ++out;
        for (int r = 0; r < n; ++r) {
          y[r] -= white.h[k][r];
          for (int c = 0; c <= r; ++c) rest(r, c) -= white.G[k](r, c);
        }
      }
      solved = factor.factorise(rest, 1e-6);
      if (solved) result.share += static_cast<double>(out) / K / K;
    }
    if (!solved) continue;  // nothing else determines what this block moves
    factor.solve(y);
    // Residual of the block there, and what the others' deviations make of it.
    Array<double> column(n);
    for (int c = 0; c < n; ++c) {
      for (int r = 0; r < n; ++r) column[r] = r >= c ? white.G[b](r, c) : white.G[b](c, r);
      factor.solve(column);
      variance += column[c];
    }
    solve_upper(white.R, n, y);
    for (int k = 0; k < n; ++k) x[e.base.kept[k]] = e.x[e.base.kept[k]] + y[k];
    for (int j = 0; j < n_joints; ++j) {
      const Matrix& R = groups.factor(b, j).R();
      const double there = squared_residual(R, x), here = squared_residual(R, e.x);
      result.noise[j] += there;
      rows[j] += static_cast<double>(groups.factor(b, j).rows());
      more += (there - here) / (e.noise[j] * e.noise[j]);
    }
  }
  for (int j = 0; j < n_joints; ++j)
    result.noise[j] = std::max(e.noise[j], rows[j] > 0 ? std::sqrt(result.noise[j] / rows[j]) : 0);
  result.inflation = variance > 0 ? std::sqrt(std::max(1.0, more / variance)) : 1;
  return result;
}

Array<double> prior_width(const CompressedLog& log, In<double> prior, double relative) {
  const int N = log.n_unknowns();
  if (prior.size != N || !(relative > 0))
    throw Error("prior_width: a prior of " + std::to_string(prior.size) + " for " +
                std::to_string(N) + " unknowns, relative width " + std::to_string(relative));
  const Matrix R = stacked(log).R();
  const double torque = column_length(R, N);
  const auto index = [&](const std::string& name) {
    const auto found = std::find(log.names.begin(), log.names.end(), name);
    return found == log.names.end() ? -1 : static_cast<int>(found - log.names.begin());
  };
  Array<double> width(N, 0.0);
  for (int k = 0; k < N; ++k) {
    const std::string& name = log.names[static_cast<std::size_t>(k)];
    const std::size_t dot = name.rfind('.');
    const std::string link = dot == name.npos ? "" : name.substr(0, dot);
    const auto word =
        std::find(parameter_words.begin(), parameter_words.end(), name.substr(dot + 1));
    const int m = index(link + ".m"), xx = index(link + ".xx"), yy = index(link + ".yy"),
              zz = index(link + ".zz");
    if (word != parameter_words.end() && m >= 0 && xx >= 0 && yy >= 0 && zz >= 0 && prior[m] > 0) {
      const double radius =
          std::sqrt(std::max(1e-4, 0.5 * (prior[xx] + prior[yy] + prior[zz]) / prior[m]));
      const auto own = word - parameter_words.begin();
      width[k] = relative * prior[m] * (own == 0 ? 1 : own < 4 ? radius : radius * radius);
    } else {
      const double length = column_length(R, k);
      width[k] = relative * std::max(std::abs(prior[k]), length > 0 ? torque / length : 0);
    }
    if (!(width[k] > 0)) width[k] = 1;
  }
  return width;
}

TorquePrediction::TorquePrediction(const CompressedLog& log, const Estimate& e,
                                   const LeftOutMotion& left_out, In<double> prior,
                                   In<double> width)
    : noise_(left_out.noise) {
  const int N = log.n_unknowns();
  if (e.noise.size() != log.n_joints() || noise_.size() != log.n_joints() || prior.size != N ||
      width.size != N || !(left_out.inflation > 0))
    throw Error("torque prediction: " + std::to_string(log.n_joints()) + " joints and " +
                std::to_string(N) + " unknowns, but " + std::to_string(noise_.size()) +
                " deviations, a prior of " + std::to_string(prior.size) + " and widths of " +
                std::to_string(width.size));
  Array<double> weights;
  for (const double s : e.noise) weights.push_back(1 / (s * left_out.inflation));
  RowFactor rows = weighted_sum(joint_factors(log), weights);
  for (int k = 0; k < N; ++k) {
    if (!(width[k] > 0))
      throw Error("torque prediction: the prior of " + log.names[static_cast<std::size_t>(k)] +
                  " has no width");
    Array<double> row(N + 1, 0.0);
    row[k] = 1 / width[k], row[N] = prior[k] / width[k];
    rows.add(row);
  }
  T_ = rows.R();
  x_ = own_ = solution(T_, N);
}

void TorquePrediction::set_mean(In<double> x) {
  if (x.size != x_.size())
    throw Error("torque prediction: " + std::to_string(x.size) + " values for " +
                std::to_string(x_.size()) + " unknowns");
  x_.assign(x.begin(), x.end());
}

double TorquePrediction::deviation(In<double> w) const {
  Array<double> y(w.begin(), w.end());
  solve_upper_transposed(T_, y.size(), y);
  double square = 0;
  for (const double v : y) square += v * v;
  return std::sqrt(square);
}

void TorquePrediction::predict(InMatrix<double> W, Out<double> mean, Out<double> half_width,
                               double confidence) const {
  if (W.rows != noise_.size() || W.cols != x_.size() || mean.size != W.rows ||
      half_width.size != W.rows)
    throw Error("torque prediction: rows of " + std::to_string(noise_.size()) + " x " +
                std::to_string(x_.size()) + " are needed, " + std::to_string(W.rows) + " x " +
                std::to_string(W.cols) + " were given");
  const double z = normal_quantile(0.5 + 0.5 * confidence);
  Array<double> w(W.cols);
  for (int j = 0; j < W.rows; ++j) {
    double apart = 0;
    mean[j] = 0;
    for (int c = 0; c < W.cols; ++c) {
      w[c] = W(j, c);
      mean[j] += w[c] * x_[c];
      apart += w[c] * (x_[c] - own_[c]);
    }
    half_width[j] = z * std::hypot(deviation(w), noise_[j], apart);
  }
}

}  // namespace torsor
