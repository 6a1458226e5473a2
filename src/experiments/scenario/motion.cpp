/// Motions of scenario files: points, waves, paths in time.
#include <cmath>
#include <memory>

#include "scenario/parts.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/trajectory/fourier.hpp"
#include "torsor/trajectory/periodic.hpp"
#include "torsor/trajectory/polynomial.hpp"
#include "torsor/trajectory/spline.hpp"
#include "torsor/trajectory/trapezoid.hpp"

namespace torsor::internal::scenario {

namespace {

template <class Planner>
Motion planned_motion(const YamlElement& e, Planner planner) {
  auto trajectory = planned(e, planner);
  const int size = trajectory.size();
  return {size, [path = std::make_shared<const decltype(trajectory)>(std::move(trajectory))](
                    double t, View<double> x, View<double> xd, View<double> xdd) {
            path->sample(t, x, xd, xdd);
          }};
}

/// How many numbers a list must hold; 0: as many as the first list has.
class Size {
 public:
  explicit Size(int n) : n_(n) {}
  Array<double> list(const YamlElement& element) {
    Array<double> x = n_ > 0 ? element.numbers(n_) : element.numbers();
    if (x.empty()) element.fail("holds no number");
    n_ = x.size();
    return x;
  }
  /// One number for all coordinates, or a list.
  Array<double> each(const YamlElement& element) {
    if (element.is_sequence() || n_ == 0) return list(element);
    return Array<double>(n_, element.number());
  }
  Array<double> each(const Section& element, const char* key, double fallback) {
    return element.has(key) ? each(element.at(key)) : Array<double>(n_, fallback);
  }
  std::vector<std::vector<double>> rows(const YamlElement& element) {
    std::vector<std::vector<double>> all;
    for (const YamlElement& row : element.items(element.name() + ": row")) all.push_back(list(row));
    return all;
  }

 private:
  int n_;
};

Motion constant(Array<double> value) {
  const int size = value.size();
  return {size,
          [value = std::move(value)](double, View<double> x, View<double> xd, View<double> xdd) {
            for (int k = 0; k < x.size; ++k) x[k] = value[k];
            for (double& v : xd) v = 0;
            for (double& a : xdd) a = 0;
          }};
}

template <class Curve>
Motion motion_of(Curve curve) {
  return {curve.size(), [curve](double t, Out<double> x, Out<double> xd, Out<double> xdd) {
            curve.sample(t, x, xd, xdd);
          }};
}

Motion read_sinusoid(const Section& e, Size size) {
  Sinusoid wave;
  wave.amplitude = size.list(e.at("amplitude"));
  wave.frequency = size.each(e.at("frequency"));
  wave.offset = size.each(e, "offset", 0);
  wave.phase = size.each(e, "phase", 0);
  return motion_of(std::move(wave));
}

Motion read_circle(const Section& e, Size size) {
  Circle circle;
  circle.centre = size.list(e.at("centre"));
  circle.radius = e.number("radius");
  circle.rate = e.number("rate");
  e.read("phase", circle.phase);
  const int n = circle.size();
  if (n < 2) e.at("centre").fail("a circle needs two coordinates at least");
  circle.u.resize(n);
  circle.v.resize(n);
  circle.u[0] = circle.v[1] = 1;
  if (e.has("axes")) {
    std::vector<std::vector<double>> axes = size.rows(e.at("axes"));
    if (axes.size() != 2) e.at("axes").fail("must be two vectors");
    circle.u = std::move(axes[0]);
    circle.v = std::move(axes[1]);
    double uu = 0, uv = 0, vv = 0;
    for (int k = 0; k < n; ++k) {
      uu += circle.u[k] * circle.u[k];
      uv += circle.u[k] * circle.v[k];
      vv += circle.v[k] * circle.v[k];
    }
    if (!(std::abs(uu - 1) + std::abs(uv) + std::abs(vv - 1) < 1e-6))
      e.at("axes").fail("must be of length 1 and at right angles");
  }
  return motion_of(std::move(circle));
}

Motion read_trapezoid(const Section& e, Size size) {
  const std::vector<double> from = size.list(e.at("from")), to = size.list(e.at("to"));
  const std::vector<double> v = size.each(e.at("velocity")), a = size.each(e.at("acceleration"));
  e.check("velocity", v);
  e.check("acceleration", a);
  std::vector<Limits> limits(from.size());
  for (std::size_t k = 0; k < from.size(); ++k)
    limits[k].velocity = v[k], limits[k].acceleration = a[k];
  return planned_motion(e.element(), [&] { return trapezoid(from, to, limits); });
}

Motion read_fourier(const Section& e, Size size) {
  const std::vector<double> offset = size.list(e.at("offset"));
  const std::vector<std::vector<double>> a = Size(0).rows(e.at("a")), b = Size(0).rows(e.at("b"));
  const double frequency = e.number("frequency");
  return planned_motion(e.element(), [&] { return fourier(offset, a, b, frequency); });
}

SplineEnds read_ends(const YamlElement& e) {
  const std::vector<std::string> known{"natural", "clamped", "periodic", "not_a_knot"};
  for (std::size_t k = 0; k < known.size(); ++k)
    if (e.text() == known[k]) return static_cast<SplineEnds>(k);
  e.fail("unknown ends " + in_quotes(e.text()) + did_you_mean(e.text(), known));
}

Motion read_spline(const Section& e, Size size) {
  const std::vector<double> times = e.numbers("times");
  const std::vector<std::vector<double>> points = size.rows(e.at("points"));
  const SplineEnds ends = e.has("ends") ? read_ends(e.at("ends")) : SplineEnds::clamped;
  return planned_motion(e.element(), [&] { return spline(times, points, ends); });
}

Motion read_quintic(const Section& e, Size size) {
  Boundary<double> from, to;
  from.q = size.list(e.at("from")), to.q = size.list(e.at("to"));
  const double duration = e.number("duration");
  return planned_motion(e.element(), [&] { return quintic(from, to, duration); });
}

}  // namespace

Motion read_motion(const YamlElement& element, const std::string& kind, int size) {
  const YamlElement e = element.at(kind);
  Size n(size);
  if (kind == "hold") return constant(n.list(e));
  const Section section(e, kind.c_str());
  if (kind == "sinusoid") return read_sinusoid(section, n);
  if (kind == "circle") return read_circle(section, n);
  if (kind == "trapezoid") return read_trapezoid(section, n);
  if (kind == "spline") return read_spline(section, n);
  if (kind == "fourier") return read_fourier(section, n);
  return read_quintic(section, n);
}

}  // namespace torsor::internal::scenario
