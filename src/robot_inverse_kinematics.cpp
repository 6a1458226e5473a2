// Robot: configurations that put frames at poses, by iteration and in closed form.
#include "robot_workspaces.hpp"

namespace torsor {
namespace {

bool same(const Frame& a, const Frame& b) {
  for (int k = 0; k < 3; ++k) {
    if (a.placement.p[k] != b.placement.p[k]) return false;
    for (int c = 0; c < 3; ++c)
      if (a.placement.R(k, c) != b.placement.R(k, c)) return false;
  }
  return a.body == b.body;
}

/// Solvers for the frames that were asked about last: making one is dear.
template <class Solver>
class SolverOfFrames {
 public:
  explicit SolverOfFrames(const Model<double>& model) : model_(model) {}
  Solver& operator()(const Array<Frame>& frames) {
    for (Entry& entry : entries_)
      if (std::equal(entry.frames.begin(), entry.frames.end(), frames.begin(), frames.end(), same))
        return entry.solver;
    Solver solver = make(frames);
    if (entries_.size() == kept) entries_.erase(entries_.begin());
    return entries_.emplace_back(Entry{frames, std::move(solver)}).solver;
  }

 private:
  static constexpr int kept = 8;
  struct Entry {
    Array<Frame> frames;
    Solver solver;
  };
  Solver make(const Array<Frame>& frames) const {
    if constexpr (std::is_same_v<Solver, AnalyticIkSolver>)
      return Solver(model_, frames[0]);
    else
      return Solver(model_, View<const Frame>(frames));
  }
  const Model<double>& model_;
  Array<Entry> entries_;
};

}  // namespace

Robot::NumericIk Robot::inverse_kinematics(const FrameArgument& frame, const Pose& T_world_frame,
                                           ConstVector q_start,
                                           const InverseKinematicsOptions& options) {
  return inverse_kinematics({FrameTarget{frame, T_world_frame}}, q_start, options);
}
Robot::NumericIk Robot::inverse_kinematics(const std::vector<FrameTarget>& targets,
                                           ConstVector q_start,
                                           const InverseKinematicsOptions& options) {
  const Array<double> start = checked_copy("q_start", q_start);
  Array<Frame> frames;
  Array<IkTarget> wanted;
  for (const FrameTarget& t : targets) {
    frames.push_back(find(t.frame));
    wanted.push_back({pose("T_world_frame", t.T_world_frame),
                      vec3("orientation_weight", t.orientation_weight),
                      vec3("position_weight", t.position_weight), t.priority});
  }
  auto& ws = work<SolverOfFrames<InverseKinematicsWorkspace>>()(frames);
  NumericIk out;
  out.q = q_start;
  const InverseKinematicsResult r =
      torsor::inverse_kinematics(model(), ws, wanted, start, options, out.q);
  out.converged = r.converged;
  out.status = r.status;
  out.iterations = r.iterations;
  out.restarts = r.restarts;
  out.position_residual = r.position_residual;
  out.orientation_residual = r.orientation_residual;
  out.levels = r.levels;
  out.levels_reached = r.levels_reached;
  out.objective = r.objective;
  out.targets.assign(r.targets.begin(), r.targets.end());
  out.active_limits.assign(r.active_limits.begin(), r.active_limits.end());
  out.message = describe(model(), r);
  return out;
}

Robot::AnalyticIk Robot::analytic_ik(const FrameArgument& frame, const Pose& T_world_frame) {
  return analytic_ik(frame, T_world_frame, neutral());
}
Robot::AnalyticIk Robot::analytic_ik(const FrameArgument& frame, const Pose& T_world_frame,
                                     ConstVector rest) {
  const Vector others = internal::to_eigen(checked_copy("rest", rest));
  const auto& solver = work<SolverOfFrames<AnalyticIkSolver>>()({find(frame)});
  AnalyticIkResult result;
  solver.solve(pose("T_world_frame", T_world_frame), result);
  AnalyticIk out{result.status, {}, result.distance};
  const Array<std::string> branches = solver.branch_names(result);
  for (int i = 0; i < result.n_solutions; ++i) {
    const AnalyticIkSolution& s = result.begin()[i];
    out.solutions.push_back(
        {others, branches[i], s.inside_limits(), s.position_error, s.rotation_error});
    solver.write(s, out.solutions.back().q);
  }
  return out;
}

}  // namespace torsor
