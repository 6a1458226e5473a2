#pragma once
/// The formulas of dh_base_parameters.hpp over any kind of coefficient: numbers or polynomials.
#include <array>
#include <map>
#include <vector>

#include "polynomial.hpp"
#include "torsor/identification/dh_base_parameters.hpp"
#include "torsor/model/inertial_parameters.hpp"

namespace torsor::internal {

/// What the geometry says about a joint.
struct DhJointFacts {
  DhJointClass type{};
  bool rotor_joins = false;        ///< ZZ of a hinge, M of a slide
  Vec3<double> hinge_direction{};  ///< (l, mu, nu) of T2, in frame i
};
Array<DhJointFacts> joint_facts(const DhTable& modified, double tolerance);

/// Lengths below the tolerance are zero, angles that are nearly multiples of 90 degrees are so.
DhTable tidied(DhTable table, double tolerance);
/// cos, sin; exactly -1, 0 or 1 at multiples of 90 degrees.
struct AngleDirection {
  double c = 1, s = 0;
  bool is_quarter() const { return c == 0 || s == 0; }
};
AngleDirection direction_of(double angle);
/// The largest length of a table, or 1.
double size_of(const DhTable& table);
/// Names of all parameters of a table; nothing is kept yet.
BaseParameters all_named(const DhTable& table, const BaseParameterOptions& options);
/// Dust is dropped, rows are sorted, roles found. Rows: kept parameter and coefficients.
void set_rows(BaseParameters& base, const DhTable& table,
              const std::vector<std::pair<int, std::map<int, double>>>& rows, double tolerance);

/// A sum of parameters with coefficients.
template <class C>
using Form = std::map<int, C>;
template <class C>
void add(Form<C>& to, const C& factor, const Form<C>& form) {
  for (const auto& [column, x] : form) to[column] += factor * x;
}

/// One row of a table as coefficients. a/l and the like of T2 stand in `of_y`, `of_z`: MY - of_y MX and
/// MZ - of_z MX, or with l = 0 MZ - of_z MY.
template <class C>
struct DhNumbers {
  C a{}, d{}, ca{}, sa{}, ct{}, st{};
  bool pivot_x = true;
  C of_y{}, of_z{};
};

enum Word : std::size_t { m, mx, my, mz, xx, xy, yy, xz, yz, zz };

template <class C>
class DhRegrouping {
 public:
  using Rows = std::vector<std::pair<int, Form<C>>>;

  DhRegrouping(const DhTable& table, Array<DhNumbers<C>> numbers, bool rotors)
      : table_(table), numbers_(std::move(numbers)), rotors_(rotors), links_(numbers_.size() + 1) {
    for (int i = 1; i <= n(); ++i)
      for (int k = 0; k < parameters_per_body; ++k)
        link(i)[static_cast<std::size_t>(k)][parameters_per_body * (i - 1) + k] = C(1);
  }

  /// Theorem 2-2, from the hand to the base; modified tables.
  Rows towards_base(const Array<DhJointFacts>& facts) {
    for (int i = n(); i > 0; --i) {
      const DhJointFacts& joint = facts[i - 1];
      if (rotors_) place_rotor(i, joint);
      keep(i, joint.type);
      if (i > 1) move_inwards(i, joint.type);
    }
    return std::move(rows_);
  }
  /// Theorem 2-3, from joint 2 to the hand; standard tables.
  Rows towards_hand() {
    for (int i = 2; i <= n(); ++i)
      if (slides(i)) {
        for (const Word word : {mx, my, mz, m}) keep_word(i - 1, word);
        turn_outwards(i);
      } else {
        for (const Word word : {xx, xy, xz, yz, zz, mx, my}) keep_word(i - 1, word, word == xx);
        move_outwards(i);
      }
    for (const Word word : {m, mx, my, mz, xx, xy, yy, xz, yz, zz}) keep_word(n(), word);
    for (int i = 1; rotors_ && i <= n(); ++i)
      rows_.emplace_back(rotor_column(i), Form<C>{{rotor_column(i), C(1)}});
    return std::move(rows_);
  }

 private:
  using Link = std::array<Form<C>, parameters_per_body>;

  int n() const { return numbers_.size(); }
  Link& link(int i) { return links_[i]; }
  bool slides(int i) const { return table_.rows[static_cast<std::size_t>(i - 1)].prismatic; }
  int column(int i, Word word) const {
    return parameters_per_body * (i - 1) + static_cast<int>(word);
  }
  int rotor_column(int i) const { return parameters_per_body * n() + i - 1; }

