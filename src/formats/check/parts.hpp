#pragma once
/// Parts of check_model and repair_model.
#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "torsor/formats/check_model.hpp"
#include "torsor/model/text.hpp"

namespace torsor::internal::checks {

/// Collects findings; the words are: what is the case, why it matters, what to do.
class Report {
 public:
  using Kind = Finding::Kind;

  void error(const Origin& origin, std::string element, std::string what, std::string why,
             std::string fix, Kind kind = Kind::other) {
    add(Finding::Severity::error, origin, element, what, why, fix, kind);
  }
  void warning(const Origin& origin, std::string element, std::string what, std::string why,
               std::string fix, Kind kind = Kind::other) {
    add(Finding::Severity::warning, origin, element, what, why, fix, kind);
  }
  void note(const Origin& origin, std::string element, std::string what, std::string why,
            std::string fix, Kind kind = Kind::other) {
    add(Finding::Severity::note, origin, element, what, why, fix, kind);
  }
  void add(Finding::Severity severity, const Origin& origin, std::string& element,
           std::string& what, std::string& why, std::string& fix, Kind kind) {
    findings.push_back({severity, origin, std::move(element), std::move(what), std::move(why),
                        std::move(fix), kind, topic});
  }
  bool has_errors() const;

  Finding::Topic topic = Finding::Topic::motion;  ///< of the findings from here on
  Findings findings;
};

/// The tree as far as it can be walked: names that do not resolve and cycles are left out.
struct Tree {
  explicit Tree(const RobotDescription& robot);

  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  const RobotDescription& robot;
  std::unordered_map<std::string, std::size_t> link_of;
  std::vector<std::size_t> joint_above;  ///< per link: the joint that carries it, or none
  std::vector<std::size_t> roots;        ///< links without a joint above
  std::vector<std::size_t> order;        ///< links in reach of the first root, parents first
  std::vector<bool> reached;
  std::vector<SE3<double>> T_root_link;  ///< at the neutral configuration
  std::vector<double> path;              ///< m, length of the placements from the root
  std::vector<std::size_t> body;  ///< per link: the link behind its nearest moving joint, or root
  std::vector<Inertia<double>>
      inertia;             ///< per body link, with all that is fixed to it, in its frame
  std::vector<bool> leaf;  ///< per body link: carries no other moving body

  std::size_t find(const std::string& link) const;
  std::size_t parent(std::size_t link) const;
  /// m, how far anything of the robot is from the root at most; 0 if unknown.
  double reach() const;
  /// kg m^2, the mass of a link times the square of the robot's reach.
  double inertia_scale(const Link& link) const;

 private:
  mutable double longest_ = -1;  // reach(), once it is known
};

/// An axis-parallel box around the primitive shapes of a link.
struct Extent {
  Vec3<double> low{infinity, infinity, infinity}, high{-infinity, -infinity, -infinity};
  bool known() const { return low.x <= high.x; }
  double diagonal() const { return known() ? norm(high - low) : 0; }
};
/// Not known where there is no shape, or a mesh, of which only the name is known.
Extent extent_of(const Link& link);

/// What a rigid body can have: J = tr(S) 1 - S, with the second moments S positive.
struct SecondMoments {
  Vec3<double> values;  ///< of S, ascending
  SO3<double> axes;
  Vec3<double> moments;  ///< principal moments of J, ascending
};
SecondMoments second_moments(const Sym3<double>& about_com);
enum class InertiaVerdict { good, zero, rounded, breaks_triangle, not_positive };
/// `scale` is mass times size squared, in kg m^2: what is nothing beside it is rounding, not inertia.
InertiaVerdict judge(const Sym3<double>& about_com, double scale = 0);

bool is_finite(const Vec3<double>& a);
bool is_finite(const Sym3<double>& a);
/// Whether the position limits of a degree of freedom are angles.
bool is_angle(const Joint& joint, std::size_t dof);
double rotation_error(const SE3<double>& T);

std::string numbers(const Vec3<double>& v);
std::string element(const char* kind, const std::string& name);
/// Blanks, commas and control characters, which break tables, options and other programs.
bool is_awkward_name(const std::string& name);
bool has_control_character(const std::string& name);

void check_names(const RobotDescription& robot, Report& report);
void check_tree(const Tree& tree, Report& report);
void check_constraints(const Tree& tree, Report& report);
void check_joints(const RobotDescription& robot, Report& report);
/// Of a joint or motor; `further`: viscous friction that comes from elsewhere.
void check_friction(const Friction& f, double further, bool one, const Origin& origin,
                    const std::string& who, Report& report);
void check_inertias(const Tree& tree, Report& report);
void check_units(const Tree& tree, Report& report);
void check_geometry(const RobotDescription& robot, const CheckOptions& options, Report& report);

/// The files of meshes, each looked for once.
class MeshFinder {
 public:
  MeshFinder(const RobotDescription& robot, const CheckOptions& options)
      : robot_(robot), options_(options) {}
  /// Empty where there is none.
  const std::string& operator()(const Link& link, const Geometry& mesh) const;

 private:
  const RobotDescription& robot_;
  const CheckOptions& options_;
  mutable std::unordered_map<std::string, std::string> files_, packages_;

  std::string file(const std::string& name, const std::string& asking) const;
};
/// The inertia of a link beside that of its meshes at uniform density.
void check_mesh_inertias(const RobotDescription& robot, const MeshFinder& found, Report& report);

}  // namespace torsor::internal::checks
