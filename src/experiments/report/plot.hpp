#pragma once
/// SVG panels of a report: round ticks, thinned curves. Private to this room.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace torsor::report {

/// Text for HTML and XML: markup escaped; what is no character of XML becomes U+FFFD.
std::string escaped(std::string_view text);
/// "kg m^2", "|s|^2 <= 1" as people write them; `unbroken`: on one line.
std::string typeset(const std::string& text, bool unbroken = false);
/// Four digits, "0.00123", "4.56 × 10⁻¹²"; a dash for what is not a number, ∞.
std::string figure(double x);

struct Point {
  double t, y;
};

struct Curve {
  std::string label;  ///< shown where the mouse rests
  int colour = 0;     ///< class k<colour> of the page
  bool dashed = false;
  std::vector<Point> points;  ///< in the order of time; ones that are not finite leave a gap
  std::string run{};          ///< class by which the legend hides it; may be empty
};

struct Panel {
  std::string title, unit;
  bool logarithmic = false;  ///< what is not positive leaves a gap
  double limit = 0;          ///< > 0: dashed lines at both signs, where curves come near
  std::vector<Curve> curves;
  double least = 0;                          ///< the axis reaches so far at least, up and down
  std::vector<std::pair<int, int>> bands{};  ///< curves with the space between them filled
};

/// Multiples of 1, 2 or 5 times a power of ten inside [low, high], about `count` of them.
std::vector<double> round_ticks(double low, double high, int count);

/// The least and the largest point of each of `columns` equal parts of the time, in their order;
/// all points where there are no more than that.
std::vector<Point> thinned(const std::vector<Point>& points, int columns);

inline constexpr int panel_width = 340, panel_height = 200;  // pixels

/// `columns`: as `thinned`. All panels of a section share [from, to], in seconds. `place`: further
/// attributes of the element.
std::string panel_svg(const Panel& panel, double from, double to, int columns,
                      const std::string& place = "");

}  // namespace torsor::report