  void keep_word(int i, Word word, bool less_yy = false) {
    Form<C> form = link(i)[word];
    if (less_yy) add(form, C(-1), link(i)[yy]);
    rows_.emplace_back(column(i, word), std::move(form));
  }
  void keep(int i, DhJointClass type) {
    switch (type) {
      case DhJointClass::R1:
        for (const Word word : {xx, xy, xz, yz, zz, mx, my}) keep_word(i, word, word == xx);
        break;
      case DhJointClass::R2:
        for (const Word word : {zz, mx, my}) keep_word(i, word);
        break;
      case DhJointClass::R3:
        keep_word(i, zz);
        break;
      case DhJointClass::R4: {
        Link& own = link(i);
        const C height = meeting_height(i);
        add(own[xz], height, own[mx]);
        add(own[yz], height, own[my]);
        for (const Word word : {xx, xy, xz, yz, zz}) keep_word(i, word, word == xx);
        break;
      }
      case DhJointClass::T1:
        for (const Word word : {mx, my, mz, m}) keep_word(i, word);
        break;
      case DhJointClass::T2: {
        const auto& row = numbers_[i - 1];
        Link& own = link(i);
        if (row.pivot_x) add(own[my], C(-1) * row.of_y, own[mx]);
        add(own[mz], C(-1) * row.of_z, own[row.pivot_x ? mx : my]);
        for (const Word word : {row.pivot_x ? my : mx, mz, m}) keep_word(i, word);
        break;
      }
      case DhJointClass::T3:
      case DhJointClass::T4:
        keep_word(i, m);
        break;
    }
  }

  /// z in frame i of the point where the axes 1 to i of hinges meet.
  C meeting_height(int i) const {
    C height{};
    for (int k = 1; k <= i; ++k) {
      const DhNumbers<C>& row = numbers_[k - 1];
      const bool parallel = direction_of(table_.rows[static_cast<std::size_t>(k - 1)].alpha).s == 0;
      height = parallel ? row.ca * height : C();
      height += C(-1) * row.d;
    }
    return height;
  }

  /// qd_i^2 is the energy of ZZ or of M, or a base parameter. That of M, less a mass that stands at rest
  /// on the slide's guide.
  void place_rotor(int i, const DhJointFacts& joint) {
    const Form<C> rotor{{rotor_column(i), C(1)}};
    if (!joint.rotor_joins) {
      rows_.emplace_back(rotor_column(i), rotor);
      return;
    }
    add(link(i)[slides(i) ? m : zz], C(1), rotor);
    if (!slides(i) || i == 1) return;
    DhNumbers<C> row = numbers_[i - 1];
    row.d = C();
    Form<C> less;
    add(less, C(-1), rotor);
    move_hinge(link(i - 1), row, {}, {}, less);
  }

