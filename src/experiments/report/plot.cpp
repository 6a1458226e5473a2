#include "report/plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "torsor/formats/internal/yaml_tree.hpp"

namespace torsor::report {

namespace {

// The page of one panel, in pixels of its own.
constexpr double digit_width = 7;  // at most, of the labels
constexpr double left = 44, right = panel_width - 10, top = 30, bottom = panel_height - 24;

std::string text_of(const char* format, double x) {
  char text[64];
  std::snprintf(text, sizeof text, format, x);
  return text;
}
std::string pixel(double x) {
  std::string s = text_of("%.1f", x);
  if (s.ends_with(".0")) s.resize(s.size() - 2);
  return s == "-0" ? "0" : s;
}
std::string superscript(int n) {
  static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = n < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(n))) out += digits[c - '0'];
  return out;
}
const char* const minus = "−";

/// Maps [low, high] to [from, to] on the page, through the logarithm where wanted.
struct Axis {
  double low, high, from, to;
  bool logarithmic = false;

  bool shows(double x) const { return std::isfinite(x) && (!logarithmic || x > 0); }
  double operator()(double x) const {
    const double u = logarithmic ? std::log10(x) : x;
    return from + (std::clamp(u, low, high) - low) / (high - low) * (to - from);
  }
};

Axis value_axis(const Panel& panel) {
  const Axis probe{0, 1, 0, 1, panel.logarithmic};
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const Curve& curve : panel.curves)
    for (const Point& p : curve.points)
      if (probe.shows(p.y)) low = std::min(low, p.y), high = std::max(high, p.y);
  if (low > high) low = panel.logarithmic ? 1 : -1, high = 1;
  if (panel.limit > 0 && std::max(-low, high) > 0.75 * panel.limit) {
    if (high > 0.75 * panel.limit) high = std::max(high, panel.limit);
    if (-low > 0.75 * panel.limit) low = std::min(low, -panel.limit);
  }
  if (panel.logarithmic) {
    high = std::ceil(std::log10(high) - 0.05);
    low = std::max(std::floor(std::log10(low) + 0.05), high - 18);
    if (low >= high) low = high - 1;
    return {low, high, bottom, top, true};
  }
  if (std::max(-low, high) < panel.least) low = -panel.least, high = panel.least;
  const double size = std::max(std::abs(low), std::abs(high));
  double pad = 0.06 * (high - low);
  if (!(high - low > 1e-9 * size)) pad = size > 0 ? 0.2 * size : 1;
  return {low - pad, high + pad, bottom, top};
}

/// The power of ten that the labels of an axis leave out.
int left_out(const Axis& axis) {
  const double size = std::max(std::abs(axis.low), std::abs(axis.high));
  const int power = static_cast<int>(std::floor(std::log10(size)));
  return power >= 4 || power <= -3 ? power : 0;
}

std::string tick_label(double x, double step) {
  const int digits = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  char text[48];
  std::snprintf(text, sizeof text, "%.*f", digits, std::abs(x));
  return (x < -0.5 * std::pow(10.0, -digits) ? minus : "") + std::string(text);
}

std::string label(double x, double y, const char* anchor, const std::string& text) {
  return "<text x=\"" + pixel(x) + "\" y=\"" + pixel(y) + "\" class=\"" + anchor + "\">" + text +
         "</text>";
}
std::string line(double x1, double y1, double x2, double y2, const char* kind) {
  return std::string("<path class=\"") + kind + "\" d=\"M" + pixel(x1) + " " + pixel(y1) + "L" +
         pixel(x2) + " " + pixel(y2) + "\"/>";
}

std::string value_ticks(const Axis& axis) {
  std::string out;
  if (axis.logarithmic) {
    const int step = std::max(1, static_cast<int>(std::ceil((axis.high - axis.low) / 4)));
    for (int n = static_cast<int>(axis.high); n >= axis.low; n -= step) {
      const double y = axis(std::pow(10.0, n));
      out += line(left, y, right, y, "g") + label(left - 6, y + 3.5, "e", "10" + superscript(n));
    }
    return out;
  }
  const double scale = std::pow(10.0, left_out(axis));
  const std::vector<double> ticks = round_ticks(axis.low / scale, axis.high / scale, 4);
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
  for (const double x : ticks) {
    const double y = axis(x * scale);
    out += line(left, y, right, y, x == 0 ? "z" : "g");
    out += label(left - 6, y + 3.5, "e", tick_label(x, step));
  }
  return out;
}

