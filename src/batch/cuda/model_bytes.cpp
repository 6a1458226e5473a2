#include "model_bytes.hpp"

#include <cmath>
#include <cstring>
#include <sstream>
#include <type_traits>

#include "torsor/dynamics/constrained/loop_dynamics.hpp"
#include "torsor/math/error.hpp"

namespace torsor::internal {
namespace {

constexpr int most_bodies = 65;  // with the world

class Bytes {
 public:
  template <class Element>
  std::size_t put(const Element& element) {
    static_assert(std::is_trivially_copyable_v<Element>);
    bytes.resize((bytes.size() + alignof(Element) - 1) / alignof(Element) * alignof(Element));
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof(Element));
    std::memcpy(bytes.data() + at, &element, sizeof(Element));
    return at;
  }
  /// f(0), f(1), ... f(n - 1).
  template <class Function>
  std::size_t put_all(int n, Function f) {
    const std::size_t at = n > 0 ? put(f(0)) : bytes.size();
    for (int k = 1; k < n; ++k) put(f(k));
    return at;
  }

  std::vector<std::byte> bytes;
};

std::string name_of_class(JointClass joint) {
  switch (joint) {
    case JointClass::hinge:
      return "hinge";
    case JointClass::turned_hinge:
      return "turned_hinge";
    case JointClass::slider:
      return "slider";
    case JointClass::general:
      break;
  }
  return "general";
}
std::string name_of_order(EulerOrder order) {
  return order == EulerOrder::zyx ? "zyx" : order == EulerOrder::zyz ? "zyz" : "zxz";
}

}  // namespace

void check_for_device(const Model<double>& model) {
  const auto refuse = [&](const std::string& what) { throw Error(model.name() + ": " + what); };
  if (model.n_v() == 0) refuse("has no moving joint, nothing to do for a device");
  if (model.n_bodies() > most_bodies)
    refuse("has " + std::to_string(model.n_bodies() - 1) + " bodies; a device takes up to " +
           std::to_string(most_bodies - 1));
  if (has_loops(model)) {
    const auto& loops = model.description().loops;
    refuse("has loops or couplings" +
           (loops.empty() ? std::string() : " (" + loops.front().name + ")") +
           ", which a device does not close; Batch does");
  }
  if (!model.motors().empty())
    refuse("has motors that turn with several joints, which a device does not know; Batch does");
}

int hinges_of_chain(const Model<double>& model) {
  for (int i = 1; i < model.n_bodies(); ++i)
    if (model.joint_class(i) != JointClass::hinge || model.parent(i) != i - 1) return 0;
  return model.n_bodies() - 1;
}

bool right_angles(const Model<double>& model) {
  const int n = hinges_of_chain(model);
  for (int i = 2; i <= n; ++i)  // of pi/2 in doubles 6e-17, after some rotations 4e-16
    if (std::abs(model.canonical(i).cos_alpha) > 0x1p-48 || model.canonical(i).sin_alpha < 0)
      return false;
  return n > 1;
}

namespace {

/// The bodies of a chain with right angles, their origins slid along the axes so that all p_z = 0; how far.
std::vector<double> slide_origins(std::vector<CanonicalBody<double>>& bodies) {
  std::vector<double> slides(bodies.size(), 0.0);
  for (std::size_t i = bodies.size() - 1; i > 1; --i) {
    CanonicalBody<double>&on = bodies[i - 1], &b = bodies[i];
    b.sin_alpha = 1, b.cos_alpha = 0;
    const double by = b.p.z;
    slides[i - 1] = by;
    b.p.z = 0;
    on.p = on.p + Vec3<double>{0, -on.sin_alpha * by, on.cos_alpha * by};
    // Particles move by -by along z; m, h_z and S_zz of a hinge are zero.
    on.moments.S.xz -= by * on.moments.h.x;
    on.moments.S.yz -= by * on.moments.h.y;
  }
  return slides;
}

}  // namespace

template <class Real>
std::vector<std::byte> model_bytes(const Model<double>& given, bool right) {
  const Model<Real> model = given.cast<Real>();
  const int n = model.n_bodies();
  std::vector<CanonicalBody<double>> bodies;
  for (int i = 0; i < n; ++i) bodies.push_back(given.canonical(i));
  std::vector<double> slides(bodies.size(), 0.0);
  if (right) slides = slide_origins(bodies);
  Bytes to;
  to.put_all(n, [&](int i) { return bodies[static_cast<std::size_t>(i)].template cast<Real>(); });
  to.put_all(n, [&](int i) { return model.link_axes(i); });
  to.put_all(model.n_q(), [&](int k) { return model.offset(k); });
  to.put_all(model.n_v(), [&](int k) { return model.dof(k); });
  to.put_all(n, [&](int i) { return model.joint(i).pitch; });
  to.put(model.gravity());
  bool parts = false;
  for (int i = 1; i < n; ++i)
    for (int k = 0; k < model.joint(i).n_parts; ++k, parts = true) to.put(model.joint(i).parts[k]);
  if (!parts) to.put(PartShape<Real>{});
  to.put_all(n, [&](int i) { return static_cast<Real>(slides[static_cast<std::size_t>(i)]); });
  to.bytes.resize((to.bytes.size() + alignof(CanonicalBody<Real>) - 1) /
                  alignof(CanonicalBody<Real>) * alignof(CanonicalBody<Real>));
  return to.bytes;
}

