// The derivative by a component of a file's axis is that of the file: the axis is normalised after it.
#include <gtest/gtest.h>

#include "torsor/dynamics/derivatives/full_derivatives.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/formats/urdf.hpp"

namespace torsor {
namespace {

const std::string inertial = "mass: 2, com: [0.3, 0.1, -0.2], inertia: [0.3, 0.2, 0.25]";

Model<double> from_yaml(const Vec3<double>& a) {
  return Model<double>(read_robot_file(
      "robot: r\nbodies:\n  - {name: base}\n  - {name: arm, " + inertial + "}\n  - {name: hand, " +
          inertial + "}\njoints:\n  - {name: j, type: revolute, parent: base, child: arm, axis: [" +
          format_number(a.x) + ", " + format_number(a.y) + ", " + format_number(a.z) +
          "]}\n  - {name: k, type: revolute, parent: arm, child: hand, placement: {xyz: [1, 0, "
          "0]}}\n",
      "r.yaml"));
}
Model<double> from_urdf(const Vec3<double>& a) {
  return Model<double>(read_urdf(write_urdf(from_yaml(a).description()), "r.urdf"));
}

TEST(AxisLength, derivatives_by_the_components_of_an_axis_are_those_of_the_file) {
  const Vec3<double> axis{0.5, 0.5, -0.4};
  const std::vector<double> q{0.3, -0.7}, qd{1.1, 0.4}, qdd{-0.6, 2};
  for (const auto& build : {from_yaml, from_urdf}) {
    const Model<double> model = build(axis);
    DynamicsDerivativesWorkspace ws(model);
    ConstrainedParameterDerivatives found(model, ws.set, 3);
    std::vector<Parameter> along;
    for (int k = 0; k < 3; ++k) along.push_back(Parameter::axis(model, "j", k));
    std::vector<double> tau(2);
    ASSERT_TRUE(static_cast<bool>(
        inverse_dynamics_derivatives(model, ws, {along.data(), 3}, q, qd, qdd, {}, tau, found)));
    const double h = 1e-5;
    for (int k = 0; k < 3; ++k) {
      const auto torque = [&](double step) {
        Vec3<double> moved = axis;
        moved[k] += step;
        const Model<double> other = build(moved);
        DynamicsWorkspace<double> dynamics(other);
        std::vector<double> out(2);
        (void)inverse_dynamics(other, dynamics, q, qd, qdd, {}, out);
        return out;
      };
      const std::vector<double> more = torque(h), less = torque(-h);
      for (std::size_t i = 0; i < 2; ++i)
        EXPECT_NEAR(found.dtau.data[static_cast<std::size_t>(k) * 2 + i],
                    (more[i] - less[i]) / (2 * h), 1e-8)
            << k << i;
    }
  }
}

}  // namespace
}  // namespace torsor
