// Reads a URDF and runs inverse dynamics, with the rooms that this needs and no other.
#include <cmath>

#include "torsor/dynamics/rnea.hpp"
#include "torsor/formats/urdf.hpp"

int main() {
  using namespace torsor;
  const char* const pendulum = R"(<robot name="pendulum">
  <link name="base"/>
  <link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
  </joint></robot>)";
  Findings findings;
  const Model<double> model(read_urdf(pendulum, "pendulum.urdf", &findings));
  RneaWorkspace<double> ws(model);
  double tau = 0;
  const double zero = 0;
  rigid_inverse_dynamics(model, ws, {&zero, 1}, {&zero, 1}, {&zero, 1}, {}, {&tau, 1});
  return findings.empty() && std::abs(tau + 2 * 9.81 * 0.5) < 1e-12 ? 0 : 1;
}
