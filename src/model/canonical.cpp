#include "torsor/model/internal/canonical.hpp"

#include <algorithm>
#include <cmath>

namespace torsor {
namespace {

constexpr double parallel_tolerance = 1e-14;

/// R_link_canonical of each body: z along its axis, x normal to the axis of the first hinge it carries.
Array<SO3<double>> turned_frames(const Array<internal::CanonicalInput>& bodies) {
  Array<SO3<double>> R(bodies.size());
  Array<int> first_hinge(bodies.size(), 0);
  for (int i = bodies.size() - 1; i > 0; --i)
    if (internal::turns_about_axis(bodies[i].kind)) first_hinge[bodies[i].parent] = i;
  R[0] = SO3<double>::identity();
  for (int i = 1; i < bodies.size(); ++i) {
    R[i] = bodies[i].turn;
    const bool free_about_z = internal::motion_class(bodies[i].kind) != JointMotionClass::general;
    if (!free_about_z || first_hinge[i] == 0) continue;
    const internal::CanonicalInput& child = bodies[first_hinge[i]];
    const Vec3<double> z = transpose_times(R[i], child.placement.R * child.turn.c2);
    const double n = std::hypot(z.x, z.y);  // |z_i x z_child|
    if (n < parallel_tolerance) continue;
    const Vec3<double> x{-z.y / n, z.x / n, 0};
    R[i] = R[i] * SO3<double>{x, {-x.y, x.x, 0}, {0, 0, 1}};
  }
  return R;
}

/// Moments about the z axis of a hinge, seen from the parent where the axis is fixed.
MassMoments<double> on_axis(const MassMoments<double>& a, const Vec3<double>& z,
                            const Vec3<double>& p) {
  const auto entry = [&](int r, int c) {
    return a.S.zz * z[r] * z[c] + a.h.z * (z[r] * p[c] + p[r] * z[c]) + a.m * p[r] * p[c];
  };
  return {a.m,
          z * a.h.z + p * a.m,
          {entry(0, 0), entry(0, 1), entry(1, 1), entry(0, 2), entry(1, 2), entry(2, 2)}};
}

Array<double> moment_rows(const Array<internal::CanonicalBody<double>>& bodies) {
  const auto& last = bodies.back();
  constexpr int width = 16, block = 10 * width;
  Array<double> rows(((last.v + last.n_v) / width + 1) * block, 0.0);
  for (int i = 1; i < bodies.size(); ++i) {
    const auto& [m, h, S] = bodies[i].moments;
    const int k = bodies[i].v + bodies[i].n_v - 1;
    int at = k / width * block + k % width;
    for (const double x : {m, h.x, h.y, h.z, S.xx, S.xy, S.yy, S.xz, S.yz, S.zz})
      rows[at] = x, at += width;
  }
  return rows;
}

}  // namespace

internal::CanonicalForm<double> internal::canonical_form(
    const Array<internal::CanonicalInput>& bodies, int n_q) {
  internal::CanonicalForm<double> form;
  form.R_link_canonical = turned_frames(bodies);
  form.offset.assign(n_q, 0.0);
  form.bodies.resize(bodies.size());

  for (int i = 1; i < bodies.size(); ++i) {
    const internal::CanonicalInput& in = bodies[i];
    const SO3<double>& R_parent = form.R_link_canonical[in.parent];
    const SO3<double>& R_own = form.R_link_canonical[i];
    internal::CanonicalBody<double>& out = form.bodies[i];
    out.parent = in.parent;
    out.q = in.q;
    out.v = in.v;
    out.n_v = in.n_v;
    out.v_end = in.v + in.n_v;
    out.p = transpose_times(R_parent, in.placement.p);
    out.moments = mass_moments(transported(SE3<double>{transpose(R_own), {}}, in.inertia));
    out.R = transpose_times(R_parent, in.placement.R * in.turn);
    if (internal::turns_about_axis(in.kind)) {
      // Rotating by q about the axis and then into the canonical axes of the child is Rz(q + phi).
      const SO3<double> phi = transpose_times(in.turn, R_own);
      const Vec3<double> z = out.R.c2;
      double offset = std::atan2(phi.c0.y, phi.c0.x);
      if (std::abs(z.x) <= parallel_tolerance) {
        out.joint = internal::JointClass::hinge;
        const double n = std::hypot(z.y, z.z);
        out.sin_alpha = -z.y / n;
        out.cos_alpha = z.z / n;
        const SO3<double> Rx{
            {1, 0, 0}, {0, out.cos_alpha, out.sin_alpha}, {0, -out.sin_alpha, out.cos_alpha}};
        const SO3<double> beta = transpose_times(Rx, out.R);
        offset += std::atan2(beta.c0.y, beta.c0.x);
        out.R = Rx;
      } else {
        out.joint = internal::JointClass::turned_hinge;
      }
      form.offset[in.q] = offset;
      form.hinge_q.push_back(in.q);
    } else {
      out.joint = internal::slides_along_axis(in.kind) ? internal::JointClass::slider
                                                       : internal::JointClass::general;
      if (out.joint == internal::JointClass::slider)
        out.R = out.R * transpose_times(in.turn, R_own);
    }
    if (in.parent != i - 1) form.bodies[in.parent].branching = true;
    if (out.joint != internal::JointClass::hinge) form.not_hinges.push_back(i);
  }

  for (int i = bodies.size() - 1; i > 0; --i) {
    internal::CanonicalBody<double>& b = form.bodies[i];
    MassMoments<double>& parent = form.bodies[b.parent].moments;
    int& end = form.bodies[b.parent].v_end;
    end = std::max(end, b.v_end);
    if (b.joint == internal::JointClass::hinge || b.joint == internal::JointClass::turned_hinge) {
      parent = parent + on_axis(b.moments, b.R.c2, b.p);
      b.moments.m = b.moments.h.z = b.moments.S.zz = 0;
    } else if (b.joint == internal::JointClass::slider) {
      parent.S = parent.S + rotated(b.R, b.moments.S);
      b.moments.S = {};
    }
  }
  for (int i = 1; i < bodies.size(); ++i)
    if (form.bodies[i].branching) form.branching.push_back(i);
  form.moment_rows = moment_rows(form.bodies);
  return form;
}

}  // namespace torsor
