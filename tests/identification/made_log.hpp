#pragma once
/// Logs that tests make: random rows of two joints, torques of known parameters, noise of a given
/// kind.
#include <cmath>
#include <functional>
#include <random>

#include "torsor/identification/compressed_log.hpp"

namespace torsor::testing {

struct MadeLog {
  std::vector<std::string> names{"a", "b", "c", "d", "e"}, joints{"j1", "j2"};
  Array<double> x{1.0, -2.0, 0.5, 3.0, -0.7};
  Array<double> noise{0.0, 0.0};  // standard deviation, joint by joint
  double memory = 0;              // e_t = memory e_(t-1) + white
  double drift = 0;               // the same of the rows: how slowly they change
  int blocks = 20, rows = 30;     // rows of each joint in each block
  /// May change a row (unknowns, then tau) of a block and joint.
  std::function<void(int block, int joint, Array<double>& row)> change{};

  Array<Array<double>> all_rows(unsigned seed, Array<int>* of_joint = nullptr,
                                Array<int>* of_block = nullptr) const {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    const int N = x.size(), n_joints = static_cast<int>(joints.size());
    Array<Array<double>> rows_of_all;
    Array<double> e(n_joints, 0.0);
    Array<Array<double>> last(n_joints, Array<double>(N, 0.0));
    for (int b = 0; b < blocks; ++b)
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j < n_joints; ++j) {
          Array<double> row(N + 1, 0.0);
          for (int c = 0; c < N; ++c)
            row[c] = last[j][c] =
                drift * last[j][c] + std::sqrt(1 - drift * drift) * normal(random);
          e[j] = memory * e[j] + noise[j] * std::sqrt(1 - memory * memory) * normal(random);
          if (change) change(b, -1 - j, row);
          for (int c = 0; c < N; ++c) row[N] += row[c] * x[c];
          row[N] += e[j];
          if (change) change(b, j, row);
          rows_of_all.push_back(row);
          if (of_joint) of_joint->push_back(j);
          if (of_block) of_block->push_back(b);
        }
    return rows_of_all;
  }
  CompressedLog log(unsigned seed) const {
    CompressedLog made;
    made.names = names, made.joints = joints;
    for (int b = 0; b < blocks; ++b) made.add_block(0);
    Array<int> joint, block;
    const Array<Array<double>> list = all_rows(seed, &joint, &block);
    for (int k = 0; k < list.size(); ++k) made.factor(block[k], joint[k]).add(list[k]);
    return made;
  }
};

}  // namespace torsor::testing
