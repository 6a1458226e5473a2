#pragma once
/// One robot that a page plays with: its configuration, and the answers that the page shows.
///
///   Session session(Robot("puma560"), {.robot = "puma560"});
///   session.answer("move", {{"q", {0, 0.3, 0, 0, 0, 0}}});    // the new state, as JSON
///
/// Everything is computed by the library; a session keeps q, qd, qdd and what the page looks at, and
/// turns answers into JSON. Several pages share one session: each change has a number, and whoever waits
/// for the next one is woken.
///
/// Verbs    scene    what three dimensions need: bodies, shapes, frames, ties (once)
///          robot    coordinates with names, units and limits; frames; laws; warnings of the file (once)
///          state    at the present configuration: poses, M, C, g, tau, J, ellipsoids, warnings
///          move     {q}                          to a configuration; loops are closed from there
///          slide    {coordinate, value}          one coordinate; loops follow with the others
///          nudge    {dof, by}                    along one velocity, for joints without plain angles
///          reach    {frame, T | position [, rpy | quaternion], drag, stay, position_only}
///                                                inverse kinematics: all branches where there is a
///                                                closed form; goes to the nearest, unless it stays
///          look     {frame, reference, qd, qdd}  what tables and ellipsoids are of; each may be left out
///          law      {name}                       gains that suit the robot
///          run      {law, points: [{t, q}], factors: {gain: x}, duration}
///                                                a recorded motion under a law, in bounded time
/// Refused  What does not fit is a torsor::Error: one line; the configuration stays.
/// Threads  Any number of them may ask; runs do not hold up the others, and there is one at a time.
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "server/meshes.hpp"
#include "server/request.hpp"
#include "torsor/robot.hpp"

namespace torsor::view {

struct SessionOptions {
  /// As load_robot takes it: runs load it again, and its folder has the meshes. Empty: neither.
  std::string robot{};
  bool runs = true;  ///< whether `robot` is the robot of the session, so that it can be run
  std::vector<std::string> package_folders{};
  /// To begin with; none: neutral, in the middle of limits that leave zero out; loops closed.
  std::optional<std::vector<double>> q{};
  double run_seconds = 5;  ///< of the clock, after which a run is stopped
};

class Session final : public Answers {
 public:
  explicit Session(Robot robot, SessionOptions options = {});

  Json answer(const std::string& verb, const Json& request);
  Answered ask(const std::string& verb, std::string_view request) noexcept override;
  Answered mesh(std::string_view number) noexcept override;
  const Meshes& meshes() const { return meshes_; }
  const std::string& name() const { return robot_.name(); }
  Robot::Vector q() const;

  /// Counts changes of the configuration and of what is looked at.
  std::uint64_t version() const;
  std::uint64_t wait(std::uint64_t seen, std::chrono::milliseconds most) const override;

 private:
  struct Reached;

  Json scene() const;
  Json robot() const;
  Json state();
  Json move(Request request);
  Json slide(Request request);
  Json nudge(Request request);
  Json reach(Request request);
  Json look(Request request);
  Json law(Request request) const;
  Json run(Request request);

  /// Changes q; closes loops first, the named joints held where that is possible.
  void go_to(Robot::Vector q, int held_body = 0);
  void changed();
  Json matrices();
  Json tool_figures();
  std::vector<std::string> warnings();
  int most_directions(int here);
  Json poses(const Robot::Vector& q);
  Reached closed_form(const SE3<double>& T, bool position_only);
  Reached numeric(const SE3<double>& T, bool position_only, bool drag);
  Reached with_loops(const SE3<double>& T, bool position_only);

  mutable std::mutex mutex_;
  mutable std::condition_variable change_;
  std::mutex running_;
  std::uint64_t version_ = 1;
  SessionOptions options_;
  Robot robot_;
  Meshes meshes_;
  bool loops_;
  Robot::Vector q_, qd_, qdd_;
  std::string frame_;
  Reference reference_ = Reference::world_aligned;
  std::unique_ptr<AnalyticIkSolver> solver_;  // of frame_; none where there is no closed form
  bool solver_tried_ = false;
  std::string most_of_;  // the frame that most_ is of
  int most_ = 0;
};

}  // namespace torsor::view