std::string time_ticks(const Axis& axis) {
  std::string out;
  const std::vector<double> ticks = round_ticks(axis.low, axis.high, 6);
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
  for (std::size_t k = 0; k < ticks.size(); ++k) {
    const double x = axis(ticks[k]);
    out += line(x, bottom, x, bottom + 4, "a");
    const std::string text = tick_label(ticks[k], step) + (k + 1 == ticks.size() ? " s" : "");
    // Centred, unless that would cut it off at the edge of the panel.
    const bool fits = x + 0.5 * digit_width * static_cast<double>(text.size()) <= panel_width - 1;
    out += fits ? label(x, bottom + 16, "m", text) : label(panel_width - 1, bottom + 16, "e", text);
  }
  return out;
}

/// In tenths of a pixel.
using Dot = std::pair<int, int>;

/// Without the dots that a straight line through their neighbours passes within 0.15 pixels
/// (Douglas and Peucker).
std::vector<Dot> simplified(const std::vector<Dot>& dots) {
  if (dots.size() < 3) return dots;
  std::vector<char> keep(dots.size(), 0);
  keep.front() = keep.back() = 1;
  std::vector<std::pair<std::size_t, std::size_t>> open{{0, dots.size() - 1}};
  while (!open.empty()) {
    const auto [a, b] = open.back();
    open.pop_back();
    const double dx = dots[b].first - dots[a].first, dy = dots[b].second - dots[a].second;
    const double length = std::hypot(dx, dy);
    double worst = 1.5;
    std::size_t at = 0;
    for (std::size_t k = a + 1; k < b; ++k) {
      const double x = dots[k].first - dots[a].first, y = dots[k].second - dots[a].second;
      const double away = length > 0 ? std::abs(x * dy - y * dx) / length : std::hypot(x, y);
      if (away > worst) worst = away, at = k;
    }
    if (at == 0) continue;
    keep[at] = 1;
    open.push_back({a, at});
    open.push_back({at, b});
  }
  std::vector<Dot> out;
  for (std::size_t k = 0; k < dots.size(); ++k)
    if (keep[k]) out.push_back(dots[k]);
  return out;
}

void append_path(const std::vector<Dot>& all, std::string& path) {
  const std::vector<Dot> dots = simplified(all);
  if (dots.empty()) return;
  path += "M" + std::to_string(dots[0].first) + " " + std::to_string(dots[0].second) + "l";
  if (dots.size() == 1) path += "1 0";  // a point that stands alone
  for (std::size_t k = 1; k < dots.size(); ++k)
    path += (k == 1 ? "" : " ") + std::to_string(dots[k].first - dots[k - 1].first) + " " +
            std::to_string(dots[k].second - dots[k - 1].second);
}

std::string curve_svg(const Curve& curve, const Axis& x, const Axis& y, int columns) {
  const auto tenth = [](double u) { return static_cast<int>(std::lround(10 * u)); };
  std::string path;
  std::vector<Point> run;
  const auto finish = [&] {
    std::vector<Dot> dots;
    for (const Point& p : thinned(run, columns)) dots.push_back({tenth(x(p.t)), tenth(y(p.y))});
    append_path(dots, path);
    run.clear();
  };
  for (const Point& p : curve.points)
    if (std::isfinite(p.t) && y.shows(p.y))
      run.push_back(p);
    else
      finish();
  finish();
  if (path.empty()) return "";
  return "<path class=\"c k" + std::to_string(curve.colour) + (curve.dashed ? " d" : "") +
         (curve.run.empty() ? "" : " " + curve.run) + "\" d=\"" + path + "\"><title>" +
         escaped(curve.label) + "</title></path>";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t good = internal::first_not_utf8(text);
    for (const char c : text.substr(0, good)) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '&')
        out += "&amp;";
      else if (c == '<')
        out += "&lt;";
      else if (c == '>')
        out += "&gt;";
      else if (c == '"')
        out += "&quot;";
      else if (byte < 0x20 && c != '\n' && c != '\t')
        out += "\xef\xbf\xbd";
      else
        out += c;
    }
    text.remove_prefix(good);
    if (text.empty()) break;
    out += "\xef\xbf\xbd";
    text.remove_prefix(1);
  }
  return out;
}

