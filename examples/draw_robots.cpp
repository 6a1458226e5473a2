// Draws robots side by side as an SVG: links as strokes, joints as dots, the ground as a shadow.
//   draw_robots puma560 ur5 panda > robots.svg
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "torsor/robot.hpp"

namespace {

constexpr double height = 260, margin = 24, caption = 26;  // pixels

/// Points on the page of every link, seen from the front right and a little above.
struct Drawing {
  std::string name;
  std::vector<Eigen::Vector2d> points, shadows;  // per body; [0] is the base
  std::vector<int> parents;
  double left = 0, right = 0, bottom = 0, top = 0;
};

Eigen::Vector2d seen(const Eigen::Vector3d& x) {
  const double turn = 0.6, tilt = 0.25;
  const double across = x.y() * std::cos(turn) - x.x() * std::sin(turn);
  const double away = x.x() * std::cos(turn) + x.y() * std::sin(turn);
  return {across, x.z() * std::cos(tilt) - away * std::sin(tilt)};
}

Drawing draw(const std::string& name) {
  torsor::Robot robot(name);
  const torsor::Model<double>& model = robot.model();
  Eigen::VectorXd q = robot.neutral();
  for (int k = 0; k < robot.n_q() && model.n_q() == model.n_v(); ++k)
    q[k] = (k % 2 == 0 ? 0.35 : -0.45);  // a bend in every joint shows the arm's shape

  Drawing d{name, {}, {}, {}};
  double lowest = 0;
  std::vector<Eigen::Vector3d> at;
  for (const Eigen::Isometry3d& T : robot.forward_kinematics(q)) {
    at.push_back(T.translation());
    d.parents.push_back(model.body(static_cast<int>(d.parents.size())).parent);
    lowest = std::min(lowest, at.back().z());
  }
  for (const std::string tip : {"tool", "flange", "tip"})
    if (model.has_frame(tip)) {
      at.push_back(robot.frame_pose(tip, q).translation());
      d.parents.push_back(model.frame(tip).body);
      break;
    }
  for (const Eigen::Vector3d& x : at) {
    d.points.push_back(seen(x));
    d.shadows.push_back(seen({x.x(), x.y(), lowest}));
    for (const Eigen::Vector2d& p : {d.points.back(), d.shadows.back()}) {
      d.left = std::min(d.left, p.x()), d.right = std::max(d.right, p.x());
      d.bottom = std::min(d.bottom, p.y()), d.top = std::max(d.top, p.y());
    }
  }
  return d;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Drawing> drawings;
  double width = 0;
  for (int k = 1; k < argc; ++k) {
    drawings.push_back(draw(argv[k]));
    const Drawing& d = drawings.back();
    width += (d.right - d.left) / (d.top - d.bottom) * height + 2 * margin;
  }
  const double full = height + 2 * margin + caption;
  std::printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\">\n", width,
              full);
  std::printf("<rect width=\"100%%\" height=\"100%%\" fill=\"#fbfaf7\"/>\n");
  double x0 = 0;
  for (const Drawing& d : drawings) {
    const double scale = height / (d.top - d.bottom);
    const auto page = [&](const Eigen::Vector2d& p) {
      return Eigen::Vector2d(x0 + margin + (p.x() - d.left) * scale,
                             margin + (d.top - p.y()) * scale);
    };
    const auto strokes = [&](const std::vector<Eigen::Vector2d>& points, const char* style) {
      for (std::size_t i = 1; i < points.size(); ++i) {
        const Eigen::Vector2d a = page(points[static_cast<std::size_t>(d.parents[i])]),
                              b = page(points[i]);
        std::printf("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", a.x(), a.y(),
                    b.x(), b.y(), style);
      }
    };
    strokes(d.shadows, "stroke=\"#e4e0d6\" stroke-width=\"9\" stroke-linecap=\"round\"");
    strokes(d.points, "stroke=\"#35506b\" stroke-width=\"8\" stroke-linecap=\"round\"");
    for (const Eigen::Vector2d& p : d.points)
      std::printf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"#e8833a\"/>\n", page(p).x(),
                  page(p).y());
    const double w = (d.right - d.left) * scale + 2 * margin;
    std::printf(
        "<text x=\"%.1f\" y=\"%.1f\" font-family=\"sans-serif\" font-size=\"15\" fill=\"#35506b\" "
        "text-anchor=\"middle\">%s</text>\n",
        x0 + w / 2, full - 14, d.name.c_str());
    x0 += w;
  }
  std::printf("</svg>\n");
}
