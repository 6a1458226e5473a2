// Which attributes MJCF has, of the elements that are read, and which of them nothing here uses.
// Source: the reference of MJCF (MuJoCo 3), with words of MuJoCo 2 that files still have.
#include <algorithm>
#include <sstream>

#include "mjcf/document.hpp"
#include "torsor/model/description.hpp"

namespace torsor::internal::mjcf {
namespace {

using Words = std::vector<std::string>;

Words words(const char* list) {
  std::istringstream in(list);
  Words all;
  for (std::string word; in >> word;) all.push_back(word);
  return all;
}

struct Row {
  Words used, contacts, solvers, pictures, other;
};

constexpr const char* orientation = " quat axisangle xyaxes zaxis euler ";
constexpr const char* of_equality = "name class active ";
constexpr const char* tendon =
    "name class range limited frictionloss springlength stiffness damping armature";
constexpr const char* tendon_solvers =
    "solreflimit solimplimit solreffriction solimpfriction margin";

const std::map<std::string, Row>& table() {
  const auto with = [](const char* a, const char* b) {
    return words((std::string(a) + b).c_str());
  };
  static const std::map<std::string, Row> rows = {
      {"mujoco", {words("model"), {}, {}, {}, words("xmlns xmlns:xsi xsi:schemaLocation")}},
      {"compiler",
       {words("autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate "
              "angle eulerseq meshdir inertiafromgeom inertiagrouprange exactmeshinertia assetdir "
              "fitaabb"),
        {},
        {},
        words("texturedir discardvisual"),
        words("convexhull usethread fusestatic saveinertial alignfree conflict")}},
      {"option",
       {words("gravity wind density viscosity"),
        words("o_margin o_solref o_solimp o_friction impratio cone collision"),
        words("timestep tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance "
              "integrator jacobian solver iterations ls_iterations noslip_iterations "
              "ccd_iterations sdf_iterations sdf_initpoints mpr_tolerance mpr_iterations"),
        {},
        words("magnetic actuatorgroupdisable apirate")}},
      {"default", {words("class"), {}, {}, {}, {}}},
      {"body",
       {with("name childclass pos mocap gravcomp", orientation),
        {},
        {},
        {},
        words("user sleep simple")}},
      {"worldbody", {words("name childclass"), {}, {}, {}, words("user")}},
      {"frame", {with("name childclass pos", orientation), {}, {}, {}, {}}},
      {"attach", {words("model body frame prefix"), {}, {}, {}, {}}},
      {"replicate", {words("count offset euler sep childclass"), {}, {}, {}, {}}},
      {"inertial", {with("pos mass diaginertia fullinertia", orientation), {}, {}, {}, {}}},
      {"joint",
       {words("name class type pos axis range limited ref stiffness springref springdamper damping "
              "armature frictionloss actuatorfrcrange actuatorfrclimited actuatorgravcomp"),
        {},
        words("solreflimit solimplimit solreffriction solimpfriction margin"),
        {},
        words("group user")}},
      {"freejoint", {words("name align"), {}, {}, {}, words("group")}},
      {"geom",
       {with("name class type size mass density shellinertia fromto pos mesh hfield contype "
             "conaffinity group material rgba fluidshape fitscale",
             orientation),
        words("condim priority friction solmix solref solimp margin gap surfacevel adhesion"),
        {},
        {},
        words("user fluidcoef")}},
      {"site",
       {with("name class pos fromto", orientation),
        {},
        {},
        words("type group material size rgba"),
        words("user")}},
      {"mesh",
       {words("name class file vertex face refpos refquat scale inertia builtin"),
        words("maxhullvert"),
        {},
        words("normal texcoord smoothnormal material"),
        words("content_type params octree_maxdepth")}},
      {"connect",
       {with(of_equality, "body1 body2 anchor site1 site2"), {}, words("solref solimp"), {}, {}}},
      {"weld",
       {with(of_equality, "body1 body2 anchor relpose site1 site2"),
        {},
        words("solref solimp torquescale"),
        {},
        {}}},
      {"equality joint",
       {with(of_equality, "joint1 joint2 polycoef"), {}, words("solref solimp"), {}, {}}},
      {"equality tendon",
       {with(of_equality, "tendon1 tendon2 polycoef"), {}, words("solref solimp"), {}, {}}},
      {"fixed",
       {words(tendon),
        {},
        words(tendon_solvers),
        {},
        words("group user actuatorfrclimited actuatorfrcrange")}},
      {"spatial",
       {words(tendon),
        {},
        words(tendon_solvers),
        words("width material rgba"),
        words("group user actuatorfrclimited actuatorfrcrange")}},
  };
  return rows;
}

}  // namespace

void check_attributes(const XmlElement& element, const std::string& tag, ReadNotes& notes) {
  const auto found = table().find(tag);
  if (found == table().end()) return;
  const Row& row = found->second;
  const auto in = [](const Words& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  for (const std::string& name : element.attribute_names()) {
    if (in(row.used, name)) continue;
    if (in(row.contacts, name))
      notes.unused(element, "settings of contacts");
    else if (in(row.solvers, name))
      notes.unused(element, "settings of solvers");
    else if (in(row.pictures, name))
      notes.unused(element, "settings of pictures");
    else if (in(row.other, name))
      notes.unused(element, "attribute " + in_quotes(name));
    else
      notes.unknown(element, "attribute " + in_quotes(name) + " of <" + element.name() + ">",
                    did_you_mean(name, row.used), "MJCF");
  }
}

}  // namespace torsor::internal::mjcf
