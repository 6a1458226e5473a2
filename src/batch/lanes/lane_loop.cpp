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

/// nan where there is no answer.
template <class Real>
TORSOR_COLD void leave_out(LaneJob<Real>& job, const MaskOf<Lanes<Real>>& answered, int valid,
                           LaneArray<Real>& out) {
  for (int l = 0; l < valid; ++l) job.failed += lane<Real>(answered, l) ? 0 : 1;
  const Lanes<Real> nan(std::numeric_limits<Real>::quiet_NaN());
  for (Lanes<Real>& x : out) x = select(answered, x, nan);
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

}  // namespace

template <class Real>
void lane_loop(LaneJob<Real>& job, LaneBuffers<Real>& b, LaneCall<Real> call, void* context) {
  using P = Lanes<Real>;
  constexpr int W = lane_count<Real>;
  make_room(job, b);
  P of_angles(0), of_others(0);
  const auto load = [&](const StatesView<const Real>& from, std::int64_t s, int valid,
                        LaneArray<Real>& to, P& sum) TORSOR_INLINE_LAMBDA {
    if (from.empty()) return;
    if (from.state_stride != 1 || valid != W) {
      load_lanes<Real>(from, s, valid, to.data());
      return add_squares<Real>(to, sum);
    }
    const Real* const at = from.data + s;
    P* const lanes = to.data();
    for (int k = 0; k < from.width; ++k) {
      const P x = load_block<P>(at + k * from.number_stride);
      lanes[k] = x;
      sum = x * x + sum;
    }
  };
  for (std::int64_t s = job.first; s < job.end; s += W) {
    const int valid = job.end - s < W ? static_cast<int>(job.end - s) : W;
    load(job.q, s, valid, b.q, of_angles);
    load(job.qd, s, valid, b.qd, of_others);
    load(job.third, s, valid, b.third, of_others);
    load(job.F_ext, s, valid, b.F_ext, of_others);
    load(job.parameters, s, valid, b.parameters, of_others);
    for (int i = 0; i < b.F.size(); ++i) {
      const P* const x = b.F_ext.data() + 6 * i;
      b.F[i] = {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
    }
    if (!job.shape->quaternions.empty() && !normalise<Real>(job.shape->quaternions, b.q))
      job.suspect = true;
    const MaskOf<P> answered = call(context, b);
    if (!all(answered)) leave_out<Real>(job, answered, valid, b.out);
    const P* from = b.out.data();
    for (const auto& out : job.out) {
      if (!out.empty()) store_lanes<Real>(from, s, valid, out);
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
