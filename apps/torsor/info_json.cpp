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

/// Ten of each body: its mass, first and second moments.
Json parameter_name(const Model<double>& model, int k) {
  constexpr const char* names[] = {"m", "mx", "my", "mz", "xx", "xy", "yy", "xz", "yz", "zz"};
  return model.body_name(1 + k / 10) + "." + names[k % 10];
}
Json parameter(const Model<double>& model, int k) {
  const Inertia<double>& I = model.body(1 + k / 10).inertia;
  const double ten[] = {I.m, I.h.x, I.h.y, I.h.z, I.J.xx, I.J.xy, I.J.yy, I.J.xz, I.J.yz, I.J.zz};
  return ten[k % 10];
}

}  // namespace

void info_json(const RobotReport& r, LongOutput& to) {
  const Model<double>& model = r.model;
  const RobotDescription& robot = model.description();
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
  const std::vector<Frame>& frames = model.frames();
  JsonMembers write(to.text, [&] { return to.pass_on(); });
  write.member("robot", model.name());
  write.member("source", robot.source);
  write.member("root", robot.root);
  write.member("n_q", model.n_q());
  write.member("n_v", model.n_v());
  write.list("bodies", model.n_bodies() - 1, [&](int k) { return body_of(model, k + 1); });
  write.list("joints", model.n_bodies() - 1, [&](int k) { return joint_of(model, k + 1); });
  write.list("links", static_cast<int>(robot.links.size()), [&](int k) -> Json {
    const Link& link = View<const Link>(robot.links)[k];
    return {{"name", link.name},
            {"body", model.body_name(model.frame(link.name).body)},
            {"mass", link.inertial.mass}};
  });
  write.list("frames", static_cast<int>(frames.size()), [&](int k) -> Json {
    const Frame& frame = frames[static_cast<std::size_t>(k)];
    return {{"name", frame.name},
            {"body", model.body_name(frame.body)},
            {"T_world", json_pose(frame_pose(r.kinematics, frame))}};
  });
  write.member("mass",
               {{"moving", r.moving.mass}, {"fixed", fixed}, {"total", r.moving.mass + fixed}});
  write.member("q", r.q);
  write.member("com", r.moving.mass > 0 ? json_vector(r.moving.position) : Json(nullptr));
  write.member("gravity", json_vector(model.gravity()));
  write.member("loops", loops);
  write.member("couplings", couplings);
  write.member("motors", motors);
  write.member("configurations", configurations);
  write.member("mobility", mobility);
  write.member("losses", losses_json(r.losses));
  const int n_parameters = 10 * (model.n_bodies() - 1);
  write.list("parameters", n_parameters, [&](int k) { return parameter_name(model, k); });
  write.list("parameter_values", n_parameters, [&](int k) { return parameter(model, k); });
  write.end();
}

}  // namespace torsor::command
