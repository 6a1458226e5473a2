#include "lane_loop.hpp"

namespace torsor::internal {
namespace {

/// Adds the squares of what a view holds to `sum`.
template <class Real>
TORSOR_INLINE void add_squares(const LaneArray<Real>& x, Lanes<Real>& sum) {
  const Lanes<Real>* const at = x.data();
  for (int k = 0; k < x.size(); ++k) sum = at[k] * at[k] + sum;
}

/// Unit norm; false where one is off by more than the verbs for single states take.
template <class Real>
TORSOR_COLD bool normalise(const Array<int>& quaternions, LaneArray<Real>& q) {
  bool good = true;
  for (const int k : quaternions) {
    Lanes<Real>* const x = q.data() + k;
    const Lanes<Real> norm = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    good = good && all(abs(norm - Lanes<Real>(1)) < Lanes<Real>(Real(1e-6)));
    for (int c = 0; c < 4; ++c) x[c] = x[c] / norm;
  }
  return good;
}

template <class Real>
bool lane(const MaskOf<Lanes<Real>>& mask, int l) {
  if constexpr (lane_count<Real> == 1)
    return mask;
  else
    return mask[l];
}

template <class Real>
void make_room(const LaneJob<Real>& job, LaneBuffers<Real>& b) {
  const Lanes<Real> zero(0);
  int width = 0;
  for (const auto& out : job.out) width += out.width;
  if (b.out.size() != width) b.out.assign(width, zero);
  if (job.qd.empty()) b.qd.assign(b.qd.size(), zero);
  if (job.third.empty()) b.third.assign(b.third.size(), zero);
  b.F.resize(job.F_ext.empty() ? 0 : job.F_ext.width / 6);
  b.F_ext.resize(job.F_ext.empty() ? 0 : job.F_ext.width);
  b.parameters.resize(job.parameters.empty() ? 0 : job.parameters.width);
}

template <class Real>
Real* numbers(LaneArray<Real>& x) {
  return reinterpret_cast<Real*>(x.data());  // every access goes through memcpy
}

/// Whether W states from s on lie in memory as they do in a register.
template <class Real>
bool in_order(const StatesView<Real>& view, int valid) {
  return view.state_stride == 1 && valid == lane_count<std::remove_const_t<Real>>;
}

/// Inputs of one register of states into `to`, or left where they are, and, where they are looked at, the sum
/// of their squares.
template <bool in_place, bool look, class Real>
TORSOR_INLINE LaneIn<Real> load(const StatesView<const Real>& from, std::int64_t s, int valid,
                                LaneArray<Real>& to, Lanes<Real>& sum) {
  using P = Lanes<Real>;
  const LaneIn<Real> ours{numbers<Real>(to), lane_count<Real>};
  if (from.empty()) return ours;
  if (!in_order(from, valid)) {
    load_lanes<Real>(from, s, valid, to.data());
    if constexpr (look) add_squares<Real>(to, sum);
    return ours;
  }
  const LaneIn<Real> theirs{from.data + s, from.number_stride};
  P* const lanes = to.data();
  for (int k = 0; (look || !in_place) && k < from.width; ++k) {
    const P x = theirs[k];
    if constexpr (!in_place) lanes[k] = x;
    if constexpr (look) sum = x * x + sum;
  }
  return theirs;
}

template <bool in_place, bool look, class Real>
TORSOR_INLINE void load_all(const LaneJob<Real>& job, std::int64_t s, int valid,
                            LaneBuffers<Real>& b, Lanes<Real>& of_angles, Lanes<Real>& of_others) {
  b.from[0] = load<in_place, look>(job.q, s, valid, b.q, of_angles);
  b.from[1] = load<in_place, look>(job.qd, s, valid, b.qd, of_others);
  b.from[2] = load<in_place, look>(job.third, s, valid, b.third, of_others);
}

/// Where a verb writes: to `out`, or, in place, to the caller's arrays that are by number.
template <class Real>
TORSOR_INLINE void place_outputs(const LaneJob<Real>& job, std::int64_t s, int valid,
                                 LaneBuffers<Real>& b) {
  Real* ours = numbers<Real>(b.out);
  for (std::size_t k = 0; k < 3; ++k) {
    const StatesView<Real>& out = job.out[k];
    const bool in_place = b.in_place && !out.empty() && in_order(out, valid);
    b.to[k] = in_place ? LaneOut<Real>{out.data + s, out.number_stride}
                       : LaneOut<Real>{ours, lane_count<Real>};
    ours += out.width * lane_count<Real>;
  }
}

/// nan where there is no answer.
template <class Real>
TORSOR_COLD void leave_out(LaneJob<Real>& job, int valid, LaneBuffers<Real>& b) {
  const Lanes<Real> nan(std::numeric_limits<Real>::quiet_NaN());
  for (int l = 0; l < valid; ++l) job.failed += lane<Real>(b.answered, l) ? 0 : 1;
  for (std::size_t m = 0; m < 3; ++m)
    for (int k = 0; k < job.out[m].width; ++k) b.to[m].set(k, select(b.answered, b.to[m][k], nan));
}

/// Adds the squares of `width` numbers to `sum`.
template <class Real>
TORSOR_INLINE void look_at(const LaneIn<Real>& x, int width, Lanes<Real>& sum) {
  for (int k = 0; k < width; ++k) sum = x[k] * x[k] + sum;
}

/// Full registers of a job whose arrays are all by number, from its first state on: nothing moves but where
/// they are. Returns the state it came to, the first one for other jobs.
template <class Real>
TORSOR_INLINE std::int64_t in_place_loop(LaneJob<Real>& job, LaneBuffers<Real>& b, bool witness,
                                         LaneCall<Real> call, void* context, Lanes<Real>& of_angles,
                                         Lanes<Real>& of_others) {
  constexpr int W = lane_count<Real>;
  bool by_number = b.in_place && b.F.empty() && job.parameters.empty() &&
                   job.shape->quaternions.empty() && job.first + W <= job.end;
  const auto look = [&](const auto& view) { by_number &= view.empty() || in_order(view, W); };
  look(job.q), look(job.qd), look(job.third);
  for (const auto& out : job.out) look(out);
  if (!by_number) return job.first;
  load_all<true, false>(job, job.first, W, b, of_angles, of_others);
  place_outputs(job, job.first, W, b);
  const std::int64_t rates = job.qd.empty() ? 0 : W, third = job.third.empty() ? 0 : W;
  std::int64_t s = job.first;
  for (; s + W <= job.end; s += W) {
    if (!witness) {
      look_at(b.from[0], job.q.width, of_angles);
      if (rates) look_at(b.from[1], job.qd.width, of_others);
      if (third) look_at(b.from[2], job.third.width, of_others);
    }
    if (!call(context, b)) leave_out<Real>(job, W, b);
    if (witness) of_others = b.to[0][b.witness] * Lanes<Real>(0) + of_others;
    b.from[0].at += W, b.from[1].at += rates, b.from[2].at += third;
    for (std::size_t k = 0; k < 3; ++k) b.to[k].at += job.out[k].empty() ? 0 : W;
  }
  return s;
}

}  // namespace

template <class Real>
void lane_loop(LaneJob<Real>& job, LaneBuffers<Real>& b, LaneCall<Real> call, void* context) {
  using P = Lanes<Real>;
  constexpr int W = lane_count<Real>;
  make_room(job, b);
  P of_angles(0), of_others(0);
  // Inputs that are written over could not be looked at again.
  const Real* const first = job.out[0].data;
  const bool witness = b.in_place && b.witness >= 0 && first != job.q.data &&
                       first != job.qd.data && first != job.third.data;
  std::int64_t s = in_place_loop(job, b, witness, call, context, of_angles, of_others);
  for (; s < job.end; s += W) {
    const int valid = job.end - s < W ? static_cast<int>(job.end - s) : W;
    if (witness)
      load_all<true, false>(job, s, valid, b, of_angles, of_others);
    else if (b.in_place)
      load_all<true, true>(job, s, valid, b, of_angles, of_others);
    else
      load_all<false, true>(job, s, valid, b, of_angles, of_others);
    place_outputs(job, s, valid, b);
    (void)load<false, true>(job.F_ext, s, valid, b.F_ext, of_others);
    (void)load<false, true>(job.parameters, s, valid, b.parameters, of_others);
    for (int i = 0; i < b.F.size(); ++i) {
      const P* const x = b.F_ext.data() + 6 * i;
      b.F[i] = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    }
    if (!job.shape->quaternions.empty() && !normalise<Real>(job.shape->quaternions, b.q))
      job.suspect = true;
    if (!call(context, b)) leave_out<Real>(job, valid, b);
    if (witness) of_others = b.to[0][b.witness] * P(0) + of_others;
    const P* from = b.out.data();
    for (const auto& out : job.out) {
      if (!out.empty() && !(b.in_place && in_order(out, valid)))
        store_lanes<Real>(from, s, valid, out);
      from += out.width;
    }
  }
  // Below the square of 2^48 (float: 2^19), from which on angles are refused.
  const P limit(sizeof(Real) == 8 ? Real(7.9e28F) : Real(2.7e11F));
  if (!all(of_angles < limit) || !all(is_finite(of_others))) job.suspect = true;
}
template void lane_loop(LaneJob<double>&, LaneBuffers<double>&, LaneCall<double>, void*);
template void lane_loop(LaneJob<float>&, LaneBuffers<float>&, LaneCall<float>, void*);

}  // namespace torsor::internal
