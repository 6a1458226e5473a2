// The robot as an SVG: faces of its shapes, seen by a camera, painted from the far to the near.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "drawing/coverage.hpp"
#include "drawing/far_to_near.hpp"
#include "report/plot.hpp"
#include "torsor/experiments/drawing.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/kinematics/forward.hpp"
#include "torsor/model/configuration.hpp"
#include "torsor/model/error.hpp"

namespace torsor {
namespace drawing {
namespace {

using Vector = Vec3<double>;
using internal::PictureShape;
using internal::RobotPicture;
using Colour = std::array<double, 3>;

constexpr double margin = 0.06;  // of the picture, on each side
constexpr double finest = 3;     // points of a pixel, across, at which it is known what is seen,
constexpr double most = 8000;    // and of the picture

/// Looks at `middle`; x to the right, y up, depth towards the eye.
struct Camera {
  Vector right, up, to_eye, middle{};
  double distance = 0;  // m; 0: parallel rays

  explicit Camera(const DrawOptions& o) {
    const double ca = std::cos(o.azimuth), sa = std::sin(o.azimuth);
    const double ce = std::cos(o.elevation), se = std::sin(o.elevation);
    to_eye = {ce * ca, ce * sa, se};
    right = {-sa, ca, 0};
    up = cross(to_eye, right);
  }
  /// Of parallel rays a point far away, in sizes of the robot.
  Vector eye(double size) const { return middle + to_eye * (distance > 0 ? distance : 1e4 * size); }
  Point2 seen(const Vector& x) const {
    const Vector d = x - middle;
    const double shrink = distance > 0 ? distance / (distance - dot(d, to_eye)) : 1;
    return {dot(d, right) * shrink, dot(d, up) * shrink};
  }
  bool sees(const Face& face) const {
    const Vector eye = distance > 0 ? middle + to_eye * distance - face.corners[0] : to_eye;
    return dot(face.normal, eye) > 0;
  }
};

/// One element of the picture.
struct Painted {
  std::vector<Point2> points;
  std::string style;
  bool closed = true;
};

/// Of a shape of the file its own, else by role.
Colour colour_of(const PictureShape& shape) {
  if (shape.rgba.size() >= 3) return {shape.rgba[0], shape.rgba[1], shape.rgba[2]};
  using Role = PictureShape::Role;
  switch (shape.role) {
    case Role::joint:
      return {0.29, 0.34, 0.41};
    case Role::tool:
      return {0.88, 0.46, 0.23};
    case Role::base:
      return {0.40, 0.44, 0.50};
    default:
      return {0.78, 0.80, 0.83};
  }
}

std::string hex_colour(const Colour& rgb, double light) {
  char text[8];
  const auto byte = [&](double x) {
    return static_cast<unsigned>(std::lround(255 * std::clamp(x * light, 0.0, 1.0)));
  };
  std::snprintf(text, sizeof text, "#%02x%02x%02x", byte(rgb[0]), byte(rgb[1]), byte(rgb[2]));
  return text;
}

Face placed(const SE3<double>& T, Face face) {
  for (Vector& x : face.corners) x = T * x;
  face.normal = T.R * face.normal;
  return face;
}

struct Box {
  Vector low{HUGE_VAL, HUGE_VAL, HUGE_VAL}, high{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  void include(const Vector& x) {
    for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], x[k]), high[k] = std::max(high[k], x[k]);
  }
  bool empty() const { return low.x > high.x; }
};

/// A solid in the world.
struct Solid {
  std::vector<Face> faces;
  Colour rgb;
};

class Picture {
 public:
  Picture(const Model<double>& model, In<double> q, const DrawOptions& options)
      : options_(options), camera_(options), name_(model.name()) {
    KinematicsWorkspace<double> ws(model);
    forward_kinematics(model, ws, q);
    RobotPicture picture = internal::picture_of(model);
    stand(picture);
    for (const PictureShape& s : picture.shapes) {
      if (s.role == PictureShape::Role::collision) continue;
      Solid solid{{}, colour_of(s)};
      for (Face& face : faces_of(s.kind, s.size))
        solid.faces.push_back(placed(ws.T_world_body[s.body] * s.place, std::move(face)));
      for (const Face& face : solid.faces)
        for (const Vector& x : face.corners) extent_.include(x);
      solids_.push_back(std::move(solid));
    }
    for (const std::string& f : options.frames) {
      const Frame& frame = model.frame(f);
      frames_.push_back(ws.T_world_body[frame.body] * frame.placement);
      extent_.include(frames_.back().p);
    }
    if (extent_.empty()) extent_.include({});
    size_ = std::max(norm(extent_.high - extent_.low), 1e-6);
    camera_.middle = (extent_.low + extent_.high) * 0.5;
    camera_.distance = options.distance * size_;
  }