std::string typeset(const std::string& text, bool unbroken) {
  static constexpr std::pair<std::string_view, const char*> signs[] = {
      {"^-1", "⁻¹"}, {"^2", "²"}, {"<=", "≤"}, {">=", "≥"}};
  std::string out;
  for (std::size_t k = 0; k < text.size();) {
    const auto* const sign = std::find_if(std::begin(signs), std::end(signs), [&](const auto& s) {
      return text.compare(k, s.first.size(), s.first) == 0;
    });
    if (sign != std::end(signs))
      out += sign->second, k += sign->first.size();
    else
      out += unbroken && text[k] == ' ' ? "\u00a0" : std::string(1, text[k]), ++k;
  }
  return out;
}

std::string figure(double x) {
  if (std::isnan(x)) return "–";
  if (std::isinf(x)) return x > 0 ? "∞" : "−∞";
  if (x == 0) return "0";
  const std::string sign = x < 0 ? minus : "";
  const double size = std::abs(x);
  if (size >= 1e-3 && size < 1e4) return sign + text_of("%.4g", size);
  const std::string text = text_of("%.2e", size);
  const std::size_t e = text.find('e');
  return sign + text.substr(0, e) + " × 10" + superscript(std::stoi(text.substr(e + 1)));
}

std::vector<double> round_ticks(double low, double high, int count) {
  const double raw = (high - low) / std::max(count, 1);
  if (!(raw > 0) || !std::isfinite(raw)) return {low};
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double lead = raw / power;
  const double step = power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
  std::vector<double> ticks;
  const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
  for (double k = first; k <= last && ticks.size() < 100; ++k) ticks.push_back(k * step + 0.0);
  return ticks;
}

std::vector<Point> thinned(const std::vector<Point>& points, int columns) {
  if (points.size() <= 2 * static_cast<std::size_t>(columns)) return points;
  const double from = points.front().t, span = points.back().t - from;
  const auto column = [&](const Point& p) {
    return span > 0 ? std::min(columns - 1, static_cast<int>((p.t - from) / span * columns)) : 0;
  };
  std::vector<Point> out;
  for (std::size_t k = 0; k < points.size();) {
    std::size_t least = k, most = k, end = k;
    for (; end < points.size() && column(points[end]) == column(points[k]); ++end) {
      if (points[end].y < points[least].y) least = end;
      if (points[end].y > points[most].y) most = end;
    }
    out.push_back(points[std::min(least, most)]);
    if (least != most) out.push_back(points[std::max(least, most)]);
    k = end;
  }
  if (out.back().t < points.back().t) out.push_back(points.back());
  return out;
}

std::string panel_svg(const Panel& panel, double from, double to, int columns,
                      const std::string& place) {
  const Axis x{from, to > from ? to : from + 1, left, right}, y = value_axis(panel);
  std::string unit = escaped(typeset(panel.unit));
  if (const int power = y.logarithmic ? 0 : left_out(y); power != 0)
    unit = "× 10" + superscript(power) + (unit.empty() ? "" : " ") + unit;
  std::string out = "<svg viewBox=\"0 0 " + pixel(panel_width) + " " + pixel(panel_height) +
                    "\" role=\"img\"" + place + "><title>" + escaped(panel.title) + "</title>";
  out += value_ticks(y) + time_ticks(x) + line(left, bottom, right, bottom, "a");
  out += label(left, 18, "h", escaped(panel.title)) + label(right, 18, "u", unit);
  for (const double sign : {-1.0, 1.0})
    if (panel.limit > 0 && sign * panel.limit >= y.low && sign * panel.limit <= y.high)
      out += line(left, y(sign * panel.limit), right, y(sign * panel.limit), "l");
  out += "<g transform=\"scale(.1)\">";
  for (const Curve& curve : panel.curves) out += curve_svg(curve, x, y, columns);
  return out + "</g></svg>\n";
}

}  // namespace torsor::report