  void move_inwards(int i, DhJointClass type) {
    Link &from = link(i), &to = link(i - 1);
    const DhNumbers<C>& row = numbers_[i - 1];
    switch (type) {
      case DhJointClass::R1:
      case DhJointClass::R4:
        return move_hinge(to, row, from[yy], from[mz], from[m]);
      case DhJointClass::R2:
      case DhJointClass::R3:
        return move_hinge(to, row, {}, {}, from[m]);
      case DhJointClass::T1:
      case DhJointClass::T2:
        return turn_inwards(to, row, from);
      case DhJointClass::T3:
        return move_parallel_slide(to, row, from);
      case DhJointClass::T4:
        return;
    }
  }
  static void move_hinge(Link& to, const DhNumbers<C>& row, const Form<C>& YY, const Form<C>& MZ,
                         const Form<C>& M) {
    const auto& [a, d, ca, sa, ct, st, pivot_x, of_y, of_z] = row;
    Form<C> D = YY, E = MZ;
    add(D, C(2) * d, MZ);
    add(D, d * d, M);
    add(E, d, M);
    add(to[xx], C(1), D);
    add(to[xy], a * sa, E);
    add(to[xz], C(-1) * a * ca, E);
    add(to[yy], ca * ca, D);
    add(to[yy], a * a, M);
    add(to[yz], ca * sa, D);
    add(to[zz], sa * sa, D);
    add(to[zz], a * a, M);
    add(to[mx], a, M);
    add(to[my], C(-1) * sa, E);
    add(to[mz], ca, E);
    add(to[m], C(1), M);
  }
  /// R J R^T, R = Rx(alpha) Rz(theta).
  static void turn_inwards(Link& to, const DhNumbers<C>& row, const Link& J) {
    turn_about_x(to, turned_about_z(J, row.ct, row.st), row.ca, row.sa);
  }
  /// R^T J R, R = Rz(theta) Rx(alpha) of a standard row: back about x last.
  void turn_outwards(int i) {
    const DhNumbers<C>& row = numbers_[i - 1];
    turn_about_x(link(i), turned_about_z(link(i - 1), row.ct, C(-1) * row.st), row.ca,
                 C(-1) * row.sa);
  }
  static Link turned_about_z(const Link& J, const C& c, const C& s) {
    Link out;
    add(out[xx], c * c, J[xx]), add(out[xx], C(-2) * c * s, J[xy]), add(out[xx], s * s, J[yy]);
    add(out[yy], s * s, J[xx]), add(out[yy], C(2) * c * s, J[xy]), add(out[yy], c * c, J[yy]);
    add(out[xy], c * s, J[xx]), add(out[xy], C(-1) * c * s, J[yy]);
    add(out[xy], c * c, J[xy]), add(out[xy], C(-1) * s * s, J[xy]);
    add(out[xz], c, J[xz]), add(out[xz], C(-1) * s, J[yz]);
    add(out[yz], s, J[xz]), add(out[yz], c, J[yz]);
    out[zz] = J[zz];
    return out;
  }
  static void turn_about_x(Link& to, const Link& J, const C& c, const C& s) {
    add(to[xx], C(1), J[xx]);
    add(to[xy], c, J[xy]), add(to[xy], C(-1) * s, J[xz]);
    add(to[xz], s, J[xy]), add(to[xz], c, J[xz]);
    add(to[yy], c * c, J[yy]), add(to[yy], C(-2) * c * s, J[yz]), add(to[yy], s * s, J[zz]);
    add(to[zz], s * s, J[yy]), add(to[zz], C(2) * c * s, J[yz]), add(to[zz], c * c, J[zz]);
    add(to[yz], c * s, J[yy]), add(to[yz], C(-1) * c * s, J[zz]);
    add(to[yz], c * c, J[yz]), add(to[yz], C(-1) * s * s, J[yz]);
  }
  /// E = ZZ + 2 a (c MX - s MY) about the axis; MX and MY turned.
  static void move_parallel_slide(Link& to, const DhNumbers<C>& row, const Link& from) {
    Form<C> x, y, E = from[zz];
    add(x, row.ct, from[mx]), add(x, C(-1) * row.st, from[my]);
    add(y, row.st, from[mx]), add(y, row.ct, from[my]);
    add(E, C(2) * row.a, x);
    add(to[yy], row.sa * row.sa, E);
    add(to[yz], C(-1) * row.ca * row.sa, E);
    add(to[zz], row.ca * row.ca, E);
    add(to[mx], C(1), x);
    add(to[my], row.ca, y);
    add(to[mz], row.sa, y);
  }
  void move_outwards(int i) {
    const Link& from = link(i - 1);
    Link& to = link(i);
    const auto& [a, d, ca, sa, ct, st, pivot_x, of_y, of_z] = numbers_[i - 1];
    Form<C> D = from[yy], E = from[mz];  // of link i-1 about the point d further along its joint i
    add(D, C(-2) * d, from[mz]);
    add(D, d * d, from[m]);
    add(E, C(-1) * d, from[m]);
    add(to[xx], C(1), D);
    add(to[xy], a * sa, E);
    add(to[xz], a * ca, E);
    add(to[yy], ca * ca, D);
    add(to[yy], a * a, from[m]);
    add(to[yz], C(-1) * ca * sa, D);
    add(to[zz], sa * sa, D);
    add(to[zz], a * a, from[m]);
    add(to[mx], C(-1) * a, from[m]);
    add(to[my], sa, E);
    add(to[mz], ca, E);
    add(to[m], C(1), from[m]);
  }

  const DhTable& table_;
  Array<DhNumbers<C>> numbers_;
  bool rotors_;
  Array<Link> links_;
  Rows rows_{};
};

}  // namespace torsor::internal
