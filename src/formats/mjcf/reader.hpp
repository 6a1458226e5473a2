#pragma once
/// Reads a robot from MJCF, MuJoCo's XML, by the schema of MuJoCo 3.
///
/// Bodies   The world is the root link "world". A body is a link in its own frame; the pose that the file
///          gives it is its pose at the neutral configuration, but for joints with a `ref`.
/// Joints   A body moves by its joints in their order, each in the axes of the body:
///            T = T_parent_body prod_k  Trans(pos_k) E_k(q_k - ref_k) Trans(-pos_k)
///          Every joint keeps its name and its coordinate, which is MuJoCo's (quaternions are x, y, z, w
///          here; a free joint counts from the pose of its body in the file). What lies between two of them
///          is a massless link; a `pos` off the axis is a fixed joint behind it.
/// Loops    <connect> is a spherical loop, <weld> a weld, both rigid; <joint> and <tendon> of <equality>
///          are couplings, where they are linear.
/// Parts    of other models (<attach>) are read by a reader of their own, with their own <compiler> and
///          defaults, and their links, joints and sites join the others under names with the prefix.
/// Source   mujoco.readthedocs.io, XML reference and modeling.
#include <functional>

#include "mjcf/document.hpp"
#include "solids.hpp"
#include "torsor/model/description.hpp"

namespace torsor::internal::mjcf {

struct Compiler {
  bool degrees = true, autolimits = true, balance_inertia = false, strip_path = false;
  bool exact_meshes = false, gravity = true, fit_box = false;
  std::string euler = "xyz", mesh_folder, inertia_from_geom = "auto";
  double bound_mass = 0, bound_inertia = 0, total_mass = -1;
  double lowest_group = 0, highest_group = 5;

  double angle(double value) const;  ///< in rad
};

/// quat, or one of its alternatives.
SO3<double> read_orientation(const Attributes& a, const Compiler& compiler);
SE3<double> read_pose(const Attributes& a, const Compiler& compiler);
/// Midpoint and direction of `fromto`, and half of its length.
SE3<double> read_fromto(const Attributes& a, double& half_length);

/// What a file and all that it attaches have taken, however often it is.
struct Totals {
  std::size_t made = 0;   ///< elements, replicas included
  std::size_t bytes = 0;  ///< of text
};

class Reader {
 public:
  Reader(const std::string& text, const std::string& file_name, Findings* findings,
         Findings* errors, int depth = 0, std::shared_ptr<Totals> totals = nullptr)
      : text_(text),
        file_(file_name),
        findings_(findings),
        depth_(depth),
        totals_(totals ? std::move(totals) : std::make_shared<Totals>()),
        document_(text, file_name, errors),
        notes_(findings, errors) {}

  RobotDescription run();

 private:
  /// Where an element stands in its body: inside of <frame>s and <replicate>s.
  struct Place {
    SE3<double> T{};
    const Class* defaults = nullptr;
    std::string suffix{};
  };
  struct Item {
    const Node* node;
    Place place;
  };
  struct Site {
    std::size_t link;
    SE3<double> T;
  };
  struct Known {  ///< a joint of the file
    std::size_t joint;
    double ref;
  };
  struct Tendon {
    std::vector<Coupling::Term> terms;
    double at_reference = 0;
    bool fixed = false;
    std::string joint_side{};  ///< why it cannot be used
  };

  // reader.cpp
  void read_settings();
  void read_world(const std::vector<Item>& items);
  template <class Read>
  void each(const char* section, const Read& read);
  void read_compiler(const Node& node);
  void read_option(const Node& node);
  void read_assets(const Node& node);
  void check_defaults(const Node& node);
  void unused_section(const Node& node);
  void scale_to_total_mass();
  void drop_idle_loops(const XmlElement& root);
  void finish(const XmlElement& root);
  std::string fresh(const std::string& wish, std::set<std::string>& taken);