template <class Real>
RolledBytes rolled_bytes(const Model<double>& given) {
  const Model<Real> model = given.cast<Real>();
  const int n = model.n_bodies();
  Bytes to;
  RolledBytes result;
  result.bodies = to.put_all(n, [&](int i) { return model.canonical(i); });
  result.axes = to.put_all(n, [&](int i) { return model.link_axes(i); });
  result.offsets = to.put_all(model.n_q(), [&](int k) { return model.offset(k); });
  result.dofs = to.put_all(model.n_v(), [&](int k) { return model.dof(k); });
  result.joints = to.put_all(n, [&](int i) { return model.joint(i); });
  result.bytes = to.bytes;
  return result;
}

template <class Real>
RolledModel<AnyShape, Real> rolled_model(const Model<double>& model, const RolledBytes& arrays,
                                         const std::byte* at) {
  const auto array = [&]<class Element>(std::size_t from, const Element*) {
    return reinterpret_cast<const Element*>(at + from);
  };
  RolledModel<AnyShape, Real> rolled{};
  rolled.count_bodies = model.n_bodies();
  rolled.count_q = model.n_q(), rolled.count_v = model.n_v();
  rolled.bodies = array(arrays.bodies, rolled.bodies);
  rolled.axes = array(arrays.axes, rolled.axes);
  rolled.offsets = array(arrays.offsets, rolled.offsets);
  rolled.dofs = array(arrays.dofs, rolled.dofs);
  rolled.joints = array(arrays.joints, rolled.joints);
  rolled.g = model.gravity().template cast<Real>();
  return rolled;
}

bool fits_rolled(const Model<double>& model) {
  return model.n_bodies() <= AnyShape::bodies && model.n_q() <= AnyShape::coordinates &&
         model.n_v() <= AnyShape::velocities;
}

template <class Real>
std::string shape_text(const Model<double>& model) {
  std::ostringstream text;
  const char* const number = std::is_same_v<Real, double> ? "double" : "float";
  text << "namespace torsor::internal {\nusing DeviceReal = " << number << ";\n";
  if (const int n = hinges_of_chain(model); n > 0) {
    text << "using Shape = HingeChainShape<" << n << (right_angles(model) ? ", true" : "")
         << ">;\n}\n";
    return text.str();
  }
  std::ostringstream bodies, parts;
  int n_parts = 0;
  for (int i = 1; i < model.n_bodies(); ++i) {
    const CanonicalBody<double>& b = model.canonical(i);
    const JointShape<double>& joint = model.joint(i);
    bodies << "      case " << i << ": return {JointClass::" << name_of_class(b.joint)
           << ", JointKind::" << name_of(joint.kind)
           << ", EulerOrder::" << name_of_order(joint.order) << ", "
           << (b.branching ? "true" : "false") << ", " << b.parent << ", " << b.q << ", " << b.v
           << ", " << joint.n_q << ", " << b.n_v << ", " << n_parts << ", " << joint.n_parts
           << "};\n";
    for (int k = 0; k < joint.n_parts; ++k)
      parts << "      case " << n_parts++ << ": return {JointKind::" << name_of(joint.parts[k].kind)
            << ", EulerOrder::" << name_of_order(joint.parts[k].order) << "};\n";
  }
  text << "struct Shape {\n  static constexpr bool is_chain = false;\n"
       << "  static constexpr int bodies = " << model.n_bodies()
       << ", coordinates = " << model.n_q() << ", velocities = " << model.n_v()
       << ", parts = " << n_parts << ";\n"
       << "  TORSOR_HD static constexpr BodyShape body(int i) {\n    switch (i) {\n"
       << bodies.str() << "      default: return {};\n    }\n  }\n"
       << "  TORSOR_HD static constexpr JointPartShape part(int i) {\n    switch (i) {\n"
       << parts.str() << "      default: return {};\n    }\n  }\n};\n}\n";
  return text.str();
}

template <class Real>
KernelPlan plan_kernels(const Model<double>& model, int part) {
  if (const int n = hinges_of_chain(model); n > 0 && n <= longest_chain)
    return {"-DTORSOR_CHAIN", false};
  int several = 0;  // joints of several velocities
  for (int i = 1; i < model.n_bodies(); ++i) several += model.joint_class(i) == JointClass::general;
  // Unrolled code of larger robots takes minutes to compile and does not fit the instruction cache.
  const bool unrolled =
      part == 0 ? several <= 1 && model.n_v() <= 48 : several == 0 && model.n_v() <= 8;
  KernelPlan plan{"-DTORSOR_PART=" + std::to_string(part + 1), !unrolled};
  if (plan.rolled) plan.flags += " -DTORSOR_ROLLED";
  return plan;
}

template KernelPlan plan_kernels<double>(const Model<double>&, int);
template KernelPlan plan_kernels<float>(const Model<double>&, int);
template std::vector<std::byte> model_bytes<double>(const Model<double>&, bool);
template std::vector<std::byte> model_bytes<float>(const Model<double>&, bool);
template RolledBytes rolled_bytes<double>(const Model<double>&);
template RolledBytes rolled_bytes<float>(const Model<double>&);
template RolledModel<AnyShape, double> rolled_model(const Model<double>&, const RolledBytes&,
                                                    const std::byte*);
template RolledModel<AnyShape, float> rolled_model(const Model<double>&, const RolledBytes&,
                                                   const std::byte*);
template std::string shape_text<double>(const Model<double>&);
template std::string shape_text<float>(const Model<double>&);

}  // namespace torsor::internal
