/// Sines of many coordinates at once are those of the C library.
#include "torsor/trajectory/periodic.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace torsor {
namespace {

TEST(Sinusoid, is_the_sine_of_each_coordinate_for_any_number_of_them) {
  for (const int n : {1, 2, 3, 7, 16, 17, 40}) {
    Sinusoid path;
    for (int k = 0; k < n; ++k) {
      path.offset.push_back(0.1 * k);
      path.amplitude.push_back(1 + 0.01 * k);
      path.frequency.push_back(0.5 + 0.3 * k);
      path.phase.push_back(-0.2 * k);
    }
    Array<double> q(n), qd(n), qdd(n), alone(n);
    for (const double t : {0.0, 0.37, 12.5, 900.0, 1e7, 1e16}) {
      path.sample(t, q, qd, qdd);
      path.sample(t, alone, {}, {});
      for (int k = 0; k < n; ++k) {
        const double w = path.frequency[k], a = path.amplitude[k], angle = w * t + path.phase[k];
        EXPECT_NEAR(q[k], path.offset[k] + a * std::sin(angle), 1e-14) << n << ", " << t;
        EXPECT_NEAR(qd[k], a * w * std::cos(angle), 1e-14 * (1 + w)) << n << ", " << t;
        EXPECT_NEAR(qdd[k], -a * w * w * std::sin(angle), 1e-14 * (1 + w * w)) << n << ", " << t;
        EXPECT_EQ(alone[k], q[k]);
      }
    }
  }
}

}  // namespace
}  // namespace torsor