  // read_body.cpp
  void expand(const Node& node, const Place& place, std::vector<Item>& items);
  void read_body(const Item& item, std::size_t parent);
  std::size_t add_joints(const Item& body, const std::vector<Item>& items, const std::string& name,
                         const SE3<double>& T, std::size_t parent);
  std::size_t add_link(const std::string& name, const XmlElement& at, const SE3<double>& T_world);
  void read_members(const std::vector<Item>& items, std::size_t link);
  void read_site(const Item& item, std::size_t link);

  // attach.cpp
  struct ModelAsset {
    XmlElement xml;
    std::string path, text;
  };
  struct Part {  ///< of another model, which may be attached many times
    std::string text;
    std::unique_ptr<Reader> reader;
  };
  void read_part(const XmlElement& at, const std::string& tag, const std::string& name);
  void read_references_of_part();
  ModelAsset& model_asset(const XmlElement& at, const std::string& name);
  const Reader& part_of(const XmlElement& at);
  void attach(const Item& item, std::size_t link);
  void join_names(const Reader& part, const std::vector<std::size_t>& links,
                  std::size_t first_joint, const SE3<double>& T,
                  const std::function<std::string(const std::string&)>& named);

  // read_joint.cpp
  struct Step {
    Joint joint;
    SE3<double> before, after;
    double ref = 0;
  };
  Step read_joint(const Item& item, const std::string& body);
  void read_one_dof(const Attributes& a, Joint& joint, bool hinge);

  // read_geom.cpp
  struct Shape {
    MassMoments<double> moments{};
    double group = 0;
  };
  std::string mesh_file(const XmlElement& mesh) const;  ///< from the folder of the main file
  void read_geom(const Item& item, std::size_t link, bool need_mass, std::vector<Shape>& shapes);
  MassMoments<double> moments_of(const Attributes& a, const std::string& type,
                                 const Vec3<double>& size, const SE3<double>& T);
  MassMoments<double> mesh_at_density_one(const XmlElement& at, const std::string& name,
                                          bool shell);
  Vec3<double> fitted_size(const Attributes& a, const std::string& type, SE3<double>& T);
  const Triangles& triangles_of(const XmlElement& at, const std::string& mesh);
  void keep_shape(const Attributes& a, const std::string& type, const Vec3<double>& size,
                  const SE3<double>& T, Link& link);
  Inertial read_inertial(const XmlElement& element);
  void bound_inertia(const XmlElement& at, Inertial& body) const;
  void set_inertia(const Item& body, const std::vector<Item>& items, std::size_t link);

  void read_key(const Node& node);  // read_keys.cpp

  // read_rest.cpp
  void read_equality(const Node& node);
  void read_loop(const Node& node);
  void read_joint_equality(const Node& node);
  void read_tendon_equality(const Node& node);
  void read_tendon(const Node& node);
  void read_spatial(const Node& node, const Attributes& a);
  void read_actuator(const Node& node);
  const Known& known_joint(const XmlElement& at, const char* attribute);
  Site end_of(const XmlElement& at, const char* body, const char* site);
  void add_coupling(const Node& node, std::vector<Coupling::Term> terms, double offset);

  struct MeshAsset {
    XmlElement xml;
    const Class* defaults;
    bool plugin = false;  ///< that makes it
    std::unique_ptr<Triangles> triangles{};
  };

  const std::string& text_;
  std::string file_;
  Findings* findings_;
  int depth_;  // of models in models
  std::shared_ptr<Totals> totals_;
  Document document_;
  ReadNotes notes_;
  Compiler compiler_;
  Classes classes_;
  RobotDescription robot_;
  std::vector<SE3<double>> T_world_;  // of each link, as the file has it
  std::set<std::string> link_names_, joint_names_, loop_names_, spring_names_, key_names_;
  std::unordered_map<std::string, std::size_t> bodies_;
  std::unordered_map<std::string, Known> joints_;
  std::unordered_map<std::string, Site> sites_;
  std::unordered_map<std::string, Tendon> tendons_;
  std::unordered_map<std::string, MeshAsset> meshes_;
  std::unordered_map<std::string, std::vector<double>> materials_;
  std::vector<ModelAsset> models_;
  std::map<std::string, Part> parts_;
  bool leaves_bodies_out_ = false;  // that have coordinates in MuJoCo
};

}  // namespace torsor::internal::mjcf
