#include <algorithm>
#include <memory>

#include "command.hpp"
#include "frame_option.hpp"
#include "pose_text.hpp"
#include "states.hpp"

namespace torsor::command {
namespace {

struct FkArguments {
  std::string frame, reference;
  bool matrix = false;
};

/// Poses of the listed frames, and their motion where the user gave one.
class ForwardReport {
 public:
  ForwardReport(const Model<double>& model, const FkArguments& o, const Given& given)
      : model_(model),
        given_(given),
        matrix_(o.matrix),
        reference_(parse_reference(o.reference.empty() ? "world-aligned" : o.reference)),
        ws_(model) {
    frames_ =
        o.frame.empty() ? listed_frames(model) : std::vector<const Frame*>{&model.frame(o.frame)};
    moves_ = given.qd || given.qdd;
    if (!o.reference.empty() && !moves_)
      throw Error("--reference is about velocities; give --qd or --qdd too");
  }

  std::vector<Quantity> quantities(const State& s) {
    sweep(s);
    std::vector<Quantity> out;
    for (const Frame* f : frames_) {
      const SE3<double> T = frame_pose(ws_, *f);
      out.push_back(matrix_ ? matrix_quantity(f->name, T) : pose_quantity(f->name, T));
    }
    for (const Frame* f : frames_) {
      const auto add = [&](const char* what, const Twist<double>& V) {
        out.push_back({f->name + "." + what, twist_rows(), {}, numbers_of(V)});
      };
      if (moves_) add("velocity", frame_velocity(ws_, *f, reference_));
      if (given_.qdd) add("acceleration", frame_acceleration(ws_, *f, reference_));
    }
    return out;
  }

  Json json(const State& s) {
    sweep(s);
    Json frames = Json::object();
    for (const Frame* f : frames_) {
      Json& entry = frames[f->name] = json_of_pose(frame_pose(ws_, *f));
      if (moves_) entry["velocity"] = numbers_of(frame_velocity(ws_, *f, reference_));
      if (given_.qdd) entry["acceleration"] = numbers_of(frame_acceleration(ws_, *f, reference_));
    }
    return {{"q", s.q}, {"frames", std::move(frames)}};
  }

  std::string text(const State& s) {
    sweep(s);
    std::vector<NamedPose> poses;
    std::vector<NamedTwist> velocities, accelerations;
    for (const Frame* f : frames_) {
      poses.push_back({f->name, frame_pose(ws_, *f)});
      velocities.push_back({f->name, frame_velocity(ws_, *f, reference_)});
      accelerations.push_back({f->name, frame_acceleration(ws_, *f, reference_)});
    }
    const std::string unit = given_.degrees ? "deg" : "rad";
    std::string out =
        heading("poses in the world", "m, " + unit + (given_.q ? "" : "; neutral configuration")) +
        (matrix_ ? matrix_tables(poses) : pose_table(poses, given_.degrees));
    if (has_dh_frames())
      out +=
          "  link_i moves with joint i, its z along that joint's axis; frame_i is the DH\n"
          "  frame at the end of row i, fixed to link_i\n";
    const auto per = [&](const char* time) { return unit + time + ", m" + time + "; "; };
    if (moves_)
      out += heading("velocities", per("/s") + explained(reference_)) +
             twist_table(velocities, given_.degrees);
    if (given_.qdd)
      out += heading("accelerations", per("/s^2") + "derivatives of the velocities") +
             twist_table(accelerations, given_.degrees);
    return out;
  }

 private:
  /// Standard DH tables give every row a link and a frame.
  bool has_dh_frames() const {
    return std::any_of(frames_.begin(), frames_.end(),
                       [](const Frame* f) { return f->name == "frame_1"; });
  }
  void sweep(const State& s) { forward_acceleration(model_, ws_, s.q, s.qd, s.qdd); }

  const Model<double>& model_;
  Given given_;
  bool moves_ = false, matrix_;
  Reference reference_;
  std::vector<const Frame*> frames_;
  VelocityWorkspace<double> ws_;
};

Action add_fk(Arguments& app) {
  const auto o = std::make_shared<FkArguments>();
  app.add_option("--frame", o->frame, "this link, frame or joint alone; otherwise all")
      .type_name("NAME");
  app.add_flag("--matrix", o->matrix,
               "poses as 4 x 4 matrices; in CSV as columns <frame>.T.1.1 ... <frame>.T.4.4");
  app.add_option("--reference", o->reference,
                 "of velocities: body, world or world-aligned (the default)")
      .type_name("NAME");
  return add_state_verb(
      app, {.qd = true,
            .qdd = true,
            .geometry_only = true,
            .reporter = [o](const Model<double>& model, const Given& given) -> Reporter {
              const auto r = std::make_shared<ForwardReport>(model, *o, given);
              return {[r](const State& s) { return r->quantities(s); },
                      [r](const State& s) { return r->json(s); },
                      [r](const State& s) { return r->text(s); }};
            }});
}

}  // namespace

extern const Verb fk;
const Verb fk{
    "fk", "forward kinematics: poses of links and frames, and how they move",
    "  torsor fk puma560 --q 0,45,-90,0,30,0 --deg\n"
    "  torsor fk stanford --frame tool --q 0.3,0.5,0.7,0.4,0,0.2 --matrix    # 4 x 4\n"
    "  torsor fk panda --frame tool --qd 0.1,0,0,0.2,0,0,0       # velocity of one frame\n"
    "  torsor fk panda --frame tool --csv motion.csv -o poses.csv    # columns tool.x, ...\n"
    "\n"
    "A robot from a standard DH table has two frames for each row: link_i, which moves with joint "
    "i\n"
    "and has its z along that joint's axis, and the DH frame of the row, frame_i, fixed to "
    "link_i.\n"
    "Roll, pitch and yaw are URDF's: R = Rz(yaw) Ry(pitch) Rx(roll). Quaternions are x, y, "
    "z, w.\nTwists are angular first. What fk writes with --frame, torsor ik --csv reads.\n",
    add_fk};

}  // namespace torsor::command
