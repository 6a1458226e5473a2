#pragma once
/// Every parameter that a robot has, each with the way to build the robot with another value of it.
#include "dynamics/at.hpp"
#include "dynamics/parameter_truth.hpp"
#include "torsor/math/principal_axes.hpp"
#include "torsor/model/parameter.hpp"

namespace torsor::testing {

struct Case {
  Parameter parameter;
  Edit edit;
  double step = 0.02;
};

inline SE3<double> step_of(int k, double h) {
  Twist<double> x;
  (k < 3 ? x.w : x.v)[k % 3] = h;
  return exp(x);
}
inline Joint& joint_named(Setting& s, const std::string& name) {
  for (Joint& j : s.robot.joints)
    if (j.name == name) return j;
  throw Error("no joint " + name);
}
inline Link& link_named(Setting& s, const std::string& name) {
  for (Link& l : s.robot.links)
    if (l.name == name) return l;
  throw Error("no link " + name);
}
inline void set_inertia(Link& link, const Inertia<double>& I) {
  const Vec3<double> c = I.h * (1 / I.m);
  link.inertial = {I.m, c, I.J - Inertia<double>::parallel_axes(I.m, c)};
}

inline void add_state_cases(const Model<double>& model, std::vector<Case>& cases) {
  for (int k = 0; k < model.n_v(); ++k) {
    cases.push_back({Parameter::coordinate(model, k), [k](Setting& s, double h) {
                       const Model<double> m(s.robot);
                       Numbers v(s.qd.size());
                       v[at(k)] = h;
                       integrate(m, Numbers(s.q), v, s.q);
                     }});
    cases.push_back(
        {Parameter::velocity(model, k), [k](Setting& s, double h) { s.qd[at(k)] += h; }});
    cases.push_back(
        {Parameter::acceleration(model, k), [k](Setting& s, double h) { s.qdd[at(k)] += h; }});
    cases.push_back(
        {Parameter::torque(model, k), [k](Setting& s, double h) { s.tau[at(k)] += h; }});
  }
}
inline void add_link_cases(const Model<double>& model, std::vector<Case>& cases) {
  for (const Link& link : model.description().links) {
    const std::string name = link.name;
    for (int k = 0; k < parameters_per_body; ++k)
      cases.push_back({Parameter::inertial(model, name, k),
                       [=](Setting& s, double h) {
                         Link& l = link_named(s, name);
                         auto p = parameters_of(Inertia<double>::at_com(
                             l.inertial.mass, l.inertial.com, l.inertial.about_com));
                         p[at(k)] += h;
                         set_inertia(l, inertia_of(p.data()));
                       },
                       0.002});
    cases.push_back({Parameter::mass(model, name),
                     [=](Setting& s, double h) { link_named(s, name).inertial.mass += h; }});
    for (int k = 0; k < 3; ++k) {
      cases.push_back({Parameter::of_link(model, name, 1 + k),
                       [=](Setting& s, double h) { link_named(s, name).inertial.com[k] += h; }});
      cases.push_back({Parameter::of_link(model, name, 4 + k),
                       [=](Setting& s, double h) {
                         Sym3<double>& J = link_named(s, name).inertial.about_com;
                         const auto p = principal_axes(J);
                         Vec3<double> moments = p.moments;
                         moments[k] += h;
                         J = rotated(p.axes,
                                     Sym3<double>::diagonal(moments.x, moments.y, moments.z));
                       },
                       0.002});
    }
    cases.push_back({Parameter::of_link(model, name, 7), [=](Setting& s, double h) {
                       Inertial& in = link_named(s, name).inertial;
                       in.mass *= 1 + h;
                       in.about_com = in.about_com * (1 + h);
                     }});
  }
}
inline void add_joint_cases(const Model<double>& model, std::vector<Case>& cases) {
  for (const Joint& joint : model.description().joints) {
    const std::string name = joint.name;
    for (int k = 0; k < 6; ++k)
      cases.push_back({Parameter::placement(model, name, k), [=](Setting& s, double h) {
                         SE3<double>& T = joint_named(s, name).placement;
                         T = T * step_of(k, h);
                       }});
    const bool has_axis = joint.kind == JointKind::planar || joint.kind == JointKind::cylindrical ||
                          (n_v(joint) == 1 && joint.kind != JointKind::composite);
    for (int k = 0; has_axis && k < 3; ++k)
      cases.push_back({Parameter::axis(model, name, k),
                       [=](Setting& s, double h) { joint_named(s, name).axis[k] += h; }});
    if (joint.kind == JointKind::helical)
      cases.push_back({Parameter::pitch(model, name),
                       [=](Setting& s, double h) { joint_named(s, name).pitch += h; }, 0.005});
  }
}
template <class Entry>
Edit dof_edit(const Model<double>& model, int dof, std::vector<Entry> Joint::*entries,
              double Entry::*field) {
  int i = 1;
  while (dof >= model.body(i).v.first + model.body(i).v.count) ++i;
  const std::string name = model.joint_name(i);
  const int k = dof - model.body(i).v.first, n = model.body(i).v.count;
  return [=](Setting& s, double h) {
    auto& list = joint_named(s, name).*entries;
    list.resize(at(n));
    list[at(k)].*field += h;
  };
}
inline constexpr std::array<double Friction::*, 10> friction_members = {
    &Friction::viscous,  &Friction::damping,           &Friction::coulomb,
    &Friction::stiction, &Friction::stribeck,          &Friction::width,
    &Friction::offset,   &Friction::viscous_asymmetry, &Friction::coulomb_asymmetry,
    &Friction::load};
inline void add_motor_cases(const Model<double>& model, std::vector<Case>& cases) {
  for (std::size_t j = 0; j < model.description().motors.size(); ++j) {
    const std::string name = model.description().motors[j].name;
    cases.push_back({Parameter::motor(model, name, 0),
                     [=](Setting& s, double h) { s.robot.motors[j].rotor_inertia += h; }, 5e-4});
    for (int f = 0; f < 9; ++f)
      cases.push_back(
          {Parameter::motor(model, name, 1 + f),
           [=](Setting& s, double h) { s.robot.motors[j].friction.*friction_members[at(f)] += h; },
           0.002});
  }
}
inline void add_dof_cases(const Model<double>& model, std::vector<Case>& cases) {
  for (int k = 0; k < model.n_v(); ++k) {
    const bool one = model.dof_name(k).find('.') == std::string::npos;
    for (int f = 0; f < (one ? 10 : 9); ++f)
      cases.push_back({Parameter::friction(model, k, f),
                       dof_edit(model, k, &Joint::friction, friction_members[at(f)])});
    const auto motor = [&](double Actuator::*field) {
      return dof_edit(model, k, &Joint::actuator, field);
    };
    cases.push_back({Parameter::rotor(model, k), motor(&Actuator::rotor_inertia), 0.001});
    cases.push_back({Parameter::gear(model, k), motor(&Actuator::gear_ratio)});
    cases.push_back({Parameter::motor_viscous(model, k), motor(&Actuator::motor_viscous)});
    cases.push_back({Parameter::disturbance(model, k), motor(&Actuator::disturbance)});
  }
  for (int i = 1; i < model.n_bodies(); ++i)
    for (int k = 0; k < model.body(i).v.count; ++k) {
      if (internal::coordinate_of_dof(model.joint(i), k) < 0) continue;
      const int dof = model.body(i).v.first + k;
      cases.push_back({Parameter::spring(model, dof, 0),
                       dof_edit(model, dof, &Joint::spring, &JointSpring::stiffness)});
      cases.push_back({Parameter::spring(model, dof, 1),
                       dof_edit(model, dof, &Joint::spring, &JointSpring::rest)});
    }
}
inline void add_load_cases(const Model<double>& model, std::vector<Case>& cases) {
  for (int k = 0; k < 3; ++k)
    cases.push_back(
        {Parameter::gravity(model, k), [=](Setting& s, double h) { s.robot.gravity[k] += h; }});
  for (const Link& link : model.description().links) {
    const Frame frame = model.frame(link.name);
    if (frame.body == 0) continue;
    for (int k = 0; k < 6; ++k) {
      cases.push_back({Parameter::wrench(model, link.name, k), [=](Setting& s, double h) {
                         Wrench<double> F;
                         (k < 3 ? F.m : F.f)[k % 3] = h;
                         s.F_ext[at(frame.body)] += Ad_dual_inv(frame.placement, F);
                       }});
      const auto moved = [=](Setting& s, double h) {
        Wrench<double>& F = s.F_ext[at(frame.body)];
        F = Ad_dual_inv(frame.placement * step_of(k, h), Ad_dual(frame.placement, F));
      };
      cases.push_back({Parameter::tool(model, link.name, k), moved});
      if (k >= 3) cases.push_back({Parameter::point(model, link.name, k - 3), moved});
    }
  }
  const std::array<double SpringDamper::*, 3> constants = {
      &SpringDamper::stiffness, &SpringDamper::rest_length, &SpringDamper::damping};
  for (std::size_t j = 0; j < model.description().springs.size(); ++j)
    for (int k = 0; k < 10; ++k)
      cases.push_back({Parameter::spring_damper(model, model.description().springs[j].name, k),
                       [=](Setting& s, double h) {
                         SpringDamper& spring = s.robot.springs[j];
                         if (k < 3)
                           spring.*constants[at(k)] += h;
                         else if (k == 9)
                           spring.preload += h;
                         else
                           (k < 6 ? spring.point_a : spring.point_b)[k % 3] += h;
                       }});
}
inline std::vector<Case> every_case(const Model<double>& model) {
  std::vector<Case> cases;
  add_state_cases(model, cases);
  add_link_cases(model, cases);
  add_joint_cases(model, cases);
  add_dof_cases(model, cases);
  add_motor_cases(model, cases);
  add_load_cases(model, cases);
  return cases;
}
inline std::vector<Parameter> parameters_of(const std::vector<Case>& cases) {
  std::vector<Parameter> list;
  for (const Case& c : cases) list.push_back(c.parameter);
  return list;
}

inline std::vector<char> subset(const Model<double>& model, unsigned seed) {
  testing::Draw<double> draw(seed);
  std::vector<char> mask(at(model.n_bodies()));
  for (char& m : mask) m = draw() > 0 ? 1 : 0;
  return mask;
}
}  // namespace torsor::testing