  std::string svg() {
    if (options_.shadow) shadows();  // they stay behind everything
    shadows_ = painted_.size();
    paint();
    for (const SE3<double>& T : frames_) axes(T);  // and frames, which are asked for, before it
    return text();
  }

 private:
  /// A column and a foot under a robot that the page made up and whose base is above the floor, as
  /// viewer/src/scene.ts has them.
  static void stand(RobotPicture& picture) {
    const auto made_up =
        std::find_if(picture.shapes.begin(), picture.shapes.end(),
                     [](const PictureShape& s) { return s.role == PictureShape::Role::base; });
    if (made_up == picture.shapes.end() || picture.moving_base) return;
    const double radius = made_up->size.x;
    const Vector top = made_up->place.p;
    const double height = dot(top, picture.up) - picture.ground;
    if (height <= 1e-3 * picture.size) return;
    const SO3<double> upright = internal::turn_to(picture.up);
    const auto add = [&](double low, double high, double length, double middle,
                         std::vector<double> rgba) {
      picture.shapes.push_back({.kind = PictureShape::Kind::cone,
                                .role = PictureShape::Role::base,
                                .size = {low, high, length},
                                .place = {upright, top + picture.up * (middle - height)},
                                .rgba = std::move(rgba)});
    };
    add(0.95 * radius, 0.82 * radius, height, 0.5 * height, {0.42, 0.46, 0.53, 1});
    add(1.85 * radius, 1.75 * radius, 0.3 * radius, 0.15 * radius, {0.34, 0.38, 0.45, 1});
  }

  void paint() {
    const Vector light = normalised(camera_.to_eye + camera_.up * 0.9 - camera_.right * 0.5);
    std::vector<Facet> facets;
    std::vector<std::string> colours;
    for (const Solid& solid : solids_)
      for (const Face& face : solid.faces) {
        if (!camera_.sees(face)) continue;
        const double shade = 0.55 + 0.6 * std::max(0.0, dot(face.normal, light));
        facets.push_back({face, static_cast<int>(colours.size())});
        colours.push_back(hex_colour(solid.rgb, shade));
      }
    for (const Facet& f : FarToNear(camera_.eye(size_), 1e-7 * size_).sorted(std::move(facets))) {
      const std::string& colour = colours[static_cast<std::size_t>(f.colour)];
      Painted p{{}, "fill=\"" + colour + "\" stroke=\"" + colour + "\""};
      for (const Vector& x : f.face.corners) p.points.push_back(camera_.seen(x));
      painted_.push_back(std::move(p));
    }
  }

  void shadows() {
    for (const Solid& solid : solids_) {
      std::vector<Point2> points;
      for (const Face& face : solid.faces)
        for (const Vector& x : face.corners)
          points.push_back(camera_.seen({x.x, x.y, extent_.low.z}));
      points = hull(std::move(points));
      if (points.size() > 2)
        painted_.push_back({std::move(points), "fill=\"#e4e0d6\" stroke=\"#e4e0d6\""});
    }
  }

  void axes(const SE3<double>& T) {
    const char* const colours[] = {"#d03b3b", "#2f9e44", "#2f6fd0"};
    for (int k = 0; k < 3; ++k) {
      const Vector end = T.p + T.R[k] * (0.12 * size_);
      painted_.push_back({{camera_.seen(T.p), camera_.seen(end)},
                          std::string("fill=\"none\" stroke-linecap=\"round\" stroke-width=\"3\" "
                                      "stroke=\"") +
                              colours[k] + "\"",
                          false});
    }
  }

