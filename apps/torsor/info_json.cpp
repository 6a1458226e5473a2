#include "info.hpp"
#include "json_output.hpp"
#include "losses.hpp"
#include "torsor/formats/finding.hpp"
#include "torsor/model/configuration.hpp"

namespace torsor::command {
namespace {

Json limits_of(const Limits& l) {
  return {{"lower", l.lower},       {"upper", l.upper},
          {"velocity", l.velocity}, {"acceleration", l.acceleration},
          {"jerk", l.jerk},         {"effort", l.effort}};
}
Json drive_of(const DofConstants<double>& d) {
  return {{"viscous", d.viscous},
          {"coulomb", d.coulomb},
          {"stiction", d.stiction},
          {"stribeck", d.stribeck},
          {"width", d.width},
          {"armature", d.armature},
          {"stiffness", d.stiffness},
          {"rest", d.rest},
          {"disturbance", d.disturbance},
          {"offset", d.offset},
          {"viscous_asymmetry", d.viscous_asymmetry},
          {"coulomb_asymmetry", d.coulomb_asymmetry},
          {"load", d.load}};
}

/// One entry per degree of freedom; limits are null where there are none.
Json joint_of(const Model<double>& model, int i) {
  const Joint& joint = model.joint_description(i);
  const Body<double>& body = model.body(i);
  Json limits = Json::array(), drive = Json::array();
  for (int k = body.v.first; k < body.v.first + body.v.count; ++k) {
    limits.push_back(limits_of(model.limits(k)));
    drive.push_back(drive_of(model.dof(k)));
  }
  const Vec3<double> axis = body.turn * Vec3<double>::unit_z();
  return {{"name", joint.name},
          {"kind", name_of(joint.kind)},
          {"parent", joint.parent},
          {"child", joint.child},
          {"body", i},
          {"q_index", body.q.first},
          {"n_q", body.q.count},
          {"v_index", body.v.first},
          {"n_v", body.v.count},
          {"axis", json_vector(axis)},
          {"pitch", joint.pitch},
          {"placement", json_pose(joint.placement)},
          {"limits", limits},
          {"drive", drive}};
}

Json body_of(const Model<double>& model, int i) {
  const Inertia<double>& I = model.body(i).inertia;
  const Vec3<double> com = I.m > 0 ? I.h * (1 / I.m) : Vec3<double>{};
  return {{"name", model.body_name(i)},
          {"parent", model.body_name(model.body(i).parent)},
          {"joint", model.joint_name(i)},
          {"mass", I.m},
          {"com", json_vector(com)}};
}

}  // namespace

std::string info_json(const RobotReport& r) {
  const Model<double>& model = r.model;
  const RobotDescription& robot = model.description();
  Json bodies = Json::array(), joints = Json::array(), links = Json::array();
  Json frames = Json::array(), parameters = Json::array(), values = Json::array();
  for (int i = 1; i < model.n_bodies(); ++i) {
    bodies.push_back(body_of(model, i));
    joints.push_back(joint_of(model, i));
    const Inertia<double>& I = model.body(i).inertia;
    const double ten[] = {I.m, I.h.x, I.h.y, I.h.z, I.J.xx, I.J.xy, I.J.yy, I.J.xz, I.J.yz, I.J.zz};
    int k = 0;
    for (const char* name : {"m", "mx", "my", "mz", "xx", "xy", "yy", "xz", "yz", "zz"}) {
      parameters.push_back(model.body_name(i) + "." + name);
      values.push_back(ten[k++]);
    }
  }
  for (const Link& link : robot.links)
    links.push_back({{"name", link.name},
                     {"body", model.body_name(model.frame(link.name).body)},
                     {"mass", link.inertial.mass}});
  for (const Frame& f : model.frames())
    frames.push_back({{"name", f.name},
                      {"body", model.body_name(f.body)},
                      {"T_world", json_pose(frame_pose(r.kinematics, f))}});
  Json loops = Json::array(), couplings = Json::array();
  for (const LoopJoint& l : robot.loops)
    loops.push_back(
        {{"name", l.name}, {"kind", name_of(l.kind)}, {"link_a", l.link_a}, {"link_b", l.link_b}});
  for (const Coupling& c : robot.couplings) {
    Json terms = Json::array();
    for (const Coupling::Term& t : c.terms)
      terms.push_back({{"joint", t.joint}, {"factor", t.factor}});
    couplings.push_back({{"name", c.name}, {"terms", terms}, {"offset", c.offset}});
  }
  Json motors = Json::array();
  for (int j = 0; j < model.motors().size(); ++j) {
    const Motor& motor = View<const Motor>(robot.motors)[j];
    const DofConstants<double>& d = model.motors()[j].constants;
    Json ratios = Json::array();
    for (const Coupling::Term& t : motor.ratios)
      ratios.push_back({{"joint", t.joint}, {"ratio", t.factor}});
    motors.push_back({{"name", motor.name},
                      {"ratios", ratios},
                      {"rotor_inertia", motor.rotor_inertia},
                      {"viscous", d.viscous},
                      {"coulomb", d.coulomb},
                      {"stiction", d.stiction},
                      {"stribeck", d.stribeck},
                      {"width", d.width},
                      {"offset", d.offset},
                      {"viscous_asymmetry", d.viscous_asymmetry},
                      {"coulomb_asymmetry", d.coulomb_asymmetry}});
  }
  Json configurations = Json::array();
  for (const NamedConfiguration& c : robot.configurations)
    configurations.push_back({{"name", c.name}, {"q", named_configuration(model, c.name)}});
  Json mobility = nullptr;
  if (r.loops) {
    const Mobility& m = r.loops->mobility;
    Json parts = Json::array();
    for (const Mobility::Part& part : m.parts)
      parts.push_back({{"name", part.name},
                       {"kind", part.kind},
                       {"rows", part.rows},
                       {"redundant", part.rows - part.independent}});
    mobility = {{"degrees_of_freedom", m.degrees_of_freedom},
                {"rows", m.rows},
                {"rank", m.rank},
                {"constraints", parts},
                {"actuators", m.actuators},
                {"controlled", m.controlled},
                {"preloads", m.preloads()},
                {"type_ii_singular", m.type_ii()},
                {"open", r.loops->open},
                {"closes", r.loops->assembly.closed}};
  }
  const double fixed = model.fixed_inertia().m;
  return json_text(
      {{"robot", model.name()},
       {"source", robot.source},
       {"root", robot.root},
       {"n_q", model.n_q()},
       {"n_v", model.n_v()},
       {"bodies", bodies},
       {"joints", joints},
       {"links", links},
       {"frames", frames},
       {"mass", {{"moving", r.moving.mass}, {"fixed", fixed}, {"total", r.moving.mass + fixed}}},
       {"q", r.q},
       {"com", r.moving.mass > 0 ? json_vector(r.moving.position) : Json(nullptr)},
       {"gravity", json_vector(model.gravity())},
       {"loops", loops},
       {"couplings", couplings},
       {"motors", motors},
       {"configurations", configurations},
       {"mobility", mobility},
       {"losses", losses_json(r.losses)},
       {"parameters", parameters},
       {"parameter_values", values}});
}

}  // namespace torsor::command
