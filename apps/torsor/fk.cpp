#include <memory>

#include "command.hpp"
#include "frame_option.hpp"
#include "pose_text.hpp"
#include "states.hpp"

namespace torsor::command {
namespace {

struct Options {
  std::string frame, reference;
};

/// Poses of the listed frames, and their motion where the user gave one.
class ForwardReport {
 public:
  ForwardReport(const Model<double>& model, const Options& o, const Given& given)
      : model_(model),
        given_(given),
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
    for (const Frame* f : frames_) out.push_back(pose_quantity(f->name, frame_pose(ws_, *f)));
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
        pose_table(poses, given_.degrees);
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
  void sweep(const State& s) { forward_acceleration(model_, ws_, s.q, s.qd, s.qdd); }

  const Model<double>& model_;
  Given given_;
  bool moves_ = false;
  Reference reference_;
  std::vector<const Frame*> frames_;
  VelocityWorkspace<double> ws_;
};

Action add(Arguments& app) {
  const auto o = std::make_shared<Options>();
  app.add_option("--frame", o->frame, "this link, frame or joint alone; otherwise all")
      .type_name("NAME");
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
    "  torsor fk panda --frame tool --qd 0.1,0,0,0.2,0,0,0     # velocity of one frame\n"
    "  torsor fk panda --frame tool --csv motion.csv -o poses.csv  # columns tool.x, ...\n"
    "\n"
    "Roll, pitch and yaw are URDF's: R = Rz(yaw) Ry(pitch) Rx(roll). Quaternions are x, y, "
    "z, w.\nTwists are angular first. What fk writes with --frame, torsor ik --csv reads.\n",
    add};

}  // namespace torsor::command
