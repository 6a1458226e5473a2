#pragma once
/// Reads a robot from SDF, 1.2 to 1.11.
///
/// Frames   Every link, joint, frame and nested model has a pose in its model's frame, found by
///            X = X(relative_to) raw
///          where relative_to is by default the model for links and nested models, the child for joints, and
///          what it is attached to for frames. A world is a model without links whose frame is the world's. `placement_frame` P of a nested model puts P there:
///            X(model) = X(relative_to) raw X_model(P)^-1
/// Links    keep their frames. The world is the root link "world"; a model that no joint holds and that is
///          not static moves freely, by a joint "root_joint".
/// Joints   turn about the origin of their frame; where that is off the axis through the child's origin, a
///          massless link stands there, and a fixed joint leads to the child.
/// Names    of nested models are "model::link"; of several models in a world, all are.
/// Source   sdformat.org/spec, and the tutorials on poses and composition there.
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "fresh_name.hpp"
#include "read_notes.hpp"
#include "torsor/model/description.hpp"

namespace torsor::internal::sdf {

/// The version of a file, as 1.11 -> 11.
int read_version(const XmlElement& root);
/// Numbers of <pose>, by rpy or quaternion.
SE3<double> read_pose(const XmlElement& pose);
/// inverse(A) B, with the numbers that somebody wrote where products of poses give them but for rounding.
SE3<double> between(const SE3<double>& A, const SE3<double>& B);
/// A number in the text of the child, `otherwise` where there is none; the first one counts.
double number_in(const XmlElement& element, const char* child, double otherwise);
std::string text_in(const XmlElement& element, const char* child,
                    const std::string& otherwise = "");
bool truth_in(const XmlElement& element, const char* child, bool otherwise);
/// The first child of that name, as other readers take it.
XmlElement first(const XmlElement& element, const char* name);
/// Findings for children and attributes that SDF does not have, or that nothing here uses.
void check_names(const XmlElement& element, ReadNotes& notes);

struct Model;

/// Something with a pose in a model.
struct Entity {
  enum class Kind : unsigned char { model_frame, link, joint, frame, model };
  Kind kind = Kind::frame;
  XmlElement xml;
  std::string relative_to;  ///< "": the model's own frame
  std::string attached_to;  ///< frames and joints: what carries them
  SE3<double> raw{};
  int state = 0;  ///< 1: being found, 2: found
  SE3<double> X{};
  std::unique_ptr<Model> model{};  ///< of a nested one
};

struct Model {
  XmlElement xml;
  int version = 11;
  std::string prefix;     ///< of names: "arm::"
  std::string canonical;  ///< link that carries the model's frame
  std::string placement_frame;
  bool is_static = false;
  bool is_scene = false;    ///< a world, or a file with a model alone
  bool only_model = false;  ///< of a scene: what is in it has no prefix
  std::unordered_map<std::string, Entity> entities;
  std::vector<std::string> order;  ///< of entities, as the file has them
};

class Reader {
 public:
  Reader(const std::string& text, const std::string& file_name, Findings* findings,
         Findings* errors)
      : text_(text), file_(file_name), notes_(findings, errors) {}

  RobotDescription run();

 private:
  // model.cpp
  void read_model(Model& model, const std::string& own_frame, int depth);
  void add_entity(Model& model, Entity::Kind kind, const XmlElement& at,
                  const std::string& own_frame, std::string name = "");
  void include(Model& model, const XmlElement& at, int depth);
  XmlElement included_model(const XmlElement& at, int& version, int depth);
  static std::size_t count_models(const XmlElement& scene);
  static std::string prefix_of(const Model& model, const std::string& name);
  SE3<double> pose_of(Model& model, const std::string& name, int depth = 0);
  /// The model and link that carry a frame; the link is "" for the world.
  std::pair<Model*, std::string> carrier(Model& model, const std::string& name,
                                         const XmlElement& at, int depth = 0);

  // read_link.cpp
  void add_links(Model& model, const SE3<double>& T_world, bool is_static);
  Link read_link(const Model& model, const XmlElement& at);
  void read_inertial(const XmlElement& at, Link& link);
  MassMoments<double> moments_of_shape(const XmlElement& collision, double density);
  void read_shape(const XmlElement& at, Link& link);
  Inertial inertia_of_shapes(const XmlElement& link, double density);

  // read_joint.cpp
  void add_joints(Model& model, const SE3<double>& T_world);
  void read_joint(Model& model, const std::string& entity, const XmlElement& at,
                  const SE3<double>& T_world);
  Vec3<double> read_axis(Model& model, const XmlElement& at, const XmlElement& joint,
                         const Vec3<double>& usual, const SE3<double>& T_joint,
                         const SE3<double>& T_world);
  void read_dof(const XmlElement& axis, Joint& joint, std::size_t dof);
  void read_mimic(const XmlElement& axis, const std::string& follower, const std::string& prefix);
  void place(Joint joint, const SE3<double>& T_parent_child, const Vec3<double>& point,
             const std::string& child);
  void hold_roots();
  std::string fresh(const std::string& wish, std::set<std::string>& taken) {
    return fresh_name(wish, taken);
  }

  const std::string& text_;
  std::string file_;
  ReadNotes notes_;
  RobotDescription robot_;
  std::vector<std::unique_ptr<XmlDocument>> files_;
  std::size_t bytes_ = 0, made_ = 0;
  std::vector<std::unique_ptr<Model>> models_;
  std::unordered_map<std::string, SE3<double>> T_world_;  // of each link
  std::vector<std::string> static_links_;
  std::set<std::string> link_names_, joint_names_, carried_;
};

}  // namespace torsor::internal::sdf
