#pragma once
/// Which points of a grid are painted, from the near to the far. Private to this room.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "drawing/solids.hpp"

namespace torsor::drawing {

class Coverage {
 public:
  Coverage(int width, int height)
      : width_(width),
        height_(height),
        taken_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {}

  /// Takes the points inside of a convex polygon, in units of the grid; false: nearer ones have all.
  bool take(const std::vector<Point2>& polygon) {
    bool any = false;
    const auto [low, high] = std::minmax_element(
        polygon.begin(), polygon.end(), [](const Point2& a, const Point2& b) { return a.y < b.y; });
    const int last = std::min(height_ - 1, static_cast<int>(std::floor(high->y)));
    for (int row = std::max(0, static_cast<int>(low->y)); row <= last; ++row) {
      const double y = row + 0.5;
      double left = HUGE_VAL, right = -HUGE_VAL;
      for (std::size_t k = 0; k < polygon.size(); ++k) {
        const Point2 &a = polygon[k], &b = polygon[(k + 1) % polygon.size()];
        if ((a.y <= y) == (b.y <= y)) continue;
        const double x = a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x);
        left = std::min(left, x), right = std::max(right, x);
      }
      if (left > right) continue;
      const int end = std::min(width_ - 1, static_cast<int>(std::floor(right - 0.5)));
      for (int c = std::max(0, static_cast<int>(std::ceil(left - 0.5))); c <= end; ++c) {
        char& cell = taken_[static_cast<std::size_t>(row) * static_cast<std::size_t>(width_) +
                            static_cast<std::size_t>(c)];
        any = any || cell == 0;
        cell = 1;
      }
    }
    return any;
  }

 private:
  int width_, height_;
  std::vector<char> taken_;
};

}  // namespace torsor::drawing
