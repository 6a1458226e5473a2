#pragma once
/// Elements of an MJCF file, one by one.
#include <map>
#include <set>

#include "mjcf/steps.hpp"
#include "torsor/formats/xml.hpp"
#include "write_losses.hpp"

namespace torsor::internal::mjcf {

class Parts {
 public:
  Parts(const RobotDescription& robot, XmlWriter& xml, WriteLosses& losses);

  void write_assets();
  void write_pose(const SE3<double>& T);
  void write_inertial(const Link& link);
  void write_joint(const Step& step);
  /// Shapes and sites of a link whose frame stands at T in the body.
  void write_members(const Link& link, const SE3<double>& T);
  void write_tendons();
  void write_equalities();
  void write_motors(const std::vector<Step>& steps);

 private:
  void write_geometry(const Link& link, const Geometry& g, const SE3<double>& T);
  void write_connect(const LoopJoint& loop, const std::string& name, const Vec3<double>& offset);
  /// The site at a point of a link.
  std::string site_of(const std::string& link, const Vec3<double>& point, const std::string& wish);
  void write_turned_inertia(const Sym3<double>& J);
  void note_friction(const Joint& joint, const Friction& f);

  struct Point {
    std::string name;
    SE3<double> T;
  };
  const RobotDescription& robot_;
  XmlWriter& xml_;
  WriteLosses& losses_;
  std::map<std::string, std::vector<Point>> sites_;  // by link
  std::set<std::string> site_names_, equality_names_;
  std::map<std::string, SE3<double>> T_world_;
  std::map<std::pair<std::string, std::vector<double>>, std::string> meshes_;
};

}  // namespace torsor::internal::mjcf
