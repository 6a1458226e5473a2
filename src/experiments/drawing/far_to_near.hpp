#pragma once
/// Faces in an order in which each may be painted over those before it. Private to this room.
///
/// A binary tree of planes: every face is behind, in front of, or in the plane of a node; what the plane
/// cuts is cut in two, so that solids which pass through each other are drawn right. Seen from the eye,
/// the side without it comes first, then what is in the plane, then its own side. Planes are those of
/// faces, and walls across the axes, which part solids that are far from each other before the planes
/// of one cut the other: the one of a few that cuts least and halves best is taken.
///
/// Source   Fuchs, Kedem & Naylor 1980.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "drawing/solids.hpp"

namespace torsor::drawing {

/// A face and where its colour stands.
struct Facet {
  Face face;
  int colour = 0;
};

class FarToNear {
 public:
  /// `grain`: distances from a plane that count as none, m. All faces turn towards the eye.
  FarToNear(const Vec3<double>& eye, double grain) : eye_(eye), grain_(grain) {}

  std::vector<Facet> sorted(std::vector<Facet> all) {
    out_.clear();
    sort(std::move(all));
    return std::move(out_);
  }

 private:
  static constexpr std::size_t tries =
      12;  // of planes of faces for a node; of walls across each axis

  struct Plane {
    Vec3<double> normal{}, point{};
    double height(const Vec3<double>& x) const { return dot(normal, x - point); }
  };
  static Plane of(const Face& face) { return {face.normal, face.corners[0]}; }

  struct Sides {
    std::size_t before = 0, behind = 0;
    bool cut() const { return before > 0 && behind > 0; }
  };
  Sides sides(const Plane& plane, const Face& face) const {
    Sides s;
    for (const Vec3<double>& x : face.corners) {
      const double h = plane.height(x);
      s.before += h > grain_ ? 1 : 0;
      s.behind += h < -grain_ ? 1 : 0;
    }
    return s;
  }
  /// What is cut counts twice, and the larger side once; `all.size()` or more: nothing is won.
  std::size_t cost(const Plane& plane, const std::vector<Facet>& all, bool wall) const {
    std::size_t cuts = 0, before = 0, behind = 0;
    for (const Facet& f : all) {
      const Sides s = sides(plane, f.face);
      cuts += s.cut() ? 1 : 0;
      before += s.before > 0 ? 1 : 0;
      behind += s.behind > 0 ? 1 : 0;
    }
    const std::size_t larger = std::max(before, behind);
    return wall && larger == all.size() ? 4 * all.size() : 2 * cuts + larger;
  }
  Plane chosen(const std::vector<Facet>& all) const {
    Plane best = of(all[0].face);
    std::size_t least = 4 * all.size();
    const auto take = [&](const Plane& plane, bool wall) {
      const std::size_t c = cost(plane, all, wall);
      if (c < least) least = c, best = plane;
    };
    for (std::size_t k = 0; k < std::min(tries, all.size()); ++k) {
      const Face& face = all[k * all.size() / std::min(tries, all.size())].face;
      take(of(face), false);
      if (all.size() < 2 * tries) continue;
      for (const Vec3<double>& axis : {Vec3<double>{1, 0, 0}, {0, 1, 0}, {0, 0, 1}})
        take({axis, face.corners[0]}, true);
    }
    return best;
  }
  /// The part of a face on one side of a plane.
  Facet part(const Plane& plane, const Facet& whole, double side) const {
    Facet out{{{}, whole.face.normal}, whole.colour};
    const std::vector<Vec3<double>>& corners = whole.face.corners;
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const Vec3<double>&a = corners[k], &b = corners[(k + 1) % corners.size()];
      const double ha = side * plane.height(a), hb = side * plane.height(b);
      if (ha >= -grain_) out.face.corners.push_back(a);
      if ((ha > grain_ && hb < -grain_) || (ha < -grain_ && hb > grain_))
        out.face.corners.push_back(a + (b - a) * (ha / (ha - hb)));
    }
    return out;
  }
  void sort(std::vector<Facet> all) {
    if (all.empty()) return;
    const Plane plane = chosen(all);
    std::vector<Facet> far, within, near;
    const double towards_eye = plane.height(eye_) > 0 ? 1 : -1;
    for (Facet& f : all) {
      Sides s = sides(plane, f.face);
      if (towards_eye < 0) std::swap(s.before, s.behind);
      if (s.cut()) {
        far.push_back(part(plane, f, -towards_eye));
        near.push_back(part(plane, f, towards_eye));
      } else {
        (s.behind > 0 ? far : s.before > 0 ? near : within).push_back(std::move(f));
      }
    }
    all.clear();
    sort(std::move(far));
    for (Facet& f : within) out_.push_back(std::move(f));
    sort(std::move(near));
  }

  Vec3<double> eye_;
  double grain_;
  std::vector<Facet> out_;
};

}  // namespace torsor::drawing
