// zoo_peer PEER FILE: one robot file read here and by MuJoCo, urdfdom or libsdformat, for scripts/zoo.
//
// Prints one line: "same 2e-15" (the largest difference, relative to the largest number), "differs ..." with
// what does, "refuses ..." with what the peer says, "apart ..." where the two cannot be compared. A process
// of its own for every file: peers write to standard output and end the process at some files.
#include <tinyxml2.h>
#include <urdf_parser/urdf_parser.h>
#include <sdf/sdf.hh>

#include <iostream>

#include "house/process.hpp"
#include "peers/mujoco_peer.hpp"
#include "torsor/formats/text.hpp"
#include "torsor/formats/xml.hpp"

namespace torsor::testing {
namespace {

namespace fs = std::filesystem;

struct Verdict {
  double worst = 0;
  std::string where;
  void add(double difference, double scale, const std::string& what) {
    const double relative = difference / std::max(1.0, scale);
    if (relative <= worst) return;
    worst = relative;
    where = what;
  }
  /// Counts as a difference of its own.
  void unlike(const std::string& what) { add(infinity, 1, what); }
};
struct Apart {
  std::string why;
};
struct Refused {
  std::string why;
};

// MuJoCo.

/// Of a URDF file, what its dynamics are made of; MuJoCo would look for the meshes of shapes.
void remove_shapes(tinyxml2::XMLElement* element) {
  for (auto* e = element->FirstChildElement(); e != nullptr;) {
    auto* const next = e->NextSiblingElement();
    const std::string_view name = e->Name();
    if (name == "visual" || name == "collision")
      element->DeleteChild(e);
    else
      remove_shapes(e);
    e = next;
  }
}
std::string without_shapes(const std::string& file) {
  tinyxml2::XMLDocument document;
  if (document.LoadFile(file.c_str()) != tinyxml2::XML_SUCCESS) throw Refused{"no XML"};
  remove_shapes(document.RootElement());
  tinyxml2::XMLPrinter printer;
  document.Print(&printer);
  return printer.CStr();
}

[[noreturn]] void on_mujoco_error(const char* message) {
  std::cout << "refuses " << one_line(message) << std::endl;
  std::_Exit(0);
}

/// Where MuJoCo has the coordinates of each of our bodies.
struct Place {
  int q, v;
};
std::vector<Place> places(const Model<double>& ours, const mjModel& theirs, bool by_name) {
  std::vector<Place> all(1, Place{-1, -1});
  int next = 0;
  for (int i = 1; i < ours.n_bodies(); ++i) {
    const JointKind kind = ours.body(i).kind;
    if (kind == JointKind::planar) throw Apart{"a planar joint"};
    const int id = by_name ? mj_name2id(&theirs, mjOBJ_JOINT, ours.joint_name(i).c_str()) : next++;
    if (id < 0 || id >= theirs.njnt) throw Apart{"MuJoCo has no joint " + ours.joint_name(i)};
    const char* const name = mj_id2name(&theirs, mjOBJ_JOINT, id);
    if (name != nullptr && *name != 0 && ours.joint_name(i) != name)
      throw Apart{"joint " + ours.joint_name(i) + " is " + name + " there"};
    all.push_back({theirs.jnt_qposadr[id], theirs.jnt_dofadr[id]});
  }
  return all;
}

Verdict with_mujoco(const std::string& file) {
  mju_user_error = on_mujoco_error;
  mju_user_warning = [](const char*) {};
  RobotDescription description = load_description(file);
  description.loops.clear();
  description.couplings.clear();
  description.springs.clear();
  description.motors.clear();
  for (Joint& joint : description.joints) {
    joint.friction.clear();
    joint.limits.clear();
    joint.spring.clear();
  }
  const bool urdf = xml_root_name(read_text_file(file)) == "robot";
  const ScratchFolder folder;
  const std::string shown = urdf ? (folder / "robot.urdf").string() : file;
  if (urdf) write_text(shown, without_shapes(file));
  char error[1000] = "";
  mjModel* const m = mj_loadXML(shown.c_str(), nullptr, error, sizeof error);
  if (m == nullptr) throw Refused{one_line(error)};
  mjData* const d = mj_makeData(m);
  m->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_PASSIVE | mjDSBL_ACTUATION | mjDSBL_CONTACT;

  Robot robot{Model<double>(description)};
  const Model<double>& ours = robot.model();
  const int n = ours.n_v();
  Verdict verdict;
  if (m->nv != n) {
    verdict.unlike(std::to_string(n) + " velocities here, " + std::to_string(m->nv) + " there");
    return verdict;
  }
  if (n == 0) throw Apart{"nothing moves"};
  const std::vector<Place> at = places(ours, *m, urdf);
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const PeerState s(robot, seed);
    Matrix P = Matrix::Zero(n, n);  // velocities there = P velocities here
    Vector Pdot_v = Vector::Zero(n);
    for (int i = 1; i < ours.n_bodies(); ++i) {
      const JointKind kind = ours.body(i).kind;
      const int q = ours.body(i).q.first, v = ours.body(i).v.first;
      if (kind == JointKind::free) {
        const SE3<double> T = joint_pose(ours, i, s.q);
        const Quaternion<double> r = quaternion(T.R);
        const double pose[] = {T.p.x, T.p.y, T.p.z, r.w, r.x, r.y, r.z};
        std::copy(std::begin(pose), std::end(pose), d->qpos + at[i].q);
        Eigen::Matrix3d R;
        for (int row = 0; row < 3; ++row)
          for (int column = 0; column < 3; ++column) R(row, column) = T.R(row, column);
        P.block<3, 3>(at[i].v, v + 3) = R;
        P.block<3, 3>(at[i].v + 3, v).setIdentity();
        Pdot_v.segment<3>(at[i].v) = R * s.qd.segment<3>(v).cross(s.qd.segment<3>(v + 3)).eval();
      } else if (kind == JointKind::spherical) {
        d->qpos[at[i].q] = s.q[q + 3];
        for (int k = 0; k < 3; ++k) d->qpos[at[i].q + 1 + k] = s.q[q + k];
        P.block<3, 3>(at[i].v, v).setIdentity();
      } else if (ours.body(i).v.count == 1) {
        // A slide or hinge that starts at ref there does so here, too.
        d->qpos[at[i].q] = s.q[q];
        P(at[i].v, v) = 1;
      } else {
        throw Apart{"joint " + ours.joint_name(i) + " of several coordinates"};
      }
    }
    const Vector v = P * s.qd, a = P * s.qdd + Pdot_v;
    std::copy(v.data(), v.data() + n, d->qvel);
    std::copy(a.data(), a.data() + n, d->qacc);
    mj_inverse(m, d);
    const Vector tau = P.transpose() * Eigen::Map<const Vector>(d->qfrc_inverse, n);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> full(n, n);
    mj_fullM(m, full.data(), d->qM);
    const Matrix M = P.transpose() * full * P;
    verdict.add(difference(M, s.M), s.M.cwiseAbs().maxCoeff(), "mass matrix");
    verdict.add(difference(tau, s.tau), s.tau.cwiseAbs().maxCoeff(), "torques");
  }
  return verdict;
}

// urdfdom.

Vec3<double> vec(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }
SE3<double> pose(const urdf::Pose& p) {
  return {rotation(Quaternion<double>{p.rotation.x, p.rotation.y, p.rotation.z, p.rotation.w}),
          vec(p.position)};
}
double distance(const SE3<double>& a, const SE3<double>& b) {
  return norm(a.p - b.p) + norm(a.R.c0 - b.R.c0) + norm(a.R.c1 - b.R.c1) + norm(a.R.c2 - b.R.c2);
}
double distance(const Sym3<double>& a, const Sym3<double>& b) {
  return std::max({std::abs(a.xx - b.xx), std::abs(a.xy - b.xy), std::abs(a.xz - b.xz),
                   std::abs(a.yy - b.yy), std::abs(a.yz - b.yz), std::abs(a.zz - b.zz)});
}

void compare_link(const urdf::Link& theirs, const Link& ours, Verdict& verdict) {
  if (theirs.inertial == nullptr) {
    if (ours.has_inertial) verdict.unlike("inertial of link " + ours.name);
    return;
  }
  const urdf::Inertial& I = *theirs.inertial;
  const SE3<double> T = pose(I.origin);
  const std::string what = " of link " + ours.name;
  verdict.add(std::abs(I.mass - ours.inertial.mass), I.mass, "mass" + what);
  verdict.add(norm(T.p - ours.inertial.com), norm(T.p), "centre of mass" + what);
  const Sym3<double> J = rotated(T.R, Sym3<double>{I.ixx, I.ixy, I.iyy, I.ixz, I.iyz, I.izz});
  verdict.add(distance(J, ours.inertial.about_com), std::abs(trace(J)), "inertia" + what);
}

JointKind kind_of(const urdf::Joint& joint) {
  switch (joint.type) {
    case urdf::Joint::REVOLUTE:
      return JointKind::revolute;
    case urdf::Joint::CONTINUOUS:
      return JointKind::continuous;
    case urdf::Joint::PRISMATIC:
      return JointKind::prismatic;
    case urdf::Joint::FLOATING:
      return JointKind::free;
    case urdf::Joint::PLANAR:
      return JointKind::planar;
    default:
      return JointKind::fixed;
  }
}

void compare_joint(const urdf::Joint& theirs, const RobotDescription& robot, Verdict& verdict) {
  const Joint* const ours = robot.find_joint(theirs.name);
  if (ours == nullptr) return verdict.unlike("no joint " + theirs.name + " here");
  const std::string what = " of joint " + theirs.name;
  if (ours->kind != kind_of(theirs)) return verdict.unlike("kind" + what);
  if (ours->parent != theirs.parent_link_name || ours->child != theirs.child_link_name)
    return verdict.unlike("links" + what);
  const SE3<double> T = pose(theirs.parent_to_joint_origin_transform);
  verdict.add(distance(T, ours->placement), norm(T.p), "origin" + what);
  if (ours->kind == JointKind::fixed || ours->kind == JointKind::free) return;
  const Vec3<double> axis = vec(theirs.axis);
  if (norm(axis) > 0) verdict.add(norm(axis * (1 / norm(axis)) - ours->axis), 1, "axis" + what);
  const Limits limits = ours->limits.empty() ? Limits{} : ours->limits[0];
  const bool ends = ours->kind == JointKind::revolute || ours->kind == JointKind::prismatic;
  if (theirs.limits != nullptr && ends) {
    verdict.add(std::abs(theirs.limits->lower - limits.lower), std::abs(limits.lower),
                "lower" + what);
    verdict.add(std::abs(theirs.limits->upper - limits.upper), std::abs(limits.upper),
                "upper" + what);
  }
  const Friction friction = ours->friction.empty() ? Friction{} : ours->friction[0];
  if (theirs.dynamics != nullptr) {
    verdict.add(std::abs(theirs.dynamics->damping - friction.damping), friction.damping,
                "damping" + what);
    verdict.add(std::abs(theirs.dynamics->friction - friction.coulomb), friction.coulomb,
                "friction" + what);
  }
  if (theirs.mimic == nullptr) return;
  for (const Coupling& c : robot.couplings)
    if (c.terms.size() == 2 && c.terms[0].joint == theirs.name &&
        c.terms[1].joint == theirs.mimic->joint_name) {
      const double f = c.terms[0].factor;
      verdict.add(std::abs(-c.terms[1].factor / f - theirs.mimic->multiplier),
                  std::abs(theirs.mimic->multiplier), "multiplier" + what);
      return verdict.add(std::abs(c.offset / f - theirs.mimic->offset),
                         std::abs(theirs.mimic->offset), "offset" + what);
    }
  verdict.unlike("mimic" + what);
}

Verdict with_urdfdom(const std::string& file) {
  const RobotDescription ours = load_description(file);
  const std::shared_ptr<urdf::ModelInterface> theirs = urdf::parseURDFFile(file);
  if (theirs == nullptr) throw Refused{"(see its messages)"};
  Verdict verdict;
  std::size_t links = 0, joints = 0;
  for (const auto& [name, link] : theirs->links_) {
    const Link* const own = ours.find_link(name);
    if (own == nullptr) {
      verdict.unlike("no link " + name + " here");
      continue;
    }
    compare_link(*link, *own, verdict);
    ++links;
  }
  for (const auto& [name, joint] : theirs->joints_) compare_joint(*joint, ours, verdict), ++joints;
  if (links != ours.links.size()) verdict.unlike("number of links");
  if (joints != ours.joints.size()) verdict.unlike("number of joints");
  if (theirs->getRoot()->name != ours.root) verdict.unlike("root");
  return verdict;
}

// libsdformat.

using SdfPose = ignition::math::Pose3d;

void compare_model(const sdf::Model& model, const SdfPose& X, const std::string& prefix,
                   Robot& robot, const RobotDescription& read, Verdict& verdict) {
  const Vector q = Vector::Zero(robot.n_q());
  Vector neutral = robot.neutral();
  for (std::uint64_t k = 0; k < model.LinkCount(); ++k) {
    const sdf::Link& link = *model.LinkByIndex(k);
    const std::string name = prefix + link.Name();
    const Link* const own = read.find_link(name);
    if (own == nullptr) {
      verdict.unlike("no link " + name + " here");
      continue;
    }
    SdfPose at;
    if (!link.SemanticPose().Resolve(at, "__model__").empty()) throw Refused{"pose of " + name};
    at = X * at;
    const Eigen::Isometry3d T = robot.frame_pose(name, neutral);
    const auto r = at.Rot();
    const Eigen::Vector3d p(at.Pos().X(), at.Pos().Y(), at.Pos().Z());
    verdict.add(
        (T.linear() - Eigen::Quaterniond(r.W(), r.X(), r.Y(), r.Z()).toRotationMatrix()).norm() +
            (T.translation() - p).norm(),
        p.norm(), "pose of link " + name);
    const auto inertial = link.Inertial();
    verdict.add(std::abs(inertial.MassMatrix().Mass() - own->inertial.mass), own->inertial.mass,
                "mass of link " + name);
    const Vec3<double> c = own->inertial.com;
    const auto at_com = inertial.Pose().Pos();
    verdict.add(norm(c - Vec3<double>{at_com.X(), at_com.Y(), at_com.Z()}), norm(c),
                "centre of mass of link " + name);
    const auto J = inertial.Moi();
    verdict.add(
        distance({J(0, 0), J(0, 1), J(1, 1), J(0, 2), J(1, 2), J(2, 2)}, own->inertial.about_com),
        std::abs(J(0, 0) + J(1, 1) + J(2, 2)), "inertia of link " + name);
  }
  for (std::uint64_t k = 0; k < model.JointCount(); ++k) {
    const sdf::Joint& joint = *model.JointByIndex(k);
    const Joint* const own = read.find_joint(prefix + joint.Name());
    if (joint.Axis() == nullptr || joint.Axis(1) != nullptr || own == nullptr) continue;
    if (own->kind == JointKind::spherical) continue;  // whose axis means nothing
    ignition::math::Vector3d axis;
    if (!joint.Axis()->ResolveXyz(axis, "__model__").empty())
      throw Refused{"axis of " + joint.Name()};
    axis = (X.Rot() * axis).Normalized();
    const Eigen::Vector3d turned = robot.frame_pose(own->child, neutral).linear() *
                                   Eigen::Vector3d(own->axis.x, own->axis.y, own->axis.z);
    verdict.add((turned - Eigen::Vector3d(axis.X(), axis.Y(), axis.Z())).norm(), 1,
                "axis of joint " + joint.Name());
  }
  for (std::uint64_t k = 0; k < model.ModelCount(); ++k) {
    const sdf::Model& nested = *model.ModelByIndex(k);
    SdfPose at;
    if (!nested.SemanticPose().Resolve(at, "__model__").empty()) throw Refused{"pose of a model"};
    compare_model(nested, X * at, prefix + nested.Name() + "::", robot, read, verdict);
  }
}

Verdict with_sdformat(const std::string& file) {
  const RobotDescription read = load_description(file);
  sdf::ParserConfig config;
  config.SetFindCallback([&](const std::string& uri) {
    const std::string name = uri.substr(uri.find("://") == uri.npos ? 0 : uri.find("://") + 3);
    for (fs::path at = fs::path(file).parent_path(); at.has_relative_path(); at = at.parent_path())
      if (fs::exists(at / name)) return (at / name).string();
    return std::string();
  });
  sdf::Root root;
  const sdf::Errors errors = root.Load(file, config);
  if (!errors.empty()) throw Refused{one_line(errors[0].Message())};
  if (root.Model() == nullptr) throw Apart{"a world"};
  if (!read.loops.empty()) throw Apart{"closed loops: links are cut there"};
  Robot robot{Model<double>(read)};
  Verdict verdict;
  SdfPose at;  // which a placement_frame moves
  if (!root.Model()->SemanticPose().Resolve(at).empty()) at = root.Model()->RawPose();
  compare_model(*root.Model(), at, "", robot, read, verdict);
  return verdict;
}

int answer(int count, char** words) {
  const std::string peer = count == 3 ? words[1] : "";
  if (peer != "mujoco" && peer != "urdfdom" && peer != "sdformat") {
    std::cerr << "zoo_peer mujoco|urdfdom|sdformat FILE\n";
    return 2;
  }
  try {
    const Verdict verdict = peer == "mujoco"    ? with_mujoco(words[2])
                            : peer == "urdfdom" ? with_urdfdom(words[2])
                                                : with_sdformat(words[2]);
    std::cout << (verdict.worst < infinity ? "same " + format_number(verdict.worst) : "differs")
              << " " << verdict.where << std::endl;
  } catch (const Apart& apart) {
    std::cout << "apart " << apart.why << std::endl;
  } catch (const Refused& refused) {
    std::cout << "refuses " << refused.why << std::endl;
  } catch (const std::exception& error) {
    std::cout << "ours " << error.what() << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace torsor::testing

int main(int count, char** words) { return torsor::testing::answer(count, words); }