  std::string text() const {
    Point2 low{HUGE_VAL, HUGE_VAL}, high{-HUGE_VAL, -HUGE_VAL};
    for (const Painted& p : painted_)
      for (const Point2& x : p.points) {
        low = {std::min(low.x, x.x), std::min(low.y, x.y)};
        high = {std::max(high.x, x.x), std::max(high.y, x.y)};
      }
    if (painted_.empty()) low = {-1, -1}, high = {1, 1};
    const double room = 1 - 2 * margin;
    const double scale = std::min(options_.width * room / std::max(high.x - low.x, 1e-9),
                                  options_.height * room / std::max(high.y - low.y, 1e-9));
    const auto across = [&](double x) {
      return 0.5 * options_.width + (x - 0.5 * (low.x + high.x)) * scale;
    };
    const auto down = [&](double y) {
      return 0.5 * options_.height - (y - 0.5 * (low.y + high.y)) * scale;
    };
    const std::string w = std::to_string(options_.width), h = std::to_string(options_.height);
    const std::string name = report::escaped(name_);
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 " + w +
                      " " + h + "\" width=\"" + w + "\" height=\"" + h + "\" aria-label=\"" + name +
                      "\">\n<title>" + name + "</title>\n";
    out += "<g stroke-width=\"0.6\" stroke-linejoin=\"round\">\n";
    // What nearer faces hide is left out.
    const double fineness = std::min(finest, most / std::max(options_.width, options_.height));
    const auto points = [&](int pixels) { return static_cast<int>(std::ceil(fineness * pixels)); };
    Coverage coverage(points(options_.width), points(options_.height));
    std::vector<char> seen(painted_.size(), 1);
    for (std::size_t k = painted_.size(); k-- > shadows_;) {
      std::vector<Point2> polygon = painted_[k].points;
      for (Point2& x : polygon) x = {fineness * across(x.x), fineness * down(x.y)};
      if (painted_[k].closed) seen[k] = coverage.take(polygon) ? 1 : 0;
    }
    char number[48];
    for (std::size_t at = 0; at < painted_.size(); ++at) {
      const Painted& p = painted_[at];
      if (seen[at] == 0) continue;
      out += "<path d=\"";
      for (std::size_t k = 0; k < p.points.size(); ++k) {
        std::snprintf(number, sizeof number, "%c%.1f %.1f", k == 0 ? 'M' : 'L',
                      across(p.points[k].x), down(p.points[k].y));
        out += number;
      }
      out += (p.closed ? "Z\" " : "\" ") + p.style + "/>\n";
    }
    return out + "</g>\n</svg>\n";
  }

  const DrawOptions& options_;
  Camera camera_;
  std::string name_;
  std::vector<Solid> solids_;
  std::vector<SE3<double>> frames_;
  std::vector<Painted> painted_;
  std::size_t shadows_ = 0;  // come first among them
  Box extent_;
  double size_ = 1;
};

void check(const DrawOptions& o) {
  const auto refuse = [](const char* what, double value, const char* bounds) {
    throw Error(std::string("draw: ") + what + " " + format_number(value) + " is not " + bounds);
  };
  for (const int pixels : {o.width, o.height})
    if (pixels < 16 || pixels > 10000) refuse("a picture of", pixels, "16 to 10000 pixels");
  if (!std::isfinite(o.azimuth)) refuse("azimuth", o.azimuth, "a finite angle");
  if (!(std::abs(o.elevation) <= 0.5 * std::numbers::pi))
    refuse("elevation", o.elevation, "between -pi/2 and pi/2");
  if (o.distance != 0 && !(o.distance >= 1 && o.distance <= 1e6))
    refuse("distance", o.distance, "0, or 1 to 1e6 sizes of the robot");
}

}  // namespace
}  // namespace drawing

std::string draw_robot(const Model<double>& model, In<double> q, const DrawOptions& options) {
  drawing::check(options);
  if (q.size != model.n_q())
    throw Error("draw: q has " + std::to_string(q.size) + " numbers, \"" + model.name() +
                "\" has " + std::to_string(model.n_q()) + " coordinates");
  Array<double> at(q.begin(), q.end());
  check_configuration(model, at);
  return drawing::Picture(model, at, options).svg();
}

}  // namespace torsor
