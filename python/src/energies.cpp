// Robot: energies, momenta, centre of mass.
#include "parts.hpp"
#include "states.hpp"

namespace torsor::python {
namespace {

using Map = Eigen::Map<Eigen::VectorXd>;

py::object matrix_of(PyRobot& self, const Args& a, int rows, int cols,
                     Robot::Matrix (Robot::*verb)(Robot::ConstVector)) {
  return map_states(self, {{"q", a[0]}}, Shape::matrix(rows, cols), a[1],
                    [verb](Robot& r, const Row* x, double* const* y) {
                      write_rows((r.*verb)(x[0].vector()), y[0]);
                    });
}
py::object matrix_of(PyRobot& self, const Args& a, int rows, int cols,
                     Robot::Matrix (Robot::*verb)(Robot::ConstVector, Robot::ConstVector)) {
  return map_states(self, {{"q", a[0]}, {"qd", a[1]}}, Shape::matrix(rows, cols), a[2],
                    [verb](Robot& r, const Row* x, double* const* y) {
                      write_rows((r.*verb)(x[0].vector(), x[1].vector()), y[0]);
                    });
}
py::object number_of(PyRobot& self, const Args& a, double (Robot::*verb)(Robot::ConstVector)) {
  return map_states(
      self, {{"q", a[0]}}, Shape::scalar(), {},
      [verb](Robot& r, const Row* x, double* const* y) { y[0][0] = (r.*verb)(x[0].vector()); });
}

py::object kinetic_energy(PyRobot& self, const Args& a) {
  return map_states(self, {{"q", a[0]}, {"qd", a[1]}}, Shape::scalar(), {},
                    [](Robot& r, const Row* x, double* const* y) {
                      y[0][0] = r.kinetic_energy(x[0].vector(), x[1].vector());
                    });
}
py::object potential_energy(PyRobot& self, const Args& a) {
  return number_of(self, a, &Robot::potential_energy);
}
py::object spring_energy(PyRobot& self, const Args& a) {
  return number_of(self, a, &Robot::spring_energy);
}
py::object centre_of_mass(PyRobot& self, const Args& a) {
  return map_states(self, {{"q", a[0]}}, Shape::vector(3), a[1],
                    [](Robot& r, const Row* x, double* const* y) {
                      Map(y[0], 3) = r.centre_of_mass(x[0].vector());
                    });
}
py::object momentum(PyRobot& self, const Args& a) {
  return map_states(self, {{"q", a[0]}, {"qd", a[1]}}, Shape::vector(6), {},
                    [](Robot& r, const Row* x, double* const* y) {
                      Map(y[0], 6) = r.momentum(x[0].vector(), x[1].vector());
                    });
}
void write_wrench(const Wrench<double>& F, double* y) {
  y[0] = F.m.x, y[1] = F.m.y, y[2] = F.m.z, y[3] = F.f.x, y[4] = F.f.y, y[5] = F.f.z;
}
py::object centroidal_momentum(PyRobot& self, const Args& a) {
  return map_states(self, {{"q", a[0]}, {"qd", a[1]}, {"qdd", a[2]}},
                    {{Shape::vector(6)},
                     {Shape::vector(6)},
                     {Shape::vector(3)},
                     {Shape::vector(3)},
                     {Shape::vector(3)}},
                    "CentroidalMomentum", [](Robot& r, const Row* x, double* const* y) {
                      const auto h =
                          r.centroidal_momentum(x[0].vector(), x[1].vector(), x[2].vector());
                      write_wrench(h.momentum, y[0]);
                      write_wrench(h.rate, y[1]);
                      for (int k = 0; k < 3; ++k) {
                        y[2][k] = h.com.position[k];
                        y[3][k] = h.com.velocity[k];
                        y[4][k] = h.com.acceleration[k];
                      }
                    });
}
py::object com_jacobian(PyRobot& self, const Args& a) {
  return matrix_of(self, a, 3, self.n_v(), &Robot::com_jacobian);
}
py::object com_jacobian_dot(PyRobot& self, const Args& a) {
  return matrix_of(self, a, 3, self.n_v(), &Robot::com_jacobian_dot);
}
py::object centroidal_map(PyRobot& self, const Args& a) {
  return matrix_of(self, a, 6, self.n_v(), &Robot::centroidal_map);
}
py::object centroidal_map_dot(PyRobot& self, const Args& a) {
  return matrix_of(self, a, 6, self.n_v(), &Robot::centroidal_map_dot);
}

}  // namespace

void bind_energies(py::handle cls) {
  method<&kinetic_energy>(cls, "kinetic_energy(q, qd)", R"(1/2 qd^T M qd in J.

>>> torsor.Robot("pointmass2r").kinetic_energy([0, 0], [1, 0])
2.62)");
  method<&potential_energy>(cls, "potential_energy(q)",
                            R"(-sum m g . p in J, zero at the world's origin.

>>> round(torsor.Robot("pointmass2r").potential_energy([np.pi / 2, 0]), 9)
37.278)");
  method<&spring_energy>(cls, "spring_energy(q)",
                         R"(Energy of springs on joints and between links in J.

>>> torsor.Robot("pointmass2r").spring_energy([0, 0])
0.0)");
  method<&centre_of_mass>(cls, "centre_of_mass(q, *, out=None)",
                          R"(Of the moving bodies, in the world: (2 * 1 + 1 * 1.8) / 3 = 1.266667.

>>> torsor.Robot("pointmass2r").centre_of_mass([0, 0])
array([1.266667, 0.      , 0.      ]))");
  method<&momentum>(cls, "momentum(q, qd)",
                    R"(Angular momentum about the world's origin, then linear momentum.

>>> torsor.Robot("pointmass2r").momentum([0, 0], [1, 0])[[2, 4]]
array([5.24, 3.8 ]))");
  method<&centroidal_momentum>(cls, "centroidal_momentum(q, qd, qdd)",
                               R"(Momentum about the centre of mass and its rate.

A named tuple (momentum, rate, com, com_velocity, com_acceleration). 5.24 - 3.8^2 / 3 about z.

>>> h = torsor.Robot("pointmass2r").centroidal_momentum([0, 0], [1, 0], [0, 0])
>>> h.momentum[[2, 4]]
array([0.426667, 3.8     ]))");
  method<&com_jacobian>(cls, "com_jacobian(q, *, out=None)",
                        R"(Velocity of the centre of mass: 3 x n_v.

>>> torsor.Robot("pointmass2r").com_jacobian([0, 0])[1]
array([1.266667, 0.266667]))");
  method<&com_jacobian_dot>(cls, "com_jacobian_dot(q, qd, *, out=None)",
                            R"(Its rate: 3 x n_v. A turning arm: -1.266667 qd along x.

>>> torsor.Robot("pointmass2r").com_jacobian_dot([0, 0], [1, 0])[0]
array([-1.266667, -0.266667]))");
  method<&centroidal_map>(cls, "centroidal_map(q, *, out=None)",
                          R"(6 x n_v: momentum about the centre of mass = map qd.

>>> torsor.Robot("pointmass2r").centroidal_map([0, 0])[4]
array([3.8, 0.8]))");
  method<&centroidal_map_dot>(cls, "centroidal_map_dot(q, qd, *, out=None)",
                              R"(Its rate: 6 x n_v.

>>> torsor.Robot("pointmass2r").centroidal_map_dot([0, 0], [1, 0])[3]
array([-3.8, -0.8]))");
}

}  // namespace torsor::python
